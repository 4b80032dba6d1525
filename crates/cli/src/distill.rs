//! `stepwright distill`: skills, primitives and tips from logs, headless (stages 1 and 2 of O3D), with a language model or without.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use stepwright_episode::Role;
use stepwright_skill::code::GENERIC;
use stepwright_skill::distil::{Distiller, Settings, pairs};
use stepwright_skill::{Knowledge, Segment, changes, discover, file};
use stepwright_trajectory::Trajectory;
use tokio::runtime::Runtime;

use super::headless::interrupted;
use super::world::WorldName;
use super::{CliError, Global, note, print, target};
use stepwright_driver::Source;
use stepwright_launch as launch;
use stepwright_method::skills::text_of;
use stepwright_model::prompt::Prompts;
use stepwright_service::headless::{Asking, End, Journal, Progress, distil};
use stepwright_study::runner::is_output;
use stepwright_text::words::count;
use stepwright_world::WorldKind;

/// The finder of skills and tips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Discoverer {
    /// The model in use, asked as the paper does
    Model,
    /// No language model: by counting what changed and by contrast
    Symbolic,
}

/// Distils skills, primitives and tips from logs of episodes into a file.
///
/// Logs are trajectories a line (docs/reference/skills.md), texts of ReAct, or sessions. With a language model every answer is kept in a journal
/// beside the file, FILE.journal.jsonl: the same command goes on where it ended.
#[derive(Debug, Args)]
pub(crate) struct Distill {
    /// Files of logs
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The file to write, NAME.skills.toml
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The finder of skills and tips; the model if one is in use
    #[arg(long, value_enum)]
    discoverer: Option<Discoverer>,
    /// Begin with what this file of skills knows
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Write how the logs are cut into skills to this file, a log a line
    #[arg(long, value_name = "FILE")]
    segments: Option<PathBuf>,
    /// Logs of successes shown at once when skills are discovered (N1)
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Batches")]
    batch: u16,
    /// How often skills are discovered (T1); 0 for once through all successes
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Batches")]
    rounds: u16,
    /// Logs shown at once when primitives are distilled (N2)
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Batches")]
    primitives_batch: u16,
    /// How often that is done (T2); 0 for once through all
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Batches")]
    primitives_rounds: u16,
    /// Pairs or logs shown at once when tips are distilled (N2)
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Batches")]
    tips_batch: u16,
    /// How often that is done for each skill (T2); 0 for once through all
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Batches")]
    tips_rounds: u16,
    /// The seed of the batches
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Batches")]
    seed: u64,
    /// Have each skill's function written too, over this world's primitive functions, and written anew for the tips (O3D-Code)
    #[arg(long, value_name = "WORLD")]
    functions: Option<WorldName>,
    /// Distil tips from successes alone, not by contrast with failures
    #[arg(long, help_heading = "Ablations")]
    no_contrast: bool,
    /// Distil tips of no skill and nothing else
    #[arg(long, help_heading = "Ablations")]
    tips_only: bool,
    /// Ask nothing further once so many tokens were spent
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Replace the file if it is there
    #[arg(long)]
    replace: bool,
}

/// The knowledge found, by whatever way.
struct Found {
    known: Knowledge,
    cuts: Vec<(String, Vec<Segment>)>,
    remarks: Vec<String>,
    /// How it ended, where not all was done.
    early: Option<String>,
}

impl Distill {
    /// Distils and writes; exit code 1 if it ended early.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        self.has_place()?;
        let logs = self.read()?;
        let known = match &self.known {
            Some(path) => read_knowledge(path)?,
            None => Knowledge::default(),
        };
        let name = config.roles.get(&Role::Discoverer).unwrap_or(&config.model.model).clone();
        let source = launch::resolver(&config)(&name).map_err(CliError::Failed)?;
        let journal = self.journal();
        if self.out.exists() && !self.replace && !journal.exists() {
            let why = format!("{} is there already; name another --out, or give --replace", self.out.display());
            return Err(CliError::Usage(why));
        }
        let found = match (self.discoverer, source) {
            (Some(Discoverer::Symbolic), _) | (None, Source::Symbolic) => self.by_counting(&logs, &known),
            (Some(Discoverer::Model), Source::Symbolic) => {
                return Err(CliError::Usage("no language model is in use; name one with --model".to_owned()));
            }
            (_, Source::Language { model, .. }) => {
                let library = self.functions.as_ref().map(|world| primitive_functions(world.kind()));
                let settings = Settings {
                    discover: self.batch.into(),
                    rounds: self.rounds.into(),
                    primitives: self.primitives_batch.into(),
                    primitive_rounds: self.primitives_rounds.into(),
                    tips: self.tips_batch.into(),
                    tip_rounds: self.tips_rounds.into(),
                    functions: library.is_some(),
                    contrast: !self.no_contrast,
                    tips_only: self.tips_only,
                    seed: self.seed,
                };
                let ids: Vec<&str> = logs.iter().map(|log| log.id.as_str()).collect();
                let heading = json!({ "settings": settings, "logs": ids, "model": name, "known": file::write(&known) });
                let library = library.unwrap_or_default();
                let mut kept = Journal::open(&journal, &heading).map_err(CliError::Failed)?;
                let mut run = Distiller::new(logs, known.clone(), settings).over(library);
                let runtime = Runtime::new()?;
                let prompts = Prompts::new(Some(&config.paths.config));
                let (cancel, contrast) = (interrupted(&runtime).cancel, !self.no_contrast);
                let (budget, sandbox) = (self.budget, stepwright_driver::sandbox());
                let asking = Asking { model, prompts: &prompts, sandbox, contrast, budget, cancel };
                let mut report = |progress: Progress| match progress {
                    Progress::Resumed(n) => note(&format!("{} taken from {}", count(n, "answer"), journal.display())),
                    Progress::Asking(what, left) => note(&format!("asking for {what}; {left} in this stage")),
                    Progress::Unread(why) => note(&format!("not understood: {why}")),
                    Progress::Remark(text) => note(&text),
                };
                let ended = runtime.block_on(distil(&mut run, &mut kept, &asking, &mut report));
                let (end, spent) = ended.map_err(CliError::Failed)?;
                note(&format!("{} tokens in, {} out", spent.prompt, spent.completion));
                let early = match end {
                    End::Done => None,
                    End::Budget => Some("the budget of tokens is used up".to_owned()),
                    End::Stopped(why) => Some(why),
                };
                Found {
                    known: run.known().clone(),
                    cuts: run.cuts().map(|(id, cut)| (id.to_owned(), cut.to_vec())).collect(),
                    remarks: run.remarks().to_vec(),
                    early,
                }
            }
        };
        self.write(&known, &found)
    }

    /// Whether there is a folder for the files: said before anything is asked or counted.
    fn has_place(&self) -> Result<(), CliError> {
        if is_output(&self.out) {
            return Err(CliError::Usage("--out is a file: the journal is kept beside it".to_owned()));
        }
        for file in [Some(&self.out), self.segments.as_ref()].into_iter().flatten() {
            target::look_at(file, &self.logs, None)?;
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                let why = format!("{}: there is no folder {}; make it first", file.display(), folder.display());
                return Err(CliError::Failed(why));
            }
        }
        Ok(())
    }

    fn journal(&self) -> PathBuf {
        let mut name = self.out.as_os_str().to_owned();
        name.push(".journal.jsonl");
        name.into()
    }

    /// The logs of all files; what cannot be read of them is said.
    fn read(&self) -> Result<Vec<Trajectory>, CliError> {
        let logs = launch::read_logs(&self.logs, note).map_err(CliError::Failed)?;
        let (good, all) = (logs.iter().filter(|log| log.succeeded()).count(), logs.len());
        let unobserved = logs.iter().filter(|log| log.unobserved() > 0).count();
        let of_one_task = count(pairs(&logs).len(), "pair");
        note(&format!(
            "{} of {}, {of_one_task} of a success and a failure on one task",
            count(good, "success"),
            count(all, "log")
        ));
        if unobserved > 0 {
            note(&format!("{} without all observations: they tell actions and little else", count(unobserved, "log")));
        }
        Ok(logs)
    }

    fn by_counting(&self, logs: &[Trajectory], known: &Knowledge) -> Found {
        let settings = discover::Settings { contrast: !self.no_contrast, ..discover::Settings::default() };
        let found = discover(logs, &settings);
        let mut all = found.knowledge;
        if self.tips_only {
            all = all.tips_alone();
        }
        // What was known stays, unless it is said otherwise now.
        let added = changes::between(known, &all);
        let added: Vec<_> = added.into_iter().filter(|change| change.sign() != '-').collect();
        Found {
            known: changes::apply(known, &added),
            cuts: found.cuts.into_iter().map(|cut| (cut.trajectory, cut.segments)).collect(),
            remarks: Vec::new(),
            early: None,
        }
    }

    fn write(&self, before: &Knowledge, found: &Found) -> Result<ExitCode, CliError> {
        let Found { known, cuts, remarks, early } = found;
        target::replace(&self.out, &file::write(known))?;
        if let Some(path) = &self.segments {
            let line =
                |(id, cut): &(String, Vec<Segment>)| format!("{}\n", json!({ "trajectory": id, "segments": cut }));
            target::replace(path, &cuts.iter().map(line).collect::<String>())?;
        }
        let mut text = String::new();
        for change in changes::between(before, known) {
            text.push_str(&format!("{change}\n"));
        }
        remarks.iter().for_each(|remark| text.push_str(&format!("! {remark}\n")));
        let tips = known.tips.len() + known.skills.iter().map(|skill| skill.tips.len()).sum::<usize>();
        let functions = known.skills.iter().filter(|skill| !skill.function.is_empty()).count();
        let functions = if functions > 0 { format!(", {}", count(functions, "function")) } else { String::new() };
        text.push_str(&format!(
            "{}, {}, {}, {}{functions} in {}; {} cut into skills\n",
            count(known.skills.len(), "skill"),
            count(known.primitives().len(), "primitive"),
            count(tips, "tip"),
            count(known.examples.len(), "example"),
            self.out.display(),
            count(cuts.len(), "log"),
        ));
        if let Some(why) = early {
            text.push_str(&format!("ended early: {why}; the same command goes on\n"));
        }
        print(&text)?;
        Ok(ExitCode::from(u8::from(early.is_some())))
    }
}

/// The primitive functions of a world.
fn primitive_functions(world: &WorldKind) -> &'static str {
    world.file("primitives.py").map_or(GENERIC, |file| file.text)
}

/// The knowledge of a file of skills.
fn read_knowledge(path: &Path) -> Result<Knowledge, CliError> {
    let text = text_of(path).map_err(CliError::Failed)?;
    file::read(&text).map_err(|e| CliError::Failed(format!("{}: {e}", path.display())))
}
