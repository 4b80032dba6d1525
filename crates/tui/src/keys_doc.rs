//! `docs/reference/keys.md`, made from the action table.

use std::fmt::Write as _;

use super::actions::groups;
use super::dialog::help::numbered;
use super::keymap::{Keymap, NAMED};

pub fn render() -> String {
    let keymap = Keymap::default();
    let mut out = String::from(
        "# Keys\n\n\
         This page is made from the action table (`crates/tui/src/actions.rs`); `STEPWRIGHT_WRITE_DOCS=1 cargo test keys_doc` writes it\n\
         again. In the program `?` shows the same list with your own keys, and `:` finds a command by name.\n\n\
         Change keys in `config.toml`: the action's name, and a key or a list of keys. A key is a character, `f1` to `f12`, or one\n\
         of ",
    );
    let names = NAMED.map(|(name, _)| format!("`{name}`"));
    let (first, second) = names.split_at(names.len() / 2);
    // Writing to a String cannot fail.
    let _ = write!(out, "{},\n{}", first.join(", "), second.join(", "));
    out.push_str(
        ", with `ctrl-`, `alt-` or `shift-` before it.\n\
         An empty list switches the action's keys off.\n\n\
         ```toml\n[keys]\napprove = \"ctrl-y\"\nundo = [\"u\", \"backspace\"]\nsuspend = []\n```\n\n\
         Keys that the focused pane and the gate share belong to the gate while Proposals has the keys, and to the pane\n\
         elsewhere. `Enter` approves in Proposals only; `a` approves from every pane. Below, keys stand by what they are for.\n",
    );
    for (title, rows) in groups() {
        let _ = write!(out, "\n## {title}\n\n");
        out.push_str("| Keys | Action | What it does |\n|---|---|---|\n");
        for spec in rows {
            let row =
                |keys: &str, name: &str, about: &str| format!("| {keys} | {name} | {} |\n", about.replace('|', "\\|"));
            let keys: Vec<String> = keymap.keys(spec.id).iter().map(|k| format!("`{k}`").replace('|', "\\|")).collect();
            match numbered(spec.id) {
                Some((1, last, about)) => {
                    let name = spec.name.trim_end_matches('1');
                    out.push_str(&row(&format!("`1` to `{last}`"), &format!("`{name}1` to `{name}{last}`"), about));
                }
                Some(_) => {}
                None => out.push_str(&row(&keys.join(" "), &format!("`{}`", spec.name), &spec.about)),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_in_docs_is_current() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("docs/reference/keys.md");
        let page = super::render();
        if std::env::var_os("STEPWRIGHT_WRITE_DOCS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let current = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(current == page, "docs/reference/keys.md is old: run STEPWRIGHT_WRITE_DOCS=1 cargo test keys_doc");
    }
}
