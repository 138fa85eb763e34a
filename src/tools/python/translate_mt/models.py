"""Where models lie: folders, and the cache of the Hugging Face Hub."""

from __future__ import annotations

import importlib
import os
import pathlib
import re

from ._library import MistakeError, TranslateError

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[\w.-]+)?")
_NEEDED = ("config.json", "source.spm", "target.spm", "vocab.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_OPTIONAL = ("generation_config.json", "tokenizer_config.json")


def hub_cache() -> pathlib.Path:
    """The cache of the Hugging Face Hub, by the variables that its library reads: HF_HUB_CACHE, then
    HUGGINGFACE_HUB_CACHE, HF_HOME and XDG_CACHE_HOME."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(name):
            return pathlib.Path(os.path.expandvars(os.environ[name])).expanduser()
    home = os.environ.get("HF_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return pathlib.Path(os.path.expandvars(home)).expanduser() / "hub"


def _snapshot(name: str, revision: str) -> pathlib.Path | None:
    """The folder of a model in the cache."""
    folder = hub_cache() / f"models--{name.replace('/', '--')}"
    reference = folder / "refs" / revision
    commit = reference.read_text(encoding="ascii").strip() if reference.is_file() else revision
    snapshot = folder / "snapshots" / commit
    if snapshot.is_dir():
        return snapshot
    all_of_them = [path for path in (folder / "snapshots").glob("*") if path.is_dir()]
    return all_of_them[0] if revision == "main" and len(all_of_them) == 1 else None


def _missing(snapshot: pathlib.Path) -> list[str]:
    """The files that a snapshot lacks. Links to files that are gone count as missing."""
    missing = [name for name in _NEEDED if not (snapshot / name).exists()]
    if not any((snapshot / name).exists() for name in _WEIGHTS):
        missing.append(_WEIGHTS[1])
    return missing


def _is_offline() -> bool:
    return any(os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def _fetch(name: str, revision: str) -> pathlib.Path | None:
    """Fetches a model, if the library of the Hub is there; nothing otherwise. Raises TranslateError."""
    if _is_offline():
        return None
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError:
        return None
    try:
        return pathlib.Path(hub.snapshot_download(name, revision=revision,
                                                  allow_patterns=[*_NEEDED, *_WEIGHTS, *_OPTIONAL]))
    except Exception as error:  # of its own many kinds, and those of the network
        raise TranslateError(f"{name}: it cannot be fetched: {error}") from error


def find_hub_model(name: str) -> str:
    """The folder of a model of the Hub: in the cache, or fetched by huggingface_hub if that is installed. ``name`` may end
    with ``@revision``. Raises TranslateError, which says the command that fetches it."""
    name, _, revision = name.partition("@")
    revision = revision or "main"
    snapshot = _snapshot(name, revision)
    missing = _missing(snapshot) if snapshot else list(_NEEDED)
    if missing:
        snapshot = _fetch(name, revision) or snapshot
        missing = _missing(snapshot) if snapshot else missing
    if not missing:
        return str(snapshot)
    wanted = [*_NEEDED, _WEIGHTS[1], "generation_config.json"] if snapshot is None else missing
    command = f"hf download {name} {' '.join(wanted)}" + (f" --revision {revision}" if revision != "main" else "")
    what = f"it lacks {', '.join(missing)}" if snapshot else f"it is not in {hub_cache()}"
    raise MistakeError(f"{name}: {what}; this fetches it (pip install huggingface_hub): {command}")


def find_model(name: str) -> str:
    """What the library opens for a name: a folder of the cache for a name of the Hub, ``ORGANISATION/NAME``, unless there is
    such a path; otherwise the name itself."""
    first = name.split("/", 1)[0]
    is_of_hub = _HUB_NAME.fullmatch(name) and not os.path.exists(name) and not os.path.isdir(first)
    return find_hub_model(name) if is_of_hub else name
