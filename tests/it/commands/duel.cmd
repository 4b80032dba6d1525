# Others are asked at each step of a run, and a table says who disagreed where
; The policy of the method in use decides; the others are asked in copies.
$ stepwright run --world graph --tasks flat/watch_television --method reprompt --with precondition-aware --sessions kept > out; grep -A4 '^Several' out
; The session that was kept says so, as text and as a page.
$ stepwright show kept/flat_watch_television.jsonl > shown; grep -m1 '^  duel' shown; grep -A2 -m1 'duel: ' shown
$ stepwright export kept/flat_watch_television.jsonl --html page.html > said; grep -c '<summary>duel: they disagree</summary>' page.html
; What would do the same is no disagreement.
$ stepwright run --world kitchen --tasks first=1 --method blocking --with blocking+answers=7 > out; grep '^Several' out
; A choice that is blocked executes nothing: the others go on to one that does.
$ stepwright run --world household --tasks first=1 --with blocking --max-steps 3 > out; grep -A9 '^Several' out
; A side that is none is refused before anything begins.
$ stepwright run --world graph --tasks first=2 --method reprompt --with method=blocking --out results.jsonl
$ stepwright run --world graph --tasks first=2 --method reprompt --with none.preconditions.py --out results.jsonl; ls results.jsonl
$ stepwright run --world graph --tasks first=1 --with gpt+ > out
