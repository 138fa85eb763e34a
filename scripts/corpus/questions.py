"""Questions: est-ce que after a question word or alone, où est, qui."""

from dataclasses import replace

from . import nouns, verbs
from .clauses import Clause, Predicate, question, statement
from .phrases import LIVING, PRONOUNS, SPECIFIC_KINDS, Phrase, noun_phrase, subject
from .predicates import action, anything, being, intransitive
from .times import manner_for, tense_for, with_time

ASKED = PRONOUNS[1:]  # nobody asks about himself


def yes_no(chooser):
    """`Does the cat sleep?`: est-ce que le chat dort ?"""
    who = subject(chooser, LIVING, pronouns=0.4, known=ASKED)
    predicate = anything(chooser, who)
    if not predicate.close and predicate.verb.english not in ("be", "have", "love") and chooser.chance(0.1):
        predicate = replace(predicate, modal=chooser.pick((0, 1)))
    manner = manner_for(chooser, who, predicate, frequency=False)
    return with_time(chooser, question(who, predicate, manner), manner, predicate, 0.15) if predicate.modal < 0 \
        else question(who, predicate, manner)


def where_is(chooser):
    """`Where are the keys?`: où sont les clés ?"""
    noun = chooser.balanced(nouns.nouns_with("thing wear person animal place"), lambda n: n.english)
    what = noun_phrase(chooser, noun, SPECIFIC_KINDS, 0.12)
    past = chooser.chance(0.25)
    plural = what.number == "p"
    english = ("were" if plural else "was") if past else "are" if plural else "is"
    form = (verbs.BE.french.imperfect if past else verbs.BE.french.present)[what.slot]
    return Clause(f"where {english} {what.english}", ("où", form, *what.french), what.pairs)


OPEN_QUESTIONS = {"why": ("pourquoi",), "when": ("quand",), "where": ("où",)}


def open_question(chooser):
    """`Why is Paul crying?`, `Where did she sleep?`: pourquoi / où est-ce que ..."""
    who = subject(chooser, LIVING, pronouns=0.4, known=ASKED)
    word = chooser.pick(tuple(OPEN_QUESTIONS))
    predicate = intransitive(chooser, who, "") if word == "where" else action(chooser, who)
    if predicate.verb.name in ("leave", "arrive", "stay"):
        return open_question(chooser)
    if word == "where":
        predicate = replace(predicate, english="", french=(), close=(), pairs=())
    if word == "why" and chooser.chance(0.3):
        predicate = being(chooser, who, "")
    tenses = ((40, "past"), (60, "future")) if word == "when" else ((20, "present"), (40, "progressive"), (40, "past"))
    manner = manner_for(chooser, who, predicate, "", tense_for(chooser, predicate, tenses), frequency=False)
    asked = question(who, predicate, manner)
    return Clause(f"{word} {asked.english}", OPEN_QUESTIONS[word] + asked.french, asked.pairs)


def what_question(chooser):
    """`What is the baby eating?`, `How many apples did he buy?`: qu'est-ce que, combien de."""
    who = subject(chooser, LIVING, pronouns=0.4, known=ASKED)
    names = ("eat", "drink", "see", "look for", "find", "buy", "read", "write", "draw", "lose")
    fitting = [v for v in verbs.TRANSITIVES if v.name in names and set(v.subjects.split()) & who.tags]
    verb = chooser.balanced(fitting, lambda v: v.name)
    counted = [n for n in nouns.nouns_with(verb.objects) if n.plural and not n.tags & {"kin", "sky"}]
    if not counted or chooser.chance(0.6):
        predicate = Predicate(verb)
        asked = question(who, predicate, manner_for(chooser, who, predicate, frequency=False))
        return Clause(f"what {asked.english}", ("qu'est-ce", *asked.french[1:]), asked.pairs)
    noun = chooser.balanced(counted, lambda n: n.english)
    predicate = Predicate(verb, agrees=(noun.gender, "p"), pairs=(("object", verb.name, noun.english),))
    asked = question(who, predicate, manner_for(chooser, who, predicate, frequency=False))
    return Clause(f"how many {noun.plural} {asked.english}", ("combien", "de", noun.fr_plural, *asked.french),
                  asked.pairs)


WHO = Phrase("who", ("qui",), "il", "m", "s", frozenset(("person", "adult")))


def who_question(chooser):
    """`Who ate the cake?`: qui a mangé le gâteau ?"""
    predicate = anything(chooser, WHO)
    manner = manner_for(chooser, WHO, predicate, frequency=False)
    return statement(WHO, predicate, manner)
