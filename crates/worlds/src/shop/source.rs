//! Sources of tasks: the catalogue that ships with the program, or a user's. A task is a goal; its id is the original
//! engine's (`fixed_12`), where goals are numbered in their order; a compact catalogue says the number of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stepwright_shop::catalogue::{Reading, find};
use stepwright_shop::{Goal, Shop, ShopError};

use super::visit::{Form, Options};
use super::{ATTRIBUTES, FORM, ShopWorld, shipped};
use crate::{Catalog, Entry, Identified};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, WorldError};

#[derive(Debug, Clone)]
pub struct GoalEntry {
    shop: Arc<Shop>,
    place: usize,
    id: String,
    origin: Arc<str>,
}

pub type Source = Catalog<GoalEntry>;

const PRODUCTS: &str = include_str!("../../worlds/shop/products.json");
const GOALS: &str = include_str!("../../worlds/shop/goals.json");

impl Source {
    pub fn shipped() -> Result<Source, WorldError> {
        let shop = Shop::of_text(PRODUCTS, GOALS, Path::new("worlds/shop")).map_err(wrong)?;
        Ok(Source::of(shop, "shipped"))
    }

    /// Opens a person's catalogue: a folder, or one of its files.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let shop = Shop::open(path, Reading::beside(path).map_err(wrong)?).map_err(wrong)?;
        if shop.goals.is_empty() {
            let message = match shop.no_goals {
                Some(why) => format!("the catalogue has no goals: {why}"),
                None => "the catalogue has no goals; goals.json, items_ins_v2*.json or items_human_ins.json holds them"
                    .to_owned(),
            };
            return Err(WorldError::Data { path: path.display().to_string(), message });
        }
        Ok(Source::of(shop, &path.display().to_string()))
    }

    pub fn lies_at(path: &Path) -> bool {
        find(path).is_some()
    }

    fn of(shop: Shop, origin: &str) -> Source {
        let (shop, origin): (Arc<Shop>, Arc<str>) = (Arc::new(shop), origin.into());
        let mut source = Source::default();
        for (place, goal) in shop.goals.iter().enumerate() {
            let (id, origin) = (format!("fixed_{}", goal.id), Arc::clone(&origin));
            source.add(GoalEntry { shop: Arc::clone(&shop), place, id, origin });
        }
        source
    }
}

impl GoalEntry {
    pub(super) fn shop(&self) -> &Arc<Shop> {
        &self.shop
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    pub(super) fn goal(&self) -> Option<&Goal> {
        self.shop.goals.get(self.place)
    }
}

impl Identified for GoalEntry {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Entry for GoalEntry {
    fn info(&self) -> TaskInfo {
        let (kind, sentence) =
            self.goal().map(|goal| (goal.category.clone(), goal.instruction_text.clone())).unwrap_or_default();
        TaskInfo { id: self.id.clone(), kind, sentence, source: self.origin.to_string() }
    }

    fn open(source: Arc<Source>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = source.get(task)?.goal().map(|goal| goal.instruction_text.clone()).unwrap_or_default();
        let read = read_options(options);
        let options = BTreeMap::from([
            (FORM.key.to_owned(), read.form.word().to_owned()),
            (ATTRIBUTES.key.to_owned(), read.attributes.to_string()),
        ]);
        let world = Box::new(ShopWorld::over(source, read));
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, options: &Values) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(&self.id, &self.origin, read_options(options))
    }
}

fn read_options(options: &Values) -> Options {
    Options { form: Form::of(options.text(&FORM)), attributes: options.text(&ATTRIBUTES) == "true" }
}

fn wrong(error: ShopError) -> WorldError {
    match error {
        ShopError::Data { path, message } => WorldError::Data { path, message },
        ShopError::Unreadable { path, source } => WorldError::Data { path, message: source.to_string() },
    }
}
