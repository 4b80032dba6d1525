//! Environment of an adapter: a list of what programs need to run, what is configured, and never a model provider's key.

use std::ffi::OsString;

use super::Adapter;

/// Variables that an adapter inherits where its `inherit` does not say which. A name that ends with `*` stands for all that begin so.
pub(super) const INHERITED: &[&str] = &[
    // Where programs, the person's files and temporary files are, and who the person is.
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TMP", "TEMP", "XDG_*",
    // Language and time.
    "LANG", "LANGUAGE", "LC_*", "TZ", // Libraries and interpreters.
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHON*", "VIRTUAL_ENV", "CONDA_*", "JAVA_HOME", "NODE_PATH",
    "SSL_CERT_FILE", "SSL_CERT_DIR", // Screens and processors.
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "CUDA_*", "NVIDIA_*", "OMP_NUM_THREADS",
    // The data of the adapter that ships.
    "ALFWORLD_DATA", // What Windows needs to start anything.
    "SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
];

/// The variables an adapter is started with, of those that this program has and those configured for it.
pub(super) fn of(adapter: &Adapter, all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let is_inherited = |name: &str| match &adapter.inherited {
        Some(own) => own.iter().any(|pattern| fits(pattern, name)),
        // What a pattern stands for is not known one by one.
        None => INHERITED.iter().any(|pattern| fits(pattern, name)) && !stepwright_secret::is_secret_name(name),
    };
    let inherited = all.filter(|(name, _)| name.to_str().is_some_and(is_inherited));
    let own = adapter.env.iter().map(|(name, value)| (name.into(), value.into()));
    inherited.chain(own).filter(|(name, _)| adapter.withheld.iter().all(|withheld| name != withheld.as_str())).collect()
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(adapter: &Adapter) -> Vec<String> {
        let all = [
            "PATH", "LC_ALL", "PYTHONPATH", "CUDA_VISIBLE_DEVICES", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "HF_TOKEN",
            "AWS_SECRET_ACCESS_KEY", "XDG_SESSION_TOKEN", "GITHUB_TOKEN", "DATABASE_URL", "MINE",
        ];
        of(adapter, all.into_iter().map(|name| (name.into(), "x".into())))
            .into_iter()
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn what_no_program_needs_is_not_inherited() {
        let adapter = Adapter { withheld: vec!["OPENAI_API_KEY".into()], ..Adapter::new("a", vec![]) };
        assert_eq!(names(&adapter), ["PATH", "LC_ALL", "PYTHONPATH", "CUDA_VISIBLE_DEVICES"]);
        let own = Adapter { inherited: Some(vec!["MINE".into(), "GITHUB_*".into()]), ..adapter.clone() };
        assert_eq!(names(&own), ["GITHUB_TOKEN", "MINE"]);
        let all = Adapter { inherited: Some(vec!["*".into()]), env: vec![("B".into(), "1".into())], ..adapter };
        let all = names(&all);
        assert!(
            all.len() == 12 && !all.contains(&"OPENAI_API_KEY".to_owned()) && all.contains(&"B".to_owned()),
            "{all:?}"
        );
    }
}
