"""Translator: a model that translates and scores text."""

from __future__ import annotations

import collections.abc
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._library import Model, Options, Result
from .models import find_model
from .results import Direction, Hypothesis, ScoringResult, TranslationResult

if TYPE_CHECKING:
    from .joining import Joiner

_PRECISIONS = {"default": "auto", "auto": "auto", "float32": "fp32", "bfloat16": "bf16", "int8": "int8", "fp32": "fp32",
               "bf16": "bf16"}
_Made = TypeVar("_Made")
_MOST_LINES = 1024  # translated at once of a generator
_MOST_OPTIONS = 16  # for which copies of a model are kept
_Settings = tuple[tuple[str, str], ...]
_Terms = tuple[tuple[str, str], ...]


def _value(setting: object) -> str:
    return ("true" if setting else "false") if isinstance(setting, bool) else str(setting)


def _call_options(beam_size: int | None = None, num_hypotheses: int | None = None, length_penalty: float | None = None,
                  repetition_penalty: float | None = None, no_repeat_ngram_size: int | None = None,
                  max_decoding_length: int | None = None, min_decoding_length: int | None = None,
                  sampling_topk: int | None = None, sampling_topp: float | None = None,
                  sampling_temperature: float | None = None, seed: int | None = None,
                  return_alignments: bool = False, return_word_scores: bool = False, raw: bool | None = None,
                  keep: Iterable[str] = (), glossary: Mapping[str, str] | str | os.PathLike[str] | None = None,
                  target_language: str | None = None, **more: object) -> tuple[_Settings, _Terms]:
    """The options of the library for those of a call."""
    is_sampling = any(value is not None for value in (sampling_topp, sampling_temperature)) or sampling_topk not in (None, 1)
    is_sampling = is_sampling and sampling_topk != 1  # the likeliest subword alone: no sampling
    settings = {
        "beam_size": beam_size, "n_best": num_hypotheses, "length_penalty": length_penalty,
        "repetition_penalty": repetition_penalty, "no_repeat_ngram": no_repeat_ngram_size,
        "max_length": max_decoding_length, "min_length": min_decoding_length,
        "sampling": is_sampling or None, "top_k": sampling_topk if is_sampling else None,
        "top_p": sampling_topp if is_sampling else None, "temperature": sampling_temperature if is_sampling else None,
        "seed": seed, "alignments": return_alignments or None, "word_scores": return_word_scores or None, "raw": raw,
        "target_language": target_language, **more}
    terms: _Terms = ()
    if isinstance(glossary, Mapping):
        terms = tuple(glossary.items())
    elif glossary is not None:
        settings["glossary"] = os.fspath(glossary)
    given = [(name, _value(value)) for name, value in settings.items() if value is not None]
    return (*given, *(("keep", term) for term in keep)), terms


def _hypothesis(result: Result, line: int, index: int) -> Hypothesis:
    confidence = result.number("confidence", line, index)
    return Hypothesis(text=result.text(line, index), tokens=result.texts("tokens", line, index),
                      score=result.number("normalized_score", line, index), log_prob=result.number("score", line, index),
                      confidence=confidence if confidence >= 0 else None, alignment=result.alignment(line, index),
                      word_scores=result.numbers("word_scores", line, index),
                      missing_terms=result.texts("missing_terms", line, index),
                      is_truncated=bool(result.number("is_truncated", line, index)))


class _Models:
    """The copies of a model with the same options. A copy translates for one thread at a time; all share the weights."""

    def __init__(self, first: Model, options: Options) -> None:
        self._first = first
        self._options = options
        self._free: list[Model] = []

    def take(self) -> Model:
        return self._free.pop() if self._free else self._first.with_options(self._options)

    def give_back(self, model: Model) -> None:
        self._free.append(model)


class Translator:
    """A model that is open. Any number of threads may use it at once: each call has its own share of the work, and the
    interpreter lock is free meanwhile.

    ``model`` is a run or a checkpoint (``"runs/en-fr/best"``; ``"latest"`` is the newest under ``runs/``), the folder of a
    MarianMT or Marian model, a name in the Hugging Face cache (``"Helsinki-NLP/opus-mt-en-fr"``), or several paths,
    separated by commas, which translate together.

    :param device: ``"auto"`` (a GPU if there is one that can be used), ``"cpu"``, ``"cuda"`` or ``"cuda:N"``
    :param compute_type: ``"default"`` (what is fast on this machine), ``"float32"``, ``"bfloat16"`` or ``"int8"``
    :param intra_threads: the threads of one call; 0: the processors that this process may use. It concerns the whole
        process. 1 is best if several threads call.
    :param target_language: the code of the language to translate into, for a model of several; ``translate`` may say
        another one
    :raises MistakeError: for a wrong name or value
    :raises TranslateError: if a file is damaged or memory does not suffice
    """

    def __init__(self, model: str | os.PathLike[str], device: str = "auto", *, compute_type: str = "default",
                 intra_threads: int = 0, target_language: str | None = None) -> None:
        if compute_type not in _PRECISIONS:
            raise ValueError(f"compute_type: expected one of {', '.join(_PRECISIONS)}, got {compute_type!r}")
        self._target_language = target_language
        path = find_model(os.fspath(model))
        settings = [("device", device), ("precision", _PRECISIONS[compute_type]), ("threads", str(intra_threads))]
        if target_language is not None:
            settings.append(("target_language", target_language))
        self._model = Model.open(path, Options(settings))
        self._lock = threading.Lock()
        self._models: dict[tuple[_Settings, _Terms], _Models] = {}
        self._joiner: Joiner | None = None

    @property
    def languages(self) -> list[Direction]:
        """The directions in which the model translates."""
        codes = self._model.languages()
        return list(map(Direction, codes[::2], codes[1::2]))

    def tokenize(self, text: str) -> list[str]:
        """The subwords that the model reads for a text."""
        return self._model.tokenize(text)

    @overload
    def __call__(self, text: str, **options: Any) -> str: ...
    @overload
    def __call__(self, text: list[str] | tuple[str, ...], **options: Any) -> list[str]: ...
    @overload
    def __call__(self, text: Iterable[str], **options: Any) -> Iterator[str] | list[str] | str: ...

    def __call__(self, text: str | Iterable[str], **options: Any) -> str | list[str] | Iterator[str]:
        """Translates a text into a text, a list into a list, and any other iterable into a generator, which reads some
        texts ahead. The options are those of ``translate``."""
        if isinstance(text, str):
            return self.translate([text], **options)[0].text
        if isinstance(text, (list, tuple)):
            return [result.text for result in self.translate(text, **options)]
        if not isinstance(text, collections.abc.Iterable):
            raise TypeError(f"expected a str or texts, got {type(text).__name__}")
        return (result.text for result in self.translate_iterable(text, **options))

    def translate(self, lines: Iterable[str], *, beam_size: int | None = None, num_hypotheses: int | None = None,
                  length_penalty: float | None = None, repetition_penalty: float | None = None,
                  no_repeat_ngram_size: int | None = None, max_decoding_length: int | None = None,
                  min_decoding_length: int | None = None, sampling_topk: int | None = None,
                  sampling_topp: float | None = None, sampling_temperature: float | None = None, seed: int | None = None,
                  return_alignments: bool = False, return_word_scores: bool = False, raw: bool | None = None,
                  keep: Iterable[str] = (), glossary: Mapping[str, str] | str | os.PathLike[str] | None = None,
                  target_language: str | None = None, target_prefix: Sequence[str] | None = None, format: str = "text",
                  **decoding: object) -> list[TranslationResult]:
        """Translates texts, which together take less time than one by one. What is not given is the model's own.

        :param lines: texts of any number of sentences; a blank one has an empty translation
        :param beam_size: the hypotheses of a sentence that are kept at each step; 1 is greedy search
        :param num_hypotheses: the number of translations of each text, at most beam_size (with sampling: any)
        :param length_penalty: higher values favour longer translations
        :param repetition_penalty: above 1, subwords that were already generated become less likely
        :param no_repeat_ngram_size: no sequence of so many subwords occurs twice in a translation
        :param max_decoding_length: the most subwords of a translation
        :param min_decoding_length: the fewest
        :param sampling_topk: draw among so many most likely subwords (0: all) in place of searching
        :param sampling_topp: draw among the fewest most likely subwords whose probabilities add up to it
        :param sampling_temperature: below 1, likely subwords are drawn more often
        :param seed: of what is drawn
        :param return_alignments: fill in ``Hypothesis.alignment``
        :param return_word_scores: fill in ``Hypothesis.word_scores``
        :param raw: every character is what the model generated; otherwise numbers, links, placeholders, white space and
            capitals are those of the source (default: with several hypotheses)
        :param keep: terms that translations keep as they are
        :param glossary: terms and what translations must have for them, or a file of such terms
        :param target_language: the language to translate into, for a model of several
        :param target_prefix: the whole words with which each translation must begin ("" for none)
        :param format: ``"text"``, or the format of documents that the lines are: ``"html"``, ``"markdown"``, ``"srt"``, ...
        :param decoding: any other key of the object ``decoding`` of a configuration (configs/README.md)
        :raises MistakeError: for a wrong name or value
        """
        if isinstance(lines, str):
            raise TypeError("translate: expected a list of texts, got one text: use [text], or translator(text)")
        lines = list(lines)
        options = _call_options(beam_size, num_hypotheses, length_penalty, repetition_penalty, no_repeat_ngram_size,
                                max_decoding_length, min_decoding_length, sampling_topk, sampling_topp,
                                sampling_temperature, seed, return_alignments, return_word_scores, raw, keep, glossary,
                                target_language or self._target_language, **decoding)
        if format != "text":
            return [self._translate_text_document(line, format, options) for line in lines]
        if target_prefix is not None and len(target_prefix) != len(lines):
            raise ValueError(f"target_prefix: expected one for each of {len(lines)} lines, got {len(target_prefix)}")
        result = self._with_model(options, lambda model: model.translate(lines, target_prefix))
        return [TranslationResult([_hypothesis(result, line, index) for index in range(result.candidates(line))])
                for line in range(result.lines())]

    def translate_iterable(self, lines: Iterable[str], **options: Any) -> Iterator[TranslationResult]:
        """Translates the texts of any iterable as they are asked for. The first results come after one text; then more and
        more are read ahead and translated together."""
        source = iter(lines)
        size = 1
        while batch := list(itertools.islice(source, size)):
            yield from self.translate(batch, **options)
            size = min(2 * size, _MOST_LINES)

    def translate_document(self, content: bytes, format: str, **options: Any) -> bytes:
        """Translates the texts of a file and leaves the rest of it as it is.

        :param content: the bytes of the file
        :param format: html, markdown, srt, vtt, json, yaml, po, android, xliff, tmx, csv, tsv, odt or docx
        :param options: those of ``translate``
        :raises MistakeError: if the bytes are not of the format
        """
        settings = _call_options(**{"target_language": self._target_language, **options})
        return self._with_model(settings, lambda model: model.translate_document(content, format))

    def score(self, pairs: Sequence[tuple[str, str]], *, target_language: str | None = None) -> list[ScoringResult]:
        """Scores existing translations: pairs of a text and a translation of it."""
        settings = _call_options(target_language=target_language or self._target_language)
        sources, targets = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        result = self._with_model(settings, lambda model: model.score(sources, targets))
        return [ScoringResult(tokens=result.texts("tokens", line, 0), log_probs=result.numbers("token_scores", line, 0),
                              score=result.number("score", line, 0),
                              normalized_score=result.number("normalized_score", line, 0))
                for line in range(result.lines())]

    async def translate_async(self, text: str, **options: Any) -> TranslationResult:
        """Translates a text without holding up the event loop. Texts that are waiting at the same time with the same
        options are translated together. The options are those of ``translate``."""
        from .joining import Joiner  # takes time to import
        with self._lock:
            if self._joiner is None:
                self._joiner = Joiner(self.translate)
        return await self._joiner.translate(text, options)

    def _translate_text_document(self, text: str, format: str, options: tuple[_Settings, _Terms]) -> TranslationResult:
        written = self._with_model(options, lambda model: model.translate_document(text.encode(), format))
        return TranslationResult([Hypothesis(written.decode())])

    def _with_model(self, options: tuple[_Settings, _Terms], work: Callable[[Model], _Made]) -> _Made:
        """Calls ``work`` with a copy of the model that no other thread uses meanwhile."""
        with self._lock:
            models = self._models.pop(options, None) or _Models(self._model, Options(*options))
            self._models[options] = models  # the last one
            if len(self._models) > _MOST_OPTIONS:
                del self._models[next(iter(self._models))]
            model = models.take()
        result = work(model)
        with self._lock:  # not after an error, which may have left it half done
            models.give_back(model)
        return result
