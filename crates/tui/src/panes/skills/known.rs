//! The view of what is known: the changes that are offered, then the skills with their primitives and tips.

use stepwright_skill::Skill;

use super::{Item, SkillsPane};
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Row, run};

impl SkillsPane {
    pub(super) fn known_items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(offered) = &self.offered {
            items.push(Item::Offer);
            items.extend((0..offered.changes.len()).map(Item::Change));
        }
        for (at, skill) in self.known.skills.iter().enumerate() {
            items.push(Item::Skill(at));
            items.extend((0..skill.primitives.len()).map(|nth| Item::Primitive(at, nth)));
            items.extend((0..skill.tips.len()).map(|nth| Item::Tip(Some(at), nth)));
        }
        if !self.known.tips.is_empty() {
            items.push(Item::Note("Tips of no skill".to_owned()));
            items.extend((0..self.known.tips.len()).map(|nth| Item::Tip(None, nth)));
        }
        items
    }

    fn skill(&self, at: usize) -> Option<&Skill> {
        self.known.skills.get(at)
    }

    pub(super) fn tip(&self, skill: Option<usize>, at: usize) -> Option<&String> {
        match skill {
            Some(skill) => self.skill(skill)?.tips.get(at),
            None => self.known.tips.get(at),
        }
    }

    pub(super) fn known_row(&self, item: &Item, theme: &Theme) -> Row {
        match item {
            Item::Offer => {
                let title = self.offered.as_ref().map(|offered| offered.title.as_str()).unwrap_or_default();
                vec![run(Role::Warn, "! offered: "), run(Role::Accent, title)]
            }
            Item::Change(at) => {
                let Some(offered) = &self.offered else { return Row::new() };
                let text = offered.changes.get(*at).map(ToString::to_string).unwrap_or_default();
                let role = match text.chars().next() {
                    _ if offered.left_out.contains(at) => Role::Dim,
                    Some('+') => Role::Added,
                    Some('-') => Role::Removed,
                    _ => Role::Changed,
                };
                let mark = if offered.left_out.contains(at) { theme.glyphs.no } else { theme.glyphs.yes };
                vec![run(Role::Dim, format!("  {mark} ")), run(role, text)]
            }
            Item::Skill(at) => match self.skill(*at) {
                Some(skill) => {
                    let uses =
                        if skill.uses.is_empty() { String::new() } else { format!("  uses {}", skill.uses.join(", ")) };
                    vec![run(Role::Title, skill.signature.to_string()), run(Role::Dim, uses)]
                }
                None => Row::new(),
            },
            Item::Primitive(skill, at) => {
                let primitive = self.skill(*skill).and_then(|skill| skill.primitives.get(*at));
                let Some(primitive) = primitive else { return Row::new() };
                let example = primitive.examples.first().map(|e| format!("  {e}")).unwrap_or_default();
                vec![run(Role::Text, format!("    {}", primitive.syntax)), run(Role::Dim, example)]
            }
            Item::Tip(skill, at) => {
                let tip = self.tip(*skill, *at).map(String::as_str).unwrap_or_default();
                vec![run(Role::Accent, format!("    {} ", theme.glyphs.dot)), run(Role::Text, tip)]
            }
            _ => Row::new(),
        }
    }
}
