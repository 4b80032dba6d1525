//! Programs that answer requests: how a method asks for them (`policy`), its prompts with their examples (`prompt`, `worked`, `games`,
//! `answered`), the reading of what a model wrote (`answer`) and what is kept of it (`texts`), and which program is being carried out, as the records say (`active_program`).

mod active_program;
mod answer;
mod answered;
mod games;
mod policy;
mod prompt;
mod texts;
mod worked;

pub(crate) use active_program::{ActiveProgram, Programs};
pub(crate) use answer::{Answer, list_of, parted, read_list, read_program, updates_of_lines, written};
pub(crate) use answered::{AnsweredRequest, cups};
pub(crate) use policy::{CodePolicy, Form, Memory, NEXT_QUERY, STATE, WRITER};
pub(crate) use prompt::{Asked, Refused, program_prompt, state_prompt};
pub(crate) use texts::{TEXTS, UPDATES, by_lines, is_verbatim};
