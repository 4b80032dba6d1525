//! When an episode is over for a method of lines: the limits of the publications.

use stepwright_trajectory::react::is_thought;

use stepwright_episode::{Decision, Node};
use stepwright_method::Context;
use stepwright_method::options::LIMITS;
use stepwright_text::words::count;

/// Lines in a row that execute nothing, after which the episode is over where they are not counted: the model gets nowhere.
pub(crate) const IDLE: usize = 12;

/// A published limit. Which lines there are to be counted is the method's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// Lines of an episode; `None` where nothing limits it.
    pub(crate) most: Option<usize>,
    /// Whether thoughts count too.
    pub(crate) thoughts: bool,
    /// Whether the same twice in a row ends the episode.
    pub(crate) repeat: bool,
}

/// The limit that a value of [`LIMITS`] names.
pub(crate) fn limit(name: &str) -> Limit {
    let (most, thoughts, repeat) = match name {
        "react-49" => (Some(49), true, false),
        "react-14" => (Some(14), true, false),
        "reflexion-49" => (Some(49), true, true),
        "reflexion-50" => (Some(50), true, true),
        "o3d-30" => (Some(30), false, true),
        "o3d-15" => (Some(15), false, false),
        _ => (None, false, false),
    };
    Limit { most, thoughts, repeat }
}

/// Why the episode is over after this decision, if it is.
pub(crate) fn over(cx: &Context<'_>, decision: &Decision) -> Option<String> {
    let taken = cx.node()?.turn.proposal(decision.proposal())?.action.as_ref()?.text.as_str();
    let path = cx.path();
    let before = path.iter().filter_map(|node: &&Node| node.action.as_ref()).map(|action| action.text.as_str());
    let lines: Vec<&str> = before.chain([taken]).collect();
    let limit = limit(cx.options().text(&LIMITS));
    if !limit.thoughts && lines.len() >= IDLE && lines.iter().rev().take(IDLE).all(|line| is_thought(line)) {
        return Some(format!("{} in a row executed nothing", count(IDLE, "thought")));
    }
    let lines: Vec<&str> = lines.into_iter().filter(|text| limit.thoughts || !is_thought(text)).collect();
    ends(&lines, limit)
}

fn ends(lines: &[&str], limit: Limit) -> Option<String> {
    let twice = |line: &&str| match *line {
        "" => "a line is empty".to_owned(),
        line => format!("`{line}` was done twice in a row"),
    };
    // As published where thoughts count, what the first line is compared with is empty.
    if let ([first], true) = (lines, limit.repeat && limit.thoughts)
        && first.is_empty()
    {
        return Some(twice(first));
    }
    reached(lines, limit, twice)
}

/// Why lines that count are the end by a limit; `twice` says so of one that is as the one before.
pub(crate) fn reached<L: PartialEq>(lines: &[L], limit: Limit, twice: impl FnOnce(&L) -> String) -> Option<String> {
    if let [.., before, last] = lines
        && limit.repeat
        && before == last
    {
        return Some(twice(last));
    }
    limit.most.filter(|most| lines.len() >= *most).map(|most| {
        let what = if limit.thoughts { "line" } else { "action" };
        format!("{} are used up", count(most, what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_and_the_last_line_end_an_episode() {
        let ended = |name: &str, lines: &[&str]| ends(lines, limit(name)).is_some();
        assert!(!ended("o3d-30", &["a", "b", "a"]) && ended("o3d-30", &["a", "b", "b"]));
        assert!(!ended("react-49", &["a", "a"]) && ended("reflexion-49", &["a", "a"]));
        assert!(ended("reflexion-49", &[""]) && !ended("reflexion-49", &["a", ""]) && !ended("react-49", &[""]));
        let lines: Vec<String> = (0..49).map(|n| n.to_string()).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert!(!ended("react-49", &lines[..48]) && ended("react-49", &lines));
        assert!(!ended("o3d-15", &lines[..14]) && ended("o3d-15", &lines[..15]));
        assert!(!ended("o3d-15", &["a", "a"]), "the publication says that of ALFWorld alone");
        assert!(limit("none").most.is_none());
        let stepwright_world::options::Kind::Choice(words) = LIMITS.kind else { panic!("a choice") };
        assert!(words.iter().skip(1).all(|(word, _)| limit(word).most.is_some()), "every word has its limit");
    }
}
