//! `stepwright config`: the merged settings, where the file is, and a file to start from.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use super::workbench::look;
use super::{CliError, Global, note, print};
use stepwright_launch::config::{paths, template};
use stepwright_methods::METHODS;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting with where its value comes from (never a key)
    Show,
    /// Print where the configuration file is
    Path,
    /// Write a configuration file with every setting, commented out; never overwrites one
    Init,
}

impl ConfigCommand {
    pub fn run(&self, global: &Global) -> Result<ExitCode, CliError> {
        if let ConfigCommand::Show = self {
            let config = global.load()?;
            print(&config.show())?;
            // Keys and themes are names until the workbench looks them up; what it would complain of is said here too.
            for remark in look(&config)?.remarks {
                note(&remark);
            }
            return Ok(ExitCode::SUCCESS);
        }
        // Needed most when the file is wrong: it is not read.
        let paths = paths(&global.overrides()).map_err(|e| CliError::Failed(e.to_string()))?;
        let file = paths.config_file();
        if let ConfigCommand::Init = self {
            init(&file)?;
            print(&format!("wrote {}\n", file.display()))?;
        } else {
            print(&format!("{}\n", file.display()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn init(file: &Path) -> Result<(), CliError> {
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::AlreadyExists => {
            CliError::Failed(format!("{} is there already and is left as it is; move it away first", file.display()))
        }
        ErrorKind::StorageFull => CliError::Failed(format!("cannot write {}: {e}; make room", file.display())),
        _ => CliError::Failed(format!("cannot write {}: {e}; name another folder with --config-dir", file.display())),
    };
    if let Some(dir) = file.parent() {
        if dir.exists() && !dir.is_dir() {
            let why = format!("{} is a file; name a folder with --config-dir", dir.display());
            return Err(CliError::Failed(why));
        }
        std::fs::create_dir_all(dir).map_err(failed)?;
    }
    let mut new = std::fs::OpenOptions::new().write(true).create_new(true).open(file).map_err(failed)?;
    new.write_all(template(&METHODS).as_bytes()).map_err(|error| {
        // Half a file would be left as it is the next time.
        let _ = std::fs::remove_file(file);
        failed(error)
    })
}
