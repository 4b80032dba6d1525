# A stand-in for a person's adapter: counts actions, and does what some of them say. Everything it is asked goes to the file it
# is given, its process ids to that file's name with .pids.
n=0
echo "$$" >>"$1.pids"
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$1"
  case $line in
    *'"reset"'*) n=0 ;;
    *) n=$((n+1)) ;;
  esac
  case $line in
    *die*) echo 'loading' >&2; echo 'Traceback: the simulator fell over' >&2; exit 3 ;;
    *slow*) sleep 1 ;;
    *late*) sleep 5 ;;
    *hang*) sleep 1000 & echo "$!" >>"$1.pids"; wait ;;
    *orphan*) sleep 1000 & echo "$!" >>"$1.pids"; exit 0 ;;
    *garbage*) echo 'Loading the house'; continue ;;
    *partial*) printf '{"step":%d,"obs' $n; exit 0 ;;
    *type*) printf '{"step":%d,"observation":7}\n' $n; continue ;;
    *other*) printf '{"step":%d,"observation":"x"}\n' $((n+1)); continue ;;
    *twice*) printf '{"step":%d,"observation":"total %d"}\n{"step":%d,"observation":"more"}\n' $n $n $((n+1)); continue ;;
    *flood*) printf '{"step":%d,"observation":"total %d"}\n' $n $n; while :; do echo '{"step":1,"observation":"x"}'; done ;;
    *endless*) while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done ;;
    *deaf*) printf '{"step":%d,"observation":"total %d"}\n' $n $n; exec <&-; sleep 1000 ;;
    *mute*) exec >&-; sleep 1000 ;;
    *leave*) printf '{"step":%d,"observation":"total %d"}\n' $n $n; exit 4 ;;
    *who*) printf '{"step":%d,"observation":"I am %d","admissible":["add"]}\n' $n $$; continue ;;
    *refuse*) printf '{"step":%d,"observation":"No.","error":"No."}\n' $n; continue ;;
  esac
  won=false; [ $n -ge 9 ] && won=true
  printf '{"step":%d,"observation":"total %d","admissible":["die","add"],"done":%s,"won":%s,"state":{"n":%d},"task":"count to nine."}\n' \
    $n $n $won $won $n
done
