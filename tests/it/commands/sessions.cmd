# Branches of a session and sessions are compared
; What each branch did otherwise and not the file; no line is wider than the terminal.
$ stepwright compare $REPO/sessions/by-hand.jsonl > out; echo "$?: $(awk '{ if (length($0) > 100) n++ } END { print n + 0 }' out) lines too wide"; cat out
? lines too wide
?  (#8)
? sessions/by-hand
? First difference: step
?  => 
$ stepwright compare $REPO/sessions/solved.jsonl $REPO/sessions/solved.jsonl
? No difference.
; Two tasks differ from the beginning.
$ stepwright compare $REPO/sessions/solved.jsonl $REPO/sessions/by-hand.jsonl --json both.json --html page.html
? !
$ grep -o '"first_difference": *[0-9]*' both.json; grep -c '"columns"' both.json; grep -o 'first difference' page.html | sort -u
$ stepwright compare $REPO/sessions/solved.jsonl
$ stepwright compare $REPO/sessions/solved.jsonl#9999 $REPO/sessions/by-hand.jsonl

# Sessions are listed, renamed and deleted
$ stepwright sessions
$ mkdir -p state/sessions; cd state/sessions; cp $REPO/sessions/solved.jsonl $REPO/sessions/by-hand.jsonl .; printf 'no session\033[31m' > torn.jsonl
$ stepwright sessions | sed 's/20[0-9][0-9]-[0-9-]* [0-9:]*/DATE/'
$ stepwright sessions | grep -c "$(printf '\033')"
$ stepwright sessions --won --json tomato | grep -o '"\(branches\|won\)":[a-z0-9]*'
$ stepwright sessions rename solved by-hand
$ stepwright sessions rename solved heated; ls state/sessions
$ stepwright sessions rename heated ../out
$ stepwright sessions delete heated; ls state/sessions
$ stepwright sessions delete heated --yes; ls state/sessions
$ stepwright sessions nowhere-to-be-found
; A name in the folder of sessions is enough everywhere.
$ stepwright show by-hand > shown && stepwright show $REPO/sessions/by-hand.jsonl | cmp - shown
$ stepwright export by-hand.jsonl --jsonl - > exported && cut -c1-24 exported | head -1
$ stepwright compare by-hand#3 by-hand#8
? by-hand#8
; And the newest needs none.
$ rm state/sessions/torn.jsonl; stepwright show --last | cmp - shown && stepwright export --last --jsonl - | cmp - exported
$ stepwright compare --last
? First difference
$ stepwright show state/sessions
$ stepwright open by-hand --step 999
$ stepwright open nowhere

# What is no session is neither renamed nor deleted
$ cp $REPO/sessions/solved.jsonl s.jsonl; echo torn > s.jsonl.torn; echo text > plain.txt; printf '{"stepwright":"results"}\n' > r.jsonl
$ stepwright sessions delete s.jsonl plain.txt --yes
$ stepwright sessions delete r.jsonl --yes; stepwright sessions rename plain.txt other; ls
$ stepwright sessions delete s.jsonl --yes; ls

# What is torn is said, and what cannot be gone through
$ (cat $REPO/sessions/solved.jsonl; printf '{"id":9') > cut.jsonl; stepwright show cut.jsonl > /dev/null; stepwright export cut.jsonl --html page.html; stepwright compare cut.jsonl#1 $REPO/sessions/solved.jsonl > /dev/null
$ sed '1s/"data":"shipped"/"data":"gone"/; 1s/,"sum":"[0-9a-f]*"}$/}/' $REPO/sessions/solved.jsonl > away.jsonl; stepwright show away.jsonl
? not shown
? state:
$ stepwright export away.jsonl --html away.html; grep -c 'not shown' away.html
$ stepwright open away.jsonl --read-only

# A tree is drawn with what the demonstrations show, however busy the machine is
$ stepwright run --world graph --tasks flat/milk_on_table --sessions runs > /dev/null 2>&1; f=$(ls runs/*.jsonl); for n in 1 2 3 4; do stepwright show $f | cksum; done | sort -u | wc -l
$ stepwright show $(ls runs/*.jsonl) > shown; grep -A1 'blocked: self.is_near(obj)' shown | sort -u

# The tree of a blind session has no verdict that is hidden
$ head -54 $REPO/sessions/kitchen.jsonl | sed 's/,"sum":"[0-9a-f]*"}$/}/' > blind.jsonl; echo '{"id":54,"ts":0,"node":1,"event":"blind_set","blind":true}' >> blind.jsonl
$ stepwright show blind.jsonl
? moveforward
? turnleft

# A session is read from a pipe and a place that is not there is said
$ stepwright show - < $REPO/sessions/solved.jsonl | head -1
$ cat $REPO/sessions/solved.jsonl | stepwright show /dev/stdin | head -1
$ stepwright export $REPO/sessions/solved.jsonl --html none/page.html
; A shell may leave the variable empty.
$ COLUMNS= stepwright compare $REPO/sessions/by-hand.jsonl
? First difference

# A session is not written over by mistake
$ cp $REPO/sessions/by-hand.jsonl k.jsonl; cp $REPO/sessions/solved.jsonl other.jsonl; ln -s k.jsonl link; cat k.jsonl > kept
$ stepwright export k.jsonl --html k.jsonl; stepwright export k.jsonl --jsonl link --replace; stepwright export k.jsonl --cast other.jsonl
$ stepwright compare k.jsonl --html ./k.jsonl; stepwright compare k.jsonl other.jsonl --json k.jsonl --replace; stepwright compare k.jsonl --json other.jsonl
$ cmp k.jsonl kept && cmp other.jsonl $REPO/sessions/solved.jsonl && echo as they were
; What was written before may be replaced; another session by those who say so.
$ stepwright export k.jsonl --html page.html && stepwright export k.jsonl --html page.html && ls
$ stepwright export k.jsonl --jsonl other.jsonl --replace; stepwright show k.jsonl > shown; stepwright show other.jsonl | cmp - shown && echo replaced

# Ctrl-C ends a headless gate whose agent has asked nothing yet
$ timeout --preserve-status -s INT -k 60 8 stepwright gate --headless -- sleep 300

# How an agent ended is the exit code where no other command says it
$ stepwright gate --headless -- sh -c 'exit 7'
$ stepwright gate --headless -- sh -c 'exit 0'
$ stepwright gate --headless --success true -- sh -c 'exit 7'
