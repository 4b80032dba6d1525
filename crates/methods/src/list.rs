//! List of methods and of kinds of documents. A new one is its file or folder and its line here.

use std::sync::{Arc, LazyLock};

use crate::{
    adaplanner, blocking, code_policy, demo2code, few_shot, ff_replan, o3d, precondition_aware, precondition_prompting,
    progprompt, react, reflexion, relay, reprompt, scored, statler,
};
use stepwright_method::blocking::ARTIFACT as TREE;
use stepwright_method::{ArtifactSpec, Method, Methods, artifacts, belief_update, plan_following, skills, wording};

/// The kinds of documents that are listed.
static ARTIFACTS: [&ArtifactSpec; 12] = [
    &belief_update::ARTIFACT,
    &belief_update::FORM,
    &plan_following::ARTIFACT,
    &statler::ARTIFACT,
    &TREE,
    &artifacts::ASSERTIONS,
    &artifacts::CANDIDATES,
    &skills::KNOWLEDGE,
    &skills::SEGMENTS,
    &reflexion::ARTIFACT,
    &reprompt::ARTIFACT,
    &wording::ARTIFACT,
];

/// The methods of the program, the default first, with what is listed beside them.
pub static METHODS: LazyLock<Methods> = LazyLock::new(|| Methods::new(built_in(), &ARTIFACTS));

fn built_in() -> Vec<Arc<dyn Method>> {
    let mut all: Vec<Arc<dyn Method>> = vec![
        Arc::new(precondition_aware::METHOD),
        Arc::new(precondition_prompting::METHOD),
        Arc::new(few_shot::METHOD),
        Arc::new(scored::METHOD),
        Arc::new(blocking::Blocking),
        Arc::new(progprompt::ProgPrompt { respect_assertions: true }),
        Arc::new(progprompt::ProgPrompt { respect_assertions: false }),
        Arc::new(ff_replan::FfReplan { limited: false }),
        Arc::new(ff_replan::FfReplan { limited: true }),
        Arc::new(o3d::O3d),
        Arc::new(react::React { long: false }),
        Arc::new(react::React { long: true }),
        Arc::new(reflexion::Reflexion),
        Arc::new(code_policy::O3dCode),
        Arc::new(demo2code::Demo2Code),
        Arc::new(adaplanner::AdaPlanner),
        Arc::new(relay::Relay),
    ];
    all.extend(reprompt::METHODS.map(|method| Arc::new(method) as Arc<dyn Method>));
    all.extend(statler::built_in().into_iter().map(|method| Arc::new(method) as Arc<dyn Method>));
    all
}
