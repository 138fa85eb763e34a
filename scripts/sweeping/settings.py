"""Which runs a sweep consists of: combinations of settings, each a dictionary of dotted keys and texts of values."""

import hashlib
import itertools
import re

SEED = "training.seed"
LONGEST_NAME = 80
OPENING = {"[": "]", "{": "}"}


def split_values(text):
    """The values that commas separate; within brackets, braces and quotes they do not."""
    values, depth, quoted, start = [], 0, False, 0
    for place, character in enumerate(text):
        if character == '"' and text[place - 1:place] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in OPENING:
            depth += 1
        elif character in OPENING.values():
            depth -= 1
        elif character == "," and depth == 0:
            values.append(text[start:place])
            start = place + 1
    return values + [text[start:]]


def parse_setting(text, where):
    """("training.r_drop", "0,5") of "training.r_drop=0,5"."""
    key, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"\w+(\.\w+)*", key) or not value:
        raise ValueError(f"{where}: expected KEY=VALUE, such as training.r_drop=5, got {text!r}")
    return key, value


def read_list(path):
    """The settings of each line of a file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split("#")[0].split()
        if words:
            found.append(dict(parse_setting(word, f"{path}:{number}") for word in words))
    if not found:
        raise ValueError(f"{path}: holds no run: expected KEY=VALUE ... on a line")
    return found


def combinations(axes, listed, seeds):
    """Every combination of the values of `axes` with each of `listed`, with the first seed, then with the next."""
    grid = [(key, split_values(values)) for key, values in (parse_setting(axis, "--set") for axis in axes)]
    keys = [key for key, _ in grid] + ([SEED] if seeds else [])
    for key in keys:
        if keys.count(key) > 1 or any(key in settings for settings in listed):
            raise ValueError(f"{key}: given more than once")
    if any(not value for _, values in grid for value in values):
        raise ValueError("--set: a value is empty: two commas, or one at an end")
    runs = []
    for seed in seeds or [None]:
        for settings in listed:
            for values in itertools.product(*(values for _, values in grid)):
                run = {**settings, **{key: value for (key, _), value in zip(grid, values)}}
                if seed is not None:
                    run[SEED] = seed
                if run not in runs:
                    runs.append(run)
    return runs


def check_options(options, keys):
    """Refuses options for every translate-train that would take from a run its folder, or its own value of one of `keys`."""
    for place, option in enumerate(options):
        name, equals, value = option.partition("=")
        value = value if equals else "".join(options[place + 1:place + 2])
        key = SEED if name == "--seed" else value.partition("=")[0] if name == "--set" else None
        if key in keys:
            raise ValueError(f"behind `--`: {name} would give every run the same {key}, of which each has its own")
        if name in ("--config", "--run-dir"):
            raise ValueError(f"behind `--`: {name} is not for the runs: each has its own")


def name_of(settings):
    """A folder's name: readable, and another one for other settings."""
    if not settings:
        return "base"
    readable = "_".join(f"{key.rpartition('.')[2]}={value}" for key, value in settings.items())
    readable = re.sub(r"[^\w.=+-]", "-", readable)[:LONGEST_NAME]
    exact = "\n".join(sorted(f"{key}={value}" for key, value in settings.items()))
    return f"{readable}_{hashlib.sha256(exact.encode('utf-8')).hexdigest()[:6]}"
