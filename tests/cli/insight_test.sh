#!/usr/bin/env bash
# Tests of the commands analyse, explain, compare and design, and of pushed forecasts.
# usage: insight_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

# learn FILE OPTIONS...: a quick fit of FILE.csv.
learn() { "$gpode" fit "$1.csv" "${@:2}" --iterations 150 --inducing 8 --quiet -o "$1.gpode"; }

oscillator() {
  "$gpode" simulate vdp --points 40 --noise 0.001 -o vdp.csv --quiet
  learn vdp
}

test_analyse_describes_the_dynamics() {
  oscillator
  local text
  text=$("$gpode" analyse vdp.gpode --draws 4 --threads 1 -q)
  contains "$text" "4 draws, seed 1; region x1" "fixed points" "oscillates: probability" "ends of solutions"
  "$gpode" analyse vdp.gpode --draws 4 -q --plot dynamics.png -o dynamics.json >/dev/null
  [ "$(head -c 4 dynamics.png | tail -c 3)" = PNG ] || fail "no picture"
  contains "$(<dynamics.json)" '"fixed_points"' '"oscillation"' '"basins"' '"lyapunov"' '"separatrices"'
  [ "$("$gpode" analyse vdp.gpode --draws 4 --threads 1 --json -q)" = "$("$gpode" analyse vdp.gpode --draws 4 --threads 2 --json -q)" ] ||
    fail "the number of threads matters"
  contains "$("$gpode" analyse vdp.gpode --draws 2 -q --region x1=1.9:2,x2=5:6)" "none in the region"
}

test_analyse_holds_and_sweeps_inputs() {
  awk 'BEGIN { print "time,temp,heat"; temp = 15
    for (t = 0; t <= 24; t += 0.5) { heat = int(t / 4) % 2; printf "%g,%.6g,%d\n", t, temp, heat
      level = 10 + 24 * heat; temp = level + (temp - level) * exp(-0.125) } }' >room.csv
  learn room --inputs heat
  contains "$("$gpode" analyse room.gpode --at heat=1 --draws 3 -q --region temp=0:50)" "held: heat = 1" "node 1.00"
  contains "$("$gpode" analyse room.gpode --sweep heat=0:1:2 --draws 3 -q --region temp=0:50 --plot sweep.svg)" "oscillates" "one stable"
  contains "$(<sweep.svg)" "heat"
  expect 2 "" "gpode: analyse: --sweep is 'cold=0:1:2', must be values of inputs: heat" analyse room.gpode --sweep cold=0:1:2
  expect 2 "" "gpode: analyse: --plot needs a model of two states or more, or --sweep" analyse room.gpode --plot a.png
}

test_analyse_refuses_bad_words() {
  oscillator
  expect 2 "" "gpode: analyse: --at needs a model with inputs, which this one has not" analyse vdp.gpode --at u=1
  expect 2 "" "gpode: analyse: --region is 'x1=2:1', must be ranges with FROM below TO, as x1=FROM:TO" analyse vdp.gpode --region x1=2:1
  expect 2 "" "gpode: analyse: --plot is 'a.gif', must be a name that ends in .svg, .png or .pdf" analyse vdp.gpode --plot a.gif
}

test_interrupted_analysis_prints_what_is_done() {
  oscillator
  local pause pid code
  # On a busy machine no draw may be finished after a second; the signal then comes later.
  for pause in 1 4 12; do
    "$gpode" analyse vdp.gpode --draws 400 --threads 1 -o out.json >out.txt 2>err.txt &
    pid=$! code=0
    wait_for_work "$pid"
    sleep "$pause"
    kill -TERM "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ] || fail "exit code $code"
    grep -q "of 400, seed 1" out.txt && break
  done
  contains "$(<out.txt)" "of 400, seed 1" "oscillates: probability"
}

test_explain_writes_equations() {
  oscillator
  contains "$("$gpode" explain vdp.gpode -o vdp.ode --latex vdp.tex)" "dx1/dt =" "probability" "% of the field at the data"
  contains "$(<vdp.ode)" "param c1_1 ~ normal(" "dx1 = c1_1 * " "dx2 = "
  contains "$(<vdp.tex)" '\dot{x_{1}} &='
  contains "$("$gpode" explain vdp.gpode --json --degree 2)" '"formula"' '"term": "x1*x2"'
  expect 2 "" "gpode: explain: --degree gives 66 terms, must give at most 60" explain vdp.gpode --degree 10
}

test_explain_takes_terms_of_a_file() {
  oscillator
  printf '# candidates\nx1\nx2\n\nx1^2*x2  # the damping\nsin(x1) - 1\n' >terms.txt
  contains "$("$gpode" explain vdp.gpode --terms terms.txt --latex vdp.tex)" "4 terms for each state"
  contains "$("$gpode" explain vdp.gpode --terms terms.txt --json)" '"term": "(sin(x1) - 1)"' '"term": "x1^2*x2"'
  contains "$(<vdp.tex)" 'x_{2}'
  printf 'x1\nx3*x1\n' >bad.txt
  expect 2 "" "gpode: bad.txt:2: 'x3' is not known: it is not a channel, input, state, parameter or definition above; states are x1, x2" \
    explain vdp.gpode --terms bad.txt
  printf 'gp(x1)\n' >bad.txt
  expect 2 "" "gpode: bad.txt:1: term 'gp(x1)' must have numbers, functions and x1, x2 only" explain vdp.gpode --terms bad.txt
  printf '# nothing\n' >bad.txt
  expect 2 "" "gpode: bad.txt has no terms, must have some" explain vdp.gpode --terms bad.txt
  expect 2 "" "gpode: explain: --terms cannot be combined with --degree" explain vdp.gpode --terms terms.txt --degree 2
}

test_plots_show_what_the_model_implies() {
  oscillator
  local kind
  for kind in dynamics basins design; do
    "$gpode" plot vdp.gpode --kind "$kind" --draws 4 -o "$kind.svg" -q
    contains "$(<"$kind.svg")" "<svg"
  done
  contains "$(<dynamics.svg)" "mean field"
  "$gpode" plot vdp.gpode --kind difference --other vdp.gpode --draws 8 -o difference.png -q
  expect 2 "" "gpode: plot: --other is missing, must be a model file to compare with" plot vdp.gpode --kind difference -o a.svg
  expect 2 "" "gpode: plot: --sweep is missing, must be an input, as u=FROM:TO:COUNT" plot vdp.gpode --kind bifurcation -o a.svg
  expect 2 "" "gpode: plot: --sweep needs a model with inputs, which this one has not" \
    plot vdp.gpode --kind bifurcation --sweep u=0:1:2 -o a.svg
}

test_reports_have_sections_of_analyses() {
  oscillator
  "$gpode" report vdp.gpode --with dynamics,equations,design --draws 8 -q -o vdp.html
  contains "$(<vdp.html)" '"insight":[{"id":"dynamics"' '"id":"equations"' '"id":"design"' "Fixed points" "image/svg+xml"
  "$gpode" report vdp.gpode --draws 8 -q -o plain.html
  ! grep -q '"insight":' plain.html || fail "sections that nobody asked for"
  expect 2 "" "gpode: report: --with is 'colours', must be of dynamics, equations, design, all" report vdp.gpode --with colours
}

test_pushed_forecasts_differ_after_the_push() {
  oscillator
  "$gpode" forecast vdp.gpode --times 7:9:5 --draws 4 -o plain.csv -q
  "$gpode" forecast vdp.gpode --times 7:9:5 --draws 4 --push x1=+0.5@t=8 -o pushed.csv -q
  cmp -s <(head -3 plain.csv) <(head -3 pushed.csv) || fail "the time before the push has changed"
  ! cmp -s <(tail -1 plain.csv) <(tail -1 pushed.csv) || fail "the push has no effect"
  expect 2 "" "gpode: forecast: --push is 'x1=0.5', must be a change of a state at a time, as x1=+0.5@t=3" \
    forecast vdp.gpode --push x1=0.5
  expect 2 "" "gpode: forecast: --push is at -1, must be at 0 or later, where the trajectory begins" \
    forecast vdp.gpode --push x1=+0.5@t=-1
}

test_compare_finds_differences() {
  oscillator
  "$gpode" compare vdp.gpode vdp.gpode --draws 16 --plot same.png -o same.json >out.txt
  contains "$(<out.txt)" "vdp.gpode minus vdp.gpode" "16 draws" "false discovery rate"
  contains "$(<same.json)" '"share_that_differs"' '"false_sign_rate"'
  [ "$(head -c 4 same.png | tail -c 3)" = PNG ] || fail "no picture"
  sed 's/x1/y1/' vdp.csv >y.csv
  learn y
  expect 2 "" "gpode: compare: the models have different states, must have the same" compare vdp.gpode y.gpode
}

test_design_ranks_observations() {
  oscillator
  local text
  text=$("$gpode" design vdp.gpode --draws 32 --batch 3 --plot design.svg -o design.json)
  contains "$text" "32 draws, seed 1" "best single observations" "best 3 together"
  contains "$(<design.json)" '"batch"' '"candidates"' '"reduction"'
  contains "$(<design.svg)" "expected reduction"
  contains "$("$gpode" design vdp.gpode --draws 32 --each-channel --cost base=1,x1=999)" "x2"
  expect 2 "" "gpode: design: --cost is 'y=1', must be prices of base, time, start and channels, as base=1,time=0.2,x2=3" \
    design vdp.gpode --cost y=1
  expect 2 "" "gpode: design: --window needs --target forecast, but --target is field" \
    design vdp.gpode --target field --window 8:9:3
  expect 2 "" "gpode: design: --region needs --start-grid, or --target field or stability, but --target is forecast" \
    design vdp.gpode --region x1=0:1
  expect 2 "" "gpode: design: --plot is 'a.gif', must be a name that ends in .svg, .png or .pdf" design vdp.gpode --plot a.gif
}

test_design_ranks_new_starts() {
  oscillator
  local text words
  words=(design vdp.gpode --draws 24 --target field --start-times 0.5,1 --batch 2 --quiet)
  text=$("$gpode" "${words[@]}" --start-grid 3 --plot starts.svg -o starts.json)
  contains "$text" "field, deviation" "new trajectories: 9 starts, each observed 2 times from 0.5 to 1" "start x1 =" "best 2 together"
  contains "$(<starts.json)" '"target": "field"' '"start_times"' '"start": {' '"region"'
  contains "$(<starts.svg)" "new start that reduces the variance"
  [ "$("$gpode" "${words[@]}" --start-grid 3 --json --threads 1)" = "$("$gpode" "${words[@]}" --start-grid 3 --json --threads 2)" ] ||
    fail "the number of threads matters"
  # Starts of a table, by name and along the trajectory in one ranking; each observation of a start has its price.
  printf 'x2,x1\n0,2\n1,-1\n' >starts.csv
  text=$("$gpode" design vdp.gpode --draws 24 --starts starts.csv --start x1=0.5,x2=0.5 --times 8,9 --start-times 0.5,1,2 \
    --cost base=1,start=4 --json --quiet)
  [ "$(sed -n '/"candidates"/,$p' <<<"$text" | grep -c '"start": {')" = 3 ] || fail "not three starts" "$text"
  contains "$text" '"cost": 7.0' '"cost": 1.0' '"time": 8.0'
  contains "$("$gpode" design vdp.gpode --draws 24 --target stability --times 7:8:3)" "fixed point x1 =" "leading eigenvalue"
}

test_design_refuses_bad_starts() {
  oscillator
  expect 2 "" "gpode: design: --start is 'x1=1', must be values of all states: x1, x2" design vdp.gpode --start x1=1 -o a.json
  expect 2 "" "gpode: design: --start is 'y=1', must be among the model's states: 'x1', 'x2'" design vdp.gpode --start y=1
  expect 2 "" "gpode: design: --start-times needs --start, --starts or --start-grid" design vdp.gpode --start-times 1
  expect 2 "" "gpode: design: --start-times is '-1,2', must be times since the start, none of them negative" \
    design vdp.gpode --start x1=1,x2=0 --start-times=-1,2
  expect 2 "" "gpode: design: --start-grid is 200, which gives more than 10000 starts for 2 states" design vdp.gpode --start-grid 200
  expect 2 "" "gpode: design: the region has no fixed point that half of the draws have" \
    design vdp.gpode --target stability --region x1=1.9:2,x2=5:6 --draws 16 -o a.json --plot a.png
  printf 'x1,x2\n1,2\n3,\n' >gap.csv
  expect 2 "" "gpode: gap.csv: start 2 has a missing value, must have all states" design vdp.gpode --starts gap.csv
  expect 2 "" "gpode: missing.csv: no such file, must exist" design vdp.gpode --starts missing.csv
  expect 2 "" "gpode: design: --target is 'colour', must be one of forecast, field, stability" design vdp.gpode --target colour
  [ ! -e a.json ] && [ ! -e a.png ] || fail "a refused design wrote files"
}

test_interrupted_design_ranks_what_is_done() {
  oscillator
  "$gpode" design vdp.gpode --start-grid 100 --target field --draws 16 --threads 1 >out.txt 2>err.txt &
  local pid=$! code=0
  wait_for_work "$pid"
  sleep 1
  kill -TERM "$pid"
  wait "$pid" || code=$?
  [ "$code" = 130 ] || fail "exit code $code" "$(<err.txt)"
  contains "$(<out.txt)" "of 10000, each observed" "best single candidates"
}

test_models_with_an_energy_say_so() {
  awk 'BEGIN { print "time,q,p"; for (t = 0; t < 12; t += 0.3) printf "%g,%.6g,%.6g\n", t, cos(t), -sin(t) }' >wave.csv
  printf 'param k ~ lognormal(0, 1)\ndq = p\ndp = -k * q\n' >free.ode
  learn wave --equations free.ode
  contains "$("$gpode" analyse wave.gpode --draws 3 -q)" "energy (conserved; zero at q = " "drift over the data"
  contains "$("$gpode" analyse wave.gpode --draws 3 --json --no-basins -q)" '"energy"' '"conserved": true' '"drift"'
  "$gpode" report wave.gpode --with dynamics --draws 3 -q -o wave.html
  contains "$(<wave.html)" "Energy, conserved"
  printf 'param k ~ lognormal(0, 1)\ndq = p\ndp = -k * q - 0.1 * p\n' >damped.ode
  learn wave --equations damped.ode --force
  contains "$("$gpode" analyse wave.gpode --draws 3 -q)" "energy (lost at the rate 0.1 (0.1 to 0.1); zero at"
  oscillator
  ! "$gpode" analyse vdp.gpode --draws 3 -q | grep -q energy || fail "an energy that is not there"
}

"$2"
