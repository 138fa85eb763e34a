"""N-best lists with a second opinion."""

import dataclasses


@dataclasses.dataclass
class Candidate:
    """One translation of a sentence."""

    text: str
    score: float
    """Its normalised log-probability in nats, as the search compares it."""
    reverse: float = 0.0
    """The mean log-probability of the source's pieces, its end counted, given this translation."""


@dataclasses.dataclass
class Sentence:
    """A sentence of a line, with its candidates, best first."""

    source: str
    separator: str
    """Between its translation and that of the sentence before."""
    candidates: list[Candidate]

    def best(self, weight):
        """The text with the highest score; of equal ones the choice of the search."""
        return max(self.candidates, key=lambda each: each.score + weight * each.reverse).text


def candidates_of(forward, reverse, lines, n_best):
    """For each line its sentences. Where a sentence has only one candidate (a blank line), the reverse model is not
    asked."""
    size = str(n_best)
    answers = forward.translate(lines, "--beam-size", size, "--n-best", size)
    rows = [_sentences(line, answer) for line, answer in zip(lines, answers)]
    asked = [(each, sentence.source) for row in rows for sentence in row if len(sentence.candidates) > 1
             for each in sentence.candidates]
    for (candidate, _), scores in zip(asked, reverse.score((each.text, source) for each, source in asked)):
        candidate.reverse = sum(scores) / len(scores)
    return rows


def _sentences(line, answer):
    parts = answer.get("parts") or [{"source": line, "separator": "", "nbest": answer["nbest"]}]
    return [Sentence(part["source"], part["separator"],
                     [Candidate(each["translation"], each["normalized_score"]) for each in part["nbest"]]
                     or [Candidate("", 0.0)])
            for part in parts]


def chosen(rows, weight):
    """The translation of each line, made of the best one of each of its sentences."""
    return ["".join(each.separator + each.best(weight) for each in sentences) for sentences in rows]
