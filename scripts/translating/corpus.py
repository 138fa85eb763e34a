"""Corpora of which a model has written one side."""

import dataclasses
import itertools
import json
import shutil
import sys

from translating.programs import Model, sentence_scores
from translating.text import join_files, whole, write_lines

LINES_AT_ONCE = 20_000  # of the text: what is lost at most where the work is stopped


@dataclasses.dataclass
class Way:
    """How translations are made."""

    model: Model
    writes_target: bool
    """The translation is the target of the pair, not its source."""
    samples: int | None = None
    """Draw so many."""
    n_best: int | None = None
    """Take the one most like the reference of so many."""

    def pairs(self, rows):
        """(source, target) for each translation of rows (line,) or (line, reference): of lines that are not blank,
        without what is blank or was cut off at the length limit, each translation of a line once."""
        lines = [row[0] for row in rows]
        several = self.samples or self.n_best
        options = ["--no-split"]  # a pair of the corpus is a line and its translation, however many sentences it has
        options += ["--n-best", str(several)] if several else []
        if self.samples:
            options.append("--sampling")
        elif self.n_best:
            options += ["--beam-size", str(self.n_best)]
        lists = [_texts(answer["nbest"] if several else [answer])
                 for answer in self.model.translate(lines, *options)]
        if self.n_best:
            lists = self._most_similar(lists, [row[1] for row in rows])
        for line, texts in zip(lines, lists):
            if line.strip():
                yield from ((line, text) if self.writes_target else (text, line) for text in texts)

    def _most_similar(self, lists, references):
        """Of each list the text most like the reference by chrF; of equal ones the first. Kim and Rush 2016,
        "Sequence-Level Knowledge Distillation", section 3.3 (interpolation)."""
        asked = [(text, reference) for texts, reference in zip(lists, references) for text in texts]
        if not asked:
            return lists
        scores = iter(sentence_scores(self.model.bin_dir, *zip(*asked), "chrf"))
        scored = [[(text, next(scores)) for text in texts] for texts in lists]
        return [[max(each, key=lambda pair: pair[1])[0]] if each else [] for each in scored]


def _texts(answers):
    """Those that can be used, without what is double."""
    given = (each["translation"] for each in answers if not each["truncated"])
    return list(dict.fromkeys(text for text in given if text.strip()))


class Synthesis:
    """A folder in which such a corpus comes about, part by part."""

    def __init__(self, folder, settings, way):
        self._folder = folder
        self._parts = folder / "parts"
        self._way = way
        self._about = folder / "about.json"
        self._facts = {"synthetic": "target" if way.writes_target else "source", **settings}
        if self._about.exists():
            before = json.loads(self._about.read_text(encoding="utf-8"))
            if any(before.get(key) != value for key, value in self._facts.items()):
                raise ValueError(f"{folder} holds a corpus made in another way ({self._about}): name another folder, "
                                 "or remove it")
            self._facts = before

    def make(self, rows):
        """Translates what is not translated yet, joins the parts; says what there is."""
        if "pairs" in self._facts:
            return f"{self._folder}: {self._facts['pairs']} pairs, made before"
        self._parts.mkdir(parents=True, exist_ok=True)
        self._write_about()
        lines = pairs = parts = 0
        for block in iter(lambda: list(itertools.islice(rows, LINES_AT_ONCE)), []):
            lines += len(block)
            pairs += self._make_part(parts, block)
            parts += 1
            print(f"synthesise: {lines} lines, {pairs} pairs", file=sys.stderr, flush=True)
        for side in ("source", "target"):
            join_files([self._part(number, side) for number in range(parts)], self._folder / f"{side}.gz")
        self._facts |= {"lines": lines, "pairs": pairs}
        self._write_about()
        shutil.rmtree(self._parts)
        return f"{self._folder}: {pairs} pairs from {lines} lines; the {self._facts['synthetic']} side is a model's"

    def _make_part(self, number, rows):
        """The pairs of these rows, in files of their own; how many they are."""
        count = self._parts / f"{number:06}.count"
        if not count.exists():
            pairs = list(self._way.pairs(rows))
            write_lines(self._part(number, "source"), (source for source, _ in pairs))
            write_lines(self._part(number, "target"), (target for _, target in pairs))
            write_lines(count, [str(len(pairs))])
        return int(count.read_text(encoding="utf-8"))

    def _part(self, number, side):
        return self._parts / f"{number:06}.{side}.gz"

    def _write_about(self):
        with whole(self._about) as unfinished:
            unfinished.write_text(json.dumps(self._facts, indent=1) + "\n", encoding="utf-8")
