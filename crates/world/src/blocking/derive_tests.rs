use super::*;
use std::collections::BTreeSet;
use std::sync::Arc;

use stepwright_program::{Assertion, Effect};

use crate::planner::testing::{after, calls_of, effects, forbidding};

const ROOM: &str = "agent.update_visible_objects('cabinet 1', 'shelf 1', 'desk 1', 'fridge 1', 'microwave 1', 'sinkbasin 1', 'mug 1', 'mug 2')";

fn known(program: &CheckedProgram) -> Vec<String> {
    let agent = &program.state().variables()["agent"];
    let name = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let visible: BTreeSet<String> = agent["visible_objects"].as_array().unwrap().iter().filter_map(name).collect();
    name(&agent["inventory"]).into_iter().chain(visible).collect()
}

fn tree_of(program: &CheckedProgram, action: &str) -> BlockingTree {
    tree_by(&effects(), program, action)
}

fn tree_by(effects: &EffectModel, program: &CheckedProgram, action: &str) -> BlockingTree {
    tree_without((effects, program), action, &|_, _, _| false)
}

fn tree_without(
    (effects, program): (&EffectModel, &CheckedProgram),
    action: &str,
    vain: &dyn Fn(&Call, &Call, usize) -> bool,
) -> BlockingTree {
    let derivation = Derivation {
        program,
        effects,
        known: &known(program),
        history: &[],
        replies: &[],
        asks: &|_| Vec::new(),
        vain,
        phrase: &|c: &Call| c.to_string(),
    };
    derivation.action(&action.parse().unwrap())
}

fn find<'a>(tree: &'a BlockingTree, text: &str) -> (usize, &'a BlockingNode) {
    let mut nodes = tree.nodes.iter().enumerate();
    nodes.find(|(_, n)| n.text == text).unwrap_or_else(|| panic!("no `{text}` in {tree:#?}"))
}

fn below(tree: &BlockingTree, of: usize) -> Vec<&str> {
    tree.children(Some(of)).map(|i| tree.nodes[i].text.as_str()).collect()
}

/// The tree of each action in `derive_tests/trees.txt`, after the calls before it.
#[test]
fn trees_are_derived_as_they_were() {
    let mut out = String::new();
    let mut program = after(&[ROOM]);
    for line in include_str!("derive_tests/trees.txt").lines() {
        out += &format!("{line}\n");
        match line.split_once(' ').unwrap_or((line, "")) {
            ("#", _) => program = after(&[ROOM]),
            ("forbid", function) => program = forbidding(&program, function),
            ("?", action) => {
                let tree = tree_of(&program, action);
                let mut depths: Vec<usize> = Vec::new();
                for node in &tree.nodes {
                    depths.push(node.parent.map_or(1, |parent| depths[parent] + 1));
                    let indent = "    ".repeat(depths[depths.len() - 1]);
                    out += &format!("{indent}{:?} {:?} {}: {}\n", node.status, node.kind, node.text, node.why);
                }
            }
            _ => program.apply(&calls_of(&[line])),
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_thing_is_taken_from_where_it_was_reported() {
    let program = after(&[ROOM]);
    let (effects, known) = (effects(), known(&program));
    for place in ["desk 1", "shelf 1", "cabinet 1"] {
        let history = calls_of(&[&format!("agent.update_visible_objects('{place}', 'cd 1', 'mug 1')")]);
        let derivation = Derivation {
            program: &program,
            effects: &effects,
            known: &known,
            history: &history,
            replies: &[],
            asks: &|_| Vec::new(),
            vain: &|_, _, _| false,
            phrase: &|c: &Call| c.to_string(),
        };
        let tree = derivation.action(&"agent.put('mug 1', 'fridge 1')".parse().unwrap());
        let resolutions = below(&tree, find(&tree, "self.inventory == obj").0);
        assert_eq!(resolutions[0], format!("agent.take('mug 1', '{place}')"));
    }
}

#[test]
fn an_action_does_not_resolve_what_keeps_it_from_being_taken() {
    let program = after(&[ROOM]);
    let mut rules = CheckedProgram::stated(program.state().specification()).unwrap();
    rules.insert("take".to_owned(), vec![Assertion::compile("self.inventory == obj").unwrap()]);
    let program = CheckedProgram::new(program.state().clone(), Arc::new(rules));
    let tree = tree_of(&program, "agent.take('mug 1', 'shelf 1')");
    let (at, node) = find(&tree, "self.inventory == obj");
    assert!(below(&tree, at).is_empty() && node.why.ends_with("no known effect of an action meets it"), "{tree:#?}");
}

/// It stood there as what would meet the condition.
#[test]
fn another_choice_of_the_action_has_a_status_of_its_own() {
    let program = after(&[ROOM]);
    let mut rules = CheckedProgram::stated(program.state().specification()).unwrap();
    rules.insert("take".to_owned(), vec![Assertion::compile("obj == 'mug 2'").unwrap()]);
    let program = CheckedProgram::new(program.state().clone(), Arc::new(rules));
    let tree = tree_of(&program, "agent.take('mug 1', 'shelf 1')");
    let other = find(&tree, "agent.take('mug 2', 'shelf 1')").1;
    assert_eq!(other.status, NodeStatus::Instead, "{tree:#?}");
    assert!(other.why.starts_with("another choice of the same action"), "{tree:#?}");
}

#[test]
fn without_demonstrations_nothing_is_invented() {
    let program = after(&[ROOM, "agent.add_inventory('mug 2')"]);
    let tree = tree_by(&EffectModel::default(), &program, "agent.take('mug 1', 'shelf 1')");
    assert!(tree.nodes.iter().skip(1).all(|n| n.kind == NodeKind::Condition));
}

/// Worlds of other processes, and agents at the gate, have no demonstrations.
#[test]
fn an_adopted_effect_meets_a_condition_though_no_demonstration_calls_its_action() {
    let program = after(&[ROOM]);
    let take = program.state().specification().function("agent", "take").unwrap();
    let effect = Effect::compile("self.inventory = obj", take).unwrap();
    let adopted = Arc::new([("take".to_owned(), vec![effect])].into());
    let tree = tree_by(&EffectModel::default(), &program.with_adopted(adopted), "agent.put('mug 1', 'desk 1')");
    let (at, _) = find(&tree, "self.inventory == obj");
    let resolutions: Vec<&BlockingNode> = tree.children(Some(at)).map(|i| &tree.nodes[i]).collect();
    assert!(!resolutions.is_empty(), "{tree:#?}");
    for node in resolutions {
        assert!(node.text.starts_with("agent.take('mug 1', ") && node.why == Means::Adopted.words(), "{tree:#?}");
    }
}

/// The constant is no argument of the blocked action, or there is no parameter for it.
#[test]
fn a_condition_that_an_effect_meets_by_a_constant_has_a_resolution() {
    let program = after(&[ROOM]);
    let take = program.state().specification().function("agent", "take").unwrap();
    let cases = [
        ("self.inventory == 'key 1'", "self.inventory = obj", "agent.take('key 1', "),
        ("self.inventory == recep", "if obj == 'key 1': self.inventory = recep", "agent.take('key 1', 'desk 1')"),
        ("self.inventory == 'gone'", "self.inventory = 'gone'", "agent.take("),
    ];
    for (condition, effect, wanted) in cases {
        let rules = [("put".to_owned(), vec![Assertion::compile(condition).unwrap()])].into();
        let adopted = Arc::new([("take".to_owned(), vec![Effect::compile(effect, take).unwrap()])].into());
        let program = CheckedProgram::new(program.state().clone(), Arc::new(rules)).with_adopted(adopted);
        let trees = [(); 2].map(|()| tree_by(&EffectModel::default(), &program, "agent.put('mug 1', 'desk 1')"));
        let (at, _) = find(&trees[0], condition);
        assert!(below(&trees[0], at).iter().any(|text| text.starts_with(wanted)), "{:#?}", trees[0]);
        assert_eq!(trees[0], trees[1]);
    }
}

#[test]
fn names_in_lists_and_of_arguments_by_name_are_known() {
    let history = calls_of(&["agent.see(['mug 1', ['key 1']], 3)", "agent.see(what='desk 1')"]);
    assert_eq!(super::known(&history), ["desk 1", "mug 1", "key 1"]);
}

#[test]
fn what_was_taken_in_vain_is_not_offered_again_and_that_is_said() {
    let program = after(&[ROOM]);
    let put = "agent.put('mug 1', 'desk 1')";
    let offered = |tree: &BlockingTree| {
        let (at, node) = find(tree, "self.inventory == obj");
        (below(tree, at).into_iter().map(str::to_owned).collect::<Vec<_>>(), node.why.clone())
    };
    let (before, _) = offered(&tree_of(&program, put));
    let taken: Call = before[0].parse().unwrap();
    let (left, why) = offered(&tree_without((&effects(), &program), put, &|call, _, _| *call == taken));
    assert!(!left.contains(&before[0]), "{left:?}");
    assert!(why.ends_with(&format!("; `{taken}` was taken, and it did not hold after that")), "{why}");
}

#[test]
fn that_there_are_no_demonstrations_is_said_where_nothing_is_offered() {
    let tree = tree_by(&EffectModel::default(), &after(&[ROOM]), "agent.put('mug 1', 'desk 1')");
    let (_, node) = find(&tree, "self.inventory == obj");
    assert!(node.why.contains("there are no demonstrations"), "{node:?}");
}

proptest::proptest! {
    /// For any state and action: the tree is bounded, and a parent precedes its children.
    #[test]
    fn trees_are_bounded_and_in_order(
        calls in proptest::collection::vec(proptest::sample::select(vec![
            ROOM,
            "agent.add_inventory('mug 2')",
            "agent.remove_inventory('mug 2')",
            "env.set_property('fridge 1', 'open', True)",
            "env.set_property('mug 1', 'heat', True)",
            "agent.update_visible_objects('pen 1', 'pen 2', 'pen 3', 'pen 4')",
        ]), 0..6),
        action in proptest::sample::select(vec![
            "agent.take('mug 1', 'shelf 1')", "agent.put('mug 1', 'desk 1')", "agent.heat('pen 1', 'fridge 1')",
            "agent.clean('mug 2', 'nowhere 1')", "agent.open('fridge 1')", "agent.toggle('lamp 1')", "agent.fly()",
        ]),
    ) {
        let program = after(&calls);
        let tree = tree_of(&program, action);
        proptest::prop_assert!(!tree.nodes.is_empty() && tree.nodes.len() <= NODES);
        for (i, node) in tree.nodes.iter().enumerate() {
            proptest::prop_assert!(node.parent.is_none_or(|p| p < i));
            let stand_in = node.text.contains(OUTSIDER);
            proptest::prop_assert!(!stand_in && !node.why.is_empty());
        }
    }
}
