#!/usr/bin/env bash
# Tests of the program under mpirun: equal bytes on any number of ranks, killed ranks, failing disks.
# usage: mpi_test.sh GPODE FAULTS TEST    GPODE of the preset mpi; FAULTS is libgpode_faults.so
set -euo pipefail
gpode=$1 faults=$2
source "$(dirname "$0")/../cli/support.sh"
enter_scratch

mpi=(mpirun --allow-run-as-root --oversubscribe)  # also with fewer cores than ranks
# on N ARGUMENTS...: runs the program on N ranks.
on() { "${mpi[@]}" -n "$1" "$gpode" "${@:2}"; }
kind=(--model shooting --posterior blocks --inducing 6 --features 32)
small=("${kind[@]}" --iterations 60 --draws 2)
long=("${kind[@]}" --iterations 1000 --draws 2)
data() { "$gpode" simulate vdp --noise 0.05 --points 60 -o v.csv --truth truth.csv --quiet; }

# workers PID: prints the process numbers of all ranks but 0 of an mpirun.
workers() {
  local pid
  for pid in $(pgrep -P "$1"); do
    if tr '\0' '\n' <"/proc/$pid/environ" | grep -q '^OMPI_COMM_WORLD_RANK=[1-9]'; then echo "$pid"; fi
  done
}

test_any_number_of_ranks_gives_the_bytes_of_one_process() {
  data
  "$gpode" fit v.csv "${small[@]}" -o one.gpode --quiet
  local n
  for n in 1 2 3 4; do
    on $n fit v.csv "${small[@]}" -o $n.gpode --quiet
    cmp one.gpode $n.gpode
  done
  on 2 fit v.csv "${small[@]}" --threads 2 -o threads.gpode --quiet
  cmp one.gpode threads.gpode
}

test_whole_trajectories_and_minibatches_give_the_same_bytes() {
  data
  local options n
  for options in "--model gpode --posterior blocks --draws 3" "--model shooting --posterior blocks --batch 20" \
    "--model npode"; do
    # shellcheck disable=SC2086
    "$gpode" fit v.csv $options --inducing 6 --features 32 --iterations 40 -o one.gpode --quiet --force
    for n in 2 3; do
      # shellcheck disable=SC2086
      on $n fit v.csv $options --inducing 6 --features 32 --iterations 40 -o many.gpode --quiet --force
      cmp one.gpode many.gpode
    done
  done
}

test_only_rank_0_talks_and_writes() {
  data
  local said
  said=$(on 3 fit v.csv "${small[@]}" -o m.gpode 2>err)
  [ "$(grep -c '^saved m.gpode' <<<"$said")" = 1 ] || fail "said more than once" "$said"
  contains "$said" "3 ranks with "
  [ "$(ls)" = "$(printf '%s\n' err m.gpode m.gpode.toml truth.csv v.csv)" ] || fail "other files" "$(ls)"
  [ "$(on 2 info m.gpode)" = "$("$gpode" info m.gpode)" ] || fail "info is printed more than once"
}

test_a_killed_rank_ends_the_run_which_resumes_on_other_ranks() {
  data
  "$gpode" fit v.csv "${long[@]}" -o one.gpode --quiet
  "${mpi[@]}" -n 3 "$gpode" fit v.csv "${long[@]}" --checkpoint 0.05 -o m.gpode >out 2>err &
  local job=$! code=0
  wait_for_file m.gpode $job
  kill -9 "$(workers $job | head -n 1)"
  wait $job || code=$?
  [ "$code" != 0 ] || fail "the run ended before it could be killed"
  contains "$(<err)$(<out)" "process rank" "exited on signal 9"
  ! cmp -s one.gpode m.gpode || fail "the run was already finished"
  # Every number of ranks, also a process without mpirun, ends with the same bytes.
  cp m.gpode stopped
  on 2 fit --resume -o m.gpode --quiet
  cmp one.gpode m.gpode
  cp stopped m.gpode
  "$gpode" fit --resume -o m.gpode --quiet
  cmp one.gpode m.gpode
}

test_an_interrupted_run_is_saved_and_resumes_on_other_ranks() {
  data
  "$gpode" fit v.csv "${long[@]}" -o one.gpode --quiet
  "${mpi[@]}" -n 2 "$gpode" fit v.csv "${long[@]}" --checkpoint 1000 -o m.gpode >out 2>err &
  local job=$! code=0
  until grep -q "step 3" err; do kill -0 $job || fail "the run ended" "$(<err)"; sleep 0.02; done
  kill -TERM $job
  wait $job || code=$?
  [ "$code" != 0 ] || fail "the run ended before it could be interrupted"
  [ -e m.gpode ] || fail "nothing was saved" "$(<err)"
  on 4 fit --resume -o m.gpode --quiet
  cmp one.gpode m.gpode
}

test_a_failing_disk_on_rank_0_is_one_line_and_ends_all_ranks() {
  data
  local code=0
  timeout 600 "${mpi[@]}" -n 3 -x LD_PRELOAD="$faults" -x GPODE_FAULT_CALL=fsync \
    -x GPODE_FAULT_AT=1 "$gpode" fit v.csv "${small[@]}" --checkpoint 1000 -o m.gpode --quiet >out 2>err || code=$?
  [ "$code" = 2 ] || fail "exit code $code, must be 2" "$(<err)"
  [ "$(grep -c '^gpode: ' err)" = 1 ] || fail "must say one line" "$(<err)"
  contains "$(<err)" "gpode: m.gpode"
}

test_a_full_disk_on_rank_0_is_one_line_and_ends_all_ranks() {
  data
  mkdir disk
  mount -t tmpfs -o size=16k none disk 2>/dev/null || exit 77
  local code=0
  timeout 600 "${mpi[@]}" -n 3 "$gpode" fit v.csv "${small[@]}" --checkpoint 1000 -o disk/m.gpode --quiet >out 2>err || code=$?
  local left
  left=$(ls disk)
  umount disk
  [ "$code" = 2 ] || fail "exit code $code, must be 2" "$(<err)"
  [ "$(grep -c '^gpode: ' err)" = 1 ] || fail "must say one line" "$(<err)"
  contains "$(<err)" "gpode: disk/m.gpode: cannot be written: No space left on device"
  [ -z "$left" ] || fail "left over" "$left"
}

test_bad_input_is_one_line() {
  local code=0
  timeout 600 "${mpi[@]}" -n 3 "$gpode" fit none.csv 2>err || code=$?
  [ "$code" = 2 ] || fail "exit code $code, must be 2" "$(<err)"
  [ "$(grep -c '^gpode: none.csv' err)" = 1 ] || fail "must say one line" "$(<err)"
  code=0
  timeout 600 "${mpi[@]}" -n 2 "$gpode" reproduce nothing 2>err || code=$?
  [ "$code" = 2 ] || fail "reproduce: exit code $code, must be 2" "$(<err)"
  [ "$(grep -c '^gpode: reproduce' err)" = 1 ] || fail "must say one line" "$(<err)"
}

test_reproduce_spreads_its_runs() {
  "$gpode" reproduce fhn --models gpode,shooting --runs 2 --steps 20 --out one -q
  on 3 reproduce fhn --models gpode,shooting --runs 2 --steps 20 --out three >out 2>err
  contains "$(<err)" "3 ranks; the progress is that of rank 0, which does 2 of 4 runs"
  local run
  for run in gpode-1 gpode-2 shooting-1 shooting-2; do cmp one/fhn/$run.gpode three/fhn/$run.gpode; done
  diff -r one/figures three/figures || fail "other figures"
  contains "$(<out)" "FHN   GPODE  " "FHN   GPODE, shooting"
}

test_other_instruction_sets_are_refused() {
  data
  local code=0
  timeout 600 "${mpi[@]}" -n 1 "$gpode" fit v.csv "${small[@]}" -o m.gpode --quiet : \
    -n 1 -x GPODE_SIMD=baseline "$gpode" fit v.csv "${small[@]}" -o m.gpode --quiet 2>err || code=$?
  [ "$code" != 0 ] || fail "exit code 0"
  contains "$(<err)" "gpode: rank 1 uses the instruction sets 'baseline in v3', rank 0 '" "must use the same"
}

"$3"
