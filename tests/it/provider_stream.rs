//! The OpenAI-compatible provider against servers whose answers are well or badly formed: what is read, and what is reported.

use std::time::{Duration, Instant};

use crate::support::server::*;
use stepwright::model::remote::{Options, Remote};
use stepwright::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, StreamEvent, Usage};
use tokio_util::sync::CancellationToken;

fn request() -> ModelRequest {
    ModelRequest {
        messages: vec![PromptMessage { role: "user".into(), text: "hi".into() }],
        max_tokens: 16,
        ..ModelRequest::default()
    }
}

fn options(server: &Server) -> Options {
    let mut options = Options::new(&server.url, "m");
    options.backoff = Duration::from_millis(5);
    options.retries = 2;
    options
}

async fn ask(server: &Server) -> (Result<ModelResponse, ModelError>, String) {
    ask_with(&options(server)).await
}

async fn ask_with(options: &Options) -> (Result<ModelResponse, ModelError>, String) {
    let model = Remote::new(options.clone()).unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (request, cancel) = (request(), CancellationToken::new());
    let answer = tokio::time::timeout(Duration::from_secs(20), model.complete(&request, &sender, &cancel));
    let answer = answer.await.expect("the provider hangs");
    drop(sender);
    let mut streamed = String::new();
    while let Some(event) = receiver.recv().await {
        if let StreamEvent::Delta { text, .. } = event {
            streamed.push_str(&text);
        }
    }
    (answer, streamed)
}

/// The text of the only completion, which must equal what was streamed.
async fn text_of(script: Vec<Step>) -> String {
    let server = Server::start(vec![script]);
    let (answer, streamed) = ask(&server).await;
    let answer = answer.unwrap();
    assert_eq!(answer.completions.len(), 1);
    assert_eq!(answer.completions[0].text, streamed);
    streamed
}

/// The error of a stream, with one request only.
async fn error_of(script: Vec<Step>) -> ModelError {
    let server = Server::start(vec![script]);
    let error = ask(&server).await.0.unwrap_err();
    assert_eq!(server.requests().len(), 1, "asked again after {error}");
    error
}

#[tokio::test]
async fn a_stream_is_read_with_finish_and_usage() {
    let server = Server::start(vec![good("put mug")]);
    let (answer, streamed) = ask(&server).await;
    let answer = answer.unwrap();
    assert_eq!(streamed, "put mug");
    assert_eq!(answer.completions[0].finish, "stop");
    assert_eq!(answer.usage, Some(Usage::new(7, 2)));
}

#[tokio::test]
async fn one_byte_at_a_time_with_split_utf8_crlf_and_comments() {
    let text = ": OPENROUTER PROCESSING\r\n\r\n".to_owned()
        + &delta("né 🫖 ").replace('\n', "\r\n")
        + ": hm\r\n\r\n"
        + &delta("日本").replace('\n', "\r\n")
        + &END.replace('\n', "\r\n");
    assert_eq!(text_of(vec![stream_head(), Step::Drip(text.into_bytes(), 1)]).await, "né 🫖 日本");
}

#[tokio::test]
async fn a_byte_order_mark_is_passed_over() {
    let body = format!("\u{feff}\r\n\u{feff}{}{END}", delta("né"));
    assert_eq!(text_of(vec![stream_head(), send(&body)]).await, "né");
    assert_eq!(text_of(vec![stream_head(), Step::Drip(body.into_bytes(), 1)]).await, "né");
    assert_eq!(
        text_of(vec![
            stream_head(),
            send("\u{feff}"),
            send("{\"choices\":[{\"message\":{\"content\":\"né\"},\"finish_reason\":\"stop\"}]}")
        ])
        .await,
        "né"
    );
    let server = Server::start(vec![vec![stream_head(), send("\u{feff}")]; 3]);
    assert!(ask(&server).await.0.unwrap_err().to_string().contains("empty"));
    let server = Server::start(vec![vec![stream_head(), send("[[]]")]; 3]);
    assert!(ask(&server).await.0.unwrap_err().to_string().contains("no object"));
}

#[tokio::test]
async fn chunked_and_wrongly_labelled_answers_are_read() {
    let script = vec![chunked_head(), chunk(&delta("a")), chunk(&delta("b")), chunk(END), send("0\r\n\r\n")];
    assert_eq!(text_of(script).await, "ab");
    let labelled_json = with_headers(200, "content-type: application/json\r\n", &(delta("x") + END));
    assert_eq!(text_of(vec![labelled_json]).await, "x");
    assert_eq!(text_of(whole("not streamed at all")).await, "not streamed at all");
    assert_eq!(text_of(vec![stream_head(), send("\n\n  "), send(&delta("late")), send(END)]).await, "late");
}

#[tokio::test]
async fn a_stream_without_a_mark_of_its_end_is_asked_for_again() {
    let cut = vec![stream_head(), send(&delta("a")), send(delta("b").trim_end())];
    let server = Server::start(vec![cut.clone(), good("whole")]);
    assert_eq!(ask(&server).await.0.unwrap().completions[0].text, "whole");
    let server = Server::start(vec![cut; 3]);
    let ModelError::Broken { partial, message, .. } = ask(&server).await.0.unwrap_err() else { panic!() };
    assert!(partial == "ab" && message.contains("without a mark of its end"), "{message}");
    // The last line need not be ended, and either mark will do.
    let ended = vec![stream_head(), send(&delta("a")), send(END.split("\n\n").next().unwrap())];
    assert_eq!(text_of(ended).await, "a");
    let server = Server::start(vec![vec![stream_head(), send(&delta("a")), send("data: [DONE]\n\n")]]);
    assert_eq!(ask(&server).await.0.unwrap().completions[0].finish, "", "the end mark shows that it is whole");
}

#[tokio::test]
async fn odd_chunks_are_passed_over() {
    let odd = "event: ping\ndata: {}\n\ndata: {\"choices\":[]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":null,\"role\":\"assistant\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hmm\"},\"finish_reason\":\"\"}],\"usage\":{}}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":null}],\"service_tier\":\"new\",\"usage\":null}\n\n\
        data:\n\ndata: {\"cost\":0.01}\n\ndata: {\"choices\":[{\"index\":7,\"delta\":{\"content\":\"other\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"tool_calls\":[{}]},\"finish_reason\":\"never_heard_of\"}]}\n\ndata: [DONE]\n\n";
    let server = Server::start(vec![vec![stream_head(), send(odd)]]);
    let (answer, streamed) = ask(&server).await;
    let answer = answer.unwrap();
    assert_eq!((streamed.as_str(), answer.completions[0].text.as_str()), ("ok", "ok"));
    assert_eq!(answer.completions[0].finish, "never_heard_of");
    assert_eq!(answer.usage, None);
}

#[tokio::test]
async fn nothing_is_waited_for_once_everything_is_there() {
    let end = END.replace("data: [DONE]\n\n", "");
    let begun = Instant::now();
    assert_eq!(text_of(vec![stream_head(), send(&delta("done")), send(&end), Step::Hold]).await, "done");
    assert!(begun.elapsed() < Duration::from_secs(15), "the idle time-out was waited for");
}

#[tokio::test]
async fn a_break_after_text_is_retried_and_the_text_kept_for_the_error() {
    let broken = vec![chunked_head(), chunk(&delta("half ")), chunk(&delta("an"))];
    let server = Server::start(vec![broken.clone(), good("whole")]);
    assert_eq!(ask(&server).await.0.unwrap().completions[0].text, "whole");
    let server = Server::start(vec![broken; 3]);
    let ModelError::Broken { partial, message, .. } = ask(&server).await.0.unwrap_err() else { panic!() };
    assert_eq!(partial, "half an");
    assert!(message.contains("broke off"), "{message}");
    let reported = "data: {\"error\":{\"code\":502,\"message\":\"upstream died\"},\"choices\":[]}\n\n";
    let server = Server::start(vec![vec![stream_head(), send(&delta("half")), send(reported), Step::Hold]; 3]);
    let ModelError::Broken { partial, message, .. } = ask(&server).await.0.unwrap_err() else { panic!() };
    assert_eq!(partial, "half");
    assert!(message.contains("upstream died"), "{message}");
}

#[tokio::test]
async fn malformed_streams_say_what_is_wrong() {
    for (stream, want) in [
        ("data: {\"choices\":[{\"delta\":{\"content\":\"a\"\n\n", "no JSON"),
        ("data: pardon?\n\n", "pardon?"),
        ("event: error\ndata: out of memory\n\n", "out of memory"),
        ("event: error\ndata: {\"message\":\"slot lost\"}\n\n", "slot lost"),
        ("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "no completion"),
        ("{\"choices\":[]}", "no completion"),
        ("{\"choices\":[{\"message\"", "no JSON"),
        ("<html><title>Welcome</title><body>hello", "a web page, not an API answer: \"Welcome\"; check base_url"),
    ] {
        let server = Server::start(vec![vec![stream_head(), send(stream)]; 3]);
        let error = ask(&server).await.0.unwrap_err().to_string();
        assert!(error.contains(want), "{stream}: {error}");
    }
    let ModelError::Broken { message, .. } =
        error_of(vec![stream_head(), Step::Send(b"data: \xff\xfe\n\n".to_vec())]).await
    else {
        panic!()
    };
    assert!(message.contains("UTF-8"), "{message}");
}

#[tokio::test]
async fn a_stall_is_recognised_by_silence_not_by_length() {
    // Slower in all than the time-out, but never silent so long.
    let mut slow = vec![stream_head()];
    for _ in 0..8 {
        slow.extend([Step::Pause(200), send(": still there\n\n")]);
    }
    slow.extend([send(&delta("slow")), send(END)]);
    let server = Server::start(vec![slow, vec![stream_head(), send(&delta("then")), Step::Hold], vec![Step::Hold]]);
    let mut options = options(&server);
    options.idle_timeout = Duration::from_millis(1200);
    assert_eq!(ask_with(&options).await.0.unwrap().completions[0].text, "slow");
    let ModelError::Broken { partial, message, .. } = ask_with(&options).await.0.unwrap_err() else { panic!() };
    assert_eq!(partial, "then");
    assert!(message.contains("idle_timeout_s"), "{message}");
    let before = ask_with(&options).await.0.unwrap_err();
    assert!(
        matches!(&before, ModelError::Unreachable { message, .. } if message.contains("idle_timeout_s")),
        "{before}"
    );
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn bodies_are_bounded() {
    let line = vec![b'x'; 9 << 20];
    let error = error_of(vec![stream_head(), send("data: "), Step::Send(line), Step::Hold]).await.to_string();
    assert!(error.contains("line longer than 8 MiB"), "{error}");
    let server = Server::start(vec![vec![Step::Send(
        format!("HTTP/1.1 400 X\r\nconnection: close\r\n\r\n{}", "y".repeat(1 << 20)).into_bytes(),
    )]]);
    assert!(ask(&server).await.0.unwrap_err().to_string().len() < 2000);
}

#[tokio::test]
async fn cancelling_ends_at_once_and_drops_the_connection() {
    for script in [vec![Step::Hold], vec![stream_head(), send(&delta("a")), Step::Hold], vec![json(503, "{}")]] {
        let server = Server::start(vec![script.clone(); 3]);
        let mut options = options(&server);
        options.backoff = Duration::from_secs(30);
        let model = Remote::new(options).unwrap();
        let cancel = CancellationToken::new();
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let (token, asked) = (cancel.clone(), request());
        let asking = tokio::spawn(async move { model.complete(&asked, &sender, &token).await });
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if script.len() != 1 || !matches!(script[0], Step::Hold) {
            receiver.recv().await.expect("text, or the wait before a retry");
        }
        let begun = Instant::now();
        cancel.cancel();
        assert_eq!(asking.await.unwrap(), Err(ModelError::Cancelled));
        assert!(begun.elapsed() < Duration::from_secs(2));
        if matches!(script.last(), Some(Step::Hold)) {
            let closed =
                tokio::task::spawn_blocking(move || server.closed.recv_timeout(Duration::from_secs(5)).is_ok());
            assert!(closed.await.unwrap(), "the connection is still open");
        }
    }
}
