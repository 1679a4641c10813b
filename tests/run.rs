//! `afterimage run` as a program: what it prints and how it leaves.

use std::io::Write;
use std::process::{Command, Stdio};

/// Hands a fragment shader to the program; the exit status is the last line.
fn run(text: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .args(["run", "-", "--stage", "fragment"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("stdin is a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes UTF-8");
    format!("{}{}> {}", text(output.stdout), text(output.stderr), output.status.code().expect("no signal ended it"))
}

const SHADER: &str = "#version 330
uniform vec2 scale;
out vec3 c;
void main() {
    float x = gl_FragCoord.x * scale.y;
    if (x > 4.0)
        discard;
    c = vec3(x, dFdx(x), isnan(x));
}
";

#[test]
fn outputs_are_printed() {
    assert_eq!(run(SHADER, &["--set", "scale=1,0.5", "--at", "3,0"]), "c = vec3(1.75, 0.5, 0)\n> 0");
}

#[test]
fn a_trace_lists_the_statements_passed() {
    let expected = "     5  float x = gl_FragCoord.x * scale.y;
     6  if (x > 4.0)
     7  discard;
c = vec3(0, 0, 0)
discarded
> 0";
    assert_eq!(run(SHADER, &["--set", "scale=1,2", "--at", "3,0", "--trace"]), expected);
}

#[test]
fn json_has_the_documented_keys() {
    let text = run(SHADER, &["--json"]);
    let document = text.strip_suffix("> 0").expect("it ran");
    let document: serde_json::Value = serde_json::from_str(document).expect("JSON");
    assert_eq!(document["discarded"], false);
    assert_eq!(document["outputs"][0], serde_json::json!({ "name": "c", "type": "vec3", "value": ["0", "0", "0"] }));
}

#[test]
fn what_cannot_be_served_is_one_sentence() {
    let sentence = |arguments: &[&str]| run(SHADER, arguments);
    assert_eq!(sentence(&["--set", "sale=1"]), "afterimage: the shader has no variable sale, or never uses it\n> 2");
    assert_eq!(sentence(&["--set", "scale=1"]), "afterimage: scale is vec2, 2 components; \"scale=1\" gives 1\n> 2");
    assert_eq!(run("void main() { x; }", &[]), "afterimage: - has errors; `afterimage check -` shows them\n> 2");
}
