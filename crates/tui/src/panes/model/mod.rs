//! Model pane: the asks on the path to the cursor, each with the exact request, the answer as it arrives, and the prompt edited and sent again.
//!
//! `detail` lays out an ask; `editor` edits a prompt.

mod detail;
mod editor;

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;
use smart_default::SmartDefault;

use self::editor::PromptEditor;
use super::trail::Trail;
use crate::actions::ActionId;
use crate::event::Input;
use crate::pane::{FEW, Intent, Pane, PaneAction, PaneId, Wants, rows_of};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run, split_left, split_top};
use crate::widgets::outline::Outline;
use crate::widgets::scrolled::Scrolled;
use crate::widgets::words;
use stepwright_episode::{Ask, AskId, AskState, NodeId};
use stepwright_protocol::Level;

/// From this width on, the list of asks is beside the ask.
const BESIDE: u16 = 120;
const LIST: u16 = 36;
/// Rows of the list of asks where it is above the ask.
const LISTED: usize = 5;

#[derive(Debug, SmartDefault)]
pub(crate) struct ModelPane {
    trail: Trail,
    /// All asks on the path to the cursor, oldest first.
    asks: Vec<(NodeId, AskId)>,
    #[default(Outline::following())]
    outline: Outline,
    #[default(Scrolled::following())]
    detail: Scrolled,
    /// The request's rows, kept while ask and width stay.
    request: Option<(AskId, usize, Vec<Row>)>,
    /// The rows of an answer that is complete, kept while ask, width and arrangement stay.
    answer: Option<(AskId, usize, bool, Vec<Row>)>,
    shown: Option<AskId>,
    /// Whether all of an answer is shown, and whether a person wants it to be.
    stacked: bool,
    by_hand: Option<bool>,
    /// Rows of an ask in so many columns.
    counted: Option<(AskId, usize, Wants)>,
    editor: Option<PromptEditor>,
    /// An edited prompt was sent when there were so many asks: the next one is gone to.
    sent: Option<usize>,
}

fn find(view: &View, (node, ask): (NodeId, AskId)) -> Option<&Ask> {
    view.session.as_ref()?.node(node)?.turn.ask(ask)
}

impl ModelPane {
    fn ask<'a>(&self, view: &'a View) -> Option<&'a Ask> {
        find(view, *self.asks.get(self.outline.list.cursor())?)
    }

    /// The step at which the ask under the cursor was made, where that is another than the session's: it cannot be sent again from here.
    fn elsewhere(&self, view: &View) -> Option<u32> {
        let (node, _) = self.asks.get(self.outline.list.cursor())?;
        let session = view.session.as_ref().filter(|session| session.cursor() != *node)?;
        session.node(*node).map(|node| node.steps)
    }

    fn draw_ask(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(ask) = self.ask(view) else { return };
        let width = usize::from(area.width).saturating_sub(1);
        if self.request.as_ref().is_none_or(|(id, w, _)| (*id, *w) != (ask.id, width)) {
            self.request = Some((ask.id, width, detail::request(ask, width)));
        }
        // What came beside the texts unfolds where there is room for it.
        let needs = self.counted.and_then(|(.., wants)| wants.needs).filter(|_| ask.exchange.is_some());
        let spare = needs.map_or(0, |needs| area.height.saturating_sub(needs));
        let stacked = self.by_hand.unwrap_or(spare > FEW);
        let key = (ask.id, width, stacked);
        let kept = self.answer.take().filter(|(id, w, s, _)| (*id, *w, *s) == key && ask.state != AskState::Pending);
        let answer = match kept {
            Some((.., rows)) => rows,
            None => detail::answer(view, ask, painter.theme, width, stacked),
        };
        let request = self.request.as_ref().map_or(&[][..], |(_, _, rows)| rows);
        let len = request.len() + 1 + answer.len();
        self.detail.list.grown(len);
        let window = self.detail.window(area, len);
        painter.scrollbar(area, window.start, len);
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        for (line, row) in window.enumerate() {
            match row.checked_sub(request.len()) {
                None => request.get(row).into_iter().for_each(|r| painter.row(area, line, r)),
                Some(0) => painter.rule(area, line, "answer"),
                Some(n) => answer.get(n - 1).into_iter().for_each(|r| painter.row(area, line, r)),
            }
            painter.matches(area, line, self.outline.find.pattern());
        }
        let is_kept = ask.state != AskState::Pending;
        self.stacked = stacked;
        if is_kept {
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
        let cost = words::cost_of(session).map(|cost| format!(", {cost}")).unwrap_or_default();
        let apart = words::tokens_by_role(session);
        let spent = if spent == 0 { cost } else { format!(", {}{apart}{cost}", words::count(spent, "token")) };
        let settings = words::settings(session).map(|settings| format!(", {settings}")).unwrap_or_default();
        format!("Model {}{settings}{spent}", crate::sanitize::line(&session.models()))
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let kept = self.trail.update(view);
        let Some(session) = &view.session else {
            *self = ModelPane { trail: std::mem::take(&mut self.trail), ..ModelPane::default() };
            return Vec::new();
        };
        // The last kept node may have been asked more since; it is laid out again with those after it.
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
        self.outline.list.grown(self.asks.len());
        if self.sent.take_if(|before| self.asks.len() > *before).is_some() {
            self.outline.list.go(self.asks.len().saturating_sub(1), self.asks.len());
        }
        self.moved(0, view)
    }

    fn wants(&mut self, view: &View, theme: &Theme, width: u16) -> Wants {
        let Some(ask) = self.ask(view).filter(|_| width < BESIDE && self.editor.is_none()) else { return Wants::ANY };
        let width = usize::from(width).saturating_sub(1);
        let known = self.counted.filter(|(id, w, _)| (*id, *w) == (ask.id, width) && ask.state != AskState::Pending);
        let wants = known.map_or_else(
            || {
                let said = |unfolded| detail::answer(view, ask, theme, width, unfolded).len();
                let rows = LISTED + 2 + detail::request(ask, width).len();
                Wants { needs: Some(rows_of(rows + said(false))), uses: rows_of(rows + said(true)) }
            },
            |(.., wants)| wants,
        );
        self.counted = Some((ask.id, width, wants));
        wants
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, _view: &View) -> usize {
        self.asks.len()
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        let Some(ask) = self.asks.get(row).and_then(|at| find(view, *at)) else { return String::new() };
        let messages = ask.prompt.iter().flat_map(|p| &p.messages);
        let prompt = messages.map(|m| m.text.as_str()).collect::<Vec<_>>().join(" ");
        let answer = match &ask.state {
            AskState::Answered { texts, .. } => texts.join(" "),
            AskState::Failed { error, partial, .. } => format!("{error} {partial}"),
            AskState::Pending => String::new(),
        };
        format!("{} {} {prompt} {answer}", ask.kind, ask.model)
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        if let Some(editor) = &mut self.editor {
            return editor.draw(painter, area);
        }
        if self.asks.is_empty() {
            let (propose, configure) = (view.key(ActionId::Propose), view.key(ActionId::Configure));
            let text = match view.session {
                None => words::NO_SESSION.to_owned(),
                Some(_) => format!(
                    "No model was asked on the way here. {propose} asks for the next action; {configure} changes who is asked."
                ),
            };
            return painter.empty(area, &text);
        }
        let area = self.outline.find.draw(painter, area);
        let beside = area.width >= BESIDE;
        let (list, side) = if beside {
            split_left(area, LIST)
        } else {
            split_top(area, (self.asks.len().min(LISTED) as u16).min(area.height / 3).max(1))
        };
        let (asks, cursor, theme) = (&self.asks, self.outline.list.cursor(), painter.theme);
        self.outline.draw(painter, list, asks.len(), |at, _| {
            let ask = asks.get(at).and_then(|ask| Some((ask.0, find(view, *ask)?)));
            let step = |node| view.session.as_ref().and_then(|s| s.node(node)).map_or(0, |n| n.steps);
            ask.map(|(node, ask)| ask_row(ask, step(node), theme, at == cursor)).unwrap_or_default()
        });
        let side = if beside {
            side
        } else {
            painter.rule(side, 0, "request and answer");
            split_top(side, 1).1
        };
        self.draw_ask(view, painter, side);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let Some(ask) = self.ask(view) else { return Vec::new() };
        let mut actions = Vec::new();
        if ask.prompt.is_some() {
            let word = if self.elsewhere(view).is_some() { "edit at its step" } else { "edit and send again" };
            actions.extend([(PaneAction::Edit, word), (PaneAction::Activate, word)]);
        }
        let width = self.request.as_ref().map_or(usize::MAX, |(_, width, _)| *width);
        actions.extend(detail::turned(view, ask, width, self.stacked).map(|word| (PaneAction::Cycle, word)));
        actions.push((PaneAction::Copy, "copy ask"));
        actions.extend(self.outline.actions());
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Edit | PaneAction::Activate => {
                // What would be typed could not be sent, and would be lost.
                let step = self.elsewhere(view).filter(|_| self.ask(view).is_some_and(|ask| ask.prompt.is_some()));
                if let Some(step) = step {
                    let tree = view.key(ActionId::Tree);
                    let words =
                        format!("this was asked at step {step}: go there first, then edit it; {tree} lists the steps");
                    return vec![Intent::Say(Level::Info, words)];
                }
                self.editor = self
                    .asks
                    .get(self.outline.list.cursor())
                    .and_then(|(node, _)| PromptEditor::new(view.session.as_ref()?, *node, self.ask(view)?));
                if self.editor.is_none() && !self.asks.is_empty() {
                    let words = "this ask has no prompt: no language model was asked";
                    return vec![Intent::Say(Level::Info, words.into())];
                }
            }
            PaneAction::Cycle => self.by_hand = Some(!self.stacked),
            PaneAction::Copy => return self.ask(view).map(|a| Intent::Copy(plain(a))).into_iter().collect(),
            PaneAction::PageUp | PaneAction::PageDown => {
                for _ in 0..(self.detail.area.height / 3).max(1) {
                    self.detail.wheel(action == PaneAction::PageDown);
                }
            }
            _ => return self.browse(action, view),
        }
        Vec::new()
    }

    fn is_editing(&self) -> bool {
        self.editor.is_some()
    }

    fn accept_key(&self) -> &'static str {
        if self.editor.is_some() { "Ctrl-S" } else { "Enter" }
    }

    fn edit(&mut self, input: Input<'_>, _view: &View) -> Vec<Intent> {
        let Some(mut editor) = self.editor.take() else { return Vec::new() };
        let (keep, intents) = editor.input(input);
        self.editor = keep.then_some(editor);
        if intents.iter().any(|i| matches!(i, Intent::Send(_))) {
            self.sent = Some(self.asks.len());
        }
        intents
    }

    /// Another ask is read from its end, where the answer is.
    fn moved(&mut self, _from: usize, _view: &View) -> Vec<Intent> {
        let now = self.asks.get(self.outline.list.cursor()).map(|(_, ask)| *ask);
        if self.shown != now {
            self.shown = now;
            self.detail = Scrolled::following();
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if !self.detail.mouse(event) {
            self.outline.mouse(event, self.asks.len());
        }
        self.moved(0, view)
    }
}

fn ask_row(ask: &Ask, step: u32, theme: &Theme, here: bool) -> Row {
    let (glyph, role, word) = match &ask.state {
        AskState::Pending => (theme.glyphs.arrow, Role::Accent, String::new()),
        AskState::Answered { ms, .. } => (theme.glyphs.yes, Role::Good, words::duration(*ms)),
        AskState::Failed { cancelled: true, .. } => (theme.glyphs.no, Role::Warn, "cancelled".into()),
        AskState::Failed { .. } => (theme.glyphs.no, Role::Bad, "failed".into()),
    };
    let edited = ask.prompt.as_ref().is_some_and(|prompt| prompt.template == "edited");
    vec![
        words::here(theme, here),
        run(role, glyph),
        run(Role::Dim, format!(" step {step:<4} ")),
        run(Role::Text, ask.kind.to_string()),
        run(Role::Warn, if edited { "  edited prompt" } else { "" }),
        run(Role::Dim, format!("  {word}")),
    ]
}

fn plain(ask: &Ask) -> String {
    let mut out = String::new();
    for message in ask.prompt.iter().flat_map(|p| &p.messages) {
        out.push_str(&format!("[{}]\n{}\n", message.role, message.text));
    }
    if let AskState::Answered { texts, .. } = &ask.state {
        for text in texts.iter() {
            out.push_str(&format!("[answer]\n{text}\n"));
        }
    }
    if let Some(text) = ask.partial() {
        out.push_str(&format!("[what had come, no answer]\n{text}\n"));
    }
    out
}
