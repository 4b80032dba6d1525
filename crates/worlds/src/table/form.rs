//! Form of a table as a belief, and back: objects, relations, and an entry for each object.

use serde_json::{Map, Value, json};

use super::rules::Table;
use super::thing::{Kind, TABLE, tidy};

impl Table {
    /// The state: `objects` as listed, `relations` and what containers hold in order of arrival, an entry for each object.
    pub fn form(&self) -> Value {
        let mut by_arrival: Vec<usize> = self.listed.to_vec();
        by_arrival.sort_by_key(|thing| self.now.get(*thing).map(|now| now.since));
        let under = |thing: usize| self.now.get(thing).and_then(|now| now.under);
        let is_block = |thing: usize| !self.kind(thing).is_none_or(Kind::contains);
        let relations: Vec<String> = by_arrival
            .iter()
            .filter_map(|thing| Some((*thing, under(*thing).filter(|under| is_block(*under))?)))
            .map(|(thing, under)| format!("{} is on {}", self.name(thing), self.name(under)))
            .collect();
        let names: Vec<&str> = self.listed.iter().map(|thing| self.name(*thing)).collect();
        let mut form = Map::new();
        form.insert("objects".to_owned(), json!(names));
        form.insert("relations".to_owned(), json!(relations));
        for &thing in self.listed.iter() {
            let mut entry = Map::new();
            if let Some(clean) = self.clean(thing) {
                entry.insert("is".to_owned(), json!([if clean { "clean" } else { "dirty" }]));
            }
            if let Some(weight) = self.now.get(thing).and_then(|now| now.weight.as_deref()) {
                entry.insert("weight".to_owned(), json!(weight));
            }
            let inside: Vec<&str> =
                by_arrival.iter().filter(|t| under(**t) == Some(thing)).map(|t| self.name(*t)).collect();
            let kind = self.kind(thing);
            if kind == Some(Kind::Disinfector) || kind.is_some_and(Kind::contains) && !inside.is_empty() {
                entry.insert("contains".to_owned(), json!(inside));
            }
            form.insert(self.name(thing).to_owned(), Value::Object(entry));
        }
        Value::Object(form)
    }

    /// Where every block and cover is: `table`, or the name of what it lies on or in.
    pub fn placement(&self) -> Map<String, Value> {
        let place = |name: &str| self.place_of(name).map(|place| (name.to_owned(), json!(place)));
        self.things().iter().filter_map(|thing| place(&thing.name)).collect()
    }

    /// The table of a state.
    /// Errors: what in the state makes no sense, and what would.
    pub fn from_form(form: &Value) -> Result<Table, String> {
        let form = form.as_object().ok_or("a state is an object such as {\"objects\": [], \"relations\": []}")?;
        let names = texts(form.get("objects"), "objects")?;
        let mut table = Table::new(&names)?;
        for (name, entry) in form {
            if matches!(name.as_str(), "objects" | "relations") {
                continue;
            }
            let index = table.known(name)?;
            let entry = entry.as_object().ok_or_else(|| format!("{name:?}: an object such as {{}} is expected"))?;
            if let Some(flags) = entry.get("is") {
                for flag in texts(Some(flags), "is")? {
                    match flag {
                        "clean" => table.mark(&[index], true),
                        "dirty" => table.mark(&[index], false),
                        other => return Err(format!("{name:?}: it is {other:?}; clean and dirty are possible")),
                    }
                }
            }
            if let Some(weight) = entry.get("weight")
                && let Some(now) = table.now.get_mut(index)
            {
                let expression = weight.as_str().map_or_else(|| weight.to_string(), str::to_owned);
                now.weight = Some(expression);
            }
            for inside in texts(entry.get("contains"), "contains")? {
                if !table.kind(index).is_some_and(Kind::contains) {
                    return Err(format!("{name:?} contains {inside:?}, but is no bowl and no disinfector"));
                }
                let inside = table.known(inside)?;
                table.lay_checked(inside, Some(index))?;
            }
        }
        for relation in texts(form.get("relations"), "relations")? {
            let (above, below) =
                relation.split_once(" is on ").or_else(|| relation.split_once(" is in ")).ok_or_else(|| {
                    format!("relation {relation:?}: one such as \"red block is on blue block\" is expected")
                })?;
            let above = table.known(above)?;
            match tidy(below).as_str() {
                TABLE => {}
                below => {
                    let below = table.known(below)?;
                    table.lay_checked(above, Some(below))?;
                }
            }
        }
        Ok(table)
    }

    fn known(&self, name: &str) -> Result<usize, String> {
        let name = tidy(name);
        self.find(&name).ok_or_else(|| format!("{name:?} is not one of the objects"))
    }

    /// Lays a thing where a state says it is, if that can be.
    fn lay_checked(&mut self, thing: usize, under: Option<usize>) -> Result<(), String> {
        let says = |table: &Table, why: &str| {
            let below = under.map_or(TABLE, |under| table.name(under));
            Err(format!("{} cannot be on {below}: {why}", table.name(thing)))
        };
        if self.kind(thing).is_none_or(Kind::contains) {
            return says(self, "only blocks and covers are on something");
        }
        let lies = self.now.get(thing).and_then(|now| now.under);
        if lies.is_some() && lies != under {
            return says(self, "it is somewhere else already");
        }
        if let Some(under) = under {
            if self.on_top(under).is_some_and(|there| there != thing) {
                return says(self, "something else is");
            }
            if self.kind(under) == Some(Kind::Cover) {
                return says(self, "nothing is put on a cover");
            }
            if under == thing || self.base(under) == thing {
                return says(self, "it would be on itself");
            }
        }
        self.lay(thing, under);
        Ok(())
    }
}

/// A list of texts; none if it is not there.
fn texts<'a>(value: Option<&'a Value>, what: &str) -> Result<Vec<&'a str>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let list = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    list.ok_or_else(|| format!("{what} must be a list of texts"))
}
