//! What the operating system must hold model-written code to before it is run, and what it does hold it to here.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use stepwright_confine::Held;

/// What must hold; else nothing is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Require {
    /// Landlock or seccomp.
    Any,
    /// Nothing: the engine alone keeps code from files and network.
    None,
}

impl Default for Require {
    /// Other systems than Linux have neither.
    fn default() -> Self {
        if cfg!(target_os = "linux") { Require::Any } else { Require::None }
    }
}

impl Require {
    /// Why code is not run under what holds; `None` where it is.
    pub fn refusal(self, held: &Held) -> Option<String> {
        let refused = self == Require::Any && !held.is_confined();
        refused.then(|| {
            "model-written code is not run: this system offers neither landlock nor seccomp to keep it from files and network \
             (stepwright sandbox --check); require = \"none\" under [sandbox] in config.toml runs it all the same"
                .to_owned()
        })
    }
}

/// The word after [`super::WORKER`] that has it say what holds.
pub const HELD: &str = "held";

/// What the program requires, once it has said so, and the program that is started to ask what holds.
static REQUIRED: OnceLock<(Require, PathBuf)> = OnceLock::new();

/// Sets what all workers of this process require. To be called once by a program that has the subcommand [`super::WORKER`].
pub fn require(what: Require) {
    let _ = REQUIRED.set((what, super::itself::itself().unwrap_or_default()));
}

pub(super) fn required() -> Require {
    REQUIRED.get().map_or_else(Require::default, |(what, _)| *what)
}

/// What the system holds workers of this program to, tried once; `None` where [`require`] was not called or no worker can be started.
pub fn held() -> Option<&'static Held> {
    static TRIED: OnceLock<Option<Held>> = OnceLock::new();
    let (_, program) = REQUIRED.get()?;
    let tried = || {
        let mut command = Command::new(program);
        command.args([super::WORKER, HELD]).env_clear().current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
        serde_json::from_slice(&command.output().ok()?.stdout).ok()
    };
    TRIED.get_or_init(tried).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_refused_where_nothing_holds() {
        let nothing = Held::default();
        assert!(Require::Any.refusal(&nothing).unwrap().contains("require = \"none\""));
        assert_eq!(Require::None.refusal(&nothing), None);
        for held in
            [Held { seccomp: true, ..Held::default() }, Held { landlock: "version 6".to_owned(), ..Held::default() }]
        {
            assert_eq!(Require::Any.refusal(&held), None);
        }
        assert_eq!(nothing.in_words(), "nothing");
        let both = Held { seccomp: true, landlock: "version 6".to_owned(), ..Held::default() };
        assert_eq!(both.in_words(), "landlock (version 6) and seccomp");
    }
}
