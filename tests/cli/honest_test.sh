#!/usr/bin/env bash
# Tests that failures are not reported as success, and that what is written can be read again.
# usage: honest_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

small=(--inducing 4 --features 16)

# ends_with CODE ARGUMENTS...: checks the exit code, and keeps the output in out.txt and err.txt.
ends_with() {
  local code=0
  "$gpode" "${@:2}" >out.txt 2>err.txt || code=$?
  [ "$code" = "$1" ] || fail "gpode ${*:2}: exit code $code, must be $1" "$(<err.txt)"
}

# lost_model OPTIONS...: trains lost.gpode, all of whose draws are lost, because its initial state
# is far from the data. The fit must end with exit code 1.
lost_model() {
  "$gpode" simulate vdp --noise 0.05 --points 12 -o v.csv --quiet
  ends_with 1 fit v.csv --initial -1e6 --iterations 20 "${small[@]}" --solver-max-steps 200 -o lost.gpode "$@"
}

# When all draws were lost, gpode fit once said "explained 100.0 %" and ended with 0.
test_a_fit_from_which_nothing_can_be_forecast_fails() {
  lost_model
  contains "$(<out.txt)" "x1             12" "0.0 %            0 %" "12 of its 12 values could not be forecast"
  contains "$(<err.txt)" "gpode: fit: training failed, nothing can be forecast: 64 of 64 draws are lost"
  lost_model --quiet
  [ ! -s out.txt ] || fail "--quiet prints" "$(<out.txt)"
  lost_model --json --quiet
  python3 - out.txt <<'END'
import json, sys
fit = json.load(open(sys.argv[1]))
assert all(c["missed"] == c["values"] == 12 and c["inside_90"] == 0 and abs(c["explained"]) < 1e-9 for c in fit["channels"]), fit
assert fit["unfinished"] == 64 and fit["diverged"] == 0, fit
END
}

test_forecasts_without_any_draw_left_fail() {
  lost_model --quiet
  ends_with 1 forecast lost.gpode --times 0:7:3 -o f.csv
  contains "$(<err.txt)" "gpode: forecast: 128 of 128 draws are lost (128 need more solver steps than allowed); at some times none is left"
  contains "$(<out.txt)" "0 diverged, 128 out of solver steps"
  contains "$(<f.csv)" "0,,,,,,,,"
  ends_with 1 impute lost.gpode --times 0.1,0.2 -o i.csv
  ends_with 1 score lost.gpode v.csv --json
  contains "$(<out.txt)" '"unfinished": 128' '"warning": "128 of 128 draws are lost' '"coverage_90": 0.0'
  ends_with 1 plot lost.gpode --kind forecast -o p.svg
  contains "$(<p.svg)" "<svg"
  ends_with 1 plot lost.gpode --kind calibration -o c.svg
  ends_with 1 report lost.gpode -o r.html
  contains "$(<r.html)" "128 of 128 draws are lost" "draws out of solver steps"
}

# Draws that ran out of steps were once counted as diverged, and bands were those of the other
# draws.
test_a_long_forecast_takes_the_steps_that_it_needs() {
  "$gpode" simulate vdp --noise 0.05 --points 12 -o v.csv --quiet
  "$gpode" fit v.csv --iterations 300 "${small[@]}" --solver-max-steps 200 -o m.gpode --quiet
  ends_with 0 forecast m.gpode --until 400 --points 5 --draws 32 -o f.csv
  contains "$(<out.txt)" "0 diverged"
  python3 - f.csv <<'END'
import sys
for line in open(sys.argv[1]):
    assert all(line.strip().split(",")), line
END
}

# The control characters of a name, which may clear the screen, once reached the terminal.
test_control_characters_of_names_are_escaped() {
  "$gpode" simulate vdp --noise 0.05 --points 12 -o v.csv --quiet
  local hostile=$'a\033[2Jb\302\2330m'
  cp v.csv "$hostile.csv"
  ends_with 0 fit "$hostile.csv" --iterations 5 "${small[@]}" -o "$hostile.gpode" --force
  cat out.txt err.txt >all.txt
  for command in "info $hostile.gpode" "info $hostile.gpode --json" "info $hostile.csv" "info $hostile.csv --json" \
      "score $hostile.gpode $hostile.csv" "forecast $hostile.gpode -o $hostile.f.csv" "impute $hostile.gpode -o $hostile.i.csv" \
      "report $hostile.gpode -o $hostile.html" "plot $hostile.gpode --kind forecast -o $hostile.svg" \
      "field $hostile.gpode --grid x1=-1:1:3,x2=-1:1:3 -o $hostile.field.csv"; do
    ends_with 0 $command
    cat out.txt err.txt >>all.txt
  done
  ends_with 2 info "$hostile.nothing"
  cat out.txt err.txt >>all.txt
  ! grep -q $'\033' all.txt || fail "an escape character is printed" "$(cat -v all.txt)"
  ! grep -q $'\302\233' all.txt || fail "the control character U+009B is printed" "$(cat -v all.txt)"
  contains "$(<all.txt)" 'a\x1b[2Jb\xc2\x9b0m.gpode' '"file": "a\u001b[2Jb\u009b0m.gpode"'
}

test_instruction_sets_are_recorded_and_a_change_is_reported() {
  "$gpode" simulate vdp --noise 0.05 --points 12 -o v.csv --quiet
  GPODE_SIMD=baseline "$gpode" fit v.csv --iterations 2000000 "${small[@]}" --checkpoint 0.05 -o m.gpode --quiet &
  wait_for_file m.gpode $!
  kill -TERM $!
  wait $! || true
  GPODE_SIMD=baseline ends_with 0 info m.gpode --json
  contains "$(<out.txt)" '"instruction_sets": "baseline in '
  local best
  best=$("$gpode" fit v.csv --iterations 5 "${small[@]}" -o n.gpode --quiet; "$gpode" info n.gpode --json | grep instruction_sets)
  [[ "$best" != *baseline\ in* ]] || exit 77
  "$gpode" fit --resume -o m.gpode >out.txt 2>err.txt &
  until [ -s err.txt ]; do kill -0 $! || fail "no warning" "$(<err.txt)"; sleep 0.05; done
  kill -TERM $!
  wait $! || true
  contains "$(<err.txt)" "warning: the run began with the instruction sets 'baseline in "
  ends_with 0 info m.gpode --json
  contains "$(<out.txt)" '"instruction_sets": "baseline in ' ', then v'
}

"$2"
