//! Story of a session, in order: what each export renders.
//!
//! Nodes come along the line the cursor is on first, then each other branch from where it leaves. Pure: reads a session, knows
//! no output format. Texts are left as they are; each format makes them safe in its own way.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::learned::{self, Learned};
use super::rows::{ProposalEntry, hides_future, in_rows, offered};
use super::stated::Stated;
use stepwright_episode::duel::Agreement;
use stepwright_episode::gate::{tells, without_number};
use stepwright_episode::patch::{Change, operations};
use stepwright_episode::role::{Role, Spent, without};
use stepwright_episode::showing::{Listed, Showings};
use stepwright_episode::{
    Actor, ArtifactId, ArtifactKind, Ask, AskState, Assertions, Check, Choice, Decision, DecisionId, Mark, Node,
    NodeId, OWN, OfferState, Origin, Proposal, Session, Tally, Turn,
};
use stepwright_text::sgr;
use stepwright_text::words::{count, one_line};

/// The world's state at a node, where the session could be gone through in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seen {
    /// The program's variables: what the agent can know.
    pub variables: Stated,
    pub truth: Stated,
    /// The picture of the place as text, a line a row; none in worlds without one.
    pub picture: Vec<String>,
    /// The blocking tree, a line a node, indented.
    pub tree: Vec<String>,
    /// How the belief differs from the truth, a line a value; `None` where no belief is maintained or the truth has no such form.
    pub differences: Option<Vec<String>>,
}

/// What the world of a session says, as far as the session could be gone through in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Visited {
    pub seen: BTreeMap<NodeId, Seen>,
    /// Why it says nothing of some nodes; empty where it says something of all, or was not asked.
    pub lacking: String,
}

/// A session in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Story {
    pub sentence: String,
    /// World, task, method, model and the like: label and value.
    pub facts: Vec<(String, String)>,
    pub standing: String,
    /// Who decided how on the line the session is on, and how often.
    pub deciders: Vec<(String, usize)>,
    /// The chapters: the cursor's line first, then the other branches.
    pub chapters: Vec<Chapter>,
    /// The assertions in force where the session is that are not the specification's own.
    pub in_force: Vec<InForceEntry>,
    /// The knowledge where the session is: skills, primitives, tips, cuts, reflections.
    pub known: Vec<Learned>,
    pub specification: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InForceEntry {
    pub action: String,
    /// Where they come from, and since which step they are in force.
    pub origin: String,
    /// The expressions; none means that everything is permitted.
    pub assertions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chapter {
    /// `The episode`, or where the branch leaves.
    pub title: String,
    pub steps: Vec<Step>,
}

/// A node: how it was reached, what it gave, and what happened there before the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    pub node: NodeId,
    /// The number of its step; 0 is the reset. What executed nothing has that of the step before.
    pub number: u32,
    /// Whether something was executed, so that the number is its own.
    pub executed: bool,
    /// The action that led here; empty at the reset.
    pub action: String,
    /// Who decided on it and how, in words; empty at the reset.
    pub decided: String,
    /// Who decided on it; empty at the reset.
    pub who: &'static str,
    /// What came of it in one word, as of [`ProposalEntry::standing`].
    pub standing: &'static str,
    pub observation: String,
    pub error: Option<String>,
    /// That the world refused the action, and why unless what was observed says it; empty where it did it.
    pub refused: String,
    pub calls: Vec<String>,
    pub changes: Vec<String>,
    pub won: bool,
    pub here: bool,
    pub asks: Vec<AskEntry>,
    pub proposals: Vec<ProposalEntry>,
    /// The duel made here: whether its sides agree, then what each would do, a line each; empty without one.
    pub duel: Vec<String>,
    /// Assertions put in force here.
    pub adopted: Vec<AdoptedEntry>,
    /// Assertions put in force above and taken back here: by whom and which, a line each.
    pub taken_back: Vec<String>,
    pub learned: Vec<Learned>,
    pub notes: Vec<String>,
    /// The decisions here about documents (a belief, a plan, the blocking tree), a line each, their changes below.
    pub documents: Vec<String>,
    pub plan: Option<String>,
    /// The program's variables; `None` where the session could not be gone through.
    pub state: Option<Stated>,
    /// The world's truth; hidden in blind sessions before the decision.
    pub truth: Option<Stated>,
    /// The picture of the place as text, a line a row; hidden as the truth is.
    pub picture: Vec<String>,
    /// The blocking tree, a line a node, indented.
    pub tree: Vec<String>,
    /// How the belief differs from the truth, a line a value; `None` where that is not known.
    pub differences: Option<Vec<String>>,
}

/// Assertions put in force at a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdoptedEntry {
    pub action: String,
    /// Action, origin, expressions, in a line.
    pub words: String,
    /// The step below at which others came in their place, or they were taken back.
    pub until: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskEntry {
    pub title: String,
    /// Whether it is told in short forms too: its prompt was edited, it was asked of a role's own model, or what came is no answer.
    pub stands_out: bool,
    pub messages: Vec<(String, String)>,
    pub reasoning: Vec<String>,
    pub answers: Vec<String>,
    /// What had come where there is no answer.
    pub partial: String,
    /// Tokens and time, or what went wrong.
    pub outcome: String,
}

/// Puts a session in order, with what its world says at its nodes as far as that is known.
pub fn story(session: &Session, visited: &Visited, showings: Showings<'_>) -> Story {
    let header = &session.header;
    let under = session.decided_under(session.kept().map(AsRef::as_ref));
    let mut facts = vec![
        ("world".to_owned(), [header.world.as_str(), &header.world_version].join(" ").trim_end().to_owned()),
        ("task".to_owned(), header.task.clone()),
        ("data".to_owned(), header.data.clone()),
        ("method".to_owned(), under.method),
        ("model".to_owned(), under.model),
    ];
    // Of a log it is not known, where nothing was reported.
    if session.spent != Default::default() || session.nodes().iter().any(|node| !node.turn.asks.is_empty()) {
        facts.push(("tokens".to_owned(), format!("{} in, {} out", session.spent.prompt, session.spent.completion)));
    }
    if let (prompts, Some(first)) = session.left_out() {
        facts.push(("context".to_owned(), format!("{} did not fit; the first: {first}", count(prompts, "prompt"))));
    }
    let apart = session.spent_by_role();
    if apart.len() > 1 {
        let of = |(role, of): (&Role, &Spent)| format!("{} {} in, {} out", role.name(), of.prompt, of.completion);
        facts.push(("by role".to_owned(), apart.iter().map(of).collect::<Vec<_>>().join("; ")));
    }
    if let Some(cost) = session.cost {
        facts.push(("cost".to_owned(), stepwright_text::words::cost(cost) + &without(&session.unpriced())));
    }
    if !header.sandbox.is_empty() {
        facts.push(("sandbox".to_owned(), header.sandbox.clone()));
    }
    if session.blind {
        facts.push(("blind".to_owned(), "the world's dry run is hidden before a decision".to_owned()));
    }
    let asked = session.line().iter().filter(|node| node.turn.agreement().is_some()).count();
    if asked > 0 {
        let steps = |of| session.duels(of).iter().map(|node| node.steps.to_string()).collect::<Vec<_>>();
        let (differ, open) = (steps(Agreement::Differ), steps(Agreement::Open));
        let at = if differ.is_empty() { String::new() } else { format!(", at step {}", differ.join(", ")) };
        let mut found = format!("asked at {}, {}{at}", count(asked, "step"), count(differ.len(), "disagreement"));
        if !open.is_empty() {
            found.push_str(&format!("; not all have an answer at step {}", open.join(", ")));
        }
        facts.push(("duel".to_owned(), found));
    }
    facts.push(("not shown".to_owned(), visited.lacking.clone()));
    facts.retain(|(_, value)| !value.is_empty());
    facts.extend(header.options.iter().map(|(k, v)| (k.clone(), v.clone())));
    Story {
        sentence: header.sentence.clone(),
        facts,
        standing: standing(session),
        deciders: deciders(session),
        chapters: chapters(session, &visited.seen, showings),
        in_force: in_force(session),
        known: learned::known(session, showings),
        specification: header.specification.clone(),
    }
}

/// How it stands where the session is; where the method ended the episode, also why.
fn standing(session: &Session) -> String {
    let path = session.path(session.cursor());
    let ended = path.last().filter(|node| !node.outcome.won).and_then(|node| node.outcome.ended.as_deref());
    outcome(session, &path) + &ended.map(|why| format!(": {why}")).unwrap_or_default()
}

/// How a path ended, or that it goes on.
pub(super) fn outcome(session: &Session, path: &[&Node]) -> String {
    let Some(node) = path.last() else { return "not started".to_owned() };
    let Tally { steps, blocked, held } = Tally::of(path);
    let mut steps = count(steps, "step");
    if blocked > 0 {
        steps.push_str(&format!(" and {}", count(blocked, "blocked selection")));
    }
    if held > 0 {
        steps.push_str(&format!(" and {held} {}", if held == 1 { "thought or call" } else { "thoughts or calls" }));
    }
    match (node.outcome.reached(), node.outcome.done) {
        (Some(true), _) => format!("goal reached after {steps}"),
        (Some(false), true) => format!("over after {steps}, goal not reached"),
        (None, _) => format!("over after {steps}, whether the goal is reached is not known"),
        (Some(false), false) => {
            let stopped = node.turn.stopped.as_ref().filter(|why| !(session.blind && tells(why)));
            let stopped = stopped.map(|why| format!(", stopped: {why}"));
            format!("under way after {steps}{}", stopped.unwrap_or_default())
        }
    }
}

fn in_force(session: &Session) -> Vec<InForceEntry> {
    let path = session.path(session.cursor());
    let since = |action: &str| {
        let node = path.iter().rev().find(|n| n.turn.adopted().iter().any(|a| a.action == action))?;
        Some(format!(", since step {}", node.steps))
    };
    let adopted = session.assertions().iter().filter(|(_, (_, origin))| origin != OWN);
    let entries = adopted.map(|(action, (assertions, origin))| InForceEntry {
        action: action.clone(),
        origin: format!("{origin}{}", since(action).unwrap_or_default()),
        assertions: assertions.clone(),
    });
    entries.collect()
}

/// The assertions put in force at a node; those an episode begins with are left out.
fn adopted(node: &Node) -> Vec<AdoptedEntry> {
    let all = node.turn.adopted();
    let is_own = |at: usize, one: &Assertions| {
        node.parent.is_none() && one.origin == OWN && !all.iter().take(at).any(|b| b.action == one.action)
    };
    let entries = all.iter().enumerate().filter(|(at, one)| !is_own(*at, one));
    entries.map(|(_, one)| AdoptedEntry { action: one.action.clone(), words: set_words(one), until: None }).collect()
}

fn set_words(set: &Assertions) -> String {
    let texts = if set.assertions.is_empty() { "none".to_owned() } else { set.assertions.join("; ") };
    format!("{} ({}): {texts}", set.action, set.origin)
}

fn taken_back(node: &Node) -> Vec<String> {
    let of = |(by, set): (Actor, Assertions)| format!("by {}: {}", actor(by), set_words(&set));
    node.turn.changes.iter().filter_map(|change| Some((change.by, change.taken_back()?))).map(of).collect()
}

/// The step of a line below a node at which assertions that were put in force there ended.
fn until(below: &[&Node], action: &str) -> Option<u32> {
    let set = ArtifactId::assertions(action);
    below.iter().find(|node| node.turn.changes_of(&set).next().is_some()).map(|node| node.steps)
}

fn chapters(session: &Session, seen: &BTreeMap<NodeId, Seen>, showings: Showings<'_>) -> Vec<Chapter> {
    let main: Vec<&Node> = session.line();
    let mut done = vec![false; session.nodes().len()];
    let chapter =
        |title: String, line: &[&Node], done: &mut [bool]| chapter(session, seen, showings, title, line, done);
    let name = main.last().map_or("", |tip| session.branch_name(tip.id));
    let name = if name.is_empty() { session.branch_name(session.cursor()) } else { name };
    let mut chapters = vec![chapter(titled("The episode".to_owned(), name), &main, &mut done)];
    // How each chapter is called, and of each node which it is in.
    let (mut called, mut places) = (vec!["the episode".to_owned()], BTreeMap::new());
    places.extend(main.iter().map(|node| (node.id, 0)));
    // Every node not included yet starts a branch; it is followed along its newest children.
    for node in session.nodes().iter().map(AsRef::as_ref) {
        if is_done(&done, node.id) || session.is_deleted(node.id) {
            continue;
        }
        let mut line = vec![node];
        while let Some(next) = line
            .last()
            .and_then(|n| n.children.iter().rev().find(|c| !is_done(&done, **c) && !session.is_deleted(**c)))
            .and_then(|c| session.node(*c))
        {
            line.push(next);
        }
        let from = node.parent.and_then(|p| session.node(p)).map_or(0, |n| n.steps);
        let of = node.parent.and_then(|parent| places.get(&parent)).and_then(|place| called.get(*place));
        let of = of.map_or("the episode", String::as_str);
        // Where it parts, a branch may have a deleted one beside it: then its own beginning is further down.
        let [first, last] = [Some(&node), line.last()].map(|at| at.map_or("", |at| session.branch_name(at.id)));
        let name = if first.is_empty() { last } else { first };
        let both = format!("{first}, then {last}");
        let names = if first.is_empty() || last.is_empty() || first == last { name } else { &both };
        let title = titled(format!("Branch after step {from} of {of}"), names);
        let action = node.action.as_ref().map_or_else(Cow::default, |action| one_line(&action.text));
        places.extend(line.iter().map(|node| (node.id, called.len())));
        called.push(match name {
            "" => format!("the branch of `{action}` at step {}", node.steps),
            name => format!("branch `{name}`"),
        });
        chapters.push(chapter(title, &line, &mut done));
    }
    chapters
}

fn titled(title: String, name: &str) -> String {
    if name.is_empty() { title } else { format!("{title}: {name}") }
}

fn is_done(done: &[bool], node: NodeId) -> bool {
    usize::try_from(node).ok().and_then(|i| done.get(i)).copied().unwrap_or(true)
}

fn chapter(
    session: &Session,
    seen: &BTreeMap<NodeId, Seen>,
    showings: Showings<'_>,
    title: String,
    line: &[&Node],
    done: &mut [bool],
) -> Chapter {
    let mut steps = Vec::with_capacity(line.len());
    for (at, node) in line.iter().enumerate() {
        if let Some(slot) = usize::try_from(node.id).ok().and_then(|i| done.get_mut(i)) {
            *slot = true;
        }
        let mut step = step_of(session, node, showings);
        let below = line.get(at + 1..).unwrap_or_default();
        step.adopted.iter_mut().for_each(|set| set.until = until(below, &set.action));
        steps.push(match seen.get(&node.id) {
            Some(seen) => with_state(step, session, node, seen),
            None => step,
        });
    }
    Chapter { title, steps }
}

pub fn step_of(session: &Session, node: &Node, showings: Showings<'_>) -> Step {
    Step {
        node: node.id,
        number: node.steps,
        executed: node.outcome.is_executed(),
        action: node.action.as_ref().map(|a| a.text.clone()).unwrap_or_default(),
        decided: decided(session, node),
        who: session.decision_at(node.id).map_or("", |decision| actor(decision.by)),
        standing: word(session.mark_at(node)),
        observation: sgr::plain(&node.outcome.observation).into_owned(),
        error: node.outcome.error.clone(),
        refused: refused(node),
        calls: node.outcome.calls.clone(),
        changes: change_lines(&node.changes.value()).into_iter().chain(departures(node)).collect(),
        won: node.outcome.won,
        here: session.cursor() == node.id,
        asks: node.turn.asks.iter().map(|one| ask(one, session)).collect(),
        proposals: in_rows(session, node, proposals(session, node)),
        duel: duel(&node.turn),
        adopted: adopted(node),
        taken_back: taken_back(node),
        learned: learned::at(node, showings),
        notes: node.turn.remarks(),
        documents: documents(node, showings),
        plan: plan(node),
        state: None,
        truth: None,
        picture: Vec::new(),
        tree: Vec::new(),
        differences: None,
    }
}

fn refused(node: &Node) -> String {
    match &node.outcome.error {
        None => String::new(),
        Some(error) if error.trim() == node.outcome.observation.trim() => "refused by the world".to_owned(),
        Some(error) => format!("refused: {}", error.trim_end()),
    }
}

fn proposals(session: &Session, node: &Node) -> Vec<ProposalEntry> {
    let done: Vec<DecisionId> = node.children.iter().filter_map(|child| session.node(*child)?.decision).collect();
    let offered = offered(session, node).into_iter();
    // Where the model was changed, no model goes without saying.
    let own = if session.header.model == session.model { session.model.as_str() } else { "" };
    offered.map(|one| ProposalEntry { fate: fate(one, &node.turn, &done), ..proposal(one, &node.turn, own) }).collect()
}

/// The adopted effects that a step contradicts, a line each.
fn departures(node: &Node) -> impl Iterator<Item = String> {
    node.outcome.departures.iter().map(|of| format!("drift: {} did not follow: {}", of.effect, of.why))
}

fn duel(turn: &Turn) -> Vec<String> {
    let (Some(sides), Some(agree)) = (&turn.duel, turn.agreement()) else { return Vec::new() };
    let agree = agree.in_words();
    let each = sides.iter().map(|side| {
        let own = &side.configuration;
        let with = [&own.model, &own.method, &side.set, &side.prompts];
        let with: Vec<&str> = with.into_iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let (would, mark) = match side.proposal.and_then(|id| turn.proposal(id)) {
            Some(proposal) => (words(proposal), word(turn.mark(proposal))),
            None => ("nothing", ""),
        };
        let why = [mark, side.why.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        format!("{} [{}]: {would}{why}", side.name, with.join(", "))
    });
    std::iter::once(agree.to_owned()).chain(each).collect()
}

/// A step with the state at it. Before a decision of a blind session the truth is left out.
fn with_state(step: Step, session: &Session, node: &Node, seen: &Seen) -> Step {
    let shown = !hides_future(session, node);
    Step {
        state: Some(seen.variables.clone()),
        truth: Some(seen.truth.clone()).filter(|truth| shown && !truth.is_none()),
        picture: seen.picture.iter().filter(|_| shown).cloned().collect(),
        tree: seen.tree.clone(),
        differences: seen.differences.clone().filter(|_| shown),
        ..step
    }
}

fn plan(node: &Node) -> Option<String> {
    node.turn.changes_of(&ArtifactId::PLAN).next_back()?;
    Some(node.document(&ArtifactId::PLAN)?.get("text")?.as_str()?.to_owned())
}

/// The decisions at a node about documents other than assertions and knowledge.
fn documents(node: &Node, showings: Showings<'_>) -> Vec<String> {
    let why = |why: &str| if why.is_empty() { String::new() } else { format!(": {why}") };
    let mut out = Vec::new();
    let is_own = |kind: &ArtifactKind| showings(kind).listed == Listed::Changes;
    let changes = node.turn.changes.iter().filter(|c| is_own(&c.artifact.kind));
    for change in changes {
        let by = format!(" by {}{}", actor(change.by), why(&change.why));
        let how = match (change.offer, change.edited) {
            _ if change.takes_back => format!("the last change taken back by {}", actor(change.by)),
            (Some(_), false) if change.is_unasked() => "taken as written".to_owned(),
            (Some(_), false) => format!("taken as written{by}"),
            (Some(_), true) => format!("edited, then taken{by}"),
            (None, _) => format!("set{by}"),
        };
        out.push(format!("{}: {how}", change.artifact));
        out.extend(change_lines(&change.patch).into_iter().map(|line| format!("  {line}")));
    }
    for offer in node.turn.offers.iter().filter(|offer| is_own(&offer.written.artifact.kind)) {
        if let OfferState::Refused { by: who, why: reason } = &offer.fate {
            out.push(format!(
                "{}: what was written is refused by {}{}",
                offer.written.artifact,
                actor(*who),
                why(reason)
            ));
        }
    }
    out
}

/// Who decided on the step to a node, how and why, in words; empty at the reset.
pub fn decided(session: &Session, node: &Node) -> String {
    let parent = node.parent.and_then(|p| session.node(p));
    let decided = parent.zip(session.decision_at(node.id));
    decided.map(|(p, d)| decision_words(d, &p.turn, node.outcome.is_executed())).unwrap_or_default()
}

fn decision_words(decision: &Decision, turn: &Turn, executed: bool) -> String {
    if is_recorded(decision, turn) {
        return RECORDED.to_owned();
    }
    let who = actor(decision.by);
    let what = match &decision.choice {
        Choice::Approve { .. } => format!("approved by {who}"),
        Choice::Edit { from, .. } => {
            let text = turn.proposal(*from).map_or("a proposal", |p| words(p));
            format!("edited by {who} from `{text}`")
        }
        Choice::Manual { .. } => format!("typed by {who}"),
        Choice::Reject { .. } => format!("rejected by {who}"),
    };
    let why = match (decision.by, executed) {
        (Actor::Policy, false) => without_number(&decision.why),
        _ => decision.why.as_str(),
    };
    if why.is_empty() { what } else { format!("{what}: {why}") }
}

/// How a step was decided on that an episode recorded elsewhere took.
const RECORDED: &str = "taken in the recorded episode";

/// Whether nobody here decided: the step was taken in an episode that was recorded elsewhere.
fn is_recorded(decision: &Decision, turn: &Turn) -> bool {
    let Choice::Approve { proposal } = decision.choice else { return false };
    decision.by == Actor::Policy && turn.proposal(proposal).is_some_and(|p| p.origin == Origin::Recorded)
}

fn actor(by: Actor) -> &'static str {
    match by {
        Actor::Person => "a person",
        Actor::Policy => "the policy",
    }
}

/// How the decisions of the line that the session is on were taken, the most frequent first.
fn deciders(session: &Session) -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    let line = session.line();
    let turns = line.iter().map(|node| node.parent.and_then(|parent| session.node(parent)).map(|parent| &parent.turn));
    for (turn, node) in turns.zip(&line) {
        let Some((turn, decision)) = turn.zip(session.decision_at(node.id)) else { continue };
        let how = match decision.choice {
            Choice::Approve { .. } => "approved",
            Choice::Edit { .. } => "edited",
            Choice::Manual { .. } => "typed",
            Choice::Reject { .. } => "rejected",
        };
        let words = match is_recorded(decision, turn) {
            true => RECORDED.to_owned(),
            false => format!("{how} by {}", actor(decision.by)),
        };
        match all.iter_mut().find(|(known, _)| *known == words) {
            Some((_, times)) => *times += 1,
            None => all.push((words, 1)),
        }
    }
    all.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    all
}

fn words(proposal: &Proposal) -> &str {
    proposal.action.as_ref().map_or(proposal.raw.as_str(), |a| a.text.as_str())
}

/// A JSON patch (RFC 6902) a line each: `+ path = value`, `- path`, `~ path = value`.
pub fn change_lines(patch: &serde_json::Value) -> Vec<String> {
    let line = |(change, pointer, new): (Change, &str, Option<&serde_json::Value>)| {
        let mark = match change {
            Change::Added => '+',
            Change::Removed => '-',
            Change::Changed => '~',
        };
        let new = new.map(|value| format!(" = {value}")).unwrap_or_default();
        format!("{mark} {}{new}", stepwright_text::json_pointer::display(pointer))
    };
    operations(patch).map(line).collect()
}

/// Whether a person changed the text of its prompt.
fn is_edited(ask: &Ask) -> bool {
    ask.prompt.as_ref().is_some_and(|prompt| prompt.template == "edited")
}

fn ask(ask: &Ask, session: &Session) -> AskEntry {
    let edited = if is_edited(ask) { "edited prompt, " } else { "" };
    let mut title = format!("{edited}{} of {}, {} x {}", ask.purpose_in(session), ask.model, ask.n, ask.sampling());
    if let Some(text) = ask.prompt.as_ref().and_then(|p| p.left_out.as_ref()) {
        title.push_str(&format!(" ({text})"));
    }
    let messages = ask.prompt.iter().flat_map(|p| &p.messages).map(|m| (m.role.clone(), m.text.clone())).collect();
    let (answers, outcome) = match &ask.state {
        AskState::Pending => (Vec::new(), "no answer recorded".to_owned()),
        AskState::Answered { texts, usage, ms } => {
            let tokens =
                usage.map(|u| format!("{} in, {} out, ", count(u.prompt, "token"), u.completion)).unwrap_or_default();
            (texts.to_vec(), format!("{tokens}{ms} ms"))
        }
        AskState::Failed { cancelled: true, error, .. } => (Vec::new(), format!("no answer: {error}")),
        AskState::Failed { error, .. } => (Vec::new(), format!("failed: {error}")),
    };
    let reasoning = ask.exchange.iter().flat_map(|e| &e.completions).map(|c| c.reasoning.clone());
    let reasoning = reasoning.filter(|r| !r.is_empty()).collect();
    // Where roles have models of their own it matters who was asked, of every ask.
    let of_roles = Role::models(&session.options).next().is_some() && ask.is_of_model();
    // A text that is no answer stands in no proposal.
    let partial = ask.partial().unwrap_or_default().to_owned();
    let stands_out = is_edited(ask) || of_roles || !partial.is_empty();
    AskEntry { stands_out, title, messages, reasoning, answers, partial, outcome }
}

/// `own`: the session's model, which is not named.
fn proposal(proposal: &Proposal, turn: &Turn, own: &str) -> ProposalEntry {
    let (verdict, mark) = (turn.verdict(proposal.id), turn.mark(proposal));
    let mut origin = match proposal.origin {
        Origin::Greedy => "greedy completion",
        Origin::Sample => "sample",
        Origin::Symbolic => "built-in proposer, no language model",
        Origin::Borrowed => "plan of another task, no language model",
        Origin::Reference => "reference program of the task's file, no language model",
        Origin::Scored => "scored by log-probability",
        Origin::Relayed => "answer of the model that the program asks",
        Origin::Person => "a person",
        Origin::Recorded => "recorded",
        Origin::Agent => "an agent or method in another process",
    }
    .to_owned();
    let asked = proposal.ask.and_then(|ask| turn.ask(ask));
    if let Some(served) = asked.and_then(Ask::served).filter(|_| proposal.origin == Origin::Relayed) {
        origin.push_str(&format!(", {served}"));
    } else if let Some(model) = turn.author(proposal).filter(|model| *model != own) {
        origin.push_str(&format!(" of {model}"));
    }
    if asked.is_some_and(is_edited) {
        origin.push_str(", from an edited prompt");
    }
    if let Some(score) = proposal.score_in_words() {
        origin.push_str(&format!(", {score}"));
    }
    if let Some(logprob) = proposal.logprob {
        origin.push_str(&format!(", mean log-probability {logprob:.3}"));
    }
    ProposalEntry {
        text: words(proposal).to_owned(),
        call: proposal.action.as_ref().and_then(|a| a.call.clone()),
        origin,
        rationale: proposal.rationale.clone(),
        status: match &proposal.problem {
            Some(_) => format!("no action: {}", proposal.why_no_action()),
            None => mark.word().to_owned(),
        },
        standing: word(mark),
        // Why it is no action is said in its status.
        checks: verdict
            .into_iter()
            .flat_map(|verdict| &verdict.checks)
            .filter(|check| proposal.problem.is_none() || check.detail != proposal.problem)
            .map(check)
            .collect(),
        recommended: turn.recommended.as_ref().is_some_and(|(id, _)| *id == Some(proposal.id)),
        fate: String::new(),
        copies: Vec::new(),
    }
}

/// A mark in one word.
fn word(mark: Mark) -> &'static str {
    if mark == Mark::NotChecked { "unchecked" } else { mark.word() }
}

fn check(check: &Check) -> (String, String, String) {
    (check.status.word().to_owned(), check.said().to_owned(), check.detail.clone().unwrap_or_default())
}

/// `done`: the decisions of the node that were carried out.
fn fate(proposal: &Proposal, turn: &Turn, done: &[DecisionId]) -> String {
    if let Some(reason) = turn.rejection(proposal.id) {
        return if reason.is_empty() { "rejected".to_owned() } else { format!("rejected: {reason}") };
    }
    // It was never rejected: any decision about it takes it.
    let about: Vec<_> = turn.decisions.iter().filter(|decision| decision.proposal() == proposal.id).collect();
    if about.iter().any(|decision| done.contains(&decision.id)) {
        "taken".to_owned()
    } else if about.is_empty() {
        String::new()
    } else {
        "decided on, not carried out".to_owned()
    }
}
