#!/usr/bin/env bash
# Tests of bad inputs. Each must end with exit code 2 and one line on standard error, print nothing
# else and leave every file as it was.
# usage: bad_inputs_test.sh GPODE TEST    environment: GPODE_VERSION, the version to expect
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch

# listing: prints names, kinds and checksums of all files in the current folder.
listing() { find . -printf '%p %y %m\n' | sort; find . -type f -exec cksum {} + 2>/dev/null | sort; }

# bad MESSAGE ARGUMENTS...: checks that the arguments are refused with exactly that message and that
# no file changes.
bad() {
  local before after
  before=$(listing)
  expect 2 "" "gpode: $1" "${@:2}"
  after=$(listing)
  [ "$before" = "$after" ] || fail "gpode ${*:2}: files changed" "$(diff <(echo "$before") <(echo "$after"))"
}

# bad_start MESSAGE ARGUMENTS...: checks that the arguments are refused with one line that begins
# with that message.
bad_start() {
  local code=0 out
  out=$("$gpode" "${@:2}" 2>&1) || code=$?
  [ "$code" = 2 ] || fail "gpode ${*:2}: exit code $code, must be 2" "$out"
  [[ "$out" == "gpode: $1"* && "$out" != *$'\n'* ]] || fail "gpode ${*:2}: output is" "$out" "must be one line that begins" "gpode: $1"
}

# bad_data MESSAGE TEXT OPTIONS...: checks that gpode fit refuses a file data.csv with this text.
bad_data() {
  printf "$2" >data.csv
  bad "$1" fit data.csv "${@:3}"
}

# bad_config MESSAGE TEXT: checks that gpode fit refuses a file run.toml with this text.
bad_config() {
  printf "$2" >run.toml
  bad "$1" fit good.csv -o new.gpode --config run.toml
}

good_data() { "$gpode" simulate vdp --noise 0.05 --points 12 -o good.csv --truth truth.csv --quiet; }
good_model() {
  good_data
  "$gpode" fit good.csv --iterations 5 --inducing 4 --features 16 -o good.gpode --quiet
}
three_trajectories() {
  "$gpode" simulate lotka-volterra --points 8 --trajectories 3 -o three.csv --quiet
  "$gpode" fit three.csv --iterations 3 --inducing 4 --features 16 -o three.gpode --quiet
}

need() { command -v "$1" >/dev/null || { echo "$1 is not here"; exit 77; }; }

test_files_that_are_not_there_or_hold_nothing() {
  good_model
  mkdir folder
  : >empty.csv
  printf '\n# nothing\n\n' >comments.csv
  printf 'time,x\n' >header.csv
  bad "nothing.csv: no such file, must exist" fit nothing.csv
  bad "nothing.csv: no such file, must exist" info nothing.csv
  bad "nothing.gpode: no such file, must exist" forecast nothing.gpode
  bad "nothing.csv: no such file, must exist" fit good.csv nothing.csv
  bad "nothing.csv: no such file, must exist" score good.gpode nothing.csv
  bad "'': no such file, must exist" fit ""
  bad 'two\x0alines.csv: no such file, must exist' info $'two\nlines.csv'
  bad "empty.csv: is empty, must have a header and rows" fit empty.csv
  bad "/dev/null: is empty, must have a header and rows" fit /dev/null -o new.gpode
  bad "comments.csv: is empty, must have a header and rows" fit comments.csv
  bad "header.csv: has a header but no rows, must have at least one" fit header.csv
  bad "folder: is a directory, must be a file" fit folder
  bad "folder: is a directory, must be a file" forecast folder
  bad "folder: is a directory, must be a file" fit good.csv --config folder
  bad "/dev/null: is a device or pipe, must be a file" forecast /dev/null
}

test_files_that_may_not_be_read_or_written() {
  good_model
  mkdir closed
  cp good.csv secret.csv
  chmod 000 secret.csv
  chmod 555 closed
  if [ "$(id -u)" = 0 ]; then
    need setpriv
    # Root may read every file. The program therefore runs as another user, who needs access to the
    # program and to this folder.
    cp "$gpode" ./gpode
    chmod 755 . ./gpode
    printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups ./gpode "$@"\n' >as_nobody
    chmod 755 as_nobody
    gpode=./as_nobody
  fi
  bad "secret.csv: cannot be opened: Permission denied" fit secret.csv -o never.gpode
  bad "secret.csv: cannot be opened: Permission denied" info secret.csv
  bad "closed/new.csv: cannot be written: Permission denied" simulate vdp -o closed/new.csv
  bad "closed/new.gpode: cannot be written: Permission denied" fit good.csv -o closed/new.gpode
  bad "closed/new.csv: cannot be written: Permission denied" forecast good.gpode -o closed/new.csv
}

test_tables_without_the_right_columns() {
  bad_data "data.csv:1:1: columns 'x', 'y' found, none is clearly the time; name it with --time, or the time between rows with --dt" 'x,y\n1,2\n2,3\n'
  bad_data "data.csv:1:1: columns 'time' found, none is a channel, must be at least one" 'time\n0\n1\n'
  bad_data "data.csv:1:6: columns 'time' and 't' could both be the time; choose one with --time" \
    'time,t,x\n0,1,1\n1,2,2\n'
  bad_data "data.csv:1:8: a second column 'x' found, names must differ" 'time,x,x\n0,1,1\n1,2,2\n'
  bad_data "data.csv:1:6: column 2 has no name, must have one" 'time,,x\n0,1,1\n1,2,2\n'
  bad_data "data.csv:1:1: columns 'time', 'x' found, none is the time column 'hour'" 'time,x\n0,1\n' --time hour
  bad_data "data.csv:1:1: columns 'time', 'x' found, none is the channel 'y'" 'time,x\n0,1\n' --channels y
  bad_data "data.csv:1:1: columns 'time', 'x' found, none is the trajectory column 'run'" \
    'time,x\n0,1\n' --trajectories-by run
  bad_data "data.csv:3:1: 3 cells found, must be 2 as in the header; see --skip and --separator" 'time,x\n0,1\n1,2,3\n'
  bad_data "data.csv:3:1: 2 cells found, must be 3 as in the header; see --skip and --separator" 'time,x,y\n0,1,1\n1,2\n'
  bad_data "data.csv:2:3: a quote is never closed, must end with \"" 'time,x\n0,"1\n1,2\n'
  bad_data "data.csv:2:6: '2' found after a closing quote, must be a separator" 'time,x\n0,"1"2\n1,2\n'
  bad_data "data.csv: is UTF-16, must be UTF-8" '\xff\xfet\0i\0'
  bad_data "data.csv:2:4: a NUL byte found, must be text" 'time,x\n0,1\0\n1,2\n'
  printf 'time,y\n0,1\n1,2\n' >other.csv
  printf 'time,x\n0,1\n1,2\n' >data.csv
  bad "other.csv: channels 'y' found, must be those of data.csv: 'x'" fit data.csv other.csv
}

test_numbers_and_times_that_cannot_be() {
  bad_data "data.csv:3:3: 'abc' found in column 'x', must be a number, or empty for missing; see --missing" 'time,x\n0,1\n1,abc\n'
  bad_data "data.csv:3:7: '2mm' found in column 'länge', must be a number, or empty for missing; see --missing" \
    'time,höhe,länge\n0,1,1\n1,200,2mm\n' --separator comma
  bad_data "data.csv:3:3: 'inf' found in column 'x', must be finite, or empty for missing" 'time,x\n0,1\n1,inf\n'
  bad_data "data.csv:3:3: '1e999' found in column 'x', must be finite, or empty for missing" 'time,x\n0,1\n1,1e999'
  bad_data "data.csv:3:1: 'noon' found in column 'time', must be a number" 'time,x\n0,1\nnoon,2\n'
  bad_data "data.csv:3:1: 'inf' found in column 'time', must be finite" 'time,x\n0,1\ninf,2\n'
  bad_data "data.csv:3:1: 'NaN' found in column 'time', must be a number" 'time,x\n0,1\nNaN,2\n'
  bad_data "data.csv:3:1: nothing found in column 'time', must be a number" 'time,x\n0,1\n,2\n'
  bad_data "data.csv:4:1: time 1 is repeated from line 3, times must increase; see --duplicates, --trajectories-by and --long" 'time,x\n0,1\n1,2\n1,3\n'
  bad_data "data.csv:4:1: time 1 comes after 2 on line 3, times must increase; see --trajectories-by and --long" 'time,x\n0,1\n2,2\n1,3\n'
  bad_data "data.csv:3:1: time 0 of trajectory 'a' is repeated from line 2, times must increase; see --duplicates, --trajectories-by and --long" \
    'trajectory,time,x\na,0,1\na,0,2\n'
  bad_data "data.csv:3:1: the trajectory is missing, must be a name" 'trajectory,time,x\na,0,1\n,1,2\n'
  bad_data "data.csv: trajectory 'data' has 1 row, must have at least 2" 'time,x\n0,1\n'
  bad_data "data.csv: trajectory 'b' has 1 row, must have at least 2" 'trajectory,time,x\na,0,1\na,1,2\nb,0,1\n'
  bad_data "data.csv: channel 'y' has no value, must have at least one; choose others with --channels" 'time,x,y\n0,1,\n1,2,NA\n'
  bad_data "data.csv: channel 'y' is 5 in every row, must vary; choose others with --channels" \
    'time,x,y\n0,1,5\n1,2,5\n'
  bad_data "fit: channel 'x' has values below 1e-100 or above 1e100: choose another unit" 'time,x\n0,1\n1,1e300\n'
  bad_data "fit: trajectory 1 lasts less than 1e-100 or more than 1e100: choose another unit of time" \
    'time,x\n0,1\n1e-320,2\n'
}

test_commands_and_options_that_are_unknown() {
  good_data
  bad "command 'fitt' is unknown; did you mean fit? see gpode --help" fitt
  bad "option '--bogus' is unknown; see gpode --help" --bogus
  bad "fit: option '--inducng' is unknown; did you mean --inducing? see gpode fit --help" fit good.csv --inducng 4
  bad "forecast: 'more' is unexpected; see gpode forecast --help" forecast good.csv more
  bad "fit: DATA is missing, for example gpode fit vdp.csv -o vdp.gpode; see gpode fit --help" fit
  bad "simulate: SYSTEM is missing; see gpode simulate --help" simulate -o new.csv
  bad "simulate: --output is missing; see gpode simulate --help" simulate vdp
  bad "simulate: SYSTEM is 'lorentz', must be one of vdp, fhn, lotka-volterra, lorenz63, pendulum, duffing, cubic-spiral, brusselator, selkov, morris-lecar, rossler, sir, seir, rosenzweig-macarthur, may-leonard, toggle-switch, repressilator, compartments, robertson, oregonator, linear" \
    simulate lorentz -o new.csv
  bad "fit: --solver is \"ode45\", must be one of \"euler\", \"midpoint\", \"rk4\", \"bs32\", \"dopri5\", \"tsit5\", \"dop853\", \"esdirk4\"" \
    fit good.csv --solver ode45
  local kernels='one of matern32, matern52, squared-exponential (or se), alone or with + linear, + polynomial2 or + polynomial3, such as "se + linear"'
  bad "fit: --kernel is \"rbf\", must be $kernels" fit good.csv --kernel rbf
  bad "fit: --kernel is \"linear\", must be $kernels" fit good.csv --kernel linear
  bad "fit: --kernel is \"se + polynomial4\", must be $kernels" fit good.csv --kernel "se + polynomial4"
  bad "fit: --prior-linear is 0, must be positive and finite" fit good.csv --prior-linear 0
  bad "fit: --model is 'neural-nuts', must be one of auto, gpode, shooting, npode, npode-shooting, neural, neural-shooting, neural-vi, neural-vi-shooting, neural-hmc, gpode-hmc" fit good.csv --model neural-nuts
  bad "fit: --iterations needs a value" fit good.csv --iterations
  bad "fit: --iterations is given twice" fit good.csv --iterations 5 --iterations 6
  bad "fit: --output is given twice" fit good.csv -o a.gpode -o b.gpode
  bad "forecast: --noise takes no value" forecast good.gpode --noise=3
  bad "fit: --config is '', must be a file" fit good.csv --config ""
  bad "fit: --time is '', must be a name" fit good.csv --time ""
  bad "fit: --channels is 'x1,x1', must be different names; 'x1' appears twice" fit good.csv --channels x1,x1
  bad "fit: --separator is '|', must be comma, semicolon, tab or space" fit good.csv --separator '|'
}

test_counts_and_numbers_out_of_range() {
  good_model
  local word
  for word in 0 -1 1e9 1.5 abc "" 200000000; do
    bad "simulate: --points is '$word', must be a whole number from 2 to 100000000" simulate vdp -o new.csv --points "$word"
  done
  for word in -1 1e9 1.5; do
    bad "fit: --inducing is $word, must be a whole number of at least 1" fit good.csv --inducing "$word"
  done
  for word in abc ""; do
    bad "fit: --iterations is \"$word\", must be a whole number of at least 1" fit good.csv --iterations "$word"
  done
  bad "fit: --inducing is 0, must be at least 1" fit good.csv --inducing 0
  bad "fit: --states is '0', must be a whole number from 1 to 1000000" fit good.csv --states 0
  bad "fit: --features is 99999999, must be at most 1000000" fit good.csv --features 99999999
  bad "fit: inducing is 1000000 for 2 states, must be at most 7071" fit good.csv --inducing 1000000
  bad "fit: --noise is [-1], must be positive and finite" fit good.csv --noise -1
  bad "fit: noise_variance has 3 values, must have 2" fit good.csv --noise 1,2,3
  bad "fit: --rtol is -1, must be zero or more" fit good.csv --rtol -1
  bad "fit: solver.rtol and atol are both 0, one must be positive" fit good.csv --rtol 0 --atol 0
  bad "fit: --tolerance is 'tight', must be a positive number, learnt, fixed or lowered" fit good.csv --tolerance tight
  bad "fit: --initial is '3', must be at or before the first observation, at 0" fit good.csv --initial 3
  bad "fit: --threads is '0', must be a whole number from 1 to 4096" fit good.csv --threads 0
  bad "fit: --seed is '-1', must be a whole number, zero or more" fit good.csv --seed -1
  bad "simulate: --missing is '1', must be a number from 0 to 0.999" simulate vdp -o new.csv --missing 1
  bad "simulate: --span is 'inf', must be a positive number" simulate vdp -o new.csv --span inf
  bad "simulate: --noise has 3 values, must have one, or one for each of 2 states" simulate vdp -o new.csv --noise 1,2,3
  bad "simulate: --points times trajectories and states is 2e+10 numbers, must be at most 5e+08 to fit in memory" \
    simulate vdp -o new.csv --trajectories 10000000 --points 1000
  bad "simulate: --truth-until times points per time, trajectories and states is 1.43e+16 numbers, must be at most 5e+08 to fit in memory" \
    simulate vdp -o new.csv --truth-until 1e15
  bad "forecast: --draws times points, channels and trajectories is 2e+13 numbers, must be at most 5e+08 to fit in memory" \
    forecast good.gpode --draws 1000000 --times 0:1:10000000
  bad "score: --draws is '0', must be a whole number from 1 to 1000000" score good.gpode good.csv --draws 0
}

test_models_that_are_damaged_or_none() {
  need python3
  good_model
  python3 - <<'END'
import zlib
model = open("good.gpode", "rb").read()
open("cut.gpode", "wb").write(model[: len(model) // 2])
flipped = bytearray(model)
flipped[len(model) // 2] ^= 4
open("flipped.gpode", "wb").write(flipped)
sealed = model[: model.rindex(b"gpode model ")] + b"gpode model 3.0 crc32 "
open("newer.gpode", "wb").write(sealed + b"%08x" % zlib.crc32(sealed))
print("%08x %s" % (zlib.crc32(flipped[:-8]), model[-8:].decode()), file=open("sums.txt", "w"))
END
  local found right
  read -r found right <sums.txt
  bad "cut.gpode: is truncated or damaged: a model file must end in its checksum" forecast cut.gpode
  bad "flipped.gpode: is damaged: checksum $found found, must be '$right'" info flipped.gpode
  bad "newer.gpode: has format version 3.0, gpode $GPODE_VERSION reads versions 1 to 2; a newer gpode may read it" \
    score newer.gpode good.csv
  bad "newer.gpode: has format version 3.0, gpode $GPODE_VERSION reads versions 1 to 2; a newer gpode may read it" \
    fit --resume -o newer.gpode
  bad "good.csv: is not a model file that gpode has written" forecast good.csv
  bad "good.csv: is not a model file that gpode has written" field good.csv --grid x1=0:1:2
  bad "good.gpode.toml: is not a model file that gpode has written" impute good.gpode.toml
  bad "good.gpode: is a model file, must be data" fit good.gpode -o new.gpode
  bad "good.gpode: is a model file, must be data" score good.gpode good.gpode
  bad "good.gpode: is a model file, must be data" info good.gpode good.csv
  bad "info: --options needs a model file" info good.csv --options
}

test_forecasts_that_cannot_be() {
  good_model
  three_trajectories
  forecast() { bad "forecast: $1" forecast good.gpode "${@:2}"; }
  forecast "--until is 3, must be after 7, where the forecast begins" --until 3
  forecast "--until is '1e308', must be a number from -1e+100 to 1e+100" --until 1e308
  forecast "--until cannot be combined with --times" --times 1,2 --until 3
  forecast "--times is '3,2', must be increasing times" --times 3,2
  forecast "--times is '1,x', must be a number, or several separated by commas" --times 1,x
  forecast "--times is '1:2', must be FROM:TO:COUNT, such as -3:3:30" --times 1:2
  forecast "--times is '2:1:3', must be FROM:TO:COUNT with FROM below TO" --times 2:1:3
  forecast "--quantiles is '1.5', must be a number above 0 and below 1, or several separated by commas" --quantiles 1.5
  forecast "--quantiles is '0', must be a number above 0 and below 1, or several separated by commas" --quantiles 0
  forecast "--quantiles is '0.5,0.5', must be different numbers" --quantiles 0.5,0.5
  forecast "--from is 'x1=1,\"x,2\"=2', must be NAME=VALUE, or several separated by commas" --from 'x1=1,"x,2"=2'
  forecast "--from is 'x1=1,y=2', must be values of channels: 'x1', 'x2'" --from x1=1,y=2
  forecast "--from is 'x1=1', must give enough channels to determine the state: 'x1', 'x2'" --from x1=1
  forecast "--from x1 is 'a', must be a number" --from x1=a,x2=1
  forecast "--from is 'x1=1,x1=2', must be a list that names 'x1' once" --from x1=1,x1=2
  forecast "--from cannot be combined with --trajectory" --from x1=1,x2=2 --trajectory 1
  forecast "--at needs --from" --at 3
  forecast "--trajectory is 'north', must be 'good' or 1" --trajectory north
  forecast "--noise cannot be combined with --states, which have no noise" --noise --states
  bad "forecast: --trajectory is '4', must be a number from 1 to 3" forecast three.gpode --trajectory 4
  bad "simulate: --from is 'x1=1', must be values of all states of vdp: x1, x2" simulate vdp -o new.csv --from x1=1
}

test_grids_gaps_and_scores_that_cannot_be() {
  good_model
  printf 'time,x1\n0,1\n1,2\n' >fewer.csv
  printf 'time,x1,x2\n0,,\n1,,\n' >blank.csv
  printf 'time,x1,x2\n0,1,\n1,1,1\n' >half.csv
  field() { bad "field: $1" field good.gpode "${@:2}"; }
  field "--grid is missing; see gpode field --help"
  field "--grid is 'y=1:2:3', must be among the model's states: 'x1', 'x2'" --grid y=1:2:3
  field "--grid x1 is '2:1:3', must be FROM:TO:COUNT with FROM below TO" --grid x1=2:1:3
  field "--grid x1 is '1:2:0', must be FROM:TO:COUNT with a count from 1 to 10000000" --grid x1=1:2:0
  field "--grid is 'x1=0:1:9999,x2=0:1:9999', must be a grid of at most 10000000 points" --grid x1=0:1:9999,x2=0:1:9999
  field "--at is 'y=1', must be among the model's states: 'x1', 'x2'" --grid x1=1:2:3 --at y=1
  field "--at is 'x1=1', must be values of states that are not in --grid" --grid x1=1:2:3 --at x1=1
  field "--draws times points and states is 1.8e+11 numbers, must be at most 5e+08 to fit in memory" \
    --grid x1=1:2:3000,x2=1:2:3000 --draws 10000
  bad "impute: --level is '95', must be a number above 0 and below 1" impute good.gpode --level 95
  bad "impute: --trajectory is '2', must be 'good' or 1" impute good.gpode --trajectory 2
  bad "fewer.csv:1:1: columns 'time', 'x1' found, none is the channel 'x2'" score good.gpode fewer.csv
  bad "blank.csv: has no value in any channel, must have at least one" score good.gpode blank.csv
  bad "half.csv: the first row of trajectory 'half' does not determine the state, must have enough values of 'x1', 'x2' for --start first-row" \
    score good.gpode half.csv --start first-row
  bad "good.csv: holds no row between --after and --until, must hold some" score good.gpode good.csv --after 100
  bad "score: --until is 3, must be later than --after, 5" score good.gpode good.csv --after 5 --until 3
  bad "score: --horizons is '3,2', must be increasing times" score good.gpode good.csv --horizons 3,2
  bad "good.csv and 1 more: 2 trajectories found where the model has 1, must have the same names or number, or see --trajectory and --start first-row" \
    score good.gpode good.csv truth.csv
}

# If files of --calibrate are wrong, the messages of score name them and not the test data.
test_score_names_the_files_of_calibrate() {
  good_model
  printf 'time,x1,x2\n0,1,\n1,1,1\n' >half.csv
  printf 'time,run,x1,x2\n0,a,1,1\n1,a,1,1\n0,b,1,1\n1,b,1,1\n' >two.csv
  bad "half.csv: the first row of trajectory 'half' does not determine the state, must have enough values of 'x1', 'x2' for --start first-row" \
    score good.gpode truth.csv --start first-row --calibrate half.csv
  bad "two.csv: 2 trajectories found where the model has 1, must have the same names or number, or see --trajectory and --start first-row" \
    score good.gpode truth.csv --trajectories-by run --calibrate two.csv
  bad "good.csv: holds no row between --after and --until, must hold some" \
    score good.gpode truth.csv --after 8 --calibrate good.csv
  bad "good.csv: holds no value after the data of the model, must hold some" \
    score good.gpode truth.csv --calibrate good.csv
  bad "truth.csv and 1 more: the first row of trajectory 'half' does not determine the state, must have enough values of 'x1', 'x2' for --start first-row" \
    score good.gpode good.csv --start first-row --calibrate truth.csv half.csv
}

# gpode refuses to write a table that it could not read again, and two tables to one file.
test_results_that_could_not_be_read_again() {
  good_model
  bad "forecast: --quantiles is '0.5,0.99999999999,0.999999999999', must be numbers that differ in six digits; two columns would be named q100" \
    forecast good.gpode --quantiles 0.5,0.99999999999,0.999999999999 -o new.csv
  bad "new.csv: would have the time 1e+16 twice, must increase; nothing is written" \
    forecast good.gpode --times 1e16:10000000000000002:3 --from x1=0,x2=0 --at 1e16 -o new.csv
  bad "simulate: --truth is './new.csv', must be another file than that of the data" \
    simulate vdp -o new.csv --truth ./new.csv
  ln -s good.csv link.csv
  bad "simulate: --truth is 'link.csv', must be another file than that of the data" \
    simulate vdp -o good.csv --truth link.csv
  printf 'time,x,x_lower\n0,1,2\n1,2,1\n2,3,0\n3,2,1\n' >twice.csv
  "$gpode" fit twice.csv --iterations 5 --inducing 4 --features 16 -o twice.gpode --quiet
  bad "new.csv: would have two columns 'x_lower', which nothing could tell apart; nothing is written" \
    impute twice.gpode -o new.csv
  bad "new.npz: would have two columns 'x_lower', which nothing could tell apart; nothing is written" \
    impute twice.gpode -o new.npz
}

test_instruction_set_of_the_environment() {
  good_data
  local name
  for name in v9 V3 avx2 " v3"; do
    GPODE_SIMD=$name bad_start "GPODE_SIMD is '$name', must be one of baseline" info good.csv
    GPODE_SIMD=$name bad_start "GPODE_SIMD is '$name', must be one of baseline" --version
  done
  for name in baseline ""; do
    GPODE_SIMD=$name "$gpode" info good.csv >out.txt 2>&1 || fail "GPODE_SIMD=$name is refused" "$(<out.txt)"
  done
}

test_states_and_runs_that_do_not_match() {
  good_model
  printf 'time,x1,x2\n0,1,2\n1,2,3\n' >other.csv
  bad "fit: --states is 1 for 2 channels, must be at least as many, or see --observe pca" fit good.csv --states 1
  bad "fit: --states is missing, must be the number of principal components" fit good.csv --observe pca
  bad "fit: states is 3, must not be more than the channels, 2" fit good.csv --observe pca --states 3
  bad "fit: --observe is '1,0', must be a matrix with 2 rows, one per channel" fit good.csv --observe 1,0
  bad "fit: --observe is '1,0;0', must be rows of equal length" fit good.csv --observe '1,0;0'
  bad "fit: --observe is '1,0;0,1', must be a matrix with 3 columns, one per state" \
    fit good.csv --observe '1,0;0,1' --states 3
  bad "fit: --observe is 'all', must be identity, pca, rows of a matrix as in 1,0;0,1, or an .npy file" fit good.csv --observe all
  bad "fit: -o is missing, must name the model file to resume" fit --resume
  bad "nothing.gpode: no such file, must exist" fit --resume -o nothing.gpode
  bad "good.gpode: holds a run on other data, cannot be resumed with these" \
    fit other.csv --resume -o good.gpode --iterations 5 --inducing 4 --features 16
  bad "good.gpode: holds a run with other options, cannot be resumed with these; leave out DATA and options to resume it as it is" \
    fit good.csv --resume -o good.gpode
  bad "fit: --resume without DATA uses the options of the saved run, must not be combined with others" \
    fit --resume -o good.gpode --iterations 9
}

test_configurations_that_are_wrong() {
  good_data
  bad "nothing.toml: no such file, must exist" fit good.csv --config nothing.toml
  bad_config "run.toml:2: option 'inducingg' is unknown; did you mean inducing?" '# a run\ninducingg = 3\n'
  bad_config "run.toml:1: steps is \"many\", must be a whole number of at least 1" 'steps = "many"\n'
  bad_config "run.toml:1: steps is 0, must be at least 1" 'steps = 0\n'
  bad_config "run.toml:1: scale is \"yes\", must be true or false" 'scale = "yes"\n'
  bad_config 'run.toml:2: kernel is "rbf", must be one of matern32, matern52, squared-exponential (or se), alone or with + linear, + polynomial2 or + polynomial3, such as "se + linear"' 'steps = 3\nkernel = "rbf"\n'
  bad_config "run.toml:1: noise_variance is [-1], must be positive and finite" 'noise_variance = [-1]\n'
  bad_config "run.toml:3: '3' found, must be '='" '\n\nsteps 3\n'
  bad_config "run.toml:1: nothing found, must be a closing quote" 'kernel = "abc\n'
  bad_config "run.toml:2: steps is given twice, first on line 1" 'steps = 3\nsteps = 4\n'
  bad_config "run.toml:1: data.files is 3, must be a list of \"strings\"" 'data.files = 3\n'
  bad_config "run.toml:1: data.initial is \"noon\", must be first, gap or a time" 'data.initial = "noon"\n'
  bad_config "run.toml:1: every is 0, must be at least 1" 'data.every = 0\n'
  bad_config "good.csv:1:1: columns 'time', 'x1', 'x2' found, none is the channel 'y'" 'data.channels = ["y"]\n'
}

test_outputs_that_cannot_be_written() {
  good_model
  mkdir folder new.gpode.toml
  bad "folder: is a directory, must be a file" fit good.csv -o folder
  bad "new.gpode.toml: is a directory, must be a file" fit good.csv -o new.gpode
  bad "no/new.csv: folder 'no' does not exist, must exist" simulate vdp -o no/new.csv
  bad "no/new.gpode: folder 'no' does not exist, must exist" fit good.csv -o no/new.gpode
  bad "no/new.csv: folder 'no' does not exist, must exist" simulate vdp -o new.csv --truth no/new.csv
  bad "forecast: --output is '', must be a file" forecast good.gpode -o ""
  bad "fit: -o is '-', must be a file" fit good.csv -o -
  bad "/dev/full: is a device or pipe, must be a file, or - for standard output" forecast good.gpode -o /dev/full
  bad "/dev/full: is a device or pipe, must be a file, or - for standard output" fit good.csv -o /dev/full
  bad "./good.csv: is also an input, must be another file" fit good.csv -o ./good.csv
  bad "good.gpode: is also an input, must be another file" forecast good.gpode -o good.gpode
  bad "table.gpode: is not the name of a table, must end in .csv or .npz" forecast good.gpode -o table.gpode
  bad "simulate: --truth is 'new.csv', must be another file than that of the data" simulate vdp -o new.csv --truth new.csv
}

# The disk seems full, because files may not grow beyond a kilobyte.
test_disks_that_are_full() {
  good_model
  local before program=$gpode
  printf '#!/bin/bash\nulimit -f 1\nexec "%s" "$@"\n' "$program" >short_of_room
  chmod +x short_of_room
  gpode=./short_of_room
  bad "new.truth.csv: cannot be written: File too large" simulate vdp --points 100 -o new.csv --quiet
  bad "new.csv: cannot be written: File too large" forecast good.gpode -o new.csv
  bad "new.npz: cannot be written: File too large" forecast good.gpode -o new.npz
  bad "good.gpode.partial.toml: cannot be written: File too large" fit good.csv --iterations 3 -o good.gpode --quiet
  printf '#!/bin/bash\nmount -t tmpfs -o size=4k none disk && exec "%s" "$@"\n' "$program" >on_full_disk
  chmod +x on_full_disk
  mkdir disk
  # A small file system is mounted in a namespace of its own, so that nothing stays mounted. Only
  # root may mount, and not on every machine.
  if unshare -m mount -t tmpfs -o size=4k none disk 2>/dev/null; then
    printf '#!/bin/bash\nexec unshare -m ./on_full_disk "$@"\n' >full
    chmod +x full
    gpode=./full
    bad "disk/new.csv: cannot be written: No space left on device" forecast good.gpode -o disk/new.csv
    bad "disk/new.gpode: cannot be written: No space left on device" fit good.csv --iterations 3 -o disk/new.gpode --quiet
  fi
  gpode=$program
  [ -c /dev/full ] || return 0
  before=$(listing)
  for command in "info good.csv" "info good.gpode --json" "forecast good.gpode --quiet" "simulate vdp -o - --quiet" \
    "score good.gpode good.csv" "manual" "--help"; do
    local code=0 err
    # shellcheck disable=SC2086
    err=$("$gpode" $command 2>&1 >/dev/full) || code=$?
    [ "$code" = 2 ] || fail "gpode $command: exit code $code" "$err"
    [ "$err" = "gpode: standard output cannot be written completely" ] || fail "gpode $command" "$err"
  done
  [ "$before" = "$(listing)" ] || fail "files changed"
}

# These inputs look odd but are valid.
test_odd_inputs_that_are_right() {
  printf 'time,"a ""b"", c",größe\n0,1,2\n1,2,4\n2,4,1' >data.csv
  contains "$("$gpode" info <(cat data.csv))" "größe"
  contains "$("$gpode" info data.csv)" 'a "b", c'
  "$gpode" fit /dev/stdin --iterations 3 --inducing 4 -o piped.gpode --quiet <data.csv
  contains "$("$gpode" info piped.gpode)" "größe"
  printf 'time,%s\n0,1\n1,2\n' "$(printf 'x%.0s' {1..5000})" >long.csv
  "$gpode" fit long.csv --iterations 3 --inducing 4 --quiet
  # If the reader of a pipe leaves early, the program ends without a message.
  ("$gpode" forecast piped.gpode --points 20000 --draws 2 --quiet 2>said || true) | head -n 1 >first
  [ -s first ] && [ ! -s said ] || fail "a closed pipe is complained about" "$(<said)"
  "$gpode" fit data.csv --iterations 3 --inducing 4 --noise 0.05 -o $'two\nlines.gpode' --quiet
  "$gpode" fit --config $'two\nlines.gpode.toml' -o again.gpode --quiet
  cmp $'two\nlines.gpode' again.gpode
}

test_held_back_data() {
  good_model
  local word share="a share of the rows above 0 and up to 0.9, such as 0.2 or 20%"
  for word in 0 1 -0.2 0.95 95% % 20%% x nan inf; do
    bad "fit: --holdout is '$word', must be $share" fit good.csv --holdout "$word" -o new.gpode
  done
  bad "fit: --holdout cannot be combined with --holdout-after" fit good.csv --holdout 0.2 --holdout-after 3 -o new.gpode
  bad "fit: --holdout-after is 'x', must be a number" fit good.csv --holdout-after x -o new.gpode
  bad "fit: --holdout-after is 7, must be before the last observation, at 7" fit good.csv --holdout-after 7 -o new.gpode
  bad "fit: --holdout-after is 0, must not be before 0.636364, so that trajectory 'good' keeps 2 rows" \
    fit good.csv --holdout-after 0 -o new.gpode
  bad "fit: --no-refit needs --holdout or --holdout-after" fit good.csv --no-refit -o new.gpode
  bad "fit: --resume without DATA uses the options of the saved run, must not be combined with others" \
    fit --resume --holdout 0.2 -o good.gpode
  bad "score: --raw cannot be combined with --calibrate, which widens bands" \
    score good.gpode truth.csv --raw --calibrate truth.csv
  printf 'time,x\n0,1\n1,2\n' >data.csv
  bad "fit: --holdout is 0.2, but no trajectory has observations to hold back; trajectories must have at least 3 rows" \
    fit data.csv --holdout 0.2 -o new.gpode
  printf 'time,x,y\n0,1,1\n1,2,1\n2,3,1\n3,4,1\n4,5,7\n' >data.csv
  bad "data.csv: channel 'y' is 1 in the rows that --holdout leaves, must vary; choose others with --channels" \
    fit data.csv --holdout 0.2 -o new.gpode
  printf 'time,x,y\n0,1,\n1,2,\n2,3,\n3,4,\n4,5,7\n5,6,8\n' >data.csv
  bad "data.csv: channel 'y' has no value in the rows that --holdout leaves, must have some; choose others with --channels" \
    fit data.csv --holdout 0.34 -o new.gpode
  bad_config "run.toml:1: data.holdout is \"1.5\", must be $share" 'data.holdout = "1.5"\n'
  bad_config "run.toml:1: data.holdout_after is \"x\", must be a time" 'data.holdout_after = "x"\n'
}

"$2"
