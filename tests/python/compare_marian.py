#!/usr/bin/env python3
"""Compares the translations of a MarianMT folder here and in Hugging Face's transformers: a table of equal ones and near ties.

    TRANSLATE_PYTHON=... tests/python/compare_marian.py FOLDER test2016.en --reference test2016.fr

FOLDER is one that tests/python/train_marian.py made, or any other that transformers reads. Exit code 1: some translations differ
by more than a near tie. TRANSLATE_BIN_DIR: the programs' folder.
"""

import argparse
import json
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("nothing was compared")

import sacrebleu  # noqa: E402
import torch  # noqa: E402

import marian_reference  # noqa: E402
from marian_reference import Search  # noqa: E402
from programs import run  # noqa: E402

BEAMS = {"greedy": 1, "beam 4": 4}


def translate(folder, lines, search):
    options = ["--no-split", "--raw", "--json", "--precision", "fp32", *search.options()]
    output = run(".", "translate-infer", *options, "--checkpoint", folder, text="".join(line + "\n" for line in lines))
    return [json.loads(line) for line in output.splitlines()]


def bleu(found, references):
    if references is None:
        return "-"
    return f"{sacrebleu.corpus_bleu([item['translation'] for item in found], [references]).score:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path, help="the sentences to translate, a line each")
    parser.add_argument("--reference", type=pathlib.Path, help="their translations, for BLEU")
    parser.add_argument("--checkpoint", type=pathlib.Path, help="what to translate with here (default: FOLDER)")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--limit", type=int, default=100, help="the most subwords of a translation")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    lines, references = (
        path and path.read_text(encoding="utf-8").splitlines()[: arguments.count] for path in (arguments.source, arguments.reference)
    )
    reference = marian_reference.Reference(arguments.folder)
    print("| search | sentences | equal | near ties | other differences | distinct | BLEU | largest difference of a log-probability |")
    print("|---|---|---|---|---|---|---|---|")
    wrong = []
    for name, beam in BEAMS.items():
        search = Search(beam, arguments.limit)
        started = time.monotonic()
        found = translate((arguments.checkpoint or arguments.folder).resolve(), lines, search)
        between = time.monotonic()
        result = marian_reference.compare(reference, lines, found, search)
        distinct = len({item["translation"] for item in found})
        print(f"| {name} | {len(found)} | {result.equal} | {result.ties} | {len(result.wrong)} | {distinct} "
              f"| {bleu(found, references)} | {result.largest:.1e} |", flush=True)  # fmt: skip
        print(f"{name}: {between - started:.1f} s here, {time.monotonic() - between:.1f} s there, with all comparisons", file=sys.stderr)
        wrong += result.wrong
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
