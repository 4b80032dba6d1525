//! The driver's task: commands in, effects carried out, notices out.
//!
//! Effects are carried out in the gate's order. Everything quick happens on this task; asks and other long work run beside it
//! and come back as messages. When the log cannot be written, nothing after the unwritten record happens until it can.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::asking::{self, Answer};
use super::candidates::{self, Bench, Job};
use super::checking;
use super::mind::Mind;
use super::points::{Points, logged};
use super::prompting::{Form, SpecificationText};
use super::proposing;
use super::scoring::{self, Candidate};
use super::sets::Changes;
use super::setup::{Beginning, Keep, Setup, Source};
use super::writing::{self, Writing};
use super::{Command, Handle, Level, Notice};
use crate::episode::gate::{Advice, AskSpec, Assertions, Effect, Report, Request};
use crate::episode::{AskId, Configuration, Event, Gate, PromptRecord, Record, Session, log};
use crate::method::{Method, Options};
use crate::model::ModelError;
use crate::planner::SymbolicProposer;
use crate::world::demonstration::Demonstration;

/// What long work sends back.
pub(super) enum Message {
    /// A language model's answer.
    Answer(Answer),
    /// The symbolic proposer's.
    Ranked(proposing::Ranking),
    /// A language model's log-probabilities.
    Scored(scoring::Scores),
    /// A language model's scores of candidate preconditions.
    CandidateScores(writing::CandidateScores),
    /// The end of work on candidates.
    Bench(candidates::Done),
}

/// The driver of one session.
pub(super) struct Driver {
    pub(super) gate: Gate,
    pub(super) points: Points,
    pub(super) mind: Mind,
    pub(super) kind: String,
    method: Arc<dyn Method>,
    pub(super) source: Source,
    resolver: super::setup::Resolver,
    pub(super) proposer: Arc<SymbolicProposer>,
    pub(super) prompting: super::prompting::Prompting,
    pub(super) demonstrations: Arc<Vec<Demonstration>>,
    keep: Keep,
    /// What a copy begins with.
    before: Arc<Vec<Record>>,
    clock: super::setup::Clock,
    /// Effects not yet carried out.
    effects: VecDeque<Effect>,
    pub(super) notices: UnboundedSender<Notice>,
    pub(super) messages: UnboundedSender<Message>,
    pub(super) bench: Bench,
    pub(super) writing: Writing,
    pub(super) changes: Changes,
    asks: BTreeMap<AskId, CancellationToken>,
    /// Why world and program are not where the session is.
    astray: Option<String>,
    /// The node the last situation described, and the world's truth there.
    pub(super) shown: Option<(u64, serde_json::Value)>,
    /// Whether it was said that prompts are shortened.
    shortened: bool,
    /// How often in a row a prompt turned out too long.
    too_long: u32,
}

/// Starts a driver on the present tokio runtime.
///
/// # Errors
/// When the specification does not load or the world cannot be reset: in words.
pub fn start(setup: Setup) -> Result<Handle, String> {
    let (commands, inbox) = unbounded_channel();
    let (notices, outbox) = unbounded_channel();
    let (messages, returns) = unbounded_channel();
    let driver = Driver::begin(setup, notices, messages)?;
    tokio::spawn(driver.run(inbox, returns));
    Ok(Handle { commands, notices: outbox })
}

impl Driver {
    fn begin(
        setup: Setup,
        notices: UnboundedSender<Notice>,
        messages: UnboundedSender<Message>,
    ) -> Result<Self, String> {
        let Setup { beginning, mut world, method, source, resolver, proposer, mut prompting, .. } = setup;
        let Setup { demonstrations, keep, policy, unattended, clock, .. } = setup;
        let (session, records) = match beginning {
            Beginning::New(header) => (Session::new(*header), Vec::new()),
            Beginning::Resume { session, records } => (*session, records),
        };
        prompting.options = Options::read(&session.options)?;
        let header = session.header.clone();
        let mut mind = Mind::load(&header.specification)?;
        let reset = world.reset(&header.task, header.seed).map_err(|e| e.to_string())?;
        let kind = world.tasks().into_iter().find(|t| t.id == header.task).map(|t| t.kind).unwrap_or_default();
        for (action, (assertions, origin)) in &session.assertions {
            let (assertions, origin) = (assertions.clone(), origin.clone());
            mind.adopt(&Assertions { action: action.clone(), assertions, origin })?;
        }
        let mut points = Points::new(world, &mind, &reset);
        let path = match &keep {
            Keep::Log(log) => Some(log.path().to_owned()),
            Keep::Nothing | Keep::Copy(_) => None,
        };
        let records = Arc::new(records);
        let _ = notices.send(Notice::Opened { header: Box::new(header), records: Arc::clone(&records), path });
        let now = clock();
        let started = session.is_started();
        let mut astray = None;
        if started {
            let there = Points::compare_reset(&session, &reset).and_then(|()| points.go(&session, session.cursor()));
            astray = there.err();
        }
        let (mut gate, mut effects) =
            if started { Gate::resume(session, now) } else { (Gate::new(session), Vec::new()) };
        if unattended {
            gate = gate.unattended();
        }
        if !started {
            let assertions = mind.assertions();
            effects.extend(gate.request(Request::Begin { outcome: logged(&reset), assertions, policy }, now));
        }
        let mut driver = Driver {
            gate,
            points,
            mind,
            kind,
            method,
            source,
            resolver,
            proposer,
            prompting,
            demonstrations,
            keep,
            before: records,
            clock,
            effects: effects.into(),
            notices,
            messages,
            bench: Bench::default(),
            writing: Writing::default(),
            changes: Changes::default(),
            asks: BTreeMap::new(),
            astray,
            shown: None,
            shortened: false,
            too_long: 0,
        };
        driver.suit(&driver.source.clone());
        if let Some(difference) = driver.astray.clone() {
            driver.say(Level::Error, astray_words(&difference));
        }
        Ok(driver)
    }

    async fn run(mut self, mut inbox: UnboundedReceiver<Command>, mut returns: UnboundedReceiver<Message>) {
        self.carry_out();
        self.show_situation();
        self.tell_inference();
        loop {
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(Command::Quit) | None => break,
                    Some(command) => self.command(command),
                },
                Some(message) = returns.recv() => self.message(message),
            }
            self.show_situation();
        }
        self.bench.cancel();
        if self.gate.is_asking() {
            self.request(Request::Cancel);
        }
        if let Keep::Log(log) = &self.keep
            && let Err(error) = log.sync()
        {
            self.say(Level::Error, error.to_string());
        }
        let _ = self.notices.send(Notice::Stopped);
    }

    fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(super) fn say(&self, level: Level, text: impl Into<String>) {
        let _ = self.notices.send(Notice::Say { level, text: text.into() });
    }

    pub(super) fn tell(&self, notice: Notice) {
        let _ = self.notices.send(notice);
    }

    pub(super) fn request(&mut self, request: Request) {
        if !self.effects.is_empty() {
            // A record could not be written: that comes first.
            self.carry_out();
            if !self.effects.is_empty() {
                return;
            }
        }
        let now = self.now();
        self.effects.extend(self.gate.request(request, now));
        self.carry_out();
    }

    fn report(&mut self, report: Report) {
        let now = self.now();
        self.effects.extend(self.gate.report(report, now));
    }

    /// Carries out what is due, in order. What follows an unwritten record waits.
    fn carry_out(&mut self) {
        while let Some(effect) = self.effects.pop_front() {
            if let Effect::Persist(record) = &effect
                && let Err(error) = self.persist(record)
            {
                self.effects.push_front(effect);
                let text =
                    format!("{error}. Nothing happens until the session can be written; make room and try again");
                self.say(Level::Error, text);
                return;
            }
            self.perform(effect);
        }
    }

    /// Hands a record to the operating system, decisions to the disk.
    fn persist(&mut self, record: &Record) -> Result<(), log::LogError> {
        if let Keep::Copy(path) = &self.keep {
            let mut log = log::Writer::create(path, &self.gate.session().header)?;
            if let Err(error) = self.before.iter().try_for_each(|earlier| log.append(earlier)) {
                // Half a copy is of no use, and would stand in the way of the next try.
                let _ = std::fs::remove_file(path);
                return Err(error);
            }
            self.say(Level::Info, format!("what you do is kept in {}", path.display()));
            self.before = Arc::default();
            self.keep = Keep::Log(log);
        }
        let Keep::Log(log) = &mut self.keep else { return Ok(()) };
        log.append(record)?;
        if matches!(record.event, Event::Decided { .. }) { log.sync() } else { Ok(()) }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Persist(record) => self.tell(Notice::Recorded(Box::new(record))),
            Effect::Say(level, text) => self.say(level, text),
            Effect::Consult { round, samples } => {
                let advice = self.consult(round, samples);
                self.report(Report::Advised(advice));
            }
            Effect::AskModel { ask, spec } => self.ask_model(ask, &spec),
            Effect::AskSymbolic { ask, spec } => self.ask_symbolic(ask, &spec),
            Effect::CancelAsk(ask) => {
                if let Some(token) = self.asks.remove(&ask) {
                    token.cancel();
                }
            }
            Effect::CheckProposal(proposal) => {
                let verdict = match (&proposal.action, &self.astray) {
                    (Some(action), None) => {
                        checking::check(self.points.world.as_ref(), &self.mind, &self.points.state, action)
                    }
                    (None, _) => checking::no_action(proposal.problem.as_deref()),
                    // Without the world nothing can be checked.
                    (Some(_), Some(_)) => crate::episode::Verdict::default(),
                };
                self.report(Report::Checked { proposal: proposal.id, verdict });
            }
            Effect::ReadText(text) => {
                let read = checking::read(self.points.world.as_ref(), &text);
                self.report(Report::Read(read));
            }
            Effect::StepWorld { decision, action } => {
                let result = self.step(&action.text);
                self.report(Report::Stepped { decision, result });
            }
            Effect::MoveWorld { to } => {
                let result = self.points.go(self.gate.session(), to).map_err(|d| astray_words(&d));
                if result.is_ok() {
                    self.astray = None;
                }
                self.report(Report::Moved { to, result });
            }
            Effect::AdoptAssertions(assertions) => {
                let result = self.mind.adopt(&assertions);
                self.report(Report::Adopted(result));
            }
            Effect::Configure(wanted) => {
                let result = self.configure(&wanted);
                self.report(Report::Configured(result));
            }
        }
    }

    fn step(&mut self, text: &str) -> Result<(crate::episode::StepOutcome, serde_json::Value), String> {
        if let Some(difference) = &self.astray {
            return Err(astray_words(difference));
        }
        let session = self.gate.session();
        let depth = session.current().map_or(0, |n| n.depth) + 1;
        let before = self.points.state.variables();
        let outcome = self.points.act(text, session.next_node(), depth)?;
        let changes = super::difference::difference(&before, &self.points.state.variables());
        Ok((logged(&outcome), changes))
    }

    fn configure(&mut self, wanted: &Configuration) -> Result<(), String> {
        let found = crate::method::named(&wanted.method).ok_or_else(|| {
            let known: Vec<_> = crate::method::all().iter().map(|m| m.id).collect();
            format!("no method `{}`; there are {}", wanted.method, known.join(", "))
        })?;
        let mut options = self.gate.session().options.clone();
        options.extend(wanted.options.clone());
        let options = Options::read(&options)?;
        if wanted.model != self.source.name() {
            let source = (self.resolver)(&wanted.model)?;
            self.suit(&source);
            self.source = source;
        }
        self.method = found;
        self.prompting.options = options;
        Ok(())
    }

    /// Has prompts made as a model wants them.
    fn suit(&mut self, source: &Source) {
        if let Source::Language { model, .. } = source {
            self.prompting.raw = model.prefers_raw();
            self.prompting.context = model.context();
            self.prompting.answer_tokens = model.answer_tokens().unwrap_or_default();
            self.prompting.meter = super::prompting::Meter::default();
        }
    }

    /// The specification as the method has it shown: with the assertions in force, or with none.
    fn shown_specification(&self) -> Result<SpecificationText, String> {
        let in_force = &self.gate.session().assertions;
        let assertions = in_force.iter().map(|(action, (of, _))| (action.clone(), of.clone())).collect();
        let shown = self.prompting.options.shows_assertions(self.method.shows_assertions());
        SpecificationText::new(self.mind.specification(), shown.then_some(&assertions))
    }

    /// Asks the method, and renders the prompt of what it wants asked.
    fn consult(&mut self, round: AskId, samples: Option<u32>) -> Advice {
        use crate::method::{FURTHER, GREEDY, Next, RANKED, Round, SAMPLES, SCORED};
        let session = self.gate.session();
        let Some(node) = session.current() else { return Advice::Stuck("the episode has not begun".into()) };
        let next = match samples {
            Some(n) => Next::Samples(n),
            None => self.method.next(Round { turn: &node.turn, since: round }),
        };
        let form = if self.prompting.raw { Form::Raw } else { Form::Chat };
        let (purpose, n, temperature, form) = match next {
            Next::Recommend { proposal, why } => return Advice::Recommend { proposal, why },
            Next::Greedy => (GREEDY, 1, 0.0, form),
            Next::Samples(n) => {
                let temperature = match &self.source {
                    Source::Language { model, .. } => model.temperature(),
                    Source::Symbolic => None,
                };
                (SAMPLES, n, temperature.unwrap_or_else(|| self.method.temperature()), form)
            }
            Next::Score => (SCORED, 0, 0.0, Form::Scored),
        };
        let model = self.source.name();
        match &self.source {
            Source::Symbolic => {
                let n = samples.unwrap_or_else(|| self.method.ranked());
                let purpose = if samples.is_some() { FURTHER } else { RANKED };
                Advice::Ask(AskSpec { purpose: purpose.into(), model, prompt: None, n, temperature: 0.0 })
            }
            Source::Language { .. } => {
                let n = match form {
                    Form::Scored => match self.candidates() {
                        Ok(candidates) => u32::try_from(candidates.len()).unwrap_or(u32::MAX),
                        Err(why) => return Advice::Stuck(why),
                    },
                    _ => n,
                };
                match self.prompt(form) {
                    Err(why) => Advice::Stuck(why),
                    Ok(prompt) => {
                        Advice::Ask(AskSpec { purpose: purpose.into(), model, prompt: Some(prompt), n, temperature })
                    }
                }
            }
        }
    }

    /// The prompt for the next action; that something had to be left out is said once.
    fn prompt(&mut self, form: Form) -> Result<PromptRecord, String> {
        let specification = self.shown_specification()?;
        let ends = scoring::turn_end(self.points.world.as_ref(), self.mind.specification().declarations());
        let prompt = self.prompting.next_action(
            self.method.as_ref(),
            form,
            self.gate.session(),
            &specification,
            &self.kind,
            ends.as_ref().map(|(receiver, _)| receiver.as_str()),
        )?;
        if let Some(text) = prompt.left_out.as_ref().filter(|_| !self.shortened) {
            self.say(Level::Info, format!("{text}; the model pane says so for each ask"));
        }
        self.shortened = prompt.left_out.is_some();
        Ok(prompt)
    }

    /// The actions to be scored at the cursor.
    fn candidates(&self) -> Result<Vec<Candidate>, String> {
        let world = self.points.world.as_ref();
        let found = scoring::candidates(world, self.mind.specification().declarations())?;
        if let Some(note) = found.note {
            self.say(Level::Info, note);
        }
        Ok(found.list)
    }

    fn ask_model(&mut self, ask: AskId, spec: &AskSpec) {
        let Source::Language { model, .. } = &self.source else {
            let error = "no language model is in use; choose one first".to_owned();
            return self.report(Report::AskFailed { ask, error });
        };
        let cancel = CancellationToken::new();
        self.asks.insert(ask, cancel.clone());
        let seed = self.gate.session().header.seed.wrapping_add(ask);
        let (model, notices, messages) = (Arc::clone(model), self.notices.clone(), self.messages.clone());
        if let Some(texts) = self.writing.to_score(ask).map(<[String]>::to_vec) {
            let prompt = spec.prompt.as_ref().map(|p| p.messages.clone()).unwrap_or_default();
            tokio::spawn(async move {
                let scores = writing::score(model, ask, prompt, texts, cancel, notices).await;
                let _ = messages.send(Message::CandidateScores(scores));
            });
            return;
        }
        if spec.purpose == crate::method::SCORED {
            let candidates =
                match scoring::candidates(self.points.world.as_ref(), self.mind.specification().declarations()) {
                    Ok(candidates) => candidates.list,
                    Err(error) => return self.report(Report::AskFailed { ask, error }),
                };
            let spec = spec.clone();
            tokio::spawn(async move {
                let scores = scoring::score(model, ask, spec, candidates, cancel, notices).await;
                let _ = messages.send(Message::Scored(scores));
            });
            return;
        }
        let mut request = asking::request(spec, self.prompting.options.think, seed);
        if !request.messages.iter().any(|m| m.role == "text") {
            // A raw completion is one line; a chat model may need to reason first.
            request.max_tokens = request.max_tokens.max(self.prompting.answer_tokens);
        }
        if self.writing.has(ask) {
            writing::shape(&mut request);
        }
        tokio::spawn(async move {
            let answer = asking::ask(model, ask, request, cancel, notices).await;
            let _ = messages.send(Message::Answer(answer));
        });
    }

    fn ask_symbolic(&mut self, ask: AskId, spec: &AskSpec) {
        let cancel = CancellationToken::new();
        self.asks.insert(ask, cancel.clone());
        let work = proposing::prepare(ask, spec, self);
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            // A person who steps fast leaves asks behind that nobody waits for.
            if !cancel.is_cancelled() {
                let _ = messages.send(Message::Ranked(work()));
            }
        });
    }

    fn message(&mut self, message: Message) {
        let (ask, report) = match message {
            Message::Bench(done) => return self.bench_done(done),
            Message::Answer(answer) if self.writing.has(answer.ask) => return self.candidates_answered(answer),
            Message::Answer(answer) => (answer.ask, self.read_answer(answer)),
            Message::CandidateScores(scores) => (scores.ask, self.candidates_scored(scores)),
            Message::Scored(scores) => {
                let ask = scores.ask;
                let shorter = scores.result.as_ref().err().and_then(|e| self.shorter(e));
                (ask, shorter.map_or_else(|| scores.report(), |error| Report::AskTooLong { ask, error }))
            }
            Message::Ranked(ranking) => {
                if let Some(text) = ranking.remark() {
                    self.say(Level::Info, text);
                }
                (ranking.ask, ranking.report(self.points.world.as_ref()))
            }
        };
        self.asks.remove(&ask);
        self.report(report);
        self.carry_out();
    }

    /// An ask for candidates has ended: it is recorded, and what was written goes to the pools.
    fn candidates_answered(&mut self, answer: Answer) {
        let Answer { ask, result, ms } = answer;
        self.asks.remove(&ask);
        let (report, completions) = match result {
            Err(error) => (Report::AskFailed { ask, error: error.to_string() }, None),
            Ok(response) => {
                let texts = response.completions.iter().map(|c| c.text.clone()).collect();
                let report = Report::Answered { ask, texts, usage: response.usage, ms, drafts: Vec::new() };
                (report, Some(response.completions))
            }
        };
        self.report(report);
        self.carry_out();
        self.candidates_written(ask, completions.as_deref());
    }

    /// Whether a prompt that the model could not take can be made shorter; the words for it.
    fn shorter(&mut self, error: &ModelError) -> Option<String> {
        let ModelError::TooLong { context: Some(context), .. } = error else { return None };
        let context = usize::try_from(*context).unwrap_or(usize::MAX);
        self.too_long += 1;
        let known = self.prompting.context;
        // By the estimate it fitted: the estimate is wrong, so less is aimed at each time.
        let aim = if known.is_none_or(|k| k > context) { context } else { known.unwrap_or(context) * 4 / 5 };
        self.prompting.context = Some(aim);
        (self.too_long <= 4).then(|| error.to_string())
    }

    /// Takes in how many tokens a prompt really had.
    fn learn_length(&mut self, ask: AskId, usage: Option<crate::episode::Usage>) {
        self.too_long = 0;
        let asked = self.gate.session().current().and_then(|n| n.turn.asks.iter().find(|a| a.id == ask));
        // Of several completions some servers count the prompt each time.
        if let (Some(prompt), Some(usage)) = (asked.filter(|a| a.n == 1).and_then(|a| a.prompt.as_ref()), usage) {
            let chars = prompt.messages.iter().map(|m| m.text.chars().count()).sum();
            self.prompting.meter.learn(chars, usage.prompt);
        }
    }

    fn read_answer(&mut self, answer: Answer) -> Report {
        let Answer { ask, result, ms } = answer;
        match result {
            Err(error) => match self.shorter(&error) {
                Some(error) => Report::AskTooLong { ask, error },
                None => Report::AskFailed { ask, error: error.to_string() },
            },
            Ok(response) => {
                self.learn_length(ask, response.usage);
                let turn = self.gate.session().current().map(|n| &n.turn);
                let greedy =
                    turn.and_then(|t| t.asks.iter().find(|a| a.id == ask)).is_some_and(|a| a.temperature == 0.0);
                let (world, specification) = (self.points.world.as_ref(), self.mind.specification());
                let drafts = response
                    .completions
                    .iter()
                    .map(|c| proposing::read_completion(c, greedy, world, specification))
                    .collect();
                let texts = response.completions.into_iter().map(|c| c.text).collect();
                Report::Answered { ask, texts, usage: response.usage, ms, drafts }
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Propose => self.request(Request::Propose),
            Command::Sample { n } => self.request(Request::Sample { n }),
            Command::Approve { proposal } => self.request(Request::Approve { proposal }),
            Command::Edit { proposal, text } => self.request(Request::Edit { proposal, text }),
            Command::Reject { proposal, reason } => self.request(Request::Reject { proposal, reason }),
            Command::Manual { text } => self.request(Request::Manual { text }),
            Command::SetPolicy(policy) => self.request(Request::SetPolicy(policy)),
            Command::Undo => self.request(Request::Undo),
            Command::Redo => self.request(Request::Redo),
            Command::Goto(node) => self.request(Request::Goto(node)),
            Command::Rewrite { node, text } => self.request(Request::Rewrite { node, text }),
            Command::Cancel => {
                // The job says itself that it was cancelled.
                if !self.bench.cancel() || !self.gate.is_at_rest() {
                    self.request(Request::Cancel);
                }
                self.stop_writing();
            }
            Command::Resend { ask, messages } => self.request(Request::Resend { ask, messages }),
            Command::Adopt { action, assertions, origin } => {
                self.adopt(Assertions { action, assertions, origin });
            }
            Command::Configure(wanted) => self.request(Request::Configure(wanted)),
            Command::Note(text) => self.request(Request::Note(text)),
            Command::CheckText { token, text } => {
                let world = self.points.world.as_ref();
                let verdict = checking::read(world, &text).map(|draft| {
                    draft.action.map(|a| checking::check(world, &self.mind, &self.points.state, &a)).unwrap_or_default()
                });
                self.tell(Notice::TextChecked { token, verdict });
            }
            Command::CheckProgram { token, lines } => {
                let lines = self.mind.run(&lines);
                self.tell(Notice::ProgramChecked { token, lines });
            }
            Command::Explain { proposal } => self.explain(proposal),
            Command::Infer { action, origin } => self.infer(action, origin),
            Command::PutCandidate { action, id, text } => self.bench(Job::Put { action, id, text }),
            Command::TryCandidate { token, action, text } => {
                let in_force = self.assertions_of(&action);
                self.bench(Job::Try { token, action, text, in_force });
            }
            Command::RejectCandidate { action, id, rejected } => self.bench(Job::Reject { action, id, rejected }),
            Command::UndoChange { action } => self.turn_back(action, false),
            Command::RedoChange { action } => self.turn_back(action, true),
            Command::ShowStep { token, action, place, texts } => self.bench(Job::Step { token, action, place, texts }),
            Command::ShowDifference { token, action, one, other } => {
                self.bench(Job::Differ { token, action, one, other });
            }
            Command::CompareSets { token, left, right } => self.compare(token, left, right),
            Command::SaveSet(path) => self.save_set(&path),
            Command::AdoptSet { origin, set } => self.adopt_set(&origin, set),
            Command::ScoreCandidates { action } => match &self.source {
                Source::Symbolic => {
                    self.say(Level::Warning, "no language model is in use; choose one (M) to have candidates scored")
                }
                Source::Language { .. } => self.bench(Job::ToScore(action)),
            },
            Command::SetCandidateAsks(asks) => {
                self.prompting.candidates = asks;
                self.tell_inference();
            }
            Command::Quit => {}
        }
    }

    /// Tells what world and program look like at the cursor, when that changed.
    fn show_situation(&mut self) {
        let at = self.gate.session().cursor();
        if self.astray.is_some() || self.shown.as_ref().is_some_and(|(node, _)| *node == at) {
            return;
        }
        let situation = super::situation::of(self);
        self.shown = Some((at, situation.truth.clone()));
        self.tell(Notice::Situation(Arc::new(situation)));
    }
}

fn astray_words(difference: &str) -> String {
    format!(
        "the world does not answer as recorded: {difference}. The session is open for reading; go to an earlier step to go on from there"
    )
}
