//! Types an action, from scratch or from a proposal: completion over the admissible ones, checked as it is typed.

use std::time::Duration;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::field::Field;
use super::list::List;
use super::{Context, Dialog, Reply, next_token};
use crate::driver::{Command, Request};
use crate::episode::{CheckKind, ProposalId, Status, Verdict};
use crate::tui::actions::ActionId;
use crate::tui::event::Input;
use crate::tui::panes::words;
use crate::tui::theme::{Role, Theme};
use crate::tui::{fuzzy, sanitize};

/// Quiet time before a typed text is checked.
const DEBOUNCE: Duration = Duration::from_millis(80);

/// Rows of the verdict under the field.
const VERDICT_ROWS: u16 = 6;

/// Types an action.
pub struct Act {
    /// The proposal it is edited from; `None` when typed from scratch.
    from: Option<ProposalId>,
    field: Field,
    list: List,
    /// Whether the person moved into the list: then Enter takes the marked action.
    picking: bool,
    /// Admissible actions that match, best first.
    found: Vec<String>,
    /// The token of the last check asked for.
    token: u64,
}

impl Act {
    /// Types an action from scratch, or edits that of a proposal.
    pub fn new(from: Option<ProposalId>, text: &str, context: Context<'_>) -> Self {
        let field = Field::new(text);
        let mut act = Act { from, field, list: List::default(), picking: false, found: Vec::new(), token: 0 };
        act.search(context);
        act
    }

    fn search(&mut self, context: Context<'_>) {
        self.picking = false;
        self.list = List::default();
        let admissible = context.view.situation.as_ref().and_then(|s| s.admissible.as_deref()).unwrap_or_default();
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

    fn take(&self, text: &str) -> Vec<Reply> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        let command = match self.from {
            Some(proposal) => Command::Gate(Request::Edit { proposal, text }),
            None => Command::Gate(Request::Manual { text }),
        };
        vec![Reply::Close, Reply::Send(command)]
    }

    fn verdict<'a>(&self, context: Context<'a>) -> Option<&'a Result<Verdict, String>> {
        context.view.text_checked.as_ref().filter(|(token, _)| *token == self.token).map(|(_, verdict)| verdict)
    }

    fn move_in_list(&mut self, by: isize, pages: bool) {
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

/// What checking said, in at most `VERDICT_ROWS` rows.
pub(super) fn verdict_lines<'a>(verdict: &'a Result<Verdict, String>, theme: &Theme) -> Vec<Line<'a>> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(why) => {
            let text = format!("{} {}", theme.glyphs.no, sanitize::line(why));
            return vec![Line::styled(text, theme.style(Role::Bad))];
        }
    };
    let mut lines = Vec::new();
    for check in &verdict.checks {
        let (mark, role) = words::mark(&theme.glyphs, check.status.into());
        let kind = if check.kind == CheckKind::World { "world: " } else { "" };
        let mut spans = vec![
            Span::styled(format!("{mark} "), theme.style(role)),
            Span::styled(format!("{kind}{}", sanitize::line(&check.condition)), theme.style(Role::Text)),
        ];
        if let Some(detail) = check.detail.as_deref().filter(|_| check.status != Status::Holds) {
            spans.push(Span::styled(format!("  {}", sanitize::line(detail)), theme.style(Role::Dim)));
        }
        lines.push(Line::from(spans));
    }
    if lines.is_empty() {
        let text = format!("{} not checked: no precondition is in force for this action", theme.glyphs.unchecked);
        lines.push(Line::styled(text, theme.style(Role::Dim)));
    }
    if let Some(preview) = verdict.preview.as_deref() {
        let text = format!("{} {}", theme.glyphs.arrow, sanitize::line(preview));
        lines.insert(0, Line::styled(text, theme.style(Role::Dim)));
    }
    lines
}

impl Dialog for Act {
    fn title(&self) -> String {
        match self.from {
            Some(_) => "Edit the action, then take it".into(),
            None => "Type an action".into(),
        }
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        let accept = if self.picking { "take the marked one" } else { "take it" };
        vec![
            (ActionId::Accept, accept),
            (ActionId::Complete, "complete"),
            (ActionId::ItemDown, "mark"),
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
        let lines = match self.verdict(context) {
            Some(verdict) => verdict_lines(verdict, theme),
            None if self.field.text().trim().is_empty() => {
                vec![Line::styled("An action as the world reads it, or its program call.", theme.style(Role::Dim))]
            }
            None => vec![Line::styled(format!("checking {}", theme.glyphs.ellipsis), theme.style(Role::Dim))],
        };
        for (y, line) in (verdict.y..verdict.bottom()).zip(lines) {
            frame.render_widget(line, Rect { y, height: 1, ..verdict });
        }
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
        let Act { list, found, picking, .. } = self;
        list.render(theme, rows, frame, *picking, found.len(), |i| {
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
            ActionId::Accept => {
                let text = if self.picking { self.marked() } else { None };
                return self.take(text.unwrap_or(self.field.text()));
            }
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
