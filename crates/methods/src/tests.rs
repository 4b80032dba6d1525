use super::precondition_aware::next as aware;
use super::{METHODS, few_shot, precondition_aware, precondition_prompting, scored};
use stepwright_episode::{
    Action, Actor, Ask, AskKind, AskState, Check, CheckKind, Choice, Decision, Origin, Proposal, ProposalId, Status,
    Turn, Verdict,
};
use stepwright_method::Round;
use stepwright_method::next_action::Next;
use stepwright_method::options::{ASSERTIONS, shows_assertions};
use stepwright_method::reading::{Line, closed, first_line, read_line, written};
use stepwright_method::reference::algorithm_1;
use stepwright_world::options::Values;

/// A turn in which the method was asked through to its recommendation over scripted completions.
fn drive(
    next: impl Fn(Round<'_>) -> Next,
    greedy: &str,
    random: &[&str],
    verify: impl Fn(&str) -> bool,
) -> (Turn, Option<ProposalId>, String) {
    let mut turn = Turn::default();
    let mut rest = random.iter();
    for _ in 0..8 {
        match next(Round { turn: &turn, since: 1 }) {
            Next::Greedy => answer(&mut turn, AskKind::GREEDY, Origin::Greedy, &[greedy], &verify),
            Next::Samples(n) => {
                let drawn: Vec<&str> = rest.by_ref().take(n as usize).copied().collect();
                answer(&mut turn, AskKind::SAMPLES, Origin::Sample, &drawn, &verify);
            }
            Next::Score => answer(&mut turn, AskKind::SCORED, Origin::Scored, random, &verify),
            Next::Recommend { proposal, why } => return (turn, proposal, why),
        }
    }
    panic!("the method never recommends");
}

fn answer(turn: &mut Turn, kind: AskKind, origin: Origin, lines: &[&str], verify: &impl Fn(&str) -> bool) {
    let ask = turn.asks.len() as u64 + 1;
    let state = AskState::Answered { texts: std::sync::Arc::default(), usage: None, ms: 1 };
    let (model, prompt) = ("scripted".into(), None);
    turn.asks.push(Ask { id: ask, kind, model, prompt, n: 1, temperature: 0.0, exchange: None, state });
    for line in lines {
        let id = turn.proposals.len() as u64 + 1;
        let action = match read_line(line) {
            Line::Call(call) => Some(Action::new(line.to_string(), Some(call.to_string()))),
            Line::Not { .. } => None,
        };
        let (problem, score, logprob, rationale) = (None, None, None, None);
        turn.proposals.push(
            Proposal { action, problem, score, logprob, rationale, ask: Some(ask), ..Proposal::new(id, *line, origin) }
                .into(),
        );
        let status = if verify(line) { Status::Holds } else { Status::Fails };
        let check = Check { kind: CheckKind::Precondition, condition: "it verifies".into(), status, detail: None };
        turn.verdicts.insert(id, Verdict { checks: vec![check], ..Verdict::default() }.into());
    }
}

#[test]
fn the_method_agrees_with_algorithm_1_as_printed() {
    let lines = ["a.f(1)", "a.f(2)", "a.f(3)", "a.f(4)"];
    // Every set of lines that verify, every number of attempts.
    for good in 0..16u32 {
        for max_attempts in 0..5u32 {
            let verify = |line: &str| lines.iter().position(|l| *l == line).is_some_and(|i| good & (1 << i) != 0);
            let mut rest = lines[1..].iter();
            let trial = algorithm_1(max_attempts, || lines[0].into(), || rest.next().unwrap().to_string(), verify);
            let (turn, chosen, why) = drive(|round| aware(round, max_attempts, true), lines[0], &lines[1..], verify);
            let chosen = turn.proposal(chosen.unwrap()).unwrap();
            assert_eq!(chosen.raw, trial.prediction, "{good:04b} {max_attempts}: {why}");
            assert_eq!(why.contains("verifies:"), !trial.verified, "{why}");
        }
    }
}

#[test]
fn a_greedy_completion_that_is_no_action_is_never_recommended() {
    let (turn, chosen, why) = drive(|round| aware(round, 5, true), "# done", &["x = 1", "a.f("], |_| true);
    assert_eq!((turn.proposals.len(), chosen), (3, None), "{why}");
    assert_eq!(why, "none of the completions asked for last verifies, and the greedy one is no action");
}

#[test]
fn samples_that_a_person_asked_for_say_nothing_of_the_greedy_completion() {
    let mut turn = Turn::default();
    answer(&mut turn, AskKind::GREEDY, Origin::Greedy, &["a.f(1)"], &|_| true);
    answer(&mut turn, AskKind::SAMPLES, Origin::Sample, &["x = 1"], &|_| true);
    let Next::Recommend { proposal: None, why } = aware(Round { turn: &turn, since: 2 }, 2, true) else { panic!() };
    assert_eq!(
        why,
        "none of the completions asked for last verifies; one that was offered before does, and can be approved"
    );
}

#[test]
fn few_shot_takes_the_greedy_completion_whatever_fails() {
    let (turn, chosen, _) = drive(few_shot::first_action, "a.f(1)", &[], |_| false);
    assert_eq!((turn.asks.len(), chosen), (1, Some(1)));
}

#[test]
fn precondition_prompting_differs_from_few_shot_in_the_prompt_alone() {
    let (turn, chosen, _) = drive(
        |round| (precondition_prompting::METHOD.next)(round, &Values::default()),
        "a.f(1)",
        &["a.f(2)"],
        |l| l == "a.f(2)",
    );
    assert_eq!((turn.asks.len(), chosen), (1, Some(1)));
    let (prompting, few_shot) = (precondition_prompting::METHOD, few_shot::METHOD);
    assert!(prompting.shows_assertions && !few_shot.shows_assertions);
    // The cells of the ablation that no method has by itself.
    let hidden = Values::default().with(&ASSERTIONS, "hidden");
    assert!(!shows_assertions(&hidden, precondition_aware::METHOD.shows_assertions));
    let shown = Values::default().with(&ASSERTIONS, "shown");
    assert!(shows_assertions(&shown, few_shot.shows_assertions));
}

#[test]
fn the_likeliest_action_that_verifies_is_chosen() {
    let ranked = ["a.f(3)", "a.f(1)", "a.f(2)"];
    let (turn, chosen, why) = drive(scored::next, "", &ranked, |l| l != "a.f(3)");
    assert_eq!((turn.asks.len(), chosen), (1, Some(2)), "{why}");
    let (_, chosen, why) = drive(scored::next, "", &ranked, |_| false);
    assert_eq!(chosen, Some(1), "{why}");
    let (_, chosen, why) = drive(scored::next, "", &[], |_| true);
    assert_eq!(chosen, None, "{why}");
}

#[test]
fn every_method_has_a_name_of_its_own() {
    let ids: Vec<&str> = METHODS.all().iter().map(|m| m.id).collect();
    let plans = ["progprompt", "progprompt-flat", "ff-replan", "ff-replan-limited"];
    assert_eq!(ids[..5], ["precondition-aware", "precondition-prompting", "few-shot", "scored", "blocking"]);
    assert_eq!(ids[5..9], plans);
    let coders = ["statler", "statler-auto", "statler-unified", "cap-cot", "code-as-policies"];
    assert_eq!(ids[9..16], ["o3d", "react", "react-long", "reflexion", "o3d-code", "demo2code", "adaplanner"]);
    assert_eq!(ids[16..20], ["relay", "open-loop", "resample", "reprompt"]);
    assert_eq!(ids[20..25], coders);
    assert_eq!(ids[25..], ["cups-plain", "cups-cot", "cups-state"]);
    assert!(ids.iter().all(|id| METHODS.named(id).is_some_and(|m| m.info().id == *id)));
}

#[test]
fn what_writes_belief_and_program_in_one_answer_says_so() {
    let together = METHODS.all().into_iter().filter(|info| info.believes_in_one_answer()).map(|info| info.id);
    assert_eq!(together.collect::<Vec<_>>(), ["statler-unified", "cap-cot", "cups-state"]);
}

#[test]
fn a_rejected_proposal_is_not_offered_again() {
    let mut turn = Turn::default();
    answer(&mut turn, AskKind::RANKED, Origin::Symbolic, &["a.f(1)", "a.f(2)"], &|_| true);
    let choice = Choice::Reject { proposal: 1, reason: "no".into() };
    turn.decisions.push(Decision { id: 1, choice, by: Actor::Person, why: String::new() }.into());
    let next = aware(Round { turn: &turn, since: 1 }, 5, true);
    assert!(matches!(next, Next::Recommend { proposal: Some(2), .. }), "{next:?}");
    // In a new round nothing has been asked yet.
    assert_eq!(aware(Round { turn: &turn, since: 2 }, 5, true), Next::Greedy);
}

#[test]
fn the_line_that_counts_is_found_in_what_chat_models_write() {
    assert_eq!(first_line("\n    agent.goto('x')\n    env.f()"), "agent.goto('x')");
    assert_eq!(first_line("```python\nagent.goto('x')\n```"), "agent.goto('x')");
    assert_eq!(first_line("`agent.goto('x')`"), "agent.goto('x')");
    assert_eq!(first_line("\n \n"), "");
    let thought = written("# think: a mug\n\n   # is needed\n    agent.take('mug 1', 'desk 1')\n# no thought\n");
    assert_eq!(thought.thoughts, ["a mug", "is needed"]);
    assert_eq!(thought.line, "agent.take('mug 1', 'desk 1')");
    assert_eq!(written("# think: and then?\n").line, "");
    assert!(matches!(read_line("agent.goto('x')  # there"), Line::Call(c) if c.to_string() == "agent.goto('x')"));
}

#[test]
fn a_call_stopped_at_its_end_gets_its_parenthesis_back() {
    assert_eq!(closed("agent.goto('x'", "stop"), "agent.goto('x')");
    assert_eq!(closed("agent.goto('x'", ""), "agent.goto('x')");
    assert_eq!(closed("user.GOODBYE(", "stop"), "user.GOODBYE()");
    // What was cut off, is whole, or would be no call either way stays as it is.
    for (line, finish) in
        [("agent.goto('x'", "length"), ("agent.goto('x')", "stop"), ("agent.goto('x", "stop"), ("go", "stop")]
    {
        assert_eq!(closed(line, finish), line);
    }
}
