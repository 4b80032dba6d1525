//! Grammar of the assertions over a vocabulary: literals over variables, query functions and arguments. Says them, judges
//! none.

use stepwright_program::Literal;

/// The possible subjects of an assertion, as seen from the object that acts (`self`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vocabulary {
    pub terms: Vec<Term>,
    pub params: Vec<Param>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Param {
    pub name: String,
    /// Words that all its values have in common (`sinkbasin`), where not all values of its name do.
    pub common_words: Vec<String>,
}

/// A variable or a query function.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// How it is reached (`self.env.get_property`).
    pub path: String,
    pub shape: Shape,
}

/// The kind of value that a term holds or takes, as far as the demonstrations show.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Flag,
    /// True, false, or not known yet (`None`).
    OpenFlag,
    /// A text, or `None` if `optional`.
    Text {
        /// Whether it was ever `None`.
        optional: bool,
    },
    /// A number among a few observed.
    Number(Vec<i64>),
    /// A set or list of texts.
    Members,
    /// A mapping from texts; the keys observed.
    Table(Vec<String>),
    /// A function that changes nothing and returns a flag: for each of its parameters the constants it is known to take.
    Query(Vec<Vec<Literal>>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    pub text: String,
    /// Prior, see [`super::evidence::Hypothesis::prior`].
    pub prior: f64,
    /// Whether a disjunction with others makes sense; not for what restates another sentence.
    pub basic: bool,
    /// Whether it denies the sentence before it, reading the same values.
    pub denial: bool,
}

/// Priors, in natural logarithms. One setting for all worlds and actions; chosen on a plateau (see `docs/explanation/decisions.md`).
mod prior {
    /// Says something of an argument of the call.
    pub const ARGUMENT: f64 = -3.0;
    pub(crate) const DENIAL: f64 = 2.0;
    /// Denies something of a constant key: mostly "has not come up yet".
    pub(crate) const CONSTANT_DENIAL: f64 = 4.0;
    /// For each object on the path from `self`.
    pub(crate) const DISTANCE: f64 = 0.5;
    /// Joins two by `or`.
    pub(crate) const DISJUNCTION: f64 = 4.0;
}

/// Longest list of constants that is spelled out for one place.
pub(crate) const MOST_CONSTANTS: usize = 24;

pub fn either(one: &Sentence, other: &Sentence) -> Sentence {
    Sentence {
        text: format!("{} or {}", one.text, other.text),
        prior: one.prior + other.prior + prior::DISJUNCTION,
        basic: false,
        denial: false,
    }
}

impl Vocabulary {
    /// The literals, simplest first: arguments, then the state alone, then constants, then restatements.
    pub fn literals(&self) -> Vec<Sentence> {
        let mut says = Says { sentences: [const { Vec::new() }; 4], distance: 0.0 };
        for term in &self.terms {
            says.distance = prior::DISTANCE * (term.path.matches('.').count().saturating_sub(1)) as f64;
            self.of_term(term, &mut says);
        }
        for param in &self.params {
            for word in &param.common_words {
                says.add(Rank::Restated, format!("{} in {}", Literal::from(word.as_str()), param.name), 0.0);
            }
        }
        says.sentences.into_iter().flatten().collect()
    }

    fn of_term(&self, term: &Term, says: &mut Says) {
        let path = &term.path;
        let params = || self.params.iter().map(|p| p.name.as_str());
        match &term.shape {
            Shape::Flag => says.both(Rank::State, path, 0.0, prior::DENIAL),
            Shape::OpenFlag => {
                says.both(Rank::State, path, 0.0, prior::DENIAL);
                says.pair(Rank::State, [format!("{path} is not None"), format!("{path} is None")], [prior::DENIAL; 2]);
            }
            Shape::Text { optional } => {
                for param in params() {
                    let texts = [format!("{path} == {param}"), format!("{path} != {param}")];
                    says.pair(Rank::Argument, texts, [prior::ARGUMENT, prior::ARGUMENT + prior::DENIAL]);
                }
                if *optional {
                    says.pair(
                        Rank::State,
                        [format!("{path} is None"), format!("{path} is not None")],
                        [prior::DENIAL; 2],
                    );
                }
            }
            Shape::Number(values) => {
                for value in values.iter().take(MOST_CONSTANTS) {
                    says.add(Rank::Constant, format!("{path} == {value}"), 0.0);
                    says.add(Rank::Constant, format!("{path} >= {value}"), 0.0);
                    says.add(Rank::Constant, format!("{path} <= {value}"), 0.0);
                }
            }
            Shape::Members => {
                for param in params() {
                    let texts = [format!("{param} in {path}"), format!("{param} not in {path}")];
                    says.pair(Rank::Argument, texts, [prior::ARGUMENT, prior::ARGUMENT + prior::DENIAL]);
                }
            }
            Shape::Table(keys) => {
                for param in params() {
                    says.both(
                        Rank::Argument,
                        &format!("{path}[{param}]"),
                        prior::ARGUMENT,
                        prior::ARGUMENT + prior::DENIAL,
                    );
                    says.restate(format!("{path}[{param}] == False"), prior::ARGUMENT + prior::DENIAL);
                }
                for key in keys.iter().take(MOST_CONSTANTS) {
                    let key = Literal::from(key.as_str());
                    says.both(Rank::Constant, &format!("{path}[{key}]"), 0.0, prior::CONSTANT_DENIAL);
                }
            }
            Shape::Query(places) => self.of_query(path, places, says),
        }
    }

    /// Every way to fill a query's parameters with the action's and with constants.
    fn of_query(&self, path: &str, places: &[Vec<Literal>], says: &mut Says) {
        // The text so far, and which of the action's parameters are in it.
        let mut calls: Vec<(String, Vec<usize>)> = vec![(format!("{path}("), Vec::new())];
        for (at, constants) in places.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let mut longer = Vec::new();
            for (text, used) in &calls {
                for (param, name) in self.params.iter().map(|p| &p.name).enumerate().filter(|(p, _)| !used.contains(p))
                {
                    let used = used.iter().copied().chain([param]).collect();
                    longer.push((format!("{text}{comma}{name}"), used));
                }
                longer
                    .extend(constants.iter().take(MOST_CONSTANTS).map(|c| (format!("{text}{comma}{c}"), used.clone())));
            }
            longer.truncate(MOST_CONSTANTS * 8);
            calls = longer;
        }
        for (mut call, used) in calls {
            call.push(')');
            if !used.is_empty() {
                says.both(Rank::Argument, &call, prior::ARGUMENT, prior::ARGUMENT + prior::DENIAL);
            } else if !places.is_empty() {
                says.both(Rank::Constant, &call, 0.0, prior::CONSTANT_DENIAL);
            } else {
                says.both(Rank::State, &call, 0.0, prior::DENIAL);
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Rank {
    Argument,
    State,
    Constant,
    Restated,
}

struct Says {
    sentences: [Vec<Sentence>; 4],
    distance: f64,
}

impl Says {
    fn add(&mut self, rank: Rank, text: String, prior: f64) {
        let basic = !matches!(rank, Rank::Restated);
        if let Some(list) = self.sentences.get_mut(rank as usize) {
            list.push(Sentence { text, prior: prior + self.distance, basic, denial: false });
        }
    }

    fn pair(&mut self, rank: Rank, texts: [String; 2], priors: [f64; 2]) {
        for (text, prior) in texts.into_iter().zip(priors) {
            self.add(rank, text, prior);
        }
        if let Some(last) = self.sentences.get_mut(rank as usize).and_then(|list| list.last_mut()) {
            last.denial = true;
        }
    }

    fn both(&mut self, rank: Rank, expression: &str, holds: f64, denied: f64) {
        self.pair(rank, [expression.to_owned(), format!("not {expression}")], [holds, denied]);
    }

    fn restate(&mut self, text: String, prior: f64) {
        self.add(Rank::Restated, text, prior);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(vocabulary: &Vocabulary) -> Vec<String> {
        vocabulary.literals().into_iter().map(|s| s.text).collect()
    }

    fn param(name: &str, words: &[&str]) -> Param {
        Param { name: name.into(), common_words: words.iter().map(|w| (*w).to_owned()).collect() }
    }

    #[test]
    fn arguments_come_first_and_restatements_last() {
        let vocabulary = Vocabulary {
            terms: vec![
                Term { path: "self.inventory".into(), shape: Shape::Text { optional: true } },
                Term { path: "self.env.get_property".into(), shape: Shape::Query(vec![vec![], vec!["open".into()]]) },
            ],
            params: vec![param("obj", &[]), param("recep", &["sinkbasin"])],
        };
        let all = texts(&vocabulary);
        assert_eq!(all[0], "self.inventory == obj");
        assert!(all.contains(&"not self.env.get_property(recep, 'open')".to_owned()));
        assert!(all.contains(&"self.env.get_property(obj, recep)".to_owned()));
        assert!(all.contains(&"self.inventory is None".to_owned()));
        assert_eq!(all.last().unwrap(), "'sinkbasin' in recep");
        assert!(!all.iter().any(|t| t.contains("(obj, obj)")));
    }

    #[test]
    fn what_is_said_of_arguments_is_easier_to_believe() {
        let vocabulary = Vocabulary {
            terms: vec![Term { path: "self.user.asked".into(), shape: Shape::Table(vec!["city".into()]) }],
            params: vec![param("slot", &[])],
        };
        let all = vocabulary.literals();
        let prior = |text: &str| all.iter().find(|s| s.text == text).unwrap().prior;
        assert!(prior("self.user.asked[slot]") < prior("not self.user.asked[slot]"));
        assert!(prior("self.user.asked['city']") < prior("not self.user.asked['city']"));
        let both = either(&all[0], &all[1]);
        assert_eq!(both.text, "self.user.asked[slot] or not self.user.asked[slot]");
        assert!(both.prior > all[0].prior + all[1].prior);
    }

    #[test]
    fn a_query_without_parameters_is_a_flag() {
        let vocabulary =
            Vocabulary { terms: vec![Term { path: "self.done".into(), shape: Shape::Query(vec![]) }], params: vec![] };
        assert_eq!(texts(&vocabulary), ["self.done()", "not self.done()"]);
    }
}
