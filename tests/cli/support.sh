# What the tests of the command line share. $gpode is the program.

fail() { printf '%s\n' "$@" >&2; exit 1; }

# A folder that is gone at the end.
enter_scratch() {
  scratch=$(mktemp -d)
  trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
  cd "$scratch"
}

# expect CODE STDOUT STDERR ARGUMENTS...: the exact result of one call.
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

# contains TEXT PART...
contains() {
  local part
  for part in "${@:2}"; do
    [[ "$1" == *"$part"* ]] || fail "'$part' is missing from" "$1"
  done
}
