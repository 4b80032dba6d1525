//! Forms of assertions: membership, constants, equality and bounds, sums, one of two.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use stepwright_program::Literal;

use super::search::{LIST, NOTHING, NUMBER, Search, Sort, TABLE, TEXT, Value, names, quoted};

impl<'s> Search<'s> {
    /// Texts that are always among those of a list, the keys of a table or a field of a list's records.
    pub(super) fn members(&mut self) {
        let mut pairs: Vec<(String, usize, String, usize, Vec<String>)> = Vec::new();
        let lists: BTreeSet<&str> = self
            .contexts
            .iter()
            .flat_map(|c| &c.lists)
            .filter_map(|at| self.variables().get(*at))
            .map(String::as_str)
            .collect();
        for value in self.values.iter().filter(|v| v.kinds == TEXT && v.depth <= 4) {
            for container in self.values.iter().filter(|v| v.kinds & !(LIST | TABLE) == 0) {
                let own = ["x", "y", "e"].contains(&container.text.as_str()) || lists.contains(container.text.as_str());
                if own || names(&container.text, &value.text) && value.text.len() > 1 {
                    continue;
                }
                let Some(context) = self.together(value.context, container.context) else { continue };
                // A thing is among those of which it is one.
                if value.text.contains(&container.text)
                    || self
                        .contexts
                        .get(context)
                        .is_some_and(|c| c.clause.ends_with(&format!(" in {}", container.text)))
                {
                    continue;
                }
                let fields: BTreeSet<&String> = container
                    .all()
                    .flat_map(|list| list.as_array().into_iter().flatten())
                    .filter_map(Json::as_object)
                    .flat_map(|record| record.iter().filter(|(_, v)| v.is_string()).map(|(name, _)| name))
                    .collect();
                let forms = std::iter::once(container.text.clone())
                    .chain(fields.into_iter().map(|name| format!("[i[{}] for i in {}]", quoted(name), container.text)));
                pairs.push((value.text.clone(), value.context, container.text.clone(), context, forms.collect()));
            }
        }
        for (text, own, container, context, forms) in pairs {
            for form in forms {
                if self.boxes.contains(&(text.clone(), context, form.clone())) {
                    continue;
                }
                let whole = self.wrap(context, &format!("{text} in {form}"));
                if !self.is_so(&whole) {
                    continue;
                }
                self.boxes.push((text.clone(), context, form.clone()));
                self.add(whole, Sort::Member);
                self.note_choice(&text, own, context, &form);
                let item = match form.strip_prefix("[i[").and_then(|rest| rest.split_once(']')) {
                    Some((name, _)) if form != container => {
                        format!("next(i for i in {container} if i[{name}] == {text})")
                    }
                    _ => format!("{container}[{text}]"),
                };
                self.waiting.push_back((item, context, 2));
            }
        }
    }

    /// What an argument, an element of one or its field could have been.
    fn note_choice(&mut self, text: &str, own: usize, context: usize, form: &str) {
        let container_varies =
            own != context || self.contexts.get(context).is_some_and(|c| !c.clause.is_empty() && form.contains("== x"));
        let clause = self.contexts.get(context).map(|c| c.clause.clone()).unwrap_or_default();
        let choices = if own == 0 && !clause.is_empty()
            || !clause.is_empty() && (container_varies || form.contains("x)") || form.contains("[x"))
        {
            format!("[m {clause} for m in {form}]")
        } else {
            format!("list({form})")
        };
        let place = self.variables().iter().position(|name| name == text);
        let of_list = self.contexts.get(own).map(|c| c.lists.clone()).unwrap_or_default();
        let found = match (place, text) {
            (Some(at), _) => Some((at, None)),
            (None, "x") => of_list.first().map(|at| (*at, None)),
            (None, "y") => of_list.get(1).map(|at| (*at, None)),
            (None, text) => {
                let field = text
                    .strip_prefix("x['")
                    .and_then(|rest| rest.strip_suffix("']"))
                    .filter(|name| !name.contains('\''));
                of_list.first().zip(field).map(|(at, name)| (*at, Some(name.to_owned())))
            }
        };
        self.choices.extend(found.map(|(at, field)| (at, field, choices)));
    }

    /// Values that are always the same one or two; numbers above zero.
    pub(super) fn constants(&mut self) {
        let mut found: Vec<(String, Sort)> = Vec::new();
        for value in self.values.iter().filter(|v| v.kinds & (LIST | TABLE) == 0) {
            let mut distinct: Vec<&Json> = Vec::new();
            for seen in value.all() {
                if !distinct.contains(&seen) && distinct.len() < 3 {
                    distinct.push(seen);
                }
            }
            let text = &value.text;
            let empty = distinct.iter().any(|v| v.as_str() == Some(""));
            if distinct.len() <= 2 && value.kinds != NUMBER && !empty && !self.is_made_otherwise(value, &distinct) {
                let body = match distinct.as_slice() {
                    [Json::Bool(true)] => text.clone(),
                    [Json::Null] => format!("{text} is None"),
                    [Json::String(only)] => self.refined(value, only),
                    [only] => format!("{text} == {}", Literal::from(*only)),
                    several => {
                        let all: Vec<String> = several.iter().map(|v| Literal::from(*v).to_string()).collect();
                        format!("{text} in ({})", all.join(", "))
                    }
                };
                let sort = if body == *text { Sort::Flag } else { Sort::Constant };
                found.push((self.wrap(value.context, &body), sort));
            }
            if value.kinds == NUMBER && value.depth == 0 {
                let least = value.all().filter_map(Json::as_f64).fold(f64::INFINITY, f64::min);
                let sign = if least > 0.0 { ">" } else { ">=" };
                if least >= 0.0 {
                    found.push((self.wrap(value.context, &format!("{text} {sign} 0")), Sort::Sign));
                }
            }
        }
        found.into_iter().for_each(|(text, sort)| self.add(text, sort));
    }

    /// Whether another tool's call leaves things in the list that a value is of that have another one: that was not shown to be refused.
    fn is_made_otherwise(&self, value: &Value, distinct: &[&Json]) -> bool {
        let clause = self.contexts.get(value.context).map_or("", |c| c.clause.as_str());
        let list = clause.strip_prefix("for e in ").and_then(|rest| rest.rsplit_once("['")?.1.strip_suffix("']"));
        let field = value.text.strip_prefix("e['").and_then(|rest| rest.strip_suffix("']"));
        let Some((list, field)) = list.zip(field) else { return false };
        let toolbox = self.ground.toolbox;
        let written = self.ground.results.iter().filter(|(tool, _)| *tool != self.tool && !toolbox.reads(tool));
        let items = written.filter_map(|(_, result)| result.get(list)?.as_array()).flatten();
        items.filter_map(|item| item.get(field)).any(|made| !distinct.contains(&made))
    }

    /// A text that a thing always has. Where other tools make it a longer one (`pending (item modified)`), that was not shown to be refused;
    /// what the tool itself makes it was: nobody does it twice.
    fn refined(&self, value: &Value, only: &str) -> String {
        let text = &value.text;
        let field = text.rsplit_once("['").and_then(|(_, name)| name.strip_suffix("']")).filter(|_| value.depth > 0);
        let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (tool, result) in &self.ground.results {
            let made = field.and_then(|field| result.get(field)).and_then(Json::as_str);
            if let Some(made) =
                made.filter(|made| !only.is_empty() && made.len() > only.len() && made.starts_with(only))
            {
                if tool == self.tool {
                    own.insert(made)
                } else {
                    others.insert(made)
                };
            }
        }
        if others.difference(&own).next().is_none() {
            return format!("{text} == {}", quoted(only));
        }
        let but: String = own.iter().map(|made| format!(" and {text} != {}", quoted(made))).collect();
        format!("{text}.startswith({}){but}", quoted(only))
    }

    /// Pairs of values at each call: every combination of the one's and the other's, or element by element where they share a clause.
    fn pairs<'v>(one: &'v Value, other: &'v Value) -> impl Iterator<Item = (&'v Json, &'v Json)> {
        let together = one.context == other.context;
        one.seen.iter().zip(&other.seen).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).flat_map(
            move |(a, b)| {
                let zipped = a.iter().zip(b).filter(move |_| together);
                let crossed = a.iter().flat_map(move |a| b.iter().map(move |b| (a, b))).filter(move |_| !together);
                zipped.chain(crossed)
            },
        )
    }

    /// Equal, unequal and bounded values.
    pub(super) fn relations(&mut self) {
        let scalar: Vec<&Value> = self.values.iter().filter(|v| v.kinds & (LIST | TABLE) == 0).collect();
        let argument = |text: &str| {
            self.variables().iter().any(|v| v == text) || matches!(text, "x" | "y") || text.starts_with("x['")
        };
        let length = |text: &str| text.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
        let of_argument = |text: &str| length(text).is_some_and(|inside| self.variables().contains(&inside));
        let mut found: Vec<(String, Sort, Option<String>)> = Vec::new();
        for (at, one) in scalar.iter().enumerate() {
            for other in scalar.iter().skip(at + 1) {
                let Some(context) = self.together(one.context, other.context) else { continue };
                let kinds = one.kinds & !NOTHING;
                if kinds != other.kinds & !NOTHING || kinds.count_ones() != 1 {
                    continue;
                }
                let missing: Vec<&str> =
                    [one, other].iter().filter(|v| v.kinds & NOTHING != 0).map(|v| v.text.as_str()).collect();
                let (a, b) = (one.text.as_str(), other.text.as_str());
                let known = || Self::pairs(one, other).filter(|(x, y)| !x.is_null() && !y.is_null());
                let lengths = (length(a).is_some(), length(b).is_some());
                let any = known().next().is_some();
                if kinds == TEXT && missing.is_empty() && any {
                    let ways = argument(a) && argument(b) && one.context == other.context && one.context != 0;
                    if known().all(|(x, y)| x == y) && one.depth.min(other.depth) <= 1 {
                        found.push((self.wrap(context, &format!("{a} == {b}")), Sort::Equal, None));
                    } else if (ways || (argument(a) || argument(b)) && self.share_a_box(a, b))
                        && known().all(|(x, y)| x != y)
                    {
                        found.push((self.wrap(context, &format!("{a} != {b}")), Sort::Unequal, None));
                    }
                }
                if kinds != NUMBER || missing.len() > 1 || !any {
                    continue;
                }
                if lengths == (true, true) && missing.is_empty() {
                    if (of_argument(a) || of_argument(b)) && known().all(|(x, y)| x == y) {
                        let varies = one.all().any(|length| Some(length) != one.all().next());
                        let sort = if varies && of_argument(a) && of_argument(b) { Sort::Sign } else { Sort::Equal };
                        found.push((self.wrap(context, &format!("{a} == {b}")), sort, None));
                    }
                    continue;
                }
                let read = |text: &str, v: &Value| {
                    text.contains("self.") || self.contexts.get(v.context).is_some_and(|c| c.records)
                };
                // A number of things is bounded by what one thing says.
                let one_thing = |text: &str, v: &Value| v.context == 0 && v.depth <= 3 && !text.contains("[0]");
                let asked = argument(a) && read(b, other)
                    || argument(b) && read(a, one)
                    || of_argument(a) && read(b, other) && one_thing(b, other)
                    || of_argument(b) && read(a, one) && one_thing(a, one);
                let optional = (a.contains(".get("), b.contains(".get("));
                let counted = lengths.0 && self.is_chosen(b, true) || lengths.1 && self.is_chosen(a, true);
                let of_read = lengths.0 && !of_argument(a) || lengths.1 && !of_argument(b);
                let paid = optional.0 && self.is_chosen(a, false) || optional.1 && self.is_chosen(b, false);
                if !(asked || counted || paid) || of_read && !counted {
                    continue;
                }
                // What is asked, and the value read that bounds it.
                let turned = optional.0 && !optional.1 || optional.0 == optional.1 && (argument(b) || lengths.1);
                let (asks, bound) = if turned { (b, a) } else { (a, b) };
                let number = |v: &Json| v.as_f64().unwrap_or_default();
                let (sign, sort) = if known().all(|(x, y)| (number(x) <= number(y)) != turned || number(x) == number(y))
                {
                    ("<=", if counted { Sort::Counted } else { Sort::Bound })
                } else if asked && known().all(|(x, y)| (number(x) >= number(y)) != turned || number(x) == number(y)) {
                    (">=", Sort::Least)
                } else {
                    continue;
                };
                let (mut body, mut matters) = (format!("{asks} {sign} {bound}"), None);
                if let Some(missing) = missing.first() {
                    body = format!("({missing} is None or {body})");
                    let clause = self.contexts.get(context).map_or("", |c| c.clause.as_str());
                    matters = Some(format!("any([{missing} is not None {clause}])"));
                }
                found.push((self.wrap(context, &body), sort, matters));
            }
        }
        for (text, sort, matters) in found {
            self.matters.extend(matters.map(|when| (text.clone(), when)));
            self.add(text, sort);
        }
    }

    /// Whether an argument chooses among the fields of a thing, as a cabin does among free seats; at the end, or on the way.
    fn is_chosen(&self, text: &str, at_the_end: bool) -> bool {
        let chooses = |step: String| {
            text.match_indices(&step).any(|(at, _)| {
                let table = text.get(..at).and_then(|before| before.rsplit_once("['"));
                table.is_some_and(|(of, _)| !of.ends_with("self.read"))
                    && (!at_the_end || at + step.len() == text.len())
            })
        };
        self.variables().iter().any(|v| chooses(format!("'][{v}]")))
    }

    /// Sums over the elements of an argument that a value read bounds.
    pub(super) fn sums(&mut self) {
        let numbers: Vec<&Value> = self
            .values
            .iter()
            .filter(|v| v.context != 0 && v.kinds == NUMBER && !self.contexts.get(v.context).is_some_and(|c| c.records))
            .collect();
        let mut sums: Vec<String> = Vec::new();
        for one in &numbers {
            let Some(context) = self.contexts.get(one.context) else { continue };
            sums.push(format!("sum({} {})", one.text, context.clause));
            // What is asked for is named after what is given for it.
            let given = numbers.iter().filter(|given| {
                given.context == one.context && one.text.contains("[y]") && !given.text.contains("[y]")
            });
            sums.extend(given.map(|given| format!("sum({} - {} {})", one.text, given.text, context.clause)));
        }
        let optional = |v: &&Value| {
            v.context == 0 && v.kinds == NUMBER | NOTHING && v.text.contains(".get(") && self.is_chosen(&v.text, false)
        };
        let bounds: Vec<String> = self.values.iter().filter(optional).map(|v| v.text.clone()).collect();
        let mut found = Vec::new();
        for sum in &sums {
            for bound in &bounds {
                let text = format!("{bound} is None or {sum} <= {bound}");
                if self.is_so(&text) {
                    found.push((text, format!("{bound} is not None")));
                }
            }
        }
        for (text, matters) in found {
            self.matters.insert(text.clone(), matters);
            self.add(text, Sort::Sum);
        }
    }

    /// An argument that equals a value read, or is a thing of one kind.
    pub(super) fn either(&mut self) {
        let of_call = |value: &Value| -> Vec<Option<Json>> {
            value.seen.iter().map(|seen| seen.as_ref().and_then(|seen| seen.first()).cloned()).collect()
        };
        let (least, all) = (self.cases.len() * 15 / 100, self.cases.len());
        let texts: Vec<&Value> = self.values.iter().filter(|v| v.context == 0 && v.kinds == TEXT).collect();
        let mut found = Vec::new();
        for argument in texts.iter().filter(|v| self.variables().contains(&v.text)) {
            for read in texts.iter().filter(|v| v.depth > 0 && self.share_a_box(&argument.text, &v.text)) {
                let (a, b) = (of_call(argument), of_call(read));
                let equal: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a.is_some() && a == b).collect();
                let count = equal.iter().filter(|equal| **equal).count();
                if count < least.max(1) || count == all {
                    continue;
                }
                for kind in texts.iter().filter(|v| v.depth > 1 && v.text.contains(&format!("[{}]", argument.text))) {
                    let kinds = of_call(kind);
                    let rest: BTreeSet<String> = kinds
                        .iter()
                        .zip(&equal)
                        .filter(|(_, equal)| !**equal)
                        .map(|(kind, _)| kind.clone().unwrap_or_default().to_string())
                        .collect();
                    let only = rest
                        .iter()
                        .next()
                        .filter(|_| rest.len() == 1)
                        .and_then(|only| serde_json::from_str::<String>(only).ok());
                    let varies = kinds.iter().any(|kind| Some(kind) != kinds.first());
                    if let Some(only) = only.filter(|_| varies) {
                        found.push(format!("{} == {} or {} == {}", argument.text, read.text, kind.text, quoted(&only)));
                    }
                }
            }
        }
        found.into_iter().for_each(|text| self.add(text, Sort::Either));
    }
}
