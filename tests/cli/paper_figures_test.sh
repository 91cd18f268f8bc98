#!/usr/bin/env bash
# Tests of the paper's figures. Each function is one test and runs in a folder of its own.
# usage: paper_figures_test.sh GPODE TEST DRAW_PAPER_FIGURES
set -euo pipefail
program=$1
gpode=$3 # the program that expect calls
source "$(dirname "$0")/support.sh"
enter_scratch
command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }

# run_json TASK MODEL SEED [MNLL MSE [MORE]]: writes the result of a run, which failed if MNLL is
# "failed". MORE is further text of the JSON object.
run_json() {
  local scores='"failed": true, "message": "of some kind"' name
  if [ "${4:-}" != failed ]; then
    scores="\"failed\": false, \"scores\": {\"mnll\": ${4:-0.1}, \"mse\": ${5:-0.05}"
    for name in crps {coverage,predictive}_{50,90,95} values diverged; do scores+=", \"$name\": 0"; done
    scores+="}"
  fi
  mkdir -p "results/$1"
  printf '{"version": "1", "task": "%s", "model": "%s", "seed": %s, %s, "seconds": 1, "forecast_seconds": 1,
"steps": 1, "observations": 1, "cpu": "some"%s}\n' "$1" "$2" "$3" "$scores" "${6:-}" >"results/$1/$2-$3.json"
}

# fields TASK MODEL...: trains a model with two states, once, and writes it as the result of each
# method.
fields() {
  local model
  [ -e small.gpode ] || {
    "$program" simulate vdp --noise 0.05 --points 12 -o small.csv --quiet
    "$program" fit small.csv --iterations 20 --inducing 6 -o small.gpode --quiet
  }
  for model in "${@:2}"; do
    run_json "$1" "$model" 1
    cp small.gpode "results/$1/$model-1.gpode"
  done
}

# mocap: writes an archive of motion capture with few sequences, and a model of these.
mocap() {
  mkdir -p data results/mocap-09-short
  python3 - <<'END'
import io, math, struct, zipfile
def npy(n, frames, channels):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }" % (n, frames, channels)
    head = head.ljust(117) + "\n"
    values = [math.sin(0.3 * t + 0.5 * c + s) * (c + 1) + math.cos(0.7 * t + c * c)
              for s in range(n) for t in range(frames) for c in range(channels)]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
            struct.pack("<%dd" % len(values), *values))
with zipfile.ZipFile("data/mocap09.npz", "w") as archive:
    for name, n in ("train", 3), ("validation", 1), ("test", 2):
        archive.writestr(name + ".npy", npy(n, 120, 50))
END
  "$program" fit data/mocap09.npz --observe pca --states 3 --inducing 5 --iterations 5 -o m.gpode --quiet
  run_json mocap-09-short shooting 1
  cp m.gpode results/mocap-09-short/shooting-1.gpode
}

# panels FILE: parses the file, and prints its width and the number of frames around panels and
# keys.
panels() {
  python3 - "$1" <<'END'
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
text = open(sys.argv[1]).read()
assert "nan" not in text and "inf" not in text
# Cairo writes strokes as a style or, since 1.17, as attributes.
def thin(e):
    return "stroke-width:0.6;" in e.get("style", "stroke-width:%s;" % e.get("stroke-width"))
paths = [e.get("d") for e in root.iter() if e.tag.endswith("}path") and thin(e)]
frames = [d for d in paths if len(re.findall("[ML]", d)) == 5]
print(root.get("width"), len(frames))
END
}

expect_panels() {
  local width count
  read -r width count <<<"$(panels "$1")"
  [[ "$width" == 510.2* ]] || fail "$1 is $width wide, must be 180 mm"
  [ "$count" = "$2" ] || fail "$1 has $count frames, must have $2"
}

test_paper_figures_show_all_results() {
  fields vdp-regular gpode shooting neural-hmc
  fields fhn gpode
  mocap
  local history=', "history": {"seconds": [0, 1, 2], "step": [0, 10, 20], "bound": ["nan", -9, -5]}'
  run_json efficiency gpode 1 1 1 "$history"
  run_json efficiency shooting 1 1 1 "$history"
  run_json long-25-0.01 gpode 1
  run_json long-25-0.01 gpode 2 '"inf"' '"nan"'
  run_json long-40-0.01 gpode 1 '"nan"' 1e300
  run_json long-40-0.1 shooting 1 failed
  run_json long-40-0.1 unheard-of 1
  expect 0 "out/vector-fields-vdp-regular.svg
out/vector-fields-fhn.svg
out/efficiency.svg
out/sequence-length.svg
out/mocap-09-short.svg" "" results data out
  # A figure of vector fields has a panel for the truth, one for every method, and the key of the
  # shading.
  expect_panels out/vector-fields-vdp-regular.svg 5
  expect_panels out/vector-fields-fhn.svg 3
  expect_panels out/efficiency.svg 2
  expect_panels out/sequence-length.svg 4
  expect_panels out/mocap-09-short.svg 8
  "$gpode" results data again >/dev/null
  diff -r out again || fail "the same results give other pictures"
}

test_paper_figures_leave_out_what_is_missing() {
  expect 0 "" "" results data out
  mkdir results
  run_json vdp-regular gpode 1 # The model of this run is missing.
  run_json efficiency gpode 1  # The history of this run is missing.
  mocap
  rm data/mocap09.npz
  expect 0 "" "" results data out
  expect 0 "" "" results "" out
  [ ! -e out ] || fail "a folder without figures is there"
  fields vdp-irregular gpode
  expect 0 "out/vector-fields-vdp-irregular.svg" "" results data out
  expect_panels out/vector-fields-vdp-irregular.svg 3
}

test_paper_figures_refuse_damaged_results_in_one_line() {
  local file=results/efficiency/gpode-1.json bad="is damaged, must be the JSON of a run; delete it to run again"
  run_json efficiency gpode 1
  echo '{"task": "eff' >$file
  expect 2 "" "gpode: $file: $bad" results data out
  echo '[1]' >$file
  expect 2 "" "gpode: $file: $bad" results data out
  echo '{"model": 3, "seed": 1}' >$file
  expect 2 "" "gpode: $file: $bad" results data out
  run_json efficiency gpode 1 '"low"'
  expect 2 "" "gpode: $file: 'low' found, must be a number, inf, -inf or nan" results data out
  run_json efficiency gpode 1 1 1 ', "history": {"seconds": [1], "step": [1, 2], "bound": [1]}'
  expect 2 "" "gpode: $file: history has lists of different lengths, must have equal ones" results data out
  run_json efficiency gpode 1 1 1 ', "history": 7'
  expect 2 "" "gpode: $file: $bad" results data out
  rm $file
  fields fhn gpode
  echo nothing >results/fhn/gpode-1.gpode
  local error
  error=$("$gpode" results data out 2>&1) && fail "a damaged model is taken"
  [ "$(wc -l <<<"$error")" = 1 ] || fail "more than one line" "$error"
  contains "$error" "gpode: results/fhn/gpode-1.gpode: "
  [ ! -e out ] || fail "a folder without figures is there"
}

"$2"
