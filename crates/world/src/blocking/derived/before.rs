//! Preparations: what was done just before an action in the demonstrations, with nothing but that action's own arguments: going to the place a
//! thing is taken from, opening it. Where a world refuses an action that no assertion speaks of, this is what may have been missing.

use std::collections::BTreeMap;

use stepwright_program::Call;

/// An action before another: its object, its function, and which of the other's arguments it has.
type Lifted = (String, String, Vec<usize>);

/// Actions that came before others in the demonstrations, by their function.
#[derive(Debug, Clone, Default)]
pub struct Before(BTreeMap<String, Vec<(Lifted, usize)>>);

impl Before {
    pub fn learn<'a, A: Iterator<Item = &'a Call>>(demonstrations: impl IntoIterator<Item = A>) -> Self {
        let mut before: BTreeMap<String, Vec<(Lifted, usize)>> = BTreeMap::new();
        for actions in demonstrations {
            let actions: Vec<&Call> = actions.collect();
            for pair in actions.windows(2) {
                let [first, then] = pair else { continue };
                let place = |arg| then.args.iter().position(|other| other == arg);
                let Some(places) = first.args.iter().map(place).collect::<Option<Vec<usize>>>() else { continue };
                if first.function == then.function || places.is_empty() {
                    continue;
                }
                let lifted = (first.receiver.clone(), first.function.clone(), places);
                let known = before.entry(then.function.clone()).or_default();
                match known.iter_mut().find(|(other, _)| *other == lifted) {
                    Some((_, times)) => *times += 1,
                    None => known.push((lifted, 1)),
                }
            }
        }
        before.values_mut().for_each(|known| known.sort_by_key(|(_, times)| usize::MAX - times));
        Before(before)
    }

    /// The actions before such an action, the most frequent first.
    pub fn of(&self, action: &Call) -> Vec<Call> {
        let known = self.0.get(&action.function).into_iter().flatten();
        let ground = known.filter_map(|((receiver, function, places), _)| {
            let args = places.iter().map(|at| action.args.get(*at).cloned()).collect::<Option<Vec<_>>>()?;
            Some(Call { receiver: receiver.clone(), function: function.clone(), args, ..Call::default() })
        });
        ground.collect()
    }
}
