//! Chance: how often an assertion holds where an argument is another of its kind, and whether it is believed by that.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use stepwright_program::{Expression, Literal, State};

use super::search::{FEWEST, Search, Sort, holds, names};

/// Other calls that are made up for a tool.
const OTHERS: usize = 2000;

/// Calls at which an argument was something, so that it is no chance.
const OFTEN: usize = 10;

/// A call that could have been made, and the place of the argument that is another.
pub(super) struct Other {
    /// The accepted call.
    case: usize,
    place: usize,
    args: Vec<Literal>,
}

/// An assertion, and what it says of other calls: nothing where it does not ask for what is another there.
struct Candidate {
    text: String,
    sort: Sort,
    seen: usize,
    is_choice: bool,
    truths: Vec<Option<bool>>,
}

impl Candidate {
    /// What it has for it, if that is enough, by those calls that are not refused otherwise.
    fn evidence(&self, refused: &[bool]) -> Option<f64> {
        if self.sort.least() == 0.0 {
            return Some(f64::INFINITY);
        }
        let (mut yes, mut no) = (0usize, 0usize);
        for (truth, _) in self.truths.iter().zip(refused).filter(|(_, refused)| !**refused) {
            yes += usize::from(*truth == Some(true));
            no += usize::from(*truth == Some(false));
        }
        let share = (yes as f64 + 0.5) / (yes + no + 1) as f64;
        let evidence = -(self.seen as f64) * share.ln();
        (self.is_choice || no > 0 && evidence >= self.sort.least()).then_some(evidence)
    }
}

impl<'s> Search<'s> {
    fn next(&mut self, of: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % of.max(1)
    }

    /// Calls that could have been made: each an accepted one with one argument another.
    fn others(&mut self) -> Vec<Other> {
        if self.names.is_empty() {
            return Vec::new();
        }
        let mut others = Vec::new();
        for _ in 0..OTHERS {
            let (at, place) = (self.next(self.cases.len()), self.next(self.names.len()));
            let Some(case) = self.cases.get(at) else { continue };
            let mut args = self.other(&case.args, place);
            // What depends on it goes with it, in half of them.
            if self.next(2) == 0 {
                for also in (0..self.names.len()).filter(|also| *also != place) {
                    self.follow(&mut args, also);
                }
            }
            others.push(Other { case: at, place, args });
        }
        others
    }

    /// Those of the assertions found of which it would be a rare chance that they held at every call, with the calls at which they did. The
    /// simplest sorts are asked first, and of a sort what other calls violate most; what those violate that are refused so far is no
    /// evidence of its own.
    pub(super) fn believed(&mut self, found: Vec<(String, Sort)>) -> Vec<(String, usize)> {
        let others = self.others();
        let mut refused = vec![false; others.len()];
        let mut ranks: BTreeMap<u8, Vec<Candidate>> = BTreeMap::new();
        for (text, sort) in found {
            ranks.entry(sort.rank()).or_default().extend(self.candidate(text, sort, &others));
        }
        let mut believed = Vec::new();
        for mut candidates in ranks.into_values() {
            loop {
                let evidence = |candidate: &Candidate| candidate.evidence(&refused);
                let all = candidates.iter().enumerate().filter_map(|(at, candidate)| Some((at, evidence(candidate)?)));
                let most = all.reduce(|most, one| if one.1 > most.1 { one } else { most });
                let Some((at, _)) = most else { break };
                let Candidate { text, seen, truths, .. } = candidates.swap_remove(at);
                for (refused, truth) in refused.iter_mut().zip(truths) {
                    *refused |= truth == Some(false);
                }
                believed.push((text, seen));
            }
        }
        believed
    }

    fn candidate(&self, text: String, sort: Sort, others: &[Other]) -> Option<Candidate> {
        let matters = self.matters.get(&text);
        let says = matters.map(|when| self.truths(when));
        let says = |at: usize| says.as_ref().is_none_or(|when| when.get(at) == Some(&Some(true)));
        let truths = self.truths(&text);
        let seen = truths.iter().enumerate().filter(|(at, truth)| **truth == Some(true) && says(*at)).count();
        let fewest = match sort {
            Sort::Sign => OFTEN,
            _ if matters.is_some() => 2,
            _ if sort.least() > 0.0 => FEWEST,
            _ => 0,
        };
        if seen < fewest {
            return None;
        }
        let places: Vec<bool> = self.variables().iter().map(|v| names(&text, v)).collect();
        let code = Expression::compile(&format!("bool({text})"), self.function)?;
        let matters = matters.and_then(|when| Expression::compile(&format!("bool({when})"), self.function));
        let of = |other: &Other| {
            let is_asked = places.get(other.place) == Some(&true)
                && matters.as_ref().is_none_or(|when| self.truth(when, other) == Some(true));
            is_asked.then(|| self.truth(&code, other)).flatten()
        };
        // One or two words that an argument always is, again and again, are its choices.
        let is_choice = sort == Sort::Constant
            && seen >= OFTEN
            && self.variables().iter().any(|v| text.starts_with(&format!("{v} in (")));
        Some(Candidate { truths: others.iter().map(of).collect(), text, sort, seen, is_choice })
    }

    /// By what was known before the accepted call, else by what all episodes show.
    fn truth(&self, code: &Expression, other: &Other) -> Option<bool> {
        let by = |state: &State| holds(&state.value(code, self.function, &other.args));
        self.cases.get(other.case).and_then(|case| by(&case.state)).or_else(|| by(&self.ground.all.state))
    }

    /// Another value of an argument, of those that it could have by what was read.
    fn follow(&mut self, args: &mut [Literal], place: usize) {
        let new = match args.get(place).cloned() {
            Some(Literal::List(items)) => {
                let mut own: Vec<Literal> = Vec::new();
                for item in items {
                    let new = match &item {
                        Literal::Dict(_) => None,
                        _ => self.drawn(args, place, None),
                    };
                    own.extend(new.filter(|new| !own.contains(new)));
                }
                (!own.is_empty()).then_some(Literal::List(own))
            }
            _ => self.drawn(args, place, None),
        };
        if let (Some(new), Some(arg)) = (new, args.get_mut(place)) {
            *arg = new;
        }
    }

    /// Arguments of which one is another: one that it could have been by what was read, or of another call.
    fn other(&mut self, args: &[Literal], place: usize) -> Vec<Literal> {
        let mut changed = args.to_vec();
        let (Some(given), Some(name)) = (args.get(place).cloned(), self.names.get(place).cloned()) else {
            return changed;
        };
        let elsewhere = {
            let at = self.next(self.cases.len());
            self.cases.get(at).and_then(|case| case.args.get(place)).cloned().unwrap_or(Literal::None)
        };
        let new = match &given {
            Literal::List(items) if !items.is_empty() => {
                if self.next(10) < 4 {
                    elsewhere
                } else {
                    let mut items = items.clone();
                    let at = self.next(items.len());
                    let other = match &elsewhere {
                        Literal::List(others) if !others.is_empty() => others.get(self.next(others.len())).cloned(),
                        _ => None,
                    };
                    if let Some(item) = items.get_mut(at) {
                        match item {
                            Literal::Dict(fields) if !fields.is_empty() => {
                                let number = self.next(fields.len());
                                if let Some((field, value)) = fields.get_mut(number) {
                                    let chosen = self.chosen(args, place, Some(field));
                                    let own = match &other {
                                        Some(Literal::Dict(fields)) => {
                                            fields.iter().find(|(name, _)| name == field).map(|(_, v)| v.clone())
                                        }
                                        _ => None,
                                    };
                                    *value = chosen.or(own).unwrap_or(Literal::None);
                                }
                            }
                            item => *item = self.chosen(args, place, None).or(other).unwrap_or(Literal::None),
                        }
                    }
                    Literal::List(items)
                }
            }
            _ => self.chosen(args, place, None).unwrap_or_else(|| {
                let size = self.ground.pools.get(&name).map_or(0, Vec::len);
                let at = self.next(size);
                self.ground.pools.get(&name).and_then(|pool| pool.get(at)).map_or(Literal::None, Literal::from)
            }),
        };
        if let Some(arg) = changed.get_mut(place) {
            *arg = new;
        }
        changed
    }

    /// One of what an argument could have been by what was read; not each time.
    fn chosen(&mut self, args: &[Literal], place: usize, field: Option<&String>) -> Option<Literal> {
        if self.next(10) >= 6 { None } else { self.drawn(args, place, field) }
    }

    fn drawn(&mut self, args: &[Literal], place: usize, field: Option<&String>) -> Option<Literal> {
        let of: Vec<String> = self
            .choices
            .iter()
            .filter(|(at, own, _)| *at == place && own.as_ref() == field)
            .map(|(_, _, form)| form.clone())
            .collect();
        let mut all: Vec<Json> = Vec::new();
        for form in of {
            let code = Expression::compile(&form, self.function)?;
            if let Ok(Json::Array(values)) = self.ground.all.state.value(&code, self.function, args) {
                all.extend(values);
            }
        }
        let at = self.next(all.len());
        all.get(at).map(Literal::from)
    }
}
