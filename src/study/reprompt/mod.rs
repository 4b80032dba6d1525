//! The study of "Planning with Large Language Models via Corrective Re-prompting": so far what people say of its plans, beside the
//! paper's figures.

mod paper;
mod ratings;

pub use ratings::ratings;
