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
; An example session, kept here, is in it by itself.
$ mkdir -p state/sessions; cp $REPO/sessions/by-hand.jsonl state/sessions
$ stepwright library remove logs
$ stepwright library list --json
$ stepwright library remove logs

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
