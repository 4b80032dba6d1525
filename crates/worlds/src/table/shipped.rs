//! Demonstrations: shipped episodes answered by the programs written beside them, a call a step.

use super::{Episode, Source, TableWorld};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{CLOSING, WorldError};

const MOST: usize = 10;

/// Shipped episodes of a task's domain, the task itself left out.
/// Errors: never, unless the program's own files are damaged.
pub fn demonstrations(task: &Episode) -> Result<Vec<Demonstration>, WorldError> {
    let source = Source::shipped()?;
    let others: Vec<_> =
        source.of_domain(task.domain).filter(|episode| episode.id != task.id).take(MOST).cloned().collect();
    let mut world = TableWorld::new(source);
    others.iter().map(|episode| replay(episode, &mut world)).collect()
}

fn replay(episode: &Episode, world: &mut TableWorld) -> Result<Demonstration, WorldError> {
    let answer = |code: &str| {
        let lines = code.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned);
        lines.chain([CLOSING.to_owned()]).collect::<Vec<_>>()
    };
    let actions = episode.requests.iter().flat_map(|asked| answer(&asked.code));
    Demonstration::replay(world, &episode.id, format!("demonstration/{}", episode.id), actions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_world::World;

    #[test]
    fn the_written_programs_answer_every_request() {
        let source = Source::shipped().unwrap();
        let mut world = TableWorld::new(Source::shipped().unwrap());
        for id in source.ids() {
            let episode = source.episode(id).unwrap();
            let demonstration = replay(&episode, &mut world).unwrap();
            assert!(demonstration.steps.iter().skip(1).all(|step| step.call.is_some()), "{id}");
            assert!(world.preview("noop()").unwrap().won, "{id}");
            assert!(demonstrations(&episode).unwrap().iter().all(|shown| !shown.id.ends_with(id)));
        }
    }
}
