//! Tools as a program: from a list of tools (name, description, JSON schema) a specification with a function a tool, calls of it, and what
//! they returned as observations. What was read is the agent's state: `self.read['get_order']['W42']`, `self.last['get_order']` and
//! `self.errors['get_order']['W42']`. Knows no wire: who sends calls and results where is somebody else's business.

mod complete;

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::assertion::is_unsafe;
use super::call::{Call, Literal};
use super::read_call::is_keyword;

pub use complete::Completions;

/// The object whose functions are the tools.
pub const TOOLS: &str = "tools";
/// The object whose functions say what a call returned.
pub const RESULTS: &str = "results";
/// The function of [`RESULTS`] that says what a call returned, and the one that says with what error it failed.
pub const RETURNED: &str = "returned";
/// See [`RETURNED`].
pub const FAILED: &str = "failed";

/// A tool as a model is given it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its own name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Json,
}

/// A parameter of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its own name.
    pub name: String,
    /// Its name in the program.
    pub variable: String,
    /// Whether each call must give it.
    pub required: bool,
    /// Its JSON schema.
    pub schema: Json,
}

/// Tools with their specification. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Toolbox(Arc<Inner>);

#[derive(Debug, PartialEq)]
struct Inner {
    tools: Vec<Tool>,
    /// The function of each tool and its parameters, the required ones first.
    functions: Vec<(String, Vec<Parameter>)>,
    /// Whether each only reads.
    reads: Vec<bool>,
    source: String,
}

/// Under what names a tool's schema stands, by wire.
const SCHEMAS: [&str; 4] = ["parameters", "input_schema", "inputSchema", "params"];

/// What the object of the tools holds beside them.
const OWN: [&str; 3] = ["read", "last", "errors"];

/// A name as one of the language, other than those that are taken.
fn identifier(name: &str, taken: &mut Vec<String>) -> String {
    let sign = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut plain: String = name.chars().map(sign).collect();
    if plain.starts_with("__") || !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert(0, 't');
    }
    if is_keyword(&plain) || is_unsafe(&plain) || taken.contains(&plain) && OWN.contains(&plain.as_str()) {
        plain.push('_');
    }
    let mut unused = plain.clone();
    let mut number = 1;
    while taken.contains(&unused) {
        number += 1;
        unused = format!("{plain}_{number}");
    }
    taken.push(unused.clone());
    unused
}

/// The own name of an argument, by its name in the program, where it was only set apart from a word of the language; any other stays.
pub fn own_argument(variable: &str) -> &str {
    let own = variable.strip_suffix('_').filter(|own| is_keyword(own) || is_unsafe(own));
    own.unwrap_or(variable)
}

/// The own name of a tool by its function, likewise.
pub fn own_tool(function: &str) -> &str {
    let own = function.strip_suffix('_').filter(|own| OWN.contains(own));
    own.unwrap_or_else(|| own_argument(function))
}

impl Tool {
    /// A tool as the wires of models write it: Chat Completions, Responses, Messages, MCP. `None` for what is no function.
    pub fn of_json(value: &Json) -> Option<Tool> {
        let inside = value.get("function").filter(|f| f.is_object()).unwrap_or(value);
        let text = |key: &str| inside.get(key).and_then(Json::as_str).map(str::to_owned);
        let schema = SCHEMAS.iter().find_map(|key| inside.get(key));
        Some(Tool {
            name: text("name")?,
            description: text("description").unwrap_or_default(),
            schema: schema.cloned().unwrap_or(Json::Null),
        })
    }

    /// The names of the arguments that its schema lists.
    pub fn arguments(&self) -> Vec<String> {
        let properties = self.resolved(&self.schema).get("properties").and_then(Json::as_object);
        properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    /// Where a tool on the wire lists its arguments. `None` where its schema is no object, or is one elsewhere (`$ref`).
    pub fn properties_mut(value: &mut Json) -> Option<&mut Map<String, Json>> {
        let inside =
            if value.get("function").is_some_and(Json::is_object) { value.get_mut("function")? } else { value };
        let key = SCHEMAS.iter().find(|key| inside.get(*key).is_some()).copied().unwrap_or(SCHEMAS[0]);
        let schema = inside.as_object_mut()?.entry(key).or_insert_with(|| json!({ "type": "object" }));
        if schema.get("$ref").is_some() {
            return None;
        }
        schema.as_object_mut()?.entry("properties").or_insert_with(|| json!({})).as_object_mut()
    }

    /// A part of its schema with what it refers to in its place.
    fn resolved<'a>(&'a self, mut part: &'a Json) -> &'a Json {
        for _ in 0..8 {
            let path = part.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix('#'));
            match path.and_then(|path| self.schema.pointer(path)) {
                Some(meant) => part = meant,
                None => break,
            }
        }
        part
    }

    /// Its parameters, the required ones first, otherwise in the schema's order.
    fn parameters(&self) -> Vec<Parameter> {
        let schema = self.resolved(&self.schema);
        let listed: Vec<&str> =
            schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        let mut taken = vec!["self".to_owned()];
        let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let mut all: Vec<Parameter> = properties
            .map(|(name, part)| Parameter {
                name: name.clone(),
                variable: identifier(name, &mut taken),
                required: listed.contains(&name.as_str()),
                schema: self.resolved(part).clone(),
            })
            .collect();
        all.sort_by_key(|parameter| !parameter.required);
        all
    }

    /// Whether it takes arguments that its schema does not name.
    fn is_open(&self) -> bool {
        let schema = self.resolved(&self.schema);
        match schema.get("additionalProperties") {
            Some(Json::Bool(open)) => *open,
            Some(Json::Object(_)) => true,
            _ => schema.get("properties").is_none(),
        }
    }
}

impl Toolbox {
    /// The tools of a list as the wires of models write it; what is no function is left out.
    pub fn of_json(tools: &Json) -> Toolbox {
        let said = |value: &Json| match value.get("access").and_then(Json::as_str) {
            Some("read") => Some(true),
            Some("write") => Some(false),
            _ => value.get("annotations")?.get("readOnlyHint")?.as_bool(),
        };
        let tools = tools.as_array().into_iter().flatten();
        Toolbox::build(tools.filter_map(|value| Some((Tool::of_json(value)?, said(value)))).collect())
    }

    /// Of several tools of one name the first counts.
    pub fn new(tools: Vec<Tool>) -> Toolbox {
        Toolbox::build(tools.into_iter().map(|tool| (tool, None)).collect())
    }

    fn build(tools: Vec<(Tool, Option<bool>)>) -> Toolbox {
        let (mut known, mut reads): (Vec<Tool>, Vec<bool>) = (Vec::new(), Vec::new());
        for (tool, said) in tools {
            if known.iter().all(|other| other.name != tool.name) {
                reads.push(said.unwrap_or_else(|| READING.contains(&first_word(&tool.name).as_str())));
                known.push(tool);
            }
        }
        let mut taken: Vec<String> = OWN.iter().map(|name| (*name).to_owned()).collect();
        let functions: Vec<_> =
            known.iter().map(|tool| (identifier(&tool.name, &mut taken), tool.parameters())).collect();
        let source = specification(&known, &functions, &reads);
        Toolbox(Arc::new(Inner { tools: known, functions, reads, source }))
    }

    /// The specification's text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The lines that make the objects.
    pub fn setup() -> Vec<String> {
        vec![format!("{TOOLS} = Tools()"), format!("{RESULTS} = Results({TOOLS})")]
    }

    /// The tools.
    pub fn tools(&self) -> &[Tool] {
        &self.0.tools
    }

    /// The tool of that name, its own or its function's, with the function and the parameters.
    pub fn tool(&self, name: &str) -> Option<(&Tool, &str, &[Parameter])> {
        let mut all = self.all();
        all.find(|(tool, ..)| tool.name == name).or_else(|| self.all().find(|(_, function, _)| *function == name))
    }

    fn all(&self) -> impl Iterator<Item = (&Tool, &str, &[Parameter])> {
        let all = self.0.tools.iter().zip(&self.0.functions);
        all.map(|(tool, (function, parameters))| (tool, function.as_str(), parameters.as_slice()))
    }

    /// How calls are written, for people who type one: the function with its arguments' names, sorted.
    pub fn forms(&self) -> Vec<String> {
        let form = |(_, function, parameters): (&Tool, &str, &[Parameter])| {
            let named: Vec<String> = parameters.iter().map(|p| format!("{}=", p.variable)).collect();
            format!("{TOOLS}.{function}({})", named.join(", "))
        };
        let mut forms: Vec<String> = self.all().map(form).collect();
        forms.sort_unstable();
        forms
    }

    /// Whether a tool only reads: it is said, or its name begins as those of reading tools do.
    pub fn reads(&self, name: &str) -> bool {
        let at = self.0.tools.iter().position(|tool| tool.name == name);
        at.and_then(|at| self.0.reads.get(at)).copied().unwrap_or_default()
    }

    /// A tool's function; of one that is not known its name as one of the language.
    pub fn function(&self, name: &str) -> String {
        self.tool(name).map_or_else(|| identifier(name, &mut Vec::new()), |(_, function, _)| function.to_owned())
    }

    /// A call of a tool with its arguments by name. Arguments that are no object stand under `arguments`.
    pub fn call(&self, name: &str, arguments: &Json) -> Call {
        let parameters = self.tool(name).map_or(&[][..], |(_, _, parameters)| parameters);
        let mut taken: Vec<String> = parameters.iter().map(|p| p.variable.clone()).chain(["self".to_owned()]).collect();
        let mut named = Vec::new();
        let other = Map::from_iter([("arguments".to_owned(), arguments.clone())]);
        let given = match arguments {
            Json::Object(given) => given,
            Json::Null => &Map::new(),
            _ => &other,
        };
        for (key, value) in given {
            let variable = match parameters.iter().find(|p| p.name == *key) {
                Some(parameter) => parameter.variable.clone(),
                None => identifier(key, &mut taken),
            };
            named.push((variable, Literal::from(value)));
        }
        Call { receiver: TOOLS.to_owned(), function: self.function(name), args: Vec::new(), named }
    }

    /// What a call returned, or with what error it failed, as an observation. A text that is JSON is taken as what it says.
    pub fn result(&self, name: &str, arguments: &Json, result: &str, failed: bool) -> Call {
        let said = || serde_json::from_str::<Json>(result).ok().map(|said| Literal::from(&said));
        let result = if failed { None } else { said() }.unwrap_or_else(|| result.into());
        let args = vec![self.function(name).into(), self.key(name, arguments), result];
        let function = if failed { FAILED } else { RETURNED };
        Call { receiver: RESULTS.to_owned(), function: function.to_owned(), args, named: Vec::new() }
    }

    /// Under what a call's result is kept: the value of its one required argument, or those of several as a list; of a tool that
    /// requires none all that was given.
    fn key(&self, name: &str, arguments: &Json) -> Literal {
        let parameters = self.tool(name).map_or(&[][..], |(_, _, parameters)| parameters);
        let required = parameters.iter().filter(|p| p.required).map(|p| arguments.get(&p.name).unwrap_or(&Json::Null));
        let mut values: Vec<&Json> = required.collect();
        if values.is_empty() {
            values = arguments.as_object().into_iter().flat_map(Map::values).collect();
        }
        while values.len() > 1 && values.last().is_some_and(|last| last.is_null()) {
            values.pop();
        }
        // A key is no list: those are kept by their text.
        let mut keys = values.into_iter().map(|value| match Literal::from(value) {
            nested @ (Literal::List(_) | Literal::Dict(_)) => Literal::Str(nested.to_string()),
            plain => plain,
        });
        match (keys.next(), keys.next()) {
            (Some(only), None) => only,
            (one, other) => Literal::List(one.into_iter().chain(other).chain(keys).collect()),
        }
    }

    /// A call as the wires write it: the tool's own name and the arguments as an object, those under their own names. `None` if it is no
    /// call of [`TOOLS`].
    pub fn wire(&self, call: &Call) -> Option<(String, Json)> {
        if call.receiver != TOOLS {
            return None;
        }
        let tool = self.all().find(|(_, function, _)| *function == call.function);
        let parameters = tool.map_or(&[][..], |(_, _, parameters)| parameters);
        let placed = call.args.iter().enumerate().map(|(at, value)| {
            let name = parameters.get(at).map_or_else(|| format!("argument_{}", at + 1), |p| p.name.clone());
            (name, value.into())
        });
        let named = call.named.iter().map(|(variable, value)| {
            let known = parameters.iter().find(|p| p.variable == *variable);
            (known.map_or_else(|| own_argument(variable), |p| p.name.as_str()).to_owned(), value.into())
        });
        let name = tool.map_or_else(|| own_tool(&call.function), |(tool, _, _)| tool.name.as_str()).to_owned();
        Some((name, Json::Object(placed.chain(named).collect())))
    }

    /// Reads a call as a person or a model writes it: `tools.f(a='x')`, `f(a='x')`, `f('x')`, `f({"a": "x"})`, and
    /// `{"name": "f", "arguments": {"a": "x"}}`. `None` for any other text, which may be words; why it is no call of a tool where it
    /// looks like one.
    pub fn read(&self, text: &str) -> Option<Result<Call, String>> {
        let text = text.trim();
        if let Some(Json::Object(object)) = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten() {
            let inside = object.get("function").and_then(Json::as_object).unwrap_or(&object);
            let name = inside.get("name").or_else(|| inside.get("tool")).and_then(Json::as_str)?;
            let given = ["arguments", "input", "parameters", "args"].iter().find_map(|key| inside.get(*key));
            let given = match given {
                Some(Json::String(text)) => &serde_json::from_str(text).unwrap_or(Json::String(text.clone())),
                Some(given) => given,
                None => &Json::Null,
            };
            return Some(self.known(name).map(|()| self.call(name, given)));
        }
        let (head, inside) = text.strip_suffix(')')?.split_once('(')?;
        let name = match head.trim().split_once('.').filter(|(receiver, _)| *receiver == TOOLS) {
            Some((_, function)) => {
                self.all().find(|(_, f, _)| *f == function).map_or(function, |(tool, ..)| &tool.name)
            }
            None => head.trim(),
        };
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        if name.is_empty() || !name.chars().all(word) {
            return None;
        }
        if let Ok(given @ Json::Object(_)) = serde_json::from_str(inside.trim()) {
            return Some(self.known(name).map(|()| self.call(name, &given)));
        }
        let mut call = match format!("{TOOLS}.{}({inside})", self.function(name)).parse::<Call>() {
            Ok(call) => call,
            Err(error) => return self.tool(name).map(|_| Err(format!("`{text}`: {}", error.why))),
        };
        if let Err(unknown) = self.known(name) {
            return Some(Err(unknown));
        }
        let parameters = self.tool(name).map_or(&[][..], |(_, _, parameters)| parameters);
        if call.args.len() > parameters.len() {
            return Some(Err(format!("{name} takes {} arguments, {} given", parameters.len(), call.args.len())));
        }
        let placed = parameters.iter().map(|p| p.variable.clone()).zip(std::mem::take(&mut call.args));
        let named: Vec<(String, Literal)> = placed.chain(std::mem::take(&mut call.named)).collect();
        let twice = named.iter().enumerate().find(|(at, (name, _))| named.iter().take(*at).any(|(n, _)| n == name));
        if let Some((_, (argument, _))) = twice {
            return Some(Err(format!("{name} is given `{argument}` twice")));
        }
        Some(Ok(Call { named, ..call }))
    }

    /// Whether there is a tool of that name; else which there are.
    pub fn known(&self, name: &str) -> Result<(), String> {
        let names: Vec<&str> = self.0.tools.iter().map(|tool| tool.name.as_str()).collect();
        match self.tool(name) {
            Some(_) => Ok(()),
            None if names.is_empty() => Err(format!("there is no tool `{name}`: none is named")),
            None => Err(format!("there is no tool `{name}`; there are {}", names.join(", "))),
        }
    }
}

/// Words with which the names of tools begin that only read.
const READING: [&str; 14] = [
    "get", "read", "find", "search", "list", "show", "lookup", "fetch", "view", "describe", "query", "check",
    "retrieve", "browse",
];

/// `get` of `get_order`, `get-order`, `getOrder`, `orders.get_order`.
fn first_word(name: &str) -> String {
    let name = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let name = name.rsplit("__").next().unwrap_or(name);
    let end = name.char_indices().skip(1).find(|(_, c)| !c.is_ascii_alphabetic() || c.is_ascii_uppercase());
    name.get(..end.map_or(name.len(), |(at, _)| at)).unwrap_or(name).to_ascii_lowercase()
}

fn specification(tools: &[Tool], functions: &[(String, Vec<Parameter>)], reads: &[bool]) -> String {
    // Tools that read one thing by one argument: what others return of such a thing is as if it had been read.
    let readers: Vec<String> = functions
        .iter()
        .zip(reads)
        .filter_map(|((function, parameters), reads)| {
            let mut required = parameters.iter().filter(|p| p.required && *reads);
            let only = required.next().filter(|_| required.next().is_none())?;
            Some(format!("({}, {})", Literal::from(function.as_str()), Literal::from(only.name.as_str())))
        })
        .collect();
    let paths: Vec<String> = functions.iter().map(|(name, _)| format!("'{TOOLS}.{name}'")).collect();
    let empty: Vec<String> = functions.iter().map(|(name, _)| format!("'{name}': {{}}")).collect();
    let setup: Vec<String> = Toolbox::setup().iter().map(|line| format!("'{line}'")).collect();
    let mut text = format!(
        "\"\"\"The tools of an agent. A call's result is kept in `read` under the tool and the call's argument, or the tuple of its\n\
         arguments where it needs several; its error in `errors` likewise; the last result of a tool in `last`.\"\"\"\n\n\
         SETUP = [{}]\nACTIONS = [{}]\nOBSERVATIONS = ['{RESULTS}.{RETURNED}', '{RESULTS}.{FAILED}']\n\n\
         # Tools that read a thing by one argument, with its name.\nREADERS = [{readers}]\n\n\n\
         class Tools:\n    def __init__(self):\n        self.read = {{{empty}}}\n        self.errors = {{{empty}}}\n        \
         self.last = {{}}\n",
        setup.join(", "),
        paths.join(", "),
        empty = empty.join(", "),
        readers = readers.join(", "),
    );
    for (tool, (name, parameters)) in tools.iter().zip(functions) {
        let about = tool.description.trim().lines().next().unwrap_or_default().trim();
        text.push('\n');
        if !about.is_empty() {
            let _ = writeln!(text, "    # {}", about.replace(['\r', '\0', '\x0c'], " "));
        }
        let _ = write!(text, "    def {name}(self");
        for parameter in parameters {
            let _ = write!(text, ", {}{}", parameter.variable, if parameter.required { "" } else { "=None" });
        }
        if tool.is_open() {
            let mut taken = parameters.iter().map(|p| p.variable.clone()).collect();
            let _ = write!(text, ", **{}", identifier("others", &mut taken));
        }
        text.push_str("):\n        pass\n");
    }
    text.push_str(
        "\n\ndef alike(last, name, result):\n    if isinstance(last, dict):\n        \
         return 2 * len(set(last) & set(result)) >= len(set(last) | set(result))\n    \
         return last is None and list(result)[0] == name\n\n\nclass Results:\n    def __init__(self, tools):\n        self.tools = tools\n\n    \
         def returned(self, tool, key, result):\n        key = tuple(key) if isinstance(key, list) else key\n        \
         self.tools.read.setdefault(tool, {})[key] = result\n        \
         self.tools.errors.setdefault(tool, {}).pop(key, None)\n        \
         # What another tool returns of a thing is as if the thing had been read.\n        \
         for reader, name in READERS:\n            if reader != tool and isinstance(result, dict) and \
         isinstance(result.get(name), str) and alike(self.tools.last.get(reader), name, result):\n                \
         self.tools.read[reader][result[name]] = result\n        self.tools.last[tool] = result\n\n    \
         def failed(self, tool, key, error):\n        key = tuple(key) if isinstance(key, list) else key\n        \
         self.tools.errors.setdefault(tool, {})[key] = error\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Assertion, CheckResult, Specification};

    fn tool(name: &str, parameters: Json) -> Json {
        json!({"type": "function", "function": {"name": name, "description": "Does it.\nMore.", "parameters": parameters}})
    }

    fn order(properties: &[&str], required: &[&str]) -> Json {
        let properties: Map<String, Json> = properties.iter().map(|p| ((*p).to_owned(), json!({}))).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn desk() -> Toolbox {
        Toolbox::of_json(&json!([
            tool("get_order", order(&["order_id"], &["order_id"])),
            tool("cancel_order", order(&["note", "order_id", "reason"], &["order_id", "reason"])),
            {"type": "web_search"},
            {"name": "find", "input_schema": order(&["zip", "name"], &["name", "zip"])},
        ]))
    }

    #[test]
    fn what_a_tool_does_is_said_or_told_from_its_name() {
        for (name, said, reads) in [
            ("get_order", json!({}), true),
            ("get_order", json!({"access": "write"}), false),
            ("cancel_order", json!({"access": "read"}), true),
            ("get_order", json!({"access": "execute"}), true),
            ("cancel_order", json!({"access": "execute", "annotations": {"readOnlyHint": true}}), true),
        ] {
            let mut tool = json!({"name": name, "input_schema": order(&["order_id"], &["order_id"])});
            tool.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
            assert_eq!(Toolbox::of_json(&json!([tool])).reads(name), reads, "{tool}");
        }
    }

    #[test]
    fn words_of_the_language_are_names_of_tools_and_arguments() {
        let known = json!({"name": "read", "input_schema": order(&["from_", "in"], &[])});
        for (tools, name, arguments) in [
            (json!([]), "exec", json!({"input": "x", "from": 1, "_": 2, "at_": 3})),
            (json!([known]), "read", json!({"from_": 1, "in": 2, "class": 3})),
        ] {
            let tools = Toolbox::of_json(&tools);
            assert_eq!(tools.wire(&tools.call(name, &arguments)), Some((name.to_owned(), arguments)));
        }
        assert_eq!((own_tool("read_"), own_argument("read_"), own_tool("in_")), ("read", "read_", "in"));
    }

    #[test]
    fn what_was_read_is_the_state_and_bad_calls_are_seen() {
        let desk = desk();
        let spec = Specification::load(desk.source(), "tools.py").unwrap();
        let mut state = spec.start().unwrap();
        let w42 = json!({"order_id": "W42"});
        let result = r#"{"order_id": "W42", "status": "pending", "items": [{"id": 1, "price": 2.5}], "note": null}"#;
        let function = spec.function("tools", "cancel_order").unwrap();
        assert_eq!(function.params, ["order_id", "reason", "note"]);
        let holds = |state: &crate::State, text: &str| {
            let call = desk.call("cancel_order", &json!({"order_id": "W42", "reason": "mistake"}));
            let rules = crate::Rules::from([("cancel_order".to_owned(), vec![Assertion::compile(text).unwrap()])]);
            state.under(&rules, &call)[0].1.clone()
        };
        let pending = "self.read['get_order'][order_id]['status'] == 'pending' and note is None";
        assert!(matches!(holds(&state, pending), CheckResult::Raises { exception, .. } if exception == "KeyError"));
        state.call(&desk.call("get_order", &w42)).unwrap();
        let seen = desk.result("get_order", &w42, result, false);
        assert_eq!(seen.to_string().parse::<Call>().unwrap(), seen);
        state.call(&seen).unwrap();
        for text in [pending, "sum(i['price'] for i in self.last['get_order']['items']) == 2.5"] {
            assert!(holds(&state, text).holds(), "{text}");
        }
        let find = json!({"name": "Ann", "zip": "12345"});
        state.call(&desk.result("find", &find, "Error: user not found", true)).unwrap();
        state.call(&desk.result("find", &find, "ann_1", false)).unwrap();
        assert!(holds(&state, "self.read['find'][('12345', 'Ann')] == 'ann_1' and not self.errors['find']").holds());
        for (arguments, why) in [
            (json!({"order_id": "W42"}), "missing"),
            (json!({"order_id": "W42", "reason": "x", "sure": true}), "unexpected"),
        ] {
            let call = desk.call("cancel_order", &arguments);
            assert!(state.obstacle(&call).unwrap().1.contains(why), "{call}");
        }
        assert_eq!(state.obstacle(&desk.call("cancel_order", &json!({"reason": "x", "order_id": "W42"}))), None);
        // What another tool returns of an order is as if it had been read.
        let cancelled = r#"{"order_id": "W42", "status": "cancelled", "items": [], "note": null}"#;
        let cancel = json!({"order_id": "W42", "reason": "mistake"});
        state.call(&desk.result("cancel_order", &cancel, cancelled, false)).unwrap();
        assert!(holds(&state, "self.read['get_order']['W42']['status'] == 'cancelled'").holds());
        // An argument of any kind.
        let nested = desk.call("get_order", &json!({"order_id": [{"a": [1, 2.5, null, true]}]}));
        assert_eq!(nested.to_string(), "tools.get_order(order_id=[{'a': [1, 2.5, None, True]}])");
        assert_eq!(nested.to_string().parse::<Call>().unwrap(), nested);
        let rules = |text: &str| crate::Rules::from([("get_order".into(), vec![Assertion::compile(text).unwrap()])]);
        assert!(state.under(&rules("order_id[0]['a'][3] and len(order_id) == 1"), &nested)[0].1.holds());
    }

    #[test]
    fn calls_are_read_as_they_are_written() {
        let desk = desk();
        let said = "tools.cancel_order(order_id='W42', reason='no longer needed')";
        for text in [
            said,
            "cancel_order(order_id='W42', reason='no longer needed')",
            "cancel_order('W42', reason=\"no longer needed\")",
            "cancel_order({\"order_id\": \"W42\", \"reason\": \"no longer needed\"})",
            "{\"name\": \"cancel_order\", \"arguments\": \"{\\\"order_id\\\": \\\"W42\\\", \\\"reason\\\": \\\"no longer needed\\\"}\"}",
        ] {
            let call = desk.read(text).unwrap().unwrap();
            assert_eq!(call.to_string(), said, "{text}");
            let wire = ("cancel_order".to_owned(), json!({"order_id": "W42", "reason": "no longer needed"}));
            assert_eq!(desk.wire(&call), Some(wire));
        }
        for (text, why) in [
            ("cancel_order('a', 'b', 'c', 'd')", "takes 3"),
            ("cancel_order('a', order_id='b')", "twice"),
            ("cancel_order(x)", "constant"),
            ("fly({\"to\": 1})", "no tool `fly`"),
        ] {
            assert!(desk.read(text).unwrap().unwrap_err().contains(why), "{text}");
        }
        for words in ["cancel the order (W42)", "hello", "what (is) it(?)", "{\"a\": 1}", "f(x)"] {
            assert!(desk.read(words).is_none(), "{words}");
        }
    }

    #[test]
    fn hostile_names_are_names_of_the_program_and_come_back() {
        let names =
            ["read", "class", "get-order", "get_order", "get.order", "__init__", "1st", "", "查询", "eval", "read_"];
        let tools: Vec<Json> =
            names.iter().map(|name| tool(name, order(&["self", "in", "a-b", "a_b", "input"], &[]))).collect();
        let desk = Toolbox::of_json(&json!(tools));
        let spec = Specification::load(desk.source(), "tools.py").unwrap();
        assert_eq!(spec.functions().len(), names.len() + 2, "{}", desk.source());
        let arguments = json!({"self": 1, "in": 2, "a-b": 3, "a_b": 4, "input": "x"});
        for name in names {
            let call = desk.call(name, &arguments);
            spec.start().unwrap().call(&call).unwrap();
            assert_eq!(desk.wire(&call.to_string().parse().unwrap()), Some((name.to_owned(), arguments.clone())));
            spec.start().unwrap().call(&desk.result(name, &arguments, "x", false)).unwrap();
        }
        assert_eq!(desk.read("get.order({\"in\": 1})").unwrap().unwrap().function, "get_order_3");
        let open = Toolbox::of_json(&json!([{"name": "any"}, {"name": "any"}]));
        let spec = Specification::load(open.source(), "tools.py").unwrap();
        spec.start().unwrap().call(&open.call("any", &json!({"others": 1, "x": [1]}))).unwrap();
        assert_eq!(open.call("other tool", &json!("{no json")).to_string(), "tools.other_tool(arguments='{no json')");
    }
}
