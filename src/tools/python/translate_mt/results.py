"""What a Translator returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Direction(NamedTuple):
    """A source and a target language that a model translates between, by their codes; "" where the model names none."""

    source: str
    target: str


@dataclass(frozen=True)
class Hypothesis:
    """One translation of a text."""

    text: str
    tokens: list[str] = field(default_factory=list)
    """Its subwords."""
    score: float = 0.0
    """The log-probability (natural logarithm) by which hypotheses are compared: divided by the length penalty."""
    log_prob: float = 0.0
    """The log-probability, summed over the subwords and the end."""
    confidence: float | None = None
    """The share (0-1) of validation sentences of about this log-probability per subword that were translated well; None
    where the model stores none, and for samples."""
    alignment: list[tuple[int, int]] = field(default_factory=list)
    """With return_alignments: pairs of a word of the source and one of the translation, both counted from 0, sorted."""
    word_scores: list[float] = field(default_factory=list)
    """With return_word_scores: the log-probability of each word."""
    missing_terms: list[str] = field(default_factory=list)
    """Terms of the glossary that it lacks, because the length limit cut it or the vocabulary cannot write them."""
    is_truncated: bool = False
    """The length limit cut it off."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TranslationResult:
    """The translation of a text. `hypotheses` and `scores` have the form that they have in CTranslate2."""

    candidates: list[Hypothesis]
    """At least one, best first; as many as num_hypotheses asks for, if there are."""

    @property
    def text(self) -> str:
        """The best translation."""
        return self.candidates[0].text

    @property
    def texts(self) -> list[str]:
        """All translations, best first."""
        return [candidate.text for candidate in self.candidates]

    @property
    def hypotheses(self) -> list[list[str]]:
        """The subwords of all translations, best first."""
        return [candidate.tokens for candidate in self.candidates]

    @property
    def scores(self) -> list[float]:
        """The scores of all translations, divided by the length penalty."""
        return [candidate.score for candidate in self.candidates]

    @property
    def alignments(self) -> list[list[tuple[int, int]]]:
        """The word alignments of all translations, with return_alignments."""
        return [candidate.alignment for candidate in self.candidates]

    @property
    def confidence(self) -> float | None:
        """That of the best translation."""
        return self.candidates[0].confidence

    def __len__(self) -> int:
        return len(self.candidates)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ScoringResult:
    """How likely a model finds a translation that was given."""

    tokens: list[str]
    """The subwords of the translation."""
    log_probs: list[float]
    """The log-probability (natural logarithm) of each subword, then that of the end: one more than there are tokens."""
    score: float
    """Their sum."""
    normalized_score: float
    """The score divided by the length penalty."""
