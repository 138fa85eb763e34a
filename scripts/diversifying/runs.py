"""The runs of scripts/diversify: what each is trained on, as settings of translate-train."""

import json
import subprocess

from sweeping.results import Run, figure, in_columns
from sweeping.settings import SEED
from translating.programs import Failed


def printed_config(program, name, options):
    """The configuration in force, paths absolute, as translate-train prints it."""
    command = [str(program), "--config", name, *options, "--print-config"]
    result = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        raise Failed("translate-train", result.returncode)
    config = json.loads(result.stdout)
    if not isinstance(config["data"]["validation"], list) or not config["data"]["validation"]:
        raise ValueError("data.validation: expected files; a share held out of the text would be held out of each run's "
                         "own, so that students would be judged by what their teachers have read")
    return config


def files_of(corpus, side):
    """The files of one side of a corpus, which may have one or a list of them."""
    files = corpus[side]
    return files if isinstance(files, list) else [files]


def teachers_of(folder, count):
    """Runs of the configuration as it is, which differ in the seed."""
    return [Run(name, folder / name, {SEED: str(seed)})
            for seed, name in ((seed, f"teacher-{seed}") for seed in range(1, count + 1))]


def reverse_of(folder, config):
    """The run of the other direction: source and target exchanged wherever the configuration tells them apart."""
    data, tokenizer = config["data"], config["tokenizer"]
    settings = {f"data.{split}": json.dumps([_exchanged(each) for each in data[split]], ensure_ascii=False)
                for split in ("train", "validation", "test") if data[split]}
    settings |= {"data.source_language": json.dumps(data["target_language"]),
                 "data.target_language": json.dumps(data["source_language"])}
    if tokenizer["source_model"] or tokenizer["target_model"]:
        settings |= {"tokenizer.source_model": json.dumps(tokenizer["target_model"]),
                     "tokenizer.target_model": json.dumps(tokenizer["source_model"])}
    return Run("reverse", folder / "reverse", settings)


def students_of(folder, config, teacher, corpora, seeds, changes):
    """Runs on the real pairs and those of the folders `corpora`, with the teacher's vocabulary: so student and teacher
    can translate together. `changes` are settings of the students alone."""
    made = [{side: str(corpus.resolve() / f"{side}.gz") for side in ("source", "target")} for corpus in corpora]
    settings = {"data.train": json.dumps([*config["data"]["train"], *made], ensure_ascii=False)}
    if not config["tokenizer"]["source_model"] and not config["tokenizer"]["target_model"]:
        vocabulary = (teacher.folder / "tokenizers").resolve()
        settings |= {f"tokenizer.{side}_model": json.dumps(str(vocabulary / f"{side}.spm"))
                     for side in ("source", "target")}
    return [Run(name, folder / name, settings | changes | {SEED: seed})
            for seed, name in ((seed, f"student-{seed}") for seed in seeds)]


def table(runs):
    """How the runs did on validation, in columns."""
    rows = [["run", next((run.metric for run in runs if run.metric), "best"), "at step", "steps", "minutes"]]
    rows += [[run.name, figure(run.best), str(run.best_step), str(run.step), f"{run.minutes:.1f}"] for run in runs]
    return in_columns(rows)


def _exchanged(pair):
    """A corpus read the other way round."""
    names = {"source": "target", "target": "source"}
    return {names.get(key, key): value for key, value in pair.items()}
