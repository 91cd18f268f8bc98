#!/usr/bin/env bash
# Tests of comparing models and choosing one by held-back rows, of --json in every command, and of test data that hold
# training rows.
# usage: compare_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

small=(--inducing 4 --features 16)
# Options with which a choice of the model takes a second.
short=(--inducing 4 --features 8 --process-noise none --sampler-warm-up 4 --sampler-draws 4 --sampler-max-depth 3)

# field_of JSON PATH: prints a member of a JSON file, as in ['ranking'][0]['name'].
field_of() { python3 -c "import json, sys; print(json.load(open(sys.argv[1]))$2)" "$1"; }

test_compare_models_ranks_models_beside_simple_forecasts() {
  "$gpode" simulate vdp --noise 0.05 --points 30 -o vdp.csv --quiet
  local compare=(compare-models vdp.csv --models gpode,npode --iterations 30 "${small[@]}")
  "$gpode" "${compare[@]}" >out 2>err
  contains "$(<out)" "learnt without the last 6 of 30 times" "gpode *" "npode *" "last value" "linear model"
  "$gpode" "${compare[@]}" --season 6.6 --json >out.json 2>err
  [ "$(field_of out.json "['held_times']")" = 6 ]
  [ "$(field_of out.json "['period']")" = 6.6 ]
  python3 - <<'END'
import json
ranking = json.load(open("out.json"))["ranking"]
assert {row["name"] for row in ranking} == {"gpode", "npode", "last value", "linear model", "seasonal value"}, ranking
assert [row["error"] for row in ranking] == sorted(row["error"] for row in ranking), ranking
assert all(len(row["rmse"]) == 2 for row in ranking), ranking
END
  [ "$("$gpode" "${compare[@]}" --quiet 2>&1)" = "" ] || fail "--quiet prints"
  [ "$(find . -name '*.gpode*')" = "" ] || fail "a model was left"
  expect 2 "" "gpode: compare-models: --models is 'gpod', must be of auto, joint, nuts, gpode, shooting, npode, \
npode-shooting, neural, neural-shooting, neural-vi, neural-vi-shooting, neural-hmc, gpode-hmc" \
    compare-models vdp.csv --models gpod
  expect 2 "" "gpode: compare-models: DATA is missing, for example gpode compare-models vdp.csv; see gpode compare-models --help" \
    compare-models
}

# The noise is so large that the first model forecasts as well as is possible, which ends the
# search.
test_fit_chooses_by_held_back_rows_and_says_why() {
  "$gpode" simulate linear --noise-share 0.6 --points 101 -o data.csv --quiet
  "$gpode" fit data.csv "${short[@]}" -o m.gpode --json >out.json 2>err
  contains "$(field_of out.json "['choice']")" "joint forecasts as well as the noise permits" "20 held-back times: joint 0." \
    "best simple forecast 0."
  # A resumed run keeps the choice without new trial fits.
  "$gpode" fit data.csv "${short[@]}" -o m.gpode --resume >out 2>err
  contains "$(<out)" "already finished"
  [[ "$(<err)" != *"trying"* ]] || fail "models were tried again" "$(<err)"
  # With an option of training, there are no trial fits.
  "$gpode" fit data.csv "${small[@]}" --iterations 20 -o quick.gpode >out 2>err
  [[ "$(<out)" != *"model: "* ]] || fail "models were tried" "$(<out)"
}

test_every_command_has_json() {
  "$gpode" simulate vdp --noise 0.05 --points 20 --truth-until 10 -o vdp.csv --json >simulate.json
  "$gpode" fit vdp.csv --iterations 20 "${small[@]}" -o m.gpode --json >fit.json 2>err
  "$gpode" forecast m.gpode --until 10 --points 3 -o f.csv --json >forecast.json
  "$gpode" forecast m.gpode --until 10 --points 3 --json >table.json
  "$gpode" impute m.gpode --times 0.1,0.2 -o i.csv --json >impute.json
  "$gpode" field m.gpode --grid x1=-2:2:3,x2=-2:2:3 -o d.csv --json >field.json
  "$gpode" plot m.gpode --kind forecast -o p.svg --json >plot.json
  "$gpode" score m.gpode vdp.truth.csv --json >score.json
  "$gpode" info m.gpode --json >info.json
  "$gpode" report m.gpode -o r.html --json >report.json
  local name
  for name in simulate fit forecast impute field plot score info report table; do
    python3 -m json.tool $name.json >/dev/null || fail "$name --json" "$(<$name.json)"
  done
  [ "$(field_of forecast.json "['file']")" = f.csv ]
  [ "$(field_of table.json "['table']['time']")" = "[7.0, 8.5, 10.0]" ]
  [ "$(field_of table.json "['columns']")" = "['time', 'x1_mean', 'x1_q5', 'x1_q50', 'x1_q95', 'x2_mean', 'x2_q5', 'x2_q50', 'x2_q95']" ]
  expect 2 "" "gpode: forecast: --plot cannot be combined with --json" forecast m.gpode --plot --json
}

test_test_points_were_training_rows() {
  "$gpode" simulate vdp --noise 0.05 --points 20 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --until 5 --iterations 20 "${small[@]}" -o m.gpode --quiet
  "$gpode" report m.gpode vdp.csv -o r.html >out 2>err
  contains "$(<err)" "vdp.csv: 14 of 20 rows are training data, and are left out"
  "$gpode" plot m.gpode vdp.csv --kind forecast -o p.svg >out 2>err
  contains "$(<err)" "14 of 20 rows are training data"
}

"$2"
