//! Queries about objects.

use api::{CommandId, constant as c, id};
use state::objects::program::ShaderOrProgram;
use state::{Client, View};

use super::{Oracle, Question, Said};
use crate::player::Player;

/// Texture targets.
const TARGETS: [u32; 11] = [
    c::GL_TEXTURE_1D,
    c::GL_TEXTURE_2D,
    c::GL_TEXTURE_3D,
    c::GL_TEXTURE_1D_ARRAY,
    c::GL_TEXTURE_2D_ARRAY,
    c::GL_TEXTURE_RECTANGLE,
    c::GL_TEXTURE_CUBE_MAP,
    c::GL_TEXTURE_CUBE_MAP_ARRAY,
    c::GL_TEXTURE_BUFFER,
    c::GL_TEXTURE_2D_MULTISAMPLE,
    c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
];

/// Buffer targets.
const BUFFER_TARGETS: [u32; 14] = [
    c::GL_ARRAY_BUFFER,
    c::GL_ELEMENT_ARRAY_BUFFER,
    c::GL_PIXEL_PACK_BUFFER,
    c::GL_PIXEL_UNPACK_BUFFER,
    c::GL_UNIFORM_BUFFER,
    c::GL_TEXTURE_BUFFER,
    c::GL_TRANSFORM_FEEDBACK_BUFFER,
    c::GL_COPY_READ_BUFFER,
    c::GL_COPY_WRITE_BUFFER,
    c::GL_DRAW_INDIRECT_BUFFER,
    c::GL_DISPATCH_INDIRECT_BUFFER,
    c::GL_SHADER_STORAGE_BUFFER,
    c::GL_ATOMIC_COUNTER_BUFFER,
    c::GL_QUERY_BUFFER,
];

const ATTACHMENTS: [u32; 11] = [
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT1,
    c::GL_COLOR_ATTACHMENT2,
    c::GL_DEPTH_ATTACHMENT,
    c::GL_STENCIL_ATTACHMENT,
    c::GL_DEPTH_STENCIL_ATTACHMENT,
    c::GL_BACK,
    c::GL_BACK_LEFT,
    c::GL_FRONT_LEFT,
    c::GL_DEPTH,
    c::GL_STENCIL,
];

impl Oracle {
    pub(super) fn objects(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        self.textures(player, view, list);
        self.buffers(player, view, list);
        self.framebuffers(player, view, list);
        self.vertex_arrays(player, view, list);
        self.programs(player, view, list);
        self.others(player, view, list);
        whether_there_are(view, list);
    }

    fn textures(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for target in TARGETS.map(u64::from) {
            for command in [id::glGetTexParameteriv, id::glGetTexParameterfv, id::glGetTexParameterIiv] {
                self.each_name(player, view, (command, &[target, 0, 0], 1), list);
            }
            let faces = match target as u32 {
                c::GL_TEXTURE_CUBE_MAP => {
                    (c::GL_TEXTURE_CUBE_MAP_POSITIVE_X..=c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z).collect()
                }
                other => vec![other],
            };
            for face in faces {
                for level in 0..4 {
                    self.each_name(
                        player,
                        view,
                        (id::glGetTexLevelParameteriv, &[u64::from(face), level, 0, 0], 2),
                        list,
                    );
                }
            }
        }
        let named = player.has_function(id::glGetTextureParameteriv) && view.context.facts.desktop(4, 5);
        for name in view.group.textures.keys().filter(|_| named) {
            let name = u64::from(*name);
            self.each_name(player, view, (id::glGetTextureParameteriv, &[name, 0, 0], 1), list);
            for level in 0..3 {
                self.each_name(player, view, (id::glGetTextureLevelParameteriv, &[name, level, 0, 0], 2), list);
            }
        }
        for name in view.group.samplers.keys() {
            for command in [id::glGetSamplerParameteriv, id::glGetSamplerParameterfv] {
                self.each_name(player, view, (command, &[u64::from(*name), 0, 0], 1), list);
            }
        }
    }

    fn buffers(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for target in BUFFER_TARGETS.map(u64::from) {
            for command in [id::glGetBufferParameteriv, id::glGetBufferParameteri64v] {
                self.each_name(player, view, (command, &[target, 0, 0], 1), list);
            }
            list.push(Question::plain(id::glGetBufferPointerv, &[target, u64::from(c::GL_BUFFER_MAP_POINTER), 0]));
        }
        for name in view.group.buffers.keys().filter(|_| view.context.facts.desktop(4, 5)) {
            self.each_name(player, view, (id::glGetNamedBufferParameteriv, &[u64::from(*name), 0, 0], 1), list);
        }
    }

    fn framebuffers(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for target in [c::GL_DRAW_FRAMEBUFFER, c::GL_READ_FRAMEBUFFER, c::GL_FRAMEBUFFER].map(u64::from) {
            list.push(Question::plain(id::glCheckFramebufferStatus, &[target]));
            for attachment in ATTACHMENTS.map(u64::from) {
                let query = (id::glGetFramebufferAttachmentParameteriv, &[target, attachment, 0, 0][..], 2);
                self.each_name(player, view, query, list);
            }
            self.each_name(player, view, (id::glGetFramebufferParameteriv, &[target, 0, 0], 1), list);
        }
        for name in view.context.framebuffers.keys().filter(|_| view.context.facts.desktop(4, 5)) {
            let name = u64::from(*name);
            for attachment in ATTACHMENTS[..6].iter().map(|name| u64::from(*name)) {
                let query = (id::glGetNamedFramebufferAttachmentParameteriv, &[name, attachment, 0, 0][..], 2);
                self.each_name(player, view, query, list);
            }
        }
        let target = u64::from(c::GL_RENDERBUFFER);
        self.each_name(player, view, (id::glGetRenderbufferParameteriv, &[target, 0, 0], 1), list);
        for name in view.group.renderbuffers.keys().filter(|_| view.context.facts.desktop(4, 5)) {
            self.each_name(player, view, (id::glGetNamedRenderbufferParameteriv, &[u64::from(*name), 0, 0], 1), list);
        }
    }

    fn vertex_arrays(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for attribute in 0..16 {
            let typed = [
                id::glGetVertexAttribiv,
                id::glGetVertexAttribfv,
                id::glGetVertexAttribdv,
                id::glGetVertexAttribIiv,
                id::glGetVertexAttribIuiv,
            ];
            for command in typed {
                self.each_name(player, view, (command, &[attribute, 0, 0], 1), list);
            }
            let pointer = u64::from(c::GL_VERTEX_ATTRIB_ARRAY_POINTER);
            list.push(Question::plain(id::glGetVertexAttribPointerv, &[attribute, pointer, 0]));
        }
        for name in view.context.vertex_arrays.keys().filter(|name| **name != 0 && view.context.facts.desktop(4, 5)) {
            for attribute in 0..4 {
                let query = (id::glGetVertexArrayIndexediv, &[u64::from(*name), attribute, 0, 0][..], 2);
                self.each_name(player, view, query, list);
            }
        }
    }

    fn programs(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        if view.context.facts.client == Client::Es1 {
            return;
        }
        for (name, object) in &view.group.programs {
            let name = u64::from(*name);
            match &**object {
                ShaderOrProgram::Shader(_) => {
                    self.each_name(player, view, (id::glGetShaderiv, &[name, 0, 0], 1), list);
                    list.push(Question::plain(id::glGetShaderSource, &[name, 60_000, 0, 0]));
                }
                ShaderOrProgram::Program(_) => {
                    self.each_name(player, view, (id::glGetProgramiv, &[name, 0, 0], 1), list);
                    self.interface(player, view, name, list);
                }
            }
        }
    }

    /// Queries about the results of linking.
    fn interface(&mut self, player: &mut Player, view: &View<'_>, program: u64, list: &mut Vec<Question>) {
        let uniforms = count(player, program, c::GL_ACTIVE_UNIFORMS);
        for index in 0..uniforms {
            list.push(Question::plain(id::glGetActiveUniform, &[program, index, 1024, 0, 0, 0, 0]));
            let Some(name) = text(player, id::glGetActiveUniform, &[program, index, 1024, 0, 0, 0, 0]) else {
                continue;
            };
            let mut place = Question::plain(id::glGetUniformLocation, &[program, 0]);
            place.text = Some((1, name));
            if let Said::Answered { result, .. } = player.ask(&place)
                && (result as u32 as i32) >= 0
            {
                for command in [id::glGetUniformfv, id::glGetUniformiv, id::glGetUniformuiv] {
                    list.push(Question::plain(command, &[program, result, 0]));
                }
            }
            list.push(place);
        }
        for index in 0..count(player, program, c::GL_ACTIVE_ATTRIBUTES) {
            list.push(Question::plain(id::glGetActiveAttrib, &[program, index, 1024, 0, 0, 0, 0]));
        }
        for index in 0..count(player, program, c::GL_ACTIVE_UNIFORM_BLOCKS) {
            self.each_name(player, view, (id::glGetActiveUniformBlockiv, &[program, index, 0, 0], 2), list);
            list.push(Question::plain(id::glGetActiveUniformBlockName, &[program, index, 1024, 0, 0]));
        }
        for index in 0..count(player, program, c::GL_TRANSFORM_FEEDBACK_VARYINGS) {
            list.push(Question::plain(id::glGetTransformFeedbackVarying, &[program, index, 1024, 0, 0, 0, 0]));
        }
        list.push(Question::plain(id::glGetAttachedShaders, &[program, 16, 0, 0]));
    }

    fn others(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        let targets = [
            c::GL_SAMPLES_PASSED,
            c::GL_ANY_SAMPLES_PASSED,
            c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
            c::GL_PRIMITIVES_GENERATED,
            c::GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
            c::GL_TIME_ELAPSED,
        ];
        for target in targets.map(u64::from) {
            self.each_name(player, view, (id::glGetQueryiv, &[target, 0, 0], 1), list);
        }
        for name in view.context.pipelines.keys() {
            self.each_name(player, view, (id::glGetProgramPipelineiv, &[u64::from(*name), 0, 0], 1), list);
        }
    }
}

/// Whether names are those of objects, and of some that are not.
fn whether_there_are(view: &View<'_>, list: &mut Vec<Question>) {
    let (context, group) = (view.context, view.group);
    let mut ask = |command: CommandId, names: Vec<u32>| {
        let last = names.last().copied().unwrap_or(0);
        for name in names.into_iter().chain([0, last + 1, last + 2]) {
            list.push(Question::plain(command, &[u64::from(name)]));
        }
    };
    ask(id::glIsTexture, group.textures.keys().copied().collect());
    ask(id::glIsBuffer, group.buffers.keys().copied().collect());
    ask(id::glIsSampler, group.samplers.keys().copied().collect());
    ask(id::glIsRenderbuffer, group.renderbuffers.keys().copied().collect());
    ask(id::glIsShader, group.programs.keys().copied().collect());
    ask(id::glIsProgram, group.programs.keys().copied().collect());
    ask(id::glIsFramebuffer, context.framebuffers.keys().copied().collect());
    ask(id::glIsVertexArray, context.vertex_arrays.keys().copied().collect());
    ask(id::glIsQuery, context.queries.keys().copied().collect());
    ask(id::glIsProgramPipeline, context.pipelines.keys().copied().collect());
    ask(id::glIsTransformFeedback, context.transform_feedbacks.keys().copied().collect());
    if context.facts.client == Client::Compatibility {
        ask(id::glIsList, group.lists.keys().copied().collect());
    }
}

/// How many of something a program has.
fn count(player: &mut Player, program: u64, of: u32) -> u64 {
    match player.ask(&Question::plain(id::glGetProgramiv, &[program, u64::from(of), 0])) {
        Said::Answered { outputs, .. } => {
            let bytes = outputs.first().and_then(|(_, bytes)| bytes.first_chunk::<4>()).copied().unwrap_or_default();
            u64::from(u32::from_le_bytes(bytes)).min(1 << 12)
        }
        Said::Refused(_) | Said::Missing => 0,
    }
}

/// The text that a query writes last.
fn text(player: &mut Player, command: CommandId, args: &[u64]) -> Option<String> {
    let Said::Answered { outputs, .. } = player.ask(&Question::plain(command, args)) else { return None };
    let bytes = &outputs.last()?.1;
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
