#!/usr/bin/env bash
# scripts/get-data copies whole, aligned corpora and nothing else.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failures=0

# A checkout of its own, so that this one's data/ stays as it is; and a corpus of three pairs.
make_checkout() {
  rm -rf "$work/checkout" "$work/from"
  mkdir -p "$work/checkout/scripts" "$work/from"
  cp "$root/scripts/get-data" "$root/scripts/common.sh" "$work/checkout/scripts/"
  cd "$work/from"
  printf 'a\nb\nc\n' | tee train.en train.fr val.en val.fr test2016.en test2016.fr test.en >test.fr
  gzip train.en train.fr
}

# Expects exit code and a part of the output: expect NAME CODE MESSAGE ARGUMENT...
expect() {
  local name="$1" wanted="$2" message="$3" output code=0
  shift 3
  output="$("$work/checkout/scripts/get-data" "$@" 2>&1)" || code=$?
  if [[ $code -ne $wanted || $output != *"$message"* ]]; then
    printf 'FAILED: %s: expected exit %d and "%s", got exit %d and:\n%s\n' "$name" "$wanted" "$message" "$code" "$output"
    failures=$((failures + 1))
  fi
}

# Expects what data/ holds, hidden files included.
expect_data() {
  local found
  found="$(ls -A "$work/checkout/data" 2>/dev/null | tr '\n' ' ')"
  if [[ $found != "${1:+$1 }" ]]; then
    printf 'FAILED: data/ should hold "%s" and holds "%s"\n' "$1" "$found"
    failures=$((failures + 1))
  fi
}

make_checkout
expect "a corpus" 0 "train: 3 pairs" multi30k-en-fr --from "$work/from"
expect_data multi30k-en-fr
cmp "$work/from/test2016.fr" "$work/checkout/data/multi30k-en-fr/test2016.fr" || failures=$((failures + 1))
expect "again" 0 "is already there" multi30k-en-fr --from "$work/from"
rm "$work/checkout/data/multi30k-en-fr/val.en"
expect "an incomplete one in the way" 1 "incomplete; remove it" multi30k-en-fr --from "$work/from"

make_checkout
mkdir "$work/parent"
mv "$work/from" "$work/parent/tatoeba-en-fr"
cd "$work"
expect "the parent folder, named from the current one" 0 "CC BY 2.0 FR" tatoeba-en-fr --from parent
expect_data tatoeba-en-fr

make_checkout
echo d >>val.fr
expect "sides that differ" 1 "val.en has 3 lines and val.fr 4" multi30k-en-fr --from "$work/from"
expect_data ""

make_checkout
truncate --size=-4 train.fr.gz
expect "a damaged file" 1 "train.fr.gz is damaged" multi30k-en-fr --from "$work/from"
expect_data ""

make_checkout
rm val.en
expect "a missing file" 1 "holds all of: train.en.gz train.fr.gz val.en" multi30k-en-fr --from "$work/from"
expect_data ""

expect "no download" 1 "there is no download for tatoeba-en-fr" tatoeba-en-fr
expect "an unknown corpus" 1 "known: multi30k-en-fr, tatoeba-en-fr" europarl
expect "no corpus" 2 "Usage:"
expect "an unknown option" 2 "Usage:" --form x
exit $((failures > 0))
