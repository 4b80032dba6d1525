//! Checks: what each action requires, in the simulator's order, and the reason where it is not so. Changes nothing.

use crate::action::Action;
use crate::graph::{At, Graph};
use crate::memory::Memory;
use crate::reason::{Lack, Reason};
use crate::rooms::closed_doors;
use crate::vocabulary::{Property, Relation, State};

/// How many things a seat takes, by class; any other takes one.
const SEATS: [(&str, usize); 8] = [
    ("couch", 4),
    ("bed", 4),
    ("chair", 1),
    ("loveseat", 2),
    ("sofa", 4),
    ("toilet", 1),
    ("pianobench", 2),
    ("bench", 2),
];

/// How many things a thing to lie on takes, by class; any other takes one.
const BEDS: [(&str, usize); 6] = [("couch", 2), ("bathtub", 2), ("bed", 3), ("loveseat", 2), ("sofa", 2), ("bench", 1)];

/// Classes that can be squeezed though they are no clothes.
const SQUEEZABLE: [&str; 12] = [
    "cleaning_solution", "tooth_paste", "shampoo", "food_peanut_butter", "dish_soap", "soap", "towel", "rag", "paper",
    "sponge", "food_lemon", "check",
];

/// Whether a class has a limit of who sits or lies on it.
pub(crate) fn is_seat(class: &str) -> bool {
    SEATS.iter().chain(&BEDS).any(|(seat, _)| *seat == class)
}

fn limit(table: &[(&str, usize)], class: &str) -> usize {
    table.iter().find(|(seat, _)| *seat == class).map_or(1, |(_, most)| *most)
}

impl Graph {
    /// Whether the character is close to a thing: itself, or by something it is close to.
    pub fn is_close(&self, thing: At) -> bool {
        let me = self.character();
        self.holds(me, Relation::Close, thing)
            || self
                .targets(me, Relation::Close)
                .any(|near| self.holds(near, Relation::Close, thing) || self.holds(thing, Relation::On, near))
    }

    /// Whether the character faces a thing: itself, or by something it faces.
    pub fn is_faced(&self, thing: At) -> bool {
        let me = self.character();
        self.holds(me, Relation::Facing, thing)
            || self.targets(me, Relation::Facing).any(|faced| self.holds(faced, Relation::Facing, thing))
    }

    /// The closed container that a thing is directly inside, if any.
    pub(crate) fn closed_container(&self, thing: At) -> Option<At> {
        self.targets(thing, Relation::Inside).find(|box_| !self.node(*box_).is_room() && self.is(*box_, State::Closed))
    }

    /// The things in the character's hands: right hand, then left.
    pub fn held(&self) -> impl Iterator<Item = At> + '_ {
        let me = self.character();
        self.targets(me, Relation::HoldsRight).chain(self.targets(me, Relation::HoldsLeft))
    }

    /// The hand that is free: the right one first.
    pub(crate) fn free_hand(&self) -> Option<Relation> {
        [Relation::HoldsRight, Relation::HoldsLeft]
            .into_iter()
            .find(|hand| self.targets(self.character(), *hand).next().is_none())
    }

    pub fn is_worn(&self, thing: At) -> bool {
        self.holds(thing, Relation::On, self.character())
    }
}

/// The things close to the character and those it faces, all at once: one check finds them by looking through
/// everything that is near, many checks of one moment look them up.
pub(crate) struct Reach {
    close: Vec<bool>,
    faced: Vec<bool>,
}

impl Reach {
    pub fn of(graph: &Graph) -> Reach {
        let me = graph.character();
        let mut reach = Reach { close: vec![false; graph.len()], faced: vec![false; graph.len()] };
        let mark = |marks: &mut Vec<bool>, at: At| marks.get_mut(at.index()).into_iter().for_each(|mark| *mark = true);
        for near in graph.targets(me, Relation::Close) {
            mark(&mut reach.close, near);
            graph.targets(near, Relation::Close).for_each(|at| mark(&mut reach.close, at));
            graph.sources(near, Relation::On).for_each(|at| mark(&mut reach.close, at));
        }
        for faced in graph.targets(me, Relation::Facing) {
            mark(&mut reach.faced, faced);
            graph.targets(faced, Relation::Facing).for_each(|at| mark(&mut reach.faced, at));
        }
        reach
    }
}

/// The checks of one step, on a graph that they only read.
pub(crate) struct Checks<'a> {
    pub graph: &'a Graph,
    pub memory: &'a Memory,
    /// The things in reach, where they were found out for many checks; their reasons are not to be looked at.
    pub reach: Option<&'a Reach>,
}

type Checked = Result<(), Reason>;

impl Checks<'_> {
    fn require(&self, holds: bool, reason: impl FnOnce() -> Reason) -> Checked {
        match self.reach {
            _ if holds => Ok(()),
            // Of many steps only what can be done is asked.
            Some(_) => Err(Reason::Unsupported("")),
            None => Err(reason()),
        }
    }

    fn me(&self) -> crate::reason::Shown {
        self.graph.node(self.graph.character()).shown()
    }

    fn shown(&self, at: At) -> crate::reason::Shown {
        self.graph.node(at).shown()
    }

    fn property(&self, thing: At, property: Property, lack: Lack, or: &[&str]) -> Checked {
        let node = self.graph.node(thing);
        self.require(node.has(property) || or.contains(&&*node.class), || Reason::Unsuited(node.shown(), lack))
    }

    fn is_close(&self, thing: At) -> bool {
        let known = self.reach.and_then(|reach| reach.close.get(thing.index()));
        known.copied().unwrap_or_else(|| self.graph.is_close(thing))
    }

    fn is_faced(&self, thing: At) -> bool {
        let known = self.reach.and_then(|reach| reach.faced.get(thing.index()));
        known.copied().unwrap_or_else(|| self.graph.is_faced(thing))
    }

    fn close(&self, thing: At) -> Checked {
        self.require(self.is_close(thing), || Reason::NotClose(self.me(), self.shown(thing)))
    }

    fn faced(&self, thing: At) -> Checked {
        self.require(self.is_faced(thing), || Reason::NotFacing(self.me(), self.shown(thing)))
    }

    fn free_hand(&self) -> Checked {
        self.require(self.graph.free_hand().is_some(), || Reason::NoFreeHand(self.me()))
    }

    fn holding(&self, thing: At) -> Checked {
        self.require(self.graph.held().any(|held| held == thing), || Reason::NotHolding(self.me(), self.shown(thing)))
    }

    fn reachable_in(&self, thing: At) -> Checked {
        self.require(self.graph.closed_container(thing).is_none(), || Reason::Enclosed(self.shown(thing)))
    }

    fn state(&self, thing: At, state: State) -> Checked {
        self.require(self.graph.is(thing, state), || Reason::NotInState(self.shown(thing), state))
    }

    fn resting(&self) -> Checked {
        self.require(self.graph.states(self.graph.character()).rests(), || Reason::NotResting(self.me()))
    }

    fn room_on(&self, seat: At, table: &[(&str, usize)]) -> Checked {
        let most = limit(table, &self.graph.node(seat).class);
        self.require(self.graph.sources(seat, Relation::On).count() < most, || Reason::Full(self.shown(seat)))
    }

    pub fn walk(&self, thing: At) -> Checked {
        let graph = self.graph;
        let me = graph.character();
        self.require(!graph.states(me).rests(), || Reason::Sitting(self.me()))?;
        let rooms = || (graph.shown_room_of(me), graph.shown_room_of(thing));
        let no_path = || {
            let (here, there) = rooms();
            Reason::NoPath(here, there)
        };
        let (Some(here), Some(there)) = (graph.room_of(me), graph.room_of(thing)) else { return Err(no_path()) };
        if self.is_door_of(thing, here) {
            return Ok(());
        }
        let closed = closed_doors(graph, here, there).ok_or_else(no_path)?;
        self.require(closed.last().is_none_or(|nearest| *nearest == thing), || {
            let (here, there) = rooms();
            Reason::DoorsClosed(closed.iter().map(|door| self.shown(*door)).collect(), here, there)
        })
    }

    fn is_door_of(&self, thing: At, room: At) -> bool {
        let graph = self.graph;
        let leads = graph.holds(thing, Relation::Between, room) || graph.holds(room, Relation::Between, thing);
        leads && graph.is_door_like(thing)
    }

    /// Whether the reference says nothing of a walk that it does not do: to a door of this room that itself is in no room.
    pub(crate) fn is_refused_in_silence(&self, thing: At) -> bool {
        let here = self.graph.room_of(self.graph.character());
        self.graph.room_of(thing).is_none() && here.is_some_and(|here| self.is_door_of(thing, here))
    }

    /// Whether a thing is found where the character is, without walking.
    pub(crate) fn is_found_here(&self, thing: At) -> bool {
        let graph = self.graph;
        graph.is_worn(thing)
            || graph.node(thing).has(Property::BodyPart)
            || self.is_close(thing)
            || graph.states(graph.character()).rests()
    }

    pub fn find_here(&self, thing: At) -> Checked {
        self.close(thing)
    }

    fn put_down(&self, thing: At, relation: Relation, place: At) -> Checked {
        self.holding(thing)?;
        self.close(place)?;
        let shut = relation == Relation::Inside
            && self.graph.node(place).has(Property::CanOpen)
            && !self.graph.is(place, State::Open);
        self.require(!shut, || Reason::Unsuited(self.shown(place), Lack::Opened))
    }

    /// The requirements of an action with its things. Of an action that nothing performs nothing is known.
    pub fn action(&self, action: Action, thing: At, place: Option<At>) -> Checked {
        match (action, place) {
            (Action::Walk | Action::Run, _) => self.walk(thing),
            (Action::Find, _) if self.is_found_here(thing) => self.find_here(thing),
            (Action::Find, _) => self.walk(thing).or_else(|_| self.find_here(thing)),
            (_, None) => self.with_one(action, thing),
            (_, Some(place)) => self.with_two(action, thing, place),
        }
    }

    pub fn alone(&self, action: Action) -> Checked {
        match action {
            Action::StandUp => {
                self.require(self.graph.states(self.graph.character()).rests(), || Reason::NotSitting(self.me()))
            }
            _ => self.resting(),
        }
    }

    pub(crate) fn with_two(&self, action: Action, thing: At, place: At) -> Checked {
        match action {
            Action::PutBack => self.put_down(thing, Relation::On, place),
            Action::PutIn => self.put_down(thing, Relation::Inside, place),
            _ => {
                let node = self.graph.node(thing);
                let pours = node.has(Property::Pourable) || node.has(Property::Drinkable);
                self.require(pours, || Reason::Unsuited(node.shown(), Lack::Pourable))?;
                self.property(place, Property::Recipient, Lack::Recipient, &["hands_both", "sponge", "face"])?;
                self.holding(thing)?;
                self.close(place)
            }
        }
    }

    /// The requirements of an action with one object; walking and finding are apart.
    pub(crate) fn with_one(&self, action: Action, thing: At) -> Checked {
        let graph = self.graph;
        let (me, node) = (graph.character(), graph.node(thing));
        match action {
            Action::Greet => self.property(thing, Property::Person, Lack::Person, &[]),
            Action::Sit => {
                self.close(thing)?;
                self.require(!graph.is(me, State::Sitting), || Reason::Sitting(self.me()))?;
                self.property(thing, Property::Sittable, Lack::Sittable, &[])?;
                self.room_on(thing, &SEATS)
            }
            Action::Lie => {
                self.close(thing)?;
                self.require(!graph.is(me, State::Lying), || Reason::Lying(self.me()))?;
                self.property(thing, Property::Lieable, Lack::Lieable, &[])?;
                self.room_on(thing, &BEDS)
            }
            Action::Grab => {
                self.property(thing, Property::Grabbable, Lack::Grabbable, &["water", "child"])?;
                self.close(thing)?;
                self.reachable_in(thing)?;
                self.free_hand()
            }
            Action::Open => {
                self.property(thing, Property::CanOpen, Lack::Opening, &["desk", "window"])?;
                self.close(thing)?;
                self.free_hand()?;
                self.state(thing, State::Closed)?;
                self.require(!graph.is(thing, State::On), || Reason::StillOn(node.shown()))
            }
            Action::Close => {
                self.property(thing, Property::CanOpen, Lack::Opening, &["desk", "window"])?;
                self.close(thing)?;
                self.state(thing, State::Open)
            }
            Action::PutObjBack => {
                let (source, relation) = self.memory.get(thing).ok_or_else(|| Reason::NotGrabbed(node.shown()))?;
                self.put_down(thing, relation, source)
            }
            Action::SwitchOn => {
                self.property(thing, Property::HasSwitch, Lack::Switch, &[])?;
                self.close(thing)?;
                self.state(thing, State::Off)?;
                self.require(!graph.is(thing, State::PluggedOut), || Reason::Unplugged(node.shown()))
            }
            Action::SwitchOff => {
                self.property(thing, Property::HasSwitch, Lack::Switch, &[])?;
                self.close(thing)?;
                self.state(thing, State::On)
            }
            Action::Drink => {
                let drinks = node.has(Property::Drinkable) || node.has(Property::Recipient);
                self.require(drinks, || Reason::Unsuited(node.shown(), Lack::Drinkable))?;
                self.holding(thing)
            }
            Action::LookAt | Action::PointAt => self.faced(thing),
            Action::Watch => {
                self.property(thing, Property::Lookable, Lack::Lookable, &[])?;
                let here = graph.room_of(me);
                self.require(here.is_some() && here == graph.room_of(thing), || {
                    Reason::OtherRoom(graph.shown_room_of(me), graph.shown_room_of(thing))
                })?;
                self.faced(thing)?;
                let turned =
                    &*node.class == "computer" || !graph.states(me).rests() || graph.holds(me, Relation::Facing, thing);
                self.require(turned, || Reason::NotFacingSitting(self.me(), node.shown()))
            }
            Action::Wipe => {
                self.close(thing)?;
                self.require(graph.held().next().is_some(), || Reason::NothingHeld(self.me()))
            }
            Action::Wash | Action::Rinse | Action::Scrub => self.close(thing),
            Action::PutOn => {
                self.holding(thing)?;
                self.property(thing, Property::Clothes, Lack::Clothes, &[])
            }
            Action::PutOff => {
                self.require(graph.is_worn(thing), || Reason::NotWorn(node.shown(), self.me()))?;
                self.property(thing, Property::Clothes, Lack::Clothes, &[])
            }
            Action::Drop | Action::Release => self.holding(thing),
            Action::Read => {
                self.property(thing, Property::Readable, Lack::Readable, &[])?;
                self.holding(thing)
            }
            Action::Touch => {
                self.close(thing)?;
                self.reachable_in(thing)
            }
            Action::Type => {
                self.close(thing)?;
                self.property(thing, Property::HasSwitch, Lack::TypingSwitch, &["keyboard"])
            }
            Action::Push | Action::Pull | Action::Move => {
                if action != Action::Push {
                    self.property(thing, Property::Movable, Lack::Movable, &["button", "chair", "curtain"])?;
                }
                self.close(thing)?;
                self.reachable_in(thing)?;
                self.free_hand()
            }
            Action::Squeeze => {
                self.free_hand()?;
                self.close(thing)?;
                self.property(thing, Property::Clothes, Lack::Clothes, &SQUEEZABLE)
            }
            Action::PlugIn | Action::PlugOut => {
                self.property(thing, Property::HasPlug, Lack::Plug, &[])?;
                self.close(thing)?;
                self.free_hand()?;
                self.state(thing, if action == Action::PlugIn { State::PluggedOut } else { State::PluggedIn })
            }
            Action::Cut => {
                self.free_hand()?;
                self.close(thing)?;
                self.property(thing, Property::Eatable, Lack::Eatable, &[])?;
                self.property(thing, Property::Cuttable, Lack::Cuttable, &[])?;
                let knife = graph.held().any(|held| graph.node(held).class.contains("knife"));
                self.require(knife, || Reason::NoKnife(self.me()))
            }
            Action::Eat => {
                self.close(thing)?;
                if node.has(Property::Eatable) {
                    return Ok(());
                }
                let mut on_it = graph.sources(thing, Relation::On).peekable();
                self.require(on_it.peek().is_some(), || Reason::Unsuited(node.shown(), Lack::Eatable))?;
                let eatable = on_it.any(|other| graph.node(other).has(Property::Eatable));
                self.require(eatable, || Reason::NothingEatable(node.shown()))
            }
            // Turning requires nothing; the others are not checked here.
            _ => Ok(()),
        }
    }

    /// The simulator's remark on a step that it performs nevertheless.
    pub fn remark(&self, action: Action, thing: At) -> Option<Reason> {
        match action {
            Action::Watch if self.graph.closed_container(thing).is_some() => Some(Reason::Enclosed(self.shown(thing))),
            Action::PlugOut if self.graph.is(thing, State::On) => Some(Reason::StillOn(self.shown(thing))),
            _ => None,
        }
    }
}
