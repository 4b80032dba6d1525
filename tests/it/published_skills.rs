//! Published and human-written knowledge as it is, by the methods that act by skills or are given tips; and files that are broken.

use std::path::Path;

use crate::support::driver::{Scripted, watched};
use crate::support::recordings::recordings;
use stepwright::driver::Level;
use stepwright::method::skills::SkillShelf;
use stepwright::worlds::{household, shop};

fn prompt(model: &Scripted) -> String {
    let asked = model.asked.lock().unwrap();
    asked[0].messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn published_knowledge_loads_as_it_is() {
    let Some(data) = recordings("o3d/knowledge.json") else { return };
    let name = |which: &str| format!("{}{which}", data.display());
    let household = SkillShelf::new(&household::KIND);
    let llm = household.get(&name("#alfworld/llm")).unwrap();
    assert!(llm.skills.len() == 7 && llm.skill("find").is_some(), "{:?}", llm.skills.len());
    assert!(llm.skills.iter().all(|skill| !skill.primitives.is_empty()));
    let human = household.get(&name("#alfworld/human")).unwrap();
    assert!(human.skill("clean").is_some_and(|skill| !skill.tips.is_empty()) && human != llm);
    let tips = |which: &str| household.get(&name(which)).unwrap().tips.len();
    assert_eq!((tips("#alfworld/contrastive"), tips("#alfworld/non-contrastive")), (16, 24));
    // Where the author of a list wrote skills too, the list has a name of its own.
    assert_eq!((tips("#alfworld/human-tips"), tips("#webshop/human-tips")), (9, 8));
    assert!(household.get(&name("#alfworld/human-tips")).unwrap().skills.is_empty());
    // Without a name the environment whose skills are most like the world's own.
    assert_eq!(household.get(&name("")).unwrap(), llm);
    let shop = SkillShelf::new(&shop::KIND);
    assert!(shop.get(&name("#webshop/llm")).unwrap().skill("search_item").is_some());
    let error = household.get(&name("#alfworld/nobody")).unwrap_err();
    assert!(error.contains("alfworld/llm") && error.contains("webshop/non-contrastive"), "{error}");
    assert!(error.contains("webshop/human-tips"), "{error}");
}

#[tokio::test]
async fn tips_that_were_published_lead_the_prompts_of_other_methods() {
    let Some(data) = recordings("o3d/knowledge.json") else { return };
    let tips = format!("{}#alfworld/non-contrastive", data.display());
    for method in ["react", "reflexion"] {
        let model = Scripted::lines(&["> add 5"]);
        let mut w = watched(method, &[("tips", &tips)], &model);
        w.recommended().await;
        let prompt = prompt(&model);
        assert!(prompt.contains("Tips from earlier episodes:"), "{method}: {prompt}");
        assert!(prompt.matches("\n- ").count() >= 24, "{method}");
    }
}

#[tokio::test]
async fn a_broken_file_says_what_is_wrong_where_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let shelf = SkillShelf::new(&household::KIND);
    let cases = [
        (at("torn.json", "{\"skills\": {"), "line 1"),
        (at("other.json", "{\"colour\": 1}"), "missing field `skills`"),
        (
            at(
                "name.json",
                "{\"skills\":{},\"per_skill\":[{\"env\":\"e\",\"author\":\"llm\",\"skill\":\"f\",\"signature\":\"f\"}]}",
            ),
            "f of e by llm",
        ),
        (at("empty.json", "{\"skills\":{},\"per_skill\":[]}"), "it has no such skills"),
        (at("bad.skills.toml", "[[skill]]\nname = \"find\"\n"), "line 2"),
        (folder.path().join("none.skills.toml").display().to_string(), "none.skills.toml"),
    ];
    for (path, part) in &cases {
        let error = shelf.get(path).unwrap_err();
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        assert!(error.contains(part) && error.contains(name), "{path}: {error}");
    }
    let error = shelf.get(&cases[1].0).unwrap_err();
    assert!(error.contains("`per_skill`") && error.contains(".toml"), "{error}");
    // A method that acts by skills stops and says it, and so does one that is given tips: nothing is asked as if they led it.
    let model = Scripted::lines(&["> add 5"]);
    let mut w = watched("o3d", &[("skills", &cases[0].0)], &model);
    assert!(w.said(Level::Warning, "torn.json").await.contains("line 1"));
    let model = Scripted::lines(&["> add 5"]);
    let mut w = watched("react", &[("tips", &cases[0].0)], &model);
    assert!(w.said(Level::Error, "torn.json").await.contains("line 1"));
    assert!(w.session.current().unwrap().turn.asks.is_empty());
}
