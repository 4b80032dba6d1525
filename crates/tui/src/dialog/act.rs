//! Dialog that types an action, from scratch, from a proposal, or as a further one of the blocking tree: completion over the admissible
//! ones, checked as it is typed.

use std::time::Duration;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::field::Field;
use super::list::List;
use super::{Context, Dialog, Reply, next_token};
use crate::actions::ActionId;
use crate::event::Input;
use crate::panes::draw::{Painter, Row, run};
use crate::panes::{edit, words};
use crate::theme::{Role, Theme};
use crate::{fuzzy, sanitize};
use stepwright_driver::{Command, Request};
use stepwright_episode::{CheckKind, ProposalId, Status, TreeEdit, Verdict};
use stepwright_program::SyntaxFault;

/// Quiet time before a typed text is checked.
const DEBOUNCE: Duration = Duration::from_millis(80);

/// Rows of the verdict under the field.
const VERDICT_ROWS: u16 = 6;

/// What the action is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be taken: one of a person's own.
    Take,
    /// To be taken in place of that proposal's.
    Edit(ProposalId),
    /// To be tried below that node of the blocking tree.
    Tree(u32),
}

/// Types an action.
pub struct Act {
    purpose: Purpose,
    field: Field,
    list: List,
    /// Whether the person moved into the list.
    picking: bool,
    /// Whether the person moved up out of the list: the text counts as it is.
    as_typed: bool,
    /// The text that was asked about because it is no admissible action: a further Enter takes it as it is.
    asked: Option<String>,
    /// Admissible actions that match, best first.
    found: Vec<String>,
    /// The token of the last check asked for.
    token: u64,
    /// Where the text is a call that does not parse.
    fault: Option<SyntaxFault>,
}

impl Act {
    /// Types an action, beginning with a text.
    pub fn new(purpose: Purpose, text: &str, context: Context<'_>) -> Self {
        let field = Field::new(text);
        let (list, found) = (List::default(), Vec::new());
        let (asked, fault) = (None, None);
        let mut act = Act { purpose, field, list, picking: false, as_typed: false, asked, found, token: 0, fault };
        act.search(context);
        act
    }

    fn search(&mut self, context: Context<'_>) {
        (self.picking, self.as_typed, self.asked) = (false, false, None);
        self.fault = edit::fault(self.field.text(), SyntaxFault::of_call);
        self.list = List::default();
        let admissible = admissible(context).unwrap_or_default();
        let found = fuzzy::rank(self.field.text(), admissible.iter().map(String::as_str));
        self.found = found.into_iter().filter_map(|i| admissible.get(i).cloned()).collect();
    }

    fn changed(&mut self, context: Context<'_>) -> Vec<Reply> {
        self.search(context);
        vec![Reply::WakeIn(DEBOUNCE)]
    }

    fn marked(&self) -> Option<&str> {
        self.found.get(self.list.cursor()).map(String::as_str)
    }

    /// Whether the text is an action as it is: an admissible one, a program call, or any where there is no list. A call that does not parse
    /// is none, unless the world lists it.
    fn is_exact(&self, context: Context<'_>) -> bool {
        let typed = self.field.text().trim();
        match admissible(context) {
            Some(all) if all.iter().any(|one| one == typed) => true,
            _ if self.fault.is_some() => false,
            all => all.is_none() || typed.contains('('),
        }
    }

    /// Whether Enter takes the marked row: a person moved to it, or typed words of it.
    fn takes_marked(&self, context: Context<'_>) -> bool {
        let typed = !self.field.text().trim().is_empty() && !self.is_exact(context);
        self.picking || (typed && !self.as_typed && !self.found.is_empty())
    }

    fn accept(&mut self, context: Context<'_>) -> Vec<Reply> {
        let typed = self.field.text().trim().to_owned();
        if self.takes_marked(context) {
            let marked = self.marked().map_or(typed, str::to_owned);
            return self.take(&marked);
        }
        if self.is_exact(context) || self.asked.as_ref() == Some(&typed) {
            return self.take(&typed);
        }
        self.asked = Some(typed).filter(|text| !text.is_empty());
        Vec::new()
    }

    /// The question about a text that is no admissible action, with the nearest one.
    fn question(&self, context: Context<'_>) -> Option<String> {
        let text = self.asked.as_ref()?;
        if let Some(fault) = &self.fault {
            return Some(format!("`{text}` {}. Enter again takes it as it is.", fault.in_words()));
        }
        let near = admissible(context)?.iter().max_by(|a, b| {
            let likeness = |one: &String| strsim::jaro_winkler(one, text);
            likeness(a).total_cmp(&likeness(b))
        });
        let near = near.map(|n| format!(" The nearest is `{n}`.")).unwrap_or_default();
        Some(format!("`{text}` is none of the admissible actions.{near} Enter again takes it as it is."))
    }

    fn take(&self, text: &str) -> Vec<Reply> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        let request = match self.purpose {
            Purpose::Edit(proposal) => Request::Edit { proposal, text },
            Purpose::Take => Request::Manual { text },
            Purpose::Tree(under) => Request::edit_tree(&TreeEdit::Add { under, action: text }),
        };
        vec![Reply::Close, Reply::Send(Command::Gate(request))]
    }

    fn verdict<'a>(&self, context: Context<'a>) -> Option<&'a Result<Verdict, String>> {
        context.view.text_checked.as_ref().filter(|(token, _)| *token == self.token).map(|(_, verdict)| verdict)
    }

    fn move_in_list(&mut self, by: isize, pages: bool) {
        if by < 0 && !pages && self.list.cursor() == 0 {
            (self.picking, self.as_typed) = (false, true);
            return;
        }
        self.as_typed = false;
        // The first press down marks the first row.
        if !self.picking && by > 0 && !pages {
            self.list = List::default();
        } else if pages {
            self.list.page(by, self.found.len());
        } else {
            self.list.step(by, self.found.len());
        }
        self.picking = !self.found.is_empty();
    }
}

/// The world's admissible actions, where it has a list of them.
fn admissible(context: Context<'_>) -> Option<&[String]> {
    context.view.situation.as_ref().and_then(|s| s.admissible.as_deref())
}

/// What checking said, in rows of so many columns.
pub(super) fn verdict_rows(verdict: &Result<Verdict, String>, theme: &Theme, columns: usize) -> Vec<Row> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(why) => return words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, why, columns),
    };
    let mut rows = Vec::new();
    if let Some(preview) = verdict.preview.as_deref() {
        rows.extend(words::labelled(&format!("{} ", theme.glyphs.arrow), Role::Dim, &sanitize::line(preview), columns));
    }
    for check in &verdict.checks {
        let (mark, role) = words::mark(&theme.glyphs, check.status.into());
        let kind = if check.kind == CheckKind::World { "world: " } else { "" };
        let mut lines =
            words::labelled(&format!("{mark} "), Role::Text, &format!("{kind}{}", check.condition), columns);
        if let Some(lead) = lines.first_mut().and_then(|line| line.first_mut()) {
            lead.role = role;
        }
        rows.extend(lines);
        if let Some(detail) = check.detail.as_deref().filter(|_| check.status != Status::Holds) {
            rows.extend(words::labelled("    ", Role::Dim, detail, columns));
        }
    }
    if verdict.checks.is_empty() {
        let text = "not checked: no precondition is in force for this action";
        rows.extend(words::labelled(&format!("{} ", theme.glyphs.unchecked), Role::Dim, text, columns));
    }
    rows
}

impl Dialog for Act {
    fn title(&self) -> String {
        match self.purpose {
            Purpose::Edit(_) => "Edit the action, then take it".into(),
            Purpose::Take => "Type an action".into(),
            Purpose::Tree(_) => "Add an action that may remove what blocks".into(),
        }
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        let up = if self.as_typed { "(the text as typed)" } else { "the text as typed" };
        vec![
            (ActionId::Accept, if matches!(self.purpose, Purpose::Tree(_)) { "add" } else { "take" }),
            (ActionId::Complete, "complete"),
            (ActionId::ItemDown, "mark"),
            (ActionId::ItemUp, up),
            (ActionId::Close, "cancel"),
        ]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (90, 20)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        self.field.render(theme, area, frame, !self.picking);
        let verdict =
            Rect { y: area.y + area.height.min(1), height: area.height.saturating_sub(1).min(VERDICT_ROWS), ..area };
        let columns = usize::from(verdict.width);
        let fault = self.fault.as_ref().filter(|_| !self.is_exact(context));
        let rows = match (self.question(context), self.verdict(context)) {
            (Some(question), _) => words::labelled("", Role::Warn, &question, columns),
            (None, _) if fault.is_some() => {
                let words = fault.map(SyntaxFault::in_words).unwrap_or_default();
                words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, &words, columns)
            }
            (None, Some(checked)) => verdict_rows(checked, theme, columns),
            (None, None) if self.field.text().trim().is_empty() => {
                words::labelled("", Role::Dim, "An action as the world reads it, or its program call.", columns)
            }
            (None, None) => vec![vec![run(Role::Dim, format!("checking {}", theme.glyphs.ellipsis))]],
        };
        Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(verdict, &rows);
        let below = Rect { y: verdict.bottom(), height: area.bottom().saturating_sub(verdict.bottom()), ..area };
        let title = match context.view.situation.as_ref().map(|s| s.admissible.as_ref().map(Vec::len)) {
            Some(Some(all)) => format!("{} of {all} admissible actions", self.found.len()),
            _ => "This world has no list of admissible actions.".to_owned(),
        };
        frame.render_widget(
            Line::styled(title, theme.style(Role::Title)),
            Rect { height: below.height.min(1), ..below },
        );
        let rows = Rect { y: below.y + below.height.min(1), height: below.height.saturating_sub(1), ..below };
        let marked = self.takes_marked(context);
        let Act { list, found, .. } = self;
        list.render(theme, rows, frame, marked, found.len(), |i| {
            Line::styled(sanitize::line(found.get(i).map_or("", String::as_str)), theme.style(Role::Text))
        });
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::ItemUp => self.move_in_list(-1, false),
            ActionId::ItemDown => self.move_in_list(1, false),
            ActionId::ItemPageUp => self.move_in_list(-1, true),
            ActionId::ItemPageDown => self.move_in_list(1, true),
            ActionId::Complete => {
                if let Some(text) = self.marked().map(str::to_owned) {
                    self.field.set(&text);
                    return self.changed(context);
                }
            }
            ActionId::Accept => return self.accept(context),
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, context: Context<'_>) -> Vec<Reply> {
        if self.field.input(input) { self.changed(context) } else { Vec::new() }
    }

    fn wake(&mut self, _: Context<'_>) -> Vec<Reply> {
        let text = self.field.text().trim().to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        self.token = next_token();
        vec![Reply::Send(Command::CheckText { token: self.token, text })]
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        match event.kind {
            MouseEventKind::ScrollUp => self.move_in_list(-1, false),
            MouseEventKind::ScrollDown => self.move_in_list(1, false),
            MouseEventKind::Down(MouseButton::Left) => {
                let top = area.y + area.height.min(2 + VERDICT_ROWS);
                let rows = Rect { y: top, height: area.bottom().saturating_sub(top), ..area };
                let at = Position::new(event.column, event.row);
                if let Some(text) =
                    self.list.row_at(rows, at, self.found.len()).and_then(|r| self.found.get(r)).cloned()
                {
                    self.field.set(&text);
                    return self.changed(context);
                }
            }
            _ => {}
        }
        Vec::new()
    }
}
