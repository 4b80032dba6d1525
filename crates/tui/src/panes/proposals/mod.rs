//! Proposals pane: every proposal with its verdict, and all that is known of the chosen one.
//!
//! The choice itself lives in the view; `row` is a row of the list, `detail` draws what is below (or beside) it, `plan` the plan that a
//! method follows.

mod detail;
mod outcome;
pub(crate) mod plan;
pub(crate) mod row;

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;

pub(crate) use self::outcome::surface;
use self::outcome::{Outcome, outcome};
use super::offer;
use crate::actions::ActionId;
use crate::pane::{Intent, Pane, PaneAction, PaneId, Wants, rows_of};
use crate::request;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_left, split_top};
use crate::widgets::outline::{BROWSING, Mouse, Outline};
use crate::widgets::scrolled::Scrolled;
use crate::widgets::why::WORDS;
use crate::widgets::{words, wrap};
use stepwright_episode::{ArtifactId, Offer, Proposal, ProposalId, Turn};
use stepwright_protocol::{Command, Level, Request};

/// Why what was pruned, or is gone from the tree, cannot be taken.
pub(crate) const PRUNED: &str = "this action is no candidate any more; put it back in Blocking, or choose another";

/// Why a line of a plan that was replaced cannot be taken.
pub(crate) const REPLACED: &str =
    "this was a line of the plan that you replaced; choose what the new one offers, or type the action";

/// Rows that say, above everything else, what was decided at a step.
const DECIDED: usize = 3;

/// Admissible actions that are named where nothing is offered.
const LISTED: usize = 8;

/// Rows that say that an episode is over.
const OVER: usize = 3;
/// So many proposals are few.
const SHORT: usize = 6;

/// From this width on, the detail is beside the list.
const BESIDE: u16 = 110;

#[derive(Debug, Default)]
pub(crate) struct ProposalsPane {
    outline: Outline,
    detail: Scrolled,
    /// What stands below the list, and the columns it was laid out for, from the count of rows to the drawing of the same frame.
    said: Option<(usize, Vec<Row>)>,
    /// The proposal shown last, so that the scroll restarts for another.
    shown: Option<ProposalId>,
    /// The proposal last explained, and how often assertions had been put in force by then.
    explained: Option<(ProposalId, usize)>,
}

impl ProposalsPane {
    fn chosen_row(view: &View) -> Option<usize> {
        view.selected.and_then(|id| view.offered_row(id))
    }

    fn at(&self, view: &View) -> Option<ProposalId> {
        view.offered_at(self.outline.list.cursor()).map(|p| p.id)
    }

    fn choose(&mut self, view: &View) -> Vec<Intent> {
        let Some(id) = self.at(view).filter(|id| view.selected != Some(*id)) else { return Vec::new() };
        self.explained = Some((id, view.grounds_changed));
        vec![Intent::Select(id), Intent::Send(Command::Explain { proposal: id })]
    }

    fn approve(&mut self, view: &View) -> Vec<Intent> {
        let Some((turn, proposal)) = view.turn().zip(view.chosen()) else { return self.choose(view) };
        let say = |text: &str| vec![Intent::Say(Level::Warning, text.to_owned())];
        match outcome(view, turn, proposal) {
            Outcome::Rejected(_) => {
                return say("this proposal was rejected; choose another, edit it, or ask for more samples");
            }
            Outcome::Pruned | Outcome::Gone => return say(PRUNED),
            Outcome::Replaced => return say(REPLACED),
            Outcome::Taken | Outcome::Open => {}
        }
        if proposal.action.is_none() {
            return say("this proposal is no action; edit it, or choose another");
        }
        vec![Intent::Send(Command::Gate(Request::Approve { proposal: proposal.id }))]
    }

    /// Names the recommended proposal on a line of its own where the list is too short to have it in sight; what is left for the list.
    fn keep_recommended(&mut self, view: &View, painter: &mut Painter<'_>, list: Rect) -> Rect {
        let recommended = view.turn().and_then(|turn| turn.recommended.as_ref()).and_then(|(id, _)| *id);
        let at = recommended.and_then(|id| view.shown_for(id)).and_then(|id| view.offered_row(id));
        let window = self.outline.list.window(view.offered_len(), usize::from(list.height));
        let Some(at) = at.filter(|at| !window.contains(at) && list.height > 2) else { return list };
        let (list, line) = split_bottom(list, 1);
        let text = view.offered_at(at).map(|p| row::said(p).0).unwrap_or_default();
        let star = painter.theme.glyphs.star;
        let words = format!(" {star} {} {text} is recommended", at + 1);
        painter.row(line, 0, &[run(Role::Accent, words)]);
        list
    }

    /// The new document that waits: nothing else is offered before it is decided about.
    fn draw_offer(
        &mut self,
        view: &View,
        turn: &Turn,
        offer: &Offer,
        painter: &mut Painter<'_>,
        area: Rect,
        asking: Vec<Row>,
    ) {
        let width = usize::from(area.width).saturating_sub(1);
        let mut rows = offer::rows(view, offer, painter.theme, width, offer::LONG);
        rows.extend(asking);
        rows.extend(detail::decisions(turn, width));
        self.outline.body = Rect::default();
        self.detail.draw(painter, area, &rows);
    }

    fn draw_detail(
        &mut self,
        view: &View,
        turn: &Turn,
        painter: &mut Painter<'_>,
        side: Rect,
        beside: Option<u16>,
        asking: Vec<Row>,
    ) {
        let width = usize::from(side.width).saturating_sub(1);
        // Most often what was counted before the frame was drawn.
        let counted = self.said.take().filter(|(counted, _)| *counted == width).map(|(_, rows)| rows);
        let rows = counted.unwrap_or_else(|| {
            let listed = beside.map_or(width, |columns| usize::from(columns).saturating_sub(1));
            said_of_chosen(view, turn, painter.theme, (width, listed), asking)
        });
        let area = if beside.is_some() {
            side
        } else {
            painter.rule(side, 0, "chosen");
            split_top(side, 1).1
        };
        self.detail.draw(painter, area, &rows);
    }
}

/// What stands below the list, whose rows have so many columns: what is being asked, the plan, and all that is known of the chosen proposal.
fn said_of_chosen(
    view: &View,
    turn: &Turn,
    theme: &Theme,
    (width, listed): (usize, usize),
    asking: Vec<Row>,
) -> Vec<Row> {
    let mut rows = asking;
    rows.extend(plan::rows(view, theme, width));
    match view.chosen() {
        Some(proposal) => {
            let listed = row::listed(view, turn, proposal, theme, listed);
            rows.extend(detail::rows(view, turn, proposal, listed, theme, width));
        }
        None => rows.push(vec![run(Role::Dim, "Choose a proposal to see its checks and its effect.")]),
    }
    rows.extend(detail::decisions(turn, width));
    rows
}

/// The world's admissible actions, where the method has nothing to offer and no plan or program is followed.
fn listed(view: &View, width: usize) -> Vec<Row> {
    let node = view.node().filter(|_| view.plan().is_none()).map(|node| node.id);
    let situation = view.situation.as_ref().filter(|situation| Some(situation.node) == node);
    let Some(all) = situation.and_then(|s| s.admissible.as_ref()).filter(|all| !all.is_empty()) else {
        return Vec::new();
    };
    let some = all.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if all.len() > LISTED { ", and more" } else { "" };
    let (many, key) = (words::count(all.len(), "admissible action"), view.key(ActionId::Manual));
    words::labelled("", Role::Text, &format!("The world lists {many}: {some}{more}. {key} takes one of them."), width)
}

/// The request that is to be answered, above what is offered; returns the rest.
fn draw_request(view: &View, painter: &mut Painter<'_>, area: Rect) -> Rect {
    let Some(asked) = request::open(view) else { return area };
    let text = format!("{} of {}: {}", asked.number, asked.of, asked.query);
    let lines = wrap::wrapped(&text, usize::from(area.width));
    let rows: Vec<Row> = lines.iter().take(2).map(|line| vec![run(Role::Title, line)]).collect();
    let (head, below) = split_top(area, rows.len() as u16);
    painter.rows(head, &rows);
    below
}

impl Pane for ProposalsPane {
    fn id(&self) -> PaneId {
        PaneId::Proposals
    }

    fn title(&self, view: &View) -> String {
        if let Some(offer) = view.offer() {
            let kind = &offer.written.artifact.kind;
            let new = if offer.written.artifact == ArtifactId::BELIEF { "new " } else { "" };
            return format!("Proposals, a {new}{kind} waits");
        }
        if view.turn().is_none_or(|t| t.proposals.is_empty()) {
            return "Proposals".into();
        }
        let [holds, blocked, unchecked, rejected, replaced, pruned, gone] = view.offered_marks();
        let open = view.offered_len() - rejected - replaced - pruned - gone;
        // Where the world alone speaks of what is chosen, its mark is no assertion's, and a method may see it otherwise.
        let verdict = view.turn().zip(view.chosen()).and_then(|(turn, chosen)| turn.verdict(chosen.id));
        let by_world = verdict.is_some_and(|verdict| verdict.by_world_alone().is_some());
        let included = if by_world { " (dry run included)" } else { "" };
        let mut title = format!("Proposals, {holds} of {open} pass{included}");
        let counted = [
            (blocked, "blocked"),
            (unchecked, "not checked"),
            (rejected, "rejected"),
            (replaced, "of the plan before"),
            (pruned, "pruned"),
            (gone, "no longer in the tree"),
        ];
        for (n, word) in counted {
            if n > 0 {
                title.push_str(&format!(", {n} {word}"));
            }
        }
        title
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let len = view.offered_len();
        if let Some(row) = Self::chosen_row(view) {
            self.outline.list.go(row, len);
        }
        if self.shown != view.selected {
            self.shown = view.selected;
            self.detail = Scrolled::default();
        }
        // The blocking pane follows the choice, whoever made it.
        let explained = view.blocking.as_ref().map(|(id, _)| *id);
        match view.chosen().map(|p| p.id) {
            Some(id) if explained != Some(id) && self.explained != Some((id, view.grounds_changed)) => {
                self.explained = Some((id, view.grounds_changed));
                vec![Intent::Send(Command::Explain { proposal: id })]
            }
            Some(_) => Vec::new(),
            None => {
                self.explained = None;
                Vec::new()
            }
        }
    }

    fn wants(&mut self, view: &View, theme: &Theme, width: u16) -> Wants {
        let (beside, width) = (width >= BESIDE, usize::from(width).saturating_sub(1));
        let asked = request::open(view).map_or(0, |_| 2);
        if let Some(offer) = view.offer() {
            return Wants::exactly(asked + offer::rows(view, offer, theme, width, offer::LONG).len());
        }
        let Some(turn) = view.turn().filter(|_| !beside) else { return Wants::ANY };
        let asking = detail::asking(view, turn, theme, width);
        if let Some(session) = view.session.as_ref().filter(|s| s.is_done() && turn.proposals.is_empty()) {
            // That it is over, and how, beside what was decided last.
            let rows = asking.len() + detail::last(session, theme, width).len() + plan::rows(view, theme, width).len();
            return Wants::up_to(OVER + rows);
        }
        if turn.proposals.is_empty() {
            return Wants::ANY;
        }
        let taken = detail::taken(turn, None, width).len().min(DECIDED);
        let said = said_of_chosen(view, turn, theme, (width, width), asking);
        let offered = view.offered_len();
        let rows = rows_of(asked + taken + offered + 1 + said.len());
        self.said = Some((width, said));
        // A long list is worth its share.
        Wants { needs: Some(rows).filter(|_| offered <= SHORT), uses: rows }
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, view: &View) -> usize {
        view.offered_len()
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        let call = |p: &Proposal| p.action.as_ref().and_then(|a| a.call.clone()).unwrap_or_default();
        view.offered_at(row).map(|p| format!("{} {}", surface(p), call(p))).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(turn) = view.turn() else { return painter.empty(area, words::NO_SESSION) };
        let area = self.outline.find.draw(painter, area);
        let area = draw_request(view, painter, area);
        let followed = view.session.as_ref().and_then(|s| s.node(s.next(view.node()?)?)?.decision);
        let taken = detail::taken(turn, followed, usize::from(area.width));
        let (top, area) = split_top(area, (taken.len().min(DECIDED) as u16).min(area.height / 3));
        painter.rows(top, &taken);
        let asking = detail::asking(view, turn, painter.theme, usize::from(area.width));
        if let Some(offer) = view.offer() {
            return self.draw_offer(view, turn, offer, painter, area, asking);
        }
        if turn.proposals.is_empty() {
            let text = if !asking.is_empty() {
                let stop = view.key(ActionId::Cancel);
                format!("Nothing offered yet; what arrives is shown as it comes. {stop} cancels.")
            } else if view.session.as_ref().is_some_and(|s| s.is_done()) {
                let (undo, tree) = (view.key(ActionId::Undo), view.key(ActionId::Tree));
                let how = view.session.as_ref().and_then(|s| s.current()).map(|node| words::ended(&node.outcome));
                let how = how.unwrap_or_default();
                format!("The episode is over: {how}. {undo} goes back, {tree} shows every step.")
            } else if view.plan().is_some() {
                let keys = [ActionId::Edit, ActionId::Propose, ActionId::Manual].map(|id| view.key(id));
                let [edit, propose, manual] = keys;
                format!(
                    "Nothing is offered at this step. {edit} edits the plan or program below, {propose} asks the method again, \
                     {manual} lets you act yourself."
                )
            } else {
                let (propose, manual) = (view.key(ActionId::Propose), view.key(ActionId::Manual));
                format!("Nothing is offered at this step. {propose} asks the method, {manual} lets you act yourself.")
            };
            painter.empty(area, &text);
            let (_, below) = split_top(area, OVER as u16);
            let theme = painter.theme;
            let rows = |width: usize| {
                let mut rows = asking.clone();
                if let Some((None, why)) = &turn.recommended {
                    rows.extend(wrap::wrapped(why, width).iter().map(|line| vec![run(Role::Warn, line)]));
                    rows.extend(listed(view, width));
                }
                if let Some(session) = view.session.as_ref().filter(|s| s.is_done()) {
                    rows.extend(detail::last(session, theme, width));
                }
                rows.extend(plan::rows(view, theme, width));
                rows
            };
            let mut said = rows(usize::from(below.width));
            if said.len() > usize::from(below.height) {
                // One column is the scroll indicator's.
                said = rows(usize::from(below.width).saturating_sub(1));
            }
            self.detail.draw(painter, below, &said);
            return;
        }
        let (beside, offered, theme) = (area.width >= BESIDE, view.offered_len(), painter.theme);
        let (list, side) = if beside {
            split_left(area, area.width * 11 / 20)
        } else {
            split_top(area, (offered.min(64) as u16).min((area.height / 2).max(3)))
        };
        let list = self.keep_recommended(view, painter, list);
        self.outline.draw(painter, list, offered, |at, width| {
            view.offered_at(at).map(|p| row::of(view, turn, p, theme, width)).unwrap_or_default()
        });
        self.draw_detail(view, turn, painter, side, beside.then_some(list.width), asking);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let cut = self.detail.len > usize::from(self.detail.area.height);
        if view.offer().is_some() || view.turn().is_none_or(|t| t.proposals.is_empty()) {
            let pages = [(PaneAction::PageUp, "page up"), (PaneAction::PageDown, "page down")];
            return pages.into_iter().chain(WORDS).filter(|_| cut || view.offer().is_some()).collect();
        }
        let mut actions = vec![
            (PaneAction::Activate, if view.chosen().is_some() { "approve" } else { "choose" }),
            (PaneAction::Edit, "edit"),
        ];
        if view.plan().is_some() && !view.session.as_ref().is_some_and(|s| s.is_done()) {
            actions
                .insert(2, (PaneAction::EditWhole, if view.plans_programs() { "edit program" } else { "edit plan" }));
            actions.extend(self.turns(view));
        }
        // What is said of the chosen one is scrolled by the keys that scroll words elsewhere, and by the pages.
        actions.extend(WORDS.into_iter().filter(|_| cut));
        actions.extend(BROWSING);
        actions.push((PaneAction::Copy, "copy"));
        actions
    }

    /// The plan whose next line is offered.
    fn documents(&self, view: &View) -> Vec<ArtifactId> {
        // Where a new document waits, it stands in the plan's place.
        view.offer().map(|offer| offer.written.artifact.clone()).or_else(|| view.changed_plan()).into_iter().collect()
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Activate => self.approve(view),
            PaneAction::Edit => {
                let chosen = view.chosen().or_else(|| view.offered_at(self.outline.list.cursor()));
                let edit = |p: &Proposal| Intent::EditAction { proposal: p.id, text: surface(p).to_owned() };
                chosen.map(edit).into_iter().collect()
            }
            PaneAction::EditWhole => vec![Intent::EditPlan],
            PaneAction::Copy => {
                let chosen = view.chosen().map(|p| Intent::Copy(surface(p).to_owned()));
                chosen.into_iter().collect()
            }
            PaneAction::PageUp | PaneAction::PageDown | PaneAction::WordsOn | PaneAction::WordsBack => {
                self.detail.wheel(matches!(action, PaneAction::PageDown | PaneAction::WordsOn));
                Vec::new()
            }
            PaneAction::Search => {
                self.outline.find.open(self.outline.list.cursor());
                Vec::new()
            }
            _ => self.browse(action, view),
        }
    }

    fn moved(&mut self, from: usize, view: &View) -> Vec<Intent> {
        if self.outline.list.cursor() == from && view.selected.is_some() { Vec::new() } else { self.choose(view) }
    }

    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if self.detail.mouse(event) {
            return Vec::new();
        }
        match self.outline.mouse(event, view.offered_len()) {
            Mouse::Clicked(_) => self.choose(view),
            _ => Vec::new(),
        }
    }
}
