//! `afterimage check` as a program: its output and exit status.

use std::io::Write;
use std::process::{Command, Stdio};

/// Writes files into a separate folder and runs the program there; a line that starts with `>` is its exit status.
#[track_caller]
fn check(name: &str, files: &[(&str, &[u8])], arguments: &[&str], expected: &str) {
    assert_eq!(run(name, files, arguments, b"").trim_end(), expected.trim_start_matches('\n').trim_end());
}

#[track_caller]
fn run(name: &str, files: &[(&str, &[u8])], arguments: &[&str], input: &[u8]) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be created");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .arg("check")
        .args(arguments)
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    child.stdin.take().expect("stdin is a pipe").write_all(input).expect("the program reads stdin");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    let lines: Vec<&str> = out.lines().chain(err.lines()).map(str::trim_end).collect();
    format!("{}\n> {}", lines.join("\n"), output.status.code().expect("the program was not killed"))
}

#[test]
fn a_diagnostic_in_a_macro() {
    let text = b"#version 330\n#define TWICE(x) (x * two)\nout vec4 c;\n\nvoid main() { c = vec4(TWICE(1.0)); }\n";
    check(
        "macro",
        &[("a.frag", text)],
        &["a.frag"],
        "
error[undeclared]: `two` is not declared
  ┌─ a.frag:2:23
  │
2 │ #define TWICE(x) (x * two)
  │                       ^^^
  ·
5 │ void main() { c = vec4(TWICE(1.0)); }
  │                        ---------- in this expansion of `TWICE`

1 error in a.frag
> 1",
    );
}

#[test]
fn control_characters_are_escaped() {
    let text = b"#version 330\r\nout vec4 c;\r\nvoid main() {\r\n\tc = /* \xff\xe6\xbc\xa2 \x1b[2J */ x;\r\n}\r\n";
    check(
        "odd",
        &[("a.frag", text)],
        &["a.frag"],
        "
error[undeclared]: `x` is not declared
  ┌─ a.frag:4:20
  │
4 │     c = /* \u{fffd}漢 ␛[2J */ x;
  │                        ^

1 error in a.frag
> 1",
    );
}

#[test]
fn long_lines_are_clipped() {
    let mut text = b"#version 330\nout vec4 c; void main() { c = vec4(0)".to_vec();
    text.extend(b" + vec4(1)".repeat(200_000));
    text.extend(b" + x;}");
    let shown = run("long", &[("a.frag", &text)], &["a.frag"], b"");
    assert!(shown.contains("`x` is not declared") && shown.len() < 1_000, "{} bytes", shown.len());
}

#[test]
fn line_directives_are_shown() {
    let shown = run("line", &[("a.frag", b"#version 330\n#line 70 5\nint a = b;\n")], &["a.frag"], b"");
    assert!(shown.contains("a.frag:3:9") && shown.contains("`#line` says that this is line 70 of string 5"), "{shown}");
}

#[test]
fn an_unreadable_file_does_not_stop_the_rest() {
    check(
        "unread",
        &[("b.frag", b"#version 330\nvoid main() { }\n"), ("c.txt", b"")],
        &["gone.frag", "b.frag", ".", "c.txt"],
        "
no errors in b.frag; 3 files could not be checked
afterimage: gone.frag cannot be read: No such file or directory (os error 2)
afterimage: . is a directory; name the files in it, for example ./*.frag
afterimage: the name of c.txt does not tell the stage; rename it to .vert, .frag, … or add --stage vertex, --stage fragment, …
> 2",
    );
}

#[test]
fn shader_tests_have_their_own_lines() {
    let text = b"[require]\nGLSL >= 1.30\n\n[vertex shader passthrough]\n\n[fragment shader]\nvoid main()\n{\n    int i = 1.5;\n}\n\n[test]\n";
    let shown = run("shader_test", &[("a.shader_test", text)], &["a.shader_test"], b"");
    assert!(shown.contains("a.shader_test:9:13") && shown.ends_with("> 1"), "{shown}");
}

#[test]
fn files_with_the_same_name_are_linked() {
    let vertex = b"#version 330\nout vec2 v;\nvoid main() { v = vec2(0); gl_Position = vec4(0); }\n";
    let fragment = b"#version 330\nin vec3 v;\nout vec4 c;\nvoid main() { c = vec4(v, 1); }\n";
    let files: &[(&str, &[u8])] = &[("a.vert", vertex), ("a.frag", fragment), ("b.frag", fragment)];
    assert!(run("link", files, &["a.vert", "a.frag"], b"").ends_with("> 1"));
    assert!(run("link", files, &["--no-link", "a.vert", "a.frag"], b"").ends_with("> 0"));
    assert!(run("link", files, &["a.vert", "b.frag"], b"").ends_with("> 0"));
    assert!(run("link", files, &["--link", "a.vert", "b.frag"], b"").ends_with("> 1"));
}

#[test]
fn json_has_the_documented_keys() {
    let shown = run("json", &[], &["--json", "--stage", "fragment", "-"], b"#version 330\nint a = \"b;\n");
    let json: serde_json::Value = serde_json::from_str(shown.trim_end_matches("\n> 1")).expect("the output is JSON");
    let file = &json["files"][0];
    assert_eq!((file["path"].as_str(), file["verdict"].as_str()), (Some("-"), Some("rejected")));
    let first = &file["diagnostics"][0];
    assert_eq!((first["severity"].as_str(), first["code"].as_str()), (Some("error"), Some("unknown-character")));
    assert_eq!(first["message"].as_str(), Some("`\"` has no meaning in GLSL"));
    let label = &first["labels"][0];
    assert_eq!(
        (label["path"].as_str(), label["line"].as_u64(), label["column"].as_u64(), label["length"].as_u64()),
        (Some("-"), Some(2), Some(9), Some(1))
    );
    assert!(label["text"].is_string() && first["notes"].is_array());
}

#[test]
fn colour_only_on_request() {
    let files: &[(&str, &[u8])] = &[("a.frag", b"int a = b;")];
    assert!(run("color", files, &["--color", "always", "a.frag"], b"").contains("\x1b["));
    assert!(!run("color", files, &["a.frag"], b"").contains("\x1b["));
}

#[test]
fn limits_and_extensions_of_a_context() {
    let vertex = "attribute vec4 a; uniform vec4 u[200]; void main() { gl_Position = a + u[199]; }";
    let fragment = "void main() { gl_FragColor = vec4(1); }";
    let derivatives = "#extension GL_OES_standard_derivatives : require\nvoid main() { }";
    let files = [("a.vert", vertex.as_bytes()), ("a.frag", fragment.as_bytes()), ("b.vert", derivatives.as_bytes())];
    let check = |arguments: &[&str], expected: &str| check("context", &files, arguments, expected);
    check(&["--webgl=1", "a.vert", "a.frag"], "\nno errors in a.vert and a.frag\n> 0");
    check(
        &["--webgl=1", "--limits", "es2-minimum", "a.vert", "a.frag"],
        "
error[limit]: the vertex shader uses 200 vectors of uniforms, `gl_MaxVertexUniformVectors` is 128
  ┌─ a.vert:1:1
  │
1 │ attribute vec4 a; uniform vec4 u[200]; void main() { gl_Position = a + u[199]; }
  │ ^

1 error in a.vert
> 1",
    );
    let unknown = |why: &str| {
        let head =
            format!("error[extension-unsupported]: extension `GL_OES_standard_derivatives` is not supported {why}");
        format!(
            "\n{head}\n  ┌─ b.vert:1:12\n  │\n1 │ #extension GL_OES_standard_derivatives : require\n  │            {}\n\n1 error in b.vert\n> 1",
            "^".repeat(27)
        )
    };
    check(&["--webgl", "--extensions", "OES_standard_derivatives", "b.vert"], "\nno errors in b.vert\n> 0");
    check(&["--webgl", "--extensions", "none", "b.vert"], &unknown("by the context"));
    check(&["--webgl=2", "b.vert"], &unknown("by the context"));
    check(
        &["--limits", "geforce", "b.vert"],
        "
afterimage: there is neither a file geforce nor a profile of that name; the profiles are llvmpipe, es2-minimum, es3-minimum
> 2",
    );
}

#[test]
fn limits_of_a_file() {
    let text =
        b"#version 300 es\nprecision mediump float; out vec4 c[gl_MaxDrawBuffers - 3]; void main() { c[0] = vec4(1); }";
    let limits = b"# four is the least\nGL_MAX_DRAW_BUFFERS = 3\nGL_MAX_TEXTURE_SIZE = 1024\n";
    check(
        "limits",
        &[("a.frag", text), ("small.txt", limits)],
        &["--limits", "small.txt", "--color", "never", "a.frag"],
        "
error[array-size]: the size of an array must be greater than zero, this is 0
  ┌─ a.frag:2:37
  │
2 │ precision mediump float; out vec4 c[gl_MaxDrawBuffers - 3]; void main() { c[0] = vec4(1); }
  │                                     ^^^^^^^^^^^^^^^^^^^^^

1 error in a.frag
> 1",
    );
    let wrong = [("a.frag", &text[..]), ("wrong.txt", b"gl_MaxDrawBufers 3\n")];
    check(
        "limits",
        &wrong,
        &["--limits", "wrong.txt", "a.frag"],
        "\nafterimage: wrong.txt:1: GLSL has no constant `gl_MaxDrawBufers`\n> 2",
    );
}

#[test]
fn limits_and_extensions_of_a_trace() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/trace/tests/golden/recorded/0.1-gles2.aftr");
    let text = b"#extension GL_OES_standard_derivatives : require\nvoid main() { int a[gl_MaxVertexAttribs]; gl_Position = vec4(a[15]); }";
    let files = [("a.vert", &text[..])];
    check(
        "recorded",
        &files,
        &["--webgl", "--limits", trace, "--extensions", trace, "a.vert"],
        "\nno errors in a.vert\n> 0",
    );
    let missing = ["--limits", "missing.aftr", "a.vert"];
    assert!(run("recorded", &files, &missing, b"").ends_with("\n> 2"));
}

#[test]
fn separable_programs_are_not_linked_as_one() {
    let vertex = b"#version 310 es\nout highp vec4 a; void main() { gl_Position = vec4(0); a = vec4(1); }";
    let fragment = b"#version 310 es\nprecision mediump float; in vec4 a; out vec4 c; void main() { c = a; }";
    let files = [("a.vert", &vertex[..]), ("a.frag", &fragment[..])];
    check("separable", &files, &["a.vert", "a.frag"], "\nno errors in a.vert and a.frag\n> 0");
    check(
        "separable",
        &files,
        &["--separable", "a.vert", "a.frag"],
        "
error[separable-mismatch]: fragment shader input `a` does not match the vertex program's output exactly: the precisions differ
  ┌─ a.frag:2:34
  │
2 │ precision mediump float; in vec4 a; out vec4 c; void main() { c = a; }
  │                                  ^
  │
  = vertex shader, line 2: `out highp vec4 a;`

1 error in a.frag
> 1",
    );
}
