//! Skills, primitives and tips as data (Xiao et al. 2024, "O3D: Offline Data-driven Discovery and Distillation"): what an agent
//! distils from logs of episodes and acts by afterwards.
//!
//! [`Knowledge`] is what was distilled; [`mod@file`] its readable file, with a validator that names lines. [`response`] reads what a
//! model answers in the three stages, [`mod@line`] single lines of a policy. [`segment`] says
//! whether a cut of one into skills is sound, [`cut`] changes one. [`contrast`] sets a success beside a failure, [`changes`] compares
//! two lists of what is known, [`distil`] says which questions a model is asked about logs and takes its answers. [`mod@discover`]
//! finds knowledge in logs by counting, [`agent`] acts by knowledge, both without a language model. [`resolve`] says which skills would
//! resolve what is in the way. [`mod@example`] cuts logs into what policies are shown. [`code`] is about policies as programs, [`function`] about
//! skills as functions. Nothing here calls a model, runs code or steps a world.

pub mod agent;
pub mod batch;
pub mod call;
pub mod changes;
pub mod code;
pub mod contrast;
pub mod cut;
pub mod discover;
pub mod distil;
pub mod document;
pub mod example;
pub mod file;
pub mod form;
pub mod function;
pub mod hierarchy;
mod history;
#[cfg(test)]
mod house;
pub mod knowledge;
pub mod line;
pub mod primitive;
pub mod resolve;
pub mod response;
pub mod rules;
pub mod scene;
pub mod segment;
pub mod show;

pub use call::{Signature, SkillCall};
pub use discover::{Distilled, discover};
pub use example::Example;
pub use knowledge::{Knowledge, Primitive, Skill};
pub use rules::Rules;
pub use segment::Segment;
