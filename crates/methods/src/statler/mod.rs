//! Methods that answer a request with a program: Statler and what it was compared with, and the three cups.
//!
//! They differ in the template that is filled in, in what the answer holds and in what is remembered from one request to the next: a
//! belief that is maintained, or all that was asked and written so far. `program` asks for programs and reads them, `run` carries
//! them out; prompts and answers are `request_program`'s.

mod program;
mod run;

use serde_json::Value;
use stepwright_episode::gate::Conduct;
use stepwright_episode::showing::Showing;
use stepwright_episode::{Action, Ask, AskKind, Decision, Generation, RequestTag, Role, Shape, Structure, Wanted};
use stepwright_method::artifacts::ArtifactSpec;
use stepwright_method::belief_update::{self, Keeping};
use stepwright_method::options::TEMPERATURE;
use stepwright_method::program_run::PRIMITIVES;
use stepwright_method::publications::SETTINGS;
use stepwright_method::request_program::{
    CodePolicy, Form, Memory, NEXT_QUERY, Programs, STATE, TEXTS, UPDATES, WRITER,
};
use stepwright_method::skills::TIPS;
use stepwright_method::{
    Checks, Context, Deed, DerivedState, Method, MethodInfo, Needs, Place, Reading, Section, SectionLine, Step,
    StepStatus, folded,
};
use stepwright_text::words::count;
use stepwright_world::options::Table;
use stepwright_world::{Ability, CUPS};

/// Programs that were run as documents, with the calls they made. Only a run changes one.
pub(super) static ARTIFACT: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    ..ArtifactSpec::new(
        "program",
        Showing {
            patch: |_, patch, _| {
                let calls = patch.pointer("/0/value/calls").and_then(Value::as_array).map_or(0, Vec::len);
                Some(format!("a program ran and made {}", count(calls, "call")))
            },
            ..Showing::new("program")
        },
    )
};

/// Tokens of a program or a state: the paper's.
const TOKENS: u32 = 256;

/// How the belief is kept, if it is. Reference programs hold no state.
fn keeping(policy: CodePolicy, language: bool) -> Option<Keeping> {
    match policy.memory {
        Memory::History => None,
        Memory::Together { .. } if !language => Some(Keeping::Apart { shown: true }),
        Memory::Apart { shown } => Some(Keeping::Apart { shown }),
        Memory::Together { .. } => Some(Keeping::Together(policy.form)),
    }
}

/// What its model is asked as: one that writes program and state in one answer reads alone.
fn roles(policy: CodePolicy) -> &'static [Role] {
    if matches!(policy.memory, Memory::Apart { .. }) { &[Role::Reader, Role::Writer] } else { &[Role::Reader] }
}

/// A method of this kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coder {
    info: MethodInfo,
    policy: CodePolicy,
}

pub(super) fn built_in() -> Vec<Coder> {
    let program = |template, memory, stop| CodePolicy { template, memory, form: Form::Program, stop };
    let cups = |template, memory, stop| CodePolicy { template, memory, form: Form::Cups, stop };
    let coder = |id, label, description, policy: CodePolicy| {
        let roles = roles(policy);
        let (believes, task) = (policy.believes(), (policy.form == Form::Cups).then_some(CUPS));
        let world: &[Ability] = if believes { &[Ability::Requests, Ability::Belief] } else { &[Ability::Requests] };
        // Those that keep a belief play the reference programs where no language model is in use.
        let world_without_model: &[Ability] = if believes { &[Ability::Reference] } else { &[] };
        let needs = Needs { world, world_without_model, task, language: !believes, ..Needs::NONE };
        let options: Table = if task.is_some() {
            &[TEMPERATURE, TIPS]
        } else {
            &[SETTINGS, PRIMITIVES, TEXTS, UPDATES, TEMPERATURE, TIPS]
        };
        Coder { info: MethodInfo { id, label, description, options, needs, roles, ..MethodInfo::BARE }, policy }
    };
    vec![
        coder(
            "statler",
            "Statler",
            "A reader writes a program for the request from the believed state; after it has run, a writer rewrites the state for \
             each update_wm of the program. Without a language model the reference programs of the task's file are played.",
            program("statler/reader", Memory::Apart { shown: true }, STATE),
        ),
        coder(
            "statler-auto",
            "Statler, writer by instructions",
            "As Statler, but the reader's example has no states, and the writer is only instructed.",
            program("statler/reader_auto", Memory::Apart { shown: false }, NEXT_QUERY),
        ),
        coder(
            "statler-unified",
            "Statler, one model",
            "One answer holds both the program and the state after it.",
            program("statler/unified", Memory::Together { history: false }, NEXT_QUERY),
        ),
        coder(
            "cap-cot",
            "Code as Policies, chain of thought",
            "As the one model that writes program and state, with all requests, programs and states so far in its prompt.",
            program("statler/chain", Memory::Together { history: true }, NEXT_QUERY),
        ),
        coder(
            "code-as-policies",
            "Code as Policies",
            "A program for the request from all requests and programs so far; no state is maintained.",
            program("statler/code", Memory::History, "# "),
        ),
        coder(
            "cups-plain",
            "Three cups, plain",
            "From the first state and all swaps to where the ball is now. For the three cups.",
            cups("cups/plain", Memory::History, "\n"),
        ),
        coder(
            "cups-cot",
            "Three cups, chain of thought",
            "From the first state and all swaps to every state after them, of which the last is the answer. For the three cups.",
            cups("cups/chain", Memory::History, "\n\n"),
        ),
        coder(
            "cups-state",
            "Three cups, state",
            "From the state believed and one swap to the next state. For the three cups.",
            cups("cups/state", Memory::Together { history: false }, "\n"),
        ),
    ]
}

impl Method for Coder {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        // The state after the update that is due comes first.
        let keeping = keeping(self.policy, cx.of(Role::Reader).model.language);
        let due = keeping.and_then(|keeping| belief_update::step(cx, keeping));
        due.unwrap_or_else(|| program::step(&cx.of(Role::Reader), self.policy))
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &stepwright_method::Answer) -> Reading {
        if ask.kind == AskKind::BELIEF {
            return match keeping(self.policy, cx.of(Role::Reader).model.language) {
                Some(keeping) => belief_update::read_written(cx, keeping, answer),
                None => Reading::Problem("this method maintains no belief".to_owned()),
            };
        }
        let greedy = ask.temperature == 0.0;
        Reading::drafts(answer.completions.iter().map(|c| program::read(cx, self.policy, c, greedy)).collect())
    }

    /// A chat model writes around its answer what would stop it: it is stopped at a made-up request alone, and cut when it is read.
    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        let of_program = *kind == AskKind::PROGRAM;
        let stop = if of_program { self.policy.stop } else { NEXT_QUERY };
        let request = if of_program {
            cx.world.request().map(|request| request.number)
        } else {
            let keeping = keeping(self.policy, cx.of(Role::Reader).model.language);
            keeping.and_then(|keeping| belief_update::due_request(cx, keeping))
        };
        let wanted = match (of_program, self.policy.memory) {
            (true, Memory::Together { .. }) => Wanted::ProgramAndState,
            (true, _) => Wanted::Program,
            (false, _) => Wanted::State,
        };
        let tag = request.map(|request| RequestTag { request, wanted });
        let stop = match self.policy.form {
            _ if raw => vec![stop.to_owned()],
            Form::Program => vec![NEXT_QUERY.to_owned()],
            Form::Cups => Vec::new(),
        };
        let held = cx.model.structured && wanted == Wanted::State;
        let structure = held.then(|| Structure::Schema(stepwright_belief::schema()));
        let own = Generation { max_tokens: TOKENS, stop, tag, structure, ..Generation::default() };
        Shape::Generate(cx.generation(if of_program { self.policy.purpose() } else { WRITER }, own))
    }

    fn compute(
        &self,
        known: &stepwright_method::WorkInput,
        work: &serde_json::Value,
        _stop: &stepwright_method::Stop,
    ) -> Result<stepwright_method::Answer, String> {
        belief_update::write(known, work)
    }

    /// Checks of a program before it runs: the results of its calls, where it is nothing but calls.
    fn check(&self, cx: &Context<'_>, action: &Action, _offered: bool) -> Checks {
        if action.call.is_some() { Checks::default() } else { Checks::Instead(program::verdict(cx, action)) }
    }

    fn carry_out(&self, cx: &Context<'_>, decision: &Decision, action: &Action) -> Deed {
        run::deed(cx, decision, action)
    }

    /// The program that is being carried out.
    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        let Some(force) = folded(Programs::new(at.closing), &at.path()).active_program() else { return Vec::new() };
        let lines =
            force.code.trim_end().lines().map(|text| SectionLine { text: text.to_owned(), mark: StepStatus::Open });
        let (title, lines) = ("program".to_owned(), lines.collect());
        vec![Section { title, made_at: force.at, lines, is_program: true, ..Section::default() }]
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Programs::new(cx.closing()))
    }
}
