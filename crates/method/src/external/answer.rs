//! Answers of a method in another process: one JSON value a line, short or with all that there is to say, read so that an error names
//! field, what may stand there, and the page.

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use stepwright_episode::gate::{AskSpec, Draft};
use stepwright_episode::{Action, Origin, ProposalId, Usage, Written};
use stepwright_text::words::of_types;

/// Where answers are described.
const PAGE: &str = "adapters/README.md, \"Answers\"";

/// What comes next: one of `act`, `offer`, `ask`, `recommend`, `amend` and `stuck`, or the word `pass`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StepAnswer")]
pub struct StepAnswer {
    /// The next action: it is offered and recommended.
    act: Option<TextOr<Drafted>>,
    /// Why that action.
    why: String,
    /// Actions offered beside `act`.
    others: Vec<TextOr<Drafted>>,
    /// Actions; at the next request they are among `proposals`, with their verdicts.
    offer: Option<Offer>,
    /// A question to the language model in use.
    ask: Option<Asking>,
    /// Which of `proposals` is to be taken.
    recommend: Option<Recommended>,
    /// A document that is offered.
    amend: Option<Box<Written>>,
    /// It knows nothing more, by which the episode is lost: why, and what to do. Where it cannot do its work it ends, or writes no answer.
    stuck: Option<String>,
    usage: Option<Spent>,
}

/// The reading of a model's answer: one of `act`, `drafts`, `artifact` and `problem`, or the word `kept`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReadAnswer {
    /// The next action: it is offered and recommended.
    act: Option<TextOr<Drafted>>,
    /// Why that action.
    why: String,
    /// Actions offered beside `act`.
    others: Vec<TextOr<Drafted>>,
    /// Actions.
    drafts: Option<Offer>,
    /// A document that is offered.
    artifact: Option<Box<Written>>,
    /// Why the answer cannot be used.
    problem: Option<String>,
    usage: Option<Spent>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Offer {
    drafts: Vec<TextOr<Drafted>>,
    /// Said to the person.
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Asking {
    ask: AskSpec,
    /// Said to the person.
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Recommended {
    /// A proposal's `id`; null where none is to be taken.
    proposal: Option<ProposalId>,
    #[serde(default)]
    why: String,
}

/// Tokens and cost of models that the method itself asked for this answer. Budgets and limits count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Spent {
    prompt: u64,
    completion: u64,
    /// Those of the prompt that came from a cache.
    cached: u64,
    /// Those of the completion that are reasoning.
    reasoning: u64,
    /// In the currency of the prices that are set.
    pub(super) cost: Option<f64>,
}

/// An action's text, or an object that says more.
#[derive(Debug, Clone, JsonSchema)]
#[serde(untagged)]
enum TextOr<T> {
    Text(String),
    More(T),
}

/// An action that is offered: `act`, or `raw` and what was read from it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Drafted {
    act: Option<String>,
    why: Option<String>,
    /// As it was written; the action's text if absent.
    raw: Option<String>,
    action: Option<TextOr<Action>>,
    /// Why what was written is no action.
    problem: Option<String>,
    /// `agent` if absent.
    origin: Option<Origin>,
    /// Higher is better.
    score: Option<f64>,
    /// Mean log-probability of its tokens.
    logprob: Option<f64>,
    /// The same as `why`.
    rationale: Option<String>,
    /// The number, from 1, of the plan's line that it is.
    line: Option<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = TextOr<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an action's text or an object")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<TextOr<T>, E> {
                Ok(TextOr::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TextOr<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::More)
            }
        }

        from.deserialize_any(Either(std::marker::PhantomData))
    }
}

impl From<TextOr<Drafted>> for Draft {
    fn from(offered: TextOr<Drafted>) -> Self {
        let drafted = match offered {
            TextOr::Text(text) => Drafted { act: Some(text), ..Drafted::default() },
            TextOr::More(drafted) => drafted,
        };
        let Drafted { act, why, raw, action, problem, origin, score, logprob, rationale, line } = drafted;
        let action = match action {
            Some(TextOr::Text(text)) => Some(Action::new(text, None)),
            Some(TextOr::More(action)) => Some(action),
            None => act.map(|text| Action::new(text, None)),
        };
        let raw = raw.or_else(|| Some(action.as_ref()?.text.clone())).unwrap_or_default();
        let origin = origin.unwrap_or(Origin::Agent);
        Draft { line, action, problem, score, logprob, rationale: why.or(rationale), ..Draft::new(raw, origin) }
    }
}

/// What an answer says, whichever way.
#[derive(Debug)]
pub(super) enum Told {
    /// Actions; the reason for the first, where that is recommended.
    Offer {
        drafts: Vec<Draft>,
        note: Option<String>,
        why: Option<String>,
    },
    Ask {
        ask: Box<AskSpec>,
        note: Option<String>,
    },
    Recommend {
        proposal: Option<ProposalId>,
        why: String,
    },
    Amend(Box<Written>),
    Stuck(String),
    Kept,
    Pass,
}

impl Told {
    /// The answer to `step`.
    pub(super) fn step(text: &str) -> Result<Self, String> {
        let value = json(text)?;
        if value == "pass" {
            return Ok(Told::Pass);
        }
        let StepAnswer { act, why, others, offer, ask, recommend, amend, stuck, usage: _ } = typed(value)?;
        let ways = [
            acting(act, why, others),
            offer.map(Told::offered),
            ask.map(|Asking { ask, note }| Told::Ask { ask: Box::new(AskSpec { model: String::new(), ..ask }), note }),
            recommend.map(|Recommended { proposal, why }| Told::Recommend { proposal, why }),
            amend.map(Told::Amend),
            stuck.map(Told::Stuck),
        ];
        Told::one(ways, "`act`, `offer`, `ask`, `recommend`, `amend` and `stuck`")
    }

    /// The answer to `read`.
    pub(super) fn reading(text: &str) -> Result<Self, String> {
        let value = json(text)?;
        if value == "kept" {
            return Ok(Told::Kept);
        }
        let ReadAnswer { act, why, others, drafts, artifact, problem, usage: _ } = typed(value)?;
        let ways =
            [acting(act, why, others), drafts.map(Told::offered), artifact.map(Told::Amend), problem.map(Told::Stuck)];
        Told::one(ways, "`act`, `drafts`, `artifact` and `problem`")
    }

    fn offered(offer: Offer) -> Self {
        let drafts = offer.drafts.into_iter().map(Draft::from).collect();
        Told::Offer { drafts, note: offer.note, why: None }
    }

    fn one<const N: usize>(ways: [Option<Told>; N], names: &str) -> Result<Self, String> {
        let mut told: Vec<Told> = ways.into_iter().flatten().collect();
        match (told.pop(), told.len()) {
            (Some(Told::Stuck(why)), 0) if why.trim().is_empty() => {
                Err(format!("it says that it cannot continue, and not why ({PAGE})"))
            }
            (Some(Told::Offer { drafts, .. }), 0) if drafts.is_empty() => {
                Err(format!("it offers no action; where there is none, \"stuck\" says why ({PAGE})"))
            }
            (Some(told), 0) => Ok(told),
            (_, more) => {
                Err(format!("it has {} of {names}, and must have one ({PAGE})", if more == 0 { 0 } else { more + 1 }))
            }
        }
    }
}

fn acting(act: Option<TextOr<Drafted>>, why: String, others: Vec<TextOr<Drafted>>) -> Option<Told> {
    let mut first = Draft::from(act?);
    if first.rationale.is_none() && !why.is_empty() {
        first.rationale = Some(why);
    }
    let why = first.rationale.clone().unwrap_or_else(|| "the method's own choice".to_owned());
    let drafts = [first].into_iter().chain(others.into_iter().map(Draft::from)).collect();
    Some(Told::Offer { drafts, note: None, why: Some(why) })
}

/// What a method says that it spent for an answer; one that cannot be read is told where the answer is.
pub(super) fn spent(text: &str) -> Option<(Usage, Option<f64>)> {
    let spent = serde_json::from_str::<Value>(text).ok()?.get_mut("usage").map(Value::take)?;
    let Spent { prompt, completion, cached, reasoning, cost } = serde_json::from_value(spent).ok()?;
    Some((Usage { prompt, completion, cached, reasoning }, cost.filter(|cost| cost.is_finite() && *cost >= 0.0)))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| {
        let short: String = text.chars().take(160).collect();
        format!("it is no JSON on one line ({error}): {short}. Remarks belong on standard error ({PAGE})")
    })
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let at = error.path().to_string();
        let at = if at == "." { String::new() } else { format!("`{at}`: ") };
        format!("{at}{} ({PAGE})", of_types(&error.into_inner().to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drafts(text: &str) -> (Vec<Draft>, Option<String>) {
        match Told::step(text).unwrap() {
            Told::Offer { drafts, why, .. } => (drafts, why),
            told => panic!("{told:?}"),
        }
    }

    #[test]
    fn the_shortest_answer_is_an_action() {
        let (offered, why) = drafts(r#"{"act": "go to fridge 1", "why": "it is cold there", "others": ["look"]}"#);
        assert_eq!(why.as_deref(), Some("it is cold there"));
        assert_eq!(
            offered.iter().map(|d| (d.raw.as_str(), d.origin)).collect::<Vec<_>>(),
            [("go to fridge 1", Origin::Agent), ("look", Origin::Agent)]
        );
        assert_eq!(offered[0].action.as_ref().unwrap().text, "go to fridge 1");
        let (offered, why) = drafts(r#"{"act": {"act": "look", "why": "w", "score": 2, "origin": "sample"}}"#);
        assert_eq!((offered[0].score, offered[0].origin, why.as_deref()), (Some(2.0), Origin::Sample, Some("w")));
    }

    /// Answers of the first version say all.
    #[test]
    fn a_whole_answer_is_read_too() {
        let (offered, why) = drafts(
            r#"{"offer": {"ask": {"kind": {"for": "action", "how": "ranked"}, "n": 1}, "drafts": [
                {"raw": "add 3", "action": {"text": "add 3"}, "origin": "symbolic", "rationale": "why"}]}}"#,
        );
        assert_eq!((why, offered[0].rationale.as_deref()), (None, Some("why")));
        assert!(matches!(
            Told::step(r#"{"recommend": {"proposal": 7, "why": "w"}}"#).unwrap(),
            Told::Recommend { proposal: Some(7), .. }
        ));
        assert!(matches!(Told::reading("\"kept\"").unwrap(), Told::Kept));
        assert!(matches!(Told::reading(r#"{"act": "look"}"#).unwrap(), Told::Offer { why: Some(_), .. }));
    }

    #[test]
    fn an_error_names_field_values_and_page() {
        for (text, parts) in [
            (r#"{"offer": {"drafts": [{"raw": "x", "origin": "llm"}]}}"#, ["`offer.drafts[0].origin`", "`agent`"]),
            (
                r#"{"offer": {"drafts": [{"raw": "x", "score": "high"}]}}"#,
                ["`offer.drafts[0].score`", "expected a number"],
            ),
            (r#"{"offer": {}}"#, ["`offer`", "missing field `drafts`"]),
            (r#"{"acts": "x"}"#, ["`acts`", "`act`, `why`"]),
            (r#"{"act": 3}"#, ["`act`", "an action's text or an object"]),
            (r#"{"why": "x"}"#, ["has 0 of", "`act`, `offer`"]),
            (r#"{"act": "x", "stuck": "y"}"#, ["has 2 of", "must have one"]),
            (r#"{"act": "x", "usage": {"tokens": 1}}"#, ["`usage", "`prompt`"]),
            (r#"{"stuck": " "}"#, ["cannot continue", "not why"]),
            (r#"{"offer": {"drafts": []}}"#, ["offers no action", "\"stuck\""]),
            (r#"{"offer": []}"#, ["`offer`", "expected an object"]),
            ("look", ["no JSON", "look"]),
        ] {
            let why = Told::step(text).unwrap_err();
            assert!(parts.iter().all(|part| why.contains(part)) && why.contains("adapters/README.md"), "{text}: {why}");
        }
    }

    #[test]
    fn tokens_and_cost_are_counted_where_they_are_told() {
        let told = spent(r#"{"act": "x", "usage": {"prompt": 10, "completion": 2, "cost": 0.5}}"#);
        assert_eq!(told, Some((Usage::new(10, 2), Some(0.5))));
        assert_eq!(spent(r#"{"act": "x"}"#), None);
        assert_eq!(spent(r#"{"act": "x", "usage": {"cost": -1}}"#), Some((Usage::default(), None)));
    }
}
