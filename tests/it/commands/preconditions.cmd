# A file is checked against the demonstrations
$ printf 'def take(self, obj, recep):\n    assert self.inventory is None\n' > mine.preconditions.py
$ stepwright preconditions check mine.preconditions.py
$ printf "def take(self, obj, recep):\n    assert obj == 'mug 1'\n    assert obj ==\n\ndef fly(self):\n    assert 1\n" > mine.preconditions.py
$ stepwright preconditions check mine.preconditions.py
$ stepwright preconditions check none.preconditions.py

# Two files are compared by what they permit
$ printf 'def take(self, obj, recep):\n    assert self.inventory is None\n' > a.preconditions.py
$ printf 'def take(self, obj, recep):\n    assert self.inventory == None\n' > b.preconditions.py
$ printf 'def take(self, obj, recep):\n    assert self.is_visible(obj)\n' > c.preconditions.py
$ stepwright preconditions diff a.preconditions.py b.preconditions.py
$ stepwright preconditions diff a.preconditions.py c.preconditions.py
$ stepwright preconditions diff a.preconditions.py
? +++ specification

# The world is the one the file was in force in
$ printf '\ndef INFORM(self, slot):\n    assert self.user.requested_slots[slot]\n' > bare.preconditions.py
$ (echo '# Preconditions in force in dialogue (shipped/museums-01)'; cat bare.preconditions.py) > noted.preconditions.py
$ (echo '# Preconditions in force in moon (1)'; cat bare.preconditions.py) > other.preconditions.py
$ stepwright preconditions check noted.preconditions.py
? INFORM
? no action
$ stepwright preconditions check bare.preconditions.py
? INFORM
? no action
$ stepwright preconditions check bare.preconditions.py --world household
$ printf 'def fly(self):\n    assert 1\n' > strange.preconditions.py; stepwright preconditions check strange.preconditions.py
$ stepwright preconditions check other.preconditions.py
$ (echo '# Preconditions in force in dialogue (shipped/repairs-01)'; cat bare.preconditions.py) > repairs.preconditions.py
$ stepwright preconditions diff noted.preconditions.py repairs.preconditions.py

# Violations of logs are JSON, whatever the log holds
; Nothing was seen of the desk; what deceives a reader is written as an escape.
$ printf '{"id":"a\\u202eb","initial_observation":"You are in a room. You see a shelf 1.","steps":[{"action":"go to desk 1","observation":"You arrive at desk 1."}]}\n' > log.jsonl; stepwright preconditions logs --json log.jsonl

# A step that contradicts an effect says so; one that the world refused contradicts none
$ printf '> go to desk 1\nOn the desk 1, you see a mug 1.\n> take pan 1 from desk 1\nNothing happens.\n> take mug 1 from desk 1\nYou pick up the mug 1 from the desk 1.\n' > steps.txt
$ (echo 'You are in the middle of a room. Looking quickly around you, you see a desk 1, and a fridge 1.'; echo 'Your task is to: put a mug in desk.'; cat steps.txt) > log.txt
$ printf 'def take(self, obj, recep):\n    self.inventory = recep\n' > wrong.preconditions.py; stepwright preconditions logs log.txt --preconditions wrong.preconditions.py
$ printf 'def take(self, obj, recep):\n    self.inventory = obj\n' > right.preconditions.py; stepwright preconditions logs log.txt --preconditions right.preconditions.py
$ stepwright preconditions logs --json log.txt --preconditions wrong.preconditions.py

# Of many calls some are tried, and the verdict says how many
$ printf 'def goto(self, recep):\n    self.inventory = self.inventory\n' > still.preconditions.py; stepwright preconditions check still.preconditions.py --world household

# Candidates with verdicts and clusters are data
$ stepwright preconditions candidates --world household --action open --json > pools.json
$ python3 -c "
> import json; pools = json.load(open('pools.json')); one = pools['actions'][0]; texts = [c['text'] for c in one['candidates']]
> print('optimal, in a cluster:', any(c.get('optimal') and isinstance(c.get('cluster'), int) for c in one['candidates']))
> print('adopted:', one['adopted'], 'candidates all:', all(text in texts for text in one['adopted']))
> print('true:', one['true'], 'of', len(pools['demonstrations']), 'demonstrations')"
$ stepwright preconditions candidates --world household --action open
?  candidates, 
?   assert 

# A file with a syntax error is refused with its line where it is used, and costs one action where it is looked at
$ printf 'def take(self, obj, recep):\n    assert self.inventory is None\n    assert obj ==\n' > broken.preconditions.py
$ printf 'You are in the middle of a room. Looking quickly around you, you see a desk 1.\n> go to desk 1\nOn the desk 1, you see a mug 1.\n' > log.txt
$ stepwright preconditions logs log.txt --preconditions broken.preconditions.py; stepwright preconditions impact broken.preconditions.py
$ stepwright run --tasks first=1 --preconditions broken.preconditions.py; stepwright study preconditions --world household --truth broken.preconditions.py
? broken.preconditions.py
$ stepwright preconditions diff broken.preconditions.py --world household
? macro
? take(
$ stepwright preconditions diff broken.preconditions.py --world household --json | grep -A 3 '"macro_of"'

# Episodes that do not have an action are passed over, and a name that none of them has is said
$ python3 -c "
> import json
> def episode(name):
>     tool = {'type': 'function', 'function': {'name': name, 'parameters': {'type': 'object', 'properties': {'id': {'type': 'string'}}, 'required': ['id']}}}
>     call = f'tools.{name}(id=\'a\')'
>     return {'id': name, 'tools': [tool], 'steps': [{'action': call, 'call': call, 'observation': 'done'}]}
> open('two.jsonl', 'w').write(json.dumps(episode('get')) + chr(10) + json.dumps(episode('close')) + chr(10))"
$ printf "def close(self, id):\n    assert id != 'a'\n\ndef clsoe(self, id):\n    assert False\n" > two.preconditions.py
$ stepwright preconditions logs two.jsonl --preconditions two.preconditions.py
$ printf 'def clsoe(self, id):\n    assert False\n' > none.preconditions.py; stepwright preconditions logs two.jsonl --preconditions none.preconditions.py
$ printf 'def goto(self, recep):\n    pass\n\ndef gotoo(self, recep):\n    assert False\n' > more.preconditions.py; stepwright run --tasks first=1 --preconditions more.preconditions.py
? gotoo

# A call whose arguments cannot be read violates nothing, in a log as in the session that it becomes; what is in force for it is not known
$ cat > chat.json <<'END'
> {"messages": [
>   {"role": "user", "content": "Cancel W42."},
>   {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "cancel_order", "arguments": "{\"order_id\": \"W42\""}}]},
>   {"role": "tool", "tool_call_id": "a", "content": "no JSON"},
>   {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "cancel_order", "arguments": "{\"order_id\": \"W42\"}"}}]},
>   {"role": "tool", "tool_call_id": "b", "content": "cancelled"}
> ]}
> END
$ stepwright export chat.json --jsonl chat.session.jsonl; stepwright preconditions logs chat.json; stepwright preconditions logs chat.session.jsonl
$ printf 'def cancel_order(self, order_id):\n    assert order_id\n' > order.preconditions.py; stepwright preconditions logs chat.json --preconditions order.preconditions.py

# What our own lines leave out their calls say: the action, and what a tool returned
$ cat > own.jsonl <<'END'
> {"id":"own","initial_observation":"Start.","tools":[{"name":"get","parameters":{"type":"object","properties":{"id":{}},"required":["id"]}},{"name":"close","parameters":{"type":"object","properties":{"id":{}},"required":["id"]}}],"steps":[{"call":"tools.get(id='x')","observation":"open"},{"call":"tools.close(id='x')","refused":"it was sent"},{"call":"tools.close(id='y')","observation":"closed"}]}
> END
$ printf "def close(self, id):\n    assert id in self.read['get']\n" > known.preconditions.py; stepwright preconditions logs own.jsonl --preconditions known.preconditions.py
$ stepwright show own.jsonl

# The assertion that keeps the agent from any plan is named, and none that a plan presumes
$ printf "def goto(self, recep):\n    assert recep != 'coffeetable 1'\n\ndef take(self, obj, recep):\n    assert self.is_visible(obj)\n" > no.preconditions.py
$ stepwright run --tasks place-box-1 --max-steps 2 --preconditions no.preconditions.py --sessions kept > table; stepwright show kept/*.jsonl | grep -o 'no plan passes.*fails[^;]*' | head -1
$ stepwright run --tasks type=place
