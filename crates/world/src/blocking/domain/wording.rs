//! Actions as the world writes them: from an action's form to its text and back.

use super::{Action, Domain};
use crate::literal::Atom;

enum Piece<'a> {
    Words(&'a str),
    Parameter(&'a str),
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((words, after)) = rest.split_once('{')
        && let Some((parameter, after)) = after.split_once('}')
    {
        pieces.push(Piece::Words(words));
        pieces.push(Piece::Parameter(parameter));
        rest = after;
    }
    pieces.push(Piece::Words(rest));
    pieces
}

pub(super) fn parameters(template: &str) -> Vec<&str> {
    let named = pieces(template).into_iter().filter_map(|piece| match piece {
        Piece::Parameter(name) => Some(name),
        Piece::Words(_) => None,
    });
    named.collect()
}

impl Action {
    /// Its text's template: as given, else its form.
    fn template(&self) -> String {
        self.text.clone().unwrap_or_else(|| {
            let args = self.form.args.iter().map(|a| format!(" {{{a}}}"));
            std::iter::once(self.form.name.clone()).chain(args).collect()
        })
    }
}

impl Domain {
    pub fn text(&self, action: &Atom) -> String {
        let known = self.action(&action.predicate).filter(|a| a.form.args.len() == action.args.len());
        let Some(schema) = known else { return self.spoken(&action.to_string()) };
        let template = schema.template();
        let piece = |piece: Piece<'_>| match piece {
            Piece::Words(words) => words.to_owned(),
            Piece::Parameter(name) => {
                let place = schema.form.args.iter().position(|a| a == name);
                self.spoken(place.and_then(|i| action.args.get(i)).map_or(name, String::as_str))
            }
        };
        pieces(&template).into_iter().map(piece).collect()
    }

    /// The action a text of the world stands for; `None` if the domain has none of that wording.
    pub fn read_text(&self, text: &str) -> Option<Atom> {
        let text = text.trim();
        self.actions.iter().filter(|action| !action.choice).find_map(|action| self.read_as(action, text))
    }

    fn read_as(&self, action: &Action, text: &str) -> Option<Atom> {
        let template = action.template();
        let mut pieces = pieces(&template).into_iter().peekable();
        let mut args = vec![String::new(); action.form.args.len()];
        let mut rest = text;
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Words(words) => rest = rest.strip_prefix(words)?,
                Piece::Parameter(name) => {
                    let end = match pieces.peek() {
                        Some(Piece::Words(words)) if !words.is_empty() => rest.find(words)?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at_checked(end)?;
                    let place = action.form.args.iter().position(|a| a == name)?;
                    *args.get_mut(place)? = self.written(value)?;
                    rest = after;
                }
            }
        }
        (rest.is_empty() && args.iter().all(|a| !a.is_empty())).then(|| Atom::new(action.form.name.clone(), args))
    }

    /// A description with its things: every word that is one of the form's parameters becomes the thing at its place; the last
    /// parameter stands for all things that are left (the action of `failed a`).
    pub fn described(&self, about: &str, parameters: &[String], things: &Atom) -> String {
        let word = |word: &str| {
            let things = parameters.iter().position(|p| p == word).and_then(|place| {
                let end = if place + 1 == parameters.len() { things.args.len() } else { place + 1 };
                things.args.get(place..end).filter(|things| !things.is_empty())
            });
            things.map_or_else(|| word.to_owned(), |things| self.spoken(&things.join(" ")))
        };
        let mut described = String::new();
        let mut rest = about;
        while let Some(at) = rest.find(is_word) {
            let (before, from) = rest.split_at(at);
            let (found, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
            described.push_str(before);
            described.push_str(&word(found));
            rest = after;
        }
        described + rest
    }

    /// A condition in words: those it was derived with, else what the domain says it is, with its things (`mug 1 is not in the hand`);
    /// where it says nothing, its name and things as the world says them (`not at microwave 1`).
    pub fn in_words(&self, condition: &Atom) -> String {
        if let Some(words) = self.words.get(&condition.to_string()) {
            return words.clone();
        }
        match self.condition(&condition.predicate).filter(|schema| !schema.about.is_empty()) {
            Some(schema) => self.described(&schema.about, &schema.form.args, condition),
            None => {
                let name = condition.predicate.replace('_', " ");
                let things = condition.args.iter().map(|thing| self.spoken(thing));
                std::iter::once(name).chain(things).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Why an action stands below a goal, or below one of the goals: a written domain says that it leads there, a derived one has what the
    /// agent would do.
    pub(crate) fn root_in_words(&self, goal: Option<&Atom>) -> String {
        let goal = goal.map(|goal| self.spoken(&goal.to_string()));
        match (self.is_derived, goal) {
            (false, Some(goal)) => format!("it reaches the goal `{goal}`, or a part of that goal"),
            (false, None) => "it reaches a goal, or a part of one".to_owned(),
            (true, Some(goal)) => format!("the agent would do it for `{goal}`"),
            (true, None) => "the agent would do it for the task".to_owned(),
        }
    }

    pub fn spoken(&self, thing: &str) -> String {
        match (self.words.get(thing), self.space) {
            (Some(words), _) => words.clone(),
            (None, Some(space)) => thing.replace(space, " "),
            (None, None) => thing.to_owned(),
        }
    }

    pub fn recorded(&self, literal: &Atom) -> String {
        let text = literal.to_string();
        self.words.get(&text).cloned().unwrap_or(text)
    }

    /// A thing's name from what the world says; `None` where it cannot be one.
    fn written(&self, said: &str) -> Option<String> {
        let name = match self.space {
            Some(space) => said.replace(' ', &space.to_string()),
            None => said.to_owned(),
        };
        (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
    }
}
