use proptest::prelude::*;

use super::*;
use crate::blocking::NodeStatus;
use crate::blocking::domain::Domain;
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
        let domain = Domain::clone(&shipped_domain(&crate::testing::KITCHEN).unwrap().unwrap());
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

impl Toy {
    /// Does a line of a script: a selection, an execution, what is seen, or a person's change.
    fn line(&mut self, line: &str) -> String {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (text, after) = rest.split_once(": ").map_or((rest, None), |(text, after)| (text, Some(after)));
        let key = |toy: &Toy| {
            let mut found = 999;
            toy.forest.visit(&mut |node, _| {
                if node.text == text {
                    found = node.key
                }
            });
            found
        };
        let edit = |toy: &mut Toy, edit: TreeEdit| match toy.forest.edit(&toy.domain, &edit) {
            Ok(()) => String::new(),
            Err(why) => format!("refused: {why}"),
        };
        match word {
            "select" => {
                self.select(rest).map_or("executed then".to_owned(), |condition| format!("blocked: {condition}"))
            }
            "executed" => self.executed(text, after).map_or(String::new(), |raised| format!("raised: {raised}")),
            "see" => {
                let (things, atoms) = parts(rest);
                self.see(&things, &atoms);
                String::new()
            }
            "met" => {
                self.goals.clear();
                String::new()
            }
            "prune" => edit(self, TreeEdit::Prune { node: key(self), pruned: true }),
            "add" => edit(self, TreeEdit::Add { under: key(self), action: after.unwrap().into() }),
            "up" => edit(self, TreeEdit::Move { node: key(self), up: true }),
            "reason" => self.forest.reason(&self.domain, rest).unwrap(),
            "show" => {
                let shown = self.forest.shown(&self.domain, &self.facts).nodes;
                let lines =
                    shown.iter().map(|node| format!("{:?} {:?} {}: {}", node.status, node.kind, node.text, node.why));
                lines.collect::<Vec<_>>().join("\n    ")
            }
            other => panic!("a script has no `{other}`"),
        }
    }

    fn state(&self) -> [(&'static str, String); 4] {
        [
            ("leaves", self.leaves().join(", ")),
            (
                "remembered",
                format!("{:?}", self.forest.remembered().iter().map(ToString::to_string).collect::<Vec<_>>()),
            ),
            ("selections", self.forest.selections().to_string()),
            ("done", self.forest.done().len().to_string()),
        ]
    }
}

/// Things and what is known of them: `cup, shelf | CLOSE cup`.
fn parts(text: &str) -> (Vec<&str>, Vec<&str>) {
    fn list(text: &str) -> Vec<&str> {
        text.trim().split(", ").filter(|part| !part.is_empty()).collect()
    }
    let (things, atoms) = text.split_once('|').unwrap();
    (list(things), list(atoms))
}

/// Each script: `plant GOALS | THINGS | FACTS`, then what happens. After each line stands what it came to, and what is another now.
#[test]
fn scripts_grow_the_trees_they_grew() {
    let mut out = String::new();
    for script in include_str!("tests/forest.script").split("\n# ") {
        let (title, lines) = script.split_once('\n').unwrap();
        let (plant, lines) = lines.split_once('\n').unwrap();
        let (goals, known) = plant.strip_prefix("plant ").unwrap().split_once('|').unwrap();
        let (things, atoms) = parts(known);
        let mut toy = Toy::new(&goals.trim().split(", ").collect::<Vec<_>>(), &things, &atoms);
        let mut before = toy.state();
        out += &format!("# {}\n> {plant}\n    leaves: {}\n", title.trim_start_matches("# "), before[0].1);
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let said = toy.line(line);
            let now = toy.state();
            out += &format!("> {line}\n");
            let changed =
                now.iter().filter(|part| !before.contains(part)).map(|(name, value)| format!("{name}: {value}"));
            for said in [said].into_iter().filter(|said| !said.is_empty()).chain(changed) {
                out += &format!("    {said}\n");
            }
            before = now;
        }
        let text = serde_json::to_string(&toy.forest).unwrap();
        assert_eq!(serde_json::from_str::<Forest>(&text).unwrap(), toy.forest);
        out.push('\n');
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_goal_that_stands_twice_is_met_twice() {
    let goals = ["ON lamp", "ON fan", "ON lamp"];
    let mut toy = Toy::new(&goals, &["lamp"], &["HANDS_EMPTY"]);
    let done = |toy: &Toy| toy.forest.done().iter().map(ToString::to_string).collect::<Vec<_>>();
    for met in 1..=goals.len() {
        toy.goals.remove(0);
        toy.executed("dance", None);
        assert_eq!(done(&toy), goals[..met]);
    }
    let mut twice = Toy::new(&goals[..1].repeat(2), &["lamp"], &["HANDS_EMPTY"]);
    twice.goals.truncate(1);
    twice.executed("dance", None);
    assert_eq!(done(&twice), ["ON lamp"]);
    twice.goals.push("ON lamp".parse().unwrap());
    twice.executed("dance", None);
    assert!(done(&twice).is_empty(), "it is to be met again");
}

#[test]
fn a_goal_that_was_closed_and_not_met_does_not_stand_as_met() {
    let mut toy = Toy::new(&["ON lamp"], &["lamp"], &["HANDS_EMPTY"]);
    let shown = |toy: &Toy| {
        let tree = toy.forest.shown(&toy.domain, &toy.facts);
        let goals = tree.nodes.into_iter().filter(|node| node.text == "ON lamp");
        goals.map(|node| (node.status, node.why)).collect::<Vec<_>>()
    };
    toy.forest.close(false);
    toy.executed("dance", None);
    let missed = (NodeStatus::Missed, "closed, and not met".to_owned());
    assert_eq!((toy.forest.done().len(), shown(&toy).first()), (0, Some(&missed)));
    // Another request of the same words is another one.
    toy.forest.close(true);
    toy.executed("dance", None);
    let statuses = |toy: &Toy| shown(toy).into_iter().map(|(status, _)| status).collect::<Vec<_>>();
    assert_eq!(statuses(&toy), [NodeStatus::Done, NodeStatus::Missed, NodeStatus::Blocked]);
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
