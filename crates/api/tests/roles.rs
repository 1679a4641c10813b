//! What commands are for, as `overlay.toml` says.

use api::{Attribute, COMMANDS, CommandId, NumberForm, Operation, Role, Trait, command, id};

#[track_caller]
fn all(commands: &[CommandId], has: impl Fn(&api::Command) -> bool) {
    for command in commands {
        assert!(has(api::command(*command)), "{}", api::command(*command).name);
    }
}

#[test]
fn variants_of_angle_have_no_memory_of_their_own() {
    // They are recorded as the commands that they vary, with the memory of those.
    let variant = api::command(id::glTexImage2DRobustANGLE);
    let base = api::command(id::glTexImage2D);
    assert_eq!(variant.params.len(), base.params.len() + 1);
    assert!(variant.params.iter().all(|param| param.memory.is_none()));
    let kept = variant.params.iter().filter(|param| base.params.iter().any(|other| other.name == param.name));
    assert!(kept.map(|param| param.name).eq(base.params.iter().map(|param| param.name)));
}

#[test]
fn immediate_mode_and_display_lists() {
    let inside =
        [id::glVertex3f, id::glColor4ub, id::glVertexAttrib4fvARB, id::glEnd, id::glCallLists, id::glMaterialfv];
    all(&inside, |command| command.has(Trait::InPrimitive) && !command.has(Trait::NotListed));
    let outside = [
        id::glColorMask,
        id::glVertexAttribPointer,
        id::glEndList,
        id::glColorMaterial,
        id::glEnable,
        id::glBegin,
        id::glEndOcclusionQueryNV,
        id::glIndexFuncEXT,
    ];
    all(&outside, |command| !command.has(Trait::InPrimitive));
    let at_once =
        [id::glVertexPointer, id::glGenTextures, id::glPixelStorei, id::glBufferData, id::glNewList, id::glFlush];
    all(&at_once, |command| command.has(Trait::NotListed));
    let listed = [id::glEnable, id::glBindTexture, id::glTexImage2D, id::glBegin, id::glUseProgram, id::glDrawArrays];
    all(&listed, |command| !command.has(Trait::NotListed));
}

#[test]
fn draws_have_their_features() {
    let several = id::glMultiDrawElementsIndirectCount;
    let traits = [Trait::FromArrays, Trait::Indexed, Trait::Multi, Trait::Indirect, Trait::CountFromBuffer];
    all(&[several], |command| command.role == Role::Draw && traits.iter().all(|one| command.has(*one)));
    assert!(!command(several).has(Trait::Instanced));
    let plain = [Trait::Indexed, Trait::Multi, Trait::Indirect, Trait::Instanced, Trait::CallsLists];
    all(&[id::glDrawArrays], |command| !plain.iter().any(|one| command.has(*one)));
    all(&[id::glDrawBuffer, id::glDrawBuffers, id::glBegin], |command| command.role != Role::Draw);
    all(&[id::glDrawMeshTasksEXT, id::glMultiDrawMeshTasksIndirectEXT], |command| command.role == Role::Draw);
}

/// Features of draws are those of draws and dispatches.
#[test]
fn features_of_draws_are_only_of_draws() {
    let features = [Trait::FromArrays, Trait::Indexed, Trait::Multi, Trait::Indirect, Trait::CountFromBuffer];
    for command in COMMANDS.iter().filter(|command| features.iter().any(|one| command.has(*one))) {
        assert!(matches!(command.role, Role::Draw | Role::Dispatch), "{}", command.name);
    }
}

#[test]
fn operations_say_what_is_set() {
    assert_eq!(command(id::glBlendFunci).operation, Operation::Set(1));
    assert_eq!(command(id::glBlendFuncIndexedAMD).operation, Operation::Set(1));
    assert_eq!(command(id::glBlendFuncSeparate).operation, Operation::Set(0));
    assert_eq!(command(id::glNamedBufferSubDataEXT).operation, Operation::BufferSub { named: true });
    assert_eq!(command(id::glGetIntegerv).operation, Operation::Transient);
    assert_eq!(command(id::glGenerateMipmap).operation, Operation::GenerateMipmap { named: false });
    assert_eq!(command(id::glColor4ub).operation, Operation::SetCurrent(Attribute::Color, NumberForm::Normalized));
    assert_eq!(command(id::glVertexAttribArrayObjectATI).operation, Operation::Set(1));
    assert_eq!(command(id::glAlphaFunc).saved_with, api::constant::GL_COLOR_BUFFER_BIT);
    assert_eq!(command(id::glBlendFunci).saved_with, 0);
}

#[test]
fn vertices_are_made_by_positions_and_attribute_0() {
    let makes = |id: CommandId, args: &[u64]| command(id).makes_vertex(args);
    assert!(
        makes(id::glVertex2f, &[1, 2]) && makes(id::glVertexP3ui, &[0, 0]) && makes(id::glVertexAttrib4fv, &[0, 9])
    );
    assert!(
        !makes(id::glVertexAttrib4fv, &[1, 9])
            && !makes(id::glVertexAttribPointer, &[0])
            && !makes(id::glColor3f, &[0])
    );
}

#[test]
fn vendors_are_suffixes() {
    assert_eq!(command(id::glBindBufferARB).vendor(), "ARB");
    assert_eq!(command(id::glBindBuffer).vendor(), "");
    assert_eq!(command(id::glXCopySubBufferMESA).vendor(), "MESA");
}
