//! Duels beside the episode: at each step the sides are asked, each in a fork of the session, what they would do; what they answered is
//! recorded at the step. On the way to the next disagreement, what all would do is done.

use std::collections::BTreeSet;
use std::sync::Arc;

use stepwright_driver::{
    Beginning, Forked, RequestId, Service, SessionContext, SessionView, Setup, Source, WorkResult, first_asked,
    roles_named,
};
use stepwright_episode::duel::{Agreement, Heard, Side};
use stepwright_episode::gate::{Answer, Request};
use stepwright_episode::{AskState, Assertions, Configuration, Event, NodeId, Record, Role, Session, Turn};
use stepwright_method::program_context::ProgramContext;
use stepwright_method::{self as method, Method, publications};
use stepwright_model::prompt::Prompts;
use stepwright_protocol::{Command, Contender, DuelCommand, Level, NO_DUEL, Notice};
use stepwright_text::words::count;
use stepwright_world::options::Values;

use crate::candidates::sets;

/// Sides of a duel, at least and at most.
const SIDES: std::ops::RangeInclusive<usize> = 2..=4;

#[derive(Default)]
pub struct DuelService {
    duel: Option<Duel>,
    /// The number of what is asked now: answers to what was asked before are too late.
    round: u64,
}

struct Duel {
    sides: Vec<Contestant>,
    names: Arc<[String]>,
    /// The step that was dealt with last.
    at: Option<NodeId>,
    is_asking: bool,
    heard: Vec<Option<Heard>>,
    /// Those that are being asked in a fork.
    works: BTreeSet<usize>,
    /// Whether the way leads on to the next disagreement, and how many steps were taken on it.
    goes_on: bool,
    taken: u32,
}

/// A side, ready to be asked.
struct Contestant {
    contender: Contender,
    source: Option<Source>,
    method: Option<Arc<dyn Method>>,
    assertions: Vec<Assertions>,
    prompts: Option<Prompts>,
}

struct Asked {
    round: u64,
    which: usize,
    /// `None` where nobody waits any more.
    heard: Option<Heard>,
}

impl Contestant {
    fn new(contender: Contender, view: &SessionContext<'_>) -> Result<Self, String> {
        let found = |name: &str| (view.resolver)(name);
        let source = Some(contender.model.as_str()).filter(|name| !name.is_empty()).map(found).transpose()?;
        let method = Some(contender.method.as_str()).filter(|id| !id.is_empty());
        let method = method.map(|id| view.methods.resolve(id).and_then(|m| m.ready().map(|_| m))).transpose()?;
        let assertions = contender.set.clone().map(|set| sets::assertions(view, set)).transpose()?.unwrap_or_default();
        let mut trial = view.program.clone();
        assertions.iter().try_for_each(|set| trial.adopt(set))?;
        let prompts = contender.prompts.as_deref().map(|folder| {
            let is_there = folder.is_dir();
            is_there
                .then(|| Prompts::new(Some(folder)))
                .ok_or_else(|| format!("there is no folder {}", folder.display()))
        });
        let contestant = Contestant { source, method, assertions, prompts: prompts.transpose()?, contender };
        contestant.fits(view).map_err(|why| format!("{}: {why}", contestant.contender.name))?;
        Ok(contestant)
    }

    fn fits(&self, view: &SessionContext<'_>) -> Result<(), String> {
        let (_, side) = self.side(view)?;
        let info = self.method(view)?.info();
        let own = &self.contender.options;
        let is_role = |key: &str| Role::ALL.iter().any(|role| role.key() == key);
        let known = || view.methods.built_in.options_with(info.options);
        let unknown = |key: &&String| !is_role(key) && known().all(|spec| spec.key != key.as_str());
        if let Some(key) = own.keys().find(unknown) {
            return Err(format!("{} has no option `{key}`", info.id));
        }
        let mut named = view.session.options.clone();
        named.extend(side.configuration.options);
        let options = Values::read(known(), &named).map_err(|e| e.to_string())?;
        if let Some((role, _)) = Role::models(own).find(|(role, _)| !info.asks_as(*role, &options)) {
            return Err(format!("{} asks no {}", info.id, role.name()));
        }
        let main = self.source.as_ref().unwrap_or(view.source);
        let roles = roles_named(&named, own, &[main], view.resolver)?;
        let traits = first_asked(&info, &roles, main).traits();
        let world = (view.world.kind(), &*view.knowledge.worlds);
        method::fits(&info, &options, world, Some(&view.knowledge.kind), &traits).map_err(|misfit| misfit.to_string())
    }

    fn method(&self, view: &SessionContext<'_>) -> Result<Arc<dyn Method>, String> {
        self.method.as_ref().map_or_else(|| view.methods.resolve(&view.session.method), |method| Ok(Arc::clone(method)))
    }

    /// The method, and the side as it would be recorded now, nothing being proposed yet.
    fn side(&self, view: &SessionContext<'_>) -> Result<(Arc<dyn Method>, Side), String> {
        let (Contender { name, model, options, set, prompts, .. }, session) = (&self.contender, view.session);
        let method = self.method(view)?;
        let info = method.info();
        let options =
            publications::changed((info.id, info.options), &session.header.world, &session.options, options.clone())?;
        let model = if model.is_empty() { session.model.clone() } else { model.clone() };
        let side = Side {
            name: name.clone(),
            configuration: Configuration { model, method: info.id.to_owned(), options },
            set: set.as_ref().map(|set| set.name()).unwrap_or_default(),
            prompts: prompts.as_ref().map(|p| p.display().to_string()).unwrap_or_default(),
            proposal: None,
            why: String::new(),
        };
        Ok((method, side))
    }
}

/// The sides of a duel in a session, ready to be asked.
fn sides(mut contenders: Vec<Contender>, ground: &SessionContext<'_>) -> Result<Vec<Contestant>, String> {
    // What is in use is named for what the others differ in.
    let by_method = contenders.iter().any(|c| !c.method.is_empty()) && contenders.iter().all(|c| c.model.is_empty());
    let own = if by_method { &ground.session.method } else { &ground.session.model };
    for side in contenders.iter_mut().filter(|side| side.name.is_empty()) {
        side.name.clone_from(own);
    }
    let names: BTreeSet<&str> = contenders.iter().map(|c| c.name.as_str()).collect();
    if !SIDES.contains(&contenders.len()) || names.len() < contenders.len() {
        let (least, most, all) = (SIDES.start(), SIDES.end(), contenders.len());
        return Err(format!("a duel has {least} to {most} sides, each another one; here are {all}"));
    }
    contenders.into_iter().map(|c| Contestant::new(c, ground)).collect()
}

/// Whether a duel of these sides can begin in such a session; `Err` says why not. Nobody is asked.
pub fn can_begin(contenders: &[Contender], setup: &mut Setup) -> Result<(), String> {
    let Beginning::New(header) = &setup.beginning else { return Ok(()) };
    let (session, program) = (Session::new((**header).clone()), ProgramContext::load(&header.specification)?);
    // What is there in the task is known from its start on; of a world in another process nothing is asked.
    if setup.world.remote().is_none() {
        setup.world.reset(&header.task, header.seed).map_err(|e| e.to_string())?;
    }
    let Setup { world, source, knowledge, resolver, methods, .. } = setup;
    let (session, program, world) = (&session, &program, world.as_ref());
    let ground = SessionContext { session, program, world, source, knowledge, resolver, methods };
    sides(contenders.to_vec(), &ground).map(|_| ()).map_err(|why| format!("{NO_DUEL}{why}"))
}

/// What the session itself says of what is in use.
enum InUse {
    Recommended(Box<Heard>),
    /// It is being asked.
    Asked,
    /// Nothing: it is asked like the others.
    Unasked,
}

fn in_use(session: &Session, side: &Side) -> InUse {
    let Some(turn) = session.current().map(|node| &node.turn) else { return InUse::Unasked };
    if turn.asks.iter().any(|ask| ask.state == AskState::Pending && !ask.kind.is_background()) {
        return InUse::Asked;
    }
    match &turn.recommended {
        Some((Some(id), why)) if turn.rejection(*id).is_none() && session.pending_offer().is_none() => {
            let side = Side { proposal: Some(*id), why: why.clone(), ..side.clone() };
            InUse::Recommended(Box::new(Heard { side, asks: Vec::new(), draft: None }))
        }
        _ => InUse::Unasked,
    }
}

/// Whether these sides were asked at a step.
fn were_asked(turn: &Turn, sides: &[Side]) -> bool {
    let bare = |side: &Side| Side { proposal: None, why: String::new(), ..side.clone() };
    turn.duel.as_ref().is_some_and(|duel| duel.iter().map(bare).eq(sides.iter().cloned()))
}

impl DuelService {
    fn begin(&mut self, contenders: Vec<Contender>, view: &mut SessionView<'_>) {
        let sides = match sides(contenders, view) {
            Ok(sides) => sides,
            Err(why) => return view.say(Level::Error, format!("{NO_DUEL}{why}")),
        };
        let names: Arc<[String]> = sides.iter().map(|side| side.contender.name.clone()).collect();
        let heard = Vec::new();
        self.duel = Some(Duel {
            sides,
            names,
            at: None,
            is_asking: false,
            heard,
            works: BTreeSet::new(),
            goes_on: false,
            taken: 0,
        });
        self.ask(true, view);
    }

    /// Has the sides asked at the cursor, where that is another step than before; `anew`: though they were.
    fn ask(&mut self, anew: bool, view: &mut SessionView<'_>) {
        let Some(duel) = &mut self.duel else { return };
        let Some(node) = view.session.current().filter(|node| duel.at != Some(node.id)) else { return };
        if view.session.blind || view.session.policy.is_automatic() {
            duel.goes_on = false;
            if view.session.blind && anew {
                view.say(Level::Info, "blind: a duel would tell what is recommended; it goes on once that may be seen");
            }
            return;
        }
        self.round += 1;
        duel.at = Some(node.id);
        duel.is_asking = false;
        if view.session.is_done() {
            duel.tell(view);
            if std::mem::take(&mut duel.goes_on) {
                let found = count(view.session.duels(Agreement::Differ).len(), "disagreement");
                view.say(Level::Info, format!("no further disagreement: the episode is over, {found} on the way"));
            }
            return;
        }
        let sides: Result<Vec<_>, _> = duel.sides.iter().map(|side| side.side(view)).collect();
        let sides = match sides {
            Ok(sides) => sides,
            Err(why) => {
                duel.goes_on = false;
                return view.say(Level::Error, why);
            }
        };
        let bare: Vec<Side> = sides.iter().map(|(_, side)| side.clone()).collect();
        if !anew && were_asked(&node.turn, &bare) {
            duel.tell(view);
            return self.settle(view);
        }
        (duel.is_asking, duel.heard) = (true, vec![None; sides.len()]);
        duel.works.clear();
        for which in 0..sides.len() {
            self.ask_side(which, view);
        }
        self.complete(view);
    }

    fn ask_side(&mut self, which: usize, view: &mut SessionView<'_>) {
        let Some(duel) = &mut self.duel else { return };
        let (Some(contestant), Some(heard)) = (duel.sides.get(which), duel.heard.get_mut(which)) else { return };
        let (method, side) = match contestant.side(view) {
            Ok(found) => found,
            Err(why) => return view.say(Level::Error, why),
        };
        if contestant.contender.is_in_use() {
            match in_use(view.session, &side) {
                InUse::Recommended(own) => return *heard = Some(*own),
                InUse::Asked => return,
                InUse::Unasked => {}
            }
        }
        duel.works.insert(which);
        let mut fork = view.fork();
        if let Some(prompts) = &contestant.prompts {
            fork.prompting().prompts = prompts.clone();
        }
        let source = contestant.source.clone().unwrap_or_else(|| view.source.clone());
        let wanted = Forked { side: side.clone(), source, method, assertions: contestant.assertions.clone() };
        let round = self.round;
        view.work(move |desk| {
            let heard = fork.ask(wanted, || desk.keep_running());
            // What could not be asked has nothing to offer.
            let nothing = |why| Some(Heard { side: Side { why, ..side }, asks: Vec::new(), draft: None });
            Asked { round, which, heard: heard.unwrap_or_else(nothing) }
        });
    }

    /// Looks whether what is in use has come to something by itself.
    fn look(&mut self, view: &mut SessionView<'_>) {
        let Some(duel) = self.duel.as_ref().filter(|duel| duel.is_asking) else { return };
        let waits = |which: &usize| {
            let own = duel.sides.get(*which).is_some_and(|side| side.contender.is_in_use());
            own && !duel.works.contains(which) && duel.heard.get(*which).is_some_and(Option::is_none)
        };
        if let Some(which) = (0..duel.sides.len()).find(waits) {
            self.ask_side(which, view);
            self.complete(view);
        }
    }

    /// Has the duel recorded once all sides were heard.
    fn complete(&mut self, view: &mut SessionView<'_>) {
        let Some(duel) = self.duel.as_mut() else { return };
        duel.tell(view);
        let (Some(node), true) = (duel.at, duel.is_asking) else { return };
        if duel.heard.iter().all(Option::is_some) {
            duel.is_asking = false;
            let sides = duel.heard.drain(..).flatten().collect();
            view.request(Request::Duel { node, sides });
        }
    }

    /// Goes on from a step whose sides were heard, where the way leads on.
    fn settle(&mut self, view: &mut SessionView<'_>) {
        let Some(duel) = self.duel.as_mut().filter(|duel| duel.goes_on) else { return };
        let Some(node) = view.session.current() else { return };
        let found = match node.turn.agreement() {
            Some(Agreement::Same) => return duel.advance(view),
            Some(found) => found.in_words(),
            None => return,
        };
        duel.goes_on = false;
        view.say(Level::Info, format!("at step {} {found}: {}", node.steps, would(&node.turn)));
    }

    fn next(&mut self, view: &mut SessionView<'_>) {
        let Some(duel) = &mut self.duel else {
            return view.say(Level::Info, "no duel goes on; choose its sides first");
        };
        (duel.goes_on, duel.taken) = (true, 0);
        let Some(node) = view.session.current().filter(|_| !duel.is_asking) else { return };
        match node.turn.agreement().filter(|_| duel.at == Some(node.id)) {
            Some(Agreement::Same) => duel.advance(view),
            Some(_) if view.session.redo_target().is_some() => duel.advance(view),
            Some(found) => {
                duel.goes_on = false;
                let any = node.turn.duel.iter().flat_map(|sides| sides.iter());
                let has_some = any.filter_map(|side| node.turn.side_action(side)).next().is_some();
                let way = if has_some { "take what one of them would do" } else { "decide by yourself" };
                view.say(Level::Info, format!("{} here: {way}, then go on", found.in_words()));
            }
            None => {
                duel.at = None;
                self.ask(false, view);
            }
        }
    }
}

/// What each side would do, in words.
fn would(turn: &Turn) -> String {
    let of = |side: &Side| {
        let action = turn.side_action(side).map_or_else(|| "nothing".to_owned(), |a| format!("`{}`", a.text));
        format!("{} {action}", side.name)
    };
    turn.duel.iter().flat_map(|sides| sides.iter().map(of)).collect::<Vec<_>>().join(", ")
}

impl Duel {
    fn tell(&self, view: &SessionView<'_>) {
        let (heard, all) = (self.heard.iter().flatten().count(), self.sides.len());
        let heard = if self.is_asking { heard } else { all };
        view.tell(Notice::Duel { sides: Arc::clone(&self.names), heard });
        view.tell(Notice::Progress { what: "asking the sides of the duel".to_owned(), done: heard, total: all });
    }

    /// Along what was done, else by what all would do.
    fn advance(&mut self, view: &mut SessionView<'_>) {
        if let Some(child) = view.session.redo_target() {
            view.request(Request::Goto(child));
            return;
        }
        let steps = view.world.kind().steps;
        let turn = view.session.current().map(|node| &node.turn);
        let proposal = turn.and_then(|turn| turn.duel.as_ref()?.first()?.proposal);
        match proposal {
            Some(proposal) if self.taken < steps => {
                self.taken += 1;
                let rule = format!("all {} sides of the duel would take it", self.sides.len());
                view.request(Request::Follow { proposal, rule });
            }
            _ => {
                self.goes_on = false;
                view.say(Level::Info, format!("no disagreement in {}", count(self.taken, "step")));
            }
        }
    }
}

impl Service for DuelService {
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Duel(command) = command else { return Some(command) };
        match command {
            DuelCommand::Begin(contenders) => self.begin(contenders, view),
            DuelCommand::Next => self.next(view),
            DuelCommand::End => {
                self.duel = None;
                self.round += 1;
                view.tell(Notice::Duel { sides: Arc::new([]), heard: 0 });
                view.tell(Notice::Progress { what: String::new(), done: 0, total: 0 });
            }
        }
        None
    }

    fn recorded(&mut self, record: &Record, view: &mut SessionView<'_>) {
        if matches!(record.event, Event::Dueled { .. }) && record.node == view.session.cursor() {
            return self.settle(view);
        }
        // Unattended, a step may have been the last: who runs the episode says whether anybody is asked again.
        if view.headless && matches!(record.event, Event::Executed { .. }) {
            return;
        }
        self.ask(false, view);
        self.look(view);
    }

    fn answered(&mut self, _request: RequestId, answer: Answer, _view: &mut SessionView<'_>) {
        if let (Some(duel), Answer::Refused(_)) = (&mut self.duel, answer) {
            duel.goes_on = false;
        }
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        let asked = match result.map(|done| done.downcast::<Asked>()) {
            Ok(Ok(asked)) => asked,
            Ok(Err(_)) => return,
            Err(broke) => {
                self.cancel(view);
                return view.say(Level::Error, broke);
            }
        };
        let Asked { round, which, heard } = *asked;
        let Some(duel) = self.duel.as_mut().filter(|_| round == self.round) else { return };
        if let (Some(slot), Some(heard)) = (duel.heard.get_mut(which), heard) {
            *slot = Some(heard);
        }
        self.complete(view);
    }

    fn cancel(&mut self, view: &mut SessionView<'_>) {
        self.round += 1;
        let Some(duel) = &mut self.duel else { return };
        duel.goes_on = false;
        if std::mem::take(&mut duel.is_asking) {
            duel.heard.clear();
            duel.tell(view);
        }
    }
}
