"""A folder like a fresh checkout, in which the commands of a document run on stand-in data."""

import gzip
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN_DIR = pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build" / "release" / "bin"))
LINES = {"train": 120, "validation": 12, "test": 12}

# What translate-train gets besides: a model that is trained in a moment, and whose untrained chatter is short.
SHORTENED = {
    "model.d_model": 16, "model.num_layers": 2, "model.num_heads": 2, "model.d_ff": 16, "tokenizer.vocab_size": 200,
    "training.max_epochs": 2, "training.validate_every": "epoch", "training.checkpoint_every": "epoch",
    "decoding.max_length": 12,
}

TRAIN = """#!/usr/bin/env bash
exec {program} "$@" {settings}
"""

GET_DATA = """#!/usr/bin/env bash
exec "${{BASH_SOURCE[0]}}.real" "$@" --from {folder}
"""

# A server goes on beside the commands that ask it, on a port of its own, until the next one or the end.
SERVE = """#!/usr/bin/env bash
exec 3>&- 4<&-
arguments=() port=5000
while [[ $# -gt 0 ]]; do
  case "$1" in
    --port) port="$2"; shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
declare -A ports=({ports})
log={folder}/server-$port.log pid={folder}/server-$port.pid
if [[ -e $pid ]]; then
  kill "$(cat "$pid")"
  while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.02; done
fi
: >"$log"  # the server empties it only once it has been started: until then the former one's messages are in it
{program} "${{arguments[@]}}" --port "${{ports[$port]}}" 2>"$log" >&2 &
echo $! >"$pid"
until grep --quiet "listening on" "$log"; do
  kill -0 "$(cat "$pid")" || {{ cat "$log" >&2; exit 1; }}
  sleep 0.02
done
"""

# An answer that is an error fails, unless the documentation shows the answer's status itself.
CURL = """#!/usr/bin/env bash
declare -A ports=({ports})
arguments=() fail=(--fail-with-body)
for each in "$@"; do
  [[ $each != -i ]] || fail=()
  if [[ $each =~ ^(http://127\\.0\\.0\\.1:)([0-9]+)(.*)$ ]]; then
    each="${{BASH_REMATCH[1]}}${{ports[${{BASH_REMATCH[2]}}]}}${{BASH_REMATCH[3]}}"
  fi
  arguments+=("$each")
done
exec {program} --silent --show-error "${{fail[@]}}" "${{arguments[@]}}"
"""
PORTS = (5000, 5001, 5002, 8080)  # that the documents name


def corpus(split, language):
    """The first lines of the embedded corpus."""
    lines = (ROOT / "data" / "en-fr" / f"{split}.{language}").read_text(encoding="utf-8").split("\n")
    return "".join(line + "\n" for line in lines[:LINES[split]])


# The configuration of a reader's own text.
OWN_CONFIG = {
    "data": {"train": {"source": "train.de", "target": "train.en"}, "validation": {"fraction": 0.1}, "max_length": 128},
    "tokenizer": {"vocab_size": 10000},
    "model": {"d_model": 128, "num_layers": 4, "num_heads": 4, "d_ff": 256, "layer_norm": "torch", "tie_embeddings": "all"},
    "training": {"batch_tokens": 2048, "schedule": "inverse_sqrt", "warmup_steps": 1000, "learning_rate": 0.005},
}


class Workspace:
    """The folder of one document's commands."""

    def __init__(self, folder):
        self.folder = folder
        self._hidden = folder / ".stand-ins"
        self._own = self._hidden / "bin"
        self._bin = folder / "build" / "release" / "bin"
        for each in (self._own, self._bin):
            each.mkdir(parents=True)
        for name in ("configs", "docs", "scripts", "tests/benchmark", "data/en-fr"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for split in LINES:
            for language in ("en", "fr"):
                write(folder / "data" / "en-fr" / f"{split}.{language}", corpus(split, language))
        self._make_programs()
        self._make_corpora()

    def _make_programs(self):
        for program in sorted(BIN_DIR.glob("translate-*")):
            if program.name != "translate-train":
                (self._bin / program.name).symlink_to(program)
        settings = " ".join(f"--set {key}={value}" for key, value in SHORTENED.items())
        script(self._bin / "translate-train", TRAIN.format(program=BIN_DIR / "translate-train", settings=settings))
        real = self.folder / "scripts" / "get-data"
        real.rename(real.with_name("get-data.real"))
        script(real, GET_DATA.format(folder=self._hidden / "data"))
        ports = " ".join(f"[{port}]={free_port()}" for port in PORTS)
        script(self._own / "translate-serve", SERVE.format(program=BIN_DIR / "translate-serve", folder=self._hidden,
                                                           ports=ports))
        curl = shutil.which("curl")
        script(self._own / "curl", CURL.format(program=curl, ports=ports) if curl else "#!/bin/sh\n")

    def _make_corpora(self):
        """What scripts/get-data finds in place of the network."""
        tests = {"multi30k-en-fr": "test2016", "multi30k-en-fr-tok": "test2016", "multi30k-en-de": "test2016",
                 "multi30k-en-de-tok": "test2016", "tatoeba-en-fr": "test"}
        for name, test in tests.items():
            other = name.removesuffix("-tok").split("-")[-1]
            for language, stand_in in (("en", "en"), (other, "fr")):
                files = {f"train.{language}.gz": "train", f"val.{language}": "validation", f"{test}.{language}": "test"}
                for file, split in files.items():
                    write(self._hidden / "data" / name / file, corpus(split, stand_in))

    def text(self, name, split, language):
        """Writes a stand-in corpus, packed where its name ends so."""
        write(self.folder / name, corpus(split, language))

    def get_data(self, name):
        """The corpus, where a document takes for granted that it is there."""
        shutil.copytree(self._hidden / "data" / name, self.folder / "data" / name)

    def train(self, run, source="en", target="fr", options=(), program=None):
        """A run as the documents name it, trained from `source` to `target`."""
        pairs = {split: {side: f"{split}.{language}" for side, language in (("source", source), ("target", target))}
                 for split in LINES}
        for split in LINES:
            for language in (source, target):
                write(self._hidden / f"{split}.{language}", corpus(split, language))
        config = {"data": pairs | {"source_language": source, "target_language": target}}
        write(self._hidden / "run.json", json.dumps(config))
        command = [program or self._bin / "translate-train", "--config", self._hidden / "run.json", "--run-dir", run,
                   "--threads", "1", *options]
        done = subprocess.run(command, cwd=self.folder, check=False, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"the stand-in {run} cannot be trained:\n{done.stderr}")

    def copy_run(self, run, *others):
        for other in others:
            shutil.copytree(self.folder / run, self.folder / other)

    def checkpoint_of(self, run):
        return sorted((self.folder / run / "checkpoints").iterdir())[-1]

    def run(self, commands, before):
        """Runs (command, its text) of a block in one shell, after `before` was called with the command. Fails with the
        first command that does."""
        (said_out, said_in), (go_out, go_in) = os.pipe(), os.pipe()
        text = f"exec 3>&{said_in} {said_in}>&- 4<&{go_out} {go_out}<&-\nset -eo pipefail\n"
        for index, (_, each) in enumerate(commands):  # the shell says which is next, and waits
            text += f"echo {index} >&3; read -r <&4\n{each}\ncode=$?; [[ $code -eq 0 ]] || exit $code\n"
        environment = os.environ | {"PATH": f"{self._own}:{self._bin}:{os.environ['PATH']}",
                                    "OMP_WAIT_POLICY": "PASSIVE", "PYTHONDONTWRITEBYTECODE": "1"}
        log = self._hidden / "output"
        with log.open("wb") as output:
            shell = subprocess.Popen(["bash", "-c", text], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=output, pass_fds=(said_in, go_out))
        os.close(said_in)
        os.close(go_out)
        with os.fdopen(said_out) as said, os.fdopen(go_in, "w") as go:
            for index in said:
                command = commands[int(index)][0]
                before(command)
                go.write("\n")
                go.flush()
        if code := shell.wait():
            told = log.read_text(encoding="utf-8", errors="replace")[-3000:]
            raise AssertionError(f"{command.place}: exit code {code}\n  {command.text}\n{told}")

    def make_newest(self, run):
        """As if the run had been written last."""
        (self.folder / run / "config.json").touch()

    def close(self):
        """Ends the servers, which must say so."""
        for pid in self._hidden.glob("server-*.pid"):
            os.kill(int(pid.read_text()), signal.SIGTERM)
            deadline = time.monotonic() + 30
            while "ended" not in (log := pid.with_suffix(".log").read_text()):
                if time.monotonic() > deadline:
                    raise AssertionError(f"the server does not end:\n{log}")
                time.sleep(0.02)


def script(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
