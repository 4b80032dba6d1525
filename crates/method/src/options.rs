//! The options that several methods share. An option of a single method is declared in that method's file.
//!
//! A session records them among its options; what is absent there has its default.

use super::publications::SETTINGS;
use super::skills::{FORMS, TIPS};
use stepwright_world::Ability;
use stepwright_world::blocking::NamedDomain;
use stepwright_world::options::{Kind, OptionSpec, Table, Values};

/// Most demonstrations of a prompt, as in the paper.
pub const MAX_SHOTS: usize = 10;

stepwright_world::option_specs! {
    pub SHOTS: "shots", "Demonstrations", "demonstrations in a prompt", (whole 0 to MAX_SHOTS as i64) or "3";
    /// The published limits of episodes of methods that write lines.
    pub LIMITS: "limits", "Limits", "when an episode counts as failed", [
        "none" = "those of the run alone", "react-49" = "49 lines, thoughts too: ALFWorld, ReAct",
        "react-14" = "14 lines, thoughts too: WebShop, ReAct", "reflexion-49" = "49 lines or a line twice in a row: Reflexion",
        "reflexion-50" = "50 lines, the same: Reflexion of May 2023", "o3d-30" = "30 actions or one twice in a row: O3D",
        "o3d-15" = "15 actions: WebShop, whose limit O3D does not tell"
    ] or "none";
    /// Completions of Algorithm 1 (`max_attempts`), the greedy one included.
    pub ATTEMPTS: "attempts", "Attempts", "completions tried before falling back", (whole 1 to 64) or "5";
    pub THINK: "think", "Think comments", "thoughts as comments before actions", (Kind::Switch) or "false";
    pub ASSERTIONS: "assertions", "Assertions", "whether prompts show the assertions in force", [
        "method" = "in prompts as the method has it", "shown" = "in prompts, whatever the method",
        "hidden" = "never in prompts: all bodies are `pass`"
    ] or "method";
    pub LIKELIHOOD: "likelihood", "Scored actions by", "what ranks scored actions", [
        "mean" = "the mean log-probability of their tokens", "sum" = "the sum of the log-probabilities"
    ] or "mean";
    pub BELIEF: "belief", "Belief", "whether a belief is maintained although the method needs none", [
        "on" = "kept alongside, in worlds with a form for it", "off" = "kept by methods that need one"
    ] or "off";
    pub BLOCKING: "blocking", "Blocking checks", "whether blocking conditions are among the checks of any method's actions", [
        "on" = "what blocks an action is among its checks", "off" = "only the method's own checks"
    ] or "off";
    pub TEMPERATURE: "temperature", "Temperature", "of random samples; else the model's own", (number 0.0 to 2.0);
    /// Actions that are asked of the agent without a language model.
    pub RANKED: "ranked", "Ranked actions", "actions the built-in agent offers at a step", (whole 1 to 64);
    /// A blocking domain in place of the one that ships. A session has it from its beginning to its end.
    pub DOMAIN: "domain", "Blocking domain",
        "a blocking domain's file in place of the one that ships for the world, or \"derived\" from assertions (docs/reference/domains.md)", (Kind::PathOr(NamedDomain::DERIVED));
    /// A form of states of one's own, in which a belief is kept in any world. A session begins with it.
    pub FORM: "states", "States",
        "a file of the form of states in which a belief is kept, in place of the world's (docs/explanation/belief.md)", (Kind::Path);
}

/// What a session begins with, whatever its method.
pub const OF_SESSIONS: [OptionSpec; 2] = [DOMAIN, FORM];

/// What is gone by where it is set, though a method has no such option: the belief beside it, the tips before its prompts, and how it asks.
pub(crate) const OF_ANY: [OptionSpec; 4] = [BELIEF, TIPS, FORMS, TEMPERATURE];

/// The options of methods whose prompts are the trajectory program.
pub const PROGRAM: Table = &[SETTINGS, SHOTS, THINK, ASSERTIONS, TEMPERATURE, RANKED, BELIEF, BLOCKING, TIPS];

/// Whether the prompt of a method that would (`by_method`) show the assertions in force does.
pub fn shows_assertions(values: &Values, by_method: bool) -> bool {
    match values.text(&ASSERTIONS) {
        "shown" => true,
        "hidden" => false,
        _ => by_method,
    }
}

/// The abilities that a world must have for an option to be set to that value.
pub fn needs(spec: &OptionSpec, value: &str) -> &'static [Ability] {
    match value {
        "on" if *spec == BELIEF => &[Ability::Belief],
        "on" if *spec == BLOCKING => &[Ability::Admissible],
        _ => &[],
    }
}

stepwright_world::option_specs! {
    /// How many trials a headless episode has.
    pub TRIALS: "trials", "Trials", "trials of a headless run, at most", (whole 1 to 20) or "1";
    /// Whether a headless run ends with a reflection on its last trial.
    pub LAST: "final", "Reflect at last", "a reflection after the last trial too", (Kind::Switch) or "false";
}
