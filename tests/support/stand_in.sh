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
    *die*) echo 'Traceback: the simulator fell over' >&2; exit 3 ;;
    *slow*) sleep 1 ;;
    *hang*) sleep 1000 & echo "$!" >>"$1.pids"; wait ;;
    *who*) printf '{"step":%d,"observation":"I am %d","admissible":["add"]}\n' $n $$; continue ;;
  esac
  won=false; [ $n -ge 9 ] && won=true
  printf '{"step":%d,"observation":"total %d","admissible":["add","die"],"done":%s,"won":%s,"state":{"n":%d},"task":"count to nine."}\n' \
    $n $n $won $won $n
done
