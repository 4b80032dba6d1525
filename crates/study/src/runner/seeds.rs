//! Seeds of a run: `--seeds 0..9`.

use std::str::FromStr;

const MOST: u64 = 10_000;

/// Seeds, in order and each once: `3`, `0..9` (ten of them), `0,7,20..22`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(Vec<u64>);

impl Seeds {
    pub fn all(&self) -> &[u64] {
        &self.0
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut seeds = std::collections::BTreeSet::new();
        for term in text.split(',') {
            let number =
                |text: &str| text.trim().parse::<u64>().map_err(|_| format!("`{term}` is no seed; write 3 or 0..9"));
            let (first, last) = match term.split_once("..") {
                Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
                None => (number(term)?, number(term)?),
            };
            if first > last {
                return Err(format!("`{term}` ends before it begins"));
            }
            if last - first >= MOST {
                return Err(format!("`{term}` are more than {MOST} seeds"));
            }
            seeds.extend(first..=last);
        }
        Ok(Seeds(seeds.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_take_both_ends() {
        let of = |text: &str| text.parse::<Seeds>().map(|seeds| seeds.all().to_vec());
        assert_eq!(of("0..9"), Ok((0..=9).collect()));
        assert_eq!(of("7, 0..2,1"), Ok(vec![0, 1, 2, 7]));
        assert_eq!(of("3"), Ok(vec![3]));
        for wrong in ["", "a", "3..1", "0..99999999", "-1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
