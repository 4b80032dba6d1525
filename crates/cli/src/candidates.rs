//! `stepwright preconditions candidates`: pools of candidates with verdicts, clusters and the sets adopted from them; comparisons of sets.
//! As JSON, for further work elsewhere.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::candidate_store::{self, Where};
use super::{CliError, Global, print, print_json};
use stepwright_precondition::{ActionEffects, Pool, Ranking, Score, SetComparison, SideBySide, Validity};
use stepwright_text::words::count;

/// Prints the candidates that the built-in enumerator makes of the demonstrations.
#[derive(Debug, Args)]
pub struct Candidates {
    /// Logs of episodes as the demonstrations, in any format that `open` reads; those that failed are left out
    #[arg(value_name = "LOG", conflicts_with_all = ["world", "task"])]
    logs: Vec<PathBuf>,
    /// These actions; all that the demonstrations call if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    action: Vec<String>,
    /// What the actions change, as programs, in place of what they need
    #[arg(long)]
    effects: bool,
    #[command(flatten)]
    at: Where,
    /// Print the pools as JSON; demonstrations and calls are counted from 1, as in words
    #[arg(long)]
    json: bool,
}

impl Candidates {
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let (mut store, truth, name) = candidate_store::over(&self.logs, &self.at, global)?;
        let named = |action: &&str| self.action.is_empty() || self.action.iter().any(|own| own == action);
        let called: Vec<String> = store.called_actions().map(|f| f.name.clone()).collect();
        if called.is_empty() {
            let why = "no demonstration calls an action: there is nothing to find preconditions by";
            return Err(CliError::Failed(why.to_owned()));
        }
        if let Some(unknown) = self.action.iter().find(|own| !called.contains(own)) {
            let known = called.join(", ");
            return Err(CliError::Usage(format!("no demonstration calls `{unknown}`; they call {known}")));
        }
        if self.effects {
            let mut found = store.demonstrations().effects().to_vec();
            found.retain(|of| named(&of.action.as_str()));
            let text: String = found.iter().map(changed).collect();
            let shown =
                if self.json { print_json(&format!("{:#}\n", json!({ "actions": found }))) } else { print(&text) };
            return shown.map(|()| ExitCode::SUCCESS);
        }
        let mut pools = Vec::new();
        for action in called.iter().map(String::as_str).filter(named) {
            let fail = |e: stepwright_precondition::StoreError| CliError::Failed(e.to_string());
            let pool = store.enumerate(action, |_, _| true).map_err(fail)?;
            pools.push((pool, store.suggested(action, Ranking::Evidence)));
        }
        if self.json {
            let pool = |(pool, suggested): &(Pool, Vec<String>)| {
                let mut value = as_json(pool);
                value["adopted"] = json!(suggested);
                value["true"] = json!(truth.of(&pool.action));
                value
            };
            let demonstrations: Vec<&str> = store.demonstrations().all.iter().map(|demo| demo.id.as_str()).collect();
            let actions: Value = pools.iter().map(pool).collect();
            let all = json!({ "demonstrations": demonstrations, "truth_from": name, "actions": actions });
            print_json(&format!("{all:#}\n"))?;
        } else {
            let text: String = pools.iter().map(|(pool, suggested)| listed(pool, suggested)).collect();
            print(&text)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A pool as data: demonstrations and calls are counted from 1, as they are in words.
pub(super) fn as_json(pool: &Pool) -> Value {
    let mut value = json!(pool);
    let lists = ["candidates", "held_back", "in_force"];
    let fates = value.as_object_mut().into_iter().flatten().filter(|(name, _)| lists.contains(&name.as_str()));
    let fates = fates.filter_map(|(_, list)| list.as_array_mut()).flatten().filter_map(|of| of.get_mut("fate"));
    for fate in fates.filter_map(Value::as_object_mut) {
        for (_, number) in fate.iter_mut().filter(|(name, _)| ["demonstration", "call"].contains(&name.as_str())) {
            *number = json!(number.as_u64().map(|index| index + 1));
        }
    }
    value
}

/// A pool for display: what would be adopted, and how many others there are.
fn listed(pool: &Pool, suggested: &[String]) -> String {
    let valid = pool.candidates.iter().filter(|c| c.fate == Validity::Valid).count();
    let clusters = pool.candidates.iter().filter_map(|c| c.cluster).max().map_or(0, |last| last + 1);
    let mut text = format!(
        "{}({}): {}, {valid} valid, {}, {} held back\n",
        pool.action,
        pool.params.join(", "),
        count(pool.candidates.len(), "candidate"),
        count(clusters, "cluster"),
        pool.held_back.len()
    );
    let mut by = |ranking: Ranking, assertions: &[String]| {
        text.push_str(&format!("  suggested, {}:\n", ranking.name()));
        assertions.iter().for_each(|assertion| text.push_str(&format!("    assert {assertion}\n")));
    };
    by(Ranking::Evidence, suggested);
    if pool.by_equation != suggested {
        by(Ranking::EquationOne, &pool.by_equation);
    }
    text
}

/// What an action changes, for display: the effects suggested and those likely, and what it leaves alone.
fn changed(of: &ActionEffects) -> String {
    let mut text = format!("{}({}): {}\n", of.action, of.params.join(", "), of.judged_on());
    for candidate in of.candidates.iter().filter(|candidate| candidate.is_suggested() || candidate.is_likely()) {
        let same = of.candidates.iter().filter(|other| other.cluster == candidate.cluster).count() - 1;
        let same = if same > 0 { format!("; {same} that do the same") } else { String::new() };
        let likely = match candidate.exceptions {
            0 => String::new(),
            exceptions => format!("; likely, {}", count(exceptions, "exception")),
        };
        text.push_str(&format!(
            "  {}    changes {} of {}{likely}{same}\n",
            candidate.text, candidate.changes, of.calls
        ));
    }
    if !of.left_alone.is_empty() {
        text.push_str(&format!("  left alone: {}\n", of.left_alone.join(", ")));
    }
    text
}

/// A comparison of two sets as data.
pub(super) fn compared(comparison: &SetComparison) -> Value {
    let score = |score: &Score| json!({ "precision": score.precision, "recall": score.recall, "f1": score.f1 });
    let row = |SideBySide { left, right, counterpart, .. }: &SideBySide| json!({ "left": left, "right": right, "relation": counterpart.in_words() });
    let actions = comparison.actions.iter().map(|action| {
        let mut value = json!({
            "action": action.action,
            "params": action.params,
            "rows": action.rows.iter().map(row).collect::<Vec<_>>(),
        });
        match &action.score {
            Ok(own) => value["score"] = score(own),
            Err(why) => value["no_score"] = json!(why),
        }
        if let Some((place, is_left)) = &action.difference {
            value["only"] = json!({
                "set": if *is_left { &comparison.left } else { &comparison.right },
                "permits": place.application(&action.action),
                "demonstration": place.id,
                "call": place.call + 1,
            });
        }
        value
    });
    let (compared, all) = comparison.averaged();
    json!({
        "left": comparison.left,
        "right": comparison.right,
        "actions": actions.collect::<Vec<_>>(),
        "macro": comparison.score.as_ref().map(score),
        "macro_of": { "compared": compared, "actions": all },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;
    use stepwright_precondition::{Candidate, CandidateOrigin};

    #[test]
    fn data_counts_as_words_do() {
        let fails = Validity::Fails {
            demonstration: 0,
            call: 12,
            at: "take('mug 1')".into(),
            exception: Cow::Borrowed("AssertionError"),
            message: "demonstration 1 (a), call 13: it is false".into(),
            failing: 1,
        };
        let candidate = |fate| Candidate::new(0, "obj", CandidateOrigin::Person, fate);
        let pool = Pool {
            candidates: vec![candidate(Validity::Valid), candidate(fails.clone())],
            held_back: vec![candidate(fails)],
            ..Pool::default()
        };
        let value = as_json(&pool);
        for fate in [&value["candidates"][1]["fate"], &value["held_back"][0]["fate"]] {
            assert_eq!((&fate["demonstration"], &fate["call"], &fate["failing"]), (&json!(1), &json!(13), &json!(1)));
        }
        assert_eq!(value["candidates"][0], json!(pool.candidates[0]));
    }
}
