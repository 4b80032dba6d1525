//! Methods that answer a request with a program: Statler and what it was compared with, and the three cups.
//!
//! A method here says which template is filled in, what its answer holds and what it remembers from one request to the next: a
//! belief that is maintained, or all that was asked and written so far. `answer` reads what a model wrote, `in_force` tells from
//! the records which program is being carried out. Asking, running and deciding belong elsewhere.

mod answer;
mod in_force;

pub use answer::{Answer, list_of, read_list, read_program, updates};
pub use in_force::{InForce, closes, in_force};

use super::{Method, MethodInfo, Next, Round};
use crate::episode::AskKind;

/// What is remembered from one request to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// All requests and answers so far.
    History,
    /// A belief that an ask of its own writes; `shown`: with worked examples, else by instructions alone.
    Apart {
        /// Whether the writer is shown how.
        shown: bool,
    },
    /// A belief that stands in the answer itself; `history`: all requests, answers and beliefs before it are shown too.
    Together {
        /// Whether the history is kept.
        history: bool,
    },
}

/// What an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A program.
    Program,
    /// Where the ball is: lists of cups, of which the last is the answer.
    Cups,
}

/// How a method of this kind goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coding {
    /// The template of its prompt; a chat model's has `_chat` behind it.
    pub template: &'static str,
    /// What it remembers.
    pub memory: Memory,
    /// What its answers hold.
    pub form: Form,
    /// What ends an answer.
    pub stop: &'static str,
}

impl Coding {
    /// Whether it maintains a belief.
    pub fn believes(self) -> bool {
        self.memory != Memory::History
    }
}

/// The template of the writer's prompt.
pub fn writer_template(shown: bool) -> &'static str {
    if shown { "statler/writer" } else { "statler/writer_auto" }
}

/// What ends a writer's answer.
pub const NEXT_QUERY: &str = "# query: ";
/// What begins a state.
pub const STATE: &str = "# state = {";

/// The id of Statler itself.
pub const STATLER: &str = "statler";

/// A method of this kind.
#[derive(Debug, Clone, Copy)]
pub struct Coder {
    info: MethodInfo,
    coding: Coding,
}

/// All of them, Statler first.
pub(super) fn built_in() -> Vec<Coder> {
    let program = |template, memory, stop| Coding { template, memory, form: Form::Program, stop };
    let cups = |template, memory, stop| Coding { template, memory, form: Form::Cups, stop };
    let coder = |id, label, description, coding| Coder { info: MethodInfo { id, label, description }, coding };
    vec![
        coder(
            STATLER,
            "Statler",
            "A reader writes a program for the request from the believed state; after it has run, a writer rewrites the state for \
             each update_wm of the program. Without a language model both are the built-in instruction reader.",
            program("statler/reader", Memory::Apart { shown: true }, STATE),
        ),
        coder(
            "statler-auto",
            "Statler, writer by instructions",
            "As Statler, but the writer is only told what to do; it is shown no example.",
            program("statler/reader", Memory::Apart { shown: false }, STATE),
        ),
        coder(
            "statler-unified",
            "Statler, one model",
            "One answer holds both the program and the state after it.",
            program("statler/unified", Memory::Together { history: false }, NEXT_QUERY),
        ),
        coder(
            "cap-cot",
            "Code as Policies, chain of thought",
            "As the one model that writes program and state, with all requests, programs and states so far in its prompt.",
            program("statler/chain", Memory::Together { history: true }, NEXT_QUERY),
        ),
        coder(
            "code-as-policies",
            "Code as Policies",
            "A program for the request from all requests and programs so far; no state is maintained.",
            program("statler/code", Memory::History, "# "),
        ),
        coder(
            "cups-plain",
            "Three cups, plain",
            "From the first state and all swaps to where the ball is now. For the three cups.",
            cups("cups/plain", Memory::History, "\n"),
        ),
        coder(
            "cups-cot",
            "Three cups, chain of thought",
            "From the first state and all swaps to every state after them, of which the last is the answer. For the three cups.",
            cups("cups/chain", Memory::History, "END"),
        ),
        coder(
            "cups-state",
            "Three cups, state",
            "From the state believed and one swap to the next state. For the three cups.",
            cups("cups/state", Memory::Together { history: false }, "\n"),
        ),
    ]
}

impl Method for Coder {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn next(&self, round: Round<'_>) -> Next {
        let recommend = |proposal, why: &str| Next::Recommend { proposal, why: why.to_owned() };
        let calls = round.has_asked(&AskKind::PROGRAM_CALL);
        match round.proposals().find(|p| p.action.is_some()) {
            Some(p) if calls => recommend(Some(p.id), "the program's next call"),
            Some(p) => recommend(Some(p.id), "the program for the request"),
            None if calls => recommend(None, "the program's next call cannot be made"),
            None if round.has_asked(&AskKind::PROGRAM) => recommend(None, "the answer holds no program"),
            None => Next::Code,
        }
    }

    fn prompts(&self) -> &'static str {
        "statler"
    }

    fn coding(&self) -> Option<Coding> {
        Some(self.coding)
    }
}
