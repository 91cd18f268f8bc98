#!/usr/bin/env bash
# Tests of --given, of likelihoods and of stiff systems on the command line.
# usage: given_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

# learn FILES OPTIONS...: a quick fit.
learn() { "$gpode" fit "$@" --iterations 300 --inducing 12 --quiet; }

data() {
  "$gpode" simulate vdp -o seen.csv --points 50 --noise 0.01 --quiet
  "$gpode" simulate vdp -o other.csv --points 50 --noise 0.01 --from x1=1,x2=-1 --seed 5 --quiet
  head -12 other.csv >first.csv
}

test_given_data_start_a_new_trajectory() {
  data
  learn seen.csv -o seen.gpode
  "$gpode" forecast seen.gpode --given first.csv --until 7 --points 41 --draws 16 -o forecast.csv --quiet 2>/dev/null
  [ "$(wc -l <forecast.csv)" = 42 ] || fail "rows are missing"
  # The forecast begins at the last given time.
  [[ "$(sed -n 2p forecast.csv)" == "$(tail -1 first.csv | cut -d, -f1),"* ]] || fail "it begins elsewhere"
  "$gpode" forecast seen.gpode --given first.csv --until 7 --points 41 --draws 16 --threads 1 -o again.csv --quiet 2>/dev/null
  cmp forecast.csv again.csv || fail "another number of threads, other bits"
  contains "$("$gpode" forecast seen.gpode --given first.csv --until 7 --draws 16 2>&1 >/dev/null)" \
    "first.csv: conditioned on 22 values: 64 fields worth" "Pareto k"
  # Hidden states: only one channel has values.
  awk -F, 'NR == 1 { print; next } { print $1 "," $2 "," }' first.csv >half.csv
  [ "$("$gpode" forecast seen.gpode --given half.csv --until 7 --points 5 --draws 8 --quiet 2>/dev/null | wc -l)" = 6 ] || fail "hidden"
}

test_given_data_in_other_commands() {
  data
  learn seen.csv -o seen.gpode
  contains "$("$gpode" score seen.gpode other.csv --given first.csv --after 2 --draws 16 2>/dev/null)" \
    "from the start inferred from first.csv"
  contains "$("$gpode" score seen.gpode other.csv --given first.csv --draws 16 --json 2>/dev/null)" '"mnll"'
  awk -F, 'NR == 1 || NR % 3 { print; next } { print $1 ",," }' first.csv >gaps.csv
  contains "$("$gpode" impute seen.gpode --given gaps.csv --draws 16 --only-gaps -o - 2>/dev/null | head -1)" "x1_missing"
  [ "$("$gpode" impute seen.gpode --given gaps.csv --draws 16 -o - --quiet 2>/dev/null | wc -l)" = 12 ] || fail "impute"
  "$gpode" report seen.gpode --given first.csv --draws 8 -o page.html --quiet 2>/dev/null
  contains "$(cat page.html)" "The field was not learnt from them"
}

test_bad_given_data() {
  data
  learn seen.csv -o seen.gpode
  expect 2 "" "gpode: forecast: --from cannot be combined with --given" \
    forecast seen.gpode --given first.csv --from x1=1,x2=0
  expect 2 "" "gpode: score: --given cannot be combined with --start first-row" \
    score seen.gpode other.csv --given first.csv --start first-row
  echo "time,x1" >wrong.csv
  ! "$gpode" forecast seen.gpode --given wrong.csv >out 2>&1 || fail "an empty file is accepted"
  [ "$(wc -l <out)" = 1 ] || fail "$(cat out)"
  ! "$gpode" forecast seen.gpode --given missing.csv >out 2>&1 || fail "a missing file is accepted"
}

test_given_data_have_inputs() {
  awk 'BEGIN { print "time,temp,heat"; temp = 15; for (i = 0; i <= 40; ++i) { heat = int(i / 4) % 2; printf "%g,%.5f,%d\n", i / 2, temp + 0.05 * sin(500 * i), heat; level = 10 + 24 * heat; temp = level + (temp - level) * exp(-0.125) } }' >room.csv
  learn room.csv --inputs heat -o room.gpode
  head -10 room.csv | awk -F, 'NR == 1 { print; next } { print $1 "," $2 + 3 "," $3 }' >given.csv
  "$gpode" forecast room.gpode --given given.csv --times 4.5,8 --hold-inputs --draws 8 --quiet >/dev/null 2>&1 || fail "inputs of the file"
  cut -d, -f1,2 given.csv >alone.csv
  expect 2 "" "gpode: forecast: 'alone.csv' has no inputs, must have columns 'heat', or give them with --inputs-from" \
    forecast room.gpode --given alone.csv --times 4.5,8 --draws 8
  "$gpode" forecast room.gpode --given alone.csv --inputs-from room.csv --times 4.5,8 --draws 8 --quiet >/dev/null 2>&1 || fail "--inputs-from"
}

test_likelihoods() {
  "$gpode" simulate sir -o cases.csv --counts 100 --points 30 --quiet
  learn cases.csv --likelihood s=negative-binomial,i=poisson -o cases.gpode
  contains "$("$gpode" info cases.gpode)" "negative-binomial, dispersion" "poisson"
  contains "$("$gpode" info cases.gpode --json)" '"likelihood": "negative-binomial,poisson"'
  # Quantiles of observations are whole numbers.
  "$gpode" forecast cases.gpode --times 1,9 --noise --draws 16 --quantiles 0.05,0.95 --quiet |
    awk -F, 'NR > 1 && ($3 != int($3) || $3 < 0) { exit 1 }' || fail "quantiles of counts"
  contains "$("$gpode" score cases.gpode cases.csv --draws 16)" "MNLL"
  "$gpode" report cases.gpode -o page.html --draws 8 --quiet
  for kind in student-t lognormal; do
    awk -F, 'NR == 1 { print; next } { print $1 "," $2 + 1 "," $3 + 1 }' cases.csv >positive.csv
    learn positive.csv --likelihood $kind -o other.gpode
    contains "$("$gpode" info other.gpode)" "$kind"
  done
}

test_bad_likelihoods() {
  "$gpode" simulate sir -o cases.csv --counts 100 --points 30 --quiet
  expect 2 "" "gpode: fit: --likelihood is \"normal\", must be one of gaussian, student-t, poisson, negative-binomial, lognormal; or a list: one per channel, or channel=NAME,..." \
    fit cases.csv --likelihood normal -o m.gpode
  expect 2 "" "gpode: fit: likelihood is 'q=poisson', must name channels of the data: s, i" \
    fit cases.csv --likelihood q=poisson -o m.gpode
  "$gpode" simulate sir -o shares.csv --points 30 --quiet
  expect 2 "" "gpode: fit: channel 's' is 0.98 at time 0, must be a count: a whole number, zero or more for the likelihood poisson" \
    fit shares.csv --likelihood poisson -o m.gpode
  expect 2 "" "gpode: fit: noise_variance is given, must not be with the likelihood poisson" \
    fit cases.csv --likelihood poisson --noise 1 -o m.gpode
}

test_stiff_systems_are_simulated_learnt_and_noticed() {
  "$gpode" simulate robertson -o r.csv --points 5 --quiet
  contains "$(tail -1 r.truth.csv)" "40,0.71582"
  # The fast state follows the slow one at a rate of 3000.
  awk 'BEGIN { print "time,x,y"; for (i = 0; i <= 30; ++i) { t = i / 10; printf "%g,%.6f,%.6f\n", t, 2 * exp(-t) + 0.002 * sin(500 * i), 4 * exp(-2 * t) + 0.002 * sin(700 * i) } }' >slow.csv
  learn slow.csv --solver esdirk4 -o slow.gpode
  contains "$("$gpode" info slow.gpode --options)" 'method = "esdirk4"'
  "$gpode" forecast slow.gpode --until 4 --draws 8 --quiet >/dev/null || fail "forecast"
}

"$2"
