//! Plane geometry of the kitchen: angles, rounding, distances, crossing segments. All comparisons allow for [`TOLERANCE`].

use super::scene::{Point, Segment};

/// Differences up to this count as none.
pub const TOLERANCE: f64 = 1e-9;

/// Rounds to some decimals, exact ties to the even digit, as Python's `round` does on the number's exact binary value.
pub fn round(value: f64, decimals: usize) -> f64 {
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// A heading as it is kept after an action: three decimals, from 0 up to but not including 360.
pub fn heading(yaw: f64) -> f64 {
    let turned = round(round(yaw, 3).rem_euclid(360.0), 3);
    if turned >= 360.0 { 0.0 } else { turned }
}

/// The heading from a point to another, in degrees clockwise from +z.
pub(crate) fn bearing(from: Point, to: Point) -> f64 {
    (to.0 - from.0).atan2(to.1 - from.1).to_degrees()
}

/// How far apart two headings are, 0 to 180 degrees.
pub fn apart(a: f64, b: f64) -> f64 {
    let turn = (a - b).rem_euclid(360.0);
    turn.min(360.0 - turn)
}

pub fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Whether two segments cross properly: neither end of one lies on or within tolerance of the other's line.
pub(crate) fn cross(a: Segment, b: Segment) -> bool {
    apart_by(a, b) && apart_by(b, a)
}

/// Whether a line's two sides hold one end of a segment each.
fn apart_by(line: Segment, segment: Segment) -> bool {
    side(line, segment.0) * side(line, segment.1) < -TOLERANCE
}

fn side((from, to): Segment, point: Point) -> f64 {
    (to.0 - from.0) * (point.1 - from.1) - (to.1 - from.1) * (point.0 - from.0)
}

/// The grid point nearest to a point among those at least `least` away, with its distance. Distances are compared to six
/// decimals; of equals, the one with the smaller x, then the smaller z.
pub fn nearest(grid: &[Point], to: Point, least: f64) -> Option<(Point, f64)> {
    let mut best: Option<(f64, Point, f64)> = None;
    for &point in grid {
        let far = distance(point, to);
        if far < least - TOLERANCE {
            continue;
        }
        let key = round(far, 6);
        let better = best.is_none_or(|(known, at, _)| {
            key.total_cmp(&known).then(order(point.0, at.0)).then(order(point.1, at.1)).is_lt()
        });
        if better {
            best = Some((key, point, far));
        }
    }
    best.map(|(_, point, far)| (point, far))
}

/// Order of numbers in which the two zeros are equal.
fn order(a: f64, b: f64) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_pythons() {
        for (value, decimals, rounded) in [
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (2.5, 0, 2.0),
            (3.5, 0, 4.0),
            (2.675, 2, 2.67),
            (1.0005, 3, 1.0),
            (-0.0625, 3, -0.062),
            (1.50005, 4, 1.5001),
        ] {
            assert_eq!(round(value, decimals), rounded, "{value}");
        }
    }

    #[test]
    fn headings_stay_within_a_turn() {
        for (yaw, kept) in
            [(-90.0, 270.0), (360.0, 0.0), (414.444, 54.444), (359.9999, 0.0), (-0.0001, 0.0), (720.0, 0.0)]
        {
            assert_eq!(heading(yaw), kept, "{yaw}");
        }
        assert_eq!(apart(350.0, 10.0), 20.0);
        assert_eq!(apart(10.0, 350.0), 20.0);
    }

    #[test]
    fn touching_is_not_crossing() {
        let line = ((0.0, 0.0), (2.0, 0.0));
        assert!(cross(line, ((1.0, -1.0), (1.0, 1.0))));
        assert!(!cross(line, ((1.0, 0.0), (1.0, 1.0))), "an end on the line");
        assert!(!cross(line, ((3.0, -1.0), (3.0, 1.0))), "beyond the end");
        assert!(!cross(line, ((0.0, 0.0), (2.0, 0.0))), "the same line");
    }

    #[test]
    fn of_equally_near_points_the_smaller_counts() {
        let grid = [(1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0)];
        assert_eq!(nearest(&grid, (0.0, 0.0), 0.0).unwrap().0, (-1.0, 0.0));
        assert_eq!(nearest(&grid, (0.0, 0.0), 1.1), None);
    }
}
