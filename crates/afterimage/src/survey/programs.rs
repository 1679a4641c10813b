//! Which programs a trace makes, out of which shaders, and which one a draw uses.

use std::collections::HashMap;

use api::reflection::Reflection;
use api::{CommandId, Namespace, constant, enums, id};
use chronicle::Annotations;
use trace::{Call, Reader};

use super::pieces;

/// Shaders of a program that are followed: each link looks at all of them.
const MOST_ATTACHED: usize = 256;

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
    /// The call that loaded it as a binary, if that is what it was made of last.
    pub loaded: Option<u64>,
    /// What the program calls it.
    pub label: Option<String>,
}

impl Program {
    /// Returns whether the trace lacks the text of one of its shaders: nothing of it can be shown or measured.
    pub fn lacks_text(&self) -> bool {
        self.loaded.is_some() || self.shaders.iter().any(|shader| shader.source.is_none())
    }
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
    /// The call that made it.
    pub created: u64,
    /// What the program calls it.
    pub label: Option<String>,
}

/// A text that a call gave to a shader, or made a program of.
pub struct Text {
    /// The call.
    pub command: u64,
    /// The parameter that the text is behind.
    pub param: u8,
    /// The context that called.
    pub context: u32,
    /// What GL calls the shader, or the assembly program; nothing when the program was made of the text in one call.
    pub shader: Option<u32>,
    /// Its stage, in GL's words.
    pub stage: String,
    /// It is in ARB's assembly language.
    pub assembly: bool,
    /// Programs that were linked from it, as places in the list.
    pub programs: Vec<usize>,
    /// What the program calls the shader.
    pub label: Option<String>,
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
    /// All texts, in the order of their calls.
    pub texts: Vec<Text>,
    /// The last call that loaded a binary into a program, until the driver's answer to it.
    loading: HashMap<(u32, u32), u64>,
    /// The assembly program that a context has bound to a target.
    bound: HashMap<(u32, u64), u32>,
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
                let shader = Shader {
                    name: Some(result.1),
                    stage: stage(call.args[0]),
                    source: None,
                    lines: 0,
                    created: call.number,
                    label: None,
                };
                self.shaders.insert(result, shader);
            }
            id::glShaderSource | id::glShaderSourceARB => {
                if let Some(shader) = self.shaders.get_mut(&object(0)) {
                    shader.source = Some(call.number);
                    shader.lines = lines(reader, call, 2);
                    let (shader, stage) = (shader.name, shader.stage.clone());
                    self.text(call, 2, context, shader, stage);
                }
            }
            id::glCreateProgram | id::glCreateProgramObjectARB => self.create(result, context, call.number),
            id::glCreateShaderProgramv | id::glCreateShaderProgramEXT => {
                self.create(result, context, call.number);
                let param = if command == id::glCreateShaderProgramv { 2 } else { 1 };
                let lines = lines(reader, call, param);
                let (stage, source) = (stage(call.args[0]), Some(call.number));
                let shader = Shader { name: None, stage, source, lines, created: call.number, label: None };
                self.text(call, param, context, None, shader.stage.clone());
                if let Some(text) = self.texts.last_mut() {
                    text.programs.push(self.list.len() - 1);
                }
                if let Some(program) = self.list.last_mut() {
                    program.links.push(call.number);
                    program.shaders.push(shader);
                }
            }
            id::glAttachShader | id::glAttachObjectARB => {
                let (attached, shader) = (self.attached.entry(object(0)).or_default(), call.args[1] as u32);
                // GL refuses to attach a shader twice; a trace that attaches thousands is not one of a program.
                if attached.len() < MOST_ATTACHED && !attached.contains(&shader) {
                    attached.push(shader);
                }
            }
            id::glDetachShader | id::glDetachObjectARB => {
                let attached = self.attached.entry(object(0)).or_default();
                attached.retain(|shader| *shader != call.args[1] as u32);
            }
            id::glLinkProgram | id::glLinkProgramARB => {
                let attached = self.attached.get(&object(0)).map_or(&[][..], Vec::as_slice);
                let shaders =
                    attached.iter().filter_map(|shader| self.shaders.get(&(group, *shader)).cloned()).collect();
                let shaders: Vec<Shader> = shaders;
                if let Some(at) = self.named.get(&object(0)) {
                    for source in shaders.iter().filter_map(|shader| shader.source) {
                        let text = self.texts.binary_search_by_key(&source, |text| text.command);
                        if let Some(text) = text.ok().map(|place| &mut self.texts[place])
                            && text.programs.last() != Some(at)
                        {
                            text.programs.push(*at);
                        }
                    }
                    self.list[*at].links.push(call.number);
                    self.list[*at].shaders = shaders;
                    self.list[*at].loaded = None;
                }
            }
            id::glProgramBinary | id::glProgramBinaryOES => drop(self.loading.insert(object(0), call.number)),
            id::afiProgram => {
                if let Some(command) = self.loading.remove(&object(0))
                    && let Some(at) = self.named.get(&object(0))
                    && is_linked(reader, call)
                {
                    self.list[*at].loaded = Some(command);
                    self.list[*at].shaders = Vec::new();
                }
            }
            id::glBindProgramARB => drop(self.bound.insert((context, call.args[0]), call.args[1] as u32)),
            id::glProgramStringARB => {
                let name = self.bound.get(&(context, call.args[0])).copied();
                self.text(call, 3, context, name, stage(call.args[0]));
                if let Some(text) = self.texts.last_mut() {
                    text.assembly = true;
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

    /// Notes what the recorded program calls its programs and shaders.
    pub fn label(&mut self, annotations: &Annotations) {
        let label = |context: u32, name: u32, since: u64| {
            annotations.last_label(context, Namespace::Program, name, since).map(str::to_owned)
        };
        for program in &mut self.list {
            program.label = label(program.context, program.name, program.created);
            for shader in &mut program.shaders {
                shader.label = shader.name.and_then(|name| label(program.context, name, shader.created));
            }
        }
        for text in self.texts.iter_mut().filter(|text| !text.assembly) {
            // A label may be given before the text, and after it.
            let name = text.shader;
            let before = name.and_then(|name| annotations.label(text.context, Namespace::Program, name, text.command));
            text.label = name.and_then(|name| label(text.context, name, text.command)).or(before.map(str::to_owned));
        }
    }

    fn text(&mut self, call: &Call<'_>, param: u8, context: u32, shader: Option<u32>, stage: String) {
        let programs = Vec::new();
        self.texts.push(Text {
            command: call.number,
            param,
            context,
            shader,
            stage,
            assembly: false,
            programs,
            label: None,
        });
    }

    fn create(&mut self, object: (u32, u32), context: u32, created: u64) {
        self.named.insert(object, self.list.len());
        self.attached.remove(&object);
        self.list.push(Program {
            name: object.1,
            context,
            created,
            links: Vec::new(),
            shaders: Vec::new(),
            loaded: None,
            label: None,
        });
    }
}

/// Returns whether a program is linked, by the driver's answers about it.
fn is_linked(reader: &Reader, call: &Call<'_>) -> bool {
    let Some(bytes) = call.input(2).and_then(|data| reader.bytes(data).ok().flatten()) else { return false };
    let answers = Reflection::decode(&bytes).map(|reflection| reflection.parameters).unwrap_or_default();
    answers
        .iter()
        .any(|(name, values)| *name == constant::GL_LINK_STATUS && values.first().is_some_and(|one| *one != 0))
}

fn stage(word: u64) -> String {
    let name = match word as u32 {
        constant::GL_VERTEX_SHADER => "vertex",
        constant::GL_TESS_CONTROL_SHADER => "tess_control",
        constant::GL_TESS_EVALUATION_SHADER => "tess_evaluation",
        constant::GL_GEOMETRY_SHADER => "geometry",
        constant::GL_FRAGMENT_SHADER => "fragment",
        constant::GL_COMPUTE_SHADER => "compute",
        constant::GL_VERTEX_PROGRAM_ARB => "vertex",
        constant::GL_FRAGMENT_PROGRAM_ARB => "fragment",
        other => match enums::any_name(api::Library::Gl, i64::from(other)) {
            Some(name) => name,
            None => return format!("{other:#x}"),
        },
    };
    name.to_owned()
}

fn lines(reader: &Reader, call: &Call<'_>, param: u8) -> usize {
    String::from_utf8_lossy(&pieces(reader, call, param).unwrap_or_default().concat()).lines().count()
}
