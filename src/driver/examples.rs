//! The example sessions that ship in the program: they open without any model.

/// A shipped session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Its name (`solved`).
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub title: &'static str,
    /// The log.
    pub text: &'static str,
}

/// All of them.
pub const EXAMPLES: &[Example] = &[];
