//! The debugger as a library: a path goes in, plain data comes out.
//!
//! A [`Session`] is an open trace and at most one invocation that is being walked through, forwards and backwards; below
//! it lie the invocations of later passes whose texture reads led there ([`Session::stack`]). Clients - a terminal, an
//! editor, a server - know nothing of waves, workers or drivers: they choose an invocation ([`Choice`]), step
//! ([`Step`]), and look ([`Session::variables`], [`Session::evaluate`]). Where a session stands is itself plain data
//! ([`Position`]), so that a client which keeps no state can send it along with each request.
//!
//! ```no_run
//! use session::{Choice, Scope, Session, Step};
//!
//! # fn walk(trace: std::sync::Arc<open_trace::OpenTrace>, device: device::BoxedDevice) -> Result<(), session::SessionError> {
//! let mut session = Session::new(trace, device);
//! let stop = session.enter(&Choice::fragment(1200, 320, 200))?;
//! println!("line {}: {}", stop.location.line, stop.location.text);
//! session.step(Step::Over)?;
//! for variable in session.variables(0, Scope::Locals)? {
//!     println!("{} = {}", variable.name, variable.value.text());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Values come from two sides. The emulator runs the invocation, from inputs that were measured, so that it can stop
//! anywhere and go back; the device is asked once for a recording of the same invocation. What both say is shown with a
//! verdict ([`Shown`]).
//!
//! What takes long can be watched and ended from another thread, by a [`Control`].
//!
//! The crate is not a protocol and prints nothing; it does not record programs either.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod absent;
mod bench;
mod breaks;
mod change;
mod contents;
mod control;
mod data;
mod error;
mod group;
mod history;
mod inspect;
mod locate;
mod look;
mod machine;
mod open;
mod owned_run;
pub mod parse;
mod past;
mod run;
mod search;
mod tape;
mod walk;

pub use control::{Activity, Control, Progress};
pub use data::breaks::{BreakStatus, DataBreak, ExceptionKind, Finding, LineBreak, Write};
pub use data::choice::{Choice, Edit, PassPosition, Position};
pub use data::contents::{ContentsOf, ElementType, Image};
pub use data::field::{BINS, ComponentSummary, Field, PixelComparison, PixelCounts, PixelState};
pub use data::group::{Branch, GroupMask, GroupStep, GroupStop, GroupValues, Way};
pub use data::history::{
    History, HistoryEdge, HistoryFragment, HistoryNode, HistoryRequest, LeftOut, NodeKind, Plane, Sequence,
    SequenceStep, Subject, Surroundings, TexelValue, Verdict, When, Why,
};
pub use data::inspect::{
    AskedInvocation, ColumnValue, DivergenceReason, ExpressionInspection, ExpressionPlace, ExpressionRequest,
    FieldComparison, FieldInspection, FieldRequest, InspectRequest, InspectedInvocation, Inspection, PathStep,
    RecordedValue, RunAgreement, TableComparison, TableInspection, TableRequest, TableRow, ValuePlace,
};
pub use data::machine::{ListedInstruction, MemoryPlace};
pub use data::measure::{
    Comparison, Counted, MeasureOptions, MeasureSeconds, Measurement, Overrides, RejectedShader, TRANSPORTS,
    TypedValue, ValueVerdict,
};
pub use data::nan::{Components, NanBirth, NanOrigin, NanOutput, NanRequest, NanSearch, NanSpread, Nonfinite};
pub use data::number::Number;
pub use data::picture::PictureCheck;
pub use data::place::{Frame, Invocation, Lane, Location, PassInfo, Source};
pub use data::profile::{Iteration, Profile, ProfileKind, ProfileRequest, Total};
pub use data::read::{Read, TexelRead};
pub use data::search::{BreakpointHits, BreakpointSearch, DrawHits, DrawSelection, InvocationHit, ShaderSelection};
pub use data::stop::{LogLine, Reason, Step, Stop};
pub use data::trace::{Draw, FrameInfo};
pub use data::value::{Agreement, Scope, Shown, Variable, apart};
pub use device::{Changes, Picture, Tests};
pub use error::{ChangeError, NoValue, SessionError};
pub use inquiry::Isolation;
pub use moment::Moment;
pub use open::Session;
pub use shader::types::Scalar;
pub use shader::version::Stage;
pub use trace::frame_name;
