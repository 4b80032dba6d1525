//! In-place editing of an action's line: the typed text is run against the specification, with all lines after it.

use super::rows;
use crate::event::Input;
use crate::pane::Intent;
use crate::panes::debounce::Debounce;
use crate::view::{Answer, View};
use crate::widgets::edit::{self, Edited, Editor};
use stepwright_episode::{Action, NodeId};
use stepwright_program::{Call, SyntaxFault};
use stepwright_protocol::{Command, Level, LineStatus, Request};

#[derive(Debug)]
pub struct Editing {
    pub node: NodeId,
    pub editor: Editor,
    original: String,
    /// Where the text is a call that does not parse.
    pub fault: Option<SyntaxFault>,
    pause: Debounce,
    /// The edited line's index among the checked lines.
    first: Option<usize>,
    /// The fates of all lines, as last answered.
    lines: Vec<LineStatus>,
    answered: bool,
}

impl Editing {
    pub fn new(node: NodeId, text: &str) -> Self {
        Editing {
            node,
            editor: Editor::line(text),
            original: text.to_owned(),
            fault: None,
            pause: Debounce::default(),
            first: None,
            lines: Vec::new(),
            answered: false,
        }
    }

    /// Takes typed text; returns whether editing continues.
    pub fn input(&mut self, input: Input<'_>, view: &View) -> (bool, Vec<Intent>) {
        match self.editor.input(input) {
            Edited::Same => (true, Vec::new()),
            Edited::Changed => (true, vec![self.touched()]),
            Edited::Cancel => (false, Vec::new()),
            Edited::Accept => {
                let text = self.editor.text().trim().to_owned();
                if text.is_empty() {
                    return (
                        true,
                        vec![Intent::Say(Level::Warning, "the line is empty; type an action or cancel".into())],
                    );
                }
                if text == self.original {
                    return (false, vec![Intent::Say(Level::Info, "the line is unchanged".into())]);
                }
                if view.session.as_ref().and_then(|s| s.node(self.node)).is_none() {
                    return (false, vec![Intent::Say(Level::Warning, "that step is gone".into())]);
                }
                if let Some(why) = self.unreadable(&text, view) {
                    return (true, vec![Intent::Say(Level::Warning, why)]);
                }
                (false, vec![Intent::Send(Command::Gate(Request::Rewrite { node: self.node, text }))])
            }
        }
    }

    /// Why a text is neither a call nor an action the world is known to take, so that it could only be refused.
    fn unreadable(&self, text: &str, view: &View) -> Option<String> {
        let fault = text.parse::<Call>().err()?;
        let session = view.session.as_ref()?;
        let same = |a: &Action| a.text == text;
        let here = view.situation.as_ref().and_then(|s| s.admissible.as_ref());
        let known = here.is_some_and(|all| all.iter().any(|a| a == text))
            || session.nodes().iter().any(|n| {
                let took = n.outcome.error.is_none() && n.action.as_deref().is_some_and(same);
                took || n.turn.proposals.iter().filter_map(|p| p.action.as_ref()).any(same)
            });
        let fault = match SyntaxFault::of_call(text) {
            Some(unparsed) => format!("this line {}", unparsed.in_words()),
            None => fault.to_string(),
        };
        (!known).then(|| format!("{fault}; correct the line, or Esc cancels"))
    }

    fn touched(&mut self) -> Intent {
        self.fault = edit::fault(&self.editor.text(), SyntaxFault::of_call);
        self.answered = false;
        self.pause.touch()
    }

    /// After a pause: has the whole program checked.
    pub fn wake(&mut self, view: &View, trail: &[NodeId]) -> Vec<Intent> {
        let (Some(token), Some(session)) = (self.pause.ready(), &view.session) else { return Vec::new() };
        let (lines, first) = rows::edited_program(trail, session, self.node, self.editor.text().trim());
        self.first = first;
        vec![Intent::Send(Command::CheckProgram { token, lines })]
    }

    pub fn update(&mut self, view: &View) {
        if let Some(Answer::Program(lines)) = self.pause.answer(view)
            && !self.answered
        {
            self.lines.clone_from(lines);
            self.answered = true;
        }
    }

    /// Whether the shown fates belong to the present text.
    pub(crate) fn is_fresh(&self) -> bool {
        self.answered
    }

    pub fn own(&self) -> Option<&LineStatus> {
        self.first.and_then(|i| self.lines.get(i))
    }

    /// The fate of the `offset`-th call after the edited line.
    pub fn after(&self, offset: usize) -> Option<&LineStatus> {
        self.first.and_then(|i| self.lines.get(i + offset))
    }

    /// Where in the program the first error arises: calls after the edited line (0 is that line itself), and its words.
    pub fn first_error(&self) -> Option<(usize, &str)> {
        let first = self.first?;
        self.lines.iter().enumerate().skip(first).find_map(|(i, line)| match line {
            LineStatus::Raised(why) | LineStatus::Unreadable(why) => Some((i - first, why.as_str())),
            _ => None,
        })
    }
}
