//! Runs in the engine itself, without a process around it.

mod differences;

use serde_json::{Value, json};

use stepwright_sandbox::Step;
use stepwright_sandbox::wire::Order;
use stepwright_sandbox::{Bound, FaultKind, Limits, REPORT, Run};

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
        code: code.to_owned(),
        functions: FUNCTIONS.iter().map(|&f| f.to_owned()).collect(),
        values: state(),
        limits,
        require: stepwright_sandbox::Require::default(),
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
            Step::Call { call, line, .. } => run.calls.push((call, line)),
            Step::Finished => return run,
            Step::Fault(fault) => {
                run.fault = Some(fault);
                return run;
            }
        }
        reply = engine.answer(answers.next().unwrap_or(&Value::Null));
    }
}

/// Every run of `tests/runs.txt`, where `==` parts them: its calls, each `LINE: TEXT`, and its fault.
#[test]
fn runs_make_the_calls_and_faults_they_made() {
    let mut out = String::new();
    for case in include_str!("tests/runs.txt").split("\n==") {
        let (title, code) = case.split_once('\n').expect("a line of its own");
        let run = run_with(code, Limits::default(), &[json!("red block"), Value::Null, json!(2)]);
        let title = title.trim_start_matches("==").trim();
        if !title.is_empty() {
            out.push_str(&format!("== {title}\n"));
        }
        out.push_str(&format!("{}\n", code.trim_end()));
        run.calls.iter().for_each(|(call, line)| out.push_str(&format!("    {line}: {call}\n")));
        if let Some(fault) = run.fault {
            out.push_str(&format!("    fault in line {:?}: {:?}\n", fault.line, fault.kind));
        }
        out.push('\n');
    }
    insta::assert_snapshot!(out);
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

/// The reply of a trial's worker: code of one's own around a model's, which reports by its only call.
fn trial(prelude: &str, code: &str) -> Result<Value, Step> {
    let limits = Limits { wall: std::time::Duration::from_millis(500), ..Limits::default() };
    let order = Order {
        prelude: prelude.to_owned(),
        code: code.to_owned(),
        functions: vec![REPORT.to_owned()],
        values: Value::Null,
        limits,
        require: stepwright_sandbox::Require::default(),
    };
    match Engine::new(&order).map(|mut engine| engine.begin(&order)).unwrap_or_else(Step::Fault) {
        Step::Call { mut call, .. } if call.args.len() == 1 => Ok(call.args.remove(0)),
        other => Err(other),
    }
}

#[track_caller]
fn trial_fails(prelude: &str, code: &str) -> FaultKind {
    match trial(prelude, code) {
        Err(Step::Fault(fault)) => fault.kind,
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

/// The prelude of a policy of code, as far as the worker minds it.
const OF_POLICIES: &str = "class _Re:\n    def split(self, text):\n        return text.split()\n    def check(self, text):\n        \
                           return None if text else 1 // 0\ndef _module(name):\n    return trial_report(name) or _re\n\
                           def _member(module, name):\n    return trial_report(module + name)\n_re = _Re()\n";

#[test]
fn an_import_is_a_call_where_it_is_come_to() {
    assert_eq!(trial(OF_POLICIES, "if 0:\n    import math\ntrial_report(1)\n"), Ok(json!(1)));
    assert_eq!(trial(OF_POLICIES, "def f():\n    import math; trial_report(1)\nf()\n"), Ok(json!("math")));
    assert_eq!(trial(OF_POLICIES, "from ast import literal_eval as l\n"), Ok(json!("astliteral_eval")));
    assert!(matches!(trial_fails("", "if 0:\n    import math\n"), FaultKind::Forbidden(_)));
}

#[test]
fn a_prelude_leaves_methods_and_lines_to_the_code() {
    assert_eq!(
        trial(OF_POLICIES, "trial_report([list(map(str.split, ['a b'])), _re.split('c')])\n"),
        Ok(json!([[["a", "b"]], ["c"]]))
    );
    let Err(Step::Fault(fault)) = trial(OF_POLICIES, "x = 1\n_re.check('')\n") else { panic!("it fails") };
    assert_eq!(fault.line, Some(u32::try_from(OF_POLICIES.lines().count()).unwrap() + 2), "{fault}");
    for (code, what) in [("_re.purge", "`re.purge`"), ("_re.check('x')\n_re.findall.x", "`re.findall`")] {
        assert_eq!(trial_fails(OF_POLICIES, code), FaultKind::Unsupported(what.to_owned()));
    }
    let FaultKind::Raised(kind, words) = trial_fails(OF_POLICIES, "_re.foo") else { panic!("Python has none, too") };
    assert_eq!((kind.as_str(), words.as_str()), ("AttributeError", "module 're' has no attribute 'foo'"));
}

#[test]
fn texts_are_run_nowhere_and_do_nothing_in_code_by_itself() {
    for code in ["eval('1')", "exec('x = 1')", "f = eval\nf('1')"] {
        assert!(matches!(trial_fails("x = 1\n", code), FaultKind::Forbidden(_)), "{code}");
        assert!(matches!(trial_fails("", code), FaultKind::Forbidden(_)), "{code}");
        assert_eq!(run_with(code, Limits::default(), &[]).fault, None, "{code}");
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
fn a_trial_stops_where_cpython_does_and_gaps_are_no_outcome() {
    assert_eq!(trial("", "trial_report(any(1 // x for x in [1, 0]))\n").unwrap(), json!(true));
    for gap in ["'%a' % 1", "'a'.isprintable()", "{1} < {2}"] {
        let kind = trial_fails("", &format!("try:\n    {gap}\nexcept Exception:\n    trial_report(1)\n"));
        assert!(matches!(kind, FaultKind::Unsupported(_)), "{gap}: {kind:?}");
    }
    assert_eq!(trial_fails("", "while True:\n    pass\n"), FaultKind::Limit(Bound::Time));
    assert_eq!(trial("", "x = 1\n"), Err(Step::Finished));
}
