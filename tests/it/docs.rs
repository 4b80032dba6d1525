//! Documents: no link leads nowhere, no file mentioned in the sources is missing, and the pages of the reference that are made from the
//! program say what it says. `STEPWRIGHT_WRITE_DOCS=1 cargo test docs` writes those pages again.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with one of these endings, without what is built or hidden.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The documents that are read by people.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs"), &[".md"]);
    pages.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "adapters/README.md"].map(|page| root().join(page)));
    pages
}

/// The text without code, in which brackets are no links.
pub(crate) fn prose(text: &str) -> String {
    let mut code = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let there = target.exists();
            let headed = anchor.is_empty()
                || std::fs::read_to_string(&target).is_ok_and(|text| anchors(&text).iter().any(|own| own == anchor));
            if !there || !headed {
                broken.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(seen > 50, "{seen} links");
    assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn documents_that_the_sources_mention_are_there() {
    let mut missing = Vec::new();
    let mut seen = 0;
    for folder in ["src", "crates", "tests", "worlds", "prompts", "scripts", "adapters", "benches"] {
        for file in files(&root().join(folder), &[".rs", ".toml", ".py", ".jinja", ".md"]) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for (at, _) in text.match_indices("docs/") {
                let rest = text.get(at..).unwrap_or_default();
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
                let name = rest.split(|c| !plain(c)).next().unwrap_or_default().trim_end_matches('.');
                if name.ends_with(".md") {
                    seen += 1;
                    if !root().join(name).exists() {
                        missing.push(format!("{}: {name}", file.strip_prefix(root()).unwrap().display()));
                    }
                }
            }
        }
    }
    assert!(seen > 20, "{seen} mentions");
    assert!(missing.is_empty(), "these are mentioned and not there:\n{}", missing.join("\n"));
}

/// Paths of this repository in code spans; one with a part in capitals (`crates/NAME`) stands for many.
#[test]
fn files_that_the_documents_name_are_there() {
    let folders = [
        "src", "crates", "tests", "worlds", "prompts", "scripts", "adapters", "benches", "fuzz", "sessions", "themes",
        "conform",
    ];
    let mut missing = Vec::new();
    let mut seen = 0;
    for page in pages().into_iter().filter(|page| !page.ends_with("CHANGELOG.md") && !page.ends_with("decisions.md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for span in prose(&text).split('`').skip(1).step_by(2) {
            let of_many = span.split('/').any(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
            let named = span.split_once('/').is_some_and(|(folder, _)| folders.contains(&folder));
            if named && !of_many && !span.contains(|c: char| c.is_whitespace() || "*{<…".contains(c)) {
                seen += 1;
                if !root().join(span).exists() {
                    missing.push(format!("{}: {span}", page.strip_prefix(root()).unwrap().display()));
                }
            }
        }
    }
    assert!(seen > 20, "{seen} paths");
    assert!(missing.is_empty(), "these are named and not there:\n{}", missing.join("\n"));
}

/// Holds a page against what it is made from, or writes it.
pub(crate) fn current(page: &str, text: &str) {
    let path = root().join("docs/reference").join(page);
    if std::env::var_os("STEPWRIGHT_WRITE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "docs/reference/{page} is old: run STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs");
}

fn help(of: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env_clear().env("COLUMNS", "100").args(of).arg("--help");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{of:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The subcommands that a help lists, without `help` itself.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let named = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).filter(|n| *n != "help").map(str::to_owned).collect()
}

/// The end of every subcommand's help; it is written once.
const SHARED: &str = "\nSettings:\n";

fn described(of: &[String], out: &mut String) {
    let text = help(of);
    let (own, shared) = text.split_once(SHARED).unwrap_or((&text, ""));
    let name = [vec!["stepwright".to_owned()], of.to_vec()].concat().join(" ");
    out.push_str(&format!("\n{} `{name}`\n\n```text\n{}\n```\n", "#".repeat(of.len() + 2), own.trim_end()));
    if of.is_empty() {
        out.push_str(&format!(
            "\n### Settings\n\nEvery subcommand takes these.\n\n```text\n{}\n```\n",
            shared.trim_end()
        ));
    }
    for sub in subcommands(&text) {
        described(&[of.to_vec(), vec![sub]].concat(), out);
    }
}

#[test]
fn the_page_of_the_command_line_is_current() {
    let mut page = "# Command line\n\nThis page is made from the program's own help; `STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs` \
                    writes it again.\n`stepwright completions SHELL` prints a completion script, `stepwright man` the man page.\n"
        .to_owned();
    described(&[], &mut page);
    current("command-line.md", &page);
}

#[test]
fn the_page_of_the_configuration_is_current() {
    let page = format!(
        "# Configuration\n\n\
         `stepwright config init` writes a commented `config.toml` where the platform keeps such files, `stepwright config path` says\n\
         where, `stepwright config show` lists every value and where it comes from. Later ones win: defaults, file, environment, flags.\n\
         A wrong key is an error that names its line and the nearest right one. Keys of providers are never in the file: a setting\n\
         names the environment variable that holds one.\n\n\
         Themes can be inherited from in `themes/NAME.toml` beside `config.toml`, prompts replaced under `prompts/`, keys changed under\n\
         `[keys]` ([keys](keys.md)).\n\n\
         This is the file that `init` writes; `STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs` writes this page again.\n\n\
         ```toml\n{}\n```\n",
        stepwright::config::template().trim_end()
    );
    current("configuration.md", &page);
}

/// `AssertionsAdopted` as a record names it.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
