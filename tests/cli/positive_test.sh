#!/usr/bin/env bash
# Tests of positive channels (--positive) on the command line: every command, no negative number, mistakes.
# usage: positive_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

# data: a decay to small values with relative noise, and a second channel that is small in between.
data() {
  awk 'BEGIN { print "time,prey,pred"; for (i = 0; i < 30; ++i) { t = i / 3;
    printf "%.4g,%.5g,%.5g\n", t, 3 * exp(-0.5 * t + 0.1 * sin(91 * i)), (1.02 + cos(t)) * exp(0.1 * sin(57 * i)) } }' >d.csv
}

# learn OPTIONS...: fits the trained posterior quickly.
learn() { "$gpode" fit d.csv "$@" --iterations 150 --inducing 6 --quiet; }

# fails MESSAGE ARGUMENTS...: checks that a call fails with exit code 2 and one line that has the message.
fails() {
  local code=0
  "$gpode" "${@:2}" >out 2>err || code=$?
  [ $code = 2 ] || fail "gpode ${*:2}: exit code $code, must be 2" "$(<err)"
  [ "$(wc -l <err)" = 1 ] || fail "more than one line:" "$(<err)"
  contains "$(<err)" "$1"
}

# none_negative FILE: fails if a number of a CSV file is negative, or if there is none.
none_negative() {
  awk -F, 'NR > 1 { for (i = 1; i <= NF; ++i) { ++n; if ($i + 0 < 0) { print FILENAME ": " $i; exit 1 } } }
    END { if (n == 0) exit 1 }' "$1" || fail "$1 has a negative number, or none at all"
}

test_no_number_of_a_positive_channel_is_negative() {
  data
  learn -o plain.gpode
  "$gpode" forecast plain.gpode --until 15 --noise --quiet -o plain.csv
  awk -F, 'NR > 1 { for (i = 2; i <= NF; ++i) if ($i < 0) found = 1 } END { exit !found }' plain.csv ||
    fail "the plain model has no negative band either, so that this test shows nothing"
  local positive
  for positive in all sqrt pred=sqrt,prey; do
    learn --positive "$positive" -o m.gpode
    "$gpode" forecast m.gpode --until 15 --quiet --all-draws -o f.csv
    none_negative f.csv
    "$gpode" forecast m.gpode --until 15 --noise --quantiles 0.001,0.5,0.999 --quiet -o f.csv
    none_negative f.csv
    "$gpode" forecast m.gpode --from prey=0.01,pred=0.02 --until 9 --noise --all-draws --quiet -o f.csv
    none_negative f.csv
    "$gpode" impute m.gpode --times 0.1,5.05 --quiet -o i.csv
    none_negative i.csv
  done
}

test_all_commands_know_positive_channels() {
  data
  learn --positive -o m.gpode --holdout 0.2
  contains "$("$gpode" info m.gpode)" "prey (log), pred (log)" "gaussian in log" "log prey, log pred"
  contains "$("$gpode" info m.gpode --json)" '"positive"' '"log"'
  contains "$("$gpode" info m.gpode --options)" 'positive = "log,log"'
  "$gpode" score m.gpode d.csv --start latest >s.txt
  contains "$(<s.txt)" "MNLL" "of observations"
  "$gpode" report m.gpode -o r.html --quiet
  "$gpode" plot m.gpode --kind forecast -o p.png --quiet
  "$gpode" plot m.gpode --kind phase -o ph.png --quiet
  "$gpode" plot m.gpode --kind calibration -o c.png --quiet
  "$gpode" analyse m.gpode --draws 8 --quiet >/dev/null
  "$gpode" explain m.gpode --draws 24 --quiet >/dev/null
  "$gpode" compare m.gpode m.gpode >/dev/null
  "$gpode" field m.gpode --grid "log prey=-1:1:2,log pred=-1:0:2" --quiet >field.csv
  contains "$(head -1 field.csv)" "dlog prey_dt"
  head -12 d.csv >start.csv
  "$gpode" forecast m.gpode --given start.csv --times 5,6 --noise --quiet -o g.csv
  none_negative g.csv
}

# Scores are in the user's units: a model of y in other units has an MNLL that is larger by the
# logarithm of the unit, and the same coverage.
test_scores_are_in_the_units_of_the_user() {
  data
  awk -F, 'NR == 1 { print; next } { printf "%s,%.17g,%.17g\n", $1, 1024 * $2, 1024 * $3 }' d.csv >large.csv
  learn --positive -o m.gpode
  "$gpode" fit large.csv --positive --iterations 150 --inducing 6 --quiet -o l.gpode
  "$gpode" score m.gpode d.csv --json >m.json
  "$gpode" score l.gpode large.csv --json >l.json
  python3 - <<'END'
import json, math
a, b = json.load(open("m.json")), json.load(open("l.json"))
assert abs(b["mnll"] - a["mnll"] - math.log(1024)) < 0.05, (a["mnll"], b["mnll"])
assert abs(b["mse"] / a["mse"] / 1024**2 - 1) < 0.1, (a["mse"], b["mse"])
assert abs(b["crps"] / a["crps"] / 1024 - 1) < 0.1, (a["crps"], b["crps"])
END
}

test_positive_with_growth_and_equations() {
  data
  learn --positive --form growth -o g.gpode
  contains "$("$gpode" info g.gpode)" "log prey, log pred"
  "$gpode" forecast g.gpode --until 15 --all-draws --quiet -o f.csv
  none_negative f.csv
  printf '%s\n' 'param r ~ lognormal(-1, 1)' 'dprey = -r * prey' 'dpred = gp(pred, prey) * pred' >d.ode
  learn --positive prey --equations d.ode -o e.gpode
  contains "$("$gpode" info e.gpode)" "log prey, pred" "parameter r"
  fails "equations and forms do not know" fit d.csv --positive sqrt --form growth -o x.gpode
}

test_threads_and_resuming_do_not_change_positive_models() {
  data
  local threads
  for threads in 1 3; do
    learn --positive pred=sqrt,prey --threads $threads -o $threads.gpode
    "$gpode" forecast $threads.gpode --until 15 --noise --quiet --threads $threads -o $threads.csv
  done
  cmp 1.csv 3.csv
  same_bytes_if_stopped fit d.csv --positive --iterations 3000 --patience 0 --inducing 6
}

# --positive may stand without a value, also before the data file.
test_positive_without_a_value_takes_all_channels() {
  data
  "$gpode" fit --positive d.csv --iterations 20 --inducing 4 --quiet -o a.gpode
  "$gpode" fit d.csv --positive --iterations 20 --inducing 4 --quiet -o b.gpode
  "$gpode" fit d.csv --positive=all --iterations 20 --inducing 4 --quiet -o c.gpode
  cmp a.gpode b.gpode
  cmp a.gpode c.gpode
}

test_mistakes_are_one_line() {
  data
  fails "must name channels of the data (prey, pred)" fit d.csv --positive fox -o x.gpode
  fails "must name channels of the data" fit d.csv --positive prey=exp -o x.gpode
  fails "cannot be combined with the likelihood lognormal" fit d.csv --positive --likelihood lognormal -o x.gpode
  sed '5s/,.*/,0,1/' d.csv >zero.csv
  fails "channel 'prey' is 0 at time 1, must be more than zero" fit zero.csv --positive -o x.gpode
  "$gpode" fit zero.csv --positive sqrt --iterations 20 --inducing 4 --quiet -o z.gpode
  "$gpode" score z.gpode zero.csv --json >s.json
  contains "$(<s.json)" '"mnll": '
  [[ "$(<s.json)" != *'"mnll": null'* ]] || fail "a zero has no finite score" "$(<s.json)"
  sed '5s/,.*/,-1,1/' d.csv >negative.csv
  fails "channel 'prey' is -1 at time 1, must be zero or more" fit negative.csv --positive sqrt -o x.gpode
  learn --positive -o m.gpode
  fails "must be more than zero" forecast m.gpode --from prey=0,pred=1 --times 3
  fails "must be more than zero" forecast m.gpode --given zero.csv --times 13
}

"$2"
