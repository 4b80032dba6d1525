import json
from openai import OpenAI
import desk

client, text = OpenAI(), {"type": "string"}
params = {"list_orders": {"customer": text}, "get_order": {"order_id": text}, "cancel_order": {"order_id": text, "reason": text},
          "refund": {"order_id": text, "amount": {"type": "number"}}}
tools = [{"type": "function", "function": {"name": n, "parameters": {"type": "object", "properties": p, "required": list(p)}}} for n, p in params.items()]
messages = [{"role": "system", "content": desk.RULES}, {"role": "user", "content": desk.TASK}]
while True:
    with client.chat.completions.stream(model="gpt-4.1-mini", messages=messages, tools=tools) as stream:
        message = stream.get_final_completion().choices[0].message
    messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    if not message.tool_calls:
        print(message.content)
        break
    for call in message.tool_calls:
        result = getattr(desk, call.function.name)(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
