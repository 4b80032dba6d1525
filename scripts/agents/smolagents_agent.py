import os
from smolagents import OpenAIServerModel, ToolCallingAgent, tool
import desk

model = OpenAIServerModel("gpt-4.1-mini", api_base=os.environ["OPENAI_BASE_URL"], api_key="none")
print(ToolCallingAgent(tools=[tool(f) for f in desk.TOOLS], model=model, instructions=desk.RULES, max_steps=8).run(desk.TASK))
