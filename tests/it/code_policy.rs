//! Policies as code through the driver: the paper's printed programs act step by step, a person approves, refuses and mends, and the shipped
//! functions play the household and the shop without a language model.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::headless::{self, Asking, End, Journal, Progress};
use stepwright::driver::{Beginning, NewSession, Setup, Source, prepare_new};
use stepwright::episode::{Header, Policy, Session};
use stepwright::method::skills::SkillShelf;
use stepwright::method::{self, ModelTraits};
use stepwright::methods::METHODS;
use stepwright::model::answering::Answering;
use stepwright::model::prompt::Prompts;
use stepwright::model::{Completion, LanguageModel, ModelRequest, ModelResponse};
use stepwright::sandbox::{Limits, Workers};
use stepwright::study::runner::{Opening, episode};
use stepwright::world::options::Values;
use stepwright::world::{Ability, TaskInfo};
use stepwright::worlds::WORLDS;
use stepwright_skill::hierarchy::{Entry, Line};
use stepwright_skill::{Example, distil};
use stepwright_trajectory::Step;
use stepwright_trajectory::Trajectory;
use stepwright_trajectory::react::Form;
use tokio_util::sync::CancellationToken;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use crate::support::logged::Logged;
use crate::support::recordings::recordings;

fn model(answers: impl IntoIterator<Item = String>) -> Arc<Scripted> {
    let say = |answer: String| Turn::Say(vec![Box::leak(answer.into_boxed_str())], Duration::ZERO);
    Scripted::new(answers.into_iter().map(say))
}

/// A session in a world that answers these actions so.
fn session(method: &str, log: &[(&str, &str)], form: Form, model: Arc<Scripted>) -> Setup {
    let step = |(action, observation): &(&str, &str)| Step {
        action: (*action).to_owned(),
        observation: Some((*observation).to_owned()),
        ..Step::default()
    };
    let log = Trajectory {
        steps: log.iter().map(step).collect(),
        initial_observation: Some("A room.".to_owned()),
        terminated: Some("purchase".to_owned()),
        success: Some(true),
        score: 1.0,
        ..Trajectory::default()
    };
    let begun = Header { method: method.into(), sentence: "do it".to_owned(), ..header() };
    let mut setup = setup(Beginning::New(Box::new(begun)), Counter::default(), model, None);
    setup.method = METHODS.named(method).unwrap();
    setup.world = Box::new(Logged::new(log, form));
    setup
}

/// An answer to each stage before a program.
const STAGED: &str = "[[Short enough? (yes/no):]]\nyes\n[[Summary:]]\nx\n[[Specification:]]\nDo it.";

fn automatic(setup: Setup) -> Setup {
    Setup { policy: Some(Policy { steps: 100, ..Policy::manual() }), headless: true, ..setup }
}

async fn ended(w: &mut Watched) {
    let mut begun = false;
    // A whole episode, whose programs run in processes: on a busy machine that takes longer than a step.
    w.until_within(Duration::from_secs(240), "the end", |_, s| {
        begun |= s.policy.is_automatic();
        begun && !s.policy.is_automatic()
    })
    .await;
}

fn actions(w: &Watched) -> Vec<String> {
    let path = w.session.path(w.session.cursor());
    path.iter().filter_map(|node| Some(node.action.as_ref()?.text.clone())).collect()
}

/// The printed programs of an environment, joined, and the actions they are to take with what is observed.
fn printed(data: &std::path::Path, env: &str) -> String {
    let text = std::fs::read_to_string(data.join("code_programs.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let of = all["programs"].as_array().unwrap().iter().filter(|program| program["env"] == env);
    of.map(|program| program["source"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_program_of_the_household_acts_step_by_step() {
    let Some(data) = recordings("o3d") else { return };
    let log = [
        ("go to cabinet 6", "The cabinet 6 is closed."),
        ("open cabinet 6", "You open the cabinet 6. In it, you see a plate 1."),
        ("go to cabinet 5", "On the cabinet 5, you see a cup 1, and a bowl 2."),
        ("take bowl 2 from cabinet 5", "You pick up the bowl 2 from the cabinet 5."),
        ("go to sinkbasin 1", "On the sinkbasin 1, you see nothing."),
        ("clean bowl 2 with sinkbasin 1", "You clean the bowl 2 using the sinkbasin 1."),
        ("go to cabinet 1", "The cabinet 1 is closed."),
        ("open cabinet 1", "You open the cabinet 1. In it, you see nothing."),
        ("put bowl 2 in/on cabinet 1", "You put the bowl 2 in/on the cabinet 1."),
    ];
    let model =
        model([STAGED, STAGED, STAGED, &format!("```python\n{}\n```", printed(&data, "alfworld"))].map(str::to_owned));
    let mut w = Watched::start(automatic(session("demo2code", &log, Form::Prompt, model)));
    ended(&mut w).await;
    assert_eq!(actions(&w), log.map(|(action, _)| action.to_owned()));
    assert!(w.session.current().unwrap().outcome.won);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_program_of_the_shop_asks_the_model_for_its_functions() {
    let Some(data) = recordings("o3d") else { return };
    let page = "[Back to Search]\n[B09GLCXKP6]\nRed ottoman $20.00\n[B0184JRW1I]\nBlue ottoman bench $99.00";
    let log = [
        ("search[blue ottoman bench]", page),
        ("click[B0184JRW1I]", "[Back to Search]\ncolor [blue][red]\n[Buy Now]"),
        ("click[blue]", "You have clicked blue."),
        ("click[Buy Now]", "Your score: 1.0"),
    ];
    let requirements = || "['blue ottoman bench', 'price lower than 410.00 dollars']".to_owned();
    let model = model([
        STAGED.to_owned(),
        STAGED.to_owned(),
        STAGED.to_owned(),
        printed(&data, "webshop"),
        "search[blue ottoman bench]".to_owned(),
        requirements(),
        requirements(),
        "['blue']".to_owned(),
    ]);
    let mut w = Watched::start(automatic(session("demo2code", &log, Form::Action, model)));
    ended(&mut w).await;
    assert_eq!(actions(&w), log.map(|(action, _)| action.to_owned()));
}

pub(crate) fn configuration(folder: &std::path::Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    load_with(&overrides, &METHODS, &|_| None).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn shipped_functions_play_without_a_language_model() {
    let folder = tempfile::tempdir().unwrap();
    let (config, sources) = (configuration(folder.path()), stepwright::worlds::sources());
    // Of the shop's, the bar of its agents: a mean score of 58. Two of the six are bought as asked for.
    for (world, tasks, least, score) in [("household", 6, 6, 1.0), ("shop", 6, 2, 0.58)] {
        let mut ids: VecDeque<String> = sources.tasks(world, None).unwrap().into_iter().map(|task| task.id).collect();
        let (mut won, mut reward) = (0, 0.0);
        for _ in 0..tasks {
            // From all over the list.
            ids.rotate_left(5);
            let new = NewSession {
                world: world.into(),
                task: ids[0].clone(),
                method: "o3d-code".into(),
                model: "symbolic".into(),
                ..NewSession::default()
            };
            let mut setup = prepare_new(&new, &config, &sources, Arc::new(|| 1_000)).unwrap();
            assert!(matches!(setup.source, Source::Symbolic));
            setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
            let mut w = Watched::start(automatic(setup));
            ended(&mut w).await;
            let outcome = &w.session.current().unwrap().outcome;
            (won, reward) = (won + usize::from(outcome.won), reward + outcome.reward);
        }
        assert!(won >= least, "{world}: {won} of {tasks}");
        assert!(reward / f64::from(tasks) >= score, "{world}: a score of {reward} in {tasks} tasks");
    }
}

/// A model that answers by a function of what it is asked.
fn stand_in(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Arc<dyn LanguageModel> {
    Arc::new(Answering::by(move |request: &ModelRequest| {
        let asked = request.messages.last().map_or("", |message| message.text.as_str());
        let answers = (0..request.n.max(1)).map(|_| Completion::whole(answer(asked))).collect();
        Ok(ModelResponse::of(answers, None))
    }))
}

/// An episode in a world that ships, played by a model; its session at the end.
async fn played(
    (world, data, task): (&str, Option<&std::path::Path>, &str),
    method: &str,
    model: Arc<dyn LanguageModel>,
) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let new = NewSession {
        world: world.into(),
        data: data.map(Into::into),
        task: task.into(),
        method: method.into(),
        model: "stand-in".into(),
        ..NewSession::default()
    };
    let config = Arc::new(configuration(folder.path()));
    let setup = move || -> Result<Setup, String> {
        let mut setup = Opening::new(&config, stepwright::worlds::sources(), 50).setup(&new)?;
        setup.source = Source::Language { name: "stand-in".into(), model };
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        Ok(setup)
    };
    let played = episode(setup, &CancellationToken::new()).await.unwrap();
    played.session.unwrap()
}

fn is_won(session: &Session) -> bool {
    session.current().is_some_and(|node| node.outcome.won)
}

#[tokio::test(flavor = "multi_thread")]
async fn example_solutions_solve_their_tasks() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/household");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.jsonl");
    let lines = std::fs::read_to_string(root.join("demonstrations.jsonl")).unwrap();
    let games: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["task"].clone()).collect();
    std::fs::write(&data, games.iter().map(|game| format!("{game}\n")).collect::<String>()).unwrap();
    let solutions = std::fs::read_to_string(root.join("solutions.py")).unwrap();
    let mut kinds = 0;
    for part in solutions.split("# == ").skip(1) {
        let (kind, text) = part.split_once('\n').unwrap();
        let sentence = text.lines().find_map(|line| line.strip_prefix("# Your task is to: ")).unwrap();
        let game = games.iter().find(|game| game["task"] == sentence).unwrap_or_else(|| panic!("no game: {sentence}"));
        assert_eq!(game["task_type"], kind.trim());
        let program = text[text.find("def solution").unwrap()..].to_owned();
        let things: Vec<(String, String)> = game["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|thing| {
                (thing["type"].as_str().unwrap().to_owned(), thing["in"][0].as_str().unwrap_or_default().to_owned())
            })
            .collect();
        // Knows where things are; one more than the places that have any, so that it looks in vain first.
        let answer = move |asked: &str| {
            // Prompts for programs show the questions of the example, too.
            if asked.contains("[Decision]") {
                return "[Decision] No\n[Revised code]".to_owned();
            }
            if asked.contains("def solution") {
                return program.clone();
            }
            let word =
                |mark: &str| asked.split(mark).nth(1).map(|rest| rest.split([' ', '?']).next().unwrap().to_owned());
            if let Some((seen, rest)) = asked.split_once(" Which number has the ") {
                let kind = rest.split(' ').next().unwrap();
                let at = seen.find(&format!("{kind} ")).map_or(0, |at| at + kind.len() + 1);
                return seen[at..].chars().take_while(char::is_ascii_digit).collect();
            }
            if let Some(kind) = word("Where would a ").or_else(|| word("Where would an ")) {
                let inside = asked.split(['[', ']']).nth(1).unwrap();
                let places: Vec<&str> = inside.split('\'').skip(1).step_by(2).collect();
                let mut places: Vec<&str> = places.clone();
                places.sort_by_key(|place| !things.iter().any(|(of, at)| *of == kind && at == place));
                return format!("{places:?}");
            }
            panic!("asked otherwise: {asked}")
        };
        let task = game["id"].as_str().unwrap();
        let session = played(("household", Some(&data), task), "adaplanner", stand_in(answer)).await;
        let path = session.path(session.cursor());
        let asks: Vec<String> = path.iter().flat_map(|n| &n.turn.asks).map(|ask| ask.kind.to_string()).collect();
        let last = path.last().map(|node| &node.outcome);
        assert!(is_won(&session), "{sentence}: {last:?} {asks:?}");
        assert!(asks.iter().any(|kind| kind.starts_with("ask, call ")), "what it asked is recorded: {asks:?}");
        kinds += 1;
    }
    assert_eq!(kinds, 6);
}

/// Methods that write neither code nor plans: an action at a time, or no model at all.
const BY_ACTIONS: [&str; 10] = [
    "few-shot", "precondition-prompting", "precondition-aware", "scored", "blocking", "react", "react-long",
    "reflexion", "ff-replan", "ff-replan-limited",
];

/// What might solve a task whatever it is: functions that solve it, its end, nothing, the forms of answers about it.
const CONSTANTS: [&str; 6] = [
    "solve(task, observation)",
    "agent.solve()",
    "[[Short enough? (yes/no):]] yes [[Summary:]] x [[Specification:]] solve(task, observation)",
    "[Decision] Yes [Revised code] solve(task, observation)",
    "done()",
    "",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_constant_answer_wins_nothing_in_any_method_that_writes_code_or_plans() {
    let model = ModelTraits { language: true, ..ModelTraits::default() };
    let (mut episodes, mut number, mut tried) = (tokio::task::JoinSet::new(), 0, BTreeSet::new());
    for world in WORLDS.iter().filter(|world| !world.has(Ability::Remote)) {
        let tasks = stepwright::worlds::sources().tasks(world.name, None).unwrap_or_default();
        for method in METHODS.all().into_iter().filter(|method| !BY_ACTIONS.contains(&method.id)) {
            let fits = |task: &&TaskInfo| {
                method::fits(&method, &Values::default(), (world, stepwright::worlds::WORLDS), Some(&task.kind), &model)
                    .is_ok()
            };
            let tasks: Vec<&TaskInfo> = tasks.iter().filter(fits).collect();
            let some = if method.programs { CONSTANTS.len() } else { 2 };
            for _ in 0..if tasks.is_empty() { 0 } else { some } {
                // From all over the lists, and few at a time.
                number += 7;
                let constant = CONSTANTS[number % CONSTANTS.len()];
                if episodes.len() > 2 {
                    episodes.join_next().await.unwrap().unwrap();
                }
                let (world, id, task) = (world.name, method.id, tasks[number % tasks.len()].id.clone());
                tried.insert(id);
                episodes.spawn(async move {
                    let model = stand_in(move |_| constant.to_owned());
                    let session = played((world, None, &task), id, model).await;
                    assert!(!is_won(&session), "{id} wins {world}'s {task} by {constant:?}");
                });
            }
        }
    }
    let few = ["o3d-code", "demo2code", "adaplanner", "statler", "progprompt", "open-loop", "reprompt"];
    assert!(few.iter().all(|id| tried.contains(id)), "{tried:?}");
    while let Some(episode) = episodes.join_next().await {
        episode.unwrap();
    }
}

/// The logs that the shipped examples of a world are cut from, of tasks with these calls.
fn logs_of_examples(calls: &[&str]) -> Vec<Trajectory> {
    let known = SkillShelf::new(&stepwright::worlds::household::KIND).get("shipped").unwrap();
    let log = |(at, example): (usize, &Example)| {
        let step = |entry: &Entry| match &entry.line {
            Line::Act(action) => {
                Some(Step { action: action.clone(), observation: Some(entry.observation.clone()), ..Step::default() })
            }
            _ => None,
        };
        Trajectory {
            id: format!("log-{at}"),
            task: example.task().to_owned(),
            initial_observation: Some(example.first.clone()),
            steps: example.entries.iter().filter_map(step).collect(),
            success: Some(true),
            ..Trajectory::default()
        }
    };
    known.examples.iter().filter(|example| example.calls() == calls).enumerate().map(log).collect()
}

/// How a stand-in cuts a log of finding, taking and putting.
fn cut_of(log: &Trajectory) -> String {
    let mut text = "New summarization:\n".to_owned();
    let thing = log.task.split_whitespace().nth(2).unwrap();
    let place = log.task.trim_end_matches('.').split_whitespace().last().unwrap();
    let take = log.steps.iter().position(|step| step.action.starts_with("take")).unwrap();
    for (at, step) in log.steps.iter().enumerate() {
        match at {
            0 => text.push_str(&format!("- find({thing}):\n")),
            at if at == take => text.push_str(&format!("- take({thing}):\n")),
            at if at == take + 1 => text.push_str(&format!("- put({thing}, {place}):\n")),
            _ => {}
        }
        text.push_str(&format!("> {}\n", step.action));
    }
    text
}

const FIND: &str = "```python
def find_object(object):
    places = re.findall(r'[a-z]+ \\d+', history[0][1].split('Your task')[0])
    for place in places:
        seen, won = interact_with_environment(go(place))
        if isclose(seen):
            seen, won = interact_with_environment(open(place))
        if is_in(object + ' ', seen):
            return extract_pattern(seen, object), place
    return None, None
```";
const TAKE: &str = "```python
def take_object(object):
    for done, seen in history[::-1]:
        name = extract_pattern(seen, object)
        if name != 'No match found.' and (done.startswith('go to ') or done.startswith('open ')):
            place = done.replace('go to ', '').replace('open ', '')
            return interact_with_environment(take(name, place))
```";
const PUT: &str = "```python
def put_object(object, receptacle):
    held = [done for done, seen in history if done.startswith('take ')][-1].split(' ')
    place = extract_pattern(history[0][1].split('Your task')[0], receptacle)
    seen, won = interact_with_environment(go(place))
    if isclose(seen):
        seen, won = interact_with_environment(open(place))
    seen, won = interact_with_environment(put(held[1] + ' ' + held[2], place))
    return won
```";

/// Algorithm 2 with a stand-in: functions written from logs, one of them mended, then a program of them that wins; and the same functions
/// lose where a constant answer calls what is not there or what is not asked for.
#[tokio::test(flavor = "multi_thread")]
async fn functions_are_written_from_logs_and_compose_a_program_that_wins() {
    let logs = logs_of_examples(&["find", "take", "put"]);
    assert_eq!(logs.len(), 2);
    let skills = "- find(object)\n- take(object)\n- put(object, receptacle)";
    let forms = ">> find(object)\n- go to [receptacle] [id]\nExample: go to desk 1";
    let listed = format!("New summarization:\nWe list the Environment-specific subtasks below:\n{skills}");
    let primitives = format!("New summarization:\n{forms}");
    let broken = "```python\ndef take_object(object):\n    return take(thing)\n```";
    let cuts: Vec<String> = logs.iter().map(cut_of).collect();
    let stand_in = model(
        [listed.clone(), listed]
            .into_iter()
            .chain(cuts)
            .chain([primitives.clone(), primitives])
            .chain([FIND, broken, TAKE, PUT].map(str::to_owned)),
    );
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
    let settings = distil::Settings { functions: true, ..distil::Settings::default() };
    let library = stepwright::worlds::household::KIND.file("primitives.py").unwrap().text;
    let mut run = distil::Distiller::new(logs, Default::default(), settings).over(library);
    let mut journal = Journal::open(&folder.path().join("x.journal.jsonl"), &serde_json::json!({})).unwrap();
    let asking = Asking {
        model: stand_in,
        prompts: &Prompts::default(),
        sandbox: sandbox.clone(),
        contrast: true,
        budget: None,
        cancel: CancellationToken::new(),
    };
    let mut unread = Vec::new();
    let mut report = |progress: Progress| {
        if let Progress::Unread(why) = progress {
            unread.push(why);
        }
    };
    let (end, _) = headless::distil(&mut run, &mut journal, &asking, &mut report).await.unwrap();
    assert_eq!((end, unread), (End::Done, Vec::new()));
    let lives: Vec<Vec<String>> =
        run.known().skills.iter().map(|skill| skill.function.iter().map(|version| version.tried()).collect()).collect();
    assert_eq!(lives[0], ["2 of 2 recorded calls reproduced"], "{lives:?}");
    assert!(lives[1][0].starts_with("0 of 2 recorded calls reproduced; log-0: line 2: NameError"), "{lives:?}");
    assert_eq!((lives[1].len(), lives[1][1].as_str()), (2, "2 of 2 recorded calls reproduced"));
    assert_eq!(lives[2], ["2 of 2 recorded calls reproduced"]);
    let file = folder.path().join("written.skills.toml");
    std::fs::write(&file, stepwright_skill::file::write(run.known())).unwrap();
    let (config, sources) = (configuration(folder.path()), stepwright::worlds::sources());
    let tasks = sources.tasks("household", None).unwrap();
    let task = tasks.iter().find(|task| task.id.contains("place-")).unwrap();
    let words: Vec<&str> = task.sentence.trim_end_matches('.').split_whitespace().collect();
    let (thing, place) = (words[2], words[words.len() - 1]);
    let program = format!("find_object('{thing}')\ntake_object('{thing}')\nput_object('{thing}', '{place}')");
    for (answer, wins) in [(program.as_str(), true), ("solve(task, observation)", false), ("find_object('x')", false)] {
        let new = NewSession {
            world: "household".into(),
            task: task.id.clone(),
            method: "o3d-code".into(),
            options: [("skills".to_owned(), file.display().to_string())].into(),
            model: "symbolic".into(),
            ..NewSession::default()
        };
        let mut setup = prepare_new(&new, &config, &sources, Arc::new(|| 1_000)).unwrap();
        let stand_in = model([answer.to_owned()]);
        setup.source = Source::Language { name: "scripted".into(), model: Arc::clone(&stand_in) as _ };
        setup.sandbox = sandbox.clone();
        let mut w = Watched::start(automatic(setup));
        ended(&mut w).await;
        assert_eq!(w.session.current().unwrap().outcome.won, wins, "{answer}: {:?}", actions(&w));
        let asked = stand_in.asked.lock().unwrap();
        let prompt: String = asked[0].messages.iter().map(|message| message.text.as_str()).collect();
        assert!(prompt.contains("def put_object(object, receptacle):") && !prompt.contains("def solve"), "{prompt}");
    }
}
