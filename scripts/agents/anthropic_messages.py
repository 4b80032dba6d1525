from anthropic import Anthropic
import desk

client, text = Anthropic(), {"type": "string"}
params = {"list_orders": {"customer": text}, "get_order": {"order_id": text}, "cancel_order": {"order_id": text, "reason": text},
          "refund": {"order_id": text, "amount": {"type": "number"}}}
tools = [{"name": n, "input_schema": {"type": "object", "properties": p, "required": list(p)}} for n, p in params.items()]
messages = [{"role": "user", "content": desk.TASK}]
while True:
    with client.messages.stream(model="claude-sonnet-4-5", max_tokens=500, system=desk.RULES, messages=messages, tools=tools) as stream:
        answer = stream.get_final_message()
    messages.append({"role": "assistant", "content": [block.model_dump() for block in answer.content]})
    calls = [block for block in answer.content if block.type == "tool_use"]
    if not calls:
        print(answer.content[0].text)
        break
    results = [{"type": "tool_result", "tool_use_id": c.id, "content": getattr(desk, c.name)(**c.input)} for c in calls]
    messages.append({"role": "user", "content": results})
