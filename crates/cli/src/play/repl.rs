//! Prompt to type actions at: history, completion over the admissible actions, undo.

use std::io::{BufRead, IsTerminal};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::{CliError, print, print_json};
use stepwright_program::Call;
use stepwright_program::tools::Toolbox;
use stepwright_text::sanitize::{line, visible};
use stepwright_trajectory::{Step, program};
use stepwright_world::{Outcome, ProgramHeader, Snapshot, World};

const HELP: &str = "\
Type an action (Tab completes), or:
  :actions   the admissible actions (also :admissible)
  :program   the trajectory as a program
  :state     the world's hidden state
  :undo      take the last action back
  :help      this list
  :quit      leave (or Ctrl-D)
";

/// Plays until the person leaves or the input ends.
pub fn play(world: &mut dyn World, reset: &Outcome, goal: &str) -> Result<(), CliError> {
    let mut game = Game { calls: reset.calls().cloned().collect(), past: Vec::new(), steps: 0, won: reset.won };
    if !reset.observation.contains(goal) {
        print(&format!("{}\n\n", visible(goal)))?;
    }
    print(&format!("{}\n\nType an action; :help lists what else there is.\n", visible(&reset.observation)))?;
    if !std::io::stdin().is_terminal() {
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            print(&format!("> {}\n", visible(&line)))?;
            if !game.take(world, line.trim())? {
                break;
            }
        }
        return Ok(());
    }
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
    let failed = |e: ReadlineError| CliError::Failed(e.to_string());
    let mut editor = Editor::<Actions, MemHistory>::with_history(config, MemHistory::new()).map_err(failed)?;
    loop {
        // The editor prints what it completes: what could act on the terminal is not offered.
        let mut actions = listed(world);
        actions.retain(|action| line(action) == *action);
        editor.set_helper(Some(Actions { actions, tools: world.tools() }));
        match editor.readline("> ") {
            Ok(line) => match game.take(world, line.trim()) {
                Ok(true) => {}
                Ok(false) => break,
                // A world in another process is begun anew by the next action: nothing is lost.
                Err(CliError::World(why)) => {
                    print(&format!(
                        "{}\nThe next action begins it anew, from where it was.\n",
                        visible(&why.to_string())
                    ))?;
                }
                Err(e) => return Err(e),
            },
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => break,
            Err(e) => return Err(failed(e)),
        }
    }
    Ok(())
}

/// The prompt's memory of the episode.
struct Game {
    calls: Vec<Call>,
    past: Vec<(Snapshot, usize, bool)>,
    steps: usize,
    won: bool,
}

impl Game {
    /// Takes one line; returns whether to continue.
    fn take(&mut self, world: &mut dyn World, line: &str) -> Result<bool, CliError> {
        match line {
            "" => {}
            ":quit" | ":q" => return Ok(false),
            ":help" | ":h" => print(HELP)?,
            ":actions" | ":admissible" | ":a" => {
                let listed = listed(world).join("\n");
                let none = "The world lists no actions: any text is one.";
                print(&format!("{}\n", if listed.is_empty() { none.into() } else { visible(&listed) }))?
            }
            ":program" | ":p" => {
                let header = world.header();
                let header = ProgramHeader { comment: visible(&header.comment).into_owned(), ..header };
                let step = Step { calls: self.calls.clone(), ..Step::default() };
                print(&program::write(&header.opening(), &[step], false, 0))?;
            }
            ":state" | ":s" => print_json(&format!("{:#}\n", world.truth()))?,
            ":undo" | ":u" => self.undo(world)?,
            command if command.starts_with(':') => print(&format!("No such command: {command}. :help lists them.\n"))?,
            action => self.act(world, action)?,
        }
        Ok(true)
    }

    fn act(&mut self, world: &mut dyn World, action: &str) -> Result<(), CliError> {
        let before = (world.snapshot(), self.calls.len(), self.won);
        let outcome = world.act(action)?;
        self.past.push(before);
        self.steps += 1;
        self.calls.extend(outcome.calls().cloned());
        print(&format!("{}\n", visible(&outcome.observation)))?;
        if let Some(why) = &outcome.error {
            // To who typed what is listed the list says nothing new.
            let listed = listed(world);
            let helps = !listed.is_empty() && !listed.iter().any(|one| one == action);
            print(&refused(why, &outcome.observation, helps))?;
        }
        if outcome.done && !outcome.won && outcome.error.is_none() {
            let goal = if outcome.untold { "whether the goal holds is not known" } else { "the goal does not hold" };
            print(&format!("The episode is over; {goal}. :undo takes the step back, :quit leaves.\n"))?;
        }
        if outcome.won && !self.won {
            print(&format!(
                "The goal holds after {}. Go on playing, or :quit.\n",
                stepwright_text::words::count(self.steps, "step")
            ))?;
        }
        self.won = outcome.won;
        Ok(())
    }

    fn undo(&mut self, world: &mut dyn World) -> Result<(), CliError> {
        let Some((snapshot, calls, won)) = self.past.pop() else { return print("Nothing to undo.\n") };
        world.restore(&snapshot)?;
        self.calls.truncate(calls);
        self.steps -= 1;
        self.won = won;
        print("Taken back.\n")
    }
}

/// That the world refused an action, and why unless what was observed says it.
fn refused(why: &str, observed: &str, list_helps: bool) -> String {
    let why = if why.trim() == observed.trim() {
        String::new()
    } else {
        format!(": {}", line(why.trim().trim_end_matches('.')))
    };
    let list = if list_helps { "; :actions lists what can be done now" } else { "" };
    format!("(refused{why}{list})\n")
}

/// The admissible actions, or how the tools are called that actions may call.
fn listed(world: &dyn World) -> Vec<String> {
    let forms = || world.tools().map(|tools| tools.forms()).unwrap_or_default();
    world.admissible().unwrap_or_else(forms)
}

/// Completes over the admissible actions, calls of tools and the prompt's own commands.
struct Actions {
    actions: Vec<String>,
    tools: Option<Toolbox>,
}

impl Completer for Actions {
    type Candidate = String;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..cursor).unwrap_or(line);
        let calling = self.tools.as_ref().filter(|_| !before.starts_with(':')).map(|tools| tools.complete(before));
        if let Some(ways) = calling.filter(|ways| !ways.words.is_empty()) {
            return Ok((ways.from, ways.words));
        }
        let typed = before.trim_start();
        let own = [":actions", ":admissible", ":help", ":program", ":quit", ":state", ":undo"];
        let all = self.actions.iter().map(String::as_str).chain(own);
        Ok((0, all.filter(|a| a.starts_with(typed)).map(str::to_owned).collect()))
    }
}

impl Hinter for Actions {
    type Hint = String;
}

impl Highlighter for Actions {}
impl Validator for Actions {}
impl Helper for Actions {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_commands_and_calls_of_tools_are_completed() {
        let tool = serde_json::json!([{ "name": "get_order", "parameters": { "properties": { "id": {} } } }]);
        let actions = ["look", "go to bed 1", "go to desk 1"].map(str::to_owned).to_vec();
        let ways = |typed: &str, tools: Option<Toolbox>| {
            let helper = Actions { actions: actions.clone(), tools };
            let history = MemHistory::new();
            helper.complete(typed, typed.len(), &Context::new(&history)).unwrap().1
        };
        assert_eq!(ways("go", None), ["go to bed 1", "go to desk 1"]);
        assert_eq!(ways(" go to d", None), ["go to desk 1"]);
        assert_eq!(ways(":a", None), [":actions", ":admissible"]);
        assert!(ways("fly", None).is_empty());
        let tools = || Some(Toolbox::of_json(&tool));
        assert!(ways("get", tools()).iter().any(|way| way.contains("get_order")), "{:?}", ways("get", tools()));
        assert_eq!(ways(":u", tools()), [":undo"]);
    }

    #[test]
    fn a_refusal_says_why_unless_that_was_observed() {
        assert_eq!(
            refused("no way.\n", "You stand.", true),
            "(refused: no way; :actions lists what can be done now)\n"
        );
        assert_eq!(
            refused("Nothing happens.", "Nothing happens.\n", true),
            "(refused; :actions lists what can be done now)\n"
        );
        assert!(refused("a\u{1b}[2Jb\nc", "", false).starts_with("(refused: a\\x1b[2Jb\\nc)"));
    }
}
