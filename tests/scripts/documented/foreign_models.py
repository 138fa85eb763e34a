"""Stand-ins for models of other systems: a MarianMT folder, a model in Marian's own format, and one of Firefox."""

import shutil
import subprocess
import zipfile

from documented.workspace import BIN_DIR, ROOT

# What a MarianMT folder can hold; the sizes are those of all short trainings.
OPTIONS = {"model.norm": "post", "model.layer_norm": "torch", "model.tie_embeddings": "all", "model.zero_start": "true",
           "model.sinusoid_layout": "halves", "tokenizer.source_sos": "false"}


def marian_folder(work, name, options):
    """A MarianMT folder: a model of its own, exported."""
    settings = [part for key, value in OPTIONS.items() for part in ("--set", f"{key}={value}")]
    run = f"runs/for-{name}"
    work.train(run, options=[*settings, *options])
    subprocess.run([BIN_DIR / "translate-export", "--format", "huggingface", work.checkpoint_of(run), work.folder / name],
                   check=True, capture_output=True)


def multilingual_model(work, options):
    """opus-mt-en-mul, whose vocabulary has the tags of the corpora in the options."""
    marian_folder(work, "opus-mt-en-mul", options)


def foreign_models(work):
    """opus-mt-en-fr, opus-marian.zip and firefox-en-fr."""
    marian_folder(work, "opus-mt-en-fr", [])
    with zipfile.ZipFile(work.folder / "opus-marian.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((ROOT / "tests" / "golden" / "marian" / "all").iterdir()):
            archive.write(file, file.name)
    shutil.copytree(ROOT / "tests" / "golden" / "marian" / "firefox", work.folder / "firefox-en-fr")
