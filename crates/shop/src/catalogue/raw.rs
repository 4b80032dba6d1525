//! WebShop's own files: `items_shuffle*.json` (the products), `items_ins_v2*.json` (their attributes and the instructions made
//! from them) and `items_human_ins.json` (instructions that people wrote). Products are read one at a time, so that a catalogue
//! of a million needs no second copy in memory.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::goals::{self, Draw, Human, Instruction};
use super::notes::{Fault, Notes, has_markup};
use super::read::{GoalKind, Reading};
use super::{Catalogue, Options, Price, Product, ShopError, nouns, price};

/// The text in place of an unknown rating.
pub(super) const NO_RATING: &str = "N.A.";
const NO_ATTRIBUTES: &str =
    "there is no items_ins_v2*.json beside the products: no attributes are known, and no goals are made from them";
const NO_HUMAN: &str = "goals that people wrote are asked for, and there is no items_human_ins.json beside the products, \
                        or nothing is in it";
/// The attribute of a product of which none is known.
const NO_ATTRIBUTE: &str = "DUMMY_ATTR";

/// A product as WebShop writes it; what the shop does not use is passed over.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Item {
    #[serde(default)]
    asin: Value,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    full_description: Value,
    #[serde(default)]
    small_description: Value,
    #[serde(default)]
    pricing: Value,
    #[serde(default)]
    customization_options: Value,
    #[serde(default)]
    category: Value,
    #[serde(default)]
    query: Value,
    #[serde(default)]
    product_category: Value,
}

/// Knowledge of a product, and the instruction made from it.
#[derive(Debug, Default, Deserialize)]
struct ProductKnowledge {
    attributes: Option<Vec<String>>,
    instruction: Option<String>,
    instruction_attributes: Option<Vec<String>>,
}

pub(super) fn read(
    items: &Path,
    attributes: Option<&Path>,
    human: Option<&Path>,
    reading: Reading,
) -> Result<Catalogue, ShopError> {
    let known: FxHashMap<String, ProductKnowledge> = map_of(attributes, "an object of products by their numbers")?;
    let human: FxHashMap<String, Vec<Human>> = match human.filter(|_| reading.kind != GoalKind::Synthetic) {
        Some(path) => map_of(Some(path), "an object of lists of instructions by product")?,
        None => FxHashMap::default(),
    };
    let mut catalogue = Catalogue { file: Some(items.to_owned()), ..Catalogue::default() };
    if attributes.is_none() {
        catalogue.notes.push(NO_ATTRIBUTES.to_owned());
    }
    if reading.kind == GoalKind::Human && human.is_empty() {
        catalogue.notes.push(NO_HUMAN.to_owned());
    }
    let mut seen = FxHashSet::default();
    let mut draw = Draw::new(reading.seed);
    let mut count = 0usize;
    let mut notes = Notes::new(items.display());
    each_item(items, |index, item| {
        if reading.products.is_some_and(|most| count >= most) {
            return false;
        }
        count += 1;
        let (priced, merged) = (!item.pricing.is_null() && item.pricing != "", item.has_equal_options());
        match item.product(&known) {
            Ok(None) => {}
            Ok(Some(product)) if !seen.insert(product.asin.clone()) => {
                notes.add(Fault::Twice, index + 1, &product.asin)
            }
            Ok(Some(product)) => {
                let faults = [
                    (Fault::NoPrice, !priced),
                    (Fault::EqualOptions, merged),
                    (Fault::Markup, has_markup(&product.title)),
                ];
                for (fault, _) in faults.into_iter().filter(|(_, there)| *there) {
                    notes.add(fault, index + 1, &product.asin);
                }
                catalogue.products.push(product);
            }
            Err(why) => notes.left_out(index + 1, &why),
        }
        true
    })?;
    // After all are read, as the original does it: a product that is passed over takes no draw.
    for product in &mut catalogue.products {
        product.reward_price = draw.price(&product.pricing);
    }
    catalogue.notes.extend(notes.lines());
    let made = |product: &Product| {
        let known = known.get(&product.asin)?;
        Some(Instruction { instruction: known.instruction.clone()?, attributes: known.instruction_attributes.clone()? })
    };
    catalogue.goals = match reading.kind {
        GoalKind::Any if human.is_empty() => {
            goals::synthetic(&catalogue.products, made, &mut draw, &mut catalogue.notes)
        }
        GoalKind::Synthetic => goals::synthetic(&catalogue.products, made, &mut draw, &mut catalogue.notes),
        GoalKind::Any | GoalKind::Human => goals::human(&catalogue.products, &human, &mut draw, &mut catalogue.notes),
    };
    if catalogue.goals.is_empty() {
        catalogue.no_goals = Some(no_goals(&catalogue, attributes.is_some(), &human, reading.kind));
    } else if reading.goals == Some(0) {
        catalogue.no_goals = Some("reading.toml asks for none of them (goals = 0)".to_owned());
    }
    catalogue.goals.truncate(reading.goals.unwrap_or(usize::MAX));
    Ok(catalogue)
}

/// Why no goal could be made of a catalogue's files.
fn no_goals(
    catalogue: &Catalogue,
    has_attributes: bool,
    human: &FxHashMap<String, Vec<Human>>,
    kind: GoalKind,
) -> String {
    let synthetic = "; `kind = \"synthetic\"` in reading.toml takes those made from attributes";
    match kind {
        _ if catalogue.products.is_empty() => match catalogue.notes.iter().find(|note| note.contains("left out")) {
            Some(note) => format!("no product can be used; {note}"),
            None => "no product was read".to_owned(),
        },
        GoalKind::Human if human.is_empty() => NO_HUMAN.to_owned(),
        GoalKind::Any | GoalKind::Human if !human.is_empty() => {
            let why = goals::why_none(&catalogue.products, human);
            format!("{why}{}", if has_attributes { synthetic } else { "" })
        }
        _ if !has_attributes => NO_ATTRIBUTES.to_owned(),
        _ => "items_ins_v2*.json has no `instruction` with `instruction_attributes` for any of the products read"
            .to_owned(),
    }
}

fn open(path: &Path) -> Result<BufReader<File>, ShopError> {
    File::open(path).map(|file| BufReader::with_capacity(1 << 20, file)).map_err(|e| ShopError::unreadable(path, e))
}

fn map_of<T: for<'de> Deserialize<'de>>(
    path: Option<&Path>,
    expected: &str,
) -> Result<FxHashMap<String, T>, ShopError> {
    match path {
        Some(path) => serde_json::from_reader(open(path)?).map_err(|e| ShopError::json(path, &e, expected)),
        None => Ok(FxHashMap::default()),
    }
}

/// Hands each product of the file over until `take` says to stop.
fn each_item(path: &Path, mut take: impl FnMut(usize, Item) -> bool) -> Result<(), ShopError> {
    struct Each<F>(F);
    impl<'de, F: FnMut(usize, Item) -> bool> Visitor<'de> for Each<F> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of products")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
            let mut index = 0;
            let mut wanted = true;
            while wanted {
                let Some(item) = items.next_element::<Item>()? else { return Ok(()) };
                wanted = (self.0)(index, item);
                index += 1;
            }
            while items.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(())
        }
    }
    let mut reader = serde_json::Deserializer::from_reader(open(path)?);
    reader
        .deserialize_seq(Each(&mut take))
        .and_then(|()| reader.end())
        .map_err(|e| ShopError::json(path, &e, "a list of WebShop's products"))
}

impl Item {
    /// Whether two options have names that differ only in capitals.
    fn has_equal_options(&self) -> bool {
        let Value::Object(named) = &self.customization_options else { return false };
        let mut seen = FxHashSet::default();
        named.iter().filter(|(_, contents)| !contents.is_null()).any(|(name, _)| !seen.insert(name.to_lowercase()))
    }

    /// The product; `None` for one that the shop passes over.
    fn product(self, known: &FxHashMap<String, ProductKnowledge>) -> Result<Option<Product>, String> {
        let asin = text(&self.asin, "asin")?;
        if asin == "nan" || asin.chars().count() > 10 {
            return Ok(None);
        }
        let title = text(&self.name, "name")?;
        let price = match &self.pricing {
            Value::String(written) => price(written)?,
            Value::Null => Price::missing(),
            other => return Err(format!("`pricing` is {other}, and a text is expected")),
        };
        let attributes = known.get(&asin).and_then(|known| known.attributes.clone());
        Ok(Some(Product {
            description: text_or_empty(&self.full_description),
            bullet_points: match &self.small_description {
                Value::Array(points) if !points.is_empty() => points.iter().map(text_or_empty).collect(),
                other => vec![text_or_empty(other)],
            },
            // Drawn once all are read.
            reward_price: 0.0,
            pricing: price.amounts,
            price_tag: price.tag,
            rating: NO_RATING.to_owned(),
            reviews: Vec::new(),
            category: text_or_empty(&self.category),
            query: text_or_empty(&self.query).to_lowercase().trim().to_owned(),
            product_category: text_or_empty(&self.product_category),
            options: options(&self.customization_options)?,
            attributes: attributes.unwrap_or_else(|| vec![NO_ATTRIBUTE.to_owned()]),
            title_nouns: nouns(&title),
            title,
            asin,
        }))
    }
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` is {value}, and a text is expected"))
}

fn text_or_empty(value: &Value) -> String {
    value.as_str().map(str::to_owned).unwrap_or_default()
}

/// The options: names in lower case, values as they are shown. A name that comes twice keeps its first place and its last values.
fn options(value: &Value) -> Result<Options, String> {
    let Value::Object(named) = value else { return Ok(Options::new()) };
    let mut options: Options = IndexMap::new();
    for (name, contents) in named {
        let contents = match contents {
            Value::Null => continue,
            Value::Array(contents) => contents,
            other => return Err(format!("option {name:?} is {other}, and a list is expected")),
        };
        let values = contents.iter().map(|content| {
            let value = content.get("value").and_then(Value::as_str);
            let value = value.ok_or_else(|| format!("a choice of option {name:?} has no `value`: {content}"))?;
            Ok(value.trim().replace('/', " | ").to_lowercase())
        });
        options.insert(name.to_lowercase(), values.collect::<Result<_, String>>()?);
    }
    Ok(options)
}
