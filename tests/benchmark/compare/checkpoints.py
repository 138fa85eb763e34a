"""The model that all sides translate with: its sizes, a copy without a limit of ours, its way in from MarianMT and out to
transformers, and a training for it."""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import zlib

from compare import settings

WARM_UP_STEPS = {"tiny": 1000, "base": 100}
CHECKPOINT_EVERY = 250
NO_RATIO = 1e6  # pieces of a translation for one of the source


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Of the model of a checkpoint."""

    options: dict  # the keys of `model` in its configuration
    vocabulary: int  # pieces of the target
    parameters: int

    def multiply_adds(self, source_positions, steps):
        """Of the matrix products of encoder, decoder and projection: each source position once, each step of a
        hypothesis. Attention's own products are left out."""
        width, inner = self.options["d_model"], self.options["d_ff"]
        encoder, decoder = self.options["encoder_layers"], self.options["decoder_layers"]
        square, feed_forward = width * width, 2 * width * inner
        by_source = encoder * (4 * square + feed_forward) + decoder * 2 * square
        by_step = decoder * (6 * square + feed_forward) + width * self.vocabulary
        return source_positions * by_source + steps * by_step

    def products(self, rows):
        """Each kind of these products once, [rows, inner, outer, count], with many rows: what matrix_rate.py times."""
        width, inner = self.options["d_model"], self.options["d_ff"]
        shapes = [(width, 3 * width), (width, width), (width, inner), (inner, width), (width, self.vocabulary)]
        return [[rows, *shape, 1] for shape in shapes]


def shapes(file):
    """Of the tensors of a .safetensors file, by name."""
    with pathlib.Path(file).open("rb") as opened:
        header = json.loads(opened.read(int.from_bytes(opened.read(8), "little")))
    return {name: tensor["shape"] for name, tensor in header.items() if name != "__metadata__"}


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def read_sizes(checkpoint):
    options = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))["model"]
    tensors = shapes(checkpoint / "model.safetensors")
    parameters = sum(product(shape) for shape in tensors.values())
    return Sizes(options, tensors["projection_layer.proj.bias"][0], parameters)


def with_own_checksum(manifest):
    """The manifest with the checksum of its compact text, as docs/files.md has it."""
    rest = {key: value for key, value in manifest.items() if key != "manifest_crc32"}
    text = json.dumps(rest, separators=(",", ":"), ensure_ascii=False)
    return rest | {"manifest_crc32": zlib.crc32(text.encode("utf-8"))}


def copy_without_ratio(checkpoint, folder):
    """A copy whose translations end at their end or at --max-length: CTranslate2 has no limit by the source's length.

    Large files are linked to."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    manifest = json.loads((checkpoint / "manifest.json").read_text(encoding="utf-8"))
    for name in manifest["files"]:
        if (checkpoint / name).exists():
            (folder / name).symlink_to((checkpoint / name).resolve())
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    config["decoding"]["max_length_ratio"] = NO_RATIO
    text = json.dumps(config, indent=2).encode("utf-8")
    (folder / "config.json").unlink()
    (folder / "config.json").write_bytes(text)
    manifest["files"]["config.json"] = {"size": len(text), "crc32": zlib.crc32(text)}
    manifest |= {"score": None, "best_score": None}  # floats, which two writers may spell differently
    (folder / "manifest.json").write_text(json.dumps(with_own_checksum(manifest), indent=2), encoding="utf-8")
    return folder


def is_marian(folder):
    """Whether it is a folder of transformers' MarianMT."""
    file = folder / "config.json"
    return file.is_file() and json.loads(file.read_text(encoding="utf-8")).get("model_type") == "marian"


def imported(programs, folder, output):
    """A checkpoint of ours with the weights of a MarianMT folder."""
    shutil.rmtree(output, ignore_errors=True)
    subprocess.run([programs / "translate-import", folder, output], check=True, stdout=subprocess.DEVNULL)
    return output


def exported(programs, checkpoint, output):
    """The folder for transformers of a checkpoint, or None if it cannot be exported; the reason is then on stderr."""
    shutil.rmtree(output, ignore_errors=True)
    command = [programs / "translate-export", "--format", "huggingface", checkpoint, output]
    return output if subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0 else None


def train(program, model, corpus, folder, minutes, threads):
    """The newest checkpoint of `minutes` of training; a run that has had them is not trained again."""
    folder.mkdir(parents=True, exist_ok=True)
    config = settings.configuration(model, corpus / "train.en.gz", corpus / "train.fr.gz", log_every=25)
    config["training"] |= {"max_minutes": minutes, "warmup_steps": WARM_UP_STEPS[model]}
    config["training"] |= {"checkpoint_every": CHECKPOINT_EVERY}
    file = folder / "config.json"
    file.write_text(json.dumps(config, indent=2), encoding="utf-8")
    run_dir = folder / "run"
    command = [program, "--config", file, "--run-dir", run_dir, "--threads", str(threads)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return max((run_dir / "checkpoints").glob("step-*"))
