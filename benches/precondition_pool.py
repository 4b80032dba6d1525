"""Validates and ranks a pool of candidate preconditions in CPython: what `precondition_pool.rs` is measured against.

Reads a JSON object from standard input: `source` (the specification with empty actions), `setup` (lines that create the objects),
`receiver`, `action`, `params`, `demonstrations` (lists of [receiver, function, arguments, is_action]), `bindings` and
`candidates`; writes one with `cpu` (seconds of one pass, best of `repeats`) and the results.

Each candidate is compiled once and called once for each distinct state and binding; a state is copied only where a call has
changed it. Validity is that of actual execution: a candidate that changes a state runs through the demonstrations.
"""
import ast, copy, json, sys, time

UNSAFE = set("""__import__ eval exec compile open input breakpoint exit quit globals locals vars dir setattr delattr print help
memoryview super copyright credits license""".split())
SAFE_BUILTINS = {k: v for k, v in vars(__import__("builtins")).items() if k not in UNSAFE or k == "__build_class__"}


def compiled(text, params, scope):
    """The candidate as a function, or None if it is no candidate."""
    text = text.strip().removeprefix("assert ")
    if "\n" in text or "\r" in text:
        return None
    try:
        tree = ast.parse(f"def f(self{''.join(', ' + p for p in params)}):\n assert {text}\n")
        code = compile(tree, "candidate", "exec")
    except (SyntaxError, ValueError):
        return None
    body = tree.body[0].body
    if len(tree.body) != 1 or len(body) != 1 or not isinstance(body[0], ast.Assert):
        return None
    for node in ast.walk(body[0]):
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            return None
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in UNSAFE or name.startswith("__"):
            return None
    scope = dict(scope)
    exec(code, scope)
    return scope["f"]


def contents(value, seen):
    """What a state holds, to tell states apart; objects by their variables, dictionaries with their order."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{contents(v, seen)}" for k, v in value.items()) + "}"
    if hasattr(value, "__dict__") and not callable(value):
        if id(value) in seen:
            return "..."
        return f"<{type(value).__name__} {contents(vars(value), seen | {id(value)})}>"
    return repr(value)


def containers(value, found, seen):
    """All dictionaries, lists and sets of a state that an expression can make grow (it cannot assign attributes)."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if hasattr(value, "__dict__") and not callable(value):
        for v in vars(value).values():
            containers(v, found, seen)
    elif isinstance(value, dict):
        found.append(value)
        for v in value.values():
            containers(v, found, seen)
    elif isinstance(value, (list, set)):
        found.append(value)


class Ground:
    """The demonstrations, executed once."""

    def __init__(self, problem):
        self.receiver, self.action, self.params = problem["receiver"], problem["action"], problem["params"]
        self.source, self.setup, self.demos = problem["source"], problem["setup"], problem["demonstrations"]
        self.bindings = [tuple(b) for b in problem["bindings"]]
        self.scope = {"__builtins__": SAFE_BUILTINS}
        full = {"__name__": "specification"}
        exec(self.source, full)
        self.full = full
        self.scope.update({k: v for k, v in full.items() if not k.startswith("__")})
        self.states, self.steps, self.calls = [], [], []
        known = {}
        for at, demo in enumerate(self.demos):
            objects = self.fresh()
            for k, (receiver, function, args, is_action) in enumerate(demo):
                if is_action:
                    key = contents(objects, frozenset())
                    if key not in known:
                        known[key] = len(self.states)
                        self.states.append(copy.deepcopy(objects))
                    self.steps.append(known[key])
                    if receiver == self.receiver and function == self.action:
                        self.calls.append((at, k, known[key], self.bindings.index(tuple(args))))
                getattr(objects[receiver], function)(*args)
        self.pristine = copy.deepcopy(self.states)
        self.growing, self.sizes = [None] * len(self.states), [None] * len(self.states)
        for at in range(len(self.states)):
            self.find_growing(at)

    def find_growing(self, at):
        found = []
        containers(self.states[at], found, set())
        self.sizes[at] = [len(c) for c in found]
        self.growing[at] = (self.states[at][self.receiver], found, sum(self.sizes[at]))

    def fresh(self):
        objects = dict(self.full)
        before = set(objects)
        for line in self.setup:
            exec(line, objects)
        return {k: v for k, v in objects.items() if k not in before}

    def lives_through(self, check):
        """Whether a candidate that changes states raises nothing in any demonstration, its effects kept."""
        for demo in self.demos:
            objects = self.fresh()
            for receiver, function, args, is_action in demo:
                target = objects[receiver]
                try:
                    if receiver == self.receiver and function == self.action:
                        check(target, *args)
                    getattr(target, function)(*args)
                except Exception:
                    return False
        return True

    def evaluate(self, check):
        """(changed, rows): whether any call changed a state, and for each state and binding whether it raises nothing."""
        rows, changed = [], False
        for at in range(len(self.states)):
            row, (target, growing, size) = [], self.growing[at]
            for binding in self.bindings:
                try:
                    check(target, *binding)
                    row.append("1")
                except Exception:
                    row.append("0")
                if sum(map(len, growing)) != size:
                    changed = True
                    self.restore(at)
                    target, growing, size = self.growing[at]
            rows.append("".join(row))
        return changed, rows

    def restore(self, at):
        """Takes out the keys that a call has put in; where it did more than that, the state is copied anew."""
        for container, size in zip(self.growing[at][1], self.sizes[at]):
            while type(container) is not list and type(container) is not set and len(container) > size:
                container.popitem()
        if [len(c) for c in self.growing[at][1]] != self.sizes[at]:
            self.states[at] = copy.deepcopy(self.pristine[at])
            self.find_growing(at)


def run(ground, candidates):
    """Satisfied sets of all candidates, which are valid, and their clusters."""
    sets, valid = [], []
    for text in candidates:
        check = compiled(text, ground.params, ground.scope)
        if check is None:
            sets.append(None)
            valid.append(False)
            continue
        changed, rows = ground.evaluate(check)
        sets.append("".join([rows[s] for s in ground.steps]))
        if changed:
            valid.append(ground.lives_through(check))
        else:
            valid.append(all(rows[state][binding] == "1" for _, _, state, binding in ground.calls))
    members = {}
    for at, (bits, good) in enumerate(zip(sets, valid)):
        if good:
            members.setdefault(bits, []).append(at)
    numbers = [(int(bits, 2), bits) for bits in members]
    optimal = {bits for n, bits in numbers if not any(m != n and m & n == m for m, _ in numbers)}
    return {
        "sat": [None if s is None else s.count("1") for s in sets],
        "valid": valid,
        "clusters": [{"members": m, "optimal": bits in optimal} for bits, m in members.items()],
    }


def main():
    problem = json.load(sys.stdin)
    ground = Ground(problem)
    best, result = None, None
    for _ in range(problem["repeats"]):
        begun = time.process_time()
        result = run(ground, problem["candidates"])
        spent = time.process_time() - begun
        best = spent if best is None else min(best, spent)
    result["cpu"] = best
    result["python"] = sys.version.split()[0]
    json.dump(result, sys.stdout)


main()
