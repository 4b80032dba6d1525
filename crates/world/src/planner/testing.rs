//! Household program for unit tests, a small one: the specification's assertions written in Rust, so that planning is tested by itself.
//! The household's own tests have it too, by its path.

use std::collections::{BTreeMap, BTreeSet};

use stepwright_episode::{Check, CheckKind, Status};
use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;
use stepwright_world::planner::EffectModel;
use stepwright_world::program::ProgramView;

fn text(arg: Option<&Literal>) -> Option<&str> {
    match arg {
        Some(Literal::Str(text)) => Some(text),
        _ => None,
    }
}

#[derive(Debug, Clone, Default)]
pub struct Toy {
    pub visible: BTreeSet<String>,
    pub inventory: Option<String>,
    pub properties: BTreeMap<(String, String), bool>,
    /// Functions that an edited assertion makes impossible.
    pub forbidden: Vec<&'static str>,
}

impl Toy {
    pub fn after(calls: &[&str]) -> Self {
        let mut toy = Toy::default();
        toy.apply(&calls_of(calls));
        toy
    }
}

pub fn calls_of(texts: &[&str]) -> Vec<Call> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

impl ProgramView for Toy {
    fn check(&self, action: &Call) -> Vec<Check> {
        let name = |i: usize| text(action.args.get(i)).unwrap_or_default();
        let seen = |i: usize, p: &str| (format!("self.is_visible({p})"), self.visible.contains(name(i)));
        let is_open = self.properties.get(&(name(0).to_owned(), "open".to_owned())).copied().unwrap_or(false);
        let holding = ("self.inventory == obj".to_owned(), self.inventory.as_deref() == Some(name(0)));
        let tool = |kind: &str| (format!("'{kind}' in recep"), name(1).contains(kind));
        let open = |want: bool| {
            let value = Literal::Bool(want);
            (format!("self.env.get_property(recep, 'open') == {value}"), is_open == want)
        };
        let mut conditions = match action.function.as_str() {
            "goto" => vec![seen(0, "recep")],
            "open" => vec![seen(0, "recep"), open(false)],
            "close" => vec![seen(0, "recep"), open(true)],
            "take" => {
                vec![seen(0, "obj"), seen(1, "recep"), ("self.inventory == None".to_owned(), self.inventory.is_none())]
            }
            "put" => vec![holding, seen(1, "recep")],
            "clean" => vec![seen(1, "recep"), holding, tool("sink")],
            "heat" => vec![seen(1, "recep"), holding, tool("microwave")],
            "toggle" => vec![seen(0, "obj")],
            _ => vec![],
        };
        if self.forbidden.contains(&action.function.as_str()) {
            conditions.push(("False".to_owned(), false));
        }
        let check = |(condition, holds)| Check {
            kind: CheckKind::Precondition,
            condition,
            status: if holds { Status::Holds } else { Status::Fails },
            detail: None,
        };
        conditions.into_iter().map(check).collect()
    }

    fn apply(&mut self, calls: &[Call]) {
        for call in calls {
            let name = |i: usize| text(call.args.get(i)).unwrap_or_default().to_owned();
            match call.function.as_str() {
                "update_visible_objects" => {
                    self.visible.extend(call.args.iter().filter_map(|a| text(Some(a))).map(str::to_owned));
                }
                "add_inventory" => self.inventory = Some(name(0)),
                "remove_inventory" => self.inventory = None,
                _ => drop(self.properties.insert((name(0), name(1)), call.args.get(2) == Some(&Literal::Bool(true)))),
            }
        }
    }
}

/// A few demonstrated steps of every action.
const DEMONSTRATED: &[(&str, &[&str])] = &[
    ("agent.goto('shelf 1')", &["agent.update_visible_objects('shelf 1', 'mug 1', 'cd 2')"]),
    ("agent.goto('fridge 1')", &["env.set_property('fridge 1', 'open', False)"]),
    ("agent.goto('desk 1')", &["agent.update_visible_objects('desk 1')"]),
    ("agent.open('fridge 1')", &["env.set_property('fridge 1', 'open', True)"]),
    (
        "agent.open('drawer 2')",
        &["env.set_property('drawer 2', 'open', True)", "agent.update_visible_objects('drawer 2', 'pen 1')"],
    ),
    ("agent.close('drawer 2')", &["env.set_property('drawer 2', 'open', False)"]),
    ("agent.take('mug 1', 'shelf 1')", &["agent.add_inventory('mug 1')"]),
    ("agent.put('mug 1', 'desk 1')", &["agent.remove_inventory('mug 1')"]),
    ("agent.heat('mug 1', 'microwave 1')", &["env.set_property('mug 1', 'heat', True)"]),
    ("agent.clean('mug 1', 'sinkbasin 1')", &["env.set_property('mug 1', 'clean', True)"]),
    ("agent.toggle('desklamp 1')", &["env.set_property('desklamp 1', 'toggle', True)"]),
];

pub(crate) fn demonstrated() -> Vec<Step> {
    let step = |(action, observed): &(&str, &[&str])| Step {
        call: Some(action.parse().unwrap()),
        calls: calls_of(observed),
        ..Step::default()
    };
    DEMONSTRATED.iter().map(step).collect()
}

pub fn effects() -> EffectModel {
    EffectModel::learn(&demonstrated())
}
