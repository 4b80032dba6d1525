//! Choice by likelihood: the model writes nothing; each admissible action is scored as the program's next line.
//!
//! Mean log-probability per token ranks the actions (or the sum, [`LIKELIHOOD`]), and Algorithm 1's verification picks: the
//! likeliest whose assertions hold. Small models that cannot write a line rank actions well; see docs/explanation/decisions.md. The world's
//! list of admissible actions is used, so this method knows more than the paper's policies: it is never to be compared with them
//! without saying so.

use super::precondition_aware::recommend_first;
use stepwright_episode::{AskKind, Proposal, Role};
use stepwright_method::next_action::{Next, NextAction};
use stepwright_method::options::{ASSERTIONS, BELIEF, BLOCKING, LIKELIHOOD, RANKED, SHOTS, TEMPERATURE, THINK};
use stepwright_method::skills::TIPS;
use stepwright_method::{MethodInfo, Needs, Round};
use stepwright_world::Ability;

/// Choice by likelihood.
pub(super) const METHOD: NextAction = NextAction {
    info: MethodInfo {
        id: "scored",
        label: "Choice by likelihood",
        description: "Scores every admissible action as the program's next line; takes the likeliest whose \
                      preconditions hold. For models that tell log-probabilities of given texts; best for small ones.",
        options: &[SHOTS, THINK, ASSERTIONS, LIKELIHOOD, TEMPERATURE, RANKED, BELIEF, BLOCKING, TIPS],
        roles: &[Role::Selector, Role::Proposer],
        needs: Needs { world_with_model: &[Ability::Admissible], scores: true, ..Needs::NONE },
        ..MethodInfo::BARE
    },
    shows_assertions: true,
    ranked: 5,
    next: |round, _| next(round),
};

pub(super) fn next(round: Round<'_>) -> Next {
    let proposals: Vec<&Proposal> = round.proposals().collect();
    if round.has_asked(&AskKind::RANKED) {
        return recommend_first(round.turn, &proposals, "ranked proposal");
    }
    if !round.has_asked(&AskKind::SCORED) && !round.has_asked(&AskKind::SAMPLES) {
        return Next::Score;
    }
    recommend_first(round.turn, &proposals, "scored action")
}
