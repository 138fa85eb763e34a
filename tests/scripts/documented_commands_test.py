#!/usr/bin/env python3
"""Every command of README.md and the pages in docs works: each document's commands run in their order in a folder like
a fresh checkout, with stand-ins for what a reader has (documented/workspace.py) and short trainings.

Whatever is not listed in NOT_RUN is run, and an entry of a table below that no document needs any more is an error.
TRANSLATE_BIN_DIR: the programs' folder. With TRANSLATE_NIGHTLY=1 the commands of LONG run as well. Arguments are names
of documents to run alone."""

import gzip
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from documented.commands import commands_of  # noqa: E402
from documented.foreign_models import foreign_models, multilingual_model  # noqa: E402
from documented.weights import reference_weights, small_weights, tokenizers  # noqa: E402
from documented.workspace import OWN_CONFIG, ROOT, Workspace, corpus, write  # noqa: E402

NIGHTLY = os.environ.get("TRANSLATE_NIGHTLY", "") not in ("", "0")
CPU = min(os.sched_getaffinity(0))

# (document, what the command begins with, reason). These are run neither here nor with TRANSLATE_NIGHTLY.
NOT_RUN = [
    ("README.md", "scripts/quickstart", "installs packages and builds; then it runs the README's first commands"),
    ("README.md", "scripts/test", "runs this test"),
    ("README.md", "pip install huggingface_hub", "downloads a model"),
    ("README.md", "cmake --build --preset release", "builds"),
    ("README.md", "cmake --install build/release", "needs the build folder, and writes into the home folder"),
    ("README.md", "scripts/package", "builds packages; scripts/check-packages does"),
    ("docs/evaluation.md", "translate-eval --hypotheses theirs.fr --source news.en --reference news.fr --metric-command",
     "needs unbabel-comet and its model"),
    ("docs/commands.md", "translate-train --config my.json --check --strict", "ends with 1: the few steps of a stand-in are "
                                                                              "fewer than its warm-up"),
    ("docs/alignment.md", "", "builds, and takes minutes; the tests of the layer hold the aligner to its quality"),
    ("docs/explain.md", "cmake --preset release", "builds; .ci/run builds this target"),
    ("docs/explain.md", "build/release/benchmark/micro_benchmarks", "needs the build of the line before"),
    ("docs/explain.md", "scripts/plot-costs", "needs the results of the line before; scripts.plot_costs runs it"),
    ("docs/course/README.md", "scripts/quickstart", "the same as in README.md"),
    ("docs/course/README.md", "cmake --build --preset release", "builds"),
    ("docs/gpu.md", "ctest", "needs the build folder; ctest runs this test"),
    ("docs/gpu.md", "scripts/setup --cuda", "downloads some gigabytes"),
    ("docs/speed.md", "python3 tests/benchmark/benchmark_peers.py", "there may be no GPU"),
    ("docs/gpu.md", "cmake --preset release", "builds"),
    ("docs/gpu.md", "scripts/test-gpu", "builds; without a GPU it runs a test that ctest runs"),
    ("docs/install.md", "", "installs as root, or needs Docker; scripts/check-packages tries the same in Debian 12"),
    ("docs/python.md", "tests/benchmark/python_package.py", "needs an installed wheel, CTranslate2 and transformers"),
    ("docs/python.md", "pip install", "builds; scripts/nightly installs and tests a wheel"),
    ("docs/pytorch.md", "tests/python/recipe_test.py", "trains for minutes, and needs PyTorch for Python; python.recipe "
                                                       "runs its first part"),
    *(("docs/recipe.md", f"translate-train {which}", "models that are trained for a moment write nothing: "
                                                    "scripts.distillation runs both kinds")
      for which in ("train.en train.fr --hours 8 --teachers", "--config multi30k-en-fr-tok.json --teachers",
                    "--config multi30k-en-de-tok.json")),
    *(("docs/results.md", which, "the same, and what needs its models")
      for which in ("translate-train --config multi30k-en-de-tok.json --precision", "translate-train --config runs/students",
                    "translate-train --config multi30k-en-de-tok.json --student-of", "translate-eval --checkpoint runs/students")),
    *(("docs/commands.md", f"translate-train train.de train.en --hours {which}", "the same")
      for which in ("8 --teachers", "2 --student-of")),
    ("docs/reliability.md", "tests/scripts/crash_consistency_test.py", "ctest runs it"),
    ("docs/reliability.md", "TRANSLATE_NIGHTLY=1 tests/scripts", "ctest runs it in scripts/nightly"),
    ("docs/reliability.md", "scripts/fuzz", "installs a compiler and builds; scripts/nightly runs it"),
    ("docs/scaling.md", "", "needs the build folder and root, and takes an hour; the test scripts.benchmark_scaling runs "
                            "its parts"),
    ("docs/speed.md", "scripts/benchmark-peers", "takes hours, and needs PyTorch and CTranslate2: the tests "
                                                 "python.benchmark_peers and python.benchmark_decoding run its parts"),
    ("docs/speed.md", "apt-get install", "installs a package"),
    ("docs/speed.md", "pip install pymarian", "too large for the tests"),
    ("docs/speed.md", "tests/benchmark/marian.py", "needs pymarian"),
    ("docs/speed.md", "translate-data shortlist", "docs/decoding.md has it"),
    ("docs/speed.md", "translate-infer --checkpoint runs/MODEL/latest", "the same"),
    *(("docs/speed.md", command, "needs trained students, and CTranslate2")
      for command in ("translate-infer --checkpoint runs/STUDENT", "tests/benchmark/convert_to_ctranslate2.py",
                      "tests/benchmark/ctranslate2_translate.py")),
    ("docs/speed.md", "cmake --preset release", "builds; .ci/run builds this target"),
    ("docs/speed.md", "build/release/benchmark/micro_benchmarks", "needs the build of the line before"),
]

# (document, what the command begins with): run with TRANSLATE_NIGHTLY=1 alone.
LONG = [
    ("docs/recipe.md", "scripts/sweep --config multi30k-en-fr.json --set"),  # 12 runs
    ("docs/results.md", ""),  # all of it: some 20 runs and 10 corpora, by scripts that recipe.md runs, too
]

# (document, text, what stands there in its place, reason).
REPLACED = [
    *((document, "train.de train.en --hours", "train.de train.en --source-language de --target-language en --hours",
       "the stand-ins are in other languages") for document in ("README.md", "docs/commands.md")),
    ("docs/commands.md", "crawled.tsv.gz --hours", "crawled.tsv.gz --source-language de --target-language en --hours",
     "the stand-ins are in other languages"),
    ("docs/commands.md", "translate-data shortlist train.de train.en",
     "translate-data shortlist train.de train.en --source-language de --target-language en",
     "the stand-ins are in other languages"),
    ("docs/commands.md", "runs/de-en/best runs/en-de/best", "latest latest", "there are no two directions"),
    *((document, f"translate-data {work} my.tmx", f"translate-data {work} own.tmx", "the stand-in is in other languages")
      for document, work in (("README.md", "clean"), ("docs/commands.md", "clean"), ("docs/commands.md", "convert"),
                             ("docs/data.md", "clean"), ("docs/data.md", "convert"))),
    *((document, "my.tmx --init opus-mt-de-en", "own.tmx --init opus-mt-en-fr", "the stand-ins are in other languages")
      for document in ("README.md", "docs/commands.md")),
    ("README.md", "runs/de-en-my/fine-tuned", "runs/en-fr-own/fine-tuned", "the stand-ins are in other languages"),
    ("docs/data.md", "translate-data clean train.de train.en", "translate-data clean train.de train.en --source-language de "
     "--target-language en", "the stand-ins are in other languages"),
    ("docs/data.md", "--pairs 10000000", "--pairs 300", "they would take minutes"),
    ("docs/data.md", "clean varied.en-fr.tsv", "clean own.tmx", "paste is not run"),
    ("docs/data.md", "--pairs 36000000", "--pairs 360", "they would take an hour"),
    ("docs/data.md", "--pairs 40000000", "--pairs 400", "they would take half an hour"),
    ("docs/data.md", "taskset -c 1", f"taskset -c {CPU}", "this process may not be allowed to use that processor"),
    ("docs/glossary.md", "runs/multi30k-en-fr/step-2000", "runs/multi30k-en-fr/latest", "a short training does not get so far"),
    ("docs/results.md", "runs/wider/step-8000", "runs/wider/latest", "a short training does not get so far"),
    ("docs/gpu.md", "--device cuda:0", "--device cpu", "there may be no GPU"),
    ("docs/gpu.md", "--device cuda ", "--device cpu ", "there may be no two GPUs"),
    ("docs/pytorch.md", '"d_model": 256, "num_layers": 4, "num_heads": 8, "d_ff": 1024',
     '"d_model": 16, "num_layers": 2, "num_heads": 2, "d_ff": 16', "the sizes of the stand-in"),
]


def translation_memory(source, target):
    """The corpus as TMX in these languages."""
    units = (f'<tu><tuv xml:lang="{source}"><seg>{one}</seg></tuv><tuv xml:lang="{target}"><seg>{other}</seg></tuv></tu>'
             for one, other in zip(corpus("train", "en").splitlines(), corpus("train", "fr").splitlines()))
    return f"<tmx version='1.4'><header/><body>{''.join(units)}</body></tmx>\n"


def own_text(work):
    """A reader's own text and configuration."""
    write(work.folder / "my.json", json.dumps(OWN_CONFIG))
    for name in ("train", "good"):
        work.text(f"{name}.de", "train", "en")
        work.text(f"{name}.en", "train", "fr")
    pairs = zip(corpus("train", "en").splitlines(), corpus("train", "fr").splitlines())
    with gzip.open(work.folder / "crawled.tsv.gz", "wt", encoding="utf-8") as table:
        table.writelines(f"{source}\t{target}\n" for source, target in pairs)
    write(work.folder / "own.tmx", translation_memory("en", "fr"))


def readme(work):
    own_text(work)
    foreign_models(work)


def interop(work):
    own_text(work)
    work.text("train.en", "train", "en")
    work.text("train.fr", "train", "fr")
    foreign_models(work)
    work.train("runs/en-fr", options=("--set", "model.tie_embeddings=all"))


def languages(work):
    def corpora(split, *languages):
        return json.dumps([{"source": f"data/en-fr/{split}.en", "target": f"data/en-fr/{split}.fr", "source_language": "en",
                            "target_language": language} for language in languages])
    tagged = [part for key, split in (("train", "train"), ("validation", "validation"), ("test", "test"))
              for part in ("--set", f"data.{key}={corpora(split, 'fr', 'de')}")]
    work.train("runs/mine", options=tagged)
    work.text("news.en", "test", "en")
    work.text("news.de", "test", "fr")
    multilingual_model(work, tagged)


def exact_metric(work):
    """The example of a metric in docs/evaluation.md."""
    page = (ROOT / "docs/evaluation.md").read_text(encoding="utf-8")
    write(work.folder / "exact.py", re.search(r"```python\n(import json, sys\n.*?)```", page, re.DOTALL)[1])


def commands(work):
    own_text(work)
    foreign_models(work)
    for name, split, language in (("news.en", "test", "en"), ("news.fr", "test", "fr"), ("theirs.fr", "test", "fr"),
                                  ("in.en", "test", "en")):
        work.text(name, split, language)
    exact_metric(work)
    write(work.folder / "page.html", "<p>The <b>cat</b> sat.</p>\n")
    write(work.folder / "my.tmx", translation_memory("de", "en"))
    write(work.folder / "in.jsonl", '{"id": 7, "source": "The cat sat"}\n')
    tokenizers(work)
    reference_weights(work, "model.pt")


def pytorch(work):
    own_text(work)
    tokenizers(work)
    reference_weights(work, "tmodel_19.pt")
    config = dict(OWN_CONFIG)
    config["tokenizer"] = {"source_model": "tokenizer_en.json", "target_model": "tokenizer_fr.json", "shared": False}
    config["model"] = {}
    write(work.folder / "my.json", json.dumps(config))


def evaluation(work):
    exact_metric(work)
    work.train("runs/own")  # the page trains runs/en-fr
    for name in ("news.en",):
        work.text(name, "test", "en")
    for name in ("news.fr", "theirs.fr", "a.fr", "b.fr", "ours.fr", "test.fr", "older.fr"):
        work.text(name, "test", "fr")


def decoding(work):
    work.train("runs/other")
    work.train("runs/en-fr")
    work.text("in.en", "test", "en")
    work.text("out.fr", "test", "fr")
    for language in ("en", "fr"):
        work.text(f"train.{language}", "train", language)


def lesson(work):
    work.train("runs/en-fr")
    shutil.copytree(ROOT / "docs/course/exercises", work.folder / "build/course", dirs_exist_ok=True)


def explain(work):
    work.train("runs/stand-in")  # the page goes on with runs/en-fr of its own
    work.text("some.en", "test", "en")


def slips(work):
    work.train("runs/en-fr")


def glossary(work):
    slips(work)
    work.get_data("multi30k-en-fr")
    work.train("runs/multi30k-en-fr")


def documents(work):
    work.train("runs/en-fr")
    write(work.folder / "page.html", "<html lang=en><p title='The cat'>The <b>cat</b> sat.</p></html>\n")
    write(work.folder / "talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nThe cat sat.\n")
    write(work.folder / "messages.csv", "id,text\n1,The cat sat.\n")
    for name in ("notes.txt", "notes.md"):
        write(work.folder / name, "# The cat\n\nThe **cat** sat.\n")


def recipe(work):
    own_text(work)
    work.train("runs/a")
    work.copy_run("runs/a", "runs/b", "runs/plain-1", "runs/plain-2", "runs/recipe-1")
    work.train("runs/fr-en", "fr", "en")
    for name, split, language in (("train.en.gz", "train", "en"), ("train.fr.gz", "train", "fr"),
                                  ("more.fr", "test", "fr"), ("val.en", "validation", "en"),
                                  ("val.fr", "validation", "fr"), ("test.en", "test", "en")):
        work.text(name, split, language)
    for name in ("multi30k-en-fr", "multi30k-en-fr-tok"):
        work.get_data(name)
    write(work.folder / "candidates.txt", "model.dropout=0.2 training.r_drop=5\nmodel.dropout=0.3\n")


def results(work):
    work.train("runs/stand-in")
    work.copy_run("runs/stand-in", "runs/wider-1", "runs/drawn-1", "runs/everyday-en-fr")


def data(work):
    own_text(work)
    work.text("train.en.gz", "train", "en")
    work.text("train.fr.gz", "train", "fr")
    write(work.folder / "big.json", '{"data": {"train": {"source": "big.en.gz", "target": "big.fr.gz"}}}')
    write(work.folder / "parts.json", '{"data": {"train": {"source": "big-*.en", "target": "big-*.fr"}}}')


def serving(work):
    work.train("runs/fr-de", "fr", "en", options=("--set", "data.target_language=de"))
    work.train("runs/en-fr")


# What a reader of a document has before its first command.
STAND_INS = {
    "README.md": readme,
    "docs/commands.md": commands,
    **{f"docs/course/{path.name}": lesson for path in (ROOT / "docs/course").glob("[0-9]*.md")},
    "docs/data.md": data,
    "docs/decoding.md": decoding,
    "docs/distributed.md": own_text,
    "docs/documents.md": documents,
    "docs/evaluation.md": evaluation,
    "docs/explain.md": explain,
    "docs/glossary.md": glossary,
    "docs/interop.md": interop,
    "docs/languages.md": languages,
    "docs/memory.md": own_text,
    "docs/pytorch.md": pytorch,
    "docs/recipe.md": recipe,
    "docs/results.md": results,
    "docs/serving.md": serving,
    "docs/slips.md": slips,
    "docs/text.md": slips,
}

# (document, what the command begins with, what has happened before).
BEFORE = [
    ("docs/commands.md", "translate-eval --checkpoint best --against", lambda work: work.make_newest("runs/en-fr")),
    ("docs/pytorch.md", "echo ", lambda work: small_weights(work, "tmodel_19.pt")),
]


class Tables:
    """The tables above, with an account of what in them was needed."""

    def __init__(self):
        self.used = set()

    def listed(self, table, command):
        """The row for a command."""
        for row in table:
            if command.document == row[0] and command.text.startswith(row[1]):
                self.used.add(row[:2])
                return row
        return None

    def happened_before(self, command, work):
        row = self.listed(BEFORE, command)
        if row:
            row[2](work)

    def text_to_run(self, command):
        text = command.text
        for document, old, new, _ in REPLACED:
            if document == command.document and old in text:
                self.used.add((document, old))
                text = text.replace(old, new)
        return text

    def unused(self, documents):
        rows = [row[:2] for table in (NOT_RUN, LONG, REPLACED, BEFORE) for row in table]
        return [row for row in rows if row[0] in documents and row not in self.used]


class DocumentedCommands(unittest.TestCase):
    """One test for each document."""

    def run_document(self, document):
        commands = commands_of(document, (ROOT / document).read_text(encoding="utf-8"))
        tables = Tables()
        blocks = {}
        for command in commands:
            text = tables.text_to_run(command)
            is_left_out = tables.listed(NOT_RUN, command) or (tables.listed(LONG, command) and not NIGHTLY)
            if not is_left_out:
                blocks.setdefault(command.block, []).append((command, text))
        with tempfile.TemporaryDirectory(prefix="translate-") as folder:
            work = Workspace(pathlib.Path(folder))
            STAND_INS.get(document, lambda work: None)(work)
            try:
                for block in blocks.values():
                    work.run(block, lambda command: tables.happened_before(command, work))
                self.assertEqual(tables.unused([document]), [], "the document does not have these any more")
            finally:
                work.close()


def documents():
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def add_tests(names):
    for document in names:
        def test(self, document=document):
            self.run_document(document)
        setattr(DocumentedCommands, "test_" + re.sub(r"\W", "_", document), test)


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(documents())
    if unknown:
        sys.exit(f"no such document: {', '.join(sorted(unknown))}; there are {', '.join(documents())}")
    if not shutil.which("curl"):
        print("curl is not there: its commands are not run", file=sys.stderr)
    add_tests(sys.argv[1:] or documents())
    unittest.main(argv=sys.argv[:1])
