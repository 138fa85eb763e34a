"""Translates with models that translate-train has trained, and with those of OPUS-MT, MarianMT and Marian.

    >>> from translate_mt import Translator
    >>> translator = Translator("runs/en-fr/best")
    >>> translator("The cat sat.")
    'Le chat s'est assis.'
"""

from ._library import MistakeError, TranslateError, __version__, set_log_level
from .pipelines import TranslationPipeline, pipeline
from .results import Direction, Hypothesis, ScoringResult, TranslationResult
from .translator import Translator

__all__ = ["Direction", "Hypothesis", "MistakeError", "ScoringResult", "TranslateError", "TranslationPipeline",
           "TranslationResult", "Translator", "__version__", "pipeline", "set_log_level"]
