//! Calls of the texts of actions, and texts of calls: `[PUTIN] <cup> (1) <sink> (2)` is `person.putin('cup_1', 'sink_2')`.

use stepwright_graph::{Action, Line, script};

use super::names;
use stepwright_program::{Call, Literal};
use stepwright_world::ProgramHeader;

/// The name by which programs call the person.
pub(crate) const PERSON: &str = "person";

pub(crate) fn things_of(line: &Line) -> Vec<String> {
    line.params.iter().map(|param| format!("{}_{}", param.name, param.number)).collect()
}

pub(crate) fn call_of_line(line: &Line) -> Call {
    Call::new(PERSON, &line.action.name().to_lowercase(), things_of(line))
}

/// The call of a text; does not ask whether it would succeed.
pub fn call_of(text: &str) -> Option<Call> {
    script::parse_line(text).ok().map(|line| call_of_line(&line))
}

/// The text of an action's call; the inverse of [`call_of`].
pub fn text_of(call: &Call) -> Option<String> {
    let action: Action = call.function.to_uppercase().parse().ok()?;
    let mut params = Vec::with_capacity(call.args.len());
    for arg in &call.args {
        let Literal::Str(name) = arg else { return None };
        params.push(names::parts(name)?);
    }
    let text = Line { action, params }.to_string();
    (call_of(&text).as_ref() == Some(call)).then_some(text)
}

pub fn header(id: &str, sentence: &str) -> ProgramHeader {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    ProgramHeader {
        function: format!("do_{id}").chars().map(word).collect(),
        comment: sentence.split_whitespace().collect::<Vec<_>>().join(" "),
        setup: vec!["home = Home()".to_owned(), "person = Person(home)".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calls_are_inverse() {
        for (text, call) in [
            ("[WALK] <home_office> (1)", "person.walk('home_office_1')"),
            ("[PUTIN] <cup> (2) <sink> (1)", "person.putin('cup_2', 'sink_1')"),
            ("[STANDUP]", "person.standup()"),
        ] {
            assert_eq!(call_of(text).unwrap().to_string(), call);
            assert_eq!(text_of(&call.parse().unwrap()).as_deref(), Some(text));
        }
        for call in
            ["person.fly('cup_1')", "person.grab('cup')", "person.grab(1)", "home.grab('cup_1')", "person.grab()"]
        {
            assert_eq!(text_of(&call.parse().unwrap()), None, "{call}");
        }
    }
}
