//! Commands about forms of states. Taking one into use is a change of a document like any other.

/// A command about forms of states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormCommand {
    /// Judge the text of a form on episodes; answered by [`Notice::FormChecked`](super::Notice::FormChecked) with the same token, never logged.
    Check { token: u64, text: String },
    /// Have the model in use propose one: what it writes is offered.
    Propose,
}
