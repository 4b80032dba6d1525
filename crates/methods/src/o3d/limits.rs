//! When an episode is over although the world goes on: the published limits, and bounds of one's own.
//!
//! O3D ends an episode after 30 actions, of which ALFWorld has 50, and when an action is given twice in a row (Section 4.1, after Reflexion). Of
//! WebShop it tells no limit; 15 actions are near the 14 lines of its baselines.

use stepwright_skill::hierarchy::Line;

use super::lines;
use crate::react::{IDLE, Limit, limit, reached};
use stepwright_episode::Decision;
use stepwright_method::Context;
use stepwright_method::options::LIMITS;
use stepwright_text::words::count;

stepwright_world::option_specs! {
    pub ACTIONS: "actions", "Actions", "actions of an episode at most", (whole 1 to 1000);
    pub CALLS: "calls", "Calls of skills", "calls of skills in an episode at most", (whole 1 to 1000) or "15";
}

/// Why the episode is over after a decision, if it is. The context is that before the step.
pub(super) fn ended(cx: &Context<'_>, decision: &Decision) -> Option<String> {
    let turn = &cx.node()?.turn;
    let action = turn.proposal(decision.proposal())?.action.as_ref()?;
    let line = stepwright_skill::hierarchy::recorded(&action.text).unwrap_or_else(|| Line::Act(action.text.clone()));
    let mut own: Vec<Line> = lines::here(cx).into_iter().map(|entry| entry.line).collect();
    own.push(line);
    let (options, limit) = (cx.options(), limit(cx.options().text(&LIMITS)));
    let most = options.whole(&ACTIONS).map(|most| most as usize);
    over(&own, limit, most, options.count(&CALLS) as usize)
}

/// Why an episode of these lines is over. Calls and reports are no lines of the publications' limits.
fn over(lines: &[Line], limit: Limit, actions: Option<usize>, calls: usize) -> Option<String> {
    let counted = |line: &&Line| matches!(line, Line::Act(_)) || limit.thoughts && matches!(line, Line::Thought(_));
    let last: Vec<&Line> = lines.iter().filter(counted).collect();
    if lines.last().is_some_and(|line| counted(&line))
        && let Some(why) = reached(&last, limit, |_| "the same was done twice in a row".to_owned())
    {
        return Some(why);
    }
    let acts = lines.iter().filter(|line| matches!(line, Line::Act(_))).count();
    if let Some(most) = actions.filter(|most| acts >= *most) {
        return Some(format!("{} are used up", count(most, "action")));
    }
    if lines.iter().filter(|line| matches!(line, Line::Call(_))).count() > calls {
        return Some(format!("{} of skills are used up", count(calls, "call")));
    }
    let idle = lines.iter().rev().take_while(|line| !matches!(line, Line::Act(_))).count();
    (idle >= IDLE).then(|| format!("{idle} lines in a row executed nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|text| Line::Act((*text).to_owned())).collect()
    }

    #[test]
    fn each_limit_ends_an_episode_and_says_which() {
        let call = || Line::Call("find(mug)".parse().unwrap());
        let thought = || Line::Thought("so".into());
        let (none, o3d) = (limit("none"), limit("o3d-30"));
        assert_eq!(over(&acts(&["a", "b"]), o3d, None, 9), None);
        assert!(over(&acts(&["a", "b"].repeat(15)), o3d, None, 9).unwrap().contains("30 actions"));
        assert_eq!(over(&[acts(&["a", "b"].repeat(14)), vec![thought(); 9]].concat(), o3d, None, 9), None);
        assert!(over(&[acts(&["a", "b"].repeat(7)), vec![thought()]].concat(), limit("react-14"), None, 9).is_some());
        assert!(over(&acts(&["a", "a"]), o3d, None, 9).unwrap().contains("twice"));
        assert!(over(&[acts(&["a"]), vec![call()], acts(&["a"])].concat(), o3d, None, 9).is_some());
        assert_eq!(over(&acts(&["a", "a"]), none, None, 9), None);
        assert!(over(&acts(&["a", "b", "a"]), none, Some(3), 9).unwrap().contains("3 actions"));
        assert!(over(&[call(), call()], none, None, 1).unwrap().contains("1 call"));
        assert!(over(&vec![thought(); IDLE], none, None, 9).is_some());
    }
}
