#!/usr/bin/env bash
# scripts/check-layers finds each kind of breach, names its place, and passes a tree without one.
set -euo pipefail

check="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts" && pwd)/check-layers"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failures=0

# A small tree that keeps to the layers.
make_tree() {
  rm -rf "$work/tree"
  mkdir -p "$work"/tree/{include/translate,src,tests/unit}/{core,text,model,metrics} "$work/tree/src/apps"
  cd "$work/tree"
  printf '#pragma once\n' | tee include/translate/core/a.h include/translate/metrics/m.h >include/translate/model/n.h
  printf '#pragma once\n#include "translate/core/a.h"\n' >include/translate/text/t.h
  printf '#include "translate/text/t.h"\n#include <string>\n' >src/text/t.cpp
  printf '#include "translate/text/t.h"\n#include "support/s.h"\n#include "beside.h"\n' >tests/unit/text/t_test.cpp
  printf '#include "translate/text/t.h"\n' >src/apps/translate_train.cpp
}

# Expects that the tree fails with `message`, or passes where there is none.
expect() {
  local name="$1" message="${2:-}" output code=0
  output="$("$check" "$work/tree" 2>&1)" || code=$?
  if [[ -z $message && $code -ne 0 ]] || [[ -n $message && ($code -ne 1 || $output != *"$message"*) ]]; then
    printf 'FAILED: %s: expected "%s", got exit %d and:\n%s\n' "$name" "$message" "$code" "$output"
    failures=$((failures + 1))
  fi
}

make_tree
expect "a tree without breaches"

make_tree
echo '#include "translate/text/t.h"' >>include/translate/core/a.h
expect "an include from the right" \
  "include/translate/core/a.h:2: core must not include from text (translate/text/t.h)"

make_tree
echo '  #  include "translate/model/n.h"' >>include/translate/metrics/m.h
expect "an include from a neighbour" \
  "include/translate/metrics/m.h:2: metrics must not include from model (translate/model/n.h)"

make_tree
echo '#include "translate/model/n.h"' >>tests/unit/text/t_test.cpp
expect "a test that includes from the right" "tests/unit/text/t_test.cpp:4: text must not include from model"

make_tree
echo '#include "a.h"' >>src/text/t.cpp
expect "a header named without its layer" 'src/text/t.cpp:3: "a.h" should be "translate/<layer>/..."'

make_tree
echo '#include "translate/tools/x.h"' >>src/text/t.cpp
expect "an unknown layer" "src/text/t.cpp:3: includes translate/tools/x.h, which lies in no layer"

make_tree
mkdir src/tools
echo "int x;" >src/tools/x.cpp
expect "a file in no layer" "src/tools/x.cpp: lies in no layer"

make_tree
touch src/text/alone.cpp
expect "a source without a header" "src/text/alone.cpp: has no header include/translate/text/alone.h"

make_tree
touch src/text/long_name_t.cpp
expect "a part of a header's implementation"

make_tree
echo '' >include/translate/core/a.h
expect "a header without its guard" "include/translate/core/a.h: lacks #pragma once"

make_tree
echo '#include <torch/torch.h>' >>src/text/t.cpp
expect "tensors in text" "src/text/t.cpp:3: text knows no tensors and must not include <torch/torch.h>"

if "$check" "$work" >/dev/null 2>&1; then
  echo "FAILED: a folder without sources passes"
  failures=$((failures + 1))
fi
exit $((failures > 0))
