import functools
import tempfile
from inspect_ai import Task, eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.tool import ToolDef
import desk


def offered(function):
    @functools.wraps(function)
    async def execute(**given):
        return function(**given)
    return ToolDef(execute, name=function.__name__)


agent = react(prompt=desk.RULES, tools=[offered(function) for function in desk.TOOLS], submit=False)
task = Task(dataset=[Sample(input=desk.TASK)], solver=agent)
log = eval(task, model="openai/gpt-4.1-mini", display="none", log_dir=tempfile.mkdtemp())[0]
print(log.samples[0].output.completion if log.samples else log.error)
