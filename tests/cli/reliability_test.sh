#!/usr/bin/env bash
# Tests that nothing is lost and nothing is misreported, whatever the system does: full disks,
# signals, limits, links, two runs at once, and files made to do harm. Each test is named after what
# went wrong.
# usage: reliability_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

need() { command -v "$1" >/dev/null || { echo "$1 is not here"; exit 77; }; }
kind=(--model gpode --posterior blocks --inducing 4 --features 16)
small=("${kind[@]}" --iterations 40)
endless=("${kind[@]}" --iterations 200000 --patience 0)
long=("${endless[@]}" --checkpoint 0.05)

# limit_memory KILOBYTES: limits the memory of all later commands in this shell. Skips the test if
# gpode cannot run with this limit, as is the case under sanitisers.
limit_memory() { (ulimit -v "$1"; "$gpode" --version >/dev/null 2>&1) || exit 77; ulimit -v "$1"; }

data() { "$gpode" simulate vdp --noise 0.05 --points 12 -o v.csv --truth truth.csv --quiet; }
model() { data; "$gpode" fit v.csv "${small[@]}" -o m.gpode --quiet; }

# only FILE...: fails if the folder has other files than these.
only() {
  local found wanted
  found=$(find . -mindepth 1 -printf '%P\n' | sort)
  wanted=$(printf '%s\n' "$@" | sort)
  [ "$found" = "$wanted" ] || fail "files" "$found" "must be" "$wanted"
}

# refuse MESSAGE ARGUMENTS...: fails unless the command ends with code 2 and this line on standard
# error within ten seconds.
refuse() {
  local code=0 said
  said=$(timeout -k 1 10 "$gpode" "${@:2}" 2>&1 >/dev/null) || code=$?
  [ "$code" = 2 ] || fail "gpode ${*:2}: exit code $code, must be 2" "$said"
  [ "$said" = "gpode: $1" ] || fail "gpode ${*:2}: said" "$said" "must be" "gpode: $1"
}

test_standard_error_that_cannot_be_written_killed_the_run() {
  model
  [ -c /dev/full ] || exit 77
  "$gpode" fit v.csv "${small[@]}" -o full.gpode >/dev/null 2>/dev/full
  "$gpode" fit v.csv "${small[@]}" -o closed.gpode >/dev/null 2>&-
  "$gpode" fit v.csv "${small[@]}" -o none.gpode <&- >/dev/null 2>&-
  # The reader of the progress goes away after the first line.
  { "$gpode" fit v.csv "${small[@]}" -o pipe.gpode 2>&1 >/dev/null || true; } | head -n 1 >/dev/null
  local run
  for run in full closed none pipe; do cmp m.gpode $run.gpode; done
}

test_closed_standard_output_is_reported_and_spoils_no_file() {
  model
  local code=0
  "$gpode" fit v.csv "${small[@]}" -o closed.gpode >&- 2>said || code=$?
  [ "$code" = 2 ] || fail "exit code $code, must be 2"
  contains "$(<said)" "gpode: standard output cannot be written completely"
  cmp m.gpode closed.gpode
}

test_threads_that_cannot_be_created_hung_or_aborted() {
  model
  local said
  said=$(limit_memory 4000000; timeout -k 1 60 "$gpode" fit v.csv "${small[@]}" --threads 4096 -o t.gpode --quiet 2>&1) ||
    fail "exit code $?" "$said"
  [[ "$said" =~ ^"gpode: the system cannot start 4096 threads; continuing with "[0-9]+", which changes no result"$ ]] ||
    fail "said" "$said"
  cmp m.gpode t.gpode
}

test_links_were_replaced() {
  model
  refuse "/dev/stdout: is an open descriptor, must be a file, or - for standard output" forecast m.gpode -o /dev/stdout
  mkdir there
  ln -s there/result.csv link.csv
  "$gpode" forecast m.gpode -o link.csv --quiet
  [ -L link.csv ] && [ -s there/result.csv ] || fail "the link is not one any more"
  chmod 600 there/result.csv
  "$gpode" forecast m.gpode -o link.csv --until 8 --quiet
  [ "$(stat -c %a there/result.csv)" = 600 ] || fail "mode $(stat -c %a there/result.csv), must be 600"
  [ -L link.csv ] || fail "the link is not one any more"
  ln there/result.csv second.csv
  refuse "link.csv: has 2 names (hard links), which would become different files; remove this one first, or choose another" \
    forecast m.gpode -o link.csv
  cmp there/result.csv second.csv
  ln -s circle circle
  refuse "circle: is a circle of links, must be a file" forecast m.gpode -o circle
  # A model behind a link is replaced, its backup is made, and the link stays.
  mv m.gpode there/m.gpode
  ln -s there/m.gpode m.gpode
  "$gpode" fit v.csv "${small[@]}" --seed 2 -o m.gpode --quiet
  [ -L m.gpode ] || fail "the link is not one any more"
  ! cmp -s m.gpode m.gpode~ || fail "the model was not replaced"
}

test_owners_are_kept() {
  model
  [ "$(id -u)" = 0 ] || exit 77
  "$gpode" forecast m.gpode -o f.csv --quiet
  chown 1234:1235 f.csv
  "$gpode" forecast m.gpode -o f.csv --quiet
  [ "$(stat -c %u:%g f.csv)" = 1234:1235 ] || fail "owner $(stat -c %u:%g f.csv)"
}

test_a_failing_fit_replaced_a_good_model() {
  model
  cp m.gpode good
  expect 1 "" "gpode: fit: training failed, its bound is -inf: m.gpode stays as it was; a smaller --learning-rate may help" \
    fit v.csv "${small[@]}" --learning-rate 1e300 -o m.gpode --quiet
  cmp good m.gpode
  only good m.gpode m.gpode.toml truth.csv v.csv
}

test_forgetting_resume_replaced_a_finished_model() {
  model
  cp m.gpode good
  "$gpode" fit v.csv "${long[@]}" -o m.gpode --quiet &
  wait_for_file m.gpode.partial $!
  cmp good m.gpode
  kill -KILL $!
  wait $! 2>/dev/null || true
  cmp good m.gpode
  # The interrupted run has left its checkpoint. A run that ends well keeps the old model as a
  # backup.
  contains "$("$gpode" info m.gpode.partial)" "stopped after"
  rm m.gpode.partial m.gpode.partial.toml
  contains "$("$gpode" fit v.csv "${small[@]}" --seed 2 -o m.gpode 2>/dev/null)" "saved m.gpode" \
    "m.gpode~: the model that was in m.gpode before"
  cmp good m.gpode~
  contains "$("$gpode" info m.gpode~)" "seed 1" "steps per second"
  contains "$("$gpode" info m.gpode)" "seed 2" "steps per second"
  only good m.gpode m.gpode.toml m.gpode~ m.gpode~.toml truth.csv v.csv
  # A run that gives the same model makes no backup, and neither does a run with --force.
  cp m.gpode second
  "$gpode" fit v.csv "${small[@]}" --seed 2 -o m.gpode --quiet
  cmp good m.gpode~
  "$gpode" fit v.csv "${small[@]}" --seed 3 --force -o m.gpode --quiet
  cmp good m.gpode~
  ! cmp -s second m.gpode || fail "the model was not replaced"
}

test_a_run_beside_a_finished_model_is_resumed_to_the_same_bits() {
  data
  local fit=(fit v.csv "${kind[@]}" --iterations 3000 --patience 0)
  "$gpode" "${fit[@]}" --seed 2 -o whole.gpode --quiet
  "$gpode" fit v.csv "${small[@]}" -o m.gpode --quiet
  cp m.gpode first
  "$gpode" "${fit[@]}" --seed 2 --checkpoint 0.02 -o m.gpode >out 2>&1 &
  wait_for_file m.gpode.partial $!
  kill -TERM $!
  local code=0
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code, must be 130" "$(<out)"
  cmp first m.gpode
  contains "$(<out)" "saved m.gpode.partial; continue with gpode fit --resume -o m.gpode"
  "$gpode" fit --resume -o m.gpode --quiet
  cmp whole.gpode m.gpode
  cmp first m.gpode~
  [ ! -e m.gpode.partial ] && [ ! -e m.gpode.partial.toml ] && [ ! -e m.gpode.lock ] || fail "leftover files" "$(ls)"
}

test_two_fits_on_one_file_lost_a_result() {
  data
  "$gpode" fit v.csv "${long[@]}" -o m.gpode --quiet &
  wait_for_file m.gpode $!
  refuse "m.gpode: is being written by another gpode fit, must be another file" fit v.csv "${small[@]}" -o m.gpode
  refuse "m.gpode: is being written by another gpode fit, must be another file" fit --resume -o m.gpode
  kill -TERM $!
  wait $! || true
  [ ! -e m.gpode.lock ] || fail "the lock is left"
  # A killed fit leaves its lock file, which does not keep the next fit from running.
  "$gpode" fit v.csv "${long[@]}" --resume -o m.gpode --quiet &
  wait_for_work $!
  kill -KILL $!
  wait $! 2>/dev/null || true
  "$gpode" fit v.csv "${small[@]}" -o m.gpode --quiet
  [ ! -e m.gpode.lock ] || fail "the lock is left"
}

test_results_with_the_endings_of_other_files_replaced_them() {
  model
  local name
  echo precious | tee data.csv page.html m.json options.toml >/dev/null
  refuse "data.csv: is not the name of a page, must end in .html" report m.gpode -o data.csv
  refuse "page.html: is not the name of a table, must end in .csv or .npz" forecast m.gpode -o page.html
  refuse "data.csv: is not the name of a model, must end in .gpode" fit v.csv -o data.csv
  refuse "options.toml: is not the name of a model, must end in .gpode" fit v.csv -o options.toml
  refuse "m.json: is not the name of a table, must end in .csv or .npz" impute m.gpode -o m.json
  # The data that a model was learnt from must not be replaced by a result.
  refuse "v.csv: is also an input, must be another file" forecast m.gpode -o v.csv
  refuse "v.csv: is also an input, must be another file" impute m.gpode -o v.csv
  for name in data.csv page.html m.json options.toml; do [ "$(<$name)" = precious ] || fail "$name is lost"; done
}

test_equations_and_json_replaced_files_of_other_kinds() {
  model
  local command name
  cp m.gpode n.gpode
  echo precious | tee data.csv page.html >/dev/null
  for name in n.gpode data.csv page.html; do
    for command in "analyse m.gpode" "compare m.gpode m.gpode" "design m.gpode"; do
      # shellcheck disable=SC2086
      refuse "$name: is not the name of results as JSON, must end in .json" $command -o $name
    done
    refuse "$name: is not the name of equations, must end in .ode, .txt or .tex" explain m.gpode -o $name
    refuse "$name: is not the name of equations, must end in .ode, .txt or .tex" explain m.gpode --latex $name
  done
  cmp m.gpode n.gpode
  refuse "-: is standard output, must be a file" design m.gpode -o -
  refuse "e.ode: is the file of both --output and --latex, must be two files" explain m.gpode -o e.ode --latex e.ode
  only data.csv m.gpode m.gpode.toml n.gpode page.html truth.csv v.csv
}

test_files_that_are_read_only_were_replaced() {
  model
  need setpriv
  [ "$(id -u)" = 0 ] || exit 77
  cp "$gpode" ./gpode
  chmod 777 .
  chmod 755 ./gpode
  printf 'time,x\n0,1\n' >kept.csv
  chmod 444 kept.csv
  local code=0 said
  said=$(setpriv --reuid 65534 --regid 65534 --clear-groups ./gpode forecast m.gpode -o kept.csv 2>&1) || code=$?
  [ "$code" = 2 ] && [ "$said" = "gpode: kept.csv: cannot be written: Permission denied" ] || fail "$code" "$said"
  [ "$(head -n 1 kept.csv)" = time,x ] || fail "the file is lost"
}

test_info_of_a_stopped_sampler_failed() {
  data
  "$gpode" fit v.csv --model gpode-hmc --inducing 4 --features 8 --sampler-draws 100000 --checkpoint 0.05 --quiet \
    -o m.gpode &
  wait_for_file m.gpode $!
  kill -TERM $!
  wait $! || true
  contains "$("$gpode" info m.gpode)" "m.gpode: model of 1 trajectory" "stopped before its sampler had draws"
  contains "$("$gpode" info m.gpode --json)" '"finished": false' "stopped before its sampler had draws"
}

test_the_sidecar_of_another_run_was_believed() {
  model
  contains "$("$gpode" info m.gpode)" "steps per second"
  grep -q '^model.checksums = \["[0-9a-f]\{8\}"\]$' m.gpode.toml || fail "no checksum" "$(<m.gpode.toml)"
  "$gpode" fit v.csv "${small[@]}" --seed 2 -o other.gpode --quiet
  cp other.gpode.toml m.gpode.toml
  [[ "$("$gpode" info m.gpode)" != *"steps per second"* ]] || fail "the times of another model are shown"
  # Whenever a run is killed, the file beside its model (.toml) belongs to that model.
  local try
  for try in 1 2 3 4 5 6; do
    rm -f k.gpode k.gpode.toml
    "$gpode" fit v.csv "${endless[@]}" --checkpoint 0.001 -o k.gpode --quiet &
    wait_for_file k.gpode $!
    sleep 0.0$((3 * try))
    kill -KILL $!
    wait $! 2>/dev/null || true
    contains "$("$gpode" info k.gpode)" "stopped after" "steps per second"
  done
}

test_sidecars_that_never_end_hung_info() {
  model
  rm m.gpode.toml
  mkfifo m.gpode.toml
  contains "$(timeout -k 1 10 "$gpode" info m.gpode)" "seed 1"
  rm m.gpode.toml
  ln -s /dev/zero m.gpode.toml
  contains "$(timeout -k 1 10 "$gpode" info m.gpode)" "seed 1"
  rm m.gpode.toml
  awk 'BEGIN { for (i = 0; i < 200000; ++i) print "k" i " = " i }' >m.gpode.toml
  contains "$(timeout -k 1 10 "$gpode" info m.gpode)" "seed 1"
}

# bomb FILE NAME: writes an archive with a few data and the array NAME of 400 million zeros.
bomb() {
  python3 - "$@" <<'END'
import struct, sys, zipfile
def npy(shape, kind, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    arrays = {"times": npy("(4,)", "<f8", struct.pack("<4d", 0, 1, 2, 3)),
              "values": npy("(4, 1)", "<f8", struct.pack("<4d", 1, 2, 4, 8))}
    zeros = 400_000_000
    arrays[sys.argv[2]] = npy("(4, %d)" % (zeros // 4), "|u1", bytes(zeros))
    for name, data in arrays.items(): archive.writestr(name + ".npy", data)
END
}

test_small_archives_that_unpack_to_gigabytes() {
  need python3
  bomb unused.npz unused
  contains "$(limit_memory 1000000; "$gpode" info unused.npz)" "4 times"
  bomb values.npz values
  local code=0 said
  said=$(limit_memory 1000000; "$gpode" info values.npz 2>&1) || code=$?
  [ "$code" = 2 ] || fail "exit code $code" "$said"
  contains "$said" "values.npz: entry 'values': unpacks to 400000128 bytes, but the archive has" "at most 100 times"
}

test_hangup_saves_like_termination() {
  data
  "$gpode" fit v.csv "${endless[@]}" --checkpoint 0 -o m.gpode >out 2>err &
  wait_for_work $!
  kill -HUP $!
  local code=0
  wait $! || code=$?
  [ "$code" = 130 ] || fail "exit code $code, must be 130" "$(<err)"
  contains "$("$gpode" info m.gpode)" "stopped after"
  # Under nohup, a hang-up changes nothing.
  (trap '' HUP; exec "$gpode" fit v.csv "${kind[@]}" --iterations 20000 --patience 0 -o n.gpode --quiet) &
  wait_for_work $!
  kill -HUP $!
  wait $!
  contains "$("$gpode" info n.gpode)" "finished after"
}

# milliseconds: prints the time in milliseconds since 1970.
milliseconds() { date +%s%3N; }

test_termination_took_as_long_as_a_step() {
  data
  # With so many draws, a step takes several seconds.
  local fit=(fit v.csv --model gpode --posterior blocks --iterations 10 --patience 0 --draws 8000 --checkpoint 0)
  local code=0 begin passed
  "$gpode" "${fit[@]}" -o m.gpode >out 2>err &
  until grep -q "step 1 of" err; do
    kill -0 $! 2>/dev/null || fail "the run ended" "$(<err)"
    sleep 0.05
  done
  begin=$(milliseconds)
  kill -TERM $!
  wait $! || code=$?
  passed=$(($(milliseconds) - begin))
  # The limit is two seconds, and one more for machines that do much else.
  [ $passed -lt 3000 ] || fail "it took $passed ms"
  [ "$code" = 130 ] || fail "exit code $code, must be 130" "$(<err)"
  contains "$("$gpode" info m.gpode)" "stopped after"
  [ ! -e m.gpode.lock ] || fail "the lock is left"
}

test_one_checkpoint_that_could_not_be_written_ended_the_run() {
  data
  mkdir folder
  "$gpode" fit v.csv "${kind[@]}" --iterations 8000 --patience 0 --checkpoint 0.05 -o folder/m.gpode >out 2>err &
  local run=$!
  wait_for_file folder/m.gpode $run
  # For a while, nothing can be written to the folder, because it has another name.
  mv folder away
  until grep -q "the run goes on" err; do
    kill -0 $run 2>/dev/null || fail "the run ended" "$(<err)"
    sleep 0.01
  done
  mv away folder
  wait $run
  contains "$(<err)" "folder/m.gpode.toml: cannot be written: No such file or directory; the run goes on, and the next checkpoint tries again"
  contains "$("$gpode" info folder/m.gpode)" "finished after 8000"
}

test_temporary_files_of_killed_processes_were_left() {
  model
  local dead=999999
  while kill -0 $dead 2>/dev/null; do dead=$((dead - 1)); done
  touch m.gpode.$dead.0.tmp m.gpode.$dead.12.tmp m.gpode.$$.0.tmp m.gpode.$dead.tmp other.gpode.$dead.0.tmp
  "$gpode" fit v.csv "${small[@]}" --seed 2 -o m.gpode --quiet --force
  only m.gpode m.gpode.toml truth.csv v.csv m.gpode.$$.0.tmp m.gpode.$dead.tmp other.gpode.$dead.0.tmp
}

test_options_too_large_for_the_memory_name_themselves() {
  data
  local code=0 said
  said=$(limit_memory 4000000; timeout -k 1 20 "$gpode" fit v.csv --model gpode --posterior blocks --inducing 5000 -o m.gpode 2>&1) || code=$?
  [ "$code" = 2 ] || fail "exit code $code" "$said"
  [[ "$said" == "gpode: fit: inducing makes the run need at least "*" GB of memory, must be smaller: there are 4.1 GB" ]] ||
    fail "said" "$said"
  refuse "simulate: span is 1e+300, must be at most 7e+06, a million times the default" simulate vdp --span 1e300 -o s.csv
  only truth.csv v.csv
}

test_a_refused_fit_left_its_lock() {
  model
  mkdir m.gpode~
  refuse "m.gpode~: is a directory, must be a file" fit v.csv "${small[@]}" --seed 2 -o m.gpode --quiet
  [ ! -e m.gpode.lock ] || fail "the lock is left"
}

test_forecasts_of_absurd_times_never_ended() {
  model
  refuse "forecast: times go on for 3.07e+08 times the span of the data, must be at most 1e+06" \
    forecast m.gpode --until 2147483647 -o f.csv
  refuse "forecast: times go on for 1.43e+17 times the span of the data, must be at most 1e+06" \
    forecast m.gpode --times 1e18 -o f.csv
  contains "$(timeout -k 1 10 "$gpode" design m.gpode --window 2147483647 2>&1 || true)" "times the span of the data"
}

test_programs_were_not_hardened() {
  need readelf
  ! readelf --dyn-syms -W "$gpode" | grep -qE "__asan|__tsan|__ubsan" || exit 77
  contains "$(readelf -lW "$gpode")" GNU_RELRO
  contains "$(readelf -dW "$gpode")" NOW
  contains "$(readelf --dyn-syms -W "$gpode")" __stack_chk_fail
}

test_report_pages_could_have_forms_and_other_bases() {
  model
  "$gpode" report m.gpode -o m.html --quiet
  contains "$(head -c 2000 m.html)" "default-src 'none'" "base-uri 'none'; form-action 'none'"
}

"$2"
