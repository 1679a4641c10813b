//! Where the debugger works while the screen stays alive: two threads beside the one that draws.
//!
//! One has the desk and does what it is sent; the other reads the terminal. Everything that happens on either comes
//! through one channel, so that the screen waits in one place and does not poll.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event};
use session::Control;

use crate::debug::desk::Desk;
use crate::debug::view::Memory;

type Job = Box<dyn FnOnce(&mut Desk, &mut Memory) + Send>;

/// What wakes the screen.
pub enum News {
    /// The user did something at the terminal.
    Terminal(Event),
    /// The terminal is gone.
    Lost(io::Error),
    /// What was asked for is done, or cannot be.
    Done,
}

/// The threads, seen from the screen.
pub struct Workshop {
    jobs: Sender<Job>,
    news: Receiver<News>,
    /// What was typed while something was done.
    typed: VecDeque<Event>,
    /// What ends the work at hand.
    pub control: Control,
}

impl Workshop {
    /// Takes a desk. From now on only this reads the terminal.
    pub fn open(mut desk: Desk) -> Workshop {
        let (jobs, todo) = channel::<Job>();
        let (sender, news) = channel();
        let control = desk.session.control();
        let done = sender.clone();
        std::thread::spawn(move || {
            let mut memory = Memory::default();
            for job in todo {
                // A fault of ours costs one command, and not the screen. What it left of the desk is whole: each of its
                // parts is replaced when another is known.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut desk, &mut memory)));
                if done.send(News::Done).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || {
            loop {
                let news = event::read().map_or_else(News::Lost, News::Terminal);
                let last = matches!(news, News::Lost(_));
                if sender.send(news).is_err() || last {
                    return;
                }
            }
        });
        Workshop { jobs, news, typed: VecDeque::new(), control }
    }

    /// Sends work. Its answer is in the receiver once there is [`News::Done`]; if it failed, there is none.
    pub fn send<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk, &mut Memory) -> T + Send + 'static,
    ) -> Receiver<T> {
        let (answer, answered) = channel();
        // A thread that is gone gives no answer, which is noticed where one is expected.
        let _ = self.jobs.send(Box::new(move |desk, memory| drop(answer.send(work(desk, memory)))));
        answered
    }

    /// What happens next, at most until so much time has gone by.
    pub fn next(&self, patience: Duration) -> io::Result<Option<News>> {
        match self.news.recv_timeout(patience) {
            Ok(News::Lost(error)) => Err(error),
            Ok(news) => Ok(Some(news)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Keeps what was typed for later.
    pub fn keep(&mut self, event: Event) {
        self.typed.push_back(event);
    }

    /// What was typed and not looked at.
    pub fn kept(&mut self) -> Option<Event> {
        self.typed.pop_front()
    }

    /// Nothing that was typed is wanted any more.
    pub fn forget(&mut self) {
        self.typed.clear();
    }
}
