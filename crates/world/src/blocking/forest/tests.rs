use proptest::prelude::*;

use super::*;
use crate::blocking::domain::Domain;
use crate::blocking::{NodeKind, NodeStatus};
use crate::shipped_domain;
use stepwright_episode::TreeEdit;

struct Toy {
    domain: Domain,
    facts: Facts,
    goals: Vec<Atom>,
    forest: Forest,
}

impl Toy {
    fn new(goals: &[&str], things: &[&str], atoms: &[&str]) -> Self {
        let domain = Domain::clone(&shipped_domain(&crate::kitchen::KIND).unwrap().unwrap());
        let goals: Vec<Atom> = goals.iter().map(|g| g.parse().unwrap()).collect();
        let mut toy = Toy { domain, facts: Facts::default(), goals, forest: Forest::default() };
        toy.see(things, atoms);
        toy.forest = Forest::plant(&toy.domain, &toy.moment());
        toy
    }

    fn see(&mut self, things: &[&str], atoms: &[&str]) {
        self.facts = Facts::of(things, &[atoms, &["ROOM kitchen"]].concat());
    }

    fn moment(&self) -> Moment<'_> {
        Moment { facts: &self.facts, goals: &self.goals, judge: &|_| false }
    }

    fn select(&mut self, text: &str) -> Option<String> {
        match self.forest.select(&self.domain, text, &self.facts) {
            Selection::Blocked(blocked) => Some(blocked.condition.to_string()),
            Selection::Execute => None,
            Selection::NotALeaf => panic!("{text} is no leaf of {:?}", self.leaves()),
        }
    }

    fn executed(&mut self, text: &str, error: Option<&str>) -> Option<String> {
        let mut forest = std::mem::take(&mut self.forest);
        let raised = forest.executed(&self.domain, text, error, &self.moment());
        self.forest = forest;
        raised.map(|b| b.condition.to_string())
    }

    fn leaves(&self) -> Vec<&str> {
        self.forest.leaves().iter().map(|l| l.text.as_str()).collect()
    }
}

const LOOKING: [&str; 9] = [
    "turnleft character",
    "turnright character",
    "moveforward",
    "movebackward",
    "turnaround",
    "lookup",
    "lookdown",
    "walk_to_room kitchen",
    "scanroom cup",
];

#[test]
fn a_blocked_leaf_grows_and_a_certain_success_takes_the_siblings_with_it() {
    let mut toy = Toy::new(&["ON cup shelf"], &[], &["HANDS_EMPTY"]);
    assert_eq!(toy.leaves(), ["put cup shelf"]);
    assert_eq!(toy.select("put cup shelf").as_deref(), Some("not_holding cup"));
    assert_eq!(toy.leaves(), ["grab cup"]);
    assert_eq!(toy.select("grab cup").as_deref(), Some("not_visible cup"));
    assert_eq!(toy.leaves(), LOOKING);
    assert_eq!(toy.forest.selections(), 2);
    // The cup comes into sight: the looking is over.
    assert_eq!(toy.select("turnaround"), None);
    toy.see(&["cup"], &["HANDS_EMPTY", "CLOSE cup"]);
    assert_eq!(toy.executed("turnaround", None), None);
    assert_eq!(toy.leaves(), ["grab cup"]);
    assert_eq!(toy.select("grab cup"), None);
    toy.see(&["cup"], &["HOLDS cup", "CLOSE cup"]);
    toy.executed("grab cup", None);
    assert_eq!(toy.leaves(), ["put cup shelf"]);
    // The goal is met: nothing is left.
    toy.goals.clear();
    toy.executed("put cup shelf", None);
    assert!(toy.leaves().is_empty() && toy.forest.done().len() == 1);
    assert_eq!(toy.forest.selections(), 5);
}

#[test]
fn where_it_only_might_have_helped_the_parent_is_tested_again() {
    let mut toy =
        Toy::new(&["ON cup shelf"], &["fridge"], &["HOLDS cup", "CAN_OPEN fridge", "CLOSED fridge", "CLOSE fridge"]);
    assert_eq!(toy.select("put cup shelf").as_deref(), Some("not_visible shelf"));
    assert!(toy.leaves().contains(&"open fridge"));
    toy.see(&["fridge"], &["HOLDS cup", "CAN_OPEN fridge", "OPEN fridge", "CLOSE fridge"]);
    toy.executed("open fridge", None);
    assert!(toy.leaves().contains(&"close fridge") && !toy.leaves().contains(&"open fridge"));
    // Something else blocks now.
    toy.see(&["fork"], &["FAR fork"]);
    toy.executed("turnaround", None);
    assert_eq!(toy.leaves(), ["grab cup"]);
    // The literal itself holds: nothing else is asked, and the parent is a leaf again.
    toy.select("grab cup");
    toy.see(&["cup"], &["FAR cup"]);
    toy.executed("turnaround", None);
    assert_eq!(toy.leaves(), ["grab cup"]);
}

#[test]
fn errors_block_are_remembered_and_cost_a_leaf_with_siblings() {
    let full = "No valid positions to place object found";
    let seen: &[&str] =
        &["HOLDS cup", "CLOSE shelf", "CLOSE fork", "SURFACES shelf", "GRABBABLE fork", "IN fork shelf"];
    let mut toy = Toy::new(&["ON cup shelf"], &["fork", "shelf"], seen);
    assert_eq!(toy.executed("put cup shelf", Some(full)).as_deref(), Some("no_placement shelf"));
    assert_eq!(toy.leaves(), ["grab fork", "moveforward", "movebackward", "walk_to_room kitchen"]);
    assert_eq!(toy.forest.remembered().len(), 1);
    assert_eq!(toy.select("grab fork").as_deref(), Some("hands_full cup"));
    assert!(!toy.leaves().contains(&"put cup shelf"), "a full place is not offered again");
    toy.executed("moveforward", Some("The way is blocked, the agent did not move."));
    assert_eq!(toy.leaves().iter().filter(|l| **l == "moveforward").count(), 1, "the second one is a candidate now");
    let before = toy.leaves().len();
    toy.executed("moveforward", Some("The way is blocked, the agent did not move."));
    assert_eq!(toy.leaves().len(), before - 1);
    // Going elsewhere ends the memory; the place is tried again.
    toy.executed("walk_to_room kitchen", None);
    toy.executed("walk_to_room kitchen", None);
    assert!(toy.forest.remembered().is_empty() || !toy.leaves().contains(&"put cup shelf"));
}

#[test]
fn an_error_at_the_only_way_is_a_condition_of_its_own() {
    let mut toy = Toy::new(&["ON lamp"], &["lamp"], &["CLOSE lamp"]);
    assert_eq!(toy.executed("switchon lamp", Some("it is stuck")).as_deref(), Some("failed switchon lamp"));
    assert_eq!(toy.leaves().len(), 8);
    toy.executed("lookup", None);
    assert_eq!(toy.leaves(), ["switchon lamp"]);
}

#[test]
fn what_a_person_does_outside_the_tree_resolves_what_it_resolves() {
    let mut toy = Toy::new(&["ON cup shelf"], &[], &["HANDS_EMPTY"]);
    toy.select("put cup shelf");
    toy.select("grab cup");
    toy.see(&["cup"], &["HANDS_EMPTY", "FAR cup"]);
    toy.executed("dance", None);
    assert_eq!(toy.leaves(), ["grab cup"]);
    toy.see(&["cup"], &["HOLDS cup", "CLOSE cup"]);
    toy.executed("dance", None);
    assert_eq!(toy.leaves(), ["put cup shelf"]);
    toy.executed("dance", Some("no"));
    assert_eq!(toy.leaves(), ["put cup shelf"]);
}

#[test]
fn a_person_prunes_adds_and_moves() {
    let mut toy = Toy::new(&["ON cup shelf"], &[], &["HANDS_EMPTY"]);
    let domain = toy.domain.clone();
    let root = toy.forest.trees()[0].key;
    let edit = |forest: &mut Forest, edit: TreeEdit| forest.edit(&domain, &edit);
    let refused = edit(&mut toy.forest, TreeEdit::Add { under: root, action: "lookup".into() }).unwrap_err();
    assert!(refused.contains("nothing blocks"), "{refused}");
    assert!(edit(&mut toy.forest, TreeEdit::Prune { node: root, pruned: true }).unwrap_err().contains("only way"));
    toy.select("put cup shelf");
    toy.select("grab cup");
    let grab = toy.forest.path(toy.forest.leaf("lookup").unwrap().key)[1].key;
    let lookup = toy.forest.leaf("lookup").unwrap().key;
    edit(&mut toy.forest, TreeEdit::Prune { node: lookup, pruned: true }).unwrap();
    assert_eq!(toy.leaves().len(), LOOKING.len() - 1);
    edit(&mut toy.forest, TreeEdit::Add { under: grab, action: "open drawer".into() }).unwrap();
    assert_eq!(toy.leaves().last(), Some(&"open drawer"));
    let added = toy.forest.leaf("open drawer").unwrap().key;
    edit(&mut toy.forest, TreeEdit::Move { node: added, up: true }).unwrap();
    assert_eq!(toy.leaves()[toy.leaves().len() - 2], "open drawer");
    assert!(edit(&mut toy.forest, TreeEdit::Move { node: root, up: true }).is_err());
    assert!(edit(&mut toy.forest, TreeEdit::Prune { node: 999, pruned: true }).is_err());
    let shown = toy.forest.shown(&toy.domain, &toy.facts);
    let status = |text: &str| shown.nodes.iter().find(|n| n.text == text).map(|n| n.status);
    assert_eq!(status("lookup"), Some(NodeStatus::Pruned));
    assert_eq!(status("open drawer"), Some(NodeStatus::Possibly));
    assert_eq!(status("grab cup"), Some(NodeStatus::Blocked));
    assert!(shown.nodes.iter().any(|n| n.kind == NodeKind::Condition && n.text == "VISIBLE cup"));
    // An added action that is blocked grows as any other.
    assert_eq!(toy.select("open drawer").as_deref(), Some("not_visible drawer"));
    let reason = toy.forest.reason(&toy.domain, "scanroom drawer").unwrap();
    assert!(
        reason.contains("for `ON cup shelf`") && reason.contains("`open drawer` needs `VISIBLE drawer`"),
        "{reason}"
    );
    let text = serde_json::to_string(&toy.forest).unwrap();
    assert_eq!(serde_json::from_str::<Forest>(&text).unwrap(), toy.forest);
}

#[test]
fn a_tree_grows_from_a_refused_action_down_to_what_can_be_done() {
    let toy = Toy::new(&["ON lamp"], &["shelf"], &["HANDS_EMPTY"]);
    let before = toy.forest.clone();
    let mut tree = Forest::of_refused(&toy.domain, "put cup shelf", Some("no"), &toy.facts).unwrap();
    assert!(tree.trees()[0].key >= REFUSED && tree.trees()[0].goal.is_none());
    let texts = |tree: &Forest| {
        let mut texts = Vec::new();
        tree.visit(&mut |node, above| texts.push(format!("{}{}", " ".repeat(above.len()), node.text)));
        texts
    };
    let grown = texts(&tree);
    assert_eq!(grown[..3], ["put cup shelf", " grab cup", "  turnleft character"], "{grown:?}");
    assert!(tree.resolves("turnleft character") && !tree.resolves("put cup shelf") && !tree.resolves("grab cup"));
    // Something else that is done resolves what it resolves; the forest beside it is as it was.
    let holding = Facts::of(&["cup", "shelf"], &["HOLDS cup", "CLOSE cup", "CLOSE shelf", "ROOM kitchen"]);
    assert!(tree.follow_refused(&toy.domain, "dance", None, &holding));
    assert_eq!(texts(&tree), ["put cup shelf"]);
    let shown = tree.shown_alone(&toy.domain, &holding, "it was refused");
    assert_eq!(
        (shown.nodes.len(), shown.nodes[0].parent, shown.nodes[0].why.starts_with("it was refused")),
        (1, None, true)
    );
    let mut elsewhere = tree.clone();
    assert!(
        !elsewhere.follow_refused(&toy.domain, "dance", None, &holding),
        "it is blocked no more, and something else is done"
    );
    assert!(!tree.follow_refused(&toy.domain, "put cup shelf", None, &holding), "it is done");
    assert_eq!(toy.forest, before);
    // What no condition is known of grows nothing; what was only kept from being tried needs one that holds.
    assert!(Forest::of_refused(&toy.domain, "sing", Some("no"), &toy.facts).is_none());
    let lamp = Facts::of(&["lamp"], &["CLOSE lamp", "ROOM kitchen"]);
    assert!(Forest::of_refused(&toy.domain, "switchon lamp", None, &lamp).is_none());
    let stuck = Forest::of_refused(&toy.domain, "switchon lamp", Some("it is stuck"), &lamp).unwrap();
    assert_eq!(stuck.trees()[0].blocked.as_ref().unwrap().condition.to_string(), "failed switchon lamp");
}

/// The next turn of a random run: a leaf's number and its fate.
#[derive(Debug, Clone)]
enum Turn {
    Select(usize),
    Execute(usize, Option<&'static str>),
    See(Vec<usize>, Vec<usize>),
    Goals(usize),
    Edit(u32, u8),
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let error = prop::sample::select(vec![
        None,
        Some("No valid positions to place object found"),
        Some("The way is blocked, the agent did not move."),
    ]);
    let turn = prop_oneof![
        4 => any::<prop::sample::Index>().prop_map(|i| Turn::Select(i.index(1000))),
        3 => (any::<prop::sample::Index>(), error).prop_map(|(i, e)| Turn::Execute(i.index(1000), e)),
        2 => (prop::collection::vec(0..6usize, 0..6), prop::collection::vec(0..40usize, 0..12))
            .prop_map(|(t, a)| Turn::See(t, a)),
        1 => (0..4usize).prop_map(Turn::Goals),
        1 => (0..60u32, 0..6u8).prop_map(|(node, what)| Turn::Edit(node, what)),
    ];
    prop::collection::vec(turn, 0..60)
}

fn bend(domain: &mut Domain, how: &[(u8, usize)]) {
    for (what, at) in how {
        match what % 5 {
            0 => domain.conditions.retain(|c| c.form.name.len() % 7 != at % 7),
            1 => domain.actions.retain(|a| a.form.name.len() % 7 != at % 7),
            2 => domain.conditions.iter_mut().for_each(|c| c.actions.reverse()),
            3 => domain.conditions.iter_mut().for_each(|c| c.actions.truncate(at % 4)),
            _ => domain.otherwise = None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// For any domain, world and moves of the person: leaves are the candidates, a block leaves the world alone, nothing panics.
    #[test]
    fn any_run_keeps_its_leaves(how in prop::collection::vec((any::<u8>(), 0..9usize), 0..3), turns in turns()) {
        const THINGS: [&str; 6] = ["cup", "fork", "fridge", "lamp", "shelf", "bread"];
        const FLAGS: [&str; 10] =
            ["CLOSE", "FAR", "OPEN", "CLOSED", "CAN_OPEN", "SURFACES", "GRABBABLE", "ON", "HOLDS", "HANDS_EMPTY"];
        let goals = ["ON cup shelf", "INSIDE fork fridge", "ON lamp", "COOKED bread fridge"];
        let mut toy = Toy::new(&goals, &[], &["HANDS_EMPTY"]);
        bend(&mut toy.domain, &how);
        for turn in turns {
            let texts: Vec<String> = toy.leaves().iter().map(|l| (*l).to_owned()).collect();
            let unique: BTreeSet<&String> = texts.iter().collect();
            prop_assert_eq!(unique.len(), texts.len());
            match turn {
                Turn::Select(i) if !texts.is_empty() => {
                    let text = &texts[i % texts.len()];
                    let (facts, before) = (toy.facts.clone(), toy.forest.clone());
                    let condition = toy.select(text);
                    prop_assert_eq!(&toy.facts, &facts);
                    if condition.is_none() {
                        prop_assert_eq!(&toy.forest, &before);
                    } else {
                        prop_assert_eq!(toy.forest.selections(), before.selections() + 1);
                    }
                }
                Turn::Execute(i, error) if !texts.is_empty() => {
                    toy.executed(&texts[i % texts.len()], error);
                }
                Turn::See(things, atoms) => {
                    let things: BTreeSet<&str> = things.iter().map(|i| THINGS[*i]).collect();
                    let things: Vec<&str> = things.into_iter().collect();
                    let atoms: Vec<String> = atoms
                        .iter()
                        .filter_map(|i| Some(format!("{} {}", FLAGS[i % 9], things.get(i / 9)?)))
                        .chain((atoms.len() % 2 == 0).then(|| FLAGS[9].to_owned()))
                        .collect();
                    let atoms: Vec<&str> = atoms.iter().map(String::as_str).collect();
                    toy.see(&things, &atoms);
                }
                Turn::Goals(met) => {
                    toy.goals.truncate(met.max(1));
                }
                Turn::Edit(node, what) => {
                    let edit = match what {
                        0 => TreeEdit::Prune { node, pruned: true },
                        1 => TreeEdit::Prune { node, pruned: false },
                        2 => TreeEdit::Add { under: node, action: "lookup".into() },
                        3 => TreeEdit::Add { under: node, action: "no such  thing".into() },
                        n => TreeEdit::Move { node, up: n == 4 },
                    };
                    let before = toy.forest.clone();
                    if toy.forest.edit(&toy.domain, &edit).is_err() {
                        prop_assert_eq!(&toy.forest, &before);
                    }
                }
                _ => {}
            }
            for leaf in toy.forest.leaves() {
                prop_assert!(toy.forest.reason(&toy.domain, &leaf.text).is_some());
                prop_assert_eq!(toy.forest.path(leaf.key).last().map(|n| n.key), Some(leaf.key));
            }
            let shown = toy.forest.shown(&toy.domain, &toy.facts);
            for (i, node) in shown.nodes.iter().enumerate() {
                prop_assert!(node.parent.is_none_or(|p| p < i) && !node.why.is_empty());
            }
        }
    }
}
