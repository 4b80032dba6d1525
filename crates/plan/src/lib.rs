//! Plans of free-form steps, as in "Language Models as Zero-Shot Planners" and "Planning with Large Language Models via Corrective
//! Re-prompting": what is done with a sentence that a model wrote as the next step.
//!
//! [`score`] weighs how near a sentence is to an admissible step against how likely the model found it, and says when generation
//! stops; [`settings`] holds the published figures; [`sample`] reads a completion as a step, [`written`] its text; [`fit`] fits the example of the
//! nearest task to a task, where no language model writes; [`recorded`] answers with plans and corrections
//! that were written before. Pure: sentence vectors, prompts and worlds are left to others.

pub mod fit;
mod once;
pub mod recorded;
pub mod sample;
pub mod score;
pub mod settings;
pub mod written;
