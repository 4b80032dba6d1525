//! Checks of a domain: unknown names, wrong numbers of arguments, unbound variables, duplicates, and resolutions that
//! could never resolve anything.

use std::collections::BTreeSet;

use super::wording::parameters;
use super::{Action, Candidate, Condition, Domain, Formula, Obstacle, Pattern, Raise, Truth, VISIBLE};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where: `actions/put x r/blocked_by/2`.
    pub place: String,
    pub message: String,
}

/// Most selections or answers a domain may allow.
const MOST: u32 = 100_000;

impl Domain {
    pub fn faults(&self) -> Vec<Fault> {
        let mut check = Check { domain: self, faults: Vec::new() };
        check.all();
        check.faults
    }
}

struct Check<'a> {
    domain: &'a Domain,
    faults: Vec<Fault>,
}

type Bound<'a> = BTreeSet<&'a str>;

fn bound_by(pattern: &Pattern) -> Bound<'_> {
    pattern.args.iter().map(String::as_str).collect()
}

/// `a name`, one of a few, for messages.
fn known<'a>(names: impl Iterator<Item = &'a Pattern>) -> String {
    let forms: Vec<String> = names.map(|form| format!("`{form}`")).collect();
    if forms.is_empty() { "none is declared".to_owned() } else { format!("there is {}", forms.join(", ")) }
}

impl<'a> Check<'a> {
    fn fault(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault { place: place.into(), message: message.into() });
    }

    fn all(&mut self) {
        let domain = self.domain;
        for (place, value) in [("selections", domain.limits.selections), ("answers", domain.limits.answers)] {
            if !(1..=MOST).contains(&value) {
                self.fault(format!("limits/{place}"), format!("the limit is {value}; it must be from 1 to {MOST}"));
            }
        }
        if domain.space.is_some_and(char::is_whitespace) {
            self.fault("", "`space` stands for a space in names, so it cannot be one itself; use such as \"_\"");
        }
        if domain.actions.is_empty() {
            self.fault("", "no action is declared; add such as [actions.\"grab x\"]");
        }
        if domain.goals.is_empty() {
            self.fault("", "no goal is declared, so no tree could grow; add such as [goals.\"ON d\"]");
        }
        self.forms("predicates", domain.predicates.iter().map(|p| &p.form), true);
        self.forms("actions", domain.actions.iter().map(|a| &a.form), false);
        self.forms("conditions", domain.conditions.iter().map(|c| &c.form), false);
        self.forms("goals", domain.goals.iter().map(|g| &g.form), true);
        domain.actions.iter().for_each(|action| self.action(action));
        domain.conditions.iter().for_each(|condition| self.condition(condition));
        self.goals();
        self.errors();
        self.wordings();
    }

    /// Each form once, and each of its variables once. Where `by_number`, forms of one name differ by their arguments' number.
    fn forms<'b>(&mut self, kind: &str, forms: impl Iterator<Item = &'b Pattern>, by_number: bool) {
        let mut seen: BTreeSet<(&str, usize)> = BTreeSet::new();
        for form in forms {
            let place = format!("{kind}/{form}");
            let number = if by_number { form.args.len() } else { 0 };
            if !seen.insert((&form.name, number)) {
                self.fault(&place, format!("`{form}` is declared twice; rename one or remove it"));
            }
            if bound_by(form).len() != form.args.len() {
                self.fault(&place, format!("`{form}` names a variable twice; give each place its own"));
            }
            if let Some(star) = form.args.iter().find(|a| a.contains(['*', '{', '}'])) {
                self.fault(&place, format!("`{star}` is no name of a variable; use letters and digits"));
            }
        }
    }

    fn predicate(&mut self, place: &str, literal: &Pattern) {
        let forms = &self.domain.predicates;
        let number = literal.args.len();
        if literal.name == VISIBLE && number == 1 {
            return;
        }
        let same: Vec<_> = forms.iter().map(|p| &p.form).filter(|f| f.name == literal.name).collect();
        if same.is_empty() {
            let message =
                format!("no predicate `{}`; declare it under [predicates] or use one that is there", literal.name);
            self.fault(place, message);
        } else if !same.iter().any(|f| f.args.len() == number) {
            let message = format!("`{literal}` has {}; {}", arguments(number), known(same.into_iter()));
            self.fault(place, message);
        }
    }

    /// The variables bound once the formula is solved, starting from those given.
    fn formula<'b>(&mut self, place: &str, formula: &'b Formula, mut bound: Bound<'b>) -> Bound<'b> {
        for literal in &formula.0 {
            self.predicate(place, &literal.pattern);
            if literal.negated {
                self.bound(place, &literal.pattern, &bound, "a `not` binds nothing");
            } else {
                bound.extend(bound_by(&literal.pattern));
            }
        }
        bound
    }

    fn bound(&mut self, place: &str, pattern: &Pattern, bound: &Bound<'_>, why: &str) {
        for variable in pattern.args.iter().filter(|a| !bound.contains(a.as_str())) {
            let there: Vec<_> = bound.iter().copied().collect();
            let there =
                if there.is_empty() { "nothing is".to_owned() } else { format!("bound are {}", there.join(", ")) };
            self.fault(place, format!("`{variable}` in `{pattern}` is not bound to anything ({there}); {why}"));
        }
    }

    /// The declaration that a pattern names among the `kind`s; a fault unless it is there with as many arguments.
    fn named<T>(
        &mut self,
        place: &str,
        pattern: &Pattern,
        kind: &str,
        all: &'a [T],
        form: fn(&T) -> &Pattern,
    ) -> Option<&'a T> {
        let number = pattern.args.len();
        let message = match all.iter().find(|one| form(one).name == pattern.name) {
            Some(one) if form(one).args.len() == number => return Some(one),
            Some(one) => format!("`{pattern}` has {}; the {kind} is `{}`", arguments(number), form(one)),
            None => format!("no {kind} `{}`; {}", pattern.name, known(all.iter().map(form))),
        };
        self.fault(place, message);
        None
    }

    fn known_action(&mut self, place: &str, pattern: &Pattern) -> Option<&'a Action> {
        self.named(place, pattern, "action", &self.domain.actions, |action| &action.form)
    }

    fn known_condition(&mut self, place: &str, pattern: &Pattern) -> Option<&'a Condition> {
        self.named(place, pattern, "blocking condition", &self.domain.conditions, |condition| &condition.form)
    }

    fn action(&mut self, action: &Action) {
        let place = format!("actions/{}", action.form);
        let params = bound_by(&action.form);
        if let Some(text) = &action.text {
            self.text(&format!("{place}/text"), &action.form, text);
        }
        if action.choice && action.blocked_by.is_empty() {
            let message = format!("`{}` stands for a choice, so something must block it until it is made", action.form);
            self.fault(&place, message);
        }
        for (i, Obstacle { condition, given }) in action.blocked_by.iter().enumerate() {
            let place = format!("{place}/blocked_by/{i}");
            if action.blocked_by.iter().take(i).any(|o| o.condition == *condition && o.given == *given) {
                self.fault(&place, format!("`{condition}` is listed twice; remove one"));
            }
            let mut bound = self.formula(&place, given, params.clone());
            let Some(own) = self.known_condition(&place, condition) else { continue };
            if let Raise::When(when) = &own.raise {
                // What the condition's own test binds, in the action's variables.
                let renamed = when.renamed(&super::Bindings::of(&own.form.args, &condition.args));
                let positive = renamed.0.iter().filter(|l| !l.negated).flat_map(|l| &l.pattern.args);
                let names: Vec<&String> = positive.collect();
                bound.extend(condition.args.iter().filter(|a| names.contains(a)).map(String::as_str));
            }
            let why = "name a parameter, or say what binds it: `active d given IN x d`";
            self.bound(&place, condition, &bound, why);
        }
        for (literal, _) in &action.effects {
            let place = format!("{place}/effects/{literal}");
            self.predicate(&place, literal);
            let fixed = Pattern::new(literal.name.clone(), literal.args.iter().filter(|a| *a != "*"));
            self.bound(&place, &fixed, &params, "an effect is about the action's parameters, or `*` for anything");
        }
    }

    fn text(&mut self, place: &str, form: &Pattern, text: &str) {
        let mut named = parameters(text);
        named.sort_unstable();
        if !named.iter().copied().eq(bound_by(form).iter().copied()) {
            let wanted: Vec<String> = form.args.iter().map(|a| format!("{{{a}}}")).collect();
            let wanted = if wanted.is_empty() { "none".to_owned() } else { wanted.join(", ") };
            self.fault(place, format!("`{text}` must name each parameter once in braces: {wanted}"));
        }
    }

    fn wordings(&mut self) {
        for (i, wording) in self.domain.wordings.iter().enumerate() {
            for (form, text) in &wording.texts {
                let place = format!("wordings/{i}/{form}");
                match self.known_action(&place, form).map(|action| action.form == *form) {
                    None => {}
                    Some(true) => self.text(&place, form, text),
                    Some(false) => self.fault(&place, format!("name the parameters of `{form}` as the action does")),
                }
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        let place = format!("conditions/{}", condition.form);
        let params = bound_by(&condition.form);
        if let Raise::When(when) = &condition.raise {
            self.formula(&format!("{place}/when"), when, params.clone());
            if when.0.is_empty() {
                self.fault(format!("{place}/when"), "an empty test blocks always; write what has to hold");
            }
        }
        let resolution = format!("{place}/resolution");
        self.predicate(&resolution, &condition.resolution);
        self.bound(&resolution, &condition.resolution, &params, "a resolution is about the condition's parameters");
        if condition.actions.is_empty() {
            let message =
                format!("nothing resolves `{}`; add to `actions`, such as `{{ moves = true }}`", condition.form);
            self.fault(&place, message);
        }
        for (i, offer) in condition.actions.iter().enumerate() {
            let place = format!("{place}/actions/{i}");
            let bound = self.formula(&format!("{place}/where"), &offer.given, params.clone());
            if let Some(each) = offer.each.as_ref().filter(|e| !bound.contains(e.as_str())) {
                let message =
                    format!("`where` does not bind `{each}`; write what it goes over, such as `VISIBLE {each}`");
                self.fault(format!("{place}/each"), message);
            }
            if let Some(each) = offer.each.as_ref().filter(|e| params.contains(e.as_str())) {
                let message = format!("`{each}` is a parameter of the condition already; choose another name");
                self.fault(format!("{place}/each"), message);
            }
            for (j, candidate) in offer.choose.iter().enumerate() {
                let place = if offer.choose.len() == 1 { format!("{place}/do") } else { format!("{place}/choose/{j}") };
                let bound = self.formula(&place, &candidate.when, bound.clone());
                self.bound(&place, &candidate.action, &bound, "name a parameter or the loop's variable");
                self.candidate(&place, condition, candidate);
            }
        }
    }

    /// A resolution action must be able to resolve.
    fn candidate(&mut self, place: &str, condition: &Condition, candidate: &Candidate) {
        let Some(action) = self.known_action(place, &candidate.action) else { return };
        let to = super::Bindings::of(&action.form.args, &candidate.action.args);
        let mut own = action.blocked_by.iter().filter(|o| o.given.0.is_empty()).map(|o| o.condition.renamed(&to));
        if own.any(|blocking| blocking == condition.form) {
            let message = format!(
                "`{}` is to resolve `{}`, but is itself blocked by it, so it goes in a circle; offer another action",
                candidate.action, condition.form
            );
            return self.fault(place, message);
        }
        if candidate.maybe || !matches!(condition.raise, Raise::When(_)) {
            return;
        }
        let wanted = &condition.resolution;
        let makes = action.effects.iter().any(|(literal, truth)| {
            let literal = literal.renamed(&to);
            let fits = |(a, b): (&String, &String)| a == b || a == "*";
            *truth == Truth::True
                && literal.name == wanted.name
                && literal.args.len() == wanted.args.len()
                && literal.args.iter().zip(&wanted.args).all(fits)
        });
        if !makes {
            let message = format!(
                "`{}` is to make `{wanted}` true, but its effects do not say so; add the effect, or write `maybe = true`",
                candidate.action
            );
            self.fault(place, message);
        }
    }

    fn goals(&mut self) {
        for goal in &self.domain.goals {
            let place = format!("goals/{}", goal.form);
            let params = bound_by(&goal.form);
            if goal.roots.is_empty() {
                self.fault(&place, format!("`{}` has no root; name the action that reaches it", goal.form));
            }
            for (i, root) in goal.roots.iter().enumerate() {
                let place = format!("{place}/roots/{i}");
                self.known_action(&place, &root.action);
                self.bound(&place, &root.action, &params, "a root is about the goal's parameters");
                if let Some(part) = &root.unless {
                    self.predicate(&place, part);
                    self.bound(&place, part, &params, "a part of a goal is about the goal's parameters");
                }
            }
        }
    }

    fn errors(&mut self) {
        let domain = self.domain;
        for (i, rule) in domain.errors.iter().enumerate() {
            let place = format!("errors/{i}");
            if rule.message.trim().is_empty() {
                self.fault(&place, "an empty message would fit every error; use `otherwise` for the rest");
            }
            if domain.errors.iter().take(i).any(|r| rule.message.contains(&r.message)) {
                let message = format!("`{}` is caught by an earlier rule; remove one", rule.message);
                self.fault(&place, message);
            }
            let place = format!("{place}/raises");
            if self.known_condition(&place, &rule.raises).is_some_and(|c| matches!(c.raise, Raise::When(_))) {
                let message =
                    format!("`{}` is tested by its `when`; an error raises a condition without one", rule.raises);
                self.fault(&place, message);
            }
            let takes = |a: &Action| rule.raises.args.iter().all(|arg| a.form.args.contains(arg));
            if !domain.actions.iter().any(takes) {
                let message =
                    format!("no action has the parameters of `{}`, so the error could not raise it", rule.raises);
                self.fault(&place, message);
            }
        }
        if let Some(otherwise) = &domain.otherwise {
            let passing = self.known_condition("otherwise", otherwise).is_none_or(|c| c.raise == Raise::Passing);
            if !passing {
                let message =
                    format!("`{otherwise}` must have neither `when` nor `remembered`: it stands for any error");
                self.fault("otherwise", message);
            }
        }
    }
}

fn arguments(number: usize) -> String {
    if number == 0 { "no argument".to_owned() } else { stepwright_text::words::count(number, "argument") }
}
