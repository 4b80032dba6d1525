//! Shop world: WebShop (Yao et al. 2022). An agent searches, looks at products, chooses options and buys one; how well that fits
//! the instruction is the reward.
//!
//! The engine (search, pages, sessions, reward) is the crate `stepwright-shop`. Here: `source` opens catalogues as sets of tasks,
//! `visit` makes one interface of the engine's forms, `world` an episode of it, `program` gives pages as program calls,
//! `picture` displays them, and `agent` is the buyer without a language model.

mod agent;
mod picture;
mod program;
mod shipped;
mod source;
#[cfg(test)]
mod tests;
mod transcript;
mod visit;
mod world;

pub use source::Source;
pub use visit::Form;
pub use world::ShopWorld;

use crate::shipped_file::shipped;
use stepwright_world::options::Kind;
use stepwright_world::{Ability, DataSpec, Sight, WorldKind};

stepwright_world::option_specs! {
    pub(crate) FORM: "pages", "Pages", "In which form the agent gets the pages.", [
        "site" = "the simpler site of ReAct, Reflexion and O3D", "text" = "the text environment, pieces between separators",
        "text-rich" = "the text environment, a line a piece, buttons marked"
    ] or "site";
    pub(crate) ATTRIBUTES: "attributes", "Attributes", "Shows attributes of products (not on the simpler site).", (Kind::Switch) or "false";
}

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Picture,
    options: &[FORM, ATTRIBUTES],
    data: Some(DataSpec {
        about: "a shop's catalogue: a folder of WebShop's files (items_shuffle*.json, items_ins_v2*.json, items_human_ins.json), or \
                of products.json and goals.json (docs/reference/shop.md)",
        env: "STEPWRIGHT_SHOP",
        lies_at: Source::lies_at,
        demonstrations: false,
    }),
    steps: 15,
    abilities: &[Ability::Admissible, Ability::Preview, Ability::Requests, Ability::Picture, Ability::SkillCode],
    files: &[
        shipped!("shop", "functions.py"),
        shipped!("shop", "primitives.py"),
        shipped!("shop", "react.txt"),
        shipped!("shop", "skills.py"),
        shipped!("shop", "skills.toml"),
        shipped!("shop", "stages.txt"),
    ],
    suggests: Some("o3d"),
    agent: Some(agent::learn),
    transcript: Some(&transcript::TRANSCRIPT),
    ..WorldKind::new(
        "shop",
        "a web shop: search, compare, choose options and buy what an instruction asks for",
        |origin| origin.read(Source::shipped, Source::open),
    )
};
