//! The state forms that ship.

use std::sync::OnceLock;

use super::{StateForm, StateFormError};

/// World, file and text.
const SHIPPED: [(&str, &str, &str); 2] = [
    ("household", "worlds/household/state_form.toml", include_str!("../../../worlds/household/state_form.toml")),
    ("kitchen", "worlds/kitchen/state_form.toml", include_str!("../../../worlds/kitchen/state_form.toml")),
];

/// A form, once loaded.
type Loaded = Result<StateForm, StateFormError>;

/// The state form that ships for a world; `None` if none does.
///
/// # Errors
/// [`StateFormError`] if it does not load, which a test rules out.
pub fn shipped(world: &str) -> Option<Result<&'static StateForm, &'static StateFormError>> {
    static FORMS: [OnceLock<Loaded>; SHIPPED.len()] = [const { OnceLock::new() }; SHIPPED.len()];
    let ((_, path, text), form) = SHIPPED.iter().zip(&FORMS).find(|((name, ..), _)| *name == world)?;
    Some(form.get_or_init(|| StateForm::load(text, path)).as_ref())
}
