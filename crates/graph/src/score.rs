//! Scores: a program held against those that people wrote for the same task, as the language planner's evaluation does it.
//!
//! Both are prepared and run in the household from its beginning; [`crate::metrics`] compares them.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::metrics::{self, AnnotatedStates};
use crate::names::Names;
use crate::prepare::{Tables, prepare};
use crate::reason::{ErrorType, Reason};
use crate::run::Run;
use crate::script::{Line, Script};

/// The household a program is scored in, and what is known of its kind.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub scene: &'a Graph,
    pub tables: Tables<'a>,
    /// The programs' words for names in words.
    pub general: &'a Names,
    /// The states that classes can have, where a table of them is known.
    pub annotated: Option<&'a AnnotatedStates>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Why it cannot be carried out; `None` if it can.
    pub error: Option<ErrorType>,
    /// The longest common subsequence with the ground truth that is nearest by it, 0 to 1.
    pub lcs: f64,
    /// The similarity of the households at the end over all annotated classes, in percent, as the script of 2022 counts; `None`
    /// without a table of states or a ground truth that can be prepared.
    pub of_all: Option<f64>,
    /// The same over the classes that either program names, as the script of 2024 counts.
    pub of_used: Option<f64>,
}

/// A program's end: the program with the scene's names, and its run.
type ScriptRun = (Script, Run);

/// Prepares and runs a program. What cannot be prepared leaves the household as it was; an empty program too.
fn ran(program: &[Line], setting: Setting<'_>) -> (ScriptRun, Option<ErrorType>) {
    let untouched = || (program.to_vec(), Run::of(setting.scene, &[]));
    if program.is_empty() {
        return (untouched(), Some(ErrorType::EmptyProgram));
    }
    match prepare(setting.scene, program, setting.tables) {
        Ok(prepared) => {
            let run = Run::of(&prepared.graph, &prepared.script);
            // Where the simulator itself breaks off, the paper has no type but the last.
            let typed = run.reason().filter(|_| !run.breaks_off()).and_then(Reason::error_type);
            let error = run.failed.map(|_| typed.unwrap_or(ErrorType::OtherPrecondition));
            ((prepared.script, run), error)
        }
        Err(_) => (untouched(), Some(ErrorType::OtherPrecondition)),
    }
}

/// Why a program cannot be carried out in a household that is prepared for it; `None` if it can.
pub fn error(program: &[Line], setting: Setting<'_>) -> Option<ErrorType> {
    ran(program, setting).1
}

/// Scores a program. The households at the end are those of the first ground truth that can be carried out, or else of the first.
pub fn scores(program: &[Line], truths: &[Script], setting: Setting<'_>) -> Scores {
    let lcs = truths.iter().map(|truth| metrics::lcs(program, truth, setting.general)).fold(0.0, f64::max);
    let ((script, run), error) = ran(program, setting);
    let mut ends = truths.iter().map(|truth| ran(truth, setting));
    let first = ends.next();
    let is_done = |end: &(ScriptRun, Option<ErrorType>)| end.1.is_none();
    let truth = match first {
        Some(first) if !is_done(&first) => Some(ends.find(is_done).unwrap_or(first)),
        first => first,
    };
    let Some(((own, end), _)) = truth else { return Scores { error, lcs, of_all: None, of_used: None } };
    let (a, b) = (metrics::final_states(&end), metrics::final_states(&run));
    let used: BTreeSet<&str> =
        own.iter().chain(&script).flat_map(|line| &line.params).map(|param| &*param.name).collect();
    Scores {
        error,
        lcs,
        of_all: setting.annotated.map(|annotated| metrics::similarity_of_all(&a, &b, annotated)),
        of_used: Some(metrics::similarity_of_used(&a, &b, used)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::PropertyTable;
    use crate::scene::Scene;
    use crate::script::parse;

    const SCENE: &str = include_str!("../../../worlds/graph/scene_flat.json");
    const NAMES: &str = include_str!("../../../worlds/graph/names.json");
    const PROPERTIES: &str = include_str!("../../../worlds/graph/properties.json");

    #[test]
    fn a_program_is_held_against_the_truth_that_can_be_carried_out() {
        let scene = Scene::read(SCENE).unwrap().graph;
        let names = Names::read(NAMES).unwrap().into_values().next().unwrap();
        let properties: PropertyTable = serde_json::from_str(PROPERTIES).unwrap();
        let tables = Tables { names: &names, properties: &properties };
        let setting = Setting { scene: &scene, tables, general: &names, annotated: None };
        let script = |text: &str| parse(text.lines()).unwrap();
        let on = script("[WALK] <living_room> (1)\n[FIND] <television> (1)\n[SWITCHON] <television> (1)");
        let off = script("[WALK] <living_room> (1)\n[FIND] <television> (1)\n[SWITCHOFF] <television> (1)");
        let refused = script("[SIT] <bedroom> (1)");
        assert_eq!(error(&on, setting), None);
        let same = scores(&on, &[refused.clone(), on.clone()], setting);
        assert_eq!((same.error, same.lcs, same.of_used), (None, 1.0, Some(100.0)));
        let other = scores(&off, std::slice::from_ref(&on), setting);
        assert!(other.lcs > 0.6 && other.lcs < 0.7 && other.of_used.unwrap() < 100.0, "{other:?}");
        let none = scores(&[], &[on], setting);
        assert_eq!((none.error, none.lcs), (Some(ErrorType::EmptyProgram), 0.0));
        assert!(error(&refused, setting).is_some());
        assert_eq!(scores(&off, &[], setting).of_used, None, "without a ground truth there is nothing to compare");
    }
}
