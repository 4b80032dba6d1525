import json
from openai import OpenAI
import desk

client, text = OpenAI(), {"type": "string"}
params = {"list_orders": {"customer": text}, "get_order": {"order_id": text}, "cancel_order": {"order_id": text, "reason": text},
          "refund": {"order_id": text, "amount": {"type": "number"}}}
tools = [{"type": "function", "name": n, "parameters": {"type": "object", "properties": p, "required": list(p)}} for n, p in params.items()]
given, last = desk.TASK, None
while True:
    answer = client.responses.create(model="gpt-4.1-mini", instructions=desk.RULES, input=given, tools=tools, previous_response_id=last)
    last, given = answer.id, []
    for item in answer.output:
        if item.type == "function_call":
            given.append({"type": "function_call_output", "call_id": item.call_id, "output": getattr(desk, item.name)(**json.loads(item.arguments))})
    if not given:
        print(answer.output_text)
        break
