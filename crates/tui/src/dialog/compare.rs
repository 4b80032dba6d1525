//! Comparison of branches of the session, and of other sessions, in columns aligned by step, over the whole screen. The lines are those of
//! `stepwright compare`; it reads sessions and sends nothing, only Enter goes to a step.

use std::ops::Range;

use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply, fitting_key_row};
use crate::actions::{self, ActionId};
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, run, split_bottom, split_top};
use stepwright_episode::{NodeId, Session};
use stepwright_export::compare::text::{Kind, LEAD, Laid, NARROWEST, lay};
use stepwright_export::compare::{Comparison, Line, branch_label, compare, ghost_label, ghosts, labels, tips};
use stepwright_protocol::{Command, Request};
use stepwright_text::Columns;

#[derive(Default)]
pub struct Compare {
    /// Columns that were taken out, by their places among all there are.
    out: Vec<usize>,
    /// The column that has the cursor, by its place among those shown.
    at: usize,
    top: usize,
    rows: usize,
    /// The layout's key: the view's revision, and the number of other sessions.
    laid: Option<(u64, usize)>,
    comparison: Option<Comparison>,
    /// Which of the session's nodes each column ends at; `None` of other sessions.
    ends: Vec<Option<NodeId>>,
    lines: Vec<Laid>,
    /// The columns that the lines were laid out for, and the width of each.
    laid_for: Option<(Range<usize>, usize)>,
}

/// All there is to compare: the session's branches, what the sides of a duel would have done along the first, then the other sessions as they were left.
fn all(view: &View) -> Vec<(Line<'_>, Option<NodeId>)> {
    let mut all = Vec::new();
    if let Some(session) = view.session.as_ref().filter(|s| s.is_started()) {
        let tips = tips(session);
        let one = tips.len() == 1;
        let labels: Vec<String> = tips.iter().map(|tip| branch_label(session, *tip)).collect();
        for (at, (tip, label)) in tips.into_iter().zip(&labels).enumerate() {
            let here = if at == 0 && !one { " (here)" } else { "" };
            let name = match session.branch_name(tip) {
                "" if one => "this session".to_owned(),
                _ if labels.iter().filter(|other| *other == label).count() > 1 => format!("{label}, #{tip}{here}"),
                _ => format!("{label}{here}"),
            };
            all.push((Line { name, session, tip, ghost: None }, Some(tip)));
        }
        if let Some((_, Some(tip))) = all.first() {
            let tip = *tip;
            let of = |side| (Line { name: ghost_label(side), session, tip, ghost: Some(side) }, Some(tip));
            all.extend(ghosts(session, tip).into_iter().map(of));
        }
    }
    let end = |session: &Session| session.line().last().map_or(0, |n| n.id);
    let names = labels(&view.compared.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    let others = names.into_iter().zip(&view.compared);
    all.extend(others.map(|(name, (_, other))| (Line { name, session: other, tip: end(other), ghost: None }, None)));
    all
}

impl Compare {
    fn refresh(&mut self, view: &View) {
        let key = (view.revision, view.compared.len());
        if self.laid == Some(key) {
            return;
        }
        (self.laid, self.laid_for) = (Some(key), None);
        let shown = all(view).into_iter().enumerate().filter(|(at, _)| !self.out.contains(at)).map(|(_, line)| line);
        let (lines, ends): (Vec<_>, Vec<_>) = shown.unzip();
        self.comparison = (!lines.is_empty()).then(|| compare(&lines));
        self.ends = ends;
        self.at = self.at.min(self.ends.len().saturating_sub(1));
    }

    fn drop_column(&mut self, view: &View) {
        let shown: Vec<usize> = (0..all(view).len()).filter(|at| !self.out.contains(at)).collect();
        if shown.len() > 1 {
            self.out.extend(shown.get(self.at));
            self.laid = None;
        }
    }

    fn line_of(&self, row: usize) -> Option<usize> {
        self.lines.iter().position(|line| line.row == Some(row))
    }

    fn row(&self) -> Option<usize> {
        self.lines.iter().skip(self.top).find_map(|line| line.row)
    }

    fn go_to_difference(&mut self, forward: bool) {
        let Some(comparison) = &self.comparison else { return };
        let here = self.row().unwrap_or(0);
        let rows = || comparison.rows.iter().enumerate().filter(|(_, row)| row.differs).map(|(at, _)| at);
        // The first press goes to the difference that is not at the top already.
        let at_it = self.lines.get(self.top).is_some_and(|line| line.row == Some(here) && !line.lead.is_empty());
        let found = match forward {
            true => rows().find(|at| *at > here || (*at == here && !at_it)),
            false => rows().rfind(|at| *at < here),
        };
        if let Some(line) = found.and_then(|row| self.line_of(row)) {
            self.top = line;
        }
    }

    fn scroll(&mut self, by: isize) {
        let last = self.lines.len().saturating_sub(self.rows);
        self.top = self.top.saturating_add_signed(by).min(last);
    }
}

fn role(kind: Kind) -> Role {
    match kind {
        Kind::Name => Role::Title,
        Kind::About => Role::Dim,
        Kind::Action => Role::Accent,
        Kind::Verdict("holds") | Kind::Outcome { won: true } => Role::Good,
        Kind::Verdict("fails") | Kind::Refused => Role::Bad,
        Kind::Verdict("unknown" | "blocked") | Kind::Outcome { won: false } => Role::Warn,
        Kind::Verdict(_) | Kind::Observation => Role::Text,
        Kind::Change { unlike: true } => Role::Changed,
        Kind::Change { unlike: false } => Role::Dim,
        Kind::Note => Role::Accent,
    }
}

fn row(laid: &Laid, each: usize, at: Option<usize>, theme: &Theme) -> Vec<crate::widgets::draw::Run> {
    let lead = if laid.lead.contains("=>") { Role::Bad } else { Role::Dim };
    let mut out = vec![run(lead, format!("{:<LEAD$}", laid.lead))];
    if let [(kind, text)] = laid.parts.as_slice() {
        // Said of the whole comparison, or in the only column: it has the row to itself.
        let here = if *kind == Kind::Name && at.is_some() { format!("{} ", theme.glyphs.here) } else { String::new() };
        out.push(run(role(*kind), format!("{here}{text}")));
        return out;
    }
    for (column, (kind, text)) in laid.parts.iter().enumerate() {
        let here = *kind == Kind::Name && Some(column) == at;
        let text = if here { format!("{} {text}", theme.glyphs.here) } else { text.clone() };
        let text = sanitize::fit(&text, each.saturating_sub(1), theme.glyphs.ellipsis).into_owned();
        let pad = each.saturating_sub(text.width());
        out.push(run(role(*kind), text));
        out.push(run(Role::Text, " ".repeat(pad)));
    }
    out
}

impl Dialog for Compare {
    fn info(&self) -> Info {
        Info {
            title: "Branches and sessions side by side".into(),
            hints: vec![(ActionId::Accept, "go to this step"), (ActionId::Close, "close")],
            captures_text: false,
            keys: Some(actions::Context::Comparison),
            opener: Some(ActionId::CompareBranches),
            ..Info::default()
        }
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        self.refresh(context.view);
        let (body, keys) = split_bottom(area, 1);
        let all = self.ends.len().max(1);
        // One column of the screen is the scroll bar's.
        let width = usize::from(body.width.saturating_sub(1)).saturating_sub(LEAD);
        let fits = (width / NARROWEST).clamp(1, all);
        let first = (self.at + 1).saturating_sub(fits);
        let each = width / fits;
        let wanted = (first..first + fits, each);
        if self.laid_for.as_ref() != Some(&wanted) {
            self.lines = self.comparison.as_ref().map(|c| lay(c, wanted.0.clone(), each)).unwrap_or_default();
            self.laid_for = Some(wanted);
        }
        // The names stay in sight.
        let heads = self.lines.iter().take_while(|line| !line.parts.is_empty()).count().min(1);
        let (head, body) = split_top(body, heads as u16);
        self.rows = usize::from(body.height);
        self.top = self.top.min(self.lines.len().saturating_sub(self.rows)).max(heads.min(self.lines.len()));
        let at = (all > 1).then(|| self.at - first);
        for (line, laid) in self.lines.iter().take(heads).enumerate() {
            painter.row(head, line, &row(laid, each, at, painter.theme));
        }
        for (line, laid) in self.lines.iter().skip(self.top).take(self.rows).enumerate() {
            painter.row(body, line, &row(laid, each, None, painter.theme));
        }
        painter.scrollbar(body, self.top, self.lines.len());
        let column = if fits < all { format!("column ({fits} of {all} fit)") } else { "column".to_owned() };
        let mut named: Vec<(&[ActionId], &str)> = Vec::new();
        if self.comparison.iter().flat_map(|comparison| &comparison.rows).any(|row| row.differs) {
            named.push((&[ActionId::NextDifference, ActionId::PreviousDifference], "difference"));
        }
        named.push((&[ActionId::ItemDown, ActionId::ItemUp], "scroll"));
        if all > 1 {
            named.extend([
                (&[ActionId::PreviousColumn, ActionId::NextColumn][..], column.as_str()),
                (&[ActionId::TakeOut], "take out"),
            ]);
        }
        named.push((&[ActionId::AddColumn], "add"));
        if !self.out.is_empty() {
            named.push((&[ActionId::AllColumns], "all"));
        }
        let row = fitting_key_row(context.keymap, &named, usize::from(keys.width));
        painter.row(keys, 0, &[run(Role::Dim, row)]);
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        let page = isize::try_from(self.rows.saturating_sub(1).max(1)).unwrap_or(1);
        match action {
            ActionId::Accept => {
                let Some(Some(tip)) = self.ends.get(self.at).copied() else { return Vec::new() };
                let cell = self.row().and_then(|row| {
                    self.comparison.as_ref()?.rows.get(row)?.cells.get(self.at)?.as_ref().map(|cell| cell.node)
                });
                let node = cell.unwrap_or(tip);
                return vec![Reply::Close, Reply::Send(Command::Gate(Request::Goto(node)))];
            }
            ActionId::ItemDown => self.scroll(1),
            ActionId::ItemUp => self.scroll(-1),
            ActionId::ItemPageDown => self.scroll(page),
            ActionId::ItemPageUp => self.scroll(-page),
            ActionId::ItemTop => self.top = 0,
            ActionId::ItemBottom => self.scroll(isize::MAX),
            ActionId::Complete => self.at = (self.at + 1) % self.ends.len().max(1),
            ActionId::NextDifference => self.go_to_difference(true),
            ActionId::PreviousDifference => self.go_to_difference(false),
            ActionId::NextColumn => self.at = (self.at + 1).min(self.ends.len().saturating_sub(1)),
            ActionId::PreviousColumn => self.at = self.at.saturating_sub(1),
            ActionId::TakeOut => self.drop_column(context.view),
            ActionId::AllColumns => {
                self.out.clear();
                self.laid = None;
            }
            ActionId::AddColumn => return vec![Reply::AskCompared],
            _ => {}
        }
        Vec::new()
    }
}
