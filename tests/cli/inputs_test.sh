#!/usr/bin/env bash
# Tests of inputs on the command line: columns, files of their own, the clock, and every command.
# usage: inputs_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

# rows FROM TO STEP: a room that a heater warms: dT/dt = (10 - T) / 4 + 6 heat, with the heater on or
# off for two hours at a time.
rows() {
  awk -v from="$1" -v to="$2" -v step="$3" 'BEGIN {
    split("1 0 1 1 0 0 1 0 1 0 0 1 1 1 0 1 0 0 1 1", plan, " ")
    print "time,temp,heat"
    temp = 15
    for (t = 0; t <= to + 1e-9; t += step) {
      heat = plan[int(t / 2 + 1e-9) % 20 + 1]
      if (t >= from - 1e-9) printf "%g,%.6g,%d\n", t, temp + 0.05 * sin(1000 * t), heat
      level = 10 + 24 * heat
      temp = level + (temp - level) * exp(-step / 4)
    }
  }'
}

data() {
  rows 0 24 0.5 >room.csv
  rows 24 36 0.5 >later.csv
}

# learn FILES OPTIONS...: a quick fit.
learn() { "$gpode" fit "$@" --iterations 150 --inducing 8 --quiet; }

test_inputs_are_no_channels_and_are_remembered() {
  data
  learn room.csv --inputs heat -o room.gpode
  contains "$("$gpode" info room.gpode)" "inputs           heat (held between samples)" "channel temp" "heat"
  contains "$("$gpode" info room.gpode --json)" '"measured": [
      "heat"' '"hold": "previous"' '"input_lengthscales"'
  [[ "$("$gpode" info room.gpode --json | grep -A3 '"states"')" != *heat* ]] || fail "the input is a state"
  contains "$("$gpode" info room.csv --inputs heat)" "channel temp"
  # Rows of all times are samples of an input, whichever rows are observations.
  learn room.csv --inputs heat --until 18 --every 2 -o part.gpode
  [ "$("$gpode" forecast part.gpode --until 24 --points 3 2>/dev/null | wc -l)" = 4 ] || fail "known inputs are not used"
}

test_forecasts_need_inputs() {
  data
  learn room.csv --inputs heat -o room.gpode
  expect 2 "" "gpode: forecast: inputs end at 24, must go on to 30; give them with --inputs-from, or keep their last value with --hold-inputs" \
    forecast room.gpode --until 30
  expect 2 "" "gpode: forecast: inputs end at 36, must go on to 40; give them with --inputs-from, or keep their last value with --hold-inputs" \
    forecast room.gpode --until 40 --inputs-from later.csv
  "$gpode" forecast room.gpode --until 36 --points 25 --inputs-from later.csv -o given.csv --quiet
  "$gpode" forecast room.gpode --until 36 --points 25 --hold-inputs -o held.csv --quiet
  [ "$(wc -l <given.csv)" = 26 ] && [ "$(wc -l <held.csv)" = 26 ] || fail "rows are missing"
  ! cmp -s given.csv held.csv || fail "the inputs have no effect"
  expect 2 "" "gpode: forecast: --inputs-from is missing, must name a file with the model's inputs" \
    forecast room.gpode --from temp=20 --times 0,1
  [ "$("$gpode" forecast room.gpode --from temp=20 --times 24,30 --at 24 --inputs-from later.csv 2>/dev/null | wc -l)" = 3 ] || fail "--from"
  expect 2 "" "gpode: forecast: inputs begin at 24, must begin at 0 or before; give them with --inputs-from" \
    forecast room.gpode --from temp=20 --times 0,1 --inputs-from later.csv
}

test_every_command_knows_inputs() {
  data
  learn room.csv --inputs heat --states 2 -o room.gpode
  contains "$("$gpode" score room.gpode later.csv --after 24 --start latest)" MNLL "24 values"
  sed 's/,[01]$//; s/,heat//' later.csv >bare.csv
  expect 2 "" "gpode: score: inputs end at 24, must go on to 36; give them with --inputs-from, or keep their last value with --hold-inputs" \
    score room.gpode bare.csv
  [ "$("$gpode" score room.gpode bare.csv --inputs-from later.csv --json)" = "$("$gpode" score room.gpode later.csv --json)" ] ||
    fail "the same inputs give another score"
  [ "$("$gpode" impute room.gpode --times 0.1,0.2 --only-gaps 2>/dev/null | wc -l)" = 3 ] || fail impute
  expect 2 "" "gpode: impute: inputs end at 24, must go on to 25; give them with --inputs-from, or keep their last value with --hold-inputs" \
    impute room.gpode --times 25
  "$gpode" field room.gpode --grid temp=15:30:4,heat=0:1:2 --draws 1 --jacobian -o field.csv --quiet
  contains "$(head -1 field.csv)" "temp,state2,heat,dtemp_dt"
  [ "$(wc -l <field.csv)" = 9 ] || fail "grid over an input"
  ! cmp -s <("$gpode" field room.gpode --grid temp=15:30:4 --at heat=0 -q) <("$gpode" field room.gpode --grid temp=15:30:4 --at heat=1 -q) ||
    fail "the field does not depend on the input"
  local kind
  for kind in forecast phase field calibration; do "$gpode" plot room.gpode later.csv --kind $kind -o $kind.svg --quiet; done
  grep -q "heat = " phase.svg || fail "the phase portrait does not name the input"
  "$gpode" plot room.gpode --kind field --at heat=1 -o field.svg --quiet
  grep -q "heat = 1<" field.svg || grep -q "heat = 1" field.svg || fail "--at of an input"
  "$gpode" plot room.gpode --kind forecast -o forecast.svg --quiet
  expect 2 "" "gpode: plot: inputs end at 24, must go on to 30; give them with --inputs-from, or keep their last value with --hold-inputs" \
    plot room.gpode --kind forecast --until 30 -o forecast.svg
  "$gpode" plot room.gpode --kind forecast --until 30 --hold-inputs -o forecast.svg --quiet
  "$gpode" report room.gpode -o report.html --quiet
  grep -q '"heat (held between samples)"' report.html || fail "the report does not name the input"
  grep -q 'The vector field is drawn at heat = ' report.html || fail "the report does not say where the field is drawn"
  "$gpode" report room.gpode later.csv -o report.html --quiet
  expect 2 "" "gpode: report: inputs end at 24, must go on to 30; give them with --inputs-from, or keep their last value with --hold-inputs" \
    report room.gpode --until 30 -o report.html
  "$gpode" report room.gpode --until 30 --inputs-from later.csv -o report.html --quiet
}

test_inputs_from_a_file_at_other_times() {
  data
  # The heater's plan, a sample whenever it may switch, before and after the observations.
  awk -F, 'NR == 1 { print "time,heat" } NR > 1 && $1 % 2 == 0 { print $1 "," $3 }' <(rows 0 40 0.5) >plan.csv
  cut -d, -f1,2 room.csv >bare.csv
  learn bare.csv --inputs-from plan.csv -o bare.gpode
  learn room.csv --inputs heat -o room.gpode
  [ "$("$gpode" forecast bare.gpode --times 3,9.25,20 2>/dev/null)" = "$("$gpode" forecast room.gpode --times 3,9.25,20 2>/dev/null)" ] ||
    fail "the same input at other times gives another model"
  # The plan goes on after the data.
  [ "$("$gpode" forecast bare.gpode --until 40 --points 5 2>/dev/null | wc -l)" = 6 ] || fail "the rest of the plan is not used"
  learn room.csv --inputs heat --inputs-from plan.csv -o again.gpode
  contains "$("$gpode" info again.gpode)" "channel temp"
  head -5 plan.csv >short.csv
  expect 2 "" "gpode: 'bare': inputs end at 6, must go on to 24" fit bare.csv --inputs-from short.csv -o x.gpode
}

test_hold_changes_the_input_between_samples() {
  data
  learn room.csv --inputs heat --hold previous -o previous.gpode
  learn room.csv --inputs heat --hold linear -o linear.gpode
  contains "$("$gpode" info linear.gpode)" "heat (linear between samples)"
  ! cmp -s <("$gpode" forecast previous.gpode --times 1,7,13 -q) <("$gpode" forecast linear.gpode --times 1,7,13 -q) ||
    fail "--hold has no effect"
}

test_clock_and_time() {
  data
  learn room.csv --channels temp --period 24 -o clock.gpode
  contains "$("$gpode" info clock.gpode)" "clock of period 24" "cos(24)"
  [ "$("$gpode" forecast clock.gpode --until 60 --points 5 2>/dev/null | wc -l)" = 6 ] || fail "a clock needs no file"
  expect 2 "" "gpode: forecast: --inputs-from is given, but the model has no measured inputs" \
    forecast clock.gpode --until 60 --inputs-from later.csv
  contains "$("$gpode" field clock.gpode --grid temp=15:30:2,time=0:12:2 -q)" "temp,time,dtemp_dt"
  learn room.csv --inputs heat --period 24,5 --time-input -o all.gpode
  contains "$("$gpode" info all.gpode)" "heat (held between samples), clock of period 24, clock of period 5, time"
  "$gpode" report clock.gpode -o clock.html --quiet
  "$gpode" plot clock.gpode --kind forecast -o clock.svg --quiet
}

test_default_posterior_with_inputs() {
  data
  "$gpode" fit room.csv --inputs heat --sampler-draws 8 -o joint.gpode --quiet
  contains "$("$gpode" info joint.gpode)" "joint posterior" "heat (held between samples)"
  # The response to inputs that were not seen is forecast well: the truth is in the later rows.
  "$gpode" score joint.gpode later.csv --start latest --after 24 --json >score.json
  awk '/"mse"/ { gsub(",", ""); exit !($2 < 0.5) }' score.json || fail "the forecast is bad" "$(<score.json)"
}

test_same_bits_with_inputs() {
  data
  learn room.csv --inputs heat --period 24 --threads 1 -o one.gpode
  learn room.csv --inputs heat --period 24 --threads 4 -o four.gpode
  cmp <("$gpode" info one.gpode --options | grep -v threads) <("$gpode" info four.gpode --options | grep -v threads)
  cmp <("$gpode" forecast one.gpode --times 1,5,20 --threads 1 -q) <("$gpode" forecast four.gpode --times 1,5,20 --threads 4 -q)
  # A run that was stopped goes on with the same bits, without any option.
  local fit=(fit room.csv --inputs heat --period 24 --iterations 3000 --patience 0 --inducing 8 --quiet)
  "$gpode" "${fit[@]}" -o whole.gpode
  "$gpode" "${fit[@]}" --checkpoint 0.02 -o stopped.gpode &
  wait_for_file stopped.gpode $!
  kill -TERM $!
  local code=0
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code, must be 130"
  "$gpode" fit --resume -o stopped.gpode --quiet
  cmp whole.gpode stopped.gpode || fail "a resumed run has other bits"
  "$gpode" fit room.csv --inputs heat --period 24 --iterations 150 --inducing 8 --holdout 0.2 --quiet -o held.gpode
  contains "$("$gpode" info held.gpode --json)" '"holdout"'
}

test_bad_inputs_of_inputs() {
  data
  expect 2 "" "gpode: room.csv:1:1: columns 'time', 'temp', 'heat' found, none is the input 'valve'" \
    fit room.csv --channels temp --inputs valve -o x.gpode
  expect 2 "" "gpode: room.csv: columns 'temp', 'heat' found, one must be the input 'valve'" \
    fit room.csv --inputs valve -o x.gpode
  expect 2 "" "gpode: room.csv: has inputs only, must have at least one channel" fit room.csv --inputs heat,temp -o x.gpode
  expect 2 "" "gpode: ReadOptions: inputs has the channel 'heat', must differ from channels" \
    fit room.csv --channels heat --inputs heat -o x.gpode
  expect 2 "" "gpode: fit: --inputs is 'heat,heat', must be different names; 'heat' appears twice" fit room.csv --inputs heat,heat -o x.gpode
  sed '6s/,[01]$/,/' room.csv >gap.csv
  expect 2 "" "gpode: gap.csv: 'gap': input 'heat' has no value at time 2, must have one at every time" \
    fit gap.csv --inputs heat -o x.gpode
  # A gap after the rows that are used does no harm.
  sed '$s/,[01]$/,/' room.csv >end.csv
  learn end.csv --inputs heat --until 20 -o end.gpode
  expect 2 "" "gpode: fit: --hold is \"next\", must be \"previous\" or \"linear\"" fit room.csv --inputs heat --hold next -o x.gpode
  expect 2 "" "gpode: fit: --period is [-1], must be positive and finite" fit room.csv --period -1 -o x.gpode
  expect 2 "" "gpode: 'room': inputs begin at 0, must begin at -0.5 or before" \
    fit room.csv --inputs heat --initial gap -o x.gpode
  expect 2 "" "gpode: nothing.csv: no such file, must exist" fit room.csv --inputs-from nothing.csv -o x.gpode
  learn room.csv --channels temp -o plain.gpode
  expect 2 "" "gpode: forecast: --hold-inputs is given, but the model has no measured inputs" \
    forecast plain.gpode --hold-inputs
}

"$2"
