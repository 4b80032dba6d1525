//! Counts in words, a number with its noun in the right form, wherever a person reads a count; and paths into JSON values.

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

/// The JSON pointer (RFC 6901) of a name below another pointer.
pub fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A JSON pointer, or a step of one, with its names as they are.
pub fn unescaped(pointer: &str) -> String {
    pointer.replace("~1", "/").replace("~0", "~")
}

/// The steps of a JSON pointer, unescaped.
pub fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(unescaped).collect()
}

/// A JSON pointer in path notation: `agent.inventory`, `objects['mug 1']`, `visible[2]`.
pub fn path(pointer: &str) -> String {
    let mut out = String::new();
    for step in steps(pointer) {
        let plain = step.chars().all(|c| c.is_alphanumeric() || c == '_');
        if step.chars().all(|c| c.is_ascii_digit()) && !step.is_empty() {
            out.push_str(&format!("[{step}]"));
        } else if plain && !step.is_empty() {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&step);
        } else if step.starts_with('(') && step.ends_with(')') {
            // A key that is a tuple is written as in the program.
            out.push_str(&format!("[{step}]"));
        } else {
            out.push_str(&format!("['{step}']"));
        }
    }
    if out.is_empty() { "everything".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_like_programs() {
        assert_eq!(path("/agent/inventory"), "agent.inventory");
        assert_eq!(path("/objects/mug 1/open"), "objects['mug 1'].open");
        assert_eq!(path("/a~1b/0"), "['a/b'][0]");
        assert_eq!(path(""), "everything");
    }

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
