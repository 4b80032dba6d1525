//! `stepwright study statler`: requests at a table answered in a row, and three cups followed, beside the paper's tables.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{Episodes, Ready, curve_to};
use crate::headless::HeadlessFlags;
use crate::{CliError, Global, note, print, print_json, target};
use stepwright_episode::Role;
use stepwright_method::Needs;
use stepwright_method::SYMBOLIC;
use stepwright_method::options::BELIEF;
use stepwright_methods::METHODS;
use stepwright_study::runner::{Study, first_of_each_kind};
use stepwright_study::statler::groups::Group;
use stepwright_study::statler::live::{Condition, MOST_ACTIONS, Requests};
use stepwright_study::statler::recorded;
use stepwright_study::statler::report::tables;
use stepwright_world::options::known_names;
use stepwright_world::{Ability, TaskInfo};
use stepwright_worlds::table::{Domain, KIND};

/// Scores how many requests at a table are answered in a row by several methods, and how long they follow three cups, beside the
/// paper's tables (Statler).
///
/// Episodes run headless. With `--model symbolic` (the default) no language model takes part: the episodes' reference
/// programs are played.
/// With `--recorded` nothing is run; the outputs that the publication's models wrote are read and scored:
/// `--data` is their folder, with the episodes.
#[derive(Debug, Args)]
pub(crate) struct StatlerStudy {
    #[command(flatten)]
    episodes: Episodes,
    /// Score recorded outputs of models instead of running anything
    #[arg(long, conflicts_with_all = ["tasks", "jobs", "out", "curve", "drift", "seeds", "max_steps", "shard", "list", "unit"])]
    recorded: bool,
    /// Domains: pick_and_place, disinfection, weight, cover, cups; all that are there if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    domain: Vec<String>,
    /// Methods; if absent those of the paper, without a language model statler and cups-state
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    methods: Vec<String>,
    /// Models that write the state, each beside the model in use, which reads it; success is given against the writer
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', conflicts_with = "recorded")]
    writers: Vec<String>,
    /// At most so many episodes of each domain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    first: Option<u32>,
    #[command(flatten)]
    headless: HeadlessFlags,
    /// File for the curves (three cups, drift): .csv, .json or .svg
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Draw how far beliefs drift from the truth
    #[arg(long)]
    drift: bool,
}

impl StatlerStudy {
    /// Does what has no result yet, scores and prints; exit code 1 if something could not be done.
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        if self.recorded { self.score_recorded(global) } else { self.run_live(global) }
    }

    fn score_recorded(self, global: &Global) -> Result<ExitCode, CliError> {
        let data = global.load()?.data.or_named(KIND.name, self.episodes.data.clone()).ok_or_else(|| {
            CliError::Usage("recorded outputs do not ship with this program; name their folder with --data".to_owned())
        })?;
        let recorded = recorded::read(&data).map_err(CliError::Failed)?;
        let mut groups = chosen(recorded.groups, &self.domain, &self.methods).map_err(CliError::Usage)?;
        if let Some(first) = self.first {
            groups.iter_mut().for_each(|group| group.played.truncate(first as usize));
        }
        let report = tables(&groups);
        if self.headless.json {
            print_json(&format!("{:#}\n", report.json()))?;
        } else {
            print(&report.to_string())?;
        }
        if recorded.unknown > 0 {
            let left_out = stepwright_text::words::count(recorded.unknown, "recorded answer");
            note(&format!("left out: {left_out} to requests that no episode has"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn run_live(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let format = self.curve.as_deref().map(curve_to).transpose()?;
        let Ready { config, model, provenance, opening } = self.episodes.ready(global, KIND.name, MOST_ACTIONS)?;
        let data = self.episodes.data.clone();
        let tasks = self.episodes(&opening.sources.tasks(KIND.name, data.as_deref())?).map_err(CliError::Usage)?;
        let conditions = self.conditions(&model, &tasks).map_err(CliError::Usage)?;
        // A curve takes episodes of three cups and a method that plays them, or a belief that may drift.
        let plays = tasks.iter().any(|task| task.kind == Domain::Cups.name()) && conditions.iter().any(|c| c.cups);
        let believes = |c: &Condition| METHODS.named(&c.method).is_some_and(|method| method.info().keeps_belief());
        let drifts = config.method.options.is(&BELIEF, "on") || conditions.iter().any(believes);
        if format.is_some() && !plays && !(self.drift && drifts) {
            let why = "there is no curve to write; play three cups (--domain cups), or draw the drift (--drift) of a method that keeps \
                       a belief";
            return Err(CliError::Usage(why.to_owned()));
        }
        let provenance =
            provenance.with_models(&config, self.writers.iter().map(String::as_str)).map_err(CliError::Failed)?;
        let study = Requests::new(opening, data, model.clone(), conditions, tasks, &self.episodes.seeds)?;
        let study = Arc::new(study);
        let Some(carried) = self.headless.carry_out(&study, provenance, &config, &model)? else {
            return Ok(ExitCode::SUCCESS);
        };
        let report = Requests::report(&carried.lines, self.drift);
        if let (Some(path), Some(format)) = (&self.curve, format) {
            let plots = report.plots();
            if plots.is_empty() {
                let why = "no episode that has a curve came to a result; the table says why";
                note(&format!("{} is not written: {why}", path.display()));
            } else {
                target::replace(path, &format.write(&plots))?;
            }
        }
        carried.tabulated(self.headless.json, report, "")
    }

    /// The methods, each of which suits an episode chosen if it was named.
    fn conditions(&self, model: &str, tasks: &[TaskInfo]) -> Result<Vec<Condition>, String> {
        let methods = self.methods(model)?;
        let of = |method: String| {
            let cups = is_for_cups(&method);
            let several = self.writers.iter().cloned().map(Some).collect::<Vec<_>>();
            let writers = if self.writers.is_empty() { vec![None] } else { several };
            writers.into_iter().map(move |writer| Condition { method: method.clone(), writer, cups })
        };
        let conditions: Vec<Condition> = methods.into_iter().flat_map(of).collect();
        let suits = |c: &Condition| tasks.iter().any(|task| (task.kind == Domain::Cups.name()) == c.cups);
        if let Some(idle) = conditions.iter().find(|c| self.methods.contains(&c.method) && !suits(c)) {
            let of = if idle.cups { "three cups (domain cups)" } else { "a table's domains" };
            return Err(format!("`{}` is for {of}, of which no episode is chosen", idle.method));
        }
        if !conditions.iter().any(suits) {
            return Err("no method fits the episodes chosen".to_owned());
        }
        Ok(conditions)
    }

    fn methods(&self, model: &str) -> Result<Vec<String>, String> {
        let all: Vec<_> = METHODS.all();
        let known: Vec<&str> = all.iter().filter(|m| m.needs.has(Ability::Requests)).map(|m| m.id).collect();
        if let Some(unknown) = self.methods.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("there is no method `{unknown}` of this study; {}", known_names(unknown, &known)));
        }
        if !self.writers.is_empty() {
            let writes = |name: &str| METHODS.named(name).is_some_and(|m| m.info().roles.contains(&Role::Writer));
            if let Some(name) = self.methods.iter().find(|name| !writes(name)) {
                return Err(format!("`{name}` asks no writer; leave it or --writers out"));
            }
            let all = || known.iter().filter(|id| writes(id)).map(|id| (*id).to_owned()).collect();
            return Ok(if self.methods.is_empty() { all() } else { self.methods.clone() });
        }
        if model != SYMBOLIC {
            let usual = || known.iter().map(|id| (*id).to_owned()).collect();
            return Ok(if self.methods.is_empty() { usual() } else { self.methods.clone() });
        }
        if let Some(name) = self.methods.iter().find(|name| needs(name).is_none_or(|needs| needs.language)) {
            return Err(format!("`{name}` needs a language model; name one with --model"));
        }
        if self.methods.is_empty() {
            return Ok(["statler", "cups-state"].map(str::to_owned).to_vec());
        }
        // Whichever is named, the reference programs are played: once for the table, once for cups.
        let of = |cups| self.methods.iter().find(|name| is_for_cups(name) == cups).cloned();
        Ok([of(false), of(true)].into_iter().flatten().collect())
    }

    fn episodes(&self, tasks: &[TaskInfo]) -> Result<Vec<TaskInfo>, String> {
        let known: Vec<&str> = <Domain as strum::VariantArray>::VARIANTS.iter().map(|domain| domain.name()).collect();
        if let Some(unknown) = self.domain.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("there is no domain `{unknown}`; there are {}", known.join(", ")));
        }
        // Demonstrations are shown in prompts; a game that was shown says nothing.
        let is_demonstration = |task: &TaskInfo| task.id.starts_with("cups/demonstration");
        let mut there: Vec<TaskInfo> = tasks.iter().filter(|t| !is_demonstration(t)).cloned().collect();
        there.retain(|task| self.domain.is_empty() || self.domain.contains(&task.kind));
        if there.is_empty() {
            return Err(format!("no episode of {} is here", self.domain.join(", ")));
        }
        Ok(first_of_each_kind(self.episodes.tasks.select(&there)?, self.first))
    }
}

fn needs(method: &str) -> Option<Needs> {
    METHODS.named(method).map(|m| m.info().needs)
}

fn is_for_cups(method: &str) -> bool {
    needs(method).is_some_and(|needs| needs.task == Some(Domain::Cups.name()))
}

/// The groups of these domains and methods; all where none is named.
fn chosen(mut groups: Vec<Group>, domains: &[String], methods: &[String]) -> Result<Vec<Group>, String> {
    let named = |what: &str, wanted: &[String], mut there: Vec<&str>| -> Result<(), String> {
        there.sort_unstable();
        there.dedup();
        let unknown = wanted.iter().find(|name| !there.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| Err(format!("there is no {what} `{name}` here; there are {}", there.join(", "))))
    };
    named("domain", domains, groups.iter().map(|g| g.domain.as_str()).collect())?;
    named("method", methods, groups.iter().map(|g| g.method.as_str()).collect())?;
    groups.retain(|g| {
        (domains.is_empty() || domains.contains(&g.domain)) && (methods.is_empty() || methods.contains(&g.method))
    });
    Ok(groups)
}
