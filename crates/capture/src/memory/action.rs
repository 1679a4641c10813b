//! What this module does for each command, besides recording the memory behind its pointers.

use api::{COMMANDS, Command, CommandId, Role, id};

/// What to do for a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// Record vertex arrays in the program's memory.
    Draw,
    /// `glBegin`.
    Begin,
    /// `glEnd`.
    End,
    /// `glArrayElement`.
    ArrayElement,
    /// A buffer is mapped.
    Map,
    /// A map ends.
    Unmap,
    /// Part of a map is flushed.
    Flush,
    /// A buffer gets new storage, which ends its map.
    Replace,
    /// Buffers are deleted.
    Delete,
    /// A buffer is bound where GL may write to it, or is written to.
    Write,
    /// The program queries the address of a map.
    MapPointer,
    /// The program waits for GL.
    Wait,
    /// A buffer is bound.
    Bind,
    /// A vertex array object is bound.
    BindVertexArray,
    /// Vertex array objects are deleted.
    DeleteVertexArrays,
    /// The element array buffer of a vertex array object is set.
    ElementBuffer,
    /// `glPixelStore`.
    PixelStore,
    /// Client state is saved.
    PushClient,
    /// Client state is restored.
    PopClient,
    /// Client state is reset to its initial values.
    DefaultClient,
    /// `glClientActiveTexture`.
    ActiveUnit,
    /// An array is enabled.
    Enable,
    /// An array is disabled.
    Disable,
    /// The instance divisor of an array is set.
    Divisor,
    /// An array is specified.
    Pointer,
    /// An attribute is sourced from a buffer by other means than a pointer.
    Detach,
    /// `glInterleavedArrays`.
    Interleaved,
    /// `glFeedbackBuffer`.
    Feedback,
    /// `glSelectBuffer`.
    Select,
    /// `glRenderMode`.
    RenderMode,
}

/// Returns what to do for a command.
#[inline]
pub fn of(command: CommandId) -> Action {
    match TABLE.get(usize::from(command.0)) {
        Some(action) => *action,
        None => Action::None,
    }
}

/// Returns whether GL may read what the program has written to a persistent map when this command is called.
#[inline]
pub fn may_read_maps(command: CommandId, described: &Command) -> bool {
    match described.role {
        Role::Draw | Role::Dispatch | Role::Transfer | Role::Present | Role::Current => true,
        Role::Clear | Role::Query | Role::Other => MAP_READERS.contains(&command),
    }
}

/// Commands that make GL read buffers although they neither draw nor copy anything themselves.
const MAP_READERS: &[CommandId] = &[
    id::glFlush,
    id::glFinish,
    id::glFenceSync,
    id::glFenceSyncAPPLE,
    id::glMemoryBarrier,
    id::glMemoryBarrierEXT,
    id::glMemoryBarrierByRegion,
    id::glTextureBarrier,
    id::glTextureBarrierNV,
    id::glGetBufferSubData,
    id::glGetBufferSubDataARB,
    id::glGetNamedBufferSubData,
    id::glGetNamedBufferSubDataEXT,
    id::glBeginTransformFeedback,
    id::glEndTransformFeedback,
    id::glBeginTransformFeedbackEXT,
    id::glEndTransformFeedbackEXT,
    id::eglCreateSync,
    id::eglCreateSyncKHR,
    id::eglWaitClient,
    id::eglWaitGL,
    id::glXWaitGL,
];

static TABLE: [Action; COMMANDS.len()] = table();

const fn table() -> [Action; COMMANDS.len()] {
    let mut table = [Action::None; COMMANDS.len()];
    let mut list = 0;
    while list < LISTS.len() {
        let (action, commands) = LISTS[list];
        let mut at = 0;
        while at < commands.len() {
            table[commands[at].0 as usize] = action;
            at += 1;
        }
        list += 1;
    }
    table
}

const LISTS: &[(Action, &[CommandId])] = &[
    (
        Action::Draw,
        &[
            id::glDrawArrays,
            id::glDrawArraysEXT,
            id::glDrawArraysInstanced,
            id::glDrawArraysInstancedARB,
            id::glDrawArraysInstancedEXT,
            id::glDrawArraysInstancedANGLE,
            id::glDrawArraysInstancedNV,
            id::glDrawArraysInstancedBaseInstance,
            id::glDrawArraysInstancedBaseInstanceEXT,
            id::glDrawElements,
            id::glDrawElementsInstanced,
            id::glDrawElementsInstancedARB,
            id::glDrawElementsInstancedEXT,
            id::glDrawElementsInstancedANGLE,
            id::glDrawElementsInstancedNV,
            id::glDrawElementsBaseVertex,
            id::glDrawElementsBaseVertexEXT,
            id::glDrawElementsBaseVertexOES,
            id::glDrawElementsInstancedBaseVertex,
            id::glDrawElementsInstancedBaseVertexEXT,
            id::glDrawElementsInstancedBaseVertexOES,
            id::glDrawElementsInstancedBaseInstance,
            id::glDrawElementsInstancedBaseInstanceEXT,
            id::glDrawElementsInstancedBaseVertexBaseInstance,
            id::glDrawElementsInstancedBaseVertexBaseInstanceEXT,
            id::glDrawRangeElements,
            id::glDrawRangeElementsEXT,
            id::glDrawRangeElementsBaseVertex,
            id::glDrawRangeElementsBaseVertexEXT,
            id::glDrawRangeElementsBaseVertexOES,
            id::glMultiDrawArrays,
            id::glMultiDrawArraysEXT,
            id::glMultiDrawElements,
            id::glMultiDrawElementsEXT,
            id::glMultiDrawElementsBaseVertex,
            id::glMultiDrawElementsBaseVertexEXT,
            id::glMultiModeDrawArraysIBM,
            id::glMultiModeDrawElementsIBM,
            id::glDrawArraysIndirect,
            id::glDrawElementsIndirect,
            id::glMultiDrawArraysIndirect,
            id::glMultiDrawArraysIndirectAMD,
            id::glMultiDrawArraysIndirectEXT,
            id::glMultiDrawElementsIndirect,
            id::glMultiDrawElementsIndirectAMD,
            id::glMultiDrawElementsIndirectEXT,
            id::glDrawTransformFeedback,
            id::glDrawTransformFeedbackNV,
            id::glDrawTransformFeedbackStream,
            id::glDrawTransformFeedbackInstanced,
            id::glDrawTransformFeedbackStreamInstanced,
        ],
    ),
    (Action::Begin, &[id::glBegin]),
    (Action::End, &[id::glEnd]),
    (Action::ArrayElement, &[id::glArrayElement, id::glArrayElementEXT]),
    (
        Action::Map,
        &[
            id::glMapBuffer,
            id::glMapBufferARB,
            id::glMapBufferOES,
            id::glMapBufferRange,
            id::glMapBufferRangeEXT,
            id::glMapNamedBuffer,
            id::glMapNamedBufferEXT,
            id::glMapNamedBufferRange,
            id::glMapNamedBufferRangeEXT,
        ],
    ),
    (
        Action::Unmap,
        &[
            id::glUnmapBuffer,
            id::glUnmapBufferARB,
            id::glUnmapBufferOES,
            id::glUnmapNamedBuffer,
            id::glUnmapNamedBufferEXT,
        ],
    ),
    (
        Action::Flush,
        &[
            id::glFlushMappedBufferRange,
            id::glFlushMappedBufferRangeEXT,
            id::glFlushMappedBufferRangeAPPLE,
            id::glFlushMappedNamedBufferRange,
            id::glFlushMappedNamedBufferRangeEXT,
        ],
    ),
    (
        Action::Replace,
        &[
            id::glBufferData,
            id::glBufferDataARB,
            id::glBufferStorage,
            id::glBufferStorageEXT,
            id::glNamedBufferData,
            id::glNamedBufferDataEXT,
            id::glNamedBufferStorage,
            id::glNamedBufferStorageEXT,
        ],
    ),
    (
        Action::Write,
        &[
            id::glBindBufferBase,
            id::glBindBufferBaseEXT,
            id::glBindBufferBaseNV,
            id::glBindBufferRange,
            id::glBindBufferRangeEXT,
            id::glBindBufferRangeNV,
            id::glBindBufferOffsetEXT,
            id::glBindBufferOffsetNV,
            id::glBindBuffersBase,
            id::glBindBuffersRange,
            id::glTransformFeedbackBufferBase,
            id::glTransformFeedbackBufferRange,
            id::glBindImageTexture,
            id::glBindImageTextureEXT,
            id::glBindImageTextures,
            id::glCopyBufferSubData,
            id::glCopyBufferSubDataNV,
            id::glCopyNamedBufferSubData,
            id::glNamedCopyBufferSubDataEXT,
            id::glBufferSubData,
            id::glBufferSubDataARB,
            id::glNamedBufferSubData,
            id::glNamedBufferSubDataEXT,
            id::glClearBufferData,
            id::glClearBufferSubData,
            id::glClearNamedBufferData,
            id::glClearNamedBufferDataEXT,
            id::glClearNamedBufferSubData,
            id::glClearNamedBufferSubDataEXT,
        ],
    ),
    (Action::Delete, &[id::glDeleteBuffers, id::glDeleteBuffersARB]),
    (
        Action::MapPointer,
        &[
            id::glGetBufferPointerv,
            id::glGetBufferPointervARB,
            id::glGetBufferPointervOES,
            id::glGetNamedBufferPointerv,
            id::glGetNamedBufferPointervEXT,
        ],
    ),
    (
        Action::Wait,
        &[
            id::glFinish,
            id::glClientWaitSync,
            id::glClientWaitSyncAPPLE,
            id::glGetSynciv,
            id::glGetSyncivAPPLE,
            id::glReadPixels,
            id::glReadnPixels,
            id::glReadnPixelsARB,
            id::glReadnPixelsEXT,
            id::glReadnPixelsKHR,
            id::glGetTexImage,
            id::glGetTextureImage,
            id::glGetBufferSubData,
            id::glGetBufferSubDataARB,
            id::glGetNamedBufferSubData,
            id::glGetNamedBufferSubDataEXT,
            id::glGetQueryObjectiv,
            id::glGetQueryObjectuiv,
            id::glGetQueryObjecti64v,
            id::glGetQueryObjectui64v,
            id::glGetQueryObjectuivEXT,
            id::eglClientWaitSync,
            id::eglClientWaitSyncKHR,
            id::eglWaitClient,
            id::eglWaitGL,
            id::glXWaitGL,
        ],
    ),
    (Action::Bind, &[id::glBindBuffer, id::glBindBufferARB]),
    (Action::BindVertexArray, &[id::glBindVertexArray, id::glBindVertexArrayOES, id::glBindVertexArrayAPPLE]),
    (
        Action::DeleteVertexArrays,
        &[id::glDeleteVertexArrays, id::glDeleteVertexArraysOES, id::glDeleteVertexArraysAPPLE],
    ),
    (Action::ElementBuffer, &[id::glVertexArrayElementBuffer]),
    (Action::PixelStore, &[id::glPixelStorei, id::glPixelStoref, id::glPixelStorex]),
    (Action::PushClient, &[id::glPushClientAttrib, id::glPushClientAttribDefaultEXT]),
    (Action::PopClient, &[id::glPopClientAttrib]),
    (Action::DefaultClient, &[id::glClientAttribDefaultEXT]),
    (Action::ActiveUnit, &[id::glClientActiveTexture, id::glClientActiveTextureARB]),
    (
        Action::Enable,
        &[
            id::glEnable,
            id::glEnableClientState,
            id::glEnableVertexAttribArray,
            id::glEnableVertexAttribArrayARB,
            id::glEnableClientStateiEXT,
            id::glEnableClientStateIndexedEXT,
        ],
    ),
    (
        Action::Disable,
        &[
            id::glDisable,
            id::glDisableClientState,
            id::glDisableVertexAttribArray,
            id::glDisableVertexAttribArrayARB,
            id::glDisableClientStateiEXT,
            id::glDisableClientStateIndexedEXT,
        ],
    ),
    (
        Action::Divisor,
        &[
            id::glVertexAttribDivisor,
            id::glVertexAttribDivisorARB,
            id::glVertexAttribDivisorEXT,
            id::glVertexAttribDivisorANGLE,
            id::glVertexAttribDivisorNV,
            id::glVertexBindingDivisor,
        ],
    ),
    (
        Action::Pointer,
        &[
            id::glVertexPointer,
            id::glVertexPointerEXT,
            id::glColorPointer,
            id::glColorPointerEXT,
            id::glSecondaryColorPointer,
            id::glSecondaryColorPointerEXT,
            id::glTexCoordPointer,
            id::glTexCoordPointerEXT,
            id::glMultiTexCoordPointerEXT,
            id::glWeightPointerARB,
            id::glWeightPointerOES,
            id::glMatrixIndexPointerARB,
            id::glMatrixIndexPointerOES,
            id::glNormalPointer,
            id::glNormalPointerEXT,
            id::glFogCoordPointer,
            id::glFogCoordPointerEXT,
            id::glIndexPointer,
            id::glIndexPointerEXT,
            id::glPointSizePointerOES,
            id::glEdgeFlagPointer,
            id::glEdgeFlagPointerEXT,
            id::glVertexAttribPointer,
            id::glVertexAttribPointerARB,
            id::glVertexAttribPointerNV,
            id::glVertexAttribIPointer,
            id::glVertexAttribIPointerEXT,
            id::glVertexAttribLPointer,
            id::glVertexAttribLPointerEXT,
        ],
    ),
    (
        Action::Detach,
        &[
            id::glBindVertexBuffer,
            id::glBindVertexBuffers,
            id::glVertexAttribBinding,
            id::glVertexAttribFormat,
            id::glVertexAttribIFormat,
            id::glVertexAttribLFormat,
        ],
    ),
    (Action::Interleaved, &[id::glInterleavedArrays]),
    (Action::Feedback, &[id::glFeedbackBuffer, id::glFeedbackBufferxOES]),
    (Action::Select, &[id::glSelectBuffer]),
    (Action::RenderMode, &[id::glRenderMode]),
];
