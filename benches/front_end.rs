//! How long the front end takes for a shader as people write them; `cargo xtask bench peer` compares with glslang.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shader::version::{Options, Stage};

/// Fixed costs dominate here.
const SMALL: &str = "#version 330\nin vec2 uv;\nuniform sampler2D image;\nout vec4 color;\n\
                     void main() { color = texture(image, uv); }\n";

/// Macros, structures, loops, overloads, constants.
const TYPICAL: &str = include_str!("lights.frag");

fn front_end(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("front end");
    let large = format!("{TYPICAL}\n{}", (0..200).map(function).collect::<String>());
    for (name, text) in [("small", SMALL), ("typical", TYPICAL), ("large", &large)] {
        let options = Options::new(Stage::Fragment);
        assert!(!shader::analyze(&[text], &options).has_errors(), "{name} is a good shader");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| shader::analyze(&[text], &options)));
    }
    group.finish();
}

fn function(number: usize) -> String {
    format!("vec3 f{number}(vec3 p, float q) {{\n    vec3 r = p * q;\n    return mix(r, p.zyx, SCALE(0.5));\n}}\n")
}

criterion_group!(benches, front_end);
criterion_main!(benches);
