//! Recordings in parts: see [`super::slots`].

use std::sync::Arc;

use shader::ast::StmtId;
use shader::types::Type;

use super::Weaver;
use super::slots::{PART, Part, PartView, Plan, Slots, Survey};
use crate::device::{Device, Transport};
use crate::frame::SlotRange;
use crate::question::{Detail, Question, Scope, Subject};
use crate::variant::{Refusal, Variant, What};

/// Returns the questions whose answers together are the recording of an invocation: asked one after the other, each takes a
/// driver's compiler about as long as the shader itself. `None` if the question is no recording of one invocation, or if
/// this one has to be made at once.
#[must_use]
pub fn parts(
    subject: Subject<'_>,
    question: &Question,
    scope: Scope,
    device: &Device,
    transport: Transport,
) -> Option<Vec<Question>> {
    planned((subject, question), scope, device, transport, PART).map(|(_, parts)| parts)
}

/// The same in parts of another weight, with the plan that all of them follow.
pub(crate) fn planned(
    (subject, question): (Subject<'_>, &Question),
    scope: Scope,
    device: &Device,
    transport: Transport,
    weight: u32,
) -> Option<(Arc<Plan>, Vec<Question>)> {
    if scope == Scope::One { divided(subject, question, device, transport, weight) } else { None }
}

/// The same with another weight: about the number of words that a part records.
#[must_use]
pub fn parts_of(
    subject: Subject<'_>,
    question: &Question,
    device: &Device,
    transport: Transport,
    weight: u32,
) -> Option<Vec<Question>> {
    divided(subject, question, device, transport, weight).map(|(_, parts)| parts)
}

fn divided(
    subject: Subject<'_>,
    question: &Question,
    device: &Device,
    transport: Transport,
    weight: u32,
) -> Option<(Arc<Plan>, Vec<Question>)> {
    let Question::Recording { detail } = question else { return None };
    let plan = plan(subject, detail, Scope::One, device, transport).ok()??;
    let part = |Part { slots, sites }| Question::Part {
        detail: detail.clone(),
        slots: [slots.start, slots.end],
        sites: sites.map(|sites| [sites.start, sites.end]),
    };
    let parts: Vec<Question> = plan.parts(weight).into_iter().map(part).collect();
    (!parts.is_empty()).then(|| (Arc::new(plan), parts))
}

/// Makes the variant that records a part.
pub(super) fn weave_part(
    subject: Subject<'_>,
    question: &Question,
    scope: Scope,
    device: &Device,
    transport: Transport,
) -> Result<Variant, Refusal> {
    let Question::Part { detail, .. } = question else { return Err(not_in_parts()) };
    let plan = plan(subject, detail, scope, device, transport)?.ok_or_else(not_in_parts)?;
    weave_planned((subject, question), scope, device, transport, Arc::new(plan))
}

/// The same for a caller that has the plan, which is the same for all parts.
pub(crate) fn weave_planned(
    (subject, question): (Subject<'_>, &Question),
    scope: Scope,
    device: &Device,
    transport: Transport,
    plan: Arc<Plan>,
) -> Result<Variant, Refusal> {
    let &Question::Part { ref detail, slots: [from, to], sites } = question else { return Err(not_in_parts()) };
    if !plan.is_part(&(from..to)) {
        return Err(not_in_parts());
    }
    let view = PartView::new(plan, from..to);
    let range = SlotRange { from, to, loops: view.loops(), sites };
    let mut weaver = Weaver::new(subject, (scope, false), device, transport, Some(range))?;
    weaver.slots = Slots::Part(view);
    weaver.recording(detail)?;
    weaver.finish(transport, None)
}

fn not_in_parts() -> Refusal {
    Refusal::Impossible("this recording cannot be made in parts".to_owned())
}

/// The plan of a recording; `None` if it cannot be made in parts.
fn plan(
    subject: Subject<'_>,
    detail: &Detail,
    scope: Scope,
    device: &Device,
    transport: Transport,
) -> Result<Option<Plan>, Refusal> {
    let mut weaver = Weaver::new(subject, (scope, false), device, transport, None)?;
    if !weaver.frame.has_slots() {
        return Ok(None);
    }
    weaver.slots = Slots::Survey(Survey::default());
    weaver.recording(detail)?;
    let (Slots::Survey(survey), Some(main)) = (weaver.slots, weaver.nodes.main) else { return Ok(None) };
    Ok(Plan::new(survey, main))
}

/// The code around a loop.
pub(super) struct Looped {
    pub before: String,
    pub after: String,
}

impl Weaver<'_> {
    /// The code around a loop in a recording with slots: where its records begin in the stream, and the frame inside of it.
    pub(super) fn around_loop(&mut self, id: StmtId) -> Looped {
        let nothing = Looped { before: String::new(), after: String::new() };
        if matches!(self.slots, Slots::Stream) || self.position.outermost.is_some() {
            return nothing;
        }
        let site = self.sites.len() as u32;
        let position = self.position;
        if let Slots::Survey(survey) = &mut self.slots {
            survey.begin_loop(position, id, site);
        }
        self.unplaced_site(What::Loop, Type::INT);
        let Slots::Part(part) = &self.slots else { return nothing };
        if !position.function.is_some_and(|function| part.is_in_loop(function, id)) {
            return nothing;
        }
        let (slot, saved) = (part.slot(site), self.frame.name(&format!("outside{}", id.0)));
        let begin = self.frame.begin_loop(slot, site);
        let before = self.frame.text(&format!("`int {saved} = $loop; {begin} if ($loop < 0) $loop = $frame + {slot};"));
        Looped { before, after: self.frame.text(&format!("$loop = {saved};")) }
    }
}
