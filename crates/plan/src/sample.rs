//! Samples: a completion read as the next step of a plan, by the reader of a publication's loop.

use serde::{Deserialize, Serialize};

use stepwright_text::words::stripped;

use crate::written::sentence;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// The sentence, as it was written; empty where the model wrote none.
    pub sentence: String,
    /// The mean log-probability of its tokens, where the model reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprob: Option<f64>,
    /// Whether it keeps the plan from being finished.
    #[serde(default)]
    pub goes_on: bool,
    /// Whether it holds no sentence that could be translated.
    #[serde(default)]
    pub is_out: bool,
}

/// How a completion is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A chat model's answer, by its [`sentence`].
    Chat,
    /// As the notebook: the step as it stands.
    Notebook,
    /// As the evaluation code: at the first step and of a correction the whole text, else what stands behind the first colon; a text that
    /// does not begin with `Step` does not go on.
    Evaluation { whole: bool },
}

/// The log-probability of a sample that cannot be read.
pub(crate) const UNREAD: f64 = -200.0;

impl Reader {
    /// A completion as a sample. Why it ended does not matter: one that was cut is read like any other.
    pub fn sample(self, text: &str, logprob: Option<f64>) -> Sample {
        let read = |sentence: &str, goes_on| Sample {
            sentence: stripped(sentence).to_owned(),
            logprob,
            goes_on,
            is_out: false,
        };
        match self {
            Reader::Chat => {
                let sentence = sentence(text);
                let goes_on = !sentence.is_empty();
                Sample { sentence, logprob, goes_on, is_out: !goes_on }
            }
            Reader::Notebook => read(text, !stripped(text).is_empty()),
            Reader::Evaluation { whole: true } => read(text, !text.is_empty()),
            Reader::Evaluation { whole: false } => match text.split_once(':') {
                Some((_, step)) => read(step, text.starts_with("Step")),
                None => Sample { logprob: logprob.map(|_| UNREAD), is_out: true, ..read("", false) },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_published_loop_reads_what_its_prompts_ask_for() {
        let read = |reading: Reader, text: &str| {
            let Sample { sentence, logprob, goes_on, is_out } = reading.sample(text, Some(-0.5));
            (sentence, logprob == Some(-0.5), goes_on, is_out)
        };
        let is = |sentence: &str, goes_on| (sentence.to_owned(), true, goes_on, false);
        let later = Reader::Evaluation { whole: false };
        let first = Reader::Evaluation { whole: true };
        assert_eq!(read(first, " Walk to: hall\nStep 2"), is("Walk to: hall\nStep 2", true));
        assert_eq!(read(first, ""), is("", false));
        assert_eq!(read(later, "Step 7: Walk to hall: now "), is("Walk to hall: now", true));
        assert_eq!(read(later, "step 2: Sit"), is("Sit", false), "in lower case it does not go on");
        assert_eq!(read(later, " Step 2: Sit"), is("Sit", false));
        assert_eq!(read(later, "Step 2:\u{1c} Sit\u{1f}"), is("Sit", true), "as Python strips");
        assert_eq!(read(later, "Step 2:"), is("", true));
        assert_eq!(read(later, "Walk to hall"), (String::new(), false, false, true));
        assert_eq!(read(Reader::Notebook, " Step 2: Sit. "), is("Step 2: Sit.", true));
        assert_eq!(read(Reader::Notebook, " \u{1d}"), is("", false));
        assert_eq!(read(Reader::Chat, "Step 2: Sit."), is("Sit", true));
        assert_eq!(read(Reader::Chat, "Done"), (String::new(), true, false, true));
    }
}
