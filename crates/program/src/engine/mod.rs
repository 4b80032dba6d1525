//! Bounded evaluator: Python source to small trees of nodes, run on values that live on a separate heap.
//!
//! Every construct it offers behaves as in CPython 3.11, down to exception types (where 3.12 differs, some are not offered); any other
//! ends as *unsupported*.
//! Every evaluation has a step, a size and a depth budget. No file, network, clock, environment or process exists in here.

#[macro_use]
pub(crate) mod fault;

mod annotations;
mod attr;
mod builtins;
mod byte_strings;
pub(crate) mod code;
pub(crate) mod compile;
mod compile_expr;
mod construct;
mod counts;
pub(crate) mod depth;
mod eval;
mod exec;
pub(crate) mod fill;
mod format;
pub(crate) mod heap;
mod items;
mod iterate;
mod letters;
mod members;
mod methods;
mod modules;
pub(crate) mod number;
mod numeric;
mod ops;
pub mod parse;
pub(crate) mod relate;
mod scope;
mod str_format;
mod strings;
pub(crate) mod text;
pub(crate) mod types;
pub(crate) mod value;
pub(crate) mod vm;
