//! Variants on a driver.

use driver::{Api, Channel, Context, Output, Render, Shape, Tile, Uniform};
use instrument::{CompilerWorkarounds, Device, Framed, Transport};
use shader::version::{Profile, Stage, Version};

/// A driver's context.
pub struct Driver {
    context: Context,
}

impl Driver {
    /// A context for desktop GL or ES.
    #[track_caller]
    pub fn new(desktop: bool) -> Driver {
        Driver { context: testing::driver::context(if desktop { Api::DesktopCompatibility } else { Api::Es }) }
    }

    /// The newest language version it supports.
    pub fn newest(&self) -> u16 {
        self.context.glsl_version().expect("a version")
    }

    /// Its capabilities.
    pub fn device(&self) -> Device {
        let profile = if self.context.api() == Api::Es { Profile::Es } else { Profile::Compatibility };
        Device {
            newest: Version { number: self.newest(), profile },
            storage_blocks: [8; 6],
            storage_bindings: 8,
            integer_targets: true,
            float_targets: true,
            targets: 8,
            feedback_words: 64,
            extensions: self.context.extensions().expect("the extensions").iter().collect(),
            style: CompilerWorkarounds::default(),
        }
    }

    /// Compiles and links a fragment shader with a vertex shader of its version.
    pub fn compile(&self, framed: &Framed) {
        let vertex = self.vertex(framed);
        let texts: Vec<&str> = framed.strings.iter().map(String::as_str).collect();
        let shaders = [(Stage::Vertex, &[vertex.as_str()][..]), (Stage::Fragment, &texts[..])];
        let linked = self.context.link(&shaders).expect("an answer");
        assert!(linked.ok, "{} {:?}\n{}", linked.log, linked.compiled, texts.concat());
    }

    /// One window of the answer of a pixel in a four by four picture.
    pub fn window(&self, framed: &Framed, transport: Transport, pixel: [i32; 2], base: u32) -> Vec<u32> {
        let (targets, channel) = match transport {
            Transport::IntegerTargets(count) => (count, Channel::Uint),
            Transport::FloatTargets(count) => (count, Channel::Float),
            _ => (1, Channel::Float),
        };
        let mut names = framed.controls.outputs.clone();
        if names.is_empty() && targets == 1 {
            names.push("gl_FragColor".to_owned());
        } else if names.is_empty() {
            names.extend((0..targets).map(|target| format!("gl_FragData[{target}]")));
        }
        let outputs: Vec<Output> = names.into_iter().map(|name| Output { name, channel }).collect();
        let controls = &framed.controls;
        let pick = [pixel[0], pixel[1], -1, -1].map(i32::cast_unsigned).to_vec();
        let uniforms = vec![
            uniform(&controls.on, 1, vec![1]),
            uniform(&controls.pick, 4, pick),
            uniform(&controls.base, 1, vec![base]),
        ];
        let vertex = self.vertex(framed);
        let texts: Vec<&str> = framed.strings.iter().map(String::as_str).collect();
        let render = Render {
            shaders: &[(Stage::Vertex, &[vertex.as_str()]), (Stage::Fragment, &texts)],
            corner: "corner",
            size: [4, 4],
            outputs: &outputs,
            images: &[],
            tiles: &[Tile { rectangle: [0, 0, 4, 4], uniforms }],
        };
        let pictures = self.context.render(&render);
        let pictures = pictures.unwrap_or_else(|error| panic!("{error}\n{}", texts.concat()));
        let at = ((pixel[1] * 4 + pixel[0]) * 4) as usize;
        let colors: Vec<[u32; 4]> = pictures
            .iter()
            .map(|picture| {
                let words = &picture.as_ref().expect("the output is active")[at..at + 4];
                [words[0], words[1], words[2], words[3]]
            })
            .collect();
        crate::emulated::words(transport, &colors)
    }

    /// The fourth word of the stream, for each value of a uniform `f`.
    pub fn values(&self, framed: &Framed, values: &[u32]) -> Vec<u32> {
        let controls = &framed.controls;
        let tile = |(x, &value): (u16, &u32)| {
            let float = Uniform { channel: Channel::Float, ..uniform("f", 1, vec![value]) };
            let uniforms = vec![
                uniform(&controls.on, 1, vec![1]),
                uniform(&controls.pick, 4, vec![u32::MAX; 4]),
                uniform(&controls.base, 1, vec![3]),
                float,
            ];
            Tile { rectangle: [x, 0, 1, 1], uniforms }
        };
        let tiles: Vec<Tile> = (0u16..).zip(values).map(tile).collect();
        let name = controls.outputs.first().map_or("gl_FragColor", String::as_str).to_owned();
        let vertex = self.vertex(framed);
        let texts: Vec<&str> = framed.strings.iter().map(String::as_str).collect();
        let render = Render {
            shaders: &[(Stage::Vertex, &[vertex.as_str()]), (Stage::Fragment, &texts)],
            corner: "corner",
            size: [values.len() as u16, 1],
            outputs: &[Output { name, channel: Channel::Float }],
            images: &[],
            tiles: &tiles,
        };
        let pictures = self.context.render(&render).expect("a picture");
        let words = pictures[0].as_ref().expect("the output is active");
        let word =
            |color: &[u32]| crate::emulated::words(Transport::Bytes, &[[color[0], color[1], color[2], color[3]]]);
        words.chunks(4).flat_map(word).collect()
    }

    /// A vertex shader of the same version.
    fn vertex(&self, framed: &Framed) -> String {
        let text = framed.strings.concat();
        let version = text.lines().next().unwrap_or_default();
        let keyword = match version.split(' ').nth(1) {
            Some("100" | "110" | "120") => "attribute",
            _ => "in",
        };
        format!("{version}\n{keyword} vec4 corner; void main() {{ gl_Position = corner; }}")
    }
}

fn uniform(name: &str, rows: u8, words: Vec<u32>) -> Uniform {
    Uniform { name: name.to_owned(), channel: Channel::Int, shape: Shape { columns: 1, rows }, words }
}
