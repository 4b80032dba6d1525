//! Trajectory as a program: a function whose lines are calls. It renders as Python and executes line by line; editing a
//! line re-executes from there.

use std::fmt;

use super::call::{Call, CallError};
use super::engine::fault::{Fault, FaultKind};
use super::specification::{Role, Specification};
use super::state::State;

/// What a line of a trajectory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A decision of the agent.
    Action,
    /// What the world reported.
    Observation,
}

/// A line of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The call, or the text as typed and why it is none.
    pub call: Result<Call, CallError>,
    /// Whether it is the agent's or the world's.
    pub kind: LineKind,
    /// The step of the episode it belongs to, where it belongs to one.
    pub step: Option<usize>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call {
            Ok(call) => call.fmt(f),
            Err(error) => f.write_str(&error.text),
        }
    }
}

/// A trajectory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// Name of the function (`put_a_mug_in_desk`).
    pub function: String,
    /// The comment under its `def`, without `# `.
    pub comment: String,
    /// The statements that make the objects.
    pub setup: Vec<String>,
    /// The calls.
    pub lines: Vec<Line>,
}

impl Trajectory {
    /// The Python text: `def`, comment, setup, calls; four spaces deep.
    pub fn render(&self) -> String {
        let mut out = format!("def {}():\n", self.function);
        if !self.comment.is_empty() {
            out.push_str(&format!("    # {}\n", self.comment));
        }
        for line in &self.setup {
            out.push_str(&format!("    {line}\n"));
        }
        for line in &self.lines {
            out.push_str(&format!("    {line}\n"));
        }
        if self.setup.is_empty() && self.lines.is_empty() {
            out.push_str("    pass\n");
        }
        out
    }

    /// The line of the text (from 1) of call number `index` (from 0).
    pub fn text_line(&self, index: usize) -> usize {
        2 + usize::from(!self.comment.is_empty()) + self.setup.len() + index
    }

    /// Reads a text as [`Trajectory::render`] writes it; the kinds of its lines are those the specification declares.
    /// Lines that are no calls are kept as they are and fail when executed.
    pub fn parse(text: &str, spec: &Specification) -> Trajectory {
        let mut trajectory = Trajectory::default();
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("def ") {
                trajectory.function = name.split('(').next().unwrap_or(name).trim().to_owned();
            } else if let Some(comment) = line.strip_prefix('#') {
                if trajectory.comment.is_empty() {
                    trajectory.comment = comment.trim().to_owned();
                }
            } else if trajectory.lines.is_empty() && spec.declarations().setup.iter().any(|s| s == line) {
                trajectory.setup.push(line.to_owned());
            } else if !line.is_empty() && line != "pass" {
                trajectory.lines.push(Line::typed(line, spec));
            }
        }
        trajectory
    }
}

impl Line {
    /// A line as a person typed it; its kind is what the specification declares the function to be.
    pub fn typed(text: &str, spec: &Specification) -> Line {
        let call = parse_line(text);
        let action = call
            .as_ref()
            .is_ok_and(|c| spec.function(&c.receiver, &c.function).is_some_and(|f| f.role == Role::Action));
        Line { call, kind: if action { LineKind::Action } else { LineKind::Observation }, step: None }
    }
}

/// Reads one line as a call of constants; spaces around it are dropped.
///
/// # Errors
/// If it is anything else; the error keeps the text.
pub fn parse_line(text: &str) -> Result<Call, CallError> {
    text.trim().parse()
}

/// How a line of a trajectory ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineStatus {
    /// It executed.
    Done,
    /// It failed; nothing after it is executed.
    Failed(Fault),
    /// A line before it failed.
    NotReached,
}

/// Every so many lines the state is kept, so that an edit re-executes little before it.
const KEEP_EVERY: usize = 32;

/// An executed trajectory, with states kept along the way.
#[derive(Debug, Clone)]
pub struct Execution {
    /// States before lines 0, `KEEP_EVERY`, ….
    kept: Vec<State>,
    /// The state after the last line that executed.
    end: State,
    statuses: Vec<LineStatus>,
}

impl Execution {
    /// Executes a trajectory from its first line; assertions are checked.
    ///
    /// # Errors
    /// If SETUP fails.
    pub fn new(spec: &Specification, trajectory: &Trajectory) -> Result<Execution, Fault> {
        let start = spec.start()?;
        let mut execution = Execution { kept: vec![start.clone()], end: start, statuses: Vec::new() };
        execution.update(trajectory, 0);
        Ok(execution)
    }

    /// Executes again after line `from` (and perhaps lines after it) changed; what lies before it is not executed again,
    /// but for the few lines since the last state that was kept.
    pub fn update(&mut self, trajectory: &Trajectory, from: usize) {
        let from = from.min(self.statuses.len()).min(trajectory.lines.len());
        let appended = from == self.statuses.len() && self.failed_at().is_none();
        self.statuses.truncate(from);
        self.kept.truncate(from / KEEP_EVERY + 1);
        if let Some(failed) = self.failed_at().filter(|at| *at < from) {
            // The failure before the change remains.
            self.statuses.truncate(failed + 1);
            self.statuses.resize(trajectory.lines.len(), LineStatus::NotReached);
            return;
        }
        let mut at = from;
        if !appended {
            at = (self.kept.len().saturating_sub(1)) * KEEP_EVERY;
            if let Some(state) = self.kept.last() {
                self.end = state.clone();
            }
        }
        self.statuses.truncate(at);
        for (i, line) in trajectory.lines.iter().enumerate().skip(at) {
            if i % KEEP_EVERY == 0 && self.kept.len() == i / KEEP_EVERY {
                self.kept.push(self.end.clone());
            }
            let result = match &line.call {
                Ok(call) => self.end.call(call),
                Err(error) => Err(Fault {
                    kind: FaultKind::Exception("SyntaxError".into()),
                    message: error.to_string(),
                    line: None,
                    call: Some(error.text.clone()),
                }),
            };
            match result {
                Ok(()) => self.statuses.push(LineStatus::Done),
                Err(fault) => {
                    self.statuses.push(LineStatus::Failed(fault));
                    break;
                }
            }
        }
        self.statuses.resize(trajectory.lines.len(), LineStatus::NotReached);
    }

    /// How each line ended.
    pub fn statuses(&self) -> &[LineStatus] {
        &self.statuses
    }

    /// The line that failed (from 0), if one did.
    pub fn failed_at(&self) -> Option<usize> {
        self.statuses.iter().position(|s| matches!(s, LineStatus::Failed(_)))
    }

    /// The state after the last line that executed.
    pub fn end(&self) -> &State {
        &self.end
    }

    /// The state before a line; `None` for a line that was not reached.
    pub fn before(&self, trajectory: &Trajectory, line: usize) -> Option<State> {
        if self.failed_at().is_some_and(|at| line > at) || line > trajectory.lines.len() {
            return None;
        }
        let mut state = self.kept.get(line / KEEP_EVERY)?.clone();
        for line in trajectory.lines.get(line / KEEP_EVERY * KEEP_EVERY..line)? {
            state.call(line.call.as_ref().ok()?).ok()?;
        }
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "SETUP = ['a = A()']\nACTIONS = ['a.go']\nOBSERVATIONS = ['a.see']\n\nclass A:\n    def __init__(self):\n        self.seen = []\n\n    def see(self, what):\n        self.seen.append(what)\n\n    def go(self, where):\n        assert where in self.seen\n";

    fn trajectory(spec: &Specification, n: usize) -> Trajectory {
        let mut t = Trajectory {
            function: "f".into(),
            comment: "go.".into(),
            setup: vec!["a = A()".into()],
            ..Default::default()
        };
        for i in 0..n {
            t.lines.push(Line::typed(&format!("a.see('x {i}')"), spec));
            t.lines.push(Line::typed(&format!("a.go('x {i}')"), spec));
        }
        t
    }

    #[test]
    fn an_edit_gives_what_a_full_execution_gives() {
        let spec = Specification::load(SPEC, "spec.py").unwrap();
        let mut t = trajectory(&spec, 60);
        let mut execution = Execution::new(&spec, &t).unwrap();
        assert_eq!(execution.failed_at(), None);
        for (at, text) in
            [(70, "a.see('y')"), (70, "a.see('x 35')"), (3, "a.go('no')"), (50, "a.see("), (3, "a.go('x 1')")]
        {
            t.lines[at] = Line::typed(text, &spec);
            execution.update(&t, at);
            let whole = Execution::new(&spec, &t).unwrap();
            assert_eq!(execution.statuses(), whole.statuses(), "line {at}: {text}");
            assert_eq!(execution.end().fingerprint(), whole.end().fingerprint());
        }
        assert_eq!(execution.failed_at(), Some(50));
        t.lines.truncate(50);
        execution.update(&t, 50);
        t.lines.push(Line::typed("a.see('z')", &spec));
        execution.update(&t, 50);
        assert_eq!(execution.statuses(), Execution::new(&spec, &t).unwrap().statuses());
        let before = execution.before(&t, 33).unwrap();
        assert_eq!(before.variables()["a"]["seen"].as_array().unwrap().len(), 17);
    }

    #[test]
    fn a_text_survives_reading() {
        let spec = Specification::load(SPEC, "spec.py").unwrap();
        let t = trajectory(&spec, 3);
        let text = t.render();
        assert!(text.starts_with("def f():\n    # go.\n    a = A()\n    a.see('x 0')\n    a.go('x 0')\n"));
        assert_eq!(Trajectory::parse(&text, &spec), t);
        assert_eq!(text.lines().nth(t.text_line(1) - 1), Some("    a.go('x 0')"));
        assert_eq!(t.lines[1].kind, LineKind::Action);
    }
}
