//! Listed: elements of an argument, each of which a reading listed or the thing that another argument names has already. Where neither is so
//! the reading of that element itself says whether it will do.

use std::collections::BTreeSet;

use stepwright_program::Literal;

use super::search::{Context, LIST, Search, Sort, TABLE, kind, quoted};

impl Search<'_> {
    /// Elements that were listed or are had already; and records of those that are not had, as a context of their own.
    pub(super) fn listed(&mut self) {
        for at in 0..self.contexts.len() {
            let Some(Context { clause, lists, records: true }) = self.contexts.get(at).cloned() else { continue };
            let Some((list, variable)) = lists.first().and_then(|list| Some((*list, self.variables().get(*list)?)))
            else {
                continue;
            };
            let elements = format!("for x in {variable} ");
            let Some(found) =
                clause.strip_prefix(&elements).filter(|rest| rest.contains(".items()") && !rest.contains(" if not "))
            else {
                continue;
            };
            let Some(names) = self.fields_of(list) else { continue };
            let same: Vec<String> = names.iter().map(|name| format!("i[{0}] == x[{0}]", quoted(name))).collect();
            let has = |value: &&super::search::Value| {
                value.context == 0
                    && value.depth > 0
                    && value.kinds == LIST
                    && value
                        .all()
                        .flat_map(|list| list.as_array().into_iter().flatten())
                        .all(|item| kind(item) == TABLE && names.iter().all(|name| item.get(name).is_some()))
            };
            let owned: Vec<String> = self
                .values
                .iter()
                .filter(has)
                .map(|value| format!("any(True for i in {} if {})", value.text, same.join(" and ")))
                .collect();
            for had in &owned {
                let clause = format!("{clause} if not {had}");
                if !self.contexts.iter().any(|known| known.clause == clause) {
                    self.contexts.push(Context { clause, lists: lists.clone(), records: true });
                    self.waiting.push_back(("f".to_owned(), self.contexts.len() - 1, 0));
                }
            }
            let listed = format!("any(True {found})");
            let ways = std::iter::once(listed.clone()).chain(owned.iter().map(|had| format!("{listed} or {had}")));
            let Some(way) = ways.into_iter().find(|way| self.is_so(&format!("all({way} {elements})"))) else {
                continue;
            };
            for (reader, needs) in self.readers().into_iter().filter(|(_, needs)| needs.len() > 1) {
                if needs.iter().all(|name| names.contains(name)) {
                    let key: Vec<String> = needs.iter().map(|name| format!("x[{}]", quoted(name))).collect();
                    let own = format!("self.read['{reader}'][({})]", key.join(", "));
                    self.add(format!("all({way} or {own} in () {})", elements.trim_end()), Sort::Listed);
                }
            }
        }
    }

    /// The fields that every element of a list among the arguments has; `None` where they are no tables.
    pub(super) fn fields_of(&self, list: usize) -> Option<BTreeSet<String>> {
        let mut common: Option<BTreeSet<String>> = None;
        let lists = self.cases.iter().filter_map(|case| match case.args.get(list) {
            Some(Literal::List(items)) => Some(items),
            _ => None,
        });
        for element in lists.flatten() {
            let Literal::Dict(fields) = element else { return None };
            let names: BTreeSet<String> = fields.iter().map(|(name, _)| name.clone()).collect();
            common =
                Some(common.map_or_else(|| names.clone(), |common| common.intersection(&names).cloned().collect()));
        }
        common
    }
}
