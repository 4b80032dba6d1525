//! Contrasting a success with a failure on one task: which steps they share, in order, and the step on which the failure turns. What
//! that teaches is put into words without a language model; a person or a model may say it better.

use crate::cut;
use crate::primitive::name_of;
use crate::segment::Segment;
use stepwright_trajectory::Step;

/// Steps of each side that are aligned; what comes after is shown but not compared (the work is their product).
const MOST: usize = 1500;

/// A row of two trajectories side by side: steps by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub success: Option<usize>,
    pub failure: Option<usize>,
}

impl Row {
    pub(crate) fn is_shared(self) -> bool {
        self.success.is_some() && self.failure.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// An action of the failure had no effect; a like one of the success had, where there is one.
    Refused { failure: usize, success: Option<usize> },
    /// The failure gave the same action again.
    Repeated { failure: usize },
    /// The success did something that the failure left out, before a step that both took.
    LeftOut {
        success: usize,
        /// The success's step that both took next.
        before: usize,
    },
    /// Both went on differently.
    Parted {
        /// The failure's step; `None` if it ended there.
        failure: Option<usize>,
        success: usize,
    },
}

/// Two trajectories of one task side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contrast {
    pub rows: Vec<Row>,
    /// The first row where they differ.
    pub parts_at: Option<usize>,
    /// The step that the failure turns on; `None` if both did the same.
    pub mistake: Option<Mistake>,
}

impl Contrast {
    pub fn of(success: &[Step], failure: &[Step]) -> Self {
        let rows = align(success, failure);
        let parts_at = rows.iter().position(|row| !row.is_shared());
        let mistake = parts_at.and_then(|at| mistake(&rows, at, success, failure));
        Contrast { rows, parts_at, mistake }
    }

    /// The success's step that the mistake is about.
    pub fn right_step(&self) -> Option<usize> {
        match self.mistake? {
            Mistake::Refused { success, .. } => success.or_else(|| self.before_mark()),
            Mistake::Repeated { .. } => self.before_mark(),
            Mistake::LeftOut { success, .. } | Mistake::Parted { success, .. } => Some(success),
        }
    }

    /// The success's last step before the marked row.
    fn before_mark(&self) -> Option<usize> {
        self.rows.get(..=self.marked()?)?.iter().rev().find_map(|row| row.success)
    }

    /// The row that the mistake is on, to be marked.
    pub fn marked(&self) -> Option<usize> {
        let of_failure = |step: usize| self.rows.iter().position(|row| row.failure == Some(step));
        let of_success = |step: usize| self.rows.iter().position(|row| row.success == Some(step));
        match self.mistake? {
            Mistake::Refused { failure, .. } | Mistake::Repeated { failure } => of_failure(failure),
            Mistake::LeftOut { success, .. } => of_success(success),
            Mistake::Parted { failure, success } => failure.and_then(of_failure).or_else(|| of_success(success)),
        }
    }
}

/// The skill that the lesson of a pair belongs to: the one in whose call the failure failed, as the success has it; where the failure is not
/// cut, the one in whose call the success did otherwise.
pub fn skill_of<'a>(success: (&[Step], &'a [Segment]), failure: (&[Step], &[Segment])) -> Option<&'a str> {
    let place = match failed_call(success.1, failure.1, failure.0) {
        Some((good, _)) => good,
        None => cut::at(success.1, Contrast::of(success.0, failure.0).right_step()?)?,
    };
    success.1.get(place).map(|segment| segment.skill.as_str())
}

/// The call in which a failure failed, with the success's beside it, by their places in the two cuts: the first call that was given up
/// with nothing done, else the first that the success does not have at that place, else the last.
pub fn failed_call(success: &[Segment], failure: &[Segment], steps: &[Step]) -> Option<(usize, usize)> {
    let gave_up = |segment: &Segment| steps.get(segment.end).is_some_and(Step::is_refused);
    let other = |at: usize| success.get(at).is_none_or(|own| own.skill != failure[at].skill);
    let last = failure.len().checked_sub(1)?;
    let bad = failure.iter().position(gave_up).or_else(|| (0..=last).find(|at| other(*at))).unwrap_or(last);
    let nth = failure.get(..bad)?.iter().filter(|segment| segment.skill == failure[bad].skill).count();
    let mut same = (0..success.len()).filter(|at| success[*at].skill == failure[bad].skill).collect::<Vec<_>>();
    // Where the success calls it less often, its last; where it never does, what it did at that place.
    same.truncate(nth + 1);
    let good = same.last().copied().unwrap_or_else(|| bad.min(success.len().saturating_sub(1)));
    (good < success.len()).then_some((good, bad))
}

/// The rows of a longest common subsequence of the actions; where one side has steps the other lacks, the failure's come first.
fn align(success: &[Step], failure: &[Step]) -> Vec<Row> {
    let (a, b) = (success.get(..MOST).unwrap_or(success), failure.get(..MOST).unwrap_or(failure));
    let same = |i: usize, j: usize| a[i].action == b[j].action;
    // longest[i][j]: of the steps from i and j on.
    let width = b.len() + 1;
    let mut longest = vec![0u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if same(i, j) {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::new();
    while i < a.len() || j < b.len() {
        let both = i < a.len() && j < b.len();
        if both && same(i, j) {
            rows.push(Row { success: Some(i), failure: Some(j) });
            (i, j) = (i + 1, j + 1);
        } else if j < b.len() && (i == a.len() || longest[i * width + j + 1] >= longest[(i + 1) * width + j]) {
            rows.push(Row { success: None, failure: Some(j) });
            j += 1;
        } else {
            rows.push(Row { success: Some(i), failure: None });
            i += 1;
        }
    }
    rows.extend((a.len()..success.len()).map(|i| Row { success: Some(i), failure: None }));
    rows.extend((b.len()..failure.len()).map(|j| Row { success: None, failure: Some(j) }));
    rows
}

fn mistake(rows: &[Row], from: usize, success: &[Step], failure: &[Step]) -> Option<Mistake> {
    let later = || rows.get(from..).unwrap_or_default().iter();
    let own = || later().filter(|row| row.success.is_none()).filter_map(|row| row.failure);
    // A refused action whose like worked elsewhere says most; then one that was given again.
    let like = |step: usize| {
        let action = &failure[step].action;
        let worked = success.iter().enumerate().filter(|(_, s)| !s.is_refused() && s.action != *action);
        let alike =
            worked.filter(|(_, s)| name_of(&s.action) == name_of(action) && shared_words(&s.action, action) > 1);
        alike.max_by_key(|(at, s)| (shared_words(&s.action, action), usize::MAX - at)).map(|(at, _)| at)
    };
    let refused: Vec<usize> = own().filter(|step| failure[*step].is_refused()).collect();
    if let Some((step, other)) = refused.iter().find_map(|step| like(*step).map(|other| (*step, other))) {
        return Some(Mistake::Refused { failure: step, success: Some(other) });
    }
    let repeated = own().find(|step| *step > 0 && failure[*step].action == failure[step - 1].action);
    if let Some(step) = repeated {
        return Some(Mistake::Repeated { failure: step });
    }
    if let Some(step) = refused.first() {
        return Some(Mistake::Refused { failure: *step, success: None });
    }
    let left_out = later().enumerate().find_map(|(at, row)| {
        let (step, None) = (row.success?, row.failure) else { return None };
        let next = rows.get(from + at + 1)?;
        next.is_shared().then_some(Mistake::LeftOut { success: step, before: next.success? })
    });
    let has_own = own().next();
    if let (Some(left_out), None) = (left_out, has_own) {
        return Some(left_out);
    }
    let first = later().find_map(|row| row.success.filter(|_| row.failure.is_none()));
    match first {
        Some(success) => Some(Mistake::Parted { failure: has_own, success }),
        None => has_own.map(|failure| Mistake::Refused { failure, success: None }),
    }
}

fn shared_words(one: &str, other: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let others = words(other);
    words(one).iter().filter(|word| others.contains(word)).count()
}

/// An action without the numbers of things (`heat mug with microwave`), so that what is said of it holds of others.
fn without_numbers(action: &str) -> String {
    if action.contains('[') {
        return action.to_owned();
    }
    let words = action.split_whitespace().filter(|word| !word.chars().all(|c| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

/// The lesson of the contrast, in a sentence: a tip to be edited.
pub fn tip(contrast: &Contrast, success: &[Step], failure: &[Step]) -> Option<String> {
    let right = |at: usize| success.get(at).map(|step| without_numbers(&step.action));
    let wrong = |at: usize| failure.get(at).map(|step| without_numbers(&step.action));
    Some(match contrast.mistake? {
        Mistake::Refused { failure, success: Some(other) } if wrong(failure) != right(other) => {
            format!("Write `{}` and not `{}`, which does nothing.", right(other)?, wrong(failure)?)
        }
        Mistake::Refused { failure: at, success: Some(other) } => {
            let (right, wrong) = (&success.get(other)?.action, &failure.get(at)?.action);
            format!("Name things with their numbers: `{right}` and not `{wrong}`, which does nothing.")
        }
        Mistake::Refused { failure, .. } => {
            format!(
                "`{}` does nothing unless what it needs was done before; look again at where you are and what is there.",
                wrong(failure)?
            )
        }
        Mistake::Repeated { failure } => {
            format!(
                "Do not give the same action again (`{}`): try another when nothing new comes of it.",
                wrong(failure)?
            )
        }
        Mistake::LeftOut { success, before } => format!("Before `{}` do `{}`.", right(before)?, right(success)?),
        Mistake::Parted { failure: Some(failure), success } => {
            format!("Rather `{}` than `{}` at this point.", right(success)?, wrong(failure)?)
        }
        Mistake::Parted { failure: None, success } => format!("Do not stop before `{}`.", right(success)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(list: &[(&str, &str)]) -> Vec<Step> {
        let step = |(action, observed): &(&str, &str)| Step {
            action: (*action).to_owned(),
            observation: Some((*observed).to_owned()),
            ..Step::default()
        };
        list.iter().map(step).collect()
    }

    fn said(success: &[(&str, &str)], failure: &[(&str, &str)]) -> (Contrast, String) {
        let (success, failure) = (steps(success), steps(failure));
        let contrast = Contrast::of(&success, &failure);
        let tip = tip(&contrast, &success, &failure).unwrap_or_default();
        (contrast, tip)
    }

    #[test]
    fn the_refused_action_stands_against_the_one_that_worked() {
        let (contrast, tip) = said(
            &[("take mug 1 from desk 1", "ok"), ("go to microwave 1", "ok"), ("heat mug 1 with microwave 1", "hot")],
            &[
                ("take mug 1 from desk 1", "ok"),
                ("go to stoveburner 1", "ok"),
                ("heat mug 1 with stoveburner 1", "Nothing happens."),
                ("heat mug 1 with stoveburner 1", "Nothing happens."),
            ],
        );
        assert_eq!(contrast.mistake, Some(Mistake::Refused { failure: 2, success: Some(2) }));
        assert_eq!(contrast.parts_at, Some(1));
        assert_eq!(contrast.rows[contrast.marked().unwrap()].failure, Some(2));
        assert_eq!(tip, "Write `heat mug with microwave` and not `heat mug with stoveburner`, which does nothing.");
    }

    #[test]
    fn what_was_left_out_and_what_was_repeated_are_told_apart() {
        let bought = [("search[mug]", "r"), ("click[B01]", "i"), ("click[blue]", "c"), ("click[Buy Now]", "")];
        let (contrast, tip) = said(&bought, &[bought[0], bought[1], bought[3]]);
        assert_eq!(contrast.mistake, Some(Mistake::LeftOut { success: 2, before: 3 }));
        assert_eq!(tip, "Before `click[Buy Now]` do `click[blue]`.");
        let numbers = [("take mug 1 from desk 1", "ok")];
        let (_, tip) = said(&numbers, &[("take mug from desk", "Nothing happens.")]);
        assert_eq!(
            tip,
            "Name things with their numbers: `take mug 1 from desk 1` and not `take mug from desk`, which does nothing."
        );
        let (contrast, _) = said(&bought, &[bought[0], ("click[Next >]", "n"), ("click[Next >]", "n")]);
        assert_eq!(contrast.mistake, Some(Mistake::Repeated { failure: 2 }));
        let (contrast, tip) = said(&bought, &bought[..2]);
        assert_eq!(contrast.mistake, Some(Mistake::Parted { failure: None, success: 2 }));
        assert_eq!(tip, "Do not stop before `click[blue]`.");
        let (contrast, tip) = said(&bought, &bought);
        assert_eq!((contrast.mistake, contrast.marked(), tip.as_str()), (None, None, ""));
    }

    #[test]
    fn the_call_that_failed_is_told_from_those_before() {
        let cut = |calls: &[&str]| -> Vec<Segment> {
            let part =
                |(at, call): (usize, &&str)| Segment { skill: (*call).to_owned(), args: vec![], start: at, end: at };
            calls.iter().enumerate().map(part).collect()
        };
        let good = cut(&["find", "take", "find", "use"]);
        let seen = |refused: Option<usize>| -> Vec<(&str, &str)> {
            (0..4).map(|at| ("x", if refused == Some(at) { "Nothing happens." } else { "ok" })).collect()
        };
        let failed = |calls: &[&str], refused| failed_call(&good, &cut(calls), &steps(&seen(refused)));
        assert_eq!(failed(&["find", "take", "find"], None), Some((2, 2)), "the second, at which it ended");
        assert_eq!(failed(&["find", "take", "find"], Some(1)), Some((1, 1)));
        assert_eq!(failed(&["find", "take", "use"], None), Some((3, 2)));
        assert_eq!(failed(&["find", "heat", "find"], None), Some((1, 1)), "what the success did there");
        assert_eq!(failed(&[], None), None);
        assert_eq!(failed_call(&[], &good, &[]), None);
    }

    #[test]
    fn every_step_stands_in_one_row_in_order() {
        let long: Vec<(&str, &str)> = (0..1700).map(|i| if i % 3 == 0 { ("a", "") } else { ("b", "") }).collect();
        let (one, other) = (steps(&long), steps(&long[..1600]));
        let contrast = Contrast::of(&one, &other);
        let left: Vec<usize> = contrast.rows.iter().filter_map(|row| row.success).collect();
        let right: Vec<usize> = contrast.rows.iter().filter_map(|row| row.failure).collect();
        assert!(left.iter().copied().eq(0..1700) && right.iter().copied().eq(0..1600));
    }
}
