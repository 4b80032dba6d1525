from agents import Agent, Runner, function_tool, set_tracing_disabled
import desk

set_tracing_disabled(True)
agent = Agent(name="desk", instructions=desk.RULES, tools=[function_tool(tool) for tool in desk.TOOLS])
print(Runner.run_sync(agent, desk.TASK).final_output)
