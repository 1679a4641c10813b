//! `afterimage run` as a program: its output and exit status.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Passes a shader of a stage to the program; the exit status is the last line.
fn run_stage(stage: &str, text: &str, arguments: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .args(["run", "-", "--stage", stage])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    child.stdin.take().expect("stdin is a pipe").write_all(text.as_bytes()).expect("the program reads stdin");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    format!(
        "{}{}> {}",
        text(output.stdout),
        text(output.stderr),
        output.status.code().expect("the program was not killed")
    )
}

fn run(text: &str, arguments: &[&str]) -> String {
    run_stage("fragment", text, arguments)
}

/// Returns a separate file for a test.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Returns the document of `--json`.
fn json(stage: &str, text: &str, arguments: &[&str]) -> serde_json::Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let text = run_stage(stage, text, &arguments);
    let (document, _) = text.rsplit_once("> ").expect("there is an exit status");
    serde_json::from_str(document).expect("JSON")
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
            x = 7.0
     6  if (x > 4.0)    // true
     7  discard;
c = vec3(0, 0, 0)
discarded
> 0";
    assert_eq!(run(SHADER, &["--set", "scale=1,2", "--at", "3,0", "--trace"]), expected);
}

#[test]
fn json_has_the_documented_keys() {
    let document = json("fragment", SHADER, &[]);
    assert_eq!(document["discarded"], false);
    assert_eq!(document["outputs"][0], serde_json::json!({ "name": "c", "type": "vec3", "value": ["0", "0", "0"] }));
}

#[test]
fn invalid_requests_are_explained_in_one_sentence() {
    let sentence = |arguments: &[&str]| run(SHADER, arguments);
    assert_eq!(sentence(&["--set", "sale=1"]), "afterimage: the shader has no variable sale, or never uses it\n> 2");
    assert_eq!(sentence(&["--set", "scale=1"]), "afterimage: scale is vec2, 2 components; it is given 1\n> 2");
    assert_eq!(run("void main() { x; }", &[]), "afterimage: - has errors; `afterimage check -` shows them\n> 2");
}

#[test]
fn undefined_behaviour_is_shown_where_it_happens() {
    let shader = "#version 330\nuniform float x;\nout vec4 c;\nvoid main() {\n    c = vec4(sqrt(x));\n}\n";
    let expected = "c = vec4(NaN, NaN, NaN, NaN)
warning[domain]: `sqrt` of a negative number: sqrt(-0.25)
  ┌─ <stdin>:5:14
  │
5 │     c = vec4(sqrt(x));
  │              ^^^^^^^

> 1";
    assert_eq!(run(shader, &["--set", "x=-0.25"]), expected);
    assert_eq!(run(shader, &["--set", "x=-0.25", "--no-sanitize"]), "c = vec4(NaN, NaN, NaN, NaN)\n> 0");
    let document = json("fragment", shader, &["--set", "x=-0.25"]);
    let finding = &document["findings"][0];
    assert_eq!((&finding["code"], &finding["line"], &finding["column"]), (&"domain".into(), &5.into(), &14.into()));
    assert_eq!(finding["operands"][0], serde_json::json!({ "type": "float", "value": ["-0.25"] }));
}

#[test]
fn every_type_can_be_set() {
    let shader = "#version 450
#extension GL_ARB_gpu_shader_int64 : require
struct L { vec2 at; float k[2]; };
uniform L light[2];
uniform mat2 m;
uniform bvec2 on;
uniform double d;
uniform uint64_t big;
layout(std140) uniform B { mat2 turn; vec4 q[2]; } b;
out vec4 c;
void main() {
    c = vec4(light[1].k[1], m[1][0], on.y ? float(d) : 0.0, big == 4294967297ul ? 1.0 : 0.0);
    c += b.q[1] * b.turn[0].y;
}";
    let set =
        ["light[1].k=5,6", "m=1,2,3,4", "on=false,true", "d=0.5", "big=4294967297", "turn=1,10,0,1", "b.q[1]=1,2,3,4"];
    let arguments: Vec<&str> = set.iter().flat_map(|text| ["--set", text]).collect();
    assert_eq!(run(shader, &arguments), "c = vec4(16, 23, 30.5, 41)\n> 0");
    let whole = ["--set", "light=0,0,0,0,0,0,0,7", "--no-sanitize"];
    assert_eq!(run(shader, &whole), "c = vec4(7, 0, 0, 0)\n> 0");
}

#[test]
fn an_image_of_all_pixels() {
    let (first, second) = (scratch("stripes.png"), scratch("copy.png"));
    let stripes = "#version 330\nout vec4 c;\nvoid main() {
    if (gl_FragCoord.y < 1.0) discard;
    c = vec4(gl_FragCoord.x / 4.0, gl_FragCoord.y / 3.0, 0.0, 1.0); }";
    let path = first.to_str().expect("a path in UTF-8");
    assert_eq!(run(stripes, &["--size", "3x3", "--image", path]), "> 0");
    // Read back as a texture it has the same pixels, the right way up.
    let copy = "#version 330\nuniform sampler2D s;\nout vec4 c;\nvoid main() { c = texelFetch(s, ivec2(gl_FragCoord.xy), 0); }";
    let texture = format!("s={path}");
    let there = second.to_str().expect("a path in UTF-8");
    assert_eq!(run(copy, &["--texture", &texture, "--size", "3x3", "--image", there]), "> 0");
    let bytes = |path| std::fs::read(path).expect("a file");
    assert_eq!(bytes(&first), bytes(&second));
    assert_eq!(run(copy, &["--texture", &texture, "--at", "0,0"]), "c = vec4(0, 0, 0, 0)\n> 0");
    let corner = run(copy, &["--texture", &texture, "--at", "2,2"]);
    assert_eq!(corner, "c = vec4(0.62352943, 0.8352941, 0, 1)\n> 0");
}

#[test]
fn texels_are_listed_with_their_weights() {
    let shader = "#version 330\nuniform sampler2D s;\nout vec4 c;\nvoid main() { c = texture(s, vec2(0.5, 0.25)); }";
    let expected = "     4  s: 4 texels
          level 0 layer 0 at 0,0,0 weight 0.5
          level 0 layer 0 at 1,0,0 weight 0.5
          level 0 layer 0 at 0,1,0 weight 0
          level 0 layer 0 at 1,1,0 weight 0
c = vec4(0, 0, 0, 0)
> 0";
    assert_eq!(run(shader, &["--texture", "s=2x2", "--texels"]), expected);
}

#[test]
fn vertices_come_from_a_file() {
    let table = scratch("vertices.csv");
    std::fs::write(&table, "at,id\n# two vertices\n1,2,7\n3 4 8\n").expect("the file can be written");
    let shader = "#version 330\nin vec2 at; in int id;\nflat out int n;\nvoid main() { gl_Position = vec4(at, gl_VertexID, 1); n = id; }";
    let expected = "vertex 0
  gl_Position = vec4(1, 2, 0, 1)
  n = int(7)
vertex 1
  gl_Position = vec4(3, 4, 1, 1)
  n = int(8)
> 0";
    let path = table.to_str().expect("a path in UTF-8");
    let printed = run_stage("vertex", shader, &["--vertex-data", path]);
    let mut lines: Vec<&str> = printed.lines().collect();
    let mut wanted: Vec<&str> = expected.lines().collect();
    // Built-in and declared outputs have no particular order.
    lines.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(lines, wanted);
}

#[test]
fn workgroups_leave_their_results_in_buffers() {
    let shader = "#version 450
layout(local_size_x = 40) in;
layout(std430) buffer Data { uint total; int data[]; };
shared int part[40];
void main() {
    uint i = gl_LocalInvocationIndex;
    part[i] = int(i) + data[gl_WorkGroupID.x];
    barrier();
    if (i == 0u)
        for (int k = 0; k < 40; k++)
            atomicAdd(total, uint(part[k]));
}";
    let expected = "Data\n  total = 1640u\n  data = 1, 1\n> 0";
    assert_eq!(run_stage("compute", shader, &["--compute", "2", "--set", "data=1,1"]), expected);
    let traced = run_stage("compute", shader, &["--set", "data=1", "--trace", "--counters"]);
    assert!(traced.contains("     7  part[i] = int(i) + data[gl_WorkGroupID.x];\n"), "{traced}");
    assert!(traced.contains("    10  k < 40    // true\n    11  atomicAdd(total, uint(part[k]));\n"), "{traced}");
    assert!(traced.contains(" (of 40 invocations)"), "{traced}");
    let racy = shader.replace("    barrier();\n", "");
    let printed = run_stage("compute", &racy, &["--set", "Data.data=1"]);
    assert!(printed.contains("warning[race]: invocation 0 reads `part + "), "{printed}");
    assert!(printed.contains("warning[uninitialized]: `part[k]` is read"), "{printed}");
}

#[test]
fn images_can_be_written() {
    let shader = "#version 450
layout(local_size_x = 2, local_size_y = 2) in;
layout(rgba8) uniform image2D img;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(img, at, vec4(at, 0.0, 1.0));
}";
    let file = scratch("kept.png");
    let path = file.to_str().expect("a path in UTF-8");
    assert_eq!(run_stage("compute", shader, &["--texture", "img=2x2", "--save", &format!("img={path}")]), "> 0");
    let read = "#version 330\nuniform sampler2D s;\nout vec4 c;\nvoid main() { c = texelFetch(s, ivec2(1, 0), 0); }";
    assert_eq!(run(read, &["--texture", &format!("s={path}")]), "c = vec4(1, 0, 0, 1)\n> 0");
    let outside = run_stage("compute", shader, &["--texture", "img=2x1"]);
    assert!(outside.contains("texel (0, 1) is outside of 2 x 1 texels"), "{outside}");
    assert!(outside.contains("first in invocation 2 of workgroup 0,0,0"), "{outside}");
}

#[test]
fn counters_are_shown_by_line_and_sampler() {
    let shader = "#version 330
uniform sampler2D s;
out vec4 c;
void main() {
    c = vec4(0);
    for (int i = 0; i < 3; i++)
        c += texture(s, vec2(0.5));
}";
    let document = json("fragment", shader, &["--texture", "s=1x1", "--counters"]);
    let counters = &document["counters"];
    assert_eq!(counters["samplers"][0], serde_json::json!({ "sampler": "s", "lookups": 3 }));
    assert_eq!((&counters["total"]["iterations"], &counters["total"]["branches"]), (&4.into(), &4.into()));
    let line = counters["lines"].as_array().and_then(|lines| lines.iter().find(|line| line["line"] == 7));
    assert_eq!(line.map(|line| &line["lookups"]), Some(&3.into()));
}

#[test]
fn a_variable_is_watched() {
    let shader = "#version 330\nout vec4 c;\nvoid main() {\n    int n = 1;\n    for (int i = 0; i < 2; i++)\n        n *= 3;\n    c = vec4(n);\n}";
    let expected = "     4  n = 1\n     6  n = 3\n     6  n = 9\nc = vec4(9, 9, 9, 9)\n> 0";
    assert_eq!(run(shader, &["--watch", "n"]), expected);
}

#[test]
fn numeric_options_take_effect() {
    let shader = "#version 330\nuniform float x;\nout vec4 c;\nvoid main() { c = vec4(x * 0.5) * 4.0; }";
    let tiny = ["--set", "x=1.2e-38"];
    assert!(run(shader, &tiny).starts_with("c = vec4(0.00000000000000000000000000000000000002"));
    assert_eq!(run(shader, &[&tiny[..], &["--numerics", "flush"]].concat()), "c = vec4(0, 0, 0, 0)\n> 0");
    // The product's low half is lost unless it is added at once.
    let sum = "#version 330\nuniform float x;\nout vec4 c;\nvoid main() { c = vec4(x * x + -1.0001221); }";
    let given = ["--set", "x=1.000061"];
    assert_ne!(run(sum, &given), run(sum, &[&given[..], &["--numerics", "contract"]].concat()));
    let phone =
        "#version 300 es\nprecision mediump float;\nuniform float x;\nout vec4 c;\nvoid main() { c = vec4(x + 0.25); }";
    let given = ["--set", "x=2048"];
    assert_eq!(run(phone, &given), "c = vec4(2048.25, 2048.25, 2048.25, 2048.25)\n> 0");
    let least = run(phone, &[&given[..], &["--numerics", "mediump"]].concat());
    assert_eq!(least, "c = vec4(2048, 2048, 2048, 2048)\n> 0");
}
