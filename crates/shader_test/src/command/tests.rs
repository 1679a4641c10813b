use super::*;

#[track_caller]
fn check(text: &str, expected: Command) {
    let found = commands(text, 7);
    assert_eq!(found, [Line { line: 7, command: expected }]);
}

fn rectangle(area: [f32; 4]) -> Rectangle {
    Rectangle { area, texture: None, ortho: false, patch: false, instances: None }
}

#[test]
fn drawing() {
    check("draw rect -1 -1 2 2", Command::DrawRectangle(rectangle([-1.0, -1.0, 2.0, 2.0])));
    let ortho = Rectangle { ortho: true, patch: true, instances: Some(3), ..rectangle([10.0; 4]) };
    check("draw instanced rect ortho patch 3 10 10 10 10", Command::DrawRectangle(ortho));
    let mode = Mode::TriangleFan;
    check(
        "draw arrays GL_TRIANGLE_FAN 0 4",
        Command::DrawArrays { mode, first: 0, count: 4, instances: None, feedback: false },
    );
    check("compute group size 2 1 1 4 1 1", Command::Compute([2, 1, 1], Some([4, 1, 1])));
    check("compute 1 2 3", Command::Compute([1, 2, 3], None));
}

#[test]
fn probes() {
    check(
        "relative probe rgba ( 0.5, .25 ) (0, 1,0,1);",
        Command::Probe(Probe::Pixels(Area::RelativePixel([0.5, 0.25]), Expected::Rgba([0.0, 1.0, 0.0, 1.0]))),
    );
    check(
        "probe rgb  3  4 0.0 1.0 0.0  # why",
        Command::Probe(Probe::Pixels(Area::Pixels([3, 4, 1, 1]), Expected::Rgb([0.0, 1.0, 0.0]))),
    );
    check(
        "probe atomic counter 2 >= 5",
        Command::Probe(Probe::Buffer {
            buffer: Buffer::Atomic,
            binding: 0,
            offset: 8,
            comparison: Comparison::GreaterEqual,
            expected: Number::Uint(5),
        }),
    );
    check(
        "probe ssbo int 3  0 == -7",
        Command::Probe(Probe::Buffer {
            buffer: Buffer::Storage,
            binding: 3,
            offset: 0,
            comparison: Comparison::Equal,
            expected: Number::Int(-7),
        }),
    );
}

#[test]
fn uniforms() {
    let uniform =
        |name: &str, columns, rows, values| Command::Uniform(Uniform { name: name.to_owned(), columns, rows, values });
    check("uniform vec2 s[0].x 0.5", uniform("s[0].x", 1, 2, Values::Float(vec![0.5])));
    check("uniform mat2x3 m 1 2 3 4 5 6", uniform("m", 2, 3, Values::Float(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
    check("uniform dmat2 m 1 2 3 0x3ff0000000000000", uniform("m", 2, 2, Values::Double(vec![1.0, 2.0, 3.0, 1.0])));
    check("uniform uint64_t u 0xffffffffffffffff", uniform("u", 1, 1, Values::Uint64(vec![u64::MAX])));
    check("uniform ivec3 i 0x80000000 -1 010", uniform("i", 1, 3, Values::Int(vec![i32::MIN, -1, 8])));
}

#[test]
fn textures() {
    let texture = |target, size, image| Command::Texture(1, Texture { target, size, image });
    let quarters = Image::Quarters(Some("RGBA8".to_owned()));
    check("texture rgbw 1 (8, 4) GL_RGBA8", texture(Target::D2, [8, 4, 1], quarters));
    check("texture rgbw 1DArray 1 ( 8 , 2 )", texture(Target::D1Array, [8, 1, 2], Image::Quarters(None)));
    let storage = Image::Junk(Some((1, "RGBA8".to_owned())));
    check("texture storage 1 Cube GL_RGBA8 (1 16 16)", texture(Target::Cube, [16, 16, 6], storage));
    check(
        "texture integer 1 (2,2) (5,0) GL_R32I",
        texture(Target::D2, [2, 2, 1], Image::Integers([5, 0], "R32I".to_owned())),
    );
    check(
        "texparameter 2D wrap_t clamp_to_border",
        Command::TextureParameter(Target::D2, Parameter::Wrap(1, "clamp_to_border".to_owned())),
    );
}

#[test]
fn unknown_commands_are_kept() {
    check("  dance 1 2", Command::Unknown("dance 1 2".to_owned()));
    check("probe rgb 1 2", Command::Unknown("probe rgb 1 2".to_owned()));
    assert_eq!(commands("# a comment\n\n   \n", 1), []);
}
