//! Headless runs, as `run` and the studies share them on the command line: the flags, the units, a progress bar, limits, an end at
//! Ctrl-C, the results file, the table, the exit code.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{CliError, note, print, print_json};
use stepwright_episode::{Role, role};
use stepwright_launch::config::{Config, Price};
use stepwright_model::Usage;
use stepwright_model::prompt::Prompts;
use stepwright_study::report::{Labels, Report};
use stepwright_study::runner::{
    Experiment, Provenance, Results, Shard, Study, Unit, carry_out, hearing, labels, lines_of, units,
};
use stepwright_text::sanitize;
use stepwright_text::words::noun;

/// The exit code of a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// How a study is carried out.
#[derive(Debug, Args)]
pub(crate) struct HeadlessFlags {
    /// How many at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    jobs: usize,
    /// Results file, one JSON object a line; what has a result in it is not done again. A folder takes a file for each shard, - prints
    /// the lines
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
    /// Carry out one share of the units, the I-th of N; if absent as a Slurm array or a Kubernetes indexed job says
    #[arg(long, value_name = "I/N", help_heading = "Many machines")]
    shard: Option<Shard>,
    /// Carry out this unit alone, by the key that --list prints; may be given several times
    #[arg(long, value_name = "KEY", help_heading = "Many machines")]
    unit: Vec<String>,
    /// Print the units (of the shard) instead of carrying them out; with --json an object a line
    #[arg(long, help_heading = "Many machines")]
    list: bool,
    /// Print data instead of tables
    #[arg(long)]
    pub json: bool,
    /// Begin no further unit once this run has spent so many tokens; a session's own limit is gate.token_budget
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    token_limit: Option<u64>,
    /// Begin no further unit once this run has cost so much, by price_in and price_out of the models that have them
    #[arg(long, value_name = "AMOUNT", value_parser = amount, help_heading = "Limits")]
    cost_limit: Option<f64>,
    /// Stop after this time, as in 90s, 30m or 4h; units under way are carried out again in the next run
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Limits")]
    time_limit: Option<Duration>,
}

/// A study as far as it was carried out.
#[derive(Debug)]
pub(crate) struct CarriedOut<L> {
    pub labels: Labels,
    /// The newest line of each unit of the experiment, of this run and of the results file.
    pub lines: Vec<L>,
    /// How much was done: `12 of 20 episodes run, 5 had results already; results in x.jsonl`.
    pub summary: String,
    /// 1 if a line is an error or it was stopped, 128 and the signal's number if a signal stopped it.
    pub code: ExitCode,
    /// Whether standard output holds the lines, so that tables go elsewhere.
    printed: bool,
}

impl<L> CarriedOut<L> {
    pub fn print(&self, text: &str) -> Result<(), CliError> {
        if !self.printed {
            return print(text);
        }
        note(text);
        Ok(())
    }

    pub fn print_json(&self, value: &Value) -> Result<(), CliError> {
        let text = format!("{value:#}\n");
        if !self.printed {
            return print_json(&text);
        }
        note(&sanitize::json(&text));
        Ok(())
    }

    /// Prints the study's tables, and below them what else was done.
    pub fn tabulated(self, json: bool, report: Report, done: &str) -> Result<ExitCode, CliError> {
        let report = report.measured_under(self.labels.clone());
        if json {
            self.print_json(&report.json())?;
        } else {
            self.print(&format!("{report}{done}\n{}", self.summary))?;
        }
        Ok(self.code)
    }
}

impl HeadlessFlags {
    /// Carries out what has no result yet; `None` if the units were listed instead.
    pub fn carry_out<S: Study>(
        &self,
        study: &Arc<S>,
        provenance: Provenance,
        config: &Config,
        model: &str,
    ) -> Result<Option<CarriedOut<S::Line>>, CliError> {
        let shard = self.shard()?;
        let all = units(&**study);
        let mine = self.chosen(&all, shard)?;
        if self.list {
            let listed = self.listed(&**study, &mine);
            if self.json {
                print_json(&listed)?
            } else {
                print(&listed)?
            }
            return Ok(None);
        }
        let prompts = Prompts::new(Some(&config.paths.config));
        prompts.idle().iter().for_each(|idle| note(&format!("stepwright: {idle}")));
        let runtime = Runtime::new()?;
        let interrupted = interrupted(&runtime);
        let cancel = interrupted.cancel.clone();
        runtime.block_on(study.rehearse(&cancel)).map_err(CliError::Failed)?;
        let price = config.model_config(model).and_then(|model| model.price);
        self.unlimited(config, model)?.iter().for_each(|why| note(why));
        let experiment = Experiment::new(S::NAME, provenance.and(study.shared()));
        let mut results =
            Results::open(self.out.as_deref(), &**study, experiment.clone(), shard).map_err(CliError::of_run)?;
        // Identities are hashes; people get the same order each time.
        let mut others: Vec<String> =
            results.others.iter().map(|other| experiment.differences(other).join("; ")).collect();
        others.sort();
        for differences in others {
            let name = results.name();
            note(&format!("{name} also holds results of another experiment, which are not shown: {differences}"));
        }
        let planned = mine.len();
        let open = results.open_units(mine);
        let (asked, mut uncounted, mut outcomes) = (open.len(), 0, Outcomes::default());
        let done = planned - asked;
        let bar = progress(asked as u64);
        let enough = cancel.child_token();
        let mut spent = Spent { price, ..Spent::default() };
        let mut why = None;
        if let Some(time) = self.time_limit {
            let (cancel, enough) = (cancel.clone(), enough.clone());
            runtime.spawn(async move {
                tokio::time::sleep(time).await;
                enough.cancel();
                cancel.cancel();
            });
        }
        let ended = |unit: &Unit<S::Condition>, lines: Vec<S::Line>| {
            bar.inc(1);
            bar.set_message(sanitize::line(&unit.task.id).into_owned());
            let tokens = S::tokens(&lines);
            let is_failed = is_failed(&lines);
            uncounted += usize::from(tokens == (0, 0) && !is_failed);
            outcomes.add(is_failed, S::is_begun(&lines));
            spent.add(tokens, told_cost(&lines));
            spent.unpriced.extend(unpriced(&lines));
            if let Some(reached) = self.reached(&spent) {
                why.get_or_insert(reached);
                enough.cancel();
            }
            results.add(&unit.key, &lines)
        };
        let started = std::time::Instant::now();
        let above = bar.clone();
        let say = move |text: &str| above.suspend(|| note(text));
        let carried = carry_out(study, open, self.jobs, &enough, &cancel, ended);
        let carried = runtime.block_on(hearing(say, carried));
        bar.finish_and_clear();
        if cancel.is_cancelled() {
            leave(runtime);
        }
        carried.map_err(CliError::of_run)?;
        let ran = outcomes.all();
        if uncounted > 0
            && model != stepwright_method::SYMBOLIC
            && (self.token_limit.is_some() || self.cost_limit.is_some())
        {
            let of = stepwright_text::words::count(ran, "unit");
            note(&format!(
                "{model} reported no tokens for {uncounted} of {of}: no limit of tokens or costs holds there"
            ));
        }
        let late = self.time_limit.filter(|limit| started.elapsed() >= *limit && ran < asked);
        let why = why.or_else(|| late.map(|limit| format!("the time limit of {} s is reached", limit.as_secs_f64())));
        let latest = results.latest(&all);
        let lines = lines_of::<S>(latest.iter().copied(), &experiment, &results.planned)
            .map_err(|why| CliError::Failed(format!("{}: a line is no result of this study: {why}", results.name())))?;
        let failed = latest.iter().any(|entry| entry.is_error());
        let stopped = ran < asked;
        let already = if done > 0 { format!(", {done} had results already") } else { String::new() };
        let part = if shard.is_part() { format!(" ({shard}, of {} in all)", all.len()) } else { String::new() };
        let outcomes = outcomes.in_words(asked, S::CARRIED_OUT);
        let early = match why.filter(|_| stopped) {
            Some(why) => format!(", stopped early: {why}; run again to go on"),
            None if stopped => ", stopped early; run again to go on".to_owned(),
            None => String::new(),
        };
        let kept = match results.name() {
            "" => "; not kept (name a file with --out)".to_owned(),
            name => format!("; results in {name}"),
        };
        Ok(Some(CarriedOut {
            labels: labels(&experiment, &results.planned, config.built_in),
            lines,
            summary: format!("{outcomes}{part}{already}{early}{}{kept}\n", spent.in_words()),
            code: ExitCode::from(interrupted.code().filter(|_| stopped).unwrap_or(u8::from(failed || stopped))),
            printed: results.are_printed(),
        }))
    }

    /// Carries out what has no result yet and prints the study's tables; exit code 1 if something could not be carried out.
    pub fn run<S: Study>(
        &self,
        study: S,
        provenance: Provenance,
        config: &Config,
        model: &str,
        detail: bool,
    ) -> Result<ExitCode, CliError> {
        let study = Arc::new(study);
        let Some(carried) = self.carry_out(&study, provenance, config, model)? else { return Ok(ExitCode::SUCCESS) };
        let report = S::report(&carried.lines, detail);
        carried.tabulated(self.json, report, "")
    }

    fn shard(&self) -> Result<Shard, CliError> {
        if let Some(shard) = self.shard {
            return Ok(shard);
        }
        // Units that are named are meant, wherever that is.
        if !self.unit.is_empty() {
            return Ok(Shard::ALL);
        }
        let found = Shard::of_environment(&|name| std::env::var(name).ok()).map_err(CliError::Usage)?;
        Ok(found.map_or(Shard::ALL, |(shard, variable)| {
            note(&format!("{shard}, from ${variable}"));
            shard
        }))
    }

    fn chosen<C>(&self, all: &[Unit<C>], shard: Shard) -> Result<Vec<Unit<C>>, CliError> {
        if let Some(unknown) = self.unit.iter().find(|key| !all.iter().any(|unit| unit.key == **key)) {
            return Err(CliError::Usage(format!(
                "there is no unit {unknown} among the {} that these flags choose; --list names them",
                all.len()
            )));
        }
        let named = |unit: &&Unit<C>| self.unit.is_empty() || self.unit.contains(&unit.key);
        Ok(all.iter().filter(named).filter(|unit| shard.takes(&unit.key)).cloned().collect())
    }

    fn listed<S: Study>(&self, study: &S, units: &[Unit<S::Condition>]) -> String {
        let line = |unit: &Unit<S::Condition>| {
            if self.json {
                let (condition, task, seed) = unit.described(study);
                let listed: Value = json!({ "unit": unit.key, "task": task, "seed": seed, "condition": condition });
                format!("{listed}\n")
            } else {
                format!("{}  {}\n", unit.key, unit.in_words(study))
            }
        };
        units.iter().map(line).collect()
    }

    /// Whose tokens the limit of costs does not hold for, since they have no price.
    /// Errors: no model that is asked has one.
    fn unlimited(&self, config: &Config, model: &str) -> Result<Option<String>, CliError> {
        // Where what is learned is asked of a model of its own, that one is `model`.
        let of_roles = config.roles.iter().filter(|(role, _)| **role != Role::Discoverer);
        let asked = std::iter::once(model).chain(of_roles.map(|(_, name)| name.as_str()));
        let is_priced = |name: &&str| config.model_config(name).is_some_and(|model| model.price.is_some());
        let (priced, unpriced): (BTreeSet<&str>, BTreeSet<&str>) =
            asked.filter(|name| *name != stepwright_method::SYMBOLIC).partition(is_priced);
        if self.cost_limit.is_none() || unpriced.is_empty() {
            return Ok(None);
        }
        let names = Vec::from_iter(unpriced).join(", ");
        let set = "set price_in and price_out in its section of the configuration";
        if priced.is_empty() {
            return Err(CliError::Usage(format!("--cost-limit needs the prices of {names}; {set}")));
        }
        Ok(Some(format!("--cost-limit does not limit the tokens of {names}, without a price: {set}")))
    }

    /// The limit that is reached, if one is.
    fn reached(&self, spent: &Spent) -> Option<String> {
        let tokens = spent.usage.prompt.saturating_add(spent.usage.completion);
        let over = self.token_limit.filter(|limit| tokens >= *limit);
        let over =
            over.map(|limit| format!("the limit of {limit} {} is reached ({tokens} spent)", noun(limit, "token")));
        over.or_else(|| {
            let cost = spent.cost()?;
            let limit = self.cost_limit.filter(|limit| cost >= *limit)?;
            Some(format!("the cost limit of {limit} is reached ({cost:.4} spent)"))
        })
    }
}

/// How the units of this run ended.
#[derive(Debug, Default)]
struct Outcomes {
    done: usize,
    failed: usize,
    unbegun: usize,
}

impl Outcomes {
    fn add(&mut self, is_failed: bool, is_begun: bool) {
        let of = match (is_failed, is_begun) {
            (false, _) => &mut self.done,
            (true, true) => &mut self.failed,
            (true, false) => &mut self.unbegun,
        };
        *of += 1;
    }

    fn all(&self) -> usize {
        self.done + self.failed + self.unbegun
    }

    /// `7 of 9 inferences made, 2 with an error`.
    fn in_words(&self, asked: usize, carried_out: &str) -> String {
        let others = [(self.failed, "with an error"), (self.unbegun, "not begun")];
        let others = others.into_iter().filter(|(number, _)| *number > 0);
        let others: String = others.map(|(number, how)| format!(", {number} {how}")).collect();
        format!("{} of {asked} {carried_out}{others}", self.done)
    }
}

/// Whether a unit's lines hold an error: it may have spent nothing.
fn is_failed<L: serde::Serialize>(lines: &[L]) -> bool {
    lines.iter().any(|line| serde_json::to_value(line).is_ok_and(|line| !line["error"].is_null()))
}

/// The cost that lines tell: by the model's prices, and what methods in other processes say of theirs.
fn told_cost<L: serde::Serialize>(lines: &[L]) -> Option<f64> {
    let told = lines.iter().filter_map(|line| serde_json::to_value(line).ok()?.get("cost")?.as_f64());
    told.reduce(|sum, cost| sum + cost)
}

/// The models whose cost is not in what lines tell, since they have no price.
fn unpriced<L: serde::Serialize>(lines: &[L]) -> impl Iterator<Item = String> {
    let told = lines.iter().filter_map(|line| serde_json::to_value(line).ok()?.get("unpriced").cloned());
    told.flat_map(|models| serde_json::from_value::<Vec<String>>(models).unwrap_or_default())
}

/// The run's spending.
#[derive(Default)]
struct Spent {
    usage: Usage,
    price: Option<Price>,
    /// The cost of units that tell it, and the tokens of those that do not.
    told: Option<f64>,
    untold: Usage,
    /// The models that told costs are without.
    unpriced: BTreeSet<String>,
}

impl Spent {
    fn add(&mut self, (prompt, completion): (u64, u64), cost: Option<f64>) {
        let tokens = Usage::new(prompt, completion);
        self.usage.add(tokens);
        match cost {
            Some(cost) => self.told = Some(self.told.unwrap_or_default() + cost),
            None => self.untold.add(tokens),
        }
    }

    fn cost(&self) -> Option<f64> {
        let priced = self.price.map(|price| price.of(self.untold));
        [self.told, priced].into_iter().flatten().reduce(|sum, cost| sum + cost)
    }

    /// For the summary; empty where nothing was spent.
    fn in_words(&self) -> String {
        let tokens = self.usage.prompt.saturating_add(self.usage.completion);
        let (of, without) = (noun(tokens, "token"), role::without(&self.unpriced));
        match (tokens, self.cost()) {
            (0, _) => String::new(),
            (tokens, None) => format!("; {tokens} {of}"),
            (tokens, Some(cost)) if self.price.is_none() => format!("; {tokens} {of}, cost {cost:.4}{without}"),
            (tokens, Some(cost)) => format!("; {tokens} {of}, {cost:.4} by the model's prices{without}"),
        }
    }
}

/// A number of pieces of work at once.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "it takes a whole number from 1 on".to_owned())
}

/// A sum of money: a number above zero.
fn amount(text: &str) -> Result<f64, String> {
    let amount = text.trim().parse::<f64>().ok().filter(|amount| amount.is_finite() && *amount > 0.0);
    amount.ok_or_else(|| "it takes an amount above 0, as in 2.50".to_owned())
}

/// A time: `90s`, `30m`, `4h`, or seconds.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    let time = seconds.filter(|seconds| *seconds > 0.0).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "it takes a time, as in 90s, 30m or 4h".to_owned())
}

pub(super) fn progress(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    // The template is a constant of ours; if it were wrong the default bar would do.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Whether a person or a scheduler asked the process to end.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupted {
    pub(super) cancel: CancellationToken,
    /// The signal's number; 0 while there was none.
    signal: Arc<AtomicU8>,
}

impl Interrupted {
    /// The exit code of what a signal ended, if one did.
    pub(super) fn code(&self) -> Option<u8> {
        Some(self.signal.load(Ordering::Relaxed))
            .filter(|signal| *signal > 0)
            .map(|signal| 128u8.saturating_add(signal))
    }
}

/// Fires at Ctrl-C, and where a scheduler asks the process to end (SIGTERM).
pub(super) fn interrupted(runtime: &Runtime) -> Interrupted {
    let interrupted = Interrupted::default();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let fired = interrupted.clone();
        runtime.spawn(async move {
            if let Ok(mut signals) = signal(kind)
                && signals.recv().await.is_some()
            {
                fired.signal.store(u8::try_from(kind.as_raw_value()).unwrap_or_default(), Ordering::Relaxed);
                fired.cancel.cancel();
            }
        });
    }
    interrupted
}

/// Leaves what was interrupted. Worlds and agents that have said nothing yet end with this process; what they were given to work in goes now.
pub(super) fn leave(runtime: Runtime) {
    runtime.shutdown_background();
    stepwright_worlds::remove_workspaces();
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_launch::config::{Overrides, load_with};

    #[test]
    fn what_a_signal_ended_has_its_code() {
        let interrupted = Interrupted::default();
        assert_eq!(interrupted.code(), None);
        interrupted.signal.store(15, Ordering::Relaxed);
        assert_eq!(interrupted.code(), Some(143));
    }

    #[test]
    fn a_limit_that_nothing_reaches_is_no_amount() {
        assert_eq!((amount("2.50"), amount("1e-3")), (Ok(2.5), Ok(0.001)));
        for wrong in ["nan", "inf", "-inf", "0", "-1", "", "two"] {
            assert!(amount(wrong).is_err(), "{wrong}");
        }
    }

    fn flags(token_limit: Option<u64>, cost_limit: Option<f64>) -> HeadlessFlags {
        HeadlessFlags {
            jobs: 1,
            out: None,
            shard: None,
            unit: Vec::new(),
            list: false,
            json: false,
            token_limit,
            cost_limit,
            time_limit: None,
        }
    }

    #[test]
    fn a_limit_of_costs_is_of_all_models_that_have_a_price() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[models.free]\nmodel = \"f\"\n[models.dear]\nmodel = \"d\"\nprice_in = 1.0\nprice_out = 2.0\n";
        std::fs::write(folder.path().join("config.toml"), text).unwrap();
        let overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
        let mut config = load_with(&overrides, &stepwright_methods::METHODS, &|_| None).unwrap();
        let said = |config: &Config, model| flags(None, Some(1.0)).unlimited(config, model).map_err(|e| e.to_string());
        assert!(said(&config, "free").unwrap_err().contains("the prices of free;"));
        assert_eq!((said(&config, "dear"), said(&config, "symbolic")), (Ok(None), Ok(None)));
        config.roles = [(Role::Writer, "dear".to_owned())].into();
        assert!(said(&config, "free").unwrap().unwrap().contains("the tokens of free, without a price"));
        config.roles = [(Role::Writer, "free".to_owned())].into();
        assert!(said(&config, "dear").unwrap().unwrap().contains("the tokens of free"));
        assert!(said(&config, "symbolic").is_err());
        assert_eq!(flags(None, None).unlimited(&config, "free").unwrap(), None);
    }

    #[test]
    fn limits_are_of_what_this_run_spends() {
        let mut spent = Spent { price: Some(Price { input: 100.0, output: 1000.0 }), ..Spent::default() };
        spent.add((1000, 100), None);
        assert_eq!(spent.in_words(), "; 1100 tokens, 0.2000 by the model's prices");
        assert_eq!(flags(Some(1101), Some(0.21)).reached(&spent), None);
        let tokens = flags(Some(1100), None).reached(&spent).unwrap();
        assert_eq!(tokens, "the limit of 1100 tokens is reached (1100 spent)");
        let cost = flags(None, Some(0.2)).reached(&spent).unwrap();
        assert_eq!(cost, "the cost limit of 0.2 is reached (0.2000 spent)");
        // Without prices nothing is known to cost anything: the command is refused before.
        let mut unpriced = Spent { price: None, ..spent };
        assert_eq!(flags(None, Some(0.2)).reached(&unpriced), None);
        // A method in another process tells its cost by itself.
        unpriced.add((10, 1), told_cost(&[serde_json::json!({ "cost": 0.25 }), serde_json::json!({})]));
        assert_eq!(unpriced.in_words(), "; 1111 tokens, cost 0.2500");
        assert!(flags(None, Some(0.2)).reached(&unpriced).is_some());
        // Where a role's model alone has prices, the rest is not in it.
        unpriced
            .unpriced
            .extend(super::unpriced(&[serde_json::json!({ "unpriced": ["fake"] }), serde_json::json!({})]));
        assert_eq!(unpriced.in_words(), "; 1111 tokens, cost 0.2500, without that of fake, which has no price");
    }

    #[test]
    fn what_failed_or_did_not_begin_is_not_among_what_was_done() {
        let said = |all: &[(bool, bool)]| {
            let mut outcomes = Outcomes::default();
            all.iter().for_each(|(is_failed, is_begun)| outcomes.add(*is_failed, *is_begun));
            assert_eq!(outcomes.all(), all.len());
            outcomes.in_words(3, "episodes run")
        };
        assert_eq!(said(&[(false, true); 2]), "2 of 3 episodes run");
        assert_eq!(said(&[(false, true), (true, true)]), "1 of 3 episodes run, 1 with an error");
        let all = [(true, false), (true, false), (true, true)];
        assert_eq!(said(&all), "0 of 3 episodes run, 1 with an error, 2 not begun");
    }

    #[test]
    fn times_are_read() {
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!((time("2m"), time("7")), (Ok(Duration::from_secs(120)), Ok(Duration::from_secs(7))));
        for wrong in ["", "m", "-3s", "0", "3d", "NaN"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
