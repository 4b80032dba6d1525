//! In-place editing of one value of the belief: a text as it is, anything else as JSON, checked as one types.

use serde_json::Value;

use crate::belief_text;
use crate::event::Input;
use crate::pane::Intent;
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Row, run};
use crate::widgets::edit::{Edited, Editor};
use stepwright_episode::ArtifactId;
use stepwright_protocol::{Command, Level, Request};

#[derive(Debug)]
pub(crate) struct ValueEdit {
    pub pointer: String,
    pub editor: Editor,
    /// Whether the value is a text, which is typed without quotes.
    text: bool,
}

impl ValueEdit {
    pub fn new(pointer: &str, value: &Value) -> Self {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        ValueEdit { pointer: pointer.to_owned(), editor: Editor::line(&shown), text: value.is_string() }
    }

    fn value(&self) -> Result<Value, String> {
        let typed = self.editor.text();
        if self.text {
            return Ok(Value::String(typed));
        }
        let wrong = |e| format!("no value: {e}; texts stand in double quotes");
        serde_json::from_str(&typed).map_err(wrong)
    }

    /// Takes typed text; returns whether editing continues.
    pub fn input(&mut self, input: Input<'_>, belief: &Value) -> (bool, Vec<Intent>) {
        let say = |level, text: &str| vec![Intent::Say(level, text.to_owned())];
        match self.editor.input(input) {
            Edited::Same | Edited::Changed => (true, Vec::new()),
            Edited::Cancel => (false, say(Level::Info, "what is believed is unchanged")),
            Edited::Accept => {
                let value = match self.value() {
                    Ok(value) => value,
                    Err(why) => return (true, say(Level::Warning, &why)),
                };
                let mut state = belief.clone();
                match state.pointer_mut(&self.pointer) {
                    None => (false, say(Level::Warning, "that value is gone")),
                    Some(place) if *place == value => (false, say(Level::Info, "what is believed is unchanged")),
                    Some(place) => {
                        *place = value;
                        let text = belief_text::of(&state);
                        (false, vec![Intent::Send(Command::Gate(Request::correct(ArtifactId::BELIEF, text)))])
                    }
                }
            }
        }
    }

    pub fn note(&self, theme: &Theme) -> Row {
        match self.value() {
            Ok(_) => vec![
                run(Role::Good, theme.glyphs.yes),
                run(Role::Dim, " Enter corrects the belief; Esc leaves it as it is"),
            ],
            Err(why) => vec![run(Role::Bad, format!("{} {why}", theme.glyphs.no))],
        }
    }
}
