//! How sessions are shown, as the command line says it.

/// How sessions are shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Blind from the first moment on.
    pub blind: bool,
    /// Without a change and without a written byte.
    pub read_only: bool,
    /// In the presenter's view at first.
    pub presents: bool,
}
