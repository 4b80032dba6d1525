//! Recorded ProgPrompt plans: what they are read as, what the pattern collects of them, and every step of carrying them out.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::difference;
use crate::Row;
use stepwright_method::written_plan::{self, Going, Kind, Names, Plan, Vocabulary, advance, flatten};
use stepwright_study::recordings::name_of;
use stepwright_world::World;
use stepwright_worlds::kitchen::{Find, KIND, KitchenWorld, Source};

/// A plan, and how it went.
#[derive(Deserialize)]
struct Case {
    scene: String,
    task: String,
    plan_name: String,
    find_moves_the_robot: bool,
    plan: String,
    parsed: Vec<Value>,
    flattened_without_assertions: Vec<String>,
    with_assertions: Run,
    ignoring_assertions: Run,
}

/// How a plan was carried out.
#[derive(Deserialize)]
struct Run {
    steps: Vec<Value>,
    success: bool,
}

/// Compares every case of a file: its reading, the pattern's list, and its two runs.
pub fn compare(file: &Path, scenes: Option<&Arc<Source>>) -> [Row; 3] {
    let name = name_of(file);
    let mut read = Row::new(format!("{name} read"), "lines");
    let mut flat = Row::new(format!("{name} flattened"), "actions");
    let mut run = Row::new(format!("{name} carried out"), "steps");
    read.each_record(file, |read, at, case: Case| {
        let at = format!("{at} ({}/{}, {})", case.scene, case.task, case.plan_name);
        let parsed = parsed(&written_plan::read(&case.plan).plan);
        each(read, &at, &case.parsed, &parsed);
        let commands = flatten(&case.plan);
        let listed: Vec<Value> = commands.iter().map(|c| json!(spoken(&c.action, &c.args))).collect();
        let expected: Vec<Value> = case.flattened_without_assertions.iter().map(|a| json!(a)).collect();
        each(&mut flat, &at, &expected, &listed);
        for (respect, recorded) in [(true, &case.with_assertions), (false, &case.ignoring_assertions)] {
            let how = if respect { "with assertions" } else { "ignoring assertions" };
            let at = format!("{at}, find {}, {how}", if case.find_moves_the_robot { "moving" } else { "fixed" });
            let steps = recorded.steps.len() + 1;
            match scenes.map(|source| carry_out(source, &case, respect)) {
                None => run.lacks(steps, || "the scenes are not in this folder".to_owned()),
                Some(Err(why)) => run.differs(difference(at, "a run", why)),
                Some(Ok((mut got, success))) => {
                    got.push(json!({ "success": success }));
                    let mut expected = recorded.steps.clone();
                    expected.push(json!({ "success": recorded.success }));
                    each(&mut run, &at, &expected, &got);
                }
            }
        }
    });
    [read, flat, run]
}

/// Counts what was recorded, one by one, and a difference where the two lists differ.
fn each(row: &mut Row, at: &str, expected: &[Value], got: &[Value]) {
    for i in 0..expected.len().max(got.len()) {
        let (wanted, found) = (expected.get(i), got.get(i));
        let shown = |v: Option<&Value>| v.map_or_else(|| "nothing".to_owned(), ToString::to_string);
        row.equal(format!("{at}, entry {}", i + 1), shown(wanted), shown(found));
    }
}

fn spoken(action: &str, args: &[String]) -> String {
    std::iter::once(action).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// A plan as the recording writes it.
fn parsed(plan: &Plan) -> Vec<Value> {
    let items = plan.items.iter().map(|item| match &item.kind {
        Kind::Action(c) => json!({"subgoal": item.subgoal, "kind": "action", "action": c.action, "args": c.args}),
        Kind::Else(c) => json!({"subgoal": item.subgoal, "kind": "else", "action": c.action, "args": c.args}),
        Kind::Assertion(a) => json!({
            "subgoal": item.subgoal, "kind": "assert", "left": a.left, "relation": a.relation.to_string(), "right": a.right,
        }),
    });
    items.collect()
}

/// Carries a plan out in the kitchen: every assertion's value, every action's end, and whether all goals were met in order.
fn carry_out(source: &Arc<Source>, case: &Case, respect: bool) -> Result<(Vec<Value>, bool), String> {
    let find = if case.find_moves_the_robot { Find::Moving } else { Find::Fixed };
    let mut world = KitchenWorld::new(Arc::clone(source), find);
    world.reset(&format!("{}/{}", case.scene, case.task), 0).map_err(|e| e.to_string())?;
    let things = world.symbols().and_then(|symbols| symbols.things()).unwrap_or_default();
    let names = Names::new(&world.goals().unwrap_or_default(), things);
    let vocabulary = Vocabulary::shipped(&KIND);
    let plan = written_plan::read(&case.plan).plan;
    let (mut steps, mut last, mut met) = (Vec::new(), None, 0);
    loop {
        let facts = world.facts().unwrap_or_default();
        // The recordings know no cut of a sub-goal.
        let going = Going { last, respect_assertions: respect, cut: None };
        let way = advance(&plan, going, |_, a| Some(written_plan::value(a, &names, &vocabulary, &facts)));
        for (at, value) in way.asserted {
            if let Some(Kind::Assertion(assertion)) = plan.items.get(at).map(|item| &item.kind) {
                steps.push(json!({"assert": assertion.to_string(), "value": value}));
            }
        }
        let Some(command) = way.next.and_then(|next| plan.items.get(next)?.command()) else {
            return Ok((steps, met == world.goals_holding().len()));
        };
        let text = written_plan::action(command, &names, &vocabulary);
        let outcome = world.act(&text).map_err(|e| e.to_string())?;
        let (ok, message) = (outcome.error.is_none(), outcome.error.unwrap_or_default());
        steps.push(json!({"action": text, "ok": ok, "message": message}));
        met += world.goals_holding().iter().skip(met).take_while(|holds| **holds).count();
        last = way.next;
    }
}
