//! Where the engine by itself would do otherwise than CPython: the same is done, or it is said not to be supported. What is
//! expected here is what CPython 3.11 does.

use serde_json::Value;
use stepwright_sandbox::{FaultKind, Limits};

use super::run_with;

/// What code says, call by call, and its fault.
fn said(code: &str) -> (Vec<String>, Option<(Option<u32>, FaultKind)>) {
    let run = run_with(code, Limits::default(), &[]);
    let text = |args: &Vec<Value>| args.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    (run.calls.iter().map(|(call, _)| text(&call.args)).collect(), run.fault.map(|fault| (fault.line, fault.kind)))
}

#[test]
fn what_is_rewritten_does_as_cpython() {
    for (code, expected) in include_str!("differences.txt").split("\n==\n").filter_map(|case| case.split_once("\n--\n"))
    {
        let (calls, fault) = said(code);
        assert_eq!((calls.join("\n").as_str(), fault), (expected.trim_end(), None), "{code}");
    }
}

#[test]
fn what_cannot_be_as_in_cpython_is_refused() {
    for code in [
        "for x in {10, 20, 30}: say(x)",
        "s = {1, 2, 3}\ns.remove(1)\ns.add(9)\nsay(list(s))",
        "say({(1, 2), (3, 4)})",
        "say({0.5, 1.5})",
        "say(str([{30, 20}]))",
        "{9, 1}.pop()",
        "say((-8) ** 0.5)",
        "x = -8\nx **= 0.5\nsay(x)",
        "say('ﬁ'.title())",
        "say('a\\x0bb'.splitlines())",
        "d = {1: 'a'}\nd[True] = 'b'",
        "say(hash(1.5))",
        "class A:\n    n = 3\n    l = [n for _ in range(2)]",
        "[0 for x[0] in [1]]",
        "any((y := x) for x in [1, 2])",
        "for f in (lambda: x for x in [1, 2]): f()",
        "def f(): pass\nf.x = 1",
        "{1}.union([2], [3])",
        "pow(3, -1, 7)",
        "int('٣')",
        "float(10 ** 400)",
        "range(3).index(1)",
        "x = '%d'\ntry:\n    x %= 1\nexcept Exception:\n    say('caught')",
        "say('%a' % 'x')",
        "say('%#f' % 1)",
        "try:\n    'a'.isprintable()\nexcept AttributeError:\n    say('caught')",
        "try:\n    {1} <= {2}\nexcept:\n    say('caught')",
        "try:\n    {}[1]\nexcept KeyError as e:\n    say(e.args[0])",
        "try:\n    a, b = 1, 2, 3\nexcept ValueError as e:\n    say(str(e))",
        "try:\n    1 % 0\nexcept ZeroDivisionError as e:\n    say(str(e))",
        "try:\n    1 % 0\nexcept ZeroDivisionError as e:\n    say(type(e) is ZeroDivisionError)",
    ] {
        let (calls, fault) = said(code);
        assert!(calls.is_empty(), "{code}: {calls:?}");
        assert!(matches!(fault, Some((_, FaultKind::Unsupported(_)))), "{code}: {fault:?}");
    }
}

#[test]
fn mistakes_are_told_in_cpythons_words_with_the_codes_lines() {
    for (code, line, exception, message) in [
        ("x = [1]\nx[0], x[1] = 1, 2", 2, "IndexError", "list assignment index out of range"),
        ("x = [1]\n\nx[0], x[1] = 5", 3, "TypeError", "cannot unpack non-iterable int object"),
        ("a = 1\nb = any(\n    1 / x\n    for x in [0])", 3, "ZeroDivisionError", "division by zero"),
        ("b = any(\n    1 / x\n    for x in\n    {}['a'])", 4, "KeyError", "'a'"),
        ("try:\n    pass\nexcept:\n    pass\nprint()\nd = {}\nd[3]", 7, "KeyError", "3"),
        ("for o in objects:\n    int(o)", 2, "ValueError", "invalid literal for int() with base 10: 'green block'"),
        ("for x in map(int, ['a']):\n    pass", 1, "ValueError", "invalid literal for int() with base 10: 'a'"),
        ("for a.b, c in [1]: pass", 1, "TypeError", "cannot unpack non-iterable int object"),
        ("return 5", 1, "SyntaxError", "'return' outside function"),
        ("a, *b, *c = 1", 1, "SyntaxError", "multiple starred expressions in assignment"),
        ("[1]['a']", 1, "TypeError", "list indices must be integers or slices, not str"),
        ("next(x for x in [1] if x > 1)", 1, "StopIteration", ""),
        ("l = [1]\nl.index('a b')", 2, "ValueError", "'a b' is not in list"),
        ("{1: 2}.pop(3)", 1, "KeyError", "3"),
        ("x = 1\n'%d' % 'x'", 2, "TypeError", "%d format: a real number is required, not str"),
        ("x = []\nx % 'x'", 2, "TypeError", "unsupported operand type(s) for %: 'list' and 'str'"),
    ] {
        let raised = FaultKind::Raised(exception.to_owned(), message.to_owned());
        assert_eq!(said(code).1, Some((Some(line), raised)), "{code}");
    }
}

/// What CPython says is that a number has no elements. Counters are counted up by numbers as written, which a helper would slow.
#[test]
fn a_number_added_in_place_to_a_list_is_told_in_the_engines_words() {
    let message = "can only concatenate list (not \"int\") to list";
    let raised = FaultKind::Raised("TypeError".to_owned(), message.to_owned());
    assert_eq!(said("a = [1]\na += 5").1, Some((Some(2), raised)));
}
