//! Records of the original simulator, replayed: what each holds beside what comes out, field by field. Judges nothing.

use serde_json::{Value, json};

use stepwright_graph::files::Library;
use stepwright_graph::prepare::{PrepareError, Prepared, Tables, prepare};
use stepwright_graph::prompts::information;
use stepwright_graph::run::{Run, joined, stepping};
use stepwright_graph::{Diff, Graph, Line, Names, ParseError, Reason, Script, language, metrics, script};
use stepwright_model::prompt::Prompts;
use stepwright_text::words::is_space;
use stepwright_world::Wording;

/// A field of a record: its name, what the recording holds, what comes out.
pub(super) type Field = (String, Value, Value);

/// A record replayed, or why it cannot be.
pub(super) type Replayed = Result<Vec<Field>, String>;

fn field(name: impl Into<String>, expected: &Value, got: impl Into<Value>) -> Field {
    (name.into(), expected.clone(), got.into())
}

fn lines(of: &Value) -> Vec<&str> {
    of.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn script_of(record: &Value, key: &str) -> Result<Script, String> {
    script::parse(lines(&record[key])).map_err(|error| error.to_string())
}

/// A difference as it compares: in order, independent of the file's order.
fn sorted(diff: &Value) -> Value {
    match serde_json::from_value::<Diff>(diff.clone()) {
        Ok(mut read) => {
            read.sort();
            serde_json::to_value(read).unwrap_or_default()
        }
        Err(_) => diff.clone(),
    }
}

fn diff_field(name: impl Into<String>, expected: &Value, before: &Graph, after: &Graph) -> Field {
    (name.into(), sorted(expected), serde_json::to_value(Diff::between(before, after)).unwrap_or_default())
}

fn type_fields(at: &str, record: &Value, reason: Option<&Reason>) -> [Field; 2] {
    let kind = reason.and_then(Reason::error_type);
    [
        field(format!("{at}error_type"), &record["error_type"], kind.map(|kind| kind.id())),
        field(format!("{at}error_name"), &record["error_name"], kind.map(|kind| kind.name())),
    ]
}

fn start(record: &Value, library: &Library) -> Result<Graph, String> {
    let number = record["scene"].as_i64().ok_or("the record names no scene")?;
    let scene = library.scenes.get(&number).ok_or_else(|| format!("there is no scene {number}"))?;
    let diff: Diff = match record.get("init") {
        Some(init) => serde_json::from_value(init.clone()).map_err(|error| error.to_string())?,
        None => Diff::default(),
    };
    diff.apply(&scene.graph).map_err(|error| error.to_string())
}

/// A whole script on a prepared graph (`traces.jsonl`).
pub(super) fn trace(record: &Value, library: &Library) -> Replayed {
    let graph = start(record, library)?;
    let script = script_of(record, "program")?;
    let run = Run::of(&graph, &script);
    let steps = record["steps"].as_array().ok_or("no steps")?;
    let tried = run.moments.len() - 1 + usize::from(run.failed.is_some());
    let mut fields = vec![field("steps", &json!(steps.len()), tried)];
    for ((at, step), line) in steps.iter().enumerate().zip(&script) {
        let name = |what: &str| format!("step {}, {what}", at + 1);
        let after = run.moments.get(at + 1);
        fields.push(field(name("line"), &step["line"], line.to_string()));
        fields.push(field(name("executed"), &step["executed"], after.is_some()));
        match (after, run.moments.get(at)) {
            (Some(after), Some(before)) => fields.push(diff_field(name("diff"), &step["diff"], before, after)),
            _ => fields.push(field(name("error"), &step["error"], joined(&run.messages))),
        }
    }
    fields.push(field("executable", &record["executable"], run.failed.is_none()));
    fields.push(field("failed_step", &record["failed_step"], run.failed));
    fields.push(field("message", &record["message"], run.message()));
    fields.push(field("reason", &record["reason"], run.reason().map(Reason::to_string)));
    fields.push(field("authors_type", &record["authors_type"], run.reason().and_then(Reason::authors_type)));
    fields.extend(type_fields("", record, run.reason()));
    fields.push(diff_field("final", &record["final"], &graph, run.end().unwrap_or(&graph)));
    Ok(fields)
}

/// A plan in stepping mode (`steps.jsonl`).
pub(super) fn steps(record: &Value, library: &Library) -> Replayed {
    let graph = start(record, library)?;
    let script = script_of(record, "program")?;
    let dropped = record["dropped"].as_array().into_iter().flatten();
    let dropped: Vec<usize> = dropped.filter_map(|n| usize::try_from(n.as_u64()?).ok()).collect();
    let attempts = stepping(&graph, &script, &dropped);
    let recorded = record["attempts"].as_array().ok_or("no attempts")?;
    let mut fields = vec![field("attempts", &json!(recorded.len()), attempts.len())];
    for ((at, expected), attempt) in recorded.iter().enumerate().zip(&attempts) {
        let name = |what: &str| format!("attempt {}, {what}", at + 1);
        fields.push(field(name("line"), &expected["line"], attempt.line.to_string()));
        fields.push(field(name("executed"), &expected["executed"], attempt.done));
        if attempt.done {
            fields.push(diff_field(name("diff"), &expected["diff"], &attempt.before, &attempt.after));
        } else {
            fields.push(field(name("error"), &expected["error"], joined(&attempt.messages)));
            fields.extend(type_fields(&name(""), expected, attempt.reason()));
        }
    }
    let end = attempts.last().map_or(&graph, |attempt| &attempt.after);
    fields.push(diff_field("final", &record["final"], &graph, end));
    Ok(fields)
}

/// The outcome of a program from its text to its end.
enum Evaluated {
    Unread(ParseError),
    Empty,
    Unprepared(PrepareError),
    Ran(Box<Prepared>, Run),
}

fn evaluate(program: &[&str], scene: &Graph, tables: Tables<'_>) -> Evaluated {
    // What evaluates prints each line that was read, takes white space of any kind for a blank, and reads it again.
    let again = |line: &Line| script::parse_line(&line.to_string().split(is_space).collect::<Vec<_>>().join(" "));
    let read = script::parse(program.iter().copied()).map_err(|error| error.error);
    let script = match read.and_then(|lines| lines.iter().map(again).collect::<Result<Script, _>>()) {
        Ok(script) if script.is_empty() => return Evaluated::Empty,
        Ok(script) => script,
        Err(error) => return Evaluated::Unread(error),
    };
    match prepare(scene, &script, tables) {
        Ok(prepared) => {
            let run = Run::of(&prepared.graph, &prepared.script);
            Evaluated::Ran(Box::new(prepared), run)
        }
        Err(error) => Evaluated::Unprepared(error),
    }
}

fn tables<'a>(name: &str, library: &'a Library) -> Result<Tables<'a>, String> {
    let names = library.names.get(name).ok_or_else(|| format!("there is no table of names `{name}`"))?;
    let properties = library.properties.as_ref().ok_or("there is no table of properties")?;
    Ok(Tables { names, properties })
}

/// Values in a canonical order, for what compares without order.
fn unordered(values: impl IntoIterator<Item = Value>) -> Value {
    let mut texts: Vec<Value> = values.into_iter().collect();
    texts.sort_by_key(Value::to_string);
    Value::Array(texts)
}

/// A program from its text to its end (`eval.jsonl`).
pub(super) fn evaluation(record: &Value, library: &Library) -> Replayed {
    let scene = start(&json!({ "scene": record["scene"] }), library)?;
    let tables = tables(record["names"].as_str().unwrap_or("v1.0"), library)?;
    let evaluated = evaluate(&lines(&record["lines"]), &scene, tables);
    let result = |name: &str| field("result", &record["result"], name);
    let message = |text: String| field("message", &record["message"], text);
    Ok(match evaluated {
        // Of a number that is no integer the recording holds the words of the reference's language.
        Evaluated::Unread(ParseError::Number(_)) => vec![result("parse_error")],
        Evaluated::Unread(error) => vec![result("parse_error"), message(error.to_string())],
        Evaluated::Empty => vec![result("empty"), message("empty program".to_owned())],
        Evaluated::Unprepared(PrepareError::Contradiction(fail)) => {
            vec![result("precond_error"), message(fail.to_string())]
        }
        Evaluated::Unprepared(_) => vec![result("prepare_error")],
        // The authors' program ends by an exception, as it does with what cannot be prepared.
        Evaluated::Ran(_, run) if run.breaks_off() => vec![result("prepare_error")],
        Evaluated::Ran(prepared, run) => {
            let expected = record["preconds"].as_array().cloned().unwrap_or_default();
            let ids = prepared.ids.iter().map(|(key, id)| json!([key.name.as_ref(), key.number, id]));
            let program = prepared.script.iter().map(Line::to_string).collect::<Vec<_>>();
            vec![
                result(if run.failed.is_some() { "execution_error" } else { "executed" }),
                (
                    "preconds".to_owned(),
                    unordered(expected),
                    unordered(prepared.conditions.iter().map(|c| c.to_json())),
                ),
                field("id_map", &record["id_map"], ids.collect::<Value>()),
                field("first_room", &record["first_room"], prepared.default_room.as_ref()),
                field("program", &record["program"], program),
                diff_field("init", &record["init"], &scene, &prepared.graph),
                message(run.message()),
                field("failed_step", &record["failed_step"], run.failed),
                diff_field("final", &record["final"], &prepared.graph, run.end().unwrap_or(&prepared.graph)),
            ]
        }
    })
}

/// A corrective prompt as it is sent: by the template that ships.
fn corrective(template: &str, error: &Value) -> Result<String, String> {
    let rendered = Prompts::default().render(&format!("reprompt/{template}"), error).map_err(|e| e.to_string())?;
    Ok(rendered.messages.into_iter().map(|message| message.text).collect())
}

/// The corrective prompts for a trace that failed (`prompts.jsonl`, with the record of the trace).
pub(super) fn prompts(record: &Value, trace: &Value, library: &Library) -> Replayed {
    let script = script_of(trace, "program")?;
    let run = Run::of(&start(trace, library)?, &script);
    let (reason, failed) = run.reason().zip(run.failed).ok_or("the trace does not fail")?;
    let line = script.get(failed - 1).ok_or("the trace has no such step")?;
    let step = language::words(line);
    let cause = |wording| {
        let cause = information(reason, line, wording);
        cause.map(|cause| corrective("cause", &json!({ "cause": cause }))).transpose()
    };
    let mut fields = vec![
        field("inference", &record["inference"], corrective("inference", &json!({ "step": step }))?),
        field("step", &record["step"], step),
        field("reason", &record["reason"], reason.to_string()),
        field("error_type", &record["error_type"], reason.error_type().map(|kind| kind.id())),
        field("authors_type", &record["authors_type"], reason.authors_type()),
        field("notion", &record["notion"], corrective("notion", &json!({}))?),
        field("cause", &record["cause"], cause(Wording::Paper)?),
    ];
    for (name, wording) in [("cause_code_2022", Wording::Code2022), ("cause_code_2024", Wording::Code2024)] {
        if let Some(expected) = record.get(name) {
            fields.push(field(name, expected, cause(wording)?));
        }
    }
    Ok(fields)
}

fn general_names(library: &Library) -> Result<&Names, String> {
    library.names.get("lp").ok_or_else(|| "there is no table of names `lp`".to_owned())
}

/// Words to script, script to words, and names made general (`language.jsonl`).
pub(super) fn language(record: &Value, library: &Library) -> Replayed {
    let names = general_names(library)?;
    Ok(match record["kind"].as_str().unwrap_or_default() {
        "to_script" => {
            let read = language::scripted(record["text"].as_str().ok_or("no text")?, names);
            vec![field("script", &record["script"], read.script), field("matched", &record["matched"], read.matched)]
        }
        "to_language" => vec![field("text", &record["text"], language::numbered(&script_of(record, "program")?))],
        "abstract" => {
            let general = language::generalised(&script_of(record, "program")?, names);
            let general: Vec<String> = general.iter().map(Line::to_string).collect();
            vec![field("abstract", &record["abstract"], general)]
        }
        other => return Err(format!("the kind `{other}` is unknown")),
    })
}

/// How alike programs and the households they leave are (`metrics.jsonl`).
pub(super) fn metrics(record: &Value, library: &Library) -> Replayed {
    let names = general_names(library)?;
    let generated = script_of(record, "generated")?;
    let truths = record["ground_truths"].as_array().ok_or("no ground truths")?;
    let truths: Result<Vec<Script>, String> =
        truths.iter().map(|truth| script::parse(lines(truth)).map_err(|error| error.to_string())).collect();
    let truths = truths?;
    let each: Vec<f64> = truths.iter().map(|truth| metrics::lcs(&generated, truth, names)).collect();
    let best = each.iter().copied().fold(0.0, f64::max);
    let scene = start(&json!({ "scene": record["scene"] }), library)?;
    let tables = tables("v1.0", library)?;
    let ran = |program: &[Line]| -> Result<(Script, Run), String> {
        let prepared = prepare(&scene, program, tables).map_err(|error| error.to_string())?;
        let run = Run::of(&prepared.graph, &prepared.script);
        Ok((prepared.script, run))
    };
    let (first, first_run) = ran(truths.first().ok_or("no ground truth")?)?;
    let (second, second_run) = ran(&generated)?;
    let (one, other) = (metrics::final_states(&first_run), metrics::final_states(&second_run));
    let annotated = library.annotated.as_ref().ok_or("there is no table of annotated states")?;
    let used: std::collections::BTreeSet<&str> =
        first.iter().chain(&second).flat_map(|line| &line.params).map(|param| &*param.name).collect();
    Ok(vec![
        field("lcs_each", &record["lcs_each"], each),
        field("lcs", &record["lcs"], best),
        field("gt_final", &record["gt_final"], json!(one)),
        field("gen_final", &record["gen_final"], json!(other)),
        ("used".to_owned(), unordered(record["used"].as_array().cloned().unwrap_or_default()), json!(used)),
        field("gs_all", &record["gs_all"], metrics::similarity_of_all(&one, &other, annotated)),
        field("gs_used", &record["gs_used"], metrics::similarity_of_used(&one, &other, used)),
    ])
}

/// How much raters agree (`kappa.jsonl`).
pub(super) fn kappa(record: &Value) -> Replayed {
    let ratings: Vec<Vec<u32>> =
        serde_json::from_value(record["ratings"].clone()).map_err(|error| error.to_string())?;
    Ok(vec![field("kappa", &record["kappa"], metrics::fleiss_kappa(&ratings))])
}

/// Whether two values are the same: numbers to nine digits, objects independent of the order of their keys.
pub(super) fn same(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-9 * a.abs().max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
