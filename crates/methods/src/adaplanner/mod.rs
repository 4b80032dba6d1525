//! AdaPlanner (Sun et al. 2023): the model writes a function `solution` in steps with assertions of what it expects; the function asks the
//! model for what it cannot know (refinement within the plan), and where it fails the model writes it again, to go on at the step where
//! the two differ, with the variables of then (refinement of the plan).
//!
//! The published loop: a plan, a check of its syntax, up to six programs run, after each failure a correction and the question where to
//! go on; the first two corrections go on at that step, later ones begin anew. Each of these is an ask, each act of a program is decided
//! about. The document in force is the whole program: the function, and the line that calls it from its step. Running is the shared
//! machinery of [`super::code_policy`]; `answers` puts programs together, `messages` makes texts of what assertions say, `opened` keeps
//! variables beyond a failure, `left` what else a program leaves to the next one, `prompt` fills the templates.

mod answers;
mod left;
mod messages;
mod opened;
mod prompt;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stepwright_skill::code::{self, Next, Parts};

use self::answers::{ANSWERS, Form};
use self::left::Left;
use self::opened::{Meaning, Opened, opened};
use super::code_policy::{RunSoFar, ask, computed, in_words, next_line, program, rows, stopped};
use super::react::{LIMITS, over};
use stepwright_episode::{ArtifactId, Ask, AskId, AskKind, AskState, Decision, Generation, Node, Origin, Shape};
use stepwright_method::options::TEMPERATURE;
use stepwright_method::plan_following::{ActivePlan, NextLine, Taken, Upcoming, active_plan, upcoming};
use stepwright_method::publications::SETTINGS;
use stepwright_method::skills::TIPS;
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Needs, Place, Reading, Section, Step, Stop, WorkInput,
};

/// Tokens of every answer, as published.
const TOKENS: u32 = 1_400;
/// Corrections that go on at the step where they differ; later ones begin at the first.
const GO_ON: usize = 2;

stepwright_world::option_specs! {
    CORRECTIONS: "corrections", "Corrections", "corrections of a failed program, at most", (whole 0 to 20) or "5";
}

#[derive(Debug, Clone, Copy)]
pub(super) struct AdaPlanner;

/// What the document of a program holds beside its text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Made {
    /// The question that is due before it is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<Due>,
    /// The program that failed, and the variables of then, each with its text in Python; none where it came to its end, or failed before it
    /// ran.
    #[serde(skip_serializing_if = "String::is_empty")]
    before: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Vec<(String, String)>>,
    #[serde(skip_serializing_if = "Left::is_empty")]
    left: Left,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Due {
    /// Whether it has errors of syntax.
    Check,
    /// At which step it goes on.
    Start,
}

impl Due {
    fn purpose(self) -> &'static str {
        match self {
            Due::Check => "check",
            Due::Start => "start",
        }
    }

    fn kind(self) -> AskKind {
        match self {
            Due::Check => AskKind::own("check", "a check of the program's syntax"),
            Due::Start => AskKind::own("start", "the step to go on at"),
        }
    }
}

impl Method for AdaPlanner {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "adaplanner",
            label: "AdaPlanner",
            description: "The model writes a function of steps with assertions, which asks it what it cannot know; where one fails the \
                          model writes it again, and it goes on at the step that differs.",
            options: &[SETTINGS, CORRECTIONS, ANSWERS, LIMITS, TIPS, TEMPERATURE],
            needs: Needs { language: true, local: true, ..Needs::NONE },
            plans: true,
            programs: true,
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        match upcoming(cx, Origin::Greedy, |force| Some(next(cx, force))) {
            Upcoming::Step(step) => *step,
            Upcoming::Plan { .. } => ask(cx, "plan", AskKind::PLAN, cx.samples.is_some(), prompt::plan(cx)),
        }
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        let (path, form) = (cx.path(), Form::of(cx));
        let force = active_plan(&path);
        if ask.kind == AskKind::PLAN {
            let first = Made { due: Some(Due::Check), ..Made::default() };
            let made = force.map_or(first, |force| after(cx, &path, &force));
            let function = form.function(answer.first(), made.due == Some(Due::Start));
            return document(ask, answer, &function, 1, made, None);
        }
        let Some((force, made)) = force.zip(made(cx)) else { return Reading::Kept };
        let (function, _) = answers::parted(force.text);
        if ask.kind == Due::Check.kind() {
            let checked = form.checked(answer.first(), function);
            if checked == function {
                return Reading::Kept;
            }
            let made = Made { left: made.left, ..Made::default() };
            return document(ask, answer, &checked, 1, made, Some(force.ask));
        }
        if ask.kind == Due::Start.kind() {
            let step = if plans(&path) <= GO_ON + 1 { answers::step(answer.first()) } else { 1 };
            let function = form.with_variables(function, made.variables.as_deref());
            let made = Made { left: made.left, ..Made::default() };
            return document(ask, answer, &function, step, made, Some(force.ask));
        }
        // What a run came to, and what the model answered a question of the program, is read again from the record.
        Reading::Kept
    }

    fn shape(&self, cx: &Context<'_>, _kind: &AskKind, _raw: bool) -> Shape {
        Shape::Generate(cx.generation("", Generation { max_tokens: TOKENS, ..Generation::default() }))
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        computed(known, work)
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        over(cx, decision)
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        rows(at)
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Taken::default())
    }
}

/// An answer as the program in force; `of`: the ask whose program it is a version of, where that is another.
fn document(ask: &Ask, answer: &Answer, function: &str, step: usize, made: Made, of: Option<AskId>) -> Reading {
    let made = serde_json::to_value(made).unwrap_or_default();
    let mut more: Vec<(&str, Value)> = vec![("made", made)];
    more.extend(of.map(|of| ("ask", json!(of))));
    program(ask, answer, answers::whole(function, step), &more)
}

/// How a program is made that comes after the one in force.
fn after(cx: &Context<'_>, path: &[&Node], force: &ActivePlan<'_>) -> Made {
    let so_far = RunSoFar::of(path, force);
    let left = left(cx, path, force, &so_far);
    let before = force.text.to_owned();
    match so_far.next {
        Some(Next::Fault { variables, .. }) => Made { due: Some(Due::Start), before, variables, left },
        Some(Next::Finished) => Made { due: Some(Due::Start), before, variables: None, left },
        _ => Made { due: Some(Due::Check), left, ..Made::default() },
    }
}

/// What the program in force leaves to the next one, with what those before it left.
fn left(cx: &Context<'_>, path: &[&Node], force: &ActivePlan<'_>, so_far: &RunSoFar) -> Left {
    let done = acts(path, force).len() + so_far.actions;
    let left = made(cx).unwrap_or_default().left.after(&so_far.left, done);
    // What failed before its function began may have failed in that very code.
    let defined = Form::of(cx) == Form::Published && !so_far.left.is_empty();
    if defined { left.with_code_of(force.text) } else { left }
}

/// The acts before a program, each with what was seen then.
fn acts(path: &[&Node], force: &ActivePlan<'_>) -> Vec<Value> {
    let until = path.iter().position(|node| node.id == force.made_at).unwrap_or_default();
    let steps = path.iter().take(until + 1).filter(|node| node.outcome.held.is_none());
    steps.filter_map(|node| Some(json!([node.action.as_ref()?.text, node.outcome.observation]))).collect()
}

/// How the program in force was made; `None` where a person wrote it.
fn made(cx: &Context<'_>) -> Option<Made> {
    let document = cx.node()?.document(&ArtifactId::PLAN)?;
    Made::deserialize(document.get("made")?).ok()
}

fn asks<'a>(path: &'a [&'a Node]) -> impl Iterator<Item = &'a Ask> {
    path.iter().flat_map(|node| &node.turn.asks)
}

/// The programs asked for on a path.
fn plans(path: &[&Node]) -> usize {
    asks(path).filter(|ask| ask.kind == AskKind::PLAN).count()
}

/// The next action of the program in force, or what has to be asked before.
fn next(cx: &Context<'_>, force: &ActivePlan<'_>) -> Result<NextLine, Box<Step>> {
    let path = cx.path();
    let answered = |due: &Due| {
        let kind = due.kind();
        asks(&path).any(|ask| ask.id > force.ask && ask.kind == kind && matches!(ask.state, AskState::Answered { .. }))
    };
    let made = made(cx).unwrap_or_default();
    if let Some(due) = made.due.filter(|due| !answered(due)) {
        let (function, _) = answers::parted(force.text);
        let prompt = match due {
            Due::Check => prompt::check(cx, function),
            Due::Start => prompt::start(cx, answers::parted(&made.before).0, function),
        };
        return Err(Box::new(ask(cx, due.purpose(), due.kind(), false, prompt)));
    }
    next_line(cx, force, || parts(cx, force), |end, so_far| failed(cx, force, end, so_far))
}

/// The code before a program.
struct Before {
    /// The class, and what asks and tells.
    own: String,
    /// The agent as it stands.
    begun: String,
    /// What earlier programs defined.
    library: String,
}

impl Before {
    fn of(cx: &Context<'_>, left: &Left) -> Self {
        let (class, form) = (prompt::agent_of(cx), Form::of(cx));
        let named = match form {
            Form::Mended => format!("{} = _things\n", class.things),
            // As published what a prompt calls so is nothing to a program.
            Form::Published => String::new(),
        };
        let own = format!("{}\n{}", class.text, form.between(class.text));
        Before { own, begun: left.begun() + &named, library: messages::as_texts(&left.code) }
    }

    /// A program with its variables opened.
    fn opened(&self, program: &str) -> Opened {
        open(&[self.own.as_str(), &self.begun, &self.library].concat(), program)
    }
}

/// The program as it is run, with its variables beside the task and the first observation.
fn parts(cx: &Context<'_>, force: &ActivePlan<'_>) -> (Parts, Map<String, Value>) {
    let (left, form) = (made(cx).unwrap_or_default().left, Form::of(cx));
    let before = Before::of(cx, &left);
    // Python reads all line ends as one kind, within texts too.
    let text = force.text.replace("\r\n", "\n").replace('\r', "\n");
    let opened = before.opened(&messages::as_texts(&text));
    // Names of its own have an underscore: what it calls a variable is no longer the program's.
    let told = opened.names.iter().map(|name| {
        let global = opened.global(name);
        format!("    try:\n        _kept.append(['{name}', _shown({global})])\n    except NameError:\n        pass\n")
    });
    let telling = format!("def _variables():\n    _kept = []\n{}    return _kept\n", told.collect::<String>());
    let places = left.places(&prompt::attributes(cx), &text, form == Form::Published);
    let Opened { code, added, .. } = opened;
    let program = answers::telling(&code);
    let values = [("_things", json!(prompt::things(cx))), ("_acts", json!(acts(&cx.path(), force)))];
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let untold = if program == code { String::new() } else { code };
    let Before { own, begun, library } = before;
    // Nothing indented is last: what a program begins with would belong to it.
    let own = [own, telling, left::telling(&places), begun].concat();
    (Parts { own, library, program, added, untold, refused: form.refused(&text) }, values)
}

/// Names of the code that tells a program's variables.
const TELLING: [&str; 3] = ["_variables", "_left", "_kept"];

/// Python's functions and types, as far as a variable may be called so.
const BUILTINS: &str = "abs all any ascii bin bool bytes callable chr complex dict dir divmod enumerate eval exec filter float format \
    frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min next \
    object oct open ord pow print property range repr reversed round set setattr slice sorted str sum super tuple type vars zip";

/// A program with the variables of its function opened, but for the names that the code before it needs: those with an underscore.
fn open(own: &str, program: &str) -> Opened {
    let own: BTreeSet<&str> = code::defined(own).chain(TELLING).collect();
    let meaning = |name: &str| match own.contains(name) || code::is_known(name) {
        true if name.starts_with('_') => Meaning::Needed,
        is_known if is_known || BUILTINS.split_whitespace().any(|known| known == name) => Meaning::Other,
        _ => Meaning::None,
    };
    opened(program, answers::FUNCTION, &["agent", "start_from"], &meaning)
}

/// The step after a program that came to nothing: a correction, or a person's.
fn failed(cx: &Context<'_>, force: &ActivePlan<'_>, end: &Next, so_far: &RunSoFar) -> Step {
    let (most, path) = (cx.options().count(&CORRECTIONS) as usize, cx.path());
    if plans(&path) > most {
        return stopped(&in_words(end));
    }
    let before = Before::of(cx, &made(cx).unwrap_or_default().left);
    let error = match end {
        Next::Fault { error, .. } => unbound(error, &before.opened(force.text)),
        _ => String::new(),
    };
    let left = left(cx, &path, force, so_far);
    ask(cx, "fix", AskKind::PLAN, false, prompt::fix(cx, &error, left.things()))
}

/// An error in the words it has where variables are a function's own.
fn unbound(error: &str, opened: &Opened) -> String {
    let global =
        error.trim_end().strip_prefix("NameError: name '").and_then(|rest| rest.strip_suffix("' is not defined"));
    match global.and_then(|global| opened.names.iter().find(|name| opened.global(name) == global)) {
        Some(name) => format!("UnboundLocalError: local variable '{name}' referenced before assignment\n"),
        None => error.to_owned(),
    }
}
