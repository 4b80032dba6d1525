//! Simpler site that ReAct, Reflexion and O3D act on: pages of the shop without the instruction, three results a page, the
//! choices of an option on one line, and `Invalid action!` for all that a page does not offer. Thinking aloud is an action.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::goal::Goal;
use crate::page::{BACK, BUY, Kind, NEXT, PREVIOUS, Page, Part, Piece, SCORE, SUB_PAGES};
use crate::python::{float, repr_dict};
use crate::reward::{Reward, reward};
use crate::session::Step;
use crate::shop::Shop;

/// The answer to an action that the page does not offer.
pub(crate) const INVALID: &str = "Invalid action!";
/// The answer to a thought.
pub const OK: &str = "OK.";
/// The action that begins the visit anew.
const RESET: &str = "reset";
/// Results that are shown; the others can still be clicked.
pub const SHOWN: usize = 3;

#[derive(Debug, Clone)]
pub struct Site {
    shop: Arc<Shop>,
    goal: Arc<Goal>,
    goal_id: usize,
    kind: Kind,
    page: Arc<Page>,
    pub query: String,
    found: Arc<[usize]>,
    pub asin: String,
    sub_page: &'static str,
    /// Choices, in the order of the clicks.
    pub options: IndexMap<String, String>,
    /// The choices of the last product that had any, and their options. They outlive the product's page.
    choices: IndexMap<String, String>,
    results: Vec<String>,
    reward: Option<Arc<Reward>>,
}

impl Site {
    /// A visit for the goal at a place of the shop's list; `None` if there is none there.
    pub fn new(shop: Arc<Shop>, goal_id: usize) -> Option<Self> {
        let goal = Arc::new(shop.goals.get(goal_id)?.clone());
        let page = Arc::new(Page::search(&goal));
        Some(Site {
            shop,
            goal,
            goal_id,
            kind: Kind::Search,
            page,
            query: String::new(),
            found: Arc::new([]),
            asin: String::new(),
            sub_page: SUB_PAGES[0],
            options: IndexMap::new(),
            choices: IndexMap::new(),
            results: Vec::new(),
            reward: None,
        })
    }

    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    pub fn shop(&self) -> &Shop {
        &self.shop
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn page_type(&self) -> &'static str {
        match self.kind {
            Kind::Search => "init",
            Kind::Results => "search",
            Kind::Item => "item",
            Kind::SubPage => "item_sub",
            Kind::Done => "end",
        }
    }

    pub fn reward(&self) -> Option<&Reward> {
        self.reward.as_deref()
    }

    pub fn clickables(&self) -> Vec<String> {
        let clickable = |piece: &&Piece| match (&piece.part, self.kind) {
            (Part::Text, _) | (Part::Button, Kind::Search) => false,
            (Part::Button, Kind::Results) => piece.text == BACK,
            (Part::Button, _) => piece.text != SUB_PAGES[3],
            (Part::Product | Part::Choice { .. }, _) => true,
        };
        self.page.pieces.iter().filter(clickable).map(|piece| piece.text.clone()).collect()
    }

    /// Does what an action says; the observation and what it brought.
    pub fn step(&mut self, action: &str) -> (String, Step) {
        let bought = self.kind == Kind::Done;
        match self.change(action) {
            Some(change) => {
                let observation = self.open(change);
                let observation = if action.starts_with("think") { OK.to_owned() } else { observation };
                let reward =
                    self.reward.as_deref().filter(|_| self.kind == Kind::Done).map_or(0.0, |reward| reward.total);
                // The purchase alone ends the visit; what follows it does not do so again.
                let done = self.kind == Kind::Done && !bought;
                (observation, Step { reward, done, taken: true })
            }
            None => {
                let observation = if action.starts_with("think") { OK } else { INVALID };
                (observation.to_owned(), Step { reward: 0.0, done: false, taken: false })
            }
        }
    }

    /// An action's change; `None` if the page does not offer it.
    fn change(&mut self, action: &str) -> Option<Change> {
        if action.starts_with("think[") {
            return Some(Change::Nothing);
        }
        // The word that the wrapper begins an episode with begins it again at any time.
        if action == RESET {
            *self = self.fresh();
            return Some(Change::Page);
        }
        if let Some(rest) = action.strip_prefix("search[") {
            if self.kind != Kind::Search {
                return None;
            }
            // The last character goes in any case.
            let query = rest.char_indices().next_back().map_or("", |(end, _)| &rest[..end]);
            *self = Site { query: query.to_owned(), kind: Kind::Results, ..self.fresh() };
            self.found = self.shop.find(&keywords(&self.query));
            return Some(Change::Page);
        }
        let rest = action.strip_prefix("click[")?;
        let button = rest.char_indices().next_back().map_or("", |(end, _)| &rest[..end]);
        self.click(button)
    }

    fn click(&mut self, button: &str) -> Option<Change> {
        match button {
            BUY => {
                (self.kind == Kind::Item).then(|| self.kind = Kind::Done)?;
                self.buy();
            }
            BACK => {
                matches!(self.kind, Kind::Results | Kind::Item | Kind::SubPage).then_some(())?;
                *self = self.fresh();
            }
            NEXT => return None,
            PREVIOUS => match self.kind {
                Kind::SubPage => self.kind = Kind::Item,
                Kind::Item => {
                    self.kind = Kind::Results;
                    self.options.clear();
                }
                _ => return None,
            },
            _ if SUB_PAGES.contains(&button) => {
                (self.kind == Kind::Item).then(|| self.kind = Kind::SubPage)?;
                self.sub_page = SUB_PAGES.into_iter().find(|name| *name == button)?;
            }
            _ if self.kind == Kind::Results => {
                self.results.iter().any(|asin| asin == button).then(|| self.kind = Kind::Item)?;
                button.clone_into(&mut self.asin);
            }
            _ if self.kind == Kind::Item => {
                let option = self.choices.get(button)?.clone();
                self.options.insert(option, button.to_owned());
                return Some(Change::Chosen(button.to_owned()));
            }
            _ => {}
        }
        Some(Change::Page)
    }

    /// A visit that begins again, for the same goal.
    fn fresh(&self) -> Site {
        Site {
            kind: Kind::Search,
            query: String::new(),
            found: Arc::new([]),
            asin: String::new(),
            options: IndexMap::new(),
            choices: IndexMap::new(),
            results: Vec::new(),
            ..self.clone()
        }
    }

    fn buy(&mut self) {
        let Some(product) = self.shop.product(&self.asin) else { return };
        let reward = reward(product, &self.options, &self.goal, self.shop.nouns_of(self.goal_id));
        self.reward = Some(Arc::new(reward));
    }

    /// Opens the page of the present state and returns what it shows.
    fn open(&mut self, change: Change) -> String {
        let product = || self.shop.product(&self.asin);
        let page = match self.kind {
            Kind::Search => Some(Page::search(&self.goal)),
            Kind::Results => Some(Page::results(&self.goal, 1, self.found.len(), self.shop.page(&self.found, 1))),
            Kind::Item => product().map(|product| Page::item(&self.goal, product, false)),
            Kind::SubPage => product().and_then(|product| Page::about(&self.goal, product, self.sub_page)),
            Kind::Done => {
                let total = self.reward.as_deref().map_or(0.0, |reward| reward.total);
                Some(Page::done(&self.asin, &self.options, total))
            }
        };
        if let Some(page) = page {
            self.page = Arc::new(page);
        }
        self.remember();
        match change {
            Change::Chosen(value) => format!("You have clicked {value}."),
            Change::Nothing | Change::Page => self.observation(),
        }
    }

    /// Keeps what later clicks are checked against: the choices and results of this page, if it has any.
    fn remember(&mut self) {
        let mut choices = IndexMap::new();
        let mut results = Vec::new();
        // The wrapper takes the text above the choices for their option: where an option has no name, that of the one before.
        let mut above = "";
        for piece in self.page.pieces.iter().filter(|piece| !is_blank(&piece.text)) {
            match &piece.part {
                Part::Choice { .. } => _ = choices.insert(piece.text.clone(), above.to_owned()),
                Part::Product => results.push(piece.text.clone()),
                Part::Text => above = &piece.text,
                Part::Button => {}
            }
        }
        if !choices.is_empty() {
            self.choices = choices;
        }
        if !results.is_empty() {
            self.results = results;
        }
    }

    pub fn observation(&self) -> String {
        if self.kind == Kind::Done {
            let total = self.reward.as_deref().map_or(0.0, |reward| reward.total);
            return format!("{SCORE}: {}", float(total));
        }
        let address = format!("{}/{}/{}", self.query, self.asin, repr_dict(&self.options));
        let mut shown = String::new();
        let (mut texts, mut products, mut since_product) = (0, 0, 0);
        for Piece { part, text } in &self.page.pieces {
            if is_blank(text) {
                continue;
            }
            match part {
                Part::Button => shown.push_str(&format!("\n[{text}] ")),
                Part::Choice { .. } if address.contains(&format!("'{text}'")) => shown.push_str(&format!("[[{text}]]")),
                Part::Choice { .. } => shown.push_str(&format!("[{text}]")),
                Part::Product => {
                    if products < SHOWN {
                        shown.push_str(&format!("\n[{text}] "));
                    }
                    products += 1;
                    since_product = 0;
                }
                Part::Text => {
                    let instruction = texts < 2 && self.kind != Kind::Search;
                    let of_a_hidden_product = since_product <= 2 && products > SHOWN;
                    if !instruction && !of_a_hidden_product {
                        shown.push_str(&format!("\n{text} "));
                    }
                    texts += 1;
                }
            }
            since_product += 1;
        }
        unescape(&shown).unwrap_or(shown)
    }
}

/// Whether the wrapper passes a text over: nothing but spaces and line breaks, also such as are spelt out.
fn is_blank(text: &str) -> bool {
    text.replace('\n', "").replace("\\n", "").replace(' ', "").is_empty()
}

enum Change {
    Nothing,
    Page,
    Chosen(String),
}

/// What the site searches for: the texts of a query that is Python's list of some; any other query is one.
fn keywords(query: &str) -> Vec<String> {
    let sent = as_sent(query);
    list(&sent).unwrap_or_else(|| vec![sent])
}

/// A query as it comes out of the address: where two hexadecimal digits follow every `%` of it, they are a byte.
fn as_sent(query: &str) -> String {
    let mut parts = query.split('%').map(str::as_bytes);
    let mut bytes = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let Some(byte) = hex(part, 2).and_then(|byte| u8::try_from(byte).ok()) else { return query.to_owned() };
        bytes.push(byte);
        bytes.extend_from_slice(&part[2..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The texts of a list as Python writes it. `None` for all else, which the site does not answer.
fn list(written: &str) -> Option<Vec<String>> {
    let mut rest = written.trim_end().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut texts = Vec::new();
    while let Some(quote) = rest.chars().next() {
        let inner = rest.strip_prefix(['\'', '"'])?;
        let mut is_escaped = false;
        let end = inner.find(|c| {
            let ends = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
        texts.push(unescape(&inner[..end])?);
        let after = inner[end + 1..].trim_start();
        rest = after.strip_prefix(',').map(str::trim_start).or_else(|| after.is_empty().then_some(after))?;
    }
    (!texts.is_empty()).then_some(texts)
}

/// The number that so many hexadecimal digits at the beginning of a text make.
fn hex(text: &[u8], count: usize) -> Option<u32> {
    let digits = text.get(..count).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A text with its backslash escapes read as Python reads them, over UTF-8 bytes: what the site does to every page. `None` where
/// that cannot be done, and the text stays as it is.
fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let (&kind, after) = rest.split_first()?;
        rest = after;
        let mut digits = |count: usize| -> Option<u32> {
            let number = hex(rest, count)?;
            rest = &rest[count..];
            Some(number)
        };
        let code = match kind {
            b'\n' => continue,
            b'\\' | b'\'' | b'"' => u32::from(kind),
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'v' => 11,
            b'x' => digits(2)?,
            b'u' => digits(4)?,
            b'U' => digits(8)?,
            b'0'..=b'7' => {
                let more = rest.iter().take(2).take_while(|c| (b'0'..=b'7').contains(c)).count();
                let octal = rest[..more].iter().fold(u32::from(kind - b'0'), |sum, c| sum * 8 + u32::from(c - b'0'));
                rest = &rest[more..];
                octal
            }
            b'N' => return None,
            _ => {
                bytes.push(b'\\');
                u32::from(kind)
            }
        };
        bytes.push(u8::try_from(code).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        let products = r#"[{"asin":"B000000001","title":"red lamp","query":"lamps","price_tag":"$9.0","pricing":[9.0],"options":{"size":["s",""],"":["m"]}}]"#;
        let goals = r#"[{"id":0,"asin":"B000000001","instruction_text":"a lamp","attributes":["red"]}]"#;
        let shop = Shop::of_text(products, goals, std::path::Path::new("here")).unwrap();
        Site::new(Arc::new(shop), 0).unwrap()
    }

    /// As the wrapper of Reflexion does it over the original engine.
    #[test]
    fn options_without_names_and_choices_without_texts() {
        let mut site = site();
        for action in ["search[lamp]", "click[B000000001]", "click[m]"] {
            assert!(site.step(action).1.taken, "{action}");
        }
        assert_eq!(site.options.get("size").map(String::as_str), Some("m"));
        assert_eq!(site.step("click[]").0, INVALID);
        let (observation, step) = site.step("reset");
        assert!(step.taken && observation.contains("[Search]") && site.options.is_empty(), "{observation}");
    }

    /// As the wrapper does it: its `done` is that of the step.
    #[test]
    fn a_list_is_searched_for_and_only_the_purchase_ends_the_visit() {
        let mut site = site();
        site.step("search[<q>]");
        assert!(site.found.is_empty());
        for action in ["click[Back to Search]", "search[['<q>', 'lamps']]", "click[B000000001]"] {
            assert!(site.step(action).1.taken, "{action}");
        }
        let (_, purchase) = site.step("click[Buy Now]");
        assert!(purchase.done && purchase.reward > 0.0, "{purchase:?}");
        for action in ["think[x]", "click[foo]"] {
            assert_eq!(site.step(action).1, Step { done: false, ..purchase.clone() }, "{action}");
        }
    }

    #[test]
    fn a_query_is_searched_for_as_the_site_reads_it() {
        let cases: [(&str, &[&str]); 15] = [
            ("100%cashmere", &["100\u{FFFD}shmere"]),
            ("100%acrylic sweater", &["100\u{FFFD}rylic sweater"]),
            ("caf%C3%a9 100%25", &["café 100%"]),
            ("50% off", &["50% off"]),
            ("50%cotton 50%acrylic", &["50%cotton 50%acrylic"]),
            ("100%", &["100%"]),
            ("<q>", &["<q>"]),
            ("<q> beds", &["<q> beds"]),
            ("['<q>', 'beds']", &["<q>", "beds"]),
            (r#"[ "men's" ,'it\'s \\',] "#, &["men's", r"it's \"]),
            // The site answers none of these; they are words as others are.
            ("[LED]", &["[LED]"]),
            ("[]", &["[]"]),
            ("['a'", &["['a'"]),
            ("['a' b]", &["['a' b]"]),
            ("['a\"]", &["['a\"]"]),
        ];
        for (query, texts) in cases {
            assert_eq!(keywords(query), texts, "{query}");
        }
    }

    #[test]
    fn escapes_are_read_and_what_cannot_be_read_stays() {
        assert_eq!(unescape("a\\tb\\x41 é \\q").as_deref(), Some("a\tbA é \\q"));
        assert_eq!(unescape("c:\\u2019"), None);
        assert_eq!(unescape("a\\x+1"), None);
        assert_eq!(unescape("ends in \\"), None);
    }
}
