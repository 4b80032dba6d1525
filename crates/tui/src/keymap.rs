//! Key map: keys by name, and which key does what; the action table's defaults with the user's keys over them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::actions::{ACTIONS, ActionId, ActionSpec, Context};

/// A key with its modifiers, in one normal form: shift is part of the character where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

pub(crate) const NAMED: [(&str, KeyCode); 16] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("minus", KeyCode::Char('-')),
];

impl Chord {
    pub fn event(&self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    pub fn of(event: &KeyEvent) -> Self {
        Self::normal(event.code, event.modifiers)
    }

    fn normal(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers & (KeyModifiers::SHIFT | KeyModifiers::CONTROL | KeyModifiers::ALT);
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) => {
                let c = if modifiers.contains(KeyModifiers::SHIFT) && c.is_ascii_lowercase() {
                    c.to_ascii_uppercase()
                } else if modifiers.contains(KeyModifiers::CONTROL) {
                    c.to_ascii_lowercase()
                } else {
                    c
                };
                modifiers -= KeyModifiers::SHIFT;
                KeyCode::Char(c)
            }
            other => other,
        };
        Chord { code, modifiers }
    }

    /// Reads `ctrl-a`, `alt-1`, `shift-tab`, `f5`, `enter`, `?`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once('-').filter(|(_, tail)| !tail.is_empty()) {
            modifiers |= match head.to_ascii_lowercase().as_str() {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return Err(format!("`{text}` is no key: `{head}` is none of ctrl, alt, shift")),
            };
            rest = tail;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() => KeyCode::Char(c),
            _ => Self::named(&rest.to_ascii_lowercase()).ok_or_else(|| {
                let names = NAMED.map(|(name, _)| name).join(", ");
                format!("`{text}` is no key; write a character, f1 to f12, or one of {names}, with ctrl-, alt- or shift- before it")
            })?,
        };
        Ok(Self::normal(code, modifiers))
    }

    fn named(name: &str) -> Option<KeyCode> {
        if let Some((_, code)) = NAMED.iter().find(|(n, _)| *n == name) {
            return Some(*code);
        }
        let number: u8 = name.strip_prefix('f')?.parse().ok()?;
        (1..=12).contains(&number).then_some(KeyCode::F(number))
    }
}

impl fmt::Display for Chord {
    /// In the usual notation: `Ctrl-A`, `Tab`, `?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("Shift-")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(c) if self.modifiers.contains(KeyModifiers::CONTROL) => {
                write!(f, "{}", c.to_ascii_uppercase())
            }
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::Up => f.write_str("Up"),
            KeyCode::Down => f.write_str("Down"),
            KeyCode::Left => f.write_str("Left"),
            KeyCode::Right => f.write_str("Right"),
            KeyCode::Delete => f.write_str("Del"),
            other => write!(f, "{other}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserKeys {
    pub action: String,
    pub keys: Vec<String>,
    /// Where it is written (`config.toml:12`), for errors.
    pub place: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bound: HashMap<(Context, Chord), ActionId>,
    keys: BTreeMap<ActionId, Vec<Chord>>,
}

impl Keymap {
    /// The defaults with a person's keys in place of those of the actions they name. A key taken from another action of the same
    /// context by default is that action's loss; the remarks name every action that is left without a key so. Two actions given
    /// the same key by the person are an error.
    pub fn with_user(user: &[UserKeys]) -> Result<(Self, Vec<String>), String> {
        let mut problems = Vec::new();
        let mut given: HashMap<(Context, Chord), (&str, &str)> = HashMap::new();
        let mut keys: BTreeMap<ActionId, Vec<Chord>> = ACTIONS.iter().map(|s| (s.id, default_chords(s))).collect();
        for entry in user {
            let Some(spec) = ACTIONS.iter().find(|s| s.name == entry.action) else {
                problems.push(format!("{}: no action `{}`{}", entry.place, entry.action, nearest(&entry.action)));
                continue;
            };
            let mut chords = Vec::new();
            for key in &entry.keys {
                match Chord::parse(key) {
                    Ok(chord) => chords.push(chord),
                    Err(error) => problems.push(format!("{}: {error}", entry.place)),
                }
            }
            for chord in &chords {
                if let Some((other, place)) = given.insert((spec.context, *chord), (&entry.action, &entry.place))
                    && other != entry.action
                {
                    problems.push(format!(
                        "{}: {chord} is given to `{other}` at {place} and to `{}`; choose another key for one of them",
                        entry.place, entry.action
                    ));
                }
            }
            keys.insert(spec.id, chords);
        }
        let mut remarks = Vec::new();
        for spec in ACTIONS.iter().filter(|s| !user.iter().any(|u| u.action == s.name)) {
            let Some(chords) = keys.get_mut(&spec.id) else { continue };
            let lost = chords.iter().find_map(|c| Some((*c, *given.get(&(spec.context, *c))?)));
            chords.retain(|c| !given.contains_key(&(spec.context, *c)));
            if let Some((chord, (taker, place))) = lost.filter(|_| chords.is_empty()) {
                remarks
                    .push(format!("{place}: {chord} is `{taker}` now; `{}` has no key left, give it one", spec.name));
            }
        }
        if keys.get(&ActionId::Quit).is_none_or(Vec::is_empty) && keys.get(&ActionId::Palette).is_none_or(Vec::is_empty)
        {
            problems.push("no key is left for `quit` or `palette`: give one of them a key".into());
        }
        if problems.is_empty() { Ok((Self::bind(keys), remarks)) } else { Err(problems.join("\n")) }
    }

    fn bind(keys: BTreeMap<ActionId, Vec<Chord>>) -> Self {
        let mut bound = HashMap::new();
        for spec in ACTIONS.iter() {
            for chord in keys.get(&spec.id).into_iter().flatten() {
                bound.insert((spec.context, *chord), spec.id);
            }
        }
        Keymap { bound, keys }
    }

    pub fn lookup(&self, context: Context, chord: Chord) -> Option<ActionId> {
        self.bound.get(&(context, chord)).copied()
    }

    pub fn keys(&self, id: ActionId) -> &[Chord] {
        self.keys.get(&id).map_or(&[], Vec::as_slice)
    }

    pub fn hint(&self, id: ActionId) -> Option<String> {
        self.keys(id).first().map(Chord::to_string)
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self::bind(ACTIONS.iter().map(|s| (s.id, default_chords(s))).collect())
    }
}

fn default_chords(spec: &ActionSpec) -> Vec<Chord> {
    spec.keys.iter().filter_map(|k| Chord::parse(k).ok()).collect()
}

/// The action names most like a misspelt one, as a hint.
fn nearest(name: &str) -> String {
    let mut scored: Vec<(usize, &str)> =
        ACTIONS.iter().map(|s| (strsim::levenshtein(name, &s.name), s.name.as_str())).collect();
    scored.sort_unstable();
    let close: Vec<&str> = scored.iter().take_while(|(d, _)| *d <= 3).take(3).map(|(_, n)| *n).collect();
    if close.is_empty() {
        "; docs/reference/keys.md lists them".into()
    } else {
        format!("; nearest: {}", close.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(action: &str, keys: &[&str]) -> UserKeys {
        let keys = keys.iter().map(|k| (*k).to_owned()).collect();
        UserKeys { action: action.into(), keys, place: "config.toml:7".into() }
    }

    #[test]
    fn default_keys_parse_and_do_not_collide_within_a_context() {
        let mut seen = HashMap::new();
        for spec in ACTIONS.iter() {
            for key in &spec.keys {
                let chord = Chord::parse(key).unwrap();
                let before = seen.insert((spec.context, chord), &spec.name);
                assert_eq!(before, None, "{key} of {}", spec.name);
            }
        }
    }

    #[test]
    fn no_default_is_the_tmux_prefix() {
        let prefix = Chord::parse("ctrl-b").unwrap();
        assert!(ACTIONS.iter().all(|s| !default_chords(s).contains(&prefix)));
    }

    #[test]
    fn written_and_pressed_keys_agree() {
        let pressed = |code, modifiers| Chord::of(&KeyEvent::new(code, modifiers));
        assert_eq!(Chord::parse("G").unwrap(), pressed(KeyCode::Char('G'), KeyModifiers::SHIFT));
        assert_eq!(Chord::parse("shift-g").unwrap(), pressed(KeyCode::Char('G'), KeyModifiers::NONE));
        assert_eq!(Chord::parse("shift-tab").unwrap(), pressed(KeyCode::BackTab, KeyModifiers::SHIFT));
        assert_eq!(Chord::parse("?").unwrap(), pressed(KeyCode::Char('?'), KeyModifiers::SHIFT));
        assert_eq!(Chord::parse("ctrl-A").unwrap(), pressed(KeyCode::Char('a'), KeyModifiers::CONTROL));
        assert_eq!(Chord::parse("-").unwrap(), pressed(KeyCode::Char('-'), KeyModifiers::NONE));
        assert!(Chord::parse("hyper-x").is_err() && Chord::parse("f99").is_err() && Chord::parse("").is_err());
    }

    #[test]
    fn a_person_s_key_replaces_and_displaces() {
        let (map, remarks) = Keymap::with_user(&[user("approve", &["ctrl-a", "e"])]).unwrap();
        assert_eq!(remarks, ["config.toml:7: e is `approve` now; `edit` has no key left, give it one"]);
        assert_eq!(map.lookup(Context::Gate, Chord::parse("e").unwrap()), Some(ActionId::Approve));
        assert_eq!(map.lookup(Context::Gate, Chord::parse("a").unwrap()), None);
        assert_eq!(map.keys(ActionId::Edit), &[]);
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        let error = Keymap::with_user(&[
            user("aprove", &["a"]),
            user("undo", &["hyper-u"]),
            user("note", &["f9"]),
            user("tree", &["f9"]),
        ])
        .unwrap_err();
        assert!(error.contains("config.toml:7: no action `aprove`; nearest: approve"), "{error}");
        assert!(error.contains("`hyper` is none of"), "{error}");
        assert!(error.contains("F9 is given to `note`"), "{error}");
    }
}
