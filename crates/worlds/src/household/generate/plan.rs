//! Solutions of a generated task, two kinds: a short plan by one who knows where everything is, and an expert who has to look.
//!
//! Both write the commands of one edition; neither is shown to an agent except as demonstrations.

use std::collections::BTreeSet;

use crate::household::Edition;
use crate::household::definition::{Definition, ObjectDefinition, Property, ReceptacleDefinition};

/// Writes commands and keeps track of where the agent stands and what is open.
struct Writer<'a> {
    definition: &'a Definition,
    edition: Edition,
    commands: Vec<String>,
    location: &'a str,
    open: BTreeSet<&'a str>,
    /// Receptacles whose contents were shown; only who does not know where things are cares.
    shown: Option<BTreeSet<&'a str>>,
}

impl<'a> Writer<'a> {
    fn new(definition: &'a Definition, edition: Edition) -> Self {
        let open = definition.receptacles.iter().filter(|r| r.opened).map(|r| r.name.as_str()).collect();
        Writer { definition, edition, commands: Vec::new(), location: &definition.start, open, shown: None }
    }

    fn go(&mut self, to: &'a ReceptacleDefinition) {
        if self.location != to.loc {
            self.commands.push(format!("go to {}", to.name));
            self.location = &to.loc;
            self.show(to);
        }
    }

    /// Notes that a receptacle's contents were shown; whether that is news.
    fn show(&mut self, receptacle: &'a ReceptacleDefinition) -> bool {
        self.shown.as_mut().is_some_and(|shown| shown.insert(&receptacle.name))
    }

    fn reach(&mut self, to: &'a ReceptacleDefinition) {
        self.go(to);
        if to.openable && self.open.insert(&to.name) {
            self.commands.push(format!("open {}", to.name));
            self.show(to);
        } else if self.show(to) {
            // It stands where the agent already is: nothing was printed of it on arrival.
            self.commands.push(format!("examine {}", to.name));
        }
    }

    fn close(&mut self, receptacle: &'a ReceptacleDefinition) {
        if self.open.remove(receptacle.name.as_str()) {
            self.commands.push(format!("close {}", receptacle.name));
        }
    }

    fn take(&mut self, object: &ObjectDefinition, from: &ReceptacleDefinition) {
        self.commands.push(format!("take {} from {}", object.name, from.name));
    }

    fn put(&mut self, object: &ObjectDefinition, into: &ReceptacleDefinition) {
        self.commands.push(match self.edition {
            Edition::Put => format!("put {} in/on {}", object.name, into.name),
            Edition::Move => format!("move {} to {}", object.name, into.name),
        });
    }

    /// Goes to the appliance of the goal's condition and uses it on what is held.
    fn prepare(&mut self, object: &ObjectDefinition) -> Option<()> {
        let Some(condition) = self.definition.goal.state else { return Some(()) };
        let (_, verb, appliance, _) = condition.terms();
        let appliance = self.of_kind(appliance).next()?;
        self.go(appliance);
        self.commands.push(format!("{verb} {} with {}", object.name, appliance.name));
        Some(())
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &'a ReceptacleDefinition> {
        let kind = kind.to_owned();
        self.definition.receptacles.iter().filter(move |r| r.kind.as_deref() == Some(&kind))
    }

    fn place_of(&self, object: &ObjectDefinition) -> Option<&'a ReceptacleDefinition> {
        let name = object.inside_of.first()?;
        self.definition.receptacles.iter().find(|r| r.name == *name)
    }

    fn wanted(&self) -> Vec<&'a ObjectDefinition> {
        let kind = self.definition.goal.object.as_str();
        let pickupable = |o: &&ObjectDefinition| o.props.contains(&Property::Pickupable);
        self.definition.objects.iter().filter(|o| o.kind.as_deref() == Some(kind)).filter(pickupable).collect()
    }

    fn lamp(&self) -> Option<(&'a ObjectDefinition, &'a ReceptacleDefinition)> {
        let kind = self.definition.goal.lamp.as_deref()?;
        let lamp = self.definition.objects.iter().find(|o| o.kind.as_deref() == Some(kind))?;
        Some((lamp, self.place_of(lamp)?))
    }
}

/// A short plan in the wording of edition `move`, knowing where everything is; `None` if the task has none of this form.
pub fn solve(definition: &Definition) -> Option<Vec<String>> {
    let mut writer = Writer::new(definition, Edition::Move);
    let count = usize::from(definition.goal.count.unwrap_or(1));
    let objects: Vec<_> = writer.wanted().into_iter().take(count).collect();
    if objects.len() < count {
        return None;
    }
    for object in objects {
        let from = writer.place_of(object)?;
        writer.reach(from);
        writer.take(object, from);
        deliver(&mut writer, object)?;
    }
    Some(writer.commands)
}

/// The commands of an expert who does not know where things are: looks into likely places first, closes what it opened.
///
/// The solution ALFWorld's own hand-coded expert would find is of this kind; it serves as a demonstration. `None` if the task
/// cannot be solved so.
pub fn search_expert(definition: &Definition, edition: Edition) -> Option<Vec<String>> {
    let mut writer = Writer { shown: Some(BTreeSet::new()), ..Writer::new(definition, edition) };
    let mut order: Vec<&ReceptacleDefinition> = definition.receptacles.iter().collect();
    // What is open is looked at before what must be opened; ascending numbers, as a person would.
    order.reverse();
    order.sort_by_key(|r| r.openable);
    let mut left = usize::from(definition.goal.count.unwrap_or(1));
    for place in order {
        if left == 0 {
            break;
        }
        // A task for two collects both in one place; what lies there already needs no carrying.
        if definition.goal.receptacle.as_deref() == place.kind.as_deref() {
            continue;
        }
        writer.reach(place);
        let found = writer.wanted().into_iter().filter(|o| o.inside_of.contains(&place.name)).take(left);
        for object in found {
            writer.reach(place);
            writer.take(object, place);
            writer.close(place);
            left -= 1;
            deliver(&mut writer, object)?;
        }
        if writer.location == place.loc {
            writer.close(place);
        }
    }
    (left == 0).then_some(writer.commands)
}

/// From holding the object to the goal: prepare it and put it down, or switch the lamp on.
fn deliver(writer: &mut Writer<'_>, object: &ObjectDefinition) -> Option<()> {
    if let Some((lamp, at)) = writer.lamp() {
        writer.reach(at);
        writer.commands.push(format!("use {}", lamp.name));
        return Some(());
    }
    writer.prepare(object)?;
    let target = writer.of_kind(writer.definition.goal.receptacle.as_deref()?).next()?;
    writer.reach(target);
    writer.put(object, target);
    Some(())
}
