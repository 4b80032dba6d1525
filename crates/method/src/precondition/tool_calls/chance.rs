//! Chance: how often an assertion holds where an argument is another of its kind, and whether it is believed by that.

use serde_json::Value as Json;

use stepwright_program::{Expression, Literal};

use super::search::{FEWEST, Search, Sort, holds};

/// Other calls that are made up for each assertion.
const OTHERS: usize = 150;

impl<'s> Search<'s> {
    fn next(&mut self, of: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % of.max(1)
    }

    /// Whether it would be a rare chance that it held at every call: how often it holds where an argument is another.
    pub(super) fn is_believed(&mut self, text: &str, sort: Sort, seen: usize) -> bool {
        if sort == Sort::Error {
            return true;
        }
        if seen < FEWEST {
            return false;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let named = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                !text.get(..at).is_some_and(|before| before.ends_with(word))
                    && !text.get(at + name.len()..).is_some_and(|after| after.starts_with(word))
            })
        };
        let places: Vec<usize> =
            (0..self.names.len()).filter(|at| self.variables().get(*at).is_some_and(|v| named(v))).collect();
        let Some(code) = Expression::compile(&format!("bool({text})"), self.function) else { return false };
        let (mut yes, mut no) = (0usize, 0usize);
        for _ in 0..OTHERS {
            let at = self.next(self.cases.len());
            let Some(case) = self.cases.get(at) else { continue };
            let place = self.next(places.len());
            let Some(place) = places.get(place) else { break };
            let args = self.other(&case.args, *place);
            match holds(&self.ground.all.state.value(&code, self.function, &args)) {
                Some(true) => yes += 1,
                Some(false) => no += 1,
                None => {}
            }
        }
        let share = (yes as f64 + 0.5) / (yes + no + 1) as f64;
        let evidence = -(seen as f64) * share.ln();
        // One or two words that an argument always is, again and again, are its choices.
        let choice = sort == Sort::Constant
            && no == 0
            && seen >= 10
            && self.variables().iter().any(|v| text.starts_with(&format!("{v} in (")));
        choice || evidence >= sort.least()
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
        if self.next(10) >= 6 {
            return None;
        }
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
