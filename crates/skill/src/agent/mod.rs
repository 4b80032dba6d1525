//! Agent by skills without a language model: divides a task into calls by the plans it knows, and carries out a call by the
//! primitives of its skill and their needs. It uses knowledge and observations, and nothing else: with no knowledge it
//! does nothing.
//!
//! A skill that is named after the first word of one of its primitives is done when that primitive was taken; another is done when
//! the thing it is called with is in view. `division` is of tasks, `aim` of the one call at hand.

mod aim;
mod division;

use std::collections::BTreeMap;

pub(crate) use division::divide;

use crate::call::SkillCall;
use crate::form::{Form, kind_of};
use crate::knowledge::{Knowledge, Skill};
use crate::scene::Scene;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Past {
    Call(SkillCall),
    /// An action, what was observed, and whether the world is known to have refused it.
    Act {
        action: String,
        observation: String,
        refused: bool,
    },
    /// The skill gave control back.
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Call {
        call: SkillCall,
        why: String,
    },
    Act {
        action: String,
        why: String,
    },
    /// The skill gives control back.
    Done {
        message: String,
        reached: bool,
    },
    /// It has nothing to do any more, or does not know how: why, in words.
    Stuck(String),
}

struct Mind<'a> {
    knowledge: &'a Knowledge,
    forms: Vec<Form>,
    scene: Scene,
    /// Which thing each argument was acted out on.
    names: BTreeMap<String, String>,
    called: Vec<SkillCall>,
    open: Option<SkillCall>,
    /// Actions refused in this call, with how much had been done before.
    refused: Vec<(String, usize)>,
    /// Whether the last action taken was taken in this call.
    acted_in_call: bool,
}

/// Why nothing is done by skills of which only a language model can make use.
pub const NO_RULES: &str =
    "these skills have no rules (`[[action]]`, `[[plan]]`) that a program could go by; a language model can use them";

/// The agent's next line, from the task, the first observation and all steps since.
pub fn next(knowledge: &Knowledge, task: &str, first: &str, past: &[Past]) -> Next {
    if knowledge.skills.is_empty() {
        return Next::Stuck("no skill is known".to_owned());
    }
    if knowledge.rules.actions.is_empty() {
        return Next::Stuck(NO_RULES.to_owned());
    }
    let mind = Mind::follow(knowledge, first, past);
    match &mind.open {
        Some(call) => mind.carry_out(call),
        None => mind.call(task),
    }
}

impl<'a> Mind<'a> {
    fn follow(knowledge: &'a Knowledge, first: &str, past: &[Past]) -> Self {
        let forms = knowledge.rules.actions.iter().filter_map(|rule| Form::read(&rule.form)).collect();
        let mut mind = Mind {
            knowledge,
            forms,
            scene: Scene::begin(first),
            names: BTreeMap::new(),
            called: Vec::new(),
            open: None,
            refused: Vec::new(),
            acted_in_call: false,
        };
        for event in past {
            match event {
                Past::Call(call) => {
                    mind.called.push(call.clone());
                    mind.open = Some(call.clone());
                    mind.refused.clear();
                    mind.acted_in_call = false;
                }
                Past::Done => mind.open = None,
                Past::Act { action, observation, refused } => mind.acted(action, observation, *refused),
            }
        }
        mind
    }

    fn acted(&mut self, action: &str, observation: &str, refused: bool) {
        let taken = !refused && !self.knowledge.rules.refuses(observation);
        self.scene.step(&self.forms, action, observation, taken);
        if !taken {
            self.refused.push((action.to_owned(), self.scene.done.len()));
            return;
        }
        self.acted_in_call = self.open.is_some();
        let own = self.open.as_ref().and_then(|call| {
            let skill = self.knowledge.skill(&call.skill)?;
            let binding = own(skill)?.bind(action)?;
            Some((skill, call, binding))
        });
        if let Some((skill, call, binding)) = own {
            for (parameter, name) in skill.signature.parameters.iter().zip(&call.args) {
                if let Some(thing) = binding.get(parameter) {
                    self.names.insert(name.clone(), thing.clone());
                }
            }
        }
    }

    /// Whether an action was refused as things stand, or again after something else was done.
    fn was_refused(&self, action: &str) -> bool {
        let mut times = self.refused.iter().filter(|(refused, _)| refused == action).map(|(_, done)| *done);
        times.clone().count() > 1 || times.any(|done| done == self.scene.done.len())
    }

    fn call(&self, task: &str) -> Next {
        let Some(plan) = divide(&self.knowledge.rules, task, &self.scene.places) else {
            return Next::Stuck("no plan is known for such a task".to_owned());
        };
        // Calls that were made, in the order of the plan; others between them do no harm.
        let mut made = 0;
        for call in &self.called {
            made += usize::from(plan.get(made) == Some(call));
        }
        match plan.get(made) {
            Some(call) if self.knowledge.skill(&call.skill).is_none() => {
                Next::Stuck(format!("the plan calls {call}, and there is no such skill"))
            }
            Some(call) => {
                let rest: Vec<String> = plan.iter().skip(made + 1).map(ToString::to_string).collect();
                let then = if rest.is_empty() { String::new() } else { format!(", then {}", rest.join(", ")) };
                Next::Call { call: call.clone(), why: format!("step {} of the plan{then}", made + 1) }
            }
            None => Next::Stuck("every call of the plan was made".to_owned()),
        }
    }

    /// The word for things that an argument names: `mug` of `mug2`.
    fn kind<'n>(&self, name: &'n str) -> &'n str {
        let is_kind = |word: &str| self.scene.things().iter().any(|thing| kind_of(thing) == word);
        if is_kind(name) { name } else { name.trim_end_matches(|c: char| c.is_ascii_digit()) }
    }

    /// The things that an argument may stand for: the one it was acted out on, else those of its kind that no other argument has.
    fn meant(&self, name: &str) -> Vec<String> {
        if let Some(thing) = self.names.get(name) {
            return vec![thing.clone()];
        }
        let kind = self.kind(name);
        let taken = |thing: &str| self.names.iter().any(|(other, own)| other != name && own == thing);
        let all = self.scene.things().into_iter().filter(|thing| kind_of(thing) == kind && !taken(thing));
        all.map(str::to_owned).collect()
    }

    fn carry_out(&self, call: &SkillCall) -> Next {
        let Some(skill) = self.knowledge.skill(&call.skill) else {
            return Next::Done { message: format!("{} is no skill", call.skill), reached: false };
        };
        let found = match own(skill) {
            Some(form) => self.act_out(skill, call, &form),
            None => self.bring_into_view(skill, call),
        };
        let failed = |why: String| Next::Done { message: format!("{call} could not be done: {why}"), reached: false };
        found.unwrap_or_else(failed)
    }

    /// Whether the last action taken in this call was the form with what the call names.
    fn was_done(&self, skill: &Skill, call: &SkillCall, form: &Form) -> bool {
        let last = self.scene.done.last().filter(|done| self.acted_in_call && done.verb == form.verb());
        last.is_some_and(|done| {
            let mut named = skill.signature.parameters.iter().zip(&call.args);
            named.all(|(slot, name)| done.binding.get(slot).is_none_or(|thing| kind_of(thing) == self.kind(name)))
        })
    }
}

pub(crate) fn own(skill: &Skill) -> Option<Form> {
    let named = |form: &Form| form.verb().split_whitespace().next() == Some(skill.signature.name.as_str());
    skill.primitives.iter().filter_map(|primitive| Form::read(&primitive.syntax)).find(named)
}

#[cfg(test)]
mod tests;
