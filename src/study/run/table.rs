//! Results summed up by task type, as a table for people.

use std::collections::BTreeMap;

use super::RunResult;

#[derive(Default)]
struct Sum {
    episodes: u32,
    won: u32,
    reward: f64,
    steps_won: u32,
    steps: u32,
    refused: u32,
    compatible: u32,
    tokens: u64,
    seconds: f64,
    errors: u32,
}

impl Sum {
    fn add(&mut self, result: &RunResult) {
        self.episodes += 1;
        self.won += u32::from(result.won);
        self.reward += result.reward;
        self.steps_won += if result.won { result.steps } else { 0 };
        self.steps += result.steps;
        self.refused += result.refused;
        self.compatible += result.compatible;
        self.tokens += result.prompt_tokens + result.completion_tokens;
        self.seconds += result.seconds;
        self.errors += u32::from(result.error.is_some());
    }

    fn row(&self, name: &str) -> String {
        let share = |part: u32, of: u32| if of == 0 { f64::NAN } else { f64::from(part) / f64::from(of) };
        let number = |x: f64, digits: usize| if x.is_nan() { "-".to_owned() } else { format!("{x:.digits$}") };
        format!(
            "{name:<32} {:>8} {:>5} {:>8} {:>7} {:>10} {:>8} {:>11} {:>9} {:>8} {:>6}\n",
            self.episodes,
            self.won,
            number(100.0 * share(self.won, self.episodes), 1),
            number(self.reward / f64::from(self.episodes), 3),
            number(share(self.steps_won, self.won), 1),
            self.refused,
            number(100.0 * share(self.compatible, self.steps), 1),
            self.tokens,
            number(self.seconds, 1),
            self.errors
        )
    }
}

/// The table: a row a task type, then all of them. `reward` is the mean of the last rewards (of dialogues: F1).
pub fn table(results: &[RunResult]) -> String {
    let mut by_kind: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut all = Sum::default();
    for result in results {
        by_kind.entry(&result.kind).or_default().add(result);
        all.add(result);
    }
    let mut text = format!(
        "{:<32} {:>8} {:>5} {:>8} {:>7} {:>10} {:>8} {:>11} {:>9} {:>8} {:>6}\n",
        "task type",
        "episodes",
        "won",
        "won %",
        "reward",
        "steps won",
        "refused",
        "compatible %",
        "tokens",
        "seconds",
        "errors"
    );
    for (kind, sum) in &by_kind {
        text.push_str(&sum.row(kind));
    }
    text.push_str(&all.row("all"));
    text
}
