//! Sequential selection by blocking conditions and resolutions: the candidates are the leaves of the blocking tree, one is selected.
//!
//! The paper "Sequential Discrete Action Selection via Blocking Conditions and Resolutions". A selected leaf that is blocked is not
//! executed: the tree grows what may resolve it. The tree is [`crate::blocking`]'s; here stands only what is asked when, and
//! how a written answer is read.

use super::{Method, MethodInfo, Next, Round};
use crate::episode::AskKind;
use crate::episode::Proposal;

/// Selection from the blocking tree.
#[derive(Debug, Clone, Copy)]
pub struct Blocking {
    /// Answers a model may give for one selection.
    pub answers: u32,
}

impl Default for Blocking {
    fn default() -> Self {
        Blocking { answers: 5 }
    }
}

impl Method for Blocking {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "blocking",
            label: "Blocking conditions and resolutions",
            description: "Selects among the leaves of the blocking tree; what is blocked grows the actions that may resolve \
                          it. For worlds with a blocking domain; without a language model the built-in selector ranks.",
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        let proposals: Vec<&Proposal> = round.proposals().collect();
        let first = proposals.iter().find(|p| p.action.is_some() && p.problem.is_none());
        let recommend = |why: &str| Next::Recommend { proposal: first.map(|p| p.id), why: why.to_owned() };
        if round.has_asked(&AskKind::RANKED) {
            return recommend(if proposals.len() == 1 { "the only candidate" } else { "the selector's first choice" });
        }
        if round.has_asked(&AskKind::SCORED) {
            return recommend("the likeliest candidate");
        }
        let asked = round.turn.asks.iter().filter(|a| a.id >= round.since && a.kind == AskKind::SAMPLES).count();
        match (first, u32::try_from(asked).unwrap_or(u32::MAX)) {
            (Some(_), _) => recommend("the model selected it"),
            (None, asked) if asked < self.answers => Next::Samples(1),
            (None, asked) => recommend(&format!("none of {asked} answers selects a candidate")),
        }
    }

    fn prompts(&self) -> &'static str {
        "blocking"
    }

    fn temperature(&self) -> f64 {
        1.0
    }

    fn selects_leaves(&self) -> bool {
        true
    }
}

/// What stands around a selected action.
pub const MARK: &str = "$$";

/// The selection in an answer: what stands between the first pair of `$$`, trimmed. Empty marks (`$$$$`) are none.
pub fn selected(answer: &str) -> Option<&str> {
    let mut rest = answer;
    loop {
        let (_, after) = rest.split_once(MARK)?;
        match after.find('$') {
            Some(end) if end > 0 && after.get(end..).is_some_and(|t| t.starts_with(MARK)) => {
                return after.get(..end).map(str::trim);
            }
            // As the pattern `\$\$([^$]+)\$\$` would: it is tried again one character further.
            _ => rest = rest.get(rest.find(MARK)? + 1..)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marked_text_is_the_selection() {
        for (answer, expected) in [
            ("I take $$ grab cup $$.", Some("grab cup")),
            ("$$a$$ or $$b$$", Some("a")),
            ("$$$$ $$b$$", Some("")),
            ("$$$a$$", Some("a")),
            ("$$ a $ b $$", None),
            ("$$ a $ b $$ c $$", Some("c")),
            ("$$ open\nend", None),
            ("$ a $", None),
            ("", None),
        ] {
            assert_eq!(selected(answer), expected, "{answer}");
        }
    }
}
