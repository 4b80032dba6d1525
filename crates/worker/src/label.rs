//! Labels of the engine's exceptions: what the code did wrong, what the engine does not offer, what a limit stopped.

use monty_types::{ExcType, MontyException};

use crate::known::{has_attribute, is_builtin, reaches_outside, stands_for};
use crate::messages::{Words, words};
use crate::rewrite::Prepared;
use stepwright_sandbox::{Bound, Fault, FaultKind};

pub(crate) fn label(exception: &MontyException, prepared: &Prepared) -> Fault {
    let message = exception.message().unwrap_or_default();
    let line = match exception.exc_type() {
        // Of a text that is no literal the line is where it was read: by one of its own it would look like code that is no Python.
        ExcType::SyntaxError => exception.traceback().iter().rev().find_map(|frame| prepared.line(frame.start.line)),
        _ => prepared.innermost(exception.traceback()),
    };
    let kind = match limit(exception.exc_type(), message) {
        Some(bound) => FaultKind::Limit(bound),
        None => match of_engine(exception, message).or_else(|| gap(exception.exc_type(), message)) {
            Some(kind) => kind,
            None => told(exception, message, prepared),
        },
    };
    Fault { line, kind }
}

/// An exception as CPython words it.
fn told(exception: &MontyException, message: &str, prepared: &Prepared) -> FaultKind {
    // A helper's name is its builtin's with underscores.
    let message = &match message.strip_prefix("__").and_then(|rest| rest.split_once("__() ")) {
        Some((name, rest)) => format!("{name}() {rest}"),
        None => of_stand_in(message).unwrap_or_else(|| message.to_owned()),
    };
    let place = exception.traceback().last().map_or("", |frame| prepared.text(frame));
    let exception = exception.exc_type();
    match words(exception, message, place, &prepared.functions) {
        Words::Same | Words::Newer => FaultKind::Raised(exception.to_string(), message.to_owned()),
        Words::Other(message) => FaultKind::Raised(exception.to_string(), message),
        Words::Unknown => FaultKind::Unsupported(format!("what CPython says of this {exception}")),
    }
}

/// A message about a prelude's stand-in in the words it has of what it stands for.
fn of_stand_in(message: &str) -> Option<String> {
    let (class, rest) = message.strip_prefix('\'')?.split_once("' object ")?;
    let of = stands_for(class)?;
    let is_module = rest.starts_with("has no attribute") && !of.contains('.');
    Some(if is_module { format!("module '{of}' {rest}") } else { format!("'{of}' object {rest}") })
}

/// What the code may not catch as if CPython had raised it, or may not look at because CPython would word it otherwise.
pub(crate) fn not_to_be_caught(
    exception: ExcType,
    message: &str,
    looked_at: bool,
    prepared: &Prepared,
) -> Option<FaultKind> {
    gap(exception, message).or_else(|| {
        // Of a key that is a text all is well but the words of the engine's report.
        let differs = match words(exception, message, "", &prepared.functions) {
            Words::Same => false,
            Words::Other(_) => exception != ExcType::KeyError,
            Words::Newer | Words::Unknown => true,
        };
        (looked_at && differs)
            .then(|| FaultKind::Unsupported(format!("what CPython says of this {exception}, which the code catches")))
    })
}

pub(crate) fn missing(name: &str) -> Option<FaultKind> {
    if reaches_outside(name) {
        Some(FaultKind::Forbidden(format!("`{name}`")))
    } else {
        is_builtin(name).then(|| FaultKind::Unsupported(format!("`{name}`")))
    }
}

fn limit(exception: ExcType, message: &str) -> Option<Bound> {
    match exception {
        ExcType::TimeoutError if message.starts_with("time limit exceeded") => Some(Bound::Time),
        ExcType::MemoryError => Some(Bound::Memory),
        ExcType::RecursionError => Some(Bound::Depth),
        _ => None,
    }
}

/// An error within the engine itself, which it gives as a `RuntimeError` that was raised nowhere.
fn of_engine(exception: &MontyException, message: &str) -> Option<FaultKind> {
    let raised = exception.exc_type() != ExcType::RuntimeError || !exception.traceback().is_empty();
    let what = message.strip_prefix("Internal error in monty: ").filter(|_| !raised)?;
    Some(if what == "exceptions can only be called with zero or one string argument" {
        FaultKind::Unsupported("an exception made of anything but one text".to_owned())
    } else {
        FaultKind::Worker(format!("an error within the engine: {what}"))
    })
}

/// The part of Python that the engine does not offer, where its exception is one that CPython would not raise.
fn gap(exception: ExcType, message: &str) -> Option<FaultKind> {
    let what = match exception {
        ExcType::NotImplementedError if message.contains("not yet support") => {
            message.trim_start_matches("The monty syntax parser does not yet support ").to_owned()
        }
        ExcType::NameError => return missing(message.strip_prefix("name '")?.strip_suffix("' is not defined")?),
        ExcType::AttributeError => {
            if message.starts_with("'function' object")
                && message.ends_with(" and no __dict__ for setting new attributes")
            {
                return Some(FaultKind::Unsupported("attributes of functions".to_owned()));
            }
            let of_type = message.strip_prefix("type object ").unwrap_or(message);
            let (type_name, rest) = of_type.strip_prefix('\'')?.split_once('\'')?;
            let attribute = rest.split_once("no attribute '")?.1.split('\'').next()?;
            let of = stands_for(type_name).unwrap_or(type_name);
            has_attribute(type_name, attribute).then(|| format!("`{of}.{attribute}`"))?
        }
        ExcType::TypeError => type_gap(message)?,
        ExcType::ValueError => value_gap(message)?.to_owned(),
        ExcType::LookupError if message.starts_with("unknown encoding") => "an encoding but UTF-8".to_owned(),
        ExcType::SyntaxError if message.starts_with("invalid unpacking target") => {
            "a loop or comprehension over several places that are no names".to_owned()
        }
        _ => return None,
    };
    Some(FaultKind::Unsupported(what))
}

fn value_gap(message: &str) -> Option<&'static str> {
    let of_text =
        message.starts_with("invalid literal for int()") || message.starts_with("could not convert string to float");
    if of_text && (!message.is_ascii() || message.contains('_')) {
        return Some("a number of other digits than ASCII's, or with underscores");
    }
    let formatted =
        message.strip_prefix("Unknown format code ").and_then(|rest| rest.split_once("' for object of type '"));
    if formatted.is_some_and(|(_, kind)| !matches!(kind.trim_end_matches('\''), "str" | "int" | "float" | "bool")) {
        return Some("a format of what has none");
    }
    message.starts_with("pow() 2nd argument cannot be negative").then_some("`pow` that inverts")
}

fn type_gap(message: &str) -> Option<String> {
    if message.contains("not yet support") {
        return Some(message.to_owned());
    }
    match message {
        "list indices must be integers or slices, not slice" => {
            return Some("putting a list into a part of another".to_owned());
        }
        "float() argument must be a string or a real number, not 'int'" => {
            return Some("`float` of a number that large".to_owned());
        }
        "unhashable type: 'tuple'" => return Some("a tuple of what has no hash as a key".to_owned()),
        _ if message.ends_with(" object to bytes") => return Some("`bytes`".to_owned()),
        _ if message.starts_with("dictionary update sequence element") => {
            return Some("`dict` of such a list".to_owned());
        }
        _ if message.starts_with("type int doesn't define __round__") => {
            return Some("`round` of such a number".to_owned());
        }
        "'_Match' object is not subscriptable" => {
            return Some("a match in brackets; `group` gives the same".to_owned());
        }
        _ if is_of_many(message) => return Some("methods of sets with none or several arguments".to_owned()),
        "cannot create 'object' instances" => return Some("`object()`".to_owned()),
        _ => {}
    }
    if let Some(operands) = message.strip_prefix("unsupported operand type(s) for ") {
        let (operator, types) = operands.split_once(": ")?;
        let (left, right) = types.strip_prefix('\'')?.strip_suffix('\'')?.split_once("' and '")?;
        let operator = operator.trim_end_matches('=');
        return computes(operator, left, right).then(|| format!("`{operator}` of {left} and {right}"));
    }
    if let Some(operand) = message.strip_prefix("bad operand type for unary ") {
        let (operator, of) = operand.split_once(": ")?;
        return is_number(of.trim_matches('\'')).then(|| format!("`{operator}` of {of}"));
    }
    let (operator, types) = message.strip_prefix('\'')?.split_once("' not supported between instances of '")?;
    let (left, right) = types.strip_suffix('\'')?.split_once("' and '")?;
    compares(left, right).then(|| format!("`{operator}` of {left} and {right}"))
}

/// A set's methods take any number of others.
fn is_of_many(message: &str) -> bool {
    let method = message.split_once("() takes exactly one argument (").and_then(|(method, _)| method.split_once('.'));
    matches!(
        method,
        Some((
            "set" | "frozenset",
            "union" | "update" | "intersection" | "intersection_update" | "difference" | "difference_update"
        ))
    )
}

fn is_number(type_name: &str) -> bool {
    matches!(type_name, "bool" | "int" | "float")
}

fn is_set(type_name: &str) -> bool {
    matches!(type_name, "set" | "frozenset" | "dict_keys" | "dict_items")
}

/// Whether CPython computes this of values of these types.
fn computes(operator: &str, left: &str, right: &str) -> bool {
    let whole = |t: &str| matches!(t, "bool" | "int");
    let sequence = |t: &str| matches!(t, "str" | "list" | "tuple");
    match operator {
        "%" if left == "str" => true,
        "+" if sequence(left) && left == right => true,
        "*" if sequence(left) && whole(right) || whole(left) && sequence(right) => true,
        "+" | "-" | "*" | "/" | "//" | "%" | "**" | "** or pow()" if is_number(left) && is_number(right) => true,
        "&" | "|" | "^" | "<<" | ">>" if whole(left) && whole(right) => true,
        "|" if left == "dict" && right == "dict" => true,
        "|" if left == "type" && matches!(right, "type" | "NoneType") => true,
        "&" | "|" | "^" | "-" => is_set(left) && is_set(right),
        _ => false,
    }
}

/// Whether CPython puts values of these types in an order.
fn compares(left: &str, right: &str) -> bool {
    is_number(left) && is_number(right)
        || is_set(left) && is_set(right)
        || left == right && matches!(left, "str" | "list" | "tuple")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::prepare;

    fn labelled(exception: ExcType, message: &str) -> FaultKind {
        label(&MontyException::new(exception, Some(message.to_owned())), &prepare("", "").unwrap()).kind
    }

    #[test]
    fn the_codes_mistakes_stay_its_own() {
        for (exception, message) in [
            (ExcType::NameError, "name 'block' is not defined"),
            (ExcType::AttributeError, "'str' object has no attribute 'foo'"),
            (ExcType::AttributeError, "'NoneType' object has no attribute 'get'"),
            (ExcType::TypeError, "unsupported operand type(s) for +: 'int' and 'str'"),
            (ExcType::TypeError, "unsupported operand type(s) for %: 'list' and 'str'"),
            (ExcType::NotImplementedError, "later"),
            (ExcType::IndexError, "x"),
            (ExcType::TypeError, "unsupported operand type(s) for -: 'str' and 'str'"),
            (ExcType::TypeError, "unsupported operand type(s) for ** or pow(): 'str' and 'int'"),
            (ExcType::TypeError, "'<' not supported between instances of 'dict' and 'dict'"),
            (ExcType::TypeError, "'<' not supported between instances of 'int' and 'str'"),
            (ExcType::TypeError, "bad operand type for unary -: 'str'"),
        ] {
            assert_eq!(labelled(exception, message), FaultKind::Raised(exception.to_string(), message.to_owned()));
        }
    }

    #[test]
    fn the_engines_gaps_are_never_the_codes_mistakes() {
        for (exception, message, what) in [
            (ExcType::NameError, "name 'callable' is not defined", "`callable`"),
            (ExcType::AttributeError, "'str' object has no attribute 'format_map'", "`str.format_map`"),
            (ExcType::AttributeError, "type object 'str' has no attribute 'maketrans'", "`str.maketrans`"),
            (ExcType::TypeError, "unsupported operand type(s) for %: 'str' and 'tuple'", "`%` of str and tuple"),
            (
                ExcType::TypeError,
                "'<=' not supported between instances of 'set' and 'frozenset'",
                "`<=` of set and frozenset",
            ),
            (ExcType::TypeError, "unsupported operand type(s) for +=: 'bool' and 'int'", "`+` of bool and int"),
            (
                ExcType::NotImplementedError,
                "The monty syntax parser does not yet support yield expressions",
                "yield expressions",
            ),
        ] {
            assert_eq!(labelled(exception, message), FaultKind::Unsupported(what.to_owned()));
        }
        assert_eq!(
            labelled(ExcType::NameError, "name 'input' is not defined"),
            FaultKind::Forbidden("`input`".to_owned())
        );
    }
}
