//! Plots as files: CSV and JSON for further work, SVG to look at.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::{Chart, Plot, scatter, shares};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A value a line: measure, curve, number, value.
    Csv,
    Json,
    /// A drawing, the plots below each other.
    Svg,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self, String> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("csv") => Ok(Format::Csv),
            Some("json") => Ok(Format::Json),
            Some("svg") => Ok(Format::Svg),
            _ => {
                Err(format!("{}: the name must end in .csv, .json or .svg, which says what is written", path.display()))
            }
        }
    }

    pub fn write(self, plots: &[Plot]) -> String {
        match self {
            Format::Csv => csv(plots),
            Format::Json => format!("{:#}\n", json!(plots)),
            Format::Svg => svg(&plots.iter().cloned().map(Chart::Curves).collect::<Vec<_>>()),
        }
    }
}

fn csv(plots: &[Plot]) -> String {
    let mut text = "measure,curve,n,value\n".to_owned();
    for plot in plots {
        for series in &plot.series {
            for (n, value) in plot.points(series) {
                // Writing to a text cannot fail.
                let _ = writeln!(text, "{},{},{n},{value}", quoted(&plot.measure), quoted(&series.name));
            }
        }
    }
    text
}

pub(crate) fn quoted(cell: impl AsRef<str>) -> String {
    let cell = cell.as_ref();
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

pub(super) const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
/// Room beside and below a plot for its axes.
pub(super) const MARGIN: f64 = 50.0;
/// The height of a line of the legend.
pub(super) const LINE: f64 = 18.0;
/// Colours that can be distinguished with any colour vision (Okabe and Ito).
pub(super) const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

pub(crate) fn svg(charts: &[Chart]) -> String {
    let mut body = String::new();
    let mut top = 0.0;
    for chart in charts {
        match chart {
            Chart::Curves(plot) => {
                body.push_str(&panel(plot, top));
                top += HEIGHT + MARGIN + LINE * plot.series.len() as f64;
            }
            Chart::Shares(shares) => {
                body.push_str(&shares::panel(shares, top));
                top += shares::height(shares);
            }
            Chart::Points(points) => {
                body.push_str(&scatter::panel(points, top));
                top += scatter::height(points);
            }
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

fn panel(plot: &Plot, top: f64) -> String {
    let (first, last, most) = (plot.from, plot.last().max(plot.from + 1), plot.top());
    let x = |n: usize| MARGIN + (n - first) as f64 / (last - first) as f64 * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| top + HEIGHT - value / most * (HEIGHT - MARGIN);
    let mut text = String::new();
    let mut add = |line: String| text.push_str(&line);
    let (left, right, bottom) = (x(first), x(last), y(0.0));
    add(format!("<text x=\"{left}\" y=\"{:.1}\">{}</text>\n", y(most) - 12.0, escaped(&plot.measure)));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = y(share * most);
        add(format!("<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/>\n"));
        add(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.2}</text>\n",
            left - 6.0,
            at + 4.0,
            share * most
        ));
    }
    // At most some twenty numbers fit below the axis.
    for n in (first..=last).step_by((last - first) / 20 + 1) {
        add(format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{n}</text>\n", x(n), bottom + 16.0));
    }
    add(format!("<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n", bottom + 32.0, escaped(&plot.over)));
    for (at, (series, colour)) in plot.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let line: Vec<String> = plot.points(series).map(|(n, value)| format!("{:.1},{:.1}", x(n), y(value))).collect();
        add(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
            line.join(" ")
        ));
        for (n, value) in plot.points(series) {
            add(format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>\n", x(n), y(value)));
        }
        let below = bottom + 32.0 + LINE * at as f64;
        add(format!("<rect x=\"{left}\" y=\"{:.1}\" width=\"12\" height=\"4\" fill=\"{colour}\"/>\n", below - 6.0));
        add(format!("<text x=\"{:.1}\" y=\"{below:.1}\">{}</text>\n", left + 18.0, escaped(&series.name)));
    }
    text
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::plot;
    use super::*;

    #[test]
    fn a_files_name_says_its_form() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!((of("a.csv"), of("b.json"), of("c.svg")), (Ok(Format::Csv), Ok(Format::Json), Ok(Format::Svg)));
        assert!(of("a.png").unwrap_err().contains(".csv, .json or .svg") && of("csv").is_err());
    }

    #[test]
    fn csv_has_a_value_a_line() {
        let text = Format::Csv.write(&[plot()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["measure,curve,n,value", "a(n),\"state, \"\"live\"\"\",1,1"]);
        assert_eq!((lines.len(), lines[8]), (9, "a(n),<plain>,4,0"));
    }

    #[test]
    fn json_is_the_plots() {
        let value: serde_json::Value = serde_json::from_str(&Format::Json.write(&[plot()])).unwrap();
        assert_eq!(value[0]["series"][1]["values"], json!([0.5, 0.25, 0.0, 0.0]));
        assert_eq!((&value[0]["from"], &value[0]["over"]), (&json!(1), &json!("swaps")));
    }

    #[test]
    fn svg_holds_every_curve_and_no_bare_markup() {
        let text = Format::Svg.write(&[plot(), plot()]);
        assert_eq!(text.matches("<polyline").count(), 4);
        assert!(text.contains("&lt;plain&gt;") && !text.contains("<plain>"));
        // The last value of the first curve: half way up at the right edge.
        assert!(text.contains("590.0,175.0"), "{text}");
        let one = Plot { series: Vec::new(), ..plot() };
        assert!(Format::Svg.write(&[one]).ends_with("</svg>\n"));
    }
}
