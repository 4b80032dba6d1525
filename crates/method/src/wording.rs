//! Wording of a program's request: which of its texts a person has sent otherwise, at the step that asks it. A document, so that it is
//! recorded, taken back and made again like any other; the program's next request is its own again.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::artifacts::ArtifactSpec;
use stepwright_episode::gate::{Conduct, Edit, Request};
use stepwright_episode::showing::Showing;
use stepwright_episode::{ArtifactId, ArtifactKind, NodeId, PromptMessage, Session};
use stepwright_wire::{Api, passages};

/// Texts by the numbers of the passages that they stand in place of, from 0.
pub type Wording = BTreeMap<usize, String>;

pub static ARTIFACT: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    read: |_, _, _| Err("a request is edited text by text, in Model".to_owned()),
    check: |at, artifact, value| {
        if *artifact != id(at.session.cursor()) {
            return Err("this was asked at another step; go to it first".to_owned());
        }
        let asked = at.world.asked().ok_or("nothing is asked at this step")?;
        let known = passages(asked.request.api, &asked.body).map_err(|e| e.to_string())?.len();
        let wording: Option<Wording> = Deserialize::deserialize(value).map_err(|e| e.to_string())?;
        match wording.unwrap_or_default().keys().find(|number| **number >= known) {
            Some(number) => Err(format!("the request has no text {}", number + 1)),
            None => Ok(()),
        }
    },
    ..ArtifactSpec::new(
        "request",
        Showing { lines, changes: |_, after| lines(after), ..Showing::new("request at node {}") },
    )
};

fn lines(value: &Value) -> Vec<String> {
    read(value).iter().map(|(number, text)| format!("text {} of the request: {text}", number + 1)).collect()
}

/// The document that words the request of a node.
pub fn id(node: NodeId) -> ArtifactId {
    ArtifactId { kind: ArtifactKind::Other(ARTIFACT.id.to_owned()), key: node.to_string() }
}

/// Has the request of a node sent like that.
pub fn send(node: NodeId, wording: &Wording) -> Request {
    Request::Change { artifact: id(node), edit: Edit::Value(json!(wording)) }
}

/// How the request of a node is worded there.
pub fn at(session: &Session, node: NodeId) -> Wording {
    let document = session.node(node).and_then(|found| found.document(&id(node)));
    document.map(|document| read(document)).unwrap_or_default()
}

fn read(value: &Value) -> Wording {
    Deserialize::deserialize(value).unwrap_or_default()
}

/// The texts of the request that a program makes at a node, as messages; none where it makes none.
pub fn asked(session: &Session, node: NodeId) -> Vec<PromptMessage> {
    let Some((api, body)) = session.request_at(node) else { return Vec::new() };
    all(api, &body)
}

fn all(api: Api, body: &str) -> Vec<PromptMessage> {
    let found = passages(api, body).unwrap_or_default();
    let message =
        |passage: stepwright_wire::Passage| PromptMessage { role: passage.role.name().to_owned(), text: passage.text };
    found.into_iter().map(message).collect()
}

/// Those texts of a request that are worded otherwise, for the record.
pub fn messages(api: Api, body: &str, wording: &Wording) -> Vec<PromptMessage> {
    if wording.is_empty() {
        return Vec::new();
    }
    let worded =
        |(at, message): (usize, PromptMessage)| Some(PromptMessage { text: wording.get(&at)?.clone(), ..message });
    all(api, body).into_iter().enumerate().filter_map(worded).collect()
}
