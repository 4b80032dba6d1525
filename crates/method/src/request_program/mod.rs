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

pub use active_program::{ActiveProgram, Programs};
pub use answer::{Answer, list_of, parted, read_list, read_program};
pub(crate) use answer::{updates_of_lines, written};
pub use answered::AnsweredRequest;
pub(crate) use answered::cups;
pub use policy::{CodePolicy, Form, Memory, NEXT_QUERY, STATE, WRITER};
pub(crate) use prompt::state_prompt;
pub use prompt::{Asked, Refused, program_prompt};
pub(crate) use texts::by_lines;
pub use texts::{TEXTS, UPDATES, is_verbatim};
