#!/usr/bin/env python3
"""Everything that the programs write is whole or absent after a crash, a failing call or a loss of power, and a run
resumes from it exactly. Each writing (tests/crash/writings.py) is recorded once, call by call; then the program is stopped at
each call, each call fails with each error, and the disk is left as a loss of power may leave it after each call.

TRANSLATE_BIN_DIR: the programs' folder. TRANSLATE_FILE_CALLS: the library of tests/crash/file_calls.cpp. With
TRANSLATE_NIGHTLY=1 all of that is tried, else a sample. Arguments are names of writings to try alone."""

import collections
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "crash"), str(TESTS / "python")]

from programs import ROOT, write_short_corpus  # noqa: E402
from recorded_calls import plain_program  # noqa: E402
from sweep import Sweep  # noqa: E402
from writings import (  # noqa: E402
    PAIRS,
    RUN,
    SENTENCE,
    STEPS,
    AnotherRun,
    Output,
    TrainingRun,
    checkpoints_of,
    infer_arguments,
    require,
    train_arguments,
    write_config,
)

NIGHTLY = os.environ.get("TRANSLATE_NIGHTLY", "") not in ("", "0")
SUBSETS = 3 if NIGHTLY else 1  # random states after each call


def prepared(folder, caches):
    """The folders before the commands, and the writings."""
    corpus = folder / "corpus"
    corpus.mkdir()
    write_short_corpus(corpus, PAIRS)

    def place(name, source=None):
        made = folder / "before" / name
        if source is None:
            made.mkdir(parents=True)
            write_config(made, corpus)
        else:
            shutil.copytree(source, made)
        return made

    def run(where, *command):
        done = plain_program(where, *command, cache=caches)
        require(done.returncode == 0, f"{command}: {done.stderr}")

    new = place("new run")
    trained = place("trained")
    run(trained, *train_arguments("--set", "training.keep_last=5"))
    (trained / RUN / "earlier").write_text("a mark")
    damaged = place("damaged", trained)
    newest = checkpoints_of(damaged / RUN)[STEPS] / "model.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1] + b"?")
    complete = place("complete", trained)
    shutil.rmtree(checkpoints_of(complete / RUN)[1])
    writings = [
        TrainingRun("training", new, train_arguments(), caches, trained / RUN),
        TrainingRun("resuming", damaged, train_arguments(), caches, trained / RUN),
        AnotherRun("another run", complete, train_arguments("--resume", "never"), caches, trained / RUN),
    ]
    for form in ("ctranslate2", "huggingface", "argos"):
        output = "en-fr.argosmodel" if form == "argos" else "out"
        command = ["translate-export", "--format", form, "--force"]
        writings.append(Output(form, complete, [*command, f"{RUN}/latest", output], caches, output))
        replaced = place(f"replaced {form}", trained)
        run(replaced, *command, f"{RUN}/step-1", output)
        writings.append(Output(f"replacing {form}", replaced, [*command, f"{RUN}/latest", output], caches, output))
    model = ROOT / "tests" / "golden" / "marian" / "all"
    imported = place("imported")
    run(imported, "translate-import", "--source-language", "de", model, "out")
    writings.append(Output("import", imported, ["translate-import", "--force", model, "out"], caches, "out"))
    (complete / "translation.txt").write_text("an older one\n")
    translate = infer_arguments("--run-dir", RUN, "--output", "translation.txt", SENTENCE)
    writings.append(Output("translation", complete, translate, caches, "translation.txt", leaves="translation.txt.partial"))
    attention = infer_arguments("--run-dir", RUN, "--attention", "page.html", SENTENCE, program="translate-explain")
    writings.append(Output("page", complete, attention, caches, "page.html"))
    return writings


def main(names):
    # In memory if possible: flushing takes no time there, and the model of a loss of power needs no disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="translate-crash-", dir=memory)))
    total = collections.Counter()
    failures = []
    try:
        caches = folder / "caches"
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for writing in prepared(folder, caches):
                if names and writing.name not in names:
                    continue
                place = folder / writing.name.replace(" ", "-")
                place.mkdir()
                sweep = Sweep(writing, place, SUBSETS, complete=NIGHTLY)
                sweep.run(pool)
                shutil.rmtree(place, ignore_errors=True)
                print(f"{writing.name}: " + ", ".join(f"{count} {what}" for what, count in sweep.counts.items()))
                for failure in sweep.failures:
                    print("  FAILED " + failure)
                sys.stdout.flush()
                total += sweep.counts
                failures += sweep.failures
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("total: " + ", ".join(f"{count} {what}" for what, count in total.items()))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
