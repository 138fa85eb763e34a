#!/usr/bin/env python3
"""scripts/rerank and scripts/synthesise do what they say, with models trained for a moment on the embedded corpus.
TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

from programs import BIN_DIR, run, test_sentences, train  # noqa: E402
from translating.corpus import Synthesis, Way  # noqa: E402
from translating.programs import sentence_scores  # noqa: E402
from translating.reranking import Candidate, Sentence, chosen  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

TOKENIZER = {"vocab_size": 300}
MODEL = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 4, "d_ff": 48, "init": "scaled"}
MODEL |= {"layer_norm": "torch", "dropout": 0.0}
LINES = [*test_sentences(12), "", "   "]


class StandIn:
    """A model of which it is known what it says: each word of a line as an answer."""

    def __init__(self):
        self.asked = []

    def translate(self, lines, *_options):
        self.asked += lines
        return [{"nbest": [{"translation": word, "truncated": word == "endless"} for word in line.split()]}
                for line in lines]


class CaseWithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class ChoiceTest(unittest.TestCase):
    """What the reverse model has to say."""

    def test_the_weight_decides(self):
        rows = [[Sentence("A", "", [Candidate("a", -1.0, -3.0), Candidate("b", -1.5, -1.0)])],
                [Sentence("", "", [Candidate("", 0.0)])]]
        self.assertEqual(chosen(rows, 0.0), ["a", ""])
        self.assertEqual(chosen(rows, 0.2), ["a", ""])
        self.assertEqual(chosen(rows, 0.3), ["b", ""])

    def test_of_equal_ones_the_search_decides(self):
        row = [Sentence("A", "", [Candidate("a", -1.0, -1.0), Candidate("b", -1.0, -1.0)])]
        self.assertEqual(chosen([row], 0.5), ["a"])

    def test_each_sentence_of_a_line_is_chosen_by_itself(self):
        row = [Sentence("A.", "", [Candidate("a.", -1.0, -3.0), Candidate("b.", -1.5, -1.0)]),
               Sentence("C.", "  ", [Candidate("c.", -1.0, -1.0), Candidate("d.", -1.5, -3.0)])]
        self.assertEqual(chosen([row], 0.3), ["b.  c."])


class SynthesisTest(CaseWithFolder):
    """Which pairs are kept, and that nothing is done twice."""

    def pairs(self, lines, **way):
        given = {"model": StandIn(), "writes_target": True, "samples": 3, "n_best": None} | way
        return list(Way(**given).pairs([(line,) for line in lines]))

    def test_blank_cut_and_double_ones_are_left_out(self):
        self.assertEqual(self.pairs(["x y x", "", "endless z"]), [("x y x", "x"), ("x y x", "y"), ("endless z", "z")])

    def test_back_translations_are_sources(self):
        self.assertEqual(self.pairs(["x y"], writes_target=False), [("x", "x y"), ("y", "x y")])

    def test_parts_that_are_there_are_not_made_again(self):
        rows = [(f"{number} words",) for number in range(45_000)]
        model = StandIn()
        way = Way(model, True, 2, None)
        with self.assertRaises(InterruptedError):
            Synthesis(self.folder, {"a": 1}, way).make(self.until(rows, 25_000))
        self.assertEqual(len(model.asked), 20_000)
        self.assertIn("90000 pairs from 45000 lines", Synthesis(self.folder, {"a": 1}, way).make(iter(rows)))
        self.assertEqual(len(model.asked), 45_000)
        self.assertIn("90000 pairs", Synthesis(self.folder, {"a": 1}, way).make(iter(rows)))
        self.assertEqual(len(model.asked), 45_000)
        self.assertEqual(list(read_lines(self.folder / "source.gz")), [row[0] for row in rows for _ in range(2)])
        self.assertEqual(list(read_lines(self.folder / "target.gz"))[:4], ["0", "words", "1", "words"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["about.json", "source.gz", "target.gz"])

    def test_other_settings_are_an_error(self):
        Synthesis(self.folder, {"a": 1}, Way(StandIn(), True, 2, None)).make(iter([("x",)]))
        with self.assertRaisesRegex(ValueError, "another way"):
            Synthesis(self.folder, {"a": 2}, Way(StandIn(), True, 2, None))

    def test_a_line_stays_a_line(self):
        with self.assertRaisesRegex(ValueError, r"expected one line, found 'a\\nb'"):
            write_lines(self.folder / "lines", ["x", "a\nb"])
        self.assertEqual(list(self.folder.iterdir()), [])

    @staticmethod
    def until(rows, count):
        yield from rows[:count]
        raise InterruptedError


class ProgramsTest(CaseWithFolder):
    """The scripts as they are used, with the real programs."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(holder.cleanup)
        cls.models = pathlib.Path(holder.name)
        cls.checkpoint = train(cls.models, TOKENIZER, MODEL, 60)

    def setUp(self):
        super().setUp()
        self.source = self.folder / "in.en"
        write_lines(self.source, LINES)

    def script(self, name, *arguments, code=0):
        command = [sys.executable, ROOT / "scripts" / name, "--bin-dir", BIN_DIR, *arguments]
        done = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def infer(self, *options):
        return run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, "--raw", "--input", self.source,
                   *options).split("\n")[:-1]

    def rerank(self, *options, code=0):
        return self.script("rerank", "--checkpoint", self.checkpoint, "--reverse", self.checkpoint, "--source",
                           self.source, "--n-best", 4, *options, code=code)

    def test_with_no_weight_it_is_the_search(self):
        self.rerank("--weights", 0, "--output", "out")
        self.assertEqual(list(read_lines(self.folder / "out")), self.infer("--beam-size", "4"))

    def test_with_all_weight_it_is_the_reverse_model(self):
        self.rerank("--weights", 1e9, "--output", "out")
        lists = [json.loads(line) for line in self.infer("--beam-size", "4", "--n-best", "4", "--json")]
        for answer, text in zip(lists, read_lines(self.folder / "out"), strict=True):
            candidates = [each["translation"] for each in answer["nbest"]]
            pairs = "".join(f"{each}\t{answer['source']}\n" for each in candidates)
            scores = run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, "--score", text=pairs)
            best = max(zip(map(float, scores.split()), candidates), default=(0.0, answer["translation"]))
            self.assertEqual(text, best[1])

    def test_a_paragraph_is_reranked_sentence_by_sentence(self):
        sentences = [line.rstrip(".?!") + "." for line in LINES[:3]]
        write_lines(self.source, [*sentences, "  ".join(sentences)])
        self.rerank("--weights", 0.5, "--output", "out")
        *alone, paragraph = read_lines(self.folder / "out")
        self.assertEqual(paragraph, "  ".join(alone))

    def test_pairs_of_a_corpus_are_whole_lines(self):
        line = " ".join(line.rstrip(".?!") + "." for line in LINES[:2])
        write_lines(self.source, [line])
        self.script("synthesise", "distil", "--checkpoint", self.checkpoint, "--input", self.source, "--output", "made")
        self.assertEqual(self.made(), [(line, text) for text in self.infer("--no-split") if text])

    def test_the_best_weight_is_found_and_used(self):
        self.rerank("--weights", 5, "--output", "wanted")
        found = json.loads(self.rerank("--weights", "0,5", "--reference", "wanted", "--output", "out", "--metric",
                                       "chrf", "--json"))
        self.assertEqual([each["weight"] for each in found["scores"]], [0.0, 5.0])
        self.assertAlmostEqual(found["scores"][1]["score"], 100.0)
        self.assertEqual((self.folder / "out").read_text(), (self.folder / "wanted").read_text())

    def test_distilled_text_is_the_models(self):
        about = self.script("synthesise", "distil", "--checkpoint", self.checkpoint, "--input", self.source,
                            "--output", "made")
        translations = [(line, text) for line, text in zip(LINES, self.infer()) if text]
        self.assertEqual(self.made(), translations)
        self.assertIn(f"{len(translations)} pairs", about)
        self.assertEqual(json.loads((self.folder / "made" / "about.json").read_text())["synthetic"], "target")

    def test_the_candidate_most_like_the_reference_is_taken(self):
        reference = self.folder / "reference"
        lists = [[each["translation"] for each in json.loads(line)["nbest"]]
                 for line in self.infer("--beam-size", "3", "--n-best", "3", "--json")]
        write_lines(reference, [texts[-1] if texts else "" for texts in lists])
        self.script("synthesise", "distil", "--checkpoint", self.checkpoint, "--input", self.source, "--reference",
                    reference, "--n-best", 3, "--output", "made")
        for (line, text), texts in zip(self.made(), lists):
            scores = sentence_scores(BIN_DIR, texts, [texts[-1]] * len(texts), "chrf")
            self.assertEqual(text, texts[scores.index(max(scores))], line)

    def test_the_corpus_can_be_trained_on(self):
        self.script("synthesise", "back-translate", "--checkpoint", self.checkpoint, "--input", self.source,
                    "--samples", 3, "--output", "made", "--", "--top-k", 5, "--seed", 2)
        made = self.made()
        self.assertGreater(len(made), len(LINES))
        self.assertLessEqual({target for _, target in made}, set(LINES))
        config = json.loads((self.models / "config.json").read_text())
        config["data"]["train"] = {"source": "made/source.gz", "target": "made/target.gz"}
        config["tokenizer"] = {"vocab_size": 80}
        config["training"]["max_steps"] = 1
        (self.folder / "config.json").write_text(json.dumps(config))
        run(self.folder, "translate-train", "--config", "config.json", "--run-dir", "run")

    def made(self):
        sides = [read_lines(self.folder / "made" / f"{side}.gz") for side in ("source", "target")]
        return list(zip(*sides, strict=True))

    def test_what_is_wrong_is_said(self):
        write_lines(self.folder / "short", LINES[:3])
        wrong = self.rerank("--reference", "short", "--weights", "0,1", code=2)
        self.assertIn("short has 3 lines", wrong)
        self.assertIn("--reference", self.rerank("--weights", "0,1", "--output", "x", code=2))
        self.assertIn("numbers of at least 0", self.rerank("--weights", "-1", "--output", "x", code=2))
        self.assertIn("what is to become", self.rerank(code=2))
        self.assertIn("--no-such", self.rerank("--output", "x", "--", "--no-such", code=2))
        made = ["--checkpoint", self.checkpoint, "--input", self.source, "--output", "made"]
        self.assertIn("distil alone", self.script("synthesise", "back-translate", *made, "--reference", "short", code=2))
        self.assertIn("goes with --reference", self.script("synthesise", "distil", *made, "--n-best", 3, code=2))
        self.assertIn("short has 3 lines", self.script("synthesise", "distil", *made, "--reference", "short", code=2))
        nothing = self.script("synthesise", "distil", "--checkpoint", "no/checkpoint", *made[2:], code=2)
        self.assertIn("no/checkpoint", nothing)
        self.assertFalse((self.folder / "made" / "source.gz").exists())


if __name__ == "__main__":
    unittest.main()
