//! Documents: no link leads nowhere, no file mentioned in the sources is missing, and the pages of the reference that are made from the
//! program say what it says. `STEPWRIGHT_WRITE_DOCS=1 cargo test docs` writes those pages again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Arg;
use stepwright::cli::is_of_methods;
use stepwright::methods::METHODS;

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

/// Commands that share an option from which on it is described once.
const SHARED: usize = 3;

/// An option or argument: its name as typed, and its words.
fn entry(arg: &Arg) -> (String, String) {
    let mut text = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() {
        text.push_str(&format!(" [default: {}]", defaults.join(", ")));
    }
    if let Some(name) = arg.get_env() {
        text.push_str(&format!(" [env: {}]", name.to_string_lossy()));
    }
    let values = arg.get_possible_values();
    let told = values.iter().filter(|value| !value.is_hide_set()).map(|value| match value.get_help() {
        Some(about) => format!("`{}`: {about}", value.get_name()),
        None => format!("`{}`", value.get_name()),
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        text = format!("{}. One of {}", text.trim_end_matches('.'), told.join("; "));
    }
    (arg.to_string(), text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What can be given to a command, without what every command takes and what another page tells.
fn entries(command: &clap::Command) -> Vec<(String, String)> {
    let own = |arg: &&Arg| {
        !arg.is_hide_set() && !arg.is_global_set() && !["help", "version"].contains(&arg.get_id().as_str())
    };
    command.get_arguments().filter(own).filter(|arg| !is_of_methods(arg)).map(entry).collect()
}

fn below(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

fn counted(command: &clap::Command, counts: &mut BTreeMap<(String, String), usize>) {
    entries(command).into_iter().for_each(|entry| *counts.entry(entry).or_default() += 1);
    below(command).for_each(|sub| counted(sub, counts));
}

fn listed<'a>(entries: impl IntoIterator<Item = &'a (String, String)>) -> String {
    entries.into_iter().map(|(name, text)| format!("- `{name}`: {text}\n")).collect()
}

fn described(command: &clap::Command, depth: usize, shared: &BTreeSet<(String, String)>, out: &mut String) {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let (common, own): (Vec<_>, Vec<_>) = entries(command).into_iter().partition(|entry| shared.contains(entry));
    let name = command.get_bin_name().unwrap_or("stepwright");
    out.push_str(&format!("\n{} `{name}`\n\n{about}\n\n```text\n{usage}\n```\n", "#".repeat(depth)));
    if !own.is_empty() {
        out.push_str(&format!("\n{}", listed(&own)));
    }
    if !common.is_empty() {
        let names: Vec<String> = common.iter().map(|(name, _)| format!("`{name}`")).collect();
        out.push_str(&format!("\nAnd [common options](#common-options): {}\n", names.join(", ")));
    }
    below(command).for_each(|sub| described(sub, depth + 1, shared, out));
}

#[test]
fn the_page_of_the_command_line_is_current() {
    let command = stepwright::cli::command();
    let mut counts = BTreeMap::new();
    counted(&command, &mut counts);
    let shared: BTreeSet<_> = counts.into_iter().filter(|(_, n)| *n >= SHARED).map(|(entry, _)| entry).collect();
    let global: Vec<_> = command.get_arguments().filter(|arg| arg.is_global_set()).map(entry).collect();
    let mut page = format!(
        "# Command line\n\nThis page is made from the command line's definition; `STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs` \
         writes it again.\n`COMMAND --help` says the same of one command, `stepwright completions SHELL` prints a completion script, \
         `stepwright man` the man page.\n\n## Settings\n\nEvery command takes these; its help lists those that it goes by.\n\n{}\n\
         ## Common options\n\nSeveral commands have these, and name them alone below. Options of methods are flags of the commands that \
         have `--method`;\n`stepwright methods NAME` lists a method's, [methods](methods.md#options) all of them.\n\n{}",
        listed(&global),
        listed(&shared)
    );
    described(&command, 2, &shared, &mut page);
    current("command-line.md", &page);
}

/// The program's help of a command.
fn help(of: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env_clear().env("COLUMNS", "100").args(of.split_whitespace()).arg("--help");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{of}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_help_of_a_command_can_be_read_at_once() {
    let text = help("open");
    assert!(text.lines().count() <= 60, "{} lines:\n{text}", text.lines().count());
    assert!(text.contains("--method <NAME>") && text.contains("stepwright methods NAME"), "{text}");
    assert!(!help("run").contains("--shots"));
    // What the help leaves out is taken all the same, and told of the method.
    let output = Command::new(env!("CARGO_BIN_EXE_stepwright")).args(["methods", "few-shot"]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let missing = METHODS
        .named("few-shot")
        .unwrap()
        .info()
        .options
        .iter()
        .find(|option| !told.contains(&format!("--{} ", option.key)));
    assert_eq!(missing.map(|option| option.key), None, "{told}");
}

#[test]
fn the_page_of_the_configuration_is_current() {
    let page = format!(
        "# Configuration\n\n\
         `stepwright config init` writes a commented `config.toml` where the platform keeps such files, `stepwright config path` says\n\
         where, `stepwright config show` lists every value and where it comes from. Later ones win: defaults, file, environment, flags.\n\
         A wrong key is an error that names its line and the nearest right one. Keys of providers are never in the file: a setting\n\
         names the environment variable that holds one.\n\n\
         `STEPWRIGHT_CONFIG_DIR` (or `--config-dir`) names the folder of `config.toml`. `STEPWRIGHT_STATE_DIR` names the one in which sessions,\n\
         the library's list and the debug log are kept, with what is fetched and what can be made again below it; where the platform's cannot\n\
         be written, set it.\n\n\
         Beside `config.toml`:\n\n\
         - A theme of your own is `themes/NAME.toml`. `inherits = \"dark\"` takes what it leaves out from another; `[colors]` gives colours names\n\
         (`ground = \"#16181d\"`; a colour is a name, `#rrggbb`, or 0 to 255); `[roles]` says how each thing is drawn, by a colour or a table\n\
         (`bad = {{ fg = \"red\", bold = true }}`, of fg, bg, bold, dim, italic, underlined, reversed and crossed-out); `[glyphs]` may have\n\
         `set = \"ascii\"`. `themes/dark.toml` has all roles.\n\
         - A prompt of your own goes before the one of the same name that ships: `prompts/program/next_action_chat.jinja` is that of the next\n\
         action for chat models, `next_action.jinja` beside it for raw completions.\n\
         - Keys are changed under `[keys]` ([keys](keys.md)).\n\n\
         This is the file that `init` writes; `STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs` writes this page again.\n\n\
         ```toml\n{}\n```\n",
        stepwright::config::template(&METHODS).trim_end()
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
