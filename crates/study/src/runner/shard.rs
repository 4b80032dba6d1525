//! Shards, the units this process carries out: all, or those of one shard of several, by the hash of the unit.
//!
//! A unit's shard depends on nothing but its key and the number of shards, so processes on many machines share a study without
//! talking to each other. Numbers come from `--shard I/N`, else from the variables of a Slurm array or a Kubernetes indexed job.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// How many shards there are in a Kubernetes indexed job, which gives its pods their index alone.
pub(crate) const SHARDS: &str = "STEPWRIGHT_SHARDS";

/// Shard `index` of `of`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    pub const ALL: Shard = Shard { index: 1, of: 1 };

    fn new(index: u64, of: u64) -> Result<Self, String> {
        if index < 1 || index > of {
            return Err(format!("there is no shard {index} of {of}; shards are counted from 1"));
        }
        Ok(Shard { index, of })
    }

    pub fn takes(self, unit: &str) -> bool {
        let hash = Sha256::digest(unit.as_bytes());
        let number = hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % self.of == self.index - 1
    }

    pub fn is_part(self) -> bool {
        self.of > 1
    }

    /// A name for the file of its results: `shard-2-of-4.jsonl`.
    pub fn file_name(self) -> String {
        if self.is_part() { format!("shard-{}-of-{}.jsonl", self.index, self.of) } else { "results.jsonl".to_owned() }
    }

    /// The shard that the scheduler's variables give, with the variable; `None` outside an array.
    pub fn of_environment(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<(Self, &'static str)>, String> {
        let number = |name: &str| {
            let number = |text: String| text.trim().parse().map_err(|_| format!("${name} is {text:?}, no number"));
            get(name).map(number).transpose()
        };
        const SLURM: &str = "SLURM_ARRAY_TASK_ID";
        const KUBERNETES: &str = "JOB_COMPLETION_INDEX";
        if let Some(id) = number(SLURM)? {
            let (first, step) = (number("SLURM_ARRAY_TASK_MIN")?, number("SLURM_ARRAY_TASK_STEP")?);
            let (first, step): (u64, u64) = (first.unwrap_or(0), step.unwrap_or(1).max(1));
            let odd = |why: &str| format!("${SLURM} is {id}, {why}; say which shard this is with --shard I/N");
            let of = number("SLURM_ARRAY_TASK_COUNT")?.ok_or_else(|| odd("but $SLURM_ARRAY_TASK_COUNT is absent"))?;
            let place = id.checked_sub(first).filter(|place| place % step == 0).map(|place| place / step + 1);
            let shard = place.and_then(|place| Shard::new(place, of).ok());
            return shard.map(|shard| Some((shard, SLURM))).ok_or_else(|| odd("and the array's numbers have gaps"));
        }
        if let Some(index) = number(KUBERNETES)? {
            let of = number(SHARDS)?.ok_or_else(|| {
                format!(
                    "${KUBERNETES} is {index}, but a pod cannot see how many there are; set {SHARDS} in the job to its \
                     `completions`, or say --shard I/N (1/1 for all units)"
                )
            })?;
            return Ok(Some((Shard::new(index + 1, of)?, KUBERNETES)));
        }
        Ok(None)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let (index, of) = numbers.ok_or_else(|| "it takes I/N, as in 2/4".to_owned())?;
        Shard::new(index, of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_is_of_one_shard_and_shards_are_about_alike() {
        let shards: Vec<Shard> = (1..=4).map(|index| format!("{index}/4").parse().unwrap()).collect();
        let mut taken = [0; 4];
        for unit in 0..1000 {
            let unit = format!("{unit:016x}");
            let by: Vec<usize> = (0..4).filter(|at| shards[*at].takes(&unit)).collect();
            assert_eq!(by.len(), 1);
            taken[by[0]] += 1;
            assert!(Shard::ALL.takes(&unit));
        }
        assert!(taken.iter().all(|n| (180..320).contains(n)), "{taken:?}");
        // Fixed for good: machines with other releases of the program share a study.
        let of: Vec<u64> =
            ["a", "b", "c", "d"].map(|u| (0..4).find(|at| shards[*at as usize].takes(u)).unwrap()).into();
        assert_eq!(of, [2, 2, 2, 1]);
    }

    #[test]
    fn the_variables_of_schedulers_tell_the_shard() {
        let of = |set: &[(&str, &str)]| {
            let get = |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
            Shard::of_environment(&get).map(|found| found.map(|(shard, _)| shard.to_string()))
        };
        assert_eq!(of(&[]), Ok(None));
        let slurm = |id, first, step, of| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", first),
                ("SLURM_ARRAY_TASK_STEP", step),
                ("SLURM_ARRAY_TASK_COUNT", of),
            ]
        };
        assert_eq!(of(&slurm("3", "0", "1", "4")), Ok(Some("shard 4 of 4".to_owned())));
        assert_eq!(of(&slurm("1", "1", "1", "4")), Ok(Some("shard 1 of 4".to_owned())));
        assert_eq!(of(&slurm("20", "10", "5", "4")), Ok(Some("shard 3 of 4".to_owned())));
        assert!(of(&slurm("9", "1", "1", "3")).unwrap_err().contains("gaps"));
        assert!(of(&slurm("9", "1", "1", "3")[..1]).unwrap_err().contains("--shard"));
        let pod = [("JOB_COMPLETION_INDEX", "0"), (SHARDS, "8")];
        assert_eq!(of(&pod), Ok(Some("shard 1 of 8".to_owned())));
        assert!(of(&pod[..1]).unwrap_err().contains(SHARDS));
        assert!(of(&[("JOB_COMPLETION_INDEX", "x")]).unwrap_err().contains("no number"));
    }

    #[test]
    fn wrong_words_are_said() {
        for wrong in ["0/4", "5/4", "1/0", "1", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert_eq!("2/4".parse::<Shard>().unwrap().file_name(), "shard-2-of-4.jsonl");
    }
}
