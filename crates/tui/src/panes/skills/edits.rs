//! A person's changes in the pane, and the texts typed for them.

use std::path::PathBuf;

use stepwright_skill::changes::{Change, apply};
use stepwright_skill::function::Version;
use stepwright_skill::{Knowledge, Signature, Skill, SkillCall, cut, file};

use super::{Item, SkillsPane, ViewMode, amended, say};
use crate::event::Input;
use crate::pane::unsaid;
use crate::pane::{Intent, PaneAction};
use crate::view::View;
use crate::widgets::edit::{self, Edited, Editor};
use stepwright_episode::ArtifactId;
use stepwright_protocol::{Command, Request, SkillCommand};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    /// A tip of a skill or of none, in place of one that is there.
    Tip(Option<usize>, Option<usize>),
    Offered(usize),
    /// A skill's name and parameters; a new skill without a place.
    Signature(Option<usize>),
    Syntax(usize, usize),
    /// The new skill that takes a primitive over.
    SplitOff(usize, usize),
    /// A version of a skill's function; what is written is a version more.
    Function(usize, usize),
    Whole,
    Save,
    Load,
    /// The call of the part of the log that begins with a step.
    Split(usize),
    Relabel(usize),
}

impl Typing {
    pub(super) fn about(self) -> String {
        match self {
            Typing::Tip(None, _) => "a tip of no skill".to_owned(),
            Typing::Tip(..) => "a tip".to_owned(),
            Typing::Offered(_) => "the tip as it is to be taken".to_owned(),
            Typing::Signature(_) => "name(parameter, parameter)".to_owned(),
            Typing::SplitOff(..) => "the new skill that takes this primitive over, as name(parameter)".to_owned(),
            Typing::Syntax(..) => "a form: words, and slots in square brackets".to_owned(),
            Typing::Function(..) => {
                "the function; it becomes a version more (Ctrl-S takes it, Esc leaves it)".to_owned()
            }
            Typing::Whole => "all that is known, as a file of skills (Ctrl-S takes it, Esc leaves it)".to_owned(),
            Typing::Save => "write what is known to the file".to_owned(),
            Typing::Load => "read a file of skills; what it would change is offered".to_owned(),
            Typing::Split(step) => format!("the call that step {} and those after it belong to", step + 1),
            Typing::Relabel(_) => "the call".to_owned(),
        }
    }
}

impl Typing {
    /// Why a text is none of what is asked for, if that can be seen of the text alone.
    fn fault(self, text: &str) -> Option<String> {
        match self {
            Typing::Signature(_) | Typing::SplitOff(..) => {
                text.trim().parse::<Signature>().err().map(|e| e.to_string())
            }
            Typing::Split(_) | Typing::Relabel(_) => text.trim().parse::<SkillCall>().err().map(|e| e.to_string()),
            Typing::Whole => file::read(text).err().map(|e| e.to_string()),
            Typing::Tip(..) | Typing::Offered(_) | Typing::Syntax(..) => None,
            Typing::Function(..) | Typing::Save | Typing::Load => None,
        }
    }
}

impl SkillsPane {
    pub(super) fn offers(&self) -> Vec<(PaneAction, &'static str)> {
        use PaneAction as A;
        let mut actions = Vec::new();
        if self.offered.is_some() && self.shown == ViewMode::Known {
            actions.push((A::Adopt, "take changes"));
        }
        if self.trail.offered.is_some() && self.shown == ViewMode::Log {
            actions.push((A::Adopt, "take cut"));
        }
        match self.current() {
            Some(Item::Offer) => actions.push((A::ToggleReject, "refuse")),
            Some(Item::Change(at)) => {
                actions.push((A::ToggleReject, "leave out"));
                let offered = self.offered.as_ref().and_then(|offered| offered.changes.get(*at));
                if let Some(Change::Tip { after: Some(_), .. }) = offered {
                    actions.push((A::Edit, "edit tip"));
                }
            }
            Some(Item::Skill(at)) => {
                actions.extend([(A::Edit, "rename"), (A::Add, "add tip"), (A::ToggleReject, "remove")]);
                actions.extend((*at > 0).then_some((A::MergeAll, "merge up")));
            }
            Some(Item::Primitive(..)) => {
                actions.extend([(A::Edit, "edit"), (A::MergeAny, "split off"), (A::ToggleReject, "remove")]);
            }
            Some(Item::Tip(..)) => {
                actions.extend([(A::Edit, "edit"), (A::Add, "add tip"), (A::ToggleReject, "remove")])
            }
            Some(Item::Function(..)) => actions.extend([(A::Edit, "edit"), (A::ToggleReject, "remove")]),
            Some(Item::Example(_)) => actions.push((A::ToggleReject, "remove")),
            Some(Item::Segment(_)) => actions.extend([
                (A::MoveDown, "begin later"),
                (A::MoveUp, "begin earlier"),
                (A::Edit, "call"),
                (A::ToggleReject, "join up"),
            ]),
            Some(Item::Step(_)) => {
                actions.push((A::Add, "cut here"));
                actions.extend(self.is_played().then_some((A::Activate, "go there")));
            }
            Some(Item::Pair(_)) | Some(Item::Note(_)) | None if self.shown == ViewMode::Contrast => {
                actions.extend([(A::Run, "offer tip"), (A::Compare, "next pair")]);
            }
            _ => actions.push((A::Add, "add")),
        }
        if let Some(logs) = &self.trail.logs {
            let ask = match (self.shown, self.asks_a_model) {
                (ViewMode::Known, true) => "ask model",
                (ViewMode::Known, false) => "find by counting",
                (ViewMode::Log, true) => "ask for cut",
                (ViewMode::Log, false) => "cut by counting",
                (ViewMode::Contrast, true) => "ask for tips",
                (ViewMode::Contrast, false) => "tips by counting",
            };
            actions.push((A::Distil, ask));
            actions.extend((self.shown == ViewMode::Log && logs.all.len() > 1).then_some((A::Compare, "next log")));
            actions.extend([(A::RunAll, "discover"), (A::Options, "ablation")]);
        }
        actions
    }

    fn begin(&mut self, typing: Typing, text: &str) {
        self.typing = Some((typing, Editor::line(text)));
        self.find_fault();
    }

    /// Reads what is typed, so that a fault is said while it is typed: nothing of an empty or a long text.
    fn find_fault(&mut self) {
        self.fault =
            self.typing.as_ref().and_then(|(typing, editor)| edit::fault(&editor.text(), |text| typing.fault(text)));
    }

    /// Performs an action that changes something; `None` if it is none of them.
    pub(super) fn change(&mut self, action: PaneAction, view: &View) -> Option<Vec<Intent>> {
        use PaneAction as A;
        let item = self.current().cloned();
        Some(match (action, item) {
            (A::EditWhole, _) => {
                self.typing = Some((Typing::Whole, Editor::lines(&file::write(&self.known))));
                self.find_fault();
                Vec::new()
            }
            (A::Save, _) => {
                self.begin(Typing::Save, "my.skills.toml");
                Vec::new()
            }
            (A::Load, _) => {
                self.begin(Typing::Load, "");
                Vec::new()
            }
            (A::Adopt, _) if self.shown == ViewMode::Log => self.take_cut(),
            (A::Adopt, _) => self.take(),
            (A::Run, _) if self.shown == ViewMode::Contrast => match self.offer_tip(view) {
                Some(intent) => {
                    self.shown = ViewMode::Known;
                    self.outline.list.go(0, 1);
                    vec![intent]
                }
                None => say("both did the same; another pair may teach something"),
            },
            (A::Compare, _) if self.shown == ViewMode::Log => {
                self.next_log(view);
                Vec::new()
            }
            (A::Compare, _) if self.shown == ViewMode::Contrast => {
                self.next_pair();
                Vec::new()
            }
            (A::ToggleReject, Some(Item::Offer)) => {
                let offer = match self.shown {
                    ViewMode::Log => self.trail.offered.as_ref().map(|offered| offered.id)?,
                    _ => self.offered.as_ref().map(|offered| offered.id)?,
                };
                let reason = String::new();
                vec![Intent::Send(Command::Gate(Request::RefuseOffer { offer, reason }))]
            }
            (A::ToggleReject, Some(Item::Change(at))) => {
                let left_out = &mut self.offered.as_mut()?.left_out;
                if !left_out.remove(&at) {
                    left_out.insert(at);
                }
                Vec::new()
            }
            (A::Edit, Some(Item::Change(at))) => {
                let Some(Change::Tip { after: Some(text), .. }) = self.offered.as_ref()?.changes.get(at).cloned()
                else {
                    return Some(say("only the words of a tip are edited here; take it and edit it then"));
                };
                self.begin(Typing::Offered(at), &text);
                Vec::new()
            }
            (A::Edit, Some(Item::Tip(skill, at))) => {
                let text = self.tip(skill, at).cloned()?;
                self.begin(Typing::Tip(skill, Some(at)), &text);
                Vec::new()
            }
            (A::Edit, Some(Item::Skill(at))) => {
                let text = self.known.skills.get(at)?.signature.to_string();
                self.begin(Typing::Signature(Some(at)), &text);
                Vec::new()
            }
            (A::Edit, Some(Item::Primitive(skill, at))) => {
                let text = self.known.skills.get(skill)?.primitives.get(at)?.syntax.clone();
                self.begin(Typing::Syntax(skill, at), &text);
                Vec::new()
            }
            (A::Edit, Some(Item::Segment(at))) => {
                let text = self.trail.segments.get(at)?.call().to_string();
                self.begin(Typing::Relabel(at), &text);
                Vec::new()
            }
            (A::Add, Some(Item::Step(at))) => {
                // Without a cut the first call has the whole log.
                let at = if self.trail.segments.is_empty() { 0 } else { at };
                self.begin(Typing::Split(at), "");
                Vec::new()
            }
            (A::Add, Some(Item::Skill(skill) | Item::Tip(Some(skill), _))) => {
                self.begin(Typing::Tip(Some(skill), None), "");
                Vec::new()
            }
            (A::Add, _) if self.shown == ViewMode::Known => {
                self.begin(Typing::Tip(None, None), "");
                Vec::new()
            }
            (A::ToggleReject, Some(Item::Tip(skill, at))) => self.edited(view, |known| {
                let tips = match skill {
                    Some(skill) => &mut known.skills.get_mut(skill).ok_or("that skill is gone")?.tips,
                    None => &mut known.tips,
                };
                tips.remove(at);
                Ok(())
            }),
            (A::ToggleReject, Some(Item::Skill(at))) => self.edited(view, |known| {
                known.skills.remove(at);
                Ok(())
            }),
            (A::ToggleReject, Some(Item::Primitive(skill, at))) => self.edited(view, |known| {
                known.skills.get_mut(skill).ok_or("that skill is gone")?.primitives.remove(at);
                Ok(())
            }),
            (A::ToggleReject, Some(Item::Function(skill, at))) => self.edited(view, |known| {
                known.skills.get_mut(skill).ok_or("that skill is gone")?.function.remove(at);
                Ok(())
            }),
            (A::ToggleReject, Some(Item::Example(at))) => self.edited(view, |known| {
                known.examples.remove(at);
                Ok(())
            }),
            (A::Edit, Some(Item::Function(skill, at))) => {
                let code = self.known.skills.get(skill)?.function.get(at)?.code.clone();
                self.typing = Some((Typing::Function(skill, at), Editor::lines(&code)));
                Vec::new()
            }
            (A::MergeAny, Some(Item::Primitive(skill, at))) => {
                self.begin(Typing::SplitOff(skill, at), "");
                Vec::new()
            }
            (A::MergeAll, Some(Item::Skill(at))) => {
                let name = |at: usize| self.known.skills.get(at).map(|skill| skill.signature.name.clone());
                let (Some(into), Some(from)) = (at.checked_sub(1).and_then(name), name(at)) else {
                    return Some(say("there is no skill above to merge it into"));
                };
                self.edited(view, |known| known.merge(&into, &from))
            }
            (A::ToggleReject, Some(Item::Segment(at))) => self.recut(view, |cut| cut::join(cut, at)),
            (A::MoveDown, Some(Item::Segment(at))) => self.recut(view, |cut| cut::move_border(cut, at, true)),
            (A::MoveUp, Some(Item::Segment(at))) => self.recut(view, |cut| cut::move_border(cut, at, false)),
            (A::Activate, Some(Item::Step(at))) if self.is_played() => {
                let node = view.session.as_ref()?.line().get(at + 1).map(|node| node.id);
                node.map(|node| Intent::Send(Command::Gate(Request::Goto(node)))).into_iter().collect()
            }
            _ => return None,
        })
    }

    /// Takes the offered changes, but for those left out.
    fn take(&self) -> Vec<Intent> {
        let Some(offered) = &self.offered else { return say("no change is offered") };
        let taken: Vec<&Change> = offered
            .changes
            .iter()
            .enumerate()
            .filter(|(at, _)| !offered.left_out.contains(at))
            .map(|(_, c)| c)
            .collect();
        if taken.is_empty() {
            let reason = "no change of it was wanted".to_owned();
            return vec![Intent::Send(Command::Gate(Request::RefuseOffer { offer: offered.id, reason }))];
        }
        let text = file::write(&apply(&self.known, taken));
        vec![Intent::Send(Command::Gate(Request::EditOffer { offer: offered.id, text }))]
    }

    /// Changes what is known, if the change can be made and leaves it sound; says why it is not.
    fn edited(&self, view: &View, change: impl FnOnce(&mut Knowledge) -> Result<(), String>) -> Vec<Intent> {
        self.changed(view, change).unwrap_or_else(say)
    }

    /// The changed knowledge; an error is why nothing is changed.
    fn changed(
        &self,
        view: &View,
        change: impl FnOnce(&mut Knowledge) -> Result<(), String>,
    ) -> Result<Vec<Intent>, String> {
        let mut known = self.known.clone();
        change(&mut known)?;
        file::read(&file::write(&known)).map_err(|e| e.message)?;
        Ok(self.amend(view, &known))
    }

    /// Changes how the log is cut; says why it is not.
    fn recut(
        &mut self,
        view: &View,
        change: impl FnOnce(&mut Vec<stepwright_skill::Segment>) -> Result<(), String>,
    ) -> Vec<Intent> {
        self.cut_anew(view, change).unwrap_or_else(say)
    }

    /// The new cut; an error is why nothing is changed.
    fn cut_anew(
        &mut self,
        view: &View,
        change: impl FnOnce(&mut Vec<stepwright_skill::Segment>) -> Result<(), String>,
    ) -> Result<Vec<Intent>, String> {
        let Some(log) = self.log() else { return Ok(Vec::new()) };
        let artifact = ArtifactId::segments(&log.id);
        let mut cut = self.trail.segments.clone();
        change(&mut cut)?;
        Ok(match &mut self.trail.offered {
            // What is offered is changed before it is taken.
            Some(offered) => {
                offered.segments.clone_from(&cut);
                self.trail.segments = cut;
                self.lay();
                Vec::new()
            }
            None => amended(view, artifact, serde_json::json!(cut)),
        })
    }

    pub(super) fn typed(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        let Some((typing, editor)) = &mut self.typing else { return Vec::new() };
        let typing = *typing;
        match editor.input(input) {
            Edited::Same => return Vec::new(),
            Edited::Changed => {
                self.find_fault();
                return unsaid(view).into_iter().collect();
            }
            Edited::Cancel => {
                (self.typing, self.fault) = (None, None);
                return unsaid(view).into_iter().collect();
            }
            Edited::Accept => {}
        }
        let text = editor.text();
        match self.accepted(typing, text.trim(), view) {
            Ok(intents) => {
                (self.typing, self.fault) = (None, None);
                self.lay();
                intents
            }
            // It stays open, to be put right; what is wrong is said below it, where there is room for all of it.
            Err(why) => {
                self.fault = Some(why);
                Vec::new()
            }
        }
    }

    fn accepted(&mut self, typing: Typing, text: &str, view: &View) -> Result<Vec<Intent>, String> {
        if text.is_empty() && typing != Typing::Whole {
            return Err("type something, or leave with Esc".to_owned());
        }
        let call = || text.parse::<SkillCall>().map_err(|e| e.to_string());
        let gone = || "that row is gone".to_owned();
        Ok(match typing {
            Typing::Tip(skill, at) => self.changed(view, |known| {
                let tips = match skill {
                    Some(skill) => &mut known.skills.get_mut(skill).ok_or_else(gone)?.tips,
                    None => &mut known.tips,
                };
                match at.and_then(|at| tips.get_mut(at)) {
                    Some(tip) => text.clone_into(tip),
                    None => tips.push(text.to_owned()),
                }
                Ok(())
            })?,
            Typing::Offered(at) => {
                let change = self.offered.as_mut().and_then(|offered| offered.changes.get_mut(at));
                if let Some(Change::Tip { after: Some(after), .. }) = change {
                    text.clone_into(after);
                }
                Vec::new()
            }
            Typing::Signature(at) => {
                let signature = text.parse().map_err(|e: stepwright_skill::call::CallError| e.to_string())?;
                self.changed(view, |known| {
                    match at {
                        Some(at) => known.skills.get_mut(at).ok_or_else(gone)?.signature = signature,
                        None => known.skills.push(Skill { signature, ..Skill::default() }),
                    }
                    Ok(())
                })?
            }
            Typing::Syntax(skill, at) => self.changed(view, |known| {
                let primitive = known.skills.get_mut(skill).and_then(|skill| skill.primitives.get_mut(at));
                let primitive = primitive.ok_or_else(gone)?;
                text.clone_into(&mut primitive.syntax);
                Ok(())
            })?,
            Typing::SplitOff(skill, at) => {
                let new = text.parse().map_err(|e: stepwright_skill::call::CallError| e.to_string())?;
                self.changed(view, |known| {
                    let from = known.skills.get(skill).ok_or_else(gone)?;
                    let (name, form) = (from.signature.name.clone(), from.primitives.get(at).map(|p| p.syntax.clone()));
                    known.split(&name, new, &[form.ok_or_else(gone)?])
                })?
            }
            Typing::Function(skill, at) => self.changed(view, |known| {
                let function = &mut known.skills.get_mut(skill).ok_or_else(gone)?.function;
                if function.get(at).is_some_and(|version| version.code.trim() == text) {
                    return Ok(());
                }
                let why = format!("version {} changed by hand", at + 1);
                function.push(Version { code: text.to_owned(), why, ..Version::default() });
                Ok(())
            })?,
            Typing::Whole => {
                file::read(text).map_err(|e| e.to_string())?;
                vec![Intent::Send(Command::Gate(Request::correct(ArtifactId::KNOWLEDGE, text.to_owned())))]
            }
            Typing::Save => vec![Intent::Send(Command::Skills(SkillCommand::Save(PathBuf::from(text))))],
            Typing::Load => vec![Intent::Send(Command::Skills(SkillCommand::Load(PathBuf::from(text))))],
            Typing::Split(step) => {
                let (call, steps) = (call()?, self.log().map_or(0, |log| log.steps.len()));
                self.cut_anew(view, |cut| {
                    if cut.is_empty() {
                        *cut = cut::whole(steps, call);
                        return Ok(());
                    }
                    cut::split(cut, step, call)
                })?
            }
            Typing::Relabel(at) => {
                let call = call()?;
                self.cut_anew(view, |cut| cut::relabel(cut, at, call))?
            }
        })
    }
}
