//! Words and names that look secret, for what is shown or kept: command lines, variables, addresses.

const HIDDEN: &str = "…";

/// Whether a variable, flag, header or query of this name may hold a secret: its last word says so (`OPENAI_API_KEY`, `--token`, `pwd2`).
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "key", "apikey", "token", "secret", "password", "passwd", "pass", "pwd", "credential", "credentials", "auth",
        "authorization", "bearer", "cookie", "signature", "sig", "sas",
    ];
    let lower = name.to_ascii_lowercase();
    let numbered = lower.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let last = numbered.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    last.is_some_and(|word| WORDS.contains(&word))
}

/// The words of a command without what may be secret in them: values of flags and variables with such names, passwords and queries
/// of addresses, and words that are keys by their form.
#[must_use]
pub fn shown_words(words: &[String]) -> Vec<String> {
    let mut value_of_secret = false;
    let shown = words.iter().enumerate().map(|(at, word)| {
        let hidden = std::mem::take(&mut value_of_secret);
        if hidden && !word.starts_with('-') {
            return HIDDEN.to_owned();
        }
        if let Some((name, value)) = word.split_once('=')
            && !name.contains("://")
        {
            let shown = if is_secret_name(name) && !value.is_empty() { HIDDEN.to_owned() } else { shown_word(value) };
            return format!("{name}={shown}");
        }
        // The first word is the program.
        value_of_secret = at > 0 && word.starts_with('-') && is_secret_name(word);
        shown_word(word)
    });
    shown.collect()
}

fn shown_word(word: &str) -> String {
    if is_key(word) {
        return HIDDEN.to_owned();
    }
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, query)| (place, query));
    let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("{HIDDEN}@{host}"));
    let query = if query.is_empty() { String::new() } else { format!("?{HIDDEN}") };
    format!("{scheme}://{host}{path}{query}")
}

/// Whether a word begins as the keys of well-known providers do, and is as long.
fn is_key(word: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["sk-", "sk_", "pk-", "hf_", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "AIza", "AKIA", "gsk_", "eyJ"];
    word.len() >= 16 && BEGINNINGS.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        shown_words(&words).join(" ")
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        for (command, want) in [
            ("python3 adapter.py --api-key abc --verbose", "python3 adapter.py --api-key … --verbose"),
            ("x --token=abc --seed=3", "x --token=… --seed=3"),
            ("env API_TOKEN=abc HOME=/x run", "env API_TOKEN=… HOME=/x run"),
            ("x https://u:p@h:1/v1?api-key=q", "x https://…@h:1/v1?…"),
            ("x --url=https://h/v1?k=1 -v", "x --url=https://h/v1?… -v"),
            ("x sk-proj-Zx81QpLm77Vb", "x …"),
            ("x --password --fast", "x --password --fast"),
        ] {
            assert_eq!(shown(command), want);
        }
    }

    #[test]
    fn what_is_not_secret_is_shown() {
        for command in [
            "python3 adapter.py --tasks 3", "sh -c read", "x --keyboard us --monkeys 3",
            "./run --out=a=b https://h/v1/x", "passage sk-short",
        ] {
            assert_eq!(shown(command), command);
        }
    }

    #[test]
    fn names_are_looked_at_word_by_word() {
        for name in [
            "OPENAI_API_KEY", "HF_TOKEN", "X-Api-Key", "db.password", "--secret", "SAS", "AWS_SECRET_ACCESS_KEY",
            "KEY_2",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in
            ["PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "max_tokens", "stop_token_ids", "KEY_FILE", "COMPASS"]
        {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
