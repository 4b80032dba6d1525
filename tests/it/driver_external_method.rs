//! Comparison of a method in another process with the same method in Rust, played through the driver.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use stepwright::driver::{Beginning, Command, Request, Source};
use stepwright::episode::gate::Draft;
use stepwright::episode::{Ask, AskKind, Event, Origin, Policy, PromptMessage, PromptRecord};
use stepwright::method::{Answer, Context, External, Method, MethodInfo, Reading, Step};
use stepwright::methods::METHODS;
use stepwright::worlds::external::Adapter;

/// `python/stepwright/examples/toy_method.py` in Rust.
#[derive(Debug)]
struct Toy;

fn draft(text: &str, origin: Origin, cx: &Context<'_>, why: &str) -> Draft {
    let (problem, score, logprob) = (None, None, None);
    let rationale = Some(why.to_owned());
    Draft { action: Some(cx.action(text)), problem, score, logprob, rationale, ..Draft::new(text, origin) }
}

impl Method for Toy {
    fn info(&self) -> MethodInfo {
        MethodInfo { id: "toy", label: "Toy", description: "The largest first.", ..MethodInfo::BARE }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let Some(round) = cx.round() else { return Step::Stuck("not begun".into()) };
        if let Some(found) = round.proposals().find(|p| p.action.is_some()) {
            return Step::Recommend { proposal: Some(found.id), why: "the first that is offered".into() };
        }
        let mut texts = cx.world.admissible().unwrap_or_default();
        if cx.model.language && !round.has_asked(&AskKind::GREEDY) {
            let text = format!("Add up to ten: {}", texts.join(", "));
            let messages = vec![PromptMessage { role: "user".into(), text }];
            let (template, template_hash) = ("toy".into(), String::new());
            let prompt = PromptRecord { template, template_hash, messages, left_out: None, candidates: None };
            return Step::ask(cx.ask(AskKind::GREEDY, prompt, 1, 0.0));
        }
        texts.sort_by(|a, b| b.cmp(a));
        let drafts: Vec<Draft> =
            texts.iter().map(|text| draft(text, Origin::Symbolic, cx, "the largest first")).collect();
        let ask = cx.own(AskKind::RANKED, "toy", drafts.len() as u32, serde_json::Value::Null);
        Step::Offer { ask, drafts, note: None }
    }

    fn read(&self, cx: &Context<'_>, _ask: &Ask, answer: &Answer) -> Reading {
        let read = |text: &str| draft(text.trim(), Origin::Greedy, cx, "as it was written");
        Reading::drafts(answer.completions.iter().map(|c| read(&c.text)).collect())
    }
}

fn external(name: &str) -> Arc<dyn Method> {
    let script = format!("{}/python/stepwright/examples/{name}_method.py", env!("CARGO_MANIFEST_DIR"));
    Arc::new(External::new(Arc::new(Adapter::new(name, vec!["python3".into(), script])), METHODS.options()))
}

/// Plays to the end of the episode, taking what is recommended: what was offered and why, what was executed.
async fn played(method: Arc<dyn Method>, lines: Option<&'static [&'static str]>) -> Vec<String> {
    let model = Scripted::lines(lines.unwrap_or_default());
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model, None);
    setup.method = method;
    if lines.is_none() {
        setup.source = Source::Symbolic;
    }
    let mut w = Watched::start(setup);
    while !w.session.is_done() {
        w.recommended().await;
        w.approve();
        w.executed().await;
    }
    let reported = w.records.iter().filter_map(|r| match &r.event {
        Event::Proposed { proposal: p } => Some(format!("{} {:?} {:?} {:?}", p.raw, p.action, p.origin, p.rationale)),
        Event::Recommended { why, .. } => Some(why.clone()),
        Event::Executed { action, .. } => Some(format!("did {}", action.text)),
        _ => None,
    });
    let reported = reported.collect();
    w.quit().await;
    reported
}

#[tokio::test]
async fn a_method_in_another_process_plays_as_the_same_method_here() {
    for lines in [None, Some(["add 4", "add 4", "add 2"].as_slice())] {
        let here = played(Arc::new(Toy), lines).await;
        let there = played(external("toy"), lines).await;
        assert_eq!(here, there, "with {lines:?}");
        let last = if lines.is_some() { "did add 2" } else { "did add 5" };
        assert_eq!(here.last().map(String::as_str), Some(last));
    }
}

#[tokio::test]
async fn a_command_that_fails_is_named_with_its_last_words() {
    let command = ["python3", "-c", "import sys; input(); sys.exit('no such thing')"].map(str::to_owned).to_vec();
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::lines(&[]), None);
    setup.method = Arc::new(External::new(Arc::new(Adapter::new("broken", command)), METHODS.options()));
    let mut w = Watched::start(setup);
    let said = w.said(stepwright::driver::Level::Error, "ended").await;
    assert!(said.contains("no such thing") && said.contains("python3"), "{said}");
    w.quit().await;
}

/// A method in Python: what it says of itself, and the body of `step(context)`.
fn python(name: &str, info: &str, step: &str) -> Arc<dyn Method> {
    let step: String = step.lines().map(|line| format!("    {line}\n")).collect();
    let program = format!(
        "import json, sys\nINFO = {info}\ndef step(context):\n{step}\nfor line in sys.stdin:\n    r = json.loads(line)\n    \
         print(json.dumps(INFO if 'info' in r else step(r['step'])), flush=True)\n"
    );
    Arc::new(External::new(
        Arc::new(Adapter::new(name, vec!["python3".into(), "-c".into(), program])),
        METHODS.options(),
    ))
}

fn begin(method: Arc<dyn Method>, options: &[(&str, &str)]) -> Watched {
    let mut header = header();
    header.options.extend(options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), Scripted::lines(&[]), None);
    setup.method = method;
    setup.source = Source::Symbolic;
    Watched::start(setup)
}

#[tokio::test]
async fn options_reach_it_under_its_own_keys() {
    let mut w = begin(external("toy"), &[("toy.order", "smallest"), ("other.order", "x")]);
    w.recommended().await;
    let offered = w.session.current().unwrap().turn.proposals.first().unwrap();
    assert_eq!(offered.rationale.as_deref(), Some("the smallest first"));
    w.quit().await;
}

#[tokio::test]
async fn an_artifact_is_offered_once_if_it_was_declared() {
    let step = "\
        if 'plan' not in context['artifacts']:\n    \
            return {'amend': {'artifact': {'kind': 'plan'}, 'title': 'mine', 'raw': 'add 5', 'value': {'text': 'add 5'}}}\n\
        if not context['proposals']:\n    \
            plan = context['artifacts']['plan']['text']\n    \
            draft = {'raw': plan, 'action': {'text': plan}, 'origin': 'symbolic'}\n    \
            return {'offer': {'ask': {'kind': {'for': 'action', 'how': 'ranked'}, 'n': 1}, 'drafts': [draft]}}\n\
        return {'recommend': {'proposal': context['proposals'][0]['proposal']['id'], 'why': 'planned'}}";
    let info = |writes: &str| format!("{{'name': 'P', 'protocol': 1, 'writes': [{writes}]}}");
    let mut w = begin(python("planner", &info("'plan'"), step), &[]);
    w.recommended().await;
    let node = w.session.current().unwrap();
    let offers: Vec<_> = node.turn.offers.iter().map(|o| (o.written.title.as_str(), o.is_settled())).collect();
    assert_eq!(offers, [("mine", true)]);
    assert_eq!(node.turn.proposals.first().map(|p| p.raw.as_str()), Some("add 5"));
    w.quit().await;
    let mut w = begin(python("sly", &info("'notes'"), step), &[]);
    let said = w.said(stepwright::driver::Level::Error, "writes a plan").await;
    assert!(said.contains("not among what it said it writes"), "{said}");
    w.quit().await;
}

#[tokio::test]
async fn one_that_does_not_introduce_itself_is_refused() {
    let method = python("mute", "{'drafts': []}", "return 'pass'");
    let mut w = begin(Arc::clone(&method), &[]);
    let said = w.said(stepwright::driver::Level::Error, "introduce").await;
    assert!(said.contains("python3") && said.contains("\"protocol\": 2"), "{said}");
    assert!(method.ready().unwrap_err().contains("adapters/README.md"));
    w.quit().await;
}

/// The recommended proposal, what it is from and why.
fn advice(w: &Watched) -> (u64, Origin, String) {
    let turn = &w.session.current().unwrap().turn;
    let (id, why) = turn.recommended.clone().unwrap();
    let proposal = turn.proposal(id.unwrap()).unwrap();
    (proposal.id, proposal.origin, why)
}

#[tokio::test]
async fn a_method_with_a_memory_survives_rejection_undo_and_branch() {
    let mut w = begin(external("stateful"), &[]);
    assert_eq!(w.recommended().await, "add 5");
    let (proposal, origin, why) = advice(&w);
    assert_eq!((origin, why.as_str()), (Origin::Agent, "seen 1, last: Reach ten."));
    w.send(Command::Gate(Request::Reject { proposal, reason: "not so much, please".into() }));
    assert_eq!(w.recommended().await, "add 4");
    assert_eq!(advice(&w).2, "seen 1, last: Reach ten. Not add 5: not so much, please.");
    w.approve();
    w.executed().await;
    assert_eq!(w.recommended().await, "add 5");
    w.approve();
    w.executed().await;
    w.recommended().await;
    assert_eq!(advice(&w).2, "seen 3, last: The total is 9.");
    // Back by one, and on by another way: what it knew of the step that was taken back is gone.
    w.send(Command::Gate(Request::Undo));
    w.send(Command::Gate(Request::Manual { text: "add 2".into() }));
    w.executed().await;
    assert_eq!(w.recommended().await, "add 4");
    assert_eq!(advice(&w).2, "seen 3, last: The total is 6.");
    // To the other branch and back: only what is different is told anew.
    w.send(Command::Gate(Request::Goto(2)));
    w.send(Command::Gate(Request::Propose));
    assert_eq!(w.recommended().await, "add 1");
    assert_eq!(advice(&w).2, "seen 3, last: The total is 9.");
    // Its own model's tokens and cost are the session's.
    let asks = w.records.iter().filter(|r| matches!(r.event, Event::Exchanged { .. })).count();
    assert_eq!((w.session.spent.prompt, w.session.effort().1), (10 * asks as u64, asks));
    assert!((w.session.cost.unwrap() - 0.001 * asks as f64).abs() < 1e-9 && asks == 6);
    w.quit().await;
}

#[tokio::test]
async fn a_budget_counts_the_tokens_of_a_method_elsewhere() {
    let mut w = begin(external("stateful"), &[]);
    w.recommended().await;
    w.send(Command::Gate(Request::SetPolicy(Policy { steps: 9, token_budget: Some(20), ..Policy::default() })));
    let said = w.said(stepwright::driver::Level::Info, "stopped").await;
    assert!(said.contains("the budget of 20 tokens is reached (22 spent)"), "{said}");
    w.quit().await;
}

#[tokio::test]
async fn a_context_says_who_decided_what() {
    let step = "\
        told = [[d['choice'], d['by'], d['action'], d['from'], d['reason'], d['node'], d['led_to']] for d in context['decisions']]\n\
        way = [[s['action'], s['by'], s['choice']] for s in context['steps']]\n\
        return {'act': 'add 1', 'why': json.dumps([told, way, context['rewound'], context['node'], context['episode']])}";
    let mut w = begin(python("telling", "{'name': 'T', 'protocol': 2}", step), &[]);
    w.recommended().await;
    let told = |w: &Watched| serde_json::from_str::<serde_json::Value>(&advice(w).2).unwrap();
    assert_eq!(told(&w), serde_json::json!([[], [[null, null, null]], null, 0, "ten 0 0"]));
    w.send(Command::Gate(Request::Edit { proposal: advice(&w).0, text: "add 3".into() }));
    w.executed().await;
    w.recommended().await;
    w.send(Command::Gate(Request::Reject { proposal: advice(&w).0, reason: "no".into() }));
    w.recommended().await;
    w.send(Command::Gate(Request::Undo));
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    let edited = serde_json::json!(["edit", "person", "add 3", "add 1", "", 0, 1]);
    assert_eq!(told(&w), serde_json::json!([[edited], [[null, null, null]], {"keep": 1, "dropped": 1}, 0, "ten 0 0"]));
    w.send(Command::Gate(Request::Goto(1)));
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    let rejected = serde_json::json!(["reject", "person", "add 1", null, "no", 1, null]);
    let way = serde_json::json!([[null, null, null], ["add 3", "person", "edit"]]);
    assert_eq!(told(&w), serde_json::json!([[edited, rejected], way, null, 1, "ten 0 0"]));
    w.quit().await;
}

/// The page shows a context as it was really sent: after an edit, and a rejection.
#[tokio::test]
async fn the_page_shows_a_whole_context() {
    let step = "return {'act': 'add 1', 'why': json.dumps(context)}";
    let mut w = begin(python("telling", "{'name': 'T', 'protocol': 2}", step), &[]);
    w.recommended().await;
    w.send(Command::Gate(Request::Edit { proposal: advice(&w).0, text: "add 3".into() }));
    w.executed().await;
    w.recommended().await;
    w.send(Command::Gate(Request::Reject { proposal: advice(&w).0, reason: "more, please".into() }));
    w.recommended().await;
    crate::schemas::page(&serde_json::from_str(&advice(&w).2).unwrap());
    w.quit().await;
}

#[tokio::test]
async fn a_wrong_answer_is_told_with_its_field_and_page() {
    let mut w = begin(
        python("wrong", "{'name': 'W', 'protocol': 2}", "return {'offer': {'drafts': [{'origin': 'llm'}]}}"),
        &[],
    );
    let said = w.said(stepwright::driver::Level::Error, "offer.drafts[0].origin").await;
    assert!(said.contains("`agent`") && said.contains("adapters/README.md"), "{said}");
    w.quit().await;
}
