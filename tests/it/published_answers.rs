//! How answers are read with a publication's settings, through whole episodes: what the next request is, and what is in force.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use stepwright::driver::{NewSession, Setup, Source};
use stepwright::episode::{ArtifactId, Session};
use stepwright::model::answering::Answering;
use stepwright::model::{Completion, LanguageModel, ModelError, ModelRequest, ModelResponse};
use stepwright::sandbox::{Limits, Workers};
use stepwright::study::runner::{Opening, episode};
use tokio_util::sync::CancellationToken;

use crate::code_policy::configuration;

/// An episode of the first task of a world, by a model that gives these answers and then no more: its session at the end, and what was
/// asked, each as one text.
async fn played(world: &str, method: &str, settings: &str, answers: &[&str]) -> (Session, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let task = stepwright::worlds::sources().tasks(world, None).unwrap()[0].id.clone();
    let new = NewSession {
        world: world.into(),
        task,
        method: method.into(),
        model: "scripted".into(),
        options: [("settings".to_owned(), settings.to_owned())].into(),
        ..NewSession::default()
    };
    let mut left: VecDeque<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let left = Mutex::new(std::mem::take(&mut left));
    let by = move |request: &ModelRequest| {
        let text: Vec<&str> = request.messages.iter().map(|message| message.text.as_str()).collect();
        kept.lock().unwrap().push(text.join("\n"));
        match left.lock().unwrap().pop_front() {
            Some(answer) => Ok(ModelResponse::of(vec![Completion::whole(answer)], None)),
            None => Err(ModelError::Configuration("there is no further answer".to_owned())),
        }
    };
    let raw = settings == "react-2023";
    let model: Arc<dyn LanguageModel> =
        Arc::new(Answering { raw, settings: stepwright::model::Settings::default(), by });
    let config = Arc::new(configuration(folder.path()));
    let setup = move || -> Result<Setup, String> {
        let mut setup = Opening::new(&config, stepwright::worlds::sources(), 6).setup(&new)?;
        setup.source = Source::Language { name: "scripted".into(), model };
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        Ok(setup)
    };
    let session = episode(setup, &CancellationToken::new()).await.unwrap().session.unwrap();
    let asked = asked.lock().unwrap().clone();
    (session, asked)
}

/// The text of the plan or program in force.
fn in_force(session: &Session) -> Option<String> {
    let document = session.current()?.document(&ArtifactId::PLAN)?.clone();
    document.get("text").and_then(Value::as_str).map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn adaplanners_next_function_has_the_variables_of_a_run_that_failed() {
    let answers = [
        // A report of no act is an error of its own.
        "# plan\n    assert False, agent.report()",
        "[Decision] No",
        "# plan\n    answer = ask('Where?')\n    places = literal_eval(answer)",
        "1",
        "The list is: ['a']",
        // Runs to its end.
        "# plan\n    if start_from > 1:\n        answer = 1",
        "1",
        // Is not defined.
        "def solution(agent, start_from=1):\n    pass\nx = python",
        "1",
        "# plan\n    said, tried = 'say \"hi\"', {1: set()}\n    assert False, [5]",
        "1",
        "# plan\n    pass",
        "1",
    ];
    let (session, asked) = played("household", "adaplanner", "adaplanner", &answers).await;
    let holds = |at: usize, words: &str| assert!(asked[at].contains(words), "{at}: no {words} in {}", asked[at]);
    holds(2, "IndexError: list index out of range\n");
    // The run that failed had no variables: there are none, and the step must be given.
    holds(4, "Where?");
    holds(5, "SyntaxError: invalid syntax");
    holds(6, "def solution(agent, start_from):\n");
    let ended = 7;
    assert!(!asked[ended].contains("Error:"), "it came to its end: {}", asked[ended]);
    holds(8, "def solution(agent, start_from, answer=\"The list is: ['a']\"):\n");
    // The one after it is not defined, and has the plain header.
    holds(9, "name 'python' is not defined");
    assert!(!asked[9].contains("NameError"), "{}", asked[9]);
    holds(11, "AssertionError: [5]\n");
    holds(12, "def solution(agent, start_from=1):\n");
    let program = in_force(&session).unwrap();
    assert!(
        program.starts_with("def solution(agent, start_from, said=\"say \"hi\"\", tried={1: set()}):\n"),
        "{program}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn adaplanners_errors_have_a_name_and_its_class_what_the_published_one_keeps() {
    let answers = [
        "# plan\n    seen = 'x'\n    import nosuchmodule",
        "[Decision] No",
        "# plan\n    assert agent.interaction_history == {'actions': [], 'observations': []} and not agent.is_success\n    [1].index(2)",
        "1",
        "# plan\n    import random",
        "1",
    ];
    let (_, asked) = played("household", "adaplanner", "adaplanner", &answers).await;
    for (at, words) in [
        (2, "ModuleNotFoundError: No module named 'nosuchmodule'\n"),
        // It ran until then.
        (5, "def solution(agent, start_from, seen=\"x\"):\n"),
        (4, "ValueError: 2 is not in list\n"),
        (6, "RuntimeError: not allowed in the sandbox: `import random`\n"),
    ] {
        assert!(asked[at].contains(words), "{at}: no {words} in {}", asked[at]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn adaplanners_agent_and_what_stands_around_a_function_outlive_a_program() {
    let answers = [
        "def solution(agent, start_from=1):\n    global kept\n    kept = 3\n    agent.holding = 'mug 1'\n    agent.tries = [1]\n    \
         agent.receptacles.sort()\n    match = agent.receptacles.pop(0)\n    e = 5\n    try:\n        int('1')\n    except ValueError as e:\n        \
         pass\n    helper()\n\nCOUNT = 2\ndef helper():\n    assert False, [COUNT]",
        "[Decision] No",
        "# plan\n    agent.tries.append(COUNT)\n    assert False, [agent.holding, agent.tries, match in agent.receptacles, e, kept]",
        "1",
        "# plan\n    for r in receptacles:\n        pass",
        "1",
        "# plan\n    key = f'{agent.tries['k']}'",
        "1",
        "# plan\n    agent.location = 'shelf 1'\n    assert 'x' in Agent([]).interaction_history, agent.tries",
        "1",
        "# plan\n    helper()",
        "1",
    ];
    let (_, asked) = played("household", "adaplanner", "adaplanner", &answers).await;
    let holds = |at: usize, words: &str| assert!(asked[at].contains(words), "{at}: no {words} in {}", asked[at]);
    holds(2, "AssertionError: [2]\n");
    holds(4, "AssertionError: ['mug 1', [1, 2], False, 5, 3]\n");
    holds(6, "NameError: name 'receptacles' is not defined\n");
    holds(8, "(<string>, line 3)");
    holds(10, "AssertionError: [1, 2]\n");
    let things = |at: usize| {
        let list = asked[at].lines().filter_map(|line| line.strip_prefix("receptacles = [")).next_back().unwrap();
        list.trim_end_matches(']').split(", ").map(str::to_owned).collect::<Vec<_>>()
    };
    let mut sorted = things(0);
    sorted.sort();
    assert_eq!(things(2), sorted[1..], "a prompt shows the list as a program left it");
    assert_eq!(things(10), things(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flat_plan_is_every_action_in_its_text_and_asked_for_again_without_one() {
    let answers = ["", "find(\"mug\")", "# find('nowhere') then\n\trobot.grab('nowhere'); open('nowhere')"];
    let (session, asked) = played("kitchen", "progprompt-flat", "progprompt", &answers).await;
    assert_eq!(asked.len(), 4, "it goes on after the last action");
    assert!(asked.iter().all(|request| *request == asked[0]), "{asked:?}");
    assert_eq!(in_force(&session).unwrap(), "find('nowhere')\ngrab('nowhere')\nopen('nowhere')");
    // Its own reading of a plan is line by line.
    let (session, asked) = played("kitchen", "progprompt-flat", "method", &["open(\"nowhere\")"]).await;
    assert_eq!((in_force(&session).unwrap().as_str(), asked.len()), ("open(\"nowhere\")", 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn demo2codes_answers_are_read_by_the_marks_that_were_asked_for() {
    let summary = "[[Short enough? (yes/no):]]\nyes\n[[Summary:]]\nx";
    let answers = [summary, summary, "[[Specification:]] On its line\n", "```\n```"];
    let (session, asked) = played("household", "demo2code", "demo2code", &answers).await;
    assert_eq!(asked.len(), 4, "an empty program is one: {:?}", asked.last());
    assert!(!asked[3].contains("On its line"), "{}", asked[3]);
    assert_eq!(in_force(&session).as_deref(), Some(""));
    let other = summary.replace("Summary", "Summarized");
    let (_, asked) = played("household", "demo2code", "demo2code", &[summary, &other, summary, summary]).await;
    assert_eq!(asked.len(), 3, "what is in no form ends it where it would be used: {:?}", asked.last());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_stripped_as_python_strips_it() {
    let (_, asked) = played("household", "react", "react-2023", &["\u{1f} look\u{1c}"]).await;
    assert!(asked[1].ends_with('>') && asked[1].contains("\n> look\n"), "{}", asked[1]);
}
