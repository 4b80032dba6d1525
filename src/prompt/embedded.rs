//! The templates that ship in the program: every `.jinja` file under `prompts/`. A test compares this list with the folder.

/// Name and source of each.
pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("blocking/select", include_str!("../../prompts/blocking/select.jinja")),
    ("blocking/select_chat", include_str!("../../prompts/blocking/select_chat.jinja")),
    ("preconditions/candidates", include_str!("../../prompts/preconditions/candidates.jinja")),
    ("preconditions/candidates_chat", include_str!("../../prompts/preconditions/candidates_chat.jinja")),
    ("progprompt/assertion", include_str!("../../prompts/progprompt/assertion.jinja")),
    ("progprompt/assertion_chat", include_str!("../../prompts/progprompt/assertion_chat.jinja")),
    ("progprompt/examples", include_str!("../../prompts/progprompt/examples.jinja")),
    ("progprompt/judged", include_str!("../../prompts/progprompt/judged.jinja")),
    ("progprompt/plan", include_str!("../../prompts/progprompt/plan.jinja")),
    ("progprompt/plan_chat", include_str!("../../prompts/progprompt/plan_chat.jinja")),
    ("program/next_action", include_str!("../../prompts/program/next_action.jinja")),
    ("program/next_action_chat", include_str!("../../prompts/program/next_action_chat.jinja")),
];
