use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::runner::{Experiment, Results, Shard, carry_out, units};
use stepwright_episode::Usage;
use stepwright_model::answering::Answering;
use stepwright_model::prompt::Prompts;
use stepwright_model::{Charge, Completion, ModelError, ModelRequest, ModelResponse};
use stepwright_precondition::Demo;
use stepwright_program::Specification;

const SPEC: &str = "SETUP = ['user = User()', 'system = System(user)']\nACTIONS = ['system.INFORM', 'system.BYE']\nOBSERVATIONS = ['user.ASK', 'user.LEAVE']\n\nfrom collections import defaultdict\n\nclass User:\n    def __init__(self):\n        self.asked = defaultdict(lambda: False)\n        self.gone = False\n\n    def ASK(self, slot):\n        self.asked[slot] = True\n\n    def LEAVE(self):\n        self.gone = True\n\nclass System:\n    def __init__(self, user):\n        self.user = user\n\n    def INFORM(self, slot):\n        pass\n\n    def BYE(self):\n        pass\n";

fn demo(id: usize, first: &str, second: &str) -> Demo {
    let calls = [
        format!("user.ASK('{first}')"),
        format!("system.INFORM('{first}')"),
        format!("user.ASK('{second}')"),
        format!("system.INFORM('{second}')"),
        "user.LEAVE()".to_owned(),
        "system.BYE()".to_owned(),
    ];
    Demo { id: format!("d{id}"), calls: calls.iter().map(|c| c.parse().unwrap()).collect() }
}

fn subject(truth: bool) -> Arc<Subject> {
    let specification = Specification::load(SPEC, "spec.py").unwrap();
    let slots = ["fare", "date", "time"];
    let demos: Vec<Demo> = (0..6).map(|i| demo(i, slots[i % 3], slots[(i + 1) % 3])).collect();
    let truth = truth.then(|| Truth {
        origin: "the test".into(),
        assertions: [("INFORM", "self.user.asked[slot]"), ("BYE", "self.user.gone")]
            .map(|(action, text)| (action.to_owned(), vec![text.to_owned()]))
            .into(),
    });
    let tests = demos.clone();
    Arc::new(Subject::new("dialogue", "Tests_1", &specification, demos, tests, truth).unwrap())
}

fn way(model: &str, samples: u32) -> Way {
    Way { model: model.into(), demonstrations: 10, samples, ..Way::default() }
}

fn study(subject: &Arc<Subject>, origin: Origin, way: Way) -> Arc<Preconditions> {
    Arc::new(Preconditions::new(vec![Arc::clone(subject)], origin, way))
}

async fn results(subject: &Arc<Subject>, origin: Origin, way: Way) -> Vec<ActionResult> {
    performed(&study(subject, origin, way)).await
}

async fn performed(study: &Arc<Preconditions>) -> Vec<ActionResult> {
    let mut all = Vec::new();
    let take = |_: &Unit<Subject>, results| {
        all.extend(results);
        Ok(())
    };
    let none = CancellationToken::new();
    carry_out(study, units(&**study), 2, &none, &none, take).await.unwrap();
    all.sort_by(|a, b| (&a.action, a.approach).cmp(&(&b.action, b.approach)));
    all
}

/// How many actions are not inferred yet in this way, where those of another are: units and experiment distinguish them.
fn open(subject: &Arc<Subject>, way: Way, results: &[ActionResult], of: Way) -> usize {
    let (done, study) = (study(subject, Origin::Symbolic, of), study(subject, Origin::Symbolic, way));
    if done.shared() != study.shared() {
        return units(&*study).len();
    }
    let mut known = Results::open(None, &*done, Experiment::new("preconditions", json!({})), Shard::ALL).unwrap();
    for unit in units(&*done) {
        let own: Vec<ActionResult> = results.iter().filter(|r| r.action == unit.task.id).cloned().collect();
        known.add(&unit.key, &own).unwrap();
    }
    known.open_units(units(&*study)).len()
}

/// What failed is no action whose truth is not known; and there are as many demonstrations as there were.
#[tokio::test]
async fn what_failed_is_told_apart_from_what_is_not_known() {
    let mut lines = results(&subject(true), Origin::Symbolic, way("symbolic", 0)).await;
    let failing = lines.iter_mut().filter(|line| line.action == "BYE");
    failing.for_each(|line| (line.error, line.agreement) = (Some("HTTP 500".to_owned()), None));
    let text = Preconditions::report(&lines, false).to_string();
    assert!(
        text.contains("Preconditions of 1 of 2 actions of 1 service, inferred from up to 6 demonstrations each"),
        "{text}"
    );
    assert!(
        text.contains("1 of 2 actions failed; the figures are of the others\nBYE of Tests_1: HTTP 500\n"),
        "{text}"
    );
    assert!(!text.contains("known preconditions"), "{text}");
    // With several seeds they are no further actions.
    let again = lines.iter().cloned().map(|mut line| {
        line.way.seed = 1;
        line.assertions.clear();
        line
    });
    let both: Vec<ActionResult> = lines.iter().cloned().chain(again).collect();
    let seeds = Preconditions::report(&both, false).to_string();
    assert!(seeds.contains("1 of 2 actions of") && seeds.contains("\n2 of 4 results failed;"), "{seeds}");
    let rows = |text: &str| -> Vec<Vec<String>> {
        let rows = text.lines().filter(|line| line.starts_with("Tests_1"));
        rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
    };
    assert_eq!(rows(&text)[0][1], "1", "{text}");
    // Their assertions are a mean as well; rows of an action say their seed, and a reason stands once.
    let inferred = lines.iter().find(|line| line.action == "INFORM").unwrap().assertions.len();
    let shown: f64 = rows(&seeds)[0].last().unwrap().parse().unwrap();
    assert!((shown - inferred as f64 / 2.0).abs() < 1e-9, "{seeds}");
    let detail = Preconditions::report(&both, true).to_string();
    let of_rows: Vec<String> = rows(&detail).into_iter().map(|cells| cells[2].clone()).collect();
    assert_eq!(of_rows, ["0", "0", "1", "1"], "{detail}");
    assert!(detail.contains("\nBYE of Tests_1, seed 0 and 1 more: HTTP 500\n"), "{detail}");
}

/// Of an action that no episode calls there is no instance, and so no figure, neither its own nor in the means.
#[tokio::test]
async fn an_action_without_an_instance_is_not_measured() {
    let specification = Specification::load(SPEC, "spec.py").unwrap();
    let demos: Vec<Demo> = (0..3).map(|i| demo(i, "fare", "date")).collect();
    let calls = ["user.LEAVE()", "system.BYE()"].iter().map(|call| call.parse().unwrap()).collect();
    let tests = vec![Demo { id: "t".into(), calls }];
    let truth = subject(true).truth.clone();
    let subject = Arc::new(Subject::new("dialogue", "Tests_1", &specification, demos, tests, truth).unwrap());
    let lines = results(&subject, Origin::Symbolic, way("symbolic", 0)).await;
    let of = |action: &str| lines.iter().find(|line| line.action == action).unwrap();
    assert_eq!((of("INFORM").instances, of("INFORM").agreement), (0, None));
    assert!(of("BYE").agreement.is_some());
    let text = Preconditions::report(&lines, false).to_string();
    assert!(text.contains("1 of 2 actions cannot be measured: "), "{text}");
}

/// A file that is of other actions, or that calls their parameters otherwise, is no truth of these.
#[test]
fn a_file_is_the_truth_of_the_actions_that_it_fits() {
    let specification = Specification::load(SPEC, "spec.py").unwrap();
    let of = |text: &str| {
        let set = stepwright_precondition::AdoptedSet::parse(text, "t.preconditions.py").unwrap();
        Truth::of_set(&set, "t.preconditions.py", &specification)
    };
    let (truth, idle) = of("def BYE(self):\n    assert self.user.gone\n\ndef fly(self):\n    assert False\n").unwrap();
    assert_eq!(
        (truth.assertions["BYE"].as_slice(), idle),
        (&["self.user.gone".to_owned()][..], vec!["fly".to_owned()])
    );
    for (text, why) in [
        (
            "def fly(self):\n    assert False\n",
            "t.preconditions.py: no action here is named there; there are INFORM, BYE",
        ),
        (
            "def INFORM(self, what):\n    assert self.user.asked[what]\n",
            "t.preconditions.py: INFORM has the parameters (slot), not (what); name them as the specification does",
        ),
    ] {
        assert_eq!(of(text).unwrap_err(), why);
    }
}

#[tokio::test]
async fn the_enumerator_finds_what_is_true() {
    let (subject, way) = (subject(true), way("symbolic", 0));
    let results = results(&subject, Origin::Symbolic, way.clone()).await;
    // Equation (1) alone is beside the evidence rule, which stands for the unit.
    let standing: Vec<&ActionResult> = results.iter().filter(|r| r.approach.stands()).collect();
    assert_eq!(standing.iter().map(|r| r.action.as_str()).collect::<Vec<_>>(), ["BYE", "INFORM"]);
    assert_eq!((results.len(), results[1].approach), (4, Approach::Equation));
    for result in standing {
        assert_eq!(result.error, None);
        assert_eq!(result.agreement.unwrap().f1, 1.0, "{result:?}");
        assert_eq!((result.held, result.shown, result.episodes), (result.calls, 6, 6));
    }
    let text = report::report(&results, false).to_string();
    assert!(text.contains("2 actions of 1 service") && text.contains("6 other episodes"), "{text}");
    assert!(text.contains("Equation (1) alone") && text.contains("evidence rule"), "{text}");
    assert!(text.contains("Ours (16B)") && text.contains("0.84"), "{text}");
    // With a row an action there is no interval, and no word of one.
    assert!(text.contains("bootstrap") && !report::report(&results, true).to_string().contains("bootstrap"), "{text}");
    // Nothing is left to do.
    let open = |other: Way| open(&subject, other, &results, way.clone());
    assert_eq!(open(way.clone()), 0);
    assert_eq!(open(Way { temperature: "1".into(), ..way.clone() }), 2);
    assert_eq!(open(Way { demonstrations: 3, ..way.clone() }), 2);
    // Another truth and fewer episodes are other experiments.
    assert_eq!(open(Way { truth_file: Some("ab".into()), ..way.clone() }), 2);
    assert_eq!(open(Way { tests: Some(3), ..way.clone() }), 2);
}

#[tokio::test]
async fn no_figure_of_the_paper_stands_beside_a_truth_of_ones_own() {
    let mut lines = results(&subject(true), Origin::Symbolic, way("starcoder-16b", 1)).await;
    lines.retain(|line| line.approach.stands());
    let shown = |experiment: Value| {
        let mut lines = lines.clone();
        for line in &mut lines {
            (line.subject, line.episodes) = ("Buses_1".to_owned(), 50);
            line.under.experiment = Arc::new(experiment.clone());
        }
        report::report(&lines, true).to_string()
    };
    let theirs = shown(json!({ "data": "ab12" }));
    assert!(theirs.contains("paper: P") && theirs.contains("    paper  "), "{theirs}");
    let own = shown(json!({ "data": "ab12", "truth_file": "12ab" }));
    assert!(!own.contains("paper: P") && !own.contains("    paper  "), "{own}");
}

#[tokio::test]
async fn a_row_is_one_experiment_and_seeds_are_repetitions() {
    let (subject, way) = (subject(true), way("symbolic", 0));
    let once = results(&subject, Origin::Symbolic, way).await;
    let with = |change: fn(&mut ActionResult)| {
        let mut other = once.clone();
        other.iter_mut().for_each(change);
        report::report(&[once.clone(), other].concat(), false).to_string()
    };
    let alone = report::report(&once, false).to_string();
    let tables =
        |text: &str| text.lines().filter(|line| line.starts_with("Tests_1")).map(str::to_owned).collect::<Vec<_>>();
    // The same with another seed: counted once, to the digit.
    let seeds = with(|r| r.way.seed = 1);
    assert_eq!(tables(&seeds), tables(&alone));
    assert!(seeds.contains("2 actions of 1 service") && seeds.contains("4 repetitions came out alike"), "{seeds}");
    // What came out otherwise is a repetition within its action.
    let random = with(|r| {
        r.way.seed = 1;
        r.assertions.clear();
    });
    assert!(random.contains("2 actions of 1 service") && random.contains("; 2 seeds"), "{random}");
    for text in [
        with(|r| r.way.truth_file = Some("12ab".to_owned())),
        with(|r| r.way.tests = Some(3)),
        // As earlier versions wrote it: the condition alone knows.
        with(|r| {
            r.assertions.clear();
            r.under.condition = Arc::new(json!({ "truth_digest": "34cd", "episodes": 3 }));
        }),
    ] {
        assert_eq!(tables(&text).len(), 2, "{text}");
    }
}

#[tokio::test]
async fn a_models_words_are_taken_as_they_are_and_validated() {
    let subject = subject(true);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let by = move |request: &ModelRequest| {
        kept.lock().unwrap().push(request.clone());
        let greedy = "self.user.gone\n    assert ]\n    assert slot";
        let text = if request.temperature == 0.0 { greedy } else { "self.user.asked[slot]" };
        Ok(ModelResponse::of(vec![Completion::whole(text); request.n as usize], None))
    };
    let model = Answering { raw: true, ..Answering::by(by) };
    let asking = Asking { model: Arc::new(model), prompts: Prompts::default(), samples: 2, temperature: 0.7 };
    let results = results(&subject, Origin::Language(asking), way("scripted", 2)).await;
    let of = |action: &str, approach| results.iter().find(|r| r.action == action && r.approach == approach).unwrap();
    // Prompting keeps what can be evaluated, true or not.
    let prompted = of("INFORM", Approach::Prompted);
    assert_eq!(prompted.assertions, ["self.user.gone", "slot"]);
    assert_eq!((prompted.asks, prompted.held), (1, 0));
    // Validation throws out what fails in a demonstration.
    let validated = of("INFORM", Approach::Validated);
    assert_eq!(validated.assertions, ["self.user.asked[slot]"]);
    assert_eq!(validated.agreement.unwrap().f1, 1.0);
    // A greedy ask and one for samples after each of the six demonstrations.
    assert_eq!(validated.asks, 12);
    let asked = asked.lock().unwrap();
    assert!(asked.iter().all(|r| r.messages[0].text.ends_with("assert") && r.messages.len() == 1));
    let seeds: std::collections::BTreeSet<_> = asked.iter().map(|r| r.seed).collect();
    assert_eq!(seeds.len(), 6);
    let text = report::report(&results, true).to_string();
    assert!(text.contains("    assert self.user.asked[slot]") && text.contains("prompting"), "{text}");
}

#[tokio::test]
async fn an_action_whose_model_failed_has_the_tokens_that_were_spent_on_it() {
    let usage = || Some(Usage::new(10, 2));
    let by = move |request: &ModelRequest| match request.temperature == 0.0 {
        true => Ok(ModelResponse::of(vec![Completion::whole("slot")], usage())),
        false => Err(ModelError::Cancelled.charged(Charge { usage: usage(), cost: None })),
    };
    let asking =
        Asking { model: Arc::new(Answering::by(by)), prompts: Prompts::default(), samples: 2, temperature: 0.7 };
    let study = || Preconditions::new(vec![subject(true)], Origin::Language(asking.clone()), way("scripted", 2));
    // What the model wrote first and what was validated of it are two tables, and both say that they are without it.
    let text = Preconditions::report(&performed(&Arc::new(study())).await, false).to_string();
    assert_eq!(text.matches("Preconditions of 0 of 2 actions").count(), 2, "{text}");
    // One action at a time, and all that are ranked in several ways.
    for study in [study(), study().ablated()] {
        let results = performed(&Arc::new(study)).await;
        let inform = results.iter().find(|r| r.action == "INFORM").unwrap();
        assert!(inform.error.is_some());
        assert_eq!((inform.asks, inform.prompt_tokens, inform.completion_tokens), (1, 20, 4));
    }
}

#[tokio::test]
async fn without_truth_it_is_said_and_validity_is_reported() {
    let subject = subject(false);
    let results = results(&subject, Origin::Symbolic, way("symbolic", 0)).await;
    assert!(results.iter().all(|r| r.agreement.is_none() && r.held == r.calls && r.calls > 0));
    let text = report::report(&results, false).to_string();
    assert!(text.contains("Nothing is known to be true of Tests_1"), "{text}");
    let row = text.lines().find(|l| l.starts_with("Tests_1")).unwrap();
    assert!(row.contains(" - ") && row.contains("1.000"), "{row}");
}

#[tokio::test]
async fn of_actions_that_all_failed_it_is_not_said_that_nothing_is_known() {
    for truth in [true, false] {
        let mut results = results(&subject(truth), Origin::Symbolic, way("symbolic", 0)).await;
        for result in &mut results {
            (result.agreement, result.error) = (None, Some("nobody answers".to_owned()));
        }
        let text = report::report(&results, false).to_string();
        assert!(!text.contains("Nothing is known") && text.contains("of Tests_1 and 1 more: nobody answers"), "{text}");
    }
}

#[tokio::test]
async fn the_tables_figures_are_those_of_the_file() {
    let subject = subject(true);
    let mut results = results(&subject, Origin::Symbolic, way("symbolic", 0)).await;
    let agreement = results[0].agreement.as_mut().unwrap();
    (agreement.precision, agreement.recall, agreement.f1) = (0.5, 0.25, 1.0 / 3.0);
    let lines: Vec<String> = results.iter().map(|r| serde_json::to_string(r).unwrap()).collect();
    let read: Vec<ActionResult> = lines.iter().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(read, results);
    let text = report::report(&read, false).to_string();
    // Means of (0.5, 1) and (0.25, 1); their harmonic mean; the mean of (1/3, 1).
    let row: Vec<&str> = text.lines().find(|l| l.starts_with("Tests_1")).unwrap().split_whitespace().collect();
    assert_eq!([row[2], row[3], row[4], row[6]], ["0.750", "0.625", "0.682", "0.667"], "{text}");
    // What permits everything is right as often as the truth holds, and misses nothing.
    let nothing: Vec<&str> =
        text.lines().find(|l| l.starts_with("asserts nothing")).unwrap().split_whitespace().collect();
    let part = |r: &ActionResult| r.agreement.unwrap().truth as f64 / r.instances as f64;
    let precision = results.iter().map(part).sum::<f64>() / results.len() as f64;
    assert_eq!((nothing[3], nothing[4]), (format!("{precision:.3}").as_str(), "1.000"), "{text}");
}

#[test]
fn nothing_to_study_is_an_error_in_words() {
    let specification = Specification::load(SPEC, "spec.py").unwrap();
    let none = Subject::new("dialogue", "Tests_1", &specification, Vec::new(), Vec::new(), None).unwrap_err();
    assert!(none.to_string().contains("no demonstration"), "{none}");
    let one = vec![demo(0, "a", "b")];
    let none = Subject::new("dialogue", "Tests_1", &specification, one, Vec::new(), None).unwrap_err();
    assert!(none.to_string().contains("--data"), "{none}");
}

#[tokio::test]
async fn rankings_are_compared_alone_and_together_beside_the_truth() {
    let specification = Specification::load(SPEC, "spec.py").unwrap();
    let slots = ["fare", "date", "time"];
    let demos: Vec<Demo> = (0..6).map(|i| demo(i, slots[i % 3], slots[(i + 1) % 3])).collect();
    let of = |n: usize| {
        let truth = subject(true).truth.clone();
        let shown = demos[..n].to_vec();
        Arc::new(Subject::new("dialogue", "Tests_1", &specification, shown, demos.clone(), truth).unwrap())
    };
    let study = Preconditions::new(vec![of(1), of(6)], Origin::Symbolic, way("symbolic", 0)).ablated();
    let all = performed(&Arc::new(study)).await;
    // Two numbers of demonstrations, two actions, three rankings, three choices.
    assert_eq!(all.len(), 36);
    let texts = |action: &str, approach, choice| {
        let found = |r: &&ActionResult| {
            (r.action.as_str(), r.approach, r.choice, r.way.demonstrations) == (action, approach, choice, 6)
        };
        all.iter().find(found).unwrap().assertions.clone()
    };
    let unranked = texts("INFORM", Approach::Unranked, Choice::All);
    let ranked = texts("INFORM", Approach::Equation, Choice::All);
    assert!(!ranked.is_empty() && ranked.iter().all(|text| unranked.contains(text)), "{ranked:?} of {unranked:?}");
    for approach in [Approach::Unranked, Approach::Equation, Approach::Enumerated] {
        let left = texts("BYE", approach, Choice::All);
        for choice in [Choice::Alone, Choice::Together] {
            let chosen = texts("BYE", approach, choice);
            assert!(chosen.iter().all(|text| left.contains(text)), "{approach:?}: {chosen:?} of {left:?}");
        }
    }
    assert_eq!(texts("INFORM", Approach::Enumerated, Choice::All), ["self.user.asked[slot]"]);
    // What is chosen lets every demonstration run.
    assert!(all.iter().filter(|r| r.way.demonstrations == 6).all(|r| r.held == r.calls && r.error.is_none()));
    let text = Preconditions::report(&all, false).to_string();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with(['1', '6']))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 22, "{text}");
    let truth = rows.iter().find(|row| row[1] == "the" && row[0] == "6").unwrap();
    assert_eq!((truth[2], &truth[5..8]), ("truth", &["1.000", "1.000", "1.000"][..]), "{text}");
    assert!(rows.iter().all(|row| row.contains(&"2")), "each of two actions: {text}");
}

#[tokio::test]
async fn what_a_model_wrote_is_ranked_as_its_own() {
    let by = |request: &ModelRequest| {
        let text = "self.user.asked[slot]\n    assert slot\n    assert self.user.gone";
        Ok(ModelResponse::of(vec![Completion::whole(text); request.n as usize], None))
    };
    let model = Answering { raw: true, ..Answering::by(by) };
    let asking = Asking { model: Arc::new(model), prompts: Prompts::default(), samples: 0, temperature: 0.7 };
    let study = Preconditions::new(vec![subject(true)], Origin::Language(asking.clone()), way("scripted", 0)).ablated();
    let all = performed(&Arc::new(study)).await;
    // Two actions, two rankings, three choices: the evidence rule is the enumerator's.
    assert_eq!(all.len(), 12);
    assert!(all.iter().all(|r| matches!(r.approach, Approach::Unranked | Approach::Validated)), "{all:?}");
    // As without the comparison.
    for beside in results(&subject(true), Origin::Language(asking), way("scripted", 0)).await {
        let same =
            |r: &&ActionResult| (&r.action, r.approach, r.choice) == (&beside.action, beside.approach, Choice::All);
        let same = all.iter().find(same).map(|r| &r.assertions);
        assert!(beside.approach == Approach::Prompted || same == Some(&beside.assertions), "{beside:?}: {same:?}");
    }
    let text = Preconditions::report(&all, false).to_string();
    assert!(text.contains("of the candidates of scripted") && !text.contains("evidence rule"), "{text}");
    // As earlier versions filed it.
    let older = |r: ActionResult| match r.approach {
        Approach::Validated => ActionResult { approach: Approach::Enumerated, ..r },
        _ => r,
    };
    let older: Vec<ActionResult> = all.into_iter().map(older).collect();
    assert!(Preconditions::report(&older, false).to_string().contains("evidence rule"));
}
