//! How a method answers requests with programs: its template, its memory, what its answers hold.

/// The end of a writer's answer.
pub const NEXT_QUERY: &str = "# query: ";
pub const STATE: &str = "# state = {";

/// The memory from one request to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// All requests and answers so far.
    History,
    /// A belief that a separate ask writes; `shown`: with worked examples, else by instructions alone.
    Apart { shown: bool },
    /// A belief that is part of the answer itself; `history`: all requests, answers and beliefs before it are shown too.
    Together {
        /// Whether the history is kept.
        history: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Program,
    /// Where the ball is: lists of cups, of which the last is the answer.
    Cups,
}

/// How a method of this kind goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePolicy {
    /// The template of its prompt; a chat model's has `_chat` behind it.
    pub template: &'static str,
    pub memory: Memory,
    pub form: Form,
    pub stop: &'static str,
}

/// The purpose of asks for the state after an update.
pub const WRITER: &str = "writer";

impl CodePolicy {
    /// The purpose of its asks for a program, by which settings know them.
    pub fn purpose(self) -> &'static str {
        self.template.rsplit('/').next().unwrap_or_default()
    }

    pub fn believes(self) -> bool {
        self.memory != Memory::History
    }
}
