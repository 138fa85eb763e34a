"""Predicates: verbs with objects, places, pronouns and adjectives that make sense for a subject."""

from . import adjectives, nouns, verbs
from .clauses import Predicate
from .phrases import OBJECT_KINDS, OBJECT_PRONOUNS, SPECIFIC_KINDS, name_phrase, noun_phrase, owned_phrase
from .places import Adjunct, city, inside, place

# verbs whose objects are particular things: no `some bread`, no `all the doors`
PARTICULAR = {"love", "lose", "open", "close", "wear", "look for", "follow", "help", "call", "wait for", "listen to",
              "wash", "draw", "visit", "look at", "meet"}
PARTICULAR_KINDS = ((50, "the"), (18, "a"), (22, "own"), (10, "this"))
WEARING_KINDS = ((40, "a"), (25, "own"), (25, "the"), (10, "this"))
MANNERS = {  # English, French, between auxiliary and participle?
    "well": ("well", "bien", True, ("sleep", "sing", "dance", "work", "swim", "play", "eat")),
    "a lot": ("a lot", "beaucoup", True, ("work", "eat", "laugh", "cry", "sleep", "walk")),
    "quickly": ("quickly", "vite", False, ("run", "eat", "walk", "swim", "leave", "come back")),
    "slowly": ("slowly", "lentement", False, ("walk", "eat", "swim", "dance")),
}


def _fits(verb, subject):
    return bool(set(verb.subjects.split()) & subject.tags)


def _verb(chooser, table, subject):
    return chooser.balanced([verb for verb in table if _fits(verb, subject)], lambda verb: verb.name)


def _somewhere(chooser, verb):
    if verb.name == "swim":
        return place(chooser, "in", "swim")
    if verb.name in ("arrive", "stay") and chooser.chance(0.6):
        return place(chooser, "at")
    if verb.name == "arrive":
        return city(chooser, "in")
    return city(chooser, "in") if chooser.chance(0.06) else place(chooser)


def intransitive(chooser, subject, negation):
    """`sat`, `slept well`, `is playing in the garden`."""
    verb = verbs.SIT if chooser.chance(0.13) else _verb(chooser, verbs.INTRANSITIVES, subject)
    fitting = [entry for entry in MANNERS.values() if verb.name in entry[3]]
    if fitting and chooser.chance(0.25):
        english, french, close, _ = chooser.pick(fitting)
        return Predicate(verb, english, () if close else (french,), close=(french,) if close else ())
    located_here = verb.name == "stay" or verb.name != "leave" and chooser.chance(0.42)
    where = _somewhere(chooser, verb) if located_here else Adjunct()
    return Predicate(verb, where.english, where.french, pairs=where.pairs)


def object_of(chooser, verb, negation, subject):
    """An object noun phrase for `verb`, without indefinite articles under a negation (but `any`: de)."""
    fitting = nouns.nouns_with(verb.objects)
    if verb.name == "drink" and "animal" in subject.tags:
        fitting = [noun for noun in fitting if noun.english in ("water", "milk")]
    noun = chooser.balanced(fitting, lambda n: n.english)
    if "person" in noun.tags and chooser.chance(0.25):
        return name_phrase(chooser)
    edible = bool(noun.tags & {"food", "drink"})
    if verb.name == "love":
        if edible and chooser.chance(0.5):
            return noun_phrase(chooser, noun, ((1, "bare"),), 0, "p" if noun.plural else "s")
        return noun_phrase(chooser, noun, SPECIFIC_KINDS)
    if negation == "not" and edible and verb.name not in PARTICULAR and chooser.chance(0.5):
        return noun_phrase(chooser, noun, ((1, "any"),), 0, "p" if noun.plural else "s")
    if "own" in noun.tags and chooser.chance(0.07):
        return owned_phrase(chooser, noun)
    if negation:
        return noun_phrase(chooser, noun, SPECIFIC_KINDS)
    if verb.name == "wear":
        shoes = noun.english == "shoe"
        return noun_phrase(chooser, noun, SPECIFIC_KINDS if shoes else WEARING_KINDS, 0.2, "p" if shoes else None)
    return noun_phrase(chooser, noun, PARTICULAR_KINDS if verb.name in PARTICULAR else OBJECT_KINDS)


def object_pairs(verb, phrase):
    """The pairs of a verb with the heads of its object, and those inside the object."""
    return tuple(("object", verb.name, head) for head in phrase.heads) + phrase.pairs


def transitive(chooser, subject, negation):
    """`reads a book`, `bought some bread at the market`."""
    verb = _verb(chooser, verbs.TRANSITIVES, subject)
    thing = object_of(chooser, verb, negation, subject)
    if set(thing.heads) & set(subject.heads):
        return transitive(chooser, subject, negation)
    where = Adjunct()
    if verb.name in ("buy", "find", "lose", "read", "eat", "drink", "meet", "see", "wait for") and chooser.chance(0.2):
        where = place(chooser, chooser.pick(("in", "at", "near")))
    return Predicate(verb, f"{thing.english} {where.english}".strip(), thing.french + where.french,
                     pairs=object_pairs(verb, thing) + where.pairs)


def _pronoun(chooser, subject):
    """An object pronoun that does not name the subject again (never `I see me`, `we see me`)."""
    first_person = {"I", "we"}
    free = [(english, entry) for english, entry in OBJECT_PRONOUNS.items()
            if entry[4] != subject.english and not {entry[4], subject.english} <= first_person]
    return chooser.pick(free)


def transitive_pronoun(chooser, subject, negation):
    """`saw her`: l'a vue."""
    table = [verb for verb in verbs.TRANSITIVES if "person" in verb.objects.split()]
    verb = _verb(chooser, table, subject)
    english, (clitic, _, gender, number, _) = _pronoun(chooser, subject)
    return Predicate(verb, english, clitic=clitic, agrees=(gender, number))


def _recipient(chooser, subject):
    if chooser.chance(0.3):
        return name_phrase(chooser)
    people = [noun for noun in nouns.nouns_with("person") if noun.english not in subject.heads]
    return noun_phrase(chooser, chooser.balanced(people, lambda n: n.english), SPECIFIC_KINDS, 0.05)


def ditransitive(chooser, subject, negation):
    """`gives the book to Marie`: donne le livre à Marie."""
    verb = _verb(chooser, verbs.DITRANSITIVES, subject)
    thing, person = object_of(chooser, verb, negation, subject), _recipient(chooser, subject)
    return Predicate(verb, f"{thing.english} to {person.english}", (*thing.french, "à", *person.french),
                     pairs=object_pairs(verb, thing) + person.pairs)


def ditransitive_pronoun(chooser, subject, negation):
    """`gives her the book`: lui donne le livre."""
    verb = _verb(chooser, verbs.DITRANSITIVES, subject)
    thing = object_of(chooser, verb, negation, subject)
    english, (_, clitic, _, _, _) = _pronoun(chooser, subject)
    return Predicate(verb, f"{english} {thing.english}", thing.french, clitic=clitic, pairs=object_pairs(verb, thing))


def dative(chooser, subject, negation):
    """`talks to the doctor`, `answers him`: parle au médecin, lui répond."""
    verb = _verb(chooser, verbs.DATIVES, subject)
    if chooser.chance(0.4):
        english, (_, clitic, _, _, _) = _pronoun(chooser, subject)
        return Predicate(verb, english, clitic=clitic)
    person = _recipient(chooser, subject)
    return Predicate(verb, person.english, ("à", *person.french), pairs=object_pairs(verb, person))


def going(chooser, subject, negation):
    """`goes to school`, `comes back from the market`."""
    verb, preposition = chooser.weighted(((6, (verbs.GO, "to")), (2, (verbs.COME, "to")), (2, (verbs.COME, "from")),
                                          (3, (verbs.COME_BACK, "from")), (2, (verbs.COME_BACK, "to"))))
    where = city(chooser, preposition) if chooser.chance(0.2) else place(chooser, preposition)
    return Predicate(verb, where.english, where.french, pairs=where.pairs)


def living(chooser, subject, negation):
    """`lives in Paris`: habite à Paris."""
    if chooser.chance(0.4):
        where = city(chooser, "in")
    else:
        where = place(chooser, chooser.pick(("in", "in", "near")), "place")
    return Predicate(verbs.LIVE, where.english, where.french, pairs=where.pairs)


def instrument(chooser, subject, negation):
    """`plays the guitar`: joue de la guitare."""
    noun = chooser.pick(nouns.nouns_with("instrument"))
    return Predicate(verbs.PLAY, f"the {noun.english}", ("de", "le" if noun.gender == "m" else "la", noun.french),
                     pairs=(("object", "play", noun.english),))


def having(chooser, subject, negation):
    """`has two cats`: a deux chats; `does not have a car`: n'a pas de voiture."""
    noun = chooser.balanced(nouns.nouns_with("thing goods pet money instrument kin"), lambda n: n.english)
    if "single" in noun.tags:
        return having(chooser, subject, negation)
    if negation == "not":
        phrase = noun_phrase(chooser, noun, ((1, "any"),), 0, "s")
        article = "any" if "mass" in noun.tags else "an" if noun.english[0] in "aeiou" else "a"
        return Predicate(verbs.HAVE, f"{article} {noun.english}", phrase.french, pairs=object_pairs(verbs.HAVE, phrase))
    phrase = noun_phrase(chooser, noun, ((50, "a"), (18, "number"), (14, "the"), (8, "many"), (10, "some")), 0.35)
    return Predicate(verbs.HAVE, phrase.english, phrase.french, pairs=object_pairs(verbs.HAVE, phrase))


def feeling(chooser, subject, negation):
    """`is hungry`, `is afraid of the dog`: a faim, a peur du chien."""
    english, french = chooser.pick((("hungry", "faim"), ("thirsty", "soif"), ("afraid", "peur")))
    if english != "afraid" or chooser.chance(0.4):
        return Predicate(verbs.BE_WITH_AVOIR, english, (french,))
    noun = chooser.balanced([n for n in nouns.nouns_with("animal") if n.english not in subject.heads],
                            lambda n: n.english)
    feared = noun_phrase(chooser, noun, ((80, "the"), (20, "this")), 0.15)
    return Predicate(verbs.BE_WITH_AVOIR, f"afraid of {feared.english}", (french, "de", *feared.french),
                     pairs=feared.pairs)


def qualities(subject):
    """The adjectives that may be said of a subject and are not in it already."""
    said = {word for _, word, _ in subject.pairs}
    return [a for a in adjectives.predicative(subject.tags) if a.english not in said]


def being(chooser, subject, negation):
    """`is very tired`: est très fatigué, agreeing with the subject."""
    adjective = chooser.balanced(qualities(subject), lambda a: a.english)
    english, french = "", ()
    if adjective.english not in ("open", "closed") and adjective not in adjectives.COLORS:
        english, french = chooser.weighted(((60, ("", ())), (26, ("very ", ("très",))), (14, ("too ", ("trop",)))))
    pairs = tuple(("adjective", adjective.english, head) for head in subject.heads)
    return Predicate(verbs.BE, english + adjective.english,
                     (*french, adjective.agree(subject.gender, subject.number)), pairs=pairs)


def located(chooser, subject, negation):
    """`is in the garden` for people and animals, `is under the bed` for things."""
    if subject.tags & {"person", "animal"}:
        where = city(chooser, "in") if chooser.chance(0.1) else place(chooser)
    else:
        where = inside(chooser, subject)
    return Predicate(verbs.BE, where.english, where.french, pairs=where.pairs)


def eyes(chooser, subject, negation):
    """`has green eyes`: a les yeux verts."""
    color = chooser.pick([a for a in adjectives.COLORS if a.english in ("blue", "green", "black", "yellow")])
    return Predicate(verbs.HAVE, f"{color.english} eyes", ("les", "yeux", color.agree("m", "p")),
                     pairs=(("adjective", color.english, "eye"),))


ACTIONS = ((30, intransitive), (34, transitive), (11, transitive_pronoun), (5, ditransitive), (5, ditransitive_pronoun),
           (6, dative), (8, going), (2, living), (2, instrument))
ANIMAL_ACTIONS = ((44, intransitive), (26, transitive), (8, transitive_pronoun), (5, going))
STATES = ((7, having), (5, feeling), (9, being), (4, located), (1, eyes))
ANIMAL_STATES = ((4, feeling), (7, being), (5, located), (2, eyes))


def action(chooser, subject, negation=""):
    """Something that `subject` does."""
    table = ACTIONS if "person" in subject.tags else ANIMAL_ACTIONS
    return chooser.weighted(table)(chooser, subject, negation)


def anything(chooser, subject, negation=""):
    """An action or a state."""
    person = "person" in subject.tags
    states = STATES if person else ANIMAL_STATES
    if negation != "never" and chooser.chance(0.2):
        return chooser.weighted(states)(chooser, subject, negation)
    return action(chooser, subject, negation)
