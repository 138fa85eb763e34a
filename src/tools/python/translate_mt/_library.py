"""libtranslate, by ctypes: its functions with their types, and its errors as exceptions (include/translate/translate_c.h)."""

from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any


class TranslateError(RuntimeError):
    """What happened, where, what was expected and what to do: a damaged checkpoint, a full disk, a lack of memory."""


class MistakeError(TranslateError, ValueError):
    """The same for a wrong option, name or text of the caller's."""


class _Link(ctypes.Structure):
    _fields_ = [("source", ctypes.c_size_t), ("target", ctypes.c_size_t)]


_Handle = ctypes.c_void_p
_Text = ctypes.c_char_p
_Texts = ctypes.POINTER(ctypes.c_char_p)
_Size = ctypes.c_size_t
_Place = ctypes.POINTER(ctypes.c_size_t)
_Numbers = ctypes.POINTER(ctypes.c_double)
_OfCandidate = (_Handle, _Size, _Size)

# Each function: the type of its result, then those of its arguments. `fails`: the place of an error follows.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...], bool]] = {
    "translate_version": (_Text, (), False),
    "translate_error_message": (_Text, (_Handle,), False),
    "translate_error_is_mistake": (ctypes.c_int, (_Handle,), False),
    "translate_error_free": (None, (_Handle,), False),
    "translate_set_log_level": (ctypes.c_int, (_Text,), True),
    "translate_options_new": (_Handle, (), False),
    "translate_options_free": (None, (_Handle,), False),
    "translate_options_set": (ctypes.c_int, (_Handle, _Text, _Text), True),
    "translate_options_add_term": (ctypes.c_int, (_Handle, _Text, _Text), True),
    "translate_open": (_Handle, (_Text, _Handle), True),
    "translate_with_options": (_Handle, (_Handle, _Handle), True),
    "translate_close": (None, (_Handle,), False),
    "translate_languages": (_Handle, (_Handle,), True),
    "translate_tokenize": (_Handle, (_Handle, _Text), True),
    "translate_texts_array": (_Texts, (_Handle, _Place), False),
    "translate_texts_free": (None, (_Handle,), False),
    "translate_lines": (_Handle, (_Handle, _Texts, _Size), True),
    "translate_lines_from": (_Handle, (_Handle, _Texts, _Texts, _Size), True),
    "translate_score": (_Handle, (_Handle, _Texts, _Texts, _Size), True),
    "translate_document": (ctypes.c_void_p, (_Handle, _Text, _Text, _Size, _Place), True),
    "translate_document_free": (None, (ctypes.c_void_p,), False),
    "translate_result_free": (None, (_Handle,), False),
    "translate_result_lines": (_Size, (_Handle,), False),
    "translate_result_candidates": (_Size, (_Handle, _Size), False),
    "translate_result_text": (_Text, _OfCandidate, False),
    "translate_result_score": (ctypes.c_double, _OfCandidate, False),
    "translate_result_normalized_score": (ctypes.c_double, _OfCandidate, False),
    "translate_result_confidence": (ctypes.c_double, _OfCandidate, False),
    "translate_result_is_truncated": (ctypes.c_int, _OfCandidate, False),
    "translate_result_alignment": (ctypes.POINTER(_Link), (*_OfCandidate, _Place), False),
    "translate_result_missing_terms": (_Texts, (*_OfCandidate, _Place), False),
    "translate_result_tokens": (_Texts, (*_OfCandidate, _Place), False),
    "translate_result_token_scores": (_Numbers, (*_OfCandidate, _Place), False),
    "translate_result_word_scores": (_Numbers, (*_OfCandidate, _Place), False),
}


def _load() -> ctypes.CDLL:
    """The library of TRANSLATE_MT_LIBRARY, that of this package, or that of the system."""
    name = "libtranslate.so.0"
    own = pathlib.Path(__file__).parent / "lib" / name
    path = os.environ.get("TRANSLATE_MT_LIBRARY") or (str(own) if own.exists() else name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}; expected {own}, which a wheel of translate-mt has, an installed {name}, or "
                          "TRANSLATE_MT_LIBRARY=PATH of one that was built") from error
    for function, (result, arguments, fails) in _FUNCTIONS.items():
        found = getattr(library, function)
        found.restype = result
        found.argtypes = (*arguments, ctypes.POINTER(_Handle)) if fails else arguments
    return library


_library = _load()


def call(function: str, *arguments: Any) -> Any:
    """Calls a function that cannot fail."""
    return getattr(_library, function)(*arguments)


def call_checked(function: str, *arguments: Any) -> Any:
    """Calls a function whose last argument is the place of an error, without it. Raises TranslateError."""
    error = _Handle()
    result = getattr(_library, function)(*arguments, ctypes.byref(error))
    if error:
        message = _library.translate_error_message(error).decode("utf-8", "replace")
        is_mistake = _library.translate_error_is_mistake(error)
        _library.translate_error_free(error)
        raise (MistakeError if is_mistake else TranslateError)(message)
    return result


def encoded(text: str) -> bytes:
    """The text for the library, which reads it to its first NUL. Raises TypeError or ValueError."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, got {type(text).__name__}: {text!r:.60}")
    if "\0" in text:
        raise ValueError(f"expected text without NUL characters, found one at position {text.index(chr(0))}")
    return text.encode("utf-8", "replace")  # of a lone surrogate, which is no character


def text_array(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*map(encoded, texts))


def decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _array(function: str, *arguments: Any) -> Any:
    """The elements of a function that returns an array and its size."""
    count = _Size()
    found = call(function, *arguments, ctypes.byref(count))
    return found[:count.value] if count.value else []


def texts_of(handle: Any) -> list[str]:
    """The content of a list of texts, which is freed."""
    texts = [decoded(text) for text in _array("translate_texts_array", handle)]
    call("translate_texts_free", handle)
    return texts


def set_log_level(level: str) -> None:
    """Shows the messages of the library of at least this level on stderr: debug, info, warning, error or off."""
    call_checked("translate_set_log_level", encoded(level))


set_log_level("warning")
__version__: str = decoded(call("translate_version"))


class Options:
    """The options of a model: those of translate_options_set, and terms of a glossary."""

    def __init__(self, settings: Iterable[tuple[str, str]], terms: Iterable[tuple[str, str]] = ()) -> None:
        self.handle = call("translate_options_new")
        for name, value in settings:
            call_checked("translate_options_set", self.handle, encoded(name), encoded(value))
        for source, target in terms:
            call_checked("translate_options_add_term", self.handle, encoded(source), encoded(target))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            call("translate_options_free", self.handle)


class Model:
    """A model that is open, with the options of one kind of calls. For one thread at a time."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def __del__(self) -> None:
        call("translate_close", self.handle)

    @classmethod
    def open(cls, checkpoint: str, options: Options) -> Model:
        return cls(call_checked("translate_open", encoded(checkpoint), options.handle))

    def with_options(self, options: Options) -> Model:
        """The same weights with other options."""
        return Model(call_checked("translate_with_options", self.handle, options.handle))

    def translate(self, lines: Sequence[str], beginnings: Sequence[str] | None) -> Result:
        if beginnings is None:
            return Result(call_checked("translate_lines", self.handle, text_array(lines), len(lines)))
        return Result(call_checked("translate_lines_from", self.handle, text_array(lines), text_array(beginnings), len(lines)))

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> Result:
        return Result(call_checked("translate_score", self.handle, text_array(sources), text_array(targets), len(sources)))

    def translate_document(self, content: bytes, format: str) -> bytes:
        size = _Size()
        address = call_checked("translate_document", self.handle, encoded(format), content, len(content), ctypes.byref(size))
        try:
            return bytes(ctypes.string_at(address, size.value))
        finally:
            call("translate_document_free", address)

    def languages(self) -> list[str]:
        return texts_of(call_checked("translate_languages", self.handle))

    def tokenize(self, text: str) -> list[str]:
        return texts_of(call_checked("translate_tokenize", self.handle, encoded(text)))


class Result:
    """What a model gives for some lines: any number of candidates for each. Places are (line, index of the candidate)."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __del__(self) -> None:
        call("translate_result_free", self._handle)

    def lines(self) -> int:
        return int(call("translate_result_lines", self._handle))

    def candidates(self, line: int) -> int:
        return int(call("translate_result_candidates", self._handle, line))

    def text(self, *place: int) -> str:
        return decoded(call("translate_result_text", self._handle, *place))

    def number(self, name: str, *place: int) -> float:
        """One of score, normalized_score, confidence, is_truncated."""
        return float(call(f"translate_result_{name}", self._handle, *place))

    def numbers(self, name: str, *place: int) -> list[float]:
        """token_scores or word_scores."""
        return list(_array(f"translate_result_{name}", self._handle, *place))

    def texts(self, name: str, *place: int) -> list[str]:
        """tokens or missing_terms."""
        return [decoded(text) for text in _array(f"translate_result_{name}", self._handle, *place)]

    def alignment(self, *place: int) -> list[tuple[int, int]]:
        return [(link.source, link.target) for link in _array("translate_result_alignment", self._handle, *place)]
