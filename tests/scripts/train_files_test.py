#!/usr/bin/env python3
"""translate-train on files without a configuration: what is prepared, chosen, resumed and refused. TRANSLATE_BIN_DIR: the
programs' folder."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "data/en-fr"
TRAIN = pathlib.Path(os.environ["TRANSLATE_BIN_DIR"]) / "translate-train"
PAIRS = 600  # of the corpus


def corpus(language):
    return (CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()[:PAIRS]


class TrainFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.english, self.french = corpus("en"), corpus("fr")

    def write(self, name, lines):
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def train(self, *arguments):
        return subprocess.run([TRAIN, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)

    def trained(self, *arguments):
        """Trains a few steps, and returns what the program said."""
        result = self.train(*arguments, "--minutes", "5", "--set", "training.max_steps=4", "--set", "training.warmup_steps=1",
                            "--threads", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def lines(self, run, name, folder="text"):
        return (self.folder / "runs" / run / folder / name).read_text(encoding="utf-8").splitlines()

    def test_two_files_become_a_run_that_is_resumed(self):
        self.write("mine.en", self.english + ["12", "The cat sat."])
        self.write("mine.fr", self.french + ["12", ""])
        self.trained("mine.en", "mine.fr")
        run = self.folder / "runs/en-fr-mine"
        sets = {name: list(zip(self.lines("en-fr-mine", f"{name}.en"), self.lines("en-fr-mine", f"{name}.fr")))
                for name in ("train", "validation", "test")}
        self.assertLessEqual(set(sum(sets.values(), [])), set(zip(self.english, self.french)))
        self.assertEqual(len(sets["validation"]), len(sets["test"]))
        for side in (0, 1):
            training = {pair[side] for pair in sets["train"]}
            for name in ("validation", "test"):
                self.assertTrue(training.isdisjoint({pair[side] for pair in sets[name]}), name)
        left_out = self.lines("en-fr-mine", "left-out.tsv")
        self.assertTrue(any("mine.en:601\t12\t12" in line for line in left_out))
        self.assertTrue(any("mine.en:602\tThe cat sat.\t" in line for line in left_out))
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        self.assertEqual((config["data"]["source_language"], config["data"]["target_language"]), ("en", "fr"))
        # The same files are the same run, which has ended; others are not.
        before = sorted(path.name for path in (run / "checkpoints").iterdir())
        self.assertIn("nothing to train", self.trained("mine.en", "mine.fr"))
        self.assertEqual(sorted(path.name for path in (run / "checkpoints").iterdir()), before)
        # What --set says about the time is stronger than --minutes, as it is for any other choice of the recipe.
        self.trained("mine.en", "mine.fr", "--set", "training.max_minutes=7")
        self.assertEqual(json.loads((run / "config.json").read_text(encoding="utf-8"))["training"]["max_minutes"], 7)
        self.write("mine.en", self.english)
        self.write("mine.fr", self.french)
        self.trained("mine.en", "mine.fr")
        self.assertTrue((self.folder / "runs/en-fr-mine-2/checkpoints").is_dir())
        # The recipe is a configuration of its own.
        result = self.train("--config", str(run / "recipe.json"), "--print-config")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(json.loads(result.stdout)["training"]["max_minutes"], 0)

    def test_a_model_is_fine_tuned_and_general_text_guarded(self):
        self.write("old.en", self.english)
        self.write("old.fr", self.french)
        self.trained("old.en", "old.fr")
        # The user's own text: the other way to say what the corpus says.
        self.write("mine.en", [line.upper() for line in self.english[:300]])
        self.write("mine.fr", [line.lower() for line in reversed(self.french[:300])])
        output = self.trained("mine.en", "mine.fr", "--init", "runs/en-fr-old/best")
        run = self.folder / "runs/en-fr-mine"
        self.assertRegex(output, r"your text: BLEU [\d.]+ before, [\d.]+ now")
        self.assertRegex(output, r"general text: BLEU [\d.]+ before, [\d.]+ now")
        self.assertIn("--checkpoint runs/en-fr-mine/fine-tuned", output)
        recipe = json.loads(self.train("--config", str(run / "recipe.json"), "--print-config").stdout)
        start = json.loads((self.folder / "runs/en-fr-old/config.json").read_text(encoding="utf-8"))
        self.assertEqual(recipe["model"]["d_model"], start["model"]["d_model"])
        own, general = recipe["data"]["train"]
        own_text, old_text = ("".join(self.lines(run, "train.fr")) for run in ("en-fr-mine", "en-fr-old"))
        self.assertEqual(general["source"], start["data"]["train"][0]["source"])
        replay = general["weight"] * len(old_text.encode()) / len(own_text.encode())  # a half to four fifths of all
        self.assertTrue(0.99 <= replay <= 4.01, replay)
        self.assertIn("text/train.en", own["source"])
        # The same command goes on; general text of the user's takes the place of the model's own.
        self.assertIn("nothing to train", self.trained("mine.en", "mine.fr", "--init", "runs/en-fr-old/best"))
        self.trained("mine.en", "mine.fr", "--init", "runs/en-fr-old/best", "--general", "old.en", "old.fr")
        other = json.loads((self.folder / "runs/en-fr-mine-2/config.json").read_text(encoding="utf-8"))
        self.assertIn("runs/en-fr-mine-2/general/train.en", other["data"]["train"][1]["source"])

    def test_a_model_of_several_languages_is_fine_tuned_in_one(self):
        self.write("old.en", self.english)
        self.write("old.fr", self.french)
        corpora = [{"source": f"old.{one}", "target": f"old.{other}", "source_language": one, "target_language": other}
                   for one, other in (("en", "fr"), ("fr", "en"))]
        config = {"data": {"train": corpora, "validation": corpora}, "tokenizer": {"vocab_size": 400},
                  "model": {"d_model": 32, "num_layers": 1, "num_heads": 2, "d_ff": 64},
                  "training": {"max_steps": 4, "warmup_steps": 1}}
        self.write("old.json", [json.dumps(config)])
        self.assertEqual(self.train("--config", "old.json", "--run-dir", "runs/old").returncode, 0)
        self.write("mine.fr", self.french[:300])
        self.write("mine.en", self.english[:300])
        output = self.trained("mine.fr", "mine.en", "--init", "runs/old/best")
        self.assertRegex(output, r"your text: BLEU [\d.]+ before, [\d.]+ now")
        self.assertNotIn("nothing says into which", output)
        data = json.loads((self.folder / "runs/fr-en-mine/config.json").read_text(encoding="utf-8"))["data"]
        for corpora, sides in ((data["train"][:1], ("fr", "en")), (data["test"], ("fr", "en")),
                               (data["train"][1:], ("en", "fr", "fr", "en"))):
            self.assertEqual(tuple(corpus[side] for corpus in corpora for side in ("source_language", "target_language")),
                             sides)
        self.write("mine.de", ["Das ist ein Satz der deutschen Sprache, und dieser hier ist die Nummer"
                               f" {number}." for number in range(300)])
        result = self.train("mine.en", "mine.de", "--init", "runs/old/best", "--minutes", "5")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("German", result.stderr)

    def test_a_training_ends_on_the_text_of_better_quality(self):
        for name, part in (("all", slice(0, 500)), ("good", slice(200, 600))):
            self.write(f"{name}.en", self.english[part])
            self.write(f"{name}.fr", self.french[part])
        command = ["all.en", "all.fr", "--clean", "good.en", "good.fr"]
        self.trained(*command)
        config = json.loads((self.folder / "runs/en-fr-all/config.json").read_text(encoding="utf-8"))
        self.assertEqual([corpus["source"].split("en-fr-all/")[1] for corpus in config["data"]["train"]],
                         ["text/train.en", "clean/train.en"])
        self.assertTrue(config["data"]["test"][0]["source"].endswith("clean/test.en"))
        first, last = config["training"]["stages"]
        self.assertGreater(first["minutes"], 0)
        self.assertEqual(last["weights"], [0, 1])
        for language in ("en", "fr"):
            training = self.lines("en-fr-all", f"train.{language}") + self.lines("en-fr-all", f"train.{language}", "clean")
            for name in ("validation", "test"):
                self.assertTrue(set(training).isdisjoint(self.lines("en-fr-all", f"{name}.{language}", "clean")))
        self.assertIn("nothing to train", self.trained(*command))
        self.trained(*command[:2])  # without the text of better quality it is another training
        self.assertTrue((self.folder / "runs/en-fr-all-2/text/test.en").exists())
        self.assertFalse((self.folder / "runs/en-fr-all/text/test.en").exists())

    def test_training_ends_on_the_cleaner_of_several_texts(self):
        lines = [[f"{first} {second}" for first, second in zip(text, text[1:] + text[:1])]  # more pairs, of two sentences
                 for text in (self.english, self.french)]
        english, french = self.english + lines[0], self.french + lines[1]
        self.write("clean.en-fr.tsv", [f"{one}\t{other}" for one, other in zip(english, french)])
        self.write("noisy.en-fr.tsv", [f"{one}\t{one if number % 5 == 0 else other}"  # a fifth is not translated
                                       for number, (one, other) in enumerate(zip(english, french))])
        files = ["noisy.en-fr.tsv", "clean.en-fr.tsv"]
        said = self.trained(*files)
        self.assertIn("noisy.en-fr.tsv: 20.0 %", said)
        config = json.loads((self.folder / "runs/en-fr-noisy/config.json").read_text(encoding="utf-8"))
        self.assertEqual([corpus["source"].split("en-fr-noisy/")[1] for corpus in config["data"]["train"]],
                         ["text/train.en", "clean/train.en"])
        self.assertEqual(config["training"]["stages"][1]["weights"], [0, 1])
        self.assertIn("nothing to train", self.trained(*files))
        self.trained(*files, "--clean", "none")
        self.assertFalse((self.folder / "runs/en-fr-noisy-2/clean").exists())
        self.trained(files[1], files[1], "--run-dir", "runs/alike")
        self.assertFalse((self.folder / "runs/alike/clean").exists())

    def test_other_formats_have_the_same_text(self):
        self.write("text.en", self.english)
        self.write("text.fr", self.french)
        self.write("text.en-fr.tsv", [f"{one}\t{other}" for one, other in zip(self.english, self.french)])
        self.write("text.jsonl", [json.dumps({"translation": {"en": one, "fr": other}})
                                  for one, other in zip(self.english, self.french)])
        units = [f'<tu><tuv xml:lang="en"><seg>{one}</seg></tuv><tuv xml:lang="fr"><seg>{other}</seg></tuv></tu>'
                 for one, other in zip(self.english, self.french)]
        self.write("text.tmx", ['<tmx version="1.4"><header srclang="en"/><body>', *units, "</body></tmx>"])
        with zipfile.ZipFile(self.folder / "text.zip", "w") as archive:
            archive.write(self.folder / "text.fr", "Corpus.en-fr.fr")
            archive.write(self.folder / "text.en", "Corpus.en-fr.en")
        prepared = {}
        for number, files in enumerate((["text.en", "text.fr"], ["text.en-fr.tsv"], ["text.jsonl"], ["text.tmx"],
                                        ["text.zip"])):
            self.trained(*files, "--run-dir", f"runs/{number}")
            prepared[files[0]] = [self.lines(str(number), name) for name in ("train.en", "train.fr", "test.fr")]
        for name, lines in prepared.items():
            self.assertEqual(lines, prepared["text.en"], name)

    def test_mistakes_are_answered_before_anything_is_written(self):
        self.write("mine.en", self.english)
        self.write("mine.fr", self.french)
        self.write("short.fr", self.french[:-1])
        self.write("one.txt", ["xyz"] * PAIRS)
        self.write("my.json", ["{}"])
        for arguments, word in ((["mine.en", "mine.fr"], "--hours"),
                                (["mine.en", "--hours", "1"], "other side"),
                                (["one.txt", "mine.fr", "--hours", "1"], "--source-language"),
                                (["my.json"], "--config my.json"),
                                (["mine.en", "missing.fr", "--hours", "1"], "missing.fr"),
                                (["mine.en", "mine.fr", "--hours", "1", "--config", "en-fr.json"], "--config"),
                                (["mine.en", "mine.fr", "--hours", "1", "--check"], "--check"),
                                (["mine.en", "mine.fr", "--hours", "1", "--processes", "2"], "--processes"),
                                (["mine.en", "mine.fr", "--hours", "0"], "--hours"),
                                (["mine.en", "mine.fr", "--hours", "1", "--set", "model.width=5"], "model.width"),
                                (["mine.en", "mine.fr", "--hours", "1", "--general", "my.json"], "--init"),
                                (["--init", "x", "--general", "mine.en", "mine.fr", "--hours", "1"], "--general"),
                                (["mine.en", "mine.fr", "--hours", "1", "--init", "x", "--clean", "mine.en", "mine.fr"],
                                 "--clean"),
                                (["--hours", "1", "--clean", "mine.en", "mine.fr"], "--clean"),
                                (["mine.en", "mine.fr", "--hours", "1", "--init", "missing"], "missing"),
                                (["mine.en", "mine.fr", "--init", "missing"], "--minutes"),
                                (["--config", "en-fr.json", "--source-language", "en", "--check"], "--source-language"),
                                (["--config", "en-fr.json", "--set", "training.max_steps=5", "training.seed=2"],
                                 "--set training.seed=2")):
            result = self.train(*arguments)
            self.assertEqual(result.returncode, 2, (arguments, result.stderr))
            self.assertIn(word, result.stderr)
            self.assertFalse((self.folder / "runs").exists(), arguments)
        result = self.train("mine.en", "short.fr", "--hours", "1")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("mine.en has 600 lines but short.fr has 599", result.stderr)
        self.assertFalse((self.folder / "runs/en-fr-mine/text").exists())

    def test_texts_that_do_not_go_together_are_refused(self):
        english = (CORPUS / "train.en").read_text(encoding="utf-8").splitlines()[:4000]
        french = (CORPUS / "train.fr").read_text(encoding="utf-8").splitlines()[:4000]
        self.write("shifted.en", english)
        self.write("shifted.fr", french[:1500] + french[1501:] + french[:1])
        result = self.train("shifted.en", "shifted.fr", "--hours", "1")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("out of step", result.stderr)
        self.write("wrong.en", french)
        self.write("wrong.fr", english)
        result = self.train("wrong.en", "wrong.fr", "--hours", "1")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("reads like French", result.stderr)
        self.assertFalse(list((self.folder).glob("runs/*/text")))

    def test_languages_are_read_off_the_text(self):
        self.write("one.txt", self.french)
        self.write("other.txt", self.english)
        self.assertIn("French", self.trained("one.txt", "other.txt"))
        self.assertTrue((self.folder / "runs/fr-en-one/text/train.fr").exists())

    def test_a_configuration_takes_the_time_too(self):
        result = self.train("--config", "en-fr.json", "--hours", "2", "--print-config")
        self.assertEqual(json.loads(result.stdout)["training"]["max_minutes"], 120)
        result = self.train("--config", "en-fr.json", "--hours", "2", "--set", "training.max_minutes=5", "--print-config")
        self.assertEqual(result.returncode, 2)
        self.assertIn("two values", result.stderr)

    def test_a_folder_of_another_run_stays(self):
        self.write("mine.en", self.english)
        self.write("mine.fr", self.french)
        (self.folder / "taken").mkdir()
        (self.folder / "taken/notes").write_text("mine", encoding="utf-8")
        result = self.train("mine.en", "mine.fr", "--minutes", "5", "--run-dir", "taken")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--run-dir", result.stderr)
        self.assertEqual([path.name for path in (self.folder / "taken").iterdir()], ["notes"])


if __name__ == "__main__":
    unittest.main()
