//! Task of an agent, and the world's options that each may have otherwise.

use std::collections::BTreeMap;

use serde::Deserialize;

use stepwright_world::options::Kind;

stepwright_world::option_specs! {
    pub(super) WORKSPACE: "workspace", "Workspace", "The folder of which the agent gets a copy at each start.", (Kind::Text);
    pub(super) SUCCESS: "success", "Success", "A command in the workspace whose exit code says whether the goal is reached.", (Kind::Text);
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) id: String,
    /// What the agent is to do, for `{task}` in the command and for `STEPWRIGHT_TASK`.
    #[serde(default)]
    pub(super) task: String,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    pub(super) workspace: Option<String>,
    pub(super) success: Option<String>,
}
