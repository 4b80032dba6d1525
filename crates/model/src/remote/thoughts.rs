//! Reasoning, separated from the answer where a server leaves it in the text: `<think>…</think>` and its like at the beginning.

/// How reasoning is marked, each opening with its closing.
const MARKS: [(&str, &str); 5] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text,
    Reasoning,
}

/// Separates the two as the text arrives, in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    state: State,
    held: String,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    /// Nothing but white space so far, or the beginning of a mark.
    #[default]
    Start,
    Within(&'static str),
    /// After reasoning: white space is skipped.
    Behind,
    Answer,
}

impl Thoughts {
    /// Whether nothing but white space has arrived.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.state, State::Start) && self.held.trim().is_empty()
    }

    /// Takes in more text; what can be classified goes to `emit`.
    pub(super) fn push(&mut self, text: &str, mut emit: impl FnMut(Piece, &str)) {
        if matches!(self.state, State::Answer) {
            return emit(Piece::Text, text);
        }
        self.held.push_str(text);
        loop {
            match self.state {
                State::Start => {
                    let begun = self.held.trim_start();
                    if let Some((open, close)) = MARKS.iter().find(|(open, _)| begun.starts_with(open)) {
                        self.held = begun.get(open.len()..).unwrap_or_default().to_owned();
                        self.state = State::Within(close);
                    } else if MARKS.iter().any(|(open, _)| open.starts_with(begun)) {
                        return;
                    } else {
                        return self.answer(emit);
                    }
                }
                State::Within(close) => {
                    if let Some((thought, rest)) = self.held.split_once(close) {
                        emit(Piece::Reasoning, thought);
                        self.held = rest.to_owned();
                        self.state = State::Behind;
                        continue;
                    }
                    // The end of what is held may be the beginning of the mark.
                    let mut keep = self.held.len().saturating_sub(close.len());
                    while !self.held.is_char_boundary(keep) {
                        keep -= 1;
                    }
                    let rest = self.held.split_off(keep);
                    emit(Piece::Reasoning, &self.held);
                    self.held = rest;
                    return;
                }
                State::Behind => {
                    let rest = self.held.trim_start().to_owned();
                    self.held = rest;
                    if self.held.is_empty() {
                        return;
                    }
                    return self.answer(emit);
                }
                State::Answer => return,
            }
        }
    }

    fn answer(&mut self, mut emit: impl FnMut(Piece, &str)) {
        self.state = State::Answer;
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            emit(Piece::Text, &held);
        }
    }

    /// The text has ended: what is held is emitted.
    pub(super) fn end(&mut self, mut emit: impl FnMut(Piece, &str)) {
        match self.state {
            State::Within(_) => emit(Piece::Reasoning, &std::mem::take(&mut self.held)),
            _ => self.answer(emit),
        }
    }
}

/// Text whose reasoning was opened in the prompt, so that its closing mark alone is in it: reasoning and answer.
pub(super) fn headless(text: &str) -> Option<(&str, &str)> {
    let closed = |(_, close): &(&str, &str)| {
        let at = text.rfind(close)?;
        Some((text.get(..at)?, text.get(at + close.len()..)?.trim_start()))
    };
    MARKS.iter().find_map(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separated(text: &str, size: usize) -> (String, String) {
        let (mut thoughts, mut found) = (Thoughts::default(), (String::new(), String::new()));
        let mut emit = |piece: Piece, text: &str| match piece {
            Piece::Reasoning => found.0.push_str(text),
            Piece::Text => found.1.push_str(text),
        };
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            thoughts.push(&piece.iter().collect::<String>(), &mut emit);
        }
        thoughts.end(&mut emit);
        found
    }

    #[test]
    fn reasoning_is_separated_in_pieces_of_any_size() {
        for size in [1, 2, 3, 7, 100] {
            for (text, reasoning, answer) in [
                ("put mug", "", "put mug"),
                ("<think>\nthe mug é is <b>\n</think>\n\nput mug", "\nthe mug é is <b>\n", "put mug"),
                (" \n[THINK]hm[/THINK]look", "hm", "look"),
                ("<thinking>a</think></thinking>b", "a</think>", "b"),
                ("<think>never ends", "never ends", ""),
                ("<th", "", "<th"),
                ("a <think>b</think>", "", "a <think>b</think>"),
                ("<think></think>x", "", "x"),
            ] {
                assert_eq!(separated(text, size), (reasoning.to_owned(), answer.to_owned()), "{text:?} by {size}");
            }
        }
        assert_eq!(headless("hm, so\n</think>\nput"), Some(("hm, so\n", "put")));
        assert_eq!(headless("put"), None);
    }
}
