//! Kinds of studies, by the name in their results: how their lines are read again and tabulated.

use super::report::Report;
use super::runner::{Entry, Study, lines_of};
use super::{blocking, o3d, policy, precondition, reprompt, run, statler};

/// A study whose lines can be tabulated without carrying it out.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    report: fn(&[&Entry], bool) -> Result<Report, String>,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

pub(crate) const KINDS: [Kind; 7] = [
    Kind::of::<run::Run>(),
    Kind::of::<precondition::Preconditions>(),
    Kind::of::<policy::Policies>(),
    Kind::of::<blocking::Blocking>(),
    Kind::of::<statler::live::Requests>(),
    Kind::of::<o3d::O3d>(),
    Kind::of::<reprompt::Reprompt>(),
];

impl Kind {
    const fn of<S: Study>() -> Self {
        Kind { name: S::NAME, report: |entries, detail| Ok(S::report(&lines_of(entries.iter().copied())?, detail)) }
    }

    pub fn named(name: &str) -> Result<Self, String> {
        let known = || KINDS.map(|kind| kind.name).join(", ");
        let found = KINDS.into_iter().find(|kind| kind.name == name);
        found.ok_or_else(|| format!("there is no study `{name}`; there are {}", known()))
    }

    /// The tables of lines; `detail` asks for more rows.
    pub fn report(self, entries: &[&Entry], detail: bool) -> Result<Report, String> {
        (self.report)(entries, detail).map_err(|why| format!("no result of `{}`: {why}", self.name))
    }
}
