//! Cost of the engine: checking each household precondition on a live state, copying a state, loading a specification.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright::program::{Assertion, Call, Literal, Specification, State};

/// A household as small as the measurements need.
const SPEC: &str = "\
from collections import defaultdict

SETUP = ['env = Environment()', 'agent = Agent(env)']
ACTIONS = ['agent.act']
OBSERVATIONS = ['agent.see', 'env.put']

class Environment:
    def __init__(self):
        self.states = defaultdict(lambda: False)

    def put(self, obj, name, value):
        self.states[(obj, name)] = value

    def get(self, obj, name):
        return self.states[(obj, name)]

class Agent:
    def __init__(self, env):
        self.env = env
        self.inventory = None
        self.visible_objects = set()

    def see(self, *args):
        self.visible_objects.update(list(args))

    def is_visible(self, obj):
        return obj in self.visible_objects

    def act(self, obj, recep):
        pass
";

/// The kinds of preconditions a household has.
const PRECONDITIONS: &[(&str, &str)] = &[
    ("visible", "self.is_visible(recep)"),
    ("closed", "self.env.get(recep, 'open') == False"),
    ("closed, unknown key", "self.env.get(obj, 'open') == False"),
    ("hand empty", "self.inventory == None, 'Can only hold one object at a time'"),
    ("holding", "self.inventory == obj, 'Need to be holding the object'"),
    ("text", "'sink' in recep"),
    ("any", "any(o == recep for o in self.visible_objects)"),
    ("comprehension", "[o for o in self.visible_objects if o.startswith('drawer')]"),
];

fn live() -> (Specification, State) {
    let spec = Specification::load(SPEC, "spec.py").unwrap();
    let mut state = spec.start().unwrap();
    for i in 1..=24 {
        state.call(&Call::new("agent", "see", [format!("drawer {i}"), format!("mug {i}")])).unwrap();
        let args = [Literal::from(format!("drawer {i}")), Literal::from("open"), Literal::from(false)];
        state.call(&Call::new("env", "put", args)).unwrap();
    }
    (spec, state)
}

fn engine(c: &mut Criterion) {
    let (spec, state) = live();
    let function = spec.function("agent", "act").unwrap();
    let args = [Literal::from("mug 3"), Literal::from("drawer 7")];
    for (name, text) in PRECONDITIONS {
        let assertion = Assertion::compile(text).unwrap();
        c.bench_function(&format!("check/{name}"), |b| b.iter(|| black_box(state.check(&assertion, function, &args))));
    }
    c.bench_function("state/clone", |b| b.iter(|| black_box(state.clone())));
    c.bench_function("state/call", |b| {
        let call = Call::new("agent", "see", ["drawer 1", "mug 1"]);
        let mut state = state.clone();
        b.iter(|| state.call(&call).unwrap());
    });
    c.bench_function("state/fingerprint", |b| b.iter(|| black_box(state.fingerprint())));
    c.bench_function("load", |b| b.iter(|| black_box(Specification::load(SPEC, "spec.py").unwrap())));
    c.bench_function("compile", |b| {
        b.iter(|| black_box(Assertion::compile("self.is_visible(recep) and not self.inventory").unwrap()))
    });
}

criterion_group!(benches, engine);
criterion_main!(benches);
