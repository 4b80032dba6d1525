//! The names of files of preconditions.

use stepwright_episode::Header;

use super::adopted::ADOPTED_SUFFIX;

/// A name for the file of what is in force in a session: its world's and, where each service has a specification of its own, the
/// service's.
pub fn file_name(header: &Header) -> String {
    let is_plain = !header.service.is_empty() && header.service.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let service = if is_plain { format!("-{}", header.service) } else { String::new() };
    format!("{}{service}{ADOPTED_SUFFIX}", header.world)
}
