use super::*;
use crate::planner::testing::{Toy, calls_of, effects};

const ROOM: &str = "agent.update_visible_objects('cabinet 1', 'shelf 1', 'desk 1', 'fridge 1', 'microwave 1', 'sinkbasin 1', 'mug 1', 'mug 2')";

fn known(program: &Toy) -> Vec<String> {
    program.inventory.iter().cloned().chain(program.visible.iter().cloned()).collect()
}

fn tree_of(program: &Toy, action: &str) -> BlockingTree {
    let (effects, known) = (effects(), known(program));
    let derivation =
        Derivation { program, effects: &effects, known: &known, history: &[], phrase: &|c: &Call| c.to_string() };
    derivation.action(&action.parse().unwrap())
}

fn find<'a>(tree: &'a BlockingTree, text: &str) -> (usize, &'a BlockingNode) {
    let mut nodes = tree.nodes.iter().enumerate();
    nodes.find(|(_, n)| n.text == text).unwrap_or_else(|| panic!("no `{text}` in {tree:#?}"))
}

fn below(tree: &BlockingTree, of: usize) -> Vec<&str> {
    tree.children(Some(of)).map(|i| tree.nodes[i].text.as_str()).collect()
}

#[test]
fn an_action_whose_preconditions_hold_is_open_and_lists_them() {
    let tree = tree_of(&Toy::after(&[ROOM]), "agent.take('mug 1', 'shelf 1')");
    assert_eq!(tree.nodes[0].status, NodeStatus::Open);
    assert_eq!(tree.nodes.len(), 4);
    assert!(tree.nodes.iter().all(|n| n.status == NodeStatus::Open));
}

#[test]
fn taking_with_a_full_hand_is_resolved_by_putting_down_what_is_held() {
    let program = Toy::after(&[ROOM, "agent.add_inventory('mug 2')"]);
    let tree = tree_of(&program, "agent.take('mug 1', 'shelf 1')");
    assert_eq!(tree.nodes[0].status, NodeStatus::Blocked);
    let (condition, node) = find(&tree, "self.inventory == None");
    assert_eq!(node.status, NodeStatus::Blocked);
    let resolutions = below(&tree, condition);
    assert!(!resolutions.is_empty());
    assert!(resolutions.iter().all(|r| r.starts_with("agent.put('mug 2', ")), "{resolutions:?}");
    let first = find(&tree, resolutions[0]).1;
    assert_eq!((first.status, first.kind), (NodeStatus::Open, NodeKind::Action));
}

#[test]
fn a_thing_of_a_new_kind_in_the_hand_is_put_down_as_well() {
    let program = Toy::after(&[ROOM, "agent.add_inventory('zither 1')", "agent.update_visible_objects('zither 1')"]);
    let tree = tree_of(&program, "agent.take('mug 1', 'shelf 1')");
    let resolutions = below(&tree, find(&tree, "self.inventory == None").0);
    assert!(resolutions[0].starts_with("agent.put('zither 1', "), "{resolutions:?}");
}

#[test]
fn putting_what_is_not_held_is_resolved_by_taking_it() {
    let tree = tree_of(&Toy::after(&[ROOM]), "agent.put('mug 1', 'desk 1')");
    let resolutions = below(&tree, find(&tree, "self.inventory == obj").0);
    assert!(resolutions[0].starts_with("agent.take('mug 1', "), "{resolutions:?}");
}

#[test]
fn a_thing_is_taken_from_where_it_was_reported() {
    let program = Toy::after(&[ROOM]);
    let (effects, known) = (effects(), known(&program));
    for place in ["desk 1", "shelf 1", "cabinet 1"] {
        let history = calls_of(&[&format!("agent.update_visible_objects('{place}', 'cd 1', 'mug 1')")]);
        let derivation = Derivation {
            program: &program,
            effects: &effects,
            known: &known,
            history: &history,
            phrase: &|c: &Call| c.to_string(),
        };
        let tree = derivation.action(&"agent.put('mug 1', 'fridge 1')".parse().unwrap());
        let resolutions = below(&tree, find(&tree, "self.inventory == obj").0);
        assert_eq!(resolutions[0], format!("agent.take('mug 1', '{place}')"));
    }
}

#[test]
fn a_resolution_that_is_blocked_in_turn_is_expanded_and_cycles_are_cut() {
    let program = Toy::after(&[ROOM, "agent.add_inventory('mug 2')"]);
    let tree = tree_of(&program, "agent.heat('mug 1', 'microwave 1')");
    let (take, node) = tree
        .nodes
        .iter()
        .enumerate()
        .find(|(_, n)| n.text.starts_with("agent.take('mug 1', "))
        .expect("taking is the resolution");
    assert_eq!(node.status, NodeStatus::Blocked);
    let condition = tree.children(Some(take)).next().unwrap();
    assert_eq!(tree.nodes[condition].text, "self.inventory == None");
    let put = tree.children(Some(condition)).next().unwrap();
    assert!(tree.nodes[put].text.starts_with("agent.put('mug 2', "));
    assert_eq!(tree.nodes[put].status, NodeStatus::Open);
    let roots = tree.nodes.iter().filter(|n| n.text == "agent.heat('mug 1', 'microwave 1')").count();
    assert_eq!(roots, 1);
}

#[test]
fn what_has_not_been_seen_may_be_shown_by_looking() {
    let program = Toy::after(&[ROOM]);
    let tree = tree_of(&program, "agent.take('kettle 1', 'shelf 1')");
    let resolutions = below(&tree, find(&tree, "self.is_visible(obj)").0);
    assert!(
        resolutions.iter().any(|r| r.starts_with("agent.goto(") || r.starts_with("agent.open(")),
        "{resolutions:?}"
    );
    let look = find(&tree, resolutions[0]).1;
    assert!(look.why.contains("may show"), "{}", look.why);
    assert!(!resolutions.iter().any(|r| r.contains("kettle")), "{resolutions:?}");
}

#[test]
fn what_no_action_changes_is_resolved_by_another_choice() {
    let program = Toy::after(&[ROOM, "agent.add_inventory('mug 1')"]);
    let tree = tree_of(&program, "agent.clean('mug 1', 'desk 1')");
    assert_eq!(below(&tree, find(&tree, "'sink' in recep").0), ["agent.clean('mug 1', 'sinkbasin 1')"]);
    let forbidden = Toy { forbidden: vec!["clean"], ..program };
    let tree = tree_of(&forbidden, "agent.clean('mug 1', 'sinkbasin 1')");
    assert!(find(&tree, "False").1.why.contains("no known action"));
}

#[test]
fn an_open_place_is_opened_again_after_closing() {
    let program = Toy::after(&[ROOM, "env.set_property('fridge 1', 'open', True)"]);
    let tree = tree_of(&program, "agent.open('fridge 1')");
    let resolutions = below(&tree, find(&tree, "self.env.get_property(recep, 'open') == False").0);
    assert_eq!(resolutions, ["agent.close('fridge 1')"]);
}

#[test]
fn without_demonstrations_nothing_is_invented() {
    let program = Toy::after(&[ROOM, "agent.add_inventory('mug 2')"]);
    let (none, known) = (EffectModel::default(), known(&program));
    let derivation = Derivation {
        program: &program,
        effects: &none,
        known: &known,
        history: &[],
        phrase: &|c: &Call| c.to_string(),
    };
    let tree = derivation.action(&"agent.take('mug 1', 'shelf 1')".parse().unwrap());
    assert!(tree.nodes.iter().skip(1).all(|n| n.kind == NodeKind::Condition));
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
        let program = Toy::after(&calls);
        let tree = tree_of(&program, action);
        proptest::prop_assert!(!tree.nodes.is_empty() && tree.nodes.len() <= NODES);
        for (i, node) in tree.nodes.iter().enumerate() {
            proptest::prop_assert!(node.parent.is_none_or(|p| p < i));
            let stand_in = node.text.contains(OUTSIDER);
            proptest::prop_assert!(!stand_in && !node.why.is_empty());
        }
    }
}
