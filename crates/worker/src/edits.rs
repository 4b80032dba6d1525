//! Edits of code, and which line of it each line of the edited code is.

use ruff_text_size::TextRange;

/// Text to put in place of a range.
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    pub(crate) text: String,
    /// Where what the text says stood before, if that is not the range.
    pub(crate) from: Option<usize>,
}

/// The code of a part with its edits, and where each of its lines came from (lines from 0); `None` if they are in each other's way.
pub(crate) fn apply(source: &str, part: TextRange, mut edits: Vec<Edit>) -> Option<Edited> {
    edits.sort_by_key(|edit| edit.range.start());
    let starts: Vec<usize> = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let mut out = Edited::default();
    let mut at = part.start().to_usize();
    for edit in &edits {
        let start = edit.range.start().to_usize();
        out.push(source.get(at..start)?, line(at), 1);
        out.push(&edit.text, line(edit.from.unwrap_or(start)), usize::from(edit.from.is_some()));
        at = edit.range.end().to_usize();
    }
    out.push(source.get(at..part.end().to_usize())?, line(at), 1);
    Some(out)
}

#[derive(Default)]
pub(crate) struct Edited {
    pub(crate) code: String,
    pub(crate) lines: Vec<usize>,
}

impl Edited {
    /// A line is where its first piece came from; `step` is how many lines further each further one of the text is.
    fn push(&mut self, text: &str, from: usize, step: usize) {
        for (n, piece) in text.split_inclusive('\n').enumerate() {
            if self.code.is_empty() || self.code.ends_with('\n') {
                self.lines.push(from + n * step);
            }
            self.code.push_str(piece);
        }
    }
}
