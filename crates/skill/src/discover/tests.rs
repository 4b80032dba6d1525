//! Tests of discovery in the logs of a small house: what it finds, and that it sees nothing but the logs.

use super::*;
use crate::agent::{Next, Past, next};
use crate::house::House;

/// Logs of a house: successes by the book, and failures that leave out a step each.
fn logs() -> Vec<Trajectory> {
    let mut logs = Vec::new();
    for (at, (object, from, to)) in [
        ("mug", "desk 1", "shelf"),
        ("pen", "drawer 1", "desk"),
        ("cup", "shelf 2", "desk"),
        ("key", "drawer 2", "shelf"),
    ]
    .into_iter()
    .enumerate()
    {
        let house = || House::new(&[(&format!("{object} 1"), from)], object, to);
        let mut way = vec!["go to shelf 1".to_owned(), format!("go to {from}")];
        if from.starts_with("drawer") {
            way.push(format!("open {from}"));
        }
        let take = format!("take {object} 1 from {from}");
        let (goal, put) = (format!("go to {to} 1"), format!("put {object} 1 in/on {to} 1"));
        let good = [way.clone(), vec![take.clone(), goal.clone(), put.clone()]].concat();
        logs.push(house().play(&format!("{at}-good"), &good));
        let unopened =
            [vec![format!("go to {from}"), "open desk 1".to_owned(), take.clone(), take.clone()], vec![put.clone(); 3]];
        logs.push(house().play(&format!("{at}-early"), &unopened.concat()));
        let unmoved = [way, vec![take, put.clone(), put.clone(), "go to attic 1".to_owned(), put]].concat();
        logs.push(house().play(&format!("{at}-far"), &unmoved));
    }
    logs
}

#[test]
fn skills_primitives_needs_and_plans_are_found() {
    let found = discover(&logs(), &Settings::default());
    let names: Vec<String> = found.knowledge.skills.iter().map(|skill| skill.signature.to_string()).collect();
    assert_eq!(names, ["find(object)", "take(object)", "put(object, receptacle)"]);
    let rules = &found.knowledge.rules;
    assert_eq!(rules.refused, ["Nothing happens."]);
    let needs =
        |form: &str| -> Vec<String> { rules.action(form).unwrap().needs.iter().map(ToString::to_string).collect() };
    assert!(needs("take [object] [id] from [receptacle] [id]").contains(&"[object] seen at [receptacle]".to_owned()));
    assert!(needs("put [object] [id] in/on [receptacle] [id]").contains(&"last go to: [receptacle]".to_owned()));
    let plan = rules.plans.first().unwrap();
    assert_eq!((plan.task.as_str(), plan.seen), ("put a [object] in [receptacle]", 4));
    let first = found.cuts.iter().find(|cut| cut.trajectory == "0-good").unwrap();
    let cut: Vec<String> = first.segments.iter().map(|s| format!("{} {}-{}", s.call(), s.start, s.end)).collect();
    assert_eq!(cut, ["find(mug) 0-1", "take(mug) 2-2", "put(mug, shelf) 3-4"]);
    for (cut, log) in
        found.cuts.iter().map(|cut| (cut, logs().into_iter().find(|log| log.id == cut.trajectory).unwrap()))
    {
        assert_eq!(
            crate::segment::validate(&cut.segments, log.steps.len(), |name| found.knowledge.skill(name).is_some()),
            Ok(())
        );
    }
    // Each tip states its evidence, and each is listed with its skill.
    assert!(!found.tips.is_empty());
    for tip in &found.tips {
        let at = tip.skill.as_ref().map_or(&found.knowledge.tips, |name| &found.knowledge.skill(name).unwrap().tips);
        assert!(at.contains(&tip.text) && tip.successes.1 > 0 && !tip.witnesses.is_empty(), "{tip:?}");
    }
    assert_eq!(crate::file::read(&crate::file::write(&found.knowledge)), Ok(found.knowledge));
}

#[test]
fn without_contrast_only_successes_speak() {
    let settings = Settings { contrast: false, ..Settings::default() };
    let found = discover(&logs(), &settings);
    assert!(found.knowledge.tips.is_empty());
    assert!(found.tips.iter().all(|tip| tip.skill.is_some()));
}

/// Plays a house by knowledge; whether the goal was reached.
fn solves(knowledge: &Knowledge, mut house: House) -> bool {
    let (first, task) = (house.first(), house.task());
    let mut past = Vec::new();
    for _ in 0..60 {
        match next(knowledge, &task, &first, &past) {
            Next::Call { call, .. } => past.push(Past::Call(call)),
            Next::Done { reached: true, .. } => past.push(Past::Done),
            Next::Act { action, .. } => {
                let observation = house.act(&action);
                past.push(Past::Act { action, observation, refused: false });
            }
            Next::Done { .. } | Next::Stuck(_) => break,
        }
    }
    house.is_won()
}

#[test]
fn what_is_found_solves_houses_that_were_never_seen_and_nothing_solves_none() {
    let knowledge = discover(&logs(), &Settings::default()).knowledge;
    let unseen = || House::new(&[("book 3", "drawer 2"), ("mug 1", "desk 1")], "book", "shelf");
    assert!(solves(&knowledge, unseen()));
    assert!(!solves(&Knowledge::default(), unseen()));
    // Nor without any one part of what is known.
    let without = |change: fn(&mut Knowledge)| {
        let mut less = knowledge.clone();
        change(&mut less);
        solves(&less, unseen())
    };
    assert!(!without(|known| known.rules = Rules::default()), "rules");
    assert!(!without(|known| known.rules.plans.clear()), "plans");
    assert!(!without(|known| known.skills.retain(|skill| skill.signature.name != "put")), "the skill put");
    assert!(!without(|known| known.skills.iter_mut().for_each(|skill| skill.primitives.clear())), "primitives");
    assert!(!without(|known| known.rules.actions.retain(|rule| !rule.form.starts_with("open"))), "opening");
    assert!(
        !without(|known| known
            .rules
            .actions
            .iter_mut()
            .for_each(|rule| rule.needs.retain(|need| !need.to_string().contains("go to")))),
        "where to stand"
    );
}

#[test]
fn logs_of_nothing_give_nothing() {
    assert_eq!(discover(&[], &Settings::default()), Distilled::default());
    let silent: Vec<Trajectory> = logs()
        .into_iter()
        .map(|mut log| {
            log.steps.iter_mut().for_each(|step| step.observation = None);
            log
        })
        .collect();
    assert!(discover(&silent, &Settings::default()).knowledge.skills.is_empty());
}

#[test]
fn a_site_gives_skills_by_buttons_and_tips_by_purchases() {
    let log = |id: usize, good: bool| {
        let page = "[Back to Search]\n[< Prev]\nsize [small][large]\nA mug\nPrice: $5.00\n[Buy Now]";
        let step = |action: &str, observation: &str| stepwright_trajectory::Step {
            action: action.to_owned(),
            observation: Some(observation.to_owned()),
            ..stepwright_trajectory::Step::default()
        };
        let mut steps = vec![
            step("search[mug]", "[Back to Search]\nPage 1\n[B000000001]\nA mug\n$5.00"),
            step("click[B000000001]", page),
        ];
        if good {
            steps.push(step("click[large]", "You have clicked large."));
        }
        steps.push(step("click[Buy Now]", "Your score"));
        let task = "a large mug, and price lower than 9.00 dollars".to_owned();
        Trajectory { id: format!("{id}-{good}"), task, steps, success: Some(good), ..Trajectory::default() }
    };
    let logs: Vec<Trajectory> = (0..4).flat_map(|id| [log(id, true), log(id, false)]).collect();
    let found = discover(&logs, &Settings::default());
    let names: Vec<&str> = found.knowledge.skills.iter().map(|skill| skill.signature.name.as_str()).collect();
    assert_eq!(names, ["search_item", "select_item", "select_item_attributes", "purchase_item"]);
    let tips: Vec<&str> = found.tips.iter().map(|tip| tip.text.as_str()).collect();
    assert_eq!(tips, ["Choose one option of every row on the item's page before you buy it."]);
    assert_eq!((found.tips[0].successes, found.tips[0].failures), ((4, 4), (4, 4)));
}
