//! Prompt editor: message by message, before the prompt is sent again. Of a program's request its texts are edited, all of them; the
//! rest of it goes out as the program made it.

use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;

use crate::event::Input;
use crate::pane::Intent;
use crate::sanitize;
use crate::theme::Role;
use crate::widgets::draw::{Painter, run, split_bottom, split_top};
use crate::widgets::edit::{Edited, Editor};
use stepwright_episode::{Ask, AskId, NodeId, PromptMessage, Session};
use stepwright_method::wording::{self, Wording};
use stepwright_protocol::{Command, Level, Request};

fn unchanged() -> Intent {
    Intent::Say(Level::Info, "the prompt is unchanged, nothing was sent".into())
}

#[derive(Debug)]
pub(crate) struct PromptEditor {
    of: Of,
    messages: Vec<PromptMessage>,
    shown: usize,
    editor: Editor,
}

#[derive(Debug)]
enum Of {
    Ask(AskId),
    /// A program's request at that node, its texts as they came, and how they are worded now.
    Asked(NodeId, Vec<PromptMessage>, Wording),
}

impl PromptEditor {
    /// Begins with an ask's messages; `None` if it has no prompt.
    pub fn new(session: &Session, node: NodeId, ask: &Ask) -> Option<Self> {
        let prompt = ask.prompt.as_ref()?;
        let asked = wording::asked(session, node);
        let (of, messages) = match asked.is_empty() {
            true => (Of::Ask(ask.id), prompt.messages.clone()),
            false => {
                let now = wording::at(session, node);
                let mut messages = asked.clone();
                for (number, text) in &now {
                    messages.get_mut(*number).into_iter().for_each(|message| message.text.clone_from(text));
                }
                (Of::Asked(node, asked, now), messages)
            }
        };
        // The last message is the one most often changed.
        let shown = messages.len().checked_sub(1)?;
        let editor = Editor::lines(&messages.get(shown)?.text);
        Some(PromptEditor { of, messages, shown, editor })
    }

    fn keep(&mut self) {
        let text = self.editor.text();
        if let Some(message) = self.messages.get_mut(self.shown) {
            message.text = text;
        }
    }

    fn turn(&mut self, forward: bool) {
        self.keep();
        let n = self.messages.len().max(1);
        self.shown = if forward { (self.shown + 1) % n } else { (self.shown + n - 1) % n };
        let text = self.messages.get(self.shown).map_or("", |m| m.text.as_str());
        self.editor = self.editor.next_lines(text);
    }

    /// Takes typed text; returns whether editing continues.
    pub fn input(&mut self, input: Input<'_>) -> (bool, Vec<Intent>) {
        if let Input::Key(key) = input
            && matches!(key.code, KeyCode::Tab | KeyCode::BackTab)
            && key.kind != KeyEventKind::Release
            && self.messages.len() > 1
        {
            self.turn(key.code == KeyCode::Tab && !key.modifiers.contains(KeyModifiers::SHIFT));
            return (true, Vec::new());
        }
        match self.editor.input(input) {
            Edited::Same | Edited::Changed => (true, Vec::new()),
            Edited::Cancel => (false, vec![unchanged()]),
            Edited::Accept => {
                self.keep();
                (false, vec![self.sent().map_or_else(unchanged, |request| Intent::Send(Command::Gate(request)))])
            }
        }
    }

    fn sent(&self) -> Option<Request> {
        match &self.of {
            Of::Ask(ask) => Some(Request::Resend { ask: *ask, messages: self.messages.clone() }),
            Of::Asked(node, asked, now) => {
                let pairs = self.messages.iter().zip(asked).enumerate();
                let other = pairs.filter(|(_, (new, old))| new.text != old.text);
                let wording: Wording = other.map(|(number, (new, _))| (number, new.text.clone())).collect();
                (wording != *now).then(|| wording::send(*node, &wording))
            }
        }
    }

    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let (head, area) = split_top(area, 1);
        let (area, foot) = split_bottom(area, 1);
        let role = self.messages.get(self.shown).map_or("", |m| m.role.as_str());
        let place = format!("message {} of {}, ", self.shown + 1, self.messages.len());
        painter.row(head, 0, &[run(Role::Dim, place), run(Role::Key, format!("[{role}]"))]);
        self.editor.draw(painter, area);
        let tab = if self.messages.len() > 1 { "; Tab: next message" } else { "" };
        // What cannot be drawn stays in the text as it is; a person should know that it is there.
        let text = self.editor.text();
        let hidden =
            if sanitize::visible(&text) == text.as_str() { "" } else { "; holds characters that cannot be shown" };
        painter.row(foot, 0, &[run(Role::Dim, format!("Ctrl-S sends it; Esc cancels{tab}{hidden}"))]);
    }
}
