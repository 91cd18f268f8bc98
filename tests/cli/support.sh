# Functions that the tests of the command line share. $gpode is the program.

fail() { printf '%s\n' "$@" >&2; exit 1; }

# enter_scratch: enters a temporary folder that is removed at the end.
enter_scratch() {
  scratch=$(mktemp -d)
  trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
  cd "$scratch"
}

# wait_for_file FILE PID: waits until the file exists; fails if the process ends before that.
wait_for_file() {
  until [ -e "$1" ]; do
    kill -0 "$2" 2>/dev/null || fail "the process ended without $1"
    sleep 0.01
  done
}

# wait_for_work PID: waits until the process has used a tenth of a second of CPU time.
wait_for_work() {
  local fields
  while true; do
    read -ra fields 2>/dev/null <"/proc/$1/stat" || fail "the process ended early"
    [ $((fields[13] + fields[14])) -lt $(($(getconf CLK_TCK) / 10)) ] || return 0
    sleep 0.01
  done
}

# same_bytes_if_stopped ARGUMENTS...: fails unless a fit that is stopped and resumed gives the bytes of one that is not.
same_bytes_if_stopped() {
  local code=0
  "$gpode" "$@" -o whole.gpode --quiet
  # The second run is stopped as soon as its first checkpoint exists.
  "$gpode" "$@" --checkpoint 0.05 -o part.gpode >out 2>/dev/null &
  wait_for_file part.gpode $!
  kill -TERM $!
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code: it was not stopped" "$(<out)"
  contains "$(<out)" "stopped after"
  "$gpode" fit --resume -o part.gpode --quiet
  cmp whole.gpode part.gpode
}

# expect CODE STDOUT STDERR ARGUMENTS...: checks the exact result of one call.
expect() {
  local code=0 out err files
  files=$(mktemp -d)
  "$gpode" "${@:4}" >"$files/out" 2>"$files/err" || code=$?
  out=$(<"$files/out") err=$(<"$files/err")
  rm -r "$files"
  [ "$code" = "$1" ] || fail "gpode ${*:4}: exit code $code, must be $1" "$err"
  [ "$out" = "$2" ] || fail "gpode ${*:4}: stdout is" "$out" "must be" "$2"
  [ "$err" = "$3" ] || fail "gpode ${*:4}: stderr is" "$err" "must be" "$3"
}

# contains TEXT PART...: fails unless the text contains every part.
contains() {
  local part
  for part in "${@:2}"; do
    [[ "$1" == *"$part"* ]] || fail "'$part' is missing from" "$1"
  done
}
