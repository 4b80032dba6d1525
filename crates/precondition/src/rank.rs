//! Clusters of equal satisfied sets and Equation (1): which of them are optimal. Sets in, ranks out; evaluates nothing.

use rustc_hash::FxHashMap;

use super::instance_set::InstanceSet;

/// Valid candidates with equal satisfied sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its members by id, ascending; the first represents it.
    pub members: Vec<usize>,
    /// Size of the satisfied set |C|.
    pub sat: usize,
    /// Whether no valid cluster has a strictly smaller set (Equation 1).
    pub optimal: bool,
}

impl Cluster {
    /// The member with the lowest id.
    pub fn representative(&self) -> Option<usize> {
        self.members.first().copied()
    }
}

/// Groups the satisfied sets of valid candidates and marks the optimal groups.
///
/// `sets` holds one entry a candidate, in id order; `None` for one that is not valid. Clusters are numbered by first
/// appearance.
pub fn clusters(sets: &[Option<&InstanceSet>]) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut shapes: Vec<&InstanceSet> = Vec::new();
    let mut known: FxHashMap<&InstanceSet, usize> = FxHashMap::default();
    for (id, set) in sets.iter().enumerate() {
        let Some(set) = set else { continue };
        let at = *known.entry(set).or_insert_with(|| {
            clusters.push(Cluster { members: Vec::new(), sat: set.count(), optimal: false });
            shapes.push(set);
            shapes.len() - 1
        });
        if let Some(cluster) = clusters.get_mut(at) {
            cluster.members.push(id);
        }
    }
    for (at, optimal) in minimal(&shapes).into_iter().enumerate() {
        if let Some(cluster) = clusters.get_mut(at) {
            cluster.optimal = optimal;
        }
    }
    clusters
}

/// Which of these distinct sets have no proper subset among them.
fn minimal(shapes: &[&InstanceSet]) -> Vec<bool> {
    let mut order: Vec<(usize, usize)> = shapes.iter().enumerate().map(|(at, set)| (set.count(), at)).collect();
    order.sort_unstable();
    let mut optimal = vec![false; shapes.len()];
    // A set that has a proper subset has a minimal one, so only minimal sets found so far need be tried.
    let mut found: Vec<&InstanceSet> = Vec::new();
    for (_, at) in order {
        let Some(set) = shapes.get(at) else { continue };
        if !found.iter().any(|smaller| smaller.is_subset(set)) {
            found.push(set);
            if let Some(mark) = optimal.get_mut(at) {
                *mark = true;
            }
        }
    }
    optimal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sets(raw: &[Option<u8>]) -> Vec<Option<InstanceSet>> {
        raw.iter().map(|r| r.map(|byte| InstanceSet::of(6, |i| byte >> i & 1 == 1))).collect()
    }

    proptest! {
        #[test]
        fn equation_one_is_its_definition(raw in prop::collection::vec(prop::option::weighted(0.8, any::<u8>()), 0..40)) {
            let owned = sets(&raw);
            let got = clusters(&owned.iter().map(Option::as_ref).collect::<Vec<_>>());
            // Each valid candidate is in exactly one cluster, with exactly its equals.
            for (id, set) in owned.iter().enumerate() {
                let mine: Vec<_> = got.iter().filter(|c| c.members.contains(&id)).collect();
                prop_assert_eq!(mine.len(), usize::from(set.is_some()));
                if let Some(set) = set {
                    let equals: Vec<usize> = (0..owned.len()).filter(|k| owned[*k].as_ref() == Some(set)).collect();
                    prop_assert_eq!(&mine[0].members, &equals);
                    let beaten = owned.iter().flatten().any(|other| other.is_subset(set) && other != set);
                    prop_assert_eq!(mine[0].optimal, !beaten);
                    prop_assert_eq!(mine[0].sat, set.count());
                }
            }
            // Numbered by first appearance.
            prop_assert!(got.windows(2).all(|w| w[0].members[0] < w[1].members[0]));
        }

        #[test]
        fn order_changes_numbers_but_not_what_is_optimal(
            raw in prop::collection::vec(any::<u8>(), 1..30).prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle()))
        ) {
            let optimal = |raw: &[u8]| {
                let owned = sets(&raw.iter().copied().map(Some).collect::<Vec<_>>());
                let mut best: Vec<u8> = clusters(&owned.iter().map(Option::as_ref).collect::<Vec<_>>())
                    .iter().filter(|c| c.optimal).map(|c| raw[c.members[0]] & 63).collect();
                best.sort_unstable();
                best
            };
            prop_assert_eq!(optimal(&raw.0), optimal(&raw.1));
        }

        #[test]
        fn the_optimal_sets_conjoined_are_all_valid_sets_conjoined(raw in prop::collection::vec(any::<u8>(), 1..30)) {
            let owned = sets(&raw.iter().copied().map(Some).collect::<Vec<_>>());
            let (mut all, mut best) = (InstanceSet::all(6), InstanceSet::all(6));
            owned.iter().flatten().for_each(|s| all.intersect(s));
            for cluster in clusters(&owned.iter().map(Option::as_ref).collect::<Vec<_>>()).iter().filter(|c| c.optimal) {
                best.intersect(owned[cluster.members[0]].as_ref().unwrap());
            }
            prop_assert_eq!(all, best);
        }
    }
}
