//! Methods that answer requests with programs: asking for a program, reading the answer, offering the calls of one that was taken.
//!
//! The program is one proposal. What it comes to is found out by running it (`running`), what is believed afterwards by `believing`.

use super::SYMBOLIC;
use super::prompting::{Asked, Exchange, Refused, cups};
use super::setup::Source;
use super::task::Driver;
use crate::episode::AskKind;
use crate::episode::gate::{Advice, AskSpec, Draft, Report};
use crate::episode::{Action, AskId, Check, CheckKind, Choice, Origin, PromptRecord, Status, Verdict};
use crate::method::coding::{
    Answer, Coding, Form, Memory, NEXT_QUERY, closes, in_force, list_of, read_list, read_program,
};
use crate::method::{Next, Primitives, Round};
use crate::model::{Completion, ModelRequest, Tag, Wanted};
use crate::planner;
use crate::world::Ability;

/// Tokens of a program or a state: the paper's.
const TOKENS: u32 = 256;
/// Whose name stands beside the calls of a program.
const THE_PROGRAM: &str = "the program";
/// The program of an answer that holds none.
const NOTHING: &str = "noop()";
/// What closes a request.
pub(super) const DONE: &str = "done()";

/// Whether an ask is for a program.
pub(super) fn is_for_program(kind: &AskKind) -> bool {
    *kind == AskKind::PROGRAM
}

/// Whether an ask is for a program or for a state.
pub(super) fn is_coding(kind: &AskKind) -> bool {
    is_for_program(kind) || *kind == AskKind::BELIEF
}

/// Makes the request of an ask for a program or a state out of that of an ask for an action.
pub(super) fn shape(request: &mut ModelRequest, kind: &AskKind, coding: Option<Coding>) {
    let raw = request.messages.iter().any(|m| m.role == "text");
    request.max_tokens = request.max_tokens.max(TOKENS);
    request.logprobs = false;
    // A chat model writes around its answer what would stop it; the answer is cut when it is read.
    let stop = if is_for_program(kind) { coding.map(|c| c.stop) } else { Some(NEXT_QUERY) };
    request.stop = stop.filter(|_| raw).map(str::to_owned).into_iter().collect();
    if raw {
        request.max_tokens = TOKENS;
    }
}

impl Driver {
    /// What a method that answers requests wants next.
    pub(super) fn consult_coding(&mut self, coding: Coding, round: AskId, samples: Option<u32>) -> Advice {
        let session = self.gate.session();
        let Some(node) = session.current() else { return Advice::Stuck("the episode has not begun".into()) };
        let world = self.points.world.name();
        let Some(request) = self.points.world.request() else {
            return Advice::Stuck(format!("the world {world} makes no requests to answer; choose another method (M)"));
        };
        if coding.form == Form::Cups && self.domain() != Some("cups") {
            return Advice::Stuck(
                "this method plays three cups only; choose another method (M), or a task cups/…".into(),
            );
        }
        let Some(samples) = samples else {
            let next = self.method.next(Round { turn: &node.turn, since: round });
            if let Next::Recommend { proposal, why } = next {
                let problem = node.turn.proposals.iter().rev().find_map(|p| p.problem.clone());
                let problem = problem.filter(|_| proposal.is_none()).map(|p| format!(": {p}")).unwrap_or_default();
                return Advice::Recommend { proposal, why: format!("{why}{problem}") };
            }
            return self.ask_program(coding, &request.query, 1, 0.0);
        };
        let temperature = match &self.source {
            Source::Language { model, .. } => model.temperature(),
            Source::Symbolic => None,
        };
        self.ask_program(coding, &request.query, samples, temperature.unwrap_or_else(|| self.method.temperature()))
    }

    fn ask_program(&self, coding: Coding, query: &str, n: u32, temperature: f64) -> Advice {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let spec =
            |kind: AskKind, model: String, prompt, n| Advice::Ask(AskSpec { kind, model, prompt, n, temperature });
        let open = in_force(&path).is_some() && !path.last().and_then(|n| n.action.as_ref()).is_some_and(closes);
        if self.prompting.options.primitives == Primitives::Each && open && temperature == 0.0 {
            return spec(AskKind::PROGRAM_CALL, THE_PROGRAM.to_owned(), None, 1);
        }
        if coding.believes() && session.belief().is_none() {
            return Advice::Stuck(
                "nothing is believed yet; write down the state first, or choose another method (M)".into(),
            );
        }
        match &self.source {
            Source::Symbolic if !coding.believes() => {
                let why = "the built-in reader reads a believed state, which this method does not maintain";
                Advice::Stuck(format!("{why}; choose statler, or a language model (M)"))
            }
            Source::Symbolic => spec(AskKind::PROGRAM, SYMBOLIC.to_owned(), None, 1),
            Source::Language { .. } => {
                let prompt = match self.program_prompt(coding, query) {
                    Ok(prompt) => prompt,
                    Err(why) => return Advice::Stuck(why),
                };
                spec(AskKind::PROGRAM, self.source.name(), Some(prompt), n)
            }
        }
    }

    /// What an ask for a program or a state is for.
    pub(super) fn tag(&self, kind: &AskKind) -> Option<Tag> {
        let session = self.gate.session();
        let program = is_for_program(kind);
        let together = matches!(self.method.coding()?.memory, Memory::Together { .. });
        let wanted = match (program, together) {
            (true, true) => Wanted::ProgramAndState,
            (true, false) => Wanted::Program,
            (false, _) => Wanted::State,
        };
        let number = if program { self.points.world.request()?.number } else { self.due_request()? };
        let (task, method) = (session.header.task.clone(), session.method.clone());
        Some(Tag { task, method, request: number, wanted })
    }

    /// The domain of the table's task.
    pub(super) fn domain(&self) -> Option<&str> {
        self.points.world.kind().has(Ability::Requests).then_some(self.kind.as_str())
    }

    fn program_prompt(&self, coding: Coding, query: &str) -> Result<PromptRecord, String> {
        let session = self.gate.session();
        let history = match coding.memory {
            Memory::History | Memory::Together { history: true } => self.exchanges(),
            _ => Vec::new(),
        };
        let asked = Asked {
            domain: &self.kind,
            query,
            first: session.node(0).and_then(|n| n.belief().map(AsRef::as_ref)),
            belief: session.belief().map(AsRef::as_ref),
            history,
            refused: self.refused(),
        };
        self.prompting.program(coding, &asked)
    }

    /// The requests closed on the way to the cursor, with what was decided for each and believed after it.
    fn exchanges(&self) -> Vec<Exchange> {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let (mut all, mut code): (Vec<Exchange>, Vec<&str>) = (Vec::new(), Vec::new());
        for pair in path.windows(2) {
            let [from, to] = pair else { continue };
            let Some(action) = &to.action else { continue };
            let decision = from.turn.decisions.iter().find(|d| Some(d.id) == to.decision);
            let offered = decision.and_then(|d| {
                let id = match d.choice {
                    Choice::Edit { from, .. } => from,
                    _ => d.proposal(),
                };
                let ask = from.turn.proposal(id)?.ask?;
                let asked = from.turn.asks.iter().find(|a| a.id == ask)?;
                let decided = from.turn.proposal(d.proposal())?.action.as_ref()?;
                Some((&asked.kind, decided.text.as_str()))
            });
            match offered {
                Some((kind, text)) if is_for_program(kind) => code = vec![text],
                // It is a part of the program.
                Some((&AskKind::PROGRAM_CALL, _)) => {}
                _ => code.extend(action.text.lines().filter(|line| line.trim() != DONE)),
            }
            if closes(action)
                && let Some(request) = self.points.request_at(from.id)
            {
                all.push(Exchange::new(&request.query, &code.join("\n"), to.belief().map(AsRef::as_ref)));
                code.clear();
            }
        }
        all
    }

    /// The programs a person refused at the cursor.
    fn refused(&self) -> Vec<Refused> {
        let Some(turn) = self.gate.session().current().map(|n| &n.turn) else { return Vec::new() };
        let refused = turn.decisions.iter().filter_map(|d| match &d.choice {
            Choice::Reject { proposal, reason } => {
                let code = turn.proposal(*proposal)?.action.as_ref()?.text.lines().collect::<Vec<_>>().join("; ");
                Some(Refused { code, reason: reason.clone() })
            }
            _ => None,
        });
        refused.collect()
    }

    /// Reads an answer as a program.
    pub(super) fn read_code(&self, coding: Coding, completion: &Completion, greedy: bool) -> Draft {
        let raw = completion.text.clone();
        let (text, thoughts) = match coding.form {
            Form::Program => {
                let Answer { code, mut thoughts, .. } = read_program(&raw);
                let empty = code.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'));
                if empty {
                    // A program without a line does nothing, and the request is answered by that.
                    thoughts.push("the answer holds no line of code: nothing is done".to_owned());
                }
                (Ok(if empty { NOTHING.to_owned() } else { code }), thoughts)
            }
            Form::Cups => {
                let list =
                    read_list(&raw).ok_or_else(|| "the answer holds no list such as [False, True, False]".to_owned());
                (list.map(|cups| format!("say(\"{}\")", list_of(&cups))), Vec::new())
            }
        };
        let origin = if greedy { Origin::Greedy } else { Origin::Sample };
        let logprob = completion.mean_logprob();
        let rationale = (!thoughts.is_empty()).then(|| thoughts.join("; "));
        Draft { logprob, rationale, ..self.code_draft(raw, text, origin) }
    }

    fn code_draft(&self, raw: String, text: Result<String, String>, origin: Origin) -> Draft {
        let (action, problem) = match text {
            Ok(text) => (Some(self.program_action(text)), None),
            Err(problem) => (None, Some(problem)),
        };
        Draft { raw, action, problem, origin, score: None, logprob: None, rationale: None }
    }

    pub(super) fn program_action(&self, text: String) -> Action {
        let call = self.points.world.call_of(&text).map(|c| c.to_string());
        Action { text, call }
    }

    /// The program of the built-in instruction reader.
    pub(super) fn read_instruction(&self, ask: AskId) -> Report {
        let session = self.gate.session();
        let (Some(belief), Some(request)) = (session.belief(), self.points.world.request()) else {
            return Report::AskFailed { ask, error: "there is no request to answer any more".to_owned() };
        };
        let written = planner::table::answer(belief, &request.query).map_err(|e| e.to_string());
        let raw = written.clone().unwrap_or_default();
        let draft = self.code_draft(raw.clone(), written, Origin::Symbolic);
        let rationale =
            draft.action.is_some().then(|| "read by rules from the believed state; no language model".to_owned());
        let drafts = vec![Draft { rationale, ..draft }];
        Report::Answered { ask, texts: vec![raw], usage: None, ms: 0, drafts }
    }

    /// What can be said of a program before it runs: what its calls come to, where it is nothing but calls.
    pub(super) fn program_verdict(&self, text: &str) -> Verdict {
        let mut verdict = Verdict::default();
        if let Some((outcome, _)) = self.points.world.preview(text)
            && outcome.error.is_none()
        {
            let condition = "every line is a call of this world".to_owned();
            verdict.checks.push(Check { kind: CheckKind::World, condition, status: Status::Holds, detail: None });
            verdict.preview = Some(outcome.observation);
        }
        verdict
    }

    /// The state of the three cups that an answer holds.
    pub(super) fn read_cups(text: &str) -> Option<serde_json::Value> {
        read_list(text).map(|cups| serde_json::json!({ "cups": cups }))
    }

    /// Whether the three cups are believed in.
    pub(super) fn believes_cups(&self) -> bool {
        self.gate.session().belief().is_some_and(|belief| cups(belief).is_some())
    }
}
