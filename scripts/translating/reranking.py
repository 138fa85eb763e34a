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


def candidates_of(forward, reverse, lines, n_best):
    """For each line its candidates, best first; of a line that has but one (blank, or translated in parts) the reverse
    model is not asked."""
    size = str(n_best)
    lists = [_read(each) for each in forward.translate(lines, "--beam-size", size, "--n-best", size)]
    asked = [(each, line) for line, candidates in zip(lines, lists) if len(candidates) > 1 for each in candidates]
    for (candidate, _), scores in zip(asked, reverse.score((each.text, line) for each, line in asked)):
        candidate.reverse = sum(scores) / len(scores)
    return lists


def _read(answer):
    listed = answer["nbest"] or [{"translation": answer["translation"], "normalized_score": 0.0}]
    return [Candidate(each["translation"], each["normalized_score"]) for each in listed]


def chosen(lists, weight):
    """The best translation of each line; of equal ones the search's choice."""
    return [max(candidates, key=lambda each: each.score + weight * each.reverse).text for candidates in lists]
