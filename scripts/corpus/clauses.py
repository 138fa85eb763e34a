"""Clauses: a subject and a predicate in one tense, as statement, question or command, in both languages."""

from dataclasses import dataclass

from .conjugation import AUXILIARIES, REFLEXIVE
from .verbs import MODALS, Verb

FREQUENCY = {"often": "souvent", "always": "toujours", "sometimes": "parfois"}
SHORT_FORMS = {"do not": "don't", "does not": "doesn't", "did not": "didn't", "will not": "won't", "is not": "isn't",
               "are not": "aren't", "was not": "wasn't", "were not": "weren't", "cannot": "can't"}


@dataclass(frozen=True)
class Predicate:
    """A verb with all that follows it. `clitic` is a French object pronoun; `agrees` (gender, number) is set where a
    direct object stands before the participle; `close` are French words between auxiliary and participle (bien)."""
    verb: Verb
    english: str = ""
    french: tuple = ()
    clitic: str = ""
    agrees: tuple = ()
    close: tuple = ()
    pairs: tuple = ()
    modal: int = -1


@dataclass(frozen=True)
class Manner:
    """How a clause is said: `tense` present, progressive, past or future; `negation` "", "not" or "never";
    `frequency` a key of FREQUENCY; `short` for doesn't instead of does not."""
    tense: str
    negation: str = ""
    frequency: str = ""
    short: bool = False


def _english_be(subject, tense):
    if tense == "past":
        return "was" if subject.slot == "il" or subject.english == "I" else "were"
    return "am" if subject.english == "I" else "are" if subject.english_plural else "is"


def _english_do(subject, tense):
    return "did" if tense == "past" else "do" if subject.english_plural else "does"


def _lexical(subject, predicate, tense):
    verb = predicate.verb
    if tense == "past":
        return verb.past
    return verb.english if subject.english_plural else verb.third


def _auxiliary(subject, predicate, tense):
    """The English auxiliary that `not` and questions need, and the verb form after it."""
    verb = predicate.verb
    if predicate.modal >= 0:
        word = MODALS[predicate.modal][0]
        if word != "want to":
            return word, verb.english
        return _english_do(subject, "present"), f"want to {verb.english}"
    if verb.english == "be" and tense != "future":
        return _english_be(subject, tense), ""
    if tense == "progressive":
        return _english_be(subject, "present"), verb.ing
    if tense == "future":
        return "will", verb.english
    return _english_do(subject, tense), verb.english


def _plain(subject, predicate, manner):
    """The English verb group of an affirmative statement (with `never` or a frequency, which count as such)."""
    adverb = "never" if manner.negation == "never" else manner.frequency
    auxiliary, rest = _auxiliary(subject, predicate, manner.tense)
    if auxiliary in ("do", "does", "did"):
        verb = _lexical(subject, predicate, manner.tense)
        if predicate.modal >= 0:
            verb = f"{'want' if subject.english_plural else 'wants'} to {predicate.verb.english}"
        words = (adverb, verb)
    else:
        words = (auxiliary, adverb, rest)
    return words


def english_group(subject, predicate, manner):
    """The English verb and what follows it, after the subject of a statement."""
    if manner.negation != "not":
        words = _plain(subject, predicate, manner)
    else:
        auxiliary, rest = _auxiliary(subject, predicate, manner.tense)
        negated = "cannot" if auxiliary == "can" else f"{auxiliary} not"
        words = (SHORT_FORMS.get(negated, negated) if manner.short else negated, rest)
    return _words(*words, predicate.english)


def english_question(subject, predicate, manner):
    """Auxiliary, subject and the rest: `does the cat sleep`."""
    auxiliary, rest = _auxiliary(subject, predicate, manner.tense)
    return _words(auxiliary, subject.english, manner.frequency, rest, predicate.english)


def french_group(subject, predicate, manner):
    """The French words after the subject: ne, pronouns, verb, pas, participle or infinitive, complements."""
    verb = predicate.verb.french
    clitics = (REFLEXIVE[subject.slot],) if verb.reflexive else (predicate.clitic,) if predicate.clitic else ()
    negation = {"": "", "not": "pas", "never": "jamais"}[manner.negation]
    before = ("ne",) if negation else ()
    middle = tuple(word for word in (negation, FREQUENCY.get(manner.frequency)) if word)
    if predicate.modal >= 0:
        finite = MODALS[predicate.modal][2].present[subject.slot]
        return (*before, finite, *middle, *clitics, verb.infinitive, *predicate.close, *predicate.french)
    if manner.tense == "past" and not verb.imperfect:
        auxiliary = AUXILIARIES[verb.auxiliary].present[subject.slot]
        agreement = (subject.gender, subject.number) if verb.auxiliary == "être" else predicate.agrees or ("m", "s")
        participle = verb.agreed_participle(*agreement)
        return (*before, *clitics, auxiliary, *middle, *predicate.close, participle, *predicate.french)
    forms = {"past": verb.imperfect, "future": verb.future}.get(manner.tense, verb.present)
    return (*before, *clitics, forms[subject.slot], *middle, *predicate.close, *predicate.french)


@dataclass(frozen=True)
class Clause:
    """English words without final punctuation, French words, and the pairs (kind, word, word) in them."""
    english: str
    french: tuple
    pairs: tuple = ()


def statement(subject, predicate, manner, after_noun=False):
    """`the cat does not sleep`; with `after_noun` without the subject, for relative clauses and second verbs."""
    english = english_group(subject, predicate, manner)
    french = french_group(subject, predicate, manner)
    if after_noun:
        return Clause(english, french, clause_pairs(subject, predicate))
    return Clause(f"{subject.english} {english}", subject.french + french, clause_pairs(subject, predicate))


def question(subject, predicate, manner):
    """`does the cat sleep`: est-ce que le chat dort."""
    return Clause(english_question(subject, predicate, manner),
                  ("est-ce", "que", *subject.french, *french_group(subject, predicate, manner)),
                  clause_pairs(subject, predicate))


def command(predicate, negated):
    """`close the door`, `do not sit`: fermez la porte, ne vous asseyez pas."""
    verb = predicate.verb
    form = verb.french.present["vous"]
    if negated:
        words = ("ne", *(("vous",) if verb.french.reflexive else ()), form, "pas")
    else:
        words = (f"{form}-vous" if verb.french.reflexive else form,)
    english = _words("do not" if negated else "", verb.english, predicate.english)
    return Clause(english, (*words, *predicate.close, *predicate.french), predicate.pairs)


def clause_pairs(subject, predicate):
    """All pairs of a clause: of its subject with its verb, and those inside its phrases."""
    name = predicate.verb.name
    own = () if name in ("be", "have") else tuple(("subject", head, name) for head in subject.heads)
    return own + subject.pairs + predicate.pairs


def _words(*words):
    return " ".join(word for word in words if word)
