//! Text fit for a terminal: counts in words, paths into JSON values, characters that act on no terminal, columns and
//! lines of a width.

pub mod columns;
pub mod json_pointer;
pub mod sanitize;
pub mod sgr;
pub mod words;
pub mod wrap;

pub use columns::Columns;
