//! Dialog for the name of a file to be written or read. An existing file is replaced only after a second yes.

use std::path::{Path, PathBuf};

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::actions::ActionId;
use crate::event::Input;
use crate::pane::FileUse;
use crate::panes::draw::{Painter, Row, run, split_top};
use crate::panes::words;
use crate::theme::Role;
use stepwright_driver::{Command, SetSource, WorkshopCommand};
use stepwright_method::precondition::ADOPTED_SUFFIX;

/// The ending of session files.
const SESSION_SUFFIX: &str = ".jsonl";

/// The dialog.
pub struct FileName {
    purpose: FileUse,
    field: Field,
    /// The file that a further Enter replaces.
    replaces: Option<PathBuf>,
    problem: Option<String>,
}

impl FileName {
    /// Asks for the name of a file to be used so.
    pub fn new(purpose: FileUse) -> Self {
        let field = match &purpose {
            FileUse::Save { name } => Field::new(&free(name, ADOPTED_SUFFIX)),
            FileUse::Export { form, name } => Field::new(&free(name, form.ending())),
            FileUse::Keep { name } => Field::new(&free(name, SESSION_SUFFIX)),
            FileUse::Compare { name, .. } => Field::new(name),
        };
        FileName { purpose, field, replaces: None, problem: None }
    }

    fn accept(&mut self) -> Vec<Reply> {
        let text = self.field.text().trim();
        if text.is_empty() {
            self.problem = Some("Type a name first.".to_owned());
            return Vec::new();
        }
        let mut path = PathBuf::from(text);
        match &self.purpose {
            FileUse::Save { .. } => {
                // What is adopted is recognised by its ending.
                if !text.ends_with(ADOPTED_SUFFIX) && path.extension().is_none() {
                    path = PathBuf::from(format!("{text}{ADOPTED_SUFFIX}"));
                }
                if self.would_replace(&path) {
                    return Vec::new();
                }
                vec![Reply::Close, Reply::Send(Command::Workshop(WorkshopCommand::SaveSet(path)))]
            }
            FileUse::Export { form, .. } => {
                let form = *form;
                if path.extension().is_none() {
                    path = PathBuf::from(format!("{text}{}", form.ending()));
                }
                if self.would_replace(&path) {
                    return Vec::new();
                }
                vec![Reply::Close, Reply::Export(form, path)]
            }
            FileUse::Keep { .. } => {
                if path.exists() {
                    self.problem = Some(format!("{} is there already; type another name.", path.display()));
                    return Vec::new();
                }
                vec![Reply::Close, Reply::Send(Command::Keep(path))]
            }
            FileUse::Compare { token, .. } => {
                if !Path::new(text).is_file() {
                    self.problem = Some("No such file; names start where the program was started.".to_owned());
                    return Vec::new();
                }
                let (left, right) = (SetSource::InForce, SetSource::File(path));
                vec![
                    Reply::Close,
                    Reply::Send(Command::Workshop(WorkshopCommand::Compare { token: *token, left, right })),
                ]
            }
        }
    }

    /// What is wrong with the name, in rows of so many columns.
    fn said(&self, columns: usize) -> Vec<Row> {
        self.problem.iter().flat_map(|problem| words::labelled("", Role::Bad, problem, columns)).collect()
    }

    /// Whether a file is there already that was not asked about yet; asks.
    fn would_replace(&mut self, path: &Path) -> bool {
        let asks = path.exists() && self.replaces.as_deref() != Some(path);
        if asks {
            self.problem = Some(format!("{} is there already; Enter again replaces it.", path.display()));
            self.replaces = Some(path.to_owned());
        }
        asks
    }
}

/// The name, or the first of `NAME-2`, `NAME-3`, … under which there is no file yet.
fn free(name: &str, suffix: &str) -> String {
    let stem = name.strip_suffix(suffix).unwrap_or(name);
    let ending = name.get(stem.len()..).unwrap_or_default();
    let numbered = (2..1000).map(|n| format!("{stem}-{n}{ending}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !Path::new(name).exists())
        .unwrap_or_else(|| name.to_owned())
}

impl Dialog for FileName {
    fn title(&self) -> String {
        match self.purpose {
            FileUse::Save { .. } => "Write what is in force to a file".into(),
            FileUse::Export { .. } => "Write the session out".into(),
            FileUse::Keep { .. } => "The session's file is gone".into(),
            FileUse::Compare { .. } => "Read a file of preconditions".into(),
        }
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        let accept = match (&self.purpose, &self.replaces) {
            (FileUse::Save { .. } | FileUse::Export { .. }, None) | (FileUse::Keep { .. }, _) => "write",
            (FileUse::Save { .. } | FileUse::Export { .. }, Some(_)) => "replace",
            (FileUse::Compare { .. }, _) => "read",
        };
        vec![(ActionId::Accept, accept), (ActionId::Close, "cancel")]
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        let columns = 72.min(context.columns);
        let problem = self.said(usize::from(columns)).len().max(1);
        (columns, 3 + u16::try_from(problem).unwrap_or(1))
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let about = match self.purpose {
            FileUse::Save { .. } => "All actions' assertions, as Python. The file's name:",
            FileUse::Export { .. } => "The whole session with its branches. The file's name:",
            FileUse::Keep { .. } => "All of it is written again, and kept there. The file's name:",
            FileUse::Compare { .. } => "What it would change is shown first. The file's name:",
        };
        let (head, rest) = split_top(area, 1);
        let (field, rest) = split_top(rest, 1);
        let below = split_top(rest, 1).1;
        let said = self.said(usize::from(area.width));
        let mut painter = Painter { buf: frame.buffer_mut(), theme, focused: true };
        painter.row(head, 0, &[run(Role::Text, about)]);
        painter.rows(below, &said);
        self.field.render(theme, field, frame, true);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action == ActionId::Accept { self.accept() } else { Vec::new() }
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if self.field.input(input) {
            (self.replaces, self.problem) = (None, None);
        }
        Vec::new()
    }
}
