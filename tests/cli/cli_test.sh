#!/usr/bin/env bash
# Tests of the command line. Each function is one test and runs in a folder of its own.
# usage: cli_test.sh GPODE TEST    environment: GPODE_VERSION, the version to expect
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

test_version() { expect 0 "gpode $GPODE_VERSION" "" --version; }

test_help() {
  contains "$("$gpode" --help)" "gpode $GPODE_VERSION" simulate fit forecast impute field score info
  expect 0 "$("$gpode" --help)" ""
  expect 0 "$("$gpode" --help)" "" -h
}

test_every_command_has_help_with_examples() {
  local command text
  for command in simulate fit forecast impute field plot score info report reproduce completion manual; do
    text=$("$gpode" $command --help)
    contains "$text" "Usage: gpode $command" "Examples:" "  gpode $command"
  done
}

# small_model: data, their truth and a model, for several tests.
small_model() {
  "$gpode" simulate vdp --noise 0.05 --points 30 --truth-until 10 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --iterations 300 -o vdp.gpode --quiet
}

test_simulate_is_reproducible_and_writes_the_truth() {
  "$gpode" simulate vdp --noise 0.05 --seed 3 -o a.csv --quiet
  "$gpode" simulate vdp --noise 0.05 --seed 3 -o b.csv --quiet
  "$gpode" simulate vdp --noise 0.05 --seed 4 -o c.csv --quiet
  cmp a.csv b.csv
  ! cmp -s a.csv c.csv || fail "another seed gives the same data"
  cmp a.truth.csv c.truth.csv
  "$gpode" simulate vdp -o clean.csv --quiet
  cmp clean.csv clean.truth.csv
  [ "$("$gpode" simulate vdp --noise 0.05 --seed 3 -o - 2>/dev/null)" = "$(<a.csv)" ] || fail "other data on standard output"
  "$gpode" simulate lotka-volterra --trajectories 3 --irregular --missing 0.2 --noise-share 0.08 -o lv.csv --quiet
  contains "$("$gpode" info lv.csv)" "3 trajectories, 150 times" "% missing"
}

test_fit_forecast_score_impute_field_info() {
  small_model
  [ -f vdp.gpode.toml ] || fail "no options beside the model"
  contains "$("$gpode" score vdp.gpode vdp.truth.csv --after 7)" MNLL MSE CRPS "of the truth" "seed 1"
  contains "$("$gpode" score vdp.gpode vdp.truth.csv --start first-row --horizons 0,5,10)" "first row" "0 to 5"
  [ "$("$gpode" forecast vdp.gpode --until 10 --points 5 2>/dev/null | head -n 1)" = \
    "time,x1_mean,x1_q5,x1_q50,x1_q95,x2_mean,x2_q5,x2_q50,x2_q95" ] || fail "other columns"
  [ "$("$gpode" forecast vdp.gpode --times 1,2,3 --quantiles 0.025 --noise 2>/dev/null | wc -l)" = 4 ]
  [ "$("$gpode" field vdp.gpode --grid x1=-2:2:5,x2=-2:2:4 --jacobian --draws 2 2>/dev/null | wc -l)" = 21 ]
  [ "$("$gpode" impute vdp.gpode --times 0.1,0.2 --only-gaps 2>/dev/null | wc -l)" = 3 ]
  contains "$("$gpode" info vdp.gpode)" "learnt by        GPODE, seed 1" "inducing points  16" lengthscales
  contains "$("$gpode" forecast vdp.gpode --plot 2>/dev/null)" "┤" "└" "o observations"
}

test_json_is_what_programs_can_read() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  small_model
  "$gpode" score vdp.gpode vdp.truth.csv --json --seed 5 >score.json
  "$gpode" info vdp.gpode --json >model.json
  "$gpode" info vdp.csv --json >data.json
  "$gpode" fit vdp.csv --iterations 50 --json -o other.gpode >fit.json
  python3 - <<'END'
import json
score = json.load(open("score.json"))
for name in "mnll mse crps coverage_50 coverage_90 coverage_95 diverged draws seed".split():
    assert isinstance(score[name], (int, float)), name
assert score["seed"] == 5 and score["draws"] == 128
assert json.load(open("model.json"))["kind"] == "model"
assert json.load(open("data.json"))["channels"][0]["name"] == "x1"
assert json.load(open("fit.json"))["steps"] == 50
END
}

test_archives_are_written_and_read() {
  small_model
  "$gpode" forecast vdp.gpode --until 10 -o forecast.npz --quiet
  contains "$("$gpode" info forecast.npz)" "101 times from 7 to 10" x1_mean x2_q95
  "$gpode" simulate vdp --trajectories 2 -o two.npz --quiet
  contains "$("$gpode" info two.npz)" "2 trajectories"
  "$gpode" fit two.npz --iterations 20 -o two.gpode --quiet
  "$gpode" field vdp.gpode --grid x1=-2:2:5 -o field.npz --quiet
}

test_the_same_bits_for_any_number_of_threads() {
  "$gpode" simulate vdp --noise 0.05 --points 30 -o vdp.csv --quiet
  local threads
  for threads in 1 2 5; do
    "$gpode" fit vdp.csv --iterations 200 -o "$threads.gpode" --threads "$threads" --quiet
  done
  cmp 1.gpode 2.gpode
  cmp 1.gpode 5.gpode
}

test_the_written_options_repeat_the_run() {
  "$gpode" simulate vdp --noise 0.05 --points 30 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --iterations 150 --seed 9 --inducing 12 --tolerance 0.02 --initial gap -o first.gpode --quiet
  "$gpode" fit --config first.gpode.toml -o second.gpode --quiet
  cmp first.gpode second.gpode
  "$gpode" info first.gpode --options >options.toml
  "$gpode" fit vdp.csv --initial gap --config options.toml -o third.gpode --quiet
  cmp first.gpode third.gpode
}

test_interrupted_runs_are_saved_and_resumed() {
  "$gpode" simulate vdp --noise 0.05 --points 30 -o vdp.csv --quiet
  local code=0 fit=(fit vdp.csv --iterations 6000 --patience 0)
  "$gpode" "${fit[@]}" -o whole.gpode --quiet
  # A background job of a script ignores SIGINT; SIGTERM ends a run in the same way.
  "$gpode" "${fit[@]}" --checkpoint 0.05 -o part.gpode >out 2>err &
  wait_for_file part.gpode $!
  kill -TERM $!
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code, must be 130" "$(<err)"
  contains "$(<out)" "stopped after" "--resume -o part.gpode"
  "$gpode" "${fit[@]}" -o part.gpode --resume --quiet
  cmp whole.gpode part.gpode
}

test_resuming_needs_the_same_gaps() {
  printf 'time,x\n0,1\n1,\n2,3\n3,2\n' >gap.csv
  printf 'time,x\n0,1\n1,2\n2,3\n3,2\n' >filled.csv
  "$gpode" fit gap.csv --iterations 5 -o gap.gpode --quiet
  "$gpode" fit gap.csv --iterations 5 -o gap.gpode --resume --quiet
  expect 2 "" "gpode: gap.gpode: holds a run on other data, cannot be resumed with these" \
    fit filled.csv --iterations 5 -o gap.gpode --resume
}

# check_timing SIDECAR STEPS SESSIONS: checks that the lists of times are equally long, in order, and end with the
# last step.
check_timing() {
  python3 - "$@" <<'END'
import re, sys
text = open(sys.argv[1]).read()
timing = {name: eval(value) for name, value in re.findall(r"^timing\.(\w+) = (.*)$", text, re.M)}
steps, seconds = timing["steps"], timing["seconds"]
assert len(steps) == len(seconds) <= 402, (len(steps), len(seconds))
assert steps == sorted(set(steps)) and seconds == sorted(seconds) and seconds[0] > 0
assert steps[-1] == int(sys.argv[2]) - 1, steps[-1]
sessions = int(sys.argv[3])
assert [len(timing[name]) for name in ("sessions", "cpu", "threads")] == 3 * [sessions], timing
assert abs(sum(timing["sessions"]) - seconds[-1]) < 1e-6, (timing["sessions"], seconds[-1])
END
}

test_training_time_is_beside_the_model() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  "$gpode" simulate vdp --noise 0.05 --points 20 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --iterations 500 -o vdp.gpode --threads 1 --quiet
  check_timing vdp.gpode.toml 500 1
  contains "$("$gpode" info vdp.gpode)" "  time  " "steps per second"
  contains "$("$gpode" info vdp.gpode --json)" '"seconds": ' '"threads": ['
  "$gpode" report vdp.gpode -o with.html --quiet
  contains "$(<with.html)" '"seconds":{"f64"' '"speed"' '1 thread"'
  # Spoilt or missing times are not known, and nothing complains.
  sed -i 's/^timing.steps = .*/timing.steps = [3, 1]/' vdp.gpode.toml
  [[ "$("$gpode" info vdp.gpode)" != *"steps per second"* ]] || fail "spoilt times are shown"
  echo "= [" >vdp.gpode.toml
  "$gpode" report vdp.gpode -o spoilt.html --quiet
  rm vdp.gpode.toml
  "$gpode" report vdp.gpode -o without.html --quiet
  cmp spoilt.html without.html
  [[ "$(<without.html)" != *'"seconds":'* ]] || fail "times from nowhere"
}

test_training_time_adds_up_over_sessions() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  "$gpode" simulate vdp --noise 0.05 --points 20 -o vdp.csv --quiet
  local code=0 command="fit vdp.csv --iterations 6000 --patience 0 --checkpoint 0.05 -o vdp.gpode --quiet"
  # shellcheck disable=SC2086
  "$gpode" $command &
  wait_for_file vdp.gpode $!
  kill -TERM $!
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code, must be 130"
  contains "$("$gpode" info vdp.gpode)" "stopped after"
  "$gpode" fit --resume -o vdp.gpode --quiet
  check_timing vdp.gpode.toml 6000 2
  [ "$(head -n 1 vdp.gpode.toml)" = "# gpode $command" ] || fail "another command" "$(head -n 1 vdp.gpode.toml)"
  # A finished run is not resumed, and its times stay as they are.
  "$gpode" fit --resume -o vdp.gpode --quiet
  check_timing vdp.gpode.toml 6000 2
}

test_failed_training_says_so() {
  "$gpode" simulate vdp --noise 0.05 --points 20 -o vdp.csv --quiet
  expect 1 "" "gpode: fit: training failed, its bound is -inf: bad.gpode cannot be used; a smaller --learning-rate may help" \
    fit vdp.csv --learning-rate 1e300 -o bad.gpode --quiet
  contains "$("$gpode" fit vdp.csv --learning-rate 1e300 -o bad.gpode --json || true)" "training failed: its bound is -inf"
}

# Every command handles names with markup, quotes, line breaks and 10,000 characters.
test_hostile_names_are_text_everywhere() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  python3 - <<'END'
import csv, math
names = ['<script>alert("1")</script>\n&amp;\'{}%s', "y" * 10000]
with open("odd.csv", "w", newline="") as out:
    rows = csv.writer(out)
    out.write("# <b>a comment</b> \"with\" quotes\n")
    rows.writerow(["t\n[ms]", *names])
    rows.writerows([t / 4, math.sin(t / 4), math.cos(t / 4)] for t in range(20))
END
  "$gpode" fit odd.csv --iterations 20 -o odd.gpode >fit.txt 2>/dev/null
  "$gpode" info odd.csv >info.txt
  "$gpode" info odd.gpode >>info.txt
  "$gpode" score odd.gpode odd.csv >score.txt
  "$gpode" forecast odd.gpode --until 6 --plot >plot.txt 2>/dev/null
  "$gpode" forecast odd.gpode --until 6 -o forecast.csv >forecast.txt
  "$gpode" impute odd.gpode -o imputed.csv >>forecast.txt
  "$gpode" field odd.gpode --grid "$(printf 'y%.0s' {1..10000})=-1:1:3" -o field.csv >>forecast.txt
  "$gpode" report odd.gpode odd.csv --title $'</script><script>alert(2)</script>\n"' -o odd.html --quiet
  contains "$(<info.txt)" "from 0 to 4.75 ms"
  python3 - <<'END'
import csv, json, re
for name in "fit info score plot forecast".split():
    text = open(name + ".txt").read()
    assert all(len(line) < 500 for line in text.splitlines()), name
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text), name
header = next(csv.reader(open("forecast.csv", newline="")))
assert header[1] == '<script>alert("1")</script> &amp;\'{}%s_mean', header[1]
assert header[5] == "y" * 10000 + "_mean"
page = open("odd.html").read()
assert page.count("</script>") == 2 and "<script>alert" not in page, page.count("</script>")
END
}

test_trajectories_by_name() {
  "$gpode" simulate lotka-volterra --trajectories 3 --noise-share 0.05 -o lv.csv --quiet
  "$gpode" fit lv.csv --iterations 100 -o lv.gpode --quiet
  contains "$("$gpode" forecast lv.gpode --points 2 2>/dev/null)" "trajectory,time"
  [ "$("$gpode" forecast lv.gpode --points 2 --trajectory 2 2>/dev/null | wc -l)" = 3 ]
  contains "$("$gpode" score lv.gpode lv.truth.csv)" "of 3 trajectories"
}

test_hidden_states_and_principal_components() {
  "$gpode" simulate vdp --points 30 --noise 0.01 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --channels x1 --states 2 --iterations 100 -o hidden.gpode --quiet
  contains "$("$gpode" info hidden.gpode)" "states           x1, state2"
  "$gpode" fit vdp.csv --observe "1,0.5;0,1" --iterations 50 -o mixed.gpode --quiet
  "$gpode" fit vdp.csv --observe pca --states 2 --iterations 50 -o pca.gpode --quiet
  contains "$("$gpode" forecast pca.gpode --states --points 2 2>/dev/null)" state1_mean
}

test_completion_and_manual_know_every_command() {
  "$gpode" completion >completion
  bash -n completion
  # shellcheck disable=SC1091
  (source ./completion; COMP_WORDS=(gpode fit --indu); COMP_CWORD=2; _gpode; [ "${COMPREPLY[0]}" = --inducing ])
  # shellcheck disable=SC1091
  (source ./completion; COMP_WORDS=(gpode simulate lor); COMP_CWORD=2; _gpode; [ "${COMPREPLY[0]}" = lorenz63 ])
  (source ./completion; COMP_WORDS=(gpode reproduce fhn vdp-i); COMP_CWORD=3; _gpode; [ "${COMPREPLY[0]}" = vdp-irregular ])
  contains "$("$gpode" manual)" ".TH GPODE 1" "gpode simulate" "gpode score" "EXIT STATUS"
}

test_pictures_have_no_escape_codes_in_a_pipe() {
  small_model
  [[ "$("$gpode" forecast vdp.gpode --plot 2>&1)" != *$'\033'* ]] || fail "there are escape codes"
}

"$2"
