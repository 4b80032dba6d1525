//! Distilling under a person's eyes: one question at a time, each answer a proposal. What the person makes of proposals (taken, edited,
//! refused) is what the next question begins with.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Distiller, STAGES, Settings, Stage, Task};
use crate::contrast;
use crate::knowledge::Knowledge;
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The answer to the next question of all of both stages.
    Next,
    /// How one log is cut into the known skills.
    Cut { of: String },
    /// Tips by contrast of one pair, without contrast of its success: for the skill in whose segment the success did otherwise, where the
    /// success is cut; of no skill else.
    Tips { success: String, failure: String },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Proposed {
    Knowledge(Knowledge),
    Cut { of: String, segments: Vec<Segment> },
}

pub type Cuts = BTreeMap<String, Vec<Segment>>;

impl Distiller {
    pub fn alone(
        logs: Arc<Vec<Trajectory>>,
        known: Knowledge,
        cuts: &Cuts,
        settings: Settings,
        wanted: &Wanted,
    ) -> Result<Self, String> {
        let mut run = Distiller::idle(logs, known.clone(), settings);
        run.amend(known, cuts);
        let task = match wanted {
            Wanted::Next => {
                run.plan();
                return Ok(run);
            }
            Wanted::Cut { of } => {
                let of = run.place(of)?;
                Task { stage: Stage::Segments { of }, of: vec![of], pairs: Vec::new() }
            }
            Wanted::Tips { success, failure } => {
                let pair = (run.place(success)?, run.place(failure)?);
                let skill = run.skill_of(pair).filter(|_| !run.settings.tips_only);
                let (of, pairs) =
                    if run.settings.contrast { (Vec::new(), vec![pair]) } else { (vec![pair.0], Vec::new()) };
                Task { stage: Stage::Tips { skill }, of, pairs }
            }
        };
        run.open.push_back(task);
        // Nothing comes behind it.
        run.planned = STAGES;
        Ok(run)
    }

    /// Begins the next question with what a person made of the proposals so far.
    pub fn revise(&mut self, known: Knowledge, cuts: &Cuts) {
        self.amend(known, cuts);
        // A skill that a person removed is asked about no more.
        let known = &self.known;
        self.open
            .retain(|task| !matches!(&task.stage, Stage::Tips { skill: Some(name) } | Stage::Function { skill: name, .. } if known.skill(name).is_none()));
        self.go_on();
    }

    /// Has the answer to the present question taken against what is known by now.
    pub fn amend(&mut self, known: Knowledge, cuts: &Cuts) {
        self.known = known;
        let of = |log: &Trajectory| cuts.get(&log.id).filter(|cut| !cut.is_empty()).cloned();
        self.cuts = self.logs.iter().enumerate().filter_map(|(at, log)| Some((at, of(log)?))).collect();
    }

    /// Takes the answer to the present question and says what it proposes. One that cannot be read is asked for once more, then passed
    /// over.
    pub fn propose(&mut self, answer: &str) -> Result<Proposed, String> {
        let stage = self.open.front().map(|task| task.stage.clone());
        self.take(answer)?;
        if let Some(Stage::Segments { of }) = stage
            && let (Some(log), Some(segments)) = (self.logs.get(of), self.cuts.get(&of))
        {
            return Ok(Proposed::Cut { of: log.id.clone(), segments: segments.clone() });
        }
        Ok(Proposed::Knowledge(self.known.clone()))
    }

    /// Whether the present question is asked for the second time.
    pub fn is_repeated(&self) -> bool {
        self.again.is_some()
    }

    fn place(&self, id: &str) -> Result<usize, String> {
        self.logs.iter().position(|log| log.id == id).ok_or_else(|| format!("there is no log {id} in the file"))
    }

    /// The skill that a pair belongs to, if it is known.
    pub(super) fn skill_of(&self, (good, bad): (usize, usize)) -> Option<String> {
        let (success, failure) = (self.logs.get(good)?, self.logs.get(bad)?);
        let other = self.cuts.get(&bad).map_or(&[][..], Vec::as_slice);
        let name = contrast::skill_of((&success.steps, self.cuts.get(&good)?), (&failure.steps, other))?;
        self.known.skill(name).map(|_| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_trajectory::Step;

    fn log(id: &str, success: bool, actions: &[&str]) -> Trajectory {
        let step = |action: &&str| Step {
            action: (*action).to_owned(),
            observation: Some(
                match action.split(' ').next() {
                    Some("go") => "You see a mug 1.",
                    _ if action.contains("from desk 1") => "You have it.",
                    _ => "Nothing happens.",
                }
                .to_owned(),
            ),
            ..Step::default()
        };
        let steps = actions.iter().map(step).collect();
        let (pair_id, task) = (Some("p".to_owned()), "put a mug in desk".to_owned());
        Trajectory { id: id.to_owned(), pair_id, task, steps, success: Some(success), ..Trajectory::default() }
    }

    fn logs() -> Arc<Vec<Trajectory>> {
        let good = log("good", true, &["go to desk 1", "take mug 1 from desk 1"]);
        Arc::new(vec![good, log("bad", false, &["go to desk 1", "take mug from desk"])])
    }

    const SKILLS: &str =
        "New summarization:\nWe list the Environment-specific subtasks below:\n- find(object)\n- take(object)";

    fn known() -> Knowledge {
        crate::file::read("[[skill]]\nname = \"find(object)\"\n[[skill]]\nname = \"take(object)\"\ntips = [\"Old.\"]\n")
            .unwrap()
    }

    fn cut() -> Vec<Segment> {
        let part =
            |skill: &str, at| Segment { skill: skill.to_owned(), args: vec!["mug".to_owned()], start: at, end: at };
        vec![part("find", 0), part("take", 1)]
    }

    #[test]
    fn each_answer_is_a_proposal_and_the_next_question_begins_with_what_became_of_it() {
        let mut run = Distiller::new(logs(), Knowledge::default(), Settings::default());
        let Proposed::Knowledge(proposed) = run.propose(SKILLS).unwrap() else { panic!("a list of skills") };
        assert_eq!(proposed.skills.len(), 2);
        // The person left one out and named the other differently.
        let taken = crate::file::read("[[skill]]\nname = \"search(thing)\"\n").unwrap();
        run.revise(taken, &Cuts::new());
        assert_eq!(run.next().unwrap().context["skills"], serde_json::json!(["search(thing)"]));
        assert_eq!(run.next().unwrap().stage, Stage::Segments { of: 0 });
        let answer = "New summarization:\n- search(mug):\n> go to desk 1\n> take mug 1 from desk 1\n";
        let Proposed::Cut { of, segments } = run.propose(answer).unwrap() else { panic!("a cut") };
        assert_eq!((of.as_str(), segments.len(), segments[0].end), ("good", 1, 1));
        // It was refused: the log is cut no more, and the other question comes all the same.
        run.revise(run.known().clone(), &Cuts::new());
        assert_eq!((run.next().unwrap().stage, run.cuts().count()), (Stage::Segments { of: 1 }, 0));
        // All skills are gone: what was to come of them is not asked.
        run.open.clear();
        run.planned = STAGES;
        run.open.push_back(Task {
            stage: Stage::Tips { skill: Some("search".to_owned()) },
            of: vec![],
            pairs: vec![(0, 1)],
        });
        run.revise(Knowledge::default(), &Cuts::new());
        assert_eq!(run.next(), None);
    }

    #[test]
    fn one_log_is_cut_and_one_pair_contrasted_alone() {
        let alone = |cuts: &Cuts, wanted: &Wanted| Distiller::alone(logs(), known(), cuts, Settings::default(), wanted);
        let mut run = alone(&Cuts::new(), &Wanted::Cut { of: "bad".to_owned() }).unwrap();
        assert_eq!((run.next().unwrap().of, run.left()), (vec!["bad".to_owned()], 1));
        assert!(
            run.propose("New summarization:\n- take(mug):\n> jump\n").unwrap_err().contains("step 1 is `go to desk 1`")
        );
        assert!(run.is_repeated(), "it is asked for once more, with what was wrong");
        run.propose("New summarization:\n- find(mug):\n> go to desk 1\n- take(mug):\n> take mug from desk\n").unwrap();
        assert_eq!(run.next(), None, "nothing else is asked");
        let pair = Wanted::Tips { success: "good".to_owned(), failure: "bad".to_owned() };
        let run = alone(&Cuts::new(), &pair).unwrap();
        assert_eq!(run.next().unwrap().label, "tips", "without a cut they are of no skill");
        let cuts = Cuts::from([("good".to_owned(), cut()), ("bad".to_owned(), cut())]);
        let mut run = alone(&cuts, &pair).unwrap();
        assert_eq!((run.next().unwrap().label.as_str(), run.left()), ("tips for take", 1));
        let Proposed::Knowledge(new) = run.propose("New summarization: x\nTips:\n- Name it.\n").unwrap() else {
            panic!("tips")
        };
        assert_eq!(new.skill("take").unwrap().tips, ["Name it."]);
        assert!(alone(&cuts, &Wanted::Cut { of: "none".to_owned() }).unwrap_err().contains("no log none"));
    }
}
