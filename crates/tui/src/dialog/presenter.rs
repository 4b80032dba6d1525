//! Presenter's view: a session one decision at a time, over the whole screen: what was offered, what was checked, who chose and why, what
//! happened; beside it what the decision was about; the strip of decisions; steps by hand or by itself. It looks at other steps and goes to none, so that a review leaves no
//! trace; only Enter goes to the step that is shown.

mod evidence;
mod parts;

use std::time::Duration;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use smart_default::SmartDefault;

use self::evidence::evidence;
use self::parts::{Parts, laid, parts};
use super::{Context, Dialog, Info, Reply, fitting_key_row};
use crate::actions::{self, ActionId};
use crate::sanitize;
use crate::strip::{self, Slide};
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_left, split_top, width};
use stepwright_episode::{NodeId, Session};
use stepwright_export::compare;
use stepwright_protocol::{Command, Request};
use stepwright_text::words::count;

/// Seconds a decision is shown while it goes on by itself, from fast to slow.
const PACES: [u64; 6] = [1, 2, 3, 5, 8, 13];
/// From this width on, the decision is beside the proposals.
const BESIDE: u16 = 100;
const WIDEST: u16 = 84;
/// Rows of the evidence where it is below the decision.
const LOW: u16 = 16;

#[derive(SmartDefault)]
pub struct Presenter {
    /// The last node of the branch that is shown; the one the session is on if `None`.
    tip: Option<NodeId>,
    /// Which slide is shown; the one of the session's step at the beginning.
    at: Option<usize>,
    playing: bool,
    #[default(2)]
    pace: usize,
    top: usize,
    hidden: usize,
    /// The slide that was told last.
    told: Option<Slide>,
    /// The node whose evidence was asked for, until it is there.
    asked: Option<NodeId>,
    /// Where the strip was drawn last.
    strip: Rect,
}

/// The tips of the branches in the order of the numbers that branches have at the step where they part.
fn tips(session: &Session) -> Vec<NodeId> {
    let mut tips = compare::tips(session);
    tips.sort_by_cached_key(|tip| session.path(*tip).iter().map(|node| node.id).collect::<Vec<_>>());
    tips
}

impl Presenter {
    fn tip(&self, session: &Session) -> NodeId {
        let line = || session.line().last().map_or(0, |n| n.id);
        self.tip.filter(|tip| session.node(*tip).is_some() && !session.is_deleted(*tip)).unwrap_or_else(line)
    }

    fn slides(&self, session: &Session) -> Vec<Slide> {
        strip::slides(session, self.tip(session))
    }

    /// The slide shown: the chosen one, else the decision that led to where the session is.
    fn shown(&self, session: &Session, slides: &[Slide]) -> usize {
        let here = || slides.iter().position(|s| s.to == Some(session.cursor())).unwrap_or(0);
        self.at.unwrap_or_else(here).min(slides.len().saturating_sub(1))
    }

    fn go(&mut self, context: Context<'_>, to: impl Fn(usize, usize) -> usize) {
        let Some(session) = &context.view.session else { return };
        let slides = self.slides(session);
        let last = slides.len().saturating_sub(1);
        self.at = Some(to(self.shown(session, &slides), last).min(last));
        self.top = 0;
    }

    /// Says which slide is shown if another was, and asks for its evidence where that is not there, also where other evidence took its place.
    fn look(&mut self, context: Context<'_>) -> Vec<Reply> {
        let Some(session) = &context.view.session else { return Vec::new() };
        let slides = self.slides(session);
        let Some(slide) = slides.get(self.shown(session, &slides)).copied() else { return Vec::new() };
        let lacks = slide.node().filter(|node| context.view.situation_at(*node).is_none());
        let asks = lacks.filter(|_| self.asked != lacks).map(|node| Reply::Send(Command::Look { node }));
        self.asked = lacks;
        let news = self.told.replace(slide) != Some(slide);
        let told = slide.to.or(slide.from).filter(|_| news).map(Reply::Presents);
        told.into_iter().chain(asks).collect()
    }

    /// Begins or stops to go on by itself; at the end it begins anew.
    fn play(&mut self, context: Context<'_>) -> Vec<Reply> {
        self.playing = !self.playing;
        if !self.playing {
            return Vec::new();
        }
        self.go(context, |at, last| if at == last { 0 } else { at });
        std::iter::once(self.beat()).chain(self.look(context)).collect()
    }

    fn seconds(&self) -> u64 {
        PACES.get(self.pace).copied().unwrap_or(3)
    }

    fn beat(&self) -> Reply {
        Reply::WakeIn(Duration::from_secs(self.seconds()))
    }

    fn set_pace(&mut self, slower: bool) -> Vec<Reply> {
        let last = PACES.len() - 1;
        self.pace = if slower { (self.pace + 1).min(last) } else { self.pace.saturating_sub(1) };
        if self.playing { vec![self.beat()] } else { Vec::new() }
    }

    fn next_branch(&mut self, context: Context<'_>) {
        let Some(session) = &context.view.session else { return };
        let tips = tips(session);
        let at = tips.iter().position(|tip| *tip == self.tip(session)).map_or(0, |at| at + 1);
        let before = self.slides(session);
        let shown = before.get(self.shown(session, &before)).copied();
        self.tip = tips.get(at).or(tips.first()).copied();
        // The step that both branches have stays, else the first that the other has not.
        let after = self.slides(session);
        let same = shown.and_then(|slide| after.iter().position(|other| *other == slide));
        let parted = after.iter().zip(&before).position(|(a, b)| a != b);
        self.at = same.or(parted).or(Some(after.len().saturating_sub(1)));
        self.top = 0;
    }

    fn heading(&self, session: &Session, slides: &[Slide], at: usize, theme: &Theme, columns: usize) -> [Row; 2] {
        let name = session.branch_name(self.tip(session));
        let branches = tips(session).len();
        let branch = match (name, branches) {
            ("", 0..=1) => String::new(),
            ("", n) => {
                let which = tips(session).iter().position(|tip| *tip == self.tip(session)).map_or(1, |at| at + 1);
                format!(", branch {which} of {n}")
            }
            (name, _) => format!(", branch {name}"),
        };
        let last = slides.last().map_or(0, |s| slides.len() - usize::from(s.to.is_none())).saturating_sub(1);
        let what = match slides.get(at) {
            Some(Slide { from: None, .. }) => {
                format!("The beginning; {} {}", count(last, "decision"), if last == 1 { "follows" } else { "follow" })
            }
            Some(Slide { to: None, .. }) => format!("Not decided yet, after {}", count(last, "decision")),
            _ => format!("Decision {at} of {last}"),
        };
        let pace = format!("{} s each", self.seconds());
        let state =
            if self.playing { format!("{} playing, {pace}", theme.glyphs.here) } else { format!("paused, {pace}") };
        let left = run(Role::Title, format!("{what}{branch}"));
        let right = run(if self.playing { Role::Accent } else { Role::Dim }, state);
        let room = columns.saturating_sub(width(std::slice::from_ref(&right)) + 2);
        let left = run(left.role, sanitize::fit(&left.text, room, theme.glyphs.ellipsis));
        let gap = columns.saturating_sub(width(&[left.clone(), right.clone()]));
        [
            vec![left, run(Role::Text, " ".repeat(gap)), right],
            strip::row(session, (slides.len(), at), |index| slides.get(index).copied(), theme, columns),
        ]
    }
}

impl Dialog for Presenter {
    fn info(&self) -> Info {
        Info {
            title: "Presenter's view".into(),
            hints: vec![(ActionId::Accept, "go to this step"), (ActionId::Close, "close")],
            captures_text: false,
            keys: Some(actions::Context::Presenter),
            opener: Some(ActionId::Present),
            ..Info::default()
        }
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let Some(session) = context.view.session.as_ref().filter(|s| s.is_started()) else { return };
        let (theme, slides) = (painter.theme, self.slides(session));
        let at = self.shown(session, &slides);
        let Some(slide) = slides.get(at).copied() else { return };
        let columns = usize::from(area.width);
        let (head, rest) = split_top(area, 2);
        painter.rows(head, &self.heading(session, &slides, at, theme, columns));
        let (rest, keys) = split_bottom(rest, 1);
        let (rule, body) = split_top(rest, 1);
        let mirror = context.view.mirror.as_ref().map(|address| format!("The mirror: {address}"));
        painter.rule(rule, 0, mirror.as_ref().unwrap_or(&session.header.sentence));
        self.strip = Rect { y: head.y + 1.min(head.height), height: head.height.saturating_sub(1), ..head };
        // The decision at the left or above, what it was about at the right or below.
        let beside = body.width >= BESIDE;
        let (left, right) =
            if beside { split_left(body, (body.width / 2).min(WIDEST)) } else { (body, Rect::default()) };
        let text = usize::from(left.width.min(WIDEST)).saturating_sub(3);
        let Parts { offered, checked, chosen, happened } =
            parts((session, context.view.methods), slide, theme, text, usize::from(body.height));
        let begins = slide.from.is_none();
        let (who, what) =
            if begins { ("The task", "What the agent saw") } else { ("Who chose, and why", "What happened") };
        let told = [("What was offered", offered), ("What was checked", checked), (who, chosen), (what, happened)];
        let told = told.map(|(title, rows)| (title.to_owned(), rows)).into_iter();
        let (room, high) = if beside { (right, right.height) } else { (body, LOW) };
        let columns = usize::from(room.width.min(WIDEST)).saturating_sub(3);
        let evidence = evidence(context.view, session, slide, theme, (columns, usize::from(high)));
        let columns = if beside {
            let right = Rect { width: right.width.min(WIDEST), ..right };
            vec![(left, laid(told.collect(), body.height)), (right, laid(evidence, 0))]
        } else {
            vec![(body, laid(told.chain(evidence).collect(), body.height))]
        };
        let longest = columns.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
        self.hidden = longest.saturating_sub(usize::from(body.height));
        self.top = self.top.min(self.hidden);
        for (area, rows) in columns {
            let end = rows.len().min(self.top + usize::from(area.height));
            painter.rows(area, rows.get(self.top..end).unwrap_or_default());
        }
        painter.scrollbar(body, self.top, longest);
        let mut named: Vec<(&[ActionId], &str)> = vec![
            (&[ActionId::PreviousDecision, ActionId::NextDecision], "decision"),
            (&[ActionId::Play], if self.playing { "stop" } else { "play" }),
            (&[ActionId::Faster, ActionId::Slower], "speed"),
        ];
        if tips(session).len() > 1 {
            named.push((&[ActionId::NextBranch], "branch"));
        }
        named.push((&[ActionId::FirstDecision, ActionId::LastDecision], "ends"));
        if self.hidden > 0 {
            named.insert(1, (&[ActionId::ItemDown, ActionId::ItemUp], "scroll"));
        }
        let row = fitting_key_row(context.keymap, &named, usize::from(keys.width));
        painter.row(keys, 0, &[run(Role::Dim, row)]);
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::Accept => {
                let Some(session) = &context.view.session else { return Vec::new() };
                let slides = self.slides(session);
                let slide = slides.get(self.shown(session, &slides));
                let node = slide.and_then(|s| s.to.or(s.from)).filter(|node| *node != session.cursor());
                let go = node.map(|node| Reply::Send(Command::Gate(Request::Goto(node))));
                return std::iter::once(Reply::Close).chain(go).collect();
            }
            ActionId::ItemDown => self.top += 1,
            ActionId::ItemUp => self.top = self.top.saturating_sub(1),
            ActionId::NextDecision | ActionId::ItemPageDown | ActionId::Complete => self.go(context, |at, _| at + 1),
            ActionId::PreviousDecision | ActionId::ItemPageUp => self.go(context, |at, _| at.saturating_sub(1)),
            ActionId::FirstDecision => self.go(context, |_, _| 0),
            ActionId::LastDecision => self.go(context, |_, last| last),
            ActionId::Play => return self.play(context),
            ActionId::Faster => return self.set_pace(false),
            ActionId::Slower => return self.set_pace(true),
            ActionId::NextBranch => self.next_branch(context),
            _ => return Vec::new(),
        }
        self.look(context)
    }

    fn mouse(&mut self, event: MouseEvent, _: Rect, context: Context<'_>) -> Vec<Reply> {
        match event.kind {
            MouseEventKind::ScrollDown => self.go(context, |at, _| at + 1),
            MouseEventKind::ScrollUp => self.go(context, |at, _| at.saturating_sub(1)),
            MouseEventKind::Down(MouseButton::Left) => {
                let Some(session) = &context.view.session else { return Vec::new() };
                let slides = self.slides(session);
                let place = Position::new(event.column, event.row);
                let at = strip::at_place(slides.len(), self.shown(session, &slides), self.strip, place);
                at.into_iter().for_each(|index| self.go(context, |_, _| index));
            }
            _ => {}
        }
        self.look(context)
    }

    /// Until somebody chooses a slide, the shown one is where the session is; a step to open it at may be reached after the first is there.
    fn update(&mut self, context: Context<'_>) -> Vec<Reply> {
        self.look(context)
    }

    fn wake(&mut self, context: Context<'_>) -> Vec<Reply> {
        if !self.playing {
            return Vec::new();
        }
        let Some(session) = &context.view.session else { return Vec::new() };
        let slides = self.slides(session);
        self.go(context, |at, _| at + 1);
        self.playing = self.shown(session, &slides) + 1 < slides.len();
        let beat = self.playing.then(|| self.beat());
        beat.into_iter().chain(self.look(context)).collect()
    }
}
