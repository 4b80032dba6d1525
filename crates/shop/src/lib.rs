//! Web shop as a text environment, by the rules of WebShop (Yao et al. 2022): the search engine, the pages in their two text
//! forms, the simpler site that ReAct and Reflexion used, goals and the reward with its parts.
//!
//! Everything is pure: products and goals are read once, and from then on a step is a function of the session. What a program
//! makes of it (tasks, calls, agents, panes) is left to that program. docs/reference/shop.md of the repository holds the rules.

pub mod buyer;
pub mod catalogue;
pub mod colour;
pub mod fuzzy;
pub mod goal;
pub mod page;
pub mod python;
pub mod reward;
pub mod search;
pub mod session;
pub mod shop;
pub mod site;
pub mod text;

pub use catalogue::{Product, ShopError};
pub use goal::Goal;
pub use reward::Reward;
pub use session::Session;
pub use shop::Shop;
pub use site::Site;
