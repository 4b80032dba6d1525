//! Preconditions of tools, measured: assertions inferred from recorded episodes alone judge calls that the real tools accepted or
//! refused. Files of a domain: `tools.json`, `demonstrations*.jsonl`, `calls.jsonl`; each may be packed (`.gz`).

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

use stepwright_files::plain_or_packed;
use stepwright_precondition::{
    CandidateContext, Judgement, Known, ToolRule, ToolStep, Written, infer, judge_call, tool_contexts,
    tools_specification, validated_rules,
};
use stepwright_program::tools::Toolbox;

pub use report::{as_json, tables};

use crate::recordings::{LARGEST, document, each_line};

const TOOLS: &str = "tools.json";
/// Episodes of the benchmark, and generated ones.
const DEMONSTRATIONS: [&str; 2] = ["demonstrations.jsonl", "demonstrations_generated.jsonl"];
const CALLS: &str = "calls.jsonl";

#[derive(Debug, Deserialize)]
struct Demonstration {
    steps: Vec<ToolStep>,
}

#[derive(Debug, Deserialize)]
struct Asked {
    tool: String,
    arguments: Json,
}

/// A call that the real tool accepted or refused.
#[derive(Debug, Deserialize)]
struct Recorded {
    id: String,
    before: Vec<ToolStep>,
    call: Asked,
    accepted: bool,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    decidable: bool,
    #[serde(default)]
    policy_violation: bool,
}

/// By what calls are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Every call is accepted.
    Everything,
    /// The names of the arguments are the schema's.
    Schema,
    /// Schema, and every id among the arguments was read before.
    Ids,
    /// Assertions inferred from the episodes.
    Inferred,
    /// Assertions that a language model wrote, those that hold at every accepted call of the episodes.
    Written,
    /// The conditions of the tools' code over what was read.
    Ceiling,
}

impl Way {
    const ALL: [Way; 6] = [Way::Everything, Way::Schema, Way::Ids, Way::Inferred, Way::Written, Way::Ceiling];

    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Way::Everything => "accept everything",
            Way::Schema => "schema",
            Way::Ids => "schema, ids were read before",
            Way::Inferred => "inferred assertions",
            Way::Written => "assertions of the model",
            Way::Ceiling => "conditions of the tools' code",
        }
    }
}

/// A call judged in all ways.
#[derive(Debug, Clone)]
pub struct Judged {
    pub id: String,
    pub tool: String,
    /// How the call was made.
    pub kind: String,
    pub accepted: bool,
    pub decidable: bool,
    /// Whether the tools accept what the policy forbids.
    pub forbidden: bool,
    pub by: BTreeMap<Way, Judgement>,
    /// The assertion that refused it, or could not be decided.
    pub assertion: Option<String>,
}

/// What a language model wrote.
#[derive(Debug)]
pub struct OfModel {
    /// Of that, what held at every accepted call.
    pub rules: BTreeMap<String, Vec<ToolRule>>,
    pub asks: usize,
    /// Why asks failed, one each.
    pub failed: Vec<String>,
}

impl OfModel {
    /// Whether there is nothing to judge by, as every ask failed.
    fn is_silent(&self) -> bool {
        !self.failed.is_empty() && self.failed.len() == self.asks
    }
}

/// A domain, with what was inferred and how it judges.
#[derive(Debug)]
pub struct Domain {
    pub name: String,
    pub episodes: usize,
    pub rules: BTreeMap<String, Vec<ToolRule>>,
    /// None where no model was asked.
    pub written: Option<OfModel>,
    pub calls: Vec<Judged>,
}

/// How else files are packed: what is there so is refused where it is read, not passed over.
const UNREAD: [&str; 4] = ["zst", "zip", "bz2", "xz"];

/// A file of a domain, packed or not, where it is there.
fn there(folder: &Path, name: &str) -> Option<PathBuf> {
    let unread = || UNREAD.iter().map(|end| folder.join(format!("{name}.{end}"))).find(|file| file.is_file());
    plain_or_packed(&folder.join(name)).or_else(unread)
}

/// The same; one that is missing is so where it is read.
fn file(folder: &Path, name: &str) -> PathBuf {
    there(folder, name).unwrap_or_else(|| folder.join(name))
}

/// The folders of domains in a folder, or that folder itself.
pub fn domains(folder: &Path) -> Vec<PathBuf> {
    let is_domain = |path: &Path| [TOOLS, CALLS].iter().all(|name| there(path, name).is_some());
    if is_domain(folder) {
        return vec![folder.to_owned()];
    }
    let children = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = children.filter(|path| is_domain(path)).collect();
    found.sort();
    found
}

fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let (mut read, mut wrong) = (Vec::new(), None);
    each_line(path, |at, line: Result<T, String>| match line {
        Ok(line) => read.push(line),
        // Every domain has files of these names.
        Err(error) => wrong = wrong.take().or(Some(format!("{}: {error}", path.with_file_name(at).display()))),
    });
    wrong.map_or(Ok(read), Err)
}

/// A language model that writes assertions, as in "Reasoning about Action Preconditions with Programs".
pub struct Writer<'w> {
    /// Its completions of a context.
    pub write: &'w mut dyn FnMut(&CandidateContext) -> Result<Vec<Written>, String>,
    /// Episodes that it is shown of each tool, one at a time.
    pub episodes: usize,
    /// Whether the domain's policy (`policy.md`) stands before them.
    pub policy: bool,
}

impl Writer<'_> {
    /// An ask that fails is told and passed over. Errors: what cannot be read.
    fn assertions(
        &mut self,
        folder: &Path,
        toolbox: &Toolbox,
        episodes: &[Vec<ToolStep>],
        mut progress: impl FnMut(&str),
    ) -> Result<OfModel, String> {
        let path = file(folder, "policy.md");
        let policy = self.policy.then(|| stepwright_files::read_text(&path, LARGEST)).transpose();
        let policy = policy.map_err(|e| format!("{}: {e}", path.display()))?.unwrap_or_default();
        let mut written: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let shown = tool_contexts(toolbox, episodes, self.episodes)?;
        let asks = shown.values().map(Vec::len).sum();
        let (mut at, mut failed) = (0, Vec::new());
        for (function, contexts) in shown {
            for mut context in contexts {
                at += 1;
                progress(&format!("{function}, ask {at} of {asks}"));
                policy.trim().clone_into(&mut context.policy);
                let own = written.entry(function.clone()).or_default();
                match (self.write)(&context) {
                    Ok(read) => own.extend(read.into_iter().filter_map(|line| match line {
                        Written::Candidate(text) => Some(text),
                        _ => None,
                    })),
                    Err(why) => {
                        progress(&format!("{function}: {why}"));
                        failed.push(why);
                    }
                }
            }
        }
        Ok(OfModel { rules: validated_rules(toolbox, episodes, &written)?, asks, failed })
    }
}

/// A domain's episodes, all or those of the benchmark alone.
/// Errors: there is no file of them, or one cannot be read.
fn episodes(folder: &Path, all: bool) -> Result<Vec<Vec<ToolStep>>, String> {
    let names = DEMONSTRATIONS.iter().take(if all { DEMONSTRATIONS.len() } else { 1 });
    let files: Vec<PathBuf> = names.filter_map(|name| there(folder, name)).collect();
    if files.is_empty() {
        let [benchmark, _] = DEMONSTRATIONS;
        return Err(format!("{}: {benchmark} is missing: there is nothing to learn from", folder.display()));
    }
    let mut episodes = Vec::new();
    for file in &files {
        let read: Vec<Demonstration> = lines(file)?;
        episodes.extend(read.into_iter().map(|d| d.steps));
    }
    Ok(episodes)
}

/// Infers assertions from a domain's episodes, all or those of the benchmark alone, has a model write others where one is given, and judges
/// its calls. `progress` hears of each tool and ask. Errors: what cannot be read, and where.
pub fn measure(
    folder: &Path,
    all: bool,
    writer: Option<&mut Writer<'_>>,
    mut progress: impl FnMut(&str),
) -> Result<Domain, String> {
    let listed: Json = document(&file(folder, TOOLS))?;
    let toolbox = Toolbox::of_json(&listed);
    let episodes = episodes(folder, all)?;
    let rules = infer(&toolbox, &episodes, |tool| {
        progress(tool);
        true
    })?;
    let written = writer.map(|writer| writer.assertions(folder, &toolbox, &episodes, &mut progress)).transpose()?;
    let specification = tools_specification(&toolbox)?;
    let start = Known::new(&toolbox, &specification)?;
    let recorded: Vec<Recorded> = lines(&file(folder, CALLS))?;
    let calls = recorded.into_iter().map(|recorded| {
        let before = recorded.before;
        let mut known = start.clone();
        before.iter().for_each(|step| known.learn(step));
        let call = toolbox.call(&recorded.call.tool, &recorded.call.arguments);
        let (schema, _) = judge_call(&known, &call, None);
        let (inferred, assertion) = judge_call(&known, &call, rules.get(&call.function).map(Vec::as_slice));
        let judged = |refused: bool| if refused { Judgement::Refused } else { Judgement::Accepted };
        let unread = || {
            !ids(&recorded.call.arguments)
                .iter()
                .all(|id| before.iter().any(|step| step.error.is_none() && holds(&step.result, id)))
        };
        let of_model = written.as_ref().filter(|own| !own.is_silent());
        let of_model =
            of_model.map(|own| judge_call(&known, &call, own.rules.get(&call.function).map(Vec::as_slice)).0);
        let by = Way::ALL.into_iter().filter_map(|way| {
            let judgement = match way {
                Way::Everything => Judgement::Accepted,
                Way::Schema => schema,
                Way::Ids => judged(schema == Judgement::Refused || unread()),
                Way::Inferred => inferred,
                Way::Written => of_model?,
                Way::Ceiling if !recorded.decidable => Judgement::Untold,
                Way::Ceiling => judged(!recorded.accepted),
            };
            Some((way, judgement))
        });
        Judged {
            by: by.collect(),
            assertion: assertion.map(str::to_owned),
            id: recorded.id,
            tool: recorded.call.tool,
            kind: recorded.kind,
            accepted: recorded.accepted,
            decidable: recorded.decidable,
            forbidden: recorded.policy_violation,
        }
    });
    let calls: Vec<Judged> = calls.collect();
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Domain { name, episodes: episodes.len(), rules, written, calls })
}

/// The values of arguments that are named as ids, at any depth.
fn ids(arguments: &Json) -> Vec<String> {
    let is_id = |name: &str| name.ends_with("_id") || name.ends_with("_ids") || name.ends_with("flight_number");
    let mut found = Vec::new();
    let mut waiting = vec![(false, arguments)];
    while let Some((named, value)) = waiting.pop() {
        match value {
            Json::Object(fields) => waiting.extend(fields.iter().map(|(name, value)| (is_id(name), value))),
            Json::Array(items) => waiting.extend(items.iter().map(|item| (named, item))),
            Json::String(text) if named => found.push(text.clone()),
            _ => {}
        }
    }
    found
}

/// Whether a result holds a text, as a value or a key.
fn holds(result: &Json, text: &str) -> bool {
    match result {
        Json::String(own) => own == text,
        Json::Array(items) => items.iter().any(|item| holds(item, text)),
        Json::Object(fields) => fields.iter().any(|(name, value)| name == text || holds(value, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let error = lines::<Recorded>(&path).unwrap_err();
        assert!(error.starts_with(&format!("{}:1: missing field", path.display())), "{error}");
    }

    #[test]
    fn a_packed_domain_is_one_and_without_episodes_nothing_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("tools.json", "[]");
        write("calls.jsonl.gz", "");
        assert_eq!(domains(folder.path()), [folder.path()]);
        let why = measure(folder.path(), true, None, |_| {}).unwrap_err();
        assert!(why.ends_with("demonstrations.jsonl is missing: there is nothing to learn from"), "{why}");
        write("demonstrations.jsonl.gz", "no gzip");
        let why = measure(folder.path(), true, None, |_| {}).unwrap_err();
        assert!(why.contains("demonstrations.jsonl.gz"), "{why}");
        // What is packed otherwise is not passed over.
        std::fs::remove_file(folder.path().join("demonstrations.jsonl.gz")).unwrap();
        std::fs::write(folder.path().join("demonstrations_generated.jsonl.zst"), b"\x28\xb5\x2f\xfd\x04").unwrap();
        let why = measure(folder.path(), true, None, |_| {}).unwrap_err();
        assert!(
            why.ends_with("demonstrations_generated.jsonl.zst: it is packed (zstd); unpack it, or pack it with gzip"),
            "{why}"
        );
        std::fs::rename(folder.path().join("calls.jsonl.gz"), folder.path().join("calls.jsonl.zst")).unwrap();
        assert_eq!(domains(folder.path()), [folder.path()]);
    }

    /// A desk of orders: a pending order of the user can be cancelled, and a gift card pays what it holds.
    #[test]
    fn a_made_up_desk_is_learned_and_judged() {
        let folder = tempfile::tempdir().unwrap();
        let tool = |name: &str, parameters: &[&str]| {
            let properties: serde_json::Map<String, Json> =
                parameters.iter().map(|p| ((*p).to_owned(), serde_json::json!({ "type": "string" }))).collect();
            serde_json::json!({ "name": name, "parameters": { "properties": properties, "required": parameters } })
        };
        let tools =
            serde_json::json!([tool("get_order", &["order_id"]), tool("cancel_order", &["order_id", "reason"])]);
        // As an editor may write it, with its mark.
        std::fs::write(folder.path().join("tools.json"), format!("\u{feff}{tools}")).unwrap();
        let status = |n: usize| if n.is_multiple_of(2) { "pending" } else { "delivered" };
        let read = |n: usize| {
            let id = format!("W{n}");
            serde_json::json!({
                "tool": "get_order", "arguments": { "order_id": id },
                "result": { "order_id": id, "status": status(n), "note": format!("n{n}") }, "error": null,
            })
        };
        let cancel = |n: usize, reason: &str| serde_json::json!({ "tool": "cancel_order", "arguments": { "order_id": format!("W{n}"), "reason": reason } });
        let mut demonstrations = String::new();
        for n in 0..24 {
            let mut last = cancel(n, ["mistake", "no longer needed"][n / 2 % 2]);
            last["result"] =
                serde_json::json!({ "order_id": format!("W{n}"), "status": "cancelled", "note": format!("n{n}") });
            let steps = if n % 2 == 0 { vec![read(n), last] } else { vec![read(n)] };
            demonstrations.push_str(&format!("{}\n", serde_json::json!({ "steps": steps })));
        }
        std::fs::write(folder.path().join("demonstrations.jsonl"), demonstrations).unwrap();
        let call = |id: &str, before: Vec<Json>, call: Json, accepted: bool, decidable: bool| serde_json::json!({ "id": id, "before": before, "call": call, "accepted": accepted, "decidable": decidable, "kind": id });
        let mut missing = cancel(40, "mistake");
        missing["arguments"].as_object_mut().unwrap().remove("reason");
        let calls = [
            call("good", vec![read(40)], cancel(40, "mistake"), true, true),
            call("status", vec![read(41)], cancel(41, "mistake"), false, true),
            call("unread", vec![read(41)], cancel(40, "mistake"), true, false),
            call("reason", vec![read(40)], cancel(40, "boredom"), false, true),
            call("argument", vec![read(40)], missing, false, true),
        ];
        std::fs::write(folder.path().join("calls.jsonl"), calls.map(|c| c.to_string()).join("\n")).unwrap();
        std::fs::write(folder.path().join("policy.md"), "Only what is pending may be cancelled.\n").unwrap();
        let mut asked = Vec::new();
        // One that holds at every call, one that does not, one that is none, and the first again.
        let mut write = |context: &CandidateContext| {
            asked.push(context.clone());
            Ok(["reason == 'mistake'", "reason ==", "reason != 'boredom'", "reason != 'boredom'"]
                .map(|text| Written::Candidate(text.to_owned()))
                .to_vec())
        };
        let mut writer = Writer { write: &mut write, episodes: 2, policy: true };
        let domain = measure(&domains(folder.path())[0], true, Some(&mut writer), |_| {}).unwrap();
        assert_eq!(asked.len(), 2, "two episodes of the one tool that is called");
        assert!(
            asked.iter().all(|c| c.action == "cancel_order" && c.policy.ends_with("may be cancelled.")),
            "{asked:?}"
        );
        assert!(asked[0].demonstration.contains("W0") && asked[1].demonstration.contains("W2"), "{asked:?}");
        assert!(!asked[0].definitions.contains("def cancel_order") && asked[0].definitions.contains("def get_order"));
        let kept: Vec<&str> =
            domain.written.as_ref().unwrap().rules["cancel_order"].iter().map(|r| r.assertion.text()).collect();
        assert_eq!(kept, ["reason != 'boredom'"]);
        let of_model: Vec<Judgement> = domain.calls.iter().map(|c| c.by[&Way::Written]).collect();
        let said: Vec<(&str, Judgement)> = domain.calls.iter().map(|c| (c.id.as_str(), c.by[&Way::Inferred])).collect();
        use Judgement::{Accepted, Refused, Untold};
        assert_eq!(
            said,
            [("good", Accepted), ("status", Refused), ("unread", Untold), ("reason", Refused), ("argument", Refused)],
            "{:?}",
            domain.rules
        );
        assert_eq!(of_model, [Accepted, Accepted, Accepted, Refused, Refused]);
        let report = tables(&[domain]);
        assert!(report.contains("inferred assertions") && report.contains("1.000"), "{report}");
        assert!(!report.contains("failed"), "{report}");
        // An ask that fails is told, and the rest counts; where all fail the row has no figures.
        let (mut at, mut heard) = (0, Vec::new());
        let mut fails_once = |_: &CandidateContext| {
            at += 1;
            let answer = vec![Written::Candidate("reason != 'boredom'".to_owned())];
            if at == 1 { Err("no server".to_owned()) } else { Ok(answer) }
        };
        let mut writer = Writer { write: &mut fails_once, episodes: 2, policy: false };
        let domain =
            measure(&domains(folder.path())[0], true, Some(&mut writer), |told| heard.push(told.to_owned())).unwrap();
        let of_model: Vec<Judgement> = domain.calls.iter().map(|c| c.by[&Way::Written]).collect();
        assert_eq!(of_model, [Accepted, Accepted, Accepted, Refused, Refused]);
        let told = ["cancel_order, ask 1 of 2", "cancel_order: no server", "cancel_order, ask 2 of 2"];
        assert!(heard.ends_with(&told.map(str::to_owned)), "{heard:?}");
        let report = tables(&[domain]);
        assert!(report.contains("1 of 2 asks of the model failed (no server)"), "{report}");
        let mut fails = |_: &CandidateContext| Err("no server".to_owned());
        let mut writer = Writer { write: &mut fails, episodes: 2, policy: false };
        let domain = measure(&domains(folder.path())[0], true, Some(&mut writer), |_| {}).unwrap();
        assert!(domain.calls.iter().all(|c| !c.by.contains_key(&Way::Written) && c.by.contains_key(&Way::Inferred)));
        let report = tables(&[domain]);
        assert!(report.contains("2 of 2 asks of the model failed (no server); nothing of it judges"), "{report}");
        let row = report.lines().find(|line| line.contains("assertions of the model")).unwrap();
        assert!(row.split_whitespace().rev().take(8).eq(["0/0", "-", "-", "-", "-", "-", "-", "0"]), "{report}");
    }
}
