//! `stepwright completions` and `stepwright man`: made from the command line's own definition, so that they are never wrong.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::{CliError, print_file};

/// Prints a completion script.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to write for
    shell: Shell,
}

/// Prints the man page, or writes all pages into a folder.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder for the pages of the program and of every subcommand
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Completions {
    pub fn run(self, mut command: Command) -> Result<ExitCode, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "stepwright", &mut script);
        print_file(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Man {
    pub fn run(self, command: Command) -> Result<ExitCode, CliError> {
        match self.out {
            Some(folder) => {
                let fail = |e: std::io::Error| CliError::Failed(format!("{}: {e}", folder.display()));
                std::fs::create_dir_all(&folder).map_err(fail)?;
                clap_mangen::generate_to(command, &folder).map_err(fail)?;
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page)?;
                print_file(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
