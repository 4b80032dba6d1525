//! What CPython (3.11) says of an exception where the engine says something else.

use std::collections::HashSet;

use monty_types::ExcType;
use ruff_python_ast::name::Name;

#[derive(Debug, PartialEq)]
pub(crate) enum Words {
    Same,
    Other(String),
    /// Those of a newer CPython, or without what the message would name; which it is cannot be told from here.
    Newer,
    /// CPython says something else, which cannot be told from here.
    Unknown,
}

/// `place` is the code that raised it, if that is known; `functions` are names that can only be of functions of the module's.
pub(crate) fn words(exception: ExcType, message: &str, place: &str, functions: &HashSet<Name>) -> Words {
    let other = match exception {
        ExcType::KeyError => return key(message, place),
        ExcType::ZeroDivisionError => return Words::Newer,
        ExcType::TypeError if is_of_a_call(message) => {
            let called = message.split_once("()").map_or("", |(name, _)| name);
            return if functions.iter().any(|name| name == called) { Words::Same } else { Words::Newer };
        }
        ExcType::ValueError if message == "list.index(x): x not in list" => return Words::Newer,
        // Newer ones go on with a guess at what was meant.
        ExcType::NameError => message.split_once(". Did you forget to import ").map(|(said, _)| said.to_owned()),
        ExcType::TypeError => type_error(message),
        ExcType::ValueError => value_error(message),
        ExcType::AttributeError => {
            message.strip_suffix(" and no __dict__ for setting new attributes").map(str::to_owned)
        }
        _ => None,
    };
    other.map_or(Words::Same, Words::Other)
}

/// The engine keeps the key as a text: a text as it is, any other value as Python would write it.
fn key(message: &str, place: &str) -> Words {
    if message == "'popitem(): dictionary is empty'" {
        return Words::Same;
    }
    let is_written = |key: &str| {
        place.ends_with(&format!("[{key}]"))
            || place.strip_suffix(&format!("({key})")).is_some_and(|of| of.ends_with(".pop") || of.ends_with(".remove"))
    };
    if is_written(&format!("'{message}'")) || is_written(&format!("\"{message}\"")) {
        return Words::Other(format!("'{message}'"));
    }
    let first = message.chars().next();
    let may_be_a_value = first.is_none_or(|c| c.is_ascii_digit() || "-([{<'\"".contains(c))
        || ["None", "True", "False", "inf", "nan", "Ellipsis"].contains(&message)
        || message.contains(['\'', '"', '\\'])
        || message.split_once('(').is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        || message.chars().any(|c| c.is_control() || !c.is_ascii());
    match may_be_a_value {
        true if is_written(message) => Words::Same,
        true => Words::Unknown,
        false => Words::Other(format!("'{message}'")),
    }
}

/// The engine does not say whose method it was.
fn is_of_a_call(message: &str) -> bool {
    let about = message.split_once("() ").map_or("", |(_, about)| about);
    ["missing ", "takes ", "got "].iter().any(|start| about.starts_with(start)) || message.starts_with("Value after * ")
}

fn type_error(message: &str) -> Option<String> {
    if let Some((kind, rest)) = message.split_once(" indices must be integers, not '") {
        let not = rest.trim_end_matches('\'');
        return match kind {
            "bytes" => Some(format!("byte indices must be integers or slices, not {not}")),
            "str" => Some(format!("string indices must be integers, not '{not}'")),
            "list" | "tuple" | "range" => Some(format!("{kind} indices must be integers or slices, not {not}")),
            _ => None,
        };
    }
    if let Some(unhashable) = message.find("(unhashable type: ").filter(|_| message.starts_with("cannot use '")) {
        return Some(message.get(unhashable + 1..)?.trim_end_matches(')').to_owned());
    }
    if let Some((left, right)) = operands(message, "*") {
        let sequence = |kind: &str| matches!(kind, "str" | "list" | "tuple" | "bytes");
        let by = if sequence(left) { right } else { left };
        return (sequence(left) || sequence(right))
            .then(|| format!("can't multiply sequence by non-int of type '{by}'"));
    }
    if let Some(("bytes", right)) = operands(message, "+") {
        return Some(format!("can't concat {right} to bytes"));
    }
    if let Some(kind) = message.strip_prefix("an integer is required (got type ") {
        return Some(format!("'{}' object cannot be interpreted as an integer", kind.trim_end_matches(')')));
    }
    message.strip_suffix(" is not a container or iterable").map(|start| format!("{start} is not iterable"))
}

fn operands<'m>(message: &'m str, operator: &str) -> Option<(&'m str, &'m str)> {
    let types =
        message.strip_prefix("unsupported operand type(s) for ")?.strip_prefix(operator)?.strip_prefix(": '")?;
    types.strip_suffix('\'')?.split_once("' and '")
}

fn value_error(message: &str) -> Option<String> {
    if message.starts_with("too many values to unpack (expected ") {
        return message.split_once(", got ").map(|(start, _)| format!("{start})"));
    }
    let of = message.strip_suffix("() iterable argument is empty")?;
    Some(format!("{of}() arg is an empty sequence"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_told_is_worded_as_cpython_does() {
        let functions = HashSet::from([Name::from("f")]);
        for (exception, message, place, said) in [
            (ExcType::KeyError, "green block", "state[b]", "'green block'"),
            (ExcType::KeyError, "7", "d['7']", "'7'"),
            (ExcType::KeyError, "7", "d.pop(\"7\")", "'7'"),
            (ExcType::KeyError, "b", "d[b]", "'b'"),
            (
                ExcType::TypeError,
                "list indices must be integers, not 'str'",
                "",
                "list indices must be integers or slices, not str",
            ),
            (
                ExcType::TypeError,
                "cannot use 'list' as a dict key (unhashable type: 'list')",
                "",
                "unhashable type: 'list'",
            ),
            (
                ExcType::TypeError,
                "unsupported operand type(s) for *: 'list' and 'str'",
                "",
                "can't multiply sequence by non-int of type 'str'",
            ),
            (
                ExcType::ValueError,
                "too many values to unpack (expected 2, got 3)",
                "",
                "too many values to unpack (expected 2)",
            ),
            (ExcType::ValueError, "min() iterable argument is empty", "", "min() arg is an empty sequence"),
            (
                ExcType::NameError,
                "name 'json' is not defined. Did you forget to import 'json'?",
                "",
                "name 'json' is not defined",
            ),
        ] {
            assert_eq!(words(exception, message, place, &functions), Words::Other(said.to_owned()), "{message}");
        }
        for (place, said) in [
            ("d[7]", Words::Same),
            ("{1: 2}.pop(7)", Words::Same),
            ("{1}.remove(7)", Words::Same),
            ("d[k]", Words::Unknown),
            ("d.pop(k)", Words::Unknown),
        ] {
            assert_eq!(words(ExcType::KeyError, "7", place, &functions), said, "{place}");
        }
        let missing = |of: &str| words(ExcType::TypeError, &format!("{of}() missing 1 required"), "", &functions);
        assert_eq!((missing("f"), missing("A.f")), (Words::Same, Words::Newer));
        assert_eq!(words(ExcType::ZeroDivisionError, "division by zero", "", &functions), Words::Newer);
    }
}
