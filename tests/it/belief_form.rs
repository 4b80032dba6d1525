//! Forms of states through the whole program: a model proposes one from demonstrations, what is wrong with it is said, and in a world that
//! ships none a belief is kept in it.

use serde_json::Value;

use stepwright::driver::{Beginning, OpenRequest, prepare};
use stepwright::episode::log;

use crate::support::opened::{begun, configuration};
use crate::support::program::{asking, said};
use crate::support::server::{Received, Server, whole};

const GOOD: &str = "```toml\nsingle = [\"shop.page p\"]\n[tells]\n\"shop.page p\" = \"the page is p\"\n\"shop.chosen o v\" = \"o.chosen = v\"\n```";
const BAD: &str = "[tells]\n\"shop.pge p\" = \"the page is p\"\n";

fn asks(request: &Received) -> String {
    request.body["messages"].to_string()
}

/// A model that gives these forms one after the other, the last of them ever after; keeps a state, and plays a step.
fn model(forms: &'static [&'static str]) -> Server {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    Server::answering(move |request| {
        let asks = asks(request);
        if asks.contains("You design the form") {
            let at = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return whole(forms[at.min(forms.len() - 1)]);
        }
        match asks.contains("You keep a state as JSON") {
            true => whole("{\"objects\": [], \"relations\": [\"the page is results\"]}"),
            false => whole("buyer.search('rug')"),
        }
    })
}

#[test]
fn a_form_of_a_model_is_judged_written_and_used_in_a_world_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = model(&[BAD, GOOD]);
    let form = ["belief", "form", "--world", "shop", "--model", "fake", "--out", "shop.state_form.toml"];
    let output = asking(&server, folder.path(), &form);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(server.requests().len(), 2, "the first did not pass: {text}");
    assert!(
        text.contains("can be written in it; it tells ") && text.contains("tells: shop.page a, shop.chosen a b"),
        "{text}"
    );
    assert!(text.contains("leaves out: ") && text.contains("shop.results a"), "{text}");
    let shown = asks(&server.requests()[0]);
    assert!(shown.contains("shop.page a") && shown.contains("buyer.search("), "literals and an episode: {shown}");
    let written = std::fs::read_to_string(folder.path().join("shop.state_form.toml")).unwrap();
    assert!(written.starts_with("single = ") && !written.contains("```"), "{written}");
    let refused = asking(&server, folder.path(), &form);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("--replace"), "{}", said(&refused));
    // Without a form no belief is kept there.
    let run = ["run", "--world", "shop", "--tasks", "first=1", "--max-steps", "2", "--model", "fake", "--method"];
    let none = asking(&server, folder.path(), &[&run[..], &["few-shot", "--belief", "on"]].concat());
    assert!(said(&none).contains("it has no form for a belief"), "{}", said(&none));
    let own = ["few-shot", "--belief", "on", "--states", "shop.state_form.toml", "--sessions", "sessions"];
    let output = asking(&server, folder.path(), &[&run[..], &own].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", said(&output));
    let requests = server.requests();
    let writer = requests.iter().map(asks).find(|asks| asks.contains("You keep a state as JSON")).unwrap();
    assert!(writer.contains("the page is search"), "it begins with the program's state: {writer}");
    let session = std::fs::read_dir(folder.path().join("sessions")).unwrap().next().unwrap().unwrap().path();
    let shown = said(&asking(&server, folder.path(), &["show", &session.display().to_string()]));
    assert!(shown.contains("the page is results"), "{shown}");
    // Statler's reader reads such a state.
    let own = ["statler", "--states", "shop.state_form.toml"];
    let output = asking(&server, folder.path(), &[&run[..], &own].concat());
    let read = server.requests().split_off(requests.len());
    let reader = read.first().map(asks).unwrap_or_default();
    assert!(reader.contains("the page is search"), "{}\n{reader}", said(&output));
}

#[test]
fn what_is_wrong_with_a_form_is_said_and_it_can_be_mended() {
    let folder = tempfile::tempdir().unwrap();
    let server = model(&[BAD]);
    let form = ["belief", "form", "--world", "shop", "--model", "fake", "--tries", "2", "--out", "f.toml"];
    let output = asking(&server, folder.path(), &form);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let fault = "f.toml:2: `shop.pge a` held in no state of the episodes; did you mean `shop.page`?";
    assert!(text.contains(fault) && text.contains("edit it, then belief check"), "{text}");
    let check = |expected| {
        let output = asking(&server, folder.path(), &["belief", "check", "f.toml", "--world", "shop", "--json"]);
        assert_eq!(output.status.code(), Some(expected), "{}", said(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(check(1)["faults"][0][0], 2);
    std::fs::write(folder.path().join("f.toml"), BAD.replace("pge", "page")).unwrap();
    let verdict = check(0);
    assert_eq!(verdict["tells"][0], "shop.page a");
    assert!(verdict["changes"].as_u64() > verdict["told"].as_u64(), "{verdict}");
    let symbolic = asking(
        &server,
        folder.path(),
        &["belief", "form", "--world", "shop", "--model", "symbolic", "--out", "g.toml"],
    );
    assert!(said(&symbolic).contains("no language model is in use"), "{}", said(&symbolic));
    let gone = ["run", "--world", "shop", "--tasks", "first=1", "--belief", "on", "--states", "none.toml"];
    assert!(said(&asking(&server, folder.path(), &gone)).contains("none.toml cannot be read"));
}

#[test]
fn a_session_of_before_that_holds_the_path_alone_reads_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (form, file) = (folder.path().join("own.toml"), folder.path().join("session.jsonl"));
    let text = "[tells]\n\"shop.page p\" = \"the page is p\"\n";
    std::fs::write(&form, text).unwrap();
    let (config, path) = (configuration(folder.path()), form.display().to_string());
    let options = [("belief", "on"), ("states", path.as_str())];
    let setup = begun(("shop", "fixed_0"), ("few-shot", &options), &config, std::sync::Arc::new(|| 1_000), None);
    let Beginning::New(header) = &setup.beginning else { panic!("it is new") };
    assert_eq!(setup.form.as_deref(), Some(text));
    drop(log::Writer::create(&file, header).unwrap());
    let again = || prepare(&OpenRequest::File(file.clone()), &config, &stepwright::worlds::sources()).unwrap();
    let opened = again();
    assert_eq!((opened.form.as_deref(), opened.remarks.len()), (Some(text), setup.remarks.len()));
    drop(opened);
    std::fs::remove_file(&form).unwrap();
    let opened = again();
    assert!(opened.form.is_none() && opened.remarks[0].contains("own.toml cannot be read"), "{:?}", opened.remarks);
}
