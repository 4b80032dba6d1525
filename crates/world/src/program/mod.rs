//! Program: the crate `stepwright-program` (specifications, calls, rendering, the bounded Python engine, the sandbox of
//! model-written code), and a program state with the assertions in force, which says its checks as sessions record them.

mod checked;
mod view;

pub use checked::CheckedProgram;
pub use stepwright_program::*;
pub(crate) use view::worst;
pub use view::{ProgramView, Trust};
