//! What results were measured under: the labels of their tables, and what tells apart results that a table shows alike.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::Study;
use super::experiment::{Experiment, plain};
use super::lines::{Entry, Planned};
use crate::report::Labels;
use crate::sample::{METHOD_OPTIONS, Sample, Under, settings};
use stepwright_episode::Role;
use stepwright_method::options::BELIEF;
use stepwright_method::publications::SETTINGS;
use stepwright_method::{Methods, SYMBOLIC, publications};
use stepwright_text::words::noun;

/// The lines of an experiment's results, each with the condition of its unit.
pub fn lines_of<'a, S: Study>(
    entries: impl IntoIterator<Item = &'a Entry>,
    experiment: &Experiment,
    planned: &[Planned],
) -> Result<Vec<S::Line>, String> {
    let mut conditions: BTreeMap<String, Under> = BTreeMap::new();
    let experiment = Arc::new(experiment.fields().clone());
    for of in planned {
        let (words, condition) = (S::under(&of.condition), Arc::new(of.condition.clone()));
        let under = Under { words, condition, experiment: Arc::clone(&experiment) };
        conditions.extend(of.keys().into_iter().map(|key| (key, under.clone())));
    }
    let line = |entry: &Entry| {
        let mut line: S::Line = entry.line()?;
        let unplanned = || Under { experiment: Arc::clone(&experiment), ..Under::default() };
        *line.under_mut() = conditions.get(&entry.unit).cloned().unwrap_or_else(unplanned);
        Ok(line)
    };
    entries.into_iter().map(line).collect()
}

/// How the domain is recorded that is derived from preconditions; of a file its content is.
const DERIVED: &str = "derived";

/// What an experiment was measured under, as far as it and its plan say. `methods`: those there are, whose options tell what was changed.
pub fn labels(experiment: &Experiment, planned: &[Planned], methods: &'static Methods) -> Labels {
    let fields = experiment.fields();
    let text = |value: &Value| (!value.is_null()).then(|| plain(value));
    let known = |name: &str| {
        let of_conditions = || {
            let each: BTreeSet<String> = planned.iter().filter_map(|of| text(&of.condition[name])).collect();
            (!each.is_empty()).then(|| Vec::from_iter(each).join(", "))
        };
        text(&fields[name]).or_else(of_conditions)
    };
    let mut whose: BTreeSet<String> = planned.iter().filter_map(|of| settings(&of.condition)).collect();
    whose.extend(settings(fields));
    let whose = Vec::from_iter(whose).join(", ");
    let roles = of_roles(fields, planned, methods);
    let model = match called(&fields["model"]) {
        Some(SYMBOLIC) if roles.is_empty() => Some("no language model".to_owned()),
        model => model.map(|model| format!("{model}{roles}")),
    };
    let options = fields["options"].as_object().into_iter().flatten().filter(|(key, _)| *key != "settings");
    let options = options.map(|(key, value)| format!("{key} {}", plain(value)));
    let options: Vec<String> = options.chain(changed(fields, planned, methods)).collect();
    let limits = &fields["limits"];
    let counted = |value: &Value, what: &str| {
        let number = text(value)?;
        let of = noun(value.as_u64().unwrap_or_default(), what);
        Some(format!("{number} {of}"))
    };
    let most = counted(&limits["max_steps"], "action").or_else(|| counted(&fields["max_steps"], "action"));
    let own: BTreeSet<String> = planned.iter().filter_map(|of| own_limits(&of.condition, fields)).collect();
    let most = most.map(|most| match own.is_empty() {
        true => most,
        false => format!("{} of the method, at most {most}", Vec::from_iter(own).join(", ")),
    });
    let tokens = counted(&fields["token_budget"], "token");
    let limited: Vec<String> = most.into_iter().chain(tokens).collect();
    let in_force = &limits["preconditions"];
    let seeds: BTreeSet<u64> = planned.iter().flat_map(|of| of.seeds.iter().copied()).collect();
    let all = [
        ("world", known("world")),
        ("data", text(&fields["data"])),
        ("demonstrations", text(&fields["demonstrations"])),
        ("method", known("method")),
        ("settings", Some(if whose.is_empty() { "the program's own".to_owned() } else { whose })),
        ("model", model),
        ("asks", fields["agent"]["asks"].as_array().map(|all| all.iter().map(plain).collect::<Vec<_>>().join(", "))),
        ("options", Some(options.join(", "))),
        ("domain", text(&fields["blocking_domain"]).map(|of| if of == DERIVED { of } else { format!("a file, {of}") })),
        ("preconditions", text(&in_force["file"]).map(|held| format!("a file, {held}")).or_else(|| text(in_force))),
        ("truth", text(&fields["truth_file"]).map(|held| format!("a file, {held}"))),
        ("tests", text(&fields["tests"]).map(|most| format!("the first {most} of each"))),
        ("seeds", Some(in_words(&seeds))),
        ("limits", Some(limited.join(", "))),
        ("program", text(&fields["program"])),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?))).collect()
}

/// A model by the id that its endpoint knows it by, else by its name.
fn called(model: &Value) -> Option<&str> {
    model["id"].as_str().or_else(|| model["name"].as_str())
}

/// The models that roles have of their own, of those that a method of the experiment asks as, to be read behind the model: ` (writer small)`.
fn of_roles(fields: &Value, planned: &[Planned], methods: &'static Methods) -> String {
    let beside = |role: Role| role == Role::Writer && fields[METHOD_OPTIONS][BELIEF.key] == "on";
    let asks = |condition: &Value, role: Role| {
        let method = condition["method"].as_str().or_else(|| fields["method"].as_str()).unwrap_or_default();
        let known = methods.named(method);
        !method.is_empty() && (beside(role) || known.is_none_or(|known| known.info().roles.contains(&role)))
    };
    let is_asked = |role: Role| planned.iter().any(|of| asks(&of.condition, role));
    let roles = fields["roles"].as_object().into_iter().flatten();
    let asked = roles.filter(|(role, _)| Role::named(role).is_some_and(is_asked));
    let words: Vec<String> = asked.filter_map(|(role, model)| Some(format!("{role} {}", called(model)?))).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// The limits that a method ends episodes at by itself: those that a condition names, or that its settings have in the world.
fn own_limits(condition: &Value, fields: &Value) -> Option<String> {
    let named = |key: &str| condition["options"][key].as_str();
    let world = condition["world"].as_str().or_else(|| fields["world"].as_str()).unwrap_or_default();
    let of_settings = || {
        let row = publications::fixed(named("settings")?, condition["method"].as_str()?, world)?;
        row.options.iter().find(|(key, _)| *key == "limits").map(|(_, limits)| *limits)
    };
    named("limits").or_else(of_settings).filter(|limits| *limits != "none").map(str::to_owned)
}

/// The options of methods that a person set and that change what a condition's method does.
fn changed(fields: &Value, planned: &[Planned], methods: &'static Methods) -> Vec<String> {
    let given = fields[METHOD_OPTIONS].as_object().into_iter().flatten().filter(|(key, _)| *key != SETTINGS.key);
    let given = given.map(|(key, value)| (key, plain(value)));
    let counts = |key: &str, value: &str| {
        planned.is_empty() || planned.iter().any(|of| is_changed(&of.condition, fields, (key, value), methods))
    };
    given.filter(|(key, value)| counts(key, value)).map(|(key, value)| format!("{key} {value}")).collect()
}

/// Whether an option that was set changes what a condition's method does: the method goes by it, the condition does not say it itself, and
/// without it the value would be another, that of its settings or its own.
fn is_changed(condition: &Value, fields: &Value, (key, value): (&str, &str), methods: &'static Methods) -> bool {
    let named = |name: &str| condition[name].as_str().or_else(|| fields[name].as_str()).unwrap_or_default();
    let method = named("method");
    let info = methods.named(method).map(|method| method.info());
    let is_in_force = info.is_none_or(|info| methods.is_in_force(key, info.options));
    let of_settings = || {
        let id = settings(condition).or_else(|| settings(fields))?;
        let row = publications::fixed(&id, method, named("world"))?;
        row.options.iter().find(|(of, _)| *of == key).map(|(_, value)| *value)
    };
    let own = || methods.options().iter().find(|spec| spec.key == key).map(|spec| spec.default);
    let is_said = condition["options"].get(key).is_some();
    !method.is_empty() && is_in_force && !is_said && of_settings().or_else(own) != Some(value)
}

/// `0 to 9`, else the seeds one by one.
fn in_words(seeds: &BTreeSet<u64>) -> String {
    let (first, last) = (seeds.first().copied().unwrap_or_default(), seeds.last().copied().unwrap_or_default());
    if seeds.len() > 2 && last - first == seeds.len() as u64 - 1 {
        return format!("{first} to {last}");
    }
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use stepwright_methods::METHODS;

    #[test]
    fn an_experiment_says_what_it_was_measured_under() {
        let fields = json!({
            "program": "0.1.0+abc", "model": {"name": "symbolic"}, "world": "household", "method": "few-shot", "data": "shipped",
            "options": {"edition": "put"}, "blocking_domain": "derived", "limits": {"max_steps": 50, "preconditions": {"file": "12ab"}}, "token_budget": null,
        });
        let planned = |seeds: &[u64], condition: Value| Planned { condition, tasks: Vec::new(), seeds: seeds.to_vec() };
        let of = |fields: Value, planned: &[Planned]| {
            let all = labels(&Experiment::new("run", fields), planned, &METHODS);
            all.into_iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            of(fields, &[planned(&[0, 1, 2], json!({}))]),
            "world household; data shipped; method few-shot; settings the program's own; model no language model; options edition put; \
             domain derived; preconditions a file, 12ab; seeds 0 to 2; limits 50 actions; program 0.1.0+abc"
        );
        let o3d = json!({"method": "o3d", "options": {"settings": "o3d"}});
        let ended = json!({"method": "o3d-code", "options": {"limits": "o3d-30"}});
        let shared = json!({"world": "household", "limits": {"max_steps": 60}});
        for conditions in [vec![planned(&[0], o3d.clone())], vec![planned(&[0], o3d), planned(&[0], ended)]] {
            let under = of(shared.clone(), &conditions);
            assert!(under.ends_with("; limits o3d-30 of the method, at most 60 actions"), "{under}");
        }
        let several =
            ["b", "a"].map(|method| planned(&[7, 1], json!({"method": method, "options": {"settings": "s"}})));
        let fields = json!({"model": {"name": "m", "id": "org/m"}, "max_steps": 24, "token_budget": 9});
        assert_eq!(
            of(fields, &several),
            "method a, b; settings s; model org/m; seeds 1, 7; limits 24 actions, 9 tokens"
        );
        // The models of roles that are asked, whether or not there is one beside them.
        let roles = json!({"proposer": {"name": "rep", "id": "org/rep"}, "writer": {"name": "small", "id": null}});
        for (model, shown) in [("symbolic", "symbolic"), ("m", "m")] {
            let fields = json!({"world": "household", "model": {"name": model}, "roles": roles});
            let expected = format!("model {shown} (proposer org/rep); seeds 0");
            assert!(of(fields, &[planned(&[0], json!({"method": "react"}))]).ends_with(&expected));
        }
        // What was set beside the settings; not what they have themselves, nor what no method of the experiment goes by.
        let react = json!({"method": "react", "settings": "react-2023"});
        for (set, shown) in [
            (json!({"examples": "1", "temperature": "0.2"}), "; options examples 1, temperature 0.2"),
            (json!({"settings": "react-2023", "examples": "2"}), ""),
            (json!({"cutoff": "0.5"}), ""),
        ] {
            let fields = json!({"world": "household", "method_options": set});
            let expected = format!("world household; method react; settings react-2023{shown}; seeds 0");
            assert_eq!(of(fields, &[planned(&[0], react.clone())]), expected);
        }
    }
}
