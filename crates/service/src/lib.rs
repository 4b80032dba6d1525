//! The services beside an episode, each in a room of its own: candidate preconditions (`candidates`), knowledge of skills (`skills`),
//! recorded logs (`logs`). The driver runs them from a list ([`all`]) and knows none; distilling without a session is in [`headless`].

mod candidates;
mod logs;
mod skills;

pub use candidates::CandidateService;
pub use logs::LogService;
pub use skills::{SkillService, headless};

use stepwright_driver::Service;
use stepwright_method::precondition::CandidateAsks;

/// All services, for a session in which candidates are asked for in this way.
pub fn all(asks: CandidateAsks) -> Vec<Box<dyn Service>> {
    vec![Box::new(CandidateService::new(asks)), Box::new(SkillService::default()), Box::new(LogService)]
}
