//! Values: what can be read of a call, from its arguments to what was read by them, their fields and items.

use serde_json::{Map, Value as Json};

use stepwright_program::Literal;

use super::search::{Case, Context, LIST, Search, Sort, TABLE, TEXT, Value, kind, quoted};

/// Longest way from an argument to a value.
const DEEPEST: usize = 7;
/// Most values that are looked at.
const MOST_VALUES: usize = 600;

impl<'s> Search<'s> {
    /// The tools that read a thing by one argument, and those that need several: function, their parameters.
    pub(super) fn readers(&self) -> Vec<(&'s str, Vec<String>)> {
        let toolbox = self.ground.toolbox;
        let reading = toolbox.tools().iter().filter(|tool| toolbox.reads(&tool.name));
        let with = reading.filter_map(|tool| toolbox.tool(&tool.name));
        with.map(|(_, function, parameters)| {
            (function, parameters.iter().filter(|p| p.required).map(|p| p.name.clone()).collect())
        })
        .collect()
    }

    /// The contexts, and the arguments and elements as the first values.
    pub(super) fn begin(&mut self) {
        let variables = self.variables();
        let is_list = |at: usize| self.cases.iter().all(|case| matches!(case.args.get(at), Some(Literal::List(_))));
        let lists: Vec<usize> = (0..variables.len()).filter(|at| is_list(*at)).collect();
        let length = |case: &Case, at: usize| match case.args.get(at) {
            Some(Literal::List(items)) => items.len(),
            _ => 0,
        };
        let mut contexts: Vec<Context> = Vec::new();
        for (number, at) in lists.iter().enumerate() {
            let list = &variables[*at];
            contexts.push(Context { clause: format!("for x in {list}"), lists: vec![*at], records: false });
            for other in lists.iter().skip(number + 1) {
                if self.cases.iter().all(|case| length(case, *at) == length(case, *other)) {
                    let clause = format!("for x, y in zip({list}, {})", variables[*other]);
                    contexts.push(Context { clause, lists: vec![*at, *other], records: false });
                }
            }
            contexts.extend(self.records(*at, list));
        }
        for name in variables {
            self.waiting.push_back((name.clone(), 0, 0));
        }
        for context in contexts {
            self.contexts.push(context.clone());
            let at = self.contexts.len() - 1;
            let variables: &[&str] = match (context.records, context.lists.len()) {
                (true, _) => &["f"],
                (false, 2) => &["x", "y"],
                _ => &["x"],
            };
            self.waiting.extend(variables.iter().map(|variable| ((*variable).to_owned(), at, 0)));
        }
        for at in lists {
            self.waiting.push_back((format!("len({})", variables[at]), 0, 3));
        }
        // What is read by nothing, or by several of the arguments together.
        for (reader, needs) in self.readers().into_iter().filter(|(_, needs)| needs.len() != 1) {
            let place =
                |need: &String| self.names.iter().position(|name| name == need).and_then(|at| variables.get(at));
            let Some(key) = needs.iter().map(place).collect::<Option<Vec<&String>>>() else { continue };
            let key = key.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            self.waiting.push_back((format!("self.read['{reader}'][({key})]"), 0, 1));
        }
    }

    /// Records that were read of a list's elements: by all arguments of a reading tool, or found in the lists that it returned.
    fn records(&mut self, at: usize, list: &str) -> Vec<Context> {
        let Some(common) = self.fields_of(at) else { return Vec::new() };
        let mut contexts = Vec::new();
        let mut errors = Vec::new();
        for (reader, needs) in self.readers().into_iter().filter(|(_, needs)| needs.len() > 1) {
            let field = |name: &String| format!("x[{}]", quoted(name));
            let clause = if needs.iter().all(|name| common.contains(name)) {
                let key = format!("({})", needs.iter().map(field).collect::<Vec<_>>().join(", "));
                errors.push(format!("all({key} not in self.errors['{reader}'] for x in {list})"));
                format!(
                    "for x in {list} for f in [self.read['{reader}'][k] for k in [{key}] if k in self.read['{reader}']]"
                )
            } else {
                let shared: Vec<String> = needs
                    .iter()
                    .enumerate()
                    .filter(|(_, name)| common.contains(*name))
                    .map(|(at, name)| format!("k[{at}] == {}", field(name)))
                    .collect();
                let own = self.ground.toolbox.tools().iter().find(|t| self.ground.toolbox.function(&t.name) == reader);
                let sample: Vec<&Json> = self
                    .ground
                    .results
                    .iter()
                    .filter(|(tool, _)| own.is_some_and(|own| own.name == *tool))
                    .flat_map(|(_, result)| result.as_array().into_iter().flatten())
                    .filter(|record| record.is_object())
                    .collect();
                let same: Vec<String> = common
                    .iter()
                    .filter(|name| {
                        !needs.contains(name)
                            && !sample.is_empty()
                            && sample.iter().all(|record| record.get(name.as_str()).is_some())
                    })
                    .map(|name| format!("f[{}] == {}", quoted(name), field(name)))
                    .collect();
                if shared.is_empty() || same.is_empty() {
                    continue;
                }
                format!(
                    "for x in {list} for k, l in self.read['{reader}'].items() if {} for f in l if {}",
                    shared.join(" and "),
                    same.join(" and ")
                )
            };
            contexts.push(Context { clause, lists: vec![at], records: true });
        }
        errors.into_iter().for_each(|text| self.add(text, Sort::Error));
        contexts
    }

    /// Follows values to what was read by them, to fields and items.
    pub(super) fn expand(&mut self) {
        while let Some((text, context, depth)) = self.waiting.pop_front() {
            if depth > DEEPEST || self.values.len() >= MOST_VALUES || !self.done.insert((text.clone(), context)) {
                continue;
            }
            let seen = self.values_of(&text, context);
            let some: Vec<&Json> = seen.iter().flatten().flatten().collect();
            let records = self.contexts.get(context).is_some_and(|c| c.records);
            let with = seen.iter().flatten().filter(|values| !records || !values.is_empty()).count();
            if seen.iter().flatten().count() < self.enough() || some.is_empty() || with < 3 {
                continue;
            }
            let kinds = some.iter().fold(0, |kinds, value| kinds | kind(value));
            let varies = some.iter().any(|value| Some(value) != some.first());
            let vector = (
                context,
                Json::from(seen.iter().map(|v| v.clone().map_or(Json::Null, Json::from)).collect::<Vec<_>>())
                    .to_string(),
            );
            if depth > 0 && varies && !text.starts_with("len(") && self.vectors.contains(&vector) {
                continue;
            }
            self.vectors.insert(vector);
            if kinds == TEXT {
                for (reader, needs) in self.readers() {
                    let clause = self.contexts.get(context).map_or("", |c| c.clause.as_str());
                    let read = format!(
                        "all(v in self.read['{reader}'] for v in [{text} {clause}]) and len([{text} {clause}]) > 0"
                    );
                    if needs.len() == 1
                        && self.truths(&read).iter().filter(|truth| **truth == Some(true)).count() >= self.enough()
                    {
                        let mut error = format!("{text} not in self.errors['{reader}']");
                        // What was read before each call has to be: else it cannot be told.
                        if depth == 0 && self.truths(&read).iter().all(|truth| *truth == Some(true)) {
                            error.push_str(&format!(" and self.read['{reader}'][{text}] is not None"));
                        }
                        let error = self.wrap(context, &error);
                        self.add(error, Sort::Error);
                        self.waiting.push_back((format!("self.read['{reader}'][{text}]"), context, depth + 1));
                    }
                }
            }
            if kinds == TABLE {
                let tables: Vec<&Map<String, Json>> = some.iter().filter_map(|value| value.as_object()).collect();
                let mut counts: Vec<(&String, usize)> = Vec::new();
                for name in tables.iter().flat_map(|table| table.keys()) {
                    match counts.iter().position(|(known, _)| *known == name) {
                        Some(at) => counts[at].1 += 1,
                        None if counts.len() < 60 => counts.push((name, 1)),
                        None => {}
                    }
                }
                let few = counts.len() <= 40;
                for (name, count) in counts {
                    if count == tables.len() {
                        self.waiting.push_back((format!("{text}[{}]", quoted(name)), context, depth + 1));
                    } else if few && count * 10 >= tables.len() {
                        self.waiting.push_back((format!("{text}.get({})", quoted(name)), context, depth + 1));
                    }
                }
            }
            if kinds == LIST && depth > 0 {
                if some.iter().all(|list| list.as_array().is_some_and(|list| !list.is_empty())) {
                    self.waiting.push_back((format!("{text}[0]"), context, depth + 1));
                }
                self.waiting.push_back((format!("len({text})"), context, depth + 1));
                // The things that a thing read has.
                let kinds =
                    some.iter().filter_map(|list| list.as_array()).flatten().fold(0, |kinds, v| kinds | kind(v));
                if context == 0 && depth < 4 && (kinds == TEXT || kinds == TABLE) {
                    let clause = format!("for e in {text}");
                    self.contexts.push(Context { clause, lists: Vec::new(), records: true });
                    self.waiting.push_back(("e".to_owned(), self.contexts.len() - 1, depth + 1));
                }
            }
            self.values.push(Value { text, context, seen, kinds, depth });
        }
    }
}
