//! Effects: what each action changes once its checks hold, in the simulator's order.

use crate::action::Action;
use crate::graph::{At, Graph};
use crate::memory::Memory;
use crate::vocabulary::{Property, Relation, State, States};

pub(crate) struct Effects<'a> {
    pub graph: &'a mut Graph,
    pub memory: &'a mut Memory,
    /// The nodes whose states were set, in order, each time.
    pub set: &'a mut Vec<At>,
}

const HANDS: [Relation; 2] = [Relation::HoldsLeft, Relation::HoldsRight];
const WHEREABOUTS: [Relation; 3] = [Relation::Inside, Relation::Close, Relation::Facing];

impl Effects<'_> {
    fn set(&mut self, at: At, states: States) {
        self.graph.set_states(at, states);
        self.set.push(at);
    }

    fn set_one(&mut self, at: At, state: State) {
        let states = self.graph.states(at).set(state);
        self.set(at, states);
    }

    pub fn walk(&mut self, thing: At) {
        let graph = &mut *self.graph;
        let me = graph.character();
        let (before, there) = (graph.room_of(me), graph.room_of(thing));
        graph.detach(me, &WHEREABOUTS);
        let boxes: Vec<At> = graph.targets(thing, Relation::Inside).filter(|b| !graph.node(*b).is_room()).collect();
        boxes.into_iter().for_each(|around| graph.bring_close(me, around));
        graph.body().for_each(|part| graph.bring_close(me, part));
        if let Some(there) = there {
            graph.link(me, Relation::Inside, there);
        }
        graph.bring_close(me, thing);
        let held: Vec<At> = graph.held().collect();
        for carried in &held {
            graph.detach(*carried, &WHEREABOUTS);
        }
        for carried in held {
            graph.bring_close(me, carried);
            if let Some(before) = before {
                graph.link(carried, Relation::Inside, before);
            }
        }
        if graph.node(thing).has(Property::Surfaces) {
            let on_it: Vec<At> = graph.sources(thing, Relation::On).collect();
            on_it.into_iter().for_each(|other| graph.bring_close(me, other));
        }
    }

    pub fn find_here(&mut self, thing: At) {
        let me = self.graph.character();
        self.graph.unlink_from(me, &[Relation::Facing]);
        self.graph.bring_close(me, thing);
    }

    fn let_go(&mut self, thing: At) {
        let me = self.graph.character();
        HANDS.iter().for_each(|hand| self.graph.unlink(me, *hand, thing));
    }

    fn put_down(&mut self, thing: At, relation: Relation, place: At) {
        self.let_go(thing);
        let me = self.graph.character();
        self.graph.bring_close(me, place);
        self.graph.bring_close(thing, place);
        self.graph.link(thing, relation, place);
        self.memory.forget(thing);
    }

    fn grab(&mut self, thing: At) {
        let graph = &mut *self.graph;
        let me = graph.character();
        let Some(hand) = graph.free_hand() else { return };
        let here = graph.room_of(me);
        let source = [Relation::On, Relation::Inside, Relation::Close].into_iter().find_map(|relation| {
            let others = graph.targets(thing, relation).filter(|other| !graph.node(*other).is_room());
            Some((others.min_by_key(|other| graph.node(*other).id)?, relation))
        });
        graph.detach(thing, &[Relation::On, Relation::Inside, Relation::Close]);
        graph.bring_close(me, thing);
        graph.link(me, hand, thing);
        if let Some(here) = here {
            graph.link(thing, Relation::Inside, here);
        }
        if let Some((source, relation)) = source {
            graph.bring_close(me, source);
            self.memory.remember(thing, source, relation);
        }
    }

    pub fn alone(&mut self, action: Action) {
        if action == Action::StandUp {
            let me = self.graph.character();
            let states = self.graph.states(me).without(State::Sitting).without(State::Lying);
            self.set(me, states);
        }
    }

    pub(crate) fn with_two(&mut self, action: Action, thing: At, place: At) {
        match action {
            Action::PutBack => self.put_down(thing, Relation::On, place),
            Action::PutIn => self.put_down(thing, Relation::Inside, place),
            _ => {
                self.graph.link(thing, Relation::Inside, place);
                if &*self.graph.node(thing).class == "water" {
                    self.let_go(thing);
                }
            }
        }
    }

    /// An action with one object; walking and finding are apart.
    pub(crate) fn with_one(&mut self, action: Action, thing: At) {
        let me = self.graph.character();
        match action {
            Action::Sit => {
                self.graph.link(me, Relation::On, thing);
                let faced: Vec<At> = self.graph.targets(thing, Relation::Facing).collect();
                faced.into_iter().for_each(|other| self.graph.link(me, Relation::Facing, other));
                self.set_one(me, State::Sitting);
            }
            Action::Lie => {
                self.graph.link(me, Relation::On, thing);
                self.set_one(me, State::Lying);
            }
            Action::Grab => self.grab(thing),
            Action::Open => self.set_one(thing, State::Open),
            Action::Close => self.set_one(thing, State::Closed),
            Action::SwitchOn => self.set_one(thing, State::On),
            Action::SwitchOff => self.set_one(thing, State::Off),
            Action::PlugIn => self.set_one(thing, State::PluggedIn),
            Action::PlugOut => self.set_one(thing, State::PluggedOut),
            Action::Wipe | Action::Wash | Action::Rinse | Action::Scrub => self.set_one(thing, State::Clean),
            Action::PutObjBack => {
                if let Some((source, relation)) = self.memory.get(thing) {
                    self.put_down(thing, relation, source);
                }
            }
            Action::TurnTo => {
                self.graph.unlink_from(me, &[Relation::Facing]);
                self.graph.link(me, Relation::Facing, thing);
            }
            Action::PutOn => {
                self.graph.link(thing, Relation::On, me);
                self.let_go(thing);
            }
            Action::PutOff => self.graph.unlink(thing, Relation::On, me),
            Action::Drop | Action::Release => {
                self.let_go(thing);
                if let Some(here) = self.graph.room_of(me) {
                    self.graph.link(thing, Relation::Inside, here);
                }
                self.memory.forget(thing);
            }
            // The others change nothing.
            _ => {}
        }
    }
}
