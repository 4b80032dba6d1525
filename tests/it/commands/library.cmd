# Preconditions are weighed on what was decided before
; Three episodes: one that reached its goal, one that did not and took what it did not see, one of which the log leaves something out.
$ mkdir logs; cat > logs/run.jsonl <<'END'
> {"id":"good","env":"alfworld","success":true,"initial_observation":"You are in a room. You see a desk 1.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take mug 1 from desk 1","observation":"You pick up the mug 1 from the desk 1."}]}
> {"id":"bad","env":"alfworld","success":false,"initial_observation":"You are in a room. You see a desk 1.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take pan 1 from desk 1","observation":"Nothing happens."}]}
> {"id":"silent","env":"alfworld","initial_observation":"You are in a room. You see a desk 1.","steps":[{"action":"go to desk 1"},{"action":"take mug 1 from desk 1","observation":"You pick up the mug 1 from the desk 1."}]}
> END
$ printf 'PK broken' > logs/broken.eval
$ stepwright library add logs
$ stepwright library add logs none
$ printf 'def take(self, obj, recep):\n    assert self.is_visible(obj)\n    assert len(obj) > 20\n' > mine.preconditions.py
$ stepwright preconditions impact mine.preconditions.py
$ printf 'def take(self, obj, recep):\n    assert self.is_visible(obj)\n' > fine.preconditions.py
$ stepwright preconditions impact fine.preconditions.py --library logs/run.jsonl --json
$ stepwright preconditions impact fine.preconditions.py --library logs/run.jsonl --world kitchen
$ stepwright preconditions impact fine.preconditions.py --library nowhere
; Parameters that are named otherwise than there keep everything from being judged, which is no pass.
$ printf 'def take(self, thing, place):\n    assert self.is_visible(thing)\n' > renamed.preconditions.py
$ stepwright preconditions impact renamed.preconditions.py --library logs/run.jsonl
; An example session, kept here, is in it by itself.
$ mkdir -p state/sessions; cp $REPO/sessions/by-hand.jsonl state/sessions
$ stepwright library remove logs
$ stepwright library list --json
$ stepwright library remove logs

# Each of the calls of an answer is weighed, and so are those of a program
$ mkdir two; cat > two/two.jsonl <<'END'
> {"stepwright":"session","version":3,"program":"0","created":1,"world":"agent","data":"shipped","task":"t","sentence":"Look at two orders.","seed":0,"method":"relay","model":"upstream","specification":"SETUP = ['tools = Tools()']\nACTIONS = ['tools.get_order']\nOBSERVATIONS = []\n\n\nclass Tools:\n    def get_order(self, order_id):\n        pass\n","opening":[]}
> {"id":1,"ts":1,"node":0,"event":"started","outcome":{"observation":"user: Look at W1 and W2.","calls":[]}}
> {"id":2,"ts":1,"node":0,"event":"proposed","proposal":{"id":1,"raw":"both","action":{"text":"Both.\ntools.get_order(order_id='W1')\ntools.get_order(order_id='W2')","call":"tools.get_order(order_id='W1')\ntools.get_order(order_id='W2')"},"origin":"relayed"}}
> {"id":3,"ts":1,"node":0,"event":"decided","decision":{"id":1,"choice":"approve","proposal":1,"by":"person"}}
> {"id":4,"ts":1,"node":0,"event":"executed","decision":1,"child":1,"action":{"text":"Both.\ntools.get_order(order_id='W1')\ntools.get_order(order_id='W2')","call":"tools.get_order(order_id='W1')\ntools.get_order(order_id='W2')"},"outcome":{"observation":"The agent ended.","calls":["tools.get_order(order_id='W1')","tools.get_order(order_id='W2')"],"done":true,"won":true},"changes":[]}
> END
$ stepwright library add two
$ printf "def get_order(self, order_id):\n    assert order_id != 'W2'\n" > own.preconditions.py
$ stepwright preconditions impact own.preconditions.py --library two
$ printf "def put_first_on_second(self, obj, target):\n    assert self.table.is_movable(target)\n" > put.preconditions.py
$ stepwright preconditions impact put.preconditions.py --library $REPO/sessions/table.jsonl

# A folder with a link to itself is read once, and can be taken out when it is gone
$ mkdir -p t/s; cp $REPO/sessions/by-hand.jsonl t/s; ln -s . t/s/again; ln -s by-hand.jsonl t/s/same.jsonl
$ stepwright library add t/s
$ rm -r t
$ stepwright library list
$ stepwright library remove t/s

# What other programs logged is shown, compared, and demonstrates
$ cat > run.txt <<'END'
> You are in the middle of a room. Looking quickly around you, you see a desk 1, and a fridge 1.
> Your task is to: put a mug in fridge.
> > go to desk 1
> On the desk 1, you see a mug 1, and a pen 1.
> > take mug 1 from desk 1
> You pick up the mug 1 from the desk 1.
> END
$ sed 's/mug 1 from/pen 1 from/; s/the mug 1 from/the pen 1 from/' run.txt > other.txt
$ stepwright show run.txt
? take mug
$ stepwright compare run.txt other.txt
$ stepwright compare run.txt
$ printf '{"id":"a","env":"alfworld","initial_observation":"You see a desk 1.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."}]}\n{"id":"b","env":"alfworld","initial_observation":"You see a desk 1.","steps":[{"action":"look","observation":"You see a desk 1."}]}\n' > two.jsonl
$ stepwright compare two.jsonl
$ stepwright show two.jsonl --episode b
? look
$ stepwright preconditions candidates run.txt other.txt --action take
$ stepwright preconditions candidates run.txt --world household
? cannot be used

# An audit says since when what it read was so
$ cat > run.txt <<'END'
> You are in the middle of a room. Looking quickly around you, you see a desk 1, and a fridge 1.
> Your task is to: put a mug in fridge.
> > go to desk 1
> On the desk 1, you see a mug 1, and a pen 1.
> > take mug 1 from desk 1
> You pick up the mug 1 from the desk 1.
> > take pen 1 from desk 1
> Nothing happens.
> END
$ stepwright preconditions logs run.txt
$ stepwright preconditions logs run.txt --json

# A session is judged by its own specification, its calls and what was in force in it
$ stepwright preconditions logs $REPO/sessions/reprompt.jsonl
$ stepwright preconditions logs $REPO/sessions/kitchen.jsonl $REPO/sessions/table.jsonl $REPO/sessions/dialogue.jsonl | tail -1
$ printf 'def putback(self, obj, place):\n    assert place != "table_1"\n' > own.preconditions.py; stepwright preconditions logs $REPO/sessions/reprompt.jsonl --preconditions own.preconditions.py
$ stepwright preconditions candidates $REPO/sessions/reprompt.jsonl --action putback > said; head -1 said
$ stepwright preconditions candidates $REPO/sessions/reprompt.jsonl $REPO/sessions/kitchen.jsonl
$ printf '[tells]\n"person.held x" = "the person holds x"\n"person.posture x" = "the person is x"\n' > own.toml; stepwright belief check own.toml $REPO/sessions/reprompt.jsonl
$ stepwright belief check $REPO/worlds/household/state_form.toml --world household
