//! Merge of the layers: defaults, file, environment, flags.

use super::file::{can_name, parse};
use super::folders::Paths;
use super::layer::{Environment, Layer, Overrides, Problem, Source};
use super::settings::{MODEL, SECTIONS, Setting, Settings, holds_commands};
use super::values::{from_text, plain, problem};
use stepwright_episode::Role;
use stepwright_world::options::{Kind, nearest};

/// All values with their sources. What is wrong goes to `problems`.
pub(super) fn merge(
    settings: &Settings,
    paths: &Paths,
    text: Option<&str>,
    overrides: &Overrides,
    environment: Environment<'_>,
    problems: &mut Vec<Problem>,
) -> Layer {
    let mut merged = parse(("defaults", &defaults(settings)), settings, &|_| Source::Default, problems);
    let path = paths.config_file();
    if let Some(text) = text {
        let place = path.display().to_string();
        merged.extend(parse((&place, text), settings, &|line| Source::File { line }, problems));
    }
    for setting in settings.iter() {
        for name in setting.env {
            let Some(text) = environment(name).filter(|v| !v.is_empty()) else { continue };
            let source = Source::Environment { name: (*name).to_owned() };
            put(&mut merged, setting.section, setting, &text, name, source, problems);
            break;
        }
    }
    if environment("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        let source = Source::Environment { name: "NO_COLOR".into() };
        merged.insert("ui.color".into(), ("never".into(), source));
    }
    // What a locale cannot show is not drawn, unless someone says otherwise.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let locale = locale.filter_map(|name| Some((name, environment(name).filter(|value| !value.is_empty())?))).next();
    if let Some((name, value)) = locale
        && !value.to_lowercase().replace('-', "").contains("utf8")
        && merged.get("ui.ascii").is_some_and(|(_, source)| *source == Source::Default)
    {
        merged.insert("ui.ascii".into(), (true.into(), Source::Environment { name: name.into() }));
    }
    for flag in &overrides.flags {
        let found =
            flag.setting.rsplit_once('.').and_then(|(section, key)| Some((section, settings.find(section, key)?)));
        // `external` has no values itself, only its sections have.
        let Some((section, setting)) = found.filter(|(section, _)| !holds_commands(section)) else {
            let of_one = settings.iter().filter(|s| !holds_commands(s.section));
            let names: Vec<String> = of_one.map(|s| format!("{}.{}", s.section, s.key)).collect();
            let key = format!(".{}", flag.setting.rsplit('.').next().unwrap_or_default());
            let named: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.ends_with(&key)).collect();
            let near = if named.is_empty() { nearest(&flag.setting, names.iter().map(String::as_str)) } else { None };
            let meant = near.map_or_else(|| named.join(" or "), str::to_owned);
            let advice = match meant.as_str() {
                "" => "see `stepwright config show`".to_owned(),
                meant => format!("did you mean {meant}?"),
            };
            let message = format!("there is no setting {}; {advice}", flag.setting);
            problems.push(Problem { place: flag.flag.clone(), line: None, message });
            continue;
        };
        let source = Source::Flag { flag: flag.flag.clone() };
        if let Some((group, name)) = section.split_once('.') {
            if !can_name(group, name) {
                let message = format!("{name:?} cannot be a name in [{group}]; use letters, digits, - and _");
                problems.push(Problem { place: flag.flag.clone(), line: None, message });
                continue;
            }
            merged.insert(format!("{section}."), (true.into(), source.clone()));
        }
        put(&mut merged, section, setting, &flag.value, &flag.flag, source, problems);
    }
    describe_roles(&mut merged, paths, problems);
    // Paths in the file start where the file is; elsewhere at the working directory.
    let home = environment("HOME").or_else(|| environment("USERPROFILE"));
    for (name, (value, source)) in &mut merged {
        let kind = name.rsplit_once('.').and_then(|(section, key)| settings.find(section, key)).map(|s| s.kind);
        if let toml::Value::String(text) = value
            && match kind {
                Some(Kind::Path) => true,
                Some(Kind::PathOr(word)) => text != word,
                _ => false,
            }
        {
            let expanded = match (text.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => std::path::Path::new(home).join(rest),
                _ if matches!(source, Source::File { .. }) => paths.config.join(&*text),
                _ => std::path::PathBuf::from(&*text),
            };
            *text = expanded.to_string_lossy().into_owned();
        }
    }
    merged
}

/// What a role's section says beside a name describes the model of that name: `models.NAME`. A flag names a model that is described
/// elsewhere.
fn describe_roles(merged: &mut Layer, paths: &Paths, problems: &mut Vec<Problem>) {
    for role in Role::ALL {
        let section = format!("{MODEL}.{}", role.name());
        let own = |name: &str| {
            name.strip_prefix(&section)?.strip_prefix('.').filter(|key| !key.is_empty()).map(str::to_owned)
        };
        let keys: Vec<String> = merged.keys().filter_map(|name| own(name)).filter(|key| key != MODEL).collect();
        let name = format!("{section}.{MODEL}");
        let named = merged.get(&name).map(|(value, source)| (plain(value), matches!(source, Source::Flag { .. })));
        let known = named.as_ref().is_some_and(|(model, _)| {
            let of_main = merged.get(&format!("{MODEL}.{MODEL}")).is_some_and(|(main, _)| plain(main) == *model);
            of_main || merged.contains_key(&format!("models.{model}."))
        });
        let wrong = match (&named, keys.first()) {
            (_, None) => continue,
            (None, Some(key)) => Some((key, format!("[{section}] names no model: say which with model = \"…\""))),
            (Some((model, false)), Some(key)) if known => {
                Some((key, format!("{model} is described elsewhere: [{section}] names it with model = alone")))
            }
            _ => None,
        };
        if let Some((key, message)) = wrong {
            problems.push(problem(merged, paths, &format!("{section}.{key}"), message));
        }
        for key in keys {
            let moved = merged.remove(&format!("{section}.{key}"));
            if let (Some((model, false)), Some(value)) = (&named, moved) {
                merged.insert(format!("models.{model}."), (true.into(), value.1.clone()));
                merged.insert(format!("models.{model}.{key}"), value);
            }
        }
    }
}

fn put(
    merged: &mut Layer,
    section: &str,
    setting: &Setting,
    text: &str,
    place: &str,
    source: Source,
    problems: &mut Vec<Problem>,
) {
    match from_text(setting, text) {
        Ok(value) => {
            merged.insert(format!("{section}.{}", setting.key), (value, source));
        }
        Err(must) => {
            let message = format!("sets {section}.{}, which {must}", setting.key);
            problems.push(Problem { place: place.to_owned(), line: None, message });
            if setting.kind == Kind::Command {
                // There is one, though it cannot be read, as in a file.
                merged.insert(format!("{section}.{}", setting.key), (toml::Value::Array(Vec::new()), source));
            }
        }
    }
}

fn defaults(settings: &Settings) -> String {
    let mut text = String::new();
    // The commands' defaults apply where one has no value; there is no command by default.
    for (section, _) in SECTIONS.iter().copied().filter(|(section, _)| !holds_commands(section)) {
        text.push_str(&format!("[{section}]\n"));
        for setting in settings.of(section).filter(|s| !s.default.is_empty()) {
            text.push_str(&format!("{} = {}\n", setting.key, setting.default_toml()));
        }
    }
    text
}
