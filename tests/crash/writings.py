"""The outputs of the programs, and the properties that they must have after a crash, a failure or a loss of power."""

import json
import os
import re
import shutil
import zipfile
import zlib

from event_records import read_records, step_of
from recorded_calls import plain_program, watched_program

PAIRS = 300  # to train on
MODEL = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 1, "d_ff": 8, "tie_embeddings": "all"}
SENTENCE = "The cat sat."
STEPS = 2
RUN = "runs/a"
# Files under other names, which no program takes for what they are made into.
UNFINISHED = re.compile(r"\.tmp-|\.partial$")


class Broken(Exception):
    """A promise that was not kept."""


def require(condition, message):
    if not condition:
        raise Broken(message)


def write_config(folder, corpus):
    files = {
        split: {"source": str(corpus / f"{split}.en"), "target": str(corpus / f"{split}.fr")}
        for split in ("train", "validation")
    }
    config = {
        "data": files | {"source_language": "en", "target_language": "fr"},
        "tokenizer": {"vocab_size": 100},
        "model": MODEL,
        "training": {
            "batch_tokens": 200,
            "max_steps": STEPS,
            "checkpoint_every": 1,
            "validate_every": 2,
            "log_every": 1,
            "keep_last": 1,
            "keep_best": 0,
        },
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def train_arguments(*more):
    return ["translate-train", "--config", "config.json", "--run-dir", RUN, "--threads", "1", *more]


def infer_arguments(*more, program="translate-infer"):
    return [program, "--threads", "1", "--precision", "fp32", *more]


def checkpoints_of(run):
    """The steps that have a checkpoint, {step: folder}."""
    folder = run / "checkpoints"
    names = os.listdir(folder) if folder.is_dir() else []
    return {int(name.removeprefix("step-")): folder / name for name in sorted(names) if re.fullmatch(r"step-\d+", name)}


def damage_of(checkpoint):
    """What is wrong with a checkpoint's files, by its manifest; empty if it is whole."""
    try:
        files = json.loads((checkpoint / "manifest.json").read_bytes())["files"]
    except (OSError, ValueError) as error:
        return f"{checkpoint.name}/manifest.json: {error}"
    for name, digest in files.items():
        try:
            content = (checkpoint / name).read_bytes()
        except OSError as error:
            return str(error)
        if (len(content), zlib.crc32(content)) != (digest["size"], digest["crc32"]):
            return f"{checkpoint.name}/{name} has {len(content)} bytes or another sum, in place of {digest['size']}"
    return ""


def unfinished_in(folder):
    return [
        os.path.relpath(os.path.join(place, name), folder)
        for place, folders, files in os.walk(folder)
        for name in folders + files
        if UNFINISHED.search(name)
    ]


class Writing:
    """A command, and the folder in which it is run."""

    def __init__(self, name, before, command, caches):
        self.name = name
        self.before = before  # the folder before the command
        self.command = command
        self.caches = caches  # a folder outside, for what the programs remember

    def place(self, folder):
        shutil.copytree(self.before, folder, symlinks=True)

    def cache_of(self, folder):
        return self.caches

    def run(self, folder, **options):
        return watched_program(folder, *self.command, cache=self.cache_of(folder), **options)

    def again(self, folder):
        return plain_program(folder, *self.command, cache=self.cache_of(folder))

    def may_tolerate(self, call):
        """Whether the program may go on, with a warning, after that call has failed: what it had to delete stays."""
        return call.name in ("unlink", "rmdir")

    def may_ignore(self, call):
        """Whether it need not even warn: closing a file that was flushed cannot lose anything."""
        return call.name == "close"

    def may_leave(self, unfinished):
        """Whether a file under a name that is not its last may stay after a failure."""
        return False

    def promised(self, calls):
        """The step that the program had reported as saved after those calls; None if it saves no steps."""


class TrainingRun(Writing):
    """A run folder. Two updates, each with a checkpoint, of which the last is kept."""

    def __init__(self, name, before, command, caches, reference):
        super().__init__(name, before, command, caches)
        self.weights = (checkpoints_of(reference)[STEPS] / "model.safetensors").read_bytes()

    def may_tolerate(self, call):
        removes = "-removed" in call.path + call.other_path
        writes_log = call.path.endswith("log.txt") and call.name == "write"
        flushes_removal = call.name == "fsync" and call.path.endswith("/checkpoints")
        return removes or writes_log or flushes_removal or super().may_tolerate(call)

    def promised(self, calls):
        """The step of the last checkpoint that log.txt calls saved."""
        text = b"".join(call.data for call in calls if call.path.endswith("log.txt")).decode()
        steps = re.findall(r"saved \S*step-(\d+)", text)
        return int(steps[-1]) if steps else None

    def check(self, folder, promised):
        run = folder / RUN
        checkpoints = checkpoints_of(run)
        for step, checkpoint in checkpoints.items():
            if not self.was_damaged(step, checkpoint):
                require(not damage_of(checkpoint), f"a damaged checkpoint has its name: {damage_of(checkpoint)}")
        if promised is not None:
            require(
                any(step >= promised for step in checkpoints),
                f"step {promised} was reported as saved; there are {list(checkpoints) or 'no checkpoints'}",
            )
            lines = (run / "metrics.jsonl").read_bytes().splitlines()
            reported = re.compile(rb'{"kind":"train","step":%d,.*}' % promised)
            require(any(reported.fullmatch(line) for line in lines), f"step {promised} is not in metrics.jsonl")
            records = [record for file in self.event_files(run) for record in read_records(file)[0]]
            require(
                any(step_of(record) == promised and b"training/loss" in record for record in records),
                f"step {promised} is not in the event files",
            )

    def event_files(self, run):
        return sorted((run / "tensorboard").glob("events.out.tfevents.*"))

    def was_damaged(self, step, checkpoint):
        """Whether the checkpoint is the damaged one that was there before."""
        before = checkpoints_of(self.before / RUN).get(step)
        return before is not None and damage_of(before) and contents(before) == contents(checkpoint)

    def check_rest(self, folder):
        """The newest checkpoint translates; the run is resumed, and gives what an undisturbed one does."""
        checkpoints = checkpoints_of(folder / RUN)
        if checkpoints:
            latest = ("--run-dir", RUN, "--checkpoint", "latest")
            done = plain_program(folder, *infer_arguments(*latest, SENTENCE), cache=self.caches)
            require(done.returncode == 0 and done.stdout.strip(), f"translate-infer: {done.returncode}: {done.stderr}")
            whole = not any(map(damage_of, checkpoints.values()))
            require(not whole or "skipped" not in done.stderr, done.stderr)
        done = plain_program(folder, *train_arguments(), cache=self.caches)
        require(done.returncode == 0, f"resuming ended with {done.returncode}: {done.stderr}")
        self.check_end(folder)
        require(not unfinished_in(folder), f"left in the run folder: {unfinished_in(folder)}")

    def check_end(self, folder):
        run = folder / RUN
        checkpoint = checkpoints_of(run).get(STEPS)
        require(checkpoint is not None, f"no checkpoint of step {STEPS}")
        require(not damage_of(checkpoint), damage_of(checkpoint))
        require((checkpoint / "model.safetensors").read_bytes() == self.weights, "the weights differ")
        json.loads((run / "config.json").read_bytes())
        for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
            json.loads(line)
        if files := self.event_files(run):  # the last start of all; none where it found nothing to do
            records, rest = read_records(files[-1])
            require(len(records) > 1 and not rest, f"{files[-1].name} has {len(records)} records and {len(rest)} bytes")


class AnotherRun(TrainingRun):
    """A new run in the place of an earlier one (--resume never), which must stay whole under one name or the other."""

    def check(self, folder, promised):
        super().check(folder, promised)
        runs = [folder / "runs" / name for name in os.listdir(folder / "runs")]
        kept = [run for run in runs if (run / "earlier").is_file()]
        require(len(kept) == 1, f"the earlier run is in {kept}")
        checkpoints = checkpoints_of(kept[0])
        require(list(checkpoints) == [STEPS] and not damage_of(checkpoints[STEPS]), "the earlier run is damaged")


class Output(Writing):
    """A file or folder that is replaced as a whole."""

    def __init__(self, name, before, command, caches, output, leaves=None):
        super().__init__(name, before, command, caches)
        self.output = output
        self.leaves = leaves  # the file with the results so far, which stays after a failure
        self.old = contents(before / output)
        self.new = None  # known once the command was run undisturbed

    def check(self, folder, promised):
        found = contents(folder / self.output)
        require(found in (self.old, self.new), f"{self.output} is neither the old nor the new one: {summary(found)}")
        if promised:
            require(found == self.new, f"{self.output} was reported as written, and is the old one")

    def check_rest(self, folder):
        done = self.again(folder)
        require(done.returncode == 0, f"the same command again ended with {done.returncode}: {done.stderr}")
        self.check_end(folder)

    def check_end(self, folder):
        require(contents(folder / self.output) == self.new, f"{self.output} is not the new one")

    def may_leave(self, unfinished):
        return unfinished == self.leaves


def contents(output):
    """The bytes of a file, or of the files in a folder or a zip archive; nothing if it does not exist."""
    if output.is_dir():
        files = sorted(path for path in output.rglob("*") if path.is_file())
        return {str(path.relative_to(output)): path.read_bytes() for path in files}
    if not output.exists():
        return None
    if output.suffix == ".argosmodel":
        try:
            with zipfile.ZipFile(output) as archive:  # it holds times, too
                return {name: archive.read(name) for name in archive.namelist()}
        except zipfile.BadZipFile:
            return {"damaged": output.read_bytes()}
    return output.read_bytes()


def summary(found):
    sizes = {name: len(data) for name, data in found.items()} if isinstance(found, dict) else found and len(found)
    return f"sizes {sizes}"
