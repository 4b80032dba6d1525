//! The built-in plan writer: no language model. Parts written for each kind of goal are joined in the goals' order.

use super::Vocabulary;
use super::vocabulary::filled;
use stepwright_world::literal::Atom;

/// The type of a thing in its name: `Sink|1|SinkBasin` is a `SinkBasin`, `mug_1` and `mug 1` a `mug`.
pub fn type_of(thing: &str) -> &str {
    let numbered =
        |at: usize| thing.get(at + 1..).is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    match thing.rfind(['_', ' ']) {
        Some(at) if numbered(at) && !thing.contains('|') => thing.get(..at).unwrap_or(thing),
        _ => thing.rsplit('|').find(|part| part.starts_with(char::is_alphabetic)).unwrap_or(thing),
    }
}

/// The kind of thing in a name: its type in lower case.
pub fn kind_of(thing: &str) -> String {
    type_of(thing).to_lowercase()
}

pub fn compose(goals: &[Atom], vocabulary: &Vocabulary) -> Result<String, String> {
    let mut plan = String::new();
    for (number, goal) in goals.iter().enumerate() {
        let things: Vec<String> = goal.args.iter().filter(|a| !vocabulary.is_agent(a)).map(|a| kind_of(a)).collect();
        let body = vocabulary
            .part("def", &goal.predicate, things.len())
            .ok_or_else(|| format!("the built-in plan writer has no plan for the goal `{goal}`; choose a model"))?;
        for line in body {
            plan.push_str(&filled(&line.replacen("# ", &format!("# {number}: "), 1), &things));
            plan.push('\n');
        }
    }
    plan.push_str(&format!("\t# {}: Done", goals.len()));
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written_plan::read;
    use stepwright_worlds::{household, kitchen};

    #[test]
    fn goals_become_plans_that_can_be_read() {
        let goals: Vec<Atom> = ["ON Lamp|1", "ON Mug|1 Sink|2|SinkBasin"].iter().map(|g| g.parse().unwrap()).collect();
        let reading = read(&compose(&goals, &Vocabulary::shipped(&kitchen::KIND)).unwrap());
        assert_eq!(reading.problems, []);
        let commands: Vec<String> =
            reading.plan.items.iter().filter_map(|i| i.command()).map(ToString::to_string).collect();
        assert_eq!(commands.first().map(String::as_str), Some("find('lamp')"));
        assert_eq!(commands.last().map(String::as_str), Some("putin('mug', 'sinkbasin')"));
        assert_eq!(reading.plan.items.last().map(|i| i.subgoal.as_str()), Some("1: put the mug on the sinkbasin"));
        let flown = compose(&["FLOWN Lamp|1".parse().unwrap()], &Vocabulary::shipped(&kitchen::KIND));
        assert!(flown.unwrap_err().contains("FLOWN"));
    }

    #[test]
    fn every_part_is_a_plan() {
        let worlds = [&kitchen::KIND, &household::KIND];
        let parts = worlds.into_iter().flat_map(|world| {
            let lines = world.file("plans.txt").unwrap().text.lines().filter(|l| l.starts_with("def "));
            lines.map(move |line| (world, line))
        });
        for (world, line) in parts {
            let (name, rest) = line["def ".len()..].split_once('(').unwrap();
            let things = rest.split(',').count();
            let goal = Atom::new(name, (0..things).map(|i| format!("Thing{i}|1")));
            let plan = compose(&[goal], &Vocabulary::shipped(world)).unwrap();
            let reading = read(&plan);
            assert!(reading.problems.is_empty() && !reading.plan.items.is_empty() && !plan.contains('{'), "{plan}");
        }
    }
}
