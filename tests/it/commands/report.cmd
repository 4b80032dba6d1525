# Two shards on two processes are one run
; At the same time, the one by its flag and the other from a Slurm array's variables.
$ mkdir shards; stepwright run --tasks type=light,first=3 --seeds 0..1 --out shards --shard 1/2 > one & SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_STEP=1 stepwright run --tasks type=light,first=3 --seeds 0..1 --out shards > other; echo $?; wait $!; echo $?
? shard 2 of 2
? 0
$ stepwright run --tasks type=light,first=3 --seeds 0..1 --out alone.jsonl > whole
; The units are divided, the lines are the same but for the time.
$ units() { cat "$@" | grep '"unit"' | grep -v '"stepwright"' | sed 's/"seconds":[0-9.e-]*//; s/,"sum":.*//' | sort; }
> units alone.jsonl > a; units shards/*.jsonl | cmp - a && wc -l < a | tr -d ' '; for part in shards/*; do test $(units $part | wc -l) -gt 0 && echo $part; done
; The time is behind the twelfth column.
$ figures() { grep '^all' $1 | awk '{ print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 }'; }
> stepwright report shards --require-complete > report && figures report; figures whole
; With everything twice nothing changes; results that contradict each other are said.
$ stepwright report shards alone.jsonl --export r.csv --export r.json --export r.svg
? doubles
? !
$ head -1 r.csv; grep ',all,episodes,' r.csv; grep -c '<circle' r.svg | sed 's/[1-9][0-9]*/circles/'
$ python3 -c "import json; one = json.load(open('r.json'))[0]; print(one['units'], one['depends_on']['limits']['max_steps'])"
$ sed 's/,"sum":.*/}/' alone.jsonl | awk '!n && sub(/"steps":/, "\"steps\":1") { n = 1 } 1' > other.jsonl; stepwright report alone.jsonl other.jsonl
? doubles
; With one shard alone what is missing is named.
$ stepwright report shards/shard-1-of-2.jsonl --require-complete 2>&1
? without a result
?   shipped/light-

# Results of another experiment are not taken for done
; What one finds in too few steps is no result of a run with enough of them.
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl --max-steps 2 | awk '/^all/ { print $4 }'
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl | awk '/^all/ { print $4 } / run;/'
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl
? episodes run
; Each of these could change a result.
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl --method few-shot
? episodes run
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl --preconditions none
? episodes run
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl --edition move
? episodes run
$ stepwright run --tasks 'shipped/light-*,first=1' --out r.jsonl --set gate.token_budget=100000
? episodes run
; A report keeps them apart and says how they differ.
$ stepwright report r.jsonl > report; grep -c '1 of 1 unit' report; grep -o 'unlike [0-9a-f]*: .*max_steps[^;,]*' report | sed 's/[0-9a-f]\{8,\}/HASH/g' | sort -u
$ stepwright report r.jsonl --experiment $(awk 'NR == 1 { print substr($2, 1, 8) }' report) | grep -c '1 of 1 unit'
; What another study or program wrote is left as it is.
$ stepwright study blocking --tasks first=1 --conditions FF-Replan --out r.jsonl
$ printf 'my only notes' > notes.txt; stepwright run --tasks first=1 --out notes.txt
$ cat notes.txt

# A row is one experiment, and repetitions are none
$ printf 'def GOODBYE(self):\n    assert self.user.no_more\n' > t.preconditions.py
$ cat > infer <<'END'
> stepwright study preconditions --services Museums_1 --out r.jsonl --jobs 2 "$@" > said; grep -e '^Measured' -e '^Museums_1' said | sed 's/file, [0-9a-f]*/file, HASH/' | tr -s ' '
> END
$ sh infer
; Seeds of what nothing random decides come out alike, and count once.
$ sh infer --seeds 0..2; grep "came out alike" said
; Another truth and fewer episodes are experiments of their own.
$ sh infer --truth t.preconditions.py
$ sh infer --tests 5
$ stepwright report r.jsonl --export r.csv --export r.json > report; grep -c '^Measured' report; grep ^Museums_1 report | tr -s ' ' | sort
$ grep -c 'measured under,,model,no language model' r.csv; python3 -c "import json; print(sorted(one['measured_under'].get('tests', 'all') for one in json.load(open('r.json'))))"
; Where no model took part methods that do the same are one row, named for what acted.
$ stepwright study policy --tasks type=Museums_1 --first 2 --methods few-shot,precondition-aware --preconditions inferred | grep -c '^built-in proposer'
; A whole id is one task; what cannot begin is refused before the first episode; no session is lost where two take one name.
$ stepwright run --world shop --tasks fixed_1 --list | wc -l | tr -d ' '
$ stepwright run --world kitchen --method o3d --out none.jsonl; ls none.jsonl
$ stepwright run --world kitchen --method o3d --model nobody --base-url http://127.0.0.1:9/v1 --out none.jsonl; ls none.jsonl
$ stepwright run --world kitchen --method blocking --selection scored
$ stepwright run --tasks type=light,first=1 --seeds 0..7 --jobs 8 --sessions kept > said; ls kept | wc -l | tr -d ' '; grep ^all said | tr -s ' ' | cut -d ' ' -f 2,3

# Results can be printed, or left nowhere
$ stepwright run --tasks type=light,first=1 --out - > r 2> table; echo $?; grep -c . r; grep '^all' table | cut -c1-34
$ stepwright run --tasks type=light,first=1 --out /dev/stdout > r 2> table; echo $?; grep -c . r; grep '^all' table | cut -c1-34
$ stepwright run --tasks type=light,first=1 --out /dev/null
? results in

# Units are listed and carried out one by one
$ stepwright run --tasks type=light,first=3 --seeds 0..1 --list --json > units; sed 's/"unit":"[^"]*"/"unit":…/' units
$ for shard in 1/2 2/2; do stepwright run --tasks type=light,first=3 --seeds 0..1 --list --json --shard $shard; done | sort > both; sort units | cmp - both
$ key=$(sed -n '4s/.*"unit":"\([^"]*\)".*/\1/p' units); stepwright run --tasks type=light,first=3 --seeds 0..1 --out r.jsonl --unit $key && grep -c "\"unit\":\"$key\"" r.jsonl && grep "\"unit\":\"$key\"" r.jsonl | grep -o '"seed":[0-9]*' | sort -u
? episodes run
? "seed"
$ stepwright run --tasks type=light,first=3 --seeds 0..1 --out r.jsonl --unit ffff
$ stepwright run --tasks type=light,first=3 --seeds 0..1 --list | sed 's/^[0-9a-f]*/KEY/'
; In an indexed job of unknown size each pod would do everything.
$ JOB_COMPLETION_INDEX=0 stepwright run --tasks type=light,first=3 --seeds 0..1 --list

# Limits end a run and say so
$ stepwright run --tasks all --out r.jsonl --time-limit 0.05s | sed 's/^[0-9]* of/N of/'
? stopped early
$ stepwright run --tasks all --out r.jsonl --cost-limit 1 --model some-model
$ stepwright run --tasks all --out r.jsonl --time-limit soon
? 90s, 30m or 4h
; Why an episode was refused is said below the table.
$ stepwright run --tasks type=light,first=1 --out r.jsonl --model nobody --base-url http://127.0.0.1:9/v1 --set model.retries=0 2> said
? shipped/light-

# What the configuration says of other methods is no circumstance of a run
$ mkdir config; printf '[method]\nlimits = "o3d-15"\nactions = 3\n' > config/config.toml
$ stepwright run --tasks first=1 --out r.jsonl
? Measured under
? o3d-15
$ grep -c o3d-15 r.jsonl

# What does not fit the model is said below the table
server: 200 {"choices":[{"message":{"content":"agent.goto('fridge 1')"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":100}}
$ stepwright run --tasks first=1 --max-steps 1 --method few-shot --model m --base-url $SERVER --set model.context=1500 --out r.jsonl
? did not fit
$ grep -o '"shortened":[0-9]*' r.jsonl

# A limit is of what one run spends and the next goes on
server: 200 {"choices":[{"message":{"content":"agent.goto('fridge 1')"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":100}}
$ printf 'stepwright run --tasks first=3 --max-steps 2 --method few-shot --model m --base-url $SERVER --set model.stream=false --set model.retries=0 "$@"' > run
; An episode of two steps takes 2200 tokens.
$ sh run --out tokens.jsonl --token-limit 3000
? episodes run
$ sh run --out tokens.jsonl --token-limit 3000
? episodes run
$ sh run --out cost.jsonl --set model.price_in=100 --set model.price_out=1000 --cost-limit 0.1
? episodes run
; What no run reaches would be no limit.
$ sh run --out none.jsonl --set model.price_in=100 --set model.price_out=1000 --cost-limit nan
? invalid value
$ sh run --out none.jsonl --set model.price_in=100 --set model.price_out=1000 --cost-limit inf
? invalid value
$ sh run --out none.jsonl --set model.price_in=100 --set model.price_out=1000 --cost-limit 0
? invalid value
$ sh run --out none.jsonl --token-limit 0
? invalid value

# A server that counts nothing cannot be held to a limit
server: 200 {"choices":[{"message":{"content":"agent.goto('fridge 1')"},"finish_reason":"stop"}]}
$ stepwright run --tasks first=1 --max-steps 1 --method few-shot --model m --base-url $SERVER --token-limit 3000
? reported no tokens

# A closed pipe costs no saved file
$ (stepwright study preconditions --services Museums_1 --save saved; echo "ended $?" > ended) | true; cat ended; grep -e '^# world' -e '^# task' saved/Museums_1.preconditions.py; grep -c assert saved/Museums_1.preconditions.py | sed 's/[1-9][0-9]*/assertions/'
