//! Lines of a plan or a program that a person edited: those that they changed or added are theirs, the others stay whose they were.

use stepwright_episode::{ArtifactId, Origin, Session};

/// Where a line (from 1) of a text comes from: a person, where the text as it was `written` by `origin` has not so many of it.
pub fn origin_of_line(written: &str, now: &str, line: usize, origin: Origin) -> Origin {
    let Some(text) = line.checked_sub(1).and_then(|at| now.lines().nth(at)).map(str::trim) else { return origin };
    let times = |lines: &mut dyn Iterator<Item = &str>| lines.filter(|line| line.trim() == text).count();
    let more = times(&mut now.lines().take(line)) > times(&mut written.lines());
    if more { Origin::Person } else { origin }
}

/// The same of a line of the plan in force at the cursor.
pub(crate) fn origin_of_plan_line(session: &Session, line: usize, origin: Origin) -> Origin {
    let text =
        |plan: &serde_json::Value| plan.get("text").and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    let now = session.document(&ArtifactId::PLAN).map(|plan| text(plan)).unwrap_or_default();
    let written = session.as_written(&ArtifactId::PLAN).map(|plan| text(plan)).unwrap_or_default();
    origin_of_line(&written, &now, line, origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_person_changed_or_added_are_theirs() {
        let written = "def do():\n  look()\n  go(1)\n  take()\n";
        let now = "def do():\n  look()\n  go(2)\n    take()\n  look()\n";
        let of = |line| origin_of_line(written, now, line, Origin::Greedy);
        let expected = [Origin::Greedy, Origin::Greedy, Origin::Person, Origin::Greedy, Origin::Person];
        assert_eq!([1, 2, 3, 4, 5].map(of), expected);
        assert_eq!((of(0), of(9)), (Origin::Greedy, Origin::Greedy), "there is no such line");
        assert_eq!(origin_of_line("", "look()", 1, Origin::Symbolic), Origin::Person, "they wrote it all");
    }
}
