//! What is in use, which a person may change in mid-session, and what steps were decided under: each keeps it.

use super::event::Configuration;
use super::in_use::InUse;
use super::role::{self, Role};
use super::session::{Node, Session};

impl InUse {
    /// That they are in use from a step on; after it the options that were changed with them, models of roles aside.
    pub(super) fn announced(&self, changed: &Configuration) -> String {
        let of_role = |key: &str| Role::ALL.into_iter().any(|role| role.key() == key);
        let options = changed.options.iter().filter(|(key, _)| !of_role(key));
        let options: String = options.map(|(key, value)| format!(", {key} {value}")).collect();
        format!("{} with {} from here on{options}", self.method, self.model)
    }
}

impl Session {
    /// The method and the model in use now.
    pub fn in_use(&self) -> InUse {
        InUse { method: self.method.clone(), model: role::in_words(&self.model, &self.options) }
    }

    /// The methods and the models that the steps to these nodes were decided under, in order, each once: `react then few-shot`. Those in use
    /// now where no step is among them.
    pub fn decided_under<'a>(&self, nodes: impl Iterator<Item = &'a Node>) -> InUse {
        let (mut methods, mut models): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for under in nodes.filter(|node| node.parent.is_some()).map(|node| &node.under) {
            for (all, one) in [(&mut methods, &under.method), (&mut models, &under.model)] {
                if !one.is_empty() && !all.contains(&one.as_str()) {
                    all.push(one);
                }
            }
        }
        if methods.is_empty() && models.is_empty() {
            return self.in_use();
        }
        InUse { method: methods.join(" then "), model: models.join(" then ") }
    }
}
