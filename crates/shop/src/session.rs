//! Session in the shop through the original text environment: actions `search[…]` and `click[…]`, all else that is written does
//! nothing. Its oddities are the original's: searching works on every page, a page is recognised by its address, and a choice counts
//! as clicked where its text is in quotation marks in that address.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::goal::Goal;
use crate::page::{BACK, BUY, Kind, NEXT, PREVIOUS, Page, Part, Piece, SEARCH, SUB_PAGES};
use crate::python::{json_dict, repr_dict};
use crate::reward::{Reward, reward};
use crate::shop::Shop;

/// The address of the original engine, which is part of every page's.
const BASE: &str = "http://127.0.0.1:3000";
/// The name of a visit in its addresses.
const VISIT: &str = "visit";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Button,
    Product,
    Choice(String),
}

#[derive(Debug, Clone)]
pub struct Session {
    shop: Arc<Shop>,
    goal: Arc<Goal>,
    goal_id: usize,
    show_attributes: bool,
    page: Arc<Page>,
    url: String,
    found: Arc<[usize]>,
    /// The words searched for; `None` on the search page.
    pub keywords: Option<Arc<[String]>>,
    /// The page of results, counted from 1.
    pub number: Option<usize>,
    pub asin: Option<String>,
    /// Choices, in the order of the clicks.
    pub options: IndexMap<String, String>,
    visited: BTreeSet<String>,
    reward: Option<Arc<Reward>>,
}

/// The actions possible on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    pub has_search_bar: bool,
    /// The buttons, lower case, in the order of the page.
    pub clickables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The reward; 0 unless something was bought.
    pub reward: f64,
    pub done: bool,
    pub taken: bool,
}

const NOTHING: Step = Step { reward: 0.0, done: false, taken: false };
const ON: Step = Step { reward: 0.0, done: false, taken: true };

impl Session {
    /// A visit for the goal at a place of the shop's list; `None` if there is none there.
    pub fn new(shop: Arc<Shop>, goal_id: usize, show_attributes: bool) -> Option<Self> {
        let goal = Arc::new(shop.goals.get(goal_id)?.clone());
        let page = Arc::new(Page::search(&goal));
        Some(Session {
            shop,
            goal,
            goal_id,
            show_attributes,
            page,
            url: format!("{BASE}/{VISIT}"),
            found: Arc::new([]),
            keywords: None,
            number: None,
            asin: None,
            options: IndexMap::new(),
            visited: BTreeSet::new(),
            reward: None,
        })
    }

    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    pub fn shop(&self) -> &Shop {
        &self.shop
    }

    pub fn reward(&self) -> Option<&Reward> {
        self.reward.as_deref()
    }

    /// The page's name as the original engine derives it from the address.
    pub fn page_type(&self) -> &'static str {
        let kinds = [Kind::Results, Kind::Item, Kind::SubPage, Kind::Done];
        kinds.map(Kind::name).into_iter().find(|name| self.url.contains(name)).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        self.page.plain()
    }

    /// The page in the form `text_rich`.
    pub fn text_rich(&self) -> String {
        self.page.rich(|piece| self.is_clicked(piece))
    }

    fn is_clicked(&self, piece: &Piece) -> bool {
        match piece.part {
            Part::Choice { .. } => self.url.contains(&format!("\"{}\"", piece.text)),
            Part::Product => self.visited.contains(&piece.text),
            Part::Text | Part::Button => false,
        }
    }

    pub fn available(&self) -> Available {
        let clickables = self.targets().into_keys().collect();
        Available { has_search_bar: self.page.kind == Kind::Search, clickables }
    }

    /// The effect of a click on each text: buttons and products by their texts in lower case, then choices by their
    /// values, which take the place of others with the same text.
    fn targets(&self) -> IndexMap<String, Target> {
        let mut targets = IndexMap::new();
        let of = |wanted: &'static Part| self.page.pieces.iter().filter(move |piece| piece.part == *wanted);
        of(&Part::Button).for_each(|piece| _ = targets.insert(piece.text.to_lowercase(), Target::Button));
        of(&Part::Product).for_each(|piece| _ = targets.insert(piece.text.to_lowercase(), Target::Product));
        for piece in &self.page.pieces {
            if let Part::Choice { option } = &piece.part {
                targets.insert(piece.text.clone(), Target::Choice(option.clone()));
            }
        }
        targets
    }

    pub fn step(&mut self, action: &str) -> Step {
        let Some((name, argument)) = parse(action) else { return NOTHING };
        let argument = argument.to_lowercase();
        match name {
            "search" => {
                let keywords: Arc<[String]> = argument.split(' ').map(str::to_owned).collect();
                self.results(keywords, 1);
                ON
            }
            "click" if argument != SEARCH.to_lowercase() => match self.targets().get(&argument) {
                Some(target) => self.click(&argument, &target.clone()),
                None => NOTHING,
            },
            _ => NOTHING,
        }
    }

    fn click(&mut self, name: &str, target: &Target) -> Step {
        let on = self.page_type();
        let name = name.to_lowercase();
        let at = |button: &str| name == button.to_lowercase();
        if at(BUY) {
            return self.buy();
        }
        if at(BACK) {
            return self.start();
        }
        let results = on == Kind::Results.name();
        let (keywords, number) = (self.keywords.clone(), self.number.unwrap_or(1));
        if at(NEXT) && results {
            return self.results(keywords.unwrap_or_default(), number + 1);
        }
        if at(PREVIOUS) && (results || on == Kind::Item.name()) {
            return self.results(keywords.unwrap_or_default(), if results { number.saturating_sub(1) } else { number });
        }
        if at(PREVIOUS) && on == Kind::SubPage.name() {
            return self.item();
        }
        if let Some(sub_page) = SUB_PAGES.into_iter().find(|sub_page| at(sub_page)) {
            return self.sub_page(sub_page);
        }
        match target {
            Target::Product => {
                let asin = name.to_uppercase();
                self.visited.insert(asin.clone());
                self.asin = Some(asin);
            }
            Target::Choice(option) => _ = self.options.insert(option.to_lowercase(), name),
            Target::Button => {}
        }
        self.item()
    }

    fn start(&mut self) -> Step {
        self.page = Arc::new(Page::search(&self.goal));
        self.url = format!("{BASE}/{VISIT}");
        (self.keywords, self.number, self.asin) = (None, None, None);
        self.options.clear();
        self.visited.clear();
        ON
    }

    fn results(&mut self, keywords: Arc<[String]>, number: usize) -> Step {
        if self.keywords.as_ref() != Some(&keywords) {
            self.found = self.shop.find(&keywords);
        }
        self.url = format!("{BASE}/search_results/{VISIT}/{}/{number}", keywords.join("+"));
        (self.keywords, self.number, self.asin) = (Some(keywords), Some(number), None);
        self.options.clear();
        let page = Page::results(&self.goal, number, self.found.len(), self.shop.page(&self.found, number));
        self.page = Arc::new(page);
        ON
    }

    fn item(&mut self) -> Step {
        let Some(asin) = &self.asin else { return NOTHING };
        let Some(product) = self.shop.product(asin) else { return NOTHING };
        self.url = format!("{BASE}/item_page/{VISIT}/{asin}/{}/{}", self.words(), json_dict(&self.options));
        self.page = Arc::new(Page::item(&self.goal, product, self.show_attributes));
        ON
    }

    fn sub_page(&mut self, name: &'static str) -> Step {
        let Some(asin) = &self.asin else { return NOTHING };
        let Some(page) = self.shop.product(asin).and_then(|product| Page::about(&self.goal, product, name)) else {
            return NOTHING;
        };
        self.url = format!("{BASE}/item_sub_page/{VISIT}/{asin}/{}/{name}/{}", self.words(), repr_dict(&self.options));
        self.page = Arc::new(page);
        ON
    }

    fn buy(&mut self) -> Step {
        let Some(asin) = &self.asin else { return NOTHING };
        let Some(product) = self.shop.product(asin) else { return NOTHING };
        let reward = reward(product, &self.options, &self.goal, self.shop.nouns_of(self.goal_id));
        self.url = format!("{BASE}/done/{VISIT}/{asin}/{}", repr_dict(&self.options));
        self.page = Arc::new(Page::done(asin, &self.options, reward.total));
        let total = reward.total;
        self.reward = Some(Arc::new(reward));
        Step { reward: total, done: true, taken: true }
    }

    /// The words searched for and the page of results, as they are in an address.
    fn words(&self) -> String {
        let words = self.keywords.as_ref().map(|words| words.join("+")).unwrap_or_default();
        format!("{words}/{}", self.number.unwrap_or(1))
    }
}

/// An action's name and what is in its brackets: the last bracket that opens with something before it, up to the last that
/// closes, within one line. `None` where there is no such pair.
pub fn parse(action: &str) -> Option<(&str, &str)> {
    let line = action.split('\n').next()?;
    let close = line.rfind(']')?;
    let opens = line.get(..close)?.rmatch_indices('[').map(|(at, _)| at);
    let open = opens.into_iter().find(|open| *open > 0 && open + 1 < close)?;
    Some((line.get(..open)?, line.get(open + 1..close)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_as_the_original_reads_them() {
        assert_eq!(parse("search[table] now"), Some(("search", "table")));
        assert_eq!(parse("search[[chair]]"), Some(("search[", "chair]")));
        assert_eq!(parse("search[a][b]"), Some(("search[a]", "b")));
        assert_eq!(parse("click[]"), None);
        assert_eq!(parse("[x]"), None);
        assert_eq!(parse("search[ta\nble]"), None);
        assert_eq!(parse("search[a[]"), Some(("search", "a[")));
    }
}
