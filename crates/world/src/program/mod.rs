//! Program: the crate `stepwright-program` (specifications, calls, the bounded Python engine, the sandbox of
//! model-written code), and a program state with the assertions in force, which says its checks as sessions record them.

mod checked;

pub(crate) use checked::worst;
pub use checked::{CheckedProgram, Trust};
pub use stepwright_program::*;
