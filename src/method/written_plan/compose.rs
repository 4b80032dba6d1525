//! The built-in plan writer: no language model. Parts written for each kind of goal are joined in the goals' order.

use crate::literal::Atom;

/// The parts: functions named after the goals' predicates.
const PARTS: &str = include_str!("../../../worlds/kitchen/plans.txt");

/// The word that stands for the robot in literals.
const CHARACTER: &str = "character";

/// What kind of thing a name is of, in lower case: `Sink|1|SinkBasin` is a `sinkbasin`.
pub fn kind_of(thing: &str) -> String {
    thing.rsplit('|').find(|part| part.starts_with(char::is_alphabetic)).unwrap_or(thing).to_lowercase()
}

/// A plan for goals.
///
/// # Errors
/// A goal for which nothing was written, in words.
pub fn compose(goals: &[Atom]) -> Result<String, String> {
    let mut plan = String::new();
    for (number, goal) in goals.iter().enumerate() {
        let things: Vec<String> = goal.args.iter().filter(|a| *a != CHARACTER).map(|a| kind_of(a)).collect();
        let body = part(&goal.predicate, things.len())
            .ok_or_else(|| format!("the built-in plan writer has no plan for the goal `{goal}`; choose a model"))?;
        for line in body {
            let mut line = line.replacen("# ", &format!("# {number}: "), 1);
            for (letter, thing) in ('a'..='z').zip(&things) {
                line = line.replace(&format!("{{{letter}}}"), thing);
            }
            plan.push_str(&line);
            plan.push('\n');
        }
    }
    plan.push_str(&format!("\t# {}: Done", goals.len()));
    Ok(plan)
}

/// The lines written for a goal of so many things.
fn part(predicate: &str, things: usize) -> Option<impl Iterator<Item = &'static str>> {
    let of = |line: &str| {
        let (name, parameters) = line.strip_prefix("def ")?.split_once('(')?;
        Some((name == predicate, parameters.matches(|c: char| c.is_ascii_lowercase()).count()))
    };
    let start = PARTS.lines().position(|line| of(line) == Some((true, things)))?;
    Some(PARTS.lines().skip(start + 1).take_while(|line| !line.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::written_plan::read;

    #[test]
    fn goals_become_plans_that_can_be_read() {
        let goals: Vec<Atom> = ["ON Lamp|1", "ON Mug|1 Sink|2|SinkBasin"].iter().map(|g| g.parse().unwrap()).collect();
        let reading = read(&compose(&goals).unwrap());
        assert_eq!(reading.problems, []);
        let commands: Vec<String> =
            reading.plan.items.iter().filter_map(|i| i.command()).map(ToString::to_string).collect();
        assert_eq!(commands.first().map(String::as_str), Some("find('lamp')"));
        assert_eq!(commands.last().map(String::as_str), Some("putin('mug', 'sinkbasin')"));
        assert_eq!(reading.plan.items.last().map(|i| i.subgoal.as_str()), Some("1: put the mug on the sinkbasin"));
        assert!(compose(&["FLOWN Lamp|1".parse().unwrap()]).unwrap_err().contains("FLOWN"));
    }

    #[test]
    fn every_part_is_a_plan() {
        for line in PARTS.lines().filter(|l| l.starts_with("def ")) {
            let (name, rest) = line["def ".len()..].split_once('(').unwrap();
            let things = rest.split(',').count();
            let goal = Atom::new(name, (0..things).map(|i| format!("Thing{i}|1")));
            let plan = compose(&[goal]).unwrap();
            let reading = read(&plan);
            assert!(reading.problems.is_empty() && !reading.plan.items.is_empty() && !plan.contains('{'), "{plan}");
        }
    }
}
