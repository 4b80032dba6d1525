//! `stepwright methods`: what the methods are, what can be set of them, and where each works.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::unattended::interrupted;
use super::{CliError, Global, print};
use crate::method::{self, ModelTraits};
use crate::options::{self, Values};
use crate::study::matrix;
use crate::study::runner::Opening;
use crate::world::{Sources, WORLDS};

/// Lists the methods.
#[derive(Debug, Args)]
pub struct Methods {
    /// Print what can be set of methods, as a Markdown table
    #[arg(long, conflicts_with = "matrix")]
    options: bool,
    /// Play each method in each world with the built-in agents and print what came of it, as a Markdown table; a world of your own
    /// is among them where one is configured
    #[arg(long)]
    matrix: bool,
    /// Actions that an episode of the matrix may take
    #[arg(long, value_name = "N", default_value_t = 20, requires = "matrix")]
    max_steps: u32,
}

impl Methods {
    /// Prints the list or the table asked for.
    ///
    /// # Errors
    /// If settings are wrong, or tasks cannot be read.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match (self.options, self.matrix) {
            (true, _) => print(&options::markdown(method::options::all()))?,
            (_, true) => return self.play(global),
            _ => print(&list())?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn play(&self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let sources = Sources::with_adapters(config.external.clone());
        let mut worlds = Vec::new();
        for world in WORLDS {
            let tasks = sources.tasks(world.name, None).map_err(|e| CliError::Failed(e.to_string()))?;
            worlds.extend((!tasks.is_empty()).then_some((*world, tasks)));
        }
        let opening =
            Opening { config: Arc::new(config), sources, most_actions: self.max_steps, sessions: None, in_force: None };
        let runtime = tokio::runtime::Runtime::new()?;
        let cancel = interrupted(&runtime);
        let mut rows = Vec::new();
        for info in method::all() {
            let mut cells = Vec::new();
            for (world, tasks) in &worlds {
                match runtime.block_on(matrix::cell(&opening, world, tasks, &info, &cancel)) {
                    Some(cell) => cells.push(cell),
                    None => return Ok(ExitCode::FAILURE),
                }
            }
            rows.push((info, cells));
        }
        let worlds: Vec<_> = worlds.iter().map(|(world, _)| *world).collect();
        print(&matrix::markdown(&worlds, &rows))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The methods with the worlds they fit and their options.
fn list() -> String {
    let model = ModelTraits { language: true, scores: true, ..ModelTraits::default() };
    let mut out = String::new();
    for info in method::all() {
        let fitting =
            WORLDS.iter().filter(|world| method::fits(&info, &Values::default(), world, None, &model).is_ok());
        let worlds: Vec<&str> = fitting.map(|world| world.name).collect();
        let options: Vec<String> = info.options.iter().map(|o| format!("--{}", o.key)).collect();
        out.push_str(&format!("{}: {}\n  worlds: {}\n", info.id, info.description, worlds.join(", ")));
        out.push_str(&format!("  options: {}\n\n", options.join(" ")));
    }
    out
}
