//! Colour normalisation: an option that names a colour is that colour for the reward, the first of the list that it holds.

use std::sync::LazyLock;

/// The colours, in the order they are looked for.
static COLOURS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("../data/colours.txt").lines().collect());

/// The first colour whose name is within the text, or else the text itself.
pub fn normalise(text: &str) -> &str {
    COLOURS.iter().find(|colour| text.contains(**colour)).copied().unwrap_or(text)
}

pub fn is_colour(text: &str) -> bool {
    COLOURS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_colour_of_the_list_counts() {
        assert_eq!(normalise("light blue"), "blue");
        assert_eq!(normalise("tank tops"), "tan");
        assert_eq!(normalise("x-large"), "x-large");
    }
}
