//! Says which build this is: the release and the commit of its sources. A checkout asks git, with what was changed since as a hash; a
//! package holds the commit that it was made from; where neither is at hand the release alone is known.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// What the program is made of: a commit of anything else makes no other build.
const SOURCES: [&str; 8] = ["crates", "src", "prompts", "worlds", "themes", "sessions", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let (release, here) = (of("CARGO_PKG_VERSION"), of("CARGO_MANIFEST_DIR"));
    let here = Path::new(&here);
    let commit = packaged(here).or_else(|| checked_out(here.parent()?.parent()?));
    println!(
        "cargo::rustc-env=STEPWRIGHT_BUILD={}",
        commit.map_or(release.clone(), |commit| format!("{release}+{commit}"))
    );
}

/// The commit that a package was made from, as cargo notes it.
fn packaged(here: &Path) -> Option<String> {
    let noted = std::fs::read_to_string(here.join(".cargo_vcs_info.json")).ok()?;
    let commit = noted.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    Some(commit.get(..10).unwrap_or(commit).to_owned())
}

/// The last commit of the sources of a checkout; behind a dot what was changed since.
fn checked_out(root: &Path) -> Option<String> {
    // The checkout of another repository that these sources lie in says nothing of them.
    if !root.join(".git").exists() {
        return None;
    }
    for path in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let git = |words: &[&str]| {
        let done =
            Command::new("git").arg("-C").arg(root).args(words).output().ok().filter(|done| done.status.success())?;
        Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let of_sources = |words: &[&str]| git(&[words, &["--"], &SOURCES].concat());
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) =
            git(&["rev-parse", "--git-path", name]).map(|path| root.join(path)).filter(|path| path.exists())
        {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let commit = of_sources(&["rev-list", "-1", "--abbrev-commit", "--abbrev=10", "HEAD"])?;
    let (diff, new) = (of_sources(&["diff", "HEAD"])?, of_sources(&["ls-files", "--others", "--exclude-standard"])?);
    if diff.is_empty() && new.is_empty() {
        return Some(commit);
    }
    let mut hasher = DefaultHasher::new();
    diff.hash(&mut hasher);
    for name in new.lines() {
        (name, std::fs::read(root.join(name)).ok()).hash(&mut hasher);
    }
    Some(format!("{commit}.{:08x}", hasher.finish() >> 32))
}
