#!/usr/bin/env python3
"""torchrun starts translate-train in several processes: the run is the one of `--processes`, byte for byte, and goes on
by itself after a process was killed.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either, or without those packages, it is skipped (exit code 77).
TRANSLATE_BIN_DIR: the programs' folder.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("torchrun was not tried")

environment.require("torchrun was not tried", "torch.distributed.run")

from programs import BIN_DIR, ROOT  # noqa: E402

STEPS = 300
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1",
            "--master-port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0", "--no-python"]


def configuration(folder):
    data = {side: str(ROOT / "data" / "en-fr" / f"train.{language}")
            for side, language in (("source", "en"), ("target", "fr"))}
    config = {
        "data": {"train": data, "source_language": "en", "target_language": "fr"},
        "tokenizer": {"vocab_size": 400, "shared": True},
        "model": {"d_model": 32, "num_layers": 1, "num_heads": 2, "d_ff": 64, "tie_embeddings": "all"},
        "training": {"batch_tokens": 300, "max_steps": STEPS, "log_every": 20, "checkpoint_every": 20},
    }
    path = folder / "tiny.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def command(config, run):
    return [str(BIN_DIR / "translate-train"), "--config", str(config), "--threads", "1", "--run-dir", str(run)]


def final_weights(run):
    return (run / "checkpoints" / f"step-{STEPS:08}" / "model.safetensors").read_bytes()


def process_of_rank(rank, run):
    """The number of the process that torchrun gave this rank in the training of a run folder."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            program, *arguments = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_of_run = program.endswith(b"/translate-train") and str(run).encode() in arguments
        if is_of_run and f"RANK={rank}".encode() in variables:
            return int(folder.name)
    return None


class TorchrunTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="translate-torchrun-")))
        self.config = configuration(self.folder)
        self.environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo"}

    def test_the_run_is_that_of_processes(self):
        ours, theirs = self.folder / "ours", self.folder / "theirs"
        subprocess.run([*command(self.config, ours), "--processes", "2"], check=True, capture_output=True)
        done = subprocess.run([*TORCHRUN, *command(self.config, theirs)], check=False, capture_output=True, text=True,
                              env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 processes", done.stderr)
        self.assertEqual(final_weights(ours), final_weights(theirs))

    def test_a_restart_goes_on_from_the_last_checkpoint(self):
        ours, theirs = self.folder / "ours", self.folder / "theirs"
        subprocess.run([*command(self.config, ours), "--processes", "2"], check=True, capture_output=True)
        started = subprocess.Popen([*TORCHRUN[:-1], "--max-restarts", "2", "--no-python", *command(self.config, theirs)],
                                   stderr=subprocess.PIPE, text=True, env=self.environment)
        told = ""
        while "step 40 " not in told:
            line = started.stderr.readline()
            self.assertTrue(line, told)
            told += line
        victim = process_of_rank(1, theirs)
        self.assertIsNotNone(victim)
        os.kill(victim, signal.SIGKILL)
        start = time.monotonic()
        told += started.communicate()[0] or ""
        self.assertEqual(started.returncode, 0)
        self.assertLess(time.monotonic() - start, 120)
        self.assertEqual(final_weights(ours), final_weights(theirs))


if __name__ == "__main__":
    unittest.main()
