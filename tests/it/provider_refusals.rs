//! The refusals of servers, and their ways to say that an answer is none, in the words of the real ones: each is met at the first request.

use std::time::Duration;

use serde_json::{Value, json};
use stepwright::model::remote::{Options, Remote, Think, Wire};
use stepwright::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::support::server::*;

fn request() -> ModelRequest {
    let message = |role: &str, text: &str| PromptMessage { role: role.into(), text: text.into() };
    ModelRequest {
        messages: vec![message("system", "Be brief."), message("user", "next?")],
        max_tokens: 200,
        seed: Some(3),
        ..ModelRequest::default()
    }
}

fn model(server: &Server, wire: Wire, think: Think) -> Remote {
    Remote::new(Options {
        wire,
        think,
        backoff: Duration::from_millis(5),
        retries: 2,
        ..Options::new(&server.url, "m")
    })
    .unwrap()
}

async fn ask(model: &Remote, request: &ModelRequest) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    let answer = tokio::time::timeout(Duration::from_secs(20), model.complete(request, &sender, &cancel)).await;
    drop(sender);
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        events.push(event);
    }
    (answer.expect("the provider hangs"), events)
}

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().into_iter().map(|r| r.body).collect()
}

fn refused(words: &str) -> Vec<Step> {
    vec![json(400, &json!({"error": {"message": words, "type": "invalid_request_error"}}).to_string())]
}

fn whole(choice: Value) -> Vec<Step> {
    vec![json(200, &json!({"choices": [choice]}).to_string())]
}

fn limits(server: &Server) -> Vec<u64> {
    bodies(server).iter().map(|b| b["max_tokens"].as_u64().unwrap()).collect()
}

/// A model that reasons where there is little room: the tokens that are added for it must not be its end.
#[tokio::test]
async fn tokens_to_reason_with_are_fewer_where_more_are_refused() {
    let thought = json!({"message": {"content": "look", "reasoning_content": "hm"}, "finish_reason": "stop"});
    let cut = json!({"message": {"content": "", "reasoning_content": "so"}, "finish_reason": "length"});
    for (room, words) in [
        (
            8_192 - 50,
            "'max_tokens' or 'max_completion_tokens' is too large: N. This model's maximum context length is 8192 tokens \
             and your request has 50 input tokens (N > 8192 - 50).",
        ),
        (
            4_096,
            "max_tokens is too large: N. This model supports at most 4096 completion tokens, whereas you provided N.",
        ),
        (8_192, "max_tokens: N > 8192, which is the maximum allowed number of output tokens for claude-x"),
    ] {
        let (thought, cut) = (thought.clone(), cut.clone());
        let server = Server::answering(move |asked| match asked.body["max_tokens"].as_u64().unwrap() {
            n if n > room => refused(&words.replace('N', &n.to_string())),
            200 => whole(cut.clone()),
            _ => whole(thought.clone()),
        });
        let model = model(&server, Wire::OpenAi, Think::Auto);
        for _ in 0..2 {
            let answer = ask(&model, &request()).await.0.unwrap_or_else(|e| panic!("{words}: {e}"));
            assert_eq!(answer.completions[0].text, "look");
        }
        let asked = limits(&server);
        assert!(asked.iter().all(|n| *n >= 200) && asked.len() <= 8, "{asked:?}");
        // What the model can write is remembered; what is left beside a prompt is not.
        let own = !words.contains("context");
        assert_eq!(asked.last().unwrap() == &asked[asked.len() - 2], own, "{asked:?}");
    }
    // What stays cut at the most it can write is an error that says so and holds the text.
    let server = Server::answering(|asked| match asked.body["max_tokens"].as_u64().unwrap() {
        n if n > 300 => refused("max_tokens is too large"),
        _ => whole(json!({"message": {"content": "agent.ta"}, "finish_reason": "model_length"})),
    });
    let error = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap_err();
    let ModelError::Broken { message, partial, .. } = error else { panic!("{error}") };
    assert!(message.contains("more are refused") && partial == "agent.ta", "{message}: {partial}");
    // A prompt that is too long stays too long, and no number of tokens is tried but what was asked for.
    let server = Server::answering(|_| refused("prompt is too long: 208310 tokens > 200000 maximum"));
    let error = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::TooLong { context: Some(200_000), .. }), "{error}");
    assert_eq!(limits(&server), [200]);
}

#[tokio::test]
async fn reasoning_as_parts_of_the_content_is_kept_apart() {
    let thinking = |text: &str| json!([{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]);
    let chunk = |content: Value| {
        send(&format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": content}}]})))
    };
    let server = Server::start(vec![
        vec![
            stream_head(),
            chunk(json!("")),
            chunk(thinking("the mug ")),
            chunk(thinking("is near")),
            chunk(json!("take ")),
            chunk(json!([{"type": "text", "text": "mug"}])),
            send(END),
        ],
        whole(
            json!({"message": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "look"}]},
            "finish_reason": "stop"}),
        ),
    ]);
    let model = model(&server, Wire::OpenAi, Think::Auto);
    let (answer, seen) = ask(&model, &request()).await;
    let completion = answer.unwrap().completions.remove(0);
    assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("take mug", "the mug is near"));
    assert!(seen.contains(&StreamEvent::Reasoning { index: 0, text: "is near".into() }), "{seen:?}");
    let completion = ask(&model, &request()).await.0.unwrap().completions.remove(0);
    assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("look", "hm"));
}

#[tokio::test]
async fn an_end_that_is_none_is_asked_for_again() {
    let stream = |choice: Value| {
        vec![stream_head(), send(&format!("data: {}\n\n", json!({"choices": [choice]}))), send("data: [DONE]\n\n")]
    };
    for word in ["error", "abort", "insufficient_system_resource", "network_error"] {
        let unfinished = json!({"index": 0, "delta": {"content": "take"}, "finish_reason": word});
        let server = Server::start(vec![stream(unfinished), good("look")]);
        let (answer, seen) = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await;
        assert_eq!(answer.unwrap().completions[0].text, "look", "{word}");
        assert!(seen.contains(&StreamEvent::Void { from: 0 }), "{seen:?}");
    }
    // An error of one completion, in an answer whose status says success.
    let failed = json!({"message": {"content": ""}, "finish_reason": null, "error": {"code": 502, "message": "Upstream is down"}});
    let server = Server::start(vec![whole(failed.clone()), whole(failed.clone()), whole(failed)]);
    let error = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap_err();
    assert!(error.to_string().contains("Upstream is down"), "{error}");
    // The whole answer is an error, in a list.
    let overloaded = json!([{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]);
    let server = Server::start(vec![vec![json(200, &overloaded.to_string())], good("look")]);
    let answer = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap();
    assert_eq!(answer.completions[0].text, "look");
    // Other words for what was cut and what was filtered.
    let filtered = json!({"message": {"content": "agent."}, "finish_reason": "content_filter: PROHIBITED_CONTENT"});
    let server = Server::start(vec![whole(filtered)]);
    let error = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap_err();
    assert!(error.to_string().contains("filter"), "{error}");
    let cut = json!({"message": {"content": "agent.ta"}, "finish_reason": "model_length"});
    let server = Server::start(vec![whole(cut), good("agent.take()")]);
    let answer = ask(&model(&server, Wire::OpenAi, Think::Auto), &request()).await.0.unwrap();
    assert_eq!((answer.completions[0].text.as_str(), limits(&server)), ("agent.take()", vec![200, 800]));
}

#[tokio::test]
async fn an_account_that_may_not_stream_gets_whole_answers() {
    let server = Server::answering(|asked| match (asked.body.get("stream"), asked.body.get("stream_options")) {
        (None, None) => whole(json!({"message": {"content": "look"}, "finish_reason": "stop"})),
        (None, Some(_)) => refused("The 'stream_options' parameter is only allowed when 'stream' is enabled."),
        _ => vec![json(
            400,
            &json!({"error": {"message": "Your organization must be verified to stream this model.",
            "param": "stream", "code": "unsupported_value"}})
            .to_string(),
        )],
    });
    let model = model(&server, Wire::OpenAi, Think::Auto);
    assert_eq!(ask(&model, &request()).await.0.unwrap().completions[0].text, "look");
    assert_eq!(ask(&model, &request()).await.0.unwrap().completions[0].text, "look");
    assert_eq!(bodies(&server).len(), 3, "it is learned at once, and once");
}

#[tokio::test]
async fn refusals_in_a_list_and_in_camel_case_are_learned() {
    let server = Server::answering(|asked| {
        let of = |words: &str| {
            vec![json(
                400,
                &json!([{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}]).to_string(),
            )]
        };
        if asked.body.get("seed").is_some() {
            of("Invalid JSON payload received. Unknown name \"seed\": Cannot find field.")
        } else if asked.body.get("presence_penalty").is_some() {
            vec![json(
                400,
                "{\"code\":\"Client specified an invalid argument\",\"error\":\"Argument not supported on this model: presencePenalty\"}",
            )]
        } else if asked.body.get("stop").is_some() {
            vec![json(
                400,
                "{\"code\":\"Client specified an invalid argument\",\"error\":\"Argument not supported on this model: stop\"}",
            )]
        } else {
            good("look")
        }
    });
    let asked = ModelRequest { presence_penalty: 0.5, stop: vec!["\n".into()], ..request() };
    let answer = ask(&model(&server, Wire::OpenAi, Think::Auto), &asked).await.0.unwrap();
    assert_eq!((answer.completions[0].text.as_str(), bodies(&server).len()), ("look", 4));
}

/// Some of Anthropic's models take a number of tokens to reason with, some find it themselves, some do either.
#[tokio::test]
async fn reasoning_is_asked_for_in_the_way_that_a_model_knows() {
    let answer = || {
        json(
            200,
            &json!({"type": "message", "content": [{"type": "text", "text": "look"}], "stop_reason": "end_turn"})
                .to_string(),
        )
    };
    let newer = "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \
                 \"output_config.effort\" to control thinking behavior.";
    for (think, effort) in [(Think::On, Value::Null), (Think::Budget(3_000), json!("medium"))] {
        let server = Server::answering(move |asked| match asked.body["thinking"]["type"].as_str() {
            Some("adaptive") => vec![answer()],
            _ => refused(newer),
        });
        assert_eq!(
            ask(&model(&server, Wire::Anthropic, think), &request()).await.0.unwrap().completions[0].text,
            "look"
        );
        let sent = bodies(&server).pop().unwrap();
        assert_eq!((&sent["thinking"]["budget_tokens"], &sent["output_config"]["effort"]), (&Value::Null, &effort));
    }
    for older in
        ["adaptive thinking is not supported on this model", "This model does not support the effort parameter."]
    {
        let server = Server::answering(move |asked| match asked.body["thinking"]["type"].as_str() {
            Some("enabled") if asked.body.get("output_config").is_none() => vec![answer()],
            _ => refused(older),
        });
        let model = model(&server, Wire::Anthropic, Think::Effort("high".into()));
        assert_eq!(ask(&model, &request()).await.0.unwrap().completions[0].text, "look");
        let sent = bodies(&server).pop().unwrap();
        let budget = sent["thinking"]["budget_tokens"].as_u64().unwrap();
        assert!(budget >= 1_024 && sent["max_tokens"].as_u64().unwrap() == budget + 200, "{sent}");
    }
    // What it takes is sent as it is set; and it refuses to be asked nothing.
    let server = Server::answering(move |_| vec![answer()]);
    let mut asked = ModelRequest { top_p: Some(0.9), ..request() };
    asked.messages.truncate(1);
    ask(&model(&server, Wire::Anthropic, Think::Auto), &asked).await.0.unwrap();
    let sent = bodies(&server).pop().unwrap();
    assert_eq!((&sent["top_p"], sent.get("system"), &sent["messages"][0]["role"]), (&json!(0.9), None, &json!("user")));
}
