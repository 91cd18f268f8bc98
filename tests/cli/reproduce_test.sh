#!/usr/bin/env bash
# Tests of gpode reproduce, with a few steps of training each.
# usage: reproduce_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

quick() { "$gpode" reproduce "$@" --steps 20; }
# numbers FILE: prints the results of a run without its times.
numbers() { grep -v seconds "$1"; }

test_reproduce_gives_the_same_numbers_for_any_number_of_threads() {
  quick fhn --models gpode,shooting --runs 2 --threads 1 --out one -q
  quick fhn --models shooting,gpode --runs 2 --threads 2 --out two -q
  local run
  for run in gpode-1 gpode-2 shooting-1 shooting-2; do
    [ "$(numbers one/fhn/$run.json)" = "$(numbers two/fhn/$run.json)" ] || fail "$run differs"
    cmp one/fhn/$run.gpode two/fhn/$run.gpode
  done
  ! cmp -s one/fhn/gpode-1.gpode one/fhn/gpode-2.gpode || fail "the seed changes nothing"
  [ "$(find one/fhn -type f | wc -l)" = 8 ] || fail "other files" "$(find one)"
  diff -r one/figures two/figures || fail "other figures"
  contains "$("$gpode" info one/fhn/gpode-1.gpode)" "model"
}

test_reproduce_prints_tables() {
  local text
  text=$(quick vdp-regular long-25-0.01 --models gpode,shooting --runs 2 --out results 2>err)
  contains "$text" "VDP regular  GPODE " "0.60 ± 0.03" "npODE" "FIM-ODE" "VDP T 25, noise 0.01" "-1.384"
  contains "$(<err)" "8 of 8 runs done" "wrote results/figures/vector-fields-vdp-regular.svg" \
    "wrote results/figures/sequence-length.svg"
  rm -r results/figures
  contains "$("$gpode" reproduce --tables results --markdown 2>err)" "| VDP regular | GPODE | **" "| --- |"
  contains "$(<err)" "wrote results/figures/sequence-length.svg"
  "$gpode" reproduce --tables results --save results.json -q
  expect 0 "$text" "" reproduce --tables results.json
  text=$("$gpode" reproduce vdp-regular --tables results.json --models gpode --markdown)
  contains "$text" "GPODE"
  [[ "$text" != *"T 25"* && "$text" != *"GPODE, shooting"* ]] || fail "more than was asked for" "$text"
  printf 'before\n<!-- table: scores long -->\nafter\n' >page.in.md
  text=$("$gpode" reproduce --tables results.json --page page.in.md)
  contains "$text" $'before\n| task |' "| VDP T 25, noise 0.01 | GPODE |" $'|\nafter'
}

# Every kind of model runs, and the tables have bands and the diagnostics of samplers.
test_reproduce_runs_all_models() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  local text
  text=$("$gpode" reproduce vdp-regular --runs 1 --steps 6 --out results --save all.json 2>err)
  contains "$(<err)" "7 of 7 runs done" "vector-fields-vdp-regular.svg"
  contains "$text" "NeuralODE (HMC)  " "NeuralODE (VI)" "npODE" "GPODE (HMC)  " "R-hat" "effective draws" \
    "GPODE's bands against NUTS's" "NUTS width"
  "$gpode" reproduce fhn --models npode-shooting,neural-shooting,neural-vi-shooting --runs 1 --steps 6 --out more -q
  # The scores are not compared, since they have fewer digits in the file.
  [ "$("$gpode" reproduce --tables all.json | sed -n '/R-hat/,$p')" = "$(sed -n '/R-hat/,$p' <<<"$text")" ] ||
    fail "other tables from the file"
  printf '<!-- table: samplers paper -->\n<!-- table: bands vdp-regular -->\n<!-- table: bands fhn -->\n' >page.in.md
  contains "$("$gpode" reproduce --tables all.json --page page.in.md)" "| VDP regular | GPODE (HMC) | 24 |" \
    "| NUTS width |" "No runs yet."
  python3 - <<'END'
import json
for model in "neural-hmc neural-vi neural npode gpode shooting gpode-hmc".split():
    run = json.load(open(f"results/vdp-regular/{model}-1.json"))
    assert not run["failed"] and run["steps"] > 0, model
    bands = run["bands"]
    assert len(bands["time"]) == 20 and bands["channel"][:2] == [1, 2], model
    assert set(bands) == {"channel", "time", "truth", "mean", "lower", "upper"}, model
    sampled = model.endswith("hmc")
    assert ("sampler" in run) == sampled, model
    if sampled: assert run["sampler"]["draws"] == 24 and run["steps"] >= 48, model
for run in json.load(open("all.json"))["runs"]:
    assert ("bands" in run) == (run["model"] in ("gpode", "gpode-hmc")), run["model"]
END
}

test_reproduce_prints_json() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  quick fhn efficiency --models gpode --runs 2 --out results --json >tables.json 2>/dev/null
  python3 - <<'END'
import json
rows = json.load(open("tables.json"))["results"]
assert [row["task"] for row in rows] == ["fhn", "efficiency"]
assert rows[0]["runs"] == 2 and rows[0]["paper"]["mse"]["mean"] == 0.07
run = json.load(open("results/fhn/gpode-2.json"))
assert (run["task"], run["model"], run["seed"], run["failed"]) == ("fhn", "gpode", 2, False)
assert run["steps"] == 20 and "steps = 20" in run["options"]
mean = sum(json.load(open(f"results/fhn/gpode-{n}.json"))["scores"]["mnll"] for n in (1, 2)) / 2
assert abs(rows[0]["mnll"]["mean"] - mean) < 1e-9
history = json.load(open("results/efficiency/gpode-1.json"))["history"]
assert history["step"] == list(range(1, 21))
assert len(history["seconds"]) == len(history["bound"]) == 20
END
}

test_reproduce_goes_on_where_it_was_stopped() {
  quick fhn --models gpode --runs 3 --out whole -q
  quick fhn --models gpode --runs 1 --out part -q
  local before code=0
  before=$(stat -c %Y%i part/fhn/gpode-1.json)
  contains "$(quick fhn --models gpode --runs 3 --out part 2>&1 >table)" "part: 1 of 3 runs already exist"
  [ "$(stat -c %Y%i part/fhn/gpode-1.json)" = "$before" ] || fail "a run was repeated"
  cmp whole/fhn/gpode-3.gpode part/fhn/gpode-3.gpode
  quick fhn --models gpode --runs 1 --out part -q --again
  [ "$(stat -c %Y%i part/fhn/gpode-1.json)" != "$before" ] || fail "the run was not repeated"

  # A command that is stopped in the middle leaves no half-written files.
  "$gpode" reproduce fhn --models gpode --runs 3 --steps 100000 --threads 1 --out stopped 2>err &
  wait_for_work $!
  kill -TERM $!
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code" "$(<err)"
  contains "$(<err)" "stopped after 0 of 3 runs; the same command continues"
  [ -z "$(find stopped -type f)" ] || fail "something half-written" "$(find stopped)"
}

test_reproduce_calibration_compares_settings() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  local text
  text=$(quick calibration-sir calibration-gap-lynx-hare calibration-us-census calibration-prior --runs 2 \
    --fit posterior=blocks --fit "kernel=matern52, posterior=blocks, inducing=6" --out results 2>err)
  contains "$(<err)" "14 of 14 runs done" "wrote results/figures/calibration-horizon.svg" \
    "wrote results/figures/calibration-ranks-2.svg"
  contains "$text" "calibration-choose " "calibration-real " "calibration-real-gaps " "calibration-prior " \
    "truth in 50 %" "observations in 50 %" "kernel=matern52, posterior=blocks, inducing=6" "ranks, in eighths" "start x1"
  [ "$(find results/calibration-sir -name '*.json' | wc -l)" = 4 ] || fail "no run" "$(find results)"
  [ "$(find results/calibration-us-census -name '*.json' | wc -l)" = 2 ] || fail "the same run twice" "$(find results)"
  contains "$(quick calibration-sir --runs 3 --fit posterior=blocks --out results 2>&1 >/dev/null)" "results: 2 of 3 runs already exist"
  "$gpode" reproduce calibration-sir --tables results --fit "kernel=matern52, posterior=blocks, inducing=6" --json >tables.json 2>/dev/null
  "$gpode" reproduce --tables results --save all.json -q
  [ "$("$gpode" reproduce --tables all.json | head -3 | cut -c1-60)" = "$("$gpode" reproduce --tables results 2>/dev/null | head -3 | cut -c1-60)" ] ||
    fail "other tables from the file"
  python3 - <<'END'
import json
tables = json.load(open("tables.json"))
assert tables["results"] == [], tables
(row,) = tables["calibration"]
assert (row["task"], row["group"], row["runs"]) == ("calibration-sir", "calibration-choose", 2)
runs = []
import glob
for name in sorted(glob.glob("results/calibration-sir/kernel*.json")):
    run = json.load(open(name))
    assert run["model"] == "kernel=matern52, posterior=blocks, inducing=6" and "inducing = 6" in run["options"]
    assert 'kernel = "matern52"' in run["options"]
    runs.append(run["calibration"])
assert len(runs) == 2
mean = sum(run["all"]["truth_90"] for run in runs) / 2
assert abs(row["all"]["truth_90"]["mean"] - mean) < 1e-12
for run in runs:
    thirds = [third["mnll"] for third in run["horizon"]]
    assert abs(sum(thirds) / 3 - run["all"]["mnll"]) < 1e-9
ranks = json.load(open(*glob.glob("results/calibration-prior-2/posterior*-1.json")))["ranks"]
assert len(ranks) == 14 and all(0 <= rank <= 63 for rank in ranks.values())
gap = json.load(open(*glob.glob("results/calibration-gap-lynx-hare/posterior*-1.json")))["calibration"]
assert "truth_90" not in gap["all"] and gap["seen"] == {}
END
}

# wrong MESSAGE ARGUMENTS...: checks that the arguments are refused with that message and that no
# new file is written.
wrong() {
  local before
  before=$(find . | sort)
  expect 2 "" "gpode: $1" reproduce "${@:2}"
  [ "$(find . | sort)" = "$before" ] || fail "reproduce ${*:2}: files changed"
}

test_reproduce_refuses_what_is_wrong() {
  wrong "reproduce: TASK is missing, must be one or more; see gpode reproduce --help"
  wrong "reproduce: TASK is 'vdp-regula', must be a task; did you mean vdp-regular? see gpode reproduce --help" vdp-regula
  wrong "reproduce: --models is 'nothing', must be one of $("$gpode" reproduce --help | tr -s ' \n' ' ' | sed -n 's/.*--models A,B,... models to run, of \([^(]*\) (default: those.*/\1/p')" \
    fhn --models gpode,nothing
  wrong "reproduce: --runs is '0', must be a whole number from 1 to 1000" fhn --runs 0
  local where="mocap09.npz, mocap35.npz and mocap39.npz (data/mocap of github.com/hegdepashupati/gaussian-process-odes), or the .amc files of subjects 09, 35 and 39 (mocap.cs.cmu.edu) as 09/09_01.amc, ..."
  wrong "reproduce: --data is missing, must be a folder that holds $where" fhn mocap-09-short --steps 5
  mkdir empty
  wrong "empty: holds neither mocap35.npz nor 35/35_01.amc, must hold $where" fhn mocap-35-long --data empty --steps 5
  wrong "reproduce: --fit is 'shooting', must be KEY=VALUE,... or default" fhn --fit shooting
  wrong "reproduce: --fit: option 'nothing' is unknown, must be model or one of those that gpode fit --config takes" fhn --fit nothing=3
  wrong "reproduce: --fit steps is 0, must be at least 1" fhn --fit steps=0
  wrong "reproduce: --data holds none of the series of these tasks, must hold some" -q calibration-air-quality --data empty
  : >file
  wrong "file/fhn: cannot be written: Not a directory" fhn --out file --steps 5
  wrong "reproduce: --tables runs nothing, cannot be combined with --runs, --steps or --again" fhn --tables empty --steps 5
  wrong "empty: holds none of the requested runs, must hold some" --tables empty
  wrong "nothing: no such file, must exist" --tables nothing
  wrong "file: is damaged, must be the JSON of several runs" --tables file
  wrong "nothing.md: no such file, must exist" fhn --steps 5 --page nothing.md

  quick fhn --models gpode --runs 1 --out results -q
  wrong "results/fhn/gpode-1.json: holds a run with other options; choose another folder with --out, or replace runs with --again" \
    fhn --models gpode --runs 2 --steps 21 --out results
  truncate -s 100 results/fhn/gpode-1.json
  wrong "results/fhn/gpode-1.json: is damaged, must be the JSON of a run; delete it to run again" \
    fhn --models gpode --runs 2 --steps 20 --out results
  wrong "results/fhn/gpode-1.json: is damaged, must be the JSON of a run; delete it to run again" --tables results
}

"$2"
