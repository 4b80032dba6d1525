//! The selection prompt, in the paper's eight parts or as the authors' program sends it (`prompts/blocking/`), and reading a model's answer.
//!
//! An answer that names no candidate is asked for again with a note, and so is one that would close a circle again where circles are minded.

use serde::Serialize;

use super::{ANSWER, CIRCLES, CONVERSATION, Interface, LiveTree, MESSAGES, SELECT, UNLISTED};
use stepwright_episode::gate::Draft;
use stepwright_episode::{AskKind, AskState, Node, Origin, PromptMessage, PromptRecord, StepOutcome};
use stepwright_method::Context;
use stepwright_method::next_action::scoring::Candidate;
use stepwright_method::prompting::CHARS_A_TOKEN;
use stepwright_method::written_plan::Vocabulary;
use stepwright_model::Completion;
use stepwright_text::words::stripped;
use stepwright_world::blocking::domain::Pattern;

/// Actions the prompt shows of those taken.
const LAST: usize = 5;

/// The marks around a selected action.
const MARK: &str = "$$";

#[derive(Serialize)]
struct Material<'a> {
    task: &'a str,
    about: &'a str,
    /// Things in the hand; none where the domain has no word for holding.
    held: Option<Vec<String>>,
    last: Vec<Taken>,
    /// The last actions executed, by their texts alone.
    names: Vec<&'a str>,
    /// What the world said against the last action.
    failed: Option<Failed<'a>>,
    done: Vec<String>,
    candidates: &'a [String],
    goals: Vec<String>,
    failures: Vec<String>,
    mark: &'a str,
    scored: bool,
}

#[derive(Serialize)]
struct Taken {
    action: String,
    result: String,
}

#[derive(Serialize)]
struct Failed<'a> {
    action: &'a str,
    error: &'a str,
}

/// The last so many of a list.
fn last<T>(all: Vec<T>) -> Vec<T> {
    let before = all.len().saturating_sub(LAST);
    all.into_iter().skip(before).collect()
}

/// A selection in an answer, trimmed, and what stands before its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Selected<'a> {
    text: &'a str,
    before: &'a str,
}

/// The selections in an answer: the texts between two `$$` that follow each other, whatever stands before them: the first is between the
/// first two marks, the last between the last two. Empty marks (`$$$$`) are none.
fn selections(answer: &str) -> Vec<Selected<'_>> {
    // As the pattern `\$\$([^$]+)\$\$` would at each place: three `$` are two marks.
    let places = answer.match_indices('$').map(|(at, _)| answer.split_at(at));
    let selected = places.filter_map(|(before, rest)| {
        let (text, _) = rest.strip_prefix(MARK)?.split_once(MARK)?;
        (!text.is_empty() && !text.contains('$')).then_some(Selected { text: stripped(text), before })
    });
    selected.collect()
}

/// The selection that counts: the first, or the last that names a candidate. Behind it a stray mark makes another of what is between.
fn chosen<'a>(all: &[Selected<'a>], leaves: &[String], last: bool) -> Option<Selected<'a>> {
    if !last {
        return all.first().copied();
    }
    let backwards = || all.iter().rev().copied();
    let listed = backwards().find(|selected| named(selected.text, leaves, false).is_ok());
    listed.or_else(|| backwards().find(|selected| !selected.text.is_empty())).or_else(|| backwards().next())
}

/// Whether the last selection of an answer counts: a chat prompt of the paper's parts asks for it as the last line, behind the reasons. Of
/// raw text, which may go on, and of the authors' program the first counts.
fn counts_last(cx: &Context<'_>) -> bool {
    cx.interface(SELECT) != Interface::Text && !cx.options().is(&MESSAGES, "each")
}

fn result_of(outcome: &StepOutcome) -> String {
    match (&outcome.blocked, &outcome.error) {
        (Some(condition), _) => format!("blocked: {condition}"),
        (None, Some(error)) => format!("failed: {error}"),
        (None, None) => "done".to_owned(),
    }
}

/// The action that the last steps repeat in a circle, if they do: one taken twice running, or two in turn.
fn circle(path: &[&Node]) -> Option<String> {
    let mut last = path.iter().rev().map(|node| {
        let text = node.action.as_ref().map(|a| a.text.as_str());
        text.filter(|_| node.outcome.blocked.is_none())
    });
    let [a, b, c, d] =
        [last.next()??, last.next()??, last.next().flatten().unwrap_or(""), last.next().flatten().unwrap_or("")];
    match a == b {
        true => Some(a.to_owned()),
        false => (a == c && b == d).then(|| b.to_owned()),
    }
}

/// The candidate that would close the circle again, where there is another. Neither the paper nor the authors' program minds circles.
pub(super) fn circling(cx: &Context<'_>, leaves: &[String]) -> Option<String> {
    if !cx.options().is(&CIRCLES, "minded") {
        return None;
    }
    circle(&cx.path()).filter(|text| leaves.len() > 1 && leaves.contains(text))
}

pub(super) fn candidates(cx: &Context<'_>, leaves: &[String]) -> Vec<Candidate> {
    let circling = circling(cx, leaves);
    let kept = leaves.iter().filter(|text| Some(*text) != circling.as_ref());
    kept.map(|text| Candidate { line: format!("{text} {MARK}"), action: cx.action(text) }).collect()
}

/// The candidate that a selection names, whatever the white space in it. The authors' program takes what is written as it stands.
/// Errors: it names none; with its words.
fn named(text: &str, leaves: &[String], as_it_stands: bool) -> Result<String, String> {
    if as_it_stands && !text.is_empty() {
        return Ok(text.to_owned());
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(text);
    leaves.iter().find(|leaf| words(leaf) == said).cloned().ok_or(said)
}

pub(super) fn read(cx: &Context<'_>, leaves: &[String], completion: &Completion) -> Draft {
    let raw = completion.text.clone();
    let chosen = chosen(&selections(&raw), leaves, counts_last(cx));
    let found = match chosen.map(|chosen| named(chosen.text, leaves, cx.options().is(&UNLISTED, "taken"))) {
        None => Err(format!("Unparsable: the answer has no {MARK} action {MARK}")),
        Some(Err(text)) => Err(format!("NotACandidate: `{text}` is not in the list of candidate actions")),
        Some(Ok(leaf)) if circling(cx, leaves).as_ref() == Some(&leaf) => {
            Err(format!("Circle: `{leaf}` was selected again and again; another one is needed"))
        }
        Some(Ok(leaf)) => Ok(leaf),
    };
    let (action, problem) = match found {
        Ok(leaf) => (Some(cx.action(&leaf)), None),
        Err(problem) => (None, Some(problem)),
    };
    let rationale = chosen.map(|chosen| chosen.before.trim().to_owned()).filter(|t| !t.is_empty());
    let logprob = completion.mean_logprob();
    Draft { action, problem, logprob, rationale, ..Draft::new(raw, Origin::Sample) }
}

/// The prompt of the eight parts; as one conversation where the option says so.
pub(super) fn selection(
    cx: &Context<'_>,
    tree: &LiveTree,
    leaves: &[String],
    scored: bool,
) -> Result<PromptRecord, String> {
    let path = cx.path();
    let (growth, domain) = (tree.growth(), tree.domain());
    let taken: Vec<Taken> = path
        .iter()
        .filter_map(|n| Some(Taken { action: n.action.as_ref()?.text.clone(), result: result_of(&n.outcome) }))
        .collect();
    let atoms = |atoms: &[stepwright_world::Atom]| atoms.iter().map(|a| domain.spoken(&a.to_string())).collect();
    let executed = path.iter().filter(|node| node.outcome.is_executed());
    let material = Material {
        task: &cx.session.header.sentence,
        about: &domain.about,
        held: held(cx, tree),
        last: last(taken),
        names: last(executed.filter_map(|node| Some(node.action.as_ref()?.text.as_str())).collect()),
        failed: path.last().and_then(|node| {
            Some(Failed { action: &node.action.as_ref()?.text, error: node.outcome.error.as_deref()? })
        }),
        done: atoms(growth.forest().done()),
        candidates: leaves,
        goals: atoms(growth.forest().goals()),
        failures: failures(cx, leaves),
        mark: MARK,
        scored,
    };
    let raw = scored || cx.interface(SELECT) == Interface::Text;
    let each = cx.options().is(&MESSAGES, "each");
    let name = match (raw, each) {
        (true, _) => "blocking/select",
        (false, false) => "blocking/select_chat",
        (false, true) => "blocking/select_each_chat",
    };
    let mut prompt = cx.prompting.render(name, &material)?;
    if cx.options().is(&CONVERSATION, "running") && !raw {
        continue_conversation(cx, &path, &mut prompt);
    }
    prompt.candidates = u32::try_from(leaves.len()).ok();
    Ok(prompt)
}

/// Things in the hand, as the domain names them.
fn held(cx: &Context<'_>, tree: &LiveTree) -> Option<Vec<String>> {
    let (domain, vocabulary) = (tree.domain(), Vocabulary::shipped(cx.world.kind()));
    let holding = |form: &Pattern| form.name == vocabulary.held() && form.args.len() == 1;
    domain.predicates.iter().any(|p| holding(&p.form)).then(|| {
        let of_hand = tree.facts().atoms.iter().filter(|a| a.predicate == vocabulary.held());
        of_hand.filter_map(|a| a.args.first()).map(|thing| domain.spoken(thing)).collect()
    })
}

/// The last failures: the world's error or the condition of the last step, answers of this round, a circle.
fn failures(cx: &Context<'_>, leaves: &[String]) -> Vec<String> {
    let Some(node) = cx.node() else { return Vec::new() };
    let mut failures = Vec::new();
    if let Some(action) = &node.action
        && (node.outcome.error.is_some() || node.outcome.blocked.is_some())
    {
        failures.push(format!("`{}` {}", action.text, result_of(&node.outcome)));
    }
    let answers = node.turn.proposals.iter().filter(|p| p.ask.is_some_and(|ask| ask >= cx.round));
    failures.extend(answers.filter_map(|p| p.problem.clone()));
    failures.extend(node.turn.rejected().filter_map(|(proposal, reason)| {
        let text = &proposal.action.as_ref()?.text;
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        Some(format!("a person who supervises you refused `{text}`{reason}"))
    }));
    if let Some(text) = circling(cx, leaves) {
        failures.push(format!("`{text}` was selected again and again; select another"));
    }
    failures
}

/// Puts the prompts and answers so far before a prompt: as many of the last as fit.
fn continue_conversation(cx: &Context<'_>, path: &[&Node], prompt: &mut PromptRecord) {
    let mut before: Vec<[PromptMessage; 2]> = Vec::new();
    for node in path {
        for ask in node.turn.asks.iter().filter(|a| [AskKind::SELECTED, AskKind::SAMPLES].contains(&a.kind)) {
            let (Some(asked), AskState::Answered { texts, .. }) = (&ask.prompt, &ask.state) else { continue };
            let question = asked.messages.iter().rev().find(|m| m.role == "user");
            if let (Some(question), Some(answer)) = (question, texts.first()) {
                before.push([question.clone(), PromptMessage { role: "assistant".into(), text: answer.clone() }]);
            }
        }
    }
    let length = |messages: &[PromptMessage]| messages.iter().map(|m| m.text.chars().count()).sum::<usize>();
    let answer = usize::try_from(ANSWER).unwrap_or_default();
    let room = cx.prompting.context.map(|tokens| {
        let chars = tokens.saturating_sub(answer) as f64 * CHARS_A_TOKEN;
        (chars as usize).saturating_sub(length(&prompt.messages))
    });
    let (all, mut left) = (before.len(), room.unwrap_or(usize::MAX));
    let fits = before.iter().rev().take_while(|turn| {
        let fits = length(turn.as_slice()) <= left;
        left = left.saturating_sub(length(turn.as_slice()));
        fits
    });
    let kept = fits.count();
    let history = before.into_iter().skip(all - kept).flatten();
    let at = prompt.messages.iter().position(|m| m.role == "user").unwrap_or_default();
    prompt.messages.splice(at..at, history);
    if kept < all {
        let number = path.len();
        prompt.left_out = Some(format!("the first {} of {all} selections of {number} steps do not fit", all - kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_method::prompting::Prompting;

    fn rendered(template: &str) -> Vec<PromptMessage> {
        let texts = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let candidates = texts(&["open box", "take cup"]);
        let material = Material {
            task: "the task",
            about: "a robot",
            held: Some(texts(&["spoon"])),
            last: vec![Taken { action: "go".into(), result: "failed: no way".into() }],
            names: vec!["go"],
            failed: Some(Failed { action: "go", error: "no way" }),
            done: texts(&["GOAL a"]),
            candidates: &candidates,
            goals: texts(&["GOAL b"]),
            failures: texts(&["`go` failed: no way"]),
            mark: MARK,
            scored: false,
        };
        Prompting::default().render(template, &material).unwrap().messages
    }

    #[test]
    fn the_parts_have_the_papers_order() {
        let order =
            ["the task", "spoon", "- go (failed", "GOAL a", "$$ open box $$", "GOAL b", "`go` failed", "only from"];
        for template in ["blocking/select", "blocking/select_chat"] {
            let messages = rendered(template);
            let text = &messages.last().unwrap().text;
            let places: Vec<usize> = order.iter().map(|part| text.find(part).unwrap()).collect();
            assert!(places.is_sorted(), "{template}: {text}");
        }
    }

    #[test]
    fn the_program_sends_a_message_a_sentence_and_the_failure_last() {
        let messages = rendered("blocking/select_each_chat");
        let roles: Vec<&str> = messages.iter().map(|m| m.role.as_str()).collect();
        assert_eq!(roles, ["system", "user", "user", "user", "user", "user"]);
        for (at, part) in [(1, "spoon"), (2, "taken: go"), (3, "$$ take cup $$"), (4, "only from"), (5, "no way")] {
            assert!(messages[at].text.contains(part), "{}", messages[at].text);
        }
        let all: String = messages.iter().map(|m| m.text.as_str()).collect();
        assert!(!all.contains("the task") && !all.contains("GOAL a"), "{all}");
    }

    #[test]
    fn a_selection_names_a_candidate_or_is_taken_as_it_stands() {
        let leaves = ["open box", "walk_to_room kitchen"].map(str::to_owned);
        for (text, own, published) in [
            ("open box", Ok("open box"), Ok("open box")),
            ("walk_to_room\nkitchen", Ok("walk_to_room kitchen"), Ok("walk_to_room\nkitchen")),
            ("fly  away", Err("fly away"), Ok("fly  away")),
            ("", Err(""), Err("")),
        ] {
            let said = |is: Result<&str, &str>| is.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(named(text, &leaves, false), said(own), "{text:?}");
            assert_eq!(named(text, &leaves, true), said(published), "{text:?}");
        }
    }

    #[test]
    fn a_stray_mark_behind_a_selection_selects_nothing() {
        let leaves = ["open box", "take cup"].map(str::to_owned);
        for (answer, own, published) in [
            ("I choose $$open box$$ (costs $$).", "open box", "open box"),
            ("$$ open box $$\n$$", "open box", "open box"),
            ("Costs $$. I select $$ take cup $$ for $$.", "take cup", ". I select"),
            ("$$open box$$ or rather $$take  cup$$", "take  cup", "open box"),
            ("$$ fly away $$\n$$", "fly away", "fly away"),
        ] {
            let text = |last| chosen(&selections(answer), &leaves, last).map(|selected| selected.text);
            assert_eq!((text(true), text(false)), (Some(own), Some(published)), "{answer}");
        }
        assert_eq!(chosen(&selections("none"), &leaves, true), None);
    }

    #[test]
    fn texts_between_marks_are_selections() {
        let cases: [(&str, &[&str]); 11] = [
            // As Python strips.
            ("$$ take cup\u{1f}$$", &["take cup"]),
            ("I take $$ grab cup $$.", &["grab cup"]),
            ("$$a$$ or $$b$$", &["a", "or", "b"]),
            ("$$a$$b$$c$$", &["a", "b", "c"]),
            ("$$$$ $$b$$", &["", "b"]),
            ("$$$a$$", &["a"]),
            ("$$ a $ b $$", &[]),
            ("$$ a $ b $$ c $$", &["c"]),
            ("$$ open\nend", &[]),
            ("$ a $", &[]),
            ("", &[]),
        ];
        for (answer, expected) in cases {
            let texts: Vec<&str> = selections(answer).into_iter().map(|selected| selected.text).collect();
            assert_eq!(texts, expected, "{answer}");
        }
        let answer = "Option one is $$ open box $$, but so I select:\n$$ take cup $$";
        let last = selections(answer).last().copied().unwrap();
        assert_eq!(last, Selected { text: "take cup", before: "Option one is $$ open box $$, but so I select:\n" });
        let stray = selections("Costs $$. I select $$ take cup $$").last().copied().unwrap();
        assert_eq!(stray, Selected { text: "take cup", before: "Costs $$. I select " });
    }
}
