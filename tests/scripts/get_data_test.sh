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
  cp "$root/scripts/get-data" "$root/scripts/get-data.files" "$root/scripts/common.sh" "$work/checkout/scripts/"
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
  local found=""
  if [[ -d $work/checkout/data ]]; then
    found="$(find "$work/checkout/data" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')"
  fi
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

# Downloads, with a curl of its own that takes files from a folder, and stops after $CUT bytes where that is set.
mkdir "$work/bin"
cat >"$work/bin/curl" <<'CURL'
#!/usr/bin/env bash
while [[ $# -gt 0 ]]; do
  case "$1" in
    --output) output="$2"; shift ;;
    http*) url="$1" ;;
  esac
  shift
done
[[ -f $STORE/$(basename "$url") ]] || exit 22
have="$(stat --format=%s -- "$output" 2>/dev/null || echo 0)"
echo "$(basename "$url") from $have" >>"$STORE/log"
tail --bytes=+$((have + 1)) "$STORE/$(basename "$url")" | head --bytes="${CUT:-1000000}" >>"$output"
[[ -z ${CUT:-} ]] || exit 18
CURL
chmod +x "$work/bin/curl"
real_path="$PATH"
export PATH="$work/bin:$PATH" STORE="$work/store"

# The published archives of a small WMT 2014, and their sums; a training line has a byte that is no UTF-8.
make_store() {
  make_checkout
  rm -rf "$STORE" "$work/tree"
  mkdir -p "$STORE" "$work/tree/training" "$work/tree/un" "$work/tree/dev"
  cd "$work/tree"
  local other language
  for other in de fr; do
    for language in en "$other"; do
      printf 'a\ncaf\xC3\n' >"training/europarl-v7.$other-en.$language"
      printf 'c' >"commoncrawl.$other-en.$language"
      printf 'd\n' >"training/news-commentary-v9.$other-en.$language"
      printf 'v\n' >"dev/newstest2013.$language"
      printf 'e\n' >"un/undoc.2000.fr-en.$language"
      echo f | gzip >"giga-fren.release2.fixed.$language.gz"
    done
    printf '<refset>\n<seg id="1"> A test. </seg>\n<seg id="2">B</seg>\n' |
      tee "dev/newstest2014-${other}en-src.en.sgm" >"dev/newstest2014-${other}en-ref.$other.sgm"
  done
  tar -czf "$STORE/training-parallel-europarl-v7.tgz" training/europarl*
  tar -czf "$STORE/training-parallel-commoncrawl.tgz" commoncrawl*
  tar -czf "$STORE/training-parallel-nc-v9.tgz" training/news*
  tar -czf "$STORE/training-parallel-un.tgz" un
  tar -cf "$STORE/training-giga-fren.tar" giga*
  tar -czf "$STORE/dev.tgz" dev
  local archive
  for archive in "$STORE"/*; do
    for other in de fr; do
      [[ $other == fr || $archive != *un.tgz && $archive != *fren.tar ]] || continue
      echo "wmt14-en-$other https://example.org/$(basename "$archive") $(stat --format=%s "$archive") $(sha256sum <"$archive" | cut -d' ' -f1)"
    done
  done >"$work/checkout/scripts/get-data.files"
}

make_store
expect "WMT 2014" 0 "train: 4 pairs" wmt14-en-de
expect_data wmt14-en-de
[[ $(zcat "$work/checkout/data/wmt14-en-de/train.de.gz" | tr '\n' ' ') == "a caf c d " ]] || { echo "FAILED: its training text"; failures=$((failures + 1)); }
[[ $(tr '\n' '|' <"$work/checkout/data/wmt14-en-de/newstest2014.de") == "A test.|B|" ]] || { echo "FAILED: its test text"; failures=$((failures + 1)); }
expect "UN and giga-fren, from a folder" 0 "train: 6 pairs" wmt14-en-fr --from "$STORE"
make_store
CUT=10 expect "a download that breaks off" 1 "run this again" wmt14-en-de
expect_data .downloads
expect "goes on" 0 "is ready" wmt14-en-de --keep-downloads
grep -q "^training-parallel-europarl-v7.tgz from 10$\|^dev.tgz from 10$\|^training-parallel-commoncrawl.tgz from 10$" "$STORE/log" ||
  { echo "FAILED: it began anew:"; cat "$STORE/log"; failures=$((failures + 1)); }
expect_data ".downloads wmt14-en-de"
make_store
cp "$STORE/training-parallel-un.tgz" "$STORE/training-parallel-nc-v9.tgz"
expect "another file than it was" 1 "size or SHA-256 differ" wmt14-en-de
expect "the same from a folder" 1 "nc-v9.tgz is not the published file" wmt14-en-de --from "$STORE"
rm "$STORE/dev.tgz"
expect "a missing archive" 1 "as they are published, all of: dev.tgz" wmt14-en-fr --from "$STORE"
make_store
rm "$STORE/dev.tgz"
expect "no such download" 1 "downloading https://example.org/dev.tgz failed" wmt14-en-fr

# Tatoeba as OPUS has it: 60 English sentences of two translations each; those of one sentence stay together.
make_checkout
mkdir -p "$work/opus" && cd "$work/opus"
for i in {1..60}; do printf 'sentence %d\nsentence %d\n' "$i" "$i"; done >Tatoeba.en-fr.en
for i in {1..60}; do printf 'phrase %d\nligne %d\n' "$i" "$i"; done >Tatoeba.en-fr.fr
python3 -c 'import zipfile; z = zipfile.ZipFile("en-fr.txt.zip", "w"); [z.write("Tatoeba.en-fr." + x) for x in ("en", "fr")]'
export TATOEBA_HELD_OUT=10
expect "Tatoeba as it is published" 0 "train: 80 pairs" tatoeba-en-fr --from "$work/opus"
cd "$work/checkout/data/tatoeba-en-fr"
[[ $(cat test.en val.en <(zcat train.en.gz | uniq) | sort -u | wc -l) -eq 60 && $(cat test.en val.en | sort -u | wc -l) -eq 20 ]] ||
  { echo "FAILED: a sentence is lost, or in two parts"; failures=$((failures + 1)); }
paste test.en test.fr | awk '$2 != $4 {exit 1}' || { echo "FAILED: pairs are torn apart"; failures=$((failures + 1)); }
cd "$work"

# Multi30K in tokens, as it is published.
mkdir "$work/tok" && cd "$work/tok"
for part in train val test_2016_flickr; do
  for language in en fr; do printf '%s\n' "$part $language"; done |
    tee "$part.lc.norm.tok.en" "$part.lc.norm.tok.fr" >"$part.lc.norm.tok.de"
done
expect "Multi30K in tokens" 0 "train: 2 pairs" multi30k-en-fr-tok --from "$work/tok"
expect "Multi30K in German tokens" 0 "train: 2 pairs" multi30k-en-de-tok --from "$work/tok"
for part in train.en val.fr test2016.en; do
  zcat --force "$work/checkout/data/multi30k-en-fr-tok/$part"* | head -1
done | diff - <(printf '%s en\n' train val test_2016_flickr) || { echo "FAILED: its text"; failures=$((failures + 1)); }
cd "$work"

# Any corpus of OPUS, from a server with OPUS's paths.
make_checkout
mkdir -p "$work/server/OPUS-Tatoeba/v1/moses"
cp "$work/opus/en-fr.txt.zip" "$work/server/OPUS-Tatoeba/v1/moses/"
echo "no archive" >"$work/server/OPUS-Tatoeba/v1/moses/de-en.txt.zip"
cd "$work/server"
python3 -u -m http.server --bind 127.0.0.1 0 >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in {1..100}; do grep -qs "port" "$work/server.log" && break; sleep 0.1; done
OPUS_URL="http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/server.log")"
export OPUS_URL
cd "$work"
PATH="$real_path" expect "a corpus of OPUS" 0 "--source-language en --target-language fr" opus:Tatoeba/v1/fr-en
cmp "$work/opus/en-fr.txt.zip" "$work/checkout/data/Tatoeba.en-fr.zip" || failures=$((failures + 1))
PATH="$real_path" expect "once again" 0 "is already there" opus:Tatoeba/v1/en-fr
PATH="$real_path" expect "a pair that OPUS lacks" 1 "may not have this corpus" opus:Tatoeba/v1/en-xx
PATH="$real_path" expect "something else than an archive" 1 "is no archive" opus:Tatoeba/v1/de-en
expect_data ".downloads Tatoeba.en-fr.zip"
expect "half a name" 1 "expected opus:CORPUS/VERSION/xx-yy" opus:Tatoeba
kill $server

expect "no download" 1 "downloading https://raw.githubusercontent.com/multi30k" multi30k-en-fr
expect "an unknown corpus" 1 "known: multi30k-en-fr, multi30k-en-fr-tok, multi30k-en-de, multi30k-en-de-tok, tatoeba-en-fr, wmt14-en-de, wmt14-en-fr" europarl
expect "no corpus" 2 "Usage:"
expect "an unknown option" 2 "Usage:" --form x
exit $((failures > 0))
