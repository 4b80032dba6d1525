//! Weights as beliefs give them: `green_block.weight * 2`, `1/4`, `half`, `one-fourth`; and what follows from all of them.
//!
//! A weight is an exact fraction of another object's weight or of one. Names are the state's: spaces where an expression has
//! underscores.

mod expression;
mod known;
mod words;

pub use expression::{Expression, WeightError, read};
pub use known::{Contradiction, Weights};
pub use words::{number, part, times};

pub type Ratio = num_rational::Ratio<i64>;
