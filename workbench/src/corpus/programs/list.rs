//! The programs: packages of Debian 12.

use std::time::Duration;

use super::RUN;
use super::stage::Stage::{self, Bare, Wayland, X11};

/// A kind of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Game,
    Toolkit,
    Tool,
    Media,
    Browser,
    Wayland,
    Demo,
}

impl Kind {
    /// Returns its name in tables.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Game => "game",
            Kind::Toolkit => "toolkit",
            Kind::Tool => "tool",
            Kind::Media => "media",
            Kind::Browser => "browser",
            Kind::Wayland => "wayland",
            Kind::Demo => "demo",
        }
    }
}

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// By itself, with status 0.
    ByItself,
    /// By SIGTERM: with that signal, or with status 0 where it handles the signal.
    AfterSigterm,
    /// The same, later: it takes long to start.
    AfterSigtermLate,
    /// By SIGKILL: SIGTERM makes it crash or hang, recorded or not.
    Killed,
    /// The same, later.
    KilledLate,
}

impl Ends {
    /// Returns the signal that is sent, and when.
    pub fn signal(self) -> Option<(&'static str, Duration)> {
        match self {
            Ends::ByItself => None,
            Ends::AfterSigterm => Some(("TERM", RUN)),
            Ends::AfterSigtermLate => Some(("TERM", RUN * 3)),
            Ends::Killed => Some(("KILL", RUN)),
            Ends::KilledLate => Some(("KILL", RUN * 3)),
        }
    }

    /// Returns whether a program that works ends with this status.
    pub fn expects(self, status: Option<i32>) -> bool {
        match self {
            Ends::ByItself => status == Some(0),
            Ends::AfterSigterm | Ends::AfterSigtermLate => matches!(status, Some(0 | 1 | 143)),
            Ends::Killed | Ends::KilledLate => status == Some(137),
        }
    }
}

/// A program.
pub struct Entry {
    pub name: &'static str,
    pub kind: Kind,
    pub packages: &'static [&'static str],
    /// The program and its arguments; `{folder}` is a folder for its files.
    pub command: &'static [&'static str],
    pub stage: Stage,
    pub ends: Ends,
    /// Additional environment variables.
    pub variables: &'static [(&'static str, &'static str)],
    /// The file name of the process that gets the signal, where a script starts it.
    pub process: &'static str,
}

impl Entry {
    /// Returns the file name of the process that gets the signal.
    pub fn process(&self) -> &'static str {
        let first = self.command[0];
        if self.process.is_empty() { first.rsplit('/').next().unwrap_or(first) } else { self.process }
    }
}

const fn entry(
    name: &'static str,
    kind: Kind,
    stage: Stage,
    packages: &'static [&'static str],
    command: &'static [&'static str],
) -> Entry {
    Entry { name, kind, packages, command, stage, ends: Ends::AfterSigterm, variables: &[], process: "" }
}

impl Entry {
    const fn ends(self, ends: Ends) -> Entry {
        Entry { ends, ..self }
    }

    const fn with(self, variables: &'static [(&'static str, &'static str)]) -> Entry {
        Entry { variables, ..self }
    }

    const fn process_named(self, process: &'static str) -> Entry {
        Entry { process, ..self }
    }
}

const CHROMIUM: &[&str] = &["chromium"];

macro_rules! chromium {
    ($($option:literal),*) => {
        &[
            "chromium", "--user-data-dir={folder}/home/profile", "--no-sandbox", "--disable-gpu-sandbox",
            "--ignore-gpu-blocklist", "--no-first-run", "--password-store=basic", "--window-size=800,600",
            "--use-gl=angle", $($option,)*
            "data:text/html,<canvas id=c width=256 height=256></canvas><script>var g=c.getContext('webgl2'),n=0;function s(t,x){var a=g.createShader(t);g.shaderSource(a,'%23version 300 es\\nprecision highp float;'+x);g.compileShader(a);g.attachShader(p,a)}var p=g.createProgram();s(g.VERTEX_SHADER,'void main(){vec2 q=vec2(gl_VertexID%2,gl_VertexID/2);gl_Position=vec4(q*4.-1.,0,1);}');s(g.FRAGMENT_SHADER,'uniform float t;out vec4 o;void main(){vec2 q=gl_FragCoord.xy/256.;o=vec4(q,fract(t+q.x*q.y),1);}');g.linkProgram(p);g.useProgram(p);var l=g.getUniformLocation(p,'t');(function f(){g.uniform1f(l,n/60.);g.drawArrays(g.TRIANGLES,0,3);if(++n<120)requestAnimationFrame(f)})()</script>",
        ]
    };
}

/// Files that programs are given.
pub const FILES: &[(&str, &str)] = &[
    (
        "scene.qml",
        "import QtQuick\nRectangle { width: 400; height: 300; color: 'teal'; Text { anchors.centerIn: parent; text: 'hello'; \
         font.pixelSize: 48 } Rectangle { width: 80; height: 80; radius: 20; color: '#c0ff8040'; NumberAnimation on x { \
         from: 0; to: 320; duration: 2000; loops: -1 } } }\n",
    ),
    ("shape.scad", "difference() { cube(10, center = true); sphere(6, $fn = 24); }\n"),
    ("shape.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"),
];

/// Returns a second of video: bands that move.
pub fn clip() -> Vec<u8> {
    const SIZE: [u32; 2] = [160, 120];
    let mut clip = format!("YUV4MPEG2 W{} H{} F10:1 Ip A1:1 C420jpeg\n", SIZE[0], SIZE[1]).into_bytes();
    for frame in 0..10 {
        clip.extend(b"FRAME\n");
        let plane = |[width, height]: [u32; 2], value: fn(u32, u32, u32) -> u32| {
            let places = (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
            places.map(move |(x, y)| value(x, y, frame) as u8)
        };
        let half = SIZE.map(|size| size / 2);
        clip.extend(plane(SIZE, |x, y, frame| x * 2 + y + frame * 8));
        clip.extend(plane(half, |x, _, frame| x * 3 + frame));
        clip.extend(plane(half, |_, y, _| y * 3));
    }
    clip
}

/// All programs.
#[rustfmt::skip]
pub const PROGRAMS: &[Entry] = &[
    entry("glxgears", Kind::Demo, X11, &["mesa-utils"], &["glxgears"]),
    entry("es2gears", Kind::Demo, X11, &["mesa-utils"], &["es2gears_x11"]),
    entry("neverball", Kind::Game, X11, &["neverball"], &["/usr/games/neverball"]),
    entry("neverputt", Kind::Game, X11, &["neverputt"], &["/usr/games/neverputt"]),
    entry("etr", Kind::Game, X11, &["extremetuxracer"], &["/usr/games/etr"]),
    entry("gltron", Kind::Game, X11, &["gltron"], &["/usr/games/gltron"]).ends(Ends::Killed),
    entry("chromium-bsu", Kind::Game, X11, &["chromium-bsu"], &["/usr/games/chromium-bsu"]),
    entry("teeworlds", Kind::Game, X11, &["teeworlds"], &["/usr/games/teeworlds"]),
    entry("supertux2", Kind::Game, X11, &["supertux"], &["/usr/games/supertux2", "--renderer", "opengl"]),
    entry("lugaru", Kind::Game, X11, &["lugaru"], &["/usr/games/lugaru", "-w"]),
    entry("openarena", Kind::Game, X11, &["openarena"], &["/usr/games/openarena", "+set", "r_fullscreen", "0", "+set", "r_mode", "3"]).ends(Ends::KilledLate).process_named("ioquake3"),
    entry("supertuxkart", Kind::Game, X11, &["supertuxkart"], &["/usr/games/supertuxkart", "--windowed", "--screensize=640x480"]).ends(Ends::AfterSigtermLate),
    entry("armagetronad", Kind::Game, X11, &["armagetronad"], &["/usr/games/armagetronad", "-window"]).process_named("armagetronad.real"),
    entry("trackballs", Kind::Game, X11, &["trackballs"], &["/usr/games/trackballs", "-w", "-r", "640"]),
    // It runs with the rights of group games, and the loader preloads nothing into a program that gains rights.
    entry("pinball", Kind::Game, X11, &["pinball", "pinball-table-gnu"], &["setpriv", "--regid=games", "--clear-groups", "/usr/games/pinball"]).ends(Ends::Killed).process_named("pinball"),
    entry("billard-gl", Kind::Game, X11, &["billard-gl"], &["/usr/games/billard-gl"]),
    entry("briquolo", Kind::Game, X11, &["briquolo"], &["/usr/games/briquolo"]),
    entry("crack-attack", Kind::Game, X11, &["crack-attack"], &["/usr/games/crack-attack", "--solo"]),
    entry("gtk3-glarea", Kind::Toolkit, X11, &["gtk-3-examples"], &["gtk3-demo", "--run=glarea"]),
    entry("gtk3-widgets", Kind::Toolkit, X11, &["gtk-3-examples"], &["gtk3-widget-factory"]).with(&[("GDK_GL", "always")]),
    entry("gtk4-gears", Kind::Toolkit, X11, &["gtk-4-examples"], &["gtk4-demo", "--run=gears"]).with(&[("GSK_RENDERER", "gl")]),
    entry("gtk4-widgets", Kind::Toolkit, X11, &["gtk-4-examples"], &["gtk4-widget-factory"]).with(&[("GSK_RENDERER", "gl")]),
    entry("qt5-cube", Kind::Toolkit, X11, &["qtbase5-examples"], &["/usr/lib/x86_64-linux-gnu/qt5/examples/opengl/cube/cube"]),
    entry("qt5-hellogl2", Kind::Toolkit, X11, &["qtbase5-examples"], &["/usr/lib/x86_64-linux-gnu/qt5/examples/opengl/hellogl2/hellogl2"]),
    entry("qt6-quick", Kind::Toolkit, X11, &["qml-qt6", "qml6-module-qtquick", "qml6-module-qtquick-window", "qml6-module-qtqml-workerscript"], &["/usr/lib/qt6/bin/qml", "{folder}/scene.qml"]).with(&[("QSG_RHI_BACKEND", "opengl")]),
    entry("sdl2-testgl2", Kind::Toolkit, X11, &["libsdl2-tests"], &["/usr/libexec/installed-tests/SDL2/testgl2"]),
    entry("sdl2-testgles2", Kind::Toolkit, X11, &["libsdl2-tests"], &["/usr/libexec/installed-tests/SDL2/testgles2"]),
    entry("chromium-gl-egl", Kind::Browser, X11, CHROMIUM, chromium!("--use-angle=gl-egl")),
    entry("chromium-gles-egl", Kind::Browser, X11, CHROMIUM, chromium!("--use-angle=gles-egl")),
    entry("chromium-gl", Kind::Browser, X11, CHROMIUM, chromium!("--use-angle=gl")),
    entry("chromium-swiftshader", Kind::Browser, X11, CHROMIUM, chromium!("--use-angle=swiftshader", "--enable-unsafe-swiftshader")),
    entry("mpv", Kind::Media, X11, &["mpv"], &["mpv", "--no-config", "--vo=gpu", "--gpu-context=x11egl", "--no-audio", "--length=3", "av://lavfi:testsrc=size=320x240:rate=10:duration=3"]).ends(Ends::ByItself),
    // VLC refuses to run as root; in a namespace of its own it is another user.
    entry("vlc", Kind::Media, X11, &["vlc-bin", "vlc-plugin-base", "vlc-plugin-video-output"], &["unshare", "--user", "--map-user=65534", "vlc", "-I", "dummy", "--play-and-exit", "--no-audio", "--vout=gl", "--gl=glx", "{folder}/clip.y4m"]).ends(Ends::ByItself),
    entry("kitty", Kind::Tool, X11, &["kitty"], &["kitty", "--config", "NONE", "sh", "-c", "echo hello; sleep 4"]).ends(Ends::ByItself),
    entry("stellarium", Kind::Tool, X11, &["stellarium"], &["stellarium", "--full-screen=no"]).ends(Ends::AfterSigtermLate),
    entry("godot3", Kind::Tool, X11, &["godot3"], &["godot3", "--video-driver", "GLES2", "--project-manager"]).ends(Ends::AfterSigtermLate),
    entry("blender", Kind::Tool, X11, &["blender"], &["blender", "--factory-startup", "-p", "0", "0", "640", "480"]).ends(Ends::AfterSigtermLate),
    entry("openscad", Kind::Tool, X11, &["openscad"], &["openscad", "{folder}/shape.scad"]),
    entry("f3d", Kind::Tool, X11, &["f3d"], &["f3d", "--geometry-only", "{folder}/shape.obj"]),
    entry("weston-simple-egl", Kind::Wayland, Wayland, &["weston"], &["weston-simple-egl"]),
    entry("weston-subsurfaces", Kind::Wayland, Wayland, &["weston"], &["weston-subsurfaces"]),
    entry("es2gears-wayland", Kind::Wayland, Wayland, &["mesa-utils-bin"], &["es2gears_wayland.x86_64-linux-gnu"]),
    entry("glmark2-wayland", Kind::Wayland, Wayland, &["glmark2-es2-wayland"], &["glmark2-es2-wayland", "--size", "320x240", "-b", "shading:duration=2"]).ends(Ends::ByItself),
    entry("gtk4-gears-wayland", Kind::Wayland, Wayland, &["gtk-4-examples"], &["gtk4-demo", "--run=gears"]).with(&[("GSK_RENDERER", "gl")]),
    entry("sdl2-testgles2-wayland", Kind::Wayland, Wayland, &["libsdl2-tests"], &["/usr/libexec/installed-tests/SDL2/testgles2"]),
    entry("weston", Kind::Wayland, X11, &["weston"], &["weston", "--backend=x11-backend.so", "--width=640", "--height=480"]).with(&[("XDG_RUNTIME_DIR", "/tmp")]),
    entry("weston-headless", Kind::Wayland, Bare, &["weston"], &["weston", "--backend=headless-backend.so", "--use-gl", "--width=640", "--height=480", "--socket=afterimage-1"]).with(&[("XDG_RUNTIME_DIR", "/tmp")]),
];
