//! What is particular to households: sentence forms, goal conditions, likely places, and how places and hands work.
//!
//! Everything the planner knows about this world beforehand is here and in `worlds/household/likely.txt`; action effects are
//! learned from demonstrations, preconditions are the assertions in force.

pub mod belief;
mod facts;
pub mod goal;
pub mod likely;
mod operators;
pub(super) mod outlook;
pub(super) mod problem;
mod wanted;
pub(super) mod words;

/// The action that moves the agent.
pub(super) const GOTO: &str = "goto";
/// The observation that lists things: a place, then its contents.
pub(super) const UPDATE_VISIBLE: &str = "update_visible_objects";
/// The observation that reports a property.
pub(super) const SET_PROPERTY: &str = "set_property";
/// The observation that something came into the hand.
pub(super) const ADD_INVENTORY: &str = "add_inventory";
/// The observation that something left the hand.
pub(super) const REMOVE_INVENTORY: &str = "remove_inventory";
/// The property of a place that decides whether one can reach into it.
pub(super) const OPEN: &str = "open";
/// The property of a lamp that is on.
pub(super) const TOGGLE: &str = "toggle";
/// The kind of place that gives a thing a property, where demonstrations do not show it.
pub(super) const TOOLS: &[(&str, &str)] = &[("clean", "sinkbasin"), ("heat", "microwave"), ("cool", "fridge")];
/// Properties that end one another.
pub(super) const OPPOSITES: &[(&str, &str)] = &[("heat", "cool"), ("cool", "heat")];
