//! Text fit for a terminal: counts in words, characters that act on no terminal, lines of a width.

pub mod sanitize;
pub mod words;
pub mod wrap;
