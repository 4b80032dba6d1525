use super::*;
use stepwright_program::Specification;
use stepwright_world::World;
use stepwright_worlds::household::{Edition, HouseholdWorld, Source, shipped};

fn prompting(options: Values, context: Option<usize>) -> Prompting {
    let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
    Prompting { demonstrations: Arc::new(demonstrations), options, context, ..Prompting::default() }
}

fn specification(shown: bool) -> SpecificationText {
    let source = HouseholdWorld::new(Source::default(), Edition::Put).specification();
    let specification = Specification::load(&source, "spec.py").unwrap();
    let own = own_assertions(&specification);
    SpecificationText::new(&specification, shown.then_some(&own)).unwrap()
}

fn steps() -> [Step; 2] {
    let step = |action: Option<&str>, observation: &str| Step {
        thought: action.map(|_| "I need to find and take a mug".to_owned()),
        call: action.map(|action| action.parse().unwrap()),
        calls: vec![observation.parse().unwrap()],
        ..Step::default()
    };
    [
        step(None, "agent.update_visible_objects('desk 1', 'microwave 1')"),
        step(Some("agent.goto('desk 1')"), "agent.update_visible_objects('desk 1', 'mug 1')"),
    ]
}

fn build(prompting: &Prompting, form: Form, shown: bool) -> PromptRecord {
    let rejection = Rejection { line: "agent.goto('desk 1')".into(), reason: "you are there".into() };
    let material = Material {
        specification: &specification(shown),
        opening: &["def heat_some_mug():", "# heat some mug.", "env = Environment()", "agent = Agent(env)"]
            .map(str::to_owned),
        steps: &steps(),
        task: "heat some mug and put it in desk.",
        kind: "pick_heat_then_place_in_recep",
        rejections: &[rejection],
        turn_ends: None,
    };
    prompting.build("program", form, &material).unwrap()
}

fn text(prompt: &PromptRecord) -> String {
    let parts = prompt.messages.iter().map(|m| format!("[{}]\n{}\n", m.role, m.text));
    parts.collect::<Vec<_>>().join("")
}

#[test]
fn the_prompts_are_these() {
    let one = Values::default().with(&SHOTS, "1");
    insta::assert_snapshot!("raw", text(&build(&prompting(one.clone(), None), Form::Raw, true)));
    let think = one.with(&THINK, "true");
    insta::assert_snapshot!("chat_think_no_assertions", text(&build(&prompting(think, None), Form::Chat, false)));
}

#[test]
fn a_raw_prompt_ends_within_the_indentation_of_the_next_line() {
    for form in [Form::Raw, Form::Scored] {
        let text = text(&build(&prompting(Values::default(), None), form, true));
        assert!(text.ends_with("'mug 1')\n   \n"), "{:?}", text.get(text.len() - 80..));
    }
}

#[test]
fn demonstrations_of_the_same_kind_stand_last_and_as_many_as_wanted() {
    for shots in [0, 1, 2, 5, 10] {
        let text = text(&build(&prompting(Values::default().with(&SHOTS, &shots.to_string()), None), Form::Raw, false));
        assert_eq!(text.matches("\ndef ").count(), shots + 1, "{shots}");
        if let Some(last) = text.split("\ndef ").nth(shots).filter(|_| shots > 0) {
            assert!(last.contains("agent.heat("), "{last}");
        }
    }
}

#[test]
fn what_does_not_fit_the_context_is_left_out_and_said() {
    let ten = Values::default().with(&SHOTS, "10");
    let whole = build(&prompting(ten.clone(), None), Form::Raw, true);
    assert_eq!(whole.left_out, None);
    let meter = Meter::default();
    let length = |p: &PromptRecord| p.messages.iter().map(|m| m.text.chars().count()).sum::<usize>();
    for context in [600, 900, 1500, 3000, 6000] {
        let short = build(&prompting(ten.clone(), Some(context)), Form::Raw, true);
        let said = short.left_out.clone().unwrap();
        assert!(said.contains("of 10 demonstrations") && said.contains(&context.to_string()), "{said}");
        let fits = meter.tokens(length(&short)) + 64 <= context;
        assert_eq!(fits, !said.contains("refused"), "{said}");
        assert!(text(&short).contains("agent.goto('desk 1')"), "the actions always stay");
    }
}
