//! Shares with their intervals, a row each: how they are drawn.

use serde::Serialize;

use super::export::{COLOURS, LINE, MARGIN, WIDTH, escaped};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareOf {
    pub name: String,
    pub share: f64,
    /// Its 95 % interval, where there is one.
    pub interval: Option<[f64; 2]>,
    pub paper: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shares {
    /// The name of the shares, in a few words.
    pub measure: String,
    pub rows: Vec<ShareOf>,
}

const CHARACTER: f64 = 7.0;

/// Where names end and the axis begins: behind the longest name, at most in the middle.
fn axis(shares: &Shares) -> f64 {
    let longest = shares.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    (longest as f64 * CHARACTER + 16.0).clamp(260.0, WIDTH - 240.0)
}

/// A name as far as there is room before the axis; cut in its middle, because names differ at both ends.
fn fitting(name: &str, axis: f64) -> String {
    let most = (axis / CHARACTER) as usize;
    let count = name.chars().count();
    if count <= most {
        return name.to_owned();
    }
    let half = most.saturating_sub(1) / 2;
    let (first, last): (String, String) =
        (name.chars().take(half).collect(), name.chars().skip(count - half).collect());
    format!("{first}…{last}")
}

pub(super) fn height(shares: &Shares) -> f64 {
    2.0 * MARGIN + LINE * shares.rows.len() as f64
}

/// The drawing, from `top` on: a dot a share, a line its interval, a cross what the paper prints.
pub(super) fn panel(shares: &Shares, top: f64) -> String {
    let axis = axis(shares);
    let x = |share: f64| axis + share.clamp(0.0, 1.0) * (WIDTH - MARGIN - axis);
    let bottom = top + MARGIN + LINE * shares.rows.len() as f64;
    let mut text = format!("<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n", top + 24.0, escaped(&shares.measure));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = x(share);
        text.push_str(&format!("<path d=\"M{at:.1} {:.1}V{bottom:.1}\" stroke=\"#ddd\"/>\n", top + MARGIN - 8.0));
        text.push_str(&format!(
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{share:.2}</text>\n",
            bottom + 16.0
        ));
    }
    let [ours, paper, ..] = COLOURS;
    for (at, row) in shares.rows.iter().enumerate() {
        let y = top + MARGIN + LINE * (at as f64 + 0.5);
        text.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            axis - 8.0,
            y + 4.0,
            escaped(&fitting(&row.name, axis))
        ));
        if let Some([low, high]) = row.interval {
            text.push_str(&format!("<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"{ours}\"/>\n", x(low), x(high)));
        }
        text.push_str(&format!("<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{ours}\"/>\n", x(row.share)));
        if let Some(printed) = row.paper {
            let at = x(printed);
            text.push_str(&format!(
                "<path d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\" stroke=\"{paper}\" stroke-width=\"2\"/>\n",
                at - 4.0,
                y - 4.0
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_its_interval_and_the_papers_are_drawn() {
        let row = |name: &str, paper| ShareOf { name: name.into(), share: 0.5, interval: Some([0.25, 0.75]), paper };
        let shares = Shares { measure: "won".into(), rows: vec![row("<a>", Some(1.0)), row("b", None)] };
        let text = panel(&shares, 0.0);
        assert_eq!((text.matches("<circle").count(), text.matches("l8 8").count()), (2, 1));
        // Half way between the axis' ends, and the interval a quarter to either side.
        assert!(
            text.contains("cx=\"425.0\"") && text.contains("M342.5 59.0H507.5") && text.contains("&lt;a&gt;"),
            "{text}"
        );
    }

    #[test]
    fn long_names_have_room_and_are_cut_in_their_middle() {
        let row = |name: String| ShareOf { name, share: 0.5, interval: None, paper: None };
        let of = |name: &str| Shares { measure: "won".into(), rows: vec![row(name.to_owned())] };
        let longer = of("precondition-aware, 10 shots, ground-truth");
        assert!(axis(&longer) > 300.0 && panel(&longer, 0.0).contains("10 shots, ground-truth<"));
        let long = of(&format!("a{}z", "b".repeat(200)));
        let text = panel(&long, 0.0);
        assert_eq!(axis(&long), WIDTH - 240.0);
        assert!(text.contains(">abbb") && text.contains("…") && text.contains("bbbz<"), "{text}");
    }
}
