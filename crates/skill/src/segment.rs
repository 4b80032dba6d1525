//! Segments: a trajectory cut into calls of skills. A cut is sound if its segments lie in order, cover every step once, and call
//! skills that are known.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::call::SkillCall;

/// The steps of a trajectory that one call of a skill covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub skill: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// The first step, counted from 0.
    #[serde(deserialize_with = "place")]
    pub start: usize,
    #[serde(deserialize_with = "place")]
    pub end: usize,
}

/// A place before the first step, as it is read: no trajectory has this one either.
const OUTSIDE: usize = u32::MAX as usize;

fn place<'de, D: Deserializer<'de>>(of: D) -> Result<usize, D::Error> {
    i64::deserialize(of).map(|number| usize::try_from(number).unwrap_or(OUTSIDE))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    UnknownSkill(usize),
    Empty(usize),
    /// A segment goes beyond the last step, or begins before the first.
    OutOfRange(usize),
    Order(usize),
    /// A segment begins before the one before it ends.
    Overlap(usize),
    Gap(usize),
}

impl Fault {
    pub fn reason(&self) -> &'static str {
        match self {
            Fault::UnknownSkill(_) => "unknown skill",
            Fault::Empty(_) => "empty segment: start after end",
            Fault::OutOfRange(_) => "out of range: the last segment ends after the last step",
            Fault::Order(_) => "order: segments are not in the order of the trajectory",
            Fault::Overlap(_) => "overlap: two segments share a step",
            Fault::Gap(_) => "gap: a segment is missing so some steps are in no segment",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Gap(step) => write!(f, "step {step}: {}", self.reason()),
            Fault::UnknownSkill(at)
            | Fault::Empty(at)
            | Fault::OutOfRange(at)
            | Fault::Order(at)
            | Fault::Overlap(at) => write!(f, "segment {}: {}", at + 1, self.reason()),
        }
    }
}

impl Segment {
    pub fn call(&self) -> SkillCall {
        SkillCall { skill: self.skill.clone(), args: self.args.clone() }
    }
}

/// Whether a cut of so many steps is sound, where the skills of these names are known.
pub fn validate(segments: &[Segment], steps: usize, is_skill: impl Fn(&str) -> bool) -> Result<(), Fault> {
    for (at, segment) in segments.iter().enumerate() {
        if !is_skill(&segment.skill) {
            return Err(Fault::UnknownSkill(at));
        }
        if segment.start > segment.end && segment.start != OUTSIDE {
            return Err(Fault::Empty(at));
        }
        if segment.start.max(segment.end) >= steps {
            return Err(Fault::OutOfRange(at));
        }
    }
    if let Some(at) = segments.windows(2).position(|pair| pair[1].start < pair[0].start) {
        return Err(Fault::Order(at + 1));
    }
    let mut next = 0;
    for (at, segment) in segments.iter().enumerate() {
        if segment.start < next {
            return Err(Fault::Overlap(at));
        }
        if segment.start > next {
            return Err(Fault::Gap(next));
        }
        next = segment.end + 1;
    }
    if next < steps { Err(Fault::Gap(next)) } else { Ok(()) }
}

/// Reads a cut of so many steps, in JSON as it is kept: an array of `{"skill", "args", "start", "end"}`.
pub fn read(text: &str, steps: usize) -> Result<Vec<Segment>, String> {
    let segments: Vec<Segment> = serde_json::from_str(text).map_err(|e| format!("this is no list of segments: {e}"))?;
    validate(&segments, steps, |_| true).map_err(|fault| fault.to_string())?;
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(parts: &[(usize, usize)]) -> Vec<Segment> {
        let part = |(start, end): &(usize, usize)| Segment {
            skill: "f".to_owned(),
            args: Vec::new(),
            start: *start,
            end: *end,
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn each_fault_is_distinguished_from_the_others() {
        let check = |parts: &[(usize, usize)]| validate(&cut(parts), 5, |name| name == "f");
        assert_eq!(check(&[(0, 1), (2, 4)]), Ok(()));
        assert_eq!(check(&[(0, 1), (3, 4)]), Err(Fault::Gap(2)));
        assert_eq!(check(&[(0, 1), (2, 3)]), Err(Fault::Gap(4)));
        assert_eq!(check(&[(0, 2), (2, 4)]), Err(Fault::Overlap(1)));
        assert_eq!(check(&[(2, 4), (0, 1)]), Err(Fault::Order(1)));
        assert_eq!(check(&[(0, 5)]), Err(Fault::OutOfRange(0)));
        assert_eq!(check(&[(1, 0)]), Err(Fault::Empty(0)));
        assert_eq!(validate(&cut(&[(0, 4)]), 5, |_| false), Err(Fault::UnknownSkill(0)));
        assert_eq!(check(&[]), Err(Fault::Gap(0)));
        let text = serde_json::to_string(&cut(&[(0, 1), (2, 4)])).unwrap();
        assert_eq!(read(&text, 5), Ok(cut(&[(0, 1), (2, 4)])));
        assert!(read(&text, 6).unwrap_err().starts_with("step 5: gap"));
        assert!(read("[{\"skill\":\"f\"}]", 5).unwrap_err().contains("no list of segments"));
        for (start, end) in [(-1, 3), (0, -1), (-1, -1)] {
            let text = format!("[{{\"skill\":\"f\",\"start\":{start},\"end\":{end}}}]");
            assert!(read(&text, 5).unwrap_err().starts_with("segment 1: out of range"), "{text}");
        }
    }
}
