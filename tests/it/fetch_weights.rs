//! Tests of fetching weights from servers that misbehave, and from files.

use std::path::Path;
use std::sync::Mutex;

use crate::support::server::{Server, Step};
use sha2::{Digest, Sha256};
use stepwright::model::fetch::{self, FetchError, Hub, Places, Weights};
use tokio_util::sync::CancellationToken;

/// The weights' bytes: nothing that compresses well, and no two places alike.
fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn weights(content: &[u8]) -> Weights {
    Weights {
        name: "tiny".into(),
        title: "a tiny model".into(),
        about: "for tests".into(),
        file: "w.gguf".into(),
        size: content.len() as u64,
        sha256: sha256(content),
        licence: "CC0-1.0".into(),
        purpose: fetch::Purpose::Language,
        with: Vec::new(),
        path: "owner/model/resolve/main/w.gguf".into(),
    }
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    vec![Step::Send([head.as_bytes(), body].concat())]
}

fn whole(body: &[u8]) -> Vec<Step> {
    answer("200 OK", "", body)
}

fn rest(body: &[u8], from: usize) -> Vec<Step> {
    let range = format!("content-range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len());
    answer("206 Partial Content", &range, &body[from..])
}

/// Promises all, sends the first `n` bytes, and closes.
fn cut(body: &[u8], n: usize) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    vec![Step::Send([head.as_bytes(), &body[..n]].concat())]
}

struct Fetched {
    result: Result<std::path::PathBuf, FetchError>,
    asked: Vec<(String, Option<String>)>,
    steps: Vec<u64>,
}

fn fetch(folder: &Path, weights: &Weights, scripts: Vec<Vec<Step>>) -> Fetched {
    let server = Server::start(scripts);
    let base = server.url.trim_end_matches("/v1").to_owned();
    let places = Places { folder: folder.to_owned(), hub: Hub { address: Some(base), ..Hub::default() } };
    let steps = Mutex::new(Vec::new());
    let progress = |step: fetch::Step| steps.lock().unwrap().push(step.done);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(fetch::fetch(weights, &places, &progress, &CancellationToken::new()));
    let range =
        |head: &str| head.lines().find_map(|l| l.to_ascii_lowercase().strip_prefix("range: ").map(str::to_owned));
    let asked = server.requests().iter().map(|r| (r.path().to_owned(), range(&r.head))).collect();
    Fetched { result, asked, steps: steps.into_inner().unwrap() }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_comes_whole_and_is_not_fetched_again() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let done = fetch(dir.path(), &weights, vec![whole(&content)]);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked, [("/owner/model/resolve/main/w.gguf".to_owned(), None)]);
    assert!(done.steps.is_sorted() && done.steps.last() == Some(&10_000), "{:?}", done.steps);
    assert_eq!(names(dir.path()), ["w.gguf"]);
    let again = fetch(dir.path(), &weights, Vec::new());
    assert!(again.result.is_ok() && again.asked.is_empty());
}

#[test]
fn a_file_comes_whole_whatever_the_server_does() {
    let content = bytes(10_000);
    let (all, cut, rest) = (|| whole(&content), |n| cut(&content, n), |from| rest(&content, from));
    let busy = || answer("503 Service Unavailable", "", b"busy");
    let moved = || answer("302 Found", "location: /elsewhere\r\n", b"");
    for (what, part, scripts, asked) in [
        ("a cut file is gone on from", None, vec![cut(4_321), rest(4_321)], "whole, bytes=4321-"),
        ("a server without ranges sends all again", None, vec![cut(5_000), all()], "whole, bytes=5000-"),
        ("another range starts over", None, vec![cut(5_000), rest(7_000), all()], "whole, bytes=5000-, whole"),
        (
            "redirects are followed, passing troubles waited out",
            None,
            vec![busy(), moved(), all()],
            "whole, whole, whole",
        ),
        ("what an earlier run got is gone on from", Some(&content[..6_000]), vec![rest(6_000)], "bytes=6000-"),
        ("a wrong beginning is dropped", Some(&[7; 2_000][..]), vec![rest(2_000), all()], "bytes=2000-, whole"),
    ] {
        let (dir, redirects) = (tempfile::tempdir().unwrap(), what.starts_with("redirects"));
        if let Some(part) = part {
            std::fs::write(dir.path().join("w.gguf.part"), part).unwrap();
        }
        let done = fetch(dir.path(), &weights(&content), scripts);
        assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content, "{what}");
        let ranges: Vec<&str> = done.asked.iter().map(|(_, range)| range.as_deref().unwrap_or("whole")).collect();
        assert_eq!(ranges.join(", "), asked, "{what}");
        assert_eq!(done.asked.last().unwrap().0 == "/elsewhere", redirects, "{what}");
    }
}

#[test]
fn what_came_before_a_refusal_is_kept_under_another_name() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let scripts = vec![cut(&content, 6_000), answer("403 Forbidden", "", b"no")];
    let error = fetch(dir.path(), &weights(&content), scripts).result.unwrap_err().to_string();
    assert!(error.contains("model hub") && error.contains("403") && error.contains("--from"), "{error}");
    assert_eq!(names(dir.path()), ["w.gguf.part"], "nothing has the file's name before it is whole");
    assert_eq!(std::fs::read(dir.path().join("w.gguf.part")).unwrap(), &content[..6_000]);
}

#[test]
fn a_wrong_size_and_a_wrong_hash_are_refused() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let done = fetch(dir.path(), &weights, vec![whole(&content[..9_000])]);
    let error = done.result.unwrap_err().to_string();
    assert!(error.contains("has 9000 bytes in place of 10000"), "{error}");
    let mut other = content.clone();
    other[5_000] ^= 1;
    let done = fetch(dir.path(), &weights, vec![whole(&other)]);
    assert!(done.result.unwrap_err().to_string().contains("its sha256 differs"));
    assert!(names(dir.path()).is_empty(), "a wrong file is not gone on from");
    assert!(!fetch::is_present(dir.path(), &weights));
}

#[test]
fn an_endless_answer_is_not_read_to_its_end() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    let done = fetch(dir.path(), &weights, vec![vec![Step::Send(head), Step::Send(bytes(50_000)), Step::Hold]]);
    assert!(done.result.unwrap_err().to_string().contains("longer than it should be"));
}

#[test]
fn a_cancelled_fetch_ends_at_once_and_keeps_what_came() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let mut script = cut(&content, 3_000);
    script.push(Step::Hold);
    let server = Server::start(vec![script]);
    let hub = Hub { address: Some(server.url.trim_end_matches("/v1").to_owned()), ..Hub::default() };
    let places = Places { folder: dir.path().to_owned(), hub };
    let cancel = CancellationToken::new();
    let progress = |step: fetch::Step| {
        if step.done == 3_000 {
            cancel.cancel();
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(fetch::fetch(&weights, &places, &progress, &cancel));
    assert!(matches!(result, Err(FetchError::Cancelled)), "{result:?}");
    assert_eq!(std::fs::read(dir.path().join("w.gguf.part")).unwrap(), &content[..3_000]);
}

#[test]
fn two_fetches_of_a_file_do_not_mix() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let other = std::fs::File::create(dir.path().join("w.gguf.part")).unwrap();
    other.lock().unwrap();
    assert!(matches!(fetch(dir.path(), &weights, Vec::new()).result, Err(FetchError::Busy(_))));
}

#[test]
fn weights_are_taken_from_a_file_or_a_folder() {
    let content = bytes(10_000);
    let weights = weights(&content);
    let have = tempfile::tempdir().unwrap();
    let take = |from: &Path| {
        let dir = tempfile::tempdir().unwrap();
        let places = Places { folder: dir.path().join("new/folder"), ..Places::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let cancel = CancellationToken::new();
        let taken = runtime.block_on(fetch::take(&weights, from, &places, &|_| {}, &cancel));
        assert!(taken.is_ok() || names(&places.folder).is_empty(), "a failure leaves nothing behind");
        taken.map(|p| std::fs::read(p).unwrap())
    };
    let error = take(&have.path().join("absent")).unwrap_err().to_string();
    assert!(error.contains("absent"), "{error}");
    let error = take(have.path()).unwrap_err().to_string();
    assert!(error.contains("w.gguf (10000 bytes)"), "{error}");
    std::fs::write(have.path().join("any-name"), &content).unwrap();
    assert_eq!(take(have.path()).unwrap(), content);
    assert_eq!(take(&have.path().join("any-name")).unwrap(), content);
    std::fs::write(have.path().join("any-name"), bytes(9_999)).unwrap();
    assert!(take(&have.path().join("any-name")).unwrap_err().to_string().contains("is not"));
    let mut other = content.clone();
    other[0] ^= 1;
    std::fs::write(have.path().join("any-name"), other).unwrap();
    assert!(take(have.path()).unwrap_err().to_string().contains("sha256 differs"));
}

#[test]
fn the_hubs_cache_comes_first_and_its_token_goes_to_the_hub_alone() {
    let (dir, cache, content) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content);
    let fetched = |hub: Hub| {
        let places = Places { folder: dir.path().to_owned(), hub };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result = runtime.block_on(fetch::fetch(&weights, &places, &|_| {}, &CancellationToken::new()));
        result.map(|path| std::fs::read(path).unwrap())
    };
    let server = Server::start(vec![whole(&content)]);
    let address = Some(server.url.trim_end_matches("/v1").to_owned());
    let token = Some(secrecy::SecretString::from("hf_secret"));
    assert_eq!(fetched(Hub { address: address.clone(), cache: None, token }).unwrap(), content);
    assert!(server.requests()[0].head.to_ascii_lowercase().contains("authorization: bearer hf_secret"));
    // What is in the cache is not asked for; what only looks like it is passed over.
    std::fs::remove_file(dir.path().join("w.gguf")).unwrap();
    let blobs = cache.path().join("models--owner--model/blobs");
    std::fs::create_dir_all(&blobs).unwrap();
    std::fs::write(blobs.join(&weights.sha256), &content).unwrap();
    let cached = Hub { address: None, cache: Some(cache.path().to_owned()), token: None };
    assert_eq!(fetched(cached.clone()).unwrap(), content);
    std::fs::remove_file(dir.path().join("w.gguf")).unwrap();
    std::fs::write(blobs.join(&weights.sha256), vec![7; content.len()]).unwrap();
    assert!(fetched(cached).unwrap_err().to_string().contains("passed over"), "no source is left");
}
