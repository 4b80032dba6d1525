//! `stepwright rate`: people judge the plans of a results file, blind; and what their judgements come to.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use stepwright_rate::{Judged, Judging, Kept, Plans, RateError};

use super::{CliError, Global, note, print, target};
use stepwright_study::curve::Format;
use stepwright_study::report::Report;
use stepwright_study::reprompt;
use stepwright_tui::rating;
use stepwright_tui::theme::{ASCII, Theme};

/// Lets people judge plans in the terminal, or prints what their judgements come to.
///
/// A rater sees a task and a plan, not which method wrote it, and says whether the plan does the task. Each rater has an order of their
/// own, the same at each sitting; plans alike are judged once. A judgement is kept as soon as it is made, and a sitting goes on where the
/// one before ended.
#[derive(Debug, Args)]
pub(crate) struct Rate {
    /// The results of `stepwright study reprompt`
    results: PathBuf,
    /// Who judges
    #[arg(long, value_name = "NAME", env = "USER")]
    rater: Option<String>,
    /// Where judgements are kept; RESULTS.ratings if absent
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Judgements of other raters, kept elsewhere; may be given several times
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Print what the judgements come to: % correct, % correct and executable, Fleiss' kappa
    #[arg(long)]
    figures: bool,
    /// Write the figures to a file as well, by its end: .csv, .json or .svg; may be given several times
    #[arg(long, value_name = "FILE", requires = "figures")]
    export: Vec<PathBuf>,
}

impl Rate {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let failed = |error: RateError| CliError::Failed(error.to_string());
        let plans = Plans::open(&self.results).map_err(failed)?;
        let to = self.to.unwrap_or_else(|| {
            let mut name = self.results.clone().into_os_string();
            name.push(".ratings");
            PathBuf::from(name)
        });
        if self.figures {
            // Where nobody judged yet there is no file.
            let own = Some(to).filter(|to| to.exists());
            let from: Vec<PathBuf> = own.into_iter().chain(self.with).collect();
            let mut judged = Judged::default();
            from.iter().try_for_each(|path| judged.with(path)).map_err(failed)?;
            let read = [&[self.results][..], &from].concat();
            let report = reprompt::ratings(&stepwright_rate::figures::of(&plans, &judged), judged.raters().count());
            for path in &self.export {
                let text = match Format::of(path).map_err(CliError::Usage)? {
                    Format::Csv => format!("table,row,column,value\n{}", report.csv("")),
                    Format::Json => format!("{:#}\n", report.json()),
                    Format::Svg => Report::svg(std::slice::from_ref(&report)),
                };
                target::write(path, &text, &read)?;
            }
            print(&report.to_string())?;
            return Ok(ExitCode::SUCCESS);
        }
        let rater = self.rater.filter(|name| !name.trim().is_empty());
        let rater = rater.ok_or_else(|| CliError::Usage("say who judges: --rater NAME".to_owned()))?;
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            let why = "rating needs a terminal for its input and output; --figures prints what judgements come to";
            return Err(CliError::Failed(why.to_owned()));
        }
        let config = global.load()?;
        let look = super::workbench::look(&config)?;
        let plain = Theme::monochrome(ASCII);
        let mut judging = Judging::new(&rater, &plans, Kept::open(&to).map_err(failed)?);
        let code =
            rating::run(&mut judging, look.theme().unwrap_or(&plain)).map_err(|e| CliError::Failed(e.to_string()))?;
        note(&format!(
            "{} of {} plans judged by {rater}, kept in {}. What all judgements come to: stepwright rate {} --figures",
            judging.count(),
            judging.all(),
            judging.kept().path().display(),
            super::workbench::shell_word(&self.results),
        ));
        Ok(if judging.kept().path() == to { code } else { ExitCode::FAILURE })
    }
}
