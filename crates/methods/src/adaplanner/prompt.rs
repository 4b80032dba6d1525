//! Prompts of AdaPlanner: the agent's class without its bodies, a solution of the task's kind, the task with the things there are.

use serde::Serialize;
use stepwright_skill::code;
use stepwright_trajectory::react::first;

use crate::code_policy;
use crate::react::examples_of;
use stepwright_episode::PromptRecord;
use stepwright_method::Context;
use stepwright_method::publications::Interface;
use stepwright_text::words::stripped;

/// The file of a world's agent as a class, and that of the solutions of its kinds of tasks.
const AGENT: &str = "agent.py";
const SOLUTIONS: &str = "solutions.py";
/// How a solution is headed in its file, before the kind.
const HEAD: &str = "# == ";
/// Worked episodes in a prompt where there is no solution of the kind.
const EPISODES: usize = 2;
/// Actions that are listed where no things are seen at first.
const LISTED: usize = 40;

/// An agent's class.
pub(super) struct Class {
    /// Its code.
    pub(super) text: &'static str,
    /// What it calls the things that it is made with.
    pub(super) things: &'static str,
}

/// The agent's class of the world, else one whose only method does an action by its text.
pub(super) fn agent_of(cx: &Context<'_>) -> Class {
    let text = cx.world.kind().file(AGENT).map_or(include_str!("agent.py"), |file| file.text);
    let made = text.split_once("__init__(self, ").and_then(|(_, rest)| rest.split_once(')'));
    Class { text, things: made.map_or("things", |(things, _)| things) }
}

/// The line of a class behind which its methods are not shown.
const UNSHOWN: &str = "    # Not shown in prompts:";

/// A class as a prompt shows it: without what is nobody's business, and without the bodies of its methods.
fn shown(class: &str) -> String {
    let body = class.lines().skip_while(|line| !line.starts_with("class ")).collect::<Vec<_>>();
    let end = body
        .iter()
        .skip(1)
        .position(|line| line.starts_with(|c: char| !c.is_whitespace()) || *line == UNSHOWN)
        .map_or(body.len(), |at| at + 1);
    let (mut lines, mut left_out) = (Vec::new(), false);
    for line in body.into_iter().take(end) {
        if line.trim_start().starts_with("def ") {
            left_out = !line.contains("__init__");
            lines.push(line);
            lines.extend(left_out.then_some("        ..."));
        } else if !(line.contains("self._")
            || line.trim_start().starts_with('_')
            || left_out && line.starts_with("        "))
        {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

/// The attributes that prompts show of the agent.
pub(super) fn attributes(cx: &Context<'_>) -> Vec<String> {
    let class = shown(agent_of(cx).text);
    let set = class.lines().filter_map(|line| line.trim_start().strip_prefix("self.")?.split_once(" = "));
    set.map(|(name, _)| name.to_owned()).collect()
}

/// The solution of a task of that kind in a file of solutions.
fn solution(file: &'static str, kind: &str) -> Option<&'static str> {
    let all = file.split(HEAD).skip(1).filter_map(|part| part.split_once('\n'));
    all.into_iter().find(|(of, _)| of.trim() == kind).map(|(_, text)| text.trim())
}

/// The things that the first observation names with their numbers; where it names none, actions there are.
pub(super) fn things(cx: &Context<'_>) -> Vec<String> {
    let seen = cx.path().first().map(|reset| first(&reset.outcome.observation)).unwrap_or_default();
    let things: Vec<String> = code::find_all(r"\b\w+ \d+\b", &seen).into_iter().map(str::to_owned).collect();
    if things.is_empty() {
        cx.world.admissible().unwrap_or_default().into_iter().take(LISTED).collect()
    } else {
        things
    }
}

/// A list of texts as Python prints it.
fn list(texts: &[String]) -> String {
    let text = |text: &String| {
        let text = text.replace('\\', "\\\\").replace('\n', "\\n");
        if text.contains('\'') && !text.contains('"') {
            format!("\"{text}\"")
        } else {
            format!("'{}'", text.replace('\'', "\\'"))
        }
    };
    format!("[{}]", texts.iter().map(text).collect::<Vec<_>>().join(", "))
}

#[derive(Serialize)]
struct Material<'a> {
    about: String,
    agent: String,
    name: &'static str,
    example: &'static str,
    episodes: Vec<String>,
    receptacle_list: String,
    task: &'a str,
    /// Empty where the program came to its end.
    error_msg: &'a str,
}

/// `left`: the things as programs left them, where they did.
fn material<'a>(cx: &'a Context<'_>, error_msg: &'a str, left: Option<&str>) -> Result<Material<'a>, String> {
    let (examples, class, kind) = (examples_of(cx)?, agent_of(cx), cx.knowledge.kind.as_str());
    let solved = cx.world.kind().file(SOLUTIONS).and_then(|file| solution(file.text, kind));
    let most = if solved.is_some() { 0 } else { EPISODES };
    let episodes = examples.choose(kind, &cx.session.header.task, most);
    Ok(Material {
        episodes: episodes.iter().map(|example| example.text.clone()).collect(),
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about.clone() },
        agent: shown(class.text),
        name: class.things,
        example: solved.unwrap_or_default(),
        receptacle_list: left.map_or_else(|| list(&things(cx)), str::to_owned),
        task: cx.session.header.sentence.trim(),
        error_msg,
    })
}

/// A prompt of one text; where the model takes chat messages without white space at its ends, as published.
fn message<C: Serialize>(
    cx: &Context<'_>,
    purpose: &str,
    template: &str,
    material: &C,
) -> Result<PromptRecord, String> {
    let mut prompt = code_policy::message(cx, purpose, template, material)?;
    if cx.interface(purpose) != Interface::Text {
        prompt.messages.iter_mut().for_each(|message| message.text = stripped(&message.text).to_owned());
    }
    Ok(prompt)
}

pub(super) fn plan(cx: &Context<'_>) -> Result<PromptRecord, String> {
    message(cx, "plan", "adaplanner/plan", &material(cx, "", None)?)
}

/// The prompt for a correction; an empty error is that of a program which came to its end. `left`: the things as programs left them.
pub(super) fn fix(cx: &Context<'_>, error: &str, left: Option<&str>) -> Result<PromptRecord, String> {
    message(cx, "fix", "adaplanner/fix", &material(cx, error, left)?)
}

pub(super) fn check(cx: &Context<'_>, solution_func: &str) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Checked<'a> {
        solution_func: &'a str,
    }
    message(cx, "check", "adaplanner/check", &Checked { solution_func })
}

pub(super) fn start(cx: &Context<'_>, previous: &str, revised: &str) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Started<'a> {
        previous_solution: &'a str,
        revised_solution: &'a str,
    }
    message(cx, "start", "adaplanner/start", &Started { previous_solution: previous, revised_solution: revised })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_class_is_shown_without_its_bodies() {
        let shown = shown(include_str!("agent.py"));
        assert_eq!(
            shown,
            "class Agent:\n    def __init__(self, things):\n        self.things = things\n\n    # Does an action, given as its text. Returns \
             what is seen then.\n    def do(self, action):\n        ...\n\n    # The last three acts with what was seen. For the messages of \
             assertions only.\n    def report(self):\n        ..."
        );
    }

    #[test]
    fn what_is_beside_the_published_class_is_not_shown() {
        let class = format!(
            "class Agent:\n    def __init__(self, places):\n        self.at = None\n        _begun(self)\n\n    def go(self):\n        return 1\n\n\
             {UNSHOWN}\n    def see(self):\n        return 2\n\ndef _begun(agent):\n    pass\n"
        );
        assert_eq!(
            shown(&class),
            "class Agent:\n    def __init__(self, places):\n        self.at = None\n\n    def go(self):\n        ..."
        );
    }

    #[test]
    fn every_kind_of_the_worlds_tasks_with_solutions_has_one() {
        let with = stepwright_worlds::WORLDS.iter().filter_map(|world| Some((world, world.file(SOLUTIONS)?)));
        let mut seen = 0;
        for (world, file) in with {
            let sources = stepwright_worlds::sources();
            for task in sources.tasks(world.name, None).unwrap() {
                let text = solution(file.text, &task.kind).unwrap_or_default();
                assert!(text.contains("def solution(agent, start_from=1):"), "{}: {}", world.name, task.kind);
                assert!(text.contains("ask(") && text.contains("assert "), "{}", task.kind);
                assert!(!text.contains(&task.id), "{}", task.id);
                seen += 1;
            }
        }
        assert!(seen > 0);
    }

    #[test]
    fn prompts_have_the_published_parts_in_their_order() {
        let material = json!({
            "about": "ABOUT", "agent": "class Agent: STUBS", "name": "things", "example": "EXAMPLE", "episodes": [],
            "receptacle_list": "['LIST']", "task": "TASK", "error_msg": "ERROR", "solution_func": "FUNCTION",
            "previous_solution": "PREVIOUS", "revised_solution": "REVISED",
        });
        let head = ["ABOUT", "literal_eval(", "ask(question)", "class Agent: STUBS"];
        let task = ["EXAMPLE", "things = ['LIST']", "Agent(things)", "TASK"];
        let end = "def solution(agent, start_from=1):";
        for (name, parts) in [
            ("plan", [&head[..], &["[Step N]", "assertion"], &task, &[end]].concat()),
            ("fix", [&head[..], &task, &["ERROR", end]].concat()),
            ("check", vec!["[Code]", "FUNCTION", "[Decision]", "[Revised code]"]),
            ("start", vec!["[Previous solution]", "PREVIOUS", "[Revised solution]", "REVISED"]),
        ] {
            let prompt = stepwright_method::prompting::Prompting::default()
                .render(&format!("adaplanner/{name}"), &material)
                .unwrap();
            let text = &prompt.messages[0].text;
            let mut at = 0;
            for part in parts {
                at += text[at..].find(part).unwrap_or_else(|| panic!("{name}: no {part} in its place: {text}"))
                    + part.len();
            }
            assert_eq!(
                (prompt.messages.len(), name == "check" || name == "start" || text.ends_with(end)),
                (1, true),
                "{name}"
            );
        }
    }

    #[test]
    fn lists_are_written_as_python_prints_them() {
        let texts = ["a 1", "b's", "\"c\"", "d'\""].map(str::to_owned);
        assert_eq!(list(&texts), r#"['a 1', "b's", '"c"', 'd\'"']"#);
    }
}
