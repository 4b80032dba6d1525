//! Tests of the shop world: the shipped catalogue is sound, its demonstrations buy what is asked for, calls and texts agree, and the agent
//! without a language model shops with its observations alone.

use std::sync::Arc;

use super::visit::Options;
use super::{Form, ShopWorld, Source, agent, program};
use stepwright_episode::Status;
use stepwright_program::Specification;
use stepwright_trajectory::Step;
use stepwright_world::planner::AgentContext;
use stepwright_world::program::CheckedProgram;
use stepwright_world::{Outcome, TaskSet, World};

const FORMS: [Form; 3] = [Form::Site, Form::Text, Form::Rich];

fn world(form: Form) -> ShopWorld {
    ShopWorld::over(Source::shipped().unwrap(), Options { form, attributes: false })
}

fn observed(action: Option<&str>, outcome: &Outcome) -> Step {
    Step { call: action.and_then(program::call_of), ..outcome.clone().into_step("") }
}

/// Plays a task with the agent without a language model; every action it takes must be permitted by the specification's program.
fn play(world: &mut ShopWorld, task: &str, sentence: &str) -> f64 {
    let agent = agent::learn(&[]);
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let mut program = CheckedProgram::start(&specification).unwrap();
    let reset = world.reset(task, 0).unwrap();
    program.apply(&reset.observation_calls);
    let mut history = vec![observed(None, &reset)];
    for _ in 0..super::KIND.steps {
        let context = AgentContext {
            sentence,
            program: &program,
            history: &history,
            rejected: &[],
            observed: None,
            reference: None,
        };
        let next = agent.propose(&context, 3).into_iter().next().expect("an action");
        let text = program::text_of(&next.call).unwrap();
        let outcome = world.act(&text).unwrap();
        assert_eq!(outcome.error, None, "{text}");
        assert_eq!(program.permits(&next.call), Status::Holds, "{text}");
        program.apply(&outcome.observation_calls);
        if outcome.done {
            return outcome.reward;
        }
        history.push(observed(Some(&text), &outcome));
    }
    0.0
}

#[test]
fn the_shipped_catalogue_is_large_enough_and_every_goal_can_be_reached() {
    let source = Source::shipped().unwrap();
    let first = source.get("fixed_0").unwrap();
    assert!(first.shop().products.len() >= 150 && source.len() >= 30);
    assert!(first.shop().notes.is_empty(), "{:?}", first.shop().notes);
    for entry in source.entries() {
        let goal = entry.goal().unwrap();
        let product = first.shop().product(&goal.asin).unwrap();
        assert!(product.reward_price <= goal.price_upper);
        for wanted in goal.goal_options.words() {
            let value = wanted.rsplit_once(": ").map_or(wanted.as_str(), |(_, value)| value);
            assert!(product.options.values().flatten().any(|known| known == value), "{wanted} of {}", goal.asin);
        }
    }
}

#[test]
fn the_agent_shops_in_every_form() {
    for form in FORMS {
        let mut world = world(form);
        let tasks = world.tasks();
        let rewards: Vec<f64> = tasks.iter().map(|task| play(&mut world, &task.id, &task.sentence)).collect();
        let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
        let won = rewards.iter().filter(|reward| **reward == 1.0).count();
        assert!(mean >= 0.58 && won * 100 >= 41 * rewards.len(), "{form:?}: {mean} {won} {rewards:?}");
    }
}

#[test]
fn demonstrations_buy_what_is_asked_for() {
    for form in FORMS {
        let source = Arc::new(Source::shipped().unwrap());
        let shown = super::shipped::demonstrations("none", "shipped", Options { form, attributes: false }).unwrap();
        assert!(shown.len() >= 6);
        for demonstration in &shown {
            let last = demonstration.calls().last().unwrap().to_string();
            assert_eq!(last, "shop.score(1.0)", "{}", demonstration.id);
            assert!(demonstration.steps.iter().skip(1).all(|step| step.call.is_some()));
        }
        let own = shown[0].id.trim_start_matches("demonstration/").to_owned();
        let others = source.demonstrations(&own, &stepwright_world::options::Values::default(), 0).unwrap();
        assert_eq!(others.len() + 1, shown.len());
    }
}

#[test]
fn actions_and_calls_are_each_others_inverse() {
    let world = world(Form::Site);
    for text in ["search[a 'b' \"c\"]", "click[< Prev]", "think[x]"] {
        let call = world.call_of(text).unwrap();
        assert_eq!(call.to_string().parse::<stepwright_program::Call>().unwrap(), call);
        assert_eq!(world.text_of(&call).as_deref(), Some(text));
    }
    assert_eq!(world.call_of("buy it"), None);
}

#[test]
fn what_a_page_does_not_offer_is_refused_and_changes_nothing() {
    for form in FORMS {
        let mut world = world(form);
        world.reset("fixed_0", 0).unwrap();
        let before = world.truth();
        for text in ["click[Buy Now]", "look around", ""] {
            let outcome = world.act(text).unwrap();
            assert!(outcome.error.is_some() && !outcome.done, "{form:?} {text}");
            assert_eq!(world.truth(), before);
        }
        assert!(world.admissible().unwrap().iter().all(|action| world.preview(action).unwrap().error.is_none()));
    }
}

#[test]
fn a_task_has_the_id_of_its_goal_and_a_catalogue_without_goals_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("products.json", r#"[{"asin": "A1", "title": "Red mug", "pricing": [5.0]}, {"asin": "A2", "title": "Pan"}]"#);
    let goal = |id: usize, words: &str| {
        format!(r#"{{"id": {id}, "asin": "A1", "instruction_text": "{words}", "attributes": []}}"#)
    };
    write("goals.json", &format!("[{}, {}]", goal(7, "buy seven"), goal(3, "buy three")));
    let source = Source::open(folder.path()).unwrap();
    assert_eq!(source.ids().collect::<Vec<_>>(), ["fixed_7", "fixed_3"]);
    assert_eq!(source.get("fixed_3").unwrap().goal().unwrap().instruction_text, "buy three");
    let mut world = ShopWorld::over(source, Options { form: Form::Text, attributes: false });
    assert!(world.reset("fixed_3", 0).unwrap().observation.contains("buy three"));
    write("reading.toml", "kind = \"human\"");
    let error = Source::open(folder.path()).unwrap_err().to_string();
    // The product without a price has nothing to do with it.
    assert!(error.contains("the catalogue has no goals: reading.toml asks for those of kind \"human\""), "{error}");
    assert!(error.contains("goals.json has 2 without a `kind`") && !error.contains("price"), "{error}");
}
