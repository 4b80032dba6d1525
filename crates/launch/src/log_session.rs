//! Logs as sessions: an episode recorded elsewhere becomes the records that it would have left here, each step with what the assertions
//! said of it. Nothing is executed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use stepwright_trajectory::Trajectory;

use super::error::OpenError;
use super::header::new_header;
use stepwright_driver::{Clock, changes};
use stepwright_episode::{
    Action, Actor, Choice, Decision, DecisionId, Event, Header, NodeId, Origin, Proposal, ProposalId, Record, Session,
    StepOutcome, Verdict,
};
use stepwright_method::log_checks::AlongLog;
use stepwright_method::program_context::ProgramContext;
use stepwright_program::Call;
use stepwright_world::{OpenedWorld, Sources, World};
use stepwright_worlds::transcript_of;

pub(super) struct LogSession {
    pub(super) session: Session,
    pub(super) records: Vec<Record>,
    pub(super) opened: OpenedWorld,
}

/// The session of an episode of a log; of the first one where no id is given.
/// Errors: if the file is no log, or has no such episode.
pub(super) fn open(path: &Path, episode: &str, sources: &Sources, clock: &Clock) -> Result<LogSession, OpenError> {
    let mut opened = sources.open_log(path, episode)?;
    let reset = opened.world.reset(&opened.task, 0)?;
    let header = Header {
        data: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string(),
        task: opened.task.clone(),
        sentence: opened.sentence.clone(),
        ..new_header(opened.world.as_ref(), clock)
    };
    let logs = opened.world.recorded();
    let none = Trajectory::default();
    let log = logs.as_ref().and_then(|logs| logs.current()).unwrap_or(&none);
    let mut writing = Writing { session: Session::new(header), records: Vec::new(), now: clock() };
    let reset_calls: Vec<Call> = reset.calls().cloned().collect();
    writing
        .add(Event::Started { outcome: StepOutcome::from(&reset).into() })
        .and_then(|()| writing.steps(log, opened.world.as_mut(), reset_calls))
        .map_err(|why| OpenError::Failed(format!("{}: {why}", path.display())))?;
    let Writing { session, records, .. } = writing;
    Ok(LogSession { session, records, opened })
}

struct Writing {
    session: Session,
    records: Vec<Record>,
    now: u64,
}

impl Writing {
    fn add(&mut self, event: Event) -> Result<(), String> {
        let record = Record { id: self.session.records() + 1, ts: self.now, node: self.session.cursor(), event };
        self.session.apply(&record).map_err(|misfit| misfit.to_string())?;
        self.records.push(record);
        Ok(())
    }

    fn steps(&mut self, log: &Trajectory, world: &mut dyn World, reset: Vec<Call>) -> Result<(), String> {
        let program = ProgramContext::load(&self.session.header.specification)?;
        for own in program.assertions() {
            self.add(own.event(Actor::Policy))?;
        }
        let (transcript, mut along) = (transcript_of(log), AlongLog::new(&program, log));
        along.go(reset.into_iter(), 0, true);
        for (at, step) in log.steps.iter().enumerate() {
            let call = world.call_of(&step.action);
            let checks =
                || call.as_ref().map(|call| along.check(&program, call, step, &transcript)).unwrap_or_default();
            let action = Action::new(step.action.clone(), call.as_ref().map(ToString::to_string));
            let decided = step.decided.as_ref().and_then(|decided| Decided::deserialize(decided).ok());
            let number = match decided.filter(Decided::is_whole) {
                Some(decided) => {
                    decided.remarks.iter().try_for_each(|remark| self.noted(remark))?;
                    self.decided(decided)?
                }
                None => {
                    self.taken(&action, step.thought.clone(), Verdict { checks: checks(), ..Verdict::default() })?
                }
            };
            let outcome = world.act(&step.action).map_err(|e| e.to_string())?;
            let before = along.state.clone();
            along.go(outcome.calls().cloned(), at, step.observation.is_some());
            let changes = changes(&before, &along.state);
            let child: NodeId = self.session.next_node();
            self.add(Event::Executed {
                decision: number,
                child,
                action: action.into(),
                outcome: StepOutcome::from(&outcome).into(),
                changes: changes.into(),
            })?;
        }
        for (field, begins) in stepwright_export::LAST {
            if let Some(words) = log.rest.get(field).and_then(Value::as_str).filter(|words| !words.trim().is_empty()) {
                self.noted(&format!("{begins}{words}"))?;
            }
        }
        for remark in log.rest.get("remarks").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            self.noted(remark)?;
        }
        if log.success.is_none() {
            self.noted(match log.rest.get("over").and_then(Value::as_bool) {
                Some(false) => "The episode was under way when it was written down.",
                _ => "The log does not say whether the goal was reached.",
            })?;
        }
        if log.unobserved() > 0 {
            let missing = log.steps.iter().enumerate().filter(|(_, step)| step.observation.is_none());
            let numbers: Vec<String> = missing.map(|(at, _)| (at + 1).to_string()).collect();
            let text = format!(
                "The log does not say what was observed at step {}. A check that fails after the first of them counts as unknown.",
                numbers.join(", ")
            );
            self.noted(&text)?;
        }
        Ok(())
    }

    /// Adds a remark, unless it is there: what was read once and exported comes again.
    fn noted(&mut self, text: &str) -> Result<(), String> {
        let here = self.session.current();
        match here.is_some_and(|node| node.turn.notes.iter().any(|note| note == text)) {
            true => Ok(()),
            false => self.add(Event::Noted { text: text.to_owned() }),
        }
    }
}

/// A decision as an export of a session says it.
#[derive(Deserialize)]
struct Decided {
    proposals: Vec<Offered>,
    decisions: Vec<Decision>,
    /// The one that was carried out, and the verdict that it was made with.
    decision: DecisionId,
    verdict: Option<Verdict>,
    #[serde(default)]
    remarks: Vec<String>,
}

#[derive(Deserialize)]
struct Offered {
    proposal: Proposal,
    verdict: Option<Verdict>,
}

impl Decided {
    /// Whether all that decisions are about is there, and the one that was carried out; a file may say anything.
    fn is_whole(&self) -> bool {
        let about = |decision: &Decision| {
            let from = match decision.choice {
                Choice::Edit { from, .. } => from,
                _ => decision.proposal(),
            };
            [from, decision.proposal()].iter().all(|id| self.proposals.iter().any(|o| o.proposal.id == *id))
        };
        self.decisions.iter().all(about) && self.decisions.iter().any(|decision| decision.id == self.decision)
    }
}

impl Writing {
    /// An action that was taken elsewhere.
    fn taken(&mut self, action: &Action, thought: Option<String>, verdict: Verdict) -> Result<DecisionId, String> {
        let id = self.session.next_proposal();
        let proposal = Proposal {
            action: Some(action.clone()),
            rationale: thought,
            ..Proposal::new(id, action.text.clone(), Origin::Recorded)
        };
        self.add(Event::Proposed { proposal: proposal.into() })?;
        self.add(Event::Checked { proposal: id, verdict: verdict.into() })?;
        self.decide(Choice::Approve { proposal: id }, Actor::Policy, "as recorded".to_owned())
    }

    fn decide(&mut self, choice: Choice, by: Actor, why: String) -> Result<DecisionId, String> {
        let id = self.session.next_decision();
        self.add(Event::Decided { decision: Decision { id, choice, by, why }.into() })?;
        Ok(id)
    }

    /// Offers, rejections and decisions of a session, with the verdicts of then; decisions of other times began other branches.
    fn decided(&mut self, decided: Decided) -> Result<DecisionId, String> {
        let mut numbers = BTreeMap::new();
        for Offered { proposal, verdict } in decided.proposals {
            let id = self.session.next_proposal();
            numbers.insert(proposal.id, id);
            self.add(Event::Proposed { proposal: Proposal { id, ask: None, ..proposal }.into() })?;
            if let Some(verdict) = verdict {
                self.add(Event::Checked { proposal: id, verdict: verdict.into() })?;
            }
        }
        let now = |id: ProposalId| numbers.get(&id).copied().unwrap_or_default();
        let mut carried_out = None;
        for Decision { id, choice, by, why } in decided.decisions {
            let choice = match choice {
                Choice::Reject { proposal, reason } => Choice::Reject { proposal: now(proposal), reason },
                _ if id != decided.decision => continue,
                Choice::Approve { proposal } => Choice::Approve { proposal: now(proposal) },
                Choice::Edit { from, proposal } => Choice::Edit { from: now(from), proposal: now(proposal) },
                Choice::Manual { proposal } => Choice::Manual { proposal: now(proposal) },
            };
            let taken = id == decided.decision;
            if let Some(verdict) = decided.verdict.clone().filter(|_| taken) {
                let proposal = Decision { id, choice: choice.clone(), by, why: String::new() }.proposal();
                self.add(Event::Checked { proposal, verdict: verdict.into() })?;
            }
            let number = self.decide(choice, by, why)?;
            carried_out = carried_out.or(taken.then_some(number));
        }
        carried_out.ok_or_else(|| "a step's decision is not among its decisions".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use stepwright_trajectory::read_any;

    use super::*;
    use stepwright_episode::{Mark, Status};
    use stepwright_method::log_checks::violations;

    const LOG: &str = "You are in the middle of a room. Looking quickly around you, you see a desk 1, and a fridge 1.\nYour task is to: put a mug in desk.\n> go to desk 1\nOn the desk 1, you see a mug 1, and a pen 1.\n> think: there it is\nOK.\n> take pan 1 from desk 1\nNothing happens.\n> take mug 1 from desk 1\nYou pick up the mug 1 from the desk 1.\n";

    #[test]
    fn a_log_is_checked_with_the_values_it_reports() {
        let logs = read_any(LOG.as_bytes(), "log").all;
        let violated = |log: &Trajectory, program: &ProgramContext| violations(log, &transcript_of(log), program);
        let program = ProgramContext::load(&transcript_of(&logs[0]).specification()).unwrap();
        let found = violated(&logs[0], &program);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].step, found[0].action.as_str()), (1, "take pan 1 from desk 1"));
        assert_eq!((found[0].check.status, found[0].check.condition.as_str()), (Status::Fails, "self.is_visible(obj)"));
        assert_eq!(found[0].read.iter().find(|read| read.part == "obj").unwrap().value, "'pan 1'");
        // What the world gave was there, whatever the texts before told of.
        let given = LOG.replace(
            "take pan 1 from desk 1\nNothing happens.",
            "take pan 1 from desk 1\nYou pick up the pan 1 from the desk 1.",
        );
        let given = violated(&read_any(given.as_bytes(), "log").all[0], &program);
        assert_eq!((given[0].step, given[0].check.status), (1, Status::Unknown), "{given:?}");
        // The hand is full then: that was read, two steps before.
        assert_eq!((given[1].step, given[1].check.status), (2, Status::Fails), "{given:?}");
        assert_eq!(
            given[1].read.iter().map(|read| (read.part.as_str(), read.since)).collect::<Vec<_>>(),
            [("self.inventory", 2)]
        );
        let mut silent = logs[0].clone();
        silent.steps[0].observation = None;
        let found = violated(&silent, &program);
        assert!(found.iter().all(|v| v.check.status == Status::Unknown) && found.len() == 2, "{found:?}");
        assert!(found[0].check.detail.as_ref().unwrap().contains("observed at step 1"), "{found:?}");
    }

    #[test]
    fn a_log_opens_as_a_session_with_its_verdicts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.txt");
        std::fs::write(&path, LOG).unwrap();
        let clock: Clock = std::sync::Arc::new(|| 7);
        let made = open(&path, "", &stepwright_worlds::sources(), &clock).unwrap();
        let LogSession { session, records, mut opened } = made;
        assert_eq!((session.nodes().len(), session.header.sentence.as_str()), (4, "put a mug in desk"));
        let marks: Vec<Mark> =
            session.nodes().iter().skip(1).filter_map(|n| Some(session.verdict_at(n.id)?.mark())).collect();
        assert_eq!(marks, [Mark::Holds, Mark::Fails, Mark::Holds]);
        assert!(session.is_done() && !session.nodes()[3].outcome.won);
        // What is written is read, and the world answers the same again.
        let mut again = Session::new(session.header.clone());
        records.iter().for_each(|record| again.apply(record).unwrap());
        opened.world.reset(&session.header.task, 0).unwrap();
        for node in session.nodes().iter().skip(1) {
            let outcome = opened.world.act(&node.action.as_ref().unwrap().text).unwrap();
            assert_eq!(node.outcome.difference(&StepOutcome::from(&outcome)), None);
        }
        opened.world.reset(&session.header.task, 0).unwrap();
        assert!(opened.world.act("open fridge 1").unwrap().error.unwrap().contains("goes on with `go to desk 1`"));
        std::fs::write(&path, "nothing").unwrap();
        let Err(error) = open(&path, "", &stepwright_worlds::sources(), &clock) else { panic!("no log") };
        assert!(error.to_string().contains("run.txt:1") && error.to_string().contains("Action:"), "{error}");
        // A log may be sound and hold none.
        std::fs::write(&path, r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[]}"#).unwrap();
        let Err(error) = open(&path, "", &stepwright_worlds::sources(), &clock) else { panic!("no episode") };
        assert!(error.to_string().ends_with("run.txt: the log holds no episode"), "{error}");
        let all = super::super::load_sessions(&path, None, &stepwright_worlds::sources());
        assert_eq!(all.unwrap_err().to_string(), error.to_string());
    }

    /// What nobody wrote down is not made up, and the task stands where the user said it.
    #[test]
    fn a_log_is_exported_as_it_was_said() {
        use stepwright_export::{Format, render};
        let called = r#"{"id":"c","type":"function","function":{"name":"f","arguments":"{\"k\": 1}"}}"#;
        let late = format!(
            r#"{{"messages":[{{"role":"assistant","tool_calls":[{called}]}},{{"role":"tool","tool_call_id":"c","content":"3"}},
            {{"role":"user","content":"stop"}},{{"role":"user","content":"now"}}]}}"#
        )
        .replace('\n', "");
        let silent = r#"{"schema_version":"ATIF-v1.2","session_id":"s","agent":{"name":"a","version":"1"},
            "steps":[{"step_id":1,"source":"agent","message":"look","observation":{"results":[]}}]}"#;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        let clock: Clock = std::sync::Arc::new(|| 7);
        let exported = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let LogSession { session, records, .. } = open(&path, "", &stepwright_worlds::sources(), &clock).unwrap();
            let text =
                render(Format::Atif, &session.header, &records, |kind| stepwright_methods::METHODS.showing(kind));
            serde_json::from_str::<Value>(&text.unwrap()).unwrap()["steps"].as_array().cloned().unwrap()
        };
        let late = exported(&late);
        let said: Vec<(&Value, &Value)> = late.iter().map(|step| (&step["source"], &step["message"])).collect();
        let [system, agent, user] = ["system", "agent", "user"].map(Value::from);
        assert_eq!(said.iter().map(|(source, _)| *source).collect::<Vec<_>>(), [&system, &agent, &user, &user]);
        assert_eq!((said[2].1, said[3].1), (&Value::from("stop"), &Value::from("now")));
        let silent = exported(silent);
        assert_eq!(silent[2]["observation"]["results"], Value::Array(Vec::new()), "{silent:?}");
    }

    /// What an agent says after its last action is of no step: it stands at the end of each form.
    #[test]
    fn the_last_words_of_an_agent_are_kept_in_each_form() {
        use stepwright_export::{Format, render};
        let call =
            serde_json::json!({"id": "c", "type": "function", "function": {"name": "read", "arguments": "{\"k\": 1}"}});
        let messages = serde_json::json!([
            {"role": "user", "content": "count"}, {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "3"},
            {"role": "assistant", "content": "Shall I count?"}, {"role": "user", "content": "you did"},
            {"role": "assistant", "reasoning_content": "that is all", "content": "There are three.\nBye."},
        ]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chat.jsonl");
        std::fs::write(&path, serde_json::json!({ "messages": messages }).to_string()).unwrap();
        let clock: Clock = std::sync::Arc::new(|| 7);
        let LogSession { session, records, .. } = open(&path, "", &stepwright_worlds::sources(), &clock).unwrap();
        let notes = &session.current().unwrap().turn.notes;
        assert!(notes[0].ends_with("Shall I count?") && notes[2].ends_with(": There are three.\nBye."), "{notes:?}");
        let written = |format| {
            render(format, &session.header, &records, |kind| stepwright_methods::METHODS.showing(kind)).unwrap()
        };
        assert!(written(Format::Text).contains("    note: The agent's last words: There are three.\n          Bye.\n"));
        assert!(written(Format::Html).contains("There are three.\nBye."));
        assert!(written(Format::Jsonl).contains("There are three.\\nBye."));
        let read = read_any(written(Format::Atif).as_bytes(), "x").all.remove(0);
        assert_eq!((&read.rest["answer"], read.steps.len()), (&Value::from("There are three.\nBye."), 1));
        assert_eq!(
            (&read.rest["closing_thought"], &read.rest["said_before"]),
            (&"that is all".into(), &"Shall I count?".into())
        );
    }

    /// An export has no checksums, and is no damaged session.
    #[test]
    fn a_session_is_read_from_its_export_without_a_remark() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.jsonl");
        for example in super::super::examples::EXAMPLES {
            let loaded = super::super::examples::load(example.name).unwrap();
            let format = stepwright_export::Format::Jsonl;
            let text = stepwright_export::render(format, &loaded.session.header, &loaded.records, |kind| {
                stepwright_methods::METHODS.showing(kind)
            });
            std::fs::write(&copy, text.unwrap()).unwrap();
            let again = stepwright_episode::log::load(&copy).unwrap();
            assert!(
                again.remarks.is_empty() && again.records == loaded.records,
                "{}: {:?}",
                example.name,
                again.remarks
            );
        }
    }

    /// Every session that ships, written for Harbor and opened again: the same steps, each with the verdict it was taken with, who took it how,
    /// and the words of what was rejected before.
    #[test]
    fn a_session_opens_again_from_its_export_with_its_decisions() {
        let folder = tempfile::tempdir().unwrap();
        let clock: Clock = std::sync::Arc::new(|| 7);
        let (mut steps, mut rejected) = (0, 0);
        for example in super::super::examples::EXAMPLES {
            let loaded = super::super::examples::load(example.name).unwrap();
            let text = stepwright_export::render(
                stepwright_export::Format::Atif,
                &loaded.session.header,
                &loaded.records,
                |kind| stepwright_methods::METHODS.showing(kind),
            );
            let path = folder.path().join("session.json");
            std::fs::write(&path, text.unwrap()).unwrap();
            let again = open(&path, "", &stepwright_worlds::sources(), &clock).unwrap().session;
            let of = |session: &Session| {
                let line = session.line().into_iter().map(|node| node.id).collect::<Vec<_>>();
                let done = line.into_iter().filter_map(|id| session.node(id));
                let done = done.filter(|node| node.action.is_some() && node.outcome.is_executed());
                let step = |node: &stepwright_episode::Node| {
                    let turn = &session.node(node.parent.unwrap()).unwrap().turn;
                    let text = |id| turn.proposal(id).map(|p| (p.raw.clone(), p.origin));
                    let rejections = turn.decisions.iter().filter_map(|decision| match &decision.choice {
                        Choice::Reject { proposal, reason } => Some((text(*proposal), reason.clone())),
                        _ => None,
                    });
                    let decision = session.decision_at(node.id).unwrap();
                    let taken = (text(decision.proposal()), decision.by, decision.why.clone());
                    let from = match decision.choice {
                        Choice::Edit { from, .. } => text(from),
                        _ => None,
                    };
                    // Of an answer with calls an episode of a log has the calls, and as thoughts what was said with them.
                    let action = node.action.as_ref().unwrap();
                    let called = action.call.as_ref().filter(|call| call.starts_with("tools."));
                    // And of what a call returned that alone, without the name of the tool.
                    let tool = called.and_then(|call| call.split(['.', '(']).nth(1));
                    let shown = &node.outcome.observation;
                    let returned = tool.and_then(|tool| shown.strip_prefix(tool)?.strip_prefix(": "));
                    (
                        called.unwrap_or(&action.text).clone(),
                        returned.unwrap_or(shown).to_owned(),
                        session.verdict_at(node.id).cloned(),
                        (taken, from, rejections.collect::<Vec<_>>()),
                    )
                };
                done.map(step).collect::<Vec<_>>()
            };
            let (before, after) = (of(&loaded.session), of(&again));
            assert_eq!(before, after, "{}", example.name);
            let notes = |session: &Session| -> Vec<String> {
                session.line().into_iter().flat_map(|node| node.turn.notes.clone()).collect()
            };
            let again = notes(&again);
            assert!(notes(&loaded.session).iter().all(|note| again.contains(note)), "{}: {again:?}", example.name);
            rejected += before.iter().map(|step| step.3.2.len()).sum::<usize>();
            steps += after.len();
        }
        assert!(steps > 30 && rejected > 0, "{steps} steps, {rejected} rejections");
    }
}
