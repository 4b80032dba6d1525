//! Files that survive crashes: the one door to the disk for what may not be lost.
//!
//! [`Handle`] is the seam: every open, write, sync, cut, lock and rename of a session, a results file or a cassette goes through it, so
//! that [`faults`] can be injected there, [`power`] cut and processes put in every order ([`schedule`]). [`Lines`] appends lines whole or not
//! at all and knows what the disk has; [`Reader`] reads them and knows what is torn; [`replace`] writes a file whole or leaves the old one;
//! [`read_text`] reads one within a bound, [`read_lines`] line by line, packed or not ([`plain_or_packed`]); [`sum`] gives a line its checksum; [`names`] finds fields nobody knows. What the lines mean is
//! the callers'. [`free`] finds a name that is not taken, [`folder`] makes a place for it.

#![warn(missing_docs)]

pub mod faults;
mod folder;
mod free;
mod handle;
mod lines;
pub mod losses;
pub mod names;
pub mod power;
mod reader;
pub mod schedule;
pub mod sum;
mod text;
mod whole;

pub use folder::folder;
pub use free::{free, numbered, siblings};
pub use handle::{Handle, Lock};
pub use lines::{Lines, Presence, torn_file};
pub use reader::{Misread, Reader, without_mark};
pub use text::{plain_or_packed, read_bytes, read_lines, read_text};
pub use whole::{Readers, remove, rename, replace, replace_for};
