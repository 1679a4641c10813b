//! What a supervisor and a worker send each other, besides questions.

use device::Answer;
use serde::{Deserialize, Serialize};

/// The first message to a worker, after its descriptors (the progress page and the trace).
#[derive(Serialize, Deserialize)]
pub struct Open {
    /// As [`crate::WorkerOptions::device`].
    pub device: Option<String>,
    /// How the worker confines itself before it reads the trace; `None` if it does not.
    pub confinement: Option<Confinement>,
    /// The memory that it may take, in bytes.
    pub memory: Option<u64>,
}

/// How a worker confines itself.
#[derive(Serialize, Deserialize)]
pub struct Confinement {
    /// The bytes of the path of the folder that it may write to, which need not be UTF-8.
    pub cache: Option<Vec<u8>>,
    /// Report denied system calls.
    pub log: bool,
}

/// A message from a worker.
#[derive(Serialize, Deserialize)]
pub enum Message {
    /// Part of the files that the question asked for. A worker cannot write them itself.
    File(FilePart),
    /// The answer, or why there is none.
    Answer(Result<Answer, String>),
}

/// Part of the files that a replay produces. Their contents are in the bytes beside the message.
#[derive(Serialize, Deserialize)]
pub enum FilePart {
    /// Replay begins: the request is valid.
    Begin,
    /// A picture, four bytes a pixel, bottom row first.
    Picture {
        /// The name of the file.
        name: String,
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
    },
    /// Contents for a trimmed trace: the arguments of `afiContents`.
    Contents([u64; 12]),
    /// All contents have been sent.
    ContentsEnd,
}
