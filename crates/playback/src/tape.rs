//! Questions and answers, recorded and played back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use device::{Answer, Ask, BoxedDevice, Control, Device, DeviceError, Reply};
use serde::{Deserialize, Serialize};

/// Questions with their answers, in order. Clones share one tape.
#[derive(Clone, Default)]
pub struct Tape(Arc<Mutex<VecDeque<Exchange>>>);

/// A question and its answer.
#[derive(Serialize, Deserialize)]
struct Exchange {
    /// As JSON, which can be compared although numbers that are not finite are never equal.
    question: String,
    reply: Result<RecordedReply, String>,
}

#[derive(Serialize, Deserialize)]
struct RecordedReply {
    answer: Answer,
    bytes: Vec<u8>,
}

impl Tape {
    /// Reads a tape that [`Tape::to_bytes`] wrote.
    ///
    /// # Errors
    /// When the bytes are not a tape.
    pub fn from_bytes(bytes: &[u8]) -> serde_json::Result<Tape> {
        Ok(Tape(Arc::new(Mutex::new(serde_json::from_slice(bytes)?))))
    }

    /// Returns the tape as JSON.
    ///
    /// # Errors
    /// When an answer cannot be written as JSON.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        self.with(|exchanges| serde_json::to_vec(exchanges))
    }

    /// Returns the number of questions that have not been played back.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|exchanges| exchanges.len())
    }

    /// Returns whether all questions have been played back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<R>(&self, f: impl FnOnce(&mut VecDeque<Exchange>) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Passes questions to a device, and appends them to a tape with their answers.
pub struct RecordingDevice {
    device: BoxedDevice,
    tape: Tape,
}

impl RecordingDevice {
    /// Records the questions to `device` on `tape`.
    #[must_use]
    pub fn new(device: BoxedDevice, tape: Tape) -> RecordingDevice {
        RecordingDevice { device, tape }
    }
}

impl Device for RecordingDevice {
    fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        let reply = self.device.ask(ask, control);
        let recorded = match &reply {
            Ok(reply) => Ok(RecordedReply { answer: reply.answer.clone(), bytes: reply.bytes.clone() }),
            Err(error) => Err(error.to_string()),
        };
        let exchange = Exchange { question: as_json(ask)?, reply: recorded };
        self.tape.with(|exchanges| exchanges.push_back(exchange));
        reply
    }
}

/// Answers the questions of a tape in the order in which they were recorded.
pub struct PlaybackDevice {
    tape: Tape,
}

impl PlaybackDevice {
    /// Plays back `tape`, which loses each question that is answered.
    #[must_use]
    pub fn new(tape: Tape) -> PlaybackDevice {
        PlaybackDevice { tape }
    }
}

impl Device for PlaybackDevice {
    fn ask(&mut self, ask: &Ask, _: &Control) -> Result<Reply, DeviceError> {
        let question = as_json(ask)?;
        let next = self.tape.with(VecDeque::pop_front);
        let next = next.ok_or_else(|| DeviceError::Refused(format!("the tape ends before the question {question}")))?;
        if next.question != question {
            let text = format!("the question is {question}, but the tape has {}", next.question);
            return Err(DeviceError::Refused(text));
        }
        let RecordedReply { answer, bytes } = next.reply.map_err(DeviceError::Refused)?;
        Ok(Reply { answer, bytes })
    }
}

fn as_json(ask: &Ask) -> Result<String, DeviceError> {
    serde_json::to_string(ask).map_err(|error| DeviceError::Garbled(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers every question with the same bytes, and refuses those about command 7.
    struct Constant;

    impl Device for Constant {
        fn ask(&mut self, ask: &Ask, _: &Control) -> Result<Reply, DeviceError> {
            match ask.command() {
                Some(7) => Err(DeviceError::Interrupted),
                _ => Ok(Reply { answer: Answer::Picture { size: None }, bytes: vec![1, 2, 3] }),
            }
        }
    }

    fn picture(command: u64) -> Ask {
        Ask::Picture { command, everything: false }
    }

    fn recorded() -> Tape {
        let tape = Tape::default();
        let mut device = RecordingDevice::new(Box::new(Constant), tape.clone());
        for command in [5, 7] {
            let _ = device.ask(&picture(command), &Control::default());
        }
        Tape::from_bytes(&tape.to_bytes().unwrap()).unwrap()
    }

    #[test]
    fn answers_are_played_back_in_order() {
        let tape = recorded();
        let mut device = PlaybackDevice::new(tape.clone());
        let reply = device.ask(&picture(5), &Control::default()).unwrap();
        assert_eq!(reply.bytes, [1, 2, 3]);
        let refused = device.ask(&picture(7), &Control::default()).unwrap_err();
        assert_eq!(refused.to_string(), DeviceError::Interrupted.to_string());
        assert!(tape.is_empty());
        let ended = device.ask(&picture(7), &Control::default()).unwrap_err();
        assert!(ended.to_string().starts_with("the tape ends"), "{ended}");
    }

    #[test]
    fn another_question_is_an_error() {
        let mut device = PlaybackDevice::new(recorded());
        let refused = device.ask(&picture(6), &Control::default()).unwrap_err();
        assert!(refused.to_string().contains("but the tape has"), "{refused}");
    }
}
