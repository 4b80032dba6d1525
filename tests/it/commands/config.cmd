# A file is made once and shown with sources
$ stepwright config path
$ stepwright config init
$ stepwright config init
; A key is present, and not shown.
$ OPENAI_API_KEY=sk-secret stepwright config show --model gpt-x --set model.retries=0
? --model
? retries = 
? key:
? sk-secret

# A blocking domain is a file or derived
$ stepwright run --method blocking --tasks shipped/place-box-1 --out out.jsonl --domain derived
? episodes run
$ grep -o '"won":[a-z]*' out.jsonl
$ stepwright run --method blocking --tasks shipped/place-box-1 --out out.jsonl --domain derivd
; In the configuration's file a path starts where the file is; the word is no path.
$ mkdir -p config; printf '[method]\ndomain = "derived"\n' > config/config.toml; stepwright config show
? domain =
$ printf '[method]\ndomain = "mine.toml"\n' > config/config.toml; stepwright config show
? domain =

# A name that is nearly right is answered with the right one
$ stepwright run --out out.jsonl --method blockng 2> said; echo $?; cut -c1-85 said
$ stepwright config show --theme drak > shown
$ stepwright config show --set retries=0
$ stepwright config show --set mode.retries=0
$ stepwright run --out out.jsonl --tasks type=het
$ stepwright play kitchen --task galley/cofee
$ stepwright distill log --out none/x.skills.toml
$ stepwright new-task household --type heat --out - | cut -c1-20; ls

# A wrong file is refused with its line, and where it is can still be asked
$ mkdir config; printf "[ui]\nthem = 'dark'\n" > config/config.toml
$ stepwright config show
$ stepwright models list
$ stepwright config path

# Models are listed and probed
server: 200 {"data":[{"id":"small","max_model_len":4096}]}
server: 200 {"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}
server: 200 {"choices":[{"message":{"content":"b"},"finish_reason":"stop"}]}
server: 200 {"choices":[{"message":{"content":"c"},"finish_reason":"stop"}]}
server: 404 nothing here
$ mkdir config; printf "[models.local]\nbase_url = '$SERVER'\nmodel = 'small'\napi_key_env = 'LOCAL_KEY'\n" > config/config.toml
$ LOCAL_KEY=sk-secret stepwright models list
? * symbolic
? smollm2
? $LOCAL_KEY
? $OPENAI_API_KEY
? sk-secret
$ LOCAL_KEY=sk-secret stepwright models probe local
$ stepwright models probe

# A command's help has the settings that it goes by
$ stepwright export --help | grep -o -e '--theme' -e '--no-mouse' -e '--base-url' -e '--command' -e '--set '
$ stepwright models list --help | grep -o -e '--theme' -e '--no-mouse' -e '--base-url' -e '--command' -e '--set '
$ stepwright preconditions logs --help | grep -o -e '--theme' -e '--no-mouse' -e '--base-url' -e '--command' -e '--set '
$ stepwright show --help | grep -o -e '--config-dir' -e '--set ' -e '--model-for'
$ stepwright man --help | grep -o -e '--config-dir' -e '--set ' -e '--model-for'
; They are taken all the same.
$ stepwright models list --no-mouse > listed; head -1 listed

# Keys and themes are looked up when the settings are shown
$ mkdir config; printf '[keys]\napprove = "e"\n' > config/config.toml
$ stepwright config show > shown
$ printf '[keys]\naprove = "e"\n' > config/config.toml
$ stepwright config show > shown
$ printf '[ui]\ntheme = "purple"\n' > config/config.toml
$ stepwright config show > shown

# What is secret in addresses and commands is not shown
$ mkdir config
$ cat > config/config.toml <<END
> [model]
> base_url = 'https://u:PASSWORD@h/v1?api-key=QUERY'
> [data]
> model_hub = 'https://me:PASSWORD@h/hub'
> [external.a]
> command = ['python3', 'a.py', '--api-key', 'ARGUMENT', '--seed', '3']
> env = ['MY_TOKEN=VARIABLE', 'MODE=fast']
> END
$ stepwright config show
? https://
? --seed
? MODE=fast
? PASSWORD
? QUERY
? ARGUMENT
? VARIABLE

# Models that can be fetched are named, and a file that is none of them is refused
$ stepwright models fetch gpt
$ stepwright models fetch smollm2 --from .
? does not hold

# A world's data of the configuration is that of runs and of play
$ mkdir config; printf "[data]\nkitchen = '/nosuch'\n" > config/config.toml; stepwright run --world kitchen --list; stepwright play kitchen --list

# Tips that cannot be read stop what they were to lead
$ stepwright run --model small --base-url http://127.0.0.1:9/v1 --method react --tips nosuch --tasks first=1 --max-steps 1 --out out.jsonl > out; echo $?; grep -o "the tips that lead every request: [^:]*" out

# A prompt of one's own that cannot be rendered loses no episode
$ mkdir -p config/prompts/react; echo '{{ tusk }}' > config/prompts/react/act_chat.jinja
$ stepwright run --model small --base-url http://127.0.0.1:9/v1 --method react --tasks first=1 --out out.jsonl > out; echo $?; grep -o '"won":[a-z]*' out.jsonl; grep -E 'tusk|not known|won ' out
$ rm config/prompts/react/act_chat.jinja; stepwright run --model small --base-url http://127.0.0.1:9/v1 --method react --tasks first=1 --out out.jsonl | tail -3
