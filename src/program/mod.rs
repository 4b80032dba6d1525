//! The program: specifications, calls, rendering, and the bounded Python engine that runs them.
//!
//! Knows nothing of worlds, models or terminals. No file, network, environment or process access exists here.

mod call;

pub use call::{Call, CallError, Literal};
