//! Division of a task into calls: which plan its words call for, and what fills the plan's slots.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::SkillCall;
use crate::form::kind_of;
use crate::primitive::is_slot;
use crate::rules::{Plan, Rules};

/// How seldom a word is taken to be where it was never seen.
const NEVER: f64 = 0.01;

/// The words of a task, slots in square brackets among them.
fn words(task: &str) -> Vec<&str> {
    let bare = |word: &'_ str| -> (usize, usize) {
        let start = word.len() - word.trim_start_matches(['"', '\'']).len();
        (start, word.trim_end_matches(['.', ',', '!', '?', '"', '\'']).len())
    };
    let cut = |word| {
        let (start, end) = bare(word);
        word.get(start..end).unwrap_or_default()
    };
    task.split_whitespace().map(cut).filter(|word| !word.is_empty()).collect()
}

/// A way of dividing tasks, with how its tasks are worded.
struct Way<'a> {
    calls: &'a [SkillCall],
    seen: f64,
    words: BTreeMap<&'a str, f64>,
    /// A task of this way has one of these words, and no other has; none where some have no such word.
    marks: BTreeSet<&'a str>,
    plan: &'a Plan,
}

fn ways(plans: &[Plan]) -> Vec<Way<'_>> {
    let mut ways: Vec<Way<'_>> = Vec::new();
    for plan in plans {
        let at = ways.iter().position(|way| way.calls == plan.calls);
        let at = at.unwrap_or_else(|| {
            ways.push(Way { calls: &plan.calls, seen: 0.0, words: BTreeMap::new(), marks: BTreeSet::new(), plan });
            ways.len() - 1
        });
        let Some(way) = ways.get_mut(at) else { continue };
        let seen = plan.seen.max(1) as f64;
        way.seen += seen;
        if plan.seen > way.plan.seen {
            way.plan = plan;
        }
        for word in words(&plan.task).into_iter().filter(|word| !is_slot(word)).collect::<BTreeSet<_>>() {
            *way.words.entry(word).or_default() += seen;
        }
    }
    let marks: Vec<BTreeSet<&str>> = (0..ways.len()).map(|at| marks(plans, &ways, at)).collect();
    for (way, marks) in ways.iter_mut().zip(marks) {
        way.marks = marks;
    }
    ways
}

/// The fewest words of a way's own that are in all its tasks.
fn marks<'a>(plans: &'a [Plan], ways: &[Way<'a>], at: usize) -> BTreeSet<&'a str> {
    let Some(way) = ways.get(at) else { return BTreeSet::new() };
    let own = |word: &str| ways.iter().enumerate().all(|(other, way)| other == at || !way.words.contains_key(word));
    let mut left: Vec<&Plan> = plans.iter().filter(|plan| plan.calls == way.calls).collect();
    let mut marks = BTreeSet::new();
    while !left.is_empty() {
        let worth = |word: &str| {
            let with = left.iter().filter(|plan| words(&plan.task).contains(&word));
            with.map(|plan| plan.seen.max(1)).sum::<usize>()
        };
        let best = way.words.keys().copied().filter(|word| own(word)).map(|word| (worth(word), word)).max();
        let Some((_, word)) = best.filter(|(worth, _)| *worth > 0) else { return BTreeSet::new() };
        left.retain(|plan| !words(&plan.task).contains(&word));
        marks.insert(word);
    }
    marks
}

/// How well a task's words fit a way: as a naive Bayes classifier reckons, over the words of all plans.
fn fit(way: &Way<'_>, all: f64, vocabulary: &BTreeSet<&str>, task: &BTreeSet<&str>) -> f64 {
    let share = |word: &str| (way.words.get(word).copied().unwrap_or_default() / way.seen).clamp(NEVER, 1.0 - NEVER);
    let words =
        vocabulary.iter().map(|word| if task.contains(word) { share(word).ln() } else { (1.0 - share(word)).ln() });
    (way.seen / all).ln() + words.sum::<f64>()
}

/// The calls for a task; `places` are the things listed at the beginning.
pub(crate) fn divide(rules: &Rules, task: &str, places: &[String]) -> Option<Vec<SkillCall>> {
    let ways = ways(&rules.plans);
    let vocabulary: BTreeSet<&str> = ways.iter().flat_map(|way| way.words.keys().copied()).collect();
    let task = words(task);
    let spoken: BTreeSet<&str> = task.iter().copied().collect();
    let all: f64 = ways.iter().map(|way| way.seen).sum();
    let marked = |way: &Way<'_>| way.marks.iter().any(|mark| spoken.contains(mark));
    // A way with its own words is meant by them; the others where no such word is there.
    let some = ways.iter().any(&marked);
    let eligible = ways.iter().filter(|way| if some { marked(way) } else { way.marks.is_empty() });
    let best =
        eligible.max_by(|a, b| fit(a, all, &vocabulary, &spoken).total_cmp(&fit(b, all, &vocabulary, &spoken)))?;
    let slots: Vec<&str> = words(&best.plan.task).into_iter().filter(|word| is_slot(word)).collect();
    let content: Vec<&str> = task.iter().copied().filter(|word| !vocabulary.contains(word)).collect();
    let known = |word: &&str| {
        rules.likely.iter().any(|(kind, _)| kind == word) || places.iter().any(|place| kind_of(place) == *word)
    };
    let sure: Vec<&str> = content.iter().copied().filter(known).collect();
    let values = if content.len() > slots.len() && sure.len() >= slots.len() { sure } else { content };
    if values.len() < slots.len() {
        return None;
    }
    let filled: BTreeMap<&str, &str> = slots.into_iter().zip(values).collect();
    let fill = |arg: &String| {
        let end = arg.find(']').map_or(0, |end| end + 1);
        let (slot, number) = (arg.get(..end).unwrap_or_default(), arg.get(end..).unwrap_or_default());
        filled.get(slot).map_or_else(|| arg.clone(), |value| format!("{value}{number}"))
    };
    let call = |call: &SkillCall| SkillCall { skill: call.skill.clone(), args: call.args.iter().map(fill).collect() };
    Some(best.calls.iter().map(call).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let plan = |task: &str, calls: &str, seen| Plan {
            task: task.to_owned(),
            calls: calls.split("; ").map(|call| call.parse().unwrap()).collect(),
            seen,
        };
        let put = "find([object]); take([object]); put([object], [receptacle])";
        let clean = "find([object]); take([object]); clean([object]); put([object], [receptacle])";
        let two = "take([object]1); put([object]1, [receptacle]); take([object]2); put([object]2, [receptacle])";
        Rules {
            plans: vec![
                plan("put a [object] in [receptacle]", put, 9),
                plan("put some [object] on [receptacle]", put, 4),
                plan("put a clean [object] in [receptacle]", clean, 5),
                plan("clean some [object] and put it in [receptacle]", clean, 5),
                plan("put two [object] in [receptacle]", two, 2),
                plan("find two [object] and put them in [receptacle]", two, 2),
            ],
            ..Rules::default()
        }
    }

    fn spoken(task: &str) -> String {
        let calls = divide(&rules(), task, &["shelf 1".to_owned()]);
        calls.map_or("none".to_owned(), |calls| calls.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn words_of_its_own_decide_for_a_way() {
        assert_eq!(spoken("put a mug in shelf."), "find(mug); take(mug); put(mug, shelf)");
        assert_eq!(spoken("find some mug and put it in shelf."), "find(mug); take(mug); put(mug, shelf)");
        assert_eq!(spoken("put a clean mug on shelf."), "find(mug); take(mug); clean(mug); put(mug, shelf)");
        assert_eq!(spoken("put two mug on shelf"), "take(mug1); put(mug1, shelf); take(mug2); put(mug2, shelf)");
        assert_eq!(spoken("sing"), "none");
        assert_eq!(divide(&Rules::default(), "put a mug in shelf", &[]), None);
    }
}
