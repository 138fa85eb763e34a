"""Where things happen: prepositional phrases, cities, and the places of small things."""

from dataclasses import dataclass

from . import nouns
from .phrases import noun_phrase

PLACE_KINDS = ((76, "the"), (8, "a"), (10, "own"), (6, "this"))
GOAL_KINDS = ((90, "the"), (10, "this"))
# English preposition: French words, noun tags
PREPOSITIONS = {
    "in": (("dans",), "in"), "at": (("à",), "at"), "on": (("sur",), "on"), "under": (("sous",), "under"),
    "behind": (("derrière",), "behind"), "in front of": (("devant",), "behind"), "near": (("près", "de"), "near"),
    "next to": (("à", "côté", "de"), "near"), "to": (("à",), "at"), "from": (("de",), "at"),
}
INSIDE = (("in", "kitchen box bag car garden"), ("on", "table chair bed"), ("under", "table bed chair"),
          ("behind", "door"), ("near", "window"))
WHERE = ((34, "in"), (22, "at"), (12, "on"), (8, "under"), (8, "behind"), (6, "in front of"), (8, "near"),
         (5, "next to"))


@dataclass(frozen=True)
class Adjunct:
    """Words that follow the verb in both languages."""
    english: str = ""
    french: tuple = ()
    pairs: tuple = ()


def place(chooser, preposition=None, tags=None):
    """`in the garden`, `near the river`: a place with the preposition given, or any."""
    preposition = preposition or chooser.weighted(WHERE)
    french, fitting = PREPOSITIONS[preposition]
    noun = chooser.balanced(nouns.nouns_with(tags or fitting), lambda n: n.english)
    alone = fitting == "at" or chooser.chance(0.85 if fitting == "in" else 0.3)  # nobody goes to the stations
    kinds = GOAL_KINDS if fitting == "at" else PLACE_KINDS
    where = noun_phrase(chooser, noun, kinds, 0.1, "s" if alone else None)
    return Adjunct(f"{preposition} {where.english}", french + where.french, where.pairs)


def city(chooser, preposition):
    """`in Paris`, `to Paris` (à Paris) or `from Paris` (de Paris)."""
    english, french = chooser.balanced(nouns.CITIES, lambda c: c[0])
    return Adjunct(f"{preposition} {english}", ("de" if preposition == "from" else "à", french))


def inside(chooser, subject=None):
    """A place where small things lie."""
    preposition, names = chooser.weighted(((5, INSIDE[0]), (5, INSIDE[1]), (3, INSIDE[2]), (1, INSIDE[3]),
                                           (1, INSIDE[4])))
    heads = subject.heads if subject else ()
    fitting = [noun for noun in nouns.NOUNS if noun.english in names.split() and noun.english not in heads]
    noun = chooser.balanced(fitting, lambda n: n.english)
    where = noun_phrase(chooser, noun, ((70, "the"), (20, "own"), (10, "this")), 0.08, "s")
    return Adjunct(f"{preposition} {where.english}", PREPOSITIONS[preposition][0] + where.french, where.pairs)
