//! Distilling headless: the questions of the first two stages are put to a language model one after the other, and every answer is
//! kept in a journal before anything follows from it. A run that is begun again goes on behind the answers in its journal.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::trying::tried;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_files::{Lines, Misread, Reader};
use stepwright_sandbox::Workers;
use stepwright_skill::distil::{Distiller, Question};
use tokio_util::sync::CancellationToken;

use stepwright_episode::{PromptMessage, Usage};
use stepwright_model::prompt::Prompts;
use stepwright_model::{LanguageModel, ModelRequest, ask};

/// Tokens of an answer at most; a segmented log is about as long as the log.
pub(super) const MAX_TOKENS: u32 = 3000;

#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// So many answers were taken from the journal.
    Resumed(usize),
    /// A question is asked: in words, and how many more are known to come.
    Asking(String, usize),
    Unread(String),
    /// The model or its server remarks this.
    Remark(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Done,
    Budget,
    /// A person stopped it, or the model failed: in words.
    Stopped(String),
}

/// A line of a journal: the first says what it is of, the others hold answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Answer {
        number: usize,
        label: String,
        of: Vec<String>,
        answer: String,
        #[serde(default)]
        usage: Usage,
    },
    Heading {
        distilled: Value,
    },
}

const BEGINNING: &[u8] = b"{\"distilled\":";

/// The answers of a run, in a file beside its result.
pub struct Journal {
    lines: Lines,
    /// What it holds, as it was before the lines got their checksums.
    text: Vec<u8>,
    answers: Vec<(usize, String, Usage)>,
}

impl Journal {
    /// Opens a journal for a run that `heading` describes, or begins one. A last line that was torn by a crash is cut off.
    pub fn open(path: &Path, heading: &Value) -> Result<Journal, String> {
        let wrong = |why: String| format!("{}: {why}", path.display());
        let handle = Lines::lock(path, true).map_err(|e| match e.kind() {
            ErrorKind::WouldBlock => wrong("another process is writing it; wait for that".to_owned()),
            _ => wrong(e.to_string()),
        })?;
        let (mut text, mut answers) = (Vec::new(), Vec::new());
        let mut lines = Reader::new(handle.reader(), u64::MAX).beginning(BEGINNING);
        while let Some(line) = lines.read(|line| serde_json::from_slice(line)).map_err(|misread| {
            wrong(match (lines.number(), misread) {
                (1, Misread::Unfit(_)) => "it is no journal of a run; name another --out, or move it away".to_owned(),
                (number, Misread::Unfit(e)) => format!("line {number} is no answer of a run: {e}"),
                (number, misread) => format!("line {number}: {}", misread.why()),
            })
        })? {
            match line {
                Line::Heading { distilled } if lines.number() == 1 && distilled == *heading => {}
                Line::Heading { .. } => {
                    return Err(wrong(
                        "it belongs to a run over other logs or with other settings; name another --out, or remove it"
                            .to_owned(),
                    ));
                }
                Line::Answer { number, answer, usage, .. } => answers.push((number, answer, usage)),
            }
            text.extend_from_slice(lines.line().trim_ascii_end());
            text.push(b'\n');
        }
        let whole = lines.whole();
        let mut journal = Journal { lines: Lines::after(handle, whole), text, answers };
        journal.lines.trim().map_err(|e| wrong(e.to_string()))?;
        if journal.text.is_empty() {
            journal.add(&Line::Heading { distilled: heading.clone() }).map_err(wrong)?;
        }
        Ok(journal)
    }

    /// Errors: the line is not kept; or the file was lost, and it is in another with all before it.
    fn add(&mut self, line: &Line) -> Result<(), String> {
        let mut line = serde_json::to_vec(line).map_err(|e| e.to_string())?;
        line.push(b'\n');
        let moved =
            self.lines.keep_or_move(line.clone(), "all answers", || self.text.clone()).map_err(|e| e.to_string())?;
        self.text.append(&mut line);
        moved.map_or(Ok(()), Err)
    }
}

pub(super) fn template(question: &Question, contrast: bool) -> String {
    format!("o3d/{}", question.stage.template(contrast))
}

pub fn messages(prompts: &Prompts, question: &Question, contrast: bool) -> Result<Vec<PromptMessage>, String> {
    prompts
        .render(&template(question, contrast), &question.context)
        .map(|rendered| rendered.messages)
        .map_err(|e| e.to_string())
}

pub struct Asking<'a> {
    pub model: Arc<dyn LanguageModel>,
    pub prompts: &'a Prompts,
    /// Where functions are tried.
    pub sandbox: Workers,
    pub contrast: bool,
    /// Begin no further question once so many tokens were spent, those of the journal among them.
    pub budget: Option<u64>,
    pub cancel: CancellationToken,
}

/// Goes on with a run until all is asked, or the budget is used up; says how it ended, and what was spent.
/// Errors: if the journal cannot be written, or a template is wrong.
pub async fn distil(
    run: &mut Distiller,
    journal: &mut Journal,
    asking: &Asking<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<(End, Usage), String> {
    let mut spent = Usage::default();
    let kept = std::mem::take(&mut journal.answers);
    let known = kept.len();
    for (number, answer, usage) in kept {
        let expected = run.next().map(|question| question.number);
        if expected != Some(number) {
            return Err(format!("the journal's answer {number} fits no question; remove the journal to begin anew"));
        }
        spent.add(usage);
        // What could not be read then cannot be read now, and is asked again as it was then.
        let _ = run.take(&answer);
        try_out(run, &asking.sandbox, report).await;
    }
    if known > 0 {
        report(Progress::Resumed(known));
    }
    while let Some(question) = run.next() {
        if asking.budget.is_some_and(|budget| spent.prompt + spent.completion >= budget) {
            return Ok((End::Budget, spent));
        }
        report(Progress::Asking(format!("{} ({})", question.label, question.of.join(", ")), run.left()));
        let request = ModelRequest {
            messages: messages(asking.prompts, &question, asking.contrast)?,
            max_tokens: MAX_TOKENS,
            temperature: 0.0,
            n: 1,
            ..ModelRequest::default()
        };
        let asked = ask(&*asking.model, &request, &asking.cancel).await;
        asked.remarks.into_iter().for_each(|remark| report(Progress::Remark(remark)));
        let usage = asked.spent;
        spent.add(usage);
        let completions = match asked.completions {
            Ok(completions) => completions,
            Err(error) => return Ok((End::Stopped(error.to_string()), spent)),
        };
        let answer = completions.into_iter().next().map(|completion| completion.text).unwrap_or_default();
        let (number, label, of) = (question.number, question.label.clone(), question.of.clone());
        journal.add(&Line::Answer { number, label, of, answer: answer.clone(), usage })?;
        if let Err(why) = run.take(&answer) {
            report(Progress::Unread(format!("{}: {why}", question.label)));
        }
        try_out(run, &asking.sandbox, report).await;
    }
    Ok((End::Done, spent))
}

/// Tries a function that was written, before the next question: it may be to mend it.
async fn try_out(run: &mut Distiller, sandbox: &Workers, report: &mut dyn FnMut(Progress)) {
    let Some(trial) = run.trial() else { return };
    let results = tried(sandbox, &trial).await.unwrap_or_else(|why| {
        report(Progress::Unread(format!("a function could not be tried: {why}")));
        Vec::new()
    });
    run.tried(&results);
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stepwright_files::losses;
    use stepwright_skill::Knowledge;
    use stepwright_skill::distil::Settings;
    use stepwright_trajectory::read_any;

    use super::*;

    fn begun(path: &Path) -> Journal {
        Journal::open(path, &json!({ "logs": 2 })).unwrap()
    }

    fn add(journal: &mut Journal, number: usize) -> Result<(), String> {
        let (label, answer) = ("skills".to_owned(), format!("answer {number}"));
        journal.add(&Line::Answer { number, label, of: vec![], answer, usage: Usage::default() })
    }

    fn answers(path: &Path) -> Result<Vec<(usize, String, Usage)>, String> {
        Journal::open(path, &json!({ "logs": 2 })).map(|journal| journal.answers)
    }

    #[test]
    fn no_power_cut_takes_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal.jsonl");
        let watch = stepwright_files::power::watch(&path);
        let mut journal = begun(&path);
        (0..50).for_each(|number| add(&mut journal, number).unwrap());
        drop(journal);
        let done = watch.done();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            answers(&path).map(|answers| answers.len())
        };
        assert!(stepwright_files::power::cut_everywhere(&done, read).unwrap() > 250);
    }

    #[test]
    fn answers_whose_journal_is_lost_are_kept_beside_it_and_every_flipped_bit_is_found() {
        losses::lost_everywhere(4, begun, add, |path| answers(path).map(|answers| answers.len())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal.jsonl");
        let mut journal = begun(&path);
        (0..2).for_each(|number| add(&mut journal, number).unwrap());
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            answers(&path)
        };
        losses::flipped_everywhere(&bytes, read).unwrap();
    }

    #[test]
    fn every_question_has_a_prompt_and_a_torn_journal_goes_on() {
        let log = r#"{"id":"a","pair_id":"p","task":"put a mug in desk","success":true,"initial_observation":"You are in a room.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see nothing."}]}"#;
        let bad = log.replace("\"id\":\"a\"", "\"id\":\"b\"").replace("\"success\":true", "\"success\":false");
        let read = read_any(format!("{log}\n{bad}\n").as_bytes(), "x");
        let (logs, wrong) = (read.all, read.wrong);
        assert!(wrong.is_empty());
        let prompts = Prompts::default();
        let cut = "New summarization:\n- find(desk):\n> go to desk 1\n";
        let answers = [
            "New summarization:\nWe list the Environment-specific subtasks below:\n- find(object)\n",
            cut,
            cut,
            "New summarization:\n>> find(object)\n- go to [place] [id]\nExample: go to desk 1\n",
            "New summarization: x\nTips:\n- Look.\n",
        ];
        for contrast in [true, false] {
            let settings = Settings { contrast, ..Settings::default() };
            let mut run = Distiller::new(logs.clone(), Knowledge::default(), settings);
            for answer in answers {
                let question = run.next().unwrap();
                let messages = messages(&prompts, &question, contrast).unwrap();
                assert_eq!(messages.len(), 2);
                assert!(messages[1].text.contains("New summarization"), "{messages:?}");
                assert!(messages[1].text.contains("go to desk 1"), "{messages:?}");
                run.take(answer).unwrap();
            }
            assert_eq!(run.next(), None);
            assert_eq!(run.known().skill("find").unwrap().tips, ["Look."]);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal.jsonl");
        let heading = json!({ "logs": 2 });
        let mut journal = Journal::open(&path, &heading).unwrap();
        let line = Line::Answer {
            number: 0,
            label: "skills".into(),
            of: vec![],
            answer: answers[0].into(),
            usage: Usage::default(),
        };
        journal.add(&line).unwrap();
        drop(journal);
        let mut torn = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut torn, b"{\"number\":1,\"lab").unwrap();
        let journal = Journal::open(&path, &heading).unwrap();
        assert_eq!(journal.answers.len(), 1);
        assert!(!std::fs::read_to_string(&path).unwrap().contains("lab\""), "the torn line is gone");
        drop(journal);
        let Err(error) = Journal::open(&path, &json!({ "logs": 3 })) else { panic!("another run") };
        assert!(error.contains("another --out"), "{error}");
        // What is not certainly a journal is left as it is.
        for other in ["{", "my only notes", "{\"distilled\""] {
            std::fs::write(&path, other).unwrap();
            assert!(Journal::open(&path, &heading).is_err(), "{other}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
        std::fs::write(&path, "{\"distilled\":{\"lo").unwrap();
        assert_eq!(Journal::open(&path, &heading).unwrap().answers.len(), 0);
    }
}
