//! Theme files, `themes/*.toml`: those that ship, and the user's, which win where they share a name.
//!
//! A file names its colours, styles by role, glyphs, and a theme to inherit from. Colours are names, `#rrggbb` or 0 to 255; where
//! the terminal shows fewer, the nearest it has. Errors name the file and the line.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

use super::color::{self, Depth};
use super::theme::{ASCII, Glyphs, ROLES, Role, Theme, UNICODE};
use stepwright_text::words::of_types;
use stepwright_world::options::known_names;

const SHIPPED: [(&str, &str); 5] = [
    ("dark", include_str!("../themes/dark.toml")),
    ("light", include_str!("../themes/light.toml")),
    ("high-contrast", include_str!("../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../themes/colour-blind.toml")),
    ("monochrome", include_str!("../themes/monochrome.toml")),
];

/// Longest chain of inheritance; a longer one goes in circles.
const MAX_CHAIN: usize = 8;
const LARGEST: u64 = 256 << 10;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    about: String,
    inherits: Option<String>,
    #[serde(default)]
    colors: BTreeMap<String, ColorText>,
    #[serde(default)]
    roles: BTreeMap<String, StyleSpec>,
    #[serde(default)]
    glyphs: BTreeMap<String, String>,
}

/// A colour as written: checked when the theme is put together, since it may name one of `[colors]`.
type ColorText = toml::Spanned<ColorWord>;

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ColorWord {
    Index(u8),
    Name(String),
}

#[derive(Debug, Clone, Default)]
struct StyleSpec {
    fg: Option<ColorText>,
    bg: Option<ColorText>,
    modifiers: Modifier,
}

impl<'de> Deserialize<'de> for StyleSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            fg: Option<ColorText>,
            bg: Option<ColorText>,
            #[serde(default)]
            bold: bool,
            #[serde(default)]
            dim: bool,
            #[serde(default)]
            italic: bool,
            #[serde(default)]
            underlined: bool,
            #[serde(default)]
            reversed: bool,
            #[serde(default)]
            crossed_out: bool,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = StyleSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour, or a table of fg, bg, bold, dim, italic, underlined, reversed, crossed-out")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StyleSpec, E> {
                let word = toml::Spanned::new(0..0, ColorWord::Name(text.to_owned()));
                Ok(StyleSpec { fg: Some(word), ..StyleSpec::default() })
            }

            fn visit_i64<E: de::Error>(self, index: i64) -> Result<StyleSpec, E> {
                let index = u8::try_from(index).map_err(|_| E::custom("an indexed colour is 0 to 255"))?;
                Ok(StyleSpec { fg: Some(toml::Spanned::new(0..0, ColorWord::Index(index))), ..StyleSpec::default() })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StyleSpec, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                let flags = [
                    (table.bold, Modifier::BOLD),
                    (table.dim, Modifier::DIM),
                    (table.italic, Modifier::ITALIC),
                    (table.underlined, Modifier::UNDERLINED),
                    (table.reversed, Modifier::REVERSED),
                    (table.crossed_out, Modifier::CROSSED_OUT),
                ];
                let modifiers = flags.into_iter().filter(|(on, _)| *on).map(|(_, m)| m).collect();
                Ok(StyleSpec { fg: table.fg, bg: table.bg, modifiers })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub folder: Option<&'a Path>,
    /// The theme asked for; without it `dark`, or `monochrome` where there are no colours.
    pub name: Option<&'a str>,
    pub ascii: bool,
    pub depth: Depth,
}

/// All themes, the one asked for first; and what is wrong with those that cannot be read.
/// Errors: when the theme asked for does not exist or cannot be read: what, where, what to do.
pub fn load(wanted: Wanted<'_>) -> Result<(Vec<Theme>, Vec<String>), String> {
    let mut sources: BTreeMap<String, (String, String)> = SHIPPED
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (format!("themes/{name}.toml"), (*text).to_owned())))
        .collect();
    let mut problems = own_themes(wanted.folder, &mut sources);
    let first = match (wanted.name, wanted.depth) {
        (Some(name), _) => name,
        (None, Depth::None) => "monochrome",
        (None, _) => "dark",
    };
    if !sources.contains_key(first) {
        let names: Vec<&str> = sources.keys().map(String::as_str).collect();
        return Err(format!("no theme `{first}`; {}", known_names(first, &names)));
    }
    let glyphs = if wanted.ascii { ASCII } else { UNICODE };
    let mut order: Vec<&str> = SHIPPED.iter().map(|(n, _)| *n).collect();
    order.extend(sources.keys().map(String::as_str).filter(|n| !SHIPPED.iter().any(|(s, _)| s == n)));
    order.sort_by_key(|n| *n != first);
    let mut themes = Vec::with_capacity(order.len());
    for name in order {
        match build(name, &sources, &glyphs, wanted) {
            Ok(theme) => themes.push(theme),
            Err(problem) if name == first => return Err(problem),
            Err(problem) => problems.push(problem),
        }
    }
    Ok((themes, problems))
}

fn own_themes(folder: Option<&Path>, sources: &mut BTreeMap<String, (String, String)>) -> Vec<String> {
    let mut problems = Vec::new();
    // A folder that is not there holds no themes: nothing is wrong with that.
    let Some(entries) = folder.and_then(|f| std::fs::read_dir(f).ok()) else { return problems };
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(name) = path.file_stem().and_then(|s| s.to_str()) else { continue };
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        match stepwright_files::read_text(&path, LARGEST) {
            Ok(text) => {
                sources.insert(name.to_owned(), (path.display().to_string(), text));
            }
            Err(error) => problems.push(format!("{}: {error}", path.display())),
        }
    }
    problems
}

/// Puts a theme together: its own settings over those it inherits.
fn build(
    name: &str,
    sources: &BTreeMap<String, (String, String)>,
    glyphs: &Glyphs,
    wanted: Wanted<'_>,
) -> Result<Theme, String> {
    let mut chain = Vec::new();
    let mut next = Some(name.to_owned());
    while let Some(name) = next {
        let Some((path, text)) = sources.get(&name) else {
            let from = chain.last().map_or(String::new(), |(path, _, _): &(&str, &str, File)| format!("{path}: "));
            let names: Vec<&str> = sources.keys().map(String::as_str).collect();
            return Err(format!("{from}inherits from `{name}`, which is no theme; there are: {}", names.join(", ")));
        };
        let line = |e: &toml::de::Error| e.span().map_or(1, |span| line_at(text, span.start));
        let file: File = toml::from_str(text).map_err(|e| format!("{path}:{}: {}", line(&e), of_types(e.message())))?;
        next = file.inherits.clone();
        chain.push((path.as_str(), text.as_str(), file));
        if chain.len() > MAX_CHAIN {
            return Err(format!("{path}: `inherits` goes in circles; let one of the themes inherit from nothing"));
        }
    }
    chain.reverse();
    let mut theme = Theme::monochrome(glyphs.clone());
    theme.name = name.to_owned();
    theme.about = chain.last().map_or(String::new(), |(_, _, f)| f.about.clone());
    for role in ROLES {
        theme.set(*role, Style::new());
    }
    let mut named: BTreeMap<&str, Color> = BTreeMap::new();
    for (path, text, file) in &chain {
        for (name, word) in &file.colors {
            named.insert(name, resolve(word, &BTreeMap::new()).map_err(|e| at(path, text, name, word, &e))?);
        }
    }
    for (path, text, file) in &chain {
        for (key, spec) in &file.roles {
            let role = Role::from_str(key).map_err(|_| {
                let names: Vec<&str> = ROLES.iter().map(|role| role.into()).collect();
                format!("{path}:{}: no role `{key}`; there are: {}", line_of_key(text, key), names.join(", "))
            })?;
            let color = |word: &Option<ColorText>| -> Result<Option<Color>, String> {
                let Some(word) = word else { return Ok(None) };
                resolve(word, &named).map(|c| wanted.depth.nearest(c)).map_err(|e| at(path, text, key, word, &e))
            };
            theme.set(role, Style { fg: color(&spec.fg)?, bg: color(&spec.bg)?, ..modifiers(spec.modifiers) });
        }
        if !wanted.ascii {
            // A person who asks for ASCII gets it, whatever the theme says.
            set_glyphs(&mut theme.glyphs, file).map_err(|e| format!("{path}: {e}"))?;
        }
    }
    // Where few colours make the chosen row look like any other, reverse video marks it.
    let chosen = theme.style(Role::Selected);
    if chosen.bg == theme.style(Role::Text).bg && wanted.depth != Depth::True {
        theme.set(Role::Selected, chosen.add_modifier(Modifier::REVERSED));
    }
    Ok(theme)
}

fn modifiers(modifiers: Modifier) -> Style {
    Style::new().add_modifier(modifiers)
}

fn resolve(word: &ColorText, named: &BTreeMap<&str, Color>) -> Result<Color, String> {
    match word.get_ref() {
        ColorWord::Index(index) => Ok(Color::Indexed(*index)),
        ColorWord::Name(name) => named.get(name.as_str()).copied().or_else(|| color::parse(name)).ok_or_else(|| {
            format!("`{name}` is no colour; write a name of [colors], black to white, bright-red, #rrggbb or 0 to 255")
        }),
    }
}

/// An error with its place. Colours written in short form have no span; their key's line is as good.
fn at(path: &str, text: &str, key: &str, word: &ColorText, error: &str) -> String {
    let span = word.span();
    let line = if span.is_empty() { line_of_key(text, key) } else { line_at(text, span.start) };
    format!("{path}:{line}: {error}")
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |t| t.matches('\n').count()) + 1
}

fn line_of_key(text: &str, key: &str) -> usize {
    let own = |l: &str| l.trim_start().strip_prefix(key).is_some_and(|r| r.trim_start().starts_with('='));
    text.lines().position(own).map_or(1, |i| i + 1)
}

fn set_glyphs(glyphs: &mut Glyphs, file: &File) -> Result<(), String> {
    let unknown = |key: &str| format!("[glyphs] knows `set = \"ascii\"` or `set = \"unicode\"` only, not `{key}`");
    for (key, value) in &file.glyphs {
        *glyphs = match (key.as_str(), value.as_str()) {
            ("set", "ascii") => ASCII,
            ("set", "unicode") => UNICODE,
            ("set", other) => return Err(unknown(other)),
            (other, _) => return Err(unknown(other)),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests;
