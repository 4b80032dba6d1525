//! Recordings of blocking conditions and resolutions, and of ProgPrompt in the kitchen.
//!
//! The authors' program of blocking conditions has a rule of its own for candidates, in an order that is its sets'; the paper's is the
//! tree's. So here the recording says what the candidates are, when nothing is asked and what is carried out ([`Followed`]); everything
//! else of a request is the product's: what is held, what was done, what failed, which goals are left, and how answers are read.

use std::sync::Arc;

use serde_json::{Value, json};

use super::folder::{Exception, Folder, Opening, texts};
use super::recording::{Call, Recorded, Recording, WAITED};
use crate::{Found, field};
use stepwright_driver::Setup;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, Ask, AskKind, Decision, Origin, Session, Shape};
use stepwright_launch::NewSession;
use stepwright_method::{Answer, Context, Deed, DerivedState, Method, MethodInfo, Reading, Step, Stop, WorkInput};
use stepwright_methods::blocking;
use stepwright_model::ModelRequest;

pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "blocking", session: selections, answers: texts, ended: carried_out, repeats: WAITED },
    Folder { name: "progprompt_kitchen", session: plans, answers: texts, ended: planned, repeats: WAITED },
];

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        id: "progprompt-slices",
        excuses: |case| {
            let of_course = ["call", "objects", "actions", "goals met"].contains(&case.field);
            case.folder == "progprompt_kitchen" && case.episode.task["task"] == "toast" && of_course
        },
        reason: "the program binds all names of a plan when it reads it, before there are slices, and afterwards to the last slice; here a \
                 name is bound when its line is carried out, and to what the goals are about first",
    },
    Exception {
        id: "blocking-cleared",
        excuses: |case| {
            // As one conversation, what was said then is said again with every prompt that follows.
            let running = case.episode.task["retain_memory"] == true;
            let told = |call: usize, again: usize| call == again || (running && call > again);
            let again = |call| Turn::all(case.episode).iter().flat_map(|turn| &turn.again).any(|at| told(call, *at));
            case.folder == "blocking" && ["prompt", "roles"].contains(&case.field) && case.call.is_some_and(again)
        },
        reason: "the program forgets a failure once an action was selected, although it is not carried out then (it was the last one \
                 again, or a scan of nothing); here it stands until a step is taken",
    },
];

/// A decision that led to a step, with the requests made for it.
///
/// A recorded decision has in `calls` every request made for it, those without an answer (`note`: `raised APITimeoutError`) too, at most five;
/// `returned` is null where none of them gave an action, and no entry of `actions_taken` is its. The program then makes another decision, with
/// nothing said of it; where its passes are used up, the recording ends there.
#[derive(Debug, Clone, Default)]
struct Turn {
    calls: Vec<usize>,
    /// Those of them made after an action was selected that was not carried out.
    again: Vec<usize>,
    /// None where the recording ends without one.
    action: Option<String>,
}

impl Turn {
    fn all(episode: &Recorded) -> Vec<Turn> {
        let taken = episode.outcome["actions_taken"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut taken = taken.filter(|action| !action.is_empty()).peekable();
        let (mut turns, mut turn) = (Vec::new(), Turn::default());
        let mut selected = false;
        let mut all = decisions(episode).peekable();
        while let Some(decision) = all.next() {
            // Where the same is chosen twice running, the program has another decision made over all that is feasible.
            let again =
                decision["all_feasible"] == false && all.peek().is_some_and(|next| next["all_feasible"] == true);
            let calls = decision["calls"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            let calls: Vec<usize> = calls.map(|at| at as usize).filter(|at| is_asked(episode, *at)).collect();
            turn.again.extend(calls.iter().filter(|_| selected));
            turn.calls.extend(calls);
            let returned = decision["returned"].as_str();
            selected |= returned.is_some();
            if let Some(action) = taken.next_if(|next| !again && Some(*next) == returned) {
                turns.push(Turn { action: Some(action.to_owned()), ..std::mem::take(&mut turn) });
                selected = false;
            }
        }
        turns.extend((!turn.calls.is_empty()).then_some(turn));
        turns
    }
}

/// Whether the method asks for a call. What is asked again because nothing was answered is asked below it, so it asks for what is answered in the
/// end, or for the first of the calls without an answer that a recording ends in.
fn is_asked(episode: &Recorded, at: usize) -> bool {
    let unanswered = episode.calls.iter().rev().take_while(|call| call.repeated(WAITED).is_some()).count();
    at + unanswered == episode.calls.len() || episode.calls.get(at).is_none_or(|call| call.repeated(WAITED).is_none())
}

fn decisions(episode: &Recorded) -> impl Iterator<Item = &Value> {
    episode.rest.get("decisions").and_then(Value::as_array).into_iter().flatten()
}

/// The product's method with the recording's candidates, decisions without a request, and steps.
#[derive(Debug)]
struct Followed {
    turns: Vec<Turn>,
    candidates: Vec<Vec<String>>,
    own: Arc<dyn Method>,
}

impl Method for Followed {
    fn info(&self) -> MethodInfo {
        self.own.info()
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let over = || Step::Recommend { proposal: None, why: "the recording ends".to_owned() };
        let Some((round, turn)) = cx.round().zip(self.turns.get(cx.path().len().saturating_sub(1))) else {
            return over();
        };
        let is_taken = |text: &str| turn.action.as_deref() == Some(text);
        if round.has_asked(&AskKind::RANKED) {
            let found = round.proposals().filter(|p| p.action.as_ref().is_some_and(|a| is_taken(&a.text))).last();
            return Step::Recommend { proposal: found.map(|p| p.id), why: "as recorded".to_owned() };
        }
        if let Some(call) = turn.calls.get(round.asked(&AskKind::SELECTED)) {
            let candidates = self.candidates.get(*call).map(Vec::as_slice).unwrap_or_default();
            return blocking::selection(cx, candidates).map_or_else(Step::Error, Step::ask);
        }
        let Some(text) = &turn.action else { return over() };
        let draft = Draft { action: Some(cx.action(text)), ..Draft::new(text.clone(), Origin::Symbolic) };
        Step::Offer { ask: cx.own(AskKind::RANKED, "the recording", 1, Value::Null), drafts: vec![draft], note: None }
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        self.own.read(cx, ask, answer)
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        self.own.shape(cx, kind, raw)
    }

    fn compute(&self, known: &WorkInput, work: &Value, stop: &Stop) -> Result<Answer, String> {
        self.own.compute(known, work, stop)
    }

    fn carry_out(&self, _cx: &Context<'_>, _decision: &Decision, _action: &Action) -> Deed {
        Deed::Act
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        self.own.follow(cx)
    }
}

fn candidates(call: &Call) -> Vec<String> {
    let listed = call.rest.get("slots").map(|slots| &slots["candidates"]).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn kitchen(recording: &Recording<'_>, options: &[(&str, &str)], method: &str) -> Result<NewSession, String> {
    Ok(NewSession {
        world: "kitchen".to_owned(),
        data: Some(recording.data.join("bcr")),
        task: format!("{}/{}", recording.task("scene")?, recording.task("task")?),
        options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        method: method.to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    })
}

fn selections(recording: &Recording<'_>) -> Result<Opening, String> {
    let running = recording.episode.task["retain_memory"] == true;
    let conversation = if running { "running" } else { "fresh" };
    let options = [("settings", "blocking-program"), ("conversation", conversation), ("full", "moves")];
    let turns = Turn::all(recording.episode);
    let path = recording.folder.join("templates").join("select_chat.jinja");
    let template = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (role, rest) = template.split_once('\n').ok_or("its template has one line")?;
    // The program prints a list of texts as Python does; the recorded template quotes only what its own recordings hold.
    let written: serde_json::Map<String, Value> = turns
        .iter()
        .filter_map(|turn| turn.action.as_ref())
        .map(|action| (action.clone(), Value::from(stepwright_shop::python::repr(action))))
        .collect();
    let rest = rest.replace(r#"'{{ taken.action | replace("\n", "\\n") }}'"#, "{{ written[taken.action] }}");
    // What the program says of what is no action at all, or of a search for nothing, is the recording's: it reports the event before.
    let (mut worded, mut unparsed, mut last) = (serde_json::Map::new(), Value::from(""), "");
    for decision in decisions(recording.episode) {
        let said = decision["failure_before"].as_str().unwrap_or_default();
        if said.contains(last) && !last.is_empty() {
            worded.insert(last.to_owned(), Value::from(said));
        }
        last = decision["returned"].as_str().unwrap_or(last);
    }
    for call in &recording.episode.calls {
        let said = call.rest.get("slots").map_or(&Value::Null, |slots| &slots["failure"]);
        let known = said.as_str().is_none_or(|said| said.is_empty() || worded.values().any(|other| other == said));
        if !known {
            unparsed = said.clone();
        }
    }
    let slots = format!(
        "{{% set done = [] %}}{{% set worded = {} %}}{{% set written = {} %}}{{% set unparsed = {unparsed} %}}\
         {{% if failures and (failures | last) is startingwith(\"Unparsable\") %}}{{% set failures = [unparsed] %}}\
         {{% elif failed is none %}}{{% set failures = [] %}}\
         {{% elif failed.action is startingwith(\"scanroom\") %}}\
         {{% set failures = [\"The action \" ~ failed.action ~ \" failed. The object is not visible from my current location, do not \
         repeat this action until moving locations.\"] %}}\
         {{% elif \"`\" in failed.error or failed.action is startingwith(\"find \") %}}\
         {{% set failures = [worded[failed.action]] if failed.action in worded else [] %}}\
         {{% else %}}{{% set failures = [\"I failed to perform action: \" ~ failed.action ~ \" due to this blocking condition: \" ~ \
         failed.error] %}}{{% endif %}}",
        json!(worded),
        json!(written),
    );
    let candidates = recording.episode.calls.iter().map(candidates).collect();
    let actions = u32::try_from(turns.len()).unwrap_or(u32::MAX);
    let adapt = move |setup: &mut Setup| {
        setup.method = Arc::new(Followed { turns, candidates, own: Arc::clone(&setup.method) });
    };
    Ok(Opening {
        new: kitchen(recording, &options, "blocking")?,
        templates: vec![("blocking/select_each_chat".to_owned(), format!("{role}\n{slots}{rest}"))],
        actions,
        adapt: Some(Box::new(adapt)),
    })
}

/// The actions done, how answers were read, and whether the goals were met.
fn carried_out(episode: &Recorded, session: &Session) -> Vec<Found> {
    let path = session.path(session.cursor());
    let done: Vec<&str> = path.iter().filter_map(|node| Some(node.action.as_ref()?.text.as_str())).collect();
    let turns = Turn::all(episode);
    let wanted: Vec<&str> = turns.iter().filter_map(|turn| turn.action.as_deref()).collect();
    let read = path.iter().zip(&turns).filter(|(_, turn)| !turn.calls.is_empty() && turn.action.is_some());
    let read = read.map(|(node, _)| {
        let asked = |p: &&stepwright_episode::Proposal| {
            p.ask.and_then(|ask| node.turn.ask(ask)).is_some_and(|ask| ask.kind == AskKind::SELECTED)
        };
        let last = node.turn.proposals.iter().map(AsRef::as_ref).rfind(asked);
        last.and_then(|p| p.action.as_ref()).map_or("", |action| action.text.as_str())
    });
    let returned = turns.iter().filter(|turn| !turn.calls.is_empty()).filter_map(|turn| turn.action.as_deref());
    let won = session.current().is_some_and(|node| node.outcome.won);
    vec![
        field("actions", &wanted, &done),
        field("selections", &returned.collect::<Vec<_>>(), &read.collect::<Vec<_>>()),
        field("goals met", &episode.outcome["result"][0].as_bool(), &Some(won)),
    ]
}

fn plans(recording: &Recording<'_>) -> Result<Opening, String> {
    let moving = recording.episode.task["find_moves_the_robot"] == true;
    let functions = recording.episode.task["examples"].to_string();
    let find = if moving { "moving" } else { "fixed" };
    let options = [("settings", "progprompt"), ("find", find), ("functions", &functions)];
    let taken = recording.episode.outcome["actions_taken"].as_array().map_or(0, Vec::len);
    // The parts in the recorded order; their texts are not kept.
    let plan = "{{ role(\"text\") }}\nfrom actions import {{ actions | join(\", \") }}\n\nobjects = {{ types }}\n\n{{ examples }}\n\n\
                def {{ name }}():\n\t{{ \"\\n\" }}";
    Ok(Opening {
        new: kitchen(recording, &options, "progprompt-flat")?,
        templates: vec![("progprompt/plan".to_owned(), plan.to_owned())],
        actions: u32::try_from(taken).unwrap_or(u32::MAX),
        adapt: None,
    })
}

/// The actions done; a name that `find` keeps stands for the thing whose id has it.
fn planned(episode: &Recorded, session: &Session) -> Vec<Found> {
    let path = session.path(session.cursor());
    let done: Vec<String> = path.iter().filter_map(|node| Some(node.action.as_ref()?.text.clone())).collect();
    let taken: Vec<&str> =
        episode.outcome["actions_taken"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_same = |wanted: &str, got: &String| match (wanted.split_once(' '), got.split_once(' ')) {
        (Some(("find", thing)), Some(("find", name))) => thing.to_lowercase().contains(&name.to_lowercase()),
        _ => wanted == got,
    };
    let same = taken.len() == done.len() && taken.iter().zip(&done).all(|(wanted, got)| is_same(wanted, got));
    let won = session.current().is_some_and(|node| node.outcome.won);
    let actions = (!same).then(|| ("actions", json!(taken).to_string(), json!(done).to_string()));
    vec![actions, field("goals met", &episode.outcome["result"][0].as_bool(), &Some(won))]
}

/// The parts of a request whose text is not kept, beside those of the one that was sent: their order, the types of the scene's objects in
/// any order, and the task's line.
pub(super) fn parts(recorded: &[Value], asked: &ModelRequest) -> Vec<Found> {
    let text: String = asked.messages.iter().map(|message| message.text.as_str()).collect();
    let kind = |part: &str| match part {
        part if part.starts_with("from ") => "imports",
        part if part.starts_with("objects = ") => "objects",
        part if part.ends_with(":\n\t") => "task",
        _ => "example",
    };
    let own: Vec<(&str, &str)> = text.split("\n\n").map(|part| (kind(part), part)).collect();
    let of = |name: &str| recorded.iter().find(|part| part["part"] == name).and_then(|part| part["text"].as_str());
    let own_of = |name: &str| own.iter().find(|(kind, _)| *kind == name).map(|(_, part)| *part);
    let objects = |text: Option<&str>| {
        let mut names: Vec<String> =
            text.unwrap_or_default().split(['\'', '"']).skip(1).step_by(2).map(str::to_owned).collect();
        names.sort();
        names
    };
    let order: Vec<&str> = recorded.iter().filter_map(|part| part["part"].as_str()).collect();
    vec![
        field("order", &order, &own.iter().map(|(kind, _)| *kind).collect::<Vec<_>>()),
        field("objects", &objects(of("objects")), &objects(own_of("objects"))),
        field("task", &of("task"), &own_of("task")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls and the action of each turn; a call is an answer, or none.
    fn turns(answers: &[&str], decisions: Value, taken: &[&str]) -> Vec<(Vec<usize>, Option<String>)> {
        let call = |answer: &&str| match *answer {
            "" => json!({"purpose": "select", "params": {}, "answers": [], "note": "raised APITimeoutError"}),
            answer => json!({"purpose": "select", "params": {}, "answers": [answer]}),
        };
        let calls: Vec<Value> = answers.iter().map(call).collect();
        let outcome = json!({"actions_taken": taken});
        let episode = json!({"task": {}, "calls": calls, "decisions": decisions, "outcome": outcome});
        let episode: Recorded = serde_json::from_value(episode).unwrap();
        Turn::all(&episode).into_iter().map(|turn| (turn.calls, turn.action)).collect()
    }

    fn decided(calls: std::ops::Range<usize>, returned: Option<&str>) -> Value {
        json!({"all_feasible": false, "calls": calls.collect::<Vec<_>>(), "returned": returned})
    }

    #[test]
    fn calls_without_an_answer_belong_to_the_one_that_has_it_or_end_the_recording() {
        let go = || Some("go".to_owned());
        let silent = json!([decided(0..5, None), decided(5..6, Some("go"))]);
        assert_eq!(turns(&["", "", "", "", "", "$$go$$"], silent, &["go"]), [(vec![5], go())]);
        let ended = json!([decided(0..1, Some("go")), decided(1..6, None)]);
        assert_eq!(turns(&["$$go$$", "", "", "", "", ""], ended, &["go"]), [(vec![0], go()), (vec![1], None)]);
        let unread = json!([decided(0..3, None)]);
        assert_eq!(turns(&["no idea", "", ""], unread, &[]), [(vec![0, 1], None)]);
    }
}
