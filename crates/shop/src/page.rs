//! Pages of the shop as pieces of text with their part: what a person sees, without the HTML. All forms in which an agent gets a
//! page are made from the same pieces.

use indexmap::IndexMap;
use stepwright_text::words::stripped;

use crate::catalogue::Product;
use crate::goal::Goal;
use crate::python::{float, json_dict};

pub(crate) const BUY: &str = "Buy Now";
pub(crate) const NEXT: &str = "Next >";
pub(crate) const PREVIOUS: &str = "< Prev";
pub(crate) const BACK: &str = "Back to Search";
pub const SEARCH: &str = "Search";
/// The pages about a product, by their buttons; the last is shown only where attributes are to be seen.
pub(crate) const SUB_PAGES: [&str; 4] = ["Description", "Features", "Reviews", "Attributes"];
pub const PER_PAGE: usize = 10;
/// The text before the score on the last page.
pub(crate) const SCORE: &str = "Your score (min 0.0, max 1.0)";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text,
    Button,
    /// A result's number, which leads to the product.
    Product,
    Choice {
        option: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub part: Part,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Search,
    Results,
    Item,
    SubPage,
    Done,
}

impl Kind {
    /// The name in the original engine's addresses; empty for the search page.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Search => "",
            Kind::Results => "search_results",
            Kind::Item => "item_page",
            Kind::SubPage => "item_sub_page",
            Kind::Done => "done",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub kind: Kind,
    pub pieces: Vec<Piece>,
}

impl Page {
    fn new(kind: Kind) -> Self {
        Page { kind, pieces: Vec::new() }
    }

    /// With the instruction above, as on all pages but the first and the last.
    fn under(kind: Kind, goal: &Goal) -> Self {
        let mut page = Page::new(kind);
        page.text("Instruction:");
        page.text(&goal.instruction_text);
        page.button(BACK);
        page
    }

    /// A text. Of one that is blank a space remains, or nothing where lines are broken: what a parser of HTML keeps.
    fn text(&mut self, text: &str) {
        let blank = text.chars().all(|c| matches!(c, ' ' | '\n' | '\t' | '\u{C}' | '\r'));
        if text.is_empty() || (blank && text.contains('\n')) {
            return;
        }
        self.push(Part::Text, if blank { " " } else { text });
    }

    fn button(&mut self, text: &str) {
        self.push(Part::Button, text);
    }

    fn push(&mut self, part: Part, text: &str) {
        self.pieces.push(Piece { part, text: text.to_owned() });
    }

    pub fn search(goal: &Goal) -> Self {
        let mut page = Page::new(Kind::Search);
        page.text("WebShop");
        page.text("Instruction: ");
        page.text(&goal.instruction_text);
        page.button(SEARCH);
        page
    }

    /// A page of results, counted from 1.
    pub fn results<'a>(
        goal: &Goal,
        number: usize,
        total: usize,
        products: impl IntoIterator<Item = &'a Product>,
    ) -> Self {
        let mut page = Page::under(Kind::Results, goal);
        page.text(&format!("Page {number} (Total results: {total})"));
        if number > 1 {
            page.button(PREVIOUS);
        }
        page.button(NEXT);
        for product in products {
            page.push(Part::Product, &product.asin);
            page.text(&product.title);
            page.text(&product.price_tag);
        }
        page
    }

    pub fn item(goal: &Goal, product: &Product, show_attributes: bool) -> Self {
        let mut page = Page::under(Kind::Item, goal);
        page.button(PREVIOUS);
        for (name, values) in &product.options {
            page.text(name);
            for value in values {
                page.push(Part::Choice { option: name.clone() }, value);
            }
        }
        page.text(&product.title);
        page.text(&format!("Price: {}", product.price_tag));
        page.text(&format!("Rating: {}", product.rating));
        let shown = if show_attributes { &SUB_PAGES[..] } else { &SUB_PAGES[..3] };
        shown.iter().for_each(|name| page.button(name));
        page.button(BUY);
        page
    }

    /// A page about a product; `None` if there is none of that name.
    pub fn about(goal: &Goal, product: &Product, name: &str) -> Option<Self> {
        let mut page = Page::under(Kind::SubPage, goal);
        page.button(PREVIOUS);
        match name {
            "Description" => page.text(&product.description),
            "Features" => product.bullet_points.iter().for_each(|point| page.text(&format!(" {point}"))),
            "Reviews" => {
                for review in &product.reviews {
                    page.text(&format!("\"{}\"", review.title));
                    page.text(&review.score.as_str().map_or_else(|| review.score.to_string(), str::to_owned));
                    page.text(&review.body);
                }
            }
            "Attributes" => {
                product.attributes.iter().for_each(|attribute| page.text(&format!(" {attribute}")));
                page.text(&product.category);
                page.text(&product.query);
                page.text(&product.product_category);
            }
            _ => return None,
        }
        Some(page)
    }

    /// The page after a purchase. What the original engine hides from the buyer is there nevertheless, empty as it leaves it.
    pub fn done(asin: &str, options: &IndexMap<String, String>, reward: f64) -> Self {
        let mut sorted: Vec<(&String, &String)> = options.iter().collect();
        sorted.sort();
        let options = json_dict(sorted).chars().fold(String::new(), |mut text, c| {
            match c {
                '<' => text.push_str("\\u003c"),
                '>' => text.push_str("\\u003e"),
                '&' => text.push_str("\\u0026"),
                '\'' => text.push_str("\\u0027"),
                _ => text.push(c),
            }
            text
        });
        let before = ["Thank you for shopping with us!", "Your code: ", "None", " (Paste it in your MTurk interface.)"];
        let bought =
            ["Purchased", "asin", asin, "options", &options, "attrs", "None", "category", "None", "query", "None"];
        let wanted =
            ["product category", "None", "Target", "asin", "options", "attrs", "price upper", "instuction text"];
        let rest = ["category", "product category", "query", "Goal ", "None", "Reward", SCORE];
        let reward = float(reward);
        let end = [reward.as_str(), "Reward Details ", "None"];
        let mut page = Page::new(Kind::Done);
        for text in before.iter().chain(&bought).chain(&wanted).chain(&rest).chain(&end) {
            page.push(Part::Text, text);
        }
        page
    }

    /// The pieces that can be read: a choice without a text cannot.
    fn shown(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| !piece.text.is_empty())
    }

    /// The form `text`: the pieces between separators.
    pub fn plain(&self) -> String {
        self.shown().map(|piece| stripped(&piece.text)).collect::<Vec<_>>().join(" [SEP] ")
    }

    /// The form `text_rich`: a line a piece, buttons marked; `chosen` says which choices and products were clicked, in the first
    /// case with a line above that says so.
    pub fn rich(&self, clicked: impl Fn(&Piece) -> bool) -> String {
        let mut above = String::new();
        let mut lines = String::new();
        for piece in self.shown() {
            let text = &piece.text;
            let line = match (&piece.part, clicked(piece)) {
                (Part::Text, _) => text.clone(),
                (Part::Button, _) => format!("[button] {text} [button_]"),
                (Part::Product, false) => format!("\n[button] {text} [button_]"),
                (Part::Product, true) => format!("\n[clicked button] {text} [clicked button_]"),
                (Part::Choice { .. }, false) => format!("  [button] {text} [button_]"),
                (Part::Choice { .. }, true) => {
                    above = format!("You have clicked {text}.\n{above}");
                    format!("  [clicked button] {text} [clicked button_]")
                }
            };
            lines.push_str(&line);
            lines.push('\n');
        }
        above + &lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_texts_leave_a_space_or_nothing() {
        let mut page = Page::new(Kind::SubPage);
        // The separators of ASCII are white space to Python.
        ["", " \n ", "   ", "a", "\x1cb\x1f", "\x1c"].iter().for_each(|text| page.text(text));
        assert_eq!(page.plain(), " [SEP] a [SEP] b [SEP] ");
    }

    #[test]
    fn what_was_chosen_last_is_named_first() {
        let mut page = Page::new(Kind::Item);
        for value in ["red", "blue", "small"] {
            page.push(Part::Choice { option: "x".to_owned() }, value);
        }
        let rich = page.rich(|piece| piece.text != "blue");
        assert!(rich.starts_with("You have clicked small.\nYou have clicked red.\n  [clicked button] red"), "{rich}");
    }
}
