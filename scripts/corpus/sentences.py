"""Whole sentences: the kinds of sentence, their tenses and times, their final punctuation."""

from dataclasses import dataclass, replace

from . import nouns
from .clauses import Clause, Manner, command, statement
from .complexes import conditional, relative_object, relative_subject, reported, two_clauses, two_verbs
from .french import capitalized, join
from .phrases import LIVING, PRONOUNS, SPECIFIC_KINDS, noun_phrase, subject
from .places import city, inside, place
from .predicates import action, anything, being, intransitive, located, transitive
from .questions import open_question, what_question, where_is, who_question, yes_no
from .times import TIMES, manner_for, tense_for, with_time

# English condition and French, present; then past and future where they are said
WEATHER = (("raining", "rained", "rain", ("pleut",), ("a", "plu"), ("pleuvra",)),
           ("snowing", "snowed", "snow", ("neige",), ("a", "neigé"), ("neigera",)))
TEMPERATURE = (("cold", "froid"), ("hot", "chaud"))


@dataclass(frozen=True)
class Sentence:
    """One pair of the corpus, as written; `kind` is the template that made it."""
    english: str
    french: str
    kind: str
    pairs: frozenset


def _negation(chooser):
    return chooser.weighted(((80, ""), (15, "not"), (5, "never")))


def simple(chooser):
    """Subject, verb, perhaps object, place and time."""
    who, negation = subject(chooser, LIVING), _negation(chooser)
    predicate = anything(chooser, who, negation)
    manner = manner_for(chooser, who, predicate, negation)
    return with_time(chooser, statement(who, predicate, manner), manner, predicate)


def short(chooser):
    """Subject and verb alone: `The dog slept`."""
    who = subject(chooser, LIVING, pronouns=0.05)
    negation = chooser.weighted(((85, ""), (15, "not")))
    predicate = replace(intransitive(chooser, who, ""), english="", french=(), close=(), pairs=())
    if predicate.verb.name == "stay":
        return short(chooser)
    tenses = ((20, "present"), (20, "progressive"), (45, "past"), (15, "future"))
    manner = manner_for(chooser, who, predicate, negation, tense_for(chooser, predicate, tenses), frequency=False)
    return with_time(chooser, statement(who, predicate, manner), manner, predicate, 0.15)


def about_thing(chooser):
    """`The doors are closed`, `The keys are under the table`, `The soup was hot`."""
    noun = chooser.balanced(nouns.nouns_with("thing goods wear food drink place room instrument text opening plant"),
                            lambda n: n.english)
    what = noun_phrase(chooser, noun, SPECIFIC_KINDS, 0)
    negation = chooser.weighted(((82, ""), (18, "not")))
    place_it = noun.tags & {"thing", "wear"} and chooser.chance(0.4)
    predicate = located(chooser, what, negation) if place_it else being(chooser, what, negation)
    tense = tense_for(chooser, predicate, ((60, "present"), (30, "past"), (10, "future")))
    return statement(what, predicate, Manner(tense, negation, "", chooser.chance(0.25)))


def there_is(chooser):
    """`There are two birds in the tree`, `There is no bread`: il y a, il n'y a pas de."""
    tags = "animal thing food person" if chooser.chance(0.5) else "thing food drink"
    noun = chooser.balanced([n for n in nouns.nouns_with(tags) if "kin" not in n.tags and "single" not in n.tags],
                            lambda n: n.english)
    where = inside(chooser) if noun.tags & {"thing", "food", "drink"} else place(chooser)
    past = chooser.chance(0.3)
    negated = chooser.chance(0.2)
    kinds = ((1, "any"),) if negated else ((50, "a"), (20, "number"), (18, "some"), (12, "many"))
    number = ("p" if noun.plural else "s") if negated else None
    what = noun_phrase(chooser, noun, kinds, 0 if negated else 0.25, number)
    plural = what.number == "p"
    english = ("were" if plural else "was") if past else "are" if plural else "is"
    shown = what.english.replace("any", "no", 1) if negated else what.english
    verb = ("avait" if past else "a",)
    french = ("il", "ne", "y", *verb, "pas") if negated else ("il", "y", *verb)
    return Clause(f"there {english} {shown} {where.english}", (*french, *what.french, *where.french),
                  what.pairs + where.pairs)


def modal(chooser):
    """`The girl wants to dance`, `I cannot see him`."""
    who = subject(chooser, LIVING, pronouns=0.45)
    negation = chooser.weighted(((78, ""), (22, "not")))
    predicate = action(chooser, who, negation)
    if predicate.close or predicate.verb.name in ("fall", "love"):
        return modal(chooser)
    predicate = replace(predicate, modal=chooser.weighted(((4, 0), (4, 1), (3, 2))))
    return statement(who, predicate, Manner("present", negation, "", chooser.chance(0.25)))


def imperative(chooser):
    """`Close the door`, `Do not sit on the table`, `Please wash your shirt`."""
    you = PRONOUNS[1]
    predicate = intransitive(chooser, you, "") if chooser.chance(0.3) else transitive(chooser, you, "not")
    if predicate.verb.name in ("fall", "lose", "see", "hear", "love") or " any " in f" {predicate.english} ":
        return imperative(chooser)
    if any(word in ("my", "her", "his", "our", "their") for word in predicate.english.split()[:1]) and \
            predicate.verb.name == "wear":
        return imperative(chooser)
    order = command(predicate, chooser.chance(0.3))
    if chooser.chance(0.2):
        return Clause(f"please {order.english}", (*order.french, ",", "s'il", "vous", "plaît"), order.pairs)
    return order


def weather(chooser):
    """`It is raining in Paris`, `It was cold yesterday`: il pleut, il faisait froid."""
    tense = chooser.pick(("progressive", "progressive", "past", "future"))
    if chooser.chance(0.65):
        ing, past, base, *french = chooser.pick(WEATHER)
        english = {"progressive": f"is {ing}", "past": past, "future": f"will {base}"}[tense]
        words = dict(zip(("progressive", "past", "future"), french))[tense]
    else:
        condition, froid = chooser.pick(TEMPERATURE)
        english = {"progressive": "is", "past": "was", "future": "will be"}[tense] + f" {condition}"
        words = ({"progressive": "fait", "past": "faisait", "future": "fera"}[tense], froid)
    where = city(chooser, "in") if chooser.chance(0.5) else place(chooser, "in", "outside")
    clause = Clause(f"it {english}", ("il", *words))
    if chooser.chance(0.7):
        clause = Clause(f"{clause.english} {where.english}", clause.french + where.french, where.pairs)
    time = chooser.pick(TIMES[tense])
    if tense != "progressive" and chooser.chance(0.6):
        clause = Clause(f"{clause.english} {time[0]}", clause.french + time[1], clause.pairs)
    return clause


# weight, kind, template
TEMPLATES = (
    (38, simple), (17, short), (7, about_thing), (4, there_is), (6, modal), (7, yes_no), (2, where_is),
    (3, open_question), (4, what_question), (2, who_question), (3, imperative), (5, two_clauses), (3, two_verbs),
    (4, relative_subject), (5, relative_object), (3, reported), (2, weather), (2, conditional),
)
QUESTIONS = {yes_no, where_is, open_question, what_question, who_question}


def sentence(chooser):
    """One sentence of any kind; declaratives end without a period three times in ten, alike in both languages."""
    template = chooser.weighted(TEMPLATES)
    clause = template(chooser)
    end = "." if chooser.chance(0.7) else ""
    if template is imperative and chooser.chance(0.3):
        end = "!"
    if template in QUESTIONS:
        end = "?"
    return Sentence(capitalized(clause.english) + end, capitalized(join([*clause.french, *([end] if end else [])])),
                    template.__name__, frozenset(clause.pairs))
