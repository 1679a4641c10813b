//! The context that shaders are checked for: WebGL's rules, limits and extensions.

use std::path::Path;

use anyhow::{Context as _, bail};
use host::Host;
use shader::builtin::{self, ExtensionSet, is_constant};
use shader::version::{Options, Profile, Stage, Version};

use super::Args;

/// A file of limits has some hundred lines; one that is longer than this is something else.
const MOST_BYTES: u64 = 1 << 20;

/// The named profiles, each with its limits.
const PROFILES: [(&str, &str); 3] = [
    ("llvmpipe", include_str!("limits/llvmpipe.txt")),
    ("es2-minimum", include_str!("limits/es2-minimum.txt")),
    ("es3-minimum", include_str!("limits/es3-minimum.txt")),
];

/// The rules of WebGL that apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum WebGl {
    /// Those of WebGL 1.
    #[value(name = "1")]
    One,
    /// Those of WebGL 2.
    #[value(name = "2")]
    Two,
    /// Those of the version that the shader's language belongs to.
    #[value(name = "any")]
    Any,
}

/// What a shader is checked for.
pub struct Context {
    webgl: Option<WebGl>,
    /// By the names of GLSL's constants.
    pub limits: Vec<(String, i32)>,
    /// `None` for all.
    extensions: Option<ExtensionSet>,
}

impl Context {
    /// Returns the context that the options describe.
    pub fn new(args: &Args) -> anyhow::Result<Context> {
        let limits = args.limits.as_deref().map(limits).transpose()?.unwrap_or_default();
        let extensions = args.extensions.as_deref().map(extensions).transpose()?;
        Ok(Context { webgl: args.webgl, limits, extensions })
    }

    /// Whether WebGL's rules apply.
    pub fn is_webgl(&self) -> bool {
        self.webgl.is_some()
    }

    /// Returns how to read a shader; `es` if its file says that the context is one of OpenGL ES.
    pub fn options(&self, args: &Args, stage: Stage, es: bool) -> Options {
        let mut options = Options::new(stage);
        options.version_override = args.version_override;
        options.vendor = args.vendor.vendor();
        options.limits.clone_from(&self.limits);
        options.webgl = self.webgl.is_some();
        options.newest = match self.webgl {
            Some(WebGl::One) => Some(100),
            Some(WebGl::Two) => Some(300),
            Some(WebGl::Any) | None => None,
        };
        options.available = self.extensions.unwrap_or(options.available);
        if self.webgl.is_some() || es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options
    }
}

/// Reads the limits of a file, a trace or a profile.
fn limits(from: &str) -> anyhow::Result<Vec<(String, i32)>> {
    if is_trace(from) {
        return of_trace(from, |facts| {
            let named = facts.limits.iter().filter(|((_, index), _)| *index == 0).filter_map(|((name, _), values)| {
                let name = constant(api::enums::any_name(api::Library::Gl, i64::from(name))?);
                let value = i32::try_from(values.first_integer()?).ok()?;
                is_constant(&name).then_some((name, value))
            });
            named.collect()
        });
    }
    if let Some((_, text)) = PROFILES.iter().find(|profile| profile.0 == from).filter(|_| !Path::new(from).exists()) {
        return read(from, text);
    }
    if !Path::new(from).exists() {
        let names = PROFILES.map(|profile| profile.0).join(", ");
        bail!("there is neither a file {from} nor a profile of that name; the profiles are {names}");
    }
    let length = std::fs::metadata(from).with_context(|| format!("{from} cannot be read"))?.len();
    if length > MOST_BYTES {
        bail!("{from} has {length} bytes; a file of limits has one name and one number on each line");
    }
    read(from, &super::input::text(from)?)
}

/// Reads lines such as `gl_MaxDrawBuffers 8` or `GL_MAX_DRAW_BUFFERS = 8`.
fn read(path: &str, text: &str) -> anyhow::Result<Vec<(String, i32)>> {
    let mut limits: Vec<(String, i32)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().replace([':', '=', ','], " ");
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, value) = match words[..] {
            [] => continue,
            [name, value] => (name, value),
            _ => bail!("{path}:{number}: a line has a name and a number, such as `GL_MAX_DRAW_BUFFERS 8`"),
        };
        let value: i32 = value.parse().ok().with_context(|| format!("{path}:{number}: `{value}` is no number"))?;
        let known = match name.strip_prefix("gl_") {
            Some(_) if is_constant(name) => Some(name.to_owned()),
            Some(_) => bail!("{path}:{number}: GLSL has no constant `{name}`"),
            // A list of all limits of GL has many that no shader depends on.
            None if name.starts_with("GL_M") => Some(constant(name)).filter(|name| is_constant(name)),
            None => bail!("{path}:{number}: `{name}` is neither a constant of GLSL nor a limit of GL"),
        };
        limits.extend(known.map(|name| (name, value)));
    }
    Ok(limits)
}

/// Returns the name of GLSL's constant for a limit of GL such as `GL_MAX_DRAW_BUFFERS`.
fn constant(name: &str) -> String {
    let mut constant = "gl_".to_owned();
    for word in name.trim_start_matches("GL_").split('_') {
        let mut characters = word.chars();
        constant.extend(characters.next());
        constant.extend(characters.map(|c| c.to_ascii_lowercase()));
    }
    constant
}

/// Reads the extensions of a list or a trace.
fn extensions(from: &str) -> anyhow::Result<ExtensionSet> {
    let names: Vec<String> = if is_trace(from) {
        of_trace(from, |facts| facts.extensions.iter().cloned().collect())?
    } else {
        from.split([',', ' ']).filter(|name| !name.is_empty() && *name != "none").map(str::to_owned).collect()
    };
    let mut set = ExtensionSet::empty();
    for name in names {
        let prefix = name.trim_start_matches("GL_").split('_').next().unwrap_or_default();
        if prefix.len() == name.len() || !prefix.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) {
            bail!("`{name}` is no extension; --extensions takes names such as GL_OES_standard_derivatives, or none");
        }
        // A context has many that do not concern shaders.
        if let Some(extension) = builtin::extension(&in_shaders(&name)) {
            set.insert(extension);
        }
    }
    Ok(set)
}

/// Returns what `#extension` calls an extension. WebGL's own names have no `GL_`, and some differ.
fn in_shaders(name: &str) -> String {
    match name {
        "WEBGL_draw_buffers" => "GL_EXT_draw_buffers".to_owned(),
        "WEBGL_multi_draw" => "GL_ANGLE_multi_draw".to_owned(),
        "WEBGL_clip_cull_distance" => "GL_ANGLE_clip_cull_distance".to_owned(),
        _ if name.starts_with("GL_") => name.to_owned(),
        _ => format!("GL_{name}"),
    }
}

fn is_trace(from: &str) -> bool {
    Path::new(from).extension().is_some_and(|extension| extension == "aftr")
}

/// Returns something about the last context of a trace.
fn of_trace<T>(path: &str, what: impl Fn(&state::Facts) -> T) -> anyhow::Result<T> {
    let open = Host::new().trace(Path::new(path))?;
    let last = open.reader().len().checked_sub(1).with_context(|| format!("{path} has no commands"))?;
    let model = open.state_after(last).with_context(|| format!("the contexts of {path} cannot be read"))?;
    let context = model.contexts.iter().flatten().next_back();
    let context = context.with_context(|| format!("{path} has no context at its end"))?;
    Ok(what(&context.facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let text = "# mine\ngl_MaxDrawBuffers 4\nGL_MAX_VERTEX_ATTRIBS = 8 # few\n\nGL_MAX_TEXTURE_SIZE: 2048\n";
        let limits = read("a.txt", text).expect("it is well formed");
        assert_eq!(limits, [("gl_MaxDrawBuffers".to_owned(), 4), ("gl_MaxVertexAttribs".to_owned(), 8)]);
        let problem = |text: &str| read("a.txt", text).expect_err("it is not").to_string();
        assert_eq!(problem("\ngl_MaxDrawBufers 4"), "a.txt:2: GLSL has no constant `gl_MaxDrawBufers`");
        assert_eq!(problem("gl_MaxDrawBuffers many"), "a.txt:1: `many` is no number");
        assert!(problem("gl_MaxDrawBuffers").contains("a name and a number"));
        assert!(problem("colours 3").contains("neither a constant"));
    }

    #[test]
    fn profiles_name_limits_of_glsl() {
        for (name, text) in PROFILES {
            assert!(read(name, text).expect("profiles are well formed").len() >= 8, "{name}");
        }
    }

    #[test]
    fn extensions_are_read() {
        let set =
            extensions("OES_standard_derivatives,WEBGL_draw_buffers,GL_ARB_buffer_storage").expect("all are names");
        let mut names = set.names();
        names.sort_unstable();
        assert_eq!(names, ["GL_EXT_draw_buffers", "GL_OES_standard_derivatives"]);
        assert_eq!(extensions("none").expect("an empty list").names(), [""; 0]);
        assert!(extensions("derivatives").is_err());
    }
}
