//! Clauses: reads sentences into what they ask and state, one clause after another, each read against the belief that the ones before it left.

use serde_json::Value;

use super::act::{Act, quoted};
use super::resolve::Context;
use super::scene::Scene;
use super::words::{Token, mentions, tokens};
use super::{Unreadable, fact, goal, put, question, writer};

/// How many tries to cut a text into clauses may cost.
const TRIES: usize = 400;
/// Sentences longer than this are no requests.
const LONGEST: usize = 120;

/// Words that say nothing by themselves.
const INTERJECTIONS: &str = "\
    oh no woops whoops oops sorry hey ok okay well now please thanks thank you great good careful be wait look \
    hm hmm and then uh ouch shoot what a pity";

/// The program for a request.
pub fn program(belief: &Value, query: &str) -> Result<String, Unreadable> {
    let words = tokens(query, &Scene::of(belief))?;
    if words.is_empty() {
        return Err(Unreadable::new("", "the request is empty"));
    }
    if goal::is_one(&words) {
        let acts = goal::read(&words, belief, &Scene::of(belief))?;
        return Ok(lines(&acts, &[]));
    }
    let mut read = Reading::new(belief, &words);
    let mut says = Vec::new();
    for sentence in words.split(|token| *token == Token::Stop).filter(|sentence| !sentence.is_empty()) {
        if question::is_one(sentence) {
            let scene = Scene::of(&read.belief);
            says.push(question::answer(sentence, &read.context(&scene))?);
        } else {
            read.sentence(sentence)?;
        }
    }
    Ok(lines(&read.acts, &says))
}

/// What an update states, and the belief after it.
pub fn stated(belief: &Value, text: &str) -> Result<(Vec<Act>, Value), Unreadable> {
    let words = tokens(text, &Scene::of(belief))?;
    let mut read = Reading::new(belief, &words);
    read.must_apply = true;
    for sentence in words.split(|token| *token == Token::Stop).filter(|sentence| !sentence.is_empty()) {
        read.sentence(sentence)?;
    }
    Ok((read.acts, read.belief))
}

/// The lines of a program: moves, the update that states them, answers.
fn lines(acts: &[Act], says: &[String]) -> String {
    let mut lines: Vec<String> = acts.iter().flat_map(Act::calls).collect();
    let update: Vec<String> = acts.iter().filter_map(Act::sentence).collect();
    if !update.is_empty() {
        lines.push(format!("update_wm({})", quoted(&update.join(" "))));
    }
    lines.extend(says.iter().map(|say| format!("say({})", quoted(say))));
    if lines.is_empty() {
        lines.push("noop()".to_owned());
    }
    lines.join("\n")
}

/// How far a text has been read.
#[derive(Clone)]
struct Reading {
    belief: Value,
    acts: Vec<Act>,
    named: Vec<String>,
    it: Vec<String>,
    place: Option<String>,
    tries: usize,
    /// Whether an act that the belief cannot be brought to follow is an error, and not left to the world.
    must_apply: bool,
}

impl Reading {
    fn new(belief: &Value, words: &[Token]) -> Self {
        let named = words.iter().filter_map(|token| match token {
            Token::Object(name) => Some(name.clone()),
            _ => None,
        });
        Reading {
            belief: belief.clone(),
            acts: Vec::new(),
            named: named.collect(),
            it: Vec::new(),
            place: None,
            tries: TRIES,
            must_apply: false,
        }
    }

    fn context<'a>(&'a self, scene: &'a Scene) -> Context<'a> {
        Context {
            belief: &self.belief,
            scene,
            named: self.named.clone(),
            it: self.it.clone(),
            place: self.place.clone(),
        }
    }

    /// Reads a sentence as one clause, or else as clauses joined by commas and "and".
    fn sentence(&mut self, tokens: &[Token]) -> Result<(), Unreadable> {
        if tokens.len() > LONGEST {
            return Err(Unreadable::new("", format!("a sentence of more than {LONGEST} words")));
        }
        let whole = match self.clause(tokens) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        for (at, token) in tokens.iter().enumerate() {
            let joint = *token == Token::Comma || token.among("and then but while so because");
            let (Some(left), Some(right)) = (tokens.get(..at), tokens.get(at + 1..)) else { continue };
            if !joint || right.is_empty() {
                continue;
            }
            let mut attempt = self.clone();
            let read = (left.is_empty() || attempt.clause(left).is_ok()) && attempt.sentence(right).is_ok();
            self.tries = attempt.tries;
            if read {
                *self = attempt;
                return Ok(());
            }
        }
        Err(whole)
    }

    fn clause(&mut self, tokens: &[Token]) -> Result<(), Unreadable> {
        self.tries = self.tries.checked_sub(1).ok_or_else(|| Unreadable::new("", "it has too many clauses"))?;
        if tokens.iter().all(|token| *token == Token::Comma || token.among(INTERJECTIONS)) {
            return Ok(());
        }
        let scene = Scene::of(&self.belief);
        let context = self.context(&scene);
        let acts = if put::is_request(tokens) {
            put::read(tokens, &context)?
        } else if self.continues_put(tokens) {
            put::read_on(tokens, &context)?
        } else {
            fact::read(tokens, &context)?
        };
        for act in acts {
            self.follow(act)?;
        }
        Ok(())
    }

    /// "[put the red block in the tin bowl and] the blue block in the glass bowl": the verb counts on.
    fn continues_put(&self, tokens: &[Token]) -> bool {
        const VERBS: &str = "is are was were becomes become became has have weighs fell dropped";
        matches!(self.acts.last(), Some(Act::Put(..))) && !mentions(tokens, VERBS)
    }

    fn follow(&mut self, act: Act) -> Result<(), Unreadable> {
        match writer::apply(&self.belief, &act) {
            Ok(belief) => self.belief = belief,
            Err(error) if self.must_apply => return Err(error),
            // The world has the last word on what can be done.
            Err(_) => {}
        }
        self.it = act.about();
        if let Act::Put(_, target) | Act::Moved(_, target) = &act {
            self.place = Some(target.clone());
        }
        self.acts.push(act);
        Ok(())
    }
}
