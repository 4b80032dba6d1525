//! Wire formats that agents ask language models in: OpenAI's Chat Completions and Responses, Anthropic's Messages.
//!
//! One neutral form ([`Request`], [`Answer`]) for people, programs and checks; beside it always the text that came, so that what nobody
//! edits stays as it was, unknown fields included ([`Whole`]). `neutral` is that form, `raw` cuts JSON into its texts, `chat`, `responses` and
//! `messages` are the formats, `request` and `whole` read whichever it is, `extend` adds turns to a request, `passages` words its texts otherwise, `stored` keeps what a provider keeps of responses, `threads`
//! tells conversations apart, `delta` writes a request as what it adds to an earlier one, `compare` compares a request with a recorded one.
//! Nothing here knows a network, a world or a method.

mod chat;
mod compare;
mod delta;
mod extend;
mod images;
mod messages;
mod neutral;
mod passages;
mod raw;
mod request;
mod responses;
mod stored;
#[cfg(test)]
mod tests;
mod texts;
mod threads;
mod usage;
mod whole;

pub use compare::{Aside, Difference, difference};
pub use delta::Delta;
pub use extend::{Turn, extended};
pub use images::{Image, images};
pub use neutral::{Answer, Api, Form, Message, Part, Problem, Request, Role, Stamp, Tool, ToolCall, finish};
pub use passages::{Passage, passages, reworded};
pub use raw::{read as lenient, without_halves};
pub use stored::Stored;
pub use texts::event;
pub use threads::{Added, Threads, added};
pub use usage::Usage;
pub use whole::{Fold, Whole, is_refusal, keep_alive, late, opening, refusal};
