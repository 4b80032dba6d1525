//! The example sessions that ship: made here with `STEPWRIGHT_WRITE=1 cargo test --test it examples_are_made` (or the name of one in
//! place of 1), and always replayed against the world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::driver::{Scripted, Turn, Watched};
use crate::support::opened::{before_goals, begun, configuration};
use stepwright::config::Config;
use stepwright::driver::examples::EXAMPLES;
use stepwright::driver::{
    Command, Level, NewSession, Notice, OpenRequest, Persistence, Request, Setup, prepare, prepare_new, start,
};
use stepwright::episode::{Actor, ArtifactId, Choice, Event, Mark, Policy, Session, Status, log};
use stepwright::method::{Place, StepStatus, wording};
use stepwright::methods::METHODS;
use stepwright::sandbox::{Limits, Workers};
use stepwright::world::AgentCommand;
use stepwright::worlds::dialogue::{END_TURN, Speaker};

/// Said of the scripted model wherever its name is shown.
const SCRIPT: &str = "scripted (written for this example, no language model)";

/// A new session on a shipped household task, written to `path`, on a separate clock.
fn begin(config: &Config, task: &str, path: &std::path::Path, script: Option<Arc<Scripted>>) -> Setup {
    begin_in("household", config, task, path, script)
}

fn begin_in(world: &str, config: &Config, task: &str, path: &std::path::Path, script: Option<Arc<Scripted>>) -> Setup {
    begin_by("", &[], (world, task), config, path, script)
}

fn begin_by(
    method: &str,
    options: &[(&str, &str)],
    (world, task): (&str, &str),
    config: &Config,
    path: &std::path::Path,
    script: Option<Arc<Scripted>>,
) -> Setup {
    let clock = AtomicU64::new(1_795_000_000_000);
    let clock = Arc::new(move || clock.fetch_add(700, Ordering::Relaxed));
    let script = script.map(|model| (SCRIPT, model));
    let mut setup = begun((world, task), (method, options), config, clock, script);
    let stepwright::driver::Beginning::New(header) = &setup.beginning else { panic!("a new session") };
    let log = log::Writer::create(path, header).unwrap();
    setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
    setup.keep = Persistence::Log(log);
    setup
}

async fn solved(config: &Config, path: &std::path::Path) {
    let mut setup = begin(config, "shipped/heat-tomato-3", path, None);
    setup.headless = true;
    setup.policy = Some(Policy { steps: 50, until_fails: true, ..Policy::default() });
    let mut w = Watched::start(setup);
    w.said(Level::Info, "the goal is reached").await;
    w.quit().await;
}

async fn by_hand(config: &Config, path: &std::path::Path) {
    let mut w = Watched::start(begin(config, "shipped/heat-apple-1", path, None));
    w.recommended().await;
    let first = w.session.current().unwrap().turn.recommended.as_ref().unwrap().0.unwrap();
    let reason = "apples get thrown away in this house: look into the garbage can first";
    w.send(Command::Gate(Request::Reject { proposal: first, reason: reason.into() }));
    w.recommended().await;
    let second = w.session.current().unwrap().turn.recommended.as_ref().unwrap().0.unwrap();
    w.send(Command::Gate(Request::Edit { proposal: second, text: "go to garbagecan 1".into() }));
    w.recommended().await;
    w.send(Command::Gate(Request::Manual { text: "take apple 1 from garbagecan 1".into() }));
    w.recommended().await;
    w.send(Command::Gate(Request::Manual { text: "go to fridge 1".into() }));
    w.recommended().await;
    w.send(Command::Gate(Request::Note("it is to be heated first: back".into())));
    w.send(Command::Gate(Request::Undo));
    w.until("the way back", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. }))).await;
    for text in ["go to microwave 1", "heat apple 1 with microwave 1", "go to fridge 1", "open fridge 1"] {
        w.send(Command::Gate(Request::Manual { text: text.into() }));
        w.recommended().await;
    }
    w.send(Command::Gate(Request::Manual { text: "put apple 1 in/on fridge 1".into() }));
    w.said(Level::Info, "the goal is reached").await;
    w.quit().await;
}

async fn algorithm_1(config: &Config, path: &std::path::Path) {
    let say = |texts: &[&'static str]| Turn::Say(texts.to_vec(), Duration::ZERO);
    let script = Scripted::new([
        say(&["    agent.take('knife 1', 'countertop 2')"]),
        say(&[
            "    agent.clean('knife 1', 'sinkbasin 1')",
            "First I would look around.",
            "    agent.goto('countertop 2')",
            "    agent.goto('sinkbasin 1')",
        ]),
        say(&["    agent.take('knife 1', 'countertop 2')"]),
        // Its assertions hold, but the agent has to be at the sink: the world refuses.
        say(&["    agent.clean('knife 1', 'sinkbasin 1')"]),
        say(&["    agent.goto('sinkbasin 1')"]),
        say(&["    agent.clean('knife 1', 'sinkbasin 1')"]),
        say(&["    agent.goto('diningtable 1')"]),
        say(&["    agent.put('knife 1', 'diningtable 1')"]),
    ]);
    let mut setup = begin(config, "shipped/clean-knife-4", path, Some(script));
    setup.headless = true;
    setup.policy = Some(Policy { steps: 20, ..Policy::default() });
    let mut w = Watched::start(setup);
    w.said(Level::Info, "the goal is reached").await;
    w.quit().await;
}

/// The dialogue of the example, and what its system does, turn by turn.
const DIALOGUE: &str = "shipped/toollibrary-03";

fn acts_of(task: &str) -> Vec<String> {
    let source = stepwright::worlds::dialogue::Source::shipped().unwrap();
    let mut acts = Vec::new();
    for turn in source.dialogue(task).unwrap().turns.iter().filter(|t| t.speaker == Speaker::System) {
        let calls = turn.calls.iter().filter(|c| c.function != "set_query_status");
        acts.extend(calls.map(ToString::to_string));
        acts.push(END_TURN.to_owned());
    }
    acts
}

/// A person takes what the proposer has right. The first wrong act is let through, looked at and taken back; further ones are
/// edited.
async fn dialogue(config: &Config, path: &std::path::Path) {
    let mut w = Watched::start(begin_in("dialogue", config, DIALOGUE, path, None));
    let mut trusting = true;
    for right in acts_of(DIALOGUE) {
        w.recommended().await;
        let turn = &w.session.current().unwrap().turn;
        let proposal = turn.recommended.as_ref().unwrap().0.unwrap();
        if turn.proposal(proposal).unwrap().action.as_ref().unwrap().text == right {
            w.send(Command::Gate(Request::Approve { proposal }));
            continue;
        }
        if std::mem::take(&mut trusting) {
            w.send(Command::Gate(Request::Approve { proposal }));
            w.recommended().await;
            w.send(Command::Gate(Request::Note("the recorded system did something else: back".into())));
            w.send(Command::Gate(Request::Undo));
            w.until("the way back", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. })))
                .await;
        }
        w.send(Command::Gate(Request::Edit { proposal, text: right }));
    }
    w.said(Level::Info, "the goal is reached").await;
    w.quit().await;
}

/// Takes the candidate of that text where it is offered, else the selector's.
async fn select(w: &mut Watched, prefer: &str) {
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    let preferred = turn.proposals.iter().rev().find(|p| p.action.as_ref().is_some_and(|a| a.text == prefer));
    let proposal = preferred.map_or_else(|| turn.recommended.as_ref().unwrap().0.unwrap(), |p| p.id);
    w.send(Command::Gate(Request::Approve { proposal }));
    w.executed().await;
}

/// Coffee by the blocking tree: a person looks into the wrong cupboard, goes back across two blocked selections and forth again,
/// and knows better than the selector where mugs are.
async fn kitchen(config: &Config, path: &std::path::Path) {
    let mut w = Watched::start(begin_in("kitchen", config, "galley/coffee", path, None));
    let blocked = |w: &Watched| w.session.current().and_then(|n| n.outcome.blocked.clone());
    while blocked(&w).as_deref() != Some("not_visible Mug|1") {
        select(&mut w, "").await;
    }
    select(&mut w, "open Cabinet|2").await;
    w.recommended().await;
    w.send(Command::Gate(Request::Note(
        "no mug in there: back to before both blocks, to see how the tree grew".into(),
    )));
    for command in [
        Command::Gate(Request::Undo),
        Command::Gate(Request::Undo),
        Command::Gate(Request::Undo),
        Command::Gate(Request::Redo),
        Command::Gate(Request::Redo),
    ] {
        w.send(command);
        w.until("the way", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. }))).await;
    }
    w.send(Command::Gate(Request::Propose));
    while !w.session.is_done() {
        select(&mut w, "open Cabinet|1").await;
    }
    w.said(Level::Info, "the goal is reached").await;
    w.quit().await;
}

fn is_recommended(session: &Session) -> bool {
    session.current().is_some_and(|n| n.turn.recommended.is_some())
}

/// Takes what is recommended, or has the corrective prompt sent that waits, until `over`.
async fn go_on(w: &mut Watched, over: impl Fn(&Session) -> bool) {
    loop {
        let settled = |s: &Session| over(s) || s.is_done() || s.pending_offer().is_some() || is_recommended(s);
        if !settled(&w.session) {
            w.until("what comes next", |_, s| settled(s)).await;
        }
        if over(&w.session) || w.session.is_done() {
            return;
        }
        match w.session.pending_offer().map(|offer| offer.id) {
            Some(offer) => {
                w.send(Command::Gate(Request::ApproveOffer(offer)));
                w.recommended().await;
            }
            None => {
                w.approve();
                w.executed().await;
            }
        }
    }
}

/// Milk by corrective re-prompting: the correction leads nowhere; a person goes back to the error, adds to the corrective prompt before it is
/// sent, and the plan is finished on another branch.
async fn reprompt(config: &Config, path: &std::path::Path) {
    let script = Scripted::lines(&[
        "Walk over to the fridge", "Take the milk", "Walk to the table", "Done",
        // From the error again.
        "Open the fridge", "Take the milk", "Close the fridge", "Walk to the table", "Put the milk on the table",
    ]);
    let place = ("graph", "flat/milk_on_table");
    // The milk was tried in vain before the fridge was open: what that takes from its score must not end the plan.
    let options = [("completions", "1"), ("cutoff", "-100"), ("tried", "0")];
    let setup = begin_by("reprompt", &options, place, config, path, Some(script));
    let mut w = Watched::start(setup);
    let went_on = |s: &Session| s.current().is_some_and(|n| n.depth == 3);
    go_on(&mut w, went_on).await;
    w.recommended().await;
    w.send(Command::Gate(Request::Undo));
    w.until("the way back", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. }))).await;
    w.send(Command::Gate(Request::Propose));
    w.until("the corrective prompt anew", |_, s| s.pending_offer().is_some()).await;
    let offer = w.session.pending_offer().unwrap().clone();
    let text = format!("{} open what the milk is in", offer.written.raw);
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text }));
    w.recommended().await;
    go_on(&mut w, |_| false).await;
    w.quit().await;
}

/// Corrective re-prompting in the household: a failing assertion keeps one step from being tried, the world refuses another, and a
/// blocking tree grows from each error.
async fn mixed(config: &Config, path: &std::path::Path) {
    let script = Scripted::lines(&[
        "Head over to fridge 1",
        "open fridge 1",
        "take tomato 2 from diningtable 1",
        "go to diningtable 1",
        "take tomato 2 from diningtable 1",
        "heat tomato 2 with microwave 1",
        "go to microwave 1",
        "heat tomato 2 with microwave 1",
        "go to fridge 1",
        "put tomato 2 in/on fridge 1",
    ]);
    let options = [("completions", "1"), ("veto", "on"), ("blocking", "on"), ("cutoff", "-100"), ("tried", "0")];
    let place = ("household", "shipped/heat-tomato-3");
    let setup = begin_by("reprompt", &options, place, config, path, Some(script));
    let mut w = Watched::start(setup);
    go_on(&mut w, |_| false).await;
    w.quit().await;
}

/// The demonstration's desk of orders behind the gate: a hasty cancellation is rejected, a refund edited; back before that, the model is asked
/// once more with a fact added to its request, and refunds rightly on a branch.
async fn gate(config: &Config, path: &std::path::Path) {
    let words = [env!("CARGO_BIN_EXE_stepwright"), "demo-agent"].map(str::to_owned).into();
    let command = Arc::new(AgentCommand { words, ..AgentCommand::default() });
    let mut config = config.clone();
    config.model.model = "demo".to_owned();
    config.agent = Some(Arc::clone(&command));
    let sources = stepwright::worlds::sources().with_agent(Some(command));
    let new = NewSession { world: "agent".into(), model: "demo".into(), ..NewSession::default() };
    let clock = AtomicU64::new(1_795_000_000_000);
    let clock = Arc::new(move || clock.fetch_add(700, Ordering::Relaxed));
    let mut setup = prepare_new(&new, &config, &sources, clock).unwrap();
    let stepwright::driver::Beginning::New(header) = &mut setup.beginning else { panic!("a new session") };
    // As a person starts it.
    header.options.insert("command".to_owned(), "stepwright demo-agent".to_owned());
    setup.keep = Persistence::Log(log::Writer::create(path, header).unwrap());
    let mut w = Watched::start(setup);
    let chosen = |w: &Watched| w.session.current().unwrap().turn.recommended.as_ref().unwrap().0.unwrap();
    w.recommended().await;
    w.approve();
    w.recommended().await;
    let reason = "look at the order first".to_owned();
    w.send(Command::Gate(Request::Reject { proposal: chosen(&w), reason }));
    w.recommended().await;
    for _ in 0..2 {
        w.approve();
        w.recommended().await;
    }
    let text = "I send the money back.\nrefund({\"order_id\": \"W42\", \"amount\": 45.0})".to_owned();
    w.send(Command::Gate(Request::Edit { proposal: chosen(&w), text }));
    w.recommended().await;
    w.send(Command::Gate(Request::Note("it would have sent back 54: does it once it is told?".into())));
    w.send(Command::Gate(Request::Undo));
    w.until("the way back", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. }))).await;
    let node = w.session.cursor();
    let asked = wording::asked(&w.session, node);
    let rule = format!("{} 45 was paid for the lamp.", asked[0].text);
    w.send(Command::Gate(wording::send(node, &[(0, rule)].into())));
    w.recommended().await;
    w.approve();
    w.recommended().await;
    w.approve();
    w.until("the agent's end", |_, session| session.is_done()).await;
    w.quit().await;
}

#[tokio::test]
async fn examples_are_made_on_demand() {
    let Ok(only) = std::env::var("STEPWRIGHT_WRITE") else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let sessions = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    for name in EXAMPLES.iter().map(|e| e.name).filter(|name| only == "1" || only == *name) {
        let file = format!("{name}.jsonl");
        let path = folder.path().join(&file);
        match name {
            "solved" => solved(&config, &path).await,
            "by-hand" => by_hand(&config, &path).await,
            "algorithm-1" => algorithm_1(&config, &path).await,
            "dialogue" => dialogue(&config, &path).await,
            "kitchen" => kitchen(&config, &path).await,
            "reprompt" => reprompt(&config, &path).await,
            "reprompt-mixed" => mixed(&config, &path).await,
            "gate" => gate(&config, &path).await,
            // The table's was recorded when requests were read by rules; nothing writes it anew.
            _ => continue,
        }
        std::fs::copy(path, sessions.join(file)).unwrap();
    }
}

/// L6: examples are files as this program writes them, with checksums; the table's shows that those of the first version are read.
#[test]
fn l6_the_examples_have_checksums() {
    use stepwright_files::sum::{Sum, check};
    for example in EXAMPLES {
        let sound = example.text.lines().all(|line| check(line.as_bytes()) == Sum::Fits);
        assert_eq!(sound, example.name != "table", "{}", example.name);
    }
}

fn loaded(name: &str) -> Session {
    let example = EXAMPLES.iter().find(|e| e.name == name).unwrap();
    log::read(example.text.as_bytes(), std::path::Path::new(name)).unwrap().session
}

#[tokio::test]
async fn every_example_replays_in_the_world_at_every_node_and_asks_no_model() {
    for example in EXAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let config = configuration(folder.path());
        let setup =
            prepare(&OpenRequest::Example(example.name.into()), &config, &stepwright::worlds::sources()).unwrap();
        let mut handle = start(setup).unwrap();
        let session = loaded(example.name);
        let nodes = session.nodes().len() as u64;
        // Down the tree and back, so that every node is reached by replay and by snapshot.
        for node in (0..nodes).chain((0..nodes).rev()) {
            handle.commands.send(Command::Gate(Request::Goto(node))).unwrap();
        }
        handle.commands.send(Command::Quit).unwrap();
        let mut visited = std::collections::BTreeSet::new();
        while let Some(notice) = handle.notices.recv().await {
            match notice {
                Notice::Say { level: Level::Error, text } => panic!("{}: {text}", example.name),
                Notice::Situation(situation) => {
                    visited.insert(situation.node);
                }
                Notice::Recorded(record) => assert!(matches!(record.event, Event::Moved { .. }), "{record:?}"),
                _ => {}
            }
        }
        assert_eq!(visited.len() as u64, nodes, "{}", example.name);
    }
}

#[test]
fn the_examples_show_what_they_say() {
    let all = |s: &Session| s.nodes().iter().flat_map(|n| n.turn.decisions.clone()).collect::<Vec<_>>();
    let won = |s: &Session| s.current().is_some_and(|n| n.outcome.won);

    let solved = loaded("solved");
    assert!(won(&solved) && solved.model == "symbolic");
    let holds = |s: &Session| {
        s.nodes().iter().all(|n| n.turn.decisions.iter().all(|d| n.turn.taken(d.id).unwrap().mark() == Mark::Holds))
    };
    assert!(holds(&solved));

    let by_hand = loaded("by-hand");
    assert!(won(&by_hand));
    assert!(all(&by_hand).iter().any(|d| matches!(&d.choice, Choice::Reject { reason, .. } if !reason.is_empty())));
    assert!(all(&by_hand).iter().any(|d| matches!(d.choice, Choice::Edit { .. })));
    assert!(by_hand.nodes().iter().any(|n| n.children.len() > 1), "a branch");

    let algorithm = loaded("algorithm-1");
    assert!(won(&algorithm) && algorithm.model.contains("no language model"));
    let root = &algorithm.nodes()[0].turn;
    assert_eq!(root.verdicts.get(&1).unwrap().preconditions(), Mark::Fails, "the greedy completion is turned down");
    assert!(root.proposals.iter().any(|p| p.problem.is_some()));
    assert!(algorithm.nodes().iter().any(|n| n.outcome.error.is_some()), "the world refuses one step");

    let dialogue = loaded("dialogue");
    assert!(won(&dialogue) && dialogue.header.world == "dialogue");
    assert!(all(&dialogue).iter().any(|d| matches!(d.choice, Choice::Approve { .. })));
    assert!(all(&dialogue).iter().any(|d| matches!(d.choice, Choice::Edit { .. })));
    let left = dialogue.nodes().iter().filter(|n| n.children.len() > 1).count();
    assert_eq!(left, 1, "the wrong act is on a branch that was left");

    let kitchen = loaded("kitchen");
    assert!(won(&kitchen) && kitchen.method == "blocking" && kitchen.model == "symbolic");
    let way = kitchen.path(kitchen.cursor());
    let fork = way.iter().position(|n| n.children.len() > 1).expect("a branch");
    let is_blocked = |n: &stepwright::episode::Node| n.outcome.blocked.is_some();
    assert!(is_blocked(way[fork]) && is_blocked(way[fork - 1]), "the way back leads across blocks");
    // What the block grew, a person chose, and the blocked action was taken once it was resolved.
    assert!(way.iter().any(|n| n.action.as_ref().is_some_and(|a| a.text == "open Cabinet|1")));
    let coffee =
        |n: &&&stepwright::episode::Node| n.action.as_ref().is_some_and(|a| a.text == "switchon CoffeeMachine|1");
    assert_eq!(way.iter().filter(coffee).map(|n| n.outcome.blocked.is_some()).collect::<Vec<_>>(), [true, false]);

    let table = loaded("table");
    assert!(won(&table) && table.method == "statler" && table.model == "symbolic");
    let fork = table.nodes().iter().find(|n| n.children.len() > 1).expect("a branch");
    let answers: Vec<_> = fork.children.iter().map(|id| &table.node(*id).unwrap().outcome.reward).collect();
    assert_eq!(answers, [&0.0, &1.0], "wrong from the wrong belief, right from the corrected one");
    assert!(fork.turn.changes_of(&ArtifactId::BELIEF).any(|b| b.offer.is_none() && b.by == Actor::Person));

    let reprompt = loaded("reprompt");
    assert!(won(&reprompt) && reprompt.header.world == "graph" && reprompt.model.starts_with("scripted"));
    let error = reprompt.nodes().iter().find(|n| n.outcome.error.is_some()).expect("an error");
    assert_eq!(error.children.len(), 2, "corrected in two ways");
    assert_eq!(error.turn.offers.len(), 2, "the corrective prompt was offered anew");
    assert_eq!(
        fates(&reprompt),
        [
            StepStatus::Done,
            StepStatus::Corrected,
            StepStatus::Done,
            StepStatus::Done,
            StepStatus::Done,
            StepStatus::Done,
            StepStatus::Done
        ]
    );

    let gate = loaded("gate");
    assert!(
        gate.is_done() && gate.header.world == "agent" && gate.header.options["command"] == "stepwright demo-agent"
    );
    assert!(all(&gate).iter().any(|d| matches!(&d.choice, Choice::Reject { reason, .. } if !reason.is_empty())));
    assert!(all(&gate).iter().any(|d| matches!(d.choice, Choice::Edit { .. })));
    let fork = gate.nodes().iter().find(|n| n.children.len() > 1).expect("a branch");
    assert!(fork.turn.asks.iter().any(|ask| ask.prompt.as_ref().is_some_and(|p| p.template == "edited")));
    assert!(fork.turn.proposals.iter().any(|p| p.raw.contains("amount=45")), "told, the model refunds what was paid");

    let mixed = loaded("reprompt-mixed");
    assert!(won(&mixed) && mixed.header.world == "household");
    let offers: Vec<_> = mixed.nodes().iter().flat_map(|n| &n.turn.offers).collect();
    let vetoes: Vec<bool> = offers.iter().map(|o| o.written.value.as_ref().unwrap()["veto"] == true).collect();
    assert_eq!(vetoes, [true, false], "an assertion keeps one step from being tried, the world refuses another");
    assert!(offers[0].written.raw.contains("does not hold"), "{}", offers[0].written.raw);
    assert!(offers[1].written.raw.starts_with("Error: "), "{}", offers[1].written.raw);
}

fn fates(session: &Session) -> Vec<StepStatus> {
    let plan = METHODS.sections(&Place::at_cursor(session)).remove(0);
    plan.lines
        .into_iter()
        .map(|line| line.mark)
        .filter(|mark| !matches!(mark, StepStatus::Next | StepStatus::Open))
        .collect()
}

/// The rows of the blocking trees at each node of an example that stand below an error: the refused action, then what is below it.
#[tokio::test]
async fn a_blocking_tree_grows_from_each_error_of_the_mixed_example() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let request = OpenRequest::Example("reprompt-mixed".into());
    let mut handle = start(prepare(&request, &config, &stepwright::worlds::sources()).unwrap()).unwrap();
    let nodes = loaded("reprompt-mixed").nodes().len() as u64;
    for node in 0..nodes {
        handle.commands.send(Command::Gate(Request::Goto(node))).unwrap();
    }
    handle.commands.send(Command::Quit).unwrap();
    let mut trees = std::collections::BTreeMap::new();
    while let Some(notice) = handle.notices.recv().await {
        if let Notice::Situation(situation) = notice {
            trees.insert(situation.node, before_goals(&situation.goals));
        }
    }
    let grown: Vec<&Vec<String>> = trees.values().filter(|tree| !tree.is_empty()).collect();
    let roots: Vec<&str> = grown.iter().map(|tree| tree[0].as_str()).collect();
    assert_eq!(roots[0], "take tomato 2 from diningtable 1", "kept from being tried: {trees:?}");
    assert!(roots.contains(&"heat tomato 2 with microwave 1"), "refused by the world: {trees:?}");
    assert!(grown.iter().any(|tree| tree.contains(&"go to microwave 1".to_owned())), "{trees:?}");
    assert!(trees.values().last().unwrap().is_empty(), "nothing is left of it at the end: {trees:?}");
}

/// An example read as a log: what its world accepted violates nothing.
#[test]
fn audits_of_the_examples_find_no_violation_in_a_step_that_was_accepted() {
    use stepwright::export::trajectory;
    use stepwright::method::log_checks::violations;
    use stepwright::method::program_context::ProgramContext;
    let mut accepted = 0;
    for example in EXAMPLES {
        let session = loaded(example.name);
        let log = trajectory(&session, stepwright::worlds::reward_of(&session.header.world));
        let transcript = stepwright::worlds::transcript_of(&log);
        let program = ProgramContext::load(&transcript.specification()).unwrap();
        let is_taken = |step: usize| log.steps.get(step).is_some_and(|step| !step.is_refused());
        accepted += (0..log.steps.len()).filter(|step| is_taken(*step)).count();
        let fails = violations(&log, &transcript, &program).into_iter().filter(|v| v.check.status == Status::Fails);
        let wrong: Vec<_> = fails.filter(|violation| is_taken(violation.step)).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", example.name);
    }
    assert!(accepted > 40, "{accepted} steps were accepted");
}
