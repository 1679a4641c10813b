//! Which programs a trace makes, out of which shaders, and which one a draw uses.

use std::collections::HashMap;

use api::{CommandId, constant, enums, id};
use trace::{Call, Reader};

use super::survey::texts;

/// A program of the recorded program.
pub struct Program {
    /// What GL calls it.
    pub name: u32,
    /// The context that made it.
    pub context: u32,
    /// The call that made it.
    pub created: u64,
    /// Calls that linked it.
    pub links: Vec<u64>,
    /// What it was last linked from.
    pub shaders: Vec<Shader>,
}

/// A shader of a program.
#[derive(Clone)]
pub struct Shader {
    /// What GL calls it; nothing when the program was made of source text in one call.
    pub name: Option<u32>,
    /// Its stage, in GL's words.
    pub stage: String,
    /// The call that gave it its source text.
    pub source: Option<u64>,
    /// Lines of its source text.
    pub lines: usize,
}

/// Follows programs and shaders. Contexts that share objects share names.
#[derive(Default)]
pub struct Programs {
    /// All of them, in the order in which they were made.
    pub list: Vec<Program>,
    /// Where a name is in `list`, by share group.
    named: HashMap<(u32, u32), usize>,
    shaders: HashMap<(u32, u32), Shader>,
    attached: HashMap<(u32, u32), Vec<u32>>,
    /// The program that a context uses.
    used: HashMap<u32, usize>,
}

impl Programs {
    /// The program that draws of a context use.
    pub fn used_by(&self, context: u32) -> Option<usize> {
        self.used.get(&context).copied()
    }

    /// A context calls; `group` stands for all contexts that it shares objects with.
    pub fn follow(&mut self, reader: &Reader, call: &Call<'_>, command: CommandId, context: u32, group: u32) {
        let Some(outcome) = call.outcome else { return };
        let object = |at: usize| (group, call.args[at] as u32);
        let result = (group, outcome.result as u32);
        match command {
            id::glCreateShader | id::glCreateShaderObjectARB => {
                let shader = Shader { name: Some(result.1), stage: stage(call.args[0]), source: None, lines: 0 };
                self.shaders.insert(result, shader);
            }
            id::glShaderSource | id::glShaderSourceARB => {
                if let Some(shader) = self.shaders.get_mut(&object(0)) {
                    shader.source = Some(call.number);
                    shader.lines = lines(reader, call, 2);
                }
            }
            id::glCreateProgram | id::glCreateProgramObjectARB => self.create(result, context, call.number),
            id::glCreateShaderProgramv | id::glCreateShaderProgramEXT => {
                self.create(result, context, call.number);
                let param = if command == id::glCreateShaderProgramv { 2 } else { 1 };
                let lines = lines(reader, call, param);
                let shader = Shader { name: None, stage: stage(call.args[0]), source: Some(call.number), lines };
                if let Some(program) = self.list.last_mut() {
                    program.links.push(call.number);
                    program.shaders.push(shader);
                }
            }
            id::glAttachShader | id::glAttachObjectARB => {
                self.attached.entry(object(0)).or_default().push(call.args[1] as u32);
            }
            id::glDetachShader | id::glDetachObjectARB => {
                let attached = self.attached.entry(object(0)).or_default();
                attached.retain(|shader| *shader != call.args[1] as u32);
            }
            id::glLinkProgram | id::glLinkProgramARB => {
                let attached = self.attached.get(&object(0)).map_or(&[][..], Vec::as_slice);
                let shaders =
                    attached.iter().filter_map(|shader| self.shaders.get(&(group, *shader)).cloned()).collect();
                if let Some(at) = self.named.get(&object(0)) {
                    self.list[*at].links.push(call.number);
                    self.list[*at].shaders = shaders;
                }
            }
            id::glUseProgram | id::glUseProgramObjectARB => {
                match self.named.get(&object(0)).filter(|_| call.args[0] != 0) {
                    Some(at) => self.used.insert(context, *at),
                    None => self.used.remove(&context),
                };
            }
            _ => {}
        }
    }

    fn create(&mut self, object: (u32, u32), context: u32, created: u64) {
        self.named.insert(object, self.list.len());
        self.attached.remove(&object);
        self.list.push(Program { name: object.1, context, created, links: Vec::new(), shaders: Vec::new() });
    }
}

fn stage(word: u64) -> String {
    let name = match word as u32 {
        constant::GL_VERTEX_SHADER => "vertex",
        constant::GL_TESS_CONTROL_SHADER => "tess_control",
        constant::GL_TESS_EVALUATION_SHADER => "tess_evaluation",
        constant::GL_GEOMETRY_SHADER => "geometry",
        constant::GL_FRAGMENT_SHADER => "fragment",
        constant::GL_COMPUTE_SHADER => "compute",
        other => match enums::any_name(api::Library::Gl, i64::from(other)) {
            Some(name) => name,
            None => return format!("{other:#x}"),
        },
    };
    name.to_owned()
}

fn lines(reader: &Reader, call: &Call<'_>, param: u8) -> usize {
    texts(reader, call, param).concat().lines().count()
}
