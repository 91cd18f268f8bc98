#!/usr/bin/env bash
# Tests of every kind of model on the command line, with a few steps of training each.
# usage: models_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

data() { "$gpode" simulate vdp --noise 0.05 --points 20 --truth-until 10 -o vdp.csv --quiet; }

# learn MODEL OUT OPTIONS...: trains a small model.
learn() {
  "$gpode" fit vdp.csv --model "$1" --iterations 20 --inducing 6 --sampler-chains 2 --sampler-warm-up 4 \
    --sampler-draws 5 -o "$2" "${@:3}"
}

# use MODEL FILE: runs every command that reads a model and checks its output.
use() {
  local kind
  "$gpode" info "$2" --json >info.json
  contains "$(<info.json)" "\"method\": \"$1\""
  [ "$("$gpode" forecast "$2" --until 10 --points 4 2>/dev/null | wc -l)" = 5 ] || fail "$1: forecast"
  contains "$("$gpode" score "$2" vdp.truth.csv --after 7)" MNLL MSE CRPS
  [ "$("$gpode" field "$2" --grid x1=-2:2:3,x2=-2:2:3 --jacobian --draws 2 2>/dev/null | wc -l)" = 10 ] || fail "$1: field"
  [ "$("$gpode" impute "$2" --times 0.1,0.2 --only-gaps 2>/dev/null | wc -l)" = 3 ] || fail "$1: impute"
  for kind in forecast phase field; do "$gpode" plot "$2" --kind $kind -o $kind.svg --quiet; done
  "$gpode" report "$2" vdp.truth.csv -o report.html --quiet
  grep -q '"learnt by"' report.html || fail "$1: report"
  # Legends and plots leave out the parts that a model does not have.
  local network=no
  [[ "$1" != neural* ]] || network=yes
  [ "$(grep -c "inducing points</text>" phase.svg)" = "$([ $network = yes ] && echo 0 || echo 1)" ] || fail "$1: inducing points"
  [ "$(grep -c '"Lengthscale"' report.html)" = "$([ $network = yes ] || [[ "$1" == *hmc ]] && echo 0 || echo 1)" ] || fail "$1: lengthscales"
}

test_models_that_are_trained() {
  data
  local model
  for model in npode neural neural-vi neural-shooting; do
    contains "$(learn $model $model.gpode 2>/dev/null)" "done after 20 steps" "saved $model.gpode"
    contains "$("$gpode" info $model.gpode)" "finished after 20 of 20 steps"
    use $model $model.gpode
    "$gpode" plot $model.gpode --kind training -o training.svg --quiet
    learn $model again.gpode --threads 1 --quiet
    cmp $model.gpode again.gpode || fail "$model: other bits with one thread"
  done
  contains "$("$gpode" info npode.gpode)" "learnt by        npODE, seed 1" "inducing points  6" lengthscales
  contains "$("$gpode" info neural-shooting.gpode)" "NeuralODE, shooting" "hidden layers    32" "weights          162"
  [[ "$("$gpode" info neural-vi.gpode)" != *lengthscales* ]] || fail "a network has lengthscales"
}

test_models_that_are_sampled() {
  data
  local model
  for model in neural-hmc gpode-hmc; do
    contains "$(learn $model $model.gpode 2>err)" "done with 10 draws from 2 chains, R-hat up to" "saved $model.gpode"
    [[ "$(<err)" != *noise* ]] || fail "a sampler has one noise" "$(<err)"
    contains "$("$gpode" info $model.gpode)" "10 draws from 2 chains" "largest R-hat" "divergent transitions"
    use $model $model.gpode
    expect 2 "" "gpode: $model.gpode: has a sampled posterior, which has no training history" \
      plot $model.gpode --kind training -o training.svg
    learn $model again.gpode --threads 1 --quiet
    cmp $model.gpode again.gpode || fail "$model: other bits with one thread"
  done
}

test_models_of_networks_are_resumed_to_the_same_bits() {
  data
  same_bytes_if_stopped fit vdp.csv --model neural-vi --iterations 12000 --patience 0
}

test_models_stop_by_validation_data() {
  data
  "$gpode" simulate vdp --noise 0.05 --points 20 --seed 2 -o held.csv --quiet
  local fit=(fit vdp.csv --model neural --iterations 1500 --validation-patience 2)
  "$gpode" "${fit[@]}" --validation held.csv -o held.gpode --quiet
  "$gpode" "${fit[@]}" -o free.gpode --quiet
  ! cmp -s held.gpode free.gpode || fail "validation data change nothing"
  contains "$("$gpode" info free.gpode)" "after 1500 of 1500 steps"
  [[ "$("$gpode" info held.gpode)" != *"after 1500 of"* ]] || fail "it did not stop" "$("$gpode" info held.gpode)"
  # The options that were written beside the model repeat the run.
  "$gpode" fit --config held.gpode.toml -o again.gpode --quiet
  cmp held.gpode again.gpode

  sed '1s/.*/time,x1,other/' held.csv >names.csv
  expect 2 "" "gpode: names.csv: has channels 'x1', 'other', must have those of the data, 'x1', 'x2'" \
    fit vdp.csv --validation names.csv -o bad.gpode
  expect 2 "" "gpode: nothing.csv: no such file, must exist" fit vdp.csv --validation nothing.csv -o bad.gpode
  local model
  for model in neural-hmc gpode-hmc; do
    expect 2 "" "gpode: fit: --validation cannot be combined with a sampler, which does not stop early" \
      fit vdp.csv --model $model --validation held.csv -o bad.gpode
  done
  [ ! -e bad.gpode ] || fail "a model of what was refused is there"
}

# All these arguments are refused before any training.
test_models_refuse_what_is_wrong() {
  data
  local before
  before=$(find . | sort)
  expect 2 "" "gpode: fit: --neural-hidden is [0], must be at least 1" fit vdp.csv --model neural --neural-hidden 0
  expect 2 "" "gpode: fit: --sampler-chains is 0, must be at least 1" fit vdp.csv --model neural-hmc --sampler-chains 0
  local target
  for target in 0 1; do
    expect 2 "" "gpode: fit: sampler.target_acceptance is $target, must be between 0 and 1" \
      fit vdp.csv --model gpode-hmc --sampler-target-acceptance $target
  done
  [ "$(find . | sort)" = "$before" ] || fail "files changed"
}

"$2"
