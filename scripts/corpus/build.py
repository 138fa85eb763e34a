"""The corpus as a whole: a pool of sentences, the pairs held out of training, and the three parts."""

import collections
import re
from dataclasses import dataclass

from .chooser import Chooser
from .nouns import NAMES, NOUNS
from .sentences import sentence

SEED = 20170612
SIZES = {"train": 6000, "validation": 300, "test": 300}
POOL = 13000  # sentences made before the split; a tenth of the pairs in them, and so a sixth of them, is held out
HELD_OUT = 0.05  # share of the pairs kept for validation, and again for test
NEVER = ("subject", "cat", "sit")  # in no part at all: `The cat sat` is to be translated by composition
MIN_WORDS, MAX_WORDS = 3, 14
MIN_COUNT = 8  # how often train has each word of validation and test
_NAMED_ONCE = {form for noun in NOUNS for form in (noun.english, noun.plural) if form} | {name for name, _ in NAMES}


def key(text):
    """What makes two sentences the same: letters without case, spaces and final punctuation."""
    return re.sub(r"\s+", "", text).casefold().rstrip(".!?")


def words(text):
    """The words of a sentence, in lower case: `don't`, `cat` and `'s`, `l'` and `école`."""
    return re.findall(r"\w+n't|'s|[\w-]+'(?!s\b)|[\w-]+", text.lower())


@dataclass(frozen=True)
class Corpus:
    """Sentences by part (`train`, `validation`, `test`), and the pairs of words kept for the latter two."""
    parts: dict
    held_out: dict


def _well_sized(made):
    lengths = len(made.english.split()), len(made.french.split())
    return lengths[0] >= MIN_WORDS and max(lengths) <= MAX_WORDS


def _repeats(made):
    """Whether a noun or a name stands in a sentence twice, as in `Paul saw Paul`."""
    found = [word for word in re.findall(r"[\w-]+", made.english) if word in _NAMED_ONCE]
    return len(found) != len(set(found))


def _pool(seed):
    """Distinct sentences; the same English twice must mean the same French."""
    chooser, made = Chooser(seed), {}
    while len(made) < POOL:
        one = sentence(chooser)
        if not _well_sized(one) or _repeats(one):
            continue
        first = made.setdefault(key(one.english), one)
        if key(first.french) != key(one.french):
            raise ValueError(f"two translations of {one.english!r}: {first.french!r}, {one.french!r}")
    return list(made.values())


def _hold_out(pool, seed):
    """Draws the pairs for validation and for test."""
    chooser = Chooser(seed + 1)
    pairs = sorted({pair for one in pool for pair in one.pairs} - {NEVER})
    held_out = {"validation": set(), "test": set()}
    for pair in pairs:
        part = chooser.weighted(((HELD_OUT, "validation"), (HELD_OUT, "test"), (1 - 2 * HELD_OUT, "train")))
        if part != "train":
            held_out[part].add(pair)
    return held_out


def _part_of(one, held_out):
    """The part whose pairs a sentence holds, None for one with pairs of both or with NEVER."""
    if NEVER in one.pairs:
        return None
    parts = [name for name, pairs in held_out.items() if one.pairs & pairs]
    return "train" if not parts else parts[0] if len(parts) == 1 else None


def build(seed=SEED):
    """Makes the corpus of a seed, always the same."""
    pool = _pool(seed)
    held_out = _hold_out(pool, seed)
    candidates = {name: [one for one in pool if _part_of(one, held_out) == name] for name in SIZES}
    train = candidates["train"][:SIZES["train"]]
    english = collections.Counter(word for one in train for word in words(one.english))
    french = collections.Counter(word for one in train for word in words(one.french))
    used = {key(one.french) for one in train}
    parts = {"train": train}
    for name in ("validation", "test"):
        parts[name] = []
        for one in candidates[name]:
            common = all(english[word] >= MIN_COUNT for word in words(one.english)) and \
                all(french[word] >= MIN_COUNT for word in words(one.french))
            if common and key(one.french) not in used and len(parts[name]) < SIZES[name]:
                parts[name].append(one)
                used.add(key(one.french))
    for name, size in SIZES.items():
        if len(parts[name]) != size:
            raise ValueError(f"{name}: {len(parts[name])} sentences instead of {size}; make POOL larger")
    return Corpus(parts, held_out)
