//! What can lie on a table: things with a name, and what the name says of their kind.

/// The target that is no object.
pub const TABLE: &str = "table";

/// What a thing is, by its name's last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Can be moved and stacked.
    Block,
    /// Holds stacks side by side.
    Bowl,
    /// A bowl that cleans what is in it.
    Disinfector,
    /// Can be moved; hides the block it is put over.
    Cover,
}

impl Kind {
    /// The kind of a thing of that name; `None` for names that say nothing of it.
    pub fn of(name: &str) -> Option<Kind> {
        match name.rsplit(' ').next()? {
            "block" => Some(Kind::Block),
            "bowl" => Some(Kind::Bowl),
            "disinfector" => Some(Kind::Disinfector),
            "cover" => Some(Kind::Cover),
            _ => None,
        }
    }

    /// Whether things lie in it side by side.
    pub fn contains(self) -> bool {
        matches!(self, Kind::Bowl | Kind::Disinfector)
    }
}

/// A name as it is compared: underscores count as blanks.
pub fn tidy(name: &str) -> String {
    name.replace('_', " ").trim().to_owned()
}
