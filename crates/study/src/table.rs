//! Tables of text for display: the first columns to the left, the others to the right, each as wide as it must be.

use std::fmt::Write as _;

#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Its title, written to files and above the table.
    pub(super) title: String,
    /// Columns of words, set to the left; those after them are figures.
    pub(super) words: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
enum Row {
    Cells(Vec<String>),
    Line(String),
}

impl Table {
    /// A table with these headings; the first `words` columns hold words.
    pub(super) fn new<S: AsRef<str>>(words: usize, headings: impl IntoIterator<Item = S>) -> Self {
        let mut table = Table { title: String::new(), words, rows: Vec::new() };
        table.row(headings.into_iter().map(|h| h.as_ref().to_owned()));
        table
    }

    #[must_use]
    pub(super) fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The names of its columns, each once: a second `paper` is `paper (2)`.
    pub(super) fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let Some(Row::Cells(headings)) = self.rows.first() else { return names };
        for heading in headings {
            let numbered = |n: usize| if n == 1 { heading.clone() } else { format!("{heading} ({n})") };
            let free = (1..).map(numbered).find(|name| !names.contains(name));
            names.extend(free);
        }
        names
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().skip(1).filter_map(|row| match row {
            Row::Cells(cells) => Some(cells.as_slice()),
            Row::Line(_) => None,
        })
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.rows.push(Row::Line(text.into()));
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let mut line = String::new();
            match row {
                Row::Line(text) => line.push_str(text),
                Row::Cells(cells) => {
                    for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                        let gap = if at == 0 { "" } else { "  " };
                        // Writing to a text cannot fail.
                        let _ = if at < self.words {
                            write!(line, "{gap}{cell:<width$}")
                        } else {
                            write!(line, "{gap}{cell:>width$}")
                        };
                    }
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut table = Table::new(1, ["action", "F1"]);
        table.row(["é", "0.500"].map(str::to_owned));
        table.row(["INFORM_COUNT", "-"].map(str::to_owned));
        table.line("the end");
        assert_eq!(table.to_string(), "action           F1\né             0.500\nINFORM_COUNT      -\nthe end\n");
    }
}
