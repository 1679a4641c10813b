//! Compares texture look-ups of llvmpipe with the profile of it in crate `texture`: 8-bit colours are equal bit for
//! bit, floats up to rounding.
//!
//! Where the first driver is another one, the test is ignored: `LIBGL_ALWAYS_SOFTWARE=1` makes Mesa's the first.

use std::process::ExitCode;

use driver::{Api, Channel, Context, Image, ImageFormat, ImageSampling, ImageTarget, ImageWrap, Output, Render};
use driver::{DriverError, Tile};
use libtest_mimic::{Arguments, Failed, Trial};
use shader::version::Stage;
use testing::random::Random;
use texture::{Filtering, Lod, Lookup, Sampler, Unit};

/// Width and height of the picture; each pixel does one look-up.
const SIDE: usize = 32;

/// How the shader determines the level of detail.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Asking {
    /// `texture`: from the derivatives.
    Implicit,
    /// `textureLod`.
    Level,
    /// `textureGrad`.
    Gradient,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    target: ImageTarget,
    format: ImageFormat,
    size: [u16; 3],
    linear: bool,
    sampling: ImageSampling,
    asking: Asking,
}

/// A number from -1 to 1.
fn signed(random: &mut Random) -> f32 {
    random.between(-1.0, 1.0)
}

impl Case {
    /// Whether llvmpipe filters with integers, so that results must be bit-exact. Levels of detail that select between
    /// two filters are not computed so; mirrored coordinates and positions on cube faces are rounded differently from
    /// ours.
    fn is_exact(&self) -> bool {
        let simple = self.sampling.wrap != ImageWrap::MirroredRepeat && self.target != ImageTarget::Cube;
        let one_filter = self.asking != Asking::Level || !self.sampling.other_magnification;
        self.format == ImageFormat::Rgba8 && simple && one_filter
    }

    /// How many look-ups may differ: those where rounding decides between two texels or levels.
    fn allowed(&self) -> usize {
        if self.is_exact() { 0 } else { SIDE * SIDE / 20 }
    }

    fn image(&self, random: &mut Random) -> Image {
        let axes = match self.target {
            ImageTarget::D1 | ImageTarget::D1Array => 1,
            ImageTarget::D3 => 3,
            _ => 2,
        };
        let texels = (0..=self.sampling.more_levels).map(|level| {
            let size = (0..3).map(|axis| if axis < axes { (self.size[axis] >> level).max(1) } else { self.size[axis] });
            size.map(usize::from).product::<usize>()
        });
        let channels = 4 * texels.sum::<usize>();
        let data = match self.format {
            ImageFormat::Rgba32F => (0..channels).flat_map(|_| signed(random).to_le_bytes()).collect(),
            _ => (0..channels).map(|_| random.number() as u8).collect(),
        };
        let (target, format, size) = (self.target, self.format, self.size);
        let (linear, compare, sampling) = (self.linear, false, self.sampling);
        Image { name: "image".to_owned(), target, format, size, linear, compare, sampling, data }
    }

    /// The coordinate for every pixel; the last component is a level of detail.
    fn coordinates(&self, random: &mut Random) -> Vec<[f32; 4]> {
        // From magnified to far smaller than a texel; some lie far outside.
        let step = 2f32.powf(3.0 * signed(random)) / f32::from(self.size[0]);
        let start = [signed(random), signed(random), signed(random)].map(|c| 3.0 * c);
        let pixels = (0..SIDE * SIDE).map(|pixel| {
            let (x, y) = ((pixel % SIDE) as f32, (pixel / SIDE) as f32);
            let mut jitter = || 0.3 * step * signed(random);
            let coordinate = [start[0] + step * x + jitter(), start[1] + step * y + jitter(), start[2] + jitter()];
            let coordinate = match self.target {
                ImageTarget::Rectangle => coordinate.map(|c| c * f32::from(self.size[0])),
                _ => coordinate,
            };
            [coordinate[0], coordinate[1], coordinate[2], 4.0 * signed(random)]
        });
        pixels.collect()
    }

    fn fragment(&self) -> String {
        let (sampler, swizzle) = match self.target {
            ImageTarget::D1 => ("sampler1D", "x"),
            ImageTarget::D2 => ("sampler2D", "xy"),
            ImageTarget::D3 => ("sampler3D", "xyz"),
            ImageTarget::Cube => ("samplerCube", "xyz"),
            ImageTarget::Rectangle => ("sampler2DRect", "xy"),
            target => panic!("no coordinates are made for {target:?}"),
        };
        let slope = |step: &str| {
            format!("texelFetch(moments, (ivec2(gl_FragCoord.xy) & ~1) + ivec2({step}), 0).{swizzle} - base.{swizzle}")
        };
        let look = match self.asking {
            Asking::Implicit => format!("texture(image, place.{swizzle})"),
            Asking::Level => format!("textureLod(image, place.{swizzle}, place.w)"),
            Asking::Gradient => {
                format!("textureGrad(image, place.{swizzle}, {}, {})", slope("1, 0"), slope("0, 1"))
            }
        };
        format!(
            "#version 330\nuniform sampler2D moments; uniform {sampler} image; out vec4 colour;\n\
             void main() {{ vec4 place = texelFetch(moments, ivec2(gl_FragCoord.xy), 0);\n\
             vec4 base = texelFetch(moments, ivec2(gl_FragCoord.xy) & ~1, 0);\n colour = {look}; }}"
        )
    }

    /// The number of look-ups that differ, and a description of the first.
    fn differences(&self, context: &Context, seed: u64) -> Result<(usize, String), DriverError> {
        let mut random = Random::new(seed);
        let image = self.image(&mut random);
        let moments = self.coordinates(&mut random);
        let table = Image {
            name: "moments".to_owned(),
            target: ImageTarget::D2,
            format: ImageFormat::Rgba32F,
            size: [SIDE as u16, SIDE as u16, 1],
            linear: false,
            compare: false,
            sampling: ImageSampling::default(),
            data: moments.iter().flatten().flat_map(|c| c.to_le_bytes()).collect(),
        };
        let fragment = self.fragment();
        let vertex = "#version 330\nin vec4 corner; void main() { gl_Position = corner; }";
        let pictures = context.render(&Render {
            shaders: &[(Stage::Vertex, &[vertex]), (Stage::Fragment, &[&fragment])],
            corner: "corner",
            size: [SIDE as u16; 2],
            outputs: &[Output { name: "colour".to_owned(), channel: Channel::Float }],
            images: &[table, image.clone()],
            tiles: &[Tile { rectangle: [0, 0, SIDE as u16, SIDE as u16], uniforms: Vec::new() }],
        })?;
        let picture = pictures[0].as_ref().expect("the output is active");
        let (texture, sampler) = lab::texture(&image, Api::DesktopCore);
        let sampler = Sampler { filtering: Filtering::Llvmpipe { flipped: false }, seamless_cube: false, ..sampler };
        let unit = Unit::new(&texture, &sampler);
        let (mut count, mut first) = (0, String::new());
        for (pixel, place) in moments.iter().enumerate() {
            let [x, y] = [pixel % SIDE, pixel / SIDE].map(|n| n & !1);
            let at = |x: usize, y: usize| moments[y * SIDE + x];
            let slope = |to: [f32; 4]| std::array::from_fn(|i| to[i] - at(x, y)[i]);
            let lod = match self.asking {
                Asking::Implicit | Asking::Gradient => {
                    Lod::Derivatives { dx: slope(at(x + 1, y)), dy: slope(at(x, y + 1)), bias: 0.0 }
                }
                Asking::Level => Lod::Explicit(place[3]),
            };
            let ours = unit.sample(&Lookup { coords: *place, lod, ..Lookup::default() }, &mut ()).float();
            let theirs: [f32; 4] = std::array::from_fn(|i| f32::from_bits(picture[4 * pixel + i]));
            let exact = ours.map(f32::to_bits) == theirs.map(f32::to_bits);
            let close = (0..4).all(|i| (ours[i] - theirs[i]).abs() <= 1e-5);
            if !exact && (self.is_exact() || !close) {
                if count == 0 {
                    let scaled = |c: [f32; 4]| c.map(|c| c * 255.0);
                    first = format!("{place:?} {lod:?}: {:?}, not {:?}", scaled(theirs), scaled(ours));
                }
                count += 1;
            }
        }
        Ok((count, first))
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [(ImageTarget, &[[u16; 3]]); 5] = [
        (ImageTarget::D1, &[[16, 1, 1], [13, 1, 1]]),
        (ImageTarget::D2, &[[16, 8, 1], [13, 24, 1], [64, 20, 1]]),
        (ImageTarget::D3, &[[8, 8, 4], [5, 6, 7]]),
        (ImageTarget::Cube, &[[8, 8, 6], [6, 6, 6]]),
        (ImageTarget::Rectangle, &[[16, 16, 1]]),
    ];
    for (target, sizes) in shapes {
        for &size in sizes {
            let levels: &[(u8, bool)] =
                if target == ImageTarget::Rectangle { &[(0, false)] } else { &[(0, false), (2, false), (2, true)] };
            for &(more_levels, mix_levels) in levels {
                for wrap in [ImageWrap::Repeat, ImageWrap::ClampToEdge, ImageWrap::MirroredRepeat] {
                    for (linear, other_magnification) in [(false, false), (true, false), (false, true), (true, true)] {
                        let sampling = ImageSampling { wrap, more_levels, mix_levels, other_magnification };
                        let askings: &[Asking] = if target == ImageTarget::Rectangle {
                            &[Asking::Implicit]
                        } else {
                            &[Asking::Implicit, Asking::Level, Asking::Gradient]
                        };
                        for &asking in askings {
                            // The profile does not distinguish it from `texture`, and documents that.
                            if asking == Asking::Gradient && other_magnification {
                                continue;
                            }
                            for format in [ImageFormat::Rgba8, ImageFormat::Rgba32F] {
                                cases.push(Case { target, format, size, linear, sampling, asking });
                            }
                        }
                    }
                }
            }
        }
    }
    cases
}

fn main() -> ExitCode {
    let renderer = Context::new(Api::DesktopCore).and_then(|context| context.renderer());
    let other = renderer.is_ok_and(|renderer| !renderer.starts_with("llvmpipe"));
    let trial = Trial::test("look_ups_match_llvmpipe", look_ups_match_llvmpipe).with_ignored_flag(other);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

fn look_ups_match_llvmpipe() -> Result<(), Failed> {
    let context = testing::driver::context(Api::DesktopCore);
    let mut wrong = Vec::new();
    // All cases would take minutes; neighbours in the list differ in one parameter only, so these still cover every
    // value.
    let cases: Vec<Case> = cases().into_iter().step_by(7).collect();
    for (number, case) in cases.iter().enumerate() {
        let (count, first) = case.differences(&context, 0x9e37_79b9 + number as u64).expect("the draw succeeds");
        if count > case.allowed() {
            wrong.push(format!("{count} of {}, {case:?}: {first}", SIDE * SIDE));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    Ok(())
}
