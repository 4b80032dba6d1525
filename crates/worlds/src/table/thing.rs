//! Things that can lie on a table: each with a name, and what the name says of their kind.

/// The target that is no object.
pub const TABLE: &str = "table";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Block,
    /// Holds stacks side by side.
    Bowl,
    Disinfector,
    /// Can be moved; hides the block it is put over.
    Cover,
}

impl Kind {
    /// The kind of a thing of that name; `None` for names that say nothing of it. A slip of letters, or something behind the word,
    /// does not matter.
    pub fn of(name: &str) -> Option<Kind> {
        let kinds =
            [("block", Kind::Block), ("bowl", Kind::Bowl), ("disinfector", Kind::Disinfector), ("cover", Kind::Cover)];
        let is = |word: &str, kind: &str| word.starts_with(kind) || is_slip(word, kind);
        let of = |word: &str| kinds.into_iter().find(|(kind, _)| is(&word.to_lowercase(), kind));
        name.split(' ').rev().find_map(of).map(|(_, kind)| kind)
    }

    /// Whether things lie in it side by side.
    pub fn contains(self) -> bool {
        matches!(self, Kind::Bowl | Kind::Disinfector)
    }
}

/// Whether a word is another with its letters in the wrong order (`blcok`).
pub(super) fn is_slip(word: &str, of: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.len() >= 4 && word.len() == of.len() && word.chars().next() == of.chars().next() && sorted(word) == sorted(of)
}

/// A name as it is compared: underscores count as spaces.
pub(crate) fn tidy(name: &str) -> String {
    name.replace('_', " ").trim().to_owned()
}

/// "the a, the b, and the c"; empty for none.
pub fn list(names: &[String]) -> String {
    let the: Vec<String> = names.iter().map(|name| format!("the {name}")).collect();
    match the.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// "in the tin bowl", "on the table".
pub fn at(target: &str) -> String {
    let inside = target != TABLE && Kind::of(target).is_some_and(Kind::contains);
    format!("{} the {target}", if inside { "in" } else { "on" })
}

pub(crate) const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
                           sixteen seventeen eighteen nineteen twenty";

/// "three blocks", "no bowls".
pub fn counted(count: usize, noun: &str) -> String {
    let number = match NUMBERS.split_whitespace().nth(count) {
        Some("zero") => "no".to_owned(),
        known => known.map_or_else(|| count.to_string(), str::to_owned),
    };
    format!("{number} {noun}{}", if count == 1 { "" } else { "s" })
}
