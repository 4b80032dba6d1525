//! Tests of the buyer without a language model on the goals of the recordings: how often it succeeds, and its mean score.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;
use std::sync::Arc;

use stepwright_shop::buyer::{Past, Seen, propose};
use stepwright_shop::catalogue::Reading;
use stepwright_shop::{Session, Shop, Site};

/// Actions an episode may take, as in the published runs.
const STEPS: usize = 15;

fn on_site(shop: &Arc<Shop>, goal: usize) -> f64 {
    let mut site = Site::new(Arc::clone(shop), goal).unwrap();
    let mut past = vec![Past { action: None, seen: Some(Seen::of_site(&site)) }];
    for _ in 0..STEPS {
        let next = propose(&site.goal().instruction_text, &past).remove(0);
        let (_, step) = site.step(&next.action);
        assert!(step.taken, "{next:?}");
        // The repeat rule of published runs ends an episode there.
        assert_ne!(past.last().unwrap().action.as_ref(), Some(&next.action), "twice in a row");
        if step.done {
            return step.reward;
        }
        past.push(Past { action: Some(next.action), seen: Some(Seen::of_site(&site)) });
    }
    0.0
}

fn in_text(shop: &Arc<Shop>, goal: usize) -> f64 {
    let mut session = Session::new(Arc::clone(shop), goal, false).unwrap();
    let mut past = vec![Past { action: None, seen: Some(Seen::of(session.page(), 10, &session.options)) }];
    for _ in 0..STEPS {
        let next = propose(&session.goal().instruction_text, &past).remove(0);
        let step = session.step(&next.action);
        assert!(step.taken, "{next:?}");
        // The repeat rule of published runs ends an episode there.
        assert_ne!(past.last().unwrap().action.as_ref(), Some(&next.action), "twice in a row");
        if step.done {
            return step.reward;
        }
        past.push(Past { action: Some(next.action), seen: Some(Seen::of(session.page(), 10, &session.options)) });
    }
    0.0
}

fn bars(of: fn(&Arc<Shop>, usize) -> f64) {
    let Some(folder) = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("webshop")) else {
        return;
    };
    let shop = Arc::new(Shop::open(&folder, Reading::default()).unwrap());
    let rewards: Vec<f64> = (0..shop.goals.len()).map(|goal| of(&shop, goal)).collect();
    let all = rewards.len() as f64;
    let success = 100.0 * rewards.iter().filter(|reward| **reward == 1.0).count() as f64 / all;
    let score = 100.0 * rewards.iter().sum::<f64>() / all;
    let wrong: Vec<String> =
        rewards.iter().enumerate().filter(|(_, r)| **r < 1.0).map(|(i, r)| format!("{i}:{r:.2}")).collect();
    eprintln!("success {success:.1} %, score {score:.1}; below 1: {}", wrong.join(" "));
    assert!(success >= 41.0 && score >= 58.0, "success {success:.1} %, score {score:.1}");
}

#[test]
fn a_value_that_two_options_have_keeps_nobody_from_buying() {
    let products = r#"[{"asin":"B000000001","title":"red lamp","price_tag":"$9.0","pricing":[9.0],"options":{"color":["black","red"],"style":["black","plain"]},"attributes":["easy clean"]}]"#;
    let goals = r#"[{"id":0,"asin":"B000000001","name":"red lamp","instruction_text":"find me easy clean lamp with color: black, and style: black","attributes":["easy clean"],"goal_options":["black"]}]"#;
    let shop = Arc::new(Shop::of_text(products, goals, std::path::Path::new("here")).unwrap());
    assert!(on_site(&shop, 0) > 0.0 && in_text(&shop, 0) > 0.0);
}

#[test]
fn on_the_simpler_site() {
    bars(on_site);
}

#[test]
fn in_the_text_environment() {
    bars(in_text);
}
