//! Tests of the interface on their own specification.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const SPEC: &str = include_str!("tests/spec.py");

fn spec() -> Specification {
    Specification::load(SPEC, "spec.py").unwrap()
}

fn call(text: &str) -> Call {
    text.parse().unwrap()
}

fn seen() -> State {
    let mut state = spec().start().unwrap();
    state.call(&call("agent.see('mug 1', 'desk 1')")).unwrap();
    state
}

#[test]
fn functions_carry_roles_parameters_and_assertions() {
    let spec = spec();
    let take = spec.function("agent", "take").unwrap();
    assert_eq!(
        (take.class.as_str(), take.role, take.params.join(" ").as_str()),
        ("Agent", Role::Action, "thing place")
    );
    let texts: Vec<_> = take.assertions.iter().map(|a| a.expression.as_str()).collect();
    assert_eq!(texts, ["self.can_see(thing)", "self.held is None"]);
    assert_eq!(take.assertions[0].message.as_deref(), Some("'not in sight'"));
    assert_eq!(
        SPEC.lines().nth(take.assertions[0].line - 1).unwrap().trim(),
        "assert self.can_see(thing), 'not in sight'"
    );
    assert_eq!(spec.function("agent", "see").unwrap().params, ["*things"]);
    assert_eq!(spec.function("agent", "can_see").unwrap().role, Role::Query);
}

#[test]
fn calls_change_the_state_and_failed_calls_do_not() {
    let mut state = seen();
    let before = state.fingerprint();
    let fault = state.call(&call("agent.take('cup 1', 'desk 1')")).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Exception("AssertionError".into()));
    assert_eq!(fault.message, "not in sight");
    assert_eq!(SPEC.lines().nth(fault.line.unwrap() - 1).unwrap().trim(), "assert self.can_see(thing), 'not in sight'");
    assert_eq!(state.fingerprint(), before);
    let copy = state.clone();
    state.call(&call("agent.take('mug 1', 'desk 1')")).unwrap();
    state.call(&call("env.mark('mug 1', True)")).unwrap();
    assert_ne!(state.fingerprint(), before);
    assert_eq!(copy.fingerprint(), before);
    assert_eq!(
        state.variables(),
        serde_json::json!({
            "env": {"marks": {"('mug 1', 'seen')": true}},
            "agent": {"env": "<env>", "held": "mug 1", "visible": ["desk 1", "mug 1"]},
        })
    );
    state.call_unchecked(&call("agent.take('cup 9', 'desk 1')")).unwrap();
    assert_eq!(state.evaluate("agent.held").unwrap().0, "'cup 9'");
    assert!(matches!(state.call(&call("nobody.go()")).unwrap_err().kind, FaultKind::Exception(n) if n == "NameError"));
}

#[test]
fn a_check_leaves_the_state_and_says_whether_it_would_not() {
    let mut state = seen();
    let spec = spec();
    let take = spec.function("agent", "take").unwrap();
    let args = [Literal::from("mug 1"), Literal::from("desk 1")];
    let reads = Assertion::compile("self.env.marks[(thing, 'seen')] == False and len(self.env.marks) == 1").unwrap();
    for _ in 0..2 {
        assert_eq!(state.check_traced(&reads, take, &args), (CheckResult::Holds, true));
    }
    let fine = Assertion::compile("assert self.can_see(thing) and place != thing").unwrap();
    assert_eq!(state.check_traced(&fine, take, &args), (CheckResult::Holds, false));
    assert_eq!(state.check_in_place(&reads, take, &args), (CheckResult::Holds, true));
    assert_eq!(state.check_in_place(&reads, take, &args), (CheckResult::Holds, false));
    let hidden = Assertion::compile("agent.held is None").unwrap();
    assert!(
        matches!(state.check(&hidden, take, &args), CheckResult::Raises { exception, .. } if exception == "NameError")
    );
    assert!(
        matches!(state.check(&fine, take, &args[..1]), CheckResult::Raises { exception, .. } if exception == "TypeError")
    );
    let explained =
        state.explain(&Assertion::compile("self.held is None and self.can_see(thing)").unwrap(), take, &args);
    let expected = [("self.held", "None"), ("self.can_see(thing)", "True"), ("thing", "'mug 1'")];
    assert_eq!(explained, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn assertions_can_be_exchanged() {
    let spec = spec();
    let new = BTreeMap::from([(
        "take".to_owned(),
        vec!["place in self.visible, 'no place'".to_owned(), "self.held != thing".to_owned()],
    )]);
    let other = spec.with_assertions(&new).unwrap();
    let texts: Vec<_> =
        other.function("agent", "take").unwrap().assertions.iter().map(|a| a.expression.clone()).collect();
    assert_eq!(texts, ["place in self.visible", "self.held != thing"]);
    assert!(
        other
            .source()
            .contains("        assert place in self.visible, 'no place'\n        assert self.held != thing\n")
    );
    assert_eq!(Specification::load(other.source(), "again").unwrap().functions().len(), spec.functions().len());
    assert!(spec.with_assertions(&BTreeMap::from([("fly".to_owned(), vec![])])).is_err());
    assert!(spec.with_assertions(&BTreeMap::from([("take".to_owned(), vec!["(".to_owned()])])).is_err());
}

#[test]
fn errors_in_specifications_say_where() {
    let error =
        Specification::load("SETUP = ['a = A()']\nclass A:\n    def f(self)\n        pass\n", "spec.py").unwrap_err();
    assert_eq!(error.line, 3);
    assert!(Specification::load("x = 1\n", "spec.py").unwrap_err().hint.is_some());
    let error = Specification::load("SETUP = ['a = B()']\n", "spec.py").unwrap_err();
    assert!(error.message.contains("name 'B' is not defined"), "{error}");
    let error =
        Specification::load("SETUP = ['a = A()']\nclass A:\n    pass\nimport requests\n", "spec.py").unwrap_err();
    assert!(error.message.contains("import requests") && error.line == 4, "{error}");
    let error = Specification::load("SETUP = ['a = A()']\nACTIONS = ['a.go']\nclass A:\n    pass\n", "s").unwrap_err();
    assert!(error.message.contains("a.go"), "{error}");
}

#[test]
fn texts_are_rejected_for_the_first_rule_they_break() {
    let reason = |text: &str| Assertion::compile(text).err().map(|r| r.reason);
    for (text, expected) in [
        ("x", None),
        ("  assert x, 'm'  ", None),
        ("x;", None),
        ("x # why", None),
        ("x\ny", Some("Form")),
        ("x; y", Some("Form")),
        ("(yield)", Some("Form")),
        ("x +", Some("SyntaxError")),
        ("return x", Some("SyntaxError")),
        ("[x for x in (y := [1])]", Some("SyntaxError")),
        ("[(x := 1) for x in y]", Some("SyntaxError")),
        ("lambda a, a: 1", Some("SyntaxError")),
        ("await x", Some("SyntaxError")),
        ("open('x')", Some("Unsafe")),
        ("self.open('x')", None),
        ("x.__class__", Some("Unsafe")),
        ("'__class__'", None),
    ] {
        assert_eq!(reason(text), expected, "{text}");
    }
    assert_eq!(reason(&"(".repeat(200_000)), Some("Budget"));
    assert!(matches!(reason(&format!("{}1", "-".repeat(50_000))), Some("Budget")));
    assert!(matches!(reason(&format!("{}x", "not ".repeat(20_000))), Some("Budget")));
    assert!(matches!(reason(&format!("x{}", ".a".repeat(20_000))), Some("Budget")));
    assert!(matches!(reason(&"x if y else ".repeat(10_000)), Some("Budget" | "SyntaxError")));
    assert!(matches!(reason(&"1+".repeat(20_000)), Some("Budget" | "SyntaxError")));
}

/// Every construct that makes the parser go down a level, to the deepest it goes: the stack suffices.
#[test]
fn the_deepest_nesting_is_parsed_or_refused_within_the_stack() {
    for (open, close) in include_str!("tests/nested.txt").lines().filter_map(|line| line.split_once('…')) {
        for depth in [150, 900, 1_005, 1_100, 5_000] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let _ = run_module(&text, Limits::MODULE);
        }
    }
    let blocks = |line: &str| {
        (0..400).map(|n| format!("{}{line}\n", " ".repeat(n))).collect::<String>() + &" ".repeat(400) + "1\n"
    };
    for line in ["if 1:", "for x in 1:", "def f():", "class A:", "try:", "with x:", "while 1:", "match x:\n case 1:"] {
        let _ = run_module(&blocks(line), Limits::MODULE);
    }
    let patterns = format!("match x:\n case {}1{}: 1\n", "[".repeat(2_000), "]".repeat(2_000));
    let _ = run_module(&patterns, Limits::MODULE);
}

#[test]
fn an_assertion_that_calls_its_own_action_runs_itself() {
    let (state, spec) = (seen(), spec());
    let take = spec.function("agent", "take").unwrap();
    let args = [Literal::from("mug 1"), Literal::from("desk 1")];
    let mut book = PartBook::new(&spec);
    for (text, holds) in [
        ("self.take(thing, place) is None", None),
        ("thing in 'cup' or self.take('cup', place) is None", Some(true)),
        ("thing in 'cup' or self.take('nothing', place) is None", None),
        ("thing in 'cup' or self . take('nothing', place) is None", None),
        ("thing in 'cup' or self.ｔａｋｅ('nothing', place) is None", None),
        ("thing in 'cup' or getattr(self, 'take')('nothing', place) is None", None),
        ("thing in ('cup', 'take', 'mug 1') or self.take('nothing', place) is None", Some(true)),
        ("thing == 'mug 1' and self.take('cup', place) is None", Some(false)),
    ] {
        for assertion in [Assertion::compile(text).unwrap(), Assertion::dissect(text, take, &mut book).unwrap()] {
            let checked = state.check(&assertion, take, &args);
            let listed = Checker::new(&assertion, take, [&args[..]]).check(&state, 0);
            match holds {
                None => assert!(
                    matches!((&checked, &listed), (CheckResult::Budget(_), Outcome::None(CheckResult::Budget(_)))),
                    "{text}: {checked:?}, {listed:?}"
                ),
                Some(true) => assert_eq!((checked, listed), (CheckResult::Holds, Outcome::Holds), "{text}"),
                Some(false) => {
                    assert_eq!((checked.holds(), listed), (false, Outcome::Raises("AssertionError")), "{text}")
                }
            }
        }
    }
}

#[test]
fn hostile_assertions_end_within_their_budget() {
    let state = seen();
    let spec = spec();
    let wait = spec.function("agent", "wait").unwrap();
    for text in include_str!("tests/hostile.txt").lines() {
        let result = state.check(&Assertion::compile(text).unwrap(), wait, &[]);
        assert!(matches!(result, CheckResult::Budget(_)), "{text}: {result:?}");
    }
    // Values that hold themselves and deep ones: any verdict, no crash.
    for text in include_str!("tests/deep.txt").lines() {
        state.check(&Assertion::compile(text).unwrap(), wait, &[]);
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_engine(text in "\\PC{0,40}") {
        if let Ok(assertion) = Assertion::compile(&text) {
            let spec = spec();
            seen().check(&assertion, spec.function("agent", "wait").unwrap(), &[]);
        }
        run_module(&text, Limits { steps: 10_000, size: 1 << 20, depth: 200 });
    }

    #[test]
    fn no_sequence_of_tokens_breaks_the_engine(tokens in proptest::collection::vec(prop::sample::select(vec![
        "self", "self.env.marks", "self.visible", "thing", "place", "x", "1", "-1", "0", "2.5", "'mug 1'", "''", "None", "True",
        "[", "]", "(", ")", "{", "}", ",", ":", ".", "=", ":=", "==", "<", "+", "-", "*", "**", "/", "//", "%", "and", "or", "not",
        "in", "is", "if", "else", "for x in", "lambda x:", "len(", "sorted(", "sum(", "any(", "max(", "str(", "int(", "range(9)",
        ".split(", ".get(", ".items()", ".pop(", ".update(", ".format(", "f'{x!r:>3}'", "[1:]", "[::-1]", "zip(", "set(", "next(",
    ]), 1..14)) {
        let text = tokens.join(" ");
        let spec = spec();
        let take = spec.function("agent", "take").unwrap();
        if let Ok(assertion) = Assertion::compile(&text) {
            let state = seen();
            let before = state.fingerprint();
            let args = [Literal::from("mug 1"), Literal::from("desk 1")];
            let first = state.check(&assertion, take, &args);
            prop_assert_eq!(state.fingerprint(), before);
            prop_assert_eq!(first, state.check(&assertion, take, &args));
        }
    }
}

#[test]
fn f_strings_are_read_as_the_declared_version_of_python_reads_them() {
    let of = |declared: &str| Specification::load(&format!("{SPEC}\n{declared}\n"), "spec.py");
    let check = |declared: &str, text: &str| -> Result<CheckResult, &'static str> {
        let spec = of(declared).unwrap();
        let take = spec.function("agent", "take").unwrap();
        let assertion = Assertion::dissect(text, take, &mut PartBook::new(&spec)).map_err(|e| e.reason)?;
        Ok(spec.start().unwrap().check(&assertion, take, &["mug 1".into(), "desk 1".into()]))
    };
    let raises = |result: Result<CheckResult, &'static str>| match result {
        Ok(CheckResult::Raises { exception, .. }) => exception,
        other => format!("{other:?}"),
    };
    let nested = "f'{thing:{8:{1}}}' == 'mug 1   '";
    for declared in ["", "PYTHON = '3.11'"] {
        assert_eq!(check(declared, "f'{'a'}' == 'a'"), Err("SyntaxError"), "{declared}");
        assert_eq!(check(declared, nested), Err("SyntaxError"), "{declared}");
    }
    assert_eq!(check("PYTHON = '3.12'", "f'{'a'}' == 'a'"), Ok(CheckResult::Holds));
    assert_eq!(check("PYTHON = '3.12'", nested), Ok(CheckResult::Holds));
    assert_eq!(
        check("PYTHON = '3.12'", "f'{'a' if (thing and place) else 'b'}' == 'a' and f'{1!r :>3}'"),
        Ok(CheckResult::Holds)
    );
    assert_eq!(raises(check("PYTHON = '3.12'", "f'{thing:%Y}'")), "ValueError");
    assert_eq!(raises(check("PYTHON = '3.12'", "f'{'b'}' == 'a'")), "AssertionError");
    let error = of("PYTHON = '2.7'").unwrap_err();
    assert!(error.message.contains("PYTHON"), "{error}");
}
