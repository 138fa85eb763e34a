"""Tense, negation, frequency and time of a clause."""

from .clauses import FREQUENCY, Clause, Manner

DAYS = tuple((f"on {day}", (jour,)) for day, jour in (
    ("Monday", "lundi"), ("Tuesday", "mardi"), ("Wednesday", "mercredi"), ("Thursday", "jeudi"), ("Friday", "vendredi"),
    ("Saturday", "samedi"), ("Sunday", "dimanche")))
TIMES = {
    "present": (("every day", ("tous", "les", "jours")), ("in the morning", ("le", "matin")),
                ("in the evening", ("le", "soir")), ("at night", ("la", "nuit"))),
    "progressive": (("now", ("maintenant",)), ("today", ("aujourd'hui",))),
    "past": (("yesterday", ("hier",)), ("this morning", ("ce", "matin")), ("last week", ("la", "semaine", "dernière")),
             ("last year", ("la", "année", "dernière"))),
    "future": (("tomorrow", ("demain",)), ("this evening", ("ce", "soir")),
               ("next week", ("la", "semaine", "prochaine")), ("next year", ("la", "année", "prochaine"))),
}


def tense_for(chooser, predicate, tenses=((31, "present"), (18, "progressive"), (35, "past"), (16, "future"))):
    """A tense that the English verb has: no `is loving`, no past that reads like a present."""
    verb = predicate.verb
    if predicate.modal >= 0:
        return "present"
    allowed = [(w, t) for w, t in tenses
               if not (t == "progressive" and verb.state) and not (t == "past" and verb.no_past)]
    return chooser.weighted(allowed or [(1, "present")])


def _readable(subject_phrase, predicate, tense):
    """False for `they read`, which may be present or past: only `he reads`, `they are reading`, `they read` (past)."""
    return not (predicate.verb.english == "read" and tense == "present" and subject_phrase.english_plural)


def manner_for(chooser, who, predicate, negation="", tense=None, frequency=True):
    """Tense, negation and frequency of one clause."""
    tense = tense or tense_for(chooser, predicate)
    if predicate.verb.state and tense == "progressive":
        tense = "present"
    if not _readable(who, predicate, tense) and negation != "not" and predicate.modal < 0:
        tense = "progressive" if negation == "" else "past"
    if predicate.verb.no_past and tense == "past":
        tense = "present"
    if negation == "never" and tense == "progressive":
        tense = "past"
    often = ""
    usable = frequency and not negation and not predicate.close and predicate.modal < 0
    if usable and tense in ("present", "past") and predicate.verb.english not in ("have", "live") \
            and chooser.chance(0.12) and _readable(who, predicate, "present"):
        often = chooser.pick(tuple(FREQUENCY))
    return Manner(tense, negation, often, chooser.chance(0.25))


PASSING = {"happy", "sad", "tired", "sick", "cold", "hot", "clean", "dirty", "open", "closed"}


def _lasting(predicate):
    """Whether a state is no matter of a day: `was tall`, `lives in Paris`."""
    described = [word for kind, word, _ in predicate.pairs if kind == "adjective"]
    return predicate.verb.name == "live" or (predicate.verb.name == "be" and not PASSING.issuperset(described))


def with_time(chooser, clause, manner, predicate, chance=0.27):
    """The clause with a time at its end, or at its head before a comma."""
    times = TIMES.get(manner.tense, ())
    if not times or manner.frequency or manner.negation == "never" or predicate.modal >= 0 \
            or not chooser.chance(chance) or (predicate.verb.state and manner.tense == "present") \
            or _lasting(predicate):
        return clause
    if predicate.verb.name in ("be", "have"):  # a state belongs to a day
        times = [time for time in times if "week" not in time[0] and "year" not in time[0]]
    on_day = manner.tense in ("past", "future") and chooser.chance(0.4)
    english, french = chooser.pick(DAYS if on_day else times)
    if manner.tense in ("past", "future") and chooser.chance(0.25):
        return Clause(f"{english}, {clause.english}", (*french, ",", *clause.french), clause.pairs)
    return Clause(f"{clause.english} {english}", clause.french + french, clause.pairs)
