//! Framebuffers: attachments, completeness, draw and read buffers.

use super::Table;
use crate::objects::format::Format;
use crate::objects::framebuffer::Attachment;
use crate::share::ShareGroup;

pub fn register(_table: &mut Table) {}

/// How what is attached is stored; nothing when nothing is, or it has no image.
pub fn format_of(group: &ShareGroup, attachment: &Attachment) -> Option<&'static Format> {
    match attachment {
        Attachment::None => None,
        Attachment::Renderbuffer(bound) => group.renderbuffer(*bound)?.format,
        Attachment::Texture { texture, target, level, layer, .. } => {
            let face = if target.faces() > 1 { layer.cast_unsigned() } else { 0 };
            group.texture(*texture)?.level(level.cast_unsigned(), face)?.format
        }
    }
}
