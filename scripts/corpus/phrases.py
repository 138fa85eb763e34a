"""Noun and prepositional phrases, built in both languages at once."""

from dataclasses import dataclass, replace

from . import adjectives, nouns
from .french import starts_with_vowel


@dataclass(frozen=True)
class Phrase:
    """A noun phrase. `slot` is the French verb form that it takes as a subject; `heads` are the nouns or names that
    count in the pairs held out; `tags` say what can be told of it; `pairs` are the (kind, word, word) inside it."""
    english: str
    french: tuple
    slot: str
    gender: str
    number: str
    tags: frozenset
    heads: tuple = ()
    pairs: tuple = ()

    @property
    def english_plural(self):
        """Whether the English verb loses its -s."""
        return self.slot not in ("il",)


FAVORITES = ("cat", "dog")  # subjects somewhat more often than others, as in any first lesson
LIVING = "person animal"  # tags of the nouns that act
PERSON = frozenset(("person", "adult"))
# `you` is one man addressed politely, `I` a man, `we` and `they` men: so that French is a function of English
PRONOUNS = (
    Phrase("I", ("je",), "je", "m", "s", PERSON),
    Phrase("you", ("vous",), "vous", "m", "s", PERSON),
    Phrase("he", ("il",), "il", "m", "s", PERSON),
    Phrase("she", ("elle",), "il", "f", "s", PERSON),
    Phrase("we", ("nous",), "nous", "m", "p", PERSON),
    Phrase("they", ("ils",), "ils", "m", "p", PERSON),
)
# English object form -> French direct object, French indirect object, gender and number for the participle, subject
OBJECT_PRONOUNS = {
    "me": ("me", "me", "m", "s", "I"), "you": ("vous", "vous", "m", "s", "you"), "him": ("le", "lui", "m", "s", "he"),
    "her": ("la", "lui", "f", "s", "she"), "us": ("nous", "nous", "m", "p", "we"),
    "them": ("les", "leur", "m", "p", "they"),
}
# English; French masculine, feminine, plural
POSSESSIVES = (("my", "mon", "ma", "mes"), ("your", "votre", "votre", "vos"), ("his", "son", "sa", "ses"),
               ("her", "son", "sa", "ses"), ("our", "notre", "notre", "nos"), ("their", "leur", "leur", "leurs"))
NUMBERS = (("two", "deux"), ("three", "trois"), ("four", "quatre"), ("five", "cinq"), ("ten", "dix"))
BEFORE_VOWEL = {"ma": "mon", "sa": "son", "ce": "cet"}
SUBJECT_KINDS = ((56, "the"), (9, "a"), (14, "own"), (8, "this"), (5, "number"), (2, "many"), (2, "all"), (4, "each"))
OBJECT_KINDS = ((44, "the"), (19, "a"), (18, "own"), (8, "this"), (5, "number"), (7, "some"), (2, "many"), (2, "all"))
SPECIFIC_KINDS = ((62, "the"), (24, "own"), (14, "this"))


def _kind_for(chooser, noun, kinds):
    """A determiner that fits `noun`: mass nouns take no number, only nouns with `own` a possessive."""
    if "only" in noun.tags:
        return "the"
    kind = chooser.weighted(kinds)
    if kind == "own" and "own" not in noun.tags:
        return "the"
    if {"kin", "single"} <= noun.tags and kind in ("a", "this", "each"):
        return "own" if any(name == "own" for _, name in kinds) else "the"
    if not noun.countable and kind not in ("the", "some", "any", "bare"):
        return "some" if any(name == "some" for _, name in kinds) else "the"
    if kind in ("number", "many", "all", "some") and noun.countable and not noun.plural:
        return "the"
    return kind


def _number_for(chooser, noun, kind):
    if kind in ("number", "many", "all") or (kind == "some" and noun.countable):
        return "p"
    if kind in ("a", "each") or not noun.plural:
        return "s"
    return "p" if chooser.chance(0.25) else "s"


def _determiner(chooser, kind, gender, number, after, adjective_first):
    """The determiner in English and French before the French word `after`."""
    feminine, plural = gender == "f", number == "p"
    if kind == "own":
        english, masculine, fem, plur = chooser.pick(POSSESSIVES)
        french = plur if plural else fem if feminine else masculine
    elif kind == "number":
        english, french = chooser.pick(NUMBERS)
    elif kind == "this":
        english = "these" if plural else "this"
        french = "ces" if plural else "cette" if feminine else "ce"
    else:
        english, french = _article(kind, feminine, plural, adjective_first)
    if french in BEFORE_VOWEL and starts_with_vowel(after):
        french = BEFORE_VOWEL[french]
    return english, tuple(french.split())


def _article(kind, feminine, plural, adjective_first):
    definite = "les" if plural else "la" if feminine else "le"
    if kind == "the":
        return "the", definite
    if kind == "a":
        return "a", "une" if feminine else "un"
    if kind == "each":
        return "each", "chaque"
    if kind == "many":
        return "many", "beaucoup de"
    if kind == "all":
        return "all the", f"{'toutes' if feminine else 'tous'} les"
    if kind == "any":
        return "any", "de"
    if kind == "bare":
        return "", definite
    assert kind == "some", kind
    if plural:  # de vieux livres, but des livres
        return "some", "de" if adjective_first else "des"
    return "some", f"de {definite}"


def _with_adjectives(chooser, noun, number, chance):
    """Adjectives before and after the noun: (English words, French before, French after, pairs)."""
    word = noun.french if number == "s" else noun.fr_plural
    before, after = [], []
    early = adjectives.attributive(noun.tags, "pre")
    late = adjectives.attributive(noun.tags, "post")
    if early and chooser.chance(chance):
        before = [chooser.balanced(early, lambda a: a.english)]
    if late and chooser.chance(0.2 if before else chance):
        pool = [a for a in late if a in adjectives.COLORS] if before else late
        after = [chooser.balanced(pool, lambda a: a.english)] if pool else []
    french_before = [a.agree(noun.gender, number, starts_with_vowel(word)) for a in before]
    french_after = [a.agree(noun.gender, number) for a in after]
    pairs = tuple(("adjective", a.english, noun.english) for a in before + after)
    return [a.english for a in before + after], french_before, french_after, pairs


def noun_phrase(chooser, noun, kinds=OBJECT_KINDS, adjective_chance=0.13, number=None):
    """A phrase around `noun` with one of the determiner `kinds` ((weight, kind) pairs) and perhaps adjectives."""
    kind = _kind_for(chooser, noun, kinds)
    if kind == "the" and "kin" in noun.tags and any(name == "own" for _, name in kinds) and chooser.chance(0.7):
        kind = "own"
    number = number or _number_for(chooser, noun, kind)
    plain = not noun.countable or {"kin", "single"} <= noun.tags or kind in ("number", "each", "bare")
    chance = 0 if plain else adjective_chance
    english_adjectives, before, after, pairs = _with_adjectives(chooser, noun, number, chance)
    word = noun.french if number == "s" else noun.fr_plural
    english_word = noun.english if number == "s" else noun.plural
    if not word or not english_word:
        raise ValueError(f"{noun.english} has no plural, asked for with {kind!r}")
    first = (before + [word])[0]
    english, french = _determiner(chooser, kind, noun.gender, number, first, bool(before))
    rest = english_adjectives + [english_word]
    if english == "a" and rest[0][0] in "aeiou":
        english = "an"
    return Phrase(" ".join([english] * bool(english) + rest), (*french, *before, word, *after),
                  "ils" if number == "p" else "il", noun.gender, number, noun.tags, (noun.english,), pairs)


def name_phrase(chooser, gender=None):
    """A person's name."""
    name, sex = chooser.balanced([n for n in nouns.NAMES if gender in (None, n[1])], lambda n: n[0])
    return Phrase(name, (name,), "il", sex, "s", PERSON, (name,))


def owned_phrase(chooser, noun):
    """`Paul's cat`, `the king's castle`: le chat de Paul, le château du roi."""
    if chooser.chance(0.5):
        owner = name_phrase(chooser)
    else:
        person = chooser.balanced([n for n in nouns.nouns_with("person") if "single" not in n.tags or "kin" in n.tags],
                                  lambda n: n.english)
        kind = "own" if "own" in person.tags else "the"
        owner = noun_phrase(chooser, person, ((1, kind),), 0, "s")
    thing = noun_phrase(chooser, noun, ((1, "the"),), 0.1)
    bare = thing.english.removeprefix("the ")
    return replace(thing, english=f"{owner.english}'s {bare}", french=(*thing.french, "de", *owner.french))


def pair_phrase(first, second):
    """Two phrases joined by `and`: masculine plural unless both are feminine."""
    gender = "f" if first.gender == second.gender == "f" else "m"
    return Phrase(f"{first.english} and {second.english}", (*first.french, "et", *second.french), "ils", gender, "p",
                  first.tags & second.tags, first.heads + second.heads, first.pairs + second.pairs)


def subject(chooser, tags, pronouns=0.3, known=PRONOUNS):
    """A subject among the nouns with `tags`; persons may be pronouns (those `known`), names or two together."""
    people = "person" in tags.split()
    if people and chooser.chance(pronouns):
        return chooser.pick(known)
    if people and chooser.chance(0.16):
        return name_phrase(chooser)
    fitting = nouns.nouns_with(tags)
    favorites = [noun for noun in fitting if noun.english in FAVORITES]
    if favorites and chooser.chance(0.05):
        noun = chooser.pick(favorites)
    else:
        noun = chooser.balanced(fitting, lambda n: n.english)
    if chooser.chance(0.05) and "kin" not in noun.tags:
        return _two(chooser, noun, people)
    if "own" in noun.tags and "kin" not in noun.tags and chooser.chance(0.08):
        return owned_phrase(chooser, noun)
    return noun_phrase(chooser, noun, SUBJECT_KINDS)


def _two(chooser, noun, people):
    """Two subjects: `Paul and Marie`, `Paul and the teacher`, `the cat and the dog`."""
    first = noun_phrase(chooser, noun, ((1, "the"),), 0, "s")
    if people and "person" in noun.tags:
        if chooser.chance(0.5):
            return pair_phrase(name_phrase(chooser, "m"), name_phrase(chooser, "f"))
        return pair_phrase(name_phrase(chooser), first)
    others = [n for n in nouns.nouns_with("animal") if n is not noun]
    other = chooser.balanced(others, lambda n: n.english)
    return pair_phrase(first, noun_phrase(chooser, other, ((1, "the"),), 0, "s"))
