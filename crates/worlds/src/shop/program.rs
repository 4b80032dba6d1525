//! Program form of the shop: actions as calls and back, pages as observation calls, and what an agent saw, read from those calls.

use stepwright_shop::buyer::{Listed, Seen, View};

use super::visit::{Form, read};
use stepwright_program::{Call, Literal};
use stepwright_world::ProgramHeader;

const SHOP: &str = "shop";
const BUYER: &str = "buyer";

pub fn call_of(text: &str) -> Option<Call> {
    let (name, inside) = read(text.trim())?;
    Some(Call::new(BUYER, name, [inside]))
}

pub fn text_of(call: &Call) -> Option<String> {
    match (call.receiver.as_str(), call.function.as_str(), call.args.as_slice()) {
        (BUYER, name @ ("search" | "click" | "think"), [Literal::Str(inside)]) => Some(format!("{name}[{inside}]")),
        _ => None,
    }
}

pub fn header(task: Option<(&str, &str)>) -> ProgramHeader {
    let (id, sentence) = task.unwrap_or_default();
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    ProgramHeader {
        function: format!("buy_{id}").chars().map(word).collect(),
        comment: sentence.to_owned(),
        setup: vec!["shop = Shop()".to_owned(), "buyer = Buyer(shop)".to_owned()],
    }
}

/// The call for the form of the pages, at the beginning.
pub fn form(form: Form) -> Call {
    Call::new(SHOP, "set_form", [form.word()])
}

pub fn score(reward: f64) -> Call {
    Call::new(SHOP, "score", [Literal::Float(reward)])
}

pub fn choice(name: &str, value: &str) -> Call {
    Call::new(SHOP, "choose", [name, value])
}

fn word(view: View) -> &'static str {
    match view {
        View::Search => "search",
        View::Results => "results",
        View::Item => "item",
        View::About => "about",
        View::Done => "done",
    }
}

pub fn page(seen: &Seen, clickables: &[String]) -> Vec<Call> {
    let price = |price: Option<f64>| price.map_or(Literal::None, Literal::Float);
    let clickables = clickables.iter().filter(|text| !is_hidden(seen, text)).map(String::as_str);
    let mut calls = vec![Call::new(SHOP, "show_page", std::iter::once(word(seen.view)).chain(clickables))];
    calls.extend(seen.results.iter().map(|result| {
        let args = [Literal::from(result.asin.as_str()), result.title.as_str().into(), price(result.price)];
        Call::new(SHOP, "show_result", args)
    }));
    if seen.view == View::Item {
        calls.push(Call::new(SHOP, "show_product", [seen.title.as_str().into(), price(seen.price)]));
    }
    let option = |name: &str, values: &[String]| {
        Call::new(SHOP, "show_option", std::iter::once(name).chain(values.iter().map(String::as_str)))
    };
    calls.extend(seen.options.iter().map(|(name, values)| option(name, values)));
    calls.extend(seen.chosen.iter().map(|(name, value)| choice(name, value)));
    calls.extend(seen.texts.iter().map(|text| Call::new(SHOP, "show_text", [text.as_str()])));
    calls
}

/// Whether a text is a result that the page does not show.
fn is_hidden(seen: &Seen, text: &str) -> bool {
    let is_button = matches!(text, "Back to Search" | "back to search" | "next >" | "< prev");
    seen.view == View::Results
        && !is_button
        && !seen.results.iter().any(|result| result.asin.eq_ignore_ascii_case(text))
}

/// The agent's view after calls, starting from the view before; `None` if they say nothing of a page.
pub fn seen(before: Option<&Seen>, calls: &[Call]) -> Option<Seen> {
    let mut seen: Option<Seen> = None;
    for call in calls.iter().filter(|call| call.receiver == SHOP) {
        let texts: Vec<&str> = call.args.iter().filter_map(text).collect();
        let amount = call.args.iter().find_map(|arg| match arg {
            Literal::Float(amount) => Some(*amount),
            _ => None,
        });
        match (call.function.as_str(), texts.as_slice()) {
            ("show_page", [page, ..]) => {
                let views = [View::Search, View::Results, View::Item, View::About, View::Done];
                let view = views.into_iter().find(|view| word(*view) == *page).unwrap_or_default();
                seen = Some(Seen { view, ..Seen::default() });
            }
            ("show_result", [asin, title]) => {
                let result = Listed { asin: (*asin).to_owned(), title: (*title).to_owned(), price: amount };
                seen.get_or_insert_default().results.push(result);
            }
            ("show_product", [title]) => {
                let seen = seen.get_or_insert_default();
                (*title).clone_into(&mut seen.title);
                seen.price = amount;
            }
            ("show_option", [name, values @ ..]) => {
                let values = values.iter().map(|value| (*value).to_owned()).collect();
                seen.get_or_insert_default().options.push(((*name).to_owned(), values));
            }
            ("show_text", [text]) => seen.get_or_insert_default().texts.push((*text).to_owned()),
            ("choose", [name, value]) => {
                let seen = seen.get_or_insert_with(|| before.cloned().unwrap_or_default());
                seen.chosen.retain(|(known, _)| known != name);
                seen.chosen.push(((*name).to_owned(), (*value).to_owned()));
            }
            _ => {}
        }
    }
    seen
}

fn text(arg: &Literal) -> Option<&str> {
    match arg {
        Literal::Str(text) => Some(text),
        _ => None,
    }
}
