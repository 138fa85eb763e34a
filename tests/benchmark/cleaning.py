#!/usr/bin/env python3
"""How well translate-data clean finds noise: pairs of a text are spoilt, each kind in the same share of the pairs."""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from translating.text import read_lines, write_lines  # noqa: E402

DETAILS = """
Repeated pairs are left out first. Each kind of noise takes the share --share of the pairs, which are drawn at random by --seed:

  copied       the target is the source
  language     the target is a line of --other, a text in a third language (left out without it)
  cut          the target ends after the first half of its words (targets of four words and more)
  mismatched   the target is that of another pair
  shifted      the targets of ten lines one after the other stand one line too high

Printed: for each kind, and for the pairs that were left alone, the share that the program leaves out, and the reasons.

  tests/benchmark/cleaning.py train.en.gz train.fr.gz --other train.de.gz
"""

KINDS = ("copied", "language", "cut", "mismatched", "shifted")
RUN = 10  # lines that are shifted together


def cut(target: str) -> str:
    words = target.split()
    return " ".join(words[:len(words) // 2])


def plant(sources, targets, other, share, seed):
    """Returns the targets with noise, and the kind of each (None: left alone)."""
    rng = random.Random(seed)
    count = round(len(sources) * share)
    noisy = list(targets)
    kinds = [None] * len(sources)
    runs = list(range(0, len(sources) - RUN, RUN))
    for begin in rng.sample(runs, count // RUN):
        for line in range(begin, begin + RUN):
            noisy[line] = targets[line + 1]
            kinds[line] = "shifted"
    free = [line for line, kind in enumerate(kinds) if kind is None]
    rng.shuffle(free)

    def take(kind, change, may=lambda line: True):
        taken = [line for line in free if may(line)][:count]
        for line in taken:
            noisy[line] = change(line)
            kinds[line] = kind
        gone = set(taken)
        free[:] = [line for line in free if line not in gone]

    take("cut", lambda line: cut(targets[line]), lambda line: len(targets[line].split()) >= 4)
    take("copied", lambda line: sources[line])
    if other:
        take("language", lambda line: other[line % len(other)])
    take("mismatched", lambda line: targets[rng.randrange(len(targets))])
    # A pair that stays as it was is no noise.
    return noisy, [kind if noisy[line] != targets[line] else None for line, kind in enumerate(kinds)]


def without_repetitions(pairs):
    """The pairs that differ in letters or digits from those before them: others are no good pairs."""
    seen = set()
    for pair in pairs:
        key = tuple(re.sub(r"[\W_]+", " ", side.casefold()).strip() for side in pair)
        if key not in seen:
            seen.add(key)
            yield pair


def reasons_of(left_out: pathlib.Path):
    """The reason of each line that was left out, from its place ("noisy.tsv:12")."""
    reasons = {}
    for line in list(read_lines(left_out))[1:]:
        reason, place = line.split("\t")[:2]
        reasons[int(place.rsplit(":", 1)[1]) - 1] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--other", type=pathlib.Path, help="a text in a third language")
    parser.add_argument("--languages", default="en,fr", help="those of the text (default: en,fr)")
    parser.add_argument("--share", type=float, default=0.06, help="of each kind of noise (default: 0.06)")
    parser.add_argument("--lines", type=int, help="take so many pairs alone, from the beginning")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=ROOT / "build/release/bin/translate-data")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the noisy text and what the program writes")
    parser.add_argument("options", nargs="*", help="behind --: options of translate-data clean")
    arguments = parser.parse_args()
    pairs = list(without_repetitions(zip(read_lines(arguments.source), read_lines(arguments.target))))
    sources, targets = map(list, zip(*pairs[:arguments.lines]))
    other = list(read_lines(arguments.other)) if arguments.other else []
    noisy, kinds = plant(sources, targets, other, arguments.share, arguments.seed)
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.keep or pathlib.Path(made)
        folder.mkdir(exist_ok=True)
        write_lines(folder / "noisy.tsv", [f"{source}\t{target}".replace("\r", "")
                                           for source, target in zip(sources, noisy)])
        write_lines(folder / "kinds.txt", [kind or "good" for kind in kinds])
        languages = arguments.languages.split(",")
        done = subprocess.run([arguments.program, "clean", folder / "noisy.tsv", "--output", folder / "clean.tsv",
                               "--source-language", languages[0], "--target-language", languages[1],
                               "--left-out", folder / "left-out.tsv", *arguments.options], check=False)
        if done.returncode != 0:
            return done.returncode
        reasons = reasons_of(folder / "left-out.tsv")
    print(f"{'kind':<12}{'pairs':>8}{'left out':>10}  reasons")
    for kind in (None, *KINDS):
        lines = [line for line, other_kind in enumerate(kinds) if other_kind == kind]
        if lines:
            found = collections.Counter(reasons[line] for line in lines if line in reasons)
            why = ", ".join(f"{reason} {count}" for reason, count in found.most_common(5))
            print(f"{kind or 'good':<12}{len(lines):>8}{sum(found.values()) / len(lines):>10.1%}  {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
