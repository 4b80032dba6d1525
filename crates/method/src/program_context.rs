//! Program context of an episode: the specification, the assertions in force, and the state that the calls lead to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use stepwright_episode::{Assertions, Check, Departure, InForce, OWN, Status, action_of_effects, effects_of};
use stepwright_program::{Assertion, Call, Effect, Effects, Followed, Function, Role, Rules, Specification, State};
use stepwright_world::program::CheckedProgram;

/// The fate of a line of an edited program, run against the specification alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineStatus {
    Ran,
    /// It raised: exception and message.
    Raised(String),
    /// Not reached because an earlier line raised.
    NotReached,
    /// It is no call of constants of the specification's objects.
    Unreadable(String),
}

/// The specification with the assertions in force.
#[derive(Debug, Clone)]
pub struct ProgramContext {
    specification: Specification,
    rules: Arc<Rules>,
    /// The effects in force, of the actions that have any.
    effects: Arc<Effects>,
    /// The assertions read so far, by their texts: one is checked before it is in force, and comes back with its branch.
    known: Arc<Mutex<BTreeMap<String, Assertion>>>,
    start: ProgramState,
}

/// The program state: what the agent can know.
#[derive(Debug, Clone)]
pub struct ProgramState(State);

impl ProgramContext {
    /// Loads a specification; its own assertions are in force.
    pub fn load(source: &str) -> Result<Self, String> {
        let specification = Specification::load(source, "spec.py").map_err(|e| e.to_string())?;
        let start = ProgramState(specification.start().map_err(|e| e.to_string())?);
        let mut program = ProgramContext {
            specification,
            rules: Arc::default(),
            effects: Arc::default(),
            known: Arc::default(),
            start,
        };
        for assertions in program.assertions() {
            program.adopt(&assertions)?;
        }
        Ok(program)
    }

    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The specification's own assertions, by action.
    pub fn assertions(&self) -> Vec<Assertions> {
        let actions = self.specification.functions().iter().filter(|f| f.role == Role::Action);
        let own = actions.map(|f| Assertions {
            action: f.name.clone(),
            assertions: f.assertions.iter().map(|a| a.expression.clone()).collect(),
            origin: OWN.into(),
        });
        own.collect()
    }

    fn action(&self, name: &str) -> Result<&Function, String> {
        let found = self.specification.functions().iter().find(|f| f.role == Role::Action && f.name == name);
        found.ok_or_else(|| format!("`{name}` is no action of the specification"))
    }

    /// Whether assertions or effects of that name can be adopted: it is of an action of the specification.
    pub fn has(&self, name: &str) -> bool {
        self.action(action_of_effects(name).unwrap_or(name)).is_ok()
    }

    /// Puts assertions or effects in force for an action.
    /// Errors: an unknown action or an invalid text, in words; nothing is changed then.
    pub fn adopt(&mut self, adopted: &Assertions) -> Result<(), String> {
        if let Some(action) = action_of_effects(&adopted.action) {
            let function = self.action(action)?;
            let compile = |text: &String| {
                Effect::compile(text, function)
                    .map_err(|e| format!("`{text}` cannot be adopted for {}: {e}", adopted.action))
            };
            let effects: Vec<Effect> = adopted.assertions.iter().map(compile).collect::<Result<_, _>>()?;
            let of = Arc::make_mut(&mut self.effects);
            match effects.is_empty() {
                true => drop(of.remove(action)),
                false => drop(of.insert(action.to_owned(), effects)),
            }
            return Ok(());
        }
        self.action(&adopted.action)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut compiled = Vec::with_capacity(adopted.assertions.len());
        for text in &adopted.assertions {
            compiled.push(match known.get(text) {
                Some(assertion) => assertion.clone(),
                None => {
                    let wrong = |e| format!("`{text}` cannot be adopted for {}: {e}", adopted.action);
                    let assertion = Assertion::compile(text).map_err(wrong)?;
                    known.entry(text.clone()).or_insert(assertion).clone()
                }
            });
        }
        drop(known);
        Arc::make_mut(&mut self.rules).insert(adopted.action.clone(), compiled);
        Ok(())
    }

    /// Puts exactly these assertions in force, the specification's own where an action has none of them; whether that changed
    /// anything.
    pub fn put_in_force(&mut self, in_force: &InForce) -> Result<bool, String> {
        let mut changed = false;
        for own in self.assertions() {
            let wanted = match in_force.get(&own.action) {
                Some((assertions, origin)) => {
                    Assertions { assertions: assertions.clone(), origin: origin.clone(), action: own.action }
                }
                None => own,
            };
            let now = self.rules.get(&wanted.action);
            let same = now.is_some_and(|now| now.iter().map(Assertion::text).eq(wanted.assertions.iter()));
            if !same {
                self.adopt(&wanted)?;
                changed = true;
            }
        }
        for own in self.assertions() {
            let name = effects_of(&own.action);
            let (assertions, origin) = in_force.get(&name).cloned().unwrap_or_default();
            let now = self.effects.get(&own.action).into_iter().flatten();
            if !now.map(Effect::text).eq(assertions.iter()) {
                self.adopt(&Assertions { action: name, assertions, origin })?;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// The effects in force, by action.
    pub fn effects(&self) -> &Arc<Effects> {
        &self.effects
    }

    /// The effects in force of an executed call that the states around it contradict.
    pub fn departures(&self, before: &ProgramState, after: &ProgramState, call: &Call) -> Vec<Departure> {
        let of = self.effects.get(&call.function).into_iter().flatten();
        let function = self.specification.function(&call.receiver, &call.function);
        let Some((function, args)) = function.and_then(|f| Some((f, f.arguments(call).ok()?))) else {
            return Vec::new();
        };
        let departs = |effect: &Effect| match effect.follows(&before.0, &after.0, function, &args) {
            Followed::Not(why) => Some(Departure { effect: effect.text().to_owned(), why }),
            Followed::NotDue | Followed::So { .. } | Followed::Untold(_) => None,
        };
        of.filter_map(departs).collect()
    }

    pub fn start(&self) -> ProgramState {
        self.start.clone()
    }

    /// The state together with the assertions in force.
    pub fn checked(&self, state: &ProgramState) -> CheckedProgram {
        CheckedProgram::new(state.0.clone(), Arc::clone(&self.rules)).with_adopted(Arc::clone(&self.effects))
    }

    /// Evaluates the assertions of a call, with the values found.
    pub fn check(&self, state: &ProgramState, call: &Call) -> Vec<Check> {
        self.checked(state).explained(call)
    }

    /// The values that an assertion's parts have for a call, whatever it comes to; none of what is no assertion.
    pub fn values(&self, state: &ProgramState, call: &Call, assertion: &str) -> Vec<(String, String)> {
        let function = self.specification.function(&call.receiver, &call.function);
        let assertion = Assertion::compile(assertion).ok();
        let found = function.zip(assertion).and_then(|(function, assertion)| {
            Some(state.0.explain(&assertion, function, &function.arguments(call).ok()?))
        });
        found.unwrap_or_default()
    }

    /// Runs an edited trajectory from the start: assertions count, the world is not asked.
    pub fn run(&self, lines: &[String]) -> Vec<LineStatus> {
        let mut state = self.start();
        let mut raised = false;
        let run = lines.iter().map(|line| {
            if raised {
                return LineStatus::NotReached;
            }
            let call: Call = match line.parse() {
                Ok(call) => call,
                Err(error) => {
                    raised = true;
                    return LineStatus::Unreadable(error.to_string());
                }
            };
            let failing = self.check(&state, &call).into_iter().find(|c| c.status == Status::Fails);
            let fault = match failing {
                Some(check) => Some(match check.detail {
                    Some(detail) => format!("{}: {detail}", check.condition),
                    None => check.condition,
                }),
                None => state.0.call_unchecked(&call).err().map(|fault| fault.to_string()),
            };
            match fault {
                Some(why) => {
                    raised = true;
                    LineStatus::Raised(why)
                }
                None => LineStatus::Ran,
            }
        });
        run.collect()
    }
}

impl ProgramState {
    /// Runs calls that the world has made true, without their assertions. A call that the specification cannot run leaves the
    /// state as it was.
    pub fn run<'a>(&mut self, calls: impl Iterator<Item = &'a Call>) {
        for call in calls {
            // What the world reports is true whether or not the program can follow.
            let _ = self.0.call_unchecked(call);
        }
    }

    pub fn variables(&self) -> Value {
        self.0.variables()
    }

    /// The variables here and in a `later` state, without what both certainly share.
    pub fn variables_apart(&self, later: &ProgramState) -> (Value, Value) {
        self.0.variables_apart(&later.0)
    }
}
