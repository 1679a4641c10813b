//! Pixels whose histories ask for more than there is: a history answers within 10 seconds and a gigabyte, and says what it
//! left out.

#[path = "shared/scene.rs"]
mod scene;
#[path = "shared/hostile.rs"]
mod shared;

use api::{constant as c, id};
use scene::{FULL, constant, draw, draw_to, program, scene, target};
use shared::{Answer, run};
use testing::trace::TraceBuilder;

/// Asks for the history of a pixel, by the commands that follow one.
#[track_caller]
fn asked(mut trace: TraceBuilder, name: &str) -> Answer {
    trace.call(id::afiPresent, &[1]);
    let trace = trace.save(&format!("hostile-history-{name}"));
    let debugged = run(&["debug", "--pixel", "5,5", "--batch", "/dev/null"], &trace);
    assert_eq!(debugged.status, Some(0), "{}", debugged.stderr);
    run(&["history", "--nan"], &trace);
    run(&["history", "--pixel", "5,5", "--json"], &trace);
    run(&["history", "--pixel", "5,5"], &trace)
}

/// Checks that a history names a command and what it left out.
#[track_caller]
fn cut(answer: &Answer, says: &str) {
    let text = String::from_utf8_lossy(&answer.stdout);
    assert!(text.contains(says), "{text:.4000} {}", answer.stderr);
}

#[test]
fn a_draw_of_four_million_vertices() {
    let vertex = "
        #version 150
        void main() {
            vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1) * 4.0 - 1.0;
            gl_Position = gl_VertexID < 3 ? vec4(corner, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
        }";
    let mut trace = scene();
    program(&mut trace, 10, vertex, "#version 150\nout vec4 colour; void main() { colour = vec4(1.0); }");
    draw(&mut trace, 1 << 22);
    cut(&asked(trace, "vertices"), "vertices");
}

#[test]
fn a_pixel_that_a_draw_covers_half_a_million_times() {
    let mut trace = scene();
    let vertex = "
        #version 150
        void main() {
            int corner = gl_VertexID % 3;
            gl_Position = vec4(vec2(corner & 1, corner >> 1) * 0.2 - 0.9, 0.0, 1.0);
        }";
    let fragment = "
        #version 150
        out vec4 colour; void main() { colour = gl_FragCoord * float(gl_PrimitiveID) * 1e-6; }";
    program(&mut trace, 10, vertex, fragment);
    draw(&mut trace, 3 << 19);
    cut(&asked(trace, "overdraw"), "fragments");
}

#[test]
fn a_fragment_that_reads_texels_without_end() {
    let mut trace = scene();
    target(&mut trace, 1, 16);
    trace.call(id::glClear, &[constant(c::GL_COLOR_BUFFER_BIT)]);
    draw_to(&mut trace, 0, 64);
    let fragment = "
        #version 150
        uniform sampler2D picture;
        out vec4 colour;
        void main() {
            vec4 sum = vec4(0.0);
            for (int i = 0; i < 40000000; i++)
                sum += texelFetch(picture, ivec2(i & 15, i >> 4 & 15), 0) * 1e-7;
            colour = sum;
        }";
    program(&mut trace, 10, FULL, fragment);
    draw(&mut trace, 3);
    cut(&asked(trace, "reads"), "AFTERIMAGE_TRUST=1");
}

#[test]
fn a_pixel_made_of_a_million_fragments() {
    let mut trace = scene();
    target(&mut trace, 1, 1024);
    let shade = "#version 150\nout vec4 colour; void main() { colour = gl_FragCoord / 1024.0; }";
    program(&mut trace, 10, FULL, shade);
    draw(&mut trace, 3);
    draw_to(&mut trace, 0, 64);
    let fragment = "
        #version 150
        uniform sampler2D picture;
        out vec4 colour;
        void main() {
            vec4 sum = vec4(0.0);
            for (int y = 0; y < 1024; y++)
                for (int x = 0; x < 1024; x++)
                    sum += texelFetch(picture, ivec2(x, y), 0);
            colour = sum / 1048576.0;
        }";
    program(&mut trace, 20, FULL, fragment);
    draw(&mut trace, 3);
    cut(&asked(trace, "average"), "not followed");
}

#[test]
fn passes_that_each_read_all_of_the_one_before() {
    let mut trace = scene();
    let shade = "#version 150\nout vec4 colour; void main() { colour = gl_FragCoord / 64.0; }";
    target(&mut trace, 1, 64);
    program(&mut trace, 10, FULL, shade);
    draw(&mut trace, 3);
    let fragment = "
        #version 150
        uniform sampler2D picture;
        out vec4 colour;
        void main() {
            vec4 sum = vec4(0.0);
            for (int y = 0; y < 64; y++)
                for (int x = 0; x < 64; x++)
                    sum += texelFetch(picture, ivec2(x, y), 0);
            colour = sum / 4096.0;
        }";
    program(&mut trace, 20, FULL, fragment);
    for pass in 2..12 {
        target(&mut trace, pass, 64);
        trace.call(id::glBindTexture, &[constant(c::GL_TEXTURE_2D), u64::from(pass) - 1]);
        draw(&mut trace, 3);
    }
    trace.call(id::glBindTexture, &[constant(c::GL_TEXTURE_2D), 11]);
    draw_to(&mut trace, 0, 64);
    draw(&mut trace, 3);
    cut(&asked(trace, "passes"), "AFTERIMAGE_TRUST=1");
}

#[test]
fn a_nan_among_more_fragments_than_are_read_at_once() {
    let mut trace = scene();
    target(&mut trace, 1, 1024);
    let fragment = "
        #version 150
        out vec4 colour;
        void main() { colour = vec4(sqrt(1022.0 - min(gl_FragCoord.x, gl_FragCoord.y))); }";
    program(&mut trace, 10, FULL, fragment);
    draw(&mut trace, 3);
    draw_to(&mut trace, 0, 64);
    trace.call(id::afiPresent, &[1]);
    let trace = trace.save("hostile-history-nan");
    let answer = run(&["history", "--nan", "--no-maps"], &trace);
    let text = String::from_utf8_lossy(&answer.stdout);
    assert_eq!(answer.status, Some(1), "{text} {}", answer.stderr);
    assert!(text.contains("4 pixels"), "{text}");
}
