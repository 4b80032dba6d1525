//! Pasted text: what of it an input takes: nothing that acts on a terminal, one line where there is one, all of it or none.
//!
//! Saying that a text is too long is the application's.

use super::sanitize;

/// Most bytes a field of one line in a dialog takes: what a person types, not a file pasted by mistake.
pub(crate) const LINE: usize = 4_000;

/// Most bytes a text of many lines takes, and what is typed in a pane.
pub const LINES: usize = 64 * 1024;

/// The text as one line: line breaks inside become spaces, those at the end go, what is hazardous is spelled out.
pub fn line(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']).replace("\r\n", " ").replace(['\n', '\r'], " ");
    sanitize::visible(&text).into_owned()
}

/// The text as lines: each way to break a line becomes `\n`, tabs stay, what is hazardous is spelled out.
pub fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    sanitize::printed(&text).into_owned()
}

/// The text if it fits into `room` bytes. Half a text would be taken for the whole one.
pub fn whole(text: String, room: usize) -> Option<String> {
    (!text.is_empty() && text.len() <= room).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_spelled_out() {
        assert_eq!(line("take\r\nmug\x1b[2J\n"), "take mug\\x1b[2J");
        assert_eq!(lines("a\tb\r\nc\rd\x1b]0;x\x07\u{202e}"), "a\tb\nc\nd\\x1b]0;x\\x07\\u{202e}");
    }

    #[test]
    fn a_text_is_taken_whole_or_not_at_all() {
        assert_eq!(whole("äb".into(), 3).as_deref(), Some("äb"));
        assert_eq!(whole("äb".into(), 2), None);
        assert_eq!(whole(String::new(), 2), None);
    }
}
