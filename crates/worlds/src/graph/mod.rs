//! Household graph: VirtualHome's evolving graph, in which a person walks, takes, opens, switches and sits, step by step.
//!
//! The rules are the crate `stepwright-graph`. Here is what makes a world of them: `source` finds scenes and tasks, `names` calls
//! things by class and number, `goal` judges tasks, `facts` gives literals, `program` reads actions as calls and `observe` gives what is
//! seen as calls, `admissible` lists what can be done, `language` puts it into words, `truth` and `plan` display the household,
//! and `world` puts it together. `agent` acts without a language model.

mod admissible;
pub mod agent;
mod facts;
mod goal;
mod language;
mod names;
mod observe;
mod plan;
mod program;
mod source;
#[cfg(test)]
mod tests;
mod truth;
mod world;

pub use source::{Source, Task};
pub use world::GraphWorld;

use crate::shipped_file::shipped;
use stepwright_world::{Ability, DataSpec, Sight, WorldKind};

stepwright_world::option_specs! {
    pub RUN: "run", "Run", "how the household graph runs steps", [
        "script" = "the steps so far are one script on the scene as it is",
        "step" = "each step is a script of its own, which remembers nothing of those before",
        "prepared" = "what the steps so far presume is made true first, missing things are added, and all run again",
        "prepared-step" = "the same for each step alone, a script of its own on the household as it is by then"
    ] or "script";
}

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Plan,
    options: &[RUN],
    data: Some(DataSpec {
        about: "VirtualHome: a copy of it, its scenes, or one scene file (docs/reference/graph.md)",
        env: "STEPWRIGHT_VIRTUALHOME",
        lies_at: Source::lies_at,
        demonstrations: false,
    }),
    steps: 40,
    abilities: &[
        Ability::Admissible,
        Ability::Preview,
        Ability::Facts,
        Ability::Things,
        Ability::Requests,
        Ability::Language,
        Ability::Picture,
    ],
    files: &[shipped!("graph", "react.txt")],
    suggests: Some("reprompt"),
    agent: Some(agent::learn),
    ..WorldKind::new(
        "graph",
        "a household as a graph: walk, grab, open, put, switch, sit and read in the apartments of VirtualHome or of your own",
        |origin| origin.read(Source::shipped, Source::open),
    )
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    #[default]
    Script,
    Step,
    /// The presumptions of the steps so far are made true, and all run again.
    Prepared,
    /// The presumptions of each step are made true, and it is run as a script of its own.
    PreparedStep,
}

impl Mode {
    /// Whether what steps presume is made true, so that their things have the numbers of programs.
    pub fn prepares(self) -> bool {
        matches!(self, Mode::Prepared | Mode::PreparedStep)
    }
}

impl std::str::FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "script" => Ok(Mode::Script),
            "step" => Ok(Mode::Step),
            "prepared" => Ok(Mode::Prepared),
            "prepared-step" => Ok(Mode::PreparedStep),
            other => Err(format!("`{other}` is no way to run steps; script, step, prepared and prepared-step are")),
        }
    }
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Mode::Script => "script",
            Mode::Step => "step",
            Mode::Prepared => "prepared",
            Mode::PreparedStep => "prepared-step",
        })
    }
}
