"""A method served to Stepwright: a function that says what comes next.

    from stepwright import method

    def step(context):
        return {"act": context["admissible"][0], "why": "it is the first"}

    method.serve(step, name="First", needs={"world": ["admissible"]})

``[methods.first]`` with ``command = ["python", "first.py"]`` in the configuration makes it ``--method external:first``. What a context
holds and what may be answered is in docs/reference/protocol.md; a text alone is an action.
"""

from .lines import pairs


def serve(step, read=None, **info):
    """Answers until the input ends: `step(context)` and, for a method that asks the language model, `read(request)`, the object with
    `context`, `ask` and `texts`. `info` is what the method is: `name`, `about`, `needs`, `options`, `writes`."""
    for request, answer in pairs():
        if "info" in request:
            said = {"protocol": 2, **info}
        elif "read" in request:
            said = read(request["read"]) if read else {"problem": "this method asks no model"}
        else:
            said = step(request["step"])
        answer({"act": said} if isinstance(said, str) and "step" in request else said)
