#!/usr/bin/env python3
"""How well a model uses the terms of a glossary: terms are taken from a test set and its references."""

import argparse
import collections
import json
import pathlib
import random
import re
import resource
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from translating.programs import Failed, Model, evaluate  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

DETAILS = """
Of each line of the test set, up to three words of its source and those of its reference that they are linked to become
terms. IBM model 1 (Brown et al. 1993), trained on the training text in both directions, links two words of at least
four letters where each is the other's likeliest. The lines are translated without terms; with them (the field
`glossary` of --json-input); and, by a model that was trained with data.modifiers.terms, with their annotations alone,
which no search enforces. Printed for each: the share of terms that the translations have, the share of these that the
alignment puts where their source is, BLEU, and the processor time as a multiple of the first.

  tests/benchmark/glossary_terms.py --checkpoint runs/multi30k-en-fr/best --train data/multi30k-en-fr/train.en.gz \\
    data/multi30k-en-fr/train.fr.gz --source test2016.en --reference test2016.fr
"""

ROUNDS = 5  # of expectation maximisation


def words_of(line):
    return re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", line.lower())


class Ibm1:
    """t(target word | source word)."""

    def __init__(self, pairs):
        self.table = {}
        for _ in range(ROUNDS):
            counts = collections.defaultdict(lambda: collections.defaultdict(float))
            for source, target in pairs:
                for word in target:
                    shares = [self.probability(word, other) for other in source]
                    total = sum(shares)
                    for other, share in zip(source, shares):
                        counts[other][word] += share / total
            self.table = {}
            for other, of_word in counts.items():
                total = sum(of_word.values())
                self.table[other] = {word: count / total for word, count in of_word.items() if count / total > 1e-4}

    def probability(self, word, other):
        return self.table.get(other, {}).get(word, 1e-6) if self.table else 1.0

    def likeliest(self, word, others):
        """The one of the other side's words that gives the word the highest probability."""
        return max(others, key=lambda other: self.probability(word, other), default=None)


def terms_of(source, target, models, chosen):
    """Up to three pairs of words that are each other's likeliest, each word once on its side."""
    forward, backward = models
    found = []
    for word in dict.fromkeys(source):
        other = backward.likeliest(word, target)
        if other is None or min(len(word), len(other)) < 4 or forward.likeliest(other, source) != word:
            continue
        if forward.probability(other, word) > 0.2 and source.count(word) == target.count(other) == 1:
            found.append((word, other))
    return chosen.sample(found, min(3, len(found)))


def annotated(line, terms):
    for source, target in terms:
        line = re.sub(rf"\b{re.escape(source)}\b", f"<[> \\g<0><|> {target}<]>", line, count=1, flags=re.IGNORECASE)
    return line


def is_at_source(translation, source, target):
    """Whether a word of the term is aligned to the word of its source."""
    def place_of(word, text):
        return [i for i, each in enumerate(text.split()) if word in words_of(each) or word in each.lower()]
    sources, targets = place_of(source, translation["source"]), place_of(target, translation["translation"])
    return any([i, j] in translation["alignment"] for i in sources for j in targets)


TICK = 0.01  # seconds; shorter times are measured as 0


class Report:
    def __init__(self, arguments, folder, terms):
        self.arguments, self.terms, self.first_time = arguments, terms, None
        self.reference = folder / "reference"
        write_lines(self.reference, read_lines(arguments.reference))

    def add(self, name, lines, raw=False):
        options = ["--threads", "1", *self.arguments.options]
        model = Model(self.arguments.bin_dir, self.arguments.checkpoint, options, raw)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = model.translate(lines, "--json-input")
        time = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.first_time = self.first_time or max(time, TICK)
        with_alignment = model.translate(lines, "--json-input", "--alignments")
        wanted = [(translation, source, target) for translation, terms in zip(with_alignment, self.terms)
                  for source, target in terms]
        there = [each for each in wanted if each[2] in words_of(each[0]["translation"])]
        placed = sum(is_at_source(*each) for each in there)
        bleu = evaluate(self.arguments.bin_dir, [each["translation"] for each in found], [self.reference], "bleu")
        print(f"{name:20} {100 * len(there) / len(wanted):7.1f} % {100 * placed / max(1, len(there)):10.1f} % {bleu:7.2f} "
              f"{time / self.first_time:7.2f}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True, metavar="WHICH", help="the model, as for translate-infer")
    parser.add_argument("--train", required=True, nargs=2, type=pathlib.Path, metavar=("SOURCE", "TARGET"),
                        help="text that the words are linked by")
    parser.add_argument("--source", required=True, type=pathlib.Path, help="lines to translate")
    parser.add_argument("--reference", required=True, type=pathlib.Path, help="their translations")
    parser.add_argument("--annotated", action="store_true", help="the model was trained with data.modifiers.terms")
    parser.add_argument("--bin-dir", default=ROOT / "build/release/bin", type=pathlib.Path, help="the programs")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="behind --: further options of translate-infer")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    pairs = [(words_of(source), words_of(target)) for source, target in zip(*map(read_lines, arguments.train),
                                                                            strict=True)]
    models = Ibm1(pairs), Ibm1([(target, source) for source, target in pairs])
    sources = list(read_lines(arguments.source))
    chosen = random.Random(1)
    terms = [terms_of(words_of(source), words_of(target), models, chosen)
             for source, target in zip(sources, read_lines(arguments.reference), strict=True)]
    print(f"{sum(map(len, terms))} terms in {sum(map(bool, terms))} of {len(terms)} lines")
    print(f"{'':20} {'there':>9} {'at source':>12} {'BLEU':>7} {'time':>7}")
    with tempfile.TemporaryDirectory(prefix="translate-") as name:
        report = Report(arguments, pathlib.Path(name), terms)
        report.add("no terms", [json.dumps({"source": source}) for source in sources])
        report.add("terms", [json.dumps({"source": source, "glossary": dict(of_line)})
                             for source, of_line in zip(sources, terms)])
        if arguments.annotated:
            report.add("annotations alone", [json.dumps({"source": annotated(source, of_line)})
                                             for source, of_line in zip(sources, terms)], raw=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        print(f"glossary_terms: {error}", file=sys.stderr)
        sys.exit(error.code)
