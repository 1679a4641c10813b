//! How long the front end takes for a shader as people write them; `cargo xtask bench peer` compares with glslang.

use divan::Bencher;
use divan::counter::BytesCount;
use shader::version::{Options, Stage};

/// Fixed costs dominate here.
const SMALL: &str = "#version 330\nin vec2 uv;\nuniform sampler2D image;\nout vec4 color;\n\
                     void main() { color = texture(image, uv); }\n";

/// Macros, structures, loops, overloads, constants.
const TYPICAL: &str = include_str!("lights.frag");

fn main() {
    divan::main();
}

#[divan::bench(args = ["small", "typical", "large"])]
fn front_end(bencher: Bencher<'_, '_>, name: &str) {
    let text = match name {
        "small" => SMALL.to_owned(),
        "typical" => TYPICAL.to_owned(),
        _ => format!("{TYPICAL}\n{}", (0..200).map(function).collect::<String>()),
    };
    let options = Options::new(Stage::Fragment);
    assert!(!shader::analyze(&[&text], &options).has_errors(), "{name} is a good shader");
    bencher.counter(BytesCount::of_str(&text)).bench(|| shader::analyze(&[&text], &options));
}

fn function(number: usize) -> String {
    format!("vec3 f{number}(vec3 p, float q) {{\n    vec3 r = p * q;\n    return mix(r, p.zyx, SCALE(0.5));\n}}\n")
}
