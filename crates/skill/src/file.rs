//! File of skills, `NAME.skills.toml`: one table a skill, readable and written by people. [`read`] checks it and names the line
//! of what is wrong; [`write()`] writes what [`read`] reads.
//!
//! ```toml
//! tips = ["Look before you leap."]
//!
//! [[skill]]
//! name = "put(object, receptacle)"
//! tips = ["You can put an object in/on an occupied receptacle."]
//! primitives = [{ syntax = "go to [receptacle] [id]", examples = ["go to desk 1"] }]
//! uses = ["find(object)"]
//!
//! [[skill.function]]
//! code = "def put_object(object, receptacle): …"
//! why = "written from a, b"
//!
//! [[example]]
//! first = "You are in a room. …"
//! lines = [["think: A mug first."], ["call: find(mug)"], ["go to desk 1", "On it, a mug 1."], ["Done: mug 1 is there."]]
//!
//! [[action]]
//! form = "open [receptacle] [id]"
//! needs = ["last go to: [receptacle]", "[receptacle] is closed"]
//! makes = ["[receptacle] is open"]
//! shows = "receptacle"
//!
//! [[plan]]
//! task = "put a clean [object] in [receptacle]"
//! calls = ["find([object])", "clean([object])", "put([object], [receptacle])"]
//!
//! [likely]
//! mug = ["coffeemachine", "cabinet"]
//! ```

mod rules;

use std::fmt::Write as _;

use serde::Deserialize;
use toml::Spanned;

use crate::call::{Signature, SkillCall};
use crate::example::{Example, Shown};
use crate::function::Version;
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::primitive::fits;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct FileError {
    /// The line, counted from 1.
    pub line: usize,
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tips: Vec<String>,
    #[serde(default)]
    refused: Vec<String>,
    #[serde(default)]
    skill: Vec<SkillTable>,
    #[serde(default)]
    example: Vec<Spanned<Shown>>,
    #[serde(default)]
    action: Vec<rules::ActionTable>,
    #[serde(default)]
    plan: Vec<rules::PlanTable>,
    #[serde(default)]
    likely: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillTable {
    name: Spanned<String>,
    #[serde(default)]
    intro: String,
    #[serde(default)]
    tips: Vec<String>,
    #[serde(default)]
    primitives: Vec<PrimitiveTable>,
    #[serde(default)]
    uses: Vec<Spanned<String>>,
    #[serde(default)]
    function: Vec<Version>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrimitiveTable {
    syntax: Spanned<String>,
    #[serde(default)]
    examples: Vec<Spanned<String>>,
}

pub fn read(text: &str) -> Result<Knowledge, FileError> {
    let line_of = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        FileError { line, message: error.message().to_owned() }
    })?;
    let mut skills: Vec<Skill> = Vec::new();
    let mut lines_of_uses: Vec<Vec<usize>> = Vec::new();
    for SkillTable { name, intro, tips, primitives, uses, function } in file.skill {
        let line = line_of(name.span().start);
        let fail = |message: String| FileError { line, message };
        let signature: Signature = name.into_inner().parse().map_err(|e| fail(format!("{e}")))?;
        if skills.iter().any(|known| known.signature.name == signature.name) {
            return Err(fail(format!("the skill {} is there twice; give one of them another name", signature.name)));
        }
        let (lines, uses) = uses.into_iter().map(|used| (line_of(used.span().start), used.into_inner())).unzip();
        lines_of_uses.push(lines);
        let primitives = primitives.into_iter().map(|primitive| checked(primitive, &line_of));
        let primitives = primitives.collect::<Result<Vec<_>, _>>()?;
        skills.push(Skill { signature, primitives, tips, intro, uses, function });
    }
    let at = |skill: usize, used: usize| lines_of_uses.get(skill).and_then(|lines| lines.get(used)).copied();
    check_uses(&skills).map_err(|(skill, used, message)| FileError { line: at(skill, used).unwrap_or(1), message })?;
    let parameters: Vec<(String, usize)> =
        skills.iter().map(|skill| (skill.signature.name.clone(), skill.signature.parameters.len())).collect();
    let tables = rules::Tables { refused: file.refused, action: file.action, plan: file.plan, likely: file.likely };
    let example = |shown: Spanned<Shown>| {
        let line = line_of(shown.span().start);
        Example::try_from(shown.into_inner()).map_err(|message| FileError { line, message })
    };
    let examples = file.example.into_iter().map(example).collect::<Result<_, _>>()?;
    Ok(Knowledge { skills, tips: file.tips, examples, rules: rules::read(tables, &parameters, &line_of)? })
}

fn checked(table: PrimitiveTable, line_of: &impl Fn(usize) -> usize) -> Result<Primitive, FileError> {
    let line = line_of(table.syntax.span().start);
    let syntax = table.syntax.into_inner();
    let open = syntax.chars().try_fold(0i32, |open, c| match c {
        '[' if open == 0 => Some(1),
        ']' if open == 1 => Some(0),
        '[' | ']' => None,
        _ => Some(open),
    });
    if open != Some(0) || syntax.trim().is_empty() {
        return Err(FileError {
            line,
            message: format!("{syntax:?} is no form: its square brackets do not fit each other"),
        });
    }
    let mut examples = Vec::new();
    for example in table.examples {
        let line = line_of(example.span().start);
        let example = example.into_inner();
        if let Err(miss) = fits(&syntax, &example) {
            return Err(FileError {
                line,
                message: format!("the example {example:?} is not of the form {syntax:?}: {miss}"),
            });
        }
        examples.push(example);
    }
    Ok(Primitive { syntax, examples })
}

/// Whether skills call known skills over their own parameters, and none itself indirectly.
pub(crate) fn check_uses(skills: &[Skill]) -> Result<(), (usize, usize, String)> {
    let find = |name: &str| skills.iter().find(|skill| skill.signature.name == name);
    for (at, skill) in skills.iter().enumerate() {
        let own = &skill.signature;
        for (nth, used) in skill.uses.iter().enumerate() {
            let fail = |message: String| Err((at, nth, message));
            let (name, args) = match used.parse::<SkillCall>() {
                Ok(call) => (call.skill, Some(call.args)),
                Err(_) => (used.clone(), None),
            };
            let Some(target) = find(&name) else {
                let known = skills.iter().map(|s| s.signature.name.as_str()).collect::<Vec<_>>().join(", ");
                return fail(format!("{} uses {name}, which is no skill here; there is {known}", own.name));
            };
            if let Some(unknown) = args.iter().flatten().find(|arg| !own.parameters.contains(arg)) {
                let known = match own.parameters.as_slice() {
                    [] => "it has none".to_owned(),
                    some => format!("it has {}", some.join(", ")),
                };
                return fail(format!("{} uses {used}, and {unknown} is no parameter of {own}; {known}", own.name));
            }
            let wanted = target.signature.parameters.len();
            if let Some(args) = args.filter(|args| args.len() != wanted) {
                let given = args.len();
                return fail(format!(
                    "{} uses {used} with {given} arguments; {} takes {wanted}",
                    own.name, target.signature
                ));
            }
            if leads_to(skills, &name, &own.name) {
                return fail(format!("{0} uses {name}, which leads back to {0}: a circle never ends", own.name));
            }
        }
    }
    Ok(())
}

/// Whether a skill is another, or calls it, if only indirectly.
fn leads_to(skills: &[Skill], from: &str, to: &str) -> bool {
    let (mut open, mut seen) = (vec![from.to_owned()], vec![from.to_owned()]);
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        let skill = skills.iter().find(|skill| skill.signature.name == next);
        for used in skill.into_iter().flat_map(|skill| &skill.uses) {
            let name = used.split('(').next().unwrap_or(used).trim().to_owned();
            if !seen.contains(&name) {
                seen.push(name.clone());
                open.push(name);
            }
        }
    }
    false
}

pub fn write(knowledge: &Knowledge) -> String {
    let mut out = String::new();
    if !knowledge.tips.is_empty() {
        put(&mut out, "tips", &list(&knowledge.tips));
    }
    rules::write_refused(&mut out, &knowledge.rules);
    for skill in &knowledge.skills {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("[[skill]]\n");
        put(&mut out, "name", &quoted(&skill.signature.to_string()));
        if !skill.intro.is_empty() {
            put(&mut out, "intro", &quoted(&skill.intro));
        }
        if !skill.tips.is_empty() {
            put(&mut out, "tips", &list(&skill.tips));
        }
        if !skill.primitives.is_empty() {
            out.push_str("primitives = [\n");
            for primitive in &skill.primitives {
                let examples: Vec<String> = primitive.examples.iter().map(|example| quoted(example)).collect();
                let _ = writeln!(
                    out,
                    "    {{ syntax = {}, examples = [{}] }},",
                    quoted(&primitive.syntax),
                    examples.join(", ")
                );
            }
            out.push_str("]\n");
        }
        if !skill.uses.is_empty() {
            put(&mut out, "uses", &list(&skill.uses));
        }
        skill.function.iter().for_each(|version| put_version(&mut out, version));
    }
    for example in &knowledge.examples {
        out.push_str("\n[[example]]\n");
        put(&mut out, "first", &quoted(&example.first));
        let line = |line: &Vec<String>| {
            format!("    [{}],\n", line.iter().map(|text| single(text)).collect::<Vec<_>>().join(", "))
        };
        put(&mut out, "lines", &format!("[\n{}]", example.written().iter().map(line).collect::<String>()));
    }
    rules::write(&mut out, &knowledge.rules);
    out
}

fn put_version(out: &mut String, version: &Version) {
    out.push_str("\n[[skill.function]]\n");
    put(out, "code", &quoted(&version.code));
    put(out, "why", &quoted(&version.why));
    for (key, count) in [("reproduced", version.reproduced), ("of", version.of)] {
        if count > 0 {
            put(out, key, &count.to_string());
        }
    }
    if !version.fault.is_empty() {
        put(out, "fault", &quoted(&version.fault));
    }
}

fn put(out: &mut String, key: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{key} = {value}");
}

fn list(texts: &[String]) -> String {
    let lines: Vec<String> = texts.iter().map(|text| format!("    {},\n", quoted(text))).collect();
    format!("[\n{}]", lines.concat())
}

/// As [`quoted`], on one line: JSON's strings without DEL are TOML's.
fn single(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("[[skill]]\nname = \"find\"\n", 2, "form name(one, two)"),
            ("[[skill]]\nname = \"f(a)\"\n[[skill]]\nname = \"f(b)\"\n", 4, "twice"),
            ("[[skill]]\nname = \"f(a)\"\ncolour = 1\n", 3, "colour"),
            ("[[skill]]\nname = \"f(a)\"\nuses = [\n \"g\",\n]\n", 4, "no skill here"),
            ("[[skill]]\nname = \"f(a)\"\nuses = [\"g\"]\n[[skill]]\nname = \"g(a)\"\nuses = [\"f\"]\n", 3, "circle"),
            (
                "[[skill]]\nname = \"f(a)\"\nuses = [\"g(b)\"]\n[[skill]]\nname = \"g(x)\"\n",
                3,
                "b is no parameter of f(a)",
            ),
            ("[[skill]]\nname = \"f(a)\"\nuses = [\"g(a, a)\"]\n[[skill]]\nname = \"g(x)\"\n", 3, "takes 1"),
            ("[[skill]]\nname = \"f()\"\nprimitives = [\n { syntax = \"go to [x\" },\n]\n", 4, "brackets"),
            (
                "[[skill]]\nname = \"f()\"\nprimitives = [\n { syntax = \"go to [x] [id]\", examples = [\n \"go to x\"] },\n]\n",
                5,
                "ids missing",
            ),
            ("[[skill]]\nname = \n", 2, ""),
            ("[[action]]\nform = \"open [r]\"\n", 2, "followed by [id]"),
            ("[[action]]\nform = \"open [r] [id]\"\nneeds = [\n  \"[x] is open\"]\n", 4, "no slot [x]"),
            ("[[action]]\nform = \"open [r] [id]\"\nneeds = [\"open\"]\n", 3, "is no need"),
            ("[[skill]]\nname = \"f(a)\"\n[[plan]]\ntask = \"t\"\ncalls = [\n \"f(a, b)\"]\n", 6, "2 arguments"),
            ("[[plan]]\ntask = \"t\"\ncalls = [\"g()\"]\n", 3, "no skill here"),
            ("[[example]]\nfirst = \"t\"\nlines = [[\"go on\"]]\n", 1, "no observation"),
        ];
        for (text, line, part) in cases {
            let error = read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "tips = [\"a \\\"quoted\\\" tip\\nof two lines\"]\n[[skill]]\nname = \"put(object, receptacle)\"\nintro = \"i\"\ntips = [\"t\"]\nprimitives = [{ syntax = \"open [r] [id]\", examples = [\"open drawer 2\"] }]\nuses = [\"find(object)\"]\n[[skill.function]]\ncode = \"def put_object(object, receptacle):\\n    act('a\\\\tb')\"\nwhy = \"written\"\nreproduced = 1\nof = 2\nfault = \"a: line 1\"\n[[skill]]\nname = \"find(object)\"\n[[example]]\nfirst = \"A room.\\nYour task is to: do.\"\nlines = [[\"think: so\"], [\"call: find(mug)\"], [\"go to desk 1\", \"a \\\"mug\\\"\\n[Next >]\"], [\"Done: it is\"]]\n[[action]]\nform = \"open [r] [id]\"\nneeds = [\"not [r] is open\"]\nmakes = [\"[r] is open\"]\nshows = \"r\"\n[[plan]]\ntask = \"do [x]\"\ncalls = [\"put([x], shelf)\"]\nseen = 2\n[likely]\nmug = [\"shelf\"]\n";
        let knowledge = read(text).unwrap();
        assert_eq!(read(&write(&knowledge)).unwrap(), knowledge);
    }
}
