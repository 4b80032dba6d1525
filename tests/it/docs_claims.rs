//! The claims of the documents that a machine can try: every command line is one the program takes, every settings block is one it reads,
//! every file, test, benchmark, variable and decision that a page names is there, and printed tables are those that are printed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use clap::error::ErrorKind;

use crate::docs::{files, pages, root};

/// The blocks of a page with the language they say they are in, and their first lines.
fn blocks(text: &str) -> Vec<(String, usize, String)> {
    let mut blocks: Vec<(String, usize, String)> = Vec::new();
    let mut open = None;
    for (number, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.trim().to_owned(), number + 2, String::new())),
            (Some(_), some) => blocks.extend(some.take()),
            (None, Some((_, _, body))) => {
                body.push_str(line.trim_start());
                body.push('\n');
            }
            // Blocks by indentation are shell lines here.
            (None, None) if line.starts_with("    stepwright ") => {
                blocks.push(("sh".to_owned(), number + 1, format!("{}\n", line.trim())));
            }
            (None, None) => {}
        }
    }
    blocks
}

fn spans(text: &str) -> Vec<String> {
    let prose = crate::docs::prose(text).replace('\n', " ");
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The command lines of a text that call the program, each as words: what comes before (`VARIABLE=… `) and behind (`| head`) is left out.
fn calls(text: &str) -> Vec<Vec<String>> {
    let mut calls = Vec::new();
    for line in text.replace("\\\n", " ").lines() {
        for part in line.split(" | ").flat_map(|part| part.split(" && ")) {
            let Some(at) = part.find("stepwright ") else { continue };
            let before = part.get(..at).unwrap_or_default().trim_end();
            if !(before.is_empty() || before.split(' ').all(|word| word.contains('=')) || before == "parallel") {
                continue;
            }
            let call = part.get(at..).unwrap_or_default().split(" ::: ").next().unwrap_or_default();
            let Some(words) = shlex::split(call) else { panic!("no shell reads this: {call}") };
            // What may be left out is in brackets.
            let words = words.into_iter().map(|word| word.trim_start_matches('[').trim_end_matches(']').to_owned());
            calls.push(words.take_while(|word| !word.starts_with('#') && word != ">").collect());
        }
    }
    calls
}

/// Whether a word stands for something that a reader puts in: `FILE`, `…`, `{}`, `A|B`.
fn is_placeholder(word: &str) -> bool {
    let value = word.rsplit('=').next().unwrap_or_default();
    let in_capitals = value.chars().any(char::is_uppercase) && !value.chars().any(char::is_lowercase);
    in_capitals || word.contains(['…', '{', '|', '$'])
}

/// The program's complaint about a call, if any; of one with placeholders only a complaint that they cannot be the
/// reason for.
fn wrong(words: &[String], whole: bool) -> Option<String> {
    let error = stepwright::cli::command().try_get_matches_from(words).err()?;
    let open = words.iter().any(|word| is_placeholder(word));
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            None
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => Some(error.to_string()),
        _ if open || !whole => None,
        _ => Some(error.to_string()),
    }
}

#[test]
fn the_docs_name_only_commands_that_the_program_takes() {
    let (mut seen, mut found) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let of_blocks = blocks(&text).into_iter().filter(|(language, ..)| language == "sh");
        let of_blocks =
            of_blocks.flat_map(|(_, line, body)| calls(&body).into_iter().map(move |call| (line, true, call)));
        // A whole command in the text may leave out what does not matter there.
        let inline = spans(&text).into_iter().filter(|span| span.starts_with("stepwright "));
        let inline = inline.flat_map(|span| calls(&span)).map(|call| (0, false, call));
        for (line, whole, call) in of_blocks.chain(inline) {
            // Several at once: `study …`, `stepwright run` and others by name.
            let call: Vec<String> = call.into_iter().take_while(|word| word != "…").collect();
            seen += 1;
            if let Some(why) = wrong(&call, whole) {
                let why = why.lines().next().unwrap_or_default().to_owned();
                found.push(format!("{}:{line}: {}: {why}", page.display(), call.join(" ")));
            }
        }
    }
    assert!(seen > 150, "{seen} commands");
    assert!(found.is_empty(), "the program does not take these:\n{}", found.join("\n"));
    // The test itself finds what is wrong.
    for (bad, whole) in [
        ("stepwright run --ot x", false),
        ("stepwright rnu", false),
        ("stepwright run --jobs many --out x.jsonl", true),
    ] {
        let words: Vec<String> = bad.split(' ').map(str::to_owned).collect();
        assert!(wrong(&words, whole).is_some(), "{bad}");
    }
}

#[test]
fn the_docs_show_only_settings_that_are_read() {
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let first = [
            "[model]", "[models.", "[method]", "[methods.", "[external.", "[keys]", "[ui]", "[data]", "[log]", "[gate]",
        ];
        for (language, line, body) in blocks(&text) {
            if language != "toml" || !first.iter().any(|section| body.contains(section)) {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("config.toml"), &body).unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
            let shown = command
                .env_clear()
                .env("HOME", folder.path())
                .env("TEAM", "a")
                .env("STEPWRIGHT_CONFIG_DIR", folder.path());
            let shown = shown.args(["config", "show"]).output().unwrap();
            let said = String::from_utf8_lossy(&shown.stderr);
            assert!(shown.status.success(), "{}:{line}: {said}", page.display());
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen} blocks");
}

fn sources() -> String {
    let mut all = String::new();
    for folder in ["src", "crates", "tests", "benches", "fuzz", "scripts", ".ci", "adapters", "examples"] {
        for file in files(&root().join(folder), &[".rs", ".toml", ".py", ".jinja", ".sh", ".md"]) {
            all.push_str(&std::fs::read_to_string(file).unwrap_or_default());
        }
        // Scripts have no ending.
        for entry in std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten() {
            all.push_str(&std::fs::read_to_string(entry.path()).unwrap_or_default());
        }
    }
    all
}

/// Whether something is at a path of the repository in which `*`, `<…>` and words in capitals stand for any name.
fn is_there(path: &str) -> bool {
    let mut places = vec![root().to_path_buf()];
    for part in path.trim_end_matches('/').split('/') {
        let (before, after) = match (part.find(['*', '<']), part.rfind(['*', '>'])) {
            (Some(from), Some(to)) => (&part[..from], &part[to + 1..]),
            _ if part.contains("NAME") => part.split_once("NAME").unwrap_or_default(),
            _ if part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()) && !root().join(part).exists() => {
                ("", "")
            }
            _ => {
                places = places.iter().map(|place| place.join(part)).filter(|place| place.exists()).collect();
                continue;
            }
        };
        let inside = |place: &Path| std::fs::read_dir(place).into_iter().flatten().flatten().collect::<Vec<_>>();
        let fits = |name: &str| name.starts_with(before) && name.ends_with(after);
        places = places
            .iter()
            .flat_map(|place| inside(place))
            .filter(|entry| fits(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path())
            .collect();
    }
    !places.is_empty()
}

#[test]
fn the_docs_name_only_files_tests_variables_and_decisions_that_are_there() {
    let sources = sources();
    let decisions = std::fs::read_to_string(root().join("docs/explanation/decisions.md")).unwrap();
    let folders: BTreeSet<String> = std::fs::read_dir(root())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir() && entry.file_name() != "target")
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let folders_of_code = ["src", "crates", "tests", "benches", "fuzz", "examples"];
    let all = folders_of_code.iter().flat_map(|folder| files(&root().join(folder), &[".rs"]));
    let all: Vec<String> = all.map(|path| path.display().to_string()).collect();
    let (mut seen, mut missing) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        let mut looked_for = |there: bool, what: &str| {
            seen += 1;
            if !there {
                missing.push(format!("{name}: {what}"));
            }
        };
        for span in spans(&text) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.*<>".contains(c);
            let place = span.split('/').next().is_some_and(|first| folders.contains(first)) && span.contains('/');
            if place && span.chars().all(plain) {
                looked_for(is_there(&span), &span);
            }
            if span.ends_with(".rs") && span.chars().all(plain) {
                let file = format!("/{span}");
                looked_for(all.iter().any(|path| path.ends_with(&file)), &span);
            }
            let long = span.matches('_').count() > 2
                && span.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            if long {
                looked_for(sources.contains(&span), &span);
            }
            for (at, _) in span.match_indices("STEPWRIGHT_") {
                let variable: String = span
                    .get(at..)
                    .unwrap_or_default()
                    .chars()
                    .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                    .collect();
                looked_for(sources.contains(&variable), &variable);
            }
            for (flag, folder) in [("--test ", "tests"), ("--bench ", "benches")] {
                let Some((before, rest)) = span.split_once(flag) else { continue };
                let mut words = rest.split_whitespace();
                let target = words.next().unwrap_or_default();
                let of_crate = before.split("-p stepwright-").nth(1).map_or(String::new(), |rest| {
                    format!("crates/{}/", rest.split_whitespace().next().unwrap_or_default())
                });
                let place = root().join(format!("{of_crate}{folder}"));
                looked_for(place.join(format!("{target}.rs")).exists() || place.join(target).is_dir(), &span);
                let Some(filter) = words.next().filter(|word| !word.starts_with('-')) else { continue };
                let named = sources.contains(&format!("fn {filter}")) || sources.contains(&format!("mod {filter};"));
                looked_for(named || sources.lines().any(|l| l.contains("fn ") && l.contains(filter)), &span);
            }
        }
        for part in text.split("decision ").skip(1) {
            let number: String = part.chars().take_while(char::is_ascii_digit).collect();
            if !number.is_empty() {
                looked_for(decisions.contains(&format!("\n## {number}. ")), &format!("decision {number}"));
            }
        }
    }
    assert!(seen > 150, "{seen} names");
    assert!(missing.is_empty(), "these are named and not there:\n{}", missing.join("\n"));
}

/// The defects that `scripts/put-back` puts back still can be.
#[test]
fn patches_of_mended_defects_apply() {
    let patches = files(&root().join("scripts/put-back.d"), &[".patch"]);
    assert!(patches.len() > 5);
    for patch in patches {
        let mut command = Command::new("patch");
        let command = command.args(["-p0", "--dry-run", "-sfi"]).arg(&patch).current_dir(root());
        // Where it is not installed nothing is known.
        let Ok(tried) = command.output() else { return };
        assert!(tried.status.success(), "{}: {}", patch.display(), String::from_utf8_lossy(&tried.stdout));
    }
}

#[test]
fn the_docs_tables_of_methods_are_those_that_are_printed() {
    let path = root().join("docs/reference/methods.md");
    let mut page = std::fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for args in [["methods", "--options"], ["methods", "--matrix"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
        let printed = command.env_clear().env("HOME", folder.path()).args(args).output().unwrap();
        let table = String::from_utf8(printed.stdout).unwrap();
        assert!(printed.status.success() && table.lines().count() > 20, "{args:?}");
        if std::env::var_os("STEPWRIGHT_WRITE_DOCS").is_some() {
            let head = table.lines().next().unwrap();
            let (before, rest) = page.split_once(head).unwrap();
            let after: Vec<&str> = rest.lines().skip(1).skip_while(|line| line.starts_with('|')).collect();
            page = format!("{before}{}\n{}\n", table.trim_end(), after.join("\n"));
            std::fs::write(&path, &page).unwrap();
        }
        let old: Vec<&str> = table.lines().filter(|line| !page.contains(line)).collect();
        assert!(old.is_empty(), "docs/reference/methods.md does not have what {args:?} prints:\n{}", old.join("\n"));
    }
}

#[test]
fn the_docs_have_every_method_and_world_in_its_list() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).unwrap();
    let (methods, readme) = (read("docs/reference/methods.md"), read("README.md"));
    let table: Vec<&str> =
        methods.lines().take_while(|line| *line != "## Options").filter(|l| l.starts_with("| `")).collect();
    let mut missing = Vec::new();
    for method in stepwright::methods::METHODS.all() {
        if !table
            .iter()
            .any(|row| row.split(" | ").next().is_some_and(|cell| cell.contains(&format!("`{}`", method.id))))
        {
            missing.push(format!("docs/reference/methods.md: the method {}", method.id));
        }
    }
    for world in stepwright::worlds::WORLDS {
        let line = if world.name == "external" { "--command".to_owned() } else { format!("`{}`", world.name) };
        if !readme.lines().any(|row| row.starts_with('|') && row.contains(&line)) {
            missing.push(format!("README.md: the world {}", world.name));
        }
    }
    assert!(missing.is_empty(), "absent:\n{}", missing.join("\n"));
}

#[test]
fn the_docs_tables_have_as_many_cells_in_each_row_as_in_their_head() {
    let cells = |row: &str| row.replace("\\|", "").matches('|').count();
    let (mut seen, mut uneven) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let (mut code, mut head) = (false, None);
        for (number, line) in text.lines().enumerate() {
            code ^= line.trim_start().starts_with("```");
            if code || !line.trim_start().starts_with('|') {
                head = None;
                continue;
            }
            seen += 1;
            if *head.get_or_insert(cells(line)) != cells(line) {
                uneven.push(format!("{}:{}: {line}", page.display(), number + 1));
            }
        }
    }
    assert!(seen > 300, "{seen} rows");
    assert!(uneven.is_empty(), "these rows have other cells than their head:\n{}", uneven.join("\n"));
}
