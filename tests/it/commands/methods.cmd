# The options of a method in another process are set by file and flag and belong to the experiment
$ mkdir config; printf '[methods.toy]\ncommand = "python3 %s/python/stepwright/examples/toy_method.py"\n' $REPO > config/config.toml
$ cat > toy <<'END'
> rm -f out.jsonl; stepwright run --world external --command "python3 $REPO/python/stepwright/examples/counter.py" --method external:toy --out out.jsonl "$@" > said &&
> python3 -c "
> import json; head, _, line = map(json.loads, open('out.jsonl')); fields = head['fields']
> print(line['steps'], 'steps by', fields['method'], fields['method_version'], fields['options']['toy.order'], 'digest' in fields['commands']['external:toy'])
> print(head['experiment'], file=open('experiment', 'w'))"
> END
$ sh toy; cp experiment plain
$ sh toy --method-opt order=smallest; cp experiment flagged; cmp -s plain flagged || echo another experiment
; A flag goes before the file.
$ echo "options = { order = 'smallest' }" >> config/config.toml; sh toy; cmp experiment flagged
$ sh toy --method-opt order=largest; cmp experiment plain

# What does not fit is refused before the first episode
$ mkdir config; printf '[methods.toy]\ncommand = "python3 %s/python/stepwright/examples/toy_method.py"\n' $REPO > config/config.toml
$ printf 'stepwright run --world external --command "python3 $REPO/python/stepwright/examples/counter.py" --out - "$@"' > toy
$ sh toy --method external:toy --method-opt ordr=smallest
$ sh toy --method external:toy --method-opt order=up
$ sh toy --method external:toy --shots 3
$ sh toy --method external:toy --set methods.toy.command=no-such-program
$ sh toy --method few-shot --method-opt order=up
$ sh toy --method external:other
$ stepwright run --world table --tasks first=1 --method external:toy --out out.jsonl; test -s out.jsonl
$ cp config/config.toml kept; echo 'options = { depth = 3 }' >> config/config.toml; sh toy --method external:toy
$ (cat kept; echo 'start_timeout_s = 1') > config/config.toml; sh toy --method external:toy --set 'methods.toy.command=sleep 30'
; Nor is a flag before a command passed over, or a file that is not there.
$ stepwright --method nosuch run --tasks first=1
$ stepwright --world kitchen play household --list
$ stepwright run --world agent --tasks nosuch.jsonl -- true

# A method in another process is listed with its options
$ stepwright methods --set "methods.toy.command=python3 $REPO/python/stepwright/examples/toy_method.py" --set methods.gone.command=no-such-program > listed; grep -A4 -e external:toy -e external:gone listed
