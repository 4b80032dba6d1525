//! The forms' questions to a person: words, fields, and the request that an answer becomes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Reply;
use super::form::{Fault, Field, Form, Kind, Sent, Values};
use super::judge::{Judge, Of};
use crate::pane::FileUse;
use crate::sanitize;
use crate::widgets::edit::Editor;
use stepwright_episode::{ArtifactId, Breakpoint, NodeId, OfferId, Policy, ProposalId, log};
use stepwright_precondition::{ADOPTED_SUFFIX, CandidateAsks};
use stepwright_program::tools::Toolbox;
use stepwright_protocol::{CandidateCommand, Command, Request, SetSource};
use stepwright_text::Columns;
use stepwright_text::words::count;

/// The word for the steps of a run to the end.
const TO_THE_END: &str = "end";
const SESSION_SUFFIX: &str = ".jsonl";
/// What is shown of a rejected text, so that the question below it is seen; its whole is in Proposals.
const REJECTED_LINES: usize = 6;
const REJECTED_CHARACTERS: usize = 600;

/// A form with one line, sent as a request; nothing where `sent` gives none.
fn line(
    title: &str,
    accept: &'static str,
    about: String,
    text: &str,
    sent: impl Fn(String) -> Option<Request> + 'static,
) -> Form {
    let sent: Sent = Box::new(move |values, _| Ok(sent(values.text(0)).map(gate).into_iter().collect()));
    Form::new(title, accept, about, Field::line(text), sent)
}

fn gate(request: Request) -> Reply {
    Reply::Send(Command::Gate(request))
}

fn workshop(command: CandidateCommand) -> Vec<Reply> {
    vec![Reply::Send(Command::Candidates(command))]
}

pub fn reject(proposal: ProposalId, action: &str) -> Form {
    let mut lines = action.lines();
    let mut shown = lines.by_ref().take(REJECTED_LINES).collect::<Vec<_>>().join("\n");
    let rest = lines.count();
    if let Some((end, _)) = shown.char_indices().nth(REJECTED_CHARACTERS) {
        shown.truncate(end);
        shown.push('…');
    }
    if rest > 0 {
        shown.push_str(&format!("\n… and {}", count(rest, "more line")));
    }
    let about =
        format!("{}\nWhy not? The model sees the reason with your decision. May be empty.", sanitize::visible(&shown));
    line("Reject the proposal", "reject", about, "", move |reason| Some(Request::Reject { proposal, reason }))
}

pub(crate) fn refuse_belief(offer: OfferId, update: &str) -> Form {
    let update = sanitize::line(update);
    let about = format!("Written for: {update}\nWhy not? What is believed stays as it is. Empty is allowed.");
    line("Refuse the new belief", "refuse", about, "", move |reason| Some(Request::RefuseOffer { offer, reason }))
}

pub(crate) fn refuse_document(offer: OfferId, kind: &str, title: &str) -> Form {
    let about = format!("The {kind} of: {}\nWhy not? Empty is allowed.", sanitize::line(title));
    line("Refuse it", "refuse", about, "", move |reason| Some(Request::RefuseOffer { offer, reason }))
}

pub(crate) fn edit_document(offer: OfferId, title: &str, text: &str) -> Form {
    let sent = move |text: String| (!text.is_empty()).then_some(Request::EditOffer { offer, text });
    line("Edit it, then take it", "take", sanitize::line(title).into_owned(), text, sent)
}

/// `text`: the remark as it was typed and could not be written, or nothing.
pub fn note(text: &str) -> Form {
    let about = "A remark at this step, kept in the session.".to_owned();
    line("Note", "write", about, text, |text| (!text.is_empty()).then_some(Request::Note(text)))
}

pub(crate) fn edit_note(node: NodeId, note: usize, text: &str) -> Form {
    let about = "The remark in other words; left empty, it is taken out.".to_owned();
    line("Edit the note", "change", about, text, move |text| Some(Request::EditNote { node, note, text }))
}

/// The breakpoints, filled with those that are set; a path at which nothing is now is asked about once.
pub fn breakpoints(set: &[Breakpoint], action: Option<&str>, variables: Value) -> Form {
    let about = examples(action.unwrap_or("open"), example_path(&variables).as_deref());
    let now = set.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let sent: Sent = Box::new(move |values, sure| {
        let list = Breakpoint::list(&values.text(0)).map_err(Fault::Wrong)?;
        match list.iter().find_map(|one| one.absent(&variables)).filter(|_| !sure) {
            Some(path) => {
                Err(Fault::Doubt(format!("Nothing is at `{path}` of the state now. Enter again sets it as it is.")))
            }
            None => Ok(vec![gate(Request::SetBreakpoints(list))]),
        }
    });
    Form::new("Breakpoints", "set", about, Field::line(&now), sent)
}

fn examples(action: &str, path: Option<&str>) -> String {
    let rows = [
        (format!("action {action}*"), "before such an action"),
        ("fails visible".to_owned(), "before an action of which such an assertion fails"),
        (format!("state {}", path.unwrap_or("agent.inventory")), "after a step that changes it"),
        ("reward 0.5".to_owned(), "after such a reward (`reward`: after any)"),
        ("error".to_owned(), "after a step that the world refuses"),
    ];
    let width = rows.iter().map(|(example, _)| example.width()).max().unwrap_or(0);
    let rows = rows
        .iter()
        .map(|(example, means)| format!("\n{example}{}  {means}", " ".repeat(width.saturating_sub(example.width()))));
    format!("Automatic steps stop at any of these; separate several by `;`.{}", rows.collect::<String>())
}

/// The path of a plain value among the variables, of those that are named shortly.
fn example_path(variables: &Value) -> Option<String> {
    let plain = |value: &Value| match value {
        Value::Object(_) => false,
        Value::String(text) => !text.starts_with('<'),
        _ => true,
    };
    let below = |(name, value): (&String, &Value)| {
        let (found, _) = value.as_object()?.iter().find(|(key, value)| plain(value) && key.len() <= 12)?;
        Some(format!("{name}.{found}"))
    };
    variables.as_object()?.iter().find_map(below)
}

/// When steps are taken without asking, filled with a bounded, checked run, or with the policy in force.
pub fn policy(now: &Policy) -> Form {
    let steps = match now.steps {
        0 => "5".to_owned(),
        Policy::TO_THE_END => TO_THE_END.to_owned(),
        steps => steps.to_string(),
    };
    let until_fails = Kind::Switch(now.until_fails || !now.is_automatic());
    let action = now.until_action.as_deref().unwrap_or_default();
    let budget = now.token_budget.map(|budget| budget.to_string()).unwrap_or_default();
    let fields = vec![
        Field::amount("Steps without asking", steps, 8, "a number, or end"),
        Field::new("Ask when a check fails", until_fails, "Space switches"),
        Field::text("Stop before action", action, 22, "a name or its text"),
        Field::amount("Stop at tokens spent", budget, 12, "empty: none"),
    ];
    let conversations = now.conversations.clone();
    let sent: Sent = Box::new(move |values, _| read_policy(values, conversations.clone()).map_err(Fault::Wrong));
    let form = Form::new("Policy: when steps are taken without asking", "use it", String::new(), fields, sent);
    let words =
        |_: &Values<'_>| "Every step it takes is recorded as decided by the policy. Esc stops a run.".to_owned();
    form.saying(74, words)
}

fn read_policy(values: &Values<'_>, conversations: Vec<usize>) -> Result<Vec<Reply>, String> {
    let steps = match values.text(0).as_str() {
        TO_THE_END => Policy::TO_THE_END,
        text => text.parse().map_err(|_| "Steps: write a number, or `end`; 0 asks you at every step")?,
    };
    let token_budget = match values.text(3).as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| "Token budget: write a number, or nothing for none")?),
    };
    let until_action = Some(values.text(2)).filter(|action| !action.is_empty());
    let policy = Policy { steps, until_fails: values.is_on(1), until_action, token_budget, conversations };
    Ok(vec![gate(Request::SetPolicy(policy))])
}

pub(crate) fn candidate_asks(now: CandidateAsks) -> Form {
    let fields = vec![
        Field::number("Demonstrations", now.demonstrations, 1..=10, "1 to 10: a prompt for each"),
        Field::number("Samples of each", now.samples, 0..=64, "0 to 64, beside the greedy one"),
        Field::number("Asks at once", now.at_once, 1..=16, "1 to 16"),
    ];
    let read = |values: &Values<'_>| Some((values.number(0)?, values.number(1)?, values.number(2)?));
    let sent: Sent = Box::new(move |values, _| {
        let (demonstrations, samples, at_once) = read(values).unwrap_or_default();
        let asks = CandidateAsks { demonstrations: demonstrations as usize, samples, at_once: at_once as usize };
        Ok(workshop(CandidateCommand::SetAsks(asks)))
    });
    let words = |values: &Values<'_>| {
        let Some((demonstrations, samples)) = values.number(0).zip(values.number(1)) else { return String::new() };
        let most = u64::from(demonstrations) * (1 + u64::from(samples));
        format!("At most {most} completions an action. Esc in the pane stops them; what came is kept.")
    };
    let form = Form::new("How a model is asked for candidates", "use it", String::new(), fields, sent);
    form.saying(66, words)
}

/// The name of a file to be used so. A file that is there is replaced only after a second yes.
pub fn file(purpose: FileUse) -> Form {
    let name = match &purpose {
        FileUse::Save { name } => unused(name, ADOPTED_SUFFIX),
        FileUse::Export { form, name } => unused(name, form.ending()),
        FileUse::Keep { name } => unused(name, SESSION_SUFFIX),
        FileUse::Compare { name, .. } => name.clone(),
    };
    named_file(purpose, &name)
}

/// The same once it failed: with the name as it was typed, and why.
pub(crate) fn file_again(purpose: FileUse, why: &str) -> Form {
    let name = purpose.name().to_owned();
    named_file(purpose, &name).failed(why)
}

fn named_file(purpose: FileUse, name: &str) -> Form {
    let (title, accept, about) = match &purpose {
        FileUse::Save { .. } => {
            ("Write what is in force to a file", "write", "All actions' assertions, as Python. The file's name:")
        }
        FileUse::Export { .. } => {
            ("Write the session out", "write", "The whole session with its branches. The file's name:")
        }
        FileUse::Keep { .. } => {
            ("The session's file is gone", "write", "All of it is written again, and kept there. The file's name:")
        }
        FileUse::Compare { .. } => {
            ("Read a file of preconditions", "read", "What it would change is shown first. The file's name:")
        }
    };
    let sent: Sent = Box::new(move |values, sure| use_file(&purpose, &values.text(0), sure));
    Form::new(title, accept, about.to_owned(), Field::line(name), sent).again("replace")
}

fn use_file(purpose: &FileUse, text: &str, sure: bool) -> Result<Vec<Reply>, Fault> {
    if text.is_empty() {
        return Err(Fault::Wrong("Type a name first.".to_owned()));
    }
    if text.ends_with(std::path::is_separator) || Path::new(text).file_name().is_none() {
        return Err(Fault::Wrong(format!("{text} is a folder; type the name of a file in it.")));
    }
    let named = |ending: &str| match Path::new(text).extension() {
        None => PathBuf::from(format!("{text}{ending}")),
        Some(_) => PathBuf::from(text),
    };
    // A file that is there is asked about before it is replaced, unless it is kept nowhere else. What cannot be written is said here, where the
    // name still stands.
    let unasked = |path: PathBuf| {
        let (name, folder) = (path.display(), path.parent().filter(|folder| !folder.as_os_str().is_empty()));
        match folder.filter(|folder| !folder.is_dir()) {
            Some(folder) => {
                Err(Fault::Wrong(format!("There is no folder {}; make it, or type another name.", folder.display())))
            }
            None if path.is_dir() => Err(Fault::Wrong(format!("{name} is a folder; type the name of a file in it."))),
            None if log::is_ours(&path) => {
                Err(Fault::Wrong(format!("{name} is there already, a session or results; type another name.")))
            }
            None if path.exists() && !sure => {
                Err(Fault::Doubt(format!("{name} is there already; Enter again replaces it.")))
            }
            None => Ok(path),
        }
    };
    Ok(match purpose {
        // What is adopted is recognised by its ending.
        FileUse::Save { .. } => workshop(CandidateCommand::SaveSet(unasked(named(ADOPTED_SUFFIX))?)),
        FileUse::Export { form, .. } => vec![Reply::Export(*form, unasked(named(form.ending()))?)],
        FileUse::Keep { .. } => match PathBuf::from(text) {
            path if path.exists() => {
                return Err(Fault::Wrong(format!("{} is there already; type another name.", path.display())));
            }
            path => vec![Reply::Send(Command::Keep(path))],
        },
        FileUse::Compare { token, .. } => match PathBuf::from(text) {
            path if !path.is_file() => {
                let why = "No such file; names start where the program was started.";
                return Err(Fault::Wrong(why.to_owned()));
            }
            path => {
                let (token, left, right) = (*token, SetSource::InForce, SetSource::File(path));
                workshop(CandidateCommand::Compare { token, left, right })
            }
        },
    })
}

/// The name, or one like it that is not taken.
fn unused(name: &str, ending: &str) -> String {
    stepwright_files::free(Path::new(name), ending).display().to_string()
}

/// A text of many lines, judged as it is typed.
fn text(title: &str, about: String, text: &str, of: Of, request: impl Fn(String) -> Request + 'static) -> Form {
    let text = text.lines().collect::<Vec<_>>().join("\n");
    let kind = Kind::Lines(Editor::lines(&text), Judge::new(of, &text));
    let sent: Sent = Box::new(move |values, _| Ok(vec![gate(request(values.text(0)))]));
    Form::new(title, "take it", about, vec![Field::new("", kind, "")], sent).saying(96, |_| String::new())
}

pub fn belief(offer: OfferId, written: &str, update: &str) -> Form {
    let about = format!("Written for: {update}");
    let request = move |text| Request::EditOffer { offer, text };
    text("Edit the new belief, then take it", about, written, Of::Belief, request)
}

pub fn document(offer: OfferId, written: &str, about: &str, program: bool) -> Form {
    let of = Of::Document { program, why: String::new() };
    let request = move |text| Request::EditOffer { offer, text };
    text("Edit what was written, then take it", format!("Written on: {about}"), written, of, request)
}

/// The plan or program in force, rewritten from that line (from 0) on; `why`: what keeps it from going on, or nothing.
pub fn plan(written: &str, line: usize, why: &str, program: bool) -> Form {
    let about = "In force from here on; it is recorded as your correction.".to_owned();
    let of = Of::Document { program, why: why.to_owned() };
    let request = |text| Request::correct(ArtifactId::PLAN, text);
    let title = if program { "Edit the program, then go on with it" } else { "Edit the plan, then go on with it" };
    text(title, about, written, of, request).at_line(line)
}

/// A form of states: the offered one, or the one in force.
pub fn form_of_states(offer: Option<OfferId>, written: &str) -> Form {
    let about = "In which the belief is kept from here on; judged on the demonstrations.".to_owned();
    let request = move |text| match offer {
        Some(offer) => Request::EditOffer { offer, text },
        None => Request::correct(ArtifactId::FORM, text),
    };
    text("Edit the form of states, then take it", about, written, Of::Form, request)
}

pub fn correction(believed: &str) -> Form {
    let about = "What is believed from here on; it is recorded as your correction.".to_owned();
    text("Correct what is believed", about, believed, Of::Belief, |text| Request::correct(ArtifactId::BELIEF, text))
}

/// An action of several lines; `example`: how it is written.
pub fn lines(proposal: ProposalId, written: &str, example: &str, tools: Option<Toolbox>) -> Form {
    let request = move |text| Request::Edit { proposal, text };
    text("Edit it, then take it", example.to_owned(), written, Of::Lines(proposal), request).completing(tools)
}

pub fn program(from: Option<ProposalId>, written: &str, query: &str, calls: &str) -> Form {
    let title = match from {
        Some(_) => "Edit the program, then take it",
        None => "Write a program or calls",
    };
    let request = move |text| match from {
        Some(proposal) => Request::Edit { proposal, text },
        None => Request::Manual { text },
    };
    let of = Of::Program { calls: calls.to_owned() };
    text(title, format!("The request: {query}"), written, of, request)
}

/// A question; a yes (`Enter`, shown with the word `yes`) gives `replies`.
pub(crate) fn confirm(title: impl Into<String>, question: String, yes: &'static str, replies: Vec<Reply>) -> Form {
    let mut replies = Some(replies);
    Form::new(title, yes, question, Vec::new(), Box::new(move |_, _| Ok(replies.take().unwrap_or_default())))
}

/// Whether to go on although the world does not answer as it did, from the node where that began.
pub(crate) fn diverged(node: NodeId, what: &str) -> Form {
    let what = sanitize::visible(what);
    if node == 0 {
        let question = format!("{what}\nIt begins otherwise than recorded: only a new session goes on from here.");
        return confirm("The world does not answer as recorded", question, "close", Vec::new());
    }
    let question = format!(
        "{what}\nGo on from there as a branch? The decision that led there is made once more; what is recorded stays as it is."
    );
    let again = vec![gate(Request::Again(node))];
    confirm("The world does not answer as recorded", question, "go on as a branch", again)
}

pub fn message(text: &str) -> Form {
    confirm("Message", sanitize::visible(text).into_owned(), "close", Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::ActionId;
    use crate::dialog::{Context, Dialog};
    use crate::keymap::Keymap;
    use crate::launcher::ExportForm;
    use crate::view::View;

    #[test]
    fn a_policy_to_the_end_is_offered_and_sent_as_one() {
        let (view, keymap) = (View::default(), Keymap::default());
        let context = Context { view: &view, keymap: &keymap, columns: 80 };
        for steps in [Policy::TO_THE_END, 7] {
            let set = Policy { steps, ..Policy::manual() };
            let sent = policy(&set).act(ActionId::Accept, context);
            assert_eq!(sent, [Reply::Close, gate(Request::SetPolicy(set))]);
        }
    }

    /// A13: what would be refused later was asked about, and the dialog was gone when it failed.
    #[test]
    fn the_dialog_of_a_file_says_what_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(at("session.html"), "{\"stepwright\":\"session\"}\n").unwrap();
        std::fs::write(at("page.html"), "<!doctype html>").unwrap();
        let purpose = FileUse::Export { form: ExportForm::Html, name: String::new() };
        let told = |name: &str, sure| match use_file(&purpose, &at(name), sure) {
            Ok(_) => "written".to_owned(),
            Err(Fault::Wrong(why)) => why,
            Err(Fault::Doubt(why)) => format!("sure? {why}"),
        };
        for (name, sure, said) in [
            ("session.html", false, "a session or results; type another name."),
            ("session.html", true, "a session or results; type another name."),
            ("page.html", false, "Enter again replaces it."),
            ("page.html", true, "written"),
            ("new", false, "written"),
            ("none/new.html", true, "make it, or type another name."),
            ("small/", true, "type the name of a file in it."),
            ("..", true, "type the name of a file in it."),
        ] {
            assert!(told(name, sure).ends_with(said), "{name}: {}", told(name, sure));
        }
    }
}
