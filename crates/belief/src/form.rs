//! Forms of states for worlds that ship none: what episodes show to write one of, and whether the states of the episodes can be written
//! in one, as assertions are judged on demonstrated calls; the document that holds one. Who writes a form belongs elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use stepwright_program::Role;
use stepwright_text::words::count;
use stepwright_world::FileFaults;
use stepwright_world::options::known_names;
use stepwright_world::state_form::{Said, StateForm, literals};
use stepwright_world::{Atom, Facts};

use stepwright_precondition::Demonstrations;

/// Episodes that a prompt shows, and lines of each.
const EPISODES: usize = 2;
const LINES: usize = 60;
/// Examples of a literal.
const EXAMPLES: usize = 3;

/// Tokens of a form, at most.
pub const MAX_TOKENS: u32 = 1200;
/// Temperature of what is written once more.
pub const AGAIN: f64 = 0.7;

/// The template of a form, for models that complete raw text and for chats.
pub const TEMPLATE: &str = "belief/form";
pub const CHAT_TEMPLATE: &str = "belief/form_chat";

/// The document of a form's text.
pub fn document(text: &str) -> Value {
    json!({ "text": text })
}

/// The text of a form that is a document.
pub fn text_of(document: &Value) -> &str {
    document.get("text").and_then(Value::as_str).unwrap_or_default()
}

/// A state of an episode.
struct Moment {
    episode: usize,
    place: String,
    facts: Facts,
}

/// The states of episodes, before each action and at the end.
pub struct Moments {
    all: Vec<Moment>,
    programs: Vec<Vec<String>>,
}

/// The variables of the templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FormContext {
    pub episodes: Vec<Vec<String>>,
    pub literals: Vec<KnownLiteral>,
}

/// A literal that the episodes know, and some that held, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownLiteral {
    pub literal: String,
    pub examples: String,
}

/// A form in which the states of the episodes can be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub form: StateForm,
    /// The literals that it has words for, and those of the episodes that it has none for.
    pub tells: Vec<String>,
    pub leaves_out: Vec<String>,
    pub states: usize,
    /// The steps that changed the state, and those of them that the form tells.
    pub changes: usize,
    pub told: usize,
}

impl Moments {
    /// The states of demonstrations, executed without assertions.
    pub fn of(demos: &Demonstrations) -> Self {
        let specification = demos.specification();
        let mut all = Vec::new();
        for (episode, demo) in demos.all.iter().enumerate() {
            let Ok(mut state) = specification.start() else { continue };
            for (at, call) in demo.calls.iter().enumerate() {
                let function = specification.function(&call.receiver, &call.function);
                if function.is_some_and(|function| function.role == Role::Action) {
                    let place = format!("episode {}, before call {}", episode + 1, at + 1);
                    all.push(Moment { episode, place, facts: literals(&state.variables()) });
                }
                // Demonstrations run: that was looked at when they were executed.
                let _ = state.call_unchecked(call);
            }
            let place = format!("episode {}, at the end", episode + 1);
            all.push(Moment { episode, place, facts: literals(&state.variables()) });
        }
        let program = |calls: &[stepwright_program::Call]| calls.iter().take(LINES).map(ToString::to_string).collect();
        let programs = demos.all.iter().take(EPISODES).map(|demo| program(&demo.calls)).collect();
        Moments { all, programs }
    }

    /// The literals that held, by predicate and number of arguments, with examples.
    fn known(&self) -> BTreeMap<(&str, usize), BTreeSet<&Atom>> {
        let mut known: BTreeMap<(&str, usize), BTreeSet<&Atom>> = BTreeMap::new();
        for atom in self.all.iter().flat_map(|moment| &moment.facts.atoms) {
            let of = known.entry((atom.predicate.as_str(), atom.args.len())).or_default();
            if of.len() < EXAMPLES {
                of.insert(atom);
            }
        }
        known
    }

    /// What a model is shown of them.
    pub fn context(&self) -> FormContext {
        let literal = |((predicate, args), held): (&(&str, usize), &BTreeSet<&Atom>)| KnownLiteral {
            literal: literal(predicate, *args),
            examples: held.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        };
        FormContext { episodes: self.programs.clone(), literals: self.known().iter().map(literal).collect() }
    }

    /// Judges a form's text: that its literals can be read off the states, and that each state can be written in it.
    /// Errors: all that is wrong with it, by line, with what to write in its place.
    pub fn judge(&self, text: &str, path: &str) -> Result<Judged, FileFaults> {
        let form = StateForm::load(text, path)?;
        let known = self.known();
        let mut faults: BTreeMap<usize, String> = BTreeMap::new();
        if form.tells().next().is_none() {
            faults.insert(
                1,
                "it says nothing; write a line under [tells], such as \"agent.held x\" = \"the agent holds x\"".into(),
            );
        }
        match form.tells().next().filter(|_| form.tells().all(|(_, predicate, _)| is_of_domain(predicate))) {
            Some((line, predicate, _)) => drop(faults.insert(line, of_domain(&known, predicate))),
            None => {
                let missing = form.tells().filter(|(_, predicate, args)| !known.contains_key(&(*predicate, *args)));
                faults.extend(missing.map(|(line, predicate, args)| (line, unread(&known, predicate, args))));
            }
        }
        let mut round: Vec<(&Moment, Value)> = Vec::new();
        let mut written = Written::new();
        for moment in &self.all {
            ambiguous(&form, moment, &mut written, &mut faults);
            round.push((moment, form.state(&moment.facts)));
        }
        if faults.is_empty() {
            // What the writer is shown is what the reader reads.
            let lost = round
                .iter()
                .find(|(_, state)| super::read(&super::write(state)).map_or(true, |reading| reading.state != *state));
            if let Some((moment, _)) = lost {
                let why = "the state is not read as it was written; choose other words for what it says";
                faults.insert(1, format!("{}: {why}", moment.place));
            }
        }
        if !faults.is_empty() {
            return Err(FileFaults { path: path.to_owned(), faults: faults.into_iter().collect() });
        }
        let steps = round.windows(2).filter_map(|pair| match pair {
            [(from, before), (to, after)] if from.episode == to.episode && from.facts != to.facts => {
                Some(before != after)
            }
            _ => None,
        });
        let steps: Vec<bool> = steps.collect();
        let tells: Vec<String> = form.tells().map(|(_, predicate, args)| literal(predicate, args)).collect();
        let all = known.keys().map(|(predicate, args)| literal(predicate, *args));
        Ok(Judged {
            leaves_out: all.filter(|known| !tells.contains(known)).collect(),
            tells,
            form,
            states: self.all.len(),
            changes: steps.len(),
            told: steps.iter().filter(|told| **told).count(),
        })
    }
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Judged { tells, leaves_out, states, changes, told, .. } = self;
        writeln!(
            f,
            "{} can be written in it; it tells {told} of {}",
            count(*states, "state"),
            count(*changes, "change")
        )?;
        writeln!(f, "tells: {}", tells.join(", "))?;
        if leaves_out.is_empty() { Ok(()) } else { writeln!(f, "leaves out: {}", leaves_out.join(", ")) }
    }
}

/// A literal with variables for its arguments: `agent.on a b`.
fn literal(predicate: &str, args: usize) -> String {
    let names = ('a'..='z').take(args).map(|name| format!(" {name}"));
    std::iter::once(predicate.to_owned()).chain(names).collect()
}

/// Whether a literal is none of a program's variables, which are attributes of objects (`agent.at`).
fn is_of_domain(predicate: &str) -> bool {
    !predicate.contains('.')
}

/// Why a form such as those that ship is not judged here: they are over the literals of their world's domain, which no program has.
fn of_domain(known: &BTreeMap<(&str, usize), BTreeSet<&Atom>>, predicate: &str) -> String {
    let own = known.keys().next().map(|(predicate, args)| format!(", such as `{}`", literal(predicate, *args)));
    format!(
        "`{predicate}` and the others are literals of a world's blocking domain, as in the form that ships with the world and is in force by \
         itself; a form of one's own names the program's variables{}",
        own.unwrap_or_default()
    )
}

/// Why a literal cannot be read off the states, and which can.
fn unread(known: &BTreeMap<(&str, usize), BTreeSet<&Atom>>, predicate: &str, args: usize) -> String {
    let own = literal(predicate, args);
    let same: Vec<String> =
        known.keys().filter(|(of, _)| *of == predicate).map(|(of, args)| format!("`{}`", literal(of, *args))).collect();
    if known.is_empty() {
        return format!("`{own}` held in no state of the episodes, which say nothing of any variable");
    }
    if same.is_empty() {
        let names: Vec<&str> = known.keys().map(|(of, _)| *of).collect::<BTreeSet<_>>().into_iter().collect();
        return format!("`{own}` held in no state of the episodes; {}", known_names(predicate, &names));
    }
    format!("`{own}` held in no state of the episodes; write {}", same.join(" or "))
}

/// What is said in the states so far, by place and value: the literal that it stands for, and where that held.
type Written<'a> = BTreeMap<(String, String), (&'a Atom, &'a str)>;

/// Notes where two literals of a state could not both be written, and where one says what another said in any state.
fn ambiguous<'a>(
    form: &StateForm,
    moment: &'a Moment,
    written: &mut Written<'a>,
    faults: &mut BTreeMap<usize, String>,
) {
    let said: Vec<(&Atom, Said)> =
        moment.facts.atoms.iter().filter_map(|atom| Some((atom, form.said(atom)?))).collect();
    let place = &moment.place;
    let mut places: BTreeMap<&str, (&Atom, &Said)> = BTreeMap::new();
    let mut single: BTreeMap<usize, &Atom> = BTreeMap::new();
    for (atom, said) in &said {
        let mut fault = |why: String| {
            faults.entry(said.line).or_insert(why);
        };
        // Whoever reads a state has its words alone, so that they may stand for one literal only, whichever states those are of.
        let (other, there) =
            *written.entry((said.place.clone(), said.value.clone())).or_insert((*atom, place.as_str()));
        if other != *atom {
            let both = if there == place {
                format!("{place}, `{other}` and `{atom}`")
            } else {
                format!("`{other}` ({there}) and `{atom}` ({place})")
            };
            fault(format!("{both} would both be `{}` of the {}; say them in other words", said.value, said.place));
        }
        match places.insert(said.place.as_str(), (*atom, said)) {
            Some((other, before)) if (said.one_value || before.one_value) && before.value != said.value => {
                let list = said.place.rsplit('.').next().unwrap_or_default();
                fault(format!(
                    "{place}, `{other}` and `{atom}` hold, and `{}` has one value; write a list, as in `r.{list} x`",
                    said.place
                ));
            }
            _ => {}
        }
        if let Some(other) = single.insert(said.line, *atom).filter(|_| said.single) {
            fault(format!("{place}, `{other}` and `{atom}` hold; take `{}` out of single", atom.predicate));
        }
    }
}

/// The TOML of an answer: what stands in its fence, or all of it; behind `single = [`, with which a raw prompt ends, up to the first empty
/// line below its headings.
pub fn written(answer: &str) -> String {
    let fenced = answer.split_once("```").and_then(|(_, rest)| rest.split_once('\n')).map(|(_, rest)| rest);
    let text = fenced.map_or(answer, |rest| rest.split("```").next().unwrap_or(rest)).trim();
    let first = text.lines().next().unwrap_or_default();
    let (head, tells) = text.split_once("[tells]").unwrap_or(("", text));
    if first.contains('=') || first.starts_with(['[', '#']) {
        return format!("{head}[tells]\n{}\n", tells.trim());
    }
    let tells = tells.trim().split("\n\n").next().unwrap_or_default();
    format!("single = [{head}[tells]\n{tells}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments() -> Moments {
        let facts = |atoms: &[(&str, &[&str])]| Facts {
            atoms: atoms.iter().map(|(predicate, args)| Atom::new(*predicate, args.iter().copied())).collect(),
            ..Facts::default()
        };
        let moment = |place: &str, facts| Moment { episode: 0, place: place.into(), facts };
        let first = facts(&[("agent.at", &["desk 1"]), ("agent.on", &["desk 1", "pen 1"])]);
        let then: &[(&str, &[&str])] =
            &[("agent.at", &["box 1"]), ("agent.on", &["desk 1", "pen 1"]), ("agent.on", &["desk 1", "cup 1"])];
        Moments { all: vec![moment("first", first), moment("then", facts(then))], programs: Vec::new() }
    }

    #[test]
    fn a_form_is_judged_on_the_states() {
        let judged = moments()
            .judge("single = [\"agent.at r\"]\n[tells]\n\"agent.at r\" = \"the agent is at r\"\n", "f.toml")
            .unwrap();
        assert_eq!((judged.states, judged.changes, judged.told), (2, 1, 1));
        assert_eq!((judged.tells, judged.leaves_out), (vec!["agent.at a".to_owned()], vec!["agent.on a b".to_owned()]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_what_to_write() {
        let fault = |tells: &str| moments().judge(&format!("[tells]\n{tells}\n"), "f.toml").unwrap_err().to_string();
        let unknown = fault("\"agent.att r\" = \"at r\"");
        assert!(
            unknown.starts_with("f.toml:2: `agent.att a` held in no state") && unknown.contains("`agent.at`"),
            "{unknown}"
        );
        let arity = fault("\"agent.on x\" = \"x is on\"");
        assert!(arity.ends_with("write `agent.on a b`"), "{arity}");
        let one = fault("\"agent.on r x\" = \"r.holds = x\"");
        assert!(one.contains("has one value; write a list, as in `r.holds x`"), "{one}");
        let both = moments()
            .judge("single = [\"agent.on r x\"]\n[tells]\n\"agent.on r x\" = \"r.holds x\"\n", "f")
            .unwrap_err();
        assert!(both.to_string().contains("take `agent.on` out of single"), "{both}");
        assert!(fault("").contains("it says nothing"));
        // A form that ships is over other literals: that is said once, and not of each.
        let shipped = fault("\"AT r\" = \"the agent is at r\"\n\"OPEN r\" = \"r.is open\"");
        assert!(
            shipped.starts_with("f.toml:2: `AT` and the others are literals of a world's blocking domain"),
            "{shipped}"
        );
        assert!(shipped.ends_with("such as `agent.at a`") && !shipped.contains("OPEN"), "{shipped}");
    }

    #[test]
    fn no_two_literals_say_the_same_in_whichever_states() {
        let state = |place: &str, predicate: &str| Moment {
            episode: 0,
            place: place.into(),
            facts: Facts { atoms: [Atom::new(predicate, ["door 1"])].into(), ..Facts::default() },
        };
        let (locked, opened) = (state("first", "me.locked"), state("then", "me.opened"));
        let moments = Moments { all: vec![locked, opened], programs: Vec::new() };
        let judge = |opened: &str| {
            let form = format!("[tells]\n\"me.locked x\" = \"x.is locked\"\n\"me.opened x\" = \"{opened}\"\n");
            moments.judge(&form, "f.toml").map_err(|fault| fault.to_string())
        };
        let same = judge("x.is locked").unwrap_err();
        assert_eq!(
            same,
            "f.toml:3: `me.locked door 1` (first) and `me.opened door 1` (then) would both be `locked` of the door 1.is; say \
             them in other words"
        );
        assert!(judge("x.is open").is_ok());
    }

    #[test]
    fn an_answer_may_be_fenced_or_go_on_where_a_raw_prompt_ends() {
        assert_eq!(written("Here:\n```toml\n[tells]\n\"a\" = \"b\"\n```\nDone."), "[tells]\n\"a\" = \"b\"\n");
        assert_eq!(written("\"a\" = \"b\"\n"), "[tells]\n\"a\" = \"b\"\n");
        let raw = "\"a\"]\n[tells]\n\"a\" = \"b\"\n\n# Another place";
        assert_eq!(written(raw), "single = [\"a\"]\n[tells]\n\"a\" = \"b\"\n");
        assert_eq!(written("]\n[tells]\n\"a\" = \"b\"\n"), "single = []\n[tells]\n\"a\" = \"b\"\n");
        assert_eq!(written("single = [\"a\"]\n[tells]\n\"a\" = \"b\""), "single = [\"a\"]\n[tells]\n\"a\" = \"b\"\n");
    }
}
