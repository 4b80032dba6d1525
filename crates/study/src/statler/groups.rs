//! Episodes by domain, method and model: what a row of a table is about.

use std::collections::BTreeMap;

use super::paper;
use super::scores::Played;
use crate::paper::PublishedFigure;

/// The episodes of a domain that a method with a model went through.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub domain: String,
    pub method: String,
    pub model: String,
    /// The model as publications name it.
    pub published: String,
    /// Whether they are under the paper's settings, and no limit ended an episode early.
    pub whole: bool,
    pub played: Vec<Played>,
}

impl Group {
    /// The group of these names; a new one at the end where there is none.
    pub fn of<'a>(groups: &'a mut Vec<Group>, domain: &str, method: &str, model: &str) -> &'a mut Group {
        let found = groups.iter().position(|g| g.domain == domain && g.method == method && g.model == model);
        let at = found.unwrap_or(groups.len());
        if found.is_none() {
            let (domain, method, model) = (domain.to_owned(), method.to_owned(), model.to_owned());
            let published = model.clone();
            groups.push(Group { domain, method, model, published, whole: true, played: Vec::new() });
        }
        &mut groups[at]
    }

    /// Plays of each episode, with every seed.
    pub(crate) fn units(&self) -> Vec<Vec<&Played>> {
        let mut units: BTreeMap<&str, Vec<&Played>> = BTreeMap::new();
        self.played.iter().for_each(|played| units.entry(&played.episode).or_default().push(played));
        units.into_values().collect()
    }

    /// The paper's figure, where it was measured under the same condition.
    pub(crate) fn printed(&self, measure: &str) -> Option<PublishedFigure> {
        paper::of(&self.domain, &self.method, &self.published, self.units().len(), measure).filter(|_| self.whole)
    }
}
