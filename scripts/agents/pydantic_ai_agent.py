from pydantic_ai import Agent
import desk

print(Agent("openai-chat:gpt-4.1-mini", system_prompt=desk.RULES, tools=desk.TOOLS).run_sync(desk.TASK).output)
