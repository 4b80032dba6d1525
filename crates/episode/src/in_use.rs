//! What is in use together at a time: a method and a model.

/// A method and a model in use together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InUse {
    /// The method's name.
    pub method: String,
    /// The model's name, with those of roles that have another: `large (writer small)`.
    pub model: String,
}
