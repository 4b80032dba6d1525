//! Calls of the household's texts, and texts of calls, as the precondition paper writes trajectories.
//!
//! Actions are calls on `agent`; what the agent sees are calls on `agent` and `env`. `look`, `inventory`, `help`, examining
//! an object, slicing and refused commands have no call.

use super::Edition;
use super::game::Game;
use super::rules::Command;
use super::state::State;
use stepwright_program::{Call, Literal};
use stepwright_text::words::stripped;
use stepwright_world::ProgramHeader;

/// The calls of a reset: every receptacle is seen, in the order printed.
pub fn reset_calls(game: &Game) -> Vec<Call> {
    vec![Call::new("agent", "update_visible_objects", game.receptacles.iter().map(|r| r.name.as_str()))]
}

/// The calls of a command that was performed: the action's (if it has one) and the observation's; `state` is the state after it.
pub fn calls(game: &Game, state: &State, command: Command) -> (Option<Call>, Vec<Call>) {
    let r = |receptacle| game.receptacle_name(receptacle);
    let o = |object| game.object_name(object);
    let seen = |receptacle| view_calls(game, state, receptacle);
    let changed = |object, property: &str| vec![property_call(o(object), property, true)];
    match command {
        Command::GoTo { receptacle } => (Some(agent("goto", &[r(receptacle)])), seen(receptacle)),
        Command::Open { receptacle } => (Some(agent("open", &[r(receptacle)])), seen(receptacle)),
        Command::Close { receptacle } => {
            (Some(agent("close", &[r(receptacle)])), vec![property_call(r(receptacle), "open", false)])
        }
        Command::Take { object, receptacle } => {
            (Some(agent("take", &[o(object), r(receptacle)])), vec![agent("add_inventory", &[o(object)])])
        }
        Command::Put { object, receptacle } => {
            (Some(agent("put", &[o(object), r(receptacle)])), vec![agent("remove_inventory", &[o(object)])])
        }
        Command::Treat { how, object, receptacle } => {
            (Some(agent(how.verb(), &[o(object), r(receptacle)])), changed(object, how.verb()))
        }
        Command::Use { object } => (Some(agent("toggle", &[o(object)])), changed(object, "toggle")),
        Command::ExamineReceptacle { receptacle } => (None, seen(receptacle)),
        Command::Look | Command::Inventory | Command::Help | Command::Slice { .. } | Command::ExamineObject { .. } => {
            (None, Vec::new())
        }
    }
}

fn view_calls(game: &Game, state: &State, receptacle: usize) -> Vec<Call> {
    let name = game.receptacle_name(receptacle);
    let openable = game.receptacles.get(receptacle).is_some_and(|r| r.openable);
    if openable && !state.is_open(receptacle) {
        return vec![property_call(name, "open", false)];
    }
    let mut names = vec![name];
    names.extend(state.contents.ones(receptacle).map(|o| game.object_name(o)));
    let visible = agent("update_visible_objects", &names);
    match openable {
        false => vec![visible],
        true if names.len() == 1 => vec![property_call(name, "open", true)],
        true => vec![property_call(name, "open", true), visible],
    }
}

fn agent(function: &str, args: &[&str]) -> Call {
    Call::new("agent", function, args.iter().copied())
}

pub(super) fn property_call(name: &str, property: &str, value: bool) -> Call {
    Call::new("env", "set_property", [Literal::from(name), Literal::from(property), Literal::from(value)])
}

/// The call a command's text stands for; does not ask whether it is admissible.
pub fn call_of(text: &str, edition: Edition) -> Option<Call> {
    let text = stripped(text);
    let one = |function, rest: &str| (!rest.is_empty()).then(|| agent(function, &[rest]));
    let two = |function, rest: &str, between: &str| {
        let (object, receptacle) = rest.split_once(between)?;
        // A name that holds the separator could be read two ways; then it stands for no call.
        let clear = !object.is_empty() && !receptacle.is_empty() && !receptacle.contains(between);
        clear.then(|| agent(function, &[object, receptacle]))
    };
    let (verb, rest) = text.split_once(' ')?;
    if stripped(rest) != rest {
        return None;
    }
    match (verb, edition) {
        ("go", _) => one("goto", rest.strip_prefix("to ")?.trim_start()).filter(|_| !rest.starts_with("to  ")),
        ("open", _) => one("open", rest),
        ("close", _) => one("close", rest),
        ("use", _) => one("toggle", rest),
        ("take", _) => two("take", rest, " from "),
        ("put", Edition::Put) => two("put", rest, " in/on "),
        ("move", Edition::Move) => two("put", rest, " to "),
        ("clean" | "heat" | "cool", _) => two(verb, rest, " with "),
        _ => None,
    }
}

/// The text of an action call; the inverse of [`call_of`].
pub fn text_of(call: &Call, edition: Edition) -> Option<String> {
    let names: Option<Vec<&str>> = call.args.iter().map(Literal::text).collect();
    let text = match (call.function.as_str(), names?.as_slice()) {
        ("goto", [r]) => format!("go to {r}"),
        ("open", [r]) => format!("open {r}"),
        ("close", [r]) => format!("close {r}"),
        ("toggle", [o]) => format!("use {o}"),
        ("take", [o, r]) => format!("take {o} from {r}"),
        ("put", [o, r]) => match edition {
            Edition::Put => format!("put {o} in/on {r}"),
            Edition::Move => format!("move {o} to {r}"),
        },
        (verb @ ("clean" | "heat" | "cool"), [o, r]) => format!("{verb} {o} with {r}"),
        _ => return None,
    };
    // Only names that read back as the same call have a text.
    (call_of(&text, edition).as_ref() == Some(call)).then_some(text)
}

pub fn header(task: &str) -> ProgramHeader {
    ProgramHeader {
        function: function_name(task),
        comment: task.to_owned(),
        setup: vec!["env = Environment()".to_owned(), "agent = Agent(env)".to_owned()],
    }
}

/// The sentence without its stop, every character that is no word character turned to `_`; made an identifier if it is none.
fn function_name(task: &str) -> String {
    let sentence = task.trim().trim_end_matches('.');
    let mut name: String = sentence.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.chars().next().is_none_or(|c| c.is_numeric()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calls_are_inverse() {
        let pairs = [
            ("go to drawer 4", "agent.goto('drawer 4')"),
            ("open fridge 1", "agent.open('fridge 1')"),
            ("close fridge 1", "agent.close('fridge 1')"),
            ("take mug 1 from shelf 2", "agent.take('mug 1', 'shelf 2')"),
            ("put mug 1 in/on desk 1", "agent.put('mug 1', 'desk 1')"),
            ("clean mug 1 with sinkbasin 1", "agent.clean('mug 1', 'sinkbasin 1')"),
            ("heat mug 1 with microwave 1", "agent.heat('mug 1', 'microwave 1')"),
            ("cool mug 1 with fridge 1", "agent.cool('mug 1', 'fridge 1')"),
            ("use desklamp 1", "agent.toggle('desklamp 1')"),
        ];
        for (text, call) in pairs {
            let call: Call = call.parse().unwrap();
            assert_eq!(call_of(text, Edition::Put).as_ref(), Some(&call), "{text}");
            assert_eq!(text_of(&call, Edition::Put).as_deref(), Some(text));
        }
        let put: Call = "agent.put('mug 1', 'desk 1')".parse().unwrap();
        assert_eq!(text_of(&put, Edition::Move).as_deref(), Some("move mug 1 to desk 1"));
        assert_eq!(call_of("move mug 1 to desk 1", Edition::Move), Some(put));
        // White space is Python's, as in the world.
        assert_eq!(call_of("\u{1f}go to desk 1\x1c", Edition::Put), call_of("go to desk 1", Edition::Put));
    }

    #[test]
    fn what_has_no_call_has_none() {
        for text in [
            "", "look", "inventory", "help", "examine mug 1", "slice apple 1 with knife 1", "go to", "go to ",
            "go desk 1", "take mug 1", "move mug 1 to desk 1", "think: where is it", "take a from b from c",
            "open  desk 1", "go to  x",
        ] {
            assert_eq!(call_of(text, Edition::Put), None, "{text}");
        }
        for call in
            ["agent.goto()", "agent.goto('')", "agent.goto(' a')", "agent.fly('a')", "env.goto('a')", "agent.goto(1)"]
        {
            assert_eq!(text_of(&call.parse().unwrap(), Edition::Put), None, "{call}");
        }
    }

    #[test]
    fn the_function_is_named_after_the_task() {
        assert_eq!(header("put a mug in desk.").function, "put_a_mug_in_desk");
        assert_eq!(header("2 mugs").function, "_2_mugs");
        assert_eq!(header("...").function, "_");
    }
}
