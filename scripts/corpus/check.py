"""What data/en-fr promises, checked on the tracked files and on the grammar that made them."""

import collections
import re
import unicodedata

from .build import MAX_WORDS, MIN_COUNT, MIN_WORDS, NEVER, SIZES, build, key, words

LETTERS = re.compile(r"[A-Za-zàâçéèêëîïôùûüœÀÂÇÉÈÊÎÔÙÛŒ',.?! -]+")
VOWEL = "aàâeéèêiîoôuûhœ"
# spellings that no French sentence of this grammar may have; hibou and héros have an aspirated h
MISSPELT = re.compile(
    rf"\b(?:le|la|de|je|me|se|ne|que|ce|ma|sa) (?!hibou|héros)[{VOWEL}]"
    rf"|\bl'(?:hibou|héros)|\b[cdjlmnst]' |\b(?:de|à) les?\b|\bsi ils?\b"
    rf"|\b(?:beau|nouveau|vieux) (?:ami|ani|arb|enf|élé|étu|hom|hôp|hôt|oise|onc|ordi)(?!\w*[sx]\b)"
    r"|[^ ][?!]|  | [.,]", re.IGNORECASE)


class Failures(list):
    """The promises broken, each a line of text."""

    def require(self, holds, message):
        """Notes `message` unless `holds`."""
        if not holds:
            self.append(message)


def read_parts(folder):
    """The pairs of lines of the files in `folder`: {part: (English lines, French lines)}."""
    return {part: tuple((folder / f"{part}.{language}").read_bytes().decode("utf-8").split("\n")[:-1]
                        for language in ("en", "fr")) for part in SIZES}


def check_files(parts, failures):
    """The promises that can be seen in the files alone."""
    seen = {}
    for part, (english, french) in parts.items():
        failures.require(len(english) == len(french) == SIZES[part],
                         f"{part}: {len(english)} and {len(french)} lines, expected {SIZES[part]}")
        for number, (source, target) in enumerate(zip(english, french), 1):
            _check_pair(f"{part}, line {number}", source, target, failures)
            first = seen.setdefault(key(source), f"{part}, line {number}")
            failures.require(first == f"{part}, line {number}", f"{part}, line {number}: {source!r} is also {first}")
    _check_leaks(parts, failures)
    _check_words(parts, failures)


def _check_pair(where, source, target, failures):
    for text in (source, target):
        failures.require(unicodedata.normalize("NFC", text) == text, f"{where}: not in normal form C: {text!r}")
        failures.require(LETTERS.fullmatch(text), f"{where}: a character outside the promised ones: {text!r}")
        failures.require(len(text.split()) <= MAX_WORDS, f"{where}: more than {MAX_WORDS} words: {text!r}")
        failures.require(text == text.strip() and text[:1].isupper(), f"{where}: spaces or no capital: {text!r}")
    failures.require(len(source.split()) >= MIN_WORDS, f"{where}: fewer than {MIN_WORDS} words: {source!r}")
    failures.require(re.search(r"[.?!]?$", source)[0] == re.search(r"[.?!]?$", target)[0],
                     f"{where}: the sides end differently: {source!r}, {target!r}")
    wrong = MISSPELT.search(target)
    failures.require(not wrong, f"{where}: {target!r} is misspelt at {wrong and wrong[0]!r}")
    failures.require(not re.search(r"\bcats? sat\b", source.lower()), f"{where}: the sentence kept out: {source!r}")


def _check_leaks(parts, failures):
    for side, language in enumerate(("English", "French")):
        known = {key(line) for line in parts["train"][side]}
        for part in ("validation", "test"):
            for line in parts[part][side]:
                failures.require(key(line) not in known, f"{part}: {language} sentence of train: {line!r}")


def _check_words(parts, failures):
    for side in (0, 1):
        counts = collections.Counter(word for line in parts["train"][side] for word in words(line))
        for part in ("validation", "test"):
            for word in sorted({word for line in parts[part][side] for word in words(line)}):
                failures.require(counts[word] >= MIN_COUNT, f"{part}: {word!r} is only {counts[word]} times in train")
    sat = [line for line in parts["train"][0] if re.search(r"\bsat\b", line)]
    cat = [line for line in parts["train"][0] if re.search(r"\bthe cat\b", line.lower())]
    bare = [line for line in sat if re.fullmatch(r"\w+ \w+ sat", line)]
    failures.require(min(len(sat), len(cat)) >= 30 and len(bare) >= 8,
                     f"train: {len(sat)} times `sat`, {len(cat)} times `the cat`, {len(bare)} times a bare `... sat`")


def check_pairs(corpus, failures):
    """The promises about combinations, on the sentences as the grammar made them."""
    trained = {pair for one in corpus.parts["train"] for pair in one.pairs}
    for part in ("validation", "test"):
        for one in corpus.parts[part]:
            unseen = one.pairs - trained
            failures.require(unseen & corpus.held_out[part], f"{part}: nothing new to train in {one.english!r}")
    for part, made in corpus.parts.items():
        for one in made:
            failures.require(NEVER not in one.pairs, f"{part}: holds {NEVER}: {one.english!r}")


def check(folder):
    """All promises of the corpus in `folder`; returns the list of those broken."""
    failures = Failures()
    try:
        parts = read_parts(folder)
    except (OSError, UnicodeDecodeError) as error:
        failures.append(f"{folder}: {error}")
        return failures
    corpus = build()
    for part, made in corpus.parts.items():
        wanted = [one.english for one in made], [one.french for one in made]
        failures.require(parts[part] == wanted, f"{part}: not what the grammar makes; run scripts/make-corpus")
    check_files(parts, failures)
    check_pairs(corpus, failures)
    return failures
