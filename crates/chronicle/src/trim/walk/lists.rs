//! Display lists.

use api::{Namespace, Operation, constant as c};

use super::super::log::{Effect, Fate};
use super::super::slot::{Family, Number, Object};
use super::{Step, Walk};

/// What executing a list does.
#[derive(Clone, Default)]
pub struct List {
    /// Slots that it sets.
    sets: Vec<Number>,
    /// Whether it does things that were not followed.
    opaque: bool,
}

impl Walk {
    /// The list that a context is making.
    pub(super) fn list_of(&self, context: u32) -> Option<(u32, bool)> {
        self.contexts.get(&context)?.list
    }

    /// A call while a list is being made. False when it is done at once and is no part of the list.
    pub(super) fn in_list(&mut self, step: &mut Step<'_>, operation: Operation) -> bool {
        let Some((name, executes)) = self.list_of(step.context) else { return false };
        // These are executed immediately (GL 4.6 compatibility, 21.4.1).
        let immediate = matches!(
            operation,
            Operation::EndList
                | Operation::CreateObjects
                | Operation::DeleteObjects
                | Operation::PixelStore
                | Operation::ClientActiveTexture
        ) || matches!(
            operation,
            Operation::ClientArray(_) | Operation::ClientArrayOfUnit(_) | Operation::VertexArray(_)
        ) || matches!(
            operation,
            Operation::BindBuffer
                | Operation::BufferStorage { .. }
                | Operation::BufferSub { .. }
                | Operation::Standalone
        ) || step.call.command.is_some_and(|id| api::command(id).role == api::Role::Query);
        if immediate {
            return false;
        }
        let list = self.object(step.context, Namespace::DisplayList, name);
        if executes {
            self.unknown_call(step);
        } else {
            self.changes_of(step, list, Family::List, 0);
        }
        // Draws and uploads read arrays and pixels while they are compiled, and those may be set after `glNewList`.
        step.effect.needs_all |= !matches!(operation, Operation::Set(_));
        let does = match operation {
            Operation::Transient => None,
            Operation::Set(selectors) => {
                let owner = super::Owner::Context(step.context);
                Some(self.slots.number(owner, Family::Plain, step.own_key(selectors)))
            }
            _ => {
                self.lists.entry(list).or_default().opaque = true;
                None
            }
        };
        self.lists.entry(list).or_default().sets.extend(does);
        self.log.add(step.call.number, step.fate, &step.effect);
        true
    }

    /// Calls that make lists and that call them. Whether they do anything that lasts.
    pub(super) fn list(&mut self, step: &mut Step<'_>, operation: Operation) -> bool {
        match operation {
            Operation::NewList => {
                let (name, mode) = (step.arg(0), step.arg(1));
                self.bound(step).list = Some((name, mode != c::GL_COMPILE));
                let list = self.object(step.context, Namespace::DisplayList, name);
                self.lists.insert(list, List::default());
                self.sets_of(step, list, Family::List, 0);
                // Arrays and pixels are read while the list is made.
                step.effect.needs_all = true;
                true
            }
            Operation::EndList => {
                let Some((name, _)) = self.bound(step).list.take() else { return false };
                let list = self.object(step.context, Namespace::DisplayList, name);
                self.changes_of(step, list, Family::List, 0);
                true
            }
            Operation::CallList => {
                let list = self.object(step.context, Namespace::DisplayList, step.arg(0));
                self.call_list(step, list)
            }
            _ => {
                let home = self.homes.get(&step.context).copied().unwrap_or(step.context);
                let mut lists = self.lists.iter().filter(|(list, _)| list.home == home);
                if lists.all(|(_, list)| list.sets.is_empty() && !list.opaque) {
                    return false;
                }
                self.unknown_call(step);
                true
            }
        }
    }

    fn call_list(&mut self, step: &mut Step<'_>, list: Object) -> bool {
        let Some(does) = self.lists.get(&list) else { return false };
        if does.opaque {
            self.unknown_call(step);
            return true;
        }
        if does.sets.is_empty() {
            return false;
        }
        let Effect { sets, families, .. } = &mut step.effect;
        sets.extend_from_slice(&does.sets);
        let family = self.slots.family(super::Owner::Object(list), Family::List);
        families.push(family);
        step.fate = Fate::IfNeeded;
        true
    }
}
