//! All that can be set: name, kind, default, environment variables, and a line of help. What methods and worlds declare
//! of themselves is taken in here.

use stepwright_method::{Methods, OF_SESSIONS};
use stepwright_model::remote::providers::PROVIDERS;
use stepwright_world::options::Kind;
use stepwright_worlds::WORLDS;

#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) section: &'static str,
    pub(super) key: &'static str,
    pub(super) kind: Kind,
    /// As text; empty for none.
    pub(super) default: &'static str,
    /// Environment variables, the first one set wins.
    pub(super) env: &'static [&'static str],
    pub(super) help: &'static str,
}

const fn setting(
    section: &'static str,
    key: &'static str,
    kind: Kind,
    default: &'static str,
    env: &'static [&'static str],
    help: &'static str,
) -> Setting {
    Setting { section, key, kind, default, env, help }
}

impl Setting {
    pub(super) fn default_toml(&self) -> String {
        match self.kind {
            Kind::Choice(_) | Kind::Text | Kind::Name | Kind::Path | Kind::PathOr(_) => {
                toml::Value::String(self.default.to_owned()).to_string()
            }
            _ => self.default.to_owned(),
        }
    }
}

/// The sections with a line of help each. `models.NAME` takes the keys of `model`, `external` and `methods` hold sections only,
/// `keys` takes any.
pub(super) const SECTIONS: [(&str, &str); 12] = [
    (
        "model",
        "the model in use; [models.NAME] sections describe further ones, taking what they leave out from here; [model.writer] is that of \
         a role (reader, writer, proposer, selector, translator, discoverer)",
    ),
    ("method", "how proposals are made"),
    ("ui", "the workbench"),
    ("data", "your own copies of data that cannot ship with the program"),
    ("gate", "what is approved without you"),
    ("candidates", "how a model is asked for candidate preconditions"),
    ("sandbox", "what must keep model-written code from your files before it is run"),
    ("log", "a debug log in the folder of logs (`stepwright config show` says where); it holds no key"),
    (EXTERNAL, "worlds of your own: [external.NAME] runs a command that speaks the line protocol (adapters/README.md)"),
    (METHODS, "methods of your own: [methods.NAME] is the command of the method external:NAME (adapters/README.md)"),
    ("keys", "keys by action, as listed in docs/reference/keys.md: ACTION = \"KEY\" or [\"KEY\", \"KEY\"]"),
    ("models", ""),
];

/// As [`stepwright_sandbox::Require::default`]: other systems than Linux have no such layers.
const REQUIRED: &str = if cfg!(target_os = "linux") { "any" } else { "none" };

/// The settings in the order they are shown, section by section.
pub(super) struct Settings(Vec<Setting>);

impl Settings {
    /// With those of these methods' options.
    pub(super) fn new(methods: &'static Methods) -> Self {
        let of_methods = methods.options().iter().chain(&OF_SESSIONS);
        let of_methods = of_methods.map(|s| setting("method", s.key, s.kind, s.default, &[], s.about));
        let of_worlds = WORLDS.iter().filter_map(|kind| {
            let data = kind.data.as_ref()?;
            Some(setting("data", kind.name, Kind::Path, "", std::slice::from_ref(&data.env), data.about))
        });
        Settings(OWN.into_iter().chain(of_methods).chain(of_worlds).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter()
    }

    /// Those of a section; `models.NAME` has those of `model`.
    pub(super) fn of(&self, section: &str) -> impl Iterator<Item = &Setting> {
        let section = base(section);
        self.iter().filter(move |s| s.section == section)
    }

    /// The one of a section and key.
    pub(super) fn find(&self, section: &str, key: &str) -> Option<&Setting> {
        self.of(section).find(|s| s.key == key)
    }
}

const PROVIDER_NAMES: [(&str, &str); PROVIDERS.len() + 1] = {
    let mut names = [("auto", ""); PROVIDERS.len() + 1];
    let mut at = 0;
    while at < PROVIDERS.len() {
        names[at + 1] = (PROVIDERS[at].name, "");
        at += 1;
    }
    names
};

/// Declares settings by section; of each its key, what it must be, its default, its environment variables, and a line of help.
macro_rules! settings {
    ($($section:tt { $($key:literal, $kind:expr, $default:expr, [$($env:literal),*], $help:literal;)* })*) => {
        [$($(setting($section, $key, $kind, $default, &[$($env),*], $help)),*),*]
    };
}

const fn whole(min: i64, max: i64) -> Kind {
    Kind::Whole { min, max }
}

const fn number(min: f64, max: f64) -> Kind {
    Kind::Number { min, max }
}

/// Those that nobody else declares.
pub(super) const OWN: [Setting; 66] = settings! {
    "model" {
        "model", Kind::Name, "symbolic", ["STEPWRIGHT_MODEL"],
            "symbolic (no language model), local:NAME or local:FILE.gguf, a [models.NAME], cassette:PATH, recorded:PATH, \
             PROVIDER/MODEL (anthropic/…, openrouter/…, ollama/…; docs/how-to/models.md), or a model's id at base_url";
        "provider", Kind::Choice(&PROVIDER_NAMES), "auto", [],
            "who answers: it determines the wire format, and address and key variable where these are not set; auto takes the word \
             before the model's id where base_url is not set, else OpenAI's format";
        "base_url", Kind::Name, "https://api.openai.com/v1", ["STEPWRIGHT_BASE_URL", "OPENAI_BASE_URL"],
            "where an OpenAI-compatible server answers";
        "api_key_env", Kind::Text, "OPENAI_API_KEY", [],
            "the environment variable that holds the key; empty for none. [models.NAME] with its own base_url has none by default";
        "api", Kind::Choice(&[("auto", "each where it fits"), ("chat", "chat completions"), ("completions", "legacy completions")]), "auto", [],
            "chat completions, legacy completions, or each where it fits";
        "limit_field", Kind::Choice(&[("auto", "by the model's name"), ("max_tokens", ""), ("max_completion_tokens", "")]), "auto", [],
            "how the server calls the bound on generated tokens";
        "stream", Kind::Switch, "true", [], "show answers as they are generated";
        "context", whole(256, 100_000_000), "", [],
            "tokens the model takes, prompt and completion together; what does not fit is left out of prompts and said. \
             Taken from the server where it says";
        "score", Kind::Choice(&[("auto", "as the endpoint turns out to offer"), ("native", "llama.cpp"), ("echo", "vLLM"), ("never", "")]), "auto", [],
            "how given texts are scored: native (llama.cpp), echo (vLLM), never, or whichever the endpoint turns out to offer";
        "max_tokens", whole(1, 1_000_000), "256", [],
            "tokens a chat answer may have at least: what a method needs more of goes before, and asks for candidates have their own \
             number; a model that reasons gets more, and an answer that is cut is asked for again with more";
        "think", Kind::Name, "auto", [],
            "whether a model reasons first: auto (as it does by itself), off, on, an effort (minimal, low, medium, high, xhigh, \
             max) or a number of tokens";
        "structured", Kind::Switch, "false", [],
            "hold chat answers to their form where the server can: one of the admissible actions, a state by its schema";
        "num_ctx", whole(256, 100_000_000), "", [],
            "the context that Ollama sets up; `context`, or as much as the prompt needs, if absent";
        "keep_alive", Kind::Text, "", [], "how long Ollama keeps the model loaded, as \"10m\"; -1 for ever";
        "headers", Kind::Table, "", [],
            "headers sent with every request, as { X-Title = \"study\" }; a value \"env:NAME\" is taken from that variable";
        "extra_body", Kind::Table, "", [],
            "fields added to every request, as { top_k = 40 }; tables are merged with what is there";
        "proxy", Kind::Text, "", [],
            "the proxy to go through, as \"socks5h://127.0.0.1:1080\"; what ALL_PROXY and the like say if absent";
        "temperature", number(0.0, 2.0), "0.7", [], "of random samples; greedy asks always use 0";
        "frequency_penalty", number(-2.0, 2.0), "0.15", [],
            "of plans that are written whole (method progprompt); other asks have none";
        "top_logprobs", whole(0, 20), "0", [], "alternatives asked for at each token; shown and recorded with it";
        "omit", Kind::Texts, "[]", [], "request fields the server refuses, such as \"temperature\"";
        "connect_timeout_s", number(0.1, 3600.0), "10", [], "seconds to connect";
        "idle_timeout_s", number(0.1, 86400.0), "120", [], "longest silence in an answer, seconds";
        "answer_timeout_s", number(1.0, 864000.0), "3600", [], "longest time of a whole answer, seconds";
        "retries", whole(0, 20), "4", [], "how often a request that may pass is tried again";
        "retry_cap_s", number(0.0, 3600.0), "60", [], "longest wait before trying again, seconds";
        "price_in", number(0.0, 1e6), "", [], "price of a million prompt tokens, in your currency";
        "price_out", number(0.0, 1e6), "", [], "price of a million generated tokens";
        "threads", whole(0, 1024), "0", ["STEPWRIGHT_THREADS"],
            "processor threads of a model in this process; 0 takes one for each core";
        "record", Kind::Path, "", ["STEPWRIGHT_RECORD"], "append every exchange to this cassette";
        "cache", Kind::Path, "", ["STEPWRIGHT_CACHE"],
            "answer from this cassette what is recorded there; ask and record only what is missing";
        "embedder", Kind::Name, "built-in", ["STEPWRIGHT_EMBEDDER"],
            "what gives sentence vectors: built-in (a small static table in the program), minilm (all-MiniLM-L6-v2 in this process), \
             a [models.NAME], or the id of an embedding model at base_url";
    }
    "method" {
        "method", Kind::Name, "auto", ["STEPWRIGHT_METHOD"],
            "precondition-aware, precondition-prompting, few-shot or scored; auto is scored for models known to score, \
             else precondition-aware";
    }
    "ui" {
        "theme", Kind::Name, "auto", ["STEPWRIGHT_THEME"],
            "auto, or a theme's name: dark, light, high-contrast, colour-blind, monochrome or one of your own";
        "color", Kind::Choice(&[("auto", "as the terminal has them"), ("never", "")]), "auto", [],
            "NO_COLOR in the environment means never";
        "ascii", Kind::Switch, "false", ["STEPWRIGHT_ASCII"],
            "draw with ASCII characters only; a locale (LC_ALL, LC_CTYPE, LANG) that is not UTF-8 means it too";
        "mouse", Kind::Switch, "true", ["STEPWRIGHT_MOUSE"], "take mouse events";
    }
    "data" {
        "demonstrations", Kind::Path, "", ["STEPWRIGHT_DEMONSTRATIONS"],
            "household demonstrations to learn from, a JSON object a line; the shipped ones if absent";
        "model_hub", Kind::Text, "", ["STEPWRIGHT_MODEL_HUB", "HF_ENDPOINT"],
            "address of the hub that weights are fetched from; the Hugging Face hub's if absent, \"none\" to ask none";
    }
    "gate" {
        "steps", whole(0, 1_000_000), "0", [], "steps approved without you; 0 asks at each one";
        "until_fails", Kind::Switch, "true", [], "ask you when a precondition does not hold";
        "until_action", Kind::Text, "", [], "ask you before this action (its text, or its function)";
        "token_budget", whole(0, i64::MAX), "", [], "ask you once a session has spent so many tokens";
    }
    "sandbox" {
        "require", Kind::Choice(&[("any", "landlock or seccomp"), ("none", "the engine alone")]), REQUIRED, [],
            "model-written code is not run on a system that has none of it";
    }
    "log" {
        "level", Kind::Choice(&[("off", "no file is made"), ("error", ""), ("warn", ""), ("info", ""), ("debug", ""), ("trace", "")]), "off", ["STEPWRIGHT_LOG"],
            "how much is written";
        "prompts", Kind::Switch, "false", ["STEPWRIGHT_LOG_PROMPTS"], "write requests whole, prompts included";
    }
    "candidates" {
        "demonstrations", whole(1, 10), "3", [], "prompts an action: each shows another demonstration that calls it";
        "samples", whole(0, 64), "8", [], "random samples of each prompt, beside the greedy one";
        "at_once", whole(1, 16), "4", [], "asks under way at once";
    }
    EXTERNAL {
        "command", Kind::Command, "", [], "the program that is the world, and its arguments";
        "dir", Kind::Path, "", [], "the folder it is started in; where stepwright was started if absent";
        "env", Kind::Texts, "", [],
            "variables it gets beside those it inherits, as \"NAME=value\"";
        "inherit", Kind::Texts, "", [],
            "variables it inherits, as [\"PATH\", \"CUDA_*\"]; what programs need to run if absent (adapters/README.md)";
        "tasks", Kind::Texts, "", [], "the tasks to choose from, as it calls them";
        "spec", Kind::Path, "", [],
            "the specification of its programs, as worlds/household/spec.py; one that takes any action as agent.act(text) if absent";
        "actions", Kind::Texts, "", [], "how its actions read as calls of the specification, as \"agent.take: take {} from {}\"";
        "demonstrations", Kind::Path, "", [], "episodes to learn from, a JSON object a line";
        "start_timeout_s", number(0.1, 86_400.0), "60", [], "seconds the start and each reset may take";
        "step_timeout_s", number(0.1, 86_400.0), "30", [], "seconds a step may take";
    }
    METHODS {
        "command", Kind::Command, "", [], "the program that is the method, and its arguments";
        "dir", Kind::Path, "", [], "the folder it is started in; where stepwright was started if absent";
        "env", Kind::Texts, "", [], "variables it gets beside those it inherits, as \"NAME=value\"";
        "inherit", Kind::Texts, "", [],
            "variables it inherits, as [\"PATH\", \"CUDA_*\"]; what programs need to run if absent (adapters/README.md)";
        "options", Kind::Table, "", [], "options that it declares, as { order = \"largest\" }; --method-opt goes before them";
        "start_timeout_s", number(0.1, 86_400.0), "60", [], "seconds until it has introduced itself";
        "step_timeout_s", number(0.1, 86_400.0), "30", [], "seconds an answer may take";
    }
};

pub(super) const MODEL: &str = "model";

pub(super) const EXTERNAL: &str = "external";

/// The section whose sections are methods in other processes.
pub(super) const METHODS: &str = "methods";

/// Whether a section holds sections by name, each a command, and has no values itself.
pub(super) fn holds_commands(section: &str) -> bool {
    matches!(section, EXTERNAL | METHODS)
}

/// The section that defines the keys of a section: `models.NAME` and `model.ROLE` take those of `model`, `external.NAME` those of `external`.
pub(super) fn base(section: &str) -> &str {
    match section.split_once('.') {
        Some(("models" | MODEL, _)) => MODEL,
        Some((EXTERNAL, _)) => EXTERNAL,
        Some((METHODS, _)) => METHODS,
        _ => section,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_methods::METHODS;

    #[test]
    fn every_section_is_known_and_no_setting_is_listed_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for s in Settings::new(&METHODS).iter() {
            assert!(SECTIONS.iter().any(|(name, _)| *name == s.section));
            assert!(seen.insert((s.section, s.key)), "{}.{}", s.section, s.key);
            assert!(!s.help.is_empty());
        }
    }
}
