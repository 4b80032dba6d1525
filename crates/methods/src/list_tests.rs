//! Tests of what the methods say of themselves, all together: options, needs, settings of publications.

use std::collections::BTreeMap;

use crate::METHODS;
use stepwright_method::options::{BELIEF, FORM, shows_assertions};
use stepwright_method::publications::{OWN, Publication, SETTINGS, all, changed, fixed, preset, whose};
use stepwright_method::{ModelTraits, fits};
use stepwright_world::WorldKind;
use stepwright_world::options::{OptionSpec, Values};
use stepwright_worlds::{WORLDS, dialogue, external, table};

#[test]
fn every_option_is_one_in_all_methods_and_fits_the_dialog() {
    for method in METHODS.all() {
        for spec in method.options {
            assert!(METHODS.options().contains(spec), "{} of {} is declared otherwise elsewhere", spec.key, method.id);
            assert!(spec.default.is_empty() || spec.kind.accepts(spec.default), "{}", spec.key);
            assert_ne!(spec.next(spec.default, true), spec.default, "{}", spec.key);
            // What fits behind label and value in the dialog.
            assert!(spec.note(spec.default).len() <= 43, "{}", spec.key);
        }
    }
}

#[test]
fn options_of_earlier_sessions_are_read() {
    let recorded = [
        ("assertions", "hidden"),
        ("belief", "on"),
        ("conversation", "running"),
        ("edition", "put"),
        ("judging", "model"),
        ("likelihood", "sum"),
        ("primitives", "each"),
        ("selection", "scored"),
        ("shots", "5"),
        ("think", "true"),
    ];
    let map = recorded.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let values = Values::read(METHODS.options(), &map).unwrap();
    for (key, value) in recorded.into_iter().filter(|(key, _)| *key != "edition") {
        assert_eq!(values.text(METHODS.options().iter().find(|s| s.key == key).unwrap()), value);
    }
    assert!(!shows_assertions(&values, true) && shows_assertions(&Values::default(), true));
}

#[test]
fn of_recorded_options_those_of_other_methods_are_not_in_force() {
    let is_in_force = |id: &str, key: &str| METHODS.is_in_force(key, METHODS.named(id).unwrap().info().options);
    for (id, key, expected) in [
        ("precondition-aware", "shots", true),
        ("precondition-aware", "limits", false),
        ("react", "limits", true),
        // What is gone by whatever the method.
        ("react", "belief", true),
        // What is of the world, or of a method in another process.
        ("precondition-aware", "edition", true),
        ("react", "external:toy.order", true),
    ] {
        assert_eq!(is_in_force(id, key), expected, "{id}: {key}");
    }
}

#[test]
fn what_is_missing_is_named_in_one_sentence() {
    let info = |id: &str| METHODS.named(id).unwrap().info();
    let model = ModelTraits { name: "m".into(), language: true, ..ModelTraits::default() };
    let why = |id: &str, world: &WorldKind| {
        fits(&info(id), &Values::default(), (world, WORLDS), None, &model).unwrap_err().to_string()
    };
    assert!(why("statler", &dialogue::KIND).starts_with("statler cannot work in the world dialogue: it has no "));
    assert!(why("ff-replan", &dialogue::KIND).contains("the world dialogue: it has no"));
    assert!(why("blocking", &external::KIND).contains("is another process"));
    let scored =
        Values::read(info("blocking").options, &[("selection".to_owned(), "scored".to_owned())].into()).unwrap();
    let of = |model: &ModelTraits| {
        fits(&info("blocking"), &scored, (&stepwright_worlds::kitchen::KIND, WORLDS), None, model)
    };
    assert_eq!(of(&model), Ok(()));
    let alone = of(&ModelTraits::default()).unwrap_err().to_string();
    assert_eq!(alone, "selection = scored needs a language model, and none is in use");
    assert!(why("scored", &dialogue::KIND).contains("log-probabilities of given texts, and m does not"));
    assert_eq!(fits(&info("few-shot"), &Values::default(), (&dialogue::KIND, WORLDS), None, &model), Ok(()));
    let cups = fits(&info("cups-state"), &Values::default(), (&table::KIND, WORLDS), Some("weight"), &model)
        .unwrap_err()
        .to_string();
    assert!(cups.contains("a task of the kind cups, and this one is of the kind weight"), "{cups}");
    let symbolic = ModelTraits::default();
    let alone = |id: &str| fits(&info(id), &Values::default(), (&table::KIND, WORLDS), None, &symbolic);
    assert_eq!(alone("statler"), Ok(()));
    assert!(alone("code-as-policies").unwrap_err().brief.contains("a language model"));
    let belief = Values::default().with(&BELIEF, "on");
    let why = fits(&info("few-shot"), &belief, (&dialogue::KIND, WORLDS), None, &symbolic).unwrap_err().to_string();
    assert!(why.starts_with("belief = on cannot work in the world dialogue: it has no form for a belief"), "{why}");
    let formed = belief.with(&FORM, "own.toml");
    assert_eq!(fits(&info("few-shot"), &formed, (&dialogue::KIND, WORLDS), None, &symbolic), Ok(()));
    assert_eq!(fits(&info("statler"), &formed, (&dialogue::KIND, WORLDS), None, &model), Ok(()));
}

#[test]
fn rows_name_methods_options_and_values_that_there_are() {
    for publication in all() {
        let Publication { id, title, methods, rows } = publication;
        assert_eq!(all().filter(|other| other.id == *id).count(), 1, "{id} twice");
        assert!(*id != OWN && !title.is_empty() && !rows.is_empty(), "{id}");
        let options: Vec<OptionSpec> = methods
            .iter()
            .flat_map(|method| {
                METHODS.named(method).unwrap_or_else(|| panic!("{id}: no method {method}")).info().options
            })
            .copied()
            .collect();
        for method in *methods {
            assert!(METHODS.named(method).unwrap().info().options.contains(&SETTINGS), "{method} has no settings");
        }
        for (key, value) in rows.iter().flat_map(|row| row.options) {
            let spec = options.iter().find(|spec| spec.key == *key);
            let spec = spec.unwrap_or_else(|| panic!("{id}: its methods have no option {key}"));
            assert!(spec.kind.accepts(value), "{id}: {key} = {value}");
        }
        for row in *rows {
            let known = row.world.is_empty() || stepwright_worlds::WORLDS.iter().any(|kind| kind.name == row.world);
            assert!(known, "{id}: no world {}", row.world);
        }
    }
}

/// As published no selection is vetoed for going round in a circle, and a thought may lead an action.
#[test]
fn publications_add_nothing_that_they_do_not_have() {
    for id in ["blocking", "blocking-program"] {
        let options = fixed(id, "blocking", "kitchen").unwrap().options;
        assert!(options.contains(&("circles", "free")), "{id}");
    }
    let asked = fixed("preconditions", "few-shot", "dialogue").unwrap().asked("act");
    for think in [false, true] {
        let own = stepwright_method::generation(true, think);
        assert_eq!(asked.generation(own.clone()).stop, own.stop);
    }
}

#[test]
fn what_is_given_goes_before_what_was_published() {
    let map = |given: &[(&str, &str)]| -> BTreeMap<String, String> {
        given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    };
    let react = ("react", METHODS.named("react").unwrap().info().options);
    let published = map(&[("settings", "react-2023")]);
    let filled = preset(react, "household", published.clone()).unwrap();
    assert_eq!((filled["limits"].as_str(), filled["examples"].as_str()), ("react-49", "2"));
    assert_eq!(preset(react, "shop", published.clone()).unwrap()["limits"], "react-14");
    let own = map(&[("settings", "react-2023"), ("limits", "none")]);
    assert_eq!(preset(react, "household", own).unwrap()["limits"], "none");
    assert_eq!(preset(react, "household", map(&[])).unwrap(), map(&[]));
    assert!(preset(("few-shot", &[]), "household", published.clone()).unwrap_err().contains("are of react"));
    assert!(preset(react, "kitchen", published.clone()).unwrap_err().contains("nothing of the world kitchen"));
    assert!(whose("react", "household", &published).unwrap().starts_with("settings react-2023: Yao"));
    assert!(whose("react", "household", &map(&[])).unwrap().contains("not a publication's"));
    assert_eq!(whose("scored", "household", &map(&[])), None);
    // Changed in a running session: new values come, and go with the settings again unless they were changed.
    let dialog = |settings: &str, limits: &str| map(&[("settings", settings), ("limits", limits)]);
    let begun = dialog(OWN, "none");
    let now = changed(react, "household", &begun, dialog("react-2023", "none")).unwrap();
    assert_eq!(now["limits"], "react-49");
    let back = changed(react, "household", &now, dialog(OWN, "react-49")).unwrap();
    assert_eq!(back["limits"], "none");
    let kept = changed(react, "household", &begun, dialog("react-2023", "o3d-30")).unwrap();
    assert_eq!(kept["limits"], "o3d-30");
}
