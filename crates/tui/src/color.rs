//! Colours: their notation, the terminal's depth, the nearest colour at that depth, and contrast.

use ratatui::style::Color;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    None,
    Sixteen,
    Indexed,
    True,
}

/// The sixteen named colours: name, colour, and how it usually looks.
const NAMED: [(&str, Color, (u8, u8, u8)); 16] = [
    ("black", Color::Black, (0, 0, 0)),
    ("red", Color::Red, (170, 0, 0)),
    ("green", Color::Green, (0, 140, 0)),
    ("yellow", Color::Yellow, (170, 130, 0)),
    ("blue", Color::Blue, (40, 60, 200)),
    ("magenta", Color::Magenta, (170, 0, 170)),
    ("cyan", Color::Cyan, (0, 150, 150)),
    ("white", Color::Gray, (190, 190, 190)),
    ("bright-black", Color::DarkGray, (110, 110, 110)),
    ("bright-red", Color::LightRed, (255, 100, 100)),
    ("bright-green", Color::LightGreen, (100, 255, 100)),
    ("bright-yellow", Color::LightYellow, (255, 255, 100)),
    ("bright-blue", Color::LightBlue, (110, 140, 255)),
    ("bright-magenta", Color::LightMagenta, (255, 110, 255)),
    ("bright-cyan", Color::LightCyan, (100, 255, 255)),
    ("bright-white", Color::White, (255, 255, 255)),
];

/// Levels of each component in the 6x6x6 cube of the indexed colours.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Depth {
    /// The depth by `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn of_environment() -> Self {
        let var = |name| std::env::var(name).unwrap_or_default();
        Self::of(!var("NO_COLOR").is_empty(), &var("COLORTERM"), &var("TERM"))
    }

    fn of(no_color: bool, colorterm: &str, term: &str) -> Self {
        match () {
            () if no_color || term == "dumb" => Depth::None,
            () if matches!(colorterm, "truecolor" | "24bit") || term.ends_with("-direct") => Depth::True,
            () if term.contains("256color")
                || matches!(term, "xterm-kitty" | "xterm-ghostty" | "foot" | "alacritty") =>
            {
                Depth::Indexed
            }
            () => Depth::Sixteen,
        }
    }

    /// The nearest colour that is shown; `None` where there are none.
    pub fn nearest(self, color: Color) -> Option<Color> {
        match (self, color) {
            (Depth::None, _) => None,
            (Depth::Indexed, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_index((r, g, b)))),
            (Depth::Sixteen, Color::Rgb(..) | Color::Indexed(16..)) => Some(nearest_named(rgb(color)?)),
            (Depth::Sixteen, Color::Indexed(index)) => NAMED.get(usize::from(index)).map(|n| n.1),
            _ => Some(color),
        }
    }
}

/// Whether the terminal's ground is light: as `COLORFGBG` says, else as the terminal answers when it is asked.
pub fn ground_is_light() -> bool {
    let colours = std::env::var("COLORFGBG").unwrap_or_default();
    match colours.rsplit(';').next().filter(|index| !index.is_empty()) {
        Some(index) => matches!(index, "7" | "15"),
        None => {
            super::terminal::ask_ground().and_then(|text| answered(&text)).is_some_and(|ground| luminance(ground) > 0.5)
        }
    }
}

/// The colour in a terminal's answer about its ground: `rgb:RR/GG/BB` of one to four digits each.
fn answered(text: &str) -> Option<(u8, u8, u8)> {
    let (_, rest) = text.split_once("\x1b]11;rgb")?;
    let (_, rest) = rest.split_once(':')?;
    let mut parts = rest.split(|c: char| !c.is_ascii_hexdigit()).take(3).map(|digits| {
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        u8::try_from(u32::from_str_radix(digits, 16).ok()? * 255 / most).ok()
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

/// Reads `red`, `bright-red`, `#rrggbb` or `0` to `255`.
pub fn parse(text: &str) -> Option<Color> {
    if let Some((_, color, _)) = NAMED.iter().find(|(n, ..)| *n == text) {
        return Some(*color);
    }
    if text == "default" {
        return Some(Color::Reset);
    }
    if let Some(hex) = text.strip_prefix('#').filter(|h| h.len() == 6 && h.bytes().all(|b| b.is_ascii_hexdigit())) {
        let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        return Some(Color::Rgb(r, g, b));
    }
    text.parse().ok().map(Color::Indexed)
}

pub fn index(color: Color) -> Option<usize> {
    match color {
        Color::Indexed(index) => Some(usize::from(index)).filter(|i| *i < NAMED.len()),
        other => NAMED.iter().position(|n| n.1 == other),
    }
}

/// How a colour looks, where that is known.
pub fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index @ 16..=231) => {
            let level = |i: u8| CUBE.get(usize::from(i % 6)).copied();
            Some((level((index - 16) / 36)?, level((index - 16) / 6)?, level(index - 16)?))
        }
        Color::Indexed(index @ 232..) => {
            let grey = 8 + 10 * (index - 232);
            Some((grey, grey, grey))
        }
        named => NAMED.get(index(named)?).map(|n| n.2),
    }
}

fn distance((r, g, b): (u8, u8, u8), (x, y, z): (u8, u8, u8)) -> u32 {
    // Weighted by how much the eye makes of each.
    let part = |a: u8, b: u8, weight: u32| u32::from(a.abs_diff(b)).pow(2) * weight;
    part(r, x, 3) + part(g, y, 6) + part(b, z, 1)
}

fn nearest_index(wanted: (u8, u8, u8)) -> u8 {
    // The first sixteen are the person's own and may look like anything.
    (16..=255).min_by_key(|i| rgb(Color::Indexed(*i)).map_or(u32::MAX, |c| distance(c, wanted))).unwrap_or(15)
}

/// Between the brightest and the darkest component of what still is a grey.
const GREY: u8 = 48;

/// Of the sixteen: a grey for a grey, else the colour of that hue, however far it is: a tick is green, and dim text is not blue.
fn nearest_named((r, g, b): (u8, u8, u8)) -> Color {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most - least < GREY {
        let greys = NAMED.iter().filter(|(.., (r, g, b))| r == g && g == b);
        return greys.min_by_key(|named| distance(named.2, (r, g, b))).map_or(Color::Reset, |named| named.1);
    }
    let sum = u16::from(most) + u16::from(least);
    let hue = [r, g, b].into_iter().zip([1, 2, 4]).filter(|(part, _)| u16::from(*part) * 2 > sum).map(|(_, bit)| bit);
    let bright = if sum > 255 { 8 } else { 0 };
    NAMED.get(hue.sum::<usize>() + bright).map_or(Color::Reset, |named| named.1)
}

/// Contrast of two colours by WCAG 2, from 1 to 21; `None` where a colour's appearance is not known.
pub fn contrast(a: Color, b: Color) -> Option<f64> {
    let (a, b) = (luminance(rgb(a)?), luminance(rgb(b)?));
    Some((a.max(b) + 0.05) / (a.min(b) + 0.05))
}

/// By WCAG 2, from 0 (black) to 1.
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!(parse("bright-red"), Some(Color::LightRed));
        assert_eq!(parse("#0a0B0c"), Some(Color::Rgb(10, 11, 12)));
        assert_eq!(parse("33"), Some(Color::Indexed(33)));
        for wrong in ["#12345", "#12345é", "300", "reddish", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_nearest_is_near() {
        assert_eq!(Depth::Indexed.nearest(Color::Rgb(255, 0, 0)), Some(Color::Indexed(196)));
        assert_eq!(Depth::Sixteen.nearest(Color::Rgb(250, 250, 250)), Some(Color::White));
        assert_eq!(Depth::Sixteen.nearest(Color::Indexed(1)), Some(Color::Red));
        assert_eq!(Depth::None.nearest(Color::Red), None);
    }

    #[test]
    fn a_terminals_answer_about_its_ground_is_read() {
        for (text, ground) in [
            ("\x1b]11;rgb:fbfb/fafa/f7f7\x1b\\\x1b[?62;4c", Some((251, 250, 247))),
            ("\x1b]11;rgb:00/80/ff\x07", Some((0, 128, 255))),
            ("\x1b]11;rgba:f/f/0/f\x07", Some((255, 255, 0))),
            ("\x1b[?1;2c", None),
            ("\x1b]11;rgb:zz/00/00\x07", None),
            ("\x1b]11;rgb:fffff0000/0/0\x07", None),
        ] {
            assert_eq!(answered(text), ground, "{text:?}");
        }
    }

    #[test]
    fn the_environment_decides_the_depth() {
        assert_eq!(Depth::of(true, "truecolor", "xterm"), Depth::None);
        assert_eq!(Depth::of(false, "truecolor", "xterm"), Depth::True);
        assert_eq!(Depth::of(false, "", "tmux-256color"), Depth::Indexed);
        assert_eq!(Depth::of(false, "", "linux"), Depth::Sixteen);
    }

    #[test]
    fn black_on_white_is_the_most() {
        assert!((contrast(Color::Black, Color::White).unwrap() - 21.0).abs() < 1e-9);
    }
}
