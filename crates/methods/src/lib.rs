//! The methods of the program: one file or folder a method, and their list.
//!
//! What they have in common (the trait, what goes in and out, prompting, programs for requests, plans, the layers over all methods) is
//! `stepwright_method`, which knows none of them; nothing above it up to the command line does either, but by the list that is handed down. So
//! what is changed in a method has few readers to be compiled again.

mod adaplanner;
pub mod blocking;
mod code_policy;
mod demo2code;
mod few_shot;
mod ff_replan;
mod list;
#[cfg(test)]
mod list_tests;
mod o3d;
mod precondition_aware;
mod precondition_prompting;
mod progprompt;
mod react;
mod reflexion;
mod relay;
mod reprompt;
mod scored;
mod statler;
#[cfg(test)]
mod tests;

pub use list::METHODS;
