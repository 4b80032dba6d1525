//! Writer of programs: a function whose lines are the calls of steps, thoughts as comments before actions.

use crate::record::Step;

/// Steps as a program, each line ended: the opening (the `def` line first, the others indented), then the calls; with think comments or not,
/// and without the oldest `left_out` observations, which a comment stands for.
pub fn write(opening: &[String], steps: &[Step], think: bool, left_out: usize) -> String {
    let mut program = String::new();
    let mut lines = opening.iter();
    if let Some(def) = lines.next() {
        program.push_str(def);
        program.push('\n');
    }
    let mut line = |text: &str| {
        program.push_str("    ");
        program.push_str(text.trim_start());
        program.push('\n');
    };
    lines.for_each(|text| line(text));
    if left_out > 0 {
        line(&format!("# ({left_out} older observations are left out)"));
    }
    let mut skip = left_out;
    for step in steps {
        if think {
            step.thought.iter().flat_map(|thoughts| thoughts.lines()).for_each(|thought| line(&comment(thought)));
        }
        step.call.iter().for_each(|action| line(&action.to_string()));
        for observation in &step.calls {
            match skip.checked_sub(1) {
                Some(left) => skip = left,
                None => line(&observation.to_string()),
            }
        }
    }
    program
}

/// A thought as a comment. It never ends as a call does: a model that writes like it would be stopped before its action.
fn comment(thought: &str) -> String {
    let end = if thought.ends_with(')') { "." } else { "" };
    format!("# think: {thought}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_observations_go_first_and_a_comment_stands_for_them() {
        let step = |action: &str, observations: &[&str]| Step {
            thought: Some("why not".into()),
            call: Some(action.parse().unwrap()),
            calls: observations.iter().map(|o| o.parse().unwrap()).collect(),
            ..Step::default()
        };
        let opening = ["def f():", "# f", "a = A()"].map(str::to_owned);
        let steps = [step("a.go(1)", &["a.see(1)", "a.see(2)"]), step("a.go(2)", &["a.see(3)"])];
        assert_eq!(comment("I answer GOODBYE()"), "# think: I answer GOODBYE().");
        assert_eq!(
            write(&opening, &steps, false, 0),
            "def f():\n    # f\n    a = A()\n    a.go(1)\n    a.see(1)\n    a.see(2)\n    a.go(2)\n    a.see(3)\n"
        );
        assert_eq!(
            write(&opening, &steps, true, 2),
            "def f():\n    # f\n    a = A()\n    # (2 older observations are left out)\n    # think: why not\n    \
             a.go(1)\n    # think: why not\n    a.go(2)\n    a.see(3)\n"
        );
    }
}
