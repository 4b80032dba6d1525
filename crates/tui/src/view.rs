//! View: what the panes show, the session folded from the driver's records and the passing notices beside it.
//!
//! Pure: no terminal, no channel. The application folds notices in with [`View::notice`]; panes only read.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use stepwright_episode::{
    ArtifactId, ArtifactKind, AskId, CheckKind, Event, Node, NodeId, Offer, Proposal, ProposalId, Record, Session,
    Turn, Verdict, blind, role,
};
use stepwright_library::{Impact, Look};
use stepwright_method::options::BLOCKING;
use stepwright_method::{Methods, Place, Section};
use stepwright_precondition::{AdoptedSet, CandidateAsks, Inspection, Pool, SetComparison, StepView};
use stepwright_protocol::{BeliefReading, Level, LineStatus, Notice, ProcessStatus, Situation, Unwritten, Violation};
use stepwright_world::blocking::BlockingTree;

use super::actions::{ActionId, spec};
use super::keymap::Keymap;
use offered::Cache;
use passed::Passed;
use stepwright_program::tools::Toolbox;
use stepwright_world::transcript::Logs;
use stepwright_world::{Kinds, Lines, named};

/// The situation, and the recorded episodes with what they violate, as the driver sent them.
type Given = (Option<Arc<Situation>>, Option<(Logs, Arc<Vec<Violation>>)>);

const ANSWERS: usize = 64;

/// The driver's answer to a question of a pane or dialog.
#[derive(Debug)]
pub enum Answer {
    Text(Result<Verdict, String>),
    Belief(Result<BeliefReading, String>),
    /// The verdict on a form of states in words, or all that is wrong with it.
    Form(Result<String, String>),
    Program(Vec<LineStatus>),
    Candidate(Result<Arc<Inspection>, String>),
    Step(Arc<StepView>),
    Impact(Result<Arc<Impact>, String>),
    Decision(Arc<Look>),
    /// Two sets side by side, and the right one of them.
    Sets(Arc<SetComparison>, Arc<AdoptedSet>),
}

/// How an action ceased to be a candidate of the blocking tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawal {
    Pruned,
    /// The leaf that it was offered as is no longer in the tree.
    Gone,
}

/// What the live tree at the cursor says of the proposals there.
#[derive(Debug, Default)]
struct Withdrawn<'a> {
    pruned: BTreeSet<&'a str>,
    /// The turn and the leaves, where the method selects among these.
    offered: Option<(&'a Turn, HashSet<&'a str>)>,
}

impl Withdrawn<'_> {
    fn of(&self, proposal: &Proposal) -> Option<Withdrawal> {
        let text = proposal.action.as_ref()?.text.as_str();
        if self.pruned.contains(text) {
            return Some(Withdrawal::Pruned);
        }
        let (turn, leaves) = self.offered.as_ref()?;
        // Only what was offered as a leaf was checked against the tree.
        let is_of_tree = |verdict: &Verdict| verdict.checks.iter().any(|check| check.kind == CheckKind::Blocking);
        let is_gone = !leaves.contains(text) && turn.newest(proposal.id).is_some_and(is_of_tree);
        is_gone.then_some(Withdrawal::Gone)
    }
}

/// The view: everything that is drawn comes from here.
#[derive(Debug, Default)]
pub struct View {
    /// Which keys do what, so that panes can name them.
    pub keys: Arc<Keymap>,
    /// The worlds there are.
    pub worlds: Kinds,
    /// The methods there are, and the kinds of documents.
    pub methods: &'static Methods,
    /// Whether the title bar says the session's goal whole.
    pub titled: bool,
    pub session: Option<Session>,
    pub records: Vec<Arc<Record>>,
    pub path: Option<PathBuf>,
    pub situation: Option<Arc<Situation>>,
    /// The state at the node that was looked at last without going there.
    looked: Option<Arc<Situation>>,
    /// Text received so far of each pending ask, by completion.
    pub streams: BTreeMap<AskId, BTreeMap<u32, String>>,
    /// Reasoning received so far of each pending ask, by completion.
    pub reasoning: BTreeMap<AskId, BTreeMap<u32, String>>,
    pub retrying: Option<(AskId, String)>,
    /// Long work: what, done, total.
    pub progress: Option<(String, usize, usize)>,
    pub pools: BTreeMap<String, Arc<Pool>>,
    /// The blocking tree last asked for; `None` once what it was derived from has changed.
    pub blocking: Option<(ProposalId, Arc<BlockingTree>)>,
    /// How often assertions were put in force, or the tree of the goals became another one where the session stands: what was derived from them
    /// is requested again when this changes.
    pub grounds_changed: usize,
    /// The driver's newest answers to questions of panes and dialogs, by the question's number.
    answers: BTreeMap<u64, Answer>,
    pub candidate_asks: CandidateAsks,
    /// Whether the world's data holds the true preconditions.
    pub ground_truth: bool,
    /// How the world's process is doing; `None` for worlds of the program itself.
    pub world: Option<ProcessStatus>,
    /// The proposal the person has chosen to see; approve acts on it.
    pub selected: Option<ProposalId>,
    pub message: Option<(Level, String)>,
    /// Whether a session was opened that had begun before, and the person did nothing since.
    pub is_opening: bool,
    /// Counts every change; panes cache by it.
    pub revision: u64,
    /// The recorded episodes that are played back, and the violations of the present one.
    pub logs: Option<(Logs, Arc<Vec<Violation>>)>,
    pub stopped: bool,
    /// The sides of the duel that goes on, and how many of them were heard at the present step.
    pub duel: Option<(Arc<[String]>, usize)>,
    /// Other sessions that it is compared with: what each is called, and the session as it was left.
    pub compared: Vec<(String, Session)>,
    /// Whether the person knows what going back does not undo.
    pub warned: bool,
    /// Whether every session is shown blind, whatever it says itself, until the person switches that off.
    pub always_blind: bool,
    /// The address of the page that follows the presenter, where there is one.
    pub mirror: Option<String>,
    /// Whether the session is only read.
    pub read_only: bool,
    /// How often remarks were made or changed: what shows them is laid out again when this changes.
    pub remarks: usize,
    /// The records that are shown without what must not be seen yet, by their places among the records.
    withheld: BTreeMap<usize, Arc<Record>>,
    /// The situation and the recorded episodes as the driver sent them.
    given: Given,
    /// Why records wait to be written, if they do.
    pub unwritten: Option<Unwritten>,
    rejected: HashSet<ProposalId>,
    passed: Passed,
    /// The last computed order of the proposals.
    cache: Cache,
}

impl View {
    pub fn new(keys: Arc<Keymap>, worlds: Kinds, methods: &'static Methods) -> Self {
        View { keys, worlds, methods, ..View::default() }
    }

    /// The key of an action as a person reads it; its name where it has none.
    pub fn key(&self, action: impl Into<ActionId>) -> String {
        let action = action.into();
        let name = || spec(action).map_or_else(String::new, |s| format!("`{}`", s.label));
        self.keys.hint(action).unwrap_or_else(name)
    }

    /// The driver's answer to the question of that number, once it is there.
    pub fn answer(&self, token: u64) -> Option<&Answer> {
        self.answers.get(&token)
    }

    fn answered(&mut self, token: u64, answer: Answer) {
        self.answers.insert(token, answer);
        // Numbers only grow: the first is the oldest.
        if self.answers.len() > ANSWERS {
            self.answers.pop_first();
        }
    }

    pub fn notice(&mut self, notice: Notice) {
        self.revision += 1;
        match notice {
            Notice::Opened { session, records, path } => self.open(*session, records, path),
            Notice::Kept(path) => self.path = Some(path),
            Notice::Logs { logs, violations } => {
                self.given.1 = Some((logs, violations));
                self.show_given();
            }
            Notice::Unwritten(unwritten) => self.unwritten = unwritten,
            Notice::Recorded(record) => self.record(record),
            Notice::Situation(situation) => {
                // What demonstrations show may be known now: what was explained before that is explained again.
                let before = self.given.0.as_ref().filter(|before| before.node == situation.node);
                if before.is_some_and(|before| before.goals != situation.goals) {
                    self.grounds_changed += 1;
                    self.blocking = None;
                }
                self.given.0 = Some(situation);
                self.show_given();
            }
            Notice::Looked(situation) => self.looked = Some(situation),
            Notice::World(standing) => self.world = Some(standing),
            // A question of the application's.
            Notice::Diverged { .. } => {}
            Notice::Stream { ask, index, text } => {
                self.retrying = None;
                self.streams.entry(ask).or_default().entry(index).or_default().push_str(&text);
            }
            Notice::Reasoning { ask, index, text } => {
                self.retrying = None;
                self.reasoning.entry(ask).or_default().entry(index).or_default().push_str(&text);
            }
            Notice::Void { ask, from } => {
                for streams in [self.streams.get_mut(&ask), self.reasoning.get_mut(&ask)].into_iter().flatten() {
                    streams.retain(|index, _| *index < from);
                }
            }
            Notice::Retrying { ask, attempt, wait, why } => {
                let seconds = wait.as_secs_f32();
                self.retrying = Some((ask, format!("{why}; attempt {attempt} in {seconds:.0} s")));
            }
            Notice::Progress { what, done, total } => {
                // Without words it is over.
                let goes_on = !what.is_empty() && (total == 0 || done < total);
                self.progress = goes_on.then_some((what, done, total));
            }
            Notice::Duel { sides, heard } => self.duel = (!sides.is_empty()).then_some((sides, heard)),
            Notice::TextChecked { token, verdict } => {
                let hidden = self.hides_future();
                let verdict = verdict.map(|full| if hidden { blind::verdict(&full) } else { full });
                self.answered(token, Answer::Text(verdict));
            }
            Notice::FormChecked { token, verdict } => self.answered(token, Answer::Form(verdict)),
            Notice::BeliefChecked { token, reading } => self.answered(token, Answer::Belief(reading)),
            Notice::ProgramChecked { token, lines } => self.answered(token, Answer::Program(lines)),
            Notice::Blocking { proposal, tree } => self.blocking = Some((proposal, tree)),
            Notice::Pool(pool) => {
                self.pools.insert(pool.action.clone(), pool);
            }
            Notice::CandidateChecked { token, inspection } => self.answered(token, Answer::Candidate(inspection)),
            Notice::StepShown { token, step } => self.answered(token, Answer::Step(step)),
            Notice::Impact { token, impact } => self.answered(token, Answer::Impact(impact)),
            Notice::DecisionShown { token, look } => self.answered(token, Answer::Decision(look)),
            Notice::SetsCompared { token, comparison, right } => {
                self.answered(token, Answer::Sets(comparison, right));
            }
            Notice::Inference { asks, ground_truth } => (self.candidate_asks, self.ground_truth) = (asks, ground_truth),
            Notice::Say { level, text } | Notice::Remark { level, text } => self.say(level, text),
            Notice::Stopped => self.stopped = true,
        }
    }

    /// Shows a message. What is said while a session is opened stands beside what was warned of before, which nobody has read yet; the
    /// graver is said first.
    fn say(&mut self, level: Level, text: String) {
        let unread = self.message.take().filter(|(before, _)| self.is_opening && *before != Level::Info);
        self.message = Some(match unread {
            Some((Level::Warning, said)) if level == Level::Error => (level, format!("{text}; {said}")),
            Some((before, said)) => (before, format!("{said}; {text}")),
            None => (level, text),
        });
    }

    fn open(&mut self, session: Session, records: Vec<Arc<Record>>, path: Option<PathBuf>) {
        let (keys, worlds, methods) = (Arc::clone(&self.keys), Arc::clone(&self.worlds), self.methods);
        let (revision, message) = (self.revision, self.message.take());
        let (always_blind, read_only, mirror) = (self.always_blind, self.read_only, self.mirror.take());
        let is_opening = !records.is_empty();
        *self = View { keys, worlds, methods, revision, message, is_opening, path, ..View::default() };
        (self.always_blind, self.read_only, self.mirror) = (always_blind, read_only, mirror);
        (self.session, self.records) = (Some(session), records);
        self.show_blind();
        self.selected = None;
        let records = std::mem::take(&mut self.records);
        // Which row a change of the tree has pruned is not known here: what is recommended after it is chosen.
        let mut pruned = false;
        for record in &records {
            match &record.event {
                Event::ArtifactSettled { artifact, .. } | Event::ArtifactUndone { artifact }
                    if artifact.kind == ArtifactKind::Tree =>
                {
                    pruned = true;
                }
                Event::Executed { .. } | Event::Moved { .. } => pruned = false,
                _ => {}
            }
            self.pass(record, pruned);
        }
        self.records = records;
        if let Some(id) = self.selected {
            self.choose_shown(id);
        }
    }

    /// Chooses the copy that is shown for a proposal. Of an action that was taken that is the one offered since: its verdict is of now.
    fn choose_shown(&mut self, id: ProposalId) {
        let taken = self.turn().and_then(|turn| turn.decision_on(id)).is_some_and(|decision| decision.takes());
        self.selected = self.selected.filter(|_| !taken);
        self.select(id);
    }

    fn record(&mut self, record: Arc<Record>) {
        let decided = blind::takes(&record) || matches!(record.event, Event::BlindSet { .. });
        if matches!(record.event, Event::BlindSet { blind: false }) {
            self.always_blind = false;
        }
        let moved = matches!(record.event, Event::Executed { .. } | Event::Moved { .. });
        let changes =
            matches!(&record.event, Event::Proposed { .. } | Event::Recommended { .. } | Event::Decided { .. });
        self.take_in(record);
        // The choice goes over to the copy that is shown now.
        if let Some(id) = self.selected.filter(|_| changes) {
            self.choose_shown(id);
        }
        if decided || (moved && self.is_blind()) {
            self.show_blind();
        }
    }

    fn take_in(&mut self, record: Arc<Record>) {
        let record = self.withhold(record);
        let pruned = self.chosen().is_some_and(|p| self.is_pruned(p));
        let Some(session) = &mut self.session else { return };
        if let Err(misfit) = session.apply(&record) {
            self.withheld.remove(&self.records.len());
            self.message = Some((Level::Error, misfit.to_string()));
            return;
        }
        if let Event::Answered { ask, .. } | Event::AskFailed { ask, .. } = &record.event {
            self.streams.remove(ask);
            self.reasoning.remove(ask);
            self.retrying = None;
        }
        self.pass(&record, pruned);
        self.records.push(record);
    }

    pub fn node(&self) -> Option<&Node> {
        self.session.as_ref().and_then(Session::current)
    }

    /// The events at the cursor since arriving there.
    pub fn turn(&self) -> Option<&Turn> {
        self.node().map(|n| &n.turn)
    }

    /// The offered belief that waits for a decision.
    pub fn offer(&self) -> Option<&Offer> {
        self.turn().and_then(Turn::pending_offer)
    }

    pub fn sections(&self, node: NodeId) -> Vec<Section> {
        let closing = self.situation.as_ref().map_or("", |situation| situation.closing);
        let at = self.session.as_ref().map(|session| Place { session, node, closing });
        at.map(|at| self.methods.sections(&at)).unwrap_or_default()
    }

    /// The text of the plan or program in force at the cursor, where there is one.
    pub fn plan(&self) -> Option<&str> {
        self.node()?.document(&ArtifactId::PLAN)?.get("text")?.as_str()
    }

    /// The plan in force, where a change of it can be turned. One that a method made is not taken back: it would only make it anew.
    pub(crate) fn changed_plan(&self) -> Option<ArtifactId> {
        let plan = self.node().and_then(|node| node.document(&ArtifactId::PLAN));
        let written = plan.is_some_and(|plan| plan.get("node").is_some());
        let undone = self.session.as_ref().is_some_and(|session| session.last_undone(&ArtifactId::PLAN).is_some());
        (written || undone).then_some(ArtifactId::PLAN)
    }

    /// Whether the method in use plans in programs.
    pub(crate) fn plans_programs(&self) -> bool {
        let method = self.session.as_ref().and_then(|session| self.methods.named(&session.method));
        method.is_some_and(|method| method.info().programs)
    }

    fn lines(&self) -> Option<Lines> {
        named(&self.worlds, &self.session.as_ref()?.header.world).ok()?.lines
    }

    /// Whether actions are answers to what a program asks of a model: what the world tells beside the variables is that request then.
    pub(crate) fn answers_requests(&self) -> bool {
        self.lines().is_some()
    }

    /// The tools that an action may call, where actions are calls of tools.
    pub(crate) fn tools(&self) -> Option<Toolbox> {
        self.situation.as_ref()?.tools.clone()
    }

    /// The text in which a proposal's action is edited and how one is written, in worlds whose actions have several lines.
    pub(crate) fn lines_of(&self, proposal: ProposalId) -> Option<(String, &'static str)> {
        let lines = self.lines()?;
        Some(((lines.edited)(self.turn()?.proposal(proposal)?.action.as_ref()?), lines.example))
    }

    /// Whether a proposal's action is no candidate of the blocking tree any more: a person pruned it, or took back the change by which
    /// it was one.
    pub(crate) fn is_pruned(&self, proposal: &Proposal) -> bool {
        self.withdrawn().of(proposal).is_some()
    }

    /// How a proposal's action ceased to be a candidate of the blocking tree, if it did.
    pub(crate) fn withdrawal(&self, proposal: &Proposal) -> Option<Withdrawal> {
        self.withdrawn().of(proposal)
    }

    fn withdrawn(&self) -> Withdrawn<'_> {
        let Some((session, turn)) = self.session.as_ref().zip(self.turn()) else { return Withdrawn::default() };
        let live = self.situation.as_ref().filter(|s| s.live && s.node == session.cursor());
        let Some(tree) = live.map(|situation| &situation.goals) else { return Withdrawn::default() };
        // Beside another method the tree checks any action, not its leaves alone, and keeps none from being executed.
        let selects = self.methods.named(&session.method).is_some_and(|method| {
            let info = method.info();
            info.roles.contains(&role::Role::Selector) && !info.options.contains(&BLOCKING)
        });
        let leaves = tree.nodes.iter().filter(|node| node.handle.is_some_and(|handle| handle.leaf));
        let offered = selects.then(|| (turn, leaves.map(|node| node.text.as_str()).collect()));
        Withdrawn { pruned: tree.pruned(), offered }
    }

    pub fn is_recommended(&self, id: ProposalId) -> bool {
        let recommended = self.turn().and_then(|t| t.recommended.as_ref()).and_then(|(id, _)| *id);
        recommended.is_some_and(|r| r == id || self.shown_for(r) == Some(id))
    }

    pub fn select(&mut self, id: ProposalId) {
        self.selected = Some(self.shown_for(id).unwrap_or(id));
    }

    pub fn chosen(&self) -> Option<&Proposal> {
        self.selected.and_then(|id| self.turn().and_then(|t| t.proposal(id)))
    }
}

mod offered;
mod passed;
mod unseen;

#[cfg(test)]
mod tests;
