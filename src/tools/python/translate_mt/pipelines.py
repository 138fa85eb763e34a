"""pipeline("translation…"), as transformers had it before version 5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .translator import Translator

_TASK = re.compile(r"translation(?:_([A-Za-z]+)_to_([A-Za-z]+))?")
# Options of generate() and the names that Translator.translate has for them.
_NAMES = {"num_beams": "beam_size", "num_return_sequences": "num_hypotheses", "length_penalty": "length_penalty",
          "repetition_penalty": "repetition_penalty", "no_repeat_ngram_size": "no_repeat_ngram_size",
          "max_new_tokens": "max_decoding_length"}
_SAMPLING = {"top_k": "sampling_topk", "top_p": "sampling_topp", "temperature": "sampling_temperature",
             "epsilon_cutoff": "epsilon"}
# Options that have nothing to change here: the text is never cut, and spaces are those of the model.
_NO_EFFECT = ("truncation", "clean_up_tokenization_spaces", "early_stopping", "batch_size", "return_text", "src_lang")


def _call_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of Translator.translate for those of the pipeline. Raises TypeError for an unknown one."""
    options = dict(options)
    result: dict[str, Any] = {}
    is_sampling = options.pop("do_sample", False)
    for name, value in options.items():
        if value is None or name in _NO_EFFECT:
            continue
        if name in _NAMES:
            result[_NAMES[name]] = value
        elif name == "max_length":
            result["max_decoding_length"] = max(1, value - 1)  # it counts the start of the sentence
        elif name == "tgt_lang":
            result["target_language"] = value
        elif name in _SAMPLING:
            if is_sampling:
                result[_SAMPLING[name]] = value
        else:
            known = sorted([*_NAMES, *_SAMPLING, *_NO_EFFECT, "do_sample", "max_length", "tgt_lang"])
            raise TypeError(f"pipeline: unknown option {name!r}; expected one of {', '.join(known)}")
    if "length_penalty" in result:
        result["length_penalty_kind"] = "average"  # generate() divides by length ** length_penalty
    if is_sampling:
        result.setdefault("sampling_topk", 50)  # the default of generate()
    return result


class TranslationPipeline:
    """Translates texts; each translation is a dict with ``translation_text``. Made by ``pipeline``."""

    def __init__(self, translator: Translator, options: dict[str, Any]) -> None:
        self.translator = translator
        self._options = options
        _call_options(options)

    def __call__(self, text: str | Sequence[str], **options: Any) -> list[Any]:
        """Translates a text, or a list of texts. The options are those of ``generate``: num_beams, max_length,
        num_return_sequences, do_sample, ..., and src_lang and tgt_lang for a model of several languages. Returns a list of
        dicts, one for each text; with num_return_sequences, a list of lists, or for one text its list."""
        texts = [text] if isinstance(text, str) else list(text)
        results = self.translator.translate(texts, **_call_options({**self._options, **options}))
        answers = [[{"translation_text": translation} for translation in result.texts] for result in results]
        if isinstance(text, str):
            return answers[0]
        return [answer[0] for answer in answers] if all(len(answer) == 1 for answer in answers) else answers


def pipeline(task: str, model: str | Translator | None = None, *, device: int | str | None = None,
             **options: Any) -> TranslationPipeline:
    """Opens a model for a task, ``"translation"`` or ``"translation_en_to_fr"``.

    :param model: a Translator, or what one opens. Without it, ``Helsinki-NLP/opus-mt-en-fr`` for ``translation_en_to_fr``
    :param device: -1 or ``"cpu"`` for the CPU, a number for that GPU; ``"auto"`` otherwise
    :param options: those of each call, unless it gives its own
    :raises KeyError: for another task
    """
    match = _TASK.fullmatch(task)
    if match is None:
        raise KeyError(f"Unknown task {task}, available tasks are translation and translation_XX_to_YY")
    source, target = match.groups()
    if model is None:
        if source is None:
            raise ValueError("pipeline: which model? model=NAME, or the languages: translation_en_to_fr")
        model = f"Helsinki-NLP/opus-mt-{source}-{target}"
    if isinstance(model, Translator):
        return TranslationPipeline(model, options)
    place = "auto" if device is None else "cpu" if device == -1 else f"cuda:{device}" if isinstance(device, int) else device
    return TranslationPipeline(Translator(model, device=place), options)
