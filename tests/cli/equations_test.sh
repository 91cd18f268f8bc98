#!/usr/bin/env bash
# Tests of known equations on the command line: fits, forms, every command, mistakes.
# usage: equations_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

data() { "$gpode" simulate pendulum --points 25 --noise 0.02 --seed 2 -o p.csv --quiet; }

# fails MESSAGE ARGUMENTS...: checks that a call fails with exit code 2 and one line that has the message.
fails() {
  local code=0
  "$gpode" "${@:2}" -o x.gpode >out 2>err || code=$?
  [ $code = 2 ] || fail "gpode ${*:2}: exit code $code, must be 2" "$(<err)"
  [ "$(wc -l <err)" = 1 ] || fail "more than one line:" "$(<err)"
  contains "$(<err)" "$1"
}

# learn OPTIONS...: fits the trained posterior quickly.
learn() { "$gpode" fit p.csv "$@" --iterations 120 --inducing 6 --quiet; }

test_equations_are_learnt_and_kept_in_the_model() {
  data
  printf '%s\n' 'param g = 1.2 in [0.5, 2]' 'state omega' 'dangle = omega' \
    'domega = -g * sin(angle) + gp friction(omega)' >p.ode
  learn --channels angle --equations p.ode -o p.gpode
  rm p.ode
  contains "$("$gpode" info p.gpode)" "angle, omega" "friction of 1 argument" "parameter g"
  contains "$("$gpode" info p.gpode --json)" '"parameters": {' '"q95"' 'gp friction(omega)'
  "$gpode" forecast p.gpode --until 22 --quiet -o f.csv
  "$gpode" score p.gpode p.csv >s.txt
  "$gpode" report p.gpode -o r.html --quiet
  "$gpode" field p.gpode --grid angle=-1:1:2,omega=0:1:2 --quiet >field.csv
  contains "$(head -1 field.csv)" "domega_dt"
}

test_growth_keeps_zero_at_zero() {
  "$gpode" simulate lotka-volterra --points 25 --noise 0.02 --seed 2 -o p.csv --quiet
  learn --form growth -o p.gpode
  local first second
  first=$(head -1 p.csv | cut -d, -f2)
  second=$(head -1 p.csv | cut -d, -f3)
  "$gpode" forecast p.gpode --from "$first=0,$second=1" --times 0.5,1,2 --quiet --all-draws >f.csv
  # Every draw of the first species is zero, to the last bit.
  awk -F, -v name="$first" 'NR == 1 { for (i = 2; i <= NF; ++i) own[i] = index($i, name "_") == 1; next }
    { for (i = 2; i <= NF; ++i) if (own[i] && $i != "0") { print "not zero: " $i; exit 1 } }' f.csv
}

test_forms_are_learnt() {
  data
  learn --form hamiltonian --damping learnt -o h.gpode
  contains "$("$gpode" info h.gpode)" "parameter damping" "energy of 2 arguments"
  learn --form gradient -o g.gpode
  learn --form divergence-free -o d.gpode
  learn --channels angle --form second-order --damping 0.1 -o s.gpode
  contains "$("$gpode" info s.gpode)" "angle, v_angle"
}

# Rates were shown as the values that a soft floor makes positive, which may be negative.
test_counts_with_gaps_have_no_negative_medians_or_bands() {
  awk 'BEGIN { print "time,n"; for (i = 0; i < 24; ++i) printf "%g,%s\n", i / 4, i % 4 == 2 ? "" : int(9 * exp(-i / 4)) }' >p.csv
  learn --likelihood poisson -o c.gpode
  "$gpode" impute c.gpode --quiet -o i.csv
  "$gpode" forecast c.gpode --until 9 --all-draws --quiet -o f.csv
  awk -F, 'FNR > 1 { for (i = 2; i <= NF; ++i) { ++n; if ($i < 0) { print FILENAME ": " $i; exit 1 } } } END { exit n == 0 }' \
    i.csv f.csv || fail "a rate is negative"
}

# One unknown energy of four channels cannot be learnt from a few orbits: forecasts of a planet left its orbit.
test_an_energy_of_four_channels_is_kinetic_plus_potential() {
  awk 'BEGIN { print "time,qx,qy,px,py"; for (t = 0; t < 6; t += 0.3) printf "%g,%.5f,%.5f,%.5f,%.5f\n", t, cos(t), sin(t), -sin(t), cos(t) }' >p.csv
  learn --form hamiltonian --damping 0.1 -o h.gpode
  contains "$("$gpode" info h.gpode --json)" 'dqx = gp kinetic[1](px, py)' \
    'dpy = -gp potential[2](qx, qy) - 0.1 * py'
  learn --form coupled-hamiltonian -o c.gpode
  contains "$("$gpode" info c.gpode --json)" 'dqx = gp energy[3](qx, qy, px, py)'
  fails "even number of channels" fit p.csv --channels qx,qy,px --form coupled-hamiltonian
}

test_threads_and_resuming_do_not_change_equations() {
  data
  printf '%s\n' 'param g ~ lognormal(0, 1)' 'dangle = velocity' 'dvelocity = -g * sin(angle) + gp(velocity)' >p.ode
  for threads in 1 3; do
    learn --equations p.ode --threads $threads -o $threads.gpode
    "$gpode" forecast $threads.gpode --until 22 --quiet -o $threads.csv
  done
  cmp 1.csv 3.csv
  same_bytes_if_stopped fit p.csv --equations p.ode --iterations 3000 --patience 0 --inducing 6
}

# A slope that is never finite: no likelihood can be linearised. This used to crash the joint posterior.
test_equations_without_finite_slopes_do_not_crash() {
  data
  printf '%s\n' 'dangle = velocity + sqrt(angle - angle)' 'dvelocity = gp(angle, velocity)' >p.ode
  local code=0
  "$gpode" fit p.csv --equations p.ode --posterior joint --iterations 100 --sampler-chains 1 --sampler-warm-up 2 \
    --sampler-draws 4 --sampler-max-depth 2 --inducing 4 -o p.gpode --quiet 2>err || code=$?
  [ $code -le 2 ] || fail "exit code $code" "$(<err)"
}

test_mistakes_in_equations_are_one_line() {
  data
  printf 'dangle = velocity\ndvelocity = -k * angle\n' >p.ode
  fails "p.ode:2:14: 'k' is not known" fit p.csv --equations p.ode
  printf 'dangle = velocity\ndvelocity = log(-1 - angle^2) * gp(angle)\n' >p.ode
  fails "no finite value" fit p.csv --equations p.ode
  printf 'dangle = velocity\ndvelocity = -angle\n' >p.ode
  fails "nothing to learn" fit p.csv --equations p.ode
  fails "cannot be combined with equations" fit p.csv --equations p.ode --form growth
  fails "must exist" fit p.csv --equations none.ode
  fails "even number of channels" fit p.csv --channels angle --form hamiltonian
  fails "needs the form" fit p.csv --damping 0.1
}

"$2"
