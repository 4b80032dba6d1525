//! The templates that ship in the program: every `.jinja` file under `prompts/`. A test compares this list with the folder.

/// Name and source of each.
pub(super) const TEMPLATES: &[(&str, &str)] = &[];
