//! `stepwright study decisions`: one action at a time held against a whole plan, with one model over the same tasks.

use std::process::ExitCode;

use clap::Args;

use super::data::{Episodes, Ready};
use crate::headless::HeadlessFlags;
use crate::world::WorldName;
use crate::{CliError, Global, note};
use stepwright_launch::NewSession;
use stepwright_study::decisions::{Decisions, METHODS};
use stepwright_worlds::household;

/// Runs several methods with one model over the same tasks of one world, and compares them task by task: successes, actions considered at a
/// decision, tokens.
///
/// The model is what --model names: a served one, local:NAME, a cassette. With `--model symbolic` (the default) no language model takes
/// part, and the rows are those of the built-in agents.
#[derive(Debug, Args)]
pub(crate) struct DecisionsStudy {
    /// The world
    #[arg(long, value_name = "NAME", default_value = household::KIND.name)]
    world: WorldName,
    #[command(flatten)]
    episodes: Episodes,
    /// Methods, the first that the others are held against; if absent blocking, progprompt, o3d, reprompt and few-shot, as far as they fit
    /// the world
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    methods: Vec<String>,
    #[command(flatten)]
    headless: HeadlessFlags,
}

impl DecisionsStudy {
    /// Runs what has no result yet; exit code 1 if an episode could not be run to its end.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let kind = self.world.kind();
        let Ready { config, model, provenance, opening } = self.episodes.ready(global, kind.name, kind.steps)?;
        let tasks = self.episodes.of(kind.name)?;
        let (data, world) = (self.episodes.data, kind.name.to_owned());
        let new = NewSession { world, data, model: model.clone(), ..NewSession::default() };
        let named = !self.methods.is_empty();
        let methods = if named { self.methods } else { METHODS.map(str::to_owned).to_vec() };
        let seeds = self.episodes.seeds.all().to_vec();
        let made = Decisions::new(opening, new, (methods, named), tasks, seeds).map_err(CliError::Usage)?;
        let (study, left_out) = made;
        left_out.iter().for_each(|why| note(why));
        self.headless.run(study, provenance, &config, &model, false)
    }
}
