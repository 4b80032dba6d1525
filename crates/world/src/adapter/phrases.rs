//! Texts and calls: how `go to drawer 4` reads as `agent.goto('drawer 4')` and back.
//!
//! A phrase is a function and a template with one `{}` for each argument, which takes any text that is not empty, the shortest
//! that lets the rest match. A number alone is a number, all else a text. Only what reads back to the same text is taken, so that the
//! mapping loses nothing.

use stepwright_program::{Call, Literal, Role, Specification};
use stepwright_text::words;

/// How an action's text reads as a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    receiver: String,
    function: String,
    /// The text around the arguments; one more than there are arguments.
    parts: Vec<String>,
}

impl std::str::FromStr for Phrase {
    type Err = String;

    /// Reads `agent.take: take {} from {}`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no phrase; write one like `agent.take: take {{}} from {{}}`");
        let (path, template) = text.split_once(':').ok_or_else(wrong)?;
        let (receiver, function) = path.trim().split_once('.').ok_or_else(wrong)?;
        let template = template.trim();
        let name = |n: &str| !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !name(receiver) || !name(function) || template.is_empty() {
            return Err(wrong());
        }
        let parts: Vec<String> = template.split("{}").map(str::to_owned).collect();
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        if inner.iter().any(String::is_empty) {
            return Err(format!("`{text}`: two arguments stand side by side, so nobody can tell where one ends"));
        }
        Ok(Phrase { receiver: receiver.to_owned(), function: function.to_owned(), parts })
    }
}

impl Phrase {
    /// Why it is no action of a specification: there is none of its name, or one of other arguments.
    pub fn misfit(&self, specification: &Specification) -> Option<String> {
        let path = format!("{}.{}", self.receiver, self.function);
        let known = specification.function(&self.receiver, &self.function).filter(|f| f.role == Role::Action);
        let Some(function) = known else { return Some(format!("`{path}` is no action of the specification")) };
        let (named, rest): (Vec<&String>, Vec<&String>) = function.params.iter().partition(|p| !p.starts_with('*'));
        let given = self.parts.len().saturating_sub(1);
        let is_few = given < named.len().saturating_sub(function.optional);
        let is_many = given > named.len() && rest.is_empty();
        (is_few || is_many).then(|| {
            format!(
                "`{path}` takes ({}), and its phrase has {}",
                function.params.join(", "),
                words::count(given, "argument")
            )
        })
    }

    pub(super) fn call_of(&self, text: &str) -> Option<Call> {
        let (first, others) = self.parts.split_first()?;
        let mut rest = text.strip_prefix(first.as_str())?;
        let mut args = Vec::with_capacity(others.len());
        for (i, part) in others.iter().enumerate() {
            let last = i + 1 == others.len();
            let at = if last {
                rest.len().checked_sub(part.len()).filter(|at| rest.get(*at..) == Some(part.as_str()))?
            } else {
                // An argument has at least one character.
                let skip = rest.chars().next()?.len_utf8();
                skip + rest.get(skip..)?.find(part.as_str())?
            };
            let arg = rest.get(..at).filter(|a| !a.is_empty())?;
            args.push(argument(arg));
            rest = rest.get(at + part.len()..)?;
        }
        let call = rest.is_empty().then(|| Call {
            receiver: self.receiver.clone(),
            function: self.function.clone(),
            args,
            ..Call::default()
        })?;
        (self.text_of(&call).as_deref() == Some(text)).then_some(call)
    }

    pub(super) fn text_of(&self, call: &Call) -> Option<String> {
        if call.receiver != self.receiver || call.function != self.function || call.args.len() + 1 != self.parts.len() {
            return None;
        }
        let mut text = self.parts.first()?.clone();
        for (arg, part) in call.args.iter().zip(self.parts.iter().skip(1)) {
            match arg {
                Literal::Str(value) if !value.is_empty() => text.push_str(value),
                Literal::Int(_) | Literal::Long(_) | Literal::Float(_) => text.push_str(&arg.to_string()),
                _ => return None,
            }
            text.push_str(part);
        }
        Some(text)
    }
}

/// What stands in the place of an argument: a number where it is one as Python writes it, so that it reads back.
fn argument(text: &str) -> Literal {
    let whole = text.parse().map(Literal::Int).or_else(|_| text.parse().map(Literal::Long)).ok();
    let real = || text.parse().ok().filter(|x: &f64| x.is_finite()).map(Literal::Float);
    let number = whole.or_else(real).filter(|number| number.to_string() == text);
    number.unwrap_or_else(|| Literal::Str(text.to_owned()))
}

pub fn call_of(phrases: &[Phrase], text: &str) -> Option<Call> {
    phrases.iter().find_map(|p| p.call_of(text))
}

pub fn text_of(phrases: &[Phrase], call: &Call) -> Option<String> {
    phrases.iter().find_map(|p| p.text_of(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases() -> Vec<Phrase> {
        ["agent.goto: go to {}", "agent.take: take {} from {}", "agent.look: look", "agent.clean: clean {} with {}!"]
            .iter()
            .map(|p| p.parse().unwrap())
            .collect()
    }

    #[test]
    fn texts_read_as_calls_and_back() {
        for (text, call) in [
            ("go to drawer 4", "agent.goto('drawer 4')"),
            ("take mug 1 from shelf 2", "agent.take('mug 1', 'shelf 2')"),
            ("take a from b from c", "agent.take('a', 'b from c')"),
            ("look", "agent.look()"),
            ("clean é with ü!", "agent.clean('é', 'ü')"),
            ("go to 4", "agent.goto(4)"),
            ("go to 9223372036854775808", "agent.goto(9223372036854775808)"),
            ("take -2 from 1.5", "agent.take(-2, 1.5)"),
            ("take 04 from 1.50", "agent.take('04', '1.50')"),
            ("take inf from +3", "agent.take('inf', '+3')"),
        ] {
            let read = call_of(&phrases(), text).unwrap();
            assert_eq!(read.to_string(), call);
            assert_eq!(text_of(&phrases(), &read).unwrap(), text);
        }
        for none in ["go to ", "go to", "take  from ", "looks", "", "clean a with b"] {
            assert_eq!(call_of(&phrases(), none), None, "{none:?}");
        }
    }

    #[test]
    fn a_phrase_fits_an_action_or_says_why_not() {
        let source = "SETUP = ['agent = Agent()']\nACTIONS = ['agent.take']\nOBSERVATIONS = ['agent.see']\n\n\nclass Agent:\n    \
                      def take(self, what, place=None):\n        pass\n\n    def see(self, what):\n        pass\n";
        let specification = Specification::load(source, "spec.py").unwrap();
        for (phrase, why) in [
            ("agent.take: take {}", None),
            ("agent.take: take {} from {}", None),
            ("agent.take: take", Some("`agent.take` takes (what, place), and its phrase has 0 arguments")),
            (
                "agent.take: take {} from {} to {}",
                Some("`agent.take` takes (what, place), and its phrase has 3 arguments"),
            ),
            ("agent.see: see {}", Some("`agent.see` is no action of the specification")),
            ("nobody.take: take {}", Some("`nobody.take` is no action of the specification")),
        ] {
            assert_eq!(phrase.parse::<Phrase>().unwrap().misfit(&specification).as_deref(), why, "{phrase}");
        }
    }

    #[test]
    fn wrong_phrases_say_what_is_wrong() {
        for (text, part) in [
            ("go to {}", "is no phrase"),
            ("goto: go to {}", "is no phrase"),
            ("agent.goto:  ", "is no phrase"),
            ("agent.take: take {}{}", "side by side"),
        ] {
            assert!(text.parse::<Phrase>().unwrap_err().contains(part), "{text}");
        }
    }
}
