//! Landlock: no file, no TCP port, no signal to others, no abstract socket of others. There are no exceptions, so there are no rules.

use landlock::{ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetStatus, Scope};

/// The newest interface that was tried.
const NEWEST: ABI = ABI::V6;

/// Gives up what landlock knows to give up, for this thread and those it starts; says how far it holds, nothing where it does not.
pub(crate) fn give_up() -> String {
    let restricted = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.restrict_self());
    let Ok(status) = restricted else { return String::new() };
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => kernel_abi.unwrap_or(effective_abi as i32),
        _ => return String::new(),
    };
    match status.ruleset {
        RulesetStatus::FullyEnforced => format!("version {version}"),
        RulesetStatus::PartiallyEnforced => format!("version {version}, which does not know all that is given up"),
        RulesetStatus::NotEnforced => String::new(),
    }
}
