//! The shop's recorded pages as program calls: the simpler site's texts, read as a buyer sees them.

use stepwright_shop::buyer::{Listed, Seen, View, lowest};
use stepwright_trajectory::{Step, Trajectory};

use super::program;
use super::visit::Form;
use stepwright_program::Call;
use stepwright_world::transcript::Transcript;

pub(crate) static TRANSCRIPT: Transcript = Transcript {
    environments: &["webshop", "shop"],
    specification: include_str!("../../worlds/shop/spec.py"),
    read,
    call_of: program::call_of,
    text_of: program::text_of,
    shown: |_| Vec::new(),
    header: |task| program::header(Some(("from_a_log", task))),
    tools: None,
};

fn read(log: &Trajectory) -> Vec<Step> {
    let mut seen = Seen::default();
    let mut reset = log.reset();
    reset.calls = vec![program::form(Form::Site)];
    reset.calls.extend(log.initial_observation.as_deref().map(|text| page(text, &mut seen)).unwrap_or_default());
    let mut steps = vec![reset];
    for step in &log.steps {
        let refused = step.is_refused();
        let call = program::call_of(&step.action).filter(|_| !refused);
        let shown = step.observation.as_deref().filter(|_| !refused);
        let calls = shown.map(|text| page(text, &mut seen)).unwrap_or_default();
        steps.push(Step { call, calls, refused, ..step.clone() });
    }
    steps
}

fn button(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    (!inside.contains(['[', ']'])).then_some(inside)
}

/// The name and the values of a line of choices: `scent [a][[b]]`; those in two brackets are chosen.
fn choices(line: &str) -> Option<(String, Vec<(String, bool)>)> {
    let (name, rest) = line.trim().split_once(" [")?;
    let rest = format!("[{rest}");
    if name.is_empty() || name.contains(['[', ']']) || !rest.ends_with(']') {
        return None;
    }
    let values = rest.split("][").map(|value| {
        let chosen = value.starts_with("[[") || value.starts_with('[') && value.ends_with("]]");
        (value.trim_matches(['[', ']']).to_owned(), chosen)
    });
    Some((name.to_owned(), values.collect()))
}

/// The calls in a page's text; `seen` is the view before and becomes the view now.
fn page(text: &str, seen: &mut Seen) -> Vec<Call> {
    if let Some(value) = text.trim().strip_prefix("You have clicked ").and_then(|rest| rest.strip_suffix('.')) {
        let owner = seen.options.iter().find(|(_, values)| values.iter().any(|known| known == value));
        let Some((name, _)) = owner.cloned() else { return Vec::new() };
        seen.chosen.retain(|(known, _)| *known != name);
        seen.chosen.push((name.clone(), value.to_owned()));
        return vec![program::choice(&name, value)];
    }
    if text.trim() == "OK." || text.trim().is_empty() {
        return Vec::new();
    }
    if let Some((_, score)) = text.split_once("Your score (min 0.0, max 1.0):") {
        *seen = Seen { view: View::Done, ..Seen::default() };
        let mut calls = program::page(seen, &[]);
        calls.extend(score.split_whitespace().next().and_then(|s| s.parse().ok()).map(program::score));
        return calls;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let buttons: Vec<&str> = lines.iter().filter_map(|line| button(line)).collect();
    let view = match () {
        () if buttons.contains(&"Search") => View::Search,
        () if buttons.contains(&"Buy Now") => View::Item,
        () if lines.iter().any(|line| line.starts_with("Page ") && line.contains("Total results")) => View::Results,
        () => View::About,
    };
    let mut now = Seen { view, ..Seen::default() };
    let mut clickables: Vec<String> = Vec::new();
    match view {
        View::Search | View::Done => {}
        View::Results => results(&lines, &mut now, &mut clickables),
        View::Item => item(&lines, &mut now, &mut clickables),
        View::About => {
            clickables.extend(buttons.iter().map(|text| (*text).to_owned()));
            now.texts = lines.iter().filter(|line| button(line).is_none()).map(|line| (*line).to_owned()).collect();
        }
    }
    *seen = now;
    program::page(seen, &clickables)
}

fn results(lines: &[&str], now: &mut Seen, clickables: &mut Vec<String>) {
    let mut texts = 0;
    for line in lines {
        match (button(line), now.results.last_mut()) {
            (Some(text @ ("Back to Search" | "back to search")), _) => clickables.push(text.to_owned()),
            (Some("Next >" | "< Prev"), _) => {}
            (Some(number), _) => {
                texts = 0;
                clickables.push(number.to_owned());
                now.results.push(Listed { asin: number.to_owned(), ..Listed::default() });
            }
            (None, Some(result)) => {
                match texts {
                    0 => (*line).clone_into(&mut result.title),
                    1 => result.price = lowest(line),
                    _ => {}
                }
                texts += 1;
            }
            (None, None) => {}
        }
    }
}

fn item(lines: &[&str], now: &mut Seen, clickables: &mut Vec<String>) {
    let price = lines.iter().rposition(|line| line.starts_with("Price: "));
    now.price = price.and_then(|at| lowest(lines.get(at)?));
    if let Some(title) = price.and_then(|at| lines.get(at.checked_sub(1)?)) {
        (*title).clone_into(&mut now.title);
    }
    for (at, line) in lines.iter().enumerate() {
        if let Some(text) = button(line) {
            // The attributes are shown as a button that does nothing on this site.
            clickables.extend(Some(text.to_owned()).filter(|text| text != "Attributes"));
        } else if let Some((name, values)) = choices(line).filter(|_| price.is_none_or(|price| at + 1 < price)) {
            clickables.extend(values.iter().map(|(value, _)| value.clone()));
            now.chosen
                .extend(values.iter().filter(|(_, chosen)| *chosen).map(|(value, _)| (name.clone(), value.clone())));
            now.options.push((name, values.into_iter().map(|(value, _)| value).collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use stepwright_world::OpenSpec;

    /// The calls of a page that the shop reports are read off the page's text, on the paths through the shipped
    /// catalogue.
    #[test]
    fn pages_say_what_the_shop_tells() {
        let (sources, options) = (crate::sources(), BTreeMap::new());
        let (mut same, mut all) = (0usize, 0usize);
        for task in sources.tasks("shop", None).unwrap().iter().take(12) {
            let spec = OpenSpec { world: "shop", data: None, options: &options, task: &task.id };
            let mut opened = sources.open(&spec).unwrap();
            let reset = opened.world.reset(&opened.task, 0).unwrap();
            let mut log = Trajectory { initial_observation: Some(reset.observation.clone()), ..Trajectory::default() };
            let mut expected = vec![reset.observation_calls];
            for turn in 0..12usize {
                let choices = opened.world.admissible().unwrap();
                let Some(text) = choices.get((turn * 7 + 3) % choices.len().max(1)).cloned() else { break };
                let outcome = opened.world.act(&text).unwrap();
                log.steps.push(Step { action: text, observation: Some(outcome.observation), ..Step::default() });
                expected.push(outcome.observation_calls);
            }
            for (step, calls) in read(&log).into_iter().zip(expected) {
                all += 1;
                // A text that is broken over lines reads as several, and in which order was chosen no page says.
                let plain = |calls: &[Call]| -> Vec<String> {
                    let calls = calls.iter().filter(|c| c.function != "show_text").map(ToString::to_string);
                    let (mut chosen, mut others): (Vec<_>, Vec<_>) = calls.partition(|c| c.contains(".choose("));
                    chosen.sort();
                    others.extend(chosen);
                    others
                };
                if plain(&step.calls) == plain(&calls) {
                    same += 1;
                } else {
                    eprintln!("read {:?}\nexpected {:?}", plain(&step.calls), plain(&calls));
                }
            }
        }
        assert!(all > 100 && same == all, "{same} of {all}");
    }
}
