//! Text fit for a terminal: counts in words, paths into JSON values, characters that act on no terminal, lines of a width.

pub mod json_pointer;
pub mod sanitize;
pub mod sgr;
pub mod words;
pub mod wrap;
