//! ReAct and Reflexion through the driver: published runs played back line by line, thoughts as steps, limits, reflections that are
//! edited and refused, and trials as branches from the start.

use std::sync::Arc;
use std::time::Duration;

use stepwright::driver::{Beginning, Command, NewSession, Request, Setup};
use stepwright::episode::{ArtifactKind, BranchEdit, Header, Policy};
use stepwright::methods::METHODS;
use stepwright::study::run::RunResult;
use stepwright::study::runner::Episode;
use stepwright::world::{TaskInfo, World};
use stepwright::worlds::household::{Edition, HouseholdWorld, Source};
use stepwright_trajectory::react::Form;
use stepwright_trajectory::{self as trajectory, Trajectory};

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use crate::support::logged::Logged;
use crate::support::recordings::recordings;

/// The lines of a logged episode as a model wrote them: thoughts and actions.
fn lines_of(log: &Trajectory, form: Form) -> Vec<String> {
    let mut lines = Vec::new();
    for step in &log.steps {
        lines.extend(step.thought.as_ref().map(|thought| form.think(thought)));
        lines.push(step.action.clone());
    }
    lines.extend(log.rest.get("closing_thought").and_then(|t| t.as_str()).map(|thought| form.think(thought)));
    lines
}

fn model(lines: impl IntoIterator<Item = String>) -> Arc<Scripted> {
    let say = |line: String| Turn::Say(vec![Box::leak(line.into_boxed_str())], Duration::ZERO);
    Scripted::new(lines.into_iter().map(say))
}

fn headless(method: &str, options: &[(&str, &str)], sentence: &str, model: Arc<Scripted>) -> Setup {
    let options = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let begun = Header { method: method.into(), options, sentence: sentence.to_owned(), ..header() };
    let mut setup = setup(Beginning::New(Box::new(begun)), Counter::default(), model, None);
    setup.method = METHODS.named(method).unwrap();
    setup.policy = Some(Policy { steps: 200, ..Policy::manual() });
    setup.headless = true;
    setup
}

async fn stopped(w: &mut Watched) {
    let mut begun = false;
    w.until("the end", |_, s| {
        begun |= s.policy.is_automatic();
        begun && !s.policy.is_automatic()
    })
    .await;
}

/// Everything of the model's prompt, in order of asking.
fn prompts(model: &Scripted) -> Vec<String> {
    let asked = model.asked.lock().unwrap();
    asked.iter().map(|request| request.messages.iter().map(|m| m.text.as_str()).collect()).collect()
}

async fn replay(log: Trajectory, form: Form) {
    let (lines, whole) = (lines_of(&log, form), form.transcript(&log));
    let (id, count, last) = (log.id.clone(), lines.len(), lines.last().cloned().unwrap());
    let model = model(lines);
    let mut setup = headless("react", &[], &log.task, Arc::clone(&model));
    let closing = log.rest.get("closing_thought").is_some_and(|thought| thought.is_string());
    setup.world = Box::new(Logged::new(log, form));
    let mut w = Watched::start(setup);
    w.until(&id, |_, s| s.current().is_some_and(|n| n.depth as usize == count)).await;
    let path = w.session.path(w.session.cursor());
    let refused: Vec<_> = path.iter().filter(|n| n.outcome.error.is_some()).map(|n| (&n.action, &n.outcome)).collect();
    assert!(refused.is_empty(), "{id}: every line is the log's: {refused:?}");
    // The last prompt is the whole log up to its last line.
    let asked = prompts(&model);
    let last_prompt = asked.get(count - 1).unwrap();
    let before = whole.rfind(&format!("{} {last}", form.cue())).unwrap();
    assert!(last_prompt.contains(&whole[..before]), "{id}: {last_prompt}\nhas not\n{}", &whole[..before]);
    assert!(!closing || last.starts_with("think"), "{id}");
}

#[tokio::test(flavor = "multi_thread")]
async fn published_runs_play_back_line_by_line() {
    let Some(data) = recordings("o3d") else { return };
    let mut played = 0;
    for (file, form) in [
        ("webshop_react_log.jsonl", Form::Action),
        ("webshop_pairs_models.jsonl", Form::Action),
        ("alfworld_react_demos.jsonl", Form::Prompt),
    ] {
        let text = std::fs::read_to_string(data.join(file)).unwrap();
        for log in trajectory::read(&text).into_iter().map(Result::unwrap) {
            if log.unobserved() == 0 {
                replay(log, form).await;
                played += 1;
            }
        }
    }
    assert!(played >= 100, "{played}");
}

#[tokio::test]
async fn a_thought_is_a_step_that_executes_nothing_and_limits_end_the_episode() {
    let lines = ["think: one and one", "add 1", "add 2", "think: again", "add 2"].map(str::to_owned);
    let model = model(lines);
    let mut w = Watched::start(headless("react", &[("limits", "o3d-30")], "reach ten.", Arc::clone(&model)));
    stopped(&mut w).await;
    let path = w.session.path(w.session.cursor());
    let seen: Vec<&str> = path.iter().map(|node| node.outcome.observation.as_str()).collect();
    assert_eq!(seen, ["Reach ten.", "OK.", "The total is 1.", "The total is 3.", "OK.", "The total is 5."]);
    let ended = path.last().unwrap().outcome.ended.as_deref().unwrap();
    assert!(ended.contains("twice in a row"), "{ended}");
    assert!(w.session.is_done() && !path.last().unwrap().outcome.won);
}

/// What a model writes is the world's own text, whatever it looks like; a person who types calls means them.
#[tokio::test]
async fn what_looks_like_a_call_is_refused_of_a_model_and_carried_out_for_a_person() {
    let source = Source::shipped().unwrap();
    let task = source.tasks()[0].id.clone();
    let mut world = HouseholdWorld::new(source, Edition::Put);
    world.reset(&task, 0).unwrap();
    let go = world.admissible().unwrap().into_iter().find(|text| text.starts_with("go to")).unwrap();
    let (call, there) = (world.call_of(&go).unwrap().to_string(), world.preview(&go).unwrap().observation);
    let mut setup = headless("react", &[], "put it there.", model(["done()", "look"].map(str::to_owned)));
    if let Beginning::New(begun) = &mut setup.beginning {
        (begun.task, begun.specification) = (task, world.specification().into_owned());
        begun.opening = world.header().opening();
    }
    setup.world = Box::new(world);
    (setup.policy, setup.headless) = (None, false);
    let mut w = Watched::start(setup);
    assert_eq!(w.recommended().await, "done()");
    w.approve();
    assert_eq!(w.executed().await, "Nothing happens.");
    assert!(!w.session.is_done());
    assert_eq!(w.recommended().await, "look");
    let bare = call.split_once('.').unwrap().1.to_owned();
    w.send(Command::Gate(Request::Manual { text: bare.clone() }));
    assert_eq!(w.executed().await, there);
    let action = w.session.current().unwrap().action.clone().unwrap();
    assert_eq!((action.text.as_str(), action.call.as_deref(), action.program), (bare.as_str(), Some(&*call), true));
}

/// As WebShop's programs have it: of examples and transcript so many characters, cut anywhere, the end kept.
#[tokio::test]
async fn a_transcript_is_cut_at_the_published_number_of_characters() {
    let long = format!("think: BEGIN{}END", "x".repeat(7_000));
    for (characters, cut) in [("6400", true), ("all", false)] {
        let model = model([long.clone(), "add 1".to_owned()]);
        let mut setup = headless("react", &[("characters", characters)], "reach ten.", Arc::clone(&model));
        setup.policy = Some(Policy { steps: 2, ..Policy::manual() });
        let mut w = Watched::start(setup);
        stopped(&mut w).await;
        let asked = w.session.nodes()[1].turn.asks[0].prompt.clone().unwrap();
        let last = prompts(&model).pop().unwrap();
        assert!(last.contains("END\nOK."), "{last}");
        assert_eq!((last.contains("BEGIN"), last.contains("Reach ten.")), (!cut, !cut), "{characters}");
        assert_eq!(last.matches('x').count() < 6_400, cut, "{characters}");
        assert_eq!(asked.left_out.as_ref().is_some_and(|out| out.contains("characters of the transcript")), cut);
    }
}

/// A trial that fails by the same line twice.
fn trial() -> [String; 2] {
    ["add 1", "add 1"].map(str::to_owned)
}

#[tokio::test]
async fn reflections_on_failed_trials_are_artifacts_that_a_person_edits_and_refuses() {
    let mut lines: Vec<String> = trial().into();
    lines.extend(["Add more at once.".to_owned(), "add 5".to_owned(), "add 5".to_owned(), "add 3".to_owned()]);
    let model = model(lines);
    let options = [("limits", "reflexion-49")];
    let mut w = Watched::start(headless("reflexion", &options, "reach ten.", Arc::clone(&model)));
    stopped(&mut w).await;
    assert!(w.session.is_done());
    // Back at the start the reflection comes first, and waits for the person.
    w.send(Command::Gate(Request::Goto(0)));
    w.until("the start", |_, s| s.cursor() == 0).await;
    w.send(Command::Gate(Request::Propose));
    w.until("a reflection", |_, s| s.pending_offer().is_some()).await;
    let offer = w.session.pending_offer().unwrap();
    assert_eq!(offer.written.artifact.kind, ArtifactKind::Other("reflection".into()));
    assert_eq!(offer.written.value.as_ref().unwrap()["text"], "Add more at once.");
    let text = "Add five, twice.".to_owned();
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text }));
    assert_eq!(w.recommended().await, "add 5");
    let asked = prompts(&model);
    assert!(asked.last().unwrap().contains("Add five, twice.") && !asked.last().unwrap().contains("Add more at once."));
    w.approve();
    assert_eq!(w.executed().await, "The total is 5.");
    let root = w.session.node(0).unwrap();
    assert_eq!(root.children.len(), 2, "a new trial is a branch from the start");
    // A result counts what every trial cost, though its steps are those of the last.
    let session = Ok(w.session.clone());
    let episode = Episode {
        session,
        drift: Vec::new(),
        ended: String::new(),
        error: None,
        unkept: false,
        unanswered: false,
        kept: None,
        seconds: 0.0,
    };
    let [id, kind, sentence, source] = ["reach/10", "reach", "reach ten.", "test"].map(str::to_owned);
    let result = RunResult::of(&episode, &TaskInfo { id, kind, sentence, source }, &NewSession::default(), &METHODS);
    assert_eq!((result.asks, result.steps), (4, 1), "two lines of the first trial, a reflection and one line");
    // The first trial's steps did not know of it.
    assert!(
        w.session.node(1).unwrap().documents.iter().all(|(id, _)| id.kind != ArtifactKind::Other("reflection".into()))
    );
}

#[tokio::test]
async fn a_trial_that_was_deleted_is_none() {
    let lines = trial().into_iter().chain(["add 5".to_owned()]);
    let options = [("limits", "reflexion-49")];
    let mut w = Watched::start(headless("reflexion", &options, "reach ten.", model(lines)));
    stopped(&mut w).await;
    w.send(Command::Gate(Request::Goto(0)));
    w.until("the start", |_, s| s.cursor() == 0).await;
    w.send(Command::Gate(Request::EditBranch { branch: 1, edit: BranchEdit::Delete { deleted: true } }));
    w.send(Command::Gate(Request::Propose));
    assert_eq!(w.recommended().await, "add 5", "nothing is reflected on");
    assert!(w.session.node(0).unwrap().turn.offers.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn published_reflections_play_back_and_the_last_three_stand_in_prompts() {
    let Some(data) = recordings("o3d") else { return };
    for file in ["reflexion_memories_alfworld.json", "reflexion_memories_webshop.json"] {
        let text = std::fs::read_to_string(data.join(file)).unwrap();
        let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let mut played = 0;
        for of in all.iter().filter(|of| !of["reflections"].as_array().unwrap().is_empty()) {
            let reflections: Vec<&str> =
                of["reflections"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
            let mut lines: Vec<String> = trial().into();
            for reflection in &reflections {
                lines.push((*reflection).to_owned());
                lines.extend(trial());
            }
            let model = model(lines);
            let options = [("limits", "reflexion-49")];
            let mut w = Watched::start(headless("reflexion", &options, "reach ten.", Arc::clone(&model)));
            stopped(&mut w).await;
            for _ in &reflections {
                w.send(Command::Gate(Request::Goto(0)));
                w.send(Command::Gate(Request::Propose));
                w.send(Command::Gate(Request::SetPolicy(Policy { steps: 50, ..Policy::manual() })));
                stopped(&mut w).await;
            }
            let node = w.session.current().unwrap();
            assert_eq!(node.documents.iter().filter(|(id, _)| id.kind.id() == "reflection").count(), reflections.len());
            assert_eq!(w.session.node(0).unwrap().children.len(), reflections.len() + 1);
            let last = prompts(&model).pop().unwrap();
            for (at, text) in reflections.iter().enumerate() {
                let shown = at + 3 >= reflections.len();
                // One may be the beginning of a later one, which is shown.
                let elsewhere =
                    reflections[reflections.len().saturating_sub(3)..].iter().any(|later| later.contains(text.trim()));
                assert!(
                    last.contains(text.trim()) == shown || elsewhere,
                    "{file} {}: reflection {at}",
                    of["env_index"]
                );
            }
            played += 1;
        }
        assert!(played >= 30, "{played}");
    }
}
