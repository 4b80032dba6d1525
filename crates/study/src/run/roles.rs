//! Table of what each role took, where roles have models of their own.

use super::{RoleUse, RunResult};
use crate::columns::{Cell, Group, column, condition, groups};
use crate::report::{Report, Table};

/// A row for each role and the model that it was asked of: means of an episode. Nothing where no role has a model of its own.
pub(crate) fn by_role<'a>(results: impl IntoIterator<Item = &'a RunResult>, report: &mut Report) {
    let uses: Vec<(&String, &RoleUse)> = results.into_iter().flat_map(|result| &result.roles).collect();
    if uses.is_empty() {
        return;
    }
    type Of<'a> = Group<'a, (&'a String, &'a RoleUse)>;
    let rows = groups(&uses, |(role, of)| vec![("role", (*role).clone()), ("model", of.model.clone())]);
    let mean = |heading, figure: fn(&RoleUse) -> u64| {
        column(heading, move |of: &Of<'_>| Cell::Figure(of.mean(|(_, of)| Some(figure(of) as f64)), 1))
    };
    let columns = [
        condition("role"),
        condition("model"),
        column("episodes", |of: &Of<'_>| Cell::of(of.lines.len())),
        mean("asks", |of| of.asks),
        mean("prompt tokens", |of| of.prompt_tokens),
        mean("tokens written", |of| of.completion_tokens),
    ];
    report.text("\nBy role, means of an episode\n");
    report.table(Table::of("By role", &columns, &rows));
}
