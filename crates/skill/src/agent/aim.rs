//! Aim of one call, and how it is carried out: the action that is wanted, or one that meets what it needs; or a look at the next place.

use super::{Mind, Next};
use crate::call::SkillCall;
use crate::form::{Binding, Form, kind_of};
use crate::knowledge::Skill;
use crate::rules::{ActionRule, Fact, Need};

/// How far needs of needs are followed.
const DEEPEST: usize = 5;
/// Most bindings of a form that are compared.
const BINDINGS: usize = 400;

type Found = Result<Next, String>;

impl Mind<'_> {
    /// The next action towards the form that a skill is named after.
    pub(super) fn act_out(&self, skill: &Skill, call: &SkillCall, form: &Form) -> Found {
        if self.was_done(skill, call, form) {
            let message = self.scene.done.last().map(|done| {
                let things: Vec<&str> = done.binding.values().map(String::as_str).collect();
                format!("`{}` was done with {}", done.verb, things.join(" and "))
            });
            return Ok(Next::Done { message: message.unwrap_or_default(), reached: true });
        }
        // Each slot with its possible fillers: what an argument means, or what examples and needs say.
        let mut given: Vec<(String, Vec<String>)> = Vec::new();
        for (parameter, name) in skill.signature.parameters.iter().zip(&call.args) {
            let meant = self.meant(name);
            if meant.is_empty() {
                return self.look_for(skill, self.kind(name));
            }
            given.push((parameter.clone(), meant));
        }
        self.reach(skill, form, &given, 0)
    }

    /// The next action towards seeing what the call names.
    pub(super) fn bring_into_view(&self, skill: &Skill, call: &SkillCall) -> Found {
        let name = call.args.first().ok_or("it is not said what is to be found")?;
        let mover = self.mover().ok_or("no known action leads anywhere")?;
        let here = self.scene.last(&mover.verb()).and_then(|done| done.binding.values().next());
        let meant = self.meant(name);
        let seen = meant.iter().filter_map(|thing| Some((thing, self.scene.place_of(thing)?)));
        let mut seen: Vec<(&String, &str)> = seen.collect();
        // What is where the agent is comes first.
        seen.sort_by_key(|(_, place)| here.is_none_or(|here| here != place));
        match seen.first() {
            Some((thing, place)) if here.is_some_and(|here| here == place) => {
                Ok(Next::Done { message: format!("{thing} is at {place}"), reached: true })
            }
            Some((_, place)) => {
                let slot = mover.slots().next().unwrap_or_default().to_owned();
                self.reach(skill, &mover, &[(slot, vec![(*place).to_owned()])], 0)
            }
            None => self.look_for(skill, self.kind(name)),
        }
    }

    /// The action of a form with one of the bindings, or one that brings it nearer.
    fn reach(&self, skill: &Skill, form: &Form, given: &[(String, Vec<String>)], depth: usize) -> Found {
        if depth > DEEPEST {
            return Err(format!("what `{}` needs leads round in a circle", form.verb()));
        }
        let rule = self
            .knowledge
            .rules
            .action(&form.syntax())
            .ok_or_else(|| format!("nothing is known of `{}`", form.verb()))?;
        let mut bindings = self.bindings(skill, form, rule, given);
        // Those that lack least come first; of equals the first found.
        bindings.sort_by_key(|binding| self.unmet(rule, binding).count());
        let mut why = format!("there is nothing to do `{}` with", form.verb());
        for binding in &bindings {
            let action = form.write(binding).unwrap_or_default();
            if self.was_refused(&action) {
                why = format!("`{action}` was refused");
                continue;
            }
            let Some(need) = self.unmet(rule, binding).next() else {
                return self.act(skill, form, binding, "all that it needs holds".to_owned());
            };
            match self.meet(skill, need, binding, depth) {
                Ok(next) => return Ok(next),
                Err(failed) => why = failed,
            }
        }
        self.step_aside(skill, form, &bindings).ok_or(why)
    }

    /// A way to another place first, where a move was refused once: a place next to the agent cannot be gone to.
    fn step_aside(&self, skill: &Skill, form: &Form, bindings: &[Binding]) -> Option<Next> {
        let mover = self.mover().filter(|mover| mover == form)?;
        let once = |action: &str| self.refused.iter().filter(|(refused, _)| refused == action).count() == 1;
        bindings.iter().filter_map(|binding| form.write(binding)).find(|action| once(action))?;
        let slot = mover.slots().next()?;
        let here = self.scene.last(&mover.verb()).and_then(|done| done.binding.get(slot));
        let others = self.scene.places.iter().filter(|place| Some(*place) != here);
        let mut ways = others.map(|place| Binding::from([(slot.to_owned(), place.clone())]));
        ways.find_map(|binding| {
            mover.write(&binding).filter(|action| self.refused.iter().all(|(refused, _)| refused != action))?;
            self.act(skill, &mover, &binding, "to come back from elsewhere".to_owned()).ok()
        })
    }

    fn unmet<'r>(&'r self, rule: &'r ActionRule, binding: &'r Binding) -> impl Iterator<Item = &'r Need> {
        rule.needs.iter().filter(|need| !need.is_met(&self.scene, binding))
    }

    /// The action that meets a need, or brings it nearer.
    fn meet(&self, skill: &Skill, need: &Need, binding: &Binding, depth: usize) -> Found {
        let cannot = || format!("nothing known makes it so that {need}");
        let thing = |slot: &str| binding.get(slot).cloned().ok_or_else(cannot);
        let forms = || self.knowledge.rules.actions.iter().filter_map(|rule| Some((rule, Form::read(&rule.form)?)));
        match (&need.fact, need.holds) {
            (Fact::Last { verb, slot } | Fact::Since { verb, slot, .. }, true) => {
                let (_, form) = forms().find(|(_, form)| form.verb() == *verb).ok_or_else(cannot)?;
                self.reach(skill, &form, &[(slot.clone(), vec![thing(slot)?])], depth + 1)
            }
            (Fact::Here { slot, verb }, true) => {
                let own = thing(slot)?;
                let Some(place) = self.scene.place_of(&own) else { return self.look_for(skill, kind_of(&own)) };
                let (_, form) = forms().find(|(_, form)| form.verb() == *verb).ok_or_else(cannot)?;
                let to = form.slots().next().unwrap_or_default().to_owned();
                self.reach(skill, &form, &[(to, vec![place.to_owned()])], depth + 1)
            }
            (Fact::Seen { slot, .. }, true) => self.look_for(skill, kind_of(&thing(slot)?)),
            (Fact::Is { slot, state }, holds) => {
                let makes =
                    |rule: &ActionRule| rule.makes.iter().any(|(own, made)| own == slot && (made == state) == holds);
                let (_, form) = forms().find(|(rule, _)| makes(rule)).ok_or_else(cannot)?;
                self.reach(skill, &form, &[(slot.clone(), vec![thing(slot)?])], depth + 1)
            }
            (Fact::Later { verb, until }, false) => {
                // What is held has to be let go: where the agent is.
                let held = self.scene.last(verb).map(|done| done.binding.clone()).ok_or_else(cannot)?;
                let (_, form) = forms().find(|(_, form)| form.verb() == *until).ok_or_else(cannot)?;
                let here =
                    self.mover().and_then(|mover| self.scene.last(&mover.verb())?.binding.values().next().cloned());
                let mut given: Vec<(String, Vec<String>)> = Vec::new();
                for slot in form.slots() {
                    let own = held.get(slot).filter(|thing| !self.scene.places.contains(thing)).cloned();
                    given.push((slot.to_owned(), vec![own.or_else(|| here.clone()).ok_or_else(cannot)?]));
                }
                self.reach(skill, &form, &given, depth + 1)
            }
            _ => Err(cannot()),
        }
    }

    /// The bindings of a form: what is given, and for other slots the place where a thing was seen or things like the examples'.
    fn bindings(&self, skill: &Skill, form: &Form, rule: &ActionRule, given: &[(String, Vec<String>)]) -> Vec<Binding> {
        let mut all = vec![Binding::new()];
        for slot in form.slots() {
            let known = given.iter().find(|(name, _)| name == slot).map(|(_, things)| things);
            let mut grown = Vec::new();
            for binding in &all {
                let things = known.cloned().unwrap_or_else(|| self.fitting(skill, form, rule, slot, binding));
                grown.extend(things.into_iter().map(|thing| {
                    let mut binding = binding.clone();
                    binding.insert(slot.to_owned(), thing);
                    binding
                }));
            }
            grown.truncate(BINDINGS);
            all = grown;
        }
        all
    }

    /// The possible fillers of a slot that nothing is given for.
    fn fitting(&self, skill: &Skill, form: &Form, rule: &ActionRule, slot: &str, binding: &Binding) -> Vec<String> {
        let seen = rule.needs.iter().find_map(|need| match &need.fact {
            Fact::Seen { slot: of, at } if need.holds && at == slot => binding.get(of),
            _ => None,
        });
        if let Some(place) = seen.and_then(|thing| self.scene.place_of(thing)) {
            return vec![place.to_owned()];
        }
        let syntax = form.syntax();
        let own = skill.primitives.iter().filter(|primitive| primitive.syntax == syntax);
        let examples = own.flat_map(|primitive| &primitive.examples).filter_map(|example| form.bind(example));
        let kinds: Vec<String> = examples.filter_map(|example| Some(kind_of(example.get(slot)?).to_owned())).collect();
        let things = self.scene.things().into_iter();
        things.filter(|thing| kinds.iter().any(|kind| kind == kind_of(thing))).map(str::to_owned).collect()
    }

    fn act(&self, skill: &Skill, form: &Form, binding: &Binding, why: String) -> Found {
        let syntax = form.syntax();
        if skill.primitives.iter().all(|primitive| primitive.syntax != syntax) {
            return Err(format!("`{}` is no primitive of the skill {}", form.verb(), skill.signature.name));
        }
        let action = form.write(binding).ok_or_else(|| format!("`{}` is not complete", form.verb()))?;
        if self.was_refused(&action) {
            return Err(format!("`{action}` was refused"));
        }
        Ok(Next::Act { action, why })
    }

    /// The form that leads to places: it shows what is there, and others need it to have been the last.
    fn mover(&self) -> Option<Form> {
        let rules = &self.knowledge.rules.actions;
        let wanted = |verb: &str| {
            let needs = rules.iter().flat_map(|rule| &rule.needs);
            needs.filter(|need| matches!(&need.fact, Fact::Last { verb: own, .. } | Fact::Here { verb: own, .. } if own == verb)).count()
        };
        let shows = rules.iter().filter(|rule| rule.shows.is_some()).filter_map(|rule| Form::read(&rule.form));
        shows.filter(|form| form.slots().count() == 1).max_by_key(|form| wanted(&form.verb()))
    }

    /// A look at the likeliest place that was not looked at, for a thing of that kind.
    fn look_for(&self, skill: &Skill, kind: &str) -> Found {
        let mover = self.mover().ok_or("no known action leads anywhere")?;
        let slot = mover.slots().next().unwrap_or_default().to_owned();
        let here = self.scene.last(&mover.verb()).and_then(|done| done.binding.get(&slot));
        let likely = self.knowledge.rules.places_of(kind);
        let rank = |place: &str| likely.iter().position(|known| known == kind_of(place)).unwrap_or(likely.len());
        let mut places: Vec<&String> =
            self.scene.places.iter().filter(|place| !self.scene.listed.contains_key(*place)).collect();
        places.sort_by_key(|place| (here != Some(place), rank(place), number(place)));
        for place in places {
            let binding = Binding::from([(slot.clone(), place.clone())]);
            let why = match rank(place) {
                rank if rank < likely.len() => format!("looking for {kind}, often there"),
                _ => format!("looking for {kind}"),
            };
            if here != Some(place) {
                let was_there = self.scene.done.iter().any(|done| done.verb == mover.verb() && done.binding == binding);
                match self.act(skill, &mover, &binding, why) {
                    // A place that was left without a look shows nothing.
                    Ok(_) if was_there => {}
                    Ok(next) => return Ok(next),
                    Err(_) => {}
                }
                continue;
            }
            // Here, and nothing was shown: another action may show it.
            for rule in self.knowledge.rules.actions.iter().filter(|rule| rule.shows.is_some()) {
                let Some(form) = Form::read(&rule.form).filter(|form| *form != mover) else { continue };
                let Some(shows) = &rule.shows else { continue };
                let binding = Binding::from([(shows.clone(), place.clone())]);
                let may = form.write(&binding).is_some() && self.unmet(rule, &binding).next().is_none();
                if let Some(next) = may.then(|| self.act(skill, &form, &binding, why.clone()).ok()).flatten() {
                    return Ok(next);
                }
            }
        }
        Err(format!("no {kind} was seen at any place"))
    }
}

fn number(thing: &str) -> usize {
    thing.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(usize::MAX)
}
