//! CPython's words on calls of built-in functions and methods with more, fewer or other arguments than they take.

use super::fault::Stop;
use super::types::{Builtin, Takes, Type, listed};
use super::value::Value;

/// These methods of texts and bytes read their arguments in a way of their own, which shows in the words.
const SEARCHING: &str = "count endswith find index rfind rindex startswith";

fn is_searching(name: &str) -> bool {
    listed(SEARCHING, name)
}

/// What is called: a method on a value or of a type, or a type itself.
pub(crate) enum Called<'a> {
    On(&'a Value),
    Of(Type),
    Itself,
}

/// The name of the type that has a method in CPython, of one that has it too.
pub(crate) fn owner(of: Type, name: &str) -> &'static str {
    match of {
        Type::DefaultDict if !matches!(name, "copy" | "fromkeys") => Type::Dict.name(),
        Type::Bool => Type::Int.name(),
        of => of.name(),
    }
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// The error of a call with `given` arguments, `by_place` of them in order, of a method of `owner`, or of a type without one.
#[cold]
pub(crate) fn wrong_count(owner: Option<&str>, name: &str, takes: Takes, (by_place, given): (usize, usize)) -> Stop {
    let named = !matches!(takes.names, "" | "*");
    if let Some(owner) = owner.filter(|_| takes.names.is_empty()) {
        match (takes.least, takes.most) {
            (0, 0) => return type_error!("{owner}.{name}() takes no arguments ({given} given)"),
            (1, 1) => return type_error!("{owner}.{name}() takes exactly one argument ({given} given)"),
            _ => {}
        }
    }
    if named {
        let known = takes.names.split(',').count();
        let missing = takes.names.split(',').nth(by_place).unwrap_or_default();
        return match given > known {
            true => type_error!("{name}() takes at most {} ({given} given)", arguments(known)),
            false if takes.most == 0 => type_error!("{name}() takes no positional arguments"),
            false if by_place > takes.most => {
                let plural = if takes.most == 1 { "" } else { "s" };
                type_error!("{name}() takes at most {} positional argument{plural} ({given} given)", takes.most)
            }
            false if missing.is_empty() => {
                type_error!("{name}() takes at least {} positional argument ({by_place} given)", takes.least)
            }
            false if name == "enumerate" => type_error!("enumerate() missing required argument '{missing}'"),
            false => type_error!("{name}() missing required argument '{missing}' (pos {})", by_place + 1),
        };
    }
    let (word, limit) = if given > takes.most { ("at most", takes.most) } else { ("at least", takes.least) };
    match matches!(owner, Some("str" | "bytes")) && is_searching(name) {
        true => type_error!("{name}() takes {word} {} ({given} given)", arguments(limit)),
        false => expected(name, (takes.least, takes.most), by_place),
    }
}

fn expected(name: &str, (least, most): (usize, usize), given: usize) -> Stop {
    match given > most {
        _ if least == most => type_error!("{name} expected {}, got {given}", arguments(most)),
        true => type_error!("{name} expected at most {}, got {given}", arguments(most)),
        false => type_error!("{name} expected at least {}, got {given}", arguments(least)),
    }
}

/// The error of a call with an argument of a name that the callee does not know.
#[cold]
pub(crate) fn wrong_name(owner: Option<&str>, name: &str, takes: Takes, keyword: &str) -> Stop {
    match owner {
        // Whose method it is, CPython says only where it is called at once, and without `**`.
        Some("str" | "bytes") if is_searching(name) => rough!(TypeError, "{name}() takes no keyword arguments"),
        _ if !takes.names.is_empty() => type_error!("'{keyword}' is an invalid keyword argument for {name}()"),
        Some(owner) => type_error!("{owner}.{name}() takes no keyword arguments"),
        None => type_error!("{name}() takes no keyword arguments"),
    }
}

/// The error of a call of a built-in function that takes from `least` to `most` arguments, with `given` of them in order and `named` others.
#[cold]
pub(crate) fn wrong_call(of: Builtin, (least, most): (usize, usize), given: usize, named: usize) -> Stop {
    let (name, all) = (of.name(), given + named);
    match of {
        Builtin::Sum | Builtin::Round | Builtin::Pow if all > most => {
            type_error!("{name}() takes at most {} ({all} given)", arguments(most))
        }
        Builtin::Sum => type_error!("sum() takes at least 1 positional argument ({given} given)"),
        Builtin::Round => type_error!("round() missing required argument 'number' (pos 1)"),
        Builtin::Pow if given == 0 => type_error!("pow() missing required argument 'base' (pos 1)"),
        Builtin::Pow => type_error!("pow() missing required argument 'exp' (pos 2)"),
        _ if (least, most) == (1, 1) && of != Builtin::Sorted => {
            type_error!("{name}() takes exactly one argument ({given} given)")
        }
        _ => expected(name, (least, most), given),
    }
}
