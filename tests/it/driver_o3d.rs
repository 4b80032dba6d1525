//! O3D through the driver: calls, actions and reports as steps of one tree, limits, checks, knowledge of a session and of a file.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use stepwright::driver::{Beginning, Command, Request};
use stepwright::episode::{CheckKind, Status};
use stepwright::method::DEFAULT;

const SKILLS: &str = "tips = [\"Ten is enough.\"]\n[[skill]]\nname = \"count(number)\"\ntips = [\"Add as much as you may.\"]\nprimitives = [{ syntax = \"add [id]\", examples = [\"add 4\"] }]\n";

fn watched(method: &str, options: &[(&str, &str)], model: &Arc<Scripted>) -> (Watched, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("count.skills.toml");
    std::fs::write(&file, SKILLS).unwrap();
    let mut header = header();
    header.method = method.into();
    header.options = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let key = if method == "o3d" { "skills" } else { "tips" };
    header.options.insert(key.to_owned(), file.display().to_string());
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), model.clone(), None);
    setup.method = stepwright::method::named(method).unwrap();
    (Watched::start(setup), folder)
}

fn prompts(model: &Scripted) -> Vec<String> {
    let asked = model.asked.lock().unwrap();
    asked
        .iter()
        .map(|request| request.messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n"))
        .collect()
}

#[tokio::test]
async fn calls_actions_and_reports_are_steps_of_one_tree() {
    let lines = [
        "> think: ten is far",
        "> call: count(ten)",
        "> add 5",
        "> Done count(ten): five",
        "> call: count(five)",
        "> add 4",
    ];
    let model = Scripted::lines(&lines);
    let (mut w, _folder) = watched("o3d", &[], &model);
    for _ in 0..5 {
        w.recommended().await;
        w.approve();
    }
    w.recommended().await;
    let path = w.session.path(w.session.cursor());
    let steps: Vec<(String, Option<&str>)> =
        path.iter().skip(1).map(|n| (n.action.as_ref().unwrap().text.clone(), n.outcome.held.as_deref())).collect();
    let expected = [
        ("think: ten is far", Some("thought")),
        ("call: count(ten)", Some("call")),
        ("add 5", None),
        ("Done: five", Some("report")),
        ("call: count(five)", Some("call")),
    ];
    assert_eq!(steps, expected.map(|(text, held)| (text.to_owned(), held)));
    assert_eq!(path[3].outcome.observation, "The total is 5.");
    // The tree of calls is read from the records.
    let rows = stepwright::method::Place::at_cursor(&w.session).sections();
    let texts: Vec<&str> = rows[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["think: ten is far", "call: count(ten)", "  add 5", "  done: five", "call: count(five)"]);
    // Each policy is shown its own.
    let prompts = prompts(&model);
    assert!(
        prompts[0].contains("count(number)")
            && prompts[0].contains("Ten is enough.")
            && !prompts[0].contains("add [id]")
    );
    assert!(prompts[2].contains("Your task now is: count(ten)") && prompts[2].contains("add [id]"), "{}", prompts[2]);
    assert!(prompts[2].contains("Add as much as you may."));
    assert!(prompts[4].contains("> call: count(ten)\nSubprocedure finished."), "{}", prompts[4]);
    assert!(prompts[5].contains("> add 5\nThe total is 5.") && prompts[5].contains("Your task now is: count(five)"));
    // Going back leaves the call; the other branch stays.
    let call = path[2].id;
    w.send(Command::Gate(Request::Goto(call)));
    w.until("the cursor", move |_, s| s.cursor() == call).await;
    w.quit().await;
}

#[tokio::test]
async fn a_line_that_is_no_primitive_fails_its_check_and_the_limits_end_the_episode() {
    let model = Scripted::lines(&["> call: count(ten)", "> jump", "> add 1", "> add 1"]);
    let (mut w, _folder) = watched("o3d", &[("limits", "o3d-30")], &model);
    w.recommended().await;
    w.approve();
    w.recommended().await;
    let turn = w.session.current().unwrap().turn.clone();
    let check = turn.verdicts.get(&turn.proposals[0].id).unwrap().checks[0].clone();
    assert_eq!((check.kind, check.status), (CheckKind::Form, Status::Fails));
    w.approve();
    w.recommended().await;
    w.approve();
    w.recommended().await;
    w.approve();
    w.until("the end", |_, s| s.is_done()).await;
    let ended = w.session.current().unwrap().outcome.ended.clone();
    assert_eq!(ended.as_deref(), Some("the same was done twice in a row"));
    w.quit().await;
}

#[tokio::test]
async fn what_is_no_call_is_asked_for_again_and_then_given_up() {
    let model = Scripted::lines(&["> add 1", "> call: jump(high)", "> call: count(ten)"]);
    let (mut w, _folder) = watched("o3d", &[], &model);
    w.recommended().await;
    let turn = w.session.current().unwrap().turn.clone();
    let problems: Vec<_> = turn.proposals.iter().map(|p| p.problem.clone().unwrap_or_default()).collect();
    assert_eq!(problems, ["NotAnAction: a primitive is not allowed at base level", "NotAnAction: unknown skill", ""]);
    w.quit().await;
}

#[tokio::test]
async fn tips_stand_in_the_prompts_of_other_methods() {
    let model = Scripted::lines(&["agent.add(1)"; 2]);
    let (mut w, _folder) = watched(DEFAULT, &[], &model);
    w.recommended().await;
    let first = prompts(&model)[0].clone();
    assert!(first.starts_with("Tips from earlier episodes:\n- Add as much as you may.\n- Ten is enough.\n"), "{first}");
    w.quit().await;
}

#[tokio::test]
async fn variants_leave_out_parts_of_the_knowledge() {
    for (variant, has, hasnt) in [
        ("sd-only", "count(number)", "Ten is enough."),
        ("pd-only", "add [id]", "Ten is enough."),
        ("td-only", "Ten is enough.", "add [id]"),
    ] {
        let model = Scripted::lines(&["> think: so"]);
        let (mut w, _folder) = watched("o3d", &[("variant", variant)], &model);
        w.recommended().await;
        let prompt = prompts(&model)[0].clone();
        assert!(prompt.contains(has) && !prompt.contains(hasnt), "{variant}: {prompt}");
        w.quit().await;
    }
}
