//! What a method takes of a world and of a model, and whether both offer it.

use super::{MethodInfo, ModelTraits};
use crate::world::{Ability, WORLDS, WorldKind, refusal};

/// What a method cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Abilities of the world.
    pub world: &'static [Ability],
    /// Abilities of the world where a language model is in use.
    pub world_with_model: &'static [Ability],
    /// A kind of task.
    pub task: Option<&'static str>,
    /// A world that does its steps in this process.
    pub local: bool,
    /// A model that tells log-probabilities of given texts, where a language model is in use.
    pub scores: bool,
    /// A language model.
    pub language: bool,
}

impl Needs {
    /// Nothing at all.
    pub const NONE: Needs =
        Needs { world: &[], world_with_model: &[], task: None, local: false, scores: false, language: false };

    /// Whether an ability of the world is needed, whatever the model.
    pub fn has(&self, ability: Ability) -> bool {
        self.world.contains(&ability)
    }
}

/// Whether a method can be carried out in a world with a model, at a task of that kind where one is chosen.
///
/// # Errors
/// Why not, in one sentence that says what would be needed.
pub fn fits(method: &MethodInfo, world: &WorldKind, task: Option<&str>, model: &ModelTraits) -> Result<(), String> {
    let Needs { local, scores, language, .. } = method.needs;
    let (id, name) = (method.id, world.name);
    let with_model = if model.language { method.needs.world_with_model } else { &[] };
    for needs in [method.needs.world, with_model] {
        if let Some(why) = refusal(id, needs, world, WORLDS) {
            return Err(why);
        }
    }
    let lacks = |what: &str| Err(format!("{id} needs {what}"));
    if let Some((kind, task)) = method.needs.task.zip(task).filter(|(kind, task)| kind != task) {
        return lacks(&format!("a task of the kind {kind}, and this one is of the kind {task}"));
    }
    if local && world.has(Ability::Remote) {
        return lacks(&format!("a world that does its steps in this program, and {name} is another process"));
    }
    if language && !model.language {
        return lacks("a language model, and none is in use");
    }
    if model.language && scores && !model.scores {
        return lacks(&format!("a model that tells log-probabilities of given texts, and {} does not", model.name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method;
    use crate::world::{dialogue, external, table};

    #[test]
    fn what_is_missing_is_named_in_one_sentence() {
        let info = |id: &str| method::named(id).unwrap().info();
        let model = ModelTraits { name: "m".into(), language: true, ..ModelTraits::default() };
        let why = |id: &str, world: &WorldKind| fits(&info(id), world, None, &model).unwrap_err();
        assert!(why("statler", &dialogue::KIND).contains("has no requests to answer; table has"));
        assert!(why("ff-replan", &dialogue::KIND).contains("the world dialogue: it has no"));
        assert!(why("blocking", &external::KIND).contains("is another process"));
        assert!(why("scored", &dialogue::KIND).contains("log-probabilities of given texts, and m does not"));
        assert_eq!(fits(&info("few-shot"), &dialogue::KIND, None, &model), Ok(()));
        let cups = fits(&info("cups-state"), &table::KIND, Some("weight"), &model).unwrap_err();
        assert!(cups.contains("a task of the kind cups, and this one is of the kind weight"), "{cups}");
        let symbolic = ModelTraits::default();
        let alone = |id: &str| fits(&info(id), &table::KIND, None, &symbolic);
        assert_eq!(alone("statler"), Ok(()));
        assert!(alone("code-as-policies").unwrap_err().contains("a language model"));
    }
}
