# The prompt works piped
$ printf ':help\nlook\n:undo\n:program\n:state\n:nonsense\n:quit\nnever read\n' | stepwright play household
? Your task is to:
? :undo
? Taken back.
? def 
? "receptacles"
? No such command: :nonsense
? never read

# A refusal is no matter of spelling
$ printf 'open fridge\n' | stepwright play graph --task flat/make_toast
? not close to
? refused;

# A reader that leaves early is no fault
$ (yes look | head -10000 | stepwright play household --jsonl; echo "ended $?" > ended) | head -1 | cut -c1-10; cat ended

# What cannot be done is said with code 2
$ stepwright play household --data /no/such/file.jsonl
$ mkdir empty; stepwright play household --data empty
$ stepwright play household --task heat-nothing-9
$ stepwright play household --edition fly
$ stepwright play dialogue --edition put
$ stepwright play dialogue --data empty
$ stepwright play dialogue --task boats-99
$ stepwright play dialogue --task toollibrary-01
$ stepwright play household --task box
$ stepwright new-task dialogue --type Boats_1
$ stepwright new-task kitchen
$ stepwright new-task household
$ stepwright run --out x.jsonl --jobs 0
$ stepwright run --out x.jsonl --shots 11
$ stepwright run --out x.jsonl --assertions loud
$ stepwright run --out x.jsonl --tasks shipped/place-box-1,shipped/nothing-7

# A world that says its tasks has them listed and run
$ cat > shop.py <<END
> import json, sys
> for n, line in enumerate(sys.stdin):
>     tasks = [{"id": "one", "sentence": "Do one."}, {"id": "two", "kind": "other"}]
>     hello = {"protocol": 2, "name": "Shop", "tasks": tasks}
>     act = "act" in json.loads(line)
>     print(json.dumps({"step": int(act), "observation": "x", "hello": hello, "admissible": ["go"], "done": act, "won": act}), flush=True)
> END
$ stepwright play external --command 'python3 shop.py' --list
$ stepwright run --world external --command 'python3 shop.py' --tasks all --out r.jsonl > said; grep -o -e '"task":"[^"]*"' -e '"won":[a-z]*' r.jsonl

# Requests that make no sense are answered with a reason, and the serving goes on
$ echo '{"act": "look"}' | stepwright play household --jsonl --serve
$ echo look | stepwright play household --jsonl --serve
$ echo '{"reset": "nowhere"}' | stepwright play household --jsonl --serve
$ echo '{"reset": "", "act": "look"}' | stepwright play household --jsonl --serve
$ echo '{"restart": ""}' | stepwright play household --jsonl --serve
$ printf 'look\n{"reset": ""}\n{"act": "look"}\n' | stepwright play household --jsonl --serve | cut -c1-10

# A world in another process is played as any other
$ printf 'add\nadd\n' | stepwright play external --jsonl --state --command "/bin/sh $REPO/tests/support/stand_in.sh asked"
; At the prompt, with a step taken back.
$ printf 'add\nadd\n:undo\nadd\n' | stepwright play external --command "/bin/sh $REPO/tests/support/stand_in.sh asked"
$ echo die | stepwright play external --command "/bin/sh $REPO/tests/support/stand_in.sh asked"
? its last words
$ stepwright play external
; Several configured: listed, chosen by name.
$ mkdir config; printf '[external.one]\ncommand = "/bin/sh %s/tests/support/stand_in.sh asked"\ntasks = ["a", "b"]\n[external.two]\ncommand = "true"\n' $REPO > config/config.toml
$ stepwright play external --list
$ stepwright play external --task three
; Where none is named nobody can tell which is meant.
$ stepwright preconditions candidates --world external
; In a headless run what the world lists is taken.
$ stepwright run --world external --tasks one/a --out r.jsonl > said; grep -o -e '"task":"[^"]*"' -e '"won":[a-z]*' -e '"error":"[^"]*"' r.jsonl

# A task is added to a file of tasks and to no other
$ cp $REPO/sessions/solved.jsonl k.jsonl; echo '{"stepwright":"results"}' > r.jsonl; echo 'my notes' > notes
$ for file in k.jsonl r.jsonl notes; do stepwright new-task household --type heat --out $file; done; cmp k.jsonl $REPO/sessions/solved.jsonl; cat r.jsonl notes
; A last line without its end keeps its task.
$ stepwright new-task household --type heat --out a.jsonl > said; printf '%s' "$(cat a.jsonl)" > b.jsonl; stepwright new-task household --type cool --out b.jsonl > said; wc -l < b.jsonl | tr -d ' '
$ stepwright run --data b.jsonl --tasks all --list --json | wc -l | tr -d ' '
