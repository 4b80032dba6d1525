//! Requests of a script, and what is waited for.
//!
//! Requests: `approve [N]`, `type: TEXT`, `edit N: TEXT`, `reject [N]: WHY`, `undo`, `redo`, `goto N`, `propose`, `cancel`, `note: TEXT`,
//! `policy: steps=2 until_fails budget=50`, `configure: METHOD model=NAME key=value`, `resend N: TEXT`, `explain N`, `check: TEXT`,
//! `check program: LINE; LINE`, `check belief: TEXT`, `check form: TEXT`, `propose form`, `restart world`, `quit`.
//! Of documents: `take`, `take as: TEXT`, `take with: A => B && C => D`, `refuse: WHY`, `rewrite` (what is offered), `correct plan: TEXT`, `turn back plan`, `turn again plan`,
//! `prune: ROW`, `add below ROW: ACTION`.
//! Of candidates (of `add` or of `effects of add`): `adopt add: A; B`, `put add: TEXT`, `put add N: TEXT`, `try add: TEXT`, `drop add: N`, `restore add: N`, `infer add`,
//! `infer by model`, `score add`, `undo of add`, `redo of add`, `asks: 2 6 3`, `save set`, `adopt set: TEXT`, `compare with: file`.
//! Of skills: `skills next`, `skills next tips-only`, `skills next functions`, `skills cut: good`, `skills tips: good bad`, `load: TEXT`.
//! Of the script's folder: `make room`, `write FILE: TEXT` (or `@FILE`), `remove: FILE`.
//!
//! Waited for is a record by its event's name (`executed`, `ask_failed`), words that are said (`"no route"`, `"error: no route"`), `done`, `at 1` (the cursor), a
//! `situation`, `stream`, `progress`, a process that is `working`, `pool`, a `whole pool`, a `tree`, `an answer`, the end of a policy (`policy ended`); `A & B` in either
//! order.

use serde_json::json;
use stepwright::blocking::BlockingNode;
use stepwright::driver::{
    CandidateCommand, Command, FormCommand, Notice, ProcessStatus, Request, SetSource, SkillCommand,
};
use stepwright::episode::{ArtifactId, ArtifactKind, Configuration, Policy, PromptMessage, Session, TreeEdit};
use stepwright::precondition::{AdoptedSet, CandidateEdit, CandidateMark, CandidateOrigin};
use stepwright_skill::distil::{Wanted, Way};
use stepwright_skill::{document, file};

use super::Play;
use super::place::{candidate_asks, unescaped};
use super::words::of_said;

/// Whether a notice is what a script waits for.
pub fn is(wanted: &str, notice: &Notice, session: &Session, begun: &mut bool) -> bool {
    *begun |= session.policy.is_automatic();
    if let Some(text) = wanted.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return matches!(notice, Notice::Say { level, text: said } if of_said(*level, said).contains(text));
    }
    if let Some(node) = wanted.strip_prefix("at ") {
        return matches!(notice, Notice::Situation(_)) && session.cursor().to_string() == node;
    }
    match (wanted, notice) {
        ("done", Notice::Recorded(_)) => session.is_done(),
        ("policy ended", Notice::Recorded(_)) => *begun && !session.policy.is_automatic(),
        ("situation", Notice::Situation(_)) | ("stream", Notice::Stream { .. }) | ("tree", Notice::Blocking { .. }) => {
            true
        }
        ("progress", Notice::Progress { .. }) | ("pool", Notice::Pool(_)) => true,
        ("working", Notice::World(ProcessStatus::Working(_))) => true,
        ("progress ended", Notice::Progress { done, total, .. }) => done == total,
        ("whole pool", Notice::Pool(pool)) => !pool.running,
        ("an answer", Notice::TextChecked { .. } | Notice::BeliefChecked { .. } | Notice::ProgramChecked { .. }) => {
            true
        }
        ("an answer", Notice::CandidateChecked { .. } | Notice::SetsCompared { .. } | Notice::FormChecked { .. }) => {
            true
        }
        (event, Notice::Recorded(record)) => json!(record.event)["event"] == event,
        _ => false,
    }
}

/// `steps=2 until_fails budget=50`.
pub fn policy(text: &str) -> Policy {
    let number = |key: &str| text.split(' ').find_map(|word| word.strip_prefix(key)).map(|n| n.parse::<u64>().unwrap());
    let steps = number("steps=").map_or(0, |steps| u32::try_from(steps).unwrap());
    Policy { steps, until_fails: text.contains("until_fails"), token_budget: number("budget="), ..Policy::default() }
}

pub fn artifact(kind: &str) -> ArtifactId {
    ArtifactId { kind: ArtifactKind::from(kind.to_owned()), key: String::new() }
}

impl Play {
    pub fn ask(&mut self, request: &str) {
        let (words, text) = request.split_once(": ").or(request.split_once(':')).unwrap_or((request, ""));
        // The name of an action's effects is one word.
        let words = words.replace("effects of ", "effects\u{a0}of\u{a0}");
        let words: Vec<String> = words.split(' ').map(|word| word.replace('\u{a0}', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = unescaped(text);
        match words[..] {
            ["make", "room"] => return std::fs::remove_file(self.place.obstacle()).unwrap(),
            ["remove"] => return std::fs::remove_file(self.place.file(&text)).unwrap(),
            ["write", file] => {
                let text = text.strip_prefix('@').map_or(text.clone(), |file| std::fs::read_to_string(file).unwrap());
                return std::fs::write(self.place.file(file), text).unwrap();
            }
            _ => {}
        }
        self.watched();
        let command = self.gate(&words, &text).map(Command::Gate).or_else(|| self.beside(&words, &text));
        let command = command.unwrap_or_else(|| panic!("no such request of a script: {request}"));
        self.watched().send(command);
    }

    /// The proposal that is named, or recommended.
    fn proposal(&self, words: &[&str]) -> u64 {
        let recommended = || self.session().current()?.turn.recommended.as_ref()?.0;
        words.get(1).map(|n| n.parse().unwrap()).or_else(recommended).expect("a proposal")
    }

    /// The number of a row of the blocking tree that was shown last.
    fn row(&self, text: &str) -> u32 {
        let tree = self.situation().goals.clone();
        let is = |node: &&BlockingNode| node.text == text && node.handle.is_some();
        tree.nodes.iter().find(is).unwrap_or_else(|| panic!("no row {text} in {:?}", tree.nodes)).handle.unwrap().node
    }

    fn offer(&self) -> &stepwright::episode::Offer {
        let turn = &self.session().current().expect("begun").turn;
        turn.offers.iter().rev().find(|offer| !offer.is_settled()).expect("an offer")
    }

    /// A person's change of a candidate in the pool that was shown last; of one that is marked only there is no text.
    fn changed(&self, action: &str, at: Option<usize>, text: Option<&str>, rejected: bool) -> Request {
        let notices = &self.watched.as_ref().expect("begun").notices;
        let pools = notices.iter().rev().filter_map(|n| if let Notice::Pool(pool) = n { Some(pool) } else { None });
        let all = pools.into_iter().find(|pool| pool.action == action).map_or(&[][..], |pool| &pool.candidates);
        let mark = |text: &str, rejected| CandidateMark { text: text.to_owned(), rejected };
        let before = at.map(|at| mark(&all[at].text, all[at].rejected));
        let after = text.or(before.as_ref().map(|before| before.text.as_str())).map(|text| mark(text, rejected));
        CandidateEdit { at: at.unwrap_or(all.len()), before, after }.request(action)
    }

    fn gate(&self, words: &[&str], text: &str) -> Option<Request> {
        let owned = text.to_owned();
        let number = |at: usize| words[at].parse().unwrap();
        Some(match words {
            ["approve", ..] => Request::Approve { proposal: self.proposal(words) },
            ["edit", _] => Request::Edit { proposal: number(1), text: owned },
            ["reject", ..] => Request::Reject { proposal: self.proposal(words), reason: owned },
            ["type"] => Request::Manual { text: owned },
            ["undo"] => Request::Undo,
            ["redo"] => Request::Redo,
            ["goto", _] => Request::Goto(number(1)),
            ["propose"] => Request::Propose,
            ["note"] => Request::Note(owned),
            ["policy"] => Request::SetPolicy(policy(text)),
            ["configure"] => {
                let (options, method): (Vec<&str>, Vec<&str>) = text.split(' ').partition(|word| word.contains('='));
                let pair = |option: &str| option.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())).unwrap();
                let mut options: std::collections::BTreeMap<_, _> = options.into_iter().map(pair).collect();
                let model = options.remove("model").unwrap_or_default();
                Request::Configure(Configuration { model, method: method.concat(), options })
            }
            ["resend", _] => {
                let messages = vec![PromptMessage { role: "user".into(), text: owned }];
                Request::Resend { ask: number(1), messages }
            }
            ["take"] => Request::ApproveOffer(self.offer().id),
            ["take", "as"] => Request::EditOffer { offer: self.offer().id, text: owned },
            ["take", "with"] => {
                let offer = self.offer();
                let (value, changes) = (offer.written.value.as_deref(), text);
                let is_knowledge = offer.written.artifact == ArtifactId::KNOWLEDGE;
                let text = match value {
                    Some(value) if is_knowledge => file::write(&document::read(value).unwrap()),
                    Some(value) => value.to_string(),
                    None => offer.written.raw.clone(),
                };
                let text = changes.split(" && ").fold(text, |text, change| {
                    let (from, to) = change.split_once(" => ").expect("A => B");
                    assert!(text.contains(from), "{from} is not in {text}");
                    text.replace(from, to)
                });
                Request::EditOffer { offer: offer.id, text }
            }
            ["refuse"] => Request::RefuseOffer { offer: self.offer().id, reason: owned },
            ["rewrite"] => Request::RewriteOffer(self.offer().id),
            ["correct", kind] => match text.strip_prefix('@') {
                Some(file) => Request::correct(artifact(kind), std::fs::read_to_string(file).unwrap()),
                None => Request::correct(artifact(kind), owned),
            },
            ["turn", "again", kind] => Request::turn(artifact(kind), true),
            ["turn", "back", kind] => Request::turn(artifact(kind), false),
            ["prune"] => Request::edit_tree(&TreeEdit::Prune { node: self.row(text), pruned: true }),
            ["put", action] => self.changed(action, None, Some(text), false),
            ["put", action, _] => self.changed(action, words[2].parse().ok(), Some(text), false),
            ["drop" | "restore", action] => self.changed(action, Some(text.parse().unwrap()), None, words[0] == "drop"),
            ["undo" | "redo", "of", action] => {
                let (among, forward) =
                    ([ArtifactId::candidates(action), ArtifactId::assertions(action)], words[0] == "redo");
                let found = self.session().changed_last(&among, forward).unwrap_or(&among[0]);
                Request::turn(found.clone(), forward)
            }
            ["add", "below", row @ ..] => {
                Request::edit_tree(&TreeEdit::Add { under: self.row(&row.join(" ")), action: owned })
            }
            _ => return None,
        })
    }

    fn beside(&self, words: &[&str], text: &str) -> Option<Command> {
        let (owned, action) = (text.to_owned(), words.get(1).copied().unwrap_or_default().to_owned());
        let last = words.last().copied().unwrap_or_default().to_owned();
        let origin = if last == "model" { CandidateOrigin::Model } else { CandidateOrigin::Enumerated };
        let set = self.place.file("mine.preconditions.py");
        let token = 7;
        let candidates = match words {
            ["cancel"] => return Some(Command::Cancel),
            ["restart", "world"] => return Some(Command::RestartWorld),
            ["explain", number] => return Some(Command::Explain { proposal: number.parse().unwrap() }),
            ["check"] => return Some(Command::CheckText { token, text: owned, over: None }),
            ["check", "belief"] => return Some(Command::CheckBelief { token, text: owned }),
            ["check", "form"] => return Some(Command::Form(FormCommand::Check { token, text: owned })),
            ["propose", "form"] => return Some(Command::Form(FormCommand::Propose)),
            ["check", "program"] => {
                return Some(Command::CheckProgram { token, lines: text.split("; ").map(str::to_owned).collect() });
            }
            ["skills" | "load", ..] => return Some(Command::Skills(self.skills(words, text))),
            ["adopt", "set"] => {
                let set = AdoptedSet::parse(text, "x").unwrap();
                CandidateCommand::AdoptSet { origin: "mine".into(), set }
            }
            ["adopt", _] => {
                let assertions = text.split("; ").map(str::to_owned).collect();
                CandidateCommand::Adopt { action, assertions, origin: "edited".into() }
            }
            ["try", _] => CandidateCommand::Try { token, action, text: owned },
            ["infer", "by", _] => CandidateCommand::Infer { action: None, origin },
            ["infer", _] => CandidateCommand::Infer { action: Some(action), origin: CandidateOrigin::Model },
            ["score", _] => CandidateCommand::Score { action },
            ["asks"] => CandidateCommand::SetAsks(candidate_asks(text)),
            ["save", "set"] => CandidateCommand::SaveSet(set),
            ["compare", "with"] => {
                let right = match text {
                    "truth" => SetSource::Truth,
                    "file" => SetSource::File(set),
                    other => SetSource::File(other.into()),
                };
                CandidateCommand::Compare { token, left: SetSource::InForce, right }
            }
            _ => return None,
        };
        Some(Command::Candidates(candidates))
    }

    fn skills(&self, words: &[&str], text: &str) -> SkillCommand {
        let way = match words.get(2) {
            Some(&"tips-only") => Way::TipsOnly,
            Some(&"functions") => Way::Functions,
            Some(&"tips-only-non-contrastive") => Way::TipsOnlyNonContrastive,
            _ => Way::Published,
        };
        match words {
            ["load", ..] => {
                let path = self.place.file("given.skills.toml");
                match text {
                    "nothing" => return SkillCommand::Load(self.place.file("none.skills.toml")),
                    "bytes" => std::fs::write(&path, [0xff, 0xfe]),
                    "9 MiB" => std::fs::write(&path, vec![b'#'; 9 << 20]),
                    text => std::fs::write(&path, text),
                }
                .unwrap();
                SkillCommand::Load(path)
            }
            ["skills", "next", ..] => SkillCommand::Propose(Wanted::Next, way),
            ["skills", "cut"] => SkillCommand::Propose(Wanted::Cut { of: text.to_owned() }, way),
            _ => {
                let (success, failure) = text.split_once(' ').expect("a success and a failure");
                let (success, failure) = (success.to_owned(), failure.to_owned());
                SkillCommand::Propose(Wanted::Tips { success, failure }, way)
            }
        }
    }
}
