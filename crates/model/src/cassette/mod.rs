//! Cassettes: exchanges with a language model, recorded and played back.
//!
//! A cassette is a JSONL file: a header line with the format's version and the model's name, then one line an exchange: the
//! request, the text as it arrived piece by piece, and the response. Only answered requests are recorded. Neither keys nor
//! headers are in it, as neither reaches this layer. [`Recorder`] writes, [`Cassette`] plays back; a [`Recorder`] that answers
//! from what is recorded and asks for the rest is a cache.
//!
//! Scorings of given texts are separate lines, with the field `score`.
//!
//! A request is recognised by its content: messages (line ends unified), temperature, number, stops, seed. The bound on
//! tokens does not count, nor whether log-probabilities were asked for, as long as the recording has what is asked. Equal requests are
//! answered in the order they were recorded; after the last, the order starts again, so that a session replayed twice sees the
//! same both times.

mod file;
mod nearest;
mod play;
mod record;
mod tape;
#[cfg(test)]
mod tests;

pub use file::CassetteError;
pub use play::Cassette;
pub use record::Recorder;
