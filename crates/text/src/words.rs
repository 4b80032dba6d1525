//! Words for people: a number with its noun in the right form, sums, and values short enough for a line.

/// A count with its noun: `1 check`, `3 checks`, `2 entries`. Of a phrase the last word
/// is put in the plural.
pub fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    if n == 1 { format!("1 {noun}") } else { format!("{n} {}", plural(noun)) }
}

/// The noun alone, as it is after a number that is written in some other way.
pub fn noun(n: impl TryInto<u64>, noun: &str) -> String {
    if n.try_into().is_ok_and(|n| n == 1) { noun.to_owned() } else { plural(noun) }
}

/// A value short enough to read in a line: 60 characters at most, with an ellipsis where there are more.
pub fn shortened(value: &str) -> String {
    const MOST: usize = 60;
    if value.chars().count() <= MOST {
        return value.to_owned();
    }
    value.chars().take(MOST - 1).chain(['…']).collect()
}

/// What was found of a part of an assertion: its value, or that it raises.
pub fn finding(part: &str, value: &str) -> String {
    match value.strip_prefix("raises ") {
        Some(raised) => format!("{part} raises {raised}"),
        None => format!("{part} is {}", shortened(value)),
    }
}

/// A sum of money without its currency: cents, or as many digits as a small one needs.
pub fn cost(sum: f64) -> String {
    if sum != 0.0 && sum < 0.1 { format!("{sum:.4}") } else { format!("{sum:.2}") }
}

fn plural(noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|s| s.ends_with(|c: char| !"aeiou".contains(c)));
    match stem {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(1_usize, "step"), "1 step");
        assert_eq!(count(0_u32, "step"), "0 steps");
        assert_eq!(count(2_u64, "entry"), "2 entries");
        assert_eq!(count(2_usize, "day"), "2 days");
        assert_eq!(count(3_usize, "branch"), "3 branches");
        assert_eq!(count(2_usize, "more change"), "2 more changes");
        assert_eq!(noun(1_usize, "line"), "line");
    }
}
