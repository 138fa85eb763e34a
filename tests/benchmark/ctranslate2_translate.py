#!/usr/bin/env python3
"""Translates with CTranslate2 as its users do: SentencePiece and its Translator, from text to text.

A sentence given as an argument is translated to stdout, --input to --output, and --lines answers each line of stdin
with a line. What was done is told on stderr, a line of JSON. --serve answers commands on stdin, a line of JSON each:
  {"lines": 200, "batch": [64, "examples"]}   translates that many lines of --input, evenly spread; what was done
  {"one_by_one": 20}                          the seconds that each of so many lines of --input takes alone
"""

import sys

sys.dont_write_bytecode = True
from peer.translating import Clock, add_arguments, answer, read_lines  # noqa: E402

CLOCK = Clock()  # before the libraries are loaded

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402

import ctranslate2  # noqa: E402
import sentencepiece  # noqa: E402

CLOCK.imported()
MOST_SOURCE_PIECES = 1024


class Engine:
    """The model, its tokenizers and the way to search."""

    def __init__(self, options):
        settings = json.loads((options.model / "translate.json").read_text(encoding="utf-8"))
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=settings[side]) for side in ("source", "target")
        )
        self.threads = options.inter_threads * options.intra_threads
        self.translator = ctranslate2.Translator(
            str(options.model),
            compute_type=options.compute_type,
            inter_threads=options.inter_threads,
            intra_threads=options.intra_threads,
        )
        self.batch = options.batch_size, options.batch_type
        self.source_end = settings["source_end"]
        # The space that ours searches: no special piece but eos, which may come first.
        self.search = {
            "beam_size": options.beam_size,
            "length_penalty": options.length_penalty,
            "max_decoding_length": options.max_length,
            "min_decoding_length": options.min_length,
            "max_input_length": MOST_SOURCE_PIECES,
            "disable_unk": True,
            "suppress_sequences": [[piece] for piece in settings["never_generated"]],
        }

    def translate(self, lines):
        """(translations, what was done). Blank lines stay blank, as ours."""
        start = time.perf_counter()
        texts = [line for line in lines if line.strip()]
        pieces = self.source.encode(texts, out_type=str, num_threads=self.threads)
        for each in pieces:
            each += self.source_end
        size, kind = self.batch
        found = self.translator.translate_batch(pieces, max_batch_size=size, batch_type=kind, **self.search)
        best = [result.hypotheses[0] for result in found]
        decoded = self.target.decode(best, num_threads=self.threads)
        if self.source_end:  # of MarianMT, whose target side knows all pieces, and SentencePiece's only its own
            decoded = [text.replace("\u2581", " ").strip() for text in decoded]
        translated = iter(decoded)
        translations = [next(translated) if line.strip() else "" for line in lines]
        return translations, {
            "seconds": time.perf_counter() - start,
            "lines": len(lines),
            "pieces": sum(map(len, best)),
            "source_pieces": sum(map(len, pieces)) + (0 if self.source_end else 2) * len(pieces),  # sos and eos
            "cut_short": sum(len(each) >= self.search["max_decoding_length"] for each in best),
        }


def spread(lines, count):
    """So many of the lines, evenly spread."""
    return [lines[i * len(lines) // count] for i in range(min(count, len(lines)))]


def serve(engine, lines):
    print(json.dumps({"compute_type": engine.translator.compute_type}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if "one_by_one" in command:
            alone = [engine.translate([text])[1]["seconds"] for text in spread(lines, command["one_by_one"])]
            answer = {"seconds": alone}
        else:
            engine.batch = command["batch"]
            answer = engine.translate(spread(lines, command["lines"]))[1]
        print(json.dumps(answer), flush=True)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--serve", action="store_true", help="answer commands")
    parser.add_argument("--compute-type", default="float32")
    parser.add_argument("--inter-threads", type=int, default=1, help="batches at a time")
    parser.add_argument("--intra-threads", type=int, default=1, help="threads of each")
    parser.add_argument("--batch-type", choices=("examples", "tokens"), default="examples")
    return parser.parse_args()


def main():
    options = read_arguments()
    engine = Engine(options)
    if options.serve:
        serve(engine, read_lines(options.input))
    else:
        answer(engine.translate, options, CLOCK)


if __name__ == "__main__":
    main()
