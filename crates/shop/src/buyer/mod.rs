//! Buyer without a language model: reads the instruction, searches, looks at what fits best, chooses options, minds the price,
//! and buys the best it has seen. It knows the instruction and what its pages showed, nothing of the catalogue or the goal.

mod judge;
mod seen;
mod wish;

use judge::{Judged, judge};
pub use seen::{Result as Listed, Seen, View, lowest};
pub use wish::Wish;

use crate::page::{BACK, BUY, PREVIOUS};

/// Products looked at before the best of them is bought.
const LOOKED_AT: usize = 4;
/// A product this good is bought at once.
const GOOD: f64 = 0.92;
/// Actions after which the best product seen is bought: what is left of the 15 of the published runs is spent on that.
const PATIENCE: usize = 9;
const SEARCHES: usize = 3;

/// A buyer's action and its view then; the first has no action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// The action's text; `None` for the beginning.
    pub action: Option<String>,
    /// The view after it; `None` where nothing new was shown.
    pub seen: Option<Seen>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    pub action: String,
    pub why: String,
}

#[derive(Debug, Default)]
struct Memory<'a> {
    searches: Vec<&'a str>,
    looked_at: Vec<Product<'a>>,
    /// The product whose page is open, as a place in `looked_at`.
    open: Option<usize>,
    chosen: Vec<(String, String)>,
    now: Option<&'a Seen>,
    before: Option<View>,
    clicked: Vec<&'a str>,
    /// The results of the last search, in the order they were first shown.
    listed: Vec<&'a Listed>,
    taken: usize,
}

#[derive(Debug)]
struct Product<'a> {
    asin: String,
    page: &'a Seen,
    about: Vec<&'a str>,
    opened: Vec<&'a str>,
}

/// A buyer's next actions, best first; none after a purchase.
pub fn propose(instruction: &str, past: &[Past]) -> Vec<Proposal> {
    let wish = Wish::of(instruction);
    let memory = Memory::of(past);
    let Some(now) = memory.now else { return vec![search(&wish, &memory)] };
    let mut proposals = match now.view {
        View::Search => vec![search(&wish, &memory)],
        View::Results => on_results(&wish, &memory),
        View::Item => on_item(&wish, &memory),
        View::About => on_about(&wish, memory),
        View::Done => Vec::new(),
    };
    proposals.dedup_by(|a, b| a.action == b.action);
    proposals
}

fn click(text: &str) -> String {
    format!("click[{text}]")
}

impl<'a> Memory<'a> {
    fn of(past: &'a [Past]) -> Self {
        let mut memory = Memory::default();
        for step in past {
            memory.take(step);
        }
        memory
    }

    fn take(&mut self, step: &'a Past) {
        self.taken += usize::from(step.action.is_some());
        let clicked = step.action.as_deref().and_then(|action| action.strip_prefix("click[")?.strip_suffix(']'));
        if let Some(query) = step.action.as_deref().and_then(|action| action.strip_prefix("search[")?.strip_suffix(']'))
        {
            if self.searches.last() != Some(&query) {
                self.searches.push(query);
            }
            self.listed.clear();
        }
        self.clicked.extend(clicked);
        let Some(seen) = &step.seen else { return };
        match seen.view {
            View::Results => {
                self.open = None;
                self.chosen.clear();
                self.clicked.clear();
                for result in &seen.results {
                    if !self.listed.iter().any(|known| known.asin == result.asin) {
                        self.listed.push(result);
                    }
                }
            }
            View::Item => {
                let asin = clicked.filter(|text| self.listed.iter().any(|known| known.asin.eq_ignore_ascii_case(text)));
                if let Some(asin) = asin {
                    self.open = self.looked_at.iter().position(|product| product.asin.eq_ignore_ascii_case(asin));
                    if self.open.is_none() {
                        let (about, opened) = (Vec::new(), Vec::new());
                        self.looked_at.push(Product { asin: asin.to_owned(), page: seen, about, opened });
                        self.open = Some(self.looked_at.len() - 1);
                    }
                }
                if !seen.chosen.is_empty() {
                    self.chosen.clone_from(&seen.chosen);
                }
            }
            View::About => {
                if let Some(product) = self.open.and_then(|open| self.looked_at.get_mut(open)) {
                    product.opened.extend(clicked);
                    product.about.extend(seen.texts.iter().map(String::as_str));
                }
            }
            View::Search => {
                self.open = None;
                self.chosen.clear();
            }
            View::Done => {}
        }
        self.before = self.now.map(|now| now.view);
        self.now = Some(seen);
    }

    fn judged(&self, wish: &Wish, at: usize) -> Option<Judged> {
        let product = self.looked_at.get(at)?;
        Some(judge(wish, product.page, &product.about))
    }

    fn best(&self, wish: &Wish) -> Option<(usize, Judged)> {
        let all = (0..self.looked_at.len()).filter_map(|at| Some((at, self.judged(wish, at)?)));
        all.reduce(|best, other| if other.1.worth > best.1.worth { other } else { best })
    }

    fn is_done(&self, wish: &Wish) -> bool {
        let late = self.taken >= PATIENCE && !self.looked_at.is_empty();
        late || self.looked_at.len() >= LOOKED_AT || self.best(wish).is_some_and(|(_, judged)| judged.worth >= GOOD)
    }
}

/// The next search: the whole instruction first, then less of it.
fn search(wish: &Wish, memory: &Memory<'_>) -> Proposal {
    if let Some(last) = memory.searches.last().filter(|_| memory.before == Some(View::About)) {
        let why = "the same search again: the other products are among its results".to_owned();
        return Proposal { action: format!("search[{last}]"), why };
    }
    let queries = wish.queries();
    let next = queries.iter().find(|query| !memory.searches.contains(&query.as_str())).or(queries.first());
    let why = match memory.searches.len() {
        0 => "a search for what the instruction says, without the price",
        _ => "another search, for less of what the instruction says",
    };
    Proposal { action: format!("search[{}]", next.map_or("", String::as_str)), why: why.to_owned() }
}

fn on_results(wish: &Wish, memory: &Memory<'_>) -> Vec<Proposal> {
    let results = memory.now.map_or(&[][..], |now| now.results.as_slice());
    let is_known = |asin: &str| memory.looked_at.iter().any(|product| product.asin.eq_ignore_ascii_case(asin));
    let mut open: Vec<(f64, usize, &Listed)> = results
        .iter()
        .enumerate()
        .filter(|(_, result)| !is_known(&result.asin))
        .map(|(rank, result)| (judge::title(wish, result) - rank as f64 * 0.03, rank, result))
        .filter(|(worth, ..)| *worth > f64::NEG_INFINITY)
        .collect();
    open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let look = open.into_iter().map(|(.., result)| {
        let price = result.price.map_or(String::new(), |price| format!(" at ${price}"));
        Proposal { action: click(&result.asin), why: format!("{:?}{price} looks like what is wanted", result.title) }
    });
    let back = || Proposal { action: click(BACK), why: "nothing here is what is wanted".to_owned() };
    let best = memory.best(wish);
    let mut proposals = Vec::new();
    let to_best = best.as_ref().and_then(|(at, judged)| {
        let product = memory.looked_at.get(*at)?;
        let shown = results.iter().any(|result| result.asin.eq_ignore_ascii_case(&product.asin));
        let why = format!("the best of {} looked at: {}", memory.looked_at.len(), judged.words());
        Some(if shown {
            Proposal { action: click(&product.asin), why }
        } else {
            Proposal {
                action: click(BACK),
                why: "the best product seen is among the results of an earlier search".to_owned(),
            }
        })
    });
    if memory.is_done(wish) {
        proposals.extend(to_best);
        proposals.extend(look);
    } else {
        proposals.extend(look);
        if memory.searches.len() < SEARCHES && best.as_ref().is_none_or(|(_, judged)| judged.worth < judge::FAIR) {
            proposals.push(back());
        }
        proposals.extend(to_best);
    }
    proposals.push(back());
    proposals
}

/// On a page about a product: back to it, or where another is to be looked at next away from both at once. Going back twice would take
/// as many actions, and the same one twice in a row, at which published runs end.
fn on_about(wish: &Wish, mut memory: Memory<'_>) -> Vec<Proposal> {
    let back = Proposal { action: click(PREVIOUS), why: "back to the product".to_owned() };
    memory.taken += 1;
    let leaves = on_item(wish, &memory).first().is_some_and(|next| next.action == back.action);
    let away = Proposal { action: click(BACK), why: "to see whether another product fits better".to_owned() };
    if leaves { vec![away, back] } else { vec![back] }
}

fn on_item(wish: &Wish, memory: &Memory<'_>) -> Vec<Proposal> {
    let back = Proposal { action: click(PREVIOUS), why: "to see whether another product fits better".to_owned() };
    let Some((at, judged)) = memory.open.and_then(|at| Some((at, memory.judged(wish, at)?))) else { return vec![back] };
    let Some(product) = memory.looked_at.get(at) else { return vec![back] };
    let is_best = memory.best(wish).is_some_and(|(best, _)| best == at);
    // What the title leaves open may be on the pages about the product.
    let unread = ["Features", "Description"].into_iter().find(|page| !product.opened.contains(page));
    if let Some(page) = unread.filter(|_| judged.is_open() && !memory.is_done(wish)) {
        let why = format!("{} is not stated yet: {}", judged.missing.len(), judged.missing.join(", "));
        let read = Proposal { action: click(page), why };
        return vec![read, back];
    }
    if !(is_best && memory.is_done(wish)) && judged.worth < GOOD {
        return vec![back, buy(&judged)];
    }
    for (name, value) in &judged.choices {
        // A value that two options have is chosen of one of them alone, however often it is clicked.
        let is_chosen = memory.chosen.iter().any(|(known, chosen)| known == name && chosen == value);
        if !is_chosen && !memory.clicked.contains(&value.as_str()) {
            let why = format!("{name}: {value} is what the instruction asks for");
            return vec![Proposal { action: click(value), why }, buy(&judged)];
        }
    }
    vec![buy(&judged), back]
}

fn buy(judged: &Judged) -> Proposal {
    Proposal { action: click(BUY), why: judged.words() }
}
