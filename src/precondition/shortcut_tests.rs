//! What saves work gives what the work would give: satisfied sets from what evaluations touched, fates from satisfied sets.

use std::collections::BTreeMap;

use super::{Demo, Ground, Instances, settled, validate};
use crate::program::{Assertion, CheckResult, Specification};
use crate::world::household::{Edition, shipped};

const PARTS: [&str; 22] = [
    "self.inventory is None",
    "self.inventory == obj",
    "self.is_visible(obj)",
    "self.env.get_property(recep, 'open')",
    "len(self.visible_objects) > 3",
    "obj in self.visible_objects",
    "'shelf' in recep",
    "self.inventori",
    "hasattr(self, 'inven' + 'tory') and self.inventory",
    "getattr(self, 'inven' + 'tory') == obj",
    "self.add_inventory('mug 1') is None and self.inventory == 'mug 1'",
    "self.add_inventory(obj) is None",
    "self.remove_inventory(obj) is None",
    "self.env.set_property(obj, 'open', True) is None",
    "self.visible_objects.clear() is None",
    "[self.env, self][len(recep) % 2] is self",
    "(lambda o: o.inventory)(self) != recep",
    "all(o.inventory for o in [self])",
    "'{0.inventory}'.format(self) == obj",
    "f'{self.inventory}' == obj",
    "1 / len(self.visible_objects) < 1",
    "sum(1 for _ in iter(int, 1))",
];

#[test]
fn shortcuts_lead_to_the_same_end() {
    let specification = Specification::load(include_str!("../../worlds/household/spec.py"), "spec.py").unwrap();
    let demos = shipped::demonstrations(Edition::Put).unwrap();
    let ground = Ground::new(&specification, demos.iter().map(Demo::from).collect()).unwrap();
    let mut texts: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
    for (at, one) in PARTS.iter().enumerate() {
        let other = PARTS[(at * 7 + 3) % PARTS.len()];
        texts.extend([format!("({one}) or ({other})"), format!("({other}) and not ({one})")]);
    }
    let (mut judged, mut mutating, mut valid) = (0, 0, 0);
    for action in ["take", "put"] {
        let instances = Instances::new(&ground, ground.action(action).unwrap());
        for text in &texts {
            let assertion = Assertion::compile(text).unwrap();
            let plain = plainly(&ground, &instances, &assertion);
            let Ok(evaluation) = instances.evaluate(&ground, &assertion) else {
                assert!(plain.is_none(), "{action}: `{text}` has a verdict everywhere");
                continue;
            };
            let (outcomes, set, changes) = plain.unwrap_or_else(|| panic!("{action}: `{text}` has no verdict"));
            assert_eq!((&evaluation.outcomes, evaluation.mutates), (&outcomes, changes), "{action}: `{text}`");
            assert!(evaluation.set.iter().eq(set), "{action}: `{text}`");
            judged += 1;
            match settled(&ground, &instances, &assertion, &evaluation) {
                None => mutating += usize::from(evaluation.mutates),
                Some(fate) => {
                    valid += usize::from(fate == super::Fate::Valid);
                    assert_eq!(fate, validate(&ground, &instances, &assertion), "{action}: `{text}`");
                }
            }
        }
    }
    assert!(judged > 80 && mutating > 10 && valid > 10, "{judged} {mutating} {valid}");
}

type Plain = (BTreeMap<String, usize>, Vec<usize>, bool);

/// Each instance evaluated by itself, on the state of its own step.
fn plainly(ground: &Ground, instances: &Instances, assertion: &Assertion) -> Option<Plain> {
    let (mut outcomes, mut set, mut changes) = (BTreeMap::new(), Vec::new(), false);
    let mut at = 0;
    for step in &ground.steps {
        for binding in &instances.bindings {
            let state = ground.state(step)?;
            let (result, changed) = state.check_traced(assertion, &instances.function, binding);
            changes |= changed;
            let outcome = match result {
                CheckResult::Holds => {
                    set.push(at);
                    "ok".to_owned()
                }
                CheckResult::Raises { exception, .. } => exception,
                _ => return None,
            };
            *outcomes.entry(outcome).or_insert(0) += 1;
            at += 1;
        }
    }
    Some((outcomes, set, changes))
}
