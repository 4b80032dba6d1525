//! Dialog that types an action, from scratch, from a proposal, or as a further one of the blocking tree: completion over the admissible
//! ones, checked as it is typed.

use std::borrow::Cow;

use crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::judge::{Judge, Of, verdict_rows};
use super::{Context, Dialog, Info, Reply};
use crate::actions::ActionId;
use crate::event::Input;
use crate::fuzzy;
use crate::theme::Role;
use crate::widgets::draw::{Painter, run, split_top};
use crate::widgets::edit::{Edited, Editor};
use crate::widgets::list::ListState;
use crate::widgets::words;
use stepwright_episode::{ProposalId, TreeEdit};
use stepwright_program::SyntaxFault;
use stepwright_program::tools::Toolbox;
use stepwright_protocol::{Command, Request};

const VERDICT_ROWS: u16 = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be taken: one of a person's own.
    Take,
    Edit(ProposalId),
    /// To be tried below that node of the blocking tree.
    Tree(u32),
}

pub struct Act {
    purpose: Purpose,
    field: Editor,
    list: ListState,
    picking: bool,
    /// Whether the person moved up out of the list: the text counts as it is.
    as_typed: bool,
    /// The text that was asked about because it is no admissible action: a further Enter takes it as it is.
    asked: Option<String>,
    found: Vec<String>,
    /// The tools that may be called, where actions are calls; whether `found` are ways in which a call may go on.
    tools: Option<Toolbox>,
    goes_on: bool,
    judge: Judge,
    /// Rows of the remark that was drawn last.
    said: u16,
}

impl Act {
    pub fn new(purpose: Purpose, text: &str, context: Context<'_>) -> Self {
        let (field, judge) = (Editor::field(text), Judge::new(Of::Action, text));
        let (list, found, asked, tools) = (ListState::default(), Vec::new(), None, context.view.tools());
        let mut act = Act {
            purpose,
            field,
            list,
            picking: false,
            as_typed: false,
            asked,
            found,
            tools,
            goes_on: false,
            judge,
            said: 0,
        };
        act.search(context);
        act
    }

    fn search(&mut self, context: Context<'_>) {
        (self.picking, self.as_typed, self.asked) = (false, false, None);
        self.list = ListState::default();
        let before = self.field.before();
        let ways = self.tools.as_ref().filter(|_| before.contains('(')).map(|tools| tools.complete(&before));
        self.goes_on = ways.is_some();
        if let Some(ways) = ways {
            let head = before.get(..ways.from).unwrap_or_default();
            self.found = ways.words.iter().map(|word| format!("{head}{word}")).collect();
            return;
        }
        let listed = listed(context).unwrap_or_default();
        let found = fuzzy::rank(&self.field.text(), listed.iter().map(String::as_str));
        self.found = found.into_iter().filter_map(|i| listed.get(i).cloned()).collect();
    }

    fn changed(&mut self, context: Context<'_>) -> Vec<Reply> {
        self.search(context);
        vec![self.judge.typed(&self.judged(context))]
    }

    /// The text that Enter takes, which is what the remarks are on: the typed one, or the marked row.
    fn judged(&self, context: Context<'_>) -> String {
        let marked = self.marked().filter(|_| self.takes_marked(context) && !self.goes_on);
        marked.map_or_else(|| self.field.text(), str::to_owned)
    }

    fn marked(&self) -> Option<&str> {
        self.found.get(self.list.cursor()).map(String::as_str)
    }

    /// Whether the text is an action as it is: an admissible one, a program call, or any where there is no list. A call that does not parse
    /// is none, unless the world lists it.
    fn is_exact(&self, context: Context<'_>) -> bool {
        let text = self.field.text();
        let typed = text.trim();
        match listed(context) {
            Some(all) if all.iter().any(|one| one == typed) => true,
            _ if self.judge.fault().is_some() => false,
            all => all.is_none() || is_call(typed),
        }
    }

    /// Whether Enter takes the marked row: a person moved to it, or typed words of it.
    fn takes_marked(&self, context: Context<'_>) -> bool {
        let typed = !self.field.text().trim().is_empty() && !self.is_exact(context);
        self.picking || (typed && !self.as_typed && !self.found.is_empty())
    }

    fn accept(&mut self, context: Context<'_>) -> Vec<Reply> {
        let typed = self.field.text().trim().to_owned();
        if self.takes_marked(context) && self.tools.is_some() {
            // It is how a call goes on, and not a whole one.
            return self.use_marked(context);
        }
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
        if let Some(fault) = self.judge.fault() {
            return Some(format!("`{text}` {}. Enter again takes it as it is.", fault.in_words()));
        }
        let listed = listed(context)?;
        let near = listed.iter().max_by(|a, b| {
            let likeness = |one: &String| strsim::jaro_winkler(one, text);
            likeness(a).total_cmp(&likeness(b))
        });
        let near = near.map(|n| format!(" The nearest is `{n}`.")).unwrap_or_default();
        let none = if self.tools.is_some() { "calls no tool" } else { "is none of the admissible actions" };
        Some(format!("`{text}` {none}.{near} Enter again takes it as it is."))
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

    fn move_in_list(&mut self, action: ActionId) {
        if action == ActionId::ItemUp && self.list.cursor() == 0 {
            (self.picking, self.as_typed) = (false, true);
            return;
        }
        self.as_typed = false;
        // The first press down marks the first row.
        if self.picking || action != ActionId::ItemDown {
            self.list.act(action, self.found.len());
        } else {
            self.list = ListState::default();
        }
        self.picking = !self.found.is_empty();
    }

    /// The parts: the field, the remark on it, the number of actions, the actions.
    /// A long remark has what the actions leave; they have a row.
    fn parts(&self, area: Rect) -> [Rect; 4] {
        let (field, rest) = split_top(area, 1);
        let room = rest.height.saturating_sub(1);
        let left = room.saturating_sub(u16::try_from(self.found.len()).unwrap_or(u16::MAX));
        let (said, rest) = split_top(rest, self.said.min(left).max(VERDICT_ROWS).min(room.saturating_sub(1)));
        let (title, rows) = split_top(rest, 1);
        [field, said, title, rows]
    }

    fn use_marked(&mut self, context: Context<'_>) -> Vec<Reply> {
        let Some(text) = self.marked().map(str::to_owned) else { return Vec::new() };
        match (self.goes_on, &self.tools) {
            (true, _) => self.field.complete(self.field.before().chars().count(), &text),
            // Of how a call is written its arguments are yet to come.
            (false, Some(_)) if !text.ends_with("()") => {
                self.field.set(text.split_inclusive('(').next().unwrap_or(&text))
            }
            (false, _) => self.field.set(&text),
        }
        self.changed(context)
    }
}

/// Whether a text begins as a program's call does; numbers in brackets stand behind names in other actions.
fn is_call(text: &str) -> bool {
    let name = text.split_once('(').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// The admissible actions, or how the tools are called that actions may call.
fn listed(context: Context<'_>) -> Option<Cow<'_, [String]>> {
    let situation = context.view.situation.as_ref()?;
    let forms = || situation.tools.as_ref().map(|tools| tools.forms().into());
    situation.admissible.as_deref().map(Cow::Borrowed).or_else(forms)
}

impl Dialog for Act {
    fn info(&self) -> Info {
        let (title, accept) = match self.purpose {
            Purpose::Edit(_) => ("Edit the action, then take it", "take"),
            Purpose::Take => ("Type an action", "take"),
            Purpose::Tree(_) => ("Add an action that may remove what blocks", "add"),
        };
        let up = if self.as_typed { "(the text as typed)" } else { "the text as typed" };
        let hints = vec![
            (ActionId::Accept, accept),
            (ActionId::Complete, "complete"),
            (ActionId::ItemDown, "mark"),
            (ActionId::ItemUp, up),
            (ActionId::Close, "cancel"),
        ];
        Info { title: title.into(), hints, size: (90, 20), ..Info::default() }
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let (glyphs, columns) = (&painter.theme.glyphs, usize::from(area.width));
        let fault = self.judge.fault().filter(|_| !self.is_exact(context)).map(SyntaxFault::in_words);
        let words = match (self.question(context), fault, self.judge.verdict(context.view)) {
            (Some(question), ..) => words::labelled("", Role::Warn, &question, columns),
            (None, Some(fault), _) => words::labelled(&format!("{} ", glyphs.no), Role::Bad, &fault, columns),
            (None, None, Some(checked)) => verdict_rows(checked, painter.theme, columns),
            (None, None, None) if self.field.text().trim().is_empty() => {
                words::labelled("", Role::Dim, "An action as the world reads it, or its program call.", columns)
            }
            (None, None, None) => vec![vec![run(Role::Dim, format!("checking {}", glyphs.ellipsis))]],
        };
        self.said = u16::try_from(words.len()).unwrap_or(u16::MAX);
        let [field, said, title, rows] = self.parts(area);
        self.field.draw_field(painter, field, !self.picking);
        painter.rows(said, &words);
        let all = match listed(context) {
            Some(_) if self.goes_on => format!("{} to go on with", words::count(self.found.len(), "way")),
            Some(all) if self.tools.is_some() => format!("{} of {}", self.found.len(), words::count(all.len(), "tool")),
            Some(all) => format!("{} of {} admissible actions", self.found.len(), all.len()),
            None => "This world has no list of admissible actions.".to_owned(),
        };
        painter.row(title, 0, &[run(Role::Title, all)]);
        let (marked, found) = (self.takes_marked(context), &self.found);
        self.list.draw(painter, rows, marked, found.len(), |row, _| {
            found.get(row).map(|action| vec![run(Role::Text, action)]).unwrap_or_default()
        });
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::Complete => return self.use_marked(context),
            ActionId::Accept => return self.accept(context),
            other if other.movement().is_some() => {
                let before = self.judged(context);
                self.move_in_list(other);
                let now = self.judged(context);
                return if now == before { Vec::new() } else { vec![self.judge.typed(&now)] };
            }
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, context: Context<'_>) -> Vec<Reply> {
        if self.field.input(input) == Edited::Changed { self.changed(context) } else { Vec::new() }
    }

    fn wake(&mut self, context: Context<'_>) -> Vec<Reply> {
        self.judge.ask(self.judged(context).trim()).into_iter().collect()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        match event.kind {
            MouseEventKind::ScrollUp => self.move_in_list(ActionId::ItemUp),
            MouseEventKind::ScrollDown => self.move_in_list(ActionId::ItemDown),
            _ => {
                let [.., rows] = self.parts(area);
                if self.list.mouse(event, rows, self.found.len()).is_some() {
                    return self.use_marked(context);
                }
            }
        }
        Vec::new()
    }
}
