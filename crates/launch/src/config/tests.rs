use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use secrecy::ExposeSecret;

use super::*;
use stepwright_methods::METHODS;
use stepwright_model::cassette::Cassette;
use stepwright_model::remote::{Api, LimitField};
use stepwright_model::{Completion, ModelKind, ModelRequest, ModelResponse, PromptMessage};

fn with(file: &str, env: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), file).unwrap();
    load_in(dir.path(), env, flags)
}

fn load_in(dir: &Path, env: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let env: HashMap<String, String> = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut overrides = Overrides { config_dir: Some(dir.to_owned()), ..Overrides::default() };
    for (setting, value) in flags {
        overrides.set(setting, &format!("--{setting}"), Some(*value));
    }
    load_with(&overrides, &METHODS, &move |name| env.get(name).cloned())
}

#[test]
fn nothing_given_is_the_defaults() {
    let dir = tempfile::tempdir().unwrap();
    let config = load_in(dir.path(), &[], &[]).unwrap();
    assert_eq!(config.model.model, "symbolic");
    assert_eq!(config.model.options.base_url, "https://api.openai.com/v1");
    assert_eq!(config.model.options.idle_timeout, Duration::from_secs(120));
    assert_eq!(
        (config.model.options.settings.answer_tokens, config.model.options.settings.temperature),
        (Some(256), Some(0.7))
    );
    assert!(config.model.options.stream && config.model.options.api_key.is_none());
    assert!(config.ui.mouse && !config.ui.ascii && !config.ui.no_color);
    assert_eq!(config.gate.policy.steps, 0);
    assert!(matches!(select(&config, ""), Ok(Selected::Symbolic)));
    assert_eq!(config.paths.config, dir.path());
}

#[test]
fn later_layers_win_and_show_says_which() {
    let file = "[model]\nmodel = 'a'\nbase_url = 'http://file/v1'\n\n[ui]\ntheme = 'light'\nascii = true\n";
    let env = [
        ("OPENAI_BASE_URL", "http://env/v1"),
        ("STEPWRIGHT_THEME", "mono"),
        ("OPENAI_API_KEY", "sk-hidden"),
        ("NO_COLOR", "1"),
    ];
    let config = with(file, &env, &[("ui.theme", "dark")]).unwrap();
    assert_eq!(config.model.model, "a");
    assert_eq!(config.model.options.base_url, "http://env/v1");
    assert_eq!((config.ui.theme.as_str(), config.ui.ascii, config.ui.no_color), ("dark", true, true));
    let shown = config.show();
    for (value, source) in [
        ("model = \"a\"", "config.toml line 2"),
        ("base_url = \"http://env/v1\"", "$OPENAI_BASE_URL"),
        ("theme = \"dark\"", "--ui.theme"),
        ("ascii = true", "config.toml line 7"),
        ("color = \"never\"", "$NO_COLOR"),
        ("retries = 4", "default"),
        ("# key: present", "$OPENAI_API_KEY"),
    ] {
        let line = shown.lines().find(|l| l.starts_with(value)).unwrap_or_else(|| panic!("{value} is not in\n{shown}"));
        assert!(line.ends_with(source), "{line}");
    }
    assert!(!shown.contains("sk-hidden") && !format!("{config:?}").contains("sk-hidden"));
    assert_eq!(config.model.options.api_key.unwrap().expose_secret(), "sk-hidden");
    toml::from_str::<toml::Table>(&shown).unwrap();
}

#[test]
fn a_locale_without_utf_8_is_drawn_in_ascii_unless_said_otherwise() {
    for (locale, file, expected) in [
        (&[("LANG", "C")][..], "", true),
        (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "POSIX")], "", true),
        (&[("LANG", "C"), ("LC_CTYPE", "C.utf8")], "", false),
        (&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")], "", false),
        (&[("LC_ALL", "C")], "[ui]\nascii = false\n", false),
        (&[], "", false),
    ] {
        assert_eq!(with(file, locale, &[]).unwrap().ui.ascii, expected, "{locale:?} {file}");
    }
}

/// The error in each case of `tests/problems.txt`: a file, after variables (`$NAME value`) and flags (`--setting value`).
#[test]
fn problems_are_said_with_their_place_and_a_remedy() {
    let mut out = String::new();
    for case in include_str!("tests/problems.txt").split("== ").skip(1) {
        let (title, text) = case.split_once('\n').unwrap();
        let given = |sign: &'static str| text.lines().filter_map(move |line| line.strip_prefix(sign)?.split_once(' '));
        let (env, flags): (Vec<_>, Vec<_>) = (given("$").collect(), given("--").collect());
        let file: String =
            text.lines().filter(|line| !line.starts_with(['$', '-'])).map(|l| format!("{l}\n")).collect();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.toml"), file).unwrap();
        let said = load_in(dir.path(), &env, &flags).unwrap_err().to_string();
        out += &format!("== {title}\n{}\n", said.replace(&format!("{}/", dir.path().display()), ""));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_no_text_or_too_long_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), [0xff, 0xfe]).unwrap();
    assert!(load_in(dir.path(), &[], &[]).unwrap_err().to_string().contains("UTF-8"));
    std::fs::write(dir.path().join("config.toml"), vec![b'#'; 2 << 20]).unwrap();
    assert!(load_in(dir.path(), &[], &[]).unwrap_err().to_string().contains("1 MiB"));
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_named() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let dir = tempfile::tempdir().unwrap();
    let overrides = Overrides { config_dir: Some(dir.path().to_owned()), ..Overrides::default() };
    let with = |wrong: &str| {
        let variable = |name: &str| (name == wrong).then(|| OsString::from_vec(vec![b'm', 0xff]));
        in_environment(&variable, |variables| load_with(&overrides, &METHODS, variables))
    };
    let said = with("STEPWRIGHT_MODEL").unwrap_err().to_string();
    assert_eq!(said, "STEPWRIGHT_MODEL: is no UTF-8 text; set it again, or unset it");
    assert!(with("HOME").is_ok() && with("NOBODY_ASKS_FOR_IT").is_ok());
}

#[test]
fn named_models_inherit_but_keys_stay_with_their_endpoint() {
    let file = "[model]\nidle_timeout_s = 5\n[models.big]\nmodel = 'gpt-x'\nmax_tokens = 9\n[models.local]\nbase_url = 'http://127.0.0.1:1/v1'\napi = 'completions'\nlimit_field = 'max_tokens'\n\
                [models.other]\nbase_url = 'http://h/v1'\napi_key_env = 'OTHER_KEY'\nmodel = 'm'\n";
    let config = with(file, &[("OPENAI_API_KEY", "sk-a"), ("OTHER_KEY", " sk-b \n")], &[]).unwrap();
    let key = |name: &str| config.model_config(name).unwrap().options.api_key.map(|k| k.expose_secret().to_owned());
    assert_eq!(key("big").as_deref(), Some("sk-a"));
    assert_eq!(key("local"), None, "the default endpoint's key must not be sent elsewhere");
    assert_eq!(key("other").as_deref(), Some("sk-b"));
    assert_eq!(key("gpt-y").as_deref(), Some("sk-a"));
    let big = &config.models["big"];
    assert_eq!((big.options.model.as_str(), big.options.settings.answer_tokens), ("gpt-x", Some(9)));
    assert_eq!(big.options.idle_timeout, Duration::from_secs(5));
    let local = &config.models["local"].options;
    assert_eq!(
        (local.model.as_str(), local.api, local.limit_field),
        ("local", Api::Completions, LimitField::MaxTokens)
    );
    assert_eq!(config.model_config("gpt-y").unwrap().options.model, "gpt-y");
    assert!(config.model_config("symbolic").is_none());
}

#[test]
fn prices_come_in_pairs() {
    let config = with("[model]\nprice_in = 2\nprice_out = 8.0\n", &[], &[]).unwrap();
    let cost = config.model.price.unwrap().of(stepwright_model::Usage::new(1_000_000, 500_000));
    assert_eq!(cost, 6.0);
}

#[test]
fn keys_paths_and_gate() {
    let file = "[keys]\nquit = 'Q'\napprove = ['a', 'enter']\n[data]\nhousehold = 'games'\n[gate]\nsteps = 3\nuntil_fails = false\nuntil_action = 'put'\ntoken_budget = 1_000\n[model]\nrecord = '~/x.jsonl'\n";
    let config = with(file, &[("HOME", "/home/me")], &[]).unwrap();
    assert_eq!(config.keys["approve"], KeySetting { keys: vec!["a".into(), "enter".into()], line: Some(3) });
    assert_eq!(config.keys["quit"].keys, ["Q"]);
    assert_eq!(config.data.of("household"), Some(config.paths.config.join("games").as_path()));
    assert_eq!(config.model.record.as_deref(), Some(Path::new("/home/me/x.jsonl")));
    let policy = &config.gate.policy;
    assert_eq!((policy.steps, policy.until_fails, policy.token_budget), (3, false, Some(1000)));
    assert_eq!(policy.until_action.as_deref(), Some("put"));
    let flagged = with("", &[], &[("data.household", "here/x")]).unwrap();
    assert_eq!(flagged.data.of("household"), Some(Path::new("here/x")));
}

#[test]
fn the_template_is_valid_and_so_is_every_line_of_it() {
    let text = template(&METHODS);
    assert!(with(&text, &[], &[]).is_ok());
    let mut uncommented = String::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(setting)
                if setting.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '))
                    && !setting.contains('…')
                    && !setting.contains("KEY") =>
            {
                uncommented.push_str(setting);
            }
            Some(section)
                if ["[models.", "[model.", "[external.", "[methods."].iter().any(|s| section.starts_with(s)) =>
            {
                uncommented.push_str(section)
            }
            _ => uncommented.push_str(line),
        }
        uncommented.push('\n');
    }
    let config = with(&uncommented, &[], &[]).unwrap();
    assert_eq!(config.models["local"].options.model, "qwen2.5-coder");
    assert_eq!(config.external["mine"].command, ["python3", "adapter.py"]);
    assert_eq!(config.methods["mine"].adapter.command, ["python3", "adapter.py"]);
    assert!(config.show().contains("config.toml line"));
}

#[test]
fn names_select_models() {
    let dir = tempfile::tempdir().unwrap();
    let cassette = dir.path().join("c.jsonl");
    std::fs::write(&cassette, "{\"format\":\"stepwright-cassette\",\"version\":1,\"model\":\"recorded-one\"}\n")
        .unwrap();
    let record = dir.path().join("r.jsonl");
    let file =
        format!("[models.local]\nbase_url = 'http://127.0.0.1:1'\nmodel = 'q'\nrecord = '{}'\n", record.display());
    let config = with(&file, &[], &[("model.model", "local")]).unwrap();
    let info = |name: &str| match select(&config, name).map_err(|e| e.to_string())? {
        Selected::Symbolic => Err("symbolic".to_owned()),
        Selected::Language(model) => Ok(model.info()),
    };
    assert_eq!(info("").unwrap().endpoint, "http://127.0.0.1:1/v1");
    assert!(record.exists(), "recording was asked for");
    assert_eq!(info("gpt-z").unwrap().name, "gpt-z");
    assert_eq!(info("symbolic").unwrap_err(), "symbolic");
    let recorded = info(&format!("cassette:{}", cassette.display())).unwrap();
    assert_eq!((recorded.name.as_str(), recorded.kind), ("recorded-one", ModelKind::Recorded));
    assert!(info("cassette:/nowhere").unwrap_err().contains("/nowhere"));
    let bad = with("[model]\nbase_url = 'nonsense'\nmodel = 'x'", &[], &[]).unwrap();
    assert!(matches!(select(&bad, ""), Err(stepwright_model::ModelError::Configuration(m)) if m.contains("base_url")));
}

/// What a cassette answers is recorded as well; no file is played and written at once.
#[tokio::test]
async fn what_is_played_is_recorded_too() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    let messages = vec![PromptMessage { role: "user".into(), text: "x".into() }];
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let answered = Completion { text: "yes".into(), ..Completion::default() };
    let response = ModelResponse { completions: vec![answered], ..ModelResponse::default() };
    let exchange = serde_json::json!({ "request": request, "deltas": [], "response": response });
    let header = r#"{"format":"stepwright-cassette","version":1,"model":"one"}"#;
    std::fs::write(place("c.jsonl"), format!("{header}\n{exchange}\n")).unwrap();
    let played = format!("cassette:{}", place("c.jsonl"));
    for key in ["record", "cache"] {
        let path = place(&format!("{key}.jsonl"));
        let config = with(&format!("[model]\n{key} = '{path}'\n"), &[], &[]).unwrap();
        let Selected::Language(model) = select(&config, &played).unwrap() else { panic!("a cassette is a model") };
        let (stream, _) = tokio::sync::mpsc::unbounded_channel();
        let answer = model.complete(&request, &stream, &Default::default()).await.unwrap();
        assert_eq!(answer.completions[0].text, "yes");
        drop(model);
        assert_eq!(Cassette::open(Path::new(&path)).unwrap().len(), 1, "{key}");
        let Err(said) = select(&config, &format!("cassette:{path}")) else { panic!("{key} is played and written") };
        assert!(said.to_string().contains(&format!("leave out `{key}`")), "{said}");
    }
}

#[test]
fn models_in_this_process_are_named_by_their_weights() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().display().to_string();
    let config = with("", &[("STEPWRIGHT_STATE_DIR", &state)], &[]).unwrap();
    let selected = |name: &str| match select(&config, name) {
        Ok(Selected::Language(model)) => Ok(model.info()),
        Ok(Selected::Symbolic) => panic!("{name} is symbolic"),
        Err(e) => Err(e.to_string()),
    };
    let absent = selected("local:smollm2").unwrap_err();
    let advice = match cfg!(feature = "local") {
        true => "not fetched yet (98 MB); fetch them: stepwright models fetch smollm2",
        // What could not be run is not told to be fetched.
        false => "local:smollm2 would run in this process: this stepwright was built without",
    };
    assert!(absent.contains(advice), "{absent}");
    let unknown = selected("local:gpt").unwrap_err();
    assert!(unknown.contains("qwen, smollm2") && unknown.contains("local:/path/to/model.gguf"), "{unknown}");
    let file = dir.path().join("own.gguf");
    std::fs::write(&file, "not read before it is asked").unwrap();
    let own = selected(&format!("local:{}", file.display()));
    if cfg!(feature = "local") {
        let own = own.unwrap();
        assert_eq!((own.kind, own.endpoint), (ModelKind::Local, file.display().to_string()));
        assert!(selected("local:/nowhere/w.gguf").unwrap_err().contains("there is no such file"));
    } else {
        let own = own.unwrap_err();
        assert!(own.contains("--features local") && own.contains("scripts/local-model"), "{own}");
    }
    assert!(config.model_config("local:qwen").is_none(), "it has no endpoint");
}

#[test]
fn adapters_are_read_with_their_defaults_and_without_the_keys() {
    let file = "[model]\napi_key_env = 'A_KEY'\n[models.other]\nbase_url = 'http://x/v1'\napi_key_env = 'B_KEY'\n\
        [external.alf]\ncommand = ['python3', 'a b.py']\ndir = 'below'\nenv = ['A=b=c']\ntasks = ['0', '1']\n\
        actions = ['agent.goto: go to {}']\nstep_timeout_s = 1.5\n[external.x]\ncommand = \"sh -c 'read x'\"\n";
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), file).unwrap();
    let flags = [("external.cli.command", "python3 'my adapter.py'"), ("external.alf.start_timeout_s", "5")];
    let config = load_in(dir.path(), &[], &flags).unwrap();
    let alf = &config.external["alf"];
    assert_eq!(alf.command, ["python3", "a b.py"]);
    assert_eq!(alf.command_line(), "python3 'a b.py'");
    assert_eq!(alf.folder.as_deref(), Some(dir.path().join("below").as_path()));
    assert_eq!(alf.env, [("A".to_owned(), "b=c".to_owned())]);
    assert_eq!(alf.withheld[..2], ["A_KEY", "B_KEY"]);
    assert!(alf.withheld.iter().any(|name| name == "ANTHROPIC_API_KEY"), "{:?}", alf.withheld);
    assert_eq!((alf.start_timeout, alf.step_timeout), (Duration::from_secs(5), Duration::from_millis(1500)));
    assert_eq!((alf.tasks.len(), alf.phrases.len(), &alf.specification), (2, 1, &None));
    let x = &config.external["x"];
    assert_eq!(x.command, ["sh", "-c", "read x"]);
    assert_eq!((x.start_timeout, x.step_timeout), (Duration::from_secs(60), Duration::from_secs(30)));
    assert_eq!(config.external["cli"].command, ["python3", "my adapter.py"]);
    let shown = config.show();
    assert!(shown.contains("[external.alf]") && shown.contains("tasks = [\"0\", \"1\"]"), "{shown}");
}

#[test]
fn methods_in_other_processes_are_read_with_their_options() {
    let file = "[methods.toy]\ncommand = 'python3 toy.py'\ninherit = ['PATH']\nstep_timeout_s = 5\n\
        options = { order = 'smallest', depth = 3, deep = true }\n";
    let flags = [("methods.other.command", "other --fast")];
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), file).unwrap();
    let config = load_in(dir.path(), &[], &flags).unwrap();
    let toy = &config.methods["toy"];
    assert_eq!((&toy.adapter.command[..], toy.adapter.section), (&["python3".into(), "toy.py".into()][..], "methods"));
    assert_eq!(toy.adapter.inherited.as_deref(), Some(&["PATH".to_owned()][..]));
    assert_eq!(
        (toy.adapter.start_timeout, toy.adapter.step_timeout),
        (Duration::from_secs(60), Duration::from_secs(5))
    );
    let options: Vec<_> = toy.options.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(options, [("deep", "true"), ("depth", "3"), ("order", "smallest")]);
    assert_eq!(config.methods["other"].adapter.command, ["other", "--fast"]);
    assert!(config.external.is_empty() && config.show().contains("[methods.toy]"), "{}", config.show());
}

#[test]
fn settings_of_named_models_can_be_given_by_flags() {
    let config = with("[models.m]\nretries = 1\n", &[], &[("models.m.retries", "2")]).unwrap();
    assert_eq!((config.models["m"].options.retries, config.model.options.retries), (2, 4));
}

#[test]
fn names_of_providers_lead_to_their_addresses_keys_and_wire_formats() {
    use stepwright_model::remote::Wire;
    let keys = [("ANTHROPIC_API_KEY", "a"), ("GOOGLE_API_KEY", "g"), ("OPENAI_API_KEY", "o")];
    let at = |config: &Config, name: &str| {
        let found = config.model_config(name).unwrap().options;
        let key = found.api_key.as_ref().map(|k| secrecy::ExposeSecret::expose_secret(k).to_owned());
        (found.wire, found.model.clone(), found.base_url.clone(), key.unwrap_or_default())
    };
    let plain = with("", &keys, &[]).unwrap();
    let want = (Wire::Anthropic, "claude-x".to_owned(), "https://api.anthropic.com/v1".to_owned(), "a".to_owned());
    assert_eq!(at(&plain, "anthropic/claude-x"), want);
    let (wire, id, url, key) = at(&plain, "gemini/gemini-x");
    assert!(wire == Wire::OpenAi && id == "gemini-x" && url.contains("googleapis.com") && key == "g");
    let (wire, id, url, key) = at(&plain, "ollama/qwen3:8b");
    assert!(wire == Wire::Ollama && id == "qwen3:8b" && url.contains("11434") && key.is_empty());
    assert_eq!(at(&plain, "gpt-x").3, "o");
    // An id at an address that is set is sent unchanged, and gets no other provider's key.
    let own = with("[model]\nbase_url = \"http://127.0.0.1:9/v1\"\n[models.claude]\nmodel = \"claude-x\"\nprovider = \"anthropic\"\n", &keys, &[]).unwrap();
    let (wire, id, url, key) = at(&own, "anthropic/claude-x");
    assert_eq!(
        (wire, id.as_str(), url.as_str(), key.as_str()),
        (Wire::OpenAi, "anthropic/claude-x", "http://127.0.0.1:9/v1", "o")
    );
    assert_eq!(at(&own, "claude"), want);
    // OpenAI's own variable says nothing of others.
    let variable = with("", &[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("ANTHROPIC_API_KEY", "a")], &[]).unwrap();
    assert_eq!(at(&variable, "anthropic/claude-x"), want);
    let (_, id, url, _) = at(&variable, "openai/gpt-x");
    assert_eq!((id.as_str(), url.as_str()), ("gpt-x", "http://127.0.0.1:9/v1"));
}

#[test]
fn values_of_flags_are_read_as_toml_and_tables_are_kept_from_prying_eyes() {
    let flags = [
        ("model.omit", "[\"temperature\", \"stop\"]"),
        ("model.extra_body", "{ top_k = 3, a = { b = true } }"),
        ("model.model", "\"m x\""),
        ("model.retries", "2"),
        ("model.record", "\"a b.jsonl\""),
    ];
    let config =
        with("[model.headers]\nX-Key = \"secret\"\nX-Name = \"env:NAME\"\n", &[("NAME", "n")], &flags).unwrap();
    assert_eq!(config.model.options.omit, ["temperature", "stop"]);
    assert_eq!(config.model.options.extra_body["a"]["b"], true);
    assert_eq!((config.model.model.as_str(), config.model.options.retries), ("m x", 2));
    assert_eq!(config.model.record.as_deref(), Some(Path::new("a b.jsonl")));
    // A number of tokens needs no quotes.
    let thinks = |file: &str| with(file, &[], &[]).unwrap().model.options.think.clone();
    assert_eq!(thinks("[model]\nthink = 4096\n"), thinks("[model]\nthink = '4096'\n"));
    assert_eq!(
        with("", &[], &[("model.omit", "temperature, stop")]).unwrap().model.options.omit,
        ["temperature", "stop"]
    );
    let shown = config.show();
    assert!(!shown.contains("secret") && shown.contains("env:NAME") && shown.contains("X-Key"), "{shown}");
    let shown = with("[model]\nbase_url = \"https://u:pass@h/v1?api-key=q\"\n", &[], &[]).unwrap().show();
    assert!(!shown.contains("pass") && !shown.contains("api-key"), "{shown}");
}

#[test]
fn a_role_has_a_model_of_its_own() {
    use stepwright_episode::Role;
    let file = "[model]\nmodel = 'large'\nbase_url = 'http://a/v1'\n[model.writer]\nmodel = 'small'\nbase_url = 'http://b/v1'\n\
                [model.translator]\nmodel = 'minilm'\n";
    let config = with(file, &[], &[]).unwrap();
    assert_eq!(config.roles, [(Role::Writer, "small".to_owned())].into());
    assert_eq!(config.embedder, "minilm");
    let of = |name: &str| config.model_config(name).unwrap().options.base_url;
    assert_eq!(
        (of("small"), of("large"), of("other")),
        ("http://b/v1".into(), "http://a/v1".into(), "http://a/v1".into())
    );
    assert!(config.show().contains("[model.writer]\nmodel = \"small\""), "{}", config.show());
    // A flag names a model that is described elsewhere.
    let config = with(file, &[], &[("model.writer.model", "large")]).unwrap();
    assert_eq!((config.roles[&Role::Writer].as_str(), config.models.len()), ("large", 0));
    let wrong = |file: &str| with(file, &[], &[]).unwrap_err().to_string();
    let text = wrong("[model.writer]\ntemperature = 1.0\n");
    assert!(text.contains("line 2: [model.writer] names no model"), "{text}");
    let text = wrong("[models.m]\nmodel = 'x'\n[model.reader]\nmodel = 'm'\nretries = 1\n");
    assert!(text.contains("m is described elsewhere"), "{text}");
    let text = wrong("[model]\nwriter = 'small'\n");
    assert!(text.contains("`writer` is a role"), "{text}");
}
