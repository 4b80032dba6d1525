//! A method in another process and the same method in Rust, played through the driver and compared.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use stepwright::driver::{Beginning, Source};
use stepwright::episode::gate::Draft;
use stepwright::episode::{Ask, AskKind, Event, Origin, PromptMessage, PromptRecord};
use stepwright::method::{Answer, Context, External, Method, MethodInfo, Needs, Reading, Step};
use stepwright::world::external::Adapter;

/// `adapters/toy_method.py` in Rust.
#[derive(Debug)]
struct Toy;

fn draft(text: &str, origin: Origin, cx: &Context<'_>, why: &str) -> Draft {
    let (problem, score, logprob) = (None, None, None);
    let rationale = Some(why.to_owned());
    Draft { raw: text.to_owned(), action: Some(cx.action(text)), problem, origin, score, logprob, rationale }
}

impl Method for Toy {
    fn info(&self) -> MethodInfo {
        MethodInfo { id: "toy", label: "Toy", description: "The largest first.", options: &[], needs: Needs::NONE }
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
    let told = w.records.iter().filter_map(|r| match &r.event {
        Event::Proposed { proposal: p } => Some(format!("{} {:?} {:?} {:?}", p.raw, p.action, p.origin, p.rationale)),
        Event::Recommended { why, .. } => Some(why.clone()),
        Event::Executed { action, .. } => Some(format!("did {}", action.text)),
        _ => None,
    });
    let told = told.collect();
    w.quit().await;
    told
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
