//! Chromium as a compiler: a page that compiles a list of shaders and writes the verdicts into itself.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use shader::version::Stage;

use super::super::case::{Answer, Verdict};
use super::Shader;
use crate::{process, setup};

/// Shaders per page: few enough that a hang costs little, many enough that starting a browser costs little.
const BATCH: usize = 400;
/// Timeout of a page.
const TIMEOUT: Duration = Duration::from_secs(120);

/// GLSL's constants, and what WebGL calls them.
pub const LIMITS: [(&str, &str); 10] = [
    ("gl_MaxVertexAttribs", "MAX_VERTEX_ATTRIBS"),
    ("gl_MaxVertexUniformVectors", "MAX_VERTEX_UNIFORM_VECTORS"),
    ("gl_MaxVaryingVectors", "MAX_VARYING_VECTORS"),
    ("gl_MaxVertexTextureImageUnits", "MAX_VERTEX_TEXTURE_IMAGE_UNITS"),
    ("gl_MaxCombinedTextureImageUnits", "MAX_COMBINED_TEXTURE_IMAGE_UNITS"),
    ("gl_MaxTextureImageUnits", "MAX_TEXTURE_IMAGE_UNITS"),
    ("gl_MaxFragmentUniformVectors", "MAX_FRAGMENT_UNIFORM_VECTORS"),
    ("gl_MaxDrawBuffers", "MAX_DRAW_BUFFERS"),
    ("gl_MinProgramTexelOffset", "MIN_PROGRAM_TEXEL_OFFSET"),
    ("gl_MaxProgramTexelOffset", "MAX_PROGRAM_TEXEL_OFFSET"),
];

/// A browser's results.
pub struct Browser {
    /// Its name and version.
    pub version: String,
    /// GLSL extensions, for WebGL 1 and 2.
    pub extensions: [Vec<String>; 2],
    /// Limits by the names of GLSL's constants, for WebGL 1 and 2.
    pub limits: [Vec<(String, i32)>; 2],
    /// One per shader, in order.
    pub verdicts: Vec<Verdict>,
}

/// Compiles shaders, each in a context of its kind.
pub fn compile(shaders: &[Shader]) -> anyhow::Result<Browser> {
    setup::ensure(&["chromium"])?;
    let folder = process::corpus_dir().join("webgl");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let version = process::output("chromium", &["--version"])?.trim().to_owned();
    let mut browser =
        Browser { version, extensions: Default::default(), limits: Default::default(), verdicts: Vec::new() };
    for batch in shaders.chunks(BATCH) {
        let jobs: Vec<Value> =
            batch.iter().map(|s| json!([s.context, u8::from(s.stage == Stage::Vertex), s.text])).collect();
        // `</script>` in a shader's comment would end the page's own script.
        let jobs = Value::from(jobs).to_string().replace('<', "\\u003c");
        let page = folder.join(format!("page-{}.html", std::process::id()));
        std::fs::write(&page, PAGE.replace("$LIMITS", &limits()).replace("$JOBS", &jobs))?;
        let answer = load(&format!("file://{}", page.display()), &folder)?;
        std::fs::remove_file(&page)?;
        let verdicts = answer["verdicts"].as_array().context("the page wrote no verdicts")?;
        if verdicts.len() != batch.len() {
            bail!("the page judged {} of {} shaders", verdicts.len(), batch.len());
        }
        for verdict in verdicts {
            let log = verdict.as_str().unwrap_or_default();
            browser.verdicts.push(match log.strip_prefix("+") {
                Some(_) => Verdict { answer: Answer::Accepted, log: String::new() },
                None => Verdict { answer: Answer::CompileError, log: log.trim_matches(['-', '\n', '\0']).to_owned() },
            });
        }
        for (index, context) in ["1", "2"].into_iter().enumerate() {
            let strings = answer["extensions"][context].as_array().context("the page has no such context")?;
            browser.extensions[index] = strings.iter().filter_map(|e| Some(glsl_name(e.as_str()?))).collect();
            let limits = answer["limits"][context].as_object().context("the page has no limits")?;
            browser.limits[index] = limits
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), i32::try_from(value.as_i64()?).ok()?)))
                .collect();
        }
    }
    Ok(browser)
}

/// Returns [`LIMITS`] as an object of JavaScript.
pub fn limits() -> String {
    LIMITS.iter().map(|(name, limit)| ((*name).to_owned(), json!(limit))).collect::<Value>().to_string()
}

/// Returns the name of a WebGL extension in `#extension`.
pub fn glsl_name(name: &str) -> String {
    match name {
        "WEBGL_draw_buffers" => "GL_EXT_draw_buffers".to_owned(),
        "WEBGL_multi_draw" => "GL_ANGLE_multi_draw".to_owned(),
        "WEBGL_clip_cull_distance" => "GL_ANGLE_clip_cull_distance".to_owned(),
        _ => format!("GL_{name}"),
    }
}

/// Returns the JSON that a page leaves in its first `pre` element, in hexadecimal to avoid escaping.
fn load(url: &str, folder: &std::path::Path) -> anyhow::Result<Value> {
    let profile = folder.join(format!("profile-{}", std::process::id()));
    let mut child = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--ignore-gpu-blocklist", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start chromium")?;
    let mut output = child.stdout.take().context("chromium has no output")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).map(|_| text)
    });
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > TIMEOUT {
            child.kill()?;
            child.wait()?;
            bail!("chromium timed out after {TIMEOUT:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = reader.join().unwrap_or_else(|_| Ok(String::new()))?;
    // The profile is only a cache.
    let _ = std::fs::remove_dir_all(&profile);
    let hex = text.split("<pre>").nth(1).and_then(|rest| rest.split('<').next());
    let hex = hex.context("chromium did not load the page")?;
    let bytes: Vec<u8> =
        (0..hex.len() / 2).filter_map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok()).collect();
    let value: Value = serde_json::from_slice(&bytes).context("the page did not write JSON")?;
    if let Some(error) = value["error"].as_str() {
        bail!("the page failed: {error}");
    }
    Ok(value)
}

const PAGE: &str = r#"<!DOCTYPE html><meta charset="utf-8"><body><script>
const answer = { verdicts: [], extensions: {}, limits: {} };
const LIMITS = $LIMITS;
try {
  const contexts = { 1: "webgl", 2: "webgl2" };
  for (const version in contexts) {
    const gl = contexts[version] = document.createElement("canvas").getContext(contexts[version]);
    if (!gl) throw new Error("no WebGL " + version);
    answer.extensions[version] = gl.getSupportedExtensions();
    answer.extensions[version].forEach(name => gl.getExtension(name));
    answer.limits[version] = {};
    for (const name in LIMITS) {
      const buffers = gl.getExtension("WEBGL_draw_buffers");
      const key = gl[LIMITS[name]] || (buffers && buffers[LIMITS[name] + "_WEBGL"]);
      if (key) answer.limits[version][name] = gl.getParameter(key);
    }
  }
  for (const [version, vertex, text] of $JOBS) {
    const gl = contexts[version];
    const shader = gl.createShader(vertex ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    const good = gl.getShaderParameter(shader, gl.COMPILE_STATUS);
    answer.verdicts.push(good ? "+" : "-" + gl.getShaderInfoLog(shader));
    gl.deleteShader(shader);
  }
} catch (error) {
  answer.error = String(error);
}
const bytes = new TextEncoder().encode(JSON.stringify(answer));
const pre = document.createElement("pre");
pre.textContent = Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
document.body.prepend(pre);
</script>"#;
