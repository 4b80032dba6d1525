//! Named domains, in place of the one that ships: a file's, or one derived from assertions.

use std::fmt;
use std::path::PathBuf;

/// A blocking domain as it is asked for (`--domain`, `method.domain`, a session's option `domain`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedDomain {
    File(PathBuf),
    /// One derived from the assertions in force, though the world has one.
    Derived,
}

impl NamedDomain {
    /// The word that stands for [`NamedDomain::Derived`]; a file of that name is written with a folder before it (`./derived`).
    pub const DERIVED: &'static str = "derived";
}

impl From<&str> for NamedDomain {
    fn from(text: &str) -> Self {
        match text {
            NamedDomain::DERIVED => NamedDomain::Derived,
            path => NamedDomain::File(path.into()),
        }
    }
}

impl fmt::Display for NamedDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamedDomain::File(path) => path.display().fmt(f),
            NamedDomain::Derived => f.write_str(NamedDomain::DERIVED),
        }
    }
}
