//! Earlier edits. What a person changed of an action's candidates before a session was opened again; decides the fate of candidates
//! that arrive again. Evaluates nothing.

use stepwright_episode::{CandidateEdit, CandidateMark};

/// The changes, in order, each with whether it was made again.
#[derive(Debug, Clone, Default)]
pub(super) struct Earlier(Vec<(CandidateEdit, bool)>);

impl Earlier {
    pub(super) fn new(edits: Vec<CandidateEdit>) -> Self {
        Earlier(edits.into_iter().map(|edit| (edit, false)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mark that a candidate of that text was left with; `None` where it was taken out, or replaced by one that is
    /// there already.
    pub(super) fn left(&mut self, text: &str) -> Option<CandidateMark> {
        let fresh = CandidateMark { text: text.to_owned(), rejected: false };
        if self.0.iter().any(|(edit, made)| *made && edit.before.as_ref() == Some(&fresh) && !keeps_text(edit)) {
            return None;
        }
        self.follow(0, fresh)
    }

    /// The candidates still to be added, with their rows: a person's own, and those made of candidates that did not
    /// come again.
    pub(super) fn added(&mut self) -> Vec<(usize, CandidateMark)> {
        let mut found = Vec::new();
        for at in 0..self.0.len() {
            let Some((edit, made)) = self.0.get_mut(at).filter(|(edit, made)| !made && !keeps_text(edit)) else {
                continue;
            };
            *made = true;
            let (row, after) = (edit.at, edit.after.clone());
            if let Some(mark) = after.and_then(|after| self.follow(at + 1, after)) {
                found.push((row, mark));
            }
        }
        found
    }

    /// Goes through the changes of one candidate from that one on, and notes them as made.
    fn follow(&mut self, from: usize, mut mark: CandidateMark) -> Option<CandidateMark> {
        for (edit, made) in self.0.iter_mut().skip(from) {
            if !*made && edit.before.as_ref() == Some(&mark) {
                *made = true;
                mark = edit.after.clone()?;
            }
        }
        Some(mark)
    }
}

/// Whether a change only marks a candidate.
fn keeps_text(edit: &CandidateEdit) -> bool {
    matches!((&edit.before, &edit.after), (Some(before), Some(after)) if before.text == after.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str, rejected: bool) -> Option<CandidateMark> {
        Some(CandidateMark { text: text.into(), rejected })
    }

    fn edit(at: usize, before: Option<CandidateMark>, after: Option<CandidateMark>) -> CandidateEdit {
        CandidateEdit { at, before, after }
    }

    #[test]
    fn candidates_come_as_they_were_left() {
        let mut earlier = Earlier::new(vec![
            edit(0, mark("b", false), mark("b", true)),
            edit(0, mark("b", true), mark("c", false)),
            edit(3, None, mark("d", false)),
            edit(3, mark("d", false), mark("e", false)),
            edit(2, mark("x", false), mark("y", false)),
            edit(1, mark("z", false), mark("z", true)),
        ]);
        assert_eq!(earlier.left("a"), mark("a", false));
        assert_eq!(earlier.left("b"), mark("c", false));
        let added: Vec<(usize, String)> = earlier.added().into_iter().map(|(at, m)| (at, m.text)).collect();
        assert_eq!(added, [(3, "e".to_owned()), (2, "y".to_owned())]);
        assert!(earlier.added().is_empty(), "once");
        assert_eq!(earlier.left("x"), None, "replaced, and its successor is there");
        assert_eq!(earlier.left("z"), mark("z", true), "a mark waits for its candidate");
    }
}
