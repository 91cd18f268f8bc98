#!/usr/bin/env bash
# Tests of gpode plot. Each function is one test and runs in a folder of its own.
# usage: plot_test.sh GPODE TEST
set -euo pipefail
gpode=$1
source "$(dirname "$0")/support.sh"
enter_scratch
command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }

kinds="forecast phase field training calibration"

small_model() {
  "$gpode" simulate vdp --noise 0.05 --points 30 --truth-until 10 -o vdp.csv --quiet
  "$gpode" fit vdp.csv --iterations 200 -o vdp.gpode --quiet
}

# svg_elements FILE: parses the file and prints its width and the numbers of paths and images.
svg_elements() {
  python3 - "$1" <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
names = [element.tag.split("}")[1] for element in root.iter()]
print(root.get("width"), names.count("path"), names.count("image"))
END
}

# svg_text FILE: prints the text elements of the file.
svg_text() {
  python3 - "$1" <<'END'
import sys, xml.etree.ElementTree as tree
for element in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    assert float(element.get("textLength")) > 0
    print(element.text)
END
}

# png_size FILE: checks all checksums of the file and prints its width and height in pixels.
png_size() {
  python3 - "$1" <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, size = 8, None
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR": size = struct.unpack(">II", body[:8])
    at += 12 + length
assert kind == b"IEND"
print(*size)
END
}

test_plot_kinds_are_whole_svg_files() {
  small_model
  local kind width paths images
  for kind in $kinds; do
    "$gpode" plot vdp.gpode --kind "$kind" -o "$kind.svg" --quiet
    read -r width paths images <<<"$(svg_elements "$kind.svg")"
    [[ "$width" == 240.9* ]] || fail "$kind is $width wide, must be 8.5 cm"
    [ "$paths" -gt 20 ] || fail "$kind has only $paths paths"
    case $kind in phase | field) [ "$images" -ge 2 ] || fail "$kind has no shading" ;; esac
  done
}

test_plot_svg_text_is_text() {
  printf 't [ms],voltage [mV],current (nA)\n' >units.csv
  "$gpode" simulate vdp --noise 0.05 --points 30 -o - 2>/dev/null | tail -n +2 >>units.csv
  "$gpode" fit units.csv --iterations 200 -o units.gpode --quiet
  local kind
  for kind in $kinds; do "$gpode" plot units.gpode --kind "$kind" -o "$kind.svg" --quiet; done
  contains "$(svg_text forecast.svg)" "t (ms)" "voltage [mV]" "current (nA)" "end of the data" 10
  contains "$(svg_text phase.svg)" "voltage [mV]" "inducing points"
  contains "$(svg_text field.svg)" "current (nA)" "mean field (motion in 0." " ms)"
  contains "$(svg_text training.svg)" "bound (nats)" step
  "$gpode" plot units.gpode --kind training --over seconds -o seconds.svg --quiet
  contains "$(svg_text seconds.svg)" "training (s)"
  rm units.gpode.toml
  expect 2 "" "gpode: plot: --over is seconds, must be steps: units.gpode.toml does not say how long training took" \
    plot units.gpode --kind training --over seconds -o none.svg
}

test_plot_says_how_many_trajectories_are_shown() {
  "$gpode" simulate vdp --trajectories 25 --points 4 --noise 0.01 --truth-until 9 -o many.csv --quiet
  "$gpode" fit many.csv --iterations 5 -o many.gpode --quiet
  local kind
  for kind in phase field; do
    "$gpode" plot many.gpode --kind "$kind" --draws 8 -o "$kind.svg" --quiet
    contains "$(svg_text "$kind.svg")" "first 20 of 25 trajectories"
  done
  "$gpode" report many.gpode many.truth.csv --draws 8 -o many.html --quiet
  contains "$(<many.html)" "The first 24 of 25 trajectories are shown."
}

test_plot_png_has_300_pixels_per_inch() {
  small_model
  local kind
  for kind in $kinds; do
    "$gpode" plot vdp.gpode --kind "$kind" --width 12.7 --height 7.62 -o "$kind.png" --quiet
    [ "$(png_size "$kind.png")" = "1500 900" ] || fail "$kind is $(png_size "$kind.png")"
  done
}

test_plot_gives_the_same_bytes_twice() {
  small_model
  local kind ending
  for kind in $kinds; do
    for ending in svg png pdf; do
      "$gpode" plot vdp.gpode vdp.truth.csv --kind "$kind" -o "a.$ending" --quiet --threads 1
      "$gpode" plot vdp.gpode vdp.truth.csv --kind "$kind" -o "b.$ending" --quiet --threads 2
      cmp "a.$ending" "b.$ending"
    done
  done
  [ "$(head -c 5 a.pdf)" = "%PDF-" ] && tail -n 1 a.pdf | grep -q '%%EOF' || fail "not a whole PDF"
  ! grep -aq CreationDate a.pdf || fail "the date of its making is in the PDF"
}

# Test points and draws add marks and lines to the picture.
test_plot_forecast_shows_what_is_asked_for() {
  small_model
  local bare with
  "$gpode" plot vdp.gpode --kind forecast --until 10 -o bare.svg --quiet
  "$gpode" plot vdp.gpode vdp.truth.csv --kind forecast --until 10 --shown 5 -o with.svg --quiet
  "$gpode" plot vdp.gpode --kind forecast --until 10 --channels x2 -o one.svg --quiet
  read -r _ bare _ <<<"$(svg_elements bare.svg)"
  read -r _ with _ <<<"$(svg_elements with.svg)"
  read -r _ one _ <<<"$(svg_elements one.svg)"
  [ "$with" -gt $((bare + 2 * 5 + 20)) ] || fail "$with paths, $bare without test points and draws"
  [ "$one" -lt "$bare" ] || fail "$one paths of one channel, $bare of two"
  "$gpode" plot vdp.gpode --kind forecast --until 10 --noise -o noise.svg --quiet
  ! cmp -s bare.svg noise.svg || fail "noise changes nothing"
}

test_plot_refuses_in_one_line() {
  small_model
  expect 2 "" "gpode: plot: --kind is 'pie', must be one of forecast, phase, field, training, calibration, dynamics, basins, bifurcation, difference, design" \
    plot vdp.gpode --kind pie -o a.svg
  expect 2 "" "gpode: plot: --output is 'a.jpg', must be a name that ends in .svg, .png or .pdf" \
    plot vdp.gpode --kind phase -o a.jpg
  expect 2 "" "gpode: plot: --output is '-', must be a name that ends in .svg, .png or .pdf" \
    plot vdp.gpode --kind phase -o -
  expect 2 "" "gpode: plot: --channels is 'x9', must be one of x1, x2" \
    plot vdp.gpode --kind forecast --channels x1,x9 -o a.svg
  expect 2 "" "gpode: plot: --states is 'x1', must be two different states" \
    plot vdp.gpode --kind phase --states x1 -o a.svg
  expect 2 "" "gpode: plot: --window is 'x1=3:1', must be x1=FROM:TO,x2=FROM:TO with FROM below TO" \
    plot vdp.gpode --kind phase --window x1=3:1 -o a.svg
  expect 2 "" "gpode: plot: --until is -5, must be after 0, where the trajectory begins" \
    plot vdp.gpode --kind forecast --until -5 -o a.svg
  expect 2 "" "gpode: plot: --height leaves no room beside the labels, must be larger, or --font-size smaller" \
    plot vdp.gpode --kind training --height 3 --font-size 12 -o a.svg
  expect 2 "" "gpode: plot: --width leaves no room beside the labels, must be larger, or --font-size smaller" \
    plot vdp.gpode --kind phase --width 3 --height 9 --font-size 30 -o a.svg
  expect 2 "" "gpode: plot: --kind is missing; see gpode plot --help" plot vdp.gpode -o a.svg
  [ ! -e a.svg ] || fail "a refused picture is there"
}

test_plot_draws_hostile_names() {
  python3 - <<'END'
import math
names = ["<script>alert(1)</script>&", "y" * 10000, "caf\u00e9 \u6c34"]
with open("odd.csv", "w", encoding="utf-8") as out:
    out.write("time," + ",".join('"%s"' % name for name in names) + "\n")
    for i in range(12):
        t = i / 2
        out.write("%g,%g,%g,%g\n" % (t, math.sin(t), math.cos(t), math.sin(2 * t)))
END
  "$gpode" fit odd.csv --iterations 20 -o odd.gpode --quiet
  local kind
  for kind in $kinds; do
    "$gpode" plot odd.gpode --kind "$kind" -o "$kind.svg" --quiet
    svg_elements "$kind.svg" >/dev/null
  done
  contains "$(svg_text forecast.svg)" "<script>…script>&" "café 水" "y…y"
  ! grep -q '<script' forecast.svg || fail "a name is markup"
}

"$2"
