//! Sessions opened as the program opens them: a configuration in a folder of its own, shipped tasks, scripted models.

use std::path::Path;
use std::sync::Arc;

use stepwright::blocking::{BlockingNode, BlockingTree, NodeKind};
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Beginning, Clock, NewSession, Setup, Source, prepare_new};
use stepwright::methods::METHODS;

use super::driver::Scripted;

/// The configuration of an account whose folders are below `folder`.
pub fn configuration(folder: &Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap()
}

/// A new session at a task of a world, by a method with options; with the script as a model of that name in place of the built-in
/// proposer, if there is one.
pub fn begun(
    (world, task): (&str, &str),
    (method, options): (&str, &[(&str, &str)]),
    config: &Config,
    clock: Clock,
    script: Option<(&str, Arc<Scripted>)>,
) -> Setup {
    let options = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let (world, task, method) = (world.into(), task.into(), method.into());
    let new = NewSession { world, task, method, options, model: "symbolic".into(), ..NewSession::default() };
    let mut setup = match (prepare_new(&new, config, &stepwright::worlds::sources(), clock.clone()), &script) {
        // What the built-in proposer cannot do the script's model may.
        (Err(_), Some((name, _))) => {
            let new = NewSession { model: (*name).into(), ..new };
            prepare_new(&new, config, &stepwright::worlds::sources(), clock).unwrap()
        }
        (setup, _) => setup.unwrap(),
    };
    if let Some((name, model)) = script {
        let Beginning::New(header) = &mut setup.beginning else { panic!("a new session") };
        header.model = name.into();
        setup.source = Source::Language { name: name.into(), model };
    }
    setup
}

/// The rows of a tree that are below an error, before the goals.
pub fn before_goals(tree: &BlockingTree) -> Vec<String> {
    let below = |node: &&BlockingNode| node.kind != NodeKind::Goal;
    tree.nodes.iter().take_while(below).map(|node| node.text.clone()).collect()
}
