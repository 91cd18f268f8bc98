#!/usr/bin/env bash
# Tests of the command line. Each function is one test and runs in a folder of its own.
# usage: cli_test.sh GPODE TEST    environment: GPODE_VERSION, the version to expect
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

test_version() {
  [ "$("$gpode" --version | head -n 1)" = "gpode $GPODE_VERSION" ] || fail "another version"
  contains "$("$gpode" --version)" "built with " "Eigen 3." "its loops use "
  contains "$(GPODE_SIMD=baseline "$gpode" --version)" "its loops use baseline here"
}

test_device_without_a_gpu() {
  "$gpode" simulate vdp --points 30 -o vdp.csv --quiet
  local fit=("$gpode" fit vdp.csv --model shooting --iterations 60 --batch 0)
  local code=0 message
  expect 2 "" "gpode: fit: --device is 'tpu', must be cpu, cuda or auto" fit vdp.csv --device tpu
  message=$("${fit[@]}" --device cuda -o gpu.gpode --quiet 2>&1) || code=$?
  if [ $code = 0 ]; then
    echo "there is a GPU: script/gpu-test tests it"
    exit 77
  fi
  [ $code = 2 ] || fail "code $code"
  contains "$message" "--device is cuda, but "
  [ "$(wc -l <<<"$message")" = 1 ] || fail "more than one line: $message"
  contains "$("${fit[@]}" --device auto -o auto.gpode)" "training on the CPU, because "
  "${fit[@]}" --quiet -o cpu.gpode
  cmp auto.gpode cpu.gpode
}

test_help_about_a_command() {
  expect 0 "$("$gpode" fit --help)" "" help fit
  expect 0 "$("$gpode" --help)" "" help
  expect 2 "" "gpode: help: command 'scoer' is unknown; did you mean score? see gpode --help" help scoer
  expect 2 "" "gpode: command 'foreast' is unknown; did you mean forecast? see gpode --help" foreast
  expect 2 "" "gpode: score: option '--draw' is unknown; did you mean --draws? see gpode score --help" score a.gpode b.csv --draw 3
  # A command alone is answered with an example.
  expect 2 "" "gpode: score: MODEL is missing, for example gpode score vdp.gpode vdp.truth.csv --after 7; see gpode score --help" score
}

test_help() {
  contains "$("$gpode" --help)" "gpode $GPODE_VERSION" simulate fit forecast impute field score info
  expect 0 "$("$gpode" --help)" ""
  expect 0 "$("$gpode" --help)" "" -h
}

test_every_command_has_help_with_examples() {
  local command text
  for command in simulate fit forecast impute field analyse explain compare design plot score info report reproduce help completion manual; do
    text=$("$gpode" $command --help)
    contains "$text" "Usage: gpode $command" "Examples:" "  gpode $command"
  done
}

# small_model: makes data, their truth and a model, for several tests.
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
  contains "$("$gpode" score vdp.gpode vdp.truth.csv --after 7)" "over spread" "last value" "skill" "  x2  "
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
  "$gpode" score vdp.gpode vdp.truth.csv --after 7 --json >later.json
  "$gpode" report vdp.gpode vdp.truth.csv -o vdp.html --json >report.json
  "$gpode" info vdp.gpode --json >model.json
  "$gpode" info vdp.csv --json >data.json
  "$gpode" fit vdp.csv --iterations 50 --json -o other.gpode >fit.json
  python3 - <<'END'
import json
score = json.load(open("score.json"))
for name in "mnll mse crps coverage_50 coverage_90 coverage_95 diverged draws seed".split():
    assert isinstance(score[name], (int, float)), name
assert score["seed"] == 5 and score["draws"] == 128
channels = json.load(open("later.json"))["channels"]
assert [c["channel"] for c in channels] == ["x1", "x2"]
for c in channels:
    assert len(c["horizons"]) == 3 and sum(h["values"] for h in c["horizons"]) == c["values"]
    assert abs(c["skill"] - (1 - (c["rmse"] / c["persistence_rmse"]) ** 2)) < 1e-9
    assert abs(c["rmse_over_spread"] - c["rmse"] / c["spread"]) < 1e-9
    assert abs(c["rmse"] ** 2 - c["mse"]) < 1e-9
report = json.load(open("report.json"))
assert report["page"] == "vdp.html" and report["verdict"].startswith("Bands: ") and isinstance(report["warnings"], list)
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
  # A background job of a script ignores SIGINT. SIGTERM ends a run in the same way.
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

# check_timing SIDECAR STEPS SESSIONS: checks the times in the file beside a model. The lists of
# steps and seconds are equally long, sorted and end with the last step, and there are SESSIONS
# sessions, whose times add up.
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

test_an_option_of_a_part_wins_over_the_model() {
  "$gpode" simulate vdp -o vdp.csv --quiet
  "$gpode" fit vdp.csv --posterior normals --model shooting --iterations 10 --quiet
  contains "$(<vdp.gpode.toml)" 'posterior = "normals"' 'bound = "shooting"'
}

test_training_time_is_beside_the_model() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  "$gpode" simulate vdp --noise 0.05 --points 20 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --iterations 500 -o vdp.gpode --threads 1 --json >fit.json
  check_timing vdp.gpode.toml 500 1
  contains "$("$gpode" info vdp.gpode)" "  time  " "steps per second"
  contains "$("$gpode" info vdp.gpode --json)" '"seconds": ' '"threads": ['
  "$gpode" report vdp.gpode -o with.html --quiet
  contains "$(<with.html)" '"seconds":{"f64"' '"speed"' '1 thread"'
  # The first line of the report is what fit says about the bands.
  contains "$(<with.html)" "\"verdict\":\"Bands: $(python3 -c 'import json; print(json.load(open("fit.json"))["bands"])').\""
  # Invalid or missing times count as unknown, and no command complains about them.
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

# The plot in the terminal has room for a time column whose name has characters of several bytes.
test_forecast_plot_with_a_long_time_name() {
  local time="時間時間時間時間時間時間時間時間時間時間時間時間時間時間時間"  # 30 characters, 90 bytes
  "$gpode" simulate vdp --points 8 -o plain.csv --quiet
  sed "s/^time,/$time,/" plain.csv >long.csv
  "$gpode" fit long.csv --time "$time" --iterations 3 --inducing 4 --features 16 -o long.gpode --quiet
  contains "$("$gpode" forecast long.gpode --plot 2>&1)" "└" "$time"
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

test_report_starts_and_trajectories_as_in_score() {
  small_model
  "$gpode" report vdp.gpode vdp.truth.csv --start first-row -o first.html --quiet
  contains "$(<first.html)" '"forecast_from":0.0' '"low95_noise"'
  # Only a model with shooting states has a latest one.
  "$gpode" fit vdp.csv --model shooting --polish 0 --iterations 100 -o shot.gpode --quiet
  "$gpode" report shot.gpode vdp.truth.csv --start initial --trajectory 1 --draws 8 -o initial.html --quiet
  "$gpode" report shot.gpode vdp.truth.csv --draws 8 -o latest.html --quiet
  ! cmp -s initial.html latest.html || fail "the start changes nothing"
  expect 2 "" "gpode: report: --trajectory is about test data, must be given with TEST" report vdp.gpode --trajectory 1 -o a.html
  expect 2 "" "gpode: report: --trajectory cannot be combined with --start first-row" \
    report vdp.gpode vdp.truth.csv --trajectory 1 --start first-row -o a.html
  expect 2 "" "gpode: report: --trajectory is '7', must be 'vdp' or 1" report vdp.gpode vdp.truth.csv --trajectory 7 -o a.html
  expect 2 "" "gpode: report: --until is 3, must be later than --after, 5" report vdp.gpode vdp.truth.csv --after 5 --until 3 -o a.html
  [ ! -e a.html ] || fail "a page of a refused call"
}

# Paths with 301 points were polygons on long trajectories.
test_report_grids_are_as_fine_as_the_movement() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  "$gpode" simulate vdp --noise 0.05 --points 3000 --span 600 -o long.csv --quiet
  "$gpode" fit long.csv --iterations 100 -o long.gpode --quiet
  "$gpode" report long.gpode --draws 8 -o long.html --quiet 2>/dev/null || true
  python3 - <<'END'
import base64, json, re, struct
page = open("long.html").read()
report = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S).group(1))
def numbers(x):
    kind, text = next(iter(x.items()))
    data = base64.b64decode(text)
    return struct.unpack("<%d%s" % (len(data) // (8 if kind == "f64" else 4), "d" if kind == "f64" else "f"), data)
grid = numbers(report["trajectories"][0]["grid"])
assert len(grid) > 2000, len(grid)
path = report["states"]["paths"][0]
times = numbers(path["times"])
assert len(times) <= 1201 and times[0] < 599.9 < times[-1] < grid[-1], times[-1]
assert len(path["median"]) == 2 and len(numbers(path["median"][0])) == len(times)
assert len(numbers(path["observed"][0])) <= 2000 and "longer ones" in report["states"]["note"]
END
}

test_completion_and_manual_know_every_command() {
  "$gpode" completion >completion
  bash -n completion
  # shellcheck disable=SC1091
  (source ./completion; COMP_WORDS=(gpode fit --indu); COMP_CWORD=2; _gpode; [ "${COMPREPLY[0]}" = --inducing ])
  # shellcheck disable=SC1091
  (source ./completion; COMP_WORDS=(gpode simulate lor); COMP_CWORD=2; _gpode; [ "${COMPREPLY[0]}" = lorenz63 ])
  (source ./completion; COMP_WORDS=(gpode reproduce fhn vdp-i); COMP_CWORD=3; _gpode; [ "${COMPREPLY[0]}" = vdp-irregular ])
  "$gpode" completion zsh >_gpode
  ! command -v zsh >/dev/null || zsh -n _gpode
  contains "$(<_gpode)" "#compdef gpode" "'fit:" "'--inducing:" "--model) compadd -- auto gpode" lorenz63
  "$gpode" completion fish >gpode.fish
  ! command -v fish >/dev/null || fish -n gpode.fish
  contains "$(<gpode.fish)" "-n __fish_use_subcommand -a fit -d '" "__fish_seen_subcommand_from fit' -l inducing -r -d" lorenz63
  # In both, every line has an even number of quotes that are not escaped.
  local line plain
  while IFS= read -r line; do
    plain=${line//"'\\''"/} plain=${plain//"\\'"/} plain=${plain//[^\']/}
    [ $((${#plain} % 2)) = 0 ] || fail "an open quote: $line"
  done < <(cat _gpode gpode.fish)
  expect 2 "" "gpode: completion: SHELL is 'tcsh', must be bash, zsh or fish" completion tcsh
  contains "$("$gpode" manual)" ".TH GPODE 1" "gpode simulate" "gpode score" "EXIT STATUS"
}

test_pictures_have_no_escape_codes_in_a_pipe() {
  small_model
  [[ "$("$gpode" forecast vdp.gpode --plot 2>&1)" != *$'\033'* ]] || fail "there are escape codes"
}

# kicked: writes kicked.csv and later.csv, data of an oscillator that random kicks drive, and sets
# `fit` to the arguments of a run with held-back data. The bands of any ODE are too narrow for them.
kicked() {
  command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
  python3 - <<'END'
import random
random.seed(7)
x, v = 1.5, 0.0
rows = []
for i in range(96):
    rows.append((i / 4, x + random.gauss(0, 0.05), v + random.gauss(0, 0.05)))
    for _ in range(20):
        x, v = x + v / 80, v + (-x - 0.2 * v) / 80 + random.gauss(0, 0.5) * 80 ** -0.5
for name, part in (("kicked.csv", rows[:80]), ("later.csv", rows[80:])):
    with open(name, "w") as out:
        out.write("time,x,v\n" + "".join("%r,%r,%r\n" % row for row in part))
END
  fit=(fit kicked.csv --holdout 0.2 --model shooting --polish 0 --iterations 1500 --features 32)
}

test_held_back_data_widen_bands_everywhere() {
  kicked
  "$gpode" "${fit[@]}" -o k.gpode >fit.txt 2>/dev/null
  contains "$(<fit.txt)" "holding back the last 16 of 80 times" "forecasts of 16 held-back times from the 64 before" \
    "last value" "linear" "skill" "learning from all 80 times" "bands: widened by horizon: " "note: channel 'x': "
  # Except for the widening, the results are those of a run without held-back data.
  "$gpode" fit kicked.csv "${fit[@]:4}" -o plain.gpode --quiet
  "$gpode" forecast k.gpode --raw -o raw.csv >raw.txt
  "$gpode" forecast plain.gpode -o plain.csv >plain.txt
  cmp raw.csv plain.csv
  contains "$(<raw.txt)" "bands without noise, seed"
  contains "$("$gpode" forecast k.gpode -o wide.csv)" "bands without noise, widened after held-back data, seed"
  contains "$("$gpode" info k.gpode)" "  bands  " "widened by horizon"
  ! "$gpode" info plain.gpode | grep -q "  bands  " || fail "a widening out of nothing"
  "$gpode" score k.gpode later.csv --start latest --json >wide.json
  "$gpode" score k.gpode later.csv --start latest --raw --json >raw.json
  "$gpode" score plain.gpode later.csv --start latest --json >plain.json
  cmp raw.json plain.json
  "$gpode" score plain.gpode later.csv --start latest --calibrate later.csv --json >calibrated.json
  contains "$("$gpode" score k.gpode later.csv --start latest)" "bands widened by horizon"
  "$gpode" info k.gpode --json >info.json
  "$gpode" "${fit[@]}" -o k.gpode --json >fit.json
  "$gpode" report k.gpode -o wide.html --quiet
  "$gpode" report k.gpode --raw -o raw.html --quiet
  contains "$(<wide.html)" ", widened after held-back data." '"verdict":"Bands: widened by horizon: ' '"holdout":{"seen_times":64,"held_times":16,'
  ! grep -q "widened after held-back" raw.html || fail "a raw report that is widened"
  contains "$("$gpode" plot k.gpode --kind forecast -o wide.svg)" ", bands widened after held-back data,"
  "$gpode" plot k.gpode --kind forecast --raw -o raw.svg --quiet
  "$gpode" plot plain.gpode --kind forecast -o plain.svg --quiet
  cmp raw.svg plain.svg
  "$gpode" plot k.gpode later.csv --kind calibration --start latest -o calibration.svg --quiet
  python3 - <<'END'
import csv, json
def widths(name):
    return [float(row["x_q95"]) - float(row["x_q5"]) for row in csv.DictReader(open(name))]
raw, wide = widths("raw.csv"), widths("wide.csv")
assert all(w >= r for r, w in zip(raw, wide)), "narrower bands"
assert wide[0] == raw[0] and wide[-1] > 1.5 * raw[-1], (raw[-1], wide[-1])
raw, wide, calibrated = (json.load(open(name + ".json")) for name in ("raw", "wide", "calibrated"))
assert "widened" not in raw and wide["widened"] and calibrated["widened"]
assert wide["mse"] == raw["mse"]
assert raw["predictive_90"] + 0.2 < wide["predictive_90"], (raw["predictive_90"], wide["predictive_90"])
assert raw["predictive_90"] + 0.2 < calibrated["predictive_90"]
holdout = json.load(open("fit.json"))["holdout"]
assert holdout == json.load(open("info.json"))["holdout"]
assert holdout["held_times"] == 16 and holdout["share"] == 0.2 and holdout["refit"] is True
assert len(holdout["rows"]) == 6 and sum(row["values"] for row in holdout["rows"]) == 32
assert holdout["widening"]["widened"] and len(holdout["widening"]["horizons"]) == 3
END
}

test_held_back_data_widen_bands_in_gaps() {
  kicked
  sed -i '22,41d' kicked.csv  # removes the times from 5 to 9.75
  "$gpode" "${fit[@]}" -o k.gpode --quiet
  contains "$("$gpode" impute k.gpode --times 2.1,7.5 -o wide.csv)" "bands without noise, widened after held-back data,"
  "$gpode" impute k.gpode --times 2.1,7.5 --raw -o raw.csv --quiet
  python3 - <<'END'
import csv
def widths(name):
    return {float(row["time"]): float(row["x_upper"]) - float(row["x_lower"]) for row in csv.DictReader(open(name))}
raw, wide = widths("raw.csv"), widths("wide.csv")
assert wide[2.1] == raw[2.1] and wide[2] == raw[2], "wider outside of the gap"
assert wide[7.5] > 1.2 * raw[7.5], (raw[7.5], wide[7.5])
END
}

test_few_held_back_values_cannot_judge_bands() {
  printf 'time,x\n0,1\n1,2\n2,1\n3,2.5\n' >four.csv
  contains "$("$gpode" fit four.csv --holdout 0.2 --iterations 50 -o four.gpode 2>/dev/null)" \
    "forecasts of 1 held-back time from the 3 before" "bands not judged: too few held-back values, 1" \
    "note: channel 'x': 1 held-back value, too few to judge its bands"
  cmp <("$gpode" forecast four.gpode -o - --quiet) <("$gpode" forecast four.gpode --raw -o - --quiet)
}

test_without_refit_the_held_back_rows_are_not_learnt() {
  kicked
  contains "$("$gpode" "${fit[@]}" --no-refit -o k.gpode 2>/dev/null)" "bands: widened by horizon"
  contains "$("$gpode" info k.gpode)" "64 times from 0 to 15.75"
  contains "$("$gpode" info k.gpode --json)" '"refit": false'
  # The same rows can be held back by their time, and the configuration file repeats a run.
  "$gpode" fit kicked.csv --holdout-after 15.75 --no-refit "${fit[@]:4}" -o time.gpode --quiet
  cmp <("$gpode" forecast k.gpode -o - --quiet) <("$gpode" forecast time.gpode -o - --quiet)
  "$gpode" fit --config k.gpode.toml -o again.gpode --quiet
  cmp k.gpode again.gpode
  "$gpode" fit kicked.csv --holdout 20% --no-refit "${fit[@]:4}" -o percent.gpode --quiet
  cmp k.gpode percent.gpode
}

test_interrupted_runs_with_held_back_data_are_resumed() {
  "$gpode" simulate vdp --noise 0.05 --points 30 -o vdp.csv --quiet
  local code fit=(fit vdp.csv --holdout 0.2 --iterations 2500 --patience 0) try
  "$gpode" "${fit[@]}" -o whole.gpode --quiet
  for try in 1 2 3; do
    code=0
    "$gpode" "${fit[@]}" --checkpoint 0.05 --resume -o part.gpode >out 2>err &
    wait_for_file part.gpode $!
    sleep 0.$((3 * try))
    kill -TERM $! 2>/dev/null || true
    wait $! || code=$?
    [ "$code" = 130 ] || [ "$code" = 0 ] || fail "exit code $code, must be 130" "$(<err)"
  done
  "$gpode" "${fit[@]}" -o part.gpode --resume --quiet
  cmp whole.gpode part.gpode
  "$gpode" fit --resume -o part.gpode --quiet
  cmp whole.gpode part.gpode
  expect 2 "" "gpode: part.gpode: holds a run with other held-back data, cannot be resumed with these; leave out DATA and options to resume it as it is" \
    fit vdp.csv --holdout 0.3 --iterations 2500 --patience 0 -o part.gpode --resume
  expect 2 "" "gpode: part.gpode: holds a run with other held-back data, cannot be resumed with these; leave out DATA and options to resume it as it is" \
    fit vdp.csv --iterations 2500 --patience 0 -o part.gpode --resume
  "$gpode" fit vdp.csv --iterations 10 -o plain.gpode --quiet
  expect 2 "" "gpode: plain.gpode: holds a run without held-back data, cannot be resumed with these; leave out DATA and options to resume it as it is" \
    fit vdp.csv --holdout 0.2 --iterations 10 -o plain.gpode --resume
}

"$2"
