//! Report of a study: words, tables and plots of its lines, for display and as files (CSV, JSON, SVG).

use std::fmt;

use serde_json::{Map, Value, json};

use super::curve::{self, Chart, Plot, Scatter, draw, draw_points};
pub(super) use super::table::Table;

/// What tables were measured under, names and values: the world, the method, the model and so on.
pub type Labels = Vec<(&'static str, String)>;

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Table(Table),
    Plot(Plot),
    Points(Scatter),
    Chart(Chart),
}

/// Words, tables and plots in the order a person reads them.
#[derive(Debug, Clone, Default)]
pub struct Report {
    labels: Labels,
    parts: Vec<Part>,
}

impl Report {
    /// The same with what it was measured under, above its tables and in its files.
    #[must_use]
    pub fn measured_under(self, labels: Labels) -> Self {
        Report { labels, ..self }
    }

    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    pub(super) fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    pub(super) fn plot(&mut self, plot: Plot) {
        self.parts.push(Part::Plot(plot));
    }

    pub(super) fn points(&mut self, points: Scatter) {
        self.parts.push(Part::Points(points));
    }

    pub(super) fn chart(&mut self, chart: Chart) {
        self.parts.push(Part::Chart(chart));
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.parts.iter().filter_map(|part| if let Part::Table(table) = part { Some(table) } else { None })
    }

    fn charts(&self) -> Vec<Chart> {
        let chart = |part: &Part| match part {
            Part::Plot(plot) => Some(Chart::Curves(plot.clone())),
            Part::Points(points) => Some(Chart::Points(points.clone())),
            Part::Chart(chart) => Some(chart.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(chart).collect()
    }

    pub fn json(&self) -> Value {
        let table = |table: &Table| {
            let rows = table.cells().map(|row| {
                let cells = table.columns().into_iter().zip(row).map(|(name, cell)| (name, value(cell)));
                Value::Object(cells.collect::<Map<_, _>>())
            });
            json!({ "table": table.title, "rows": rows.collect::<Vec<_>>() })
        };
        let labels: Map<String, Value> =
            self.labels.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "measured_under": labels, "tables": self.tables().map(table).collect::<Vec<_>>(), "charts": self.charts() })
    }

    pub fn plots(&self) -> Vec<Plot> {
        let plot = |part: &Part| match part {
            Part::Plot(plot) | Part::Chart(Chart::Curves(plot)) => Some(plot.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(plot).collect()
    }

    /// What it was measured under, its tables and curves as CSV, a cell a line: table, row, column, value; of a curve what is measured, its name, the number and the
    /// value there. `lead` begins each line.
    pub fn csv(&self, lead: &str) -> String {
        let mut text = String::new();
        for (name, value) in &self.labels {
            text.push_str(&format!("{lead}measured under,,{name},{}\n", curve::quoted(value)));
        }
        for plot in self.plots() {
            let title = format!("{} over {}", plot.measure, plot.over);
            for series in &plot.series {
                for (n, value) in plot.points(series) {
                    let cells = [title.as_str(), &series.name, &n.to_string(), &value.to_string()].map(curve::quoted);
                    text.push_str(&format!("{lead}{}\n", cells.join(",")));
                }
            }
        }
        for table in self.tables() {
            for row in table.cells() {
                let name: Vec<&str> = row.iter().take(table.words).map(|cell| cell.trim()).collect();
                for (column, cell) in table.columns().iter().zip(row).skip(table.words) {
                    let cells = [table.title.as_str(), &name.join(" / "), column, cell].map(curve::quoted);
                    text.push_str(&format!("{lead}{}\n", cells.join(",")));
                }
            }
        }
        text
    }

    pub fn svg(reports: &[Report]) -> String {
        curve::svg(&reports.iter().flat_map(Report::charts).collect::<Vec<_>>())
    }
}

fn value(cell: &str) -> Value {
    match cell {
        "-" => Value::Null,
        cell => cell.parse::<f64>().ok().filter(|n| n.is_finite()).map_or_else(|| json!(cell), |number| json!(number)),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Which build it was stands in the files, and where results of two builds stand together.
        let labels = self.labels.iter().filter(|(name, _)| *name != "program");
        let labels: Vec<String> = labels.map(|(name, value)| format!("{name} {value}")).collect();
        if !labels.is_empty() {
            writeln!(f, "Measured under: {}\n", labels.join("; "))?;
        }
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Table(table) => write!(f, "{table}")?,
                Part::Plot(plot) => f.write_str(&draw(plot))?,
                Part::Points(points) => f.write_str(&draw_points(points))?,
                Part::Chart(_) => {}
            }
        }
        Ok(())
    }
}

const MOST_REASONS: usize = 8;

/// Below a table: why tasks could not be carried out, each reason once with the first of them.
pub(crate) fn refusals<'a>(failed: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut reasons: Vec<(&str, &str, usize)> = Vec::new();
    for (task, why) in failed {
        match reasons.iter_mut().find(|(_, known, _)| *known == why) {
            Some((.., others)) => *others += 1,
            None => reasons.push((task, why, 0)),
        }
    }
    let mut text = String::new();
    for (task, why, others) in reasons.iter().take(MOST_REASONS) {
        let others = if *others > 0 { format!(" and {others} more") } else { String::new() };
        text.push_str(&format!("{task}{others}: {why}\n"));
    }
    if reasons.len() > MOST_REASONS {
        text.push_str(&format!("and {} further reasons\n", reasons.len() - MOST_REASONS));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_data_as_well() {
        let mut report = Report::default();
        report.text("a word\n");
        let mut table = Table::new(1, ["task", "won", "paper", "paper"]).titled("Shares, by task");
        table.row(["a, b", "0.5", "-", "39/50"].map(str::to_owned));
        table.line("    a remark");
        report.table(table);
        assert!(report.to_string().starts_with("a word\ntask "), "{report}");
        let curve = Plot::of_points("ours", 2, &[(2, 0.25), (8, 0.5)]);
        let (measure, over) = ("success".to_owned(), "pairs of logs".to_owned());
        let mut curves = report.clone();
        curves.plot(Plot { measure, over, from: 2, series: vec![curve] });
        let of_curve: Vec<String> = curves.csv("e,").lines().take(3).map(str::to_owned).collect();
        assert_eq!(
            of_curve[..2],
            ["e,success over pairs of logs,ours,2,0.25", "e,success over pairs of logs,ours,8,0.5"]
        );
        assert!(of_curve[2].contains("Shares, by task") && curves.plots().len() == 1, "{of_curve:?}");
        let csv = report.csv("e,");
        assert_eq!(csv.lines().next(), Some("e,\"Shares, by task\",\"a, b\",won,0.5"));
        assert_eq!(csv.lines().count(), 3);
        let rows = &report.json()["tables"][0]["rows"];
        assert_eq!(*rows, json!([{"task": "a, b", "won": 0.5, "paper": null, "paper (2)": "39/50"}]));
    }
}
