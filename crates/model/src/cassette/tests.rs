use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::*;

/// A model of that name answers with the number of the call, in two pieces, and scores a text by its length.
struct Counting(&'static str, std::sync::atomic::AtomicU32, Settings);

#[async_trait]
impl LanguageModel for Counting {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.0.into(), kind: ModelKind::Remote, endpoint: "http://x/v1".into() }
    }

    async fn complete(
        &self,
        _: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        _: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let number = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if number == 99 {
            return Err(ModelError::Cancelled);
        }
        for text in ["call é".to_owned(), format!(" {number}")] {
            stream.send(StreamEvent::Delta { index: 0, text }).unwrap();
            tokio::task::yield_now().await;
        }
        let tokens = vec![TokenLogprob::new("x", -0.1)];
        let completion =
            Completion { text: format!("call é {number}"), finish: "stop".into(), tokens, ..Completion::default() };
        Ok(ModelResponse::of(vec![completion], Some(Usage::new(3, 2))))
    }

    fn settings(&self) -> Settings {
        self.2
    }

    fn can_score(&self) -> bool {
        true
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        _: &UnboundedSender<usize>,
        _: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        let of = |c: &String| Completion {
            text: c.clone(),
            finish: String::new(),
            tokens: c.chars().map(|c| TokenLogprob::new(c, -0.1)).collect(),
            ..Completion::default()
        };
        Ok(request.candidates.iter().map(of).collect())
    }
}

fn counting(from: u32) -> Arc<dyn LanguageModel> {
    named("counting", from)
}

fn named(name: &'static str, from: u32) -> Arc<dyn LanguageModel> {
    Arc::new(Counting(name, from.into(), Settings::default()))
}

fn request(text: &str) -> ModelRequest {
    ModelRequest {
        messages: vec![PromptMessage { role: "user".into(), text: text.into() }],
        max_tokens: 10,
        temperature: 0.7,
        n: 1,
        stop: vec!["\n".into()],
        seed: Some(1),
        frequency_penalty: 0.0,
        presence_penalty: 0.0,
        top_p: None,
        structure: None,
        relayed: None,
        tag: None,
        logprobs: true,
        cut_counts: false,
    }
}

async fn ask(model: &dyn LanguageModel, text: &str) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    ask_as(model, &request(text)).await
}

async fn ask_as(
    model: &dyn LanguageModel,
    request: &ModelRequest,
) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    let (sender, mut receiver) = unbounded_channel();
    let answer = model.complete(request, &sender, &CancellationToken::new()).await;
    drop(sender);
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        events.push(event);
    }
    (answer, events)
}

#[tokio::test]
async fn what_is_recorded_plays_back_piece_by_piece() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let recorder = Recorder::new(counting(0), &path).unwrap();
    let live = [ask(&recorder, "one").await, ask(&recorder, "two").await, ask(&recorder, "one").await];
    let cassette = Cassette::open(&path).unwrap();
    assert_eq!(cassette.len(), 3);
    assert_eq!(cassette.info().kind, ModelKind::Recorded);
    assert_eq!(cassette.info().name, "counting");
    assert_eq!(ask(&cassette, "one").await, live[0]);
    assert_eq!(ask(&cassette, "one").await, live[2], "equal requests answer in recorded order");
    assert_eq!(ask(&cassette, "one").await, live[0], "and start again after the last");
    assert_eq!(ask(&cassette, "two").await, live[1]);
    assert_eq!(ask(&cassette, "two").await.1.len(), 2, "the pieces are kept apart");
}

#[tokio::test]
async fn failures_are_not_recorded_and_a_second_recorder_appends() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    assert!(ask(&Recorder::new(counting(99), &path).unwrap(), "x").await.0.is_err());
    ask(&Recorder::new(counting(1), &path).unwrap(), "x").await.0.unwrap();
    // A torn last line is cut off before more is appended.
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.len();
    bytes.extend_from_slice(b"{\"request\":{\"mess");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(Cassette::open(&path).unwrap().len(), 1);
    ask(&Recorder::new(counting(2), &path).unwrap(), "y").await.0.unwrap();
    assert_eq!(Cassette::open(&path).unwrap().len(), 2);
    assert_eq!(&std::fs::read(&path).unwrap()[..whole], &bytes[..whole]);
}

#[tokio::test]
async fn a_miss_names_the_nearest_and_the_first_difference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let recorder = Recorder::new(counting(0), &path).unwrap();
    ask(&recorder, "far\naway").await.0.unwrap();
    ask(&recorder, "a\nb\nc\nagent.go(1)\nd").await.0.unwrap();
    let cassette = Cassette::open(&path).unwrap();
    let (answer, events) = ask(&cassette, "a\nb\nc\nagent.go(2)\nd").await;
    assert!(events.is_empty());
    let message = answer.unwrap_err().to_string();
    for part in ["a.jsonl", "exchange 2", "line 5", "agent.go(2)", "agent.go(1)"] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    let mut hotter = request("far\naway");
    hotter.temperature = 1.0;
    let message = ask_as(&cassette, &hotter).await.0.unwrap_err().to_string();
    assert!(
        message.contains("exchange 1") && message.contains("temperature 1 ") && message.contains("temperature 0.7")
    );
    // A penalty makes another request; without one the request is written as it always was.
    let mut penalized = request("far\naway");
    assert!(!serde_json::to_string(&penalized).unwrap().contains("penalty"));
    penalized.frequency_penalty = 0.15;
    let message = ask_as(&cassette, &penalized).await.0.unwrap_err().to_string();
    assert!(message.contains("frequency_penalty 0.15") && message.contains("frequency_penalty 0 "), "{message}");
}

#[tokio::test]
async fn requests_are_recognised_by_content() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let recorder = Recorder::new(counting(0), &path).unwrap();
    let mut plain = request("a\nb");
    plain.logprobs = false;
    ask_as(&recorder, &plain).await.0.unwrap();
    let cassette = Cassette::open(&path).unwrap();
    assert!(ask(&cassette, "a\nb").await.0.is_err(), "log-probabilities were not recorded");
    plain.messages[0].text = "a\r\nb".into();
    assert!(ask_as(&cassette, &plain).await.0.is_ok());
    ask(&recorder, "c").await.0.unwrap();
    let mut less = request("c");
    less.logprobs = false;
    assert!(ask_as(&Cassette::open(&path).unwrap(), &less).await.0.is_ok());
}

#[test]
fn hostile_files_name_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let header = "{\"format\":\"stepwright-cassette\",\"version\":1,\"model\":\"m\"}\n";
    for (text, want) in [
        (String::new(), "line 1: the file is empty"),
        ("hello".into(), "line 1: this is no cassette"),
        ("{\"format\":\"other\",\"version\":1,\"model\":\"m\"}\n".into(), "its format is \"other\""),
        ("{\"format\":\"stepwright-cassette\",\"version\":4,\"model\":\"m\"}\n".into(), "newer"),
        (format!("{header}{{}}\n"), "line 2: it is no recorded exchange"),
        (format!("{header}\n{}\n", "[".repeat(100_000)), "line 3"),
        (format!("{header}\u{0}\u{1}\n"), "line 2"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = Cassette::open(&path).unwrap_err().to_string();
        assert!(error.contains(want), "{want:?} is not in {error}");
    }
    std::fs::write(&path, format!("{header}\u{1}torn")).unwrap();
    assert!(Cassette::open(&path).unwrap().is_empty());
    assert!(Cassette::open(&dir.path().join("absent")).unwrap_err().to_string().contains("absent"));
    let other = Recorder::new(counting(0), &path).err().unwrap().to_string();
    assert!(other.contains("records the model \"m\""), "{other}");
}

#[tokio::test]
async fn a_cancelled_replay_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    ask(&Recorder::new(counting(0), &path).unwrap(), "x").await.0.unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (sender, _receiver) = unbounded_channel();
    let answer = Cassette::open(&path).unwrap().complete(&request("x"), &sender, &cancel).await;
    assert_eq!(answer, Err(ModelError::Cancelled));
}

#[tokio::test]
async fn scorings_are_recorded_and_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let scoring = |prompt: &str, candidates: &[&str]| ScoreRequest {
        messages: vec![PromptMessage { role: "text".into(), text: prompt.into() }],
        candidates: candidates.iter().map(|c| (*c).to_owned()).collect(),
    };
    let cancel = CancellationToken::new();
    let recorder = Recorder::new(counting(0), &path).unwrap();
    assert!(recorder.can_score());
    let asked = scoring("a =", &[" 1", " 22"]);
    let recorded = recorder.score(&asked, &cancel).await.unwrap();
    assert_eq!(recorded[1].tokens.len(), 3);
    drop(recorder);
    let cassette = Cassette::open(&path).unwrap();
    assert!(cassette.can_score() && cassette.len() == 1);
    for _ in 0..2 {
        assert_eq!(cassette.score(&asked, &cancel).await.unwrap(), recorded);
    }
    let error = cassette.score(&scoring("a =", &[" 1", " 23"]), &cancel).await.unwrap_err().to_string();
    assert!(error.contains("22") && error.contains("23"), "{error}");
    cancel.cancel();
    assert_eq!(cassette.score(&asked, &cancel).await, Err(ModelError::Cancelled));
}

#[tokio::test]
async fn what_was_set_is_played_back_and_another_bound_finds_the_same_answer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let settings = Settings { temperature: Some(0.3), answer_tokens: Some(256), ..Settings::default() };
    let model = Arc::new(Counting("set", 5.into(), settings));
    ask(&Recorder::new(model, &path).unwrap(), "x").await.0.unwrap();
    let cassette = Cassette::open(&path).unwrap();
    assert_eq!(cassette.settings(), settings);
    let other = ModelRequest { max_tokens: 9_999, ..request("x") };
    assert_eq!(ask_as(&cassette, &other).await.0.unwrap().completions[0].text, "call é 5");
    // An older file shows by its requests what was set.
    let text = std::fs::read_to_string(&path).unwrap();
    let rest = text.split_once('\n').unwrap().1;
    std::fs::write(&path, format!("{{\"format\":\"stepwright-cassette\",\"version\":1,\"model\":\"m\"}}\n{rest}"))
        .unwrap();
    assert_eq!(Cassette::open(&path).unwrap().settings().temperature, Some(0.7));
}

#[tokio::test]
async fn a_cache_asks_for_what_is_missing_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    ask(&Recorder::new(counting(5), &path).unwrap(), "x").await.0.unwrap();
    let cache = Recorder::cache(counting(50), &path).unwrap();
    let text = |answer: Result<ModelResponse, ModelError>| answer.unwrap().completions[0].text.clone();
    let (answer, events) = ask(&cache, "x").await;
    assert_eq!((text(answer).as_str(), events.len()), ("call é 5", 2), "as recorded, piece by piece");
    assert_eq!(text(ask(&cache, "y").await.0), "call é 50");
    assert_eq!(text(ask(&cache, "y").await.0), "call é 50", "now it is recorded");
    // Who else in this process records there shares the file: no line is torn.
    let beside = Recorder::new(counting(70), &path).unwrap();
    ask(&beside, "z").await.0.unwrap();
    assert_eq!(text(ask(&cache, "z").await.0), "call é 70");
    assert_eq!(Cassette::open(&path).unwrap().len(), 3);
    // Another process does not write at the same time.
    let file = std::fs::File::open(&path).unwrap();
    assert!(matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
    drop((cache, beside));
    file.try_lock().unwrap();
    assert!(Recorder::new(counting(0), &path).err().unwrap().to_string().contains("another stepwright"));
}

#[tokio::test]
async fn d11_a_cassette_on_a_full_disk_stays_readable_and_goes_on() {
    use stepwright_files::faults::{self, EIO, ENOSPC, Fault, Operation};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let recorder = Recorder::new(counting(1), &path).unwrap();
    ask(&recorder, "a").await.0.unwrap();
    for cut_fails in [false, true] {
        let _full = faults::inject(Fault { bytes: 40, ..Fault::next(dir.path(), Operation::Write, ENOSPC) });
        let _uncut = cut_fails.then(|| faults::inject(Fault::next(dir.path(), Operation::Cut, EIO)));
        let error = ask(&recorder, "lost").await.0.unwrap_err();
        assert!(error.to_string().contains("could not be recorded"), "{error}");
        assert_eq!(error.charge().usage, Some(Usage::new(3, 2)), "it was paid for");
        // What the failed write left is no exchange, and hides none.
        assert!(Cassette::open(&path).is_ok());
        ask(&recorder, "b").await.0.unwrap();
    }
    drop(recorder);
    let player = Cassette::open(&path).unwrap();
    ask(&player, "a").await.0.unwrap();
    ask(&player, "b").await.0.unwrap();
    assert!(ask(&player, "lost").await.0.is_err());
}

#[test]
fn d5_a_cassette_has_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    // Another process is another open file.
    let other = stepwright_files::Lines::lock(&path, true).unwrap();
    assert!(matches!(Recorder::new(counting(1), &path), Err(CassetteError::Busy { .. })));
    drop(other);
    Recorder::new(counting(1), &path).unwrap();
}

#[tokio::test]
async fn no_power_cut_takes_an_exchange_and_every_flipped_bit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let watch = stepwright_files::power::watch(&path);
    let recorder = Recorder::new(counting(0), &path).unwrap();
    let (stream, _nobody) = unbounded_channel();
    for n in 0..20 {
        recorder.complete(&request(&format!("question {n}")), &stream, &CancellationToken::new()).await.unwrap();
    }
    drop(recorder);
    let (done, bytes) = (watch.done(), std::fs::read(&path).unwrap());
    let read =
        |bytes: &[u8]| file::read_from(bytes, "c".to_owned()).map(|(_, entries, _)| entries).map_err(|e| e.to_string());
    assert!(stepwright_files::power::cut_everywhere(&done, |bytes| Ok(read(bytes)?.len())).unwrap() > 100);
    // The header and two exchanges: a bit is of one line only.
    let third = bytes.split_inclusive(|b| *b == b'\n').take(3).map(<[u8]>::len).sum();
    stepwright_files::losses::flipped_everywhere(&bytes[..third], read).unwrap();
}

#[test]
fn answers_whose_cassette_is_lost_are_kept_beside_it() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let begin = |path: &Path| Recorder::new(counting(0), path).unwrap();
    let add = |recorder: &mut Recorder, n: usize| {
        let (answer, events) = runtime.block_on(ask(recorder, &format!("question {n}")));
        answer.map_err(|e| e.to_string())?;
        let said = events.into_iter().find_map(|event| match event {
            StreamEvent::Remark { text, .. } => Some(text),
            _ => None,
        });
        said.map_or(Ok(()), Err)
    };
    let count = |path: &Path| Cassette::open(path).map(|tape| tape.len()).map_err(|e| e.to_string());
    stepwright_files::losses::lost_everywhere(4, begin, add, count).unwrap();
}

/// Of several models that one process asks each has a file of its own, also where the next process asks them in another order.
#[tokio::test]
async fn each_model_has_a_cassette_of_its_own() {
    let text = |answer: Result<ModelResponse, ModelError>| answer.unwrap().completions[0].text.clone();
    for is_cache in [false, true] {
        let open = |model, path| if is_cache { Recorder::cache(model, path) } else { Recorder::new(model, path) };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let (first, second) = (open(counting(5), &path).unwrap(), open(named("other", 50), &path).unwrap());
        ask(&first, "x").await.0.unwrap();
        ask(&second, "x").await.0.unwrap();
        drop((first, second));
        let second = open(named("other", 70), &path).unwrap();
        let first = open(counting(90), &path).unwrap();
        ask(&second, "y").await.0.unwrap();
        ask(&first, "y").await.0.unwrap();
        drop((first, second));
        let cassette = |name: &str| Cassette::open(&dir.path().join(name)).unwrap();
        assert_eq!((cassette("a.jsonl").info().name.as_str(), cassette("a.jsonl").len()), ("counting", 2));
        assert_eq!((cassette("a-2.jsonl").info().name.as_str(), cassette("a-2.jsonl").len()), ("other", 2));
        let cache = Recorder::cache(named("other", 0), &path).unwrap();
        assert_eq!(text(ask(&cache, "x").await.0), "call é 50", "what the other model answered is not taken");
        drop(cache);
        // What is said of a file names the one that was lost.
        let second = open(named("other", 70), &path).unwrap();
        std::fs::remove_file(dir.path().join("a-2.jsonl")).unwrap();
        let (answer, events) = ask(&second, "z").await;
        assert_eq!(text(answer), "call é 70", "what was paid for is not lost");
        let lost = format!("{events:?}");
        assert!(lost.contains("a-2.jsonl: ") && lost.contains("go on with that file"), "{lost}");
        assert_eq!(ask(&second, "more").await.1.len(), 2, "it is said once");
        std::fs::remove_file(dir.path().join("a-2-2.jsonl")).unwrap();
        let request = ScoreRequest { messages: Vec::new(), candidates: vec!["a".into()] };
        let error = second.score(&request, &CancellationToken::new()).await.unwrap_err();
        assert!(error.to_string().contains("a-2.jsonl: ") && error.charge().usage.is_some(), "{error}");
        drop(second);
        // A third one, which a person names a file for that another process recorded.
        let known = dir.path().join("known.jsonl");
        std::fs::copy(&path, &known).unwrap();
        let third = Recorder::new(named("third", 0), &known).err().unwrap();
        assert!(matches!(third, CassetteError::OtherModel { .. }), "{third}");
    }
}

/// B5: a run looks at its models one after another before it asks them.
#[test]
fn each_model_has_a_cassette_of_its_own_also_where_the_first_is_closed_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    drop(Recorder::new(counting(0), &path).unwrap());
    drop(Recorder::new(named("other", 0), &path).unwrap());
    let model = |name: &str| Cassette::open(&dir.path().join(name)).unwrap().info().name;
    assert_eq!((model("a.jsonl"), model("a-2.jsonl")), ("counting".to_owned(), "other".to_owned()));
}

/// Of two completions one came before an error.
#[tokio::test]
async fn a_cache_keeps_no_answer_of_fewer_completions_than_were_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let two = ModelRequest { n: 2, ..request("x") };
    let text = |answer: Result<ModelResponse, ModelError>| answer.unwrap().completions[0].text.clone();
    ask_as(&Recorder::new(counting(5), &path).unwrap(), &two).await.0.unwrap();
    let cache = Recorder::cache(counting(50), &path).unwrap();
    for asked in ["call é 50", "call é 51"] {
        assert_eq!(text(ask_as(&cache, &two).await.0), asked, "it is asked for again");
    }
    let cassette = Cassette::open(&path).unwrap();
    assert_eq!(cassette.len(), 1);
    assert_eq!(text(ask_as(&cassette, &two).await.0), "call é 5", "what is played back goes as it went");
}

/// L8: of several processes with one cache each writes a file of its own, and later all are answered from.
#[tokio::test]
async fn l8_a_cache_that_another_process_writes_goes_on_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    ask(&Recorder::new(counting(5), &path).unwrap(), "x").await.0.unwrap();
    // Another process is another open file.
    let other = stepwright_files::Lines::lock(&path, false).unwrap();
    let cache = Recorder::cache(counting(50), &path).unwrap();
    let text = |answer: Result<ModelResponse, ModelError>| answer.unwrap().completions[0].text.clone();
    assert_eq!(text(ask(&cache, "x").await.0), "call é 5", "what the other has is known");
    assert_eq!(text(ask(&cache, "y").await.0), "call é 50");
    drop((cache, other));
    assert_eq!(Cassette::open(&dir.path().join("a-2.jsonl")).unwrap().len(), 1);
    let again = Recorder::cache(counting(70), &path).unwrap();
    assert_eq!(text(ask(&again, "y").await.0), "call é 50");
}
