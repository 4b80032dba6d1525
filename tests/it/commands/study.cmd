# Preconditions of shipped services are scored and a study resumes
$ stepwright study preconditions --services Museums_1 --jobs 2 --out r.jsonl > first; grep -e actions -e inferences -e Museums_1 -e 'no language model' -e 'asserts nothing' first
; The table's figures are those of the file: macro precision, recall and F1, the mean F1, calls that hold, instances that are permitted.
$ python3 -c "
> import json; lines = [l for l in map(json.loads, open('r.jsonl')) if l.get('approach') == 'enumerated']; n = len(lines)
> mean = lambda key: sum(l['agreement'][key] for l in lines) / n; total = lambda key: sum(l[key] for l in lines)
> p, r = mean('precision'), mean('recall')
> print(n, *('%.3f' % x for x in [p, r, 2 * p * r / (p + r), mean('f1'), total('held') / total('calls'), total('satisfied') / total('instances')]))"
; Nothing is left to do; the file stays as it is.
$ cp r.jsonl before; stepwright study preconditions --services Museums_1 --jobs 2 --out r.jsonl > again; grep 'inferences made' again; cmp r.jsonl before
; A killed run leaves half a line: that action alone is inferred again, and comes out the same.
$ python3 -c "open('r.jsonl', 'wb').write(open('before', 'rb').read()[:-40])"; stepwright study preconditions --services Museums_1 --jobs 2 --out r.jsonl > again; grep 'inferences made' again
$ grep ^Museums_1 first > one; grep ^Museums_1 again | cmp - one
; Fewer demonstrations are another study, in the same file.
$ stepwright study preconditions --services Museums_1 --jobs 2 --out r.jsonl --demos 3 --by action
? from up to 3 demonstrations
? inferences made
?     assert self.user.no_more

# Without known truth validity is reported, and a file can hold the truth
$ mkdir data; cp $REPO/worlds/dialogue/Repairs_1.demos.jsonl $REPO/worlds/dialogue/Repairs_1.test.jsonl data
$ stepwright study preconditions --data data
? Nothing is known to be true of Repairs_1
? Repairs_1 
$ printf 'def GOODBYE(self):\n    assert self.user.no_more\n' > truth.preconditions.py
$ stepwright study preconditions --data data --truth truth.preconditions.py --by action
? has known preconditions
?  GOODBYE 
; Of a service whose truth is not known, no policy can hold to it.
$ stepwright study policy --data data --first 1
$ stepwright study policy --data data --first 1 --preconditions inferred
? compat counts only

# Dialogues are predicted without a language model and a study resumes
$ stepwright study policy --tasks type=Museums_1 --shots 1,10 --first 3 --out p.jsonl | grep '^built-in'
; The table's F1 is that of the file; each turn is there with what was recorded.
$ python3 -c "
> import json; lines = [l for l in map(json.loads, open('p.jsonl')) if 'stepwright' not in l]
> for shots in 1, 10:
>     tp, fp, fn = (sum(l['counts'][key] for l in lines if l['shots'] == shots) for key in ['tp', 'fp', 'fn'])
>     print(shots, '%.3f' % (2 * tp / (2 * tp + fp + fn)))
> print(len(lines), 'episodes, turns of the first:', len(lines[0]['turns']), all(t['recorded'] for t in lines[0]['turns']))"
$ stepwright study policy --tasks type=Museums_1 --shots 1,10 --first 3 --out p.jsonl
? episodes done
; Preconditions that another study inferred can be put in force.
$ stepwright study preconditions --services Museums_1 --out inferred.jsonl --save saved > said
$ stepwright study policy --tasks type=Museums_1 --shots 1,10 --first 3 --out p.jsonl --preconditions inferred.jsonl
? episodes done
; And so can the same as a file to read and edit: what it holds counts and not its name, so nothing is left to do.
$ grep -A1 'def GOODBYE' saved/Museums_1.preconditions.py
$ stepwright study policy --tasks type=Museums_1 --shots 1,10 --first 3 --out p.jsonl --preconditions saved/Museums_1.preconditions.py
? episodes done
; What a person has changed in it is not lost by the same command.
$ cp saved/Museums_1.preconditions.py mine; echo '# mine' >> saved/Museums_1.preconditions.py
$ stepwright study preconditions --services Museums_1 --out inferred.jsonl --save saved > said; echo $?; tail -1 saved/Museums_1.preconditions.py
$ stepwright study preconditions --services Museums_1 --out inferred.jsonl --save saved --replace > said; cmp saved/Museums_1.preconditions.py mine && echo replaced
; It says of which world and service it is, so that it can be checked without a word.
$ stepwright preconditions check saved/Museums_1.preconditions.py --json | grep -o '"fate": *"[a-z]*"' | sort -u
; Once it is edited, all is to do.
$ awk '1; /^def GOODBYE/ { print "    assert self.user is not None" }' saved/Museums_1.preconditions.py > edited.preconditions.py
$ stepwright study policy --tasks type=Museums_1 --shots 1,10 --first 3 --out p.jsonl --preconditions edited.preconditions.py
? episodes done

# The household is studied too
$ stepwright study preconditions --world household --tests 6
? household 
; One task, won; every action permitted by the specification's own assertions.
$ stepwright study policy --world household --tasks type=light,first=1 --preconditions inferred
? built-in proposer 

# A model that cannot be reached is said and asked again
$ stepwright study preconditions --services Museums_1 --out r.jsonl --model nobody --base-url http://127.0.0.1:9/v1 --set model.retries=0 > said; echo $?; grep -o 'http://127.0.0.1:9.*' said | sort | uniq -c | awk '{ $1 = $1 } 1'
$ stepwright study preconditions --services Museums_1 --out r.jsonl --model nobody --base-url http://127.0.0.1:9/v1 --set model.retries=0
? inferences made
; Each of the paper's three methods has failed.
$ stepwright study policy --tasks type=Museums_1,first=1 --model nobody --base-url http://127.0.0.1:9/v1 --set model.retries=0
? few-shot 
? precondition-prompting 
? precondition-aware 
? turn at call

# Wrong words are said with code 2
$ echo '{"shopping": "list"}' > notes.jsonl
$ stepwright study preconditions --services Nowhere_1
$ stepwright study preconditions --out notes.jsonl; cat notes.jsonl
$ stepwright study preconditions --truth notes.jsonl
$ stepwright study preconditions --world household --services Museums_1
$ stepwright study preconditions --edition put
$ stepwright study policy --methods magic 2> said; echo $?; cut -c1-75 said
$ stepwright study policy --preconditions some
$ stepwright study policy --assertions loud
$ stepwright study policy --tasks no-such-task
; What a condition has of its publication nobody changes.
$ stepwright study reprompt --set method.settings=corrective-2024
$ stepwright study o3d --set method.settings=react-2023
; Options of methods that a study does not go by are refused, by their flag where there is one.
$ stepwright study policy --methods few-shot --set method.shots=1
$ stepwright study preconditions --set method.temperature=1

# A file of demonstrations alone is divided by --demos
$ stepwright study preconditions --data $REPO/worlds/dialogue/Museums_1.demos.jsonl
$ stepwright study preconditions --data $REPO/worlds/dialogue/Museums_1.demos.jsonl --demos 7
? 7 demonstrations

# Episodes are run under chosen preconditions
$ cat > under <<'END'
> rm -rf sessions r.jsonl; action=$1; shift; stepwright run --out r.jsonl --sessions sessions "$@" > said && python3 -c "
> import glob, json; records = list(map(json.loads, open(glob.glob('sessions/*')[0]))); ours = {'kind': 'assertions', 'key': '$action'}
> result = list(map(json.loads, open('r.jsonl')))[-1]
> print('won' if result['won'] else 'lost', result['options'].get('preconditions'), [r['patch'][0]['value'] for r in records if r.get('artifact') == ours][-1])"
> END
$ sh under take --tasks shipped/place-box-1 --preconditions none
$ sh under take --tasks shipped/place-box-1 --preconditions true
; A tree derived from what was inferred, and the built-in selector on it.
$ sh under take --tasks shipped/place-box-1 --preconditions inferred --domain derived --method blocking
; Of actions that a file does not name the specification's own stay.
$ printf 'def take(self, obj, recep):\n    assert obj is not None\n' > mine.preconditions.py
$ sh under take --tasks shipped/place-box-1 --preconditions mine.preconditions.py
$ sh under goto --tasks shipped/place-box-1 --preconditions mine.preconditions.py
; Of a service, by its name in a study's results.
$ sh under GOODBYE --world dialogue --tasks type=Museums_1,first=1 --preconditions true
; What cannot be in force is said before any episode.
$ printf 'def fly(self):\n    assert True\n' > mine.preconditions.py
$ sh under take --tasks shipped/place-box-1 --preconditions mine.preconditions.py
$ sh under take --method statler --tasks shipped/place-box-1
$ sh under take --tasks shipped/place-box-1 --preconditions some
? it is ground-truth, inferred, none

# A name that data gives leads into no other folder
$ mkdir data one; python3 -c "
> import json, os; calls = ['user.INFORM(\'day\')', 'system.REQUEST(\'day\')', 'user.GOODBYE()', 'system.GOODBYE()']
> for at, service in enumerate(['../../evil', os.path.abspath('above'), 'a/b', 'a_b', 'long' * 100, '']):
>     for n in range(4): print(json.dumps({'id': 'a/%d%d\nb' % (at, n), 'service': service, 'calls': calls, 'turns': [1] * 4}))" > data/all.jsonl
$ stepwright study preconditions --data data --demos 2 --save one/saved > said; echo $?; ls; ls one/saved | wc -l | tr -d ' '; ls one/saved | grep -v -e tmp -e long
; A task is one line of three columns, whatever its id holds.
$ stepwright play dialogue --data data --list | awk -F '\t' '{ n[NF]++ } END { for (k in n) print n[k] " of " k " columns" }'

# A language model writes assertions of tools as well: what holds at every accepted call judges, in a row of its own
server: 200 {"choices":[{"message":{"content":"reason != 'boredom'"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}
$ mkdir desk; python3 -c "
> import json
> tool = lambda name, *own: {'name': name, 'parameters': {'properties': {p: {'type': 'string'} for p in own}, 'required': own}}
> read = lambda n: {'tool': 'get_order', 'arguments': {'order_id': f'W{n}'}, 'result': {'order_id': f'W{n}', 'status': ['pending', 'delivered'][n % 2]}}
> cancel = lambda n, why: {'tool': 'cancel_order', 'arguments': {'order_id': f'W{n}', 'reason': why}}
> done = lambda n: {**cancel(n, ['mistake', 'late'][n // 2 % 2]), 'result': {'order_id': f'W{n}', 'status': 'cancelled'}}
> call = lambda name, n, why, good: {'id': name, 'before': [read(n)], 'call': cancel(n, why), 'accepted': good, 'decidable': True, 'kind': name}
> json.dump([tool('get_order', 'order_id'), tool('cancel_order', 'order_id', 'reason')], open('desk/tools.json', 'w'))
> lines = lambda name, all: open('desk/' + name, 'w').write('\n'.join(map(json.dumps, all)))
> lines('demonstrations.jsonl', [{'steps': [read(n), done(n)] if n % 2 == 0 else [read(n)]} for n in range(24)])
> lines('calls.jsonl', [call('good', 40, 'mistake', True), call('status', 41, 'mistake', False), call('reason', 40, 'boredom', False)])"
$ stepwright study tools --data desk > said; tr -s ' ' < said | grep -e 'of the model' -e 'inferred assertions' | cut -d' ' -f1-8
$ stepwright study tools --data desk --set method.temperature=1
; The policy stands in the prompt, where there is one.
$ stepwright study tools --data desk --model small --base-url $SERVER --policy
$ echo 'Only what is pending may be cancelled.' > desk/policy.md; stepwright study tools --data desk --model small --base-url $SERVER --policy --samples 2 --assertions > said; tr -s ' ' < said | grep -e 'of the model' -e 'inferred assertions' -e boredom -e ', by the model' | cut -d' ' -f1-9

; Where nobody answers the table is there all the same.
$ stepwright study tools --data desk --model nobody --base-url http://127.0.0.1:9/v1 --set model.retries=0 > said 2> /dev/null; echo $?; tr -s ' ' < said | grep -e 'of the model' | cut -c1-60

# A last step that was refused and given up is no part of a plan
$ stepwright study reprompt --tasks flat/read_on_couch --conditions notion --out r.jsonl > shown; python3 -c "
> import json; plan = [l for l in map(json.loads, open('r.jsonl')) if l.get('condition') == 'notion'][0]
> print(plan['plan'], plan['errors'], plan['executable'])"
$ stepwright run --world graph --run prepared --tasks flat/read_on_couch --method reprompt --settings corrective-2022 --information notion --sessions kept > shown; stepwright show kept/*.jsonl | tail -40
? > [PUTBACK]
? is not holding

# Methods that lack skills in a world are left out of the comparison, unless they are named
$ stepwright study decisions --world kitchen --tasks galley/coffee | grep -v Measured | cut -c1-60
? left out
? blocking 
? o3d
$ stepwright study decisions --world kitchen --tasks galley/coffee --methods blocking,o3d
