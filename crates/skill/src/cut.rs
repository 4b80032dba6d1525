//! Changing a cut: borders moved, segments split, joined and called otherwise. Every change leads from a sound cut to a sound one, or
//! says why it cannot be made. What a response says of a log becomes a cut of it here too.

use crate::call::SkillCall;
use crate::response::Part;
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;

pub fn whole(steps: usize, call: SkillCall) -> Vec<Segment> {
    let Some(end) = steps.checked_sub(1) else { return Vec::new() };
    vec![Segment { skill: call.skill, args: call.args, start: 0, end }]
}

pub fn at(segments: &[Segment], step: usize) -> Option<usize> {
    segments.iter().position(|segment| (segment.start..=segment.end).contains(&step))
}

/// Moves the border before a segment by a step, later or earlier.
/// Errors: if there is no border before it, or one of the two would be empty.
pub fn move_border(segments: &mut [Segment], at: usize, later: bool) -> Result<(), String> {
    let (before, after) = match at.checked_sub(1).and_then(|left| segments.get_mut(left..=at)) {
        Some([before, after]) => (before, after),
        _ => return Err("the first segment begins with the first step".to_owned()),
    };
    let shrinking = if later { &*after } else { &*before };
    if shrinking.start == shrinking.end {
        return Err(format!("{} would be without steps; join it with its neighbour", shrinking.call()));
    }
    if later {
        (before.end, after.start) = (before.end + 1, after.start + 1);
    } else {
        (before.end, after.start) = (before.end - 1, after.start - 1);
    }
    Ok(())
}

/// Splits a segment before a step: the second part has a separate call.
/// Errors: if a segment begins with the step already, or the step is in none.
pub fn split(segments: &mut Vec<Segment>, step: usize, call: SkillCall) -> Result<(), String> {
    let place = at(segments, step).ok_or_else(|| format!("step {} is in no segment", step + 1))?;
    let Some(segment) = segments.get_mut(place).filter(|segment| segment.start < step) else {
        return Err(format!("a segment begins with step {} already", step + 1));
    };
    let end = std::mem::replace(&mut segment.end, step - 1);
    segments.insert(place + 1, Segment { skill: call.skill, args: call.args, start: step, end });
    Ok(())
}

/// Joins a segment with the one before it, whose call stays.
pub fn join(segments: &mut Vec<Segment>, at: usize) -> Result<(), String> {
    if at == 0 || at >= segments.len() {
        return Err("there is no segment before this one to join it with".to_owned());
    }
    let end = segments.remove(at).end;
    if let Some(before) = segments.get_mut(at - 1) {
        before.end = end;
    }
    Ok(())
}

pub fn relabel(segments: &mut [Segment], at: usize, call: SkillCall) -> Result<(), String> {
    let segment = segments.get_mut(at).ok_or("there is no such segment")?;
    (segment.skill, segment.args) = (call.skill, call.args);
    Ok(())
}

/// The cut that a response's parts come to: their actions must be the trajectory's, in order and all of them. Actions that are written
/// with other spaces count as the same.
pub(crate) fn of_parts(parts: &[Part], trajectory: &Trajectory) -> Result<Vec<Segment>, String> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut next = 0;
    let mut segments = Vec::new();
    for part in parts {
        let start = next;
        for action in &part.actions {
            match trajectory.steps.get(next) {
                Some(step) if plain(&step.action) == plain(action) => next += 1,
                Some(step) => {
                    return Err(format!("{}: step {} is `{}` and not `{action}`", part.call, next + 1, step.action));
                }
                None => return Err(format!("{}: the log ends before `{action}`", part.call)),
            }
        }
        if next > start {
            segments.push(Segment {
                skill: part.call.skill.clone(),
                args: part.call.args.clone(),
                start,
                end: next - 1,
            });
        }
    }
    let steps = trajectory.steps.len();
    if next < steps {
        return Err(format!("{} of {steps} steps are in no part, from step {} on", steps - next, next + 1));
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::validate;
    use stepwright_trajectory::Step;

    fn call(text: &str) -> SkillCall {
        text.parse().unwrap()
    }

    #[test]
    fn a_changed_cut_stays_sound() {
        let mut cut = whole(5, call("find(a)"));
        assert_eq!(move_border(&mut cut, 0, true), Err("the first segment begins with the first step".to_owned()));
        split(&mut cut, 3, call("take(a)")).unwrap();
        assert!(split(&mut cut, 3, call("x()")).is_err() && split(&mut cut, 9, call("x()")).is_err());
        move_border(&mut cut, 1, true).unwrap();
        assert_eq!((cut[0].end, cut[1].start), (3, 4));
        assert!(move_border(&mut cut, 1, true).unwrap_err().contains("take(a) would be without steps"));
        relabel(&mut cut, 1, call("put(a, b)")).unwrap();
        assert_eq!(validate(&cut, 5, |_| true), Ok(()));
        assert!(join(&mut cut, 0).is_err());
        join(&mut cut, 1).unwrap();
        assert_eq!(cut, whole(5, call("find(a)")));
        assert!(whole(0, call("f()")).is_empty());
    }

    #[test]
    fn a_response_is_held_against_the_log() {
        let step = |action: &str| Step { action: action.to_owned(), ..Step::default() };
        let log =
            Trajectory { steps: vec![step("go to desk 1"), step("take mug 1 from desk 1")], ..Trajectory::default() };
        let part = |name: &str, actions: &[&str]| Part {
            call: call(name),
            actions: actions.iter().map(|a| (*a).to_owned()).collect(),
        };
        let good = [part("find(mug)", &["go to  desk 1"]), part("take(mug)", &["take mug 1 from desk 1"])];
        assert_eq!(of_parts(&good, &log).unwrap().len(), 2);
        assert!(of_parts(&good[..1], &log).unwrap_err().contains("1 of 2 steps"));
        assert!(of_parts(&good[1..], &log).unwrap_err().contains("step 1 is `go to desk 1`"));
        let more = [good[0].clone(), good[1].clone(), part("put(mug, x)", &["x"])];
        assert!(of_parts(&more, &log).unwrap_err().contains("the log ends"));
    }
}
