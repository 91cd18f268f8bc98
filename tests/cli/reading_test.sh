#!/usr/bin/env bash
# Tests of data files as people have them, from the command line. Each function is one test and runs
# in a folder of its own.
# usage: reading_test.sh GPODE TEST
set -euo pipefail
gpode=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/tests/cli/support.sh"
enter_scratch

# hourly: prints hourly measurements with dates and times in two columns, decimal commas, -200 for
# missing values, and trailing separators.
hourly() {
  local i day=10 hour=18
  echo 'Date;Time;CO(GT);T;RH;,,'
  for i in $(seq 0 59); do
    printf '%02d/03/2004;%02d.00.00;%s;%d,%d;%d,5;;\n' $day $hour "$([ $((i % 9)) = 4 ] && echo -200 || echo $((i % 5)),5)" \
      $((12 + (i * i) % 5)) $((i % 10)) $((45 + (i * 7) % 11))
    hour=$((hour + 1))
    [ $hour -lt 24 ] || { hour=0; day=$((day + 1)); }
  done
}

quick() { "$gpode" fit "$@" --iterations 60 --inducing 6 --features 16 --quiet; }

test_dates_of_a_sensor_log() {
  hourly >air.csv
  contains "$("$gpode" info air.csv --missing -200)" \
    "air.csv: 1 trajectory, 60 times (Date Time) from 2004-03-10T18:00 to 2004-03-13T05:00 in hours, channels CO(GT), T, RH"
  quick air.csv --missing -200 --channels T,RH --until 2004-03-12T20:00 -o air.gpode
  # Forecasts have dates, and the model file keeps the options for reading the data file.
  local table
  table=$("$gpode" forecast air.gpode --until 2004-03-13 --points 5 --draws 8 2>/dev/null)
  contains "$table" "2004-03-12T20:00," "2004-03-13T00:00,"
  contains "$("$gpode" forecast air.gpode --times 2004-03-12T21:00:2004-03-12T23:00:3 --draws 8 2>/dev/null)" "2004-03-12T22:00,"
  contains "$("$gpode" score air.gpode air.csv --after 2004-03-12T20:00 --draws 8)" "18 values of 1 trajectory"
  contains "$("$gpode" forecast air.gpode --plot --draws 8 2>/dev/null)" "03-11 "
  "$gpode" plot air.gpode air.csv --kind forecast --draws 8 -o air.svg --quiet
  "$gpode" report air.gpode air.csv --after 2004-03-12T20:00 --draws 8 -o air.html --quiet
  grep -q '"time_seconds":3600' air.html || fail "the report does not know its calendar"
  expect 2 "" "gpode: forecast: --until is 2004-03-12T01:00, must be after 2004-03-12T20:00, where the forecast begins" \
    forecast air.gpode --until 2004-03-12T01:00
  expect 2 "" "gpode: forecast: --until is 'soon', must be a number" forecast air.gpode --until soon
}

test_plain_numbers_and_no_dates() {
  printf 'time,x\n0,1\n1,2\n2,1\n' >plain.csv
  quick plain.csv -o plain.gpode
  expect 2 "" "gpode: forecast: --until is '2004-03-10', must be a number" forecast plain.gpode --until 2004-03-10
  printf 'date,x\n2004-03-10,1\n2004-03-11,2\n' >dates.csv
  expect 2 "" "gpode: dates.csv: has dates, must have times as numbers like the data of the model" score plain.gpode dates.csv
}

test_long_format_is_remembered() {
  printf 'Paper,Time,Species,Individuals\n' >long.csv
  local i
  for i in $(seq 0 11); do
    printf 'p,%d,yeast,%d\np,%d,animal,%d\n' "$i" $((5 + (i * i) % 7)) "$i" $((3 + (i * 3) % 5)) >>long.csv
  done
  contains "$("$gpode" info long.csv --long name=Species,value=Individuals)" "channels yeast, animal" \
    "note: left out the column 'Paper'"
  quick long.csv --long name=Species,value=Individuals --until 8 -o long.gpode
  contains "$("$gpode" score long.gpode long.csv --after 8 --draws 8)" "6 values of 1 trajectory"
  expect 2 "" "gpode: long.csv:3:1: time 0 is repeated from line 2, times must increase; see --duplicates, --trajectories-by and --long" \
    info long.csv
  expect 2 "" "gpode: info: --long is 'name=Species', must be name=COLUMN,value=COLUMN" info long.csv --long name=Species
}

test_files_without_times() {
  printf '"uEst","yEst","Ts",\n3.2,5.2,4,\n3.3,5.1,,\n3.1,5.3,,\n' >tanks.csv
  contains "$("$gpode" info tanks.csv)" "3 times from 0 to 8, channels uEst, yEst" \
    "note: no time column: rows are 4 apart, as column 'Ts' says"
  contains "$("$gpode" info tanks.csv --dt 0.5 --channels 'y*')" "3 times from 0 to 1, channel yEst"
  printf '1.5 2\n2.5 1\n1 3\n' | "$gpode" info - --dt 1 >piped
  contains "$(<piped)" "3 times from 0 to 2, channels c1, c2" "note: no header: columns are named c1 to c2"
}

test_compressed_files_and_standard_input() {
  printf '# lynx\nYear, Lynx\n1900, 4.0\n1901, 6.1\n1902, 9.8\n' >lynx.csv
  gzip -k lynx.csv
  local wanted="1 trajectory, 3 times (Year) from 1900 to 1902, channel Lynx"
  contains "$("$gpode" info lynx.csv)" "lynx.csv: $wanted"
  contains "$("$gpode" info lynx.csv.gz)" "lynx.csv.gz: $wanted"
  contains "$("$gpode" info - <lynx.csv.gz)" "$wanted"
  quick - -o lynx.gpode <lynx.csv
  (mkdir inner && cd inner && quick ../lynx.csv.gz && [ -f lynx.gpode ]) || fail "no model named after lynx.csv.gz"
  head -c 40 lynx.csv.gz >cut.csv.gz
  expect 2 "" "gpode: cut.csv.gz: ends within its gzip data, must be complete" info cut.csv.gz
}

test_slices_of_data() {
  printf 'run,time,x,y1,y2\n' >runs.csv
  local i
  for i in 0 1 2 3 4 5 6 7; do printf 'a,%d,1,2,3\nb,%d,4,5,%d\n' $i $i $i >>runs.csv; done
  contains "$("$gpode" info runs.csv --trajectories-by run --only b --every 3 --channels 'y*')" \
    "1 trajectory, 3 times from 0 to 6, channels y1, y2"
  contains "$("$gpode" info runs.csv --trajectories-by run --after 1 --until 4)" "2 trajectories, 6 times from 2 to 4"
  expect 2 "" "gpode: runs.csv: trajectories 'a', 'b' found, one must be 'c'" info runs.csv --trajectories-by run --only c
  expect 2 "" "gpode: info: --after is 'x', must be a number" info runs.csv --after x
  # The file beside the model repeats the run, including its slices of the data.
  quick runs.csv --trajectories-by run --only b --channels y2 --every 2 -o first.gpode
  "$gpode" fit --config first.gpode.toml -o second.gpode --quiet
  cmp first.gpode second.gpode
}

test_newest_first_and_repeated_times() {
  printf 'time,x,site\n3,1,n\n2,5,n\n2,7,n\n1,2,n\n' >newest.csv
  contains "$("$gpode" info newest.csv --duplicates average)" "3 times from 1 to 3, channel x" \
    "note: left out a column of text: 'site'" "note: sorted the rows, which begin with the newest" \
    "note: 1 row with a repeated time averaged"
}

test_files_of_other_programs() {
  printf 'PAR1' >data.parquet
  expect 2 "" "gpode: data.parquet: is a Parquet file, must be CSV, NPZ, NPY or AMC; convert it with pandas.read_parquet('data.parquet').to_csv('data.csv', index=False)" \
    info data.parquet
}

# Files of other people are read as they are. The test is skipped if there are no such files.
test_real_files() {
  local real=${GPODE_DATA_DIR:-$root/../shared/data}/real
  [ -d "$real" ] || { echo "no real files"; exit 77; }
  contains "$("$gpode" info "$real/air-quality.csv" --missing -200)" "799 times (Date Time) from 2004-03-10T18:00"
  contains "$("$gpode" info "$real/gause-yeast-paramecium.csv" --long name=Species,value=Individuals)" "channels Schizosaccharomyces pombe"
  contains "$("$gpode" info "$real/cascaded-tanks.csv")" "1024 times from 0 to 4092, channels uEst, uVal, yEst, yVal"
  contains "$("$gpode" info "$real/lynx-hare.csv")" "21 times (Year) from 1900 to 1920, channels Lynx, Hare"
}

"$2"
