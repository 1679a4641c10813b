//! The document of `info --json`.

use super::text::{api_name, profile_name};
use crate::json::{Stream, info};
use afterimage::survey::{self, Program, Survey};

/// Returns the whole document.
pub fn document(survey: &Survey) -> info::Document<'_> {
    let frame = |(index, frame): (usize, &survey::Frame)| info::Frame {
        index,
        first_command: frame.first,
        last_command: frame.last,
        draws: frame.draws,
    };
    let draw = |draw: &survey::Draw| info::Draw {
        command: draw.command,
        frame: draw.frame,
        name: draw.name,
        program: draw.program,
        mode: draw.amount.mode,
        count: draw.amount.count,
        instances: draw.amount.instances,
        work_groups: draw.amount.groups,
        framebuffer: draw.framebuffer.0,
        framebuffer_label: draw.framebuffer.1.clone(),
        changed: draw.changed.clone(),
        groups: draw.groups.iter().map(ToString::to_string).collect(),
    };
    info::Document {
        product: &survey.product,
        bytes: survey.bytes,
        calls: survey.calls,
        threads: survey.threads,
        process: survey.process.as_ref().map(|process| info::Process {
            pid: process.pid,
            program: &process.program,
            arguments: &process.arguments,
            directory: &process.directory,
        }),
        frames: Stream::new(move || survey.frames.iter().enumerate().map(frame)),
        before_first_frame: survey.before.map(|(first, last)| info::FramelessCommands {
            first_command: first,
            last_command: last,
            draws: survey.draws_before,
        }),
        after_last_frame: survey.after.map(|(first, last)| info::FramelessCommands {
            first_command: first,
            last_command: last,
            draws: survey.draws_after,
        }),
        draws: Stream::new(move || survey.draws.iter().filter(|draw| draw.listed).map(draw)),
        contexts: survey.contexts.iter().map(context).collect(),
        programs: Stream::new(move || survey.programs.iter().enumerate().map(program)),
        problems: &survey.problems,
    }
}

fn context(context: &survey::Context) -> info::Context<'_> {
    info::Context {
        number: context.number,
        share: (context.share != 0).then_some(context.share),
        api: api_name(context.api),
        major: context.version.0,
        minor: context.version.1,
        profile: profile_name(context.profile),
        vendor: &context.vendor,
        renderer: &context.renderer,
        version: &context.version_text,
    }
}

fn program((index, program): (usize, &Program)) -> info::Program<'_> {
    info::Program {
        index,
        name: program.name,
        context: program.context,
        label: program.label.as_deref(),
        created: program.created,
        links: &program.links,
        loaded: program.loaded,
        shaders: program.shaders.iter().map(shader).collect(),
    }
}

fn shader(shader: &survey::Shader) -> info::Shader<'_> {
    info::Shader {
        name: shader.name,
        label: shader.label.as_deref(),
        stage: &shader.stage,
        source: shader.source,
        lines: shader.lines,
    }
}
