//! External memory and semaphores (EXT_external_objects), and textures and buffers that use them.

use std::sync::Arc;

use api::{constant as c, id};

use super::Table;
use super::texture::{Form, locate, multisample, storage};
use crate::answer::{Answer, Values, View};
use crate::fault::Fault;
use crate::objects::external::MemoryObject;
use crate::records::{Aspect, ImageWrite, Job, Texels};
use crate::step::{Done, Step, not_negative};
use crate::variable::NumberType;

const NO_MEMORY: Fault = Fault::invalid_value("no memory object has this name");
const NO_KIND: Fault = Fault::invalid_enum("this type of handle cannot be imported");

pub fn register(table: &mut Table) {
    memory(table);
    semaphores(table);
    stores(table);
    images(table);
    table.ask(&[id::glGetUnsignedBytevEXT], |view, args| {
        let name = args.first().copied().unwrap_or(0);
        match name as u32 {
            c::GL_DRIVER_UUID_EXT | c::GL_DEVICE_UUID_EXT | c::GL_DEVICE_LUID_EXT | c::GL_DEVICE_NODE_MASK_EXT => {}
            _ => check(view, id::glGetIntegerv, &[name])?,
        }
        Ok(unknown())
    });
    table.ask(&[id::glGetUnsignedBytei_vEXT], |view, args| {
        let (name, index) = (args.first().copied().unwrap_or(0), args.get(1).copied().unwrap_or(0));
        if name as u32 != c::GL_DEVICE_UUID_EXT {
            check(view, id::glGetIntegeri_v, &[name, index])?;
        } else if index as i64 >= view.context.facts.limits.integer(c::GL_NUM_DEVICE_UUIDS_EXT, 1) {
            return Err(Fault::invalid_value("the device index is too large"));
        }
        Ok(unknown())
    });
}

fn memory(table: &mut Table) {
    table.on(&[id::glCreateMemoryObjectsEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.output_names(1) {
            let object = step.group.next_object();
            step.group.memory_objects.insert(name, Arc::new(MemoryObject { object, ..MemoryObject::default() }));
        }
        Ok(())
    });
    table.on(&[id::glDeleteMemoryObjectsEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.names_to_delete(1) {
            step.group.memory_objects.remove(&name);
        }
        Ok(())
    });
    table.on(&[id::glImportMemoryFdEXT], |step| {
        if step.name(2) != c::GL_HANDLE_TYPE_OPAQUE_FD_EXT {
            return Err(NO_KIND);
        }
        let name = step.name(0);
        if let Some(memory) = step.group.memory_objects.get_mut(&name) {
            Arc::make_mut(memory).is_imported = true;
        }
        Ok(())
    });
    table.on(&[id::glMemoryObjectParameterivEXT], |step| {
        let (name, value) = (step.name(0), step.input_names(2).first().is_some_and(|value| *value != 0));
        let parameter = step.name(1);
        let Some(memory) = step.group.memory_objects.get_mut(&name) else { return Ok(()) };
        if memory.is_imported {
            return Err(Fault::invalid_operation("the memory object is already imported"));
        }
        if parameter != c::GL_DEDICATED_MEMORY_OBJECT_EXT {
            return Err(Fault::invalid_enum("invalid memory object parameter"));
        }
        Arc::make_mut(memory).is_dedicated = value;
        Ok(())
    });
    table.ask(&[id::glGetMemoryObjectParameterivEXT], |view, args| {
        let word = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
        match view.group.memory_objects.get(&word(0)) {
            None => Ok(unknown()),
            Some(memory) if word(1) == c::GL_DEDICATED_MEMORY_OBJECT_EXT => Ok(Answer::truth(memory.is_dedicated)),
            Some(_) => Err(Fault::invalid_enum("invalid memory object parameter")),
        }
    });
    table.ask(&[id::glIsMemoryObjectEXT], |view, args| {
        Ok(Answer::truth(view.group.memory_objects.contains_key(&(args.first().copied().unwrap_or(0) as u32))))
    });
}

fn semaphores(table: &mut Table) {
    table.on(&[id::glGenSemaphoresEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.output_names(1) {
            let object = step.group.next_object();
            step.group.semaphores.insert(name, object);
        }
        Ok(())
    });
    table.on(&[id::glDeleteSemaphoresEXT], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.names_to_delete(1) {
            step.group.semaphores.remove(&name);
        }
        Ok(())
    });
    table.on(&[id::glImportSemaphoreFdEXT], |step| {
        if step.name(1) == c::GL_HANDLE_TYPE_OPAQUE_FD_EXT { Ok(()) } else { Err(NO_KIND) }
    });
    // Waits and signals have no effect on the model.
    table.on(&[id::glWaitSemaphoreEXT, id::glSignalSemaphoreEXT], |_| Ok(()));
    table.ask(&[id::glIsSemaphoreEXT], |view, args| {
        Ok(Answer::truth(view.group.semaphores.contains_key(&(args.first().copied().unwrap_or(0) as u32))))
    });
}

/// Commands that create storage in external memory, whose object and offset follow the usual arguments.
fn stores(table: &mut Table) {
    use Form::{Bound, Named};
    table.on(&[id::glTexStorageMem1DEXT], |step| with_memory(step, 4, |step| storage(step, Bound, 1)));
    table.on(&[id::glTexStorageMem2DEXT], |step| with_memory(step, 5, |step| storage(step, Bound, 2)));
    table.on(&[id::glTexStorageMem3DEXT], |step| with_memory(step, 6, |step| storage(step, Bound, 3)));
    table.on(&[id::glTextureStorageMem1DEXT], |step| with_memory(step, 4, |step| storage(step, Named, 1)));
    table.on(&[id::glTextureStorageMem2DEXT], |step| with_memory(step, 5, |step| storage(step, Named, 2)));
    table.on(&[id::glTextureStorageMem3DEXT], |step| with_memory(step, 6, |step| storage(step, Named, 3)));
    table.on(&[id::glTexStorageMem2DMultisampleEXT], |step| {
        with_memory(step, 6, |step| multisample(step, Bound, 2, true))
    });
    table.on(&[id::glTexStorageMem3DMultisampleEXT], |step| {
        with_memory(step, 7, |step| multisample(step, Bound, 3, true))
    });
    table.on(&[id::glTextureStorageMem2DMultisampleEXT], |step| {
        with_memory(step, 6, |step| multisample(step, Named, 2, true))
    });
    table.on(&[id::glTextureStorageMem3DMultisampleEXT], |step| {
        with_memory(step, 7, |step| multisample(step, Named, 3, true))
    });
    table.on(&[id::glBufferStorageMemEXT, id::glNamedBufferStorageMemEXT], |step| {
        with_memory(step, 2, |step| {
            // The contents of such a buffer are not in the trace.
            if let Some(observer) = &mut step.observer {
                observer.unmodelled();
            }
            Ok(())
        })
    });
}

/// EGL images. Their size and contents are not in the trace.
fn images(table: &mut Table) {
    table.on(&[id::glEGLImageTargetTexture2DOES], |step| {
        let external = step.facts().has("GL_OES_EGL_image_external");
        match step.name(0) {
            c::GL_TEXTURE_2D => {}
            c::GL_TEXTURE_EXTERNAL_OES if external => {}
            _ => return Err(Fault::invalid_enum("EGL images cannot be bound to this target")),
        }
        show_image(step)
    });
    table.on(&[id::glEGLImageTargetTexStorageEXT], |step| {
        if step.input_names(2).first().is_some_and(|attribute| *attribute != c::GL_NONE) {
            return Err(Fault::invalid_value("attributes are not supported for EGL images"));
        }
        match step.name(0) {
            c::GL_TEXTURE_2D | c::GL_TEXTURE_EXTERNAL_OES => show_image(step),
            _ => Err(Fault::invalid_operation("EGL images cannot be bound to this target")),
        }
    });
}

/// Makes the bound texture use an EGL image.
fn show_image(step: &mut Step<'_>) -> Done {
    if step.word(1) == 0 {
        return Err(Fault::invalid_value("the EGL image is null"));
    }
    let place = locate(step, Form::Bound, false, false)?;
    if step.group.texture(place.bound).is_some_and(|texture| texture.immutable) {
        return Err(Fault::invalid_operation("the texture is immutable"));
    }
    let image = step.group.texture(place.bound).map(|texture| texture.image(0, 0));
    if let Some(observer) = &mut step.observer {
        observer.unmodelled();
        if let Some(image) = image {
            observer.image_written(image, ImageWrite::whole(Aspect::All, Texels::Gpu(Job::Transfer)));
        }
    }
    Ok(())
}

/// Runs `work` if the memory object has been imported; Mesa reports no error for a name that does not exist.
fn with_memory(step: &mut Step<'_>, at: usize, work: fn(&mut Step<'_>) -> Done) -> Done {
    let name = step.name(at);
    if name == 0 {
        return Err(NO_MEMORY);
    }
    match step.group.memory_objects.get(&name) {
        None => Ok(()),
        Some(memory) if !memory.is_imported => Err(Fault::invalid_operation("the memory object has no memory")),
        Some(_) => work(step),
    }
}

/// Rejects what another query rejects.
fn check(view: &View<'_>, command: api::CommandId, args: &[u64]) -> Done {
    view.answer(command, args).map_or(Ok(()), |answer| answer.map(|_| ()))
}

fn unknown() -> Answer {
    let values = Values::Unknown("the device and driver UUIDs are not recorded");
    Answer { kind: NumberType::Integer, values }
}
