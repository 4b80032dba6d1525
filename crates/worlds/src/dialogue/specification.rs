//! Specification of a service as a program: the classes of Figure 4 of the precondition paper, made from its schema.
//!
//! Every action's body is `pass`: the preconditions are left for methods and users to find.

use super::acts::{QUERY_STATUS, SYSTEM, SYSTEM_ACTS, USER, USER_ACTS};
use super::schema::Service;

/// Class USER: how what the user says changes what the system knows; and the head of class SYSTEM.
const CLASSES: &str = include_str!("../../worlds/dialogue/classes.py");

pub(super) fn of(service: &Service) -> String {
    let functions = SYSTEM_ACTS.iter().map(|(name, argument)| (*name, argument.parameter()));
    let functions: Vec<(&str, Option<&str>)> =
        functions.chain(service.intents.iter().map(|i| (i.name.as_str(), None))).collect();
    let list =
        |names: &mut dyn Iterator<Item = String>| names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let actions = list(&mut functions.iter().map(|(name, _)| format!("{SYSTEM}.{name}")));
    let heard = USER_ACTS.iter().map(|(name, _)| format!("{USER}.{name}"));
    let observations = list(&mut heard.chain([format!("{SYSTEM}.{QUERY_STATUS}")]));
    let about = quiet(&service.name);
    let mut text = format!("\"\"\"{about} as a program: what the user says and what the system can do.\n");
    if !service.description.is_empty() {
        text.push_str(&format!("\n{}\n", quiet(&service.description)));
    }
    text.push_str(&format!(
        "\"\"\"\n\nfrom collections import defaultdict\n\nSETUP = ['user = USER()', 'system = SYSTEM(user)']\n\
         ACTIONS = [{actions}]\nOBSERVATIONS = [{observations}]\n\n\n{CLASSES}"
    ));
    for (name, parameter) in functions {
        let parameter = parameter.map(|p| format!(", {p}")).unwrap_or_default();
        text.push_str(&format!("\n    def {name}(self{parameter}):\n        pass\n"));
    }
    text
}

/// A text that neither ends a docstring nor escapes anything in it.
fn quiet(text: &str) -> String {
    let safe = |c: char| match c {
        '"' => '\'',
        '\\' => '/',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(safe).collect()
}
