//! Blocking tree of an action, built from assertions: its preconditions, and under each unmet one the actions that would meet it.
//!
//! Generic over specification and world: preconditions are the assertions in force, resolutions are actions whose learned effects
//! make the condition true when tried on a copy of the state, over the names seen so far. An action that only may help, because
//! what it shows cannot be predicted, is said to be so. Sizes are bounded, cycles are cut, and what was taken in vain is not offered again.

use std::cell::Cell;
use std::collections::HashSet;

use super::{BlockingNode, BlockingTree, NodeKind, NodeStatus};
use crate::planner::EffectModel;
use crate::planner::effects::{ActionModel, Lifted, Term, kind_of};
use crate::program::{CheckedProgram, Trust, worst};
use stepwright_episode::{Check, Status};
use stepwright_program::{Call, Function, Literal, Role, constants};

/// Actions below actions, at most.
const DEPTH: usize = 3;
const NODES: usize = 64;
/// Resolutions shown for a condition, by depth.
const SHOWN: [usize; DEPTH] = [3, 2, 1];
/// Names tried for a free argument, at most.
const NAMES: usize = 40;
const EVALUATIONS: usize = 900;
/// Assignments of the parameters that effects use, at most.
const ASSIGNMENTS: usize = 27;

/// Stands for a name that is none of the seen ones; never shown.
const OUTSIDER: &str = "\u{2370}";

pub struct Derivation<'a> {
    pub program: &'a CheckedProgram,
    pub effects: &'a EffectModel,
    /// Names seen so far, the likeliest arguments first.
    pub known: &'a [String],
    /// The calls so far, actions and observations: what was looked at already is a worse place to look, and what was reported
    /// together belongs together (a thing and the place that lists it).
    pub history: &'a [Call],
    /// Another party's calls, and what the agent does to get one.
    pub replies: &'a [Call],
    pub asks: &'a dyn Fn(&Call) -> Vec<Call>,
    /// Whether an action was taken in vain for the condition of that number of a blocked action, which comes second.
    pub vain: &'a dyn Fn(&Call, &Call, usize) -> bool,
    pub phrase: &'a dyn Fn(&Call) -> String,
}

/// An action that would, or may, meet a condition.
pub(super) struct Resolution {
    pub(super) call: Call,
    pub(super) means: Means,
    rank: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// An effect that was adopted.
    Adopted,
    /// One that the demonstrations show.
    Effect,
    /// Its effect mostly follows.
    Likely,
    /// It asks another party for what meets the condition.
    Asked,
    /// Another party's own call, once it speaks.
    Reply,
    Sight,
    /// It is done in place of the blocked action, which stays blocked.
    Substitute,
    /// The agent would take it now, whatever it brings about.
    Advice,
    /// It came before such actions in the demonstrations.
    Before,
}

impl Means {
    pub(super) fn words(self) -> &'static str {
        match self {
            Means::Adopted => "its adopted effect meets the condition",
            Means::Effect => "its effect (inferred) meets the condition",
            Means::Likely => "its effect (inferred) meets the condition, with exceptions in the demonstrations",
            Means::Asked => "it asks for what meets the condition",
            Means::Reply => "what the other party says may meet the condition",
            Means::Sight => "it may show what is missing; that cannot be known beforehand",
            Means::Substitute => {
                "another choice of the same action, for which the condition holds; no known effect of an action meets it"
            }
            Means::Advice => "the built-in proposer would do it now; no known effect says that it helps",
            Means::Before => "it came before such actions in the demonstrations; no known effect says that it helps",
        }
    }
}

impl Derivation<'_> {
    pub fn action(&self, action: &Call) -> BlockingTree {
        let mut tree = BlockingTree::default();
        self.grow(&mut tree, None, action, "the action to be taken");
        tree
    }

    pub fn grow(&self, tree: &mut BlockingTree, parent: Option<usize>, action: &Call, why: &str) {
        let budget = Cell::new(EVALUATIONS);
        self.add_action(tree, parent, action, why.to_owned(), &mut Vec::new(), &budget);
    }

    /// The best resolutions of an unmet condition of an action, and those as good. None of the actions above.
    pub(super) fn best(&self, blocked: &Call, index: usize, above: &[Call], budget: &Cell<usize>) -> Vec<Resolution> {
        let mut best = kept(self.meeting(blocked, index, above, budget), SHOWN[0], above);
        let rank = best.first().map(|r| r.rank);
        best.retain(|r| Some(r.rank) == rank);
        best
    }

    fn add_action(
        &self,
        tree: &mut BlockingTree,
        parent: Option<usize>,
        action: &Call,
        why: String,
        above: &mut Vec<Call>,
        budget: &Cell<usize>,
    ) {
        let checks = self.program.check(action);
        let status = status_of(worst(&checks));
        let text = (self.phrase)(action);
        let me = tree.push(BlockingNode { parent, kind: NodeKind::Action, text, status, why, handle: None });
        above.push(action.clone());
        for (index, check) in checks.iter().enumerate() {
            let depth = above.len() - 1;
            // Below the root only what blocks is shown.
            if tree.nodes.len() >= NODES || (depth > 0 && check.status == Status::Holds) {
                continue;
            }
            let (resolutions, vain) = match (check.status, SHOWN.get(depth)) {
                (Status::Fails, Some(&shown)) => self.resolutions(action, index, shown, above, budget),
                _ => (Vec::new(), Vec::new()),
            };
            let marked = if self.program.is_inferred() { "inferred; ".to_owned() } else { String::new() };
            let unmet = match vain.first() {
                Some(vain) => format!("; `{}` was taken, and it did not hold after that", (self.phrase)(vain)),
                None if check.status == Status::Fails && resolutions.is_empty() && depth < DEPTH => self.helpless(),
                None => String::new(),
            };
            let node = tree.push(BlockingNode {
                parent: Some(me),
                kind: NodeKind::Condition,
                text: check.condition.clone(),
                status: status_of(check.status),
                why: marked + &words(check) + &unmet,
                handle: None,
            });
            for resolution in resolutions {
                let at = tree.nodes.len();
                if at >= NODES {
                    continue;
                }
                let why = resolution.means.words().to_owned();
                self.add_action(tree, Some(node), &resolution.call, why, above, budget);
                if let Some(other) = tree.nodes.get_mut(at).filter(|_| resolution.means == Means::Substitute) {
                    other.status = NodeStatus::Instead;
                }
            }
        }
        above.pop();
    }

    /// Why nothing is offered for an unmet condition.
    fn helpless(&self) -> String {
        match self.effects.actions().next() {
            Some(_) => "; no known effect of an action meets it",
            None => "; no adopted effect of an action meets it, and there are no demonstrations that would show others",
        }
        .to_owned()
    }

    /// Actions that would meet an unmet condition of an action, best first; where none is known, other choices in its place. And the actions
    /// that are not among them because they were taken in vain.
    fn resolutions(
        &self,
        blocked: &Call,
        index: usize,
        most: usize,
        above: &[Call],
        budget: &Cell<usize>,
    ) -> (Vec<Resolution>, Vec<Call>) {
        let mut found = self.meeting(blocked, index, above, budget);
        let vain: Vec<Call> = found.extract_if(.., |r| self.is_vain(r, blocked, index)).map(|r| r.call).collect();
        if found.is_empty() && !vain.is_empty() {
            let not: Vec<Call> = above.iter().chain(&vain).cloned().collect();
            found = self.meeting(blocked, index, &not, budget);
            found.retain(|r| !self.is_vain(r, blocked, index));
        }
        if found.is_empty() {
            found = self.other_choices(blocked, index, budget);
        }
        (kept(found, most, above), vain)
    }

    /// Whether what was to meet a condition was taken in vain; what only looks may be looked at again.
    pub(super) fn is_vain(&self, resolution: &Resolution, blocked: &Call, index: usize) -> bool {
        resolution.means != Means::Sight && (self.vain)(&resolution.call, blocked, index)
    }

    /// Actions whose effects meet an unmet condition; where there is none, those that may show what is missing.
    fn meeting(&self, blocked: &Call, index: usize, above: &[Call], budget: &Cell<usize>) -> Vec<Resolution> {
        let mut found = Vec::new();
        let undemonstrated = self.undemonstrated();
        let checks = self.program.check(blocked);
        let named = checks.get(index).map(|check| constants(&check.condition)).unwrap_or_default();
        for means in [Means::Adopted, Means::Effect, Means::Likely] {
            if !found.is_empty() {
                break;
            }
            // What only mostly follows is looked at where there is such.
            let counts = |function: &str| means == Means::Effect || self.program.trusts(function, trust_of(means));
            let demonstrated = self.effects.actions().filter(|(function, _)| counts(function));
            let others = undemonstrated.iter().filter(|_| means == Means::Adopted);
            for (function, model) in demonstrated.chain(others.map(|(function, model)| (*function, model))) {
                let goal = Want { blocked, index, named: &named, function, model, budget };
                for pinned in self.pinned(&goal, means) {
                    let fits = |call: &Call| self.meets(&goal, call, means) && !self.is_circular(blocked, index, call);
                    found.extend(self.fill(&goal, pinned, means, above, fits));
                }
            }
        }
        if found.is_empty() {
            found = self.asked(blocked, index, above, budget);
        }
        if found.is_empty() {
            for (function, model) in self.effects.actions() {
                let goal = Want { blocked, index, named: &named, function, model, budget };
                if let Some(look) = model.sensing.iter().find(|l| l.open_ended && self.may_show(&goal, l)) {
                    let pinned = vec![None; model.arity];
                    found.extend(self.fill(&goal, pinned, Means::Sight, above, |c| look.instantiate(c).is_some()));
                }
            }
        }
        found
    }

    /// The actions that have adopted effects and that no demonstration calls: of them the specification alone tells the arguments.
    fn undemonstrated(&self) -> Vec<(&str, ActionModel)> {
        let functions = self.program.state().specification().functions().iter().filter(|f| f.role == Role::Action);
        let such = functions.filter(|f| self.program.is_adopted(&f.name) && self.effects.action(&f.name).is_none());
        let model = |f: &Function| {
            let places = f.params.iter().filter(|param| !param.starts_with('*')).count();
            let used = self.program.affected(&f.name).into_iter().map(|at| at + 1);
            let arity = used.fold(places.saturating_sub(f.optional), usize::max);
            ActionModel { receiver: f.receiver.clone(), arity, ..ActionModel::default() }
        };
        such.map(|f| (f.name.as_str(), model(f))).collect()
    }

    /// Whether a resolution needs the very condition that it is to meet, of the same things: it can never be taken for that.
    fn is_circular(&self, blocked: &Call, index: usize, call: &Call) -> bool {
        if (&call.receiver, &call.function) != (&blocked.receiver, &blocked.function) {
            return false;
        }
        let checks = self.program.check(call);
        let Some(check) = checks.get(index).filter(|check| check.status == Status::Fails) else { return false };
        let words: Vec<&str> = check.condition.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let function = self.program.state().specification().function(&call.receiver, &call.function);
        let params = function.iter().flat_map(|function| &function.params).enumerate();
        let is_same = |at: usize| call.args.get(at) == blocked.args.get(at);
        params.filter(|(_, param)| words.contains(&param.as_str())).all(|(at, _)| is_same(at))
    }

    /// Assignments of the parameters that an action's effects use, under which the effects meet the condition. `None`
    /// stands for a parameter whose value does not matter to that.
    fn pinned(&self, want: &Want<'_>, means: Means) -> Vec<Vec<Option<Literal>>> {
        let mut used: Vec<usize> = want.model.certain.iter().flat_map(params).collect();
        used.extend(self.program.affected(want.function).into_iter().filter(|at| *at < want.model.arity));
        used.sort_unstable();
        used.dedup();
        // What follows an action whatever its arguments may be no doing of it; a line of an effect says that it is.
        if used.is_empty() && want.model.arity > 0 && !self.program.trusts(want.function, trust_of(means)) {
            return Vec::new();
        }
        let arity = want.model.arity;
        if self.meets(want, &want.call(vec![Literal::from(OUTSIDER); arity]), means) {
            return vec![vec![None; arity]];
        }
        let own = &want.blocked.args;
        let pinned = self.assigned(want, &used, means, &|_| own.clone());
        if !pinned.is_empty() {
            return pinned;
        }
        // What the condition or the effects name themselves, first, as it was not tried yet.
        let named: Vec<Literal> = want.named.iter().cloned().chain(self.program.named(want.function)).collect();
        let apt = |at: usize| named.iter().filter(move |value| want.is_apt(at, value)).cloned();
        if used.iter().all(|at| apt(*at).next().is_none()) {
            return pinned;
        }
        self.assigned(want, &used, means, &|at| apt(at).chain(own.iter().cloned()).collect())
    }

    /// The assignments of values to the parameters used under which the effects meet the condition.
    fn assigned(
        &self,
        want: &Want<'_>,
        used: &[usize],
        means: Means,
        values: &dyn Fn(usize) -> Vec<Literal>,
    ) -> Vec<Vec<Option<Literal>>> {
        let outsider = Literal::from(OUTSIDER);
        let values: Vec<(usize, Vec<Literal>)> = used.iter().map(|at| (*at, values(*at))).collect();
        let all = values.iter().fold(1_usize, |all, (_, of)| all.saturating_mul(of.len()));
        let mut pinned = Vec::new();
        for mut code in 0..all.min(ASSIGNMENTS) {
            let mut slots: Vec<Option<Literal>> = vec![None; want.model.arity];
            for (position, of) in &values {
                if let Some(slot) = slots.get_mut(*position) {
                    *slot = of.get(code % of.len()).cloned();
                }
                code /= of.len();
            }
            let args = slots.iter().map(|s| s.clone().unwrap_or_else(|| outsider.clone())).collect();
            if self.meets(want, &want.call(args), means) {
                pinned.push(slots);
            }
        }
        pinned
    }

    /// Whether an action's effects meet the wanted condition, tried on a copy of the state.
    fn meets(&self, want: &Want<'_>, action: &Call, means: Means) -> bool {
        let trust = trust_of(means);
        let predicted = if means == Means::Adopted { Vec::new() } else { self.effects.predict(action) };
        let is_known = !predicted.is_empty()
            || self.program.trusts(&action.function, Trust::Shown)
            || self.program.trusts(&action.function, trust);
        if !is_known || !spend(want.budget) {
            return false;
        }
        let mut program = self.program.clone();
        program.apply(&predicted);
        (program.affect(action, trust) || !predicted.is_empty()) && is_met(&program, want.blocked, want.index)
    }

    /// Whether the condition would hold if the action's look showed the blocked action's arguments.
    fn may_show(&self, want: &Want<'_>, look: &Lifted) -> bool {
        let Some(mut shown) = look.instantiate(&want.call(vec![Literal::Str(String::new()); want.model.arity])) else {
            return false;
        };
        shown.args.extend(want.blocked.args.iter().cloned());
        self.holds_after(want, &[shown])
    }

    fn holds_after(&self, want: &Want<'_>, calls: &[Call]) -> bool {
        self.would_hold(want.blocked, want.index, calls, want.budget)
    }

    fn would_hold(&self, blocked: &Call, index: usize, calls: &[Call], budget: &Cell<usize>) -> bool {
        if !spend(budget) {
            return false;
        }
        let mut program = self.program.clone();
        program.apply(calls);
        is_met(&program, blocked, index)
    }

    /// What gets another party to meet an unmet condition: the questions that ask for it, else to let it speak.
    fn asked(&self, blocked: &Call, index: usize, above: &[Call], budget: &Cell<usize>) -> Vec<Resolution> {
        let meets = |reply: &&Call| self.would_hold(blocked, index, std::slice::from_ref(*reply), budget);
        let replies: Vec<&Call> = self.replies.iter().filter(meets).collect();
        let asking = replies.iter().flat_map(|reply| (self.asks)(reply)).filter(|call| !above.contains(call));
        let asking: Vec<(Call, Means)> = asking.map(|call| (call, Means::Asked)).collect();
        let heard = replies.first().map(|reply| ((*reply).clone(), Means::Reply));
        let all = asking.into_iter().chain(heard).enumerate();
        all.map(|(rank, (call, means))| Resolution { call, means, rank }).collect()
    }

    /// Chooses the parameters left open, one position after the other, so that the action can be taken now if that is possible.
    fn fill(
        &self,
        want: &Want<'_>,
        pinned: Vec<Option<Literal>>,
        means: Means,
        above: &[Call],
        fits: impl Fn(&Call) -> bool,
    ) -> Vec<Resolution> {
        let names: Vec<Vec<Literal>> = (0..pinned.len()).map(|i| self.names_for(want, i)).collect();
        let first = |i: usize| names.get(i).and_then(|n| n.first()).cloned();
        let start: Option<Vec<Literal>> =
            pinned.iter().enumerate().map(|(i, p)| p.clone().or_else(|| first(i))).collect();
        let Some(start) = start else { return Vec::new() };
        let mut best = vec![(self.rank(want, &want.call(start.clone()), means), want.call(start))];
        for position in (0..pinned.len()).filter(|i| pinned.get(*i).is_some_and(Option::is_none)) {
            let Some((_, base)) = best.first().cloned() else { break };
            for name in names.get(position).into_iter().flatten() {
                let mut call = base.clone();
                if let Some(arg) = call.args.get_mut(position) {
                    *arg = name.clone();
                }
                if best.iter().all(|(_, c)| *c != call) {
                    best.push((self.rank(want, &call, means), call));
                }
            }
            best.sort_by_key(|(rank, _)| *rank);
            best.truncate(SHOWN[0] + above.len());
        }
        let usable = best.into_iter().filter(|(_, call)| !above.contains(call) && fits(call));
        usable.take(SHOWN[0]).map(|(rank, call)| Resolution { call, means, rank }).collect()
    }

    /// How good a resolution is: possible now before blocked, arguments of demonstrated kinds before others, new before done.
    fn rank(&self, want: &Want<'_>, call: &Call, means: Means) -> usize {
        let blocked = !spend(want.budget) || self.program.permits(call) != Status::Holds;
        let odd = call.args.iter().enumerate().filter(|(i, arg)| !want.is_usual(*i, arg)).count();
        let done = self.history.contains(call);
        let apart = call.args.len() > 1 && !self.were_reported_together(call);
        let twice = call.args.iter().enumerate().any(|(i, arg)| call.args.iter().skip(i + 1).any(|other| other == arg));
        // A world has no words for an action on what is no thing, such as a posture that a report named.
        let wordless = (self.phrase)(call) == call.to_string();
        usize::from(blocked) * 100
            + usize::from(wordless) * 30
            + usize::from(twice) * 60
            + usize::from(apart) * 25
            + odd * 20
            + usize::from(done) * 10
            + usize::from(means == Means::Sight)
    }

    /// Whether a report headed by one of the arguments named the others.
    fn were_reported_together(&self, call: &Call) -> bool {
        let headed = |seen: &&Call| seen.args.first().is_some_and(|head| call.args.contains(head));
        let reports = self.history.iter().rev().filter(|seen| seen.function != call.function).filter(headed);
        reports.into_iter().any(|seen| call.args.iter().all(|arg| seen.args.contains(arg)))
    }

    /// Names to try at a position: the blocked action's own, then those of demonstrated kinds, then the others.
    fn names_for(&self, want: &Want<'_>, position: usize) -> Vec<Literal> {
        let mut names: Vec<Literal> = want.blocked.args.clone();
        let usual = |name: &&String| want.model.kinds.get(position).is_some_and(|k| k.contains(kind_of(name)));
        let (likely, others): (Vec<&String>, Vec<&String>) = self.known.iter().partition(usual);
        // The first of the others are kept in the running: what is in the hand is named first and may be of a new kind.
        for name in others.iter().take(4).chain(&likely).chain(others.iter().skip(4)) {
            let name = Literal::Str((*name).clone());
            if names.len() < NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The same action with one argument changed so that the condition holds: for conditions that no action changes.
    fn other_choices(&self, blocked: &Call, index: usize, budget: &Cell<usize>) -> Vec<Resolution> {
        let mut found = Vec::new();
        for position in 0..blocked.args.len() {
            for name in self.known {
                let mut call = blocked.clone();
                if let Some(arg) = call.args.get_mut(position) {
                    *arg = Literal::Str(name.clone());
                }
                if call == *blocked || !spend(budget) {
                    continue;
                }
                let checks = self.program.check(&call);
                if checks.get(index).is_some_and(|c| c.status == Status::Holds) {
                    let failing = checks.iter().filter(|c| c.status != Status::Holds).count();
                    found.push(Resolution { call, means: Means::Substitute, rank: failing });
                }
            }
        }
        found.sort_by_key(|r| r.rank);
        found.truncate(SHOWN[0]);
        found
    }
}

/// Which effects count as means of a kind.
fn trust_of(means: Means) -> Trust {
    match means {
        Means::Adopted => Trust::Adopted,
        Means::Likely => Trust::Likely,
        _ => Trust::Shown,
    }
}

fn is_met(program: &CheckedProgram, blocked: &Call, index: usize) -> bool {
    program.check(blocked).get(index).is_some_and(|check| check.status == Status::Holds)
}

/// The best of what was found, each once, none of the actions above.
fn kept(mut found: Vec<Resolution>, most: usize, above: &[Call]) -> Vec<Resolution> {
    found.sort_by_key(|r| r.rank);
    let mut kept: Vec<Resolution> = Vec::new();
    for resolution in found {
        if kept.len() < most && !above.contains(&resolution.call) && kept.iter().all(|k| k.call != resolution.call) {
            kept.push(resolution);
        }
    }
    kept
}

/// A condition of a blocked action, and the action function looked at for meeting it.
struct Want<'a> {
    blocked: &'a Call,
    index: usize,
    /// The constants that the condition names.
    named: &'a [Literal],
    function: &'a str,
    model: &'a ActionModel,
    budget: &'a Cell<usize>,
}

impl Want<'_> {
    fn call(&self, args: Vec<Literal>) -> Call {
        Call { receiver: self.model.receiver.clone(), function: self.function.to_owned(), args, ..Call::default() }
    }

    /// Whether a constant may be an argument there: demonstrations show such, or none at all.
    fn is_apt(&self, position: usize, value: &Literal) -> bool {
        let kinds = self.model.kinds.get(position).filter(|kinds| !kinds.is_empty());
        kinds.is_none_or(|kinds| value.text().is_some_and(|name| kinds.contains(kind_of(name))))
    }

    /// Whether demonstrations show arguments of this kind at the position.
    fn is_usual(&self, position: usize, arg: &Literal) -> bool {
        match arg {
            Literal::Str(name) => self.model.kinds.get(position).is_some_and(|k| k.contains(kind_of(name))),
            _ => true,
        }
    }
}

/// Names in the calls so far, in lists too, those met last first.
pub fn known(history: &[Call]) -> Vec<String> {
    fn meet<'a>(value: &'a Literal, names: &mut (Vec<String>, HashSet<&'a str>)) {
        match value {
            Literal::Str(name) if names.1.insert(name) => names.0.push(name.clone()),
            Literal::List(items) => items.iter().for_each(|item| meet(item, names)),
            _ => {}
        }
    }
    let mut names = (Vec::new(), HashSet::new());
    for call in history.iter().rev() {
        let named = call.named.iter().map(|(_, value)| value);
        call.args.iter().chain(named).for_each(|arg| meet(arg, &mut names));
    }
    names.0
}

fn params(lifted: &Lifted) -> impl Iterator<Item = usize> + '_ {
    lifted.args.iter().filter_map(|term| match term {
        Term::Param(i) => Some(*i),
        Term::Const(_) => None,
    })
}

fn spend(budget: &Cell<usize>) -> bool {
    let left = budget.get();
    budget.set(left.saturating_sub(1));
    left > 0
}

fn status_of(status: Status) -> NodeStatus {
    match status {
        Status::Holds => NodeStatus::Open,
        Status::Fails => NodeStatus::Blocked,
        Status::Unknown => NodeStatus::Unknown,
    }
}

fn words(check: &Check) -> String {
    let status = match check.status {
        Status::Holds => return "holds".to_owned(),
        Status::Fails => "does not hold",
        Status::Unknown => "cannot be decided",
    };
    let detail = check.detail.as_deref().map(|d| format!(": {d}")).unwrap_or_default();
    format!("{status}{detail}")
}

#[cfg(test)]
#[path = "derive_tests.rs"]
mod tests;
