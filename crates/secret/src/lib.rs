//! Secrets in texts: keys that are known are masked wherever they occur ([`Mask`]); words and variables that look secret are masked
//! where commands and settings are shown ([`shown_words`], [`is_secret_name`]). Which texts pass through is decided elsewhere.

mod mask;
mod words;

pub use mask::{Mask, Pieces};
pub use words::{is_secret_name, shown_words};
