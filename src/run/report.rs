//! What came of a run, as text and as JSON.

use std::fmt::Write as _;

use emulator::Value;
use emulator::glsl::{self, Sanitizer, Stage};
use emulator::observe::{Counts, LookedUp};
use emulator::sanitize::Finding;
use emulator::wave::Trap;
use shader::Shader;
use shader::ast::NodeId;
use shader::diagnostic::Diagnostic;

use super::Args;
use super::single::{Job, traced};
use super::watchers::Watchers;
use super::world::World;
use crate::json::run as json;
use crate::json::run::Document;

/// Which invocations were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Invocation {
    Pixel(u32, u32),
    Image(u32, u32),
    Vertices,
    Single,
    Groups([u32; 3]),
}

/// A step of a trace.
pub struct Traced {
    pub line: u32,
    pub text: String,
    pub depth: usize,
    pub changes: Vec<(String, Value)>,
    /// Of a condition: whether it holds, as what was run next shows.
    pub holds: Option<bool>,
}

type Outputs = Vec<(String, Value)>;
/// Members of a block with the values of their elements.
type Members = Vec<(String, Vec<moment::glsl::Value>)>;

/// Everything there is to say.
pub struct Report {
    pub invocation: Invocation,
    pub discarded: bool,
    pub outputs: Outputs,
    pub vertices: Vec<Outputs>,
    pub buffers: Vec<(String, Members)>,
    pub trap: Option<Trap>,
    pub trace: Vec<Traced>,
    pub left_out: u64,
    pub watched: Vec<(u32, Value)>,
    pub texels: Vec<(u32, String, LookedUp)>,
    pub counters: Option<Counted>,
    pub findings: Vec<Finding>,
}

/// Counters of a run.
pub struct Counted {
    invocations: u64,
    total: Counts,
    most: Counts,
    lines: Vec<(u32, Counts)>,
    samplers: Vec<(String, u64)>,
}

impl Report {
    pub fn new(invocation: Invocation) -> Report {
        Report {
            invocation,
            discarded: false,
            outputs: Vec::new(),
            vertices: Vec::new(),
            buffers: Vec::new(),
            trap: None,
            trace: Vec::new(),
            left_out: 0,
            watched: Vec::new(),
            texels: Vec::new(),
            counters: None,
            findings: Vec::new(),
        }
    }

    /// Takes what the observers saw.
    pub fn take(&mut self, job: &Job<'_>, watchers: Watchers<'_>, world: &World) {
        let line = |node: NodeId| job.shader.sources.locate(job.shader.written(node).start).line;
        let unit =
            |handle: u32| world.units.get(handle as usize).map_or_else(|| format!("{handle}"), |u| u.name.clone());
        if let Some(trace) = &watchers.trace {
            let steps = trace.steps();
            let step = |at: usize| traced(job.shader, job.program, &steps[at..]);
            self.trace = (0..steps.len()).filter_map(step).collect();
            self.left_out = trace.left_out();
        }
        if let Some(watch) = &watchers.watch {
            let seen = watch.seen().iter();
            self.watched =
                seen.map(|s| (s.moment.as_ref().map_or(0, |m| line(m.site.into())), s.value.clone())).collect();
        }
        if let Some(log) = &watchers.texels {
            let rows = log.records().iter();
            self.texels =
                rows.map(|r| (r.site.map_or(0, |site| line(site.into())), unit(r.handle), r.clone())).collect();
        }
        if let Some(counters) = &watchers.counters {
            let (total, invocations) = counters.total();
            self.counters = Some(Counted {
                invocations,
                total,
                most: counters.most(),
                lines: counters.by_line().iter().map(|(&line, &counts)| (line, counts)).collect(),
                samplers: counters.samplers().iter().map(|(&handle, &count)| (unit(handle), count)).collect(),
            });
        }
        self.findings = watchers.sanitizer.map(Sanitizer::into_findings).unwrap_or_default();
        let storage = world.buffers.iter().filter(|b| b.space == emulator::host::Space::Storage);
        self.buffers = storage.map(|buffer| (buffer.name.clone(), buffer.values(job.types))).collect();
    }

    /// A finding with the invocation it was first seen in.
    pub fn diagnostic(&self, shader: &Shader, finding: &Finding) -> Diagnostic {
        let diagnostic = glsl::diagnostic(finding, shader);
        match self.who(finding) {
            Some(who) => diagnostic.note(format!("first in {who}")),
            None => diagnostic,
        }
    }

    fn who(&self, finding: &Finding) -> Option<String> {
        let (wave, lane) = finding.lane;
        match self.invocation {
            Invocation::Image(..) => {
                let (x, y) =
                    (finding.batch as u32 + (lane as u32 & 1), (finding.batch >> 32) as u32 + (lane as u32 >> 1));
                Some(format!("pixel {x},{y}"))
            }
            Invocation::Vertices => Some(format!("vertex {}", finding.batch as usize + lane)),
            Invocation::Groups([x, y, _]) => {
                let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
                let id = [finding.batch % x, finding.batch / x % y, finding.batch / (x * y)];
                Some(format!("invocation {} of workgroup {},{},{}", wave * 32 + lane, id[0], id[1], id[2]))
            }
            Invocation::Pixel(..) | Invocation::Single => None,
        }
    }

    /// For people; findings come after it.
    pub fn text(&self, shader: &Shader, lowered: &Stage, args: &Args) -> String {
        let mut out = String::new();
        // Writing to memory does not fail.
        let _ = self.write(&mut out, shader, lowered, args);
        out
    }

    fn write(&self, out: &mut String, shader: &Shader, lowered: &Stage, args: &Args) -> std::fmt::Result {
        let types = &lowered.program.types;
        let show = |value: &Value| value.text(types);
        for step in &self.trace {
            let holds = step.holds.map_or(String::new(), |holds| format!("    // {holds}"));
            writeln!(out, "{:6}  {}{}{holds}", step.line, "  ".repeat(step.depth), step.text)?;
            for (name, value) in &step.changes {
                writeln!(out, "        {}    {name} = {}", "  ".repeat(step.depth), show(value))?;
            }
        }
        if self.left_out > 0 {
            writeln!(out, "… and {} more steps", self.left_out)?;
        }
        for (line, value) in &self.watched {
            writeln!(out, "{line:6}  {} = {}", args.watch.as_deref().unwrap_or_default(), show(value))?;
        }
        for (line, name, looked) in &self.texels {
            writeln!(out, "{line:6}  {name}: {} texels", looked.texels.len())?;
            for texel in &looked.texels {
                let place = format!("{},{},{}", texel.x, texel.y, texel.z);
                writeln!(
                    out,
                    "          level {} layer {} at {place} weight {}",
                    texel.level, texel.layer, texel.weight
                )?;
            }
        }
        let typed = |value: &Value| {
            let components = value.components(types).join(", ");
            format!("{}({components})", types.name(value.ty))
        };
        for (name, value) in &self.outputs {
            writeln!(out, "{name} = {}", typed(value))?;
        }
        for (number, outputs) in self.vertices.iter().enumerate() {
            writeln!(out, "vertex {number}")?;
            for (name, value) in outputs {
                writeln!(out, "  {name} = {}", typed(value))?;
            }
        }
        for (block, members) in &self.buffers {
            writeln!(out, "{block}")?;
            for (name, values) in members {
                let show =
                    |value: &moment::glsl::Value| value.text(&lowered.units[0].types, &shader.preprocessed.symbols);
                let values: Vec<String> = values.iter().map(show).collect();
                writeln!(out, "  {name} = {}", values.join(", "))?;
            }
        }
        if self.discarded {
            writeln!(out, "discarded")?;
        }
        self.counters.as_ref().map_or(Ok(()), |counted| counted.write(out))
    }

    /// Returns the document of `--json`.
    pub fn document(&self, shader: &Shader, lowered: &Stage) -> Document<'_> {
        let types = &lowered.program.types;
        let value =
            |value: &Value| json::Value { r#type: types.name(value.ty).to_owned(), value: value.components(types) };
        let stored = |value: &moment::glsl::Value| {
            let types = &lowered.units[0].types;
            json::Value { r#type: types.name(&shader.preprocessed.symbols, value.ty), value: value.components(types) }
        };
        let values = |list: &[Value]| list.iter().map(value).collect::<Vec<_>>();
        Document {
            ended: self.trap.is_none(),
            discarded: self.discarded,
            outputs: named(&self.outputs, &value),
            vertices: self.vertices.iter().map(|outputs| named(outputs, &value)).collect(),
            buffers: (self.buffers.iter())
                .map(|(block, members)| {
                    let members = members
                        .iter()
                        .map(|(name, list)| json::Member { name, values: list.iter().map(stored).collect() });
                    json::Buffer { block, members: members.collect() }
                })
                .collect(),
            trace: (self.trace.iter())
                .map(|Traced { line, text, depth, changes, .. }| json::Step {
                    line: *line,
                    text,
                    depth: *depth,
                    changes: named(changes, &value),
                })
                .collect(),
            watched: self.watched.iter().map(|(line, v)| json::LineValue { line: *line, value: value(v) }).collect(),
            texels: self.texels.iter().map(|(line, name, looked)| lookup(*line, name, looked)).collect(),
            counters: self.counters.as_ref().map(Counted::document),
            findings: self.findings.iter().map(|finding| self.finding(shader, finding, &values)).collect(),
        }
    }

    fn finding(
        &self,
        shader: &Shader,
        finding: &Finding,
        values: &dyn Fn(&[Value]) -> Vec<json::Value>,
    ) -> json::Finding {
        let diagnostic = self.diagnostic(shader, finding);
        let span = diagnostic.labels[0].span;
        let at = shader.sources.locate(span.start);
        json::Finding {
            code: diagnostic.code,
            message: diagnostic.message,
            line: at.line,
            column: at.column,
            length: span.len(),
            moment: finding.moment.as_ref().map(ToString::to_string),
            invocation: self.who(finding),
            operands: values(&finding.operands),
            result: finding.result.as_ref().and_then(|value| values(std::slice::from_ref(value)).pop()),
            count: finding.count,
            notes: diagnostic.notes,
        }
    }
}

fn named<'a>(list: &'a [(String, Value)], value: &dyn Fn(&Value) -> json::Value) -> Vec<json::NamedValue<'a>> {
    list.iter().map(|(name, own)| json::NamedValue { name, value: value(own) }).collect()
}

fn lookup<'a>(line: u32, sampler: &'a str, looked: &LookedUp) -> json::Lookup<'a> {
    let texel = |texel: &texture::Texel| json::Texel {
        level: texel.level,
        layer: texel.layer,
        x: texel.x,
        y: texel.y,
        z: texel.z,
        sample: texel.sample,
        weight: f64::from(texel.weight),
    };
    json::Lookup { line, sampler, texels: looked.texels.iter().map(texel).collect() }
}

impl Counted {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "  line  instructions  look-ups  branches     taken  divergent  iterations     calls")?;
        let row = |c: &Counts| {
            format!(
                "{:12}{:10}{:10}{:10}{:11}{:12}{:10}",
                c.instructions, c.lookups, c.branches, c.taken, c.divergent, c.iterations, c.calls
            )
        };
        for (line, counts) in &self.lines {
            writeln!(out, "{line:6}  {}", row(counts))?;
        }
        writeln!(out, "   all  {}", row(&self.total))?;
        if self.invocations > 1 {
            writeln!(out, "  most  {}  (of {} invocations)", row(&self.most), self.invocations)?;
        }
        for (name, count) in &self.samplers {
            writeln!(out, "{name}: {count} look-ups")?;
        }
        Ok(())
    }

    fn document(&self) -> json::Counters<'_> {
        let counts = |counts: &Counts| {
            let Counts { instructions, lookups, branches, taken, divergent, iterations, calls } = *counts;
            json::Counts { instructions, lookups, branches, taken, divergent, iterations, calls }
        };
        let line = |(line, own): &(u32, Counts)| json::LineCounts { line: *line, counts: counts(own) };
        let samplers = self.samplers.iter();
        json::Counters {
            invocations: self.invocations,
            total: counts(&self.total),
            most: counts(&self.most),
            lines: self.lines.iter().map(line).collect(),
            samplers: samplers.map(|(sampler, lookups)| json::SamplerCount { sampler, lookups: *lookups }).collect(),
        }
    }
}
