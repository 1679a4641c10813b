//! Stacks, scopes, variables, expressions.

use serde_json::{Value, json};
use session::{Agreement, Scope, Shown, Variable};

use super::{Adapter, After};
use crate::protocol::Request;
use crate::protocol::arguments::{Completions, Evaluate, Named, OfFrame, OfThread, Variables};
use crate::protocol::bodies;
use crate::refusal::Refusal;

/// Between the numbers of the frames of two threads.
const FRAMES: i64 = 100_000;

/// What stands between a value and what is said of it, so that an edited value is told from that.
const REMARK: &str = "  — ";

/// What clients look at by numbers, until it goes on.
#[derive(Default)]
pub struct Handles {
    all: Vec<Handle>,
}

#[derive(Clone)]
struct Handle {
    thread: i64,
    frame: usize,
    what: What,
}

#[derive(Clone)]
enum What {
    Scope(Scope),
    /// The parts of a variable or expression.
    Path(String),
    /// Everything the last statement, and the next, read of textures.
    Texels,
}

impl Handles {
    /// Everything a client has a number of is gone.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    fn add(&mut self, handle: Handle) -> i64 {
        self.all.push(handle);
        self.all.len() as i64
    }
}

impl Adapter {
    /// The frame of the stack that a client means, which becomes that of the session.
    pub(super) fn frame(&mut self, id: Option<i64>) -> Result<usize, Refusal> {
        let Some(id) = id else {
            self.focus(None)?;
            return Ok(0);
        };
        let (thread, frame) = (id / FRAMES, id % FRAMES);
        self.focus(Some(thread))?;
        usize::try_from(frame).map_err(|_| Refusal::NotThere(format!("there is no frame {id}")))
    }

    fn handle(&mut self, reference: i64) -> Result<Handle, Refusal> {
        let place = usize::try_from(reference - 1).ok();
        let found = place.and_then(|place| self.handles.all.get(place)).cloned();
        let handle = found.ok_or_else(|| {
            Refusal::NotThere("these variables are gone: the invocation has gone on since".to_owned())
        })?;
        self.focus(Some(handle.thread))?;
        Ok(handle)
    }

    pub(super) fn stack_trace(&mut self, request: &Request) -> Result<Value, Refusal> {
        let of: OfThread = request.arguments()?;
        self.focus(of.thread_id)?;
        let thread = self.invocations.current();
        let session = self.session()?;
        let stack = session.stack()?;
        let passes = session.passes();
        let last = passes.len().saturating_sub(1);
        let levels = if of.levels == 0 { usize::MAX } else { of.levels };
        let mut frames = Vec::new();
        for (level, frame) in stack.iter().enumerate().skip(of.start_frame).take(levels) {
            let place = self.place(&frame.location);
            let name = match passes.get(frame.pass) {
                Some(pass) if last > 0 => format!("{} · {}", frame.function, pass.invocation.name),
                _ => frame.function.clone(),
            };
            frames.push(bodies::StackFrame {
                id: thread * FRAMES + level as i64,
                name,
                source: place.source,
                line: place.line,
                column: place.column,
                end_line: place.end_line,
                end_column: place.end_column,
                instruction_pointer_reference: self.pointer(frame.pass, level),
                presentation_hint: None,
            });
        }
        Ok(json!({"stackFrames": frames, "totalFrames": stack.len()}))
    }

    pub(super) fn scopes(&mut self, request: &Request) -> Result<Value, Refusal> {
        let of: OfFrame = request.arguments()?;
        let frame = self.frame(Some(of.frame_id))?;
        let thread = self.invocations.current();
        let mut scopes = Vec::new();
        for scope in Scope::ALL {
            let count = self.session()?.variables(frame, scope)?.len();
            if count == 0 {
                continue;
            }
            scopes.push(bodies::Scope {
                name: scope.name(),
                presentation_hint: match scope {
                    Scope::Locals => Some("locals"),
                    Scope::Parameters => Some("arguments"),
                    Scope::Globals
                    | Scope::Inputs
                    | Scope::Outputs
                    | Scope::Uniforms
                    | Scope::BuiltIns
                    | Scope::Samplers => None,
                },
                variables_reference: self.handles.add(Handle { thread, frame, what: What::Scope(scope) }),
                named_variables: count,
                expensive: false,
            });
        }
        if frame == 0 {
            let texels = self.read_texels()?;
            if !texels.is_empty() {
                scopes.push(bodies::Scope {
                    name: "Texels read",
                    presentation_hint: None,
                    variables_reference: self.handles.add(Handle { thread, frame, what: What::Texels }),
                    named_variables: texels.len(),
                    expensive: false,
                });
            }
        }
        Ok(json!({"scopes": scopes}))
    }

    pub(super) fn variables(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Variables = request.arguments()?;
        let handle = self.handle(wanted.variables_reference)?;
        let count = if wanted.count == 0 { usize::MAX } else { wanted.count };
        if let What::Texels = handle.what {
            let texels = self.read_texels()?;
            let some: Vec<&bodies::Variable> = texels.iter().skip(wanted.start).take(count).collect();
            return Ok(json!({"variables": some}));
        }
        let all = self.held(&handle)?;
        let indexed = wanted.filter.as_deref() == Some("indexed");
        let named = wanted.filter.as_deref() == Some("named");
        let mut some = Vec::new();
        for variable in &all {
            let is_element = variable.name.starts_with('[');
            if (indexed && !is_element) || (named && is_element) {
                continue;
            }
            some.push(variable);
        }
        let some = some.into_iter().skip(wanted.start).take(count);
        let bodies: Vec<bodies::Variable> = some.map(|variable| self.body(variable, &handle)).collect();
        Ok(json!({"variables": bodies}))
    }

    /// The variables behind a number.
    fn held(&mut self, handle: &Handle) -> Result<Vec<Variable>, Refusal> {
        let session = self.session()?;
        Ok(match &handle.what {
            What::Scope(scope) => session.variables(handle.frame, *scope)?,
            What::Path(path) => session.children(handle.frame, path)?,
            What::Texels => Vec::new(),
        })
    }

    /// What a client is told of a variable.
    fn body(&mut self, variable: &Variable, handle: &Handle) -> bodies::Variable {
        let reference = match variable.children {
            0 => 0,
            _ => {
                let (thread, frame) = (handle.thread, handle.frame);
                self.handles.add(Handle { thread, frame, what: What::Path(variable.path.clone()) })
            }
        };
        let is_array = variable.type_name.ends_with(']') || variable.type_name.contains("mat");
        let children = (variable.children > 0).then_some(variable.children);
        let attributes = match handle.what {
            What::Scope(Scope::BuiltIns | Scope::Samplers) => vec!["readOnly"],
            _ => Vec::new(),
        };
        bodies::Variable {
            name: variable.name.clone(),
            value: text(variable),
            type_name: self.client.supports_variable_type.then(|| variable.type_name.clone()),
            evaluate_name: variable.path.clone(),
            variables_reference: reference,
            named_variables: children.filter(|_| !is_array),
            indexed_variables: children.filter(|_| is_array),
            memory_reference: self.memory_reference(&variable.path, handle.frame),
            presentation_hint: Some(bodies::Hint { kind: "data", attributes }),
        }
    }

    /// The texels that were read last, and those that are read next.
    fn read_texels(&mut self) -> Result<Vec<bodies::Variable>, Refusal> {
        let session = self.session()?;
        let reads = [("read", session.last_reads()?), ("to be read", session.reads()?)];
        let mut all = Vec::new();
        for (when, reads) in &reads {
            for read in reads {
                for texel in &read.texels {
                    let value = match texel.value {
                        Some([r, g, b, a]) => format!("({r}, {g}, {b}, {a})"),
                        None => "unknown".to_owned(),
                    };
                    let line = read.location.as_ref().map_or(String::new(), |at| format!(" in line {}", at.line));
                    all.push(bodies::Variable {
                        name: format!("{} {},{}", read.texture, texel.at[0], texel.at[1]),
                        value: format!("{value}{REMARK}{when}{line}, level {}, weight {}", texel.level, texel.weight),
                        type_name: None,
                        evaluate_name: String::new(),
                        variables_reference: 0,
                        named_variables: None,
                        indexed_variables: None,
                        memory_reference: None,
                        presentation_hint: Some(bodies::Hint { kind: "data", attributes: vec!["readOnly"] }),
                    });
                }
            }
        }
        Ok(all)
    }

    /// The frame and the path of a variable that is known by its name among others.
    pub(super) fn child_path(&mut self, reference: i64, name: &str) -> Result<(usize, String), Refusal> {
        let handle = self.handle(reference)?;
        let all = self.held(&handle)?;
        let found = all.into_iter().find(|variable| variable.name == name);
        let found = found.ok_or_else(|| Refusal::NotThere(format!("there is no variable {name}")))?;
        Ok((handle.frame, found.path))
    }

    pub(super) fn evaluate(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Evaluate = request.arguments()?;
        let text = wanted.expression.trim();
        if wanted.context.as_deref() == Some("repl") && text.starts_with('.') {
            let result = self.command(text, wanted.frame_id)?;
            return Ok(json!({"result": result, "variablesReference": 0}));
        }
        let frame = self.frame(wanted.frame_id)?;
        let variable = self.session()?.evaluate(frame, text)?;
        let handle = Handle { thread: self.invocations.current(), frame, what: What::Path(String::new()) };
        let body = self.body(&variable, &handle);
        let mut result = json!({
            "result": body.value,
            "variablesReference": body.variables_reference,
            "presentationHint": body.presentation_hint,
        });
        if let Some(type_name) = body.type_name {
            result["type"] = type_name.into();
        }
        if let Some(reference) = body.memory_reference {
            result["memoryReference"] = reference.into();
        }
        if let Some(count) = body.indexed_variables {
            result["indexedVariables"] = count.into();
        }
        Ok(result)
    }

    pub(super) fn set_variable(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Named = request.arguments()?;
        let (frame, path) = self.child_path(wanted.variables_reference.unwrap_or(0), &wanted.name)?;
        self.change(frame, &path, &wanted.value)
    }

    pub(super) fn set_expression(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Named = request.arguments()?;
        let frame = self.frame(wanted.frame_id)?;
        self.change(frame, &wanted.expression, &wanted.value)
    }

    /// Gives a variable another value from here on; a uniform from the start.
    fn change(&mut self, frame: usize, path: &str, value: &str) -> Result<Value, Refusal> {
        // Editors offer what was shown to be edited, remarks included.
        let value = value.split(REMARK).next().unwrap_or(value).trim();
        let session = self.session.as_mut().ok_or(Refusal::NoTrace)?;
        let root: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let uniforms = session.variables(frame, Scope::Uniforms)?;
        let variable = if root == path && uniforms.iter().any(|uniform| uniform.name == path) {
            let numbers = session.evaluate(frame, value)?.value.numbers;
            session.set_uniform(path, &numbers)?;
            session.evaluate(0, path)?
        } else {
            session.set_variable(frame, path, value)?
        };
        // Everything else may look otherwise now.
        if self.client.supports_invalidated_event {
            self.after.push(After::Event("invalidated", json!({"areas": ["stacks", "variables"]})));
        }
        let handle = Handle { thread: self.invocations.current(), frame, what: What::Path(String::new()) };
        let body = self.body(&variable, &handle);
        let reference = body.variables_reference;
        Ok(json!({"value": body.value, "type": variable.type_name, "variablesReference": reference}))
    }

    pub(super) fn completions(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Completions = request.arguments()?;
        let frame = self.frame(wanted.frame_id)?;
        // Columns are counted in UTF-16 units; expressions of the language have no others than single ones.
        let column = wanted.column.saturating_sub(usize::from(self.client.columns_start_at1));
        let before: String = wanted.text.chars().take(column).collect();
        if before.starts_with('.') {
            let found = super::console::COMMANDS.iter().filter(|(name, _)| name.starts_with(before.trim_end()));
            let targets =
                found.map(|(name, help)| json!({"label": name, "detail": help, "start": 0, "length": before.len()}));
            return Ok(json!({"targets": targets.collect::<Vec<_>>()}));
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let begun = before.rsplit(|c| !word(c)).next().unwrap_or_default();
        let head = &before[..before.len() - begun.len()];
        let names: Vec<Variable> = match head.strip_suffix('.') {
            Some(whole) => {
                let start = whole.rfind(|c: char| !word(c) && !".[]".contains(c)).map_or(0, |at| at + 1);
                self.session()?.children(frame, &whole[start..]).unwrap_or_default()
            }
            None => {
                let mut all = Vec::new();
                for scope in Scope::ALL {
                    all.extend(self.session()?.variables(frame, scope)?);
                }
                all
            }
        };
        let fits = |variable: &&Variable| variable.name.starts_with(begun);
        let target =
            |variable: &Variable| json!({"label": variable.name, "detail": variable.type_name, "type": "variable"});
        let targets: Vec<Value> = names.iter().filter(fits).map(target).collect();
        Ok(json!({"targets": targets}))
    }
}

/// What a variable holds, from both sides, and how they compare.
fn text(variable: &Variable) -> String {
    let Shown { emulated, measured, agreement, .. } = &variable.value;
    let mut text = match (emulated, measured, &variable.note) {
        (Some(one), ..) | (None, Some(one), _) => one.clone(),
        (None, None, Some(note)) => return note.clone(),
        (None, None, None) => "no value".to_owned(),
    };
    let apart = variable.value.apart().unwrap_or_default();
    let remark = match (emulated, measured, agreement) {
        (Some(_), Some(_), Some(Agreement::Equal)) => Some("measured, the same".to_owned()),
        (Some(_), Some(measured), Some(Agreement::Within { .. })) => {
            Some(format!("measured {measured}, within {apart}"))
        }
        (Some(_), Some(measured), Some(Agreement::Divergent { .. })) => {
            Some(format!("the device has {measured}, {apart} away"))
        }
        (None, Some(_), _) => Some("measured only".to_owned()),
        _ => None,
    };
    for remark in [remark.as_ref(), variable.note.as_ref()].into_iter().flatten() {
        text = format!("{text}{REMARK}{remark}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: Shown, note: Option<&str>, expected: &str) {
        let note = note.map(str::to_owned);
        let (name, path, type_name) = ("x".to_owned(), "x".to_owned(), "float".to_owned());
        assert_eq!(text(&Variable { name, path, type_name, value, children: 0, note }), expected);
    }

    #[test]
    fn both_sides_are_shown_with_a_verdict() {
        let shown = |agreement| Shown {
            emulated: Some("0.5".to_owned()),
            measured: Some("0.25".to_owned()),
            agreement,
            distance: Some(0.25),
            numbers: vec![0.5],
            pending: false,
        };
        check(shown(Some(Agreement::Equal)), None, "0.5  — measured, the same");
        check(shown(Some(Agreement::Within { ulps: 1 })), None, "0.5  — measured 0.25, within 1 ulp");
        check(shown(Some(Agreement::Divergent { ulps: 9 })), None, "0.5  — the device has 0.25, 9 ulp away");
        check(Shown::default(), Some("not written yet"), "not written yet");
        check(Shown { emulated: Some("1".to_owned()), ..Shown::default() }, None, "1");
    }
}
