//! The view of what is known: the changes that are offered, then the skills with their primitives, tips and functions; examples.

use stepwright_skill::{Knowledge, Skill, function};

use super::{Item, SkillsPane};
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Row, run};
use crate::widgets::words::one_line;

impl SkillsPane {
    pub(super) fn known_items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(offered) = &self.offered {
            items.push(Item::Offer);
            items.extend((0..offered.changes.len()).map(Item::Change));
        }
        if self.origin.is_some() && self.known != Knowledge::default() {
            items.push(Item::Note(
                "What the method works with; what you change of it is this session's own copy".to_owned(),
            ));
        }
        for (at, skill) in self.known.skills.iter().enumerate() {
            items.push(Item::Skill(at));
            items.extend((0..skill.primitives.len()).map(|nth| Item::Primitive(at, nth)));
            items.extend((0..skill.tips.len()).map(|nth| Item::Tip(Some(at), nth)));
            items.extend((0..skill.function.len()).map(|nth| Item::Function(at, nth)));
        }
        if !self.known.tips.is_empty() {
            items.push(Item::Note("Tips of no skill".to_owned()));
            items.extend((0..self.known.tips.len()).map(|nth| Item::Tip(None, nth)));
        }
        if !self.known.examples.is_empty() {
            items.push(Item::Note("Examples that policies are shown".to_owned()));
            items.extend((0..self.known.examples.len()).map(Item::Example));
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
            Item::Function(skill, at) => {
                let skill = self.skill(*skill);
                let Some((skill, version)) = skill.and_then(|skill| Some((skill, skill.function.get(*at)?))) else {
                    return Row::new();
                };
                let is_in_force = skill.function_in_force() == Some(version);
                let mark = match (is_in_force, version.works()) {
                    (true, _) => theme.glyphs.here,
                    (false, true) => " ",
                    (false, false) => theme.glyphs.no,
                };
                let role = if version.works() { Role::Good } else { Role::Bad };
                vec![
                    run(Role::Accent, format!("  {mark} ")),
                    run(
                        Role::Text,
                        format!("{} version {}: {}", function::name(&skill.signature), at + 1, one_line(&version.why)),
                    ),
                    run(role, format!("  {}", one_line(&version.tried()))),
                ]
            }
            Item::Example(at) => {
                let Some(example) = self.known.examples.get(*at) else { return Row::new() };
                let arguments = |name: &str| self.known.skill(name).map(|skill| skill.signature.parameters.len());
                let shown = if example.fits(arguments) { "" } else { " (not shown: a skill of it is not known)" };
                vec![
                    run(Role::Text, format!("    {}", example.task())),
                    run(Role::Dim, format!("  {}{shown}", example.calls().join(", "))),
                ]
            }
            _ => Row::new(),
        }
    }
}
