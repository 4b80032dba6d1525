//! The services beside an episode, each in a room of its own: candidate preconditions (`candidates`), forms of states (`form`), knowledge of skills (`skills`),
//! recorded logs (`logs`), the decisions of earlier sessions and logs (`library`), several asked at one step (`duel`). The driver runs them from a list ([`all`]) and knows
//! none; distilling without a session is in [`headless`].

mod candidates;
mod duel;
mod form;
mod library;
mod logs;
mod skills;

pub use candidates::CandidateService;
pub use duel::{DuelService, can_begin};
pub use form::FormService;
pub use library::LibraryService;
pub use logs::LogService;
pub use skills::{SkillService, headless};

use stepwright_driver::Service;
use stepwright_library::Shelf;
use stepwright_precondition::CandidateAsks;

/// All services, for a session in which candidates are asked for in this way, beside this library; `infers`: candidates are enumerated as
/// soon as it is open.
pub fn all(asks: CandidateAsks, shelf: Shelf, infers: bool) -> Vec<Box<dyn Service>> {
    vec![
        Box::new(CandidateService::new(asks, infers)),
        Box::new(FormService::default()),
        Box::new(SkillService::default()),
        Box::new(LogService),
        Box::new(LibraryService::new(shelf)),
        Box::new(DuelService::default()),
    ]
}
