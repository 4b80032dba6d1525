//! What blocks actions, beside any method: the live tree of blocking conditions that follows an episode, and the layer that checks actions
//! against it.
//!
//! The rules of growth are [`stepwright_world::blocking`]'s; `tree` follows the episode, `skills` offers adopted skills as resolutions. The
//! method that selects among the leaves of the tree stands above this crate, as all methods do.

pub mod skills;
mod tree;

pub use tree::{ARTIFACT, LiveTree};

use super::{Answer, Checks, Context, DerivedState, Method, MethodInfo, Needs, Reading, Step, VetoedAction};
use stepwright_episode::{Action, Ask, Check, CheckKind, Status};
use stepwright_world::Ability;
use stepwright_world::blocking::{BlockingSource, BlockingTree};

/// The layer that checks actions of any method against the blocking conditions of the domain. It keeps nothing from being
/// executed; a method that uses verdicts uses these too.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockingChecks;

impl Method for BlockingChecks {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "blocking-checks",
            label: "Blocking checks",
            description: "What blocks an action is among its checks, and a tree grows from an action that is refused.",
            needs: Needs { world: &[Ability::Admissible], local: true, ..Needs::NONE },
            ..MethodInfo::BARE
        }
    }

    fn step(&self, _cx: &Context<'_>) -> Step {
        Step::Pass
    }

    fn read(&self, _cx: &Context<'_>, _ask: &Ask, _answer: &Answer) -> Reading {
        Reading::Problem("the blocking checks ask nothing".to_owned())
    }

    fn check(&self, cx: &Context<'_>, action: &Action, _offered: bool) -> Checks {
        let tree = LiveTree::at(cx).filter(|tree| tree.growth().action(&action.text).is_some());
        let helps = |made: Option<String>| match made {
            Some(made) => format!("what makes `{made}` true may help"),
            None => "nothing is known to help".to_owned(),
        };
        tree.map_or_else(Checks::default, |tree| Checks::Beside(vec![blocks(tree, &action.text, helps)]))
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        follow(cx)
    }

    /// In front of the goals stands what grows from the action that was refused last, or kept from being tried.
    fn goals(&self, cx: &Context<'_>, vetoed: Option<&VetoedAction>) -> Option<BlockingTree> {
        let (tree, goals) = (LiveTree::at(cx)?, shown(cx)?);
        let vetoed = vetoed.and_then(|vetoed| tree.of_vetoed(vetoed, cx.world));
        Some(match vetoed.as_ref().or_else(|| tree.growth().refused()) {
            Some(refused) => refused.shown_before(goals),
            None => goals,
        })
    }
}

/// A tree derived from the assertions, where the world has no domain and does its steps here.
pub fn follow(cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
    let derives = matches!(cx.knowledge.blocking, BlockingSource::Assertions);
    let due = derives && LiveTree::at(cx).is_none();
    Some(Box::new(due.then(|| LiveTree::derive(cx)).flatten()?))
}

/// Whether something blocks an action, as a check; `detail` says what follows, given what would resolve it.
pub fn blocks(tree: &LiveTree, text: &str, detail: impl Fn(Option<String>) -> String) -> Check {
    let check = |condition: String, status, detail| Check { kind: CheckKind::Blocking, condition, status, detail };
    let domain = tree.domain();
    match tree.growth().blocking(text, tree.facts()) {
        Some((condition, resolution)) => {
            let detail = detail(resolution.map(|r| domain.recorded(&r)));
            check(domain.in_words(&condition), Status::Fails, Some(detail))
        }
        None => match tree.growth().waived(text) {
            Some(waived) => check("nothing else blocks it".to_owned(), Status::Holds, Some(waived.to_owned())),
            None => check("nothing blocks it".to_owned(), Status::Holds, None),
        },
    }
}

/// The tree at the cursor, with the calls of skills that would resolve what blocks.
pub fn shown(cx: &Context<'_>) -> Option<BlockingTree> {
    let tree = LiveTree::at(cx)?;
    Some(skills::shown(cx, tree, tree.growth().shown(tree.facts())))
}

/// That the session's domain is not available, and what to do.
pub fn gone(why: &str) -> String {
    let why = why.lines().next().unwrap_or_default();
    format!(
        "the blocking domain of this session cannot be had: {why}. There are no blocking trees without it; put the file back and \
         open the session again, or choose another method"
    )
}
