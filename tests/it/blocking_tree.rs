//! Blocking trees over the household's own specification, evaluated by the engine, in a shipped task.

use stepwright::blocking::{BlockingNode, BlockingTree, Derivation, NodeKind, NodeStatus, known};
use stepwright::planner::{Agent, AgentContext};
use stepwright::program::CheckedProgram;
use stepwright::program::{Call, Specification};
use stepwright::world::World;
use stepwright::worlds::household::agent::HouseholdAgent;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};
use stepwright_trajectory::Step;

struct Episode {
    proposer: HouseholdAgent,
    world: HouseholdWorld,
    program: CheckedProgram,
    history: Vec<Step>,
    sentence: String,
}

impl Episode {
    /// Begins the first shipped task of a kind.
    fn begin(kind: &str) -> Self {
        let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
        let mut world = HouseholdWorld::new(Source::shipped().unwrap(), Edition::Put);
        let task = world.tasks().into_iter().find(|t| t.kind == kind).expect("such a task ships");
        let spec = Specification::load(&world.specification(), "spec.py").unwrap();
        let reset = world.reset(&task.id, 0).unwrap();
        let mut program = CheckedProgram::start(&spec).unwrap();
        program.apply(&reset.observation_calls);
        let history = vec![reset.into_step("")];
        let proposer = HouseholdAgent::from_demonstrations(&demonstrations);
        Episode { proposer, world, program, history, sentence: task.sentence }
    }

    fn context(&self) -> AgentContext<'_> {
        AgentContext {
            sentence: &self.sentence,
            program: &self.program,
            history: &self.history,
            rejected: &[],
            observed: None,
            reference: None,
        }
    }

    /// Follows the proposer until it has done an action of that function; gives the action.
    fn until(&mut self, function: &str) -> Call {
        for _ in 0..50 {
            let call = self.proposer.propose(&self.context(), 1)[0].call.clone();
            let text = self.world.text_of(&call).unwrap();
            let outcome = self.world.act(&text).unwrap();
            self.program.apply(&outcome.observation_calls);
            self.history.push(Step { call: Some(call.clone()), ..outcome.into_step("") });
            if call.function == function {
                return call;
            }
        }
        panic!("{function} was not reached");
    }

    fn explain(&self, action: &Call) -> BlockingTree {
        let history: Vec<Call> = self.history.iter().flat_map(Step::all_calls).cloned().collect();
        let derivation = Derivation {
            program: &self.program,
            effects: self.proposer.effects(),
            known: &known(&history),
            history: &history,
            replies: &[],
            asks: &|_| Vec::new(),
            vain: &|_, _, _| false,
            phrase: &|c| self.world.text_of(c).unwrap_or(c.to_string()),
        };
        let tree = derivation.action(action);
        for (i, node) in tree.nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|p| p < i), "a parent precedes its children");
        }
        tree
    }
}

fn node<'a>(tree: &'a BlockingTree, text: &str) -> (usize, &'a BlockingNode) {
    tree.nodes.iter().enumerate().find(|(_, n)| n.text == text).unwrap_or_else(|| panic!("no `{text}` in {tree:#?}"))
}

fn actions_below(tree: &BlockingTree, of: usize) -> Vec<&BlockingNode> {
    tree.children(Some(of)).map(|i| &tree.nodes[i]).collect()
}

#[test]
fn a_full_hand_blocks_taking_and_putting_down_resolves_it() {
    let mut episode = Episode::begin("pick_two_obj_and_place");
    let taken = episode.until("take");
    let tree = episode.explain(&taken);
    assert_eq!(tree.nodes[0].status, NodeStatus::Blocked);
    let (condition, blocked) = node(&tree, "self.inventory == None");
    assert_eq!(blocked.status, NodeStatus::Blocked);
    let resolutions = actions_below(&tree, condition);
    assert!(!resolutions.is_empty());
    for resolution in resolutions {
        let held = taken.args[0].to_string();
        assert!(resolution.text.starts_with(&format!("put {} in/on ", held.trim_matches('\''))), "{resolution:?}");
        assert_eq!((resolution.kind, resolution.status), (NodeKind::Action, NodeStatus::Open));
    }
}

#[test]
fn putting_back_what_is_not_held_is_resolved_by_taking_it_again() {
    let mut episode = Episode::begin("pick_and_place_simple");
    episode.until("take");
    let put = episode.until("put");
    let tree = episode.explain(&put);
    let (condition, _) = node(&tree, "self.inventory == obj");
    let first = actions_below(&tree, condition)[0];
    let expected: Vec<String> = put.args.iter().map(|a| a.to_string().trim_matches('\'').to_owned()).collect();
    assert_eq!(first.text, format!("take {} from {}", expected[0], expected[1]));
    assert_eq!(first.status, NodeStatus::Open);
}

#[test]
fn an_unseen_place_is_looked_for_and_a_wrong_tool_is_replaced() {
    let mut episode = Episode::begin("pick_clean_then_place_in_recep");
    let tree = episode.explain(&"agent.open('wardrobe 1')".parse().unwrap());
    let (condition, _) = node(&tree, "self.is_visible(recep)");
    assert!(actions_below(&tree, condition).iter().all(|n| n.why.contains("may show")));
    assert!(!actions_below(&tree, condition).is_empty());
    let taken = episode.until("take");
    let held = taken.args[0].to_string();
    let mut places = episode.history[0].calls[0].args.iter().map(ToString::to_string);
    let wrong = places.find(|p| !p.contains("sink")).expect("there are other places");
    let tree = episode.explain(&format!("agent.clean({held}, {wrong})").parse().unwrap());
    let (condition, _) = node(&tree, "'sink' in recep");
    let choices = actions_below(&tree, condition);
    assert!(choices.iter().any(|c| c.text.contains("with sinkbasin")), "{tree:#?}");
}

#[test]
fn a_deeper_chain_ends_in_something_that_can_be_done_now() {
    let mut episode = Episode::begin("pick_heat_then_place_in_recep");
    let taken = episode.until("take");
    let other =
        episode.history.iter().flat_map(|s| &s.calls).filter(|c| c.function == "update_visible_objects").skip(1);
    let other =
        other.flat_map(|c| c.args.iter().skip(1)).find(|a| **a != taken.args[0]).expect("something else was seen");
    let microwave = episode.history[0].calls[0].args.iter().map(ToString::to_string).find(|a| a.contains("microwave"));
    let heat = format!("agent.heat({other}, {})", microwave.expect("there is a microwave"));
    let tree = episode.explain(&heat.parse().unwrap());
    let depth = |mut at: usize| {
        let mut depth = 0;
        while let Some(parent) = tree.nodes[at].parent {
            (at, depth) = (parent, depth + 1);
        }
        depth
    };
    let put = tree.nodes.iter().position(|n| n.text.starts_with("put ")).expect("putting down ends the chain");
    assert_eq!(depth(put), 4, "{tree:#?}");
    assert_eq!(tree.nodes[put].status, NodeStatus::Open);
}

#[test]
fn goal_parts_of_a_heat_task_hold_one_after_the_other() {
    let mut episode = Episode::begin("pick_heat_then_place_in_recep");
    let standing = |episode: &Episode| -> Vec<bool> {
        let parts = episode.proposer.goal_parts(&episode.sentence, &episode.history);
        parts.into_iter().map(|part| part.holds).collect()
    };
    assert_eq!(standing(&episode), [false, false, false]);
    episode.until("take");
    assert_eq!(standing(&episode), [true, false, false]);
    episode.until("heat");
    assert_eq!(standing(&episode), [true, true, false]);
    episode.until("put");
    assert_eq!(standing(&episode), [true, true, true]);
}
