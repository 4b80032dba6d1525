//! Info: what a method is for display, what it requires of a world and of a model, and whether both offer it.

#![warn(missing_docs)]

use super::context::ModelTraits;
use super::options::{self, BLOCKING, FORM};
use stepwright_episode::Role;
use stepwright_world::options::{Table, Values};
use stepwright_world::{Ability, WorldKind, refusal};

/// A method's name and description for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MethodInfo {
    /// As on the command line.
    pub id: &'static str,
    /// In menus.
    pub label: &'static str,
    /// In a sentence or two.
    pub description: &'static str,
    /// Its options.
    pub options: Table,
    /// Its needs.
    pub needs: Needs,
    /// What it asks a model as, the belief that any method may keep left out.
    pub roles: &'static [Role],
    /// Whether it follows a plan or program that is written whole before its first action.
    pub plans: bool,
    /// Whether what it writes are Python programs, so that one can be parsed while it is typed.
    pub programs: bool,
}

impl MethodInfo {
    /// Of a method that has no options and needs nothing.
    pub const BARE: MethodInfo = MethodInfo {
        id: "",
        label: "",
        description: "",
        options: &[],
        needs: Needs::NONE,
        roles: &[Role::Proposer],
        plans: false,
        programs: false,
    };

    /// Whether a model is asked as that with these options; candidates, skills and tips are found beside any method.
    pub fn asks_as(&self, role: Role, options: &Values) -> bool {
        let beside = role == Role::Discoverer || (role == Role::Writer && options.is(&options::BELIEF, "on"));
        beside || self.roles.contains(&role)
    }

    /// Whether it maintains a belief.
    pub fn keeps_belief(&self) -> bool {
        self.needs.has(Ability::Belief)
    }

    /// Whether a model that reads writes the belief too, in one answer with the program: it is not written again alone.
    pub fn believes_in_one_answer(&self) -> bool {
        let asked = |role| self.roles.contains(&role);
        self.keeps_belief() && asked(Role::Reader) && !asked(Role::Writer)
    }
}

/// The needs of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Abilities of the world.
    pub world: &'static [Ability],
    /// Abilities of the world where a language model is in use.
    pub world_with_model: &'static [Ability],
    /// Abilities of the world where none is in use.
    pub world_without_model: &'static [Ability],
    /// A kind of task.
    pub task: Option<&'static str>,
    /// A world that does its steps in this process.
    pub local: bool,
    /// A model that reports log-probabilities of given texts, where a language model is in use.
    pub scores: bool,
    /// A language model.
    pub language: bool,
}

impl Needs {
    /// Nothing at all.
    pub const NONE: Needs = Needs {
        world: &[],
        world_with_model: &[],
        world_without_model: &[],
        task: None,
        local: false,
        scores: false,
        language: false,
    };

    /// Whether an ability of the world is needed, whatever the model.
    pub fn has(&self, ability: Ability) -> bool {
        self.world.contains(&ability)
    }
}

/// Why a method does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Missing requirement, to be read behind the name of the method (`needs a language model, and none is in use`).
    pub why: String,
    /// The method, or the option that does not fit.
    pub who: String,
    /// Missing requirement, in a few words (`it has no requests to answer`, of a world).
    pub brief: String,
}

/// One sentence: who does not fit, what is missing, where it is found.
impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.who, self.why)
    }
}

/// Whether a method can be carried out in a world with a model and these options, at a task of that kind where one is chosen. `kinds`: the
/// worlds there are, for saying which would do.
pub fn fits(
    method: &MethodInfo,
    options: &Values,
    (world, kinds): (&WorldKind, &[&WorldKind]),
    task: Option<&str>,
    model: &ModelTraits,
) -> Result<(), Misfit> {
    let Needs { local, scores, language, .. } = method.needs;
    let Needs { world_with_model, world_without_model, .. } = method.needs;
    let by_model = if model.language { world_with_model } else { world_without_model };
    // In a form of one's own a belief can be kept anywhere.
    let formed = !options.text(&FORM).is_empty();
    let lacking = |who: &str, needs: &[Ability]| {
        let needs: Vec<Ability> = needs.iter().copied().filter(|need| !formed || *need != Ability::Belief).collect();
        lacking(who, &needs, world, kinds)
    };
    lacking(method.id, method.needs.world)?;
    lacking(method.id, by_model)?;
    for spec in method.options {
        let value = options.text(spec);
        let who = format!("{} = {value}", spec.key);
        lacking(&who, options::needs(spec, value))?;
        if !model.language && !value.is_empty() && value == spec.with_model {
            let (why, brief) =
                ("needs a language model, and none is in use".to_owned(), "it needs a language model".to_owned());
            return Err(Misfit { who, why, brief });
        }
    }
    let lacks = |brief: String, but: String| {
        let why = format!("needs {brief}, {but}");
        Err(Misfit { who: method.id.to_owned(), why, brief: format!("it needs {brief}") })
    };
    if let Some((kind, task)) = method.needs.task.zip(task).filter(|(kind, task)| kind != task) {
        return lacks(format!("a task of the kind {kind}"), format!("and this one is of the kind {task}"));
    }
    if (local || options.is(&BLOCKING, "on")) && world.has(Ability::Remote) {
        let but = format!("and {} is another process", world.name);
        return lacks("a world that does its steps in this program".to_owned(), but);
    }
    if language && !model.language {
        return lacks("a language model".to_owned(), "and none is in use".to_owned());
    }
    if model.language && scores && !model.scores {
        let needed = "a model that reports log-probabilities of given texts".to_owned();
        return lacks(needed, format!("and {} does not", model.name));
    }
    Ok(())
}

fn lacking(who: &str, needs: &[Ability], world: &WorldKind, kinds: &[&WorldKind]) -> Result<(), Misfit> {
    let Some(absent) = needs.iter().find(|need| !world.has(**need)) else { return Ok(()) };
    let sentence = refusal(who, needs, world, kinds).unwrap_or_default();
    let why = sentence.strip_prefix(who).map_or(sentence.as_str(), str::trim_start).to_owned();
    Err(Misfit { who: who.to_owned(), why, brief: format!("it has no {}", absent.label()) })
}
