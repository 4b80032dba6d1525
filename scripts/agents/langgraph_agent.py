from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent
import desk

agent = create_react_agent(ChatOpenAI(model="gpt-4.1-mini"), desk.TOOLS, prompt=desk.RULES)
print(agent.invoke({"messages": [("user", desk.TASK)]})["messages"][-1].content)
