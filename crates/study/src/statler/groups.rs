//! Episodes by domain, method and model: what a row of a table is about.

use super::scores::Played;

/// The episodes of a domain that a method with a model went through.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub domain: String,
    pub method: String,
    pub model: String,
    pub played: Vec<Played>,
}

impl Group {
    /// The group of these names; a new one at the end where there is none.
    pub fn of<'a>(groups: &'a mut Vec<Group>, domain: &str, method: &str, model: &str) -> &'a mut Group {
        let found = groups.iter().position(|g| g.domain == domain && g.method == method && g.model == model);
        let at = found.unwrap_or(groups.len());
        if found.is_none() {
            let (domain, method, model) = (domain.to_owned(), method.to_owned(), model.to_owned());
            groups.push(Group { domain, method, model, played: Vec::new() });
        }
        &mut groups[at]
    }
}
