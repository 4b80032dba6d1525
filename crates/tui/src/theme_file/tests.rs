use super::*;

fn wanted<'a>(name: Option<&'a str>, folder: Option<&'a Path>) -> Wanted<'a> {
    Wanted { folder, name, ascii: false, depth: Depth::True }
}

#[test]
fn the_shipped_themes_load_and_set_every_role_readably() {
    let (themes, problems) = load(wanted(Some("dark"), None)).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(themes.len(), SHIPPED.len());
    for theme in themes.iter().filter(|t| t.name != "monochrome") {
        let ground = theme.style(Role::Text).bg.unwrap();
        for &role in ROLES {
            let style = theme.style(role);
            let fg = style.fg.unwrap_or_else(|| panic!("{} lacks {role:?}", theme.name));
            let ratio = color::contrast(fg, style.bg.unwrap_or(ground)).unwrap();
            // WCAG AA for text; borders are lines, not text.
            let least = if role == Role::Border { 1.5 } else { 4.5 };
            assert!(ratio >= least, "{} {role:?}: {ratio:.2}", theme.name);
        }
    }
}

/// A colour as an eye without red (0), green (1) or blue (2) receptors sees it, in linear light (Viénot, Brettel and Mollon 1999 for
/// the first two; a rough stand-in that drops blue for the third).
fn seen_without(receptor: usize, color: Color) -> [f64; 3] {
    let (r, g, b) = color::rgb(color).unwrap();
    let [r, g, b] = [r, g, b].map(|c| (f64::from(c) / 255.0).powf(2.2));
    match receptor {
        0 => [0.112_38 * r + 0.887_62 * g, 0.112_38 * r + 0.887_62 * g, 0.004_01 * r - 0.004_01 * g + b],
        1 => [0.292_75 * r + 0.707_25 * g, 0.292_75 * r + 0.707_25 * g, -0.022_34 * r + 0.022_34 * g + b],
        _ => [r, 0.1 * r + 0.9 * g, 0.1 * r + 0.9 * g],
    }
}

#[test]
fn the_colour_blind_theme_tells_pass_from_fail_and_added_from_removed() {
    let (themes, _) = load(wanted(Some("colour-blind"), None)).unwrap();
    let theme = &themes[0];
    let apart = |theme: &Theme, receptor: usize, one: Role, other: Role| {
        let [a, b] = [one, other].map(|role| seen_without(receptor, theme.style(role).fg.unwrap()));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    for receptor in 0..3 {
        for (one, other) in [(Role::Good, Role::Bad), (Role::Added, Role::Removed), (Role::Good, Role::Warn)] {
            let distance = apart(theme, receptor, one, other);
            assert!(distance > 0.3, "without receptor {receptor}, {one:?} and {other:?}: {distance:.2}");
        }
    }
    // Which is more than the default theme has for the most frequent kind.
    let (dark, _) = load(wanted(Some("dark"), None)).unwrap();
    assert!(apart(&dark[0], 1, Role::Good, Role::Bad) < apart(theme, 1, Role::Good, Role::Bad));
}

#[test]
fn monochrome_has_no_colour() {
    let (themes, _) = load(Wanted { depth: Depth::None, ..wanted(None, None) }).unwrap();
    assert_eq!(themes[0].name, "monochrome");
    for theme in &themes {
        for &role in ROLES {
            assert_eq!((theme.style(role).fg, theme.style(role).bg), (None, None), "{}", theme.name);
        }
    }
}

#[test]
fn few_colours_get_the_nearest() {
    for (name, quiet, tick) in [("dark", Color::DarkGray, Color::LightGreen), ("light", Color::DarkGray, Color::Green)]
    {
        let (themes, _) = load(Wanted { depth: Depth::Sixteen, ..wanted(Some(name), None) }).unwrap();
        let theme = &themes[0];
        assert_eq!(theme.name, name);
        for &role in ROLES {
            assert!(!matches!(theme.style(role).fg, Some(Color::Rgb(..) | Color::Indexed(_))), "{role:?}");
        }
        // What is in the background stays there, and a tick is green.
        assert_eq!((theme.style(Role::Dim).fg, theme.style(Role::Good).fg), (Some(quiet), Some(tick)), "{name}");
    }
}

/// U14: with sixteen colours no theme gets louder: what was grey is grey, and what had a hue has its hue.
#[test]
fn u14_with_sixteen_colours_a_grey_stays_grey_and_a_hue_its_hue() {
    let parts = |color| color::rgb(color).map(|(r, g, b)| [r, g, b]).unwrap();
    let hues = |color| {
        let parts = parts(color);
        let (most, least) = (parts.into_iter().max().unwrap(), parts.into_iter().min().unwrap());
        let strong = parts.map(|part| u16::from(part) * 2 > u16::from(most) + u16::from(least));
        (most - least >= 48).then_some(strong)
    };
    for (name, _) in SHIPPED.iter().filter(|(name, _)| *name != "monochrome") {
        let at = |depth| load(Wanted { depth, ..wanted(Some(name), None) }).unwrap().0.remove(0);
        let (whole, few) = (at(Depth::True), at(Depth::Sixteen));
        for &role in ROLES {
            let (is, becomes) = (whole.style(role).fg.unwrap(), few.style(role).fg.unwrap());
            assert_eq!(hues(is), hues(becomes), "{name} {role:?}: {is:?} becomes {becomes:?}");
        }
    }
}

fn load_own(text: &str) -> Result<(Vec<Theme>, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), text).unwrap();
    load(wanted(Some("mine"), Some(folder.path())))
}

#[test]
fn an_own_theme_inherits() {
    let (themes, _) =
        load_own("inherits = \"light\"\n[roles]\nkey = { fg = 33, bold = true }\ngood = \"#00ff00\"\n").unwrap();
    let (light, _) = load(wanted(Some("light"), None)).unwrap();
    assert_eq!(themes[0].style(Role::Text), light[0].style(Role::Text));
    assert_eq!(themes[0].style(Role::Key).fg, Some(Color::Indexed(33)));
    assert_eq!(themes[0].style(Role::Good).fg, Some(Color::Rgb(0, 255, 0)));
}

#[test]
fn errors_name_file_line_and_remedy() {
    let cases = [
        ("[roles]\ntext = \"blurple\"\n", "mine.toml:2: `blurple` is no colour"),
        ("[roles]\n\ntext = { fg = \"blurple\" }\n", "mine.toml:3: `blurple` is no colour"),
        ("[roles]\ntextt = \"red\"\n", "mine.toml:2: no role `textt`; there are: text, dim"),
        ("inherit = \"dark\"\n", "mine.toml:1: unknown field `inherit`, expected one of `about`, `inherits`"),
        ("inherits = \"nope\"\n", "inherits from `nope`, which is no theme; there are: colour-blind, dark"),
        ("inherits = \"mine\"\n", "goes in circles"),
        ("[roles]\ntext = { fgg = \"red\" }\n", "mine.toml:2: unknown field `fgg`"),
        ("colour = 1\n", "unknown field `colour`"),
        ("[glyphs]\nyes = \"y\"\n", "[glyphs] knows"),
    ];
    for (text, expected) in cases {
        let error = load_own(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("mine.toml"), "{error}");
    }
    assert!(load(wanted(Some("nope"), None)).unwrap_err().contains("no theme `nope`; there are colour-blind, dark"));
}

#[test]
fn a_broken_theme_that_is_not_asked_for_is_reported_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.toml"), "[[").unwrap();
    let (themes, problems) = load(wanted(Some("dark"), Some(folder.path()))).unwrap();
    assert_eq!(themes.len(), SHIPPED.len());
    assert!(problems[0].contains("bad.toml"));
}
