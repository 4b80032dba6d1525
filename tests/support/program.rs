//! The program as a process, with a home of its own: nothing of the person's who runs the tests is read or changed.

use std::path::Path;
use std::process::{Command, Output};

use super::server::Server;

/// The program that cargo built for the tests.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");

/// The program with its configuration and its state in `config` and `state` of a folder.
pub fn program(home: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    at_home(&mut command, home);
    command
}

/// Gives a command the folders that [`program`] has: one that starts the program itself.
pub fn at_home(command: &mut Command, home: &Path) {
    command.env("STEPWRIGHT_CONFIG_DIR", home.join("config")).env("STEPWRIGHT_STATE_DIR", home.join("state"));
}

/// The program run in a folder, its model a server's that does not stream and is asked once.
pub fn asking(server: &Server, home: &Path, args: &[&str]) -> Output {
    let mut command = program(home);
    command.current_dir(home).args(args).args(["--set", "model.stream=false", "--set", "model.retries=0"]);
    command.envs(server.variables()).output().unwrap()
}

/// All that it said.
pub fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{out}\n{err}")
}
