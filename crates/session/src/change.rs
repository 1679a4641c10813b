//! What if something were otherwise? The trace stays as it is.

use device::{Changes, Picture};
use emulator::travel::Arrival;
use moment::Moment;
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::VariableKind;
use shader::version::Stage;

use crate::data::choice::Edit;
use crate::data::stop::{Reason, Stop};
use crate::data::value::Variable;
use crate::error::{ChangeError, SessionError};
use crate::look::InVariable;
use crate::open::{Pass, Session};
use crate::run::Walker;

impl Session {
    /// Gives a variable of a frame, or part of one, another value from here on: `text` is an expression in that frame.
    /// What follows is a diversion, in which going back ends here; [`Session::undo_changes`] leaves it.
    ///
    /// # Errors
    /// When there is no such variable, or the expression is not of its type.
    pub fn set_variable(&mut self, frame: usize, path: &str, text: &str) -> Result<Variable, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        if !std::ptr::eq(pass, self.top()?) {
            return Err(ChangeError::NotCurrent { path: path.to_owned() }.into());
        }
        let spot = pass.spot(&moment, path)?;
        let moment_text = moment.to_string();
        let lowered = pass.bench.lowered();
        let type_name = lowered.types.name(spot.ty).to_owned();
        // What the language would convert is converted.
        let spelled = match lowered.types.scalar(spot.ty) {
            Some(_) => format!("{type_name}({text})"),
            None => text.to_owned(),
        };
        let came = pass.held.ask(move |run| run.evaluate(&moment, &spelled))?;
        let came = came.map_err(|error| crate::look::invalid(text, &error))?;
        if came.type_name != type_name {
            let (path, value) = (path.to_owned(), text.to_owned());
            return Err(ChangeError::WrongType { path, expected: type_name, value, found: came.type_name }.into());
        }
        let (time, lane) = pass.held.ask(|run| (run.at().time, followed(run)))?;
        let edit = Edit { time, lane, moment: moment_text, path: path.to_owned(), words: came.words };
        let top = self.passes.last_mut().ok_or(SessionError::NoInvocation)?;
        top.apply(edit)?;
        self.evaluate(frame, path)
    }

    /// Gives a uniform another value, in this invocation and whatever is measured of it: a name, with an index in
    /// brackets or without, and the numbers of the value, matrices by columns. The session stands at the same moment,
    /// if the invocation still comes there, else at its end.
    ///
    /// # Errors
    /// When there is no such uniform.
    pub fn set_uniform(&mut self, name: &str, numbers: &[f64]) -> Result<Stop, SessionError> {
        let mut changes = self.top()?.bench.changes.clone();
        changes.uniforms.retain(|(known, _)| known != name);
        changes.uniforms.push((name.to_owned(), numbers.to_vec()));
        self.change(&changes)
    }

    /// Gives an attribute the same value in every vertex of the draw: up to four numbers.
    ///
    /// # Errors
    /// When there is no such attribute.
    pub fn set_attribute(&mut self, name: &str, numbers: &[f64]) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let shader = &top.bench.work.facts(Stage::Vertex)?.shader;
        if !has_input(shader, name) {
            return Err(ChangeError::NoSuchAttribute { name: name.to_owned() }.into());
        }
        let value = attribute(name, numbers)?;
        let mut changes = top.bench.changes.clone();
        changes.attributes.retain(|(known, _)| known != name);
        changes.attributes.push((name.to_owned(), value));
        self.change(&changes)
    }

    /// Has a sampler read a picture instead of what is bound.
    ///
    /// # Errors
    /// When there is no such sampler of plain two-dimensional textures.
    pub fn set_texture(&mut self, sampler: &str, picture: &Picture) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let is_sampler = |ty: shader::types::Type| matches!(ty, shader::types::Type::Opaque(_));
        if !top.bench.scene.program.uniform(sampler).is_some_and(|info| is_sampler(info.ty)) {
            return Err(ChangeError::NoSuchSampler { name: sampler.to_owned() }.into());
        }
        let mut changes = top.bench.changes.clone();
        changes.textures.retain(|(known, _)| known != sampler);
        changes.textures.push((sampler.to_owned(), picture.clone()));
        self.change(&changes)
    }

    /// Returns to what was recorded: everything that was set in this invocation is as it was.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn undo_changes(&mut self) -> Result<Stop, SessionError> {
        let top = self.passes.last_mut().ok_or(SessionError::NoInvocation)?;
        top.edits.clear();
        top.held.ask(|run| run.undo())?;
        if self.top()?.bench.is_changed() {
            return self.change(&Changes::default());
        }
        self.stop(Reason::Step)
    }

    /// Begins the invocation anew with something otherwise, and goes to the same moment.
    fn change(&mut self, changes: &Changes) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let (choice, entered_by) = (top.choice.clone(), top.entered_by.clone());
        let moment = top.held.ask(|run| run.at().moment)?;
        let pass = self.begin(&choice, changes, entered_by)?;
        if let Some(moment) = moment {
            pass.held.ask(move |run| {
                if run.run_to(&moment) != Arrival::There {
                    run.step(crate::Step::ToEnd);
                }
            })?;
        }
        self.passes.pop();
        self.passes.push(pass);
        self.stop(Reason::Step)
    }
}

impl Pass {
    /// Gives a variable a value at a time, and keeps that for [`Session::position`].
    pub(crate) fn apply(&mut self, edit: Edit) -> Result<(), SessionError> {
        let gone = || ChangeError::NotRepeatable { path: edit.path.clone(), moment: edit.moment.clone() };
        let moment: Moment = edit.moment.parse().map_err(|_| gone())?;
        let home = self.spot(&moment, &edit.path)?.home;
        let (time, lane, words) = (edit.time, edit.lane, edit.words.clone());
        let is_set = self.held.ask(move |run| {
            let there = lane.is_none_or(|lane| run.follow(lane)) && run.go_to(time) != Arrival::Endless;
            // The registers of a variable are as many as its words; another number is no value of it.
            let fits = home.len as usize == words.len();
            if there && fits {
                run.divert(home, &words);
            }
            there && fits
        })?;
        if !is_set {
            return Err(gone().into());
        }
        self.edits.push(edit);
        Ok(())
    }

    fn spot(&self, moment: &Moment, path: &str) -> Result<InVariable, SessionError> {
        let missing = || ChangeError::NotVisible { path: path.to_owned(), line: self.bench.declaration(path, moment) };
        Ok(crate::look::spot(&self.bench, moment, path).ok_or_else(missing)?)
    }
}

/// Returns whether a vertex shader has an attribute of this name.
pub(crate) fn has_input(shader: &Shader, name: &str) -> bool {
    shader.typed.variables.iter().any(|variable| {
        shader.preprocessed.symbols.name(variable.name) == name
            && variable.qualifiers.storage == Storage::In
            && variable.kind == VariableKind::Global
    })
}

/// Returns the value of an attribute; components that are not given are those of GL: 0, 0, 0, 1.
pub(crate) fn attribute(name: &str, numbers: &[f64]) -> Result<[f64; 4], ChangeError> {
    let mut all = [0.0, 0.0, 0.0, 1.0];
    if numbers.len() > all.len() {
        return Err(ChangeError::TooManyNumbers { name: name.to_owned(), count: numbers.len() });
    }
    all[..numbers.len()].copy_from_slice(numbers);
    Ok(all)
}

/// Returns the number of the lane that is followed.
pub(crate) fn followed(run: &dyn Walker) -> Option<usize> {
    run.lanes().into_iter().find(|lane| lane.followed).map(|lane| lane.number)
}

/// Returns changes as text.
pub(crate) fn words(changes: &Changes) -> Vec<String> {
    let list = |numbers: &[f64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let uniforms = changes.uniforms.iter().map(|(name, numbers)| format!("uniform {name} = {}", list(numbers)));
    let attributes = changes.attributes.iter().map(|(name, numbers)| format!("attribute {name} = {}", list(numbers)));
    let textures = changes
        .textures
        .iter()
        .map(|(name, picture)| format!("{name} reads a picture of {} x {} pixels", picture.width, picture.height));
    uniforms.chain(attributes).chain(textures).collect()
}
