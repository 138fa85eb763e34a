#!/usr/bin/env python3
"""Runs that are killed at random moments (SIGKILL) and resumed end with the bytes of an undisturbed run, for several
ways of training. Of two processes, one or all are killed.

TRANSLATE_BIN_DIR: the programs' folder. With TRANSLATE_NIGHTLY=1 each way is killed a hundred times, else three times.
Arguments are names of ways to try alone."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from programs import BIN_DIR, write_short_corpus  # noqa: E402

NIGHTLY = os.environ.get("TRANSLATE_NIGHTLY", "") not in ("", "0")
KILLS = 100 if NIGHTLY else 3
STEPS = 24
TIMEOUT = 120  # seconds for the end of a process whose neighbour was killed
WAYS = {
    "plain": {},
    "accumulation, averaged weights, sampled subwords": {
        "training": {"accumulation_steps": 2, "ema_decay": 0.9},
        "tokenizer": {"sampling": {"source": True, "target": True, "alpha": 0.2}},
    },
    "Muon with R-Drop": {"training": {"optimizer": {"type": "muon"}, "r_drop": 5}},
    "bf16": {"training": {"precision": "bf16"}},
    "two processes": {},
}
OPTIONS = {"two processes": ["--processes", "2"]}


def configuration(folder, way):
    """`folder`: with the text."""
    files = {
        split: {"source": str(folder / f"{split}.en"), "target": str(folder / f"{split}.fr")}
        for split in ("train", "validation")
    }
    config = {
        "data": files,
        "tokenizer": {"vocab_size": 200},
        "model": {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 16, "dropout": 0.2},
        "training": {
            "batch_tokens": 600,
            "max_steps": STEPS,
            "checkpoint_every": 1,
            "validate_every": 8,
            "keep_last": 2,
        },
    }
    for section, values in way.items():
        config[section] = config[section] | values
    return config


def start(folder, run, options):
    command = [BIN_DIR / "translate-train", "--config", "config.json", "--run-dir", run, "--threads", "1", *options]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def children_of(process):
    try:
        return list(map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()))
    except OSError:  # it has ended
        return []


def kill(process, chance):
    """Kills one process of a run, or all, and waits until all have ended."""
    victims = [*children_of(process), None]
    victim = chance.choice(victims) if len(victims) > 1 else None
    try:
        if victim is None:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate(timeout=TIMEOUT)


def finish(folder, run, options):
    process = start(folder, run, options)
    _, errors = process.communicate()
    assert process.returncode == 0, errors


def end_of(run):
    """The last checkpoint's weights and training state, without times."""
    checkpoint = run / "checkpoints" / f"step-{STEPS:08}"
    counters = json.loads((checkpoint / "training_state.json").read_bytes())
    for timed in (counters, counters["window"]):
        del timed["seconds"]
    return (
        (checkpoint / "model.safetensors").read_bytes(),
        (checkpoint / "training_state.safetensors").read_bytes(),
        counters,
    )


def kill_at_random(folder, name, duration, expected):
    """Kills runs until there were KILLS kills; returns the number of runs that came to their end. `duration`: seconds of
    an undisturbed run."""
    options = OPTIONS.get(name, [])
    chance = random.Random(name)
    kills = 0
    ended = 0
    while kills < KILLS:
        run = f"killed-{ended}"
        process = start(folder, run, options)
        try:
            # Also while it starts, which is most of the time of so small a run, and beyond its end.
            _, errors = process.communicate(timeout=chance.uniform(0, duration))
            assert process.returncode == 0, errors
            duration *= 0.9  # other programs may have slowed down the run that was measured
        except subprocess.TimeoutExpired:
            kill(process, chance)
            duration *= 1.02
        if process.returncode != 0:
            kills += 1
            if kills < KILLS:
                continue
        finish(folder, run, options)
        assert end_of(folder / run) == expected, f"{run} differs from the undisturbed run after {kills} kills"
        shutil.rmtree(folder / run)
        ended += 1
    return ended


def main(names):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # flushing takes no time there
    folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-kills-", dir=memory))
    try:
        write_short_corpus(folder, 400)
        for name, way in WAYS.items():
            if names and name not in names:
                continue
            (folder / "config.json").write_text(json.dumps(configuration(folder, way)), encoding="utf-8")
            finish(folder, "undisturbed", OPTIONS.get(name, []))
            expected = end_of(folder / "undisturbed")
            shutil.rmtree(folder / "undisturbed")
            begin = time.monotonic()
            finish(folder, "undisturbed", OPTIONS.get(name, []))
            duration = time.monotonic() - begin
            assert end_of(folder / "undisturbed") == expected, "two undisturbed runs differ"
            ended = kill_at_random(folder, name, duration, expected)
            shutil.rmtree(folder / "undisturbed")
            print(f"{name}: {KILLS} kills, {ended} runs that ended with the same bytes", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
