//! Colour normalisation: an option that names a colour is that colour for the reward, the first of the list that it holds.

/// The colours, in the order they are looked for.
pub(crate) const COLOURS: [&str; 102] = [
    "alabaster",
    "apricot",
    "aqua",
    "ash",
    "asphalt",
    "azure",
    "banana",
    "beige",
    "black",
    "blue",
    "blush",
    "bordeaux",
    "bronze",
    "brown",
    "burgundy",
    "camel",
    "camo",
    "caramel",
    "champagne",
    "charcoal",
    "cheetah",
    "chestnut",
    "chocolate",
    "christmas",
    "coffee",
    "cognac",
    "copper",
    "coral",
    "cranberry",
    "cream",
    "crystal",
    "dark",
    "denim",
    "eggplant",
    "elephant",
    "espresso",
    "fuchsia",
    "gold",
    "granite",
    "grape",
    "graphite",
    "grass",
    "gray",
    "green",
    "grey",
    "heather",
    "indigo",
    "ivory",
    "ivy",
    "khaki",
    "lavender",
    "lemon",
    "leopard",
    "light",
    "lilac",
    "lime",
    "magenta",
    "maroon",
    "mauve",
    "merlot",
    "midnight",
    "mint",
    "mocha",
    "multicolor",
    "mushroom",
    "mustard",
    "natural",
    "navy",
    "nude",
    "olive",
    "orange",
    "peach",
    "pewter",
    "pink",
    "plum",
    "purple",
    "rainbow",
    "red",
    "rose",
    "royal",
    "rust",
    "sand",
    "sapphire",
    "seashell",
    "silver",
    "skull",
    "slate",
    "steel",
    "stone",
    "stonewash",
    "sunflower",
    "tan",
    "taupe",
    "teal",
    "tiger",
    "turquoise",
    "violet",
    "walnut",
    "wheat",
    "white",
    "wine",
    "yellow",
];

/// The first colour whose name is within the text, or else the text itself.
pub fn normalise(text: &str) -> &str {
    COLOURS.iter().find(|colour| text.contains(**colour)).copied().unwrap_or(text)
}

pub(crate) fn is_colour(text: &str) -> bool {
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
