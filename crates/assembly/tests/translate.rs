//! Programs and their translations.

use assembly::{Form, Limits, Source, Target, translate};
use shader::version::{Options, Stage};

/// Checks that a program is translated to this shader, which the front end accepts.
#[track_caller]
fn check(program: &str, expected: &str) {
    let target = if program.starts_with("!!ARBvp") { Target::Vertex } else { Target::Fragment };
    let translation = translate(program, target, Limits::default()).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(translation.text, format!("#version 120\n{expected}"));
    let stage = if target == Target::Vertex { Stage::Vertex } else { Stage::Fragment };
    let shader = shader::analyze(&[translation.text.as_str()], &Options::new(stage));
    let findings: Vec<&str> = shader.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    assert!(!shader.has_errors(), "{findings:?}");
}

/// Checks that a program is rejected at the mark `^` with a message that contains `words`.
#[track_caller]
fn refused(program: &str, words: &str) {
    let position = program.find('^').expect("the program has a mark");
    let program = program.replace('^', "");
    let target = if program.starts_with("!!ARBvp") { Target::Vertex } else { Target::Fragment };
    let fault = translate(&program, target, Limits::default()).expect_err("the program is rejected");
    assert!(fault.message.contains(words), "{fault}");
    assert_eq!(fault.position, position, "{fault}");
}

#[test]
fn instructions_become_statements() {
    let program = "!!ARBfp1.0
TEMP R0, dot;
TEX R0, fragment.texcoord[1], texture[0], 2D;
MAD_SAT R0.xyz, R0, -fragment.color.wzyx, { 0.5, 1 };
DP3 dot.xy, R0, program.env[2]; # a comment
CMP result.color.xw, dot, R0.y, 2;
KIL -dot.x;
SWZ R0, R0, x, -y, 0, 1;
MOV result.depth, R0;
END";
    check(
        program,
        "
uniform vec4 fragmentEnvironment[3];
uniform sampler2D unit0;
void main() {
    vec4 R0, the_dot; // 2: TEMP R0, dot;
    R0 = texture2D(unit0, gl_TexCoord[1].xy); // 3: TEX R0, fragment.texcoord[1], texture[0], 2D;
    R0.xyz = clamp(R0.xyz * -gl_Color.wzy + vec3(0.5, 1.0, 0.0), 0.0, 1.0); // 4: MAD_SAT R0.xyz, R0, \
         -fragment.color.wzyx, { 0.5, 1 };
    the_dot.xy = vec2(dot(R0.xyz, fragmentEnvironment[2].xyz)); // 5: DP3 dot.xy, R0, program.env[2];
    gl_FragColor.xw = vec2(the_dot.x < 0.0 ? R0.y : 2.0, the_dot.w < 0.0 ? R0.y : 2.0); // 6: CMP result.color.xw, \
         dot, R0.y, 2;
    if (any(lessThan(-the_dot.xxxx, vec4(0.0)))) discard; // 7: KIL -dot.x;
    R0 = vec4(R0.x, -R0.y, 0.0, 1.0); // 8: SWZ R0, R0, x, -y, 0, 1;
    gl_FragDepth = R0.z; // 9: MOV result.depth, R0;
}
",
    );
}

#[test]
fn address_registers_index_uniforms_and_tables() {
    let program = "!!ARBvp1.0
PARAM bones[] = { program.local[3..9] };
PARAM table[3] = { 1, { 2, 3 }, state.matrix.mvp.row[1] };
ADDRESS A;
ARL A.x, vertex.attrib[5].x;
DP4 result.position.x, bones[A.x - 1], vertex.position;
MOV result.color, table[A.x + 2];
MOV result.fogcoord, table[1].y;
END";
    check(
        program,
        "
uniform vec4 vertexLocal[10];
attribute vec4 attribute5;
void main() {
    // 2: PARAM bones[] = { program.local[3..9] };
    vec4 table[3] = vec4[3](vec4(1.0), vec4(2.0, 3.0, 0.0, 1.0), gl_ModelViewProjectionMatrixTranspose[1]); // 3: PARAM \
         table[3] = { 1, { 2, 3 }, state.matrix.mvp.row[1] };
    int A; // 4: ADDRESS A;
    A = int(floor(attribute5.x)); // 5: ARL A.x, vertex.attrib[5].x;
    gl_Position.x = dot(vertexLocal[A + 2], gl_Vertex); // 6: DP4 result.position.x, bones[A.x - 1], vertex.position;
    gl_FrontColor = table[A + 2]; // 7: MOV result.color, table[A.x + 2];
    gl_FogFragCoord = 3.0; // 8: MOV result.fogcoord, table[1].y;
}
",
    );
}

#[test]
fn options() {
    check(
        "!!ARBfp1.0 OPTION ARB_fog_linear; OPTION ARB_precision_hint_fastest; MOV result.color, 1; END",
        "
void main() {
    gl_FragColor = vec4(1.0); // 1: MOV result.color, 1;
    float clear = clamp((gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale, 0.0, 1.0); // fog requested by an OPTION
    gl_FragColor = clamp(gl_FragColor, 0.0, 1.0);
    gl_FragColor.rgb = mix(gl_Fog.color.rgb, gl_FragColor.rgb, clear);
}
",
    );
    check(
        "!!ARBvp1.0 OPTION ARB_position_invariant; MOV result.pointsize.x, vertex.normal.z; END",
        "
void main() {
    gl_Position = ftransform(); // OPTION ARB_position_invariant;
    gl_PointSize = vec4(gl_Normal, 1.0).z; // 1: MOV result.pointsize.x, vertex.normal.z;
}
",
    );
}

#[test]
fn lists_samplers_parameters_and_attributes() {
    let program = "!!ARBvp1.0 MOV result.texcoord[2], state.matrix.program[3].inverse.row[1];
        MOV result.position, program.env[7]; MOV result.color, vertex.attrib[9]; END";
    let translation = translate(program, Target::Vertex, Limits::default()).expect("a program");
    let needed: Vec<(&str, Source, u32)> = translation
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.source, parameter.count))
        .collect();
    let matrix = Source::Matrix { number: 3, form: Form::Inverse };
    assert_eq!(needed, [("vertexEnvironment", Source::Environment, 8), ("matrix3Inverse", matrix, 4)]);
    assert_eq!(translation.attributes, [("attribute9".to_owned(), 9)]);
    let written: Vec<&str> = translation.written.iter().map(String::as_str).collect();
    assert_eq!(written, ["gl_FrontColor", "gl_Position", "gl_TexCoord[2]"]);
}

#[test]
fn errors_have_positions() {
    refused("!!ARBfp1.0 MOV result.color, ^R0; END", "not declared");
    refused("!!ARBfp1.0 TEMP a; TEMP ^a; END", "declared twice");
    refused("!!ARBfp1.0 TEMP ^MOV; END", "is reserved");
    refused("!!ARBfp1.0 OPTION ^NV_fragment_program; END", "unknown option");
    refused("!!ARBfp1.0 OPTION ARB_fog_exp; OPTION ^ARB_fog_exp2; END", "two fog options");
    refused("!!ARBfp1.0 TEMP a; MOV a ^fragment.color; END", "expected `,`");
    refused("!!ARBfp1.0 TEMP a; MOV a.^yx, a; END", "not a write mask");
    refused("!!ARBfp1.0 TEMP a; RCP a, a^; END", "expected `.`");
    refused("!!ARBfp1.0 TEMP a; MOV a, a.^xg; END", "not a swizzle");
    refused("!!ARBfp1.0 TEMP a; TEX a, a, texture[0], 2D; TEX a, a, texture[0], 3^D; END", "two texture targets");
    refused("!!ARBvp1.0 TEMP a; ^COS a, a.x; END", "unknown instruction");
    refused("!!ARBvp1.0 PARAM a[2] = { 1, 2, 3 ^}; END", "3 elements");
    refused("!!ARBvp1.0 PARAM a = ^state.matrix.mvp; END", "several");
    refused("!!ARBvp1.0 ADDRESS A; PARAM p[] = { 1 }; TEMP t; MOV t, p[A.x + ^4096]; END", "less than 4096");
    refused("!!ARBvp1.0 TEMP a; MOV a, vertex.position; ADD a, a, vertex.attrib[0^]; END", "by its conventional name");
    refused("!!ARBvp1.0 OUTPUT o = result.color; TEMP t; MOV t, ^o; END", "not readable");
    refused("^!!ARBvp1.1 END", "does not begin with");
    refused("!!ARBvp1.0 TEMP a;^", "expected a name");
}
