//! Plans read, walked and bound, on texts made for it.

use proptest::prelude::*;

use super::*;
use std::collections::BTreeMap;
use stepwright_world::OpenSpec;
use stepwright_world::literal::{Atom, Facts};
use stepwright_worlds::{household, kitchen};

const PLAN: &str = "def stow_the_pear():
    # 0: get the pear
    walk('pear')
    assert('close' to 'pear')
        else: find('pear')
        else: walk('pear')
    grab('pear')
    # 1: stow it
    assert('drawer' is 'opened')
        else: open(\"drawer\")
    putin('pear','drawer')  # there
    # 2: Done
def next():
    grab('fork')
";

fn commands(plan: &Plan, respect: bool, mut value: impl FnMut(&Assertion) -> bool) -> Vec<String> {
    let (mut last, mut done) = (None, Vec::new());
    loop {
        let walked = advance(plan, Going { last, respect_assertions: respect, cut: None }, |_, a| Some(value(a)));
        let Some(next) = walked.next else { return done };
        done.push(plan.items[next].command().unwrap().to_string());
        last = Some(next);
    }
}

#[test]
fn a_plan_is_read_with_its_sub_goals_and_ends_at_the_next_function() {
    let Reading { plan, problems } = read(PLAN);
    assert_eq!(problems, []);
    assert_eq!(plan.function.as_deref(), Some("stow_the_pear"));
    let lines: Vec<_> = plan.items.iter().map(|i| (i.line, i.subgoal.as_str())).collect();
    let stow = "1: stow it";
    let get = "0: get the pear";
    assert_eq!(lines, [(3, get), (4, get), (5, get), (6, get), (7, get), (9, stow), (10, stow), (11, stow)]);
    assert_eq!(plan.items.last().unwrap().command().unwrap().args, ["pear", "drawer"]);
    assert!(matches!(&plan.items[5].kind, Kind::Assertion(a) if a.to_string() == "'drawer' is 'opened'"));
}

#[test]
fn a_body_alone_is_a_plan() {
    let body = PLAN.split_once('\n').unwrap().1;
    assert_eq!(read(body).plan.items.len(), 8);
    assert_eq!(read(&format!("```python\n{body}```\n")).plan.items.len(), 8);
    assert_eq!(read("grab('a')").plan.items[0].subgoal, "0");
}

#[test]
fn else_lines_run_when_their_assertion_does_not_hold() {
    let plan = read(PLAN).plan;
    let all = commands(&plan, false, |_| true);
    assert_eq!(all.len(), 6);
    assert_eq!(commands(&plan, true, |_| false), all);
    assert_eq!(commands(&plan, true, |_| true), ["walk('pear')", "grab('pear')", "putin('pear', 'drawer')"]);
    // What the first `else` line changes does not call off the second.
    let mut asked = 0;
    let once = commands(&plan, true, |_| {
        asked += 1;
        asked > 1
    });
    assert_eq!(once[..3], ["walk('pear')", "find('pear')", "walk('pear')"]);
    assert_eq!(asked, 2);
}

#[test]
fn an_assertion_that_is_open_stops_the_way() {
    let plan = read(PLAN).plan;
    let going = Going { last: Some(0), respect_assertions: true, cut: None };
    let walked = advance(&plan, going, |_, _| None);
    assert_eq!(walked, Advance { open: Some(1), ..Advance::default() });
    // Once it is judged, the walk continues with the next one.
    let walked = advance(&plan, Going { last: Some(4), ..going }, |at, _| (at == 5).then_some(true));
    assert_eq!((walked.asserted.as_slice(), walked.next, walked.open), (&[(5, true)][..], Some(7), None));
}

#[test]
fn a_sub_goal_is_cut_after_ten_steps() {
    let lines = |n: usize| "\tgrab('a')\n".repeat(n);
    // Both comments say the same; they are two sub-goals nevertheless.
    let text = format!(
        "# again\n{}\tassert('close' to 'a')\n# again\n\t\telse: walk('a')\n{}# 2\n\topen('b')",
        lines(12),
        lines(11)
    );
    let plan = read(&text).plan;
    let (mut executed, mut asked) = (Vec::new(), 0);
    let mut done = |most: usize| {
        loop {
            let going =
                Going { last: executed.last().copied(), respect_assertions: true, cut: used_up(&plan, &executed) };
            let walked = advance(&plan, going, |_, _| {
                asked += 1;
                Some(false)
            });
            match walked.next {
                Some(next) if executed.len() < most => executed.push(next),
                _ => return executed.clone(),
            }
        }
    };
    assert_eq!(done(10), (0..10).collect::<Vec<_>>());
    // The eleventh and twelfth line, the assertion and what hangs on it are passed over, and so is the second's eleventh line.
    assert_eq!(done(usize::MAX), (0..10).chain(14..24).chain([25]).collect::<Vec<_>>());
    assert_eq!(asked, 0);
    assert_eq!(SUBGOAL_STEPS, 10);
}

#[test]
fn the_pattern_collects_every_action_and_no_assertion() {
    let collected: Vec<String> = flatten(PLAN).iter().map(ToString::to_string).collect();
    let expected =
        ["walk('pear')", "find('pear')", "walk('pear')", "grab('pear')", "putin('pear', 'drawer')", "grab('fork')"];
    // Double quotes are not of the pattern's form.
    assert_eq!(collected, expected);
    assert_eq!(flatten("turnleft() x('') ('a') é('b')"), [Command { action: "é".into(), args: vec!["b".into()] }]);
    let collected = |text: &str| flatten(text).iter().map(ToString::to_string).collect::<Vec<_>>();
    for (text, expected) in [
        ("# find('mug') then grab('mug')", &["find('mug')", "grab('mug')"][..]),
        ("robot.find('mug'); putin('mug' ,\n 'sink')", &["find('mug')", "putin('mug', 'sink')"]),
        ("grab('mug' ) find(\"mug\") find( 'mug') putin('a', 'b' ) grab('mug',)", &["grab('mug')"]),
        ("say('a(', 'b') c", &["say('a(', 'b')"]),
    ] {
        assert_eq!(collected(text), expected, "{text}");
    }
}

#[test]
fn a_plan_whose_lines_are_its_actions_stays_as_it_is() {
    let plan =
        "\t# 0: get it\n\tfind('mug')\n\tassert('close' to 'mug')\n\t\telse: find('mug')\n\tgrab('mug')\n\t# 1: Done";
    assert_eq!(one_a_line(plan), plan);
    assert_eq!(
        one_a_line("# find('mug')\nfind('mug'); grab('mug')\nfind(\"cup\")"),
        "find('mug')\nfind('mug')\ngrab('mug')"
    );
    assert_eq!(one_a_line("I cannot."), "I cannot.");
}

#[test]
fn example_programs_say_what_their_lines_are_for() {
    for (kind, goal) in [(&kitchen::KIND, "put the"), (&household::KIND, "put the")] {
        let sources = stepwright_worlds::sources();
        let spec = OpenSpec { world: kind.name, data: None, options: &BTreeMap::new(), task: "" };
        let demonstrations = sources.demonstrations(&sources.open(&spec).unwrap(), None, 0, None).unwrap();
        let examples = Vocabulary::shipped(kind).examples(&demonstrations, 3);
        for example in &examples {
            let comments: Vec<&str> = example.lines().filter_map(|line| line.strip_prefix("\t# ")).collect();
            assert!(comments.last().unwrap().ends_with(": Done") && comments.len() > 2, "{example}");
            for (at, comment) in comments.iter().enumerate() {
                let (number, words) = comment.split_once(": ").unwrap();
                assert!(number == at.to_string() && words.len() < 60 && !words.contains(['|', ';']), "{example}");
            }
        }
        assert!(examples.iter().any(|example| example.contains(goal)), "{examples:?}");
    }
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let text = "grab(pear)\nassert('a' under 'b')\n\telse: grab('a')\ngrab('a') grab('b')\nelse: walk('a')\nopen('x'";
    let Reading { plan, problems } = read(text);
    assert_eq!(plan.items, []);
    assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert!(problems[1].to_string().contains("line 2: `under`"), "{}", problems[1]);
    assert!(problems[2].message.contains("no assertion above"), "{}", problems[2]);
    let long = "grab('a')\n".repeat(MAX_LINES + 5);
    let Reading { plan, problems } = read(&long);
    assert_eq!((plan.items.len(), problems[0].line), (MAX_LINES, MAX_LINES + 1));
}

#[test]
fn names_are_bound_to_goal_things_first() {
    let goals = [Atom::new("SLICED", ["Loaf|1"]), Atom::new("COOKED", ["Loaf|1|Slice_1", "Grill|2"])];
    let names = Names::new(&goals, ["Loaf|1", "Shelf|1", "Shelf|2", "Grill|2"].map(str::to_owned).into());
    assert_eq!(names.bind("loaf"), Some("Loaf|1"));
    assert_eq!(names.bind("slice_1"), Some("Loaf|1|Slice_1"));
    assert_eq!(names.bind("shelf"), Some("Shelf|2"));
    assert_eq!(names.bind("pear"), None);
}

#[test]
fn of_what_is_not_seen_nothing_holds() {
    let names = Names { goal: vec![], all: ["Mug", "Box", "Lamp"].map(str::to_owned).into() };
    let atoms = ["CLOSE Box", "CLOSED Box", "HAS_SWITCH Lamp", "HOLDS Mug", "IN Mug Box"];
    let facts =
        Facts { things: vec!["Box".into(), "Lamp".into()], atoms: atoms.iter().map(|a| a.parse().unwrap()).collect() };
    let holds = |text: &str| {
        let reading = read(&format!("assert({text})"));
        let Kind::Assertion(assertion) = &reading.plan.items[0].kind else { panic!("{text}") };
        value(assertion, &names, &Vocabulary::shipped(&stepwright_worlds::kitchen::KIND), &facts)
    };
    for text in ["'close' to 'box'", "'box' is 'closed'", "'lamp' is 'switchoff'", "'mug' in 'hands'", "'mug' in 'box'"]
    {
        assert!(holds(text), "{text}");
    }
    for text in ["'close' to 'mug'", "'box' is 'opened'", "'lamp' is 'switchon'", "'mug' is 'switchoff'", "'x' is 'y'"]
    {
        assert!(!holds(text), "{text}");
    }
}

proptest! {
    /// Whatever a model writes is read without harm, and what is read can be walked to its end.
    #[test]
    fn any_text_is_read(text in "([a-z('\" ,)#:\t\né]|assert\\(|else: |def |'x' is 'y'\\)\n){0,120}") {
        let Reading { plan, problems } = read(&text);
        let lines = text.lines().count();
        prop_assert!(plan.items.iter().map(|i| i.line).chain(problems.iter().map(|p| p.line)).all(|l| l <= lines));
        prop_assert!(commands(&plan, true, |a| a.left.len() % 2 == 0).len() <= plan.items.len());
        prop_assert_eq!(commands(&plan, false, |_| true).len(), plan.items.iter().filter(|i| i.command().is_some()).count());
        let _ = flatten(&text);
    }
}
