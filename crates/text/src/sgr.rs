//! Pictures as text: sequences that set the look of what follows (SGR, `ESC [ … m`) are read as such. Nothing else is: what else could act
//! on a terminal stays where it is, for [`crate::sanitize`] to spell out.

use std::borrow::Cow;

/// A colour of the palette of 256, or of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Index(u8),
    Rgb(u8, u8, u8),
}

/// How characters look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub fore: Option<Shade>,
    pub ground: Option<Shade>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underlined: bool,
    pub reversed: bool,
}

/// A text up to the first such sequence, the numbers of that, and what follows it.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find("\x1b[")?;
        let inside = text.get(at + 2..)?;
        let end = inside.find(|c: char| !c.is_ascii_digit() && !matches!(c, ';' | ':'))?;
        if inside.get(end..)?.starts_with('m') {
            return Some((text.get(..at)?, inside.get(..end)?, inside.get(end + 1..)?));
        }
        from = at + 2;
    }
}

/// The text without such sequences.
pub fn plain(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, _, after)) = split(rest) {
        out.push_str(before);
        rest = after;
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The lines of a text in runs of one look; `None` where it has no such sequence.
pub fn lines(text: &str) -> Option<Vec<Vec<(Look, String)>>> {
    split(text)?;
    let (mut look, mut rest) = (Look::default(), text);
    let mut lines = vec![Vec::new()];
    let mut push = |look: Look, text: &str| {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                line.push((look, part.to_owned()));
            }
        }
    };
    while let Some((before, numbers, after)) = split(rest) {
        push(look, before);
        look = look.after(numbers);
        rest = after;
    }
    push(look, rest);
    Some(lines)
}

impl Look {
    /// The look after a sequence; numbers that are not known change nothing.
    fn after(mut self, numbers: &str) -> Self {
        let mut numbers = numbers.split([';', ':']).map(|n| n.parse::<u16>().unwrap_or_default());
        while let Some(number) = numbers.next() {
            let low = u8::try_from(number % 10).unwrap_or_default();
            match number {
                0 => self = Look::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underlined = true,
                7 => self.reversed = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underlined = false,
                27 => self.reversed = false,
                30..=37 => self.fore = Some(Shade::Index(low)),
                38 => self.fore = shade(&mut numbers).or(self.fore),
                39 => self.fore = None,
                40..=47 => self.ground = Some(Shade::Index(low)),
                48 => self.ground = shade(&mut numbers).or(self.ground),
                49 => self.ground = None,
                90..=97 => self.fore = Some(Shade::Index(8 + low)),
                100..=107 => self.ground = Some(Shade::Index(8 + low)),
                _ => {}
            }
        }
        self
    }
}

/// The colour behind 38 or 48: `5;N` or `2;R;G;B`.
fn shade(numbers: &mut impl Iterator<Item = u16>) -> Option<Shade> {
    let form = numbers.next()?;
    let mut part = || u8::try_from(numbers.next()?).ok();
    match form {
        5 => part().map(Shade::Index),
        2 => Some(Shade::Rgb(part()?, part()?, part()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colours_are_read_as_a_look() {
        let frozen = "  (Right)\nSF\x1b[41mF\x1b[0mF\nF\x1b[1;38;5;200;48;2;1;2;3mHF\x1b[22;39mG";
        let lines = lines(frozen).unwrap();
        let look = |text: &str| lines.iter().flatten().find(|(_, t)| t == text).unwrap().0;
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["SF", "F", "F"]);
        assert_eq!(lines[1][1].0, Look { ground: Some(Shade::Index(1)), ..Look::default() });
        let loud =
            Look { fore: Some(Shade::Index(200)), ground: Some(Shade::Rgb(1, 2, 3)), bold: true, ..Look::default() };
        assert_eq!(look("HF"), loud);
        assert_eq!(look("G"), Look { fore: None, bold: false, ..loud });
        assert_eq!(plain(frozen), "  (Right)\nSFFF\nFHFG");
    }

    #[test]
    fn what_else_acts_on_a_terminal_stays() {
        for text in ["a\x1b[2Jb", "\x1b]0;title\x07", "\x1b[31", "\x1b[?25l", "plain"] {
            assert_eq!(plain(text), text);
            assert_eq!(lines(text), None);
        }
        assert_eq!(plain("\x1b[2J\x1b[31mred"), "\x1b[2Jred");
    }

    proptest! {
        #[test]
        fn nothing_else_is_lost(text in "[a\x1b\\[0-9;m\n]{0,40}") {
            if let Some(lines) = lines(&text) {
                let joined: Vec<String> = lines.iter().map(|line| line.iter().map(|(_, t)| t.as_str()).collect()).collect();
                prop_assert_eq!(joined.join("\n"), plain(&text));
            } else {
                prop_assert_eq!(plain(&text), text.as_str());
            }
        }
    }
}
