//! Picture of the page, as a person sees it in a shop: the title, the price against the limit, the options with what was chosen; and after the
//! purchase where the reward comes from.

use stepwright_shop::buyer::{Seen, View, Wish};
use stepwright_shop::goal::NO_LIMIT;

use super::visit::Visit;
use stepwright_world::map::{Condition, Fact, Page, Row};

pub(super) fn picture(visit: &Visit, done: bool) -> Page {
    let seen = visit.seen();
    let goal = visit.goal();
    let limit = Some(goal.price_upper).filter(|limit| *limit < NO_LIMIT);
    let mut page = Page { captions: vec![goal.instruction_text.clone()], ..Page::default() };
    // What the purchase came to stands first, where a small pane shows it too.
    if done {
        reward(&mut page, visit);
    }
    match seen.view {
        View::Search => "Search".clone_into(&mut page.title),
        View::Results => results(&mut page, &seen, &visit.query(), limit),
        View::Item | View::About | View::Done => product(&mut page, visit, &seen, limit),
    }
    page
}

fn against(price: Option<f64>, limit: Option<f64>) -> Condition {
    match (price, limit) {
        (Some(price), Some(limit)) if price > limit => Condition::Bad,
        (Some(_), Some(_)) => Condition::Good,
        _ => Condition::Plain,
    }
}

fn results(page: &mut Page, seen: &Seen, query: &str, limit: Option<f64>) {
    page.title = format!("Results for {query:?}");
    page.facts.extend(limit.map(|limit| fact("at most", format!("${limit:.2}"), Condition::Plain)));
    for result in &seen.results {
        let price = result.price.map_or_else(String::new, |price| format!("${price:.2}"));
        page.facts.push(fact(&price, format!("{}  {}", result.asin, result.title), against(result.price, limit)));
    }
}

fn product(page: &mut Page, visit: &Visit, seen: &Seen, limit: Option<f64>) {
    let Some(product) = visit.shop().product(visit.asin()) else { return };
    page.title.clone_from(&product.title);
    let upto = limit.map_or_else(String::new, |limit| format!(" (at most ${limit:.2})"));
    let price = format!("{}{upto}", product.price_tag);
    page.facts.push(fact("price", price, against(product.pricing.first().copied(), limit)));
    let wanted = Wish::of(&visit.goal().instruction_text).named;
    for (name, values) in &product.options {
        let chosen = visit.chosen().find(|(known, _)| *known == name).map(|(_, value)| value);
        let is_wanted = |value: &String| wanted.iter().any(|(known, wanted)| known == name && wanted == value);
        page.rows.push(Row {
            label: name.clone(),
            values: values.iter().map(|value| (value.clone(), Some(value) == chosen, is_wanted(value))).collect(),
        });
    }
    let texts = seen.texts.iter().filter(|text| !text.trim().is_empty());
    page.facts.extend(texts.map(|text| fact("", text.trim().to_owned(), Condition::Plain)));
}

fn reward(page: &mut Page, visit: &Visit) {
    let Some(reward) = visit.reward() else { return };
    let info = &reward.info;
    let goal = visit.goal();
    let whole = |share: f64| if share >= 1.0 { Condition::Good } else { Condition::Bad };
    let yes = |is: bool| if is { "yes" } else { "no" };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut add = |label: &str, text: String, condition| page.facts.push(fact(label, text, condition));
    add("reward", format!("{:.3}", reward.total), whole(reward.total));
    let kind = format!(
        "times {} (same kind {}, same shelf {}, title {})",
        info.r_type,
        yes(info.query_match),
        yes(info.category_match),
        percent(info.title_score)
    );
    add("kind", kind, whole(info.r_type));
    let attributes = format!("{} of {}, weight {:.2}", percent(info.r_att), goal.attributes.join(", "), info.w_att);
    add("attributes", attributes, whole(info.r_att));
    if let (Some(share), Some(weight)) = (info.r_option, info.w_option) {
        let wanted = goal.goal_options.words().join(", ");
        add("options", format!("{} of {wanted}, weight {weight:.2}", percent(share)), whole(share));
    }
    let price = format!("within the limit: {}, weight {:.2}", yes(info.r_price), info.w_price);
    add("price", price, if info.r_price { Condition::Good } else { Condition::Bad });
}

fn fact(label: &str, text: String, condition: Condition) -> Fact {
    Fact { label: label.to_owned(), text, condition }
}
