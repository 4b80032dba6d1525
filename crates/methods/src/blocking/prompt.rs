//! The selection prompt, in the paper's eight parts or as the authors' program sends it (`prompts/blocking/`), and reading a model's answer.
//!
//! An answer that names no candidate is asked for again with a note, and so is one that would close a circle again where circles are minded.
//! As one conversation, prompts continue what was said before: in the paper's parts by pairs of a prompt and its answer, else as the
//! authors' program keeps it.

use serde::Serialize;

use super::{ANSWER, CIRCLES, CONVERSATION, Interface, LiveTree, MESSAGES, SELECT, UNLISTED};
use stepwright_episode::gate::Draft;
use stepwright_episode::{AskKind, Node, Origin, PromptMessage, PromptRecord, StepOutcome};
use stepwright_method::Context;
use stepwright_method::next_action::scoring::Candidate;
use stepwright_method::prompting::CHARS_A_TOKEN;
use stepwright_method::written_plan::Vocabulary;
use stepwright_model::Completion;
use stepwright_text::words::{count, stripped};
use stepwright_world::blocking::domain::Pattern;

/// Actions the prompt shows of those taken.
const LAST: usize = 5;

/// The marks around a selected action.
const MARK: &str = "$$";

/// What begins the problem of an answer that names no candidate.
const NOT_LISTED: &str = "NotACandidate";

/// Characters of a conversation above which the authors' program drops the earlier half of its messages.
const CONVERSATION_CHARS: usize = 15_000;

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
    /// Whether one of them is that an answer named no candidate.
    unlisted: bool,
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
    // What is between a mark of a pair and a stray one begins as no action does.
    let begins = |selected: &Selected<'_>| selected.text.starts_with(char::is_alphanumeric);
    listed.or_else(|| backwards().find(begins)).or_else(|| backwards().next())
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
    circle(&cx.path()).filter(|text| another(leaves, text, cx.options().is(&UNLISTED, "taken")))
}

/// Whether there is another candidate than a text, which is one itself, or is taken though it is none.
fn another(leaves: &[String], text: &str, taken: bool) -> bool {
    let is_listed = leaves.iter().any(|leaf| leaf == text);
    (is_listed || taken) && leaves.len() > usize::from(is_listed)
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

/// The problem of an answer that names no candidate.
fn not_listed(text: &str) -> String {
    match text {
        "" => format!("{NOT_LISTED}: no action stands between the marks {MARK}"),
        text => format!("{NOT_LISTED}: `{text}` is not in the list of candidate actions"),
    }
}

pub(super) fn read(cx: &Context<'_>, leaves: &[String], completion: &Completion) -> Draft {
    let raw = completion.text.clone();
    let chosen = chosen(&selections(&raw), leaves, counts_last(cx));
    let found = match chosen.map(|chosen| named(chosen.text, leaves, cx.options().is(&UNLISTED, "taken"))) {
        None if raw.trim().is_empty() => Err("Unparsable: the answer is empty".to_owned()),
        None => Err(format!("Unparsable: the answer has no {MARK} action {MARK}")),
        Some(Err(text)) => Err(not_listed(&text)),
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
    // A thought, or a call of a skill, is nothing that was done.
    let taken: Vec<Taken> = path
        .iter()
        .filter(|n| n.outcome.held.is_none())
        .filter_map(|n| Some(Taken { action: n.action.as_ref()?.text.clone(), result: result_of(&n.outcome) }))
        .collect();
    let atoms = |atoms: &[stepwright_world::Atom]| atoms.iter().map(|a| domain.spoken(&a.to_string())).collect();
    let executed = path.iter().filter(|node| node.outcome.is_executed());
    let failures = failures(cx, leaves);
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
        unlisted: failures.iter().any(|failure| failure.starts_with(NOT_LISTED)),
        failures,
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
    let running = cx.options().is(&CONVERSATION, "running");
    if each && !raw {
        let before = running.then(|| answered(&path).pop()).flatten();
        let most = before.map_or(CONVERSATION_CHARS, |_| room(cx).min(CONVERSATION_CHARS));
        continue_as_published(before, most, &mut prompt);
    } else if running && !raw {
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
    failures.extend(cx.round().into_iter().flat_map(|round| round.proposals()).filter_map(|p| p.problem.clone()));
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

/// The prompts of selections on the way here that were answered, as they were sent, each with its answer.
fn answered<'a>(path: &[&'a Node]) -> Vec<(&'a [PromptMessage], &'a str)> {
    let asks = path.iter().copied().flat_map(|node| &node.turn.asks);
    let selections = asks.filter(|ask| [AskKind::SELECTED, AskKind::SAMPLES].contains(&ask.kind));
    selections.filter_map(|ask| Some((ask.prompt.as_ref()?.messages.as_slice(), ask.text()?))).collect()
}

fn length(messages: &[PromptMessage]) -> usize {
    messages.iter().map(|message| message.text.chars().count()).sum()
}

/// Characters that the model takes beside an answer.
fn room(cx: &Context<'_>) -> usize {
    let answer = usize::try_from(ANSWER).unwrap_or_default();
    let chars = |tokens: usize| (tokens.saturating_sub(answer) as f64 * CHARS_A_TOKEN) as usize;
    cx.prompting.context.map_or(usize::MAX, chars)
}

fn said(answer: &str) -> PromptMessage {
    PromptMessage { role: "assistant".into(), text: answer.to_owned() }
}

/// What a prompt asked behind the conversation before it: a template may say it in several messages.
fn asked_anew(asked: &[PromptMessage]) -> impl Iterator<Item = PromptMessage> {
    let begins = asked.iter().rposition(|message| message.role == "assistant").map_or(0, |answer| answer + 1);
    asked.iter().skip(begins).filter(|message| message.role == "user").cloned()
}

/// Puts the prompts and answers so far before a prompt: as many of the last as fit.
fn continue_conversation(cx: &Context<'_>, path: &[&Node], prompt: &mut PromptRecord) {
    let turn = |(asked, answer): (&[PromptMessage], &str)| -> Vec<PromptMessage> {
        asked_anew(asked).chain([said(answer)]).collect()
    };
    let before: Vec<Vec<PromptMessage>> = answered(path).into_iter().map(turn).collect();
    let (all, mut left) = (before.len(), room(cx).saturating_sub(length(&prompt.messages)));
    let fits = before.iter().rev().take_while(|turn| {
        let fits = length(turn) <= left;
        left = left.saturating_sub(length(turn));
        fits
    });
    let kept = fits.count();
    let history = before.into_iter().skip(all - kept).flatten();
    let at = prompt.messages.iter().position(|m| m.role == "user").unwrap_or_default();
    prompt.messages.splice(at..at, history);
    if kept < all {
        prompt.left_out = Some(format!("the first {} of {} do not fit", all - kept, count(all, "selection")));
    }
}

/// Puts what was sent last and its answer before a prompt, as the authors' program does: the answer is added, then the messages of the
/// prompt. Each time the earlier half of all messages is dropped where they have more than `most` characters, and the system message is put
/// in front once more, so that it stands there twice more each turn.
fn continue_as_published(before: Option<(&[PromptMessage], &str)>, most: usize, prompt: &mut PromptRecord) {
    let (system, own): (Vec<_>, Vec<_>) =
        std::mem::take(&mut prompt.messages).into_iter().partition(|message| message.role == "system");
    let sent = before.map_or_else(Vec::new, |(asked, _)| asked.to_vec());
    let mut dropped = 0;
    let added = before.map(|(_, answer)| vec![said(answer)]).into_iter().chain([own]);
    prompt.messages = added.fold(sent, |mut conversation, new| {
        conversation.extend(new);
        if length(&conversation) > most {
            let half = conversation.len() / 2;
            conversation.drain(..half);
            dropped += half;
        }
        conversation.splice(0..0, system.iter().cloned());
        conversation
    });
    if dropped > 0 {
        let messages = count(dropped, "message");
        prompt.left_out =
            Some(format!("the first {messages} of the conversation, which has more than {most} characters"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_method::prompting::Prompting;

    fn rendered(template: &str, unlisted: bool) -> Vec<PromptMessage> {
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
            unlisted,
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
            let messages = rendered(template, false);
            let text = &messages.last().unwrap().text;
            let places: Vec<usize> = order.iter().map(|part| text.find(part).unwrap()).collect();
            assert!(places.is_sorted(), "{template}: {text}");
        }
    }

    /// A world's refusal has nothing to do with the list.
    #[test]
    fn the_list_is_to_be_read_again_where_an_answer_was_not_in_it() {
        for template in ["blocking/select", "blocking/select_chat"] {
            for unlisted in [false, true] {
                let messages = rendered(template, unlisted);
                let text = &messages.last().unwrap().text;
                assert_eq!(text.contains("Read the list of candidate actions again."), unlisted, "{template}: {text}");
            }
        }
        assert!(not_listed("").contains("no action stands between the marks"));
        assert!(not_listed("fly").contains("`fly` is not in the list"));
    }

    /// A letter a role, the texts, and what is said of those that were dropped.
    #[test]
    fn a_conversation_is_kept_as_the_program_keeps_it() {
        let message = |role: &str, text: &str| PromptMessage { role: role.to_owned(), text: text.to_owned() };
        let mut sent: Vec<PromptMessage> = Vec::new();
        let mut turn = |word: &str, answer: Option<&str>| {
            let mut prompt = PromptRecord {
                template: String::new(),
                template_hash: String::new(),
                messages: vec![message("system", "s"), message("user", word), message("user", "only")],
                left_out: None,
                candidates: None,
            };
            continue_as_published(answer.map(|answer| (sent.as_slice(), answer)), 20, &mut prompt);
            sent = prompt.messages;
            let roles: String = sent.iter().filter_map(|message| message.role.chars().next()).collect();
            (roles, sent.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join(" "), prompt.left_out)
        };
        assert_eq!(turn("one", None), ("suu".to_owned(), "s one only".to_owned(), None));
        let second = turn("two", Some("A"));
        assert_eq!(second, ("sssuuauu".to_owned(), "s s s one only A two only".to_owned(), None));
        // The third prompt makes it too long: of twelve messages the later six stay.
        let (roles, text, left_out) = turn("three", Some("B"));
        assert_eq!((roles.as_str(), text.as_str()), ("sauuauu", "s A two only B three only"));
        assert!(left_out.unwrap().starts_with("the first 6 messages"));
    }

    #[test]
    fn a_conversation_repeats_all_that_a_turn_asked() {
        let message = |role: &str, text: &str| PromptMessage { role: role.to_owned(), text: text.to_owned() };
        let first = [message("system", "s"), message("user", "one"), message("user", "only")];
        let anew =
            |asked: &[PromptMessage]| asked_anew(asked).map(|message| message.text).collect::<Vec<_>>().join(" ");
        assert_eq!(anew(&first), "one only");
        let rest = [message("assistant", "A"), message("user", "two"), message("user", "only")];
        assert_eq!(anew(&[first.as_slice(), &rest].concat()), "two only");
    }

    #[test]
    fn a_circle_is_minded_where_another_could_be_taken() {
        let leaves = ["open box", "take cup"].map(str::to_owned);
        for (leaves, text, taken, minded) in [
            (&leaves[..], "open box", false, true),
            (&leaves[..1], "open box", true, false),
            (&leaves[..1], "fly", true, true),
            (&leaves[..], "fly", false, false),
            (&leaves[..0], "fly", true, false),
        ] {
            assert_eq!(another(leaves, text, taken), minded, "{text} of {leaves:?}");
        }
    }

    #[test]
    fn the_program_sends_a_message_a_sentence_and_the_failure_last() {
        let messages = rendered("blocking/select_each_chat", false);
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
            ("$$ fly $$ (costs $$)", "fly", "fly"),
            ("Costs $$. I select $$ fly $$", "fly", ". I select"),
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
