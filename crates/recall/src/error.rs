//! Why there is no history.

use reenact::fragment_ops::Role;

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// The trace cannot be read, or the device gives no answer.
    #[error(transparent)]
    Inquiry(#[from] inquiry::InquiryError),
    /// The trace cannot be read.
    #[error(transparent)]
    Chronicle(#[from] chronicle::ChronicleError),
    /// The framebuffer cannot be emulated.
    #[error("the framebuffer cannot be followed: {0}")]
    Framebuffer(#[source] reenact::Refusal),
    /// The framebuffer has no such plane.
    #[error("the framebuffer has no {}", plane(*.0))]
    NoPlane(Role),
    /// The pixel is not in the image.
    #[error("pixel {},{} is outside the framebuffer, which has {}x{} pixels", at[0], at[1], size[0], size[1])]
    OutsideOfTarget {
        /// The pixel.
        at: [u32; 2],
        /// Width and height of the image.
        size: [u32; 2],
    },
}

fn plane(role: Role) -> String {
    match role {
        Role::Colour(number) => format!("colour buffer {number}"),
        Role::Depth => "depth buffer".to_owned(),
        Role::Stencil => "stencil buffer".to_owned(),
    }
}

/// Returns why a command could not be looked at. Most errors name the command already.
pub(crate) fn about(command: u64, error: &dyn std::fmt::Display) -> String {
    let (named, sentence) = (format!("command {command}: "), error.to_string());
    if sentence.starts_with(&named) { sentence } else { named + &sentence }
}
