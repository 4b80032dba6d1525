//! What is wrong in a file that says something of a world, by line: a domain, a form of states.

use std::fmt;

/// Why a file could not be loaded: everything found, with file and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFaults {
    /// Empty where the text is typed.
    pub path: String,
    /// Line (from 1; 0 for the whole file), and what is wrong there and what would be right.
    pub faults: Vec<(usize, String)>,
}

impl std::error::Error for FileFaults {}

impl fmt::Display for FileFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (line, message)) in self.faults.iter().enumerate() {
            let end = if number > 0 { "\n" } else { "" };
            match (self.path.as_str(), line) {
                ("", line) => write!(f, "{end}line {line}: {message}")?,
                (path, 0) => write!(f, "{end}{path}: {message}")?,
                (path, line) => write!(f, "{end}{path}:{line}: {message}")?,
            }
        }
        Ok(())
    }
}
