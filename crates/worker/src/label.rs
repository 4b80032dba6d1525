//! Labels of the engine's exceptions: what the code did wrong, what the engine does not offer, what a limit stopped.

use monty_types::{ExcType, MontyException, StackFrame};

use crate::known::{has_attribute, is_builtin, reaches_outside};
use crate::rewrite::Prepared;
use stepwright_sandbox::{Bound, Fault, FaultKind};

pub(crate) fn label(exception: &MontyException, prepared: &Prepared) -> Fault {
    let message = exception.message().unwrap_or_default();
    let line = exception.traceback().last().map(|frame| frame.start.line);
    let kind = match limit(exception.exc_type(), message) {
        Some(bound) => FaultKind::Limit(bound),
        None => match of_engine(exception, message).or_else(|| gap(exception.exc_type(), message)) {
            Some(kind) => kind,
            None if not_yet(exception.traceback(), prepared) => FaultKind::Unsupported(format!(
                "an element that CPython may never have come to, because it makes them one at a time (here it raised {})",
                exception.exc_type()
            )),
            None => FaultKind::Raised(exception.exc_type().to_string(), message.to_owned()),
        },
    };
    Fault { line, kind }
}

/// Whether the path to a place leads through one that CPython may never have reached.
pub(crate) fn not_yet(frames: &[StackFrame], prepared: &Prepared) -> bool {
    frames.iter().any(|frame| prepared.may_stop_before((frame.start.line as usize, frame.start.column as usize)))
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
            let of_type = message.strip_prefix("type object ").unwrap_or(message);
            let (type_name, rest) = of_type.strip_prefix('\'')?.split_once('\'')?;
            let attribute = rest.split_once("no attribute '")?.1.split('\'').next()?;
            has_attribute(type_name, attribute).then(|| format!("`{type_name}.{attribute}`"))?
        }
        ExcType::TypeError => type_gap(message)?,
        _ => return None,
    };
    Some(FaultKind::Unsupported(what))
}

fn type_gap(message: &str) -> Option<String> {
    if message.contains("not yet support") {
        return Some(message.to_owned());
    }
    match message {
        "list indices must be integers or slices, not slice" => {
            return Some("putting a list into a part of another".to_owned());
        }
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
            (ExcType::KeyError, "x"),
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
