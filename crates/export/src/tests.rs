mod agents;
mod branches;
mod logs;

use std::collections::BTreeMap;

use super::trajectory::SUM;
use super::*;
use base64::Engine;
use serde_json::{Value, json};
use sha2::Digest;
use stepwright_episode::showing::{Listed, Showing};
use stepwright_episode::{
    Action, Actor, ArtifactKind, Choice, Decision, Event, NodeId, Origin, Policy, Proposal, StepOutcome,
};
use stepwright_program::Call;
use stepwright_trajectory::Step;

const SESSION: &str = include_str!("tests/session.jsonl");

pub(super) fn header() -> Header {
    serde_json::from_str(SESSION.lines().next().unwrap()).unwrap()
}

/// Knowledge is what a session learns.
pub(super) fn showings(kind: &ArtifactKind) -> &'static Showing {
    static LEARNED: Showing = Showing { listed: Listed::Learned, ..Showing::new("what was learned of {}") };
    static OTHER: Showing = Showing::new("a document");
    if *kind == ArtifactKind::Knowledge { &LEARNED } else { &OTHER }
}

/// Two proposals, one rejected, one taken; undone; another typed: a session with a branch.
pub(super) fn records() -> Vec<Record> {
    SESSION.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_story_has_the_cursors_line_first_and_loses_no_branch() {
    let mut session = Session::new(header());
    for record in records() {
        session.apply(&record).unwrap();
    }
    let story = story(&session, &Visited::default(), &showings);
    let titles: Vec<_> = story.chapters.iter().map(|c| c.title.as_str()).collect();
    assert_eq!(titles, ["The episode", "Branch after step 0 of the episode"]);
    let steps: usize = story.chapters.iter().map(|c| c.steps.len()).sum();
    assert_eq!(steps, session.nodes().len());
    assert_eq!(story.chapters[0].steps[1].decided, "typed by a person");
    let fates: Vec<_> = story.chapters[0].steps[0].proposals.iter().map(|p| p.fate.as_str()).collect();
    assert_eq!(fates, ["rejected: not <there>", "taken", "", "taken"]);
    assert_eq!(story.chapters[1].steps[0].changes, ["+ agent.inventory = \"mug 1\""]);
}

#[test]
fn a_page_is_escaped_whole_and_asks_nothing_of_the_network() {
    let page = render(Format::Html, &header(), &records(), showings).unwrap();
    assert!(page.contains("put a &lt;mug&gt; in desk."));
    assert!(page.contains("rejected: not &lt;there&gt;"));
    assert!(page.contains("\\x1b[2Jred") && !page.contains('\x1b'));
    for outside in ["http:", "https:", "<link", "<img", "url(", "<style>@import", "connect-src"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // One script, and the page lets no other run.
    let [(before, script)] =
        page.split("</script>").filter_map(|part| part.split_once("<script")).collect::<Vec<_>>()[..]
    else {
        panic!("{page}")
    };
    assert_eq!(script.strip_prefix('>'), Some(html::SCRIPT));
    let checksum = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(html::SCRIPT));
    assert_eq!(checksum, html::CHECKSUM, "the checksum of review.js");
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-";
    assert!(before.contains(&format!("{policy}{checksum}'\">")), "{before}");
    let mirror = render(Format::Mirror, &header(), &records(), showings).unwrap();
    assert!(
        mirror.contains(&format!("{policy}{checksum}'; connect-src 'self'\">")) && mirror.contains("id=\"follow\"")
    );
}

/// Words that are seen before a click: those outside of what is folded.
fn words_at_first(page: &str) -> usize {
    let body = page.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    let (mut text, mut folds) = (String::new(), Vec::<bool>::new());
    let mut rest = body;
    let mut in_summary = 0;
    while let Some((before, tag)) = rest.split_once('<') {
        // Of a closed fold its summary alone is seen, where no fold around it is closed.
        let closed = folds.iter().filter(|open| !**open).count();
        if closed == 0 || (closed == 1 && in_summary == folds.len() && folds.last() == Some(&false)) {
            text.push_str(before);
        }
        let (tag, after) = tag.split_once('>').unwrap();
        match tag.split_whitespace().next().unwrap() {
            "details" => folds.push(tag.split_whitespace().any(|word| word == "open")),
            "/details" => drop(folds.pop()),
            "summary" => in_summary = folds.len(),
            "/summary" => in_summary = 0,
            _ => {}
        }
        text.push(' ');
        rest = after;
    }
    assert!(folds.is_empty(), "every fold is closed");
    text.split_whitespace().count()
}

#[test]
fn a_page_begins_with_a_screen_and_every_decision_is_a_click_away() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sessions");
    for (name, most) in [("kitchen", 400), ("by-hand", 400), ("solved", 400)] {
        let loaded = stepwright_episode::log::load(&folder.join(format!("{name}.jsonl"))).unwrap();
        let page = render(Format::Html, &loaded.session.header, &loaded.records, showings).unwrap();
        let words = words_at_first(&page);
        assert!((20..=most).contains(&words), "{name}: {words}");
        for node in loaded.session.nodes().iter().filter(|node| !loaded.session.is_deleted(node.id)) {
            let id = node.id;
            assert!(page.contains(&format!("<a href=\"#node-{id}\"")), "{name}: {id} in the strip");
            assert!(page.contains(&format!("<details id=\"node-{id}\"")), "{name}: {id}");
        }
    }
}

#[test]
fn a_cast_has_its_header_and_times_within_bounds() {
    let mut cast = cast::Cast::new((80, 24), 1_500_000, "a \u{1b}[31mtitle");
    cast.output(cast::pause_before(1, &records()), "\u{1b}[1;1Hhello");
    cast.marker("1: go to\nbed 1");
    let text = cast.finish();
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(
        (&lines[0]["version"], &lines[0]["timestamp"], &lines[0]["term"]["cols"]),
        (&json!(3), &json!(1500), &json!(80))
    );
    assert_eq!(lines[1], json!([1.2, "o", "\u{1b}[1;1Hhello"]), "the shortest pause");
    assert_eq!(lines[2], json!([0.0, "m", "1: go to\\nbed 1"]));
}

#[test]
fn page_and_text_hold_what_the_world_says_and_what_was_decided_about_documents() {
    let seen = Seen {
        variables: Stated::Whole(json!({"agent": {"location": "bed 1"}})),
        truth: Stated::Whole(json!({"secret": "shelf"})),
        picture: vec!["a map with a secret".to_owned()],
        tree: vec!["blocked: go to bed 1".to_owned()],
        differences: Some(vec!["/a: believed 1, in truth 2".to_owned()]),
    };
    let mut records = records();
    let id = records.len() as u64 + 1;
    let artifact = stepwright_episode::ArtifactId::BELIEF;
    let patch = json!([{"op": "replace", "path": "", "value": {"a": 1}}]);
    let (offer, edited, why) = (None, false, "I saw it".to_owned());
    let event = Event::ArtifactSettled { artifact, offer, patch: patch.into(), by: Actor::Person, edited, why };
    let node = records.last().unwrap().node;
    records.push(Record { id, ts: 0, node, event });
    let visited = |at: NodeId| Visited { seen: [(at, seen.clone())].into(), ..Visited::default() };
    for format in [Format::Html, Format::Text] {
        let out = render_with(format, &header(), &records, (&visited(node), SUM), showings).unwrap();
        for part in ["set by a person: I saw it", "believed 1, in truth 2", "blocked: go to bed 1", "location"] {
            assert!(out.contains(part), "{format:?} lacks {part}: {out}");
        }
    }
    // Before the decision of a blind session the truth stays hidden.
    records.push(Record { id: id + 1, ts: 0, node: 2, event: Event::BlindSet { blind: true } });
    for format in [Format::Html, Format::Text] {
        let out = render_with(format, &header(), &records, (&visited(2), SUM), showings).unwrap();
        assert!(!out.contains("in truth 2") && !out.contains("secret") && out.contains("location"), "{out}");
    }
    // What cannot be gone through says so.
    let gone = Visited { lacking: "state and tree: the <data> is gone".to_owned(), ..Visited::default() };
    let text = render_with(Format::Text, &header(), &records, (&gone, SUM), showings).unwrap();
    assert!(text.contains("  not shown state and tree: the <data> is gone\n"), "{text}");
    let page = render_with(Format::Html, &header(), &records, (&gone, SUM), showings).unwrap();
    assert!(page.contains("not shown state and tree: the &lt;data&gt; is gone</p>"), "{page}");
}

#[test]
fn a_blocked_selection_is_no_step() {
    let standing = |blocked: Option<&str>| {
        let records = with_outcome(2, |outcome| outcome.blocked = blocked.map(str::to_owned));
        let told = summary(&shown(&header(), &records).unwrap());
        (told.steps, told.outcome)
    };
    let (steps, outcome) = standing(None);
    assert!(outcome.ends_with(&format!("after {}", stepwright_text::words::count(steps, "step"))), "{outcome}");
    let (fewer, outcome) = standing(Some("the door is shut"));
    assert_eq!(fewer + 1, steps);
    assert!(outcome.ends_with("and 1 blocked selection"), "{outcome}");
}

#[test]
fn an_episode_that_its_method_ended_says_why() {
    let records = with_outcome(2, |outcome| {
        outcome.done = true;
        outcome.ended = Some("12 thoughts in a row executed nothing".to_owned());
    });
    let text = render(Format::Text, &header(), &records, showings).unwrap();
    assert!(text.contains(", goal not reached: 12 thoughts in a row executed nothing\n"), "{text}");
}

#[test]
fn what_waits_for_nobody_is_taken_by_nobody() {
    for (why, said) in [("", "belief: taken as written\n"), ("read", "belief: taken as written by the policy: read\n")]
    {
        let mut records = records();
        let (id, node) = (records.len() as u64, records.last().unwrap().node);
        let written = json!({"artifact": {"kind": "belief"}, "title": "", "raw": "{}", "value": {}});
        let patch = json!([{"op": "replace", "path": "", "value": {}}]);
        for (at, mut event) in [
            json!({"event": "artifact_offered", "offer": 1, "written": written}),
            json!({"event": "artifact_settled", "artifact": {"kind": "belief"}, "offer": 1, "patch": patch, "by": "policy", "why": why}),
        ]
        .into_iter()
        .enumerate()
        {
            (event["id"], event["ts"], event["node"]) = (json!(id + 1 + at as u64), json!(0), json!(node));
            records.push(serde_json::from_value(event).unwrap());
        }
        let text = render(Format::Text, &header(), &records, showings).unwrap();
        assert!(text.contains(said), "{text}");
    }
}

/// The outcome of the step to a node, as it is made.
fn with_outcome(child: NodeId, make: impl Fn(&mut stepwright_episode::StepOutcome)) -> Vec<Record> {
    let mut records = records();
    for record in &mut records {
        if let Event::Executed { outcome, child: of, .. } = &mut record.event
            && *of == child
        {
            make(std::sync::Arc::make_mut(outcome));
        }
    }
    records
}

#[test]
fn page_and_text_say_what_the_world_refused_and_why() {
    for (error, said) in
        [("the <shelf> is\nfar", "refused: the"), ("On the bed 1, you see a mug 1.", "refused by the world")]
    {
        let records = with_outcome(2, |outcome| outcome.error = Some(error.to_owned()));
        let text = render(Format::Text, &header(), &records, showings).unwrap();
        let page = render(Format::Html, &header(), &records, showings).unwrap();
        assert!(text.contains(&format!("    ({said}")) && page.contains(said), "{text}");
        assert_eq!(text.matches(error).count(), usize::from(!error.contains('\n')), "once, on one line: {text}");
    }
    let text = render(Format::Text, &header(), &records(), showings).unwrap();
    assert!(!text.contains("refused"), "{text}");
}

#[test]
fn a_text_says_why_each_proposal_was_made() {
    let text = render(Format::Text, &header(), &records(), showings).unwrap();
    assert_eq!(text.matches("        because: because\n").count(), 4, "{text}");
    let mut thought = records();
    let scored = thought
        .iter_mut()
        .find_map(|r| if let Event::Proposed { proposal } = &mut r.event { Some(proposal) } else { None });
    std::sync::Arc::make_mut(scored.unwrap()).rationale = Some("first\n\n\u{1b}[2Jthen\n".to_owned());
    let text = render(Format::Text, &header(), &thought, showings).unwrap();
    assert!(text.contains("        because: first\n                 \\x1b[2Jthen\n"), "{text}");
}

#[test]
fn what_was_decided_and_not_carried_out_was_not_taken() {
    let mut records = records();
    records.truncate(records.len() - 1);
    let text = render(Format::Text, &header(), &records, showings).unwrap();
    assert!(
        text.contains("- go to bed 1  (not checked; a person, score 1.50)  [decided on, not carried out]"),
        "{text}"
    );
    assert_eq!(text.matches("[taken]").count(), 1, "{text}");
}

#[test]
fn large_states_are_whole_where_a_line_ends_and_their_size_elsewhere() {
    let mut session = Session::new(header());
    records().iter().for_each(|record| session.apply(record).unwrap());
    let large = json!({"read": "x".repeat(1_000_000)});
    let truth = json!({"hidden": "y".repeat(1_000_000)});
    let seen: BTreeMap<NodeId, Seen> = (0..3)
        .map(|node| {
            let (variables, truth) = (Stated::at(&session, node, &large), Stated::at(&session, node, &truth));
            (node, Seen { variables, truth, ..Seen::default() })
        })
        .collect();
    let visited = Visited { seen, ..Visited::default() };
    for format in [Format::Html, Format::Text] {
        let out = render_with(format, &header(), &records(), (&visited, SUM), showings).unwrap();
        assert_eq!(out.matches(&"x".repeat(1_000_000)).count(), 2, "{format:?}: where each of two lines ends");
        assert!(out.contains("1000011 bytes, whole where the line ends"), "{format:?}");
    }
    let small = json!({"a": [1, "b", null], "c": true});
    assert_eq!(Stated::at(&session, 0, &small), Stated::Whole(small));
}

#[test]
fn jsonl_reads_back_as_the_same_records() {
    let text = render(Format::Jsonl, &header(), &records(), showings).unwrap();
    let mut lines = text.lines();
    assert_eq!(serde_json::from_str::<Header>(lines.next().unwrap()).unwrap(), header());
    let back: Vec<Record> = lines.map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(back, records());
    let read = stepwright_episode::log::read(text.replacen("bed 1", "bed 2", 1).as_bytes(), "a.jsonl".as_ref());
    assert!(read.unwrap_err().to_string().contains("its checksum does not fit"), "as in a log");
}

proptest::proptest! {
    #[test]
    fn numbers_survive_an_export_to_the_last_digit(number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
        let mut written = records();
        let scored = written.iter_mut().find_map(|r| if let Event::Proposed { proposal } = &mut r.event { Some(proposal) } else { None });
        std::sync::Arc::make_mut(scored.unwrap()).score = Some(number);
        let text = render(Format::Jsonl, &header(), &written, showings).unwrap();
        let back: Vec<Record> = text.lines().skip(1).map(|l| serde_json::from_str(l).unwrap()).collect();
        proptest::prop_assert_eq!(back, written, "{}", number);
    }
}

#[test]
fn records_that_are_no_session_are_an_error() {
    let broken = &records()[1..];
    assert!(matches!(render(Format::Text, &header(), broken, showings), Err(ExportError::InvalidRecord(_))));
}

#[test]
fn branches_are_compared_step_by_step() {
    let mut session = Session::new(header());
    for record in records() {
        session.apply(&record).unwrap();
    }
    let tips = compare::tips(&session);
    assert_eq!(tips, [2, 1], "the line of the cursor comes first");
    let line = |tip: u64| compare::Line { name: format!("#{tip}"), session: &session, tip, ghost: None };
    let found = compare::compare(&tips.iter().map(|tip| line(*tip)).collect::<Vec<_>>());
    assert_eq!((found.first_difference, found.rows.len()), (Some(1), 2));
    assert!(!found.rows[0].differs, "both begin at the same reset");
    let verdicts: Vec<_> = found.rows[1].cells.iter().flatten().map(|c| c.verdict).collect();
    assert_eq!(verdicts, ["not checked", "not checked"]);
    assert!(found.rows[1].cells.iter().flatten().all(|c| c.changes.iter().all(|change| !change.unlike)));
    let text = compare::render(&found, 80);
    assert!(text.contains("First difference: step 1.") && text.contains("  1 => > go to bed 1"), "{text}");
    assert!(text.contains("\\x1b[2Jred") && !text.contains('\x1b'), "{text}");
    let page = comparison_page(&found).unwrap();
    assert!(page.contains("first difference") && page.contains("put a &lt;mug&gt;"), "{page}");
    let labels: Vec<_> = tips.iter().map(|tip| compare::branch_label(&session, *tip)).collect();
    assert!(labels.iter().all(|label| label.ends_with(" at step 1")) && labels[0] != labels[1], "{labels:?}");
    assert_eq!(compare::branch_label(&session, 0), "the episode");
    let same = compare::compare(&[line(1), line(1)]);
    assert_eq!(same.first_difference, None);
    let ended = compare::compare(&[line(1), line(0)]);
    assert_eq!(ended.first_difference, Some(1), "one goes on where the other has ended");
}

#[test]
fn a_goal_of_which_nobody_said_whether_it_holds_is_not_missed() {
    let mut session = Session::new(header());
    for mut record in records() {
        if let Event::Executed { outcome, child: 2, .. } = &mut record.event {
            let outcome = std::sync::Arc::make_mut(outcome);
            (outcome.done, outcome.untold) = (true, true);
        }
        session.apply(&record).unwrap();
    }
    let told = summary(&session);
    assert!(told.outcome.ends_with("whether the goal is reached is not known"), "{}", told.outcome);
    assert_eq!(json!(told)["won"], json!(null));
    let line = |tip: u64| compare::Line { name: String::new(), session: &session, tip, ghost: None };
    let found = json!(compare::compare(&[line(2), line(1)]));
    let columns = found["columns"].as_array().unwrap();
    assert_eq!([&columns[0]["won"], &columns[1]["won"]], [&json!(null), &json!(false)]);
    assert_eq!(found["rows"][1]["cells"][0]["won"], json!(null));
}

#[test]
fn files_named_by_the_clock_are_called_by_what_they_are_of() {
    let clock = "a/20261127-201742-shop-red_mug.jsonl";
    let other = "b/20261127-201742-shop-red_mug.jsonl";
    assert_eq!(compare::labels(&[clock, "x/mine.jsonl"]), ["shop-red_mug, 27 Nov 20:17:42", "mine.jsonl"]);
    assert_eq!(compare::labels(&[clock, other]), [clock, other]);
    for name in ["20261327-201742-shop.jsonl", "20261127-20174-shop.jsonl", "2026", "20261127-201742éshop.jsonl"] {
        assert_eq!(compare::labels(&[name]), [name]);
    }
    assert_eq!(compare::labels(&["20261127-201742-log.jsonl#7"]), ["log#7, 27 Nov 20:17:42"]);
}

/// Every session that ships, and the one above, written for Harbor and read again: the same steps, outcome and beginning.
#[test]
fn a_session_survives_its_atif_trajectory() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).map(|path| {
        let loaded = stepwright_episode::log::load(&path).unwrap();
        (path.display().to_string(), loaded.session.header.clone(), loaded.records)
    });
    let (mut compared, mut with_tools) = (0, 0);
    for (name, header, records) in texts.chain([("own".to_owned(), header(), records())]) {
        let mut session = Session::new(header.clone());
        records.iter().for_each(|record| session.apply(record).unwrap());
        let mut whole = trajectory(&session, SUM);
        let text = render(Format::Atif, &header, &records, showings).unwrap();
        let mut read = stepwright_trajectory::read_any(text.as_bytes(), "x");
        assert!(read.wrong.is_empty() && read.notes.is_empty(), "{name}: {:?} {:?}", read.wrong, read.notes);
        let mut again = read.all.remove(0);
        again.rest.clear();
        assert!(again.steps.iter().all(|step| step.decided.is_some()), "{name}");
        again.steps.iter_mut().for_each(|step| step.decided = None);
        whole.steps.iter_mut().for_each(|step| step.thought = step.thought.take().filter(|t| !t.is_empty()));
        let line = session.line();
        let done = line.iter().filter_map(|node| node.action.as_ref());
        let called: Vec<&str> = done
            .flat_map(|action| match &action.call {
                Some(_) => action.calls().collect(),
                None => vec![action.text.as_str()],
            })
            .collect();
        if called.iter().any(|call| call.starts_with("tools.")) {
            // An action is one call of a tool there, and what was said with it is its thought.
            let calls = again.steps.iter().map(|step| step.call.as_ref().map_or(step.action.clone(), Call::to_string));
            assert_eq!(calls.collect::<Vec<_>>(), called, "{name}");
            assert!(again.tools.iter().all(|tool| tool["function"]["name"].is_string()) && !again.tools.is_empty());
            // An agent's tools are as it listed them, each call under its own id.
            if session.line().iter().any(|node| node.outcome.asked.is_some()) {
                assert!(again.tools.iter().all(|tool| tool["function"]["description"].is_string()), "{name}");
                let schema = |tool: &Value| tool["function"]["parameters"]["properties"].is_object();
                assert!(again.tools.iter().all(schema), "{name}: {:?}", again.tools);
                let written: Value = serde_json::from_str(&text).unwrap();
                let steps = written["steps"].as_array().unwrap().iter();
                let called: Vec<&Value> = steps.filter_map(|step| step["tool_calls"].as_array()).flatten().collect();
                let own = |call: &&&Value| !call["tool_call_id"].as_str().unwrap().starts_with("step-");
                assert!(called.iter().filter(own).count() > 0, "{name}: {called:?}");
            }
            // What a call returned stands there without the name of its tool, which the screen puts before it.
            let bare = |shown: &Step, call: Option<&Call>| {
                let shown = shown.heard();
                let returned = call.and_then(|call| shown.strip_prefix(&format!("{}: ", call.function)));
                returned.unwrap_or(&shown).to_owned()
            };
            assert_eq!(again.steps.len(), whole.steps.len(), "{name}");
            for (read, shown) in again.steps.iter().zip(&whole.steps) {
                assert_eq!(read.heard(), bare(shown, read.call.as_ref()), "{name}");
            }
            with_tools += 1;
            continue;
        }
        assert_eq!(again, whole, "{name}");
        compared += 1;
    }
    assert!(compared > 3 && with_tools > 0);
}

/// Takes a step at the cursor; the records of it.
fn take(session: &mut Session, text: &str, outcome: StepOutcome) -> Vec<Record> {
    let (proposal, decision, child) = (session.next_proposal(), session.next_decision(), session.next_node());
    let action = Action::new(text, None);
    let offered = Proposal { action: Some(action.clone()), ..Proposal::new(proposal, text, Origin::Greedy) };
    let taken = Decision { id: decision, choice: Choice::Approve { proposal }, by: Actor::Person, why: String::new() };
    let (action, outcome, changes) = (action.into(), outcome.into(), json!([]).into());
    let events = [
        Event::Proposed { proposal: offered.into() },
        Event::Decided { decision: taken.into() },
        Event::Executed { decision, child, action, outcome, changes },
    ];
    let apply = |event| {
        let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
        session.apply(&record).unwrap();
        record
    };
    events.into_iter().map(apply).collect()
}

/// Thoughts, calls of skills and reports were steps of the episode, and its score was the last step's reward.
#[test]
fn lines_that_executed_nothing_are_no_steps_and_the_score_is_the_episodes() {
    let mut all = records();
    let mut session = Session::new(header());
    all.iter().for_each(|record| session.apply(record).unwrap());
    let before = trajectory(&session, SUM);
    let held = |kind: &str| StepOutcome { held: Some(kind.to_owned()), ..StepOutcome::default() };
    let rewarded = |reward| StepOutcome { reward, ..StepOutcome::default() };
    for (text, outcome) in [
        ("think: a mug", held("thought")),
        ("call: find(mug)", held("call")),
        ("take mug 1", rewarded(0.5)),
        ("go to desk 1", rewarded(0.25)),
        ("think: so", held("thought")),
    ] {
        all.extend(take(&mut session, text, outcome));
    }
    let log = trajectory(&session, SUM);
    let taken = log.steps.get(before.steps.len()..).unwrap_or_default();
    let told: Vec<_> = taken.iter().map(|step| (step.thought.as_deref(), step.action.as_str())).collect();
    assert_eq!(told, [(Some("a mug\ncall: find(mug)"), "take mug 1"), (None, "go to desk 1")]);
    assert_eq!((&log.rest["closing_thought"], log.score), (&json!("so"), before.score + 0.75));
    let written: Value = serde_json::from_str(&render(Format::Atif, &header(), &all, showings).unwrap()).unwrap();
    let steps = written["steps"].as_array().unwrap();
    assert_eq!(steps.iter().filter(|step| step["tool_calls"].is_array()).count(), log.steps.len());
    assert!(steps.iter().any(|step| step["message"] == "a mug\ncall: find(mug)"), "{written}");
    assert_eq!(steps.last().unwrap()["reasoning_content"], "so");
}

/// A run that had stopped was told as lost in its table, and as under way everywhere else.
#[test]
fn why_an_episode_was_stopped_is_told() {
    let mut session = Session::new(header());
    records().iter().for_each(|record| session.apply(record).unwrap());
    assert_eq!(summary(&session).outcome, "under way after 1 step");
    let mut set = |policy: Policy, why: &str| {
        let event = Event::PolicySet { policy, why: why.to_owned() };
        session.apply(&Record { id: session.records() + 1, ts: 0, node: session.cursor(), event }).unwrap();
        summary(&session).outcome
    };
    let stopped = set(Policy::manual(), "the plan has 20 steps");
    assert_eq!(stopped, "under way after 1 step, stopped: the plan has 20 steps");
    assert_eq!(set(Policy::checked(3), "set by a person"), "under way after 1 step");
    // What would tell a person who decides blind what is recommended is not told.
    set(Policy::manual(), "`take mug 1` is next");
    let event = Event::BlindSet { blind: true };
    session.apply(&Record { id: session.records() + 1, ts: 0, node: session.cursor(), event }).unwrap();
    assert_eq!(summary(&session).outcome, "under way after 1 step");
}
