//! The library: the sessions kept on this machine and the logs that a person adds, as decisions with the states that they were taken in.
//! `shelf` lists the folders, `contents` says what a decision is and finds those of a file (`calls` the calls of an action), `index` keeps them in the folder of the cache and reads only what is new,
//! `occasions` has the states, `impact` says what an assertion would have stopped. Knows no method, model or terminal.

mod calls;
mod contents;
mod impact;
mod index;
mod occasions;
mod shelf;
#[cfg(test)]
mod tests;

pub use calls::{Actions, Called};
pub use contents::{Contents, Decision, Episode, Judged, Node, Person, refusal};
pub use impact::{Impact, JudgedCounts, Library, Look, Otherwise, Stopped};
pub use index::Index;
pub use shelf::Shelf;
