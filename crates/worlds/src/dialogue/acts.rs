//! Dialogue acts of the Schema-Guided Dialogue dataset, and what each takes as an argument in a program.

/// The argument of an act. Values of slots are never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Slot,
    Intent,
    /// Nothing, even where the dataset gives more.
    Nothing,
}

impl Argument {
    /// The parameter's name in the specification; `None` where there is none.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Argument::Slot => Some("slot"),
            Argument::Intent => Some("intent"),
            Argument::Nothing => None,
        }
    }
}

pub type Act = (&'static str, Argument);

pub const USER_ACTS: [Act; 11] = [
    ("INFORM_INTENT", Argument::Intent),
    ("NEGATE_INTENT", Argument::Nothing),
    ("AFFIRM_INTENT", Argument::Nothing),
    ("REQUEST_ALTS", Argument::Nothing),
    ("INFORM", Argument::Slot),
    ("REQUEST", Argument::Slot),
    ("GOODBYE", Argument::Nothing),
    ("THANK_YOU", Argument::Nothing),
    ("SELECT", Argument::Nothing),
    ("AFFIRM", Argument::Nothing),
    ("NEGATE", Argument::Nothing),
];

/// The system's acts beside service calls, in the order of the paper's Figure 4.
pub const SYSTEM_ACTS: [Act; 10] = [
    ("INFORM", Argument::Slot),
    ("REQUEST", Argument::Slot),
    ("GOODBYE", Argument::Nothing),
    ("OFFER", Argument::Slot),
    ("INFORM_COUNT", Argument::Nothing),
    ("OFFER_INTENT", Argument::Intent),
    ("CONFIRM", Argument::Slot),
    ("NOTIFY_SUCCESS", Argument::Nothing),
    ("NOTIFY_FAILURE", Argument::Nothing),
    ("REQ_MORE", Argument::Nothing),
];

/// The object the user's calls are made on.
pub const USER: &str = "user";
/// The object the system's calls are made on.
pub const SYSTEM: &str = "system";
/// The observation that reports how a service call ended.
pub(crate) const QUERY_STATUS: &str = "set_query_status";

/// The argument of an act of that name; `None` if there is no such act.
pub fn argument(acts: &[Act], name: &str) -> Option<Argument> {
    acts.iter().find(|(act, _)| *act == name).map(|(_, argument)| *argument)
}

pub fn names(acts: &[Act]) -> String {
    acts.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
