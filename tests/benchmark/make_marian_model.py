#!/usr/bin/env python3
"""Makes a MarianMT folder in the shape of the models of OPUS-MT: 6 + 6 layers of 512, 2,048 and 8 heads, post-norm,
58,101 subwords, one table for all embeddings. Its weights are RANDOM: it measures speed, and translates nothing.

SentencePiece learns as many subwords as the text gives; subwords that no text has fill up the vocabulary."""

import argparse
import gzip
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python")]
import marian_folders  # noqa: E402
import marian_shapes  # noqa: E402

SHAPE = marian_shapes.Shape(seed=5, d_model=512, heads=8, layers=(6, 6), d_ff=2048)
LEARNT = 8000  # subwords of a language at most


def lines(file):
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as opened:
        return opened.read().splitlines()


def vocabulary(folder, size):
    """{subword: id}, filled up before the pad, which comes last."""
    learnt = [marian_folders.pieces_of(folder / name) for name in ("source.spm", "target.spm")]
    missing = size - len(marian_folders.vocabulary(*learnt))
    return marian_folders.vocabulary(*learnt, [f"\u2581filler{number}" for number in range(missing)])


def make(folder, source, target, size):
    folder.mkdir(parents=True, exist_ok=True)
    for text, name in ((source, "source.spm"), (target, "target.spm")):
        marian_folders.train_pieces(lines(text), folder / name, min(LEARNT, size // 3))
    known = vocabulary(folder, size)
    marian_folders.save_tokenizer(folder, known)
    model = marian_folders.MarianMTModel(marian_folders.configuration(known, **SHAPE.config())).eval()
    marian_shapes.randomise(model, SHAPE)
    marian_folders.save_model(folder, model)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="text of the source language, also .gz")
    parser.add_argument("--target", type=pathlib.Path, required=True, help="text of the target language")
    parser.add_argument("--vocabulary", type=int, default=58101, help="subwords (58101)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the model")
    arguments = parser.parse_args()
    make(arguments.output, arguments.source, arguments.target, arguments.vocabulary)


if __name__ == "__main__":
    main()
