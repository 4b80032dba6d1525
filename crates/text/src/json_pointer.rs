//! JSON pointers (RFC 6901): joined, split into their steps, and as people read them.

/// The JSON pointer (RFC 6901) of a name below another pointer.
pub fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A JSON pointer, or a step of one, with its names as they are.
pub fn unescaped(pointer: &str) -> String {
    pointer.replace("~1", "/").replace("~0", "~")
}

/// The steps of a JSON pointer, unescaped.
pub fn split(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(unescaped).collect()
}

/// A JSON pointer in path notation: `agent.inventory`, `objects['mug 1']`, `visible[2]`.
pub fn display(pointer: &str) -> String {
    let mut out = String::new();
    for step in split(pointer) {
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
        assert_eq!(display("/agent/inventory"), "agent.inventory");
        assert_eq!(display("/objects/mug 1/open"), "objects['mug 1'].open");
        assert_eq!(display("/a~1b/0"), "['a/b'][0]");
        assert_eq!(display(""), "everything");
    }
}
