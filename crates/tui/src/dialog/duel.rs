//! A duel over the whole screen: its sides are chosen, then stand in columns: what each would do at the step, what the checks say of it
//! and why it would. What is marked is taken with Enter; the way to the next disagreement is the driver's.

use std::path::Path;

use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply, fitting_key_row};
use crate::actions::{self, ActionId};
use crate::event::Input;
use crate::launcher::{Catalog, Entry};
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_left, split_top};
use crate::widgets::edit::Editor;
use crate::widgets::list::{ListState, words_cut};
use crate::widgets::words;
use stepwright_episode::duel::{Agreement, Side, is_same};
use stepwright_episode::role::in_words as models_in_words;
use stepwright_episode::{Mark, Node, NodeId, ProposalId, Role as Asked, Session, Turn};
use stepwright_protocol::{Command, Contender, DuelCommand, Request, SetSource};
use stepwright_text::Columns;
use stepwright_world::options::Values;

/// Sides beside what is in use, at most.
const OTHERS: usize = 3;
const FOLDER: &str = "folder of prompts";
const TOO_MANY: &str = "A duel has four sides at most";

pub struct Duel {
    /// What the sides are chosen among; `None` while the columns are shown.
    choosing: Option<Choosing>,
    /// The column that is marked, and whether it was last drawn with something to take.
    at: usize,
    offers: bool,
    problem: Option<String>,
}

struct Choosing {
    /// The setting in use, which is always a side.
    own: Contender,
    offers: Vec<Offer>,
    list: ListState,
    /// The folder of prompts that is being typed.
    folder: Option<Editor>,
}

/// Something that may be a side.
struct Offer {
    kind: &'static str,
    contender: Contender,
    /// What of the setting in use it would stand in place of.
    instead_of: String,
    about: String,
    obstacle: Option<String>,
    is_marked: bool,
}

impl Choosing {
    fn new(catalog: &Catalog, session: &Session, ground_truth: bool) -> Self {
        let world = catalog.worlds.iter().find(|w| w.name == session.header.world);
        let task = world.and_then(|w| w.tasks.iter().find(|t| t.id == session.header.task)).map(|t| t.kind.as_str());
        let named = |name: &str| Contender { name: name.to_owned(), ..Contender::default() };
        let in_use = catalog.models.iter().find(|m| m.name == session.model);
        let method = catalog.methods.iter().find(|m| m.name == session.method);
        let models = catalog.models.iter().filter(|m| m.name != session.model).map(|model| Offer {
            kind: "model",
            instead_of: session.model.clone(),
            contender: Contender { model: model.name.clone(), ..named(&model.name) },
            about: model.about.clone(),
            obstacle: model.unavailable.clone().or_else(|| method?.obstacle(world, task, Some(model))),
            is_marked: false,
        });
        let methods = catalog.methods.iter().filter(|m| m.name != session.method).map(|other| Offer {
            kind: "method",
            instead_of: session.method.clone(),
            contender: Contender { method: other.name.clone(), ..named(&other.name) },
            about: other.about.clone(),
            obstacle: Entry::obstacle(other, world, task, in_use),
            is_marked: false,
        });
        let info = method.and_then(|m| m.method);
        let values = info.and_then(|info| Values::read(info.options, &session.options).ok()).unwrap_or_default();
        // A method's only role is the model itself; what is learned is not asked for at a step.
        let asked = |role: &Asked| info.is_some_and(|info| info.asks_as(*role, &values));
        let beside = [Asked::Translator, Asked::Discoverer];
        let roles: Vec<Asked> = Asked::ALL.into_iter().filter(|role| !beside.contains(role) && asked(role)).collect();
        let roles = roles.iter().filter(|_| roles.len() > 1);
        let roles = roles.flat_map(|role| catalog.models.iter().map(move |model| (*role, model)));
        let roles = roles.filter(|(role, model)| model.name != session.model_of(*role)).map(|(role, model)| Offer {
            kind: role.name(),
            instead_of: format!("{}={}", role.key(), session.model_of(role)),
            contender: Contender {
                options: [(role.key(), model.name.clone())].into(),
                ..named(&format!("{}={}", role.key(), model.name))
            },
            about: format!("for {} this model, else what is in use", role.about()),
            obstacle: model.unavailable.clone(),
            is_marked: false,
        });
        let sets = [SetSource::Specification, SetSource::Truth].into_iter();
        let sets = sets.filter(|set| ground_truth || *set != SetSource::Truth).map(|set| Offer {
            kind: "assertions",
            instead_of: "in force".to_owned(),
            contender: Contender { set: Some(set.clone()), ..named(&set.name()) },
            about: "what is in use, with these assertions in force".to_owned(),
            obstacle: None,
            is_marked: false,
        });
        let mut offers: Vec<Offer> = models.chain(roles).chain(methods).chain(sets).collect();
        // What cannot be a side stands below what can.
        offers.sort_by_key(|offer| offer.obstacle.is_some());
        Choosing { own: named(&session.model), offers, list: ListState::default(), folder: None }
    }

    /// The sides: the setting in use, and the rows marked or, where none is, the row under the cursor; or why that is no duel.
    fn chosen(&self) -> Result<Vec<Contender>, String> {
        let mut others: Vec<&Offer> = self.offers.iter().filter(|offer| offer.is_marked).collect();
        if others.is_empty() {
            others.extend(self.offers.get(self.list.cursor()));
        }
        if others.is_empty() {
            return Err("There is no other model or method to ask".to_owned());
        }
        if let Some((offer, why)) = others.iter().find_map(|offer| Some((offer, offer.obstacle.as_ref()?))) {
            return Err(format!("{}: {why}", offer.contender.name));
        }
        // All sides are named by what they differ in, where that is one thing.
        let mut own = self.own.clone();
        if let Some((first, rest)) = others.split_first()
            && rest.iter().all(|other| other.instead_of == first.instead_of)
        {
            own.name.clone_from(&first.instead_of);
        }
        Ok([own].into_iter().chain(others.into_iter().map(|offer| offer.contender.clone())).collect())
    }

    fn mark(&mut self) -> Result<(), String> {
        let marked = self.offers.iter().filter(|offer| offer.is_marked).count();
        let Some(offer) = self.offers.get_mut(self.list.cursor()) else { return Ok(()) };
        match &offer.obstacle {
            Some(why) if !offer.is_marked => return Err(why.clone()),
            _ if !offer.is_marked && marked == OTHERS => return Err(TOO_MANY.to_owned()),
            _ => offer.is_marked = !offer.is_marked,
        }
        self.list.act(ActionId::ItemDown, self.offers.len());
        Ok(())
    }

    /// Takes the folder that was typed as a side, and marks it.
    fn add_prompts(&mut self, folder: &str) -> Result<(), String> {
        if !Path::new(folder).is_dir() {
            return Err(format!("There is no folder {}", sanitize::line(folder)));
        }
        if self.offers.iter().filter(|offer| offer.is_marked).count() == OTHERS {
            return Err(TOO_MANY.to_owned());
        }
        let (name, prompts) = (format!("prompts={folder}"), Some(folder.into()));
        self.offers.retain(|offer| offer.contender.name != name);
        let about = "what is in use, asked by the prompts of this folder".to_owned();
        let contender = Contender { name, prompts, ..Contender::default() };
        let instead_of = "prompts in use".to_owned();
        self.offers.insert(0, Offer { kind: "prompts", instead_of, contender, about, obstacle: None, is_marked: true });
        self.list = ListState::default();
        Ok(())
    }

    fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let (head, body) = split_top(area, 2);
        let own =
            [run(Role::Text, "Asked at each step: "), run(Role::Accent, &self.own.name), run(Role::Text, ", and")];
        painter.row(head, 0, &own);
        let (offers, widest, yes) = (&self.offers, self.widest(), painter.theme.glyphs.yes);
        self.list.draw(painter, body, true, offers.len(), |row, _| {
            offers.get(row).map(|offer| offer.row(widest, yes)).unwrap_or_default()
        });
    }

    /// Columns of the names.
    fn widest(&self) -> usize {
        let names = self.offers.iter().map(|offer| sanitize::line(&offer.contender.name).width());
        names.max().unwrap_or(0).min(32)
    }

    /// The row under the cursor.
    fn row_here(&self) -> Option<Row> {
        Some(self.offers.get(self.list.cursor())?.row(self.widest(), " "))
    }
}

impl Offer {
    fn row(&self, widest: usize, yes: &str) -> Row {
        let role = if self.obstacle.is_some() { Role::Dim } else { Role::Text };
        let mark = if self.is_marked { format!("{yes} ") } else { "  ".to_owned() };
        let name = sanitize::line(&self.contender.name);
        let about = self.obstacle.as_ref().unwrap_or(&self.about);
        vec![
            run(Role::Good, mark),
            run(Role::Dim, format!("{:<11}", self.kind)),
            run(role, sanitize::pad(&name, widest) + "  "),
            run(Role::Dim, about),
        ]
    }
}

/// How the steps of the line went, a mark a step: all would do the same, they would not, not all have an action, nobody was asked.
fn strip(session: &Session, theme: &Theme, width: usize) -> Row {
    let line = session.line();
    let at = line.iter().position(|node| node.id == session.cursor()).unwrap_or(0);
    let each = |node: &&Node| match node.turn.agreement() {
        Some(Agreement::Same) => (Role::Dim, "="),
        Some(Agreement::Differ) => (Role::Warn, "!"),
        Some(Agreement::Open) => (Role::Warn, "?"),
        None => (Role::Dim, theme.glyphs.dot),
    };
    let room = width.saturating_sub(2).max(1);
    let first = (at + room / 2).saturating_sub(room).min(line.len().saturating_sub(room));
    let mut row = Row::new();
    for (place, node) in line.iter().enumerate().skip(first).take(room) {
        let (role, mark) = each(node);
        match place == at {
            true => row.push(run(Role::Accent, format!("[{mark}]"))),
            false => row.push(run(role, mark)),
        }
    }
    row
}

/// The state of the duel at the cursor, in words.
fn state(view: &View, node: &Node) -> String {
    let step = format!("Step {}", node.steps);
    let (all, heard) = view.duel.as_ref().map_or((0, 0), |(sides, heard)| (sides.len(), *heard));
    let words = match node.turn.agreement() {
        _ if node.outcome.done => "the episode is over".to_owned(),
        _ if all == 0 => "no duel goes on".to_owned(),
        _ if heard < all => format!("asking, {heard} of {all} heard"),
        Some(Agreement::Same) => format!("all {all} would do the same"),
        Some(found) => found.in_words().to_owned(),
        None => "nobody was asked".to_owned(),
    };
    format!("{step}: {words}")
}

/// Where the action of a proposal led before, whichever side's it was then, while the same assertions are in force: to take it again would
/// only make a second branch like that one.
fn taken_before(session: &Session, proposal: ProposalId) -> Option<NodeId> {
    let here = session.current()?;
    let action = here.turn.proposal(proposal)?.action.as_ref()?;
    let is_there = |child: &&Node| {
        let in_force = session.assertions_at(child.id) == session.assertions();
        child.action.as_ref().is_some_and(|taken| is_same(taken, action))
            && (in_force || !child.turn.adopted().is_empty())
    };
    here.children.iter().rev().filter_map(|id| session.node(*id)).find(is_there).map(|child| child.id)
}

/// What a side is asked with.
fn asked_with(side: &Side, own: &str, width: usize) -> Vec<Row> {
    let config = &side.configuration;
    let models = models_in_words(&config.model, &config.options);
    let words = [&models, &config.method, &side.set, &side.prompts];
    let words = words.into_iter().filter(|word| !word.is_empty() && **word != side.name);
    let words = words.map(String::as_str).collect::<Vec<_>>().join(", ");
    words::labelled("", Role::Dim, &format!("{own}{words}"), width)
}

/// What a side would do, in a column as wide as that.
fn column(turn: &Turn, side: &Side, theme: &Theme, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let proposal = side.proposal.and_then(|id| turn.proposal(id));
    let Some(proposal) = proposal else {
        rows.extend(words::labelled("! ", Role::Warn, "nothing", width));
        rows.extend(words::labelled("", Role::Dim, &side.why, width));
        return rows;
    };
    let agrees = turn.agreement() == Some(Agreement::Same);
    let lead = match turn.agreement() {
        Some(Agreement::Same) => "= ",
        Some(Agreement::Open) => "? ",
        _ => "! ",
    };
    let text = proposal.action.as_ref().map_or(proposal.raw.as_str(), |action| action.text.as_str());
    rows.extend(words::labelled(lead, if agrees { Role::Accent } else { Role::Changed }, text, width));
    let others = turn.duel.iter().flat_map(|sides| sides.iter()).filter(|other| other.name != side.name);
    let same: Vec<&str> = others
        .filter(|other| proposal.action.as_ref().zip(turn.side_action(other)).is_some_and(|(a, b)| is_same(a, b)))
        .map(|other| other.name.as_str())
        .collect();
    if !agrees && !same.is_empty() {
        rows.extend(words::labelled("", Role::Dim, &format!("as {} would", same.join(", ")), width));
    }
    let (glyph, role) = words::mark(&theme.glyphs, turn.mark(proposal));
    let verdict = turn.verdict(proposal.id);
    let said = verdict
        .and_then(|v| v.failing_in_words())
        .or_else(|| proposal.problem.as_ref().map(|_| proposal.why_no_action().to_owned()));
    let said = said.unwrap_or_else(|| match turn.mark(proposal) {
        Mark::Holds => "every check holds".to_owned(),
        mark => mark.word().to_owned(),
    });
    rows.extend(words::labelled(&format!("{glyph} "), role, &said, width));
    if let Some(preview) = verdict.and_then(|v| v.preview.as_ref()) {
        rows.push(Row::new());
        rows.extend(words::labelled("", Role::Text, preview, width));
    }
    if !side.why.is_empty() {
        rows.push(Row::new());
        rows.extend(words::labelled("because ", Role::Dim, &side.why, width));
    }
    rows
}

impl Duel {
    /// The duel that goes on.
    pub fn columns() -> Self {
        Duel { choosing: None, at: 0, offers: false, problem: None }
    }

    /// Its sides are chosen first.
    pub fn chosen_from(catalog: &Catalog, session: &Session, ground_truth: bool) -> Self {
        Duel { choosing: Some(Choosing::new(catalog, session, ground_truth)), ..Duel::columns() }
    }

    fn sides(view: &View) -> &[Side] {
        let over = view.duel.is_none();
        let duel = view.turn().and_then(|turn| turn.duel.as_deref()).filter(|_| !over);
        let heard = view.duel.as_ref().is_some_and(|(sides, heard)| *heard == sides.len());
        duel.filter(|_| heard).unwrap_or_default()
    }

    /// What Enter takes: the proposal of the marked column.
    fn taken(&self, view: &View) -> Option<ProposalId> {
        Self::sides(view).get(self.at)?.proposal
    }

    fn draw_columns(&self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some((session, node)) = view.session.as_ref().zip(view.node()) else { return };
        let (head, body) = split_top(area, 3);
        let role = match node.turn.agreement() {
            Some(Agreement::Differ | Agreement::Open) => Role::Warn,
            Some(Agreement::Same) | None => Role::Title,
        };
        painter.row(head, 0, &[run(role, state(view, node))]);
        painter.row(head, 1, &strip(session, painter.theme, usize::from(head.width)));
        let sides = Self::sides(view);
        let names: Vec<&str> = match (sides, &view.duel) {
            ([], Some((names, _))) => names.iter().map(String::as_str).collect(),
            (sides, _) => sides.iter().map(|side| side.name.as_str()).collect(),
        };
        let each = body.width / u16::try_from(names.len().max(1)).unwrap_or(1);
        let own = |at: usize| if at == 0 { "in use: " } else { "" };
        let width = usize::from(each.saturating_sub(1));
        let heads: Vec<Vec<Row>> =
            sides.iter().enumerate().map(|(at, side)| asked_with(side, own(at), width)).collect();
        // What they would do begins at one height.
        let highest = heads.iter().map(Vec::len).max().unwrap_or(0) + 1;
        for (at, name) in names.iter().enumerate() {
            let x = body.x + each * u16::try_from(at).unwrap_or(0);
            let area = Rect { x, width: each.saturating_sub(1), ..body };
            let here = words::here(painter.theme, at == self.at);
            painter.row(area, 0, &[here, run(Role::Text, " "), run(Role::Title, name)]);
            let rest = split_top(area, 1).1;
            if let Some((side, head)) = sides.get(at).zip(heads.get(at)) {
                let mut rows = head.clone();
                rows.resize(highest, Row::new());
                rows.extend(column(&node.turn, side, painter.theme, width));
                painter.rows(rest, &rows);
            }
        }
    }
}

impl Dialog for Duel {
    fn info(&self) -> Info {
        let typing = self.choosing.as_ref().is_some_and(|choosing| choosing.folder.is_some());
        let (title, accept) = match &self.choosing {
            Some(_) => ("Duel: who else is asked", Some("begin")),
            None => ("Duel: what each would do", self.offers.then_some("take it")),
        };
        let hints = if typing {
            vec![(ActionId::Accept, "ask by them as well"), (ActionId::Close, "leave it")]
        } else {
            let accept = accept.map(|word| (ActionId::Accept, word));
            accept.into_iter().chain([(ActionId::Close, "close")]).collect()
        };
        Info {
            title: title.into(),
            hints,
            captures_text: typing,
            keys: Some(actions::Context::Duel),
            opener: Some(ActionId::Duel),
            ..Info::default()
        }
    }

    fn leave_part(&mut self) -> bool {
        self.choosing.as_mut().is_some_and(|choosing| choosing.folder.take().is_some())
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if let Some(folder) = self.choosing.as_mut().and_then(|choosing| choosing.folder.as_mut()) {
            folder.input(input);
        }
        Vec::new()
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        // Of a contender there may be more to say than its row has room for.
        let (body, foot) = split_bottom(area, if self.choosing.is_some() { 3 } else { 2 });
        let (said, last) = split_bottom(foot, 1);
        let named: &[(&[ActionId], &str)] = match &mut self.choosing {
            Some(choosing) => {
                choosing.draw(painter, body);
                &[
                    (&[ActionId::MarkSide], "mark, up to three"),
                    (&[ActionId::ItemDown, ActionId::ItemUp], "row"),
                    (&[ActionId::OtherPrompts], "other prompts"),
                ]
            }
            None => {
                self.draw_columns(context.view, painter, body);
                self.offers = self.taken(context.view).is_some();
                &[
                    (&[ActionId::NextDisagreement], "next disagreement"),
                    (&[ActionId::PreviousSide, ActionId::NextSide], "column"),
                    (&[ActionId::OtherSides], "other sides"),
                    (&[ActionId::EndDuel], "end"),
                ]
            }
        };
        if let Some(problem) = &self.problem {
            painter.row(said, 0, &[run(Role::Warn, problem)]);
        } else if let Some(row) = self.choosing.as_ref().and_then(Choosing::row_here) {
            painter.rows(said, &words_cut(&row, usize::from(said.width)));
        }
        if let Some(folder) = self.choosing.as_mut().and_then(|choosing| choosing.folder.as_mut()) {
            let (label, field) = split_left(last, FOLDER.len() as u16 + 1);
            painter.row(label, 0, &[run(Role::Key, FOLDER)]);
            return folder.draw_field(painter, field, true);
        }
        painter.row(last, 0, &[run(Role::Dim, fitting_key_row(context.keymap, named, usize::from(last.width)))]);
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        let send = |command| vec![Reply::Send(Command::Duel(command))];
        let Some(choosing) = &mut self.choosing else {
            let sides = Self::sides(context.view);
            match action {
                ActionId::NextSide | ActionId::Complete => self.at = (self.at + 1) % sides.len().max(1),
                ActionId::PreviousSide => self.at = self.at.saturating_sub(1),
                ActionId::NextDisagreement => return send(DuelCommand::Next),
                ActionId::EndDuel => return [vec![Reply::Close], send(DuelCommand::End)].concat(),
                ActionId::OtherSides => return vec![Reply::Close, Reply::ChooseSides],
                ActionId::Accept => match self.taken(context.view) {
                    Some(proposal) => {
                        let before = context.view.session.as_ref().and_then(|session| taken_before(session, proposal));
                        let request = before.map_or(Request::Approve { proposal }, Request::Goto);
                        return vec![Reply::Send(Command::Gate(request))];
                    }
                    None => self.problem = Some("There is nothing to take in this column".to_owned()),
                },
                _ => {}
            }
            return Vec::new();
        };
        if let Some(folder) = choosing.folder.take_if(|_| action == ActionId::Accept) {
            let text = folder.text().trim().to_owned();
            self.problem = if text.is_empty() { None } else { choosing.add_prompts(&text).err() };
            return Vec::new();
        }
        match action {
            ActionId::OtherPrompts => choosing.folder = Some(Editor::field("")),
            ActionId::MarkSide => self.problem = choosing.mark().err(),
            ActionId::Accept => match choosing.chosen() {
                Ok(contenders) => {
                    self.choosing = None;
                    return send(DuelCommand::Begin(contenders));
                }
                Err(why) => self.problem = Some(why),
            },
            action => drop(choosing.list.act(action, choosing.offers.len())),
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::{
        Action, Actor, Choice, Decision, Event, FORMAT_VERSION, Header, Origin, Proposal, Record, StepOutcome,
    };

    #[test]
    fn a_step_that_another_side_took_already_is_gone_to() {
        let version = FORMAT_VERSION;
        let mut session = Session::new(Header { stepwright: "session".into(), version, ..Header::default() });
        let mut id = 0;
        let mut event = |session: &mut Session, event: Event| {
            id += 1;
            session.apply(&Record { id, ts: id, node: session.cursor(), event }).unwrap();
        };
        event(&mut session, Event::Started { outcome: StepOutcome::default().into() });
        let offer = |id: u64, text: &str, call: Option<&str>| {
            let action = Some(Action::new(text, call.map(str::to_owned)));
            Event::Proposed { proposal: Proposal { action, ..Proposal::new(id, text, Origin::Greedy) }.into() }
        };
        event(&mut session, offer(1, "take mug", Some("take('mug')")));
        event(&mut session, offer(2, "take the mug", Some("take('mug')")));
        event(&mut session, offer(3, "look", None));
        let decision =
            Decision { id: 1, choice: Choice::Approve { proposal: 1 }, by: Actor::Person, why: String::new() };
        event(&mut session, Event::Decided { decision: decision.into() });
        let action = Action::new("take mug", Some("take('mug')".to_owned())).into();
        let (outcome, changes) = (StepOutcome::default().into(), serde_json::json!([]).into());
        event(&mut session, Event::Executed { decision: 1, child: 1, action, outcome, changes });
        event(&mut session, Event::Moved { to: 0 });
        assert_eq!(taken_before(&session, 2), Some(1));
        assert_eq!(taken_before(&session, 3), None);
    }
}
