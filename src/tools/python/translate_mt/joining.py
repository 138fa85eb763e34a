"""Texts of many callers, translated together."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .results import TranslationResult

_MOST_TEXTS = 256  # at once


class _Waiting(NamedTuple):
    text: str
    options: dict[str, Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[TranslationResult]


class Joiner:
    """Translates texts that callers wait for. While some are translated the others gather; then those at the front that
    have the same options are translated together. Its thread ends when nothing is left to do."""

    def __init__(self, translate: Callable[..., list[TranslationResult]]) -> None:
        self._translate = translate
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._is_working = False

    async def translate(self, text: str, options: dict[str, Any]) -> TranslationResult:
        loop = asyncio.get_running_loop()
        waiting = _Waiting(text, options, loop, loop.create_future())
        with self._lock:
            self._waiting.append(waiting)
            begins = not self._is_working
            self._is_working = True
        if begins:
            threading.Thread(target=self._work, name="translate_mt", daemon=True).start()
        return await waiting.future

    def _take(self) -> list[_Waiting]:
        """The texts to be translated next; none: the thread shall end."""
        with self._lock:
            count = 0
            while count < min(len(self._waiting), _MOST_TEXTS) and self._waiting[count].options == self._waiting[0].options:
                count += 1
            taken, self._waiting = self._waiting[:count], self._waiting[count:]
            self._is_working = count > 0
            return taken

    def _work(self) -> None:
        while taken := self._take():
            try:
                results: Sequence[TranslationResult] = self._translate([one.text for one in taken], **taken[0].options)
            except Exception as error:  # the callers'
                for one in taken:
                    _tell(one, error)
            else:
                for one, result in zip(taken, results):
                    _tell(one, result)


def _tell(waiting: _Waiting, outcome: TranslationResult | Exception) -> None:
    """Tells the caller, unless it has given up."""
    def tell_if_waiting() -> None:
        if waiting.future.done():
            return
        if isinstance(outcome, Exception):
            waiting.future.set_exception(outcome)
        else:
            waiting.future.set_result(outcome)

    with contextlib.suppress(RuntimeError):  # the loop is closed
        waiting.loop.call_soon_threadsafe(tell_if_waiting)
