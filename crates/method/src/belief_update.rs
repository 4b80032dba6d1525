//! Belief update: which update is due, asking for the state after it, and reading what is written as one. As a layer
//! ([`BeliefUpdate`]) it goes with any method, after every step.
//!
//! Due updates are read from the records: those of the steps on the path to the cursor, in their order, that no offer
//! taken or refused names.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::WorkInput;
use super::request_program::{
    Form, NEXT_QUERY, Programs, STATE, by_lines, cups, is_verbatim, parted, read_list, read_program, state_prompt,
    updates_of_lines, written,
};
use super::{Answer, Context, Method, MethodInfo, Needs, REFERENCE, Reading, SYMBOLIC, Step, Stop, folded};
use crate::artifacts::{ArtifactSpec, text};
use stepwright_belief as belief;
use stepwright_episode::gate::{Conduct, Follows};
use stepwright_episode::showing::Showing;
use stepwright_episode::{
    ArtifactId, Ask, AskKind, Choice, Due, Generation, Node, Offer, OfferState, Role, Shape, Written,
};
use stepwright_text::words::count;
use stepwright_world::blocking::BlockingSource;
use stepwright_world::state_form::StateForm;
use stepwright_world::{Ability, CUPS, UPDATING, closes, shipped_domain, state_form, updates};

/// Temperature of a state that is written again.
const AGAIN: f64 = 0.7;

/// Why a state is not written again where one answer held it and the program.
const NOT_ALONE: &str = "the belief came in one answer with the program and is not written again alone; edit it or refuse it, or go \
                         back a step and have the program written again";

/// Tokens of a state: the paper's.
const TOKENS: u32 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// By a writer that is asked for each `update_wm`; `shown`: with examples.
    Apart {
        shown: bool,
    },
    /// By the answer that held the program.
    Together(Form),
    EachStep,
}

/// The layer that keeps a belief of a world whose methods need none.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeliefUpdate;

impl Method for BeliefUpdate {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "belief",
            label: "Belief",
            description: "A writer keeps a belief up to date after every step.",
            needs: Needs { world: &[Ability::Belief], ..Needs::NONE },
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        step(cx, Keeping::EachStep).unwrap_or(Step::Pass)
    }

    fn read(&self, cx: &Context<'_>, _ask: &Ask, answer: &Answer) -> Reading {
        read_written(cx, Keeping::EachStep, answer)
    }

    fn shape(&self, _cx: &Context<'_>, _kind: &AskKind, raw: bool) -> Shape {
        let stop = if raw { vec![NEXT_QUERY.to_owned()] } else { Vec::new() };
        Shape::Generate(Generation { max_tokens: TOKENS, stop, ..Generation::default() })
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        write(known, work)
    }

    /// That a belief was asked for where none can be kept.
    fn warning(&self, cx: &Context<'_>) -> Option<String> {
        let kept = cx.session.belief().is_some() || cx.past.truth.is_some();
        (!kept).then(|| format!("the world {} has no form for a belief: none is kept", cx.world.name()))
    }
}

struct Update {
    due: Due,
    text: String,
    /// The step's action, where the step itself is the update.
    action: Option<String>,
    /// The state's text, where it was written with the program.
    written: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BeliefReading {
    pub state: Arc<Value>,
    pub repairs: Vec<String>,
    /// Of what a person typed, why an answer like it would be refused.
    pub remark: Option<String>,
}

impl BeliefReading {
    /// A state that was read, and what was mended for that.
    pub fn new(state: Value, repairs: Vec<String>) -> Self {
        BeliefReading { state: Arc::new(state), repairs, remark: None }
    }

    /// How it was read, in words, where there is anything to say.
    pub fn in_words(&self) -> Option<String> {
        let mended = match self.repairs.len() {
            0 => None,
            repairs => Some(format!("read with {}: {}", count(repairs, "repair"), self.repairs.join("; "))),
        };
        let said: Vec<String> = mended.into_iter().chain(self.remark.clone()).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// Reads a whole belief: JSON as it is, else what people and models write in its place. The state within `{"state": …}` is meant.
fn read(text: &str) -> Result<BeliefReading, String> {
    if let Ok(state @ Value::Object(_)) = serde_json::from_str(text) {
        return Ok(BeliefReading::new(belief::unwrapped(state), Vec::new()));
    }
    let reading = belief::read(text).map_err(|e| e.to_string())?;
    let repairs = reading.repairs.iter().map(ToString::to_string).collect();
    Ok(BeliefReading::new(reading.state, repairs))
}

/// Reads what a person typed as a belief. It counts also where what a model wrote would be refused; a remark says why that would be.
pub fn read_typed(text: &str, believed: Option<&Value>) -> Result<BeliefReading, String> {
    let mut reading = read(text)?;
    let fault = check_state("what was typed", &reading.state, believed).err();
    reading.remark = fault.map(|why| format!("{why}; it counts as it was typed"));
    Ok(reading)
}

/// Beliefs as documents.
pub static ARTIFACT: ArtifactSpec = ArtifactSpec {
    read: |at, _, text| read_typed(text, at.session.belief().map(AsRef::as_ref)).map(mended),
    ..ArtifactSpec::new(
        "belief",
        Showing { word: |typed| if typed { "corrected" } else { "believed" }, ..Showing::new("belief") },
    )
};

/// The form of states of a person's own, as a document: its text.
pub static FORM: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, follows: Follows::Proposals },
    read: |_, _, typed| text("text", typed, "it is empty; write its lines, or take the change back"),
    check: |_, _, document| match document {
        Value::Null => Ok(()),
        _ => StateForm::load(belief::form::text_of(document), "").map(drop).map_err(|e| e.to_string()),
    },
    told: |_, _| Some("a form of states is in force; where a belief is kept, it begins again in it".to_owned()),
    ..ArtifactSpec::new(
        "form",
        Showing { word: |typed| if typed { "edited" } else { "adopted" }, ..Showing::new("form of states") },
    )
};

/// Documents of a method in another process, of kinds of its own.
pub(super) static OTHER: ArtifactSpec = ArtifactSpec {
    read: |_, _, text| read(text).map(mended),
    ..ArtifactSpec::new("", Showing::new("what the method wrote"))
};

/// The document that was read, and how.
fn mended(reading: BeliefReading) -> (Value, Option<String>) {
    let said = reading.in_words();
    (Arc::unwrap_or_clone(reading.state), said)
}

/// The first update on the path to the cursor that was not decided about.
fn due(cx: &Context<'_>, keeping: Keeping) -> Option<Update> {
    cx.session.belief()?;
    let path = cx.path();
    // What happened before it began is not caught up with.
    let begins = |node: &&Node| node.turn.changes_of(&ArtifactId::BELIEF).any(|change| change.before().is_none());
    let begun = path.iter().rposition(begins)?;
    let mut all = path.iter().enumerate().filter(|(i, _)| *i > begun).flat_map(|(i, node)| {
        let until = path.get(..=i).unwrap_or_default();
        match keeping {
            Keeping::Apart { .. } => updates_of(cx, until, node),
            Keeping::EachStep => step_of(node),
            Keeping::Together(form) => written_with(cx, until, form),
        }
    });
    all.find(|update| !cx.session.is_settled(update.due))
}

/// The belief with which one begins on the way: a belief is asked for, or a form of states was adopted. Not once it was refused.
fn begun(cx: &Context<'_>) -> Option<Written> {
    let state = cx.past.truth.filter(|_| cx.session.belief().is_none())?;
    let begins = |offer: &Offer| offer.written.artifact == ArtifactId::BELIEF && offer.written.due.is_none();
    let refused = |offer: &Offer| begins(offer) && matches!(offer.fate, OfferState::Refused { .. });
    if cx.node()?.turn.offers.iter().any(refused) {
        return None;
    }
    let (raw, value, title) = (belief::write(state), Some(Arc::new(state.clone())), "the beginning".to_owned());
    Some(Written { artifact: ArtifactId::BELIEF, due: None, title, raw, repairs: Vec::new(), value, problem: None })
}

/// The next step about the belief, before anything else is proposed.
pub fn step(cx: &Context<'_>, keeping: Keeping) -> Option<Step> {
    if let Some(begun) = begun(cx) {
        return Some(Step::Amend(Box::new(begun)));
    }
    let cx = &cx.of(Role::Writer);
    let update = due(cx, keeping)?;
    let believed = cx.session.belief()?;
    if matches!(keeping, Keeping::Together(_)) {
        // Nothing else asks for one while one waits.
        if cx.session.pending_offer().is_some() {
            return Some(Step::Stuck(NOT_ALONE.to_owned()));
        }
        let written = update.written.clone().unwrap_or_default();
        return Some(Step::Amend(Box::new(read_state(cx, &update, written))));
    }
    if !cx.model.language {
        let (by, work) = match update.action {
            // In a form of one's own the state is that of the program, which the agent knows.
            Some(_) if cx.past.is_own_form => (SYMBOLIC, Work::Reference { state: cx.past.truth.cloned() }),
            Some(action) => (SYMBOLIC, Work::Effects { believed: believed.as_ref().clone(), action }),
            None => (REFERENCE, Work::Reference { state: cx.past.truth.cloned() }),
        };
        return Some(Step::ask(cx.own(AskKind::BELIEF, by, 1, serde_json::to_value(work).unwrap_or_default())));
    }
    let shown = keeping == Keeping::Apart { shown: true };
    let example = cx.world.requests().filter(|_| shown);
    let about = match keeping {
        Keeping::EachStep => {
            "The state is of the place an agent acts in. The query says what the agent did, and what it saw then."
        }
        _ => cx.world.requests().map_or("", |requests| requests.about()),
    };
    let prompt = match state_prompt(cx, example, about, &update.text) {
        Ok(prompt) => prompt,
        Err(why) => return Some(Step::Error(why)),
    };
    // Greedily written again it would come out the same.
    let temperature = if cx.session.pending_offer().is_some() { AGAIN } else { 0.0 };
    Some(Step::ask(cx.ask(AskKind::BELIEF, prompt, 1, temperature)))
}

/// The number of the request whose program made the update that is due.
pub fn due_request(cx: &Context<'_>, keeping: Keeping) -> Option<usize> {
    let from = cx.session.node(due(cx, keeping)?.due.step)?.parent?;
    Some(cx.past.requests.get(&from)?.number)
}

/// Reads what a writer wrote, or what was found without one.
pub fn read_written(cx: &Context<'_>, keeping: Keeping, answer: &Answer) -> Reading {
    let Some(update) = due(cx, keeping) else { return Reading::Problem("no update is due any more".to_owned()) };
    let raw = answer.first().to_owned();
    let Ok(found) = Found::deserialize(&answer.found) else {
        return Reading::Artifact(Box::new(read_state(cx, &update, raw)));
    };
    let Found { state, problem } = found;
    let (artifact, due, value) = (ArtifactId::BELIEF, Some(update.due), state.map(Arc::new));
    Reading::Artifact(Box::new(Written { artifact, due, title: update.text, raw, repairs: Vec::new(), value, problem }))
}

/// The source of a state that is written without a language model.
#[derive(Serialize, Deserialize)]
enum Work {
    /// The belief, and an action's effects by the world's blocking domain.
    Effects { believed: Value, action: String },
    /// The state that the world itself is in, which goes with its reference programs.
    Reference { state: Option<Value> },
}

/// The state written without a language model.
#[derive(Serialize, Deserialize)]
struct Found {
    state: Option<Value>,
    problem: Option<String>,
}

/// The state, written without a language model.
pub fn write(known: &WorkInput, work: &Value) -> Result<Answer, String> {
    let written = match Work::deserialize(work).map_err(|e| e.to_string())? {
        Work::Effects { believed, action } => Ok(after(known, &believed, &action)),
        Work::Reference { state: Some(state) } => Ok(state),
        Work::Reference { state: None } => {
            Err(format!("the world {} has no reference state; choose a language model (M)", known.world.name))
        }
    };
    let raw = written.as_ref().map(belief::write).unwrap_or_default();
    let problem = written.as_ref().err().cloned();
    let found = serde_json::to_value(Found { state: written.ok(), problem }).unwrap_or_default();
    Ok(Answer { found, ..Answer::texts([raw]) })
}

/// The state after an action by the world's blocking domain; unknown effects change nothing.
fn after(known: &WorkInput, believed: &Value, action: &str) -> Value {
    let domain = match &known.knowledge.blocking {
        BlockingSource::Domain(domain) => Some(Arc::clone(domain)),
        _ => shipped_domain(known.world).and_then(Result::ok),
    };
    let form = state_form::shipped(known.world).and_then(Result::ok);
    let changes = domain.and_then(|domain| domain.changes(action));
    let after = changes.zip(form).map(|(changes, form)| belief::effects::after(believed, &changes, &form));
    after.unwrap_or_else(|| believed.clone())
}

fn read_state(cx: &Context<'_>, update: &Update, raw: String) -> Written {
    let of_cups = cx.session.belief().is_some_and(|belief| cups(belief).is_some());
    let found = of_cups.then(|| read_list(&raw)).flatten().map(|cups| serde_json::json!({ CUPS: cups }));
    let verbatim = is_verbatim(cx) && !of_cups;
    let read = match found {
        Some(cups) => Ok(BeliefReading::new(cups, Vec::new())),
        None => read(&if verbatim { text_of(update, &raw) } else { whole(&raw) }).and_then(|reading| {
            let believed = cx.session.belief().filter(|_| !verbatim);
            check_state("the answer", &reading.state, believed.map(AsRef::as_ref)).map(|()| reading)
        }),
    };
    let (value, repairs, problem) = match read {
        Ok(BeliefReading { state, repairs, .. }) => (Some(state), repairs, None),
        // What is kept as it was written counts although it cannot be read: nothing is known then.
        Err(problem) if verbatim => {
            (Some(Arc::new(Value::Object(Map::new()))), vec![format!("not read: {problem}")], None)
        }
        Err(problem) => (None, Vec::new(), Some(problem)),
    };
    let (artifact, due, title) = (ArtifactId::BELIEF, Some(update.due), update.text.clone());
    Written { artifact, due, title, raw, repairs, value, problem }
}

/// Refuses what was read where it is no state: beside one that is believed it lists relations, or things of which one is known, or has
/// an entry of a known thing; and nothing beside that has another form. What a model says in place of a state reads as entries of things
/// that nobody knows.
fn check_state(what: &str, read: &Value, believed: Option<&Value>) -> Result<(), String> {
    let nothing = || format!("{what} holds no entry of a state");
    let entries = read.as_object().filter(|entries| !entries.is_empty()).ok_or_else(nothing)?;
    let Some(believed) = believed.and_then(Value::as_object).filter(|believed| !believed.is_empty()) else {
        return Ok(());
    };
    let things = |state: &Map<String, Value>, name: &str| {
        let listed = state.get(belief::OBJECTS).and_then(Value::as_array);
        listed.into_iter().flatten().any(|thing| thing == name)
    };
    let is_known = |name: &str| believed.contains_key(name) || things(believed, name);
    let is_of_state = |name: &str, value: &Value| match name {
        belief::OBJECTS => value
            .as_array()
            .is_some_and(|listed| listed.is_empty() || listed.iter().filter_map(Value::as_str).any(is_known)),
        belief::RELATIONS => value.is_array(),
        _ => is_known(name),
    };
    let is_in_form = |name: &str, value: &Value| match name {
        belief::OBJECTS | belief::RELATIONS => value.is_array(),
        _ => value.is_object() || is_known(name) || things(entries, name),
    };
    match entries.iter().find(|(name, value)| !is_in_form(name, value)) {
        _ if !entries.iter().any(|(name, value)| is_of_state(name, value)) => Err(nothing()),
        Some((name, _)) => Err(format!(
            "`{name}` is no entry of a state: `objects` and `relations` are lists, and the entry of a thing is in braces"
        )),
        None => Ok(()),
    }
}

/// A step as an update: what was done, and its result. What was not executed or refused changes nothing.
fn step_of(node: &Node) -> Vec<Update> {
    let done = node.action.as_ref().filter(|_| node.outcome.is_executed() && node.outcome.error.is_none());
    let update = done.map(|action| Update {
        due: Due { step: node.id, nth: 0 },
        text: format!("{}: {}", action.text, node.outcome.observation.trim()),
        action: Some(action.text.clone()),
        written: None,
    });
    update.into_iter().collect()
}

fn updates_of(cx: &Context<'_>, path: &[&Node], node: &Node) -> Vec<Update> {
    let program = by_lines(cx).then(|| folded(Programs::new(cx.closing()), path).active_program()).flatten();
    let texts = match program {
        Some(_) if !closed(cx, path) => None,
        Some(program) => cx.session.node(program.at).and_then(|from| {
            let decided = from.turn.decision(program.decision)?;
            let answer = program.answer.filter(|_| !matches!(decided.choice, Choice::Edit { .. }));
            Some(updates_of_lines(&answer.unwrap_or(program.code), UPDATING))
        }),
        None => node.action.as_ref().map(|action| updates(&action.text)),
    };
    let update = |(nth, text)| Update { due: Due { step: node.id, nth }, text, action: None, written: None };
    (0..).zip(texts.unwrap_or_default()).map(update).collect()
}

/// The state that was written with the program whose request the last step of a path closed.
fn written_with(cx: &Context<'_>, path: &[&Node], form: Form) -> Vec<Update> {
    let program = closed(cx, path).then(|| folded(Programs::new(cx.closing()), path).active_program()).flatten();
    let (Some(answer), [.., from, node]) = (program.and_then(|program| program.answer), path) else {
        return Vec::new();
    };
    let written = match form {
        Form::Program if is_verbatim(cx) => Some(parted(&answer).1),
        Form::Program => read_program(&answer).state,
        Form::Cups => Some(answer),
    };
    let text = cx.past.requests.get(&from.id).map(|asked| asked.query.clone()).unwrap_or_default();
    vec![Update { due: Due { step: node.id, nth: 0 }, text, action: None, written }]
}

/// Whether the last step of a path closed its request.
fn closed(cx: &Context<'_>, path: &[&Node]) -> bool {
    path.last().and_then(|node| node.action.as_ref()).is_some_and(|action| closes(&action.text, cx.closing()))
}

/// The text of a state that is kept as it was written.
fn text_of(update: &Update, raw: &str) -> String {
    if update.written.is_some() { raw.to_owned() } else { written(raw) }
}

/// Prepends the `# state = {` that the prompt ended with, where the writer did not repeat it; cuts what follows the state. Words before a
/// state are left to the reader, which tells of them: behind that opening they would be an entry.
fn whole(written: &str) -> String {
    let begun = written.lines().take(3).any(|line| line.contains("state") && line.contains('{'));
    let mut lines = written.lines().map(|line| line.trim_start_matches(|c: char| c == '#' || c.is_whitespace()));
    let first = lines.by_ref().find(|line| !line.is_empty()).unwrap_or_default();
    let opening = format!("{{\"{}\"", belief::OBJECTS);
    let begins = |line: &str| line.starts_with('{') || line.starts_with(belief::is_quote) || line.contains(&opening);
    let goes_on = first.starts_with(belief::is_quote) || !(begins(first) || lines.any(begins));
    let written = written.split("# query:").next().unwrap_or_default();
    if begun || first.starts_with("```") || !goes_on {
        return written.to_owned();
    }
    // Behind the opening, comment signs of the first line would make it a comment.
    format!("{STATE}{}", written.trim_start_matches(['#', ' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn believed() -> Value {
        serde_json::json!({ "objects": ["red block", "tin bowl"], "relations": [], "red block": {} })
    }

    fn checked(text: &str, believed: &Value) -> Result<BeliefReading, String> {
        let reading = read(&whole(text))?;
        check_state("the answer", &reading.state, Some(believed)).map(|()| reading)
    }

    #[test]
    fn what_a_model_says_in_place_of_a_state_is_none() {
        for said in [
            "Sorry, I cannot rewrite \"the state\" here.",
            "say(\"blue\")",
            "update_wm(\"x\")",
            "{\"error\": \"overloaded\"}",
            "I would answer: \"yes\".",
            "{\"error\": \"the red block is missing\", \"objects\": \"?\"}",
            "```json\n{\"error\": \"the red block is missing\", \"objects\": \"?\"}\n```",
            "{}",
        ] {
            assert_eq!(checked(said, &believed()), Err("the answer holds no entry of a state".to_owned()), "{said}");
        }
        let beside = checked("{\"error\": \"overloaded\", \"objects\": [\"red block\"]}", &believed()).unwrap_err();
        assert!(beside.starts_with("`error` is no entry of a state"), "{beside}");
        let new = serde_json::json!({});
        assert!(checked("{\"door\": {}}", &new).is_ok(), "where nothing is believed anything may be new");
        for state in [
            "{\"objects\": []}",
            "{\"red block\": {}}",
            "\"tin bowl\": {\"contains\": []}\n}",
            "{\"objects\": [\"red block\", \"cup\"], \"cup\": \"dirty\"}",
        ] {
            assert!(checked(state, &believed()).is_ok(), "{state}");
        }
    }

    #[test]
    fn what_a_person_types_counts_and_is_remarked_on_as_an_answer_would_be_refused() {
        let typed = |text| read_typed(text, Some(&believed())).unwrap();
        let nothing = "what was typed holds no entry of a state; it counts as it was typed";
        let none = typed("{\"purple\": 1}");
        assert_eq!(none.in_words().as_deref(), Some(nothing), "nothing was mended");
        assert_eq!((*none.state).clone(), serde_json::json!({ "purple": 1 }));
        assert_eq!(typed(&believed().to_string()).in_words(), None);
        let mended = BeliefReading::new(believed(), vec!["a".to_owned(), "b".to_owned()]);
        let both = BeliefReading { remark: Some("c".to_owned()), ..mended };
        assert_eq!(both.in_words().as_deref(), Some("read with 2 repairs: a; b; c"));
    }

    #[test]
    fn words_before_a_state_are_left_out_of_it() {
        let state = believed().to_string();
        let entries = "\"objects\": [\"red block\", \"tin bowl\"],\n#     \"relations\": [], \"red block\": {}\n# }";
        let fenced = format!("```json\n{state}\n```");
        let commented = format!("#     {entries}");
        for (text, beside) in [
            (state.clone(), ""),
            (entries.to_owned(), ""),
            (commented.clone(), ""),
            (format!("{{\"state\": {state}}}"), ""),
            (format!("Here is the state:\n{state}"), "`Here is the state:`"),
            (format!("Here it is: {state}"), "`Here it is:`"),
            (format!("Note: the block moved\n{state}"), "`Note: the block moved`"),
            (format!("Note: the block moved\n\n{entries}"), "`Note: the block moved`"),
            (format!("Sure! Here is the new state:\n{fenced}"), "`Sure! Here is the new state:`"),
            (format!("New:\n{{\"state\": {state}}}"), "`New:`"),
            (format!("The state {{is}} this:\n{state}"), "`The state {is} this:`"),
            (format!("I moved {{\"red block\"}}.\n{state}"), "`I moved {\"red block\"}.`"),
            (format!("I moved {{it}}.\n{commented}"), "`I moved {it}.`"),
            (format!("Before: {{\"objects\": []}}\nNow: {state}"), "`Before: {\"objects\": []}`"),
            (format!("{{\"objects\": []}}\nNo, rather:\n{state}"), "`{\"objects\": []}`"),
            (format!("```json\n{{\"objects\": []}}\n```\nNo:\n{fenced}"), "`{\"objects\": []}`"),
            (format!("# state = {{\"objects\": []}}\n# state = {state}"), "state = {\"objects\": []}`"),
        ] {
            let reading = checked(&text, &believed()).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(*reading.state, believed(), "{text}");
            let said = reading.repairs.join("; ");
            assert_eq!((said.contains(beside), said.is_empty()), (true, beside.is_empty()), "{text}: {said}");
        }
    }
}
