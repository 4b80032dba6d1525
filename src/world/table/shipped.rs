//! Demonstrations: shipped episodes answered by the programs written beside them, a call a step.

use super::{Episode, Source, TableWorld};
use crate::world::demonstration::{Demonstration, DemonstrationStep};
use crate::world::{World, WorldError};

/// The most episodes shown.
const MOST: usize = 10;

/// Shipped episodes of a task's domain, the task itself left out.
///
/// # Errors
/// Never, unless the program's own files are damaged.
pub fn demonstrations(task: &Episode) -> Result<Vec<Demonstration>, WorldError> {
    let source = Source::shipped()?;
    let others: Vec<_> =
        source.of_domain(task.domain).filter(|episode| episode.id != task.id).take(MOST).cloned().collect();
    let mut world = TableWorld::new(source);
    others.iter().map(|episode| replay(episode, &mut world)).collect()
}

fn replay(episode: &Episode, world: &mut TableWorld) -> Result<Demonstration, WorldError> {
    let mut steps = vec![DemonstrationStep::told(String::new(), world.reset(&episode.id, 0)?)];
    for asked in &episode.requests {
        let lines = asked.code.lines().filter(|line| !line.trim().is_empty());
        for line in lines.chain(["done()"]) {
            steps.push(DemonstrationStep::told(line.to_owned(), world.act(line)?));
        }
    }
    Ok(Demonstration {
        id: format!("demonstration/{}", episode.id),
        task_type: episode.domain.name().to_owned(),
        sentence: episode.sentence(),
        header: world.header(),
        steps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_programs_answer_every_request() {
        let source = Source::shipped().unwrap();
        let mut world = TableWorld::new(Source::shipped().unwrap());
        for id in source.ids() {
            let episode = source.episode(id).unwrap();
            let demonstration = replay(&episode, &mut world).unwrap();
            assert!(demonstration.steps.iter().skip(1).all(|step| step.action_call.is_some()), "{id}");
            assert!(world.preview("noop()").unwrap().0.won, "{id}");
            assert!(demonstrations(&episode).unwrap().iter().all(|shown| !shown.id.ends_with(id)));
        }
    }
}
