//! Rendering of a trajectory as a Python program: the enclosing function, its comment, the set-up lines, one call a line.

use std::fmt::Display;

/// The text of a program (without its specification): `def function():`, the comment, the set-up statements, the calls.
///
/// `comment` and `setup` are single lines; a line break in a comment becomes a space, so that it stays a comment. No line is
/// written for an empty comment.
pub fn render_program<C: Display>(
    function: &str,
    comment: &str,
    setup: &[String],
    calls: impl IntoIterator<Item = C>,
) -> String {
    let comment = comment.replace(['\n', '\r'], " ");
    let mut text = format!("def {function}():\n");
    if !comment.is_empty() {
        text.push_str(&format!("    # {comment}\n"));
    }
    for line in setup {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    for call in calls {
        text.push_str(&format!("    {call}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Call;

    #[test]
    fn a_program_is_a_function_of_calls() {
        let calls = [Call::new("agent", "goto", ["desk 1"]), Call::new("agent", "open", ["desk 1"])];
        let setup = ["env = Environment()".to_owned()];
        let text = render_program("put_a_mug", "put a mug\nin desk.", &setup, &calls);
        assert_eq!(
            text,
            "def put_a_mug():\n    # put a mug in desk.\n    env = Environment()\n    agent.goto('desk 1')\n    \
             agent.open('desk 1')\n"
        );
        ruff_python_parser::parse_module(&text).unwrap();
    }
}
