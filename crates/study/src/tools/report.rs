//! Tables of judged calls: by domain, by tool, by how the calls were made.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use stepwright_precondition::{Judgement, ToolRule};

use super::{Domain, Judged, Way};
use crate::table::Table;
use stepwright_text::words::count;

/// Counts of judged calls. What cannot be told counts as accepted.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    calls: usize,
    right: usize,
    refused: usize,
    found: usize,
    accepted: usize,
    wrongly: usize,
}

impl Figures {
    fn of<'c>(calls: impl Iterator<Item = &'c Judged>, way: Way) -> Self {
        let mut figures = Figures::default();
        for (call, judgement) in calls.filter_map(|call| Some((call, call.by.get(&way)?))) {
            let refuses = *judgement == Judgement::Refused;
            figures.calls += 1;
            figures.right += usize::from(refuses != call.accepted);
            figures.accepted += usize::from(call.accepted);
            figures.wrongly += usize::from(call.accepted && refuses);
            figures.refused += usize::from(!call.accepted);
            figures.found += usize::from(!call.accepted && refuses);
        }
        figures
    }

    fn f1(self) -> Option<f64> {
        let named = self.found + self.wrongly;
        share(2 * self.found, named + self.refused)
    }
}

fn share(count: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// Undecidable calls of which it was said that they cannot be told, and how many there are.
fn untold(calls: &[Judged], way: Way) -> (usize, usize) {
    let is_judged = |call: &&Judged| !call.decidable && !call.forbidden && call.by.contains_key(&way);
    let undecidable = || calls.iter().filter(is_judged);
    let said = undecidable().filter(|call| call.by.get(&way) == Some(&Judgement::Untold)).count();
    (said, undecidable().count())
}

const HEADINGS: [&str; 10] = [
    "domain", "judged by", "calls", "right", "found", "refused wrongly", "F1", "right, decidable",
    "refused wrongly, decidable", "untold said",
];

/// What the assertions reach, as text.
pub fn tables(domains: &[Domain]) -> String {
    let mut whole = Table::new(2, HEADINGS)
        .titled("Calls that tools accepted or refused, by what judges them (what the policy forbids and the tools accept is left out)");
    for domain in domains {
        let ways = |way: &Way| *way != Way::Written || domain.written.is_some();
        for way in Way::ALL.into_iter().filter(ways) {
            let all = Figures::of(domain.calls.iter().filter(|call| !call.forbidden), way);
            let decidable = Figures::of(domain.calls.iter().filter(|call| !call.forbidden && call.decidable), way);
            let (said, of) = untold(&domain.calls, way);
            whole.row([
                domain.name.clone(),
                way.name().to_owned(),
                all.calls.to_string(),
                shown(share(all.right, all.calls)),
                shown(share(all.found, all.refused)),
                shown(share(all.wrongly, all.accepted)),
                shown(all.f1()),
                shown(share(decidable.right, decidable.calls)),
                shown(share(decidable.wrongly, decidable.accepted)),
                format!("{said}/{of}"),
            ]);
        }
        if let Some(written) = &domain.written
            && let Some(why) = written.failed.first()
        {
            let rest = if written.is_silent() { "nothing of it judges" } else { "it is judged by the others" };
            let (failed, asks) = (written.failed.len(), count(written.asks, "ask"));
            whole.line(format!("{}: {failed} of {asks} of the model failed ({why}); {rest}", domain.name));
        }
        let forbidden: Vec<&Judged> = domain.calls.iter().filter(|call| call.forbidden).collect();
        if !forbidden.is_empty() {
            let refused =
                forbidden.iter().filter(|call| call.by.get(&Way::Inferred) == Some(&Judgement::Refused)).count();
            whole.line(format!(
                "{}: of {} that the policy forbids and the tools accept the assertions refuse {refused}",
                domain.name,
                count(forbidden.len(), "call")
            ));
        }
    }
    let mut out = whole.to_string();
    for (title, key) in [("tool", tool as fn(&Judged) -> &str), ("how the call was made", made)] {
        let mut parts =
            Table::new(2, ["domain", title, "decidable", "right", "refused", "found", "accepted", "refused wrongly"])
                .titled(format!("Inferred assertions on decidable calls, by {title}"));
        for domain in domains {
            let mut groups: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
            for call in domain.calls.iter().filter(|call| call.decidable && !call.forbidden) {
                groups.entry(key(call)).or_default().push(call);
            }
            for (name, calls) in groups {
                let figures = Figures::of(calls.into_iter(), Way::Inferred);
                parts.row([
                    domain.name.clone(),
                    name.to_owned(),
                    figures.calls.to_string(),
                    shown(share(figures.right, figures.calls)),
                    figures.refused.to_string(),
                    shown(share(figures.found, figures.refused)),
                    figures.accepted.to_string(),
                    shown(share(figures.wrongly, figures.accepted)),
                ]);
            }
        }
        out.push_str(&format!("\n{parts}"));
    }
    out
}

fn tool(call: &Judged) -> &str {
    &call.tool
}

fn made(call: &Judged) -> &str {
    &call.kind
}

/// The same as JSON, with the assertions and every call.
pub fn as_json(domains: &[Domain]) -> Json {
    let word = |judgement: Judgement| match judgement {
        Judgement::Accepted => "accepted",
        Judgement::Refused => "refused",
        Judgement::Untold => "untold",
    };
    let domain = |domain: &Domain| {
        let rows: Vec<Json> = Way::ALL
            .into_iter()
            .filter(|way| *way != Way::Written || domain.written.is_some())
            .map(|way| {
                let of = |decidable: bool| {
                    let calls = domain.calls.iter().filter(|call| !call.forbidden && (call.decidable || !decidable));
                    let figures = Figures::of(calls, way);
                    json!({
                        "calls": figures.calls, "right": share(figures.right, figures.calls),
                        "refused_found": share(figures.found, figures.refused),
                        "accepted_refused": share(figures.wrongly, figures.accepted), "f1": figures.f1(),
                    })
                };
                let (said, undecidable) = untold(&domain.calls, way);
                json!({
                    "judged_by": way.name(), "all": of(false), "decidable": of(true),
                    "untold_said": said, "undecidable": undecidable,
                })
            })
            .collect();
        let texts = |rules: &BTreeMap<String, Vec<ToolRule>>| -> Json {
            let of = |rules: &[ToolRule]| rules.iter().map(|rule| rule.assertion.text().into()).collect::<Vec<Json>>();
            rules.iter().map(|(tool, rules)| (tool.clone(), Json::from(of(rules)))).collect()
        };
        let calls: Vec<Json> = domain
            .calls
            .iter()
            .map(|call| {
                let judged = call.by.get(&Way::Inferred).copied().map(word);
                json!({
                    "id": call.id, "tool": call.tool, "kind": call.kind, "accepted": call.accepted, "decidable": call.decidable,
                    "policy_violation": call.forbidden, "judged": judged, "assertion": call.assertion,
                })
            })
            .collect();
        let mut all = json!({
            "domain": domain.name, "episodes": domain.episodes, "rows": rows, "assertions": texts(&domain.rules),
            "calls": calls,
        });
        if let (Some(written), Some(all)) = (&domain.written, all.as_object_mut()) {
            all.insert("assertions_of_the_model".to_owned(), texts(&written.rules));
            all.insert("asks".to_owned(), json!({ "made": written.asks, "failed": written.failed }));
        }
        all
    };
    domains.iter().map(domain).collect()
}
