//! Comparison of a method in another process with the same method in Rust, played through the driver.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use stepwright::driver::{Beginning, Source};
use stepwright::episode::gate::Draft;
use stepwright::episode::{Ask, AskKind, Event, Origin, PromptMessage, PromptRecord};
use stepwright::method::{Answer, Context, External, Method, MethodInfo, Reading, Step};
use stepwright::world::external::Adapter;

/// `adapters/toy_method.py` in Rust.
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
            let prompt = PromptRecord { template, template_hash, messages, left_out: None };
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

fn external() -> Arc<dyn Method> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/toy_method.py");
    Arc::new(External::new(Arc::new(Adapter::new("toy", vec!["python3".into(), script.into()]))))
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
        let there = played(external(), lines).await;
        assert_eq!(here, there, "with {lines:?}");
        let last = if lines.is_some() { "did add 2" } else { "did add 5" };
        assert_eq!(here.last().map(String::as_str), Some(last));
    }
}

#[tokio::test]
async fn a_command_that_fails_is_named_with_its_last_words() {
    let command = ["python3", "-c", "import sys; input(); sys.exit('no such thing')"].map(str::to_owned).to_vec();
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::lines(&[]), None);
    setup.method = Arc::new(External::new(Arc::new(Adapter::new("broken", command))));
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
    Arc::new(External::new(Arc::new(Adapter::new(name, vec!["python3".into(), "-c".into(), program]))))
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
    let mut w = begin(external(), &[("toy.order", "smallest"), ("other.order", "x")]);
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
    assert!(said.contains("python3") && said.contains("\"protocol\": 1"), "{said}");
    assert!(method.ready().unwrap_err().contains("adapters/README.md"));
    w.quit().await;
}
