//! Sight of a page, as a buyer has it: the results with their prices, the options, the texts.

use crate::page::{Kind, Page, Part};
use crate::site;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    #[default]
    Search,
    Results,
    Item,
    About,
    Done,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Result {
    pub asin: String,
    pub title: String,
    /// The lowest price shown, in dollars.
    pub price: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seen {
    pub view: View,
    pub results: Vec<Result>,
    pub options: Vec<(String, Vec<String>)>,
    pub chosen: Vec<(String, String)>,
    pub title: String,
    /// Its lowest price, in dollars.
    pub price: Option<f64>,
    pub texts: Vec<String>,
}

impl Seen {
    /// The view of a page where so many results are shown, with the choices made on it.
    pub fn of<'a>(page: &Page, shown: usize, chosen: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        let view = match page.kind {
            Kind::Search => View::Search,
            Kind::Results => View::Results,
            Kind::Item => View::Item,
            Kind::SubPage => View::About,
            Kind::Done => View::Done,
        };
        let mut seen = Seen { view, ..Seen::default() };
        let chosen = chosen.into_iter().filter(|_| view == View::Item);
        seen.chosen = chosen.map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut texts = Vec::new();
        for piece in &page.pieces {
            match &piece.part {
                Part::Text => texts.push(piece.text.as_str()),
                Part::Button => {}
                Part::Product => {
                    texts.clear();
                    seen.results.push(Result { asin: piece.text.clone(), ..Result::default() });
                }
                Part::Choice { option } => match seen.options.last_mut().filter(|(name, _)| name == option) {
                    Some((_, values)) => values.push(piece.text.clone()),
                    None => seen.options.push((option.clone(), vec![piece.text.clone()])),
                },
            }
            if let (Some(result), [title, price]) = (seen.results.last_mut(), texts.as_slice()) {
                result.title = (*title).to_owned();
                result.price = lowest(price);
            }
        }
        seen.results.truncate(shown);
        match view {
            View::Item => {
                let price = texts.iter().rposition(|text| text.starts_with("Price: "));
                seen.price = price.and_then(|at| lowest(texts.get(at)?));
                let title = price.and_then(|at| texts.get(at.checked_sub(1)?));
                title.copied().unwrap_or_default().clone_into(&mut seen.title);
            }
            View::About => seen.texts = texts.iter().skip(2).map(|text| (*text).to_owned()).collect(),
            View::Search | View::Results | View::Done => {}
        }
        seen
    }

    pub fn of_site(site: &site::Site) -> Self {
        Seen::of(site.page(), site::SHOWN, &site.options)
    }
}

/// The first amount of a price as it is shown.
pub fn lowest(text: &str) -> Option<f64> {
    let after = text.split_once('$')?.1;
    let digits: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok()
}
