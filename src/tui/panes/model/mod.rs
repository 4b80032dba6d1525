//! The asks of the way to the cursor: the exact request, the answer as it arrives, and the prompt edited and sent again.
//!
//! What an ask looks like is `detail`'s business; editing a prompt is `editor`'s.

mod detail;
mod editor;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::editor::PromptEditor;
use super::browse::{BROWSING, Browser};
use super::draw::{Painter, Row, run, split_left, split_top};
use super::find::Rows;
use super::list::ListState;
use super::trail::Trail;
use super::words;
use crate::driver::Level;
use crate::episode::{Ask, AskId, AskState, NodeId};
use crate::tui::actions::ActionId;
use crate::tui::pane::{Intent, Pane, PaneAction, PaneId};
use crate::tui::theme::{Role, Theme};
use crate::tui::view::View;

/// From this width on, the list of asks stands beside the ask.
const BESIDE: u16 = 120;
/// Columns of the list when it stands beside.
const LIST: u16 = 36;

/// The pane.
#[derive(Debug)]
pub struct ModelPane {
    trail: Trail,
    /// All asks on the way to the cursor, oldest first.
    asks: Vec<(NodeId, AskId)>,
    browser: Browser,
    detail: ListState,
    detail_area: Rect,
    /// The request's rows, kept while ask and width stay.
    request: Option<(AskId, usize, Vec<Row>)>,
    /// The rows of an answer that is complete, kept while ask, width and arrangement stay.
    answer: Option<(AskId, usize, bool, Vec<Row>)>,
    detail_len: usize,
    shown: Option<AskId>,
    stacked: bool,
    editor: Option<PromptEditor>,
    /// An edited prompt was sent when there were so many asks: the next one is gone to.
    sent: Option<usize>,
}

impl Default for ModelPane {
    fn default() -> Self {
        ModelPane {
            trail: Trail::to_cursor(),
            asks: Vec::new(),
            browser: Browser::following(),
            detail: ListState::following(),
            detail_area: Rect::default(),
            request: None,
            answer: None,
            detail_len: 0,
            shown: None,
            stacked: false,
            editor: None,
            sent: None,
        }
    }
}

fn find(view: &View, (node, ask): (NodeId, AskId)) -> Option<&Ask> {
    view.session.as_ref()?.node(node)?.turn.asks.iter().find(|a| a.id == ask)
}

impl ModelPane {
    fn ask<'a>(&self, view: &'a View) -> Option<&'a Ask> {
        find(view, *self.asks.get(self.browser.list.cursor())?)
    }

    fn browse(&mut self, view: &View, act: impl FnOnce(&mut Browser, &Rows<'_>)) {
        let asks = &self.asks;
        let text = |row: usize| {
            let ask = asks.get(row).and_then(|at| find(view, *at));
            let prompt = |a: &Ask| {
                let messages = a.prompt.iter().flat_map(|p| &p.messages);
                messages.map(|m| m.text.as_str()).collect::<Vec<_>>().join(" ")
            };
            let answer = |a: &Ask| match &a.state {
                AskState::Answered { texts, .. } => texts.join(" "),
                AskState::Failed { error, .. } => error.clone(),
                AskState::Pending => String::new(),
            };
            ask.map(|a| format!("{} {} {} {}", a.kind, a.model, prompt(a), answer(a))).unwrap_or_default()
        };
        act(&mut self.browser, &Rows { len: self.asks.len(), text: &text });
    }

    fn ask_row(ask: &Ask, node: NodeId, theme: &Theme, here: bool) -> Row {
        let (glyph, role, word) = match &ask.state {
            AskState::Pending => (theme.glyphs.arrow, Role::Accent, String::new()),
            AskState::Answered { ms, .. } => (theme.glyphs.yes, Role::Good, words::duration(*ms)),
            AskState::Failed { cancelled: true, .. } => (theme.glyphs.no, Role::Warn, "cancelled".into()),
            AskState::Failed { .. } => (theme.glyphs.no, Role::Bad, "failed".into()),
        };
        vec![
            words::here(theme, here),
            run(role, glyph),
            run(Role::Dim, format!(" @{node} ")),
            run(Role::Text, ask.kind.to_string()),
            run(Role::Dim, format!("  {word}")),
        ]
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        if let Some(editor) = &mut self.editor {
            editor.draw(painter, area);
            return;
        }
        if self.asks.is_empty() {
            let text = if view.session.is_none() {
                "No session. Begin an episode or open a session on the start screen.".to_owned()
            } else {
                let (propose, configure) = (view.key(ActionId::Propose), view.key(ActionId::Configure));
                format!(
                    "No model was asked on the way here. {propose} asks for the next action; {configure} changes who is asked."
                )
            };
            painter.empty(area, &text);
            return;
        }
        let area = self.browser.find.draw(painter, area);
        let (list, side) = if area.width >= BESIDE {
            split_left(area, LIST)
        } else {
            split_top(area, (self.asks.len().min(5) as u16).min(area.height / 3).max(1))
        };
        let beside = area.width >= BESIDE;
        let window = self.browser.list.window(self.asks.len(), usize::from(list.height));
        let list = painter.scrollbar(list, window.start, self.asks.len());
        self.browser.body = list;
        for (line, row) in window.enumerate() {
            let Some((node, ask)) = self.asks.get(row).and_then(|at| Some((at.0, find(view, *at)?))) else { continue };
            let here = row == self.browser.list.cursor();
            painter.row(list, line, &Self::ask_row(ask, node, painter.theme, here));
            if here {
                painter.select(list, line);
            }
            painter.matches(list, line, self.browser.find.pattern());
        }
        let side = if beside {
            side
        } else {
            painter.rule(side, 0, "request and answer");
            split_top(side, 1).1
        };
        self.draw_ask(view, painter, side);
    }

    fn draw_ask(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(ask) = self.ask(view) else { return };
        let width = usize::from(area.width).saturating_sub(1);
        if self.request.as_ref().is_none_or(|(id, w, _)| (*id, *w) != (ask.id, width)) {
            self.request = Some((ask.id, width, detail::request(ask, width)));
        }
        let key = (ask.id, width, self.stacked);
        let kept = self.answer.take().filter(|(id, w, s, _)| (*id, *w, *s) == key && ask.state != AskState::Pending);
        let answer = match kept {
            Some((.., rows)) => rows,
            None => detail::answer(view, ask, painter.theme, width, self.stacked),
        };
        let request = self.request.as_ref().map_or(&[][..], |(_, _, rows)| rows);
        self.detail_len = request.len() + 1 + answer.len();
        self.detail.grown(self.detail_len);
        self.detail_area = area;
        let window = self.detail.window(self.detail_len, usize::from(area.height));
        painter.scrollbar(area, window.start, self.detail_len);
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        for (line, row) in window.enumerate() {
            match row.checked_sub(request.len()) {
                None => request.get(row).into_iter().for_each(|r| painter.row(area, line, r)),
                Some(0) => painter.rule(area, line, "answer"),
                Some(n) => answer.get(n - 1).into_iter().for_each(|r| painter.row(area, line, r)),
            }
            painter.matches(area, line, self.browser.find.pattern());
        }
        if ask.state != AskState::Pending {
            self.answer = Some((key.0, key.1, key.2, answer));
        }
    }
}

impl Pane for ModelPane {
    fn id(&self) -> PaneId {
        PaneId::Model
    }

    fn title(&self, view: &View) -> String {
        let Some(session) = &view.session else { return "Model".into() };
        let spent = session.spent.prompt.saturating_add(session.spent.completion);
        let spent = if spent == 0 { String::new() } else { format!(", {}", words::count(spent, "token")) };
        format!("Model {}{spent}", crate::tui::sanitize::line(&session.model))
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let kept = self.trail.update(view);
        let Some(session) = &view.session else {
            *self = ModelPane { trail: std::mem::take(&mut self.trail), ..ModelPane::default() };
            return Vec::new();
        };
        // The last kept node may have been asked more since; it is laid anew with those after it.
        let from = kept.saturating_sub(1);
        let ids = self.trail.ids();
        let stays = |(node, _): &(NodeId, AskId)| {
            let depth = session.node(*node).map_or(usize::MAX, |n| n.depth as usize);
            depth < from && ids.get(depth) == Some(node)
        };
        while self.asks.last().is_some_and(|a| !stays(a)) {
            self.asks.pop();
        }
        for node in ids.iter().skip(from).filter_map(|id| session.node(*id)) {
            self.asks.extend(node.turn.asks.iter().map(|a| (node.id, a.id)));
        }
        self.browser.list.grown(self.asks.len());
        if self.sent.take_if(|before| self.asks.len() > *before).is_some() {
            self.browser.list.go(self.asks.len().saturating_sub(1), self.asks.len());
        }
        self.reset_detail();
        Vec::new()
    }

    fn render(&mut self, view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool) {
        let mut painter = Painter { buf: frame.buffer_mut(), theme, focused };
        self.draw(view, &mut painter, area);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let Some(ask) = self.ask(view) else { return Vec::new() };
        let mut actions = Vec::new();
        if ask.prompt.is_some() {
            actions.extend([(PaneAction::Edit, "edit and send again"), (PaneAction::Activate, "edit and send again")]);
        }
        actions.push((PaneAction::Cycle, if self.stacked { "side by side" } else { "stack" }));
        actions.push((PaneAction::Copy, "copy ask"));
        actions.extend(BROWSING);
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Edit | PaneAction::Activate => {
                self.editor = self.ask(view).and_then(PromptEditor::new);
                if self.editor.is_none() && !self.asks.is_empty() {
                    let words = "this ask has no prompt: no language model was asked";
                    return vec![Intent::Say(Level::Info, words.into())];
                }
            }
            PaneAction::Cycle => self.stacked = !self.stacked,
            PaneAction::Copy => return self.ask(view).map(|a| Intent::Copy(plain(a))).into_iter().collect(),
            PaneAction::PageUp | PaneAction::PageDown => {
                for _ in 0..(self.detail_area.height / 3).max(1) {
                    self.detail.wheel(action == PaneAction::PageDown, self.detail_len);
                }
            }
            _ => {
                self.browse(view, |browser, rows| {
                    browser.act(action, rows);
                });
                self.reset_detail();
            }
        }
        Vec::new()
    }

    fn captures_text(&self) -> bool {
        self.editor.is_some() || self.browser.find.is_open()
    }

    fn accept_key(&self) -> &'static str {
        if self.editor.is_some() { "Ctrl-S" } else { "Enter" }
    }

    fn key(&mut self, key: KeyEvent, view: &View) -> Vec<Intent> {
        if let Some(mut editor) = self.editor.take() {
            let (keep, intents) = editor.key(key);
            self.editor = keep.then_some(editor);
            if intents.iter().any(|i| matches!(i, Intent::Send(_))) {
                self.sent = Some(self.asks.len());
            }
            return intents;
        }
        self.browse(view, |browser, rows| browser.key(key, rows));
        self.reset_detail();
        Vec::new()
    }

    fn paste(&mut self, text: &str, view: &View) -> Vec<Intent> {
        match &mut self.editor {
            Some(editor) => editor.paste(text),
            None => self.browse(view, |browser, rows| browser.paste(text, rows)),
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, _area: Rect, _view: &View) -> Vec<Intent> {
        let on_detail = self.detail_area.contains((event.column, event.row).into());
        if on_detail && matches!(event.kind, MouseEventKind::ScrollDown | MouseEventKind::ScrollUp) {
            self.detail.wheel(event.kind == MouseEventKind::ScrollDown, self.detail_len);
        } else {
            self.browser.mouse(event, self.asks.len());
            self.reset_detail();
        }
        Vec::new()
    }
}

impl ModelPane {
    /// Another ask is read from its end, where the answer is.
    fn reset_detail(&mut self) {
        let now = self.asks.get(self.browser.list.cursor()).map(|(_, ask)| *ask);
        if self.shown != now {
            self.shown = now;
            self.detail = ListState::following();
        }
    }
}

/// An ask as text: its messages and its answer.
fn plain(ask: &Ask) -> String {
    let mut out = String::new();
    for message in ask.prompt.iter().flat_map(|p| &p.messages) {
        out.push_str(&format!("[{}]\n{}\n", message.role, message.text));
    }
    if let AskState::Answered { texts, .. } = &ask.state {
        for text in texts {
            out.push_str(&format!("[answer]\n{text}\n"));
        }
    }
    out
}
