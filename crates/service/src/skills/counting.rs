//! Finds skills and tips by counting, without a language model.

use stepwright_skill::contrast::{Contrast, skill_of, tip};
use stepwright_skill::distil::{Cuts, Proposed, Wanted, Way};
use stepwright_skill::{Knowledge, changes, discover};
use stepwright_trajectory::Trajectory;

/// Why there is no result where a person stopped it.
const STOPPED: &str = "stopped";

/// The offers found by counting; `shown` is the log to be cut beside all else.
pub(super) fn counted(
    logs: &[Trajectory],
    mut known: Knowledge,
    cuts: &Cuts,
    shown: Option<String>,
    (wanted, way): (&Wanted, Way),
    keep_running: &dyn Fn() -> bool,
) -> Result<Vec<Proposed>, String> {
    let by_id = |id: &str| logs.iter().find(|log| log.id == id).ok_or_else(|| format!("there is no log {id} here"));
    let own_cut = |all: Vec<discover::Cut>, id: &str| {
        let found = all.into_iter().find(|cut| cut.trajectory == id);
        found.map(|cut| Proposed::Cut { of: cut.trajectory, segments: cut.segments })
    };
    // Of a few logs, what one success shows has to do.
    let successes = logs.iter().filter(|log| log.succeeded()).count();
    let usual = discover::Settings::default();
    let settings =
        discover::Settings { least: usual.least.min(successes.max(1)), contrast: way.is_contrastive(), ..usual };
    match wanted {
        Wanted::Next => {
            let found = discover::discover_while(logs, &settings, keep_running).ok_or(STOPPED)?;
            let found_known = if way.is_tips_only() { found.knowledge.tips_alone() } else { found.knowledge };
            // What is known already is not taken away.
            let all = changes::between(&known, &found_known);
            let new: Vec<_> = all.into_iter().filter(|change| change.sign() != '-').collect();
            let knowledge = Proposed::Knowledge(changes::apply(&known, &new));
            let shown = shown.filter(|_| !way.is_tips_only());
            Ok(shown.and_then(|id| own_cut(found.cuts, &id)).into_iter().chain([knowledge]).collect())
        }
        Wanted::Cut { of } => {
            by_id(of)?;
            let found = own_cut(discover::discover_while(logs, &settings, keep_running).ok_or(STOPPED)?.cuts, of);
            found.map(|cut| vec![cut]).ok_or_else(|| {
                "counting cuts successes whose task names what they act on; this is none: cut it by hand".to_owned()
            })
        }
        Wanted::Tips { .. } if !way.is_contrastive() => {
            Err("counting finds the tip of a pair by contrast alone; choose another way, or a model".to_owned())
        }
        Wanted::Tips { success, failure } => {
            let (good, bad) = (by_id(success)?, by_id(failure)?);
            let contrast = Contrast::of(&good.steps, &bad.steps);
            let lesson = tip(&contrast, &good.steps, &bad.steps).ok_or("both did the same")?;
            let other = cuts.get(failure).map_or(&[][..], Vec::as_slice);
            let of = |cut| skill_of((&good.steps, cut), (&bad.steps, other));
            let skill = cuts.get(success).and_then(|cut| of(cut.as_slice()));
            match skill.filter(|_| !way.is_tips_only()).and_then(|skill| known.skill_mut(skill)) {
                Some(skill) => skill.tips.push(lesson),
                None => known.tips.push(lesson),
            }
            Ok(vec![Proposed::Knowledge(known)])
        }
    }
}
