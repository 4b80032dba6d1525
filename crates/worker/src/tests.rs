//! Runs in the engine itself, without a process around it.

use serde_json::{Value, json};

use stepwright_sandbox::wire::{Order, Reply};
use stepwright_sandbox::{Bound, Fault, FaultKind, Limits, REPORT, Run};

use crate::engine::Engine;

const FUNCTIONS: &[&str] = &["put_first_on_second", "say", "noop", "update_wm"];

fn state() -> Value {
    json!({
        "state": {
            "objects": ["green block", "red block", "gray bowl"],
            "relations": ["green block is on red block"],
            "green block": {"is": ["dirty"]},
            "red block": {},
            "gray bowl": {"contains": ["red block"]}
        },
        "objects": ["green block", "red block", "gray bowl"]
    })
}

/// Runs code; `answers` are what its calls return, None when they are used up.
fn run_with(code: &str, limits: Limits, answers: &[Value]) -> Run {
    let order = Order {
        prelude: String::new(),
        is_trial: false,
        code: code.to_owned(),
        functions: FUNCTIONS.iter().map(|&f| f.to_owned()).collect(),
        values: state(),
        limits,
    };
    let mut run = Run::default();
    let mut engine = match Engine::new(&order) {
        Ok(engine) => engine,
        Err(fault) => return Run { fault: Some(fault), ..run },
    };
    let mut answers = answers.iter();
    let mut reply = engine.begin(&order);
    loop {
        match reply {
            Reply::Call { call, line, .. } => run.calls.push((call, line)),
            Reply::Finished => return run,
            Reply::Fault(fault) => {
                run.fault = Some(fault);
                return run;
            }
        }
        reply = engine.answer(answers.next().unwrap_or(&Value::Null));
    }
}

fn run(code: &str) -> Run {
    run_with(code, Limits::default(), &[])
}

/// The calls, each `LINE: TEXT`.
fn calls(run: &Run) -> Vec<String> {
    run.calls.iter().map(|(call, line)| format!("{line}: {call}")).collect()
}

#[track_caller]
fn makes(code: &str, expected: &[&str]) {
    let run = run(code);
    assert_eq!((calls(&run), &run.fault), (expected.iter().map(|&c| c.to_owned()).collect(), &None), "{code}");
}

#[track_caller]
fn fails(code: &str) -> Fault {
    run(code).fault.unwrap_or_else(|| panic!("no fault: {code}"))
}

#[test]
fn calls_are_handed_over_with_their_lines() {
    makes(
        "# THINK: x\nput_first_on_second(\"green block\", 'table')\n\nsay('yes', loud=True)\nnoop()",
        &["2: put_first_on_second(\"green block\", \"table\")", "4: say(\"yes\", loud=True)", "5: noop()"],
    );
    makes(
        "def put(b):\n    put_first_on_second(\n        b, 'table')\nfor b in objects:\n    if 'block' in b:\n        put(b)\n",
        &["2: put_first_on_second(\"green block\", \"table\")", "2: put_first_on_second(\"red block\", \"table\")"],
    );
    makes("f = say\nf((1, 2.5), {'a': None})", &["2: say([1, 2.5], {\"a\": None})"]);
    makes("[say(b) for b in objects\n if 'bowl' in b]", &["1: say(\"gray bowl\")"]);
}

#[test]
fn the_belief_is_there_under_its_name_and_is_the_codes_own() {
    makes(
        "state['red block']['is'] = ['dirty']\nfor o in objects:\n  if 'dirty' in state[o].get('is', []): say(o)",
        &["3: say(\"green block\")", "3: say(\"red block\")"],
    );
}

#[test]
fn what_a_call_returns_is_used() {
    let run = run_with(
        "if say('which?') == 'red block':\n    noop()\nx = say('n')\nsay(x + 1)",
        Limits::default(),
        &[json!("red block"), Value::Null, json!(2)],
    );
    assert_eq!(calls(&run), ["1: say(\"which?\")", "2: noop()", "3: say(\"n\")", "4: say(3)"]);
}

#[test]
fn exec_and_eval_do_nothing() {
    makes("exec('say(1)')\nx = eval('2')\ne = eval\nsay(x, e('3'))", &["4: say(None, None)"]);
}

#[test]
fn gaps_that_are_written_in_other_words_behave_as_cpython() {
    makes("say(max({'a': 1, 'b': 3, 'c': 2}, key={'a': 1, 'b': 3, 'c': 2}.get))", &["1: say(\"b\")"]);
    makes("say(list(map(str.upper, ['a'])), str.strip(' b '))", &["1: say([\"A\"], \"b\")"]);
    makes("d = {'a': 1, 'b': 2}\nl = [1, 2, 3]\ndel d['a'], l[-1]\nsay(d, l)", &["4: say({\"b\": 2}, [1, 2])"]);
    makes(
        "g = (x for x in [1, 2])\nsay(list(g), list(g))\nsay(next((b for b in objects if 'red' in b), None))",
        &["2: say([1, 2], [])", "3: say(\"red block\")"],
    );
    makes(
        "z = zip([1], [2])\nsay(next(z))\nfor i, x in enumerate(['a']): say(i, x)",
        &["2: say([1, 2])", "3: say(0, \"a\")"],
    );
}

#[test]
fn what_cpython_might_not_have_come_to_is_never_the_codes_mistake() {
    for code in
        ["any(1 / x for x in [1, 0])", "any(say(x) is None for x in [1, 2])", "for x in map(int, ['1', 'x']): say(x)"]
    {
        assert!(matches!(fails(code).kind, FaultKind::Unsupported(_)), "{code}");
    }
    assert!(matches!(fails("sum(1 / x for x in [1, 0])").kind, FaultKind::Raised(e, _) if e == "ZeroDivisionError"));
    assert!(
        matches!(fails("for i, x in enumerate(state['no']): pass").kind, FaultKind::Raised(e, _) if e == "KeyError")
    );
}

#[test]
fn the_codes_mistakes_have_cpythons_types_and_lines() {
    for (code, line, exception) in [
        ("say('a')\nsay(blocks[0])", 2, "NameError"),
        ("put('a', 'b')", 1, "NameError"),
        ("state['no']", 1, "KeyError"),
        ("\n1 / 0", 2, "ZeroDivisionError"),
        ("'a' + 1", 1, "TypeError"),
        ("objects.first()", 1, "AttributeError"),
        ("assert False, 'no'", 1, "AssertionError"),
        ("x = 1\nextend context window.", 2, "SyntaxError"),
        ("say('a'", 1, "SyntaxError"),
        ("break", 1, "SyntaxError"),
        ("def f():\n    return 1 + None\nf()", 2, "TypeError"),
        ("raise NotImplementedError('later')", 1, "NotImplementedError"),
    ] {
        let fault = fails(code);
        assert_eq!(fault.line, Some(line), "{code}: {fault}");
        assert!(matches!(&fault.kind, FaultKind::Raised(e, _) if e == exception), "{code}: {fault}");
    }
}

#[test]
fn what_the_engine_lacks_is_said_to_be_unsupported() {
    for code in [
        "class A: pass\nclass B(A): pass",
        "def f():\n    yield 1",
        "match 3:\n    case 3: say('x')",
        "del objects",
        "'%s' % 1",
        "{} | {}",
        "{1} <= {2}",
        "callable(say)",
        "x = issubclass",
        "try:\n    issubclass(int, str)\nexcept NameError:\n    say('no')",
        "list(map(say, objects))",
        "sorted(objects, key=say)",
        "'a'.format_map({})",
        "say(print)",
        "say(float('nan'))",
        "say(2 ** 100)",
        "say({1: 2})",
        "l = [1]\nl.append(l)\nsay(l)",
        "async def f(): say('a')\nawait f()\nimpossible = 1j",
    ] {
        let fault = fails(code);
        assert!(matches!(fault.kind, FaultKind::Unsupported(_)), "{code}: {fault}");
    }
}

#[test]
fn an_error_within_the_engine_is_not_the_codes() {
    for code in [
        "raise SystemExit(0)",
        "raise ValueError(3)",
        "try:\n    raise KeyError('a', 1)\nexcept Exception:\n    say(1)",
    ] {
        let fault = fails(code);
        let made = FaultKind::Unsupported("an exception made of anything but one text".to_owned());
        assert_eq!(fault.kind, made, "{code}");
    }
    let own = fails("raise RuntimeError('Internal error in monty: exceptions')").kind;
    assert!(matches!(own, FaultKind::Raised(e, _) if e == "RuntimeError"));
    assert!(matches!(fails("raise SystemExit('0')").kind, FaultKind::Raised(e, _) if e == "SystemExit"));
}

#[test]
fn nothing_outside_is_reached() {
    for code in [
        "import os",
        "from os import environ",
        "open('/etc/passwd').read()",
        "f = open\nf('/etc/passwd')",
        "with open('x', 'w') as f: pass",
        "input()",
        "breakpoint()",
        "().__class__.__bases__[0].__subclasses__()",
        "__builtins__",
        "def f(): pass\nf.__globals__",
        "say(x.__dict__ for x in [])",
        "f'{().__class__}'",
    ] {
        let run = run(code);
        let fault = run.fault.unwrap_or_else(|| panic!("{code}"));
        assert!(matches!(fault.kind, FaultKind::Forbidden(_)), "{code}: {fault}");
        assert!(run.calls.is_empty(), "{code}");
    }
    // By way of a text there is nothing either.
    assert!(matches!(fails("'{0.__class__}'.format(1)").kind, FaultKind::Raised(..) | FaultKind::Unsupported(_)));
    assert!(matches!(fails("type(1).mro()").kind, FaultKind::Raised(..)));
}

#[test]
fn what_is_used_up_stops_the_run() {
    let tight = Limits { calls: 3, depth: 30, memory: 8 << 20, wall: std::time::Duration::from_millis(300) };
    for (code, bound) in [
        ("while True: say('a')", Bound::Calls),
        ("while True: pass", Bound::Time),
        ("try:\n    while True: pass\nexcept BaseException:\n    say('caught')", Bound::Time),
        ("def f(n): return f(n + 1)\nf(0)", Bound::Depth),
        ("x = 'a' * 10 ** 10", Bound::Memory),
        ("x = [0] * 10 ** 9", Bound::Memory),
        ("10 ** 10 ** 8", Bound::Memory),
    ] {
        let run = run_with(code, tight, &[]);
        assert_eq!(run.fault.as_ref().map(|f| &f.kind), Some(&FaultKind::Limit(bound)), "{code}: {:?}", run.fault);
        assert!(run.calls.len() <= 3);
    }
    assert_eq!(run_with("while True: say('a')", tight, &[]).fault.unwrap().line, Some(1));
}

#[test]
fn where_too_much_is_in_memory_only_the_line_is_unknown() {
    let run = run("x = ['y' * 1000 for i in range(6000)]\nsay(len(x))");
    assert_eq!(calls(&run), ["0: say(6000)"]);
    assert_eq!(run.fault, None);
}

/// The reply of a trial's worker: code of one's own around a model's, which reports by its only call.
fn trial(prelude: &str, code: &str) -> Result<Value, Reply> {
    let limits = Limits { wall: std::time::Duration::from_millis(500), ..Limits::default() };
    let order = Order {
        prelude: prelude.to_owned(),
        is_trial: true,
        code: code.to_owned(),
        functions: vec![REPORT.to_owned()],
        values: Value::Null,
        limits,
    };
    match Engine::new(&order).map(|mut engine| engine.begin(&order)).unwrap_or_else(Reply::Fault) {
        Reply::Call { mut call, .. } if call.args.len() == 1 => Ok(call.args.remove(0)),
        other => Err(other),
    }
}

#[track_caller]
fn trial_fails(prelude: &str, code: &str) -> FaultKind {
    match trial(prelude, code) {
        Err(Reply::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    }
}

const PRELUDE: &str = "from collections import defaultdict\n\nclass Lamp:\n    def __init__(self):\n        \
                       self.seen = defaultdict(lambda: False)\n        self.on = False\n\n    def note(self, on):\n        self.on = on\n\n";

#[test]
fn code_of_ones_own_may_say_what_a_models_may_not() {
    let code = "lamp = Lamp()\nlamp.note(True)\ntrial_report([lamp.on, lamp.seen['a'], len(lamp.seen)])\n";
    assert_eq!(trial(PRELUDE, code).unwrap(), json!([true, false, 1]));
    for forbidden in ["import os\n", "x = Lamp.__init__\n"] {
        let kind = trial_fails(PRELUDE, &format!("{forbidden}trial_report(1)\n"));
        assert!(matches!(kind, FaultKind::Forbidden(_)), "{kind:?}");
    }
}

#[test]
fn a_trial_tells_what_its_code_raises() {
    let code = "def trial_check(lamp, name):\n    assert lamp.seen[name] or 1 // 0\n\ndef trial(args):\n    try:\n        \
                trial_check(Lamp(), *args)\n    except AssertionError:\n        return 1\n    except ZeroDivisionError:\n        \
                return 2\n    return 0\n\ntrial_report([trial(('a',)) for n in range(2)])\n";
    assert_eq!(trial(PRELUDE, code).unwrap(), json!([2, 2]));
}

#[test]
fn what_the_engine_evaluates_whole_is_not_tried_and_loops_end() {
    let kind = trial_fails("", "trial_report(any(1 // x for x in [1, 0]))\n");
    assert!(matches!(kind, FaultKind::Unsupported(_)), "{kind:?}");
    assert_eq!(trial_fails("", "while True:\n    pass\n"), FaultKind::Limit(Bound::Time));
    assert_eq!(trial("", "x = 1\n"), Err(Reply::Finished));
}
