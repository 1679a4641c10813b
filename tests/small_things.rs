//! Small things of the command line that people stumble over.

#[path = "shared/scene.rs"]
mod scene;

use std::path::Path;
use std::process::{Command, Output};

use api::{constant as c, id};
use scene::{FULL, MEMORY, constant, draw, draw_to, program, scene, target};
use testing::trace::{TraceBuilder, TraceFile, float, names};
use trace::PrivateFolder;

const WHITE: &str = "#version 150\nout vec4 colour;\nvoid main() {\n\n    colour = vec4(1.0);\n}";

fn afterimage(arguments: &[&str], trace: &Path) -> Output {
    let (name, rest) = arguments.split_first().unwrap();
    Command::new(env!("CARGO_BIN_EXE_afterimage")).arg(name).arg(trace).args(rest).output().unwrap()
}

#[track_caller]
fn text(arguments: &[&str], trace: &Path, status: i32) -> String {
    let output = afterimage(arguments, trace);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{arguments:?} {out} {err}");
    format!("{out}{err}")
}

/// Two frames with a draw each.
fn two_frames(name: &str) -> (TraceFile, [u64; 2]) {
    let mut trace = scene();
    program(&mut trace, 10, FULL, WHITE);
    let draws = [0, 1].map(|_| {
        draw(&mut trace, 3);
        trace.call(id::afiPresent, &[1]);
        trace.calls() - 2
    });
    (trace.save(name), draws)
}

#[test]
fn a_negative_pixel_is_outside() {
    let (trace, _) = two_frames("small-negative");
    for command in [&["history", "--pixel", "-1,5"][..], &["inspect", "--at", "17", "--pixel", "-1,5"]] {
        let said = text(command, &trace, 2);
        assert!(said.starts_with("afterimage: pixel -1,5 is outside the framebuffer: "), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// A surface of `afiSurface` with so many bits for red, green, blue and alpha.
fn surface(trace: &mut TraceBuilder, bits: [u64; 4]) {
    let [red, green, blue, alpha] = bits;
    trace.call(id::afiSurface, &[1, 0x7F00_0000_2000, 0, 16, 16, red, green, blue, alpha, 24, 8, 0, 1, 0]);
}

#[test]
fn surfaces_are_read_back_with_all_of_their_bits() {
    for (bits, steps) in [([5, 6, 5, 0], 31.0), ([8, 8, 8, 8], 255.0), ([10, 10, 10, 2], 1023.0)] {
        let mut trace = TraceBuilder::empty();
        trace.context(1, 0, c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
        surface(&mut trace, bits);
        trace.call(id::afiCurrent, &[1, 1, 1]);
        trace.call(id::glClearColor, &[0.7581, 0.25, 0.0, 1.0].map(float));
        trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
        trace.call(id::afiPresent, &[1]);
        let trace = trace.save(&format!("small-surface-{}", bits[0]));
        let document = text(&["history", "--pixel", "3,3", "--json"], &trace, 0);
        let history: serde_json::Value = serde_json::from_str(&document).unwrap();
        let (red, expected) = (history["value"][0].as_f64().unwrap(), (0.7581f64 * steps).round() / steps);
        assert!((red - expected).abs() < 1e-6, "{bits:?}: {red}, not {expected}; {document}");
        let folder = PrivateFolder::new().unwrap();
        let said = text(&["replay", "--at", "frame:0", "--images", folder.path().to_str().unwrap()], &trace, 0);
        assert!(said.contains("1 picture written") && !said.contains("no context"), "{said}");
    }
}

#[test]
fn pictures_of_draws_are_those_of_the_frame() {
    let (trace, [_, second]) = two_frames("small-per-draw");
    let folder = PrivateFolder::new().unwrap();
    let images = folder.path().join("images");
    let said = text(&["replay", "--frame", "1", "--per-draw", "--images", images.to_str().unwrap()], &trace, 0);
    assert!(said.contains("1 picture written"), "{said}");
    assert!(images.join(format!("draw-{second:08}.png")).is_file());
}

#[test]
fn every_colour_buffer_has_a_picture() {
    let mut trace = scene();
    let attachments = [c::GL_COLOR_ATTACHMENT0, c::GL_COLOR_ATTACHMENT1, c::GL_COLOR_ATTACHMENT2];
    for name in [2, 3, 1] {
        target(&mut trace, name, 16);
    }
    for (attachment, name) in attachments.into_iter().zip([1, 2, 3]).skip(1) {
        let (target, two) = (constant(c::GL_FRAMEBUFFER), constant(c::GL_TEXTURE_2D));
        trace.call(id::glFramebufferTexture2D, &[target, constant(attachment), two, name, 0]);
    }
    trace.reading(id::glDrawBuffers, &[3, MEMORY], &[(1, &names(&attachments))]);
    let fragment = "
        #version 150
        out vec4 colours[3];
        void main() { for (int i = 0; i < 3; i++) colours[i] = vec4(equal(ivec4(0, 1, 2, 3), ivec4(i))); }";
    program(&mut trace, 10, FULL, fragment);
    draw(&mut trace, 3);
    let at = trace.calls() - 1;
    draw_to(&mut trace, 0, 64);
    let trace = trace.save("small-attachments");
    let folder = PrivateFolder::new().unwrap();
    let images = folder.path().join("images");
    let options = ["replay", "--at", &at.to_string(), "--images", images.to_str().unwrap(), "--json"];
    let said: serde_json::Value = serde_json::from_str(&text(&options, &trace, 0)).unwrap();
    let names = ["", "-1", "-2"].map(|buffer| format!("command-{at:08}{buffer}.png"));
    assert_eq!(said["pictures"], serde_json::json!(names));
    for (channel, name) in names.iter().enumerate() {
        let file = std::io::BufReader::new(std::fs::File::open(images.join(name)).unwrap());
        let mut picture = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; picture.output_buffer_size().unwrap()];
        picture.next_frame(&mut bytes).unwrap();
        let wanted: Vec<u8> = (0..3).map(|own| if own == channel { 255 } else { 0 }).collect();
        assert_eq!(bytes[..3], wanted, "{name}");
    }
}

#[test]
fn columns_of_tables_have_names() {
    let vertex = "
        #version 150
        void main() {
            vec2 sum = vec2(0.0);
            for (int i = 0; i < gl_VertexID; i++) sum += 0.5;
            gl_Position = vec4(sum, 0.0, 1.0);
        }";
    let mut trace = scene();
    program(&mut trace, 10, vertex, WHITE);
    draw(&mut trace, 3);
    let at = (trace.calls() - 1).to_string();
    let trace = trace.save("small-columns");
    let folder = PrivateFolder::new().unwrap();
    let table = folder.path().join("table.csv");
    let heading = |options: &[&str]| {
        let all = [options, &["--at", &at, "--stage", "vertex", "--csv", table.to_str().unwrap()]].concat();
        text(&all, &trace, 0);
        std::fs::read_to_string(&table).unwrap()
    };
    let values = heading(&["inspect"]);
    assert!(values.starts_with("vertex,instance,draw,state,"), "{values}");
    assert!(values.lines().nth(3).is_some_and(|row| row.starts_with("2,0,0,")), "{values}");
    let loops = heading(&["profile", "--line", "4"]);
    assert!(loops.starts_with("vertex,instance,draw,"), "{loops}");
    let columns = |line: &str| line.split(',').count();
    assert!(loops.lines().all(|line| columns(line) == columns(loops.lines().next().unwrap())), "{loops}");
}

#[test]
fn a_breakpoint_slides_to_the_next_statement() {
    let (trace, _) = two_frames("small-slide");
    let said = text(&["break", "--site", "12:4"], &trace, 0);
    assert!(said.starts_with("no statement begins in line 4; the next one is taken\nline 5: "), "{said}");
    assert!(said.contains("in 2 of 2 draws"), "{said}");
    let said = text(&["break", "--site", "12:5", "--frame", "0"], &trace, 0);
    assert!(said.starts_with("line 5: ") && said.contains("in 1 of 1 draw,"), "{said}");
    let said = text(&["break", "--site", "12:7"], &trace, 2);
    assert!(said.contains("no statement begins in line 7 of the shader or after it"), "{said}");
}

#[test]
fn values_of_a_line_without_a_statement_are_those_of_the_next() {
    let (trace, [draw, _]) = two_frames("small-slide-inspect");
    let at = draw.to_string();
    let slid = "no statement begins in line 4; the next one is taken\n";
    let said = text(&["inspect", "--at", &at, "--pixel", "1,1", "--line", "4"], &trace, 0);
    assert!(said.starts_with(slid) && said.contains("    5  colour = vec4(1.0);"), "{said}");
    let said = text(&["inspect", "--at", &at, "--pixel", "1,1", "--line", "4", "--expr", "1.0 + 1.0"], &trace, 0);
    assert!(said.starts_with(&format!("{slid}1.0 + 1.0 in line 5: colour")) && said.contains("\n  2.0\n"), "{said}");
    let said = text(&["inspect", "--at", &at, "--pixel", "1,1", "--line", "7"], &trace, 2);
    assert!(said.contains("no statement begins in line 7 of the shader or after it"), "{said}");
}

#[test]
fn hits_are_named_in_several_draws() {
    let (trace, draws) = two_frames("small-hits");
    let said = text(&["break", "--site", "12:5", "--first", "4"], &trace, 0);
    let named = |draw: u64| said.matches(&format!("    command {draw}, line 5: pixel ")).count();
    assert_eq!(draws.map(named), [3, 1], "{said}");
}

#[test]
fn objects_that_are_deleted_at_the_end_keep_their_names_in_a_graph() {
    let mut trace = TraceBuilder::new(16);
    trace.returning(id::glGenBuffers, &[1, MEMORY], 0, &[(1, &names(&[7]))]);
    trace.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER.into(), 7]);
    trace.reading(id::glBufferData, &[c::GL_ARRAY_BUFFER.into(), 8, MEMORY, c::GL_STATIC_DRAW.into()], &[(2, &[1; 8])]);
    trace.call(id::afiPresent, &[1]);
    trace.reading(id::glDeleteBuffers, &[1, MEMORY], &[(1, &names(&[7]))]);
    let trace = trace.save("small-graph");
    for options in [&["graph"][..], &["graph", "--json"], &["graph", "--dot"]] {
        let said = text(options, &trace, 0);
        assert!(!said.contains("nameless"), "{said}");
    }
    assert!(text(&["graph"], &trace, 0).contains("writes buffer 7\n"));
}

#[test]
fn what_changes_alike_in_members_of_a_list_is_there_once() {
    let mut trace = TraceBuilder::new(16);
    trace.call(id::glViewport, &[0, 0, 8, 8]);
    let before = trace.calls() - 1;
    trace.call(id::glViewport, &[0, 0, 4, 4]);
    trace.call(id::afiPresent, &[1]);
    let trace = trace.save("small-diff");
    let said = text(&["state", "--at", &before.to_string(), "--diff", "-1", "context/1/viewport"], &trace, 0);
    assert!(said.lines().filter(|line| line.starts_with("  - ")).count() <= 2, "{said}");
}

#[test]
fn a_long_history_says_how_to_see_more() {
    let (trace, _) = two_frames("small-history");
    let all = text(&["history", "--pixel", "1,1"], &trace, 0);
    assert!(!all.contains("more line"), "{all}");
    let said = text(&["history", "--pixel", "1,1", "--lines", "1"], &trace, 0);
    assert!(said.contains(" more lines: --lines "), "{said}");
    assert!(said.lines().count() < all.lines().count(), "{said}");
}

#[test]
fn a_breakpoint_names_contexts_that_share_nothing() {
    let mut trace = TraceBuilder::empty();
    for context in [1, 2] {
        trace.context(context, 0, c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
        trace.surface(context, 16, 16);
        trace.call(id::afiCurrent, &[context, context, context]);
        program(&mut trace, 10, FULL, WHITE);
        trace.call(id::glClearColor, &[float(0.0), float(0.0), float(0.0), float(0.0)]);
        for _ in 0..context {
            draw(&mut trace, 3);
        }
    }
    let trace = trace.save("small-contexts");
    for site in ["12:5", "10:fragment:5"] {
        let said = text(&["break", "--site", site], &trace, 2);
        assert!(said.contains("contexts 1 and 2 each have a "), "{said}");
        assert!(said.contains("say which with --context"), "{said}");
        let said = text(&["break", "--site", site, "--context", "2"], &trace, 0);
        assert!(said.contains("in 2 of 2 draws"), "{said}");
    }
    assert!(text(&["break", "--site", "12:5", "--context", "3"], &trace, 2).contains("no context 3"));
}

#[test]
fn a_frame_names_a_draw_in_the_debugger() {
    let (trace, [first, _]) = two_frames("small-frame");
    let folder = PrivateFolder::new().unwrap();
    let steps = folder.path().join("steps");
    std::fs::write(&steps, "fragment frame:0 5,5\ninfo invocation\ngroup frame:0\ngroup end\npixel 5,5 frame:0\n")
        .unwrap();
    let said = text(&["debug", "--batch", steps.to_str().unwrap()], &trace, 0);
    assert!(said.contains(&format!("(command {first}), frame 0")), "{said}");
    std::fs::write(&steps, "fragment frame:7 5,5\n").unwrap();
    let said = text(&["debug", "--batch", steps.to_str().unwrap()], &trace, 2);
    assert!(said.contains("no frame 7"), "{said}");
}

#[test]
fn suggested_commands_can_be_pasted() {
    let (trace, _) = two_frames("small-quote");
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("it's a trace.aftr");
    std::fs::copy(&*trace, &path).unwrap();
    let said = text(&["sources", "--program", "99"], &path, 2);
    let quoted = path.to_str().unwrap().replace('\'', "'\\''");
    assert!(said.contains(&format!("`afterimage info '{quoted}'`")), "{said}");
    let shader = folder.path().join("a broken.frag");
    std::fs::write(&shader, "#version 330\nvoid main() { colour = 1; }").unwrap();
    let said = text(&["run", "--at", "0,0"], &shader, 2);
    assert!(said.contains(&format!("`afterimage check '{}'`", shader.display())), "{said}");
}

#[test]
fn a_pass_tests_against_what_it_did_not_write() {
    let mut trace = scene();
    program(&mut trace, 10, FULL, WHITE);
    trace.call(id::glEnable, &[u64::from(c::GL_DEPTH_TEST)]);
    for clears in [true, false] {
        if clears {
            trace.call(
                id::glClear,
                &[u64::from(c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT)],
            );
        }
        draw(&mut trace, 3);
        trace.call(id::afiPresent, &[1]);
    }
    let trace = trace.save("small-tests");
    let own = text(&["graph", "--frame", "0"], &trace, 0);
    assert!(own.contains("render") && !own.contains("tests against"), "{own}");
    let earlier = text(&["graph", "--frame", "1"], &trace, 0);
    assert!(earlier.contains("\n        reads nothing\n        tests against surface 1\n"), "{earlier}");
}
