"""Sentences of more than one clause: conjunctions, relative clauses, reported thought, conditions."""

from . import nouns, verbs
from .clauses import Clause, Manner, Predicate, statement
from .phrases import LIVING, PRONOUNS, noun_phrase, subject
from .predicates import action, anything, being, object_pairs, qualities
from .times import manner_for, tense_for


def _pronoun_of(phrase):
    """The pronoun that stands for a person already named; itself for a pronoun, None for animals."""
    if phrase in PRONOUNS:
        return phrase
    if "person" not in phrase.tags:
        return None
    name = "they" if phrase.number == "p" else "she" if phrase.gender == "f" else "he"
    return None if name == "they" and phrase.gender == "f" else next(p for p in PRONOUNS if p.english == name)


def two_clauses(chooser):
    """`Marie is happy because she found her key`, `I laughed when he fell`, `... but ...`, `... and ...`."""
    word, french = chooser.weighted(((3, ("because", ("parce", "que"))), (2, ("when", ("quand",))),
                                     (3, ("but", (",", "mais"))), (3, ("and", ("et",)))))
    first = subject(chooser, LIVING, pronouns=0.4)
    pronoun = _pronoun_of(first)
    same = word == "because" and pronoun and chooser.chance(0.6)
    second = pronoun if same else subject(chooser, LIVING, pronouns=0.5)
    tense = chooser.pick(("present", "past")) if word == "when" else None
    clauses = []
    for who in (first, second):
        negation = "" if word == "when" else chooser.weighted(((85, ""), (15, "not")))
        predicate = anything(chooser, who, negation) if word != "when" else action(chooser, who)
        manner = manner_for(chooser, who, predicate, negation, tense, frequency=False)
        tense = tense or manner.tense
        clauses.append(statement(who, predicate, manner))
    left, right = clauses
    comma = "," if word == "but" else ""
    return Clause(f"{left.english}{comma} {word} {right.english}", left.french + french + right.french,
                  left.pairs + right.pairs)


def two_verbs(chooser):
    """`The cat ate and slept`: le chat a mangé et a dormi."""
    who = subject(chooser, LIVING, pronouns=0.2)
    first, second = action(chooser, who), action(chooser, who)
    if first.verb.name == second.verb.name or second.verb.no_past or first.verb.no_past \
            or "read" in (first.verb.name, second.verb.name):
        return two_verbs(chooser)
    manner = Manner(chooser.weighted(((35, "present"), (40, "past"), (25, "future"))))
    left, right = statement(who, first, manner), statement(who, second, manner, after_noun=True)
    english = right.english.removeprefix("will ")
    return Clause(f"{left.english} and {english}", (*left.french, "et", *right.french), left.pairs + right.pairs)


def relative_subject(chooser):
    """`The man who is sleeping is tired`, `Here is the dog that bit Paul`: qui."""
    noun = chooser.balanced(nouns.nouns_with(LIVING), lambda n: n.english)
    who = noun_phrase(chooser, noun, ((80, "the"), (20, "this")), 0.08)
    inner = anything(chooser, who)
    tense = tense_for(chooser, inner, ((20, "present"), (40, "progressive"), (40, "past")))
    manner = manner_for(chooser, who, inner, "", tense, frequency=False)
    clause = statement(who, inner, manner, after_noun=True)
    relative = "who" if "person" in noun.tags else "that"
    english = f"{who.english} {relative} {clause.english}"
    french = (*who.french, "qui", *clause.french)
    if chooser.chance(0.4) and who.english.startswith("the "):
        are = "are" if who.number == "p" else "is"
        return Clause(f"here {are} {english}", ("voici", *french), clause.pairs)
    describes = inner.verb.english != "be" and chooser.chance(0.4)
    main = being(chooser, who, "") if describes else action(chooser, who)
    tense = chooser.pick(("present", "past")) if describes else None
    outer = statement(who, main, manner_for(chooser, who, main, "", tense, frequency=False), after_noun=True)
    return Clause(f"{english} {outer.english}", french + outer.french, clause.pairs + outer.pairs)


def relative_object(chooser):
    """`I lost the key that Paul found`, `Here is the letter that she wrote`: que, with agreement (écrite)."""
    giver = subject(chooser, LIVING, pronouns=0.4)
    fitting = [v for v in verbs.TRANSITIVES if set(v.subjects.split()) & giver.tags]
    verb = chooser.balanced(fitting, lambda v: v.name)
    noun = chooser.balanced([n for n in nouns.nouns_with(verb.objects) if n.english not in giver.heads and
                             "only" not in n.tags], lambda n: n.english)
    what = noun_phrase(chooser, noun, ((1, "the"),), 0.1)
    predicate = Predicate(verb, agrees=(what.gender, what.number), pairs=object_pairs(verb, what))
    manner = manner_for(chooser, giver, predicate, "", tense_for(chooser, predicate, (
        (15, "present"), (25, "progressive"), (60, "past"))), frequency=False)
    clause = statement(giver, predicate, manner)
    english, french = f"{what.english} that {clause.english}", (*what.french, "que", *clause.french)
    described = Clause(english, french, clause.pairs)
    wanted = [v for v in verbs.TRANSITIVES if set(v.objects.split()) & noun.tags and v.name != verb.name]
    if wanted and chooser.chance(0.4):
        return _object_clause(chooser, wanted, noun, described)
    if qualities(what) and chooser.chance(0.4):
        main = statement(what, being(chooser, what, ""), Manner(chooser.pick(("present", "past"))), after_noun=True)
        return Clause(f"{english} {main.english}", french + main.french, clause.pairs + main.pairs)
    are = "are" if what.number == "p" else "is"
    return Clause(f"here {are} {english}", ("voici", *french), clause.pairs)


def _object_clause(chooser, fitting, noun, described):
    """A main clause whose object is a noun with its relative clause: `I lost the key that Paul found`."""
    who = subject(chooser, "person", pronouns=0.5)
    verb = chooser.balanced(fitting, lambda v: v.name)
    main = Predicate(verb, described.english, described.french,
                     pairs=described.pairs + (("object", verb.name, noun.english),))
    return statement(who, main, manner_for(chooser, who, main, frequency=False))


def reported(chooser):
    """`Paul thinks that the cat is sleeping`: Paul pense que le chat dort."""
    speaker, verb = subject(chooser, "person", pronouns=0.5), chooser.pick(verbs.SAYINGS)
    who = subject(chooser, LIVING, pronouns=0.4)
    negation = chooser.weighted(((85, ""), (15, "not")))
    predicate = anything(chooser, who, negation)
    tense = "future" if verb.name == "hope" else None
    said = statement(who, predicate, manner_for(chooser, who, predicate, negation, tense, frequency=False))
    main = Predicate(verb, f"that {said.english}", ("que", *said.french), pairs=said.pairs)
    return statement(speaker, main, Manner("present"))


def conditional(chooser):
    """`If it is raining, we will stay in the house`, `If Paul comes, I will laugh`: si / s'il."""
    if chooser.chance(0.4):
        english, french = chooser.pick((("raining", ("pleut",)), ("snowing", ("neige",)), ("cold", ("fait", "froid")),
                                        ("hot", ("fait", "chaud"))))
        reason = Clause(f"it is {english}", ("il", *french))
    else:
        who = subject(chooser, LIVING, pronouns=0.5)
        predicate = action(chooser, who)
        reason = statement(who, predicate, manner_for(chooser, who, predicate, "", "present", frequency=False))
    then = subject(chooser, LIVING, pronouns=0.6)
    negation = chooser.weighted(((75, ""), (25, "not")))
    result = statement(then, action(chooser, then, negation), Manner("future", negation, "", chooser.chance(0.25)))
    return Clause(f"if {reason.english}, {result.english}", ("si", *reason.french, ",", *result.french),
                  reason.pairs + result.pairs)
