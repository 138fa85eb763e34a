#!/usr/bin/env python3
"""The Python package translate_mt, over the library that was built: its translations are those of translate-infer, its names
those of CTranslate2 and of the pipeline of transformers, and models are found in the cache of the Hugging Face Hub.
TRANSLATE_BIN_DIR: the programs' folder, beside which lib/ has the library. TRANSLATE_MT_INSTALLED=1: the package that is
installed is tested, with its own."""

import asyncio
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = [] if os.environ.get("TRANSLATE_MT_INSTALLED") else [str(ROOT / "src/tools/python")]
sys.path[:0] = [str(ROOT / "tests/python"), *PACKAGE]

from programs import BIN_DIR, CORPUS, run, run_program, train  # noqa: E402

if PACKAGE:
    os.environ["TRANSLATE_MT_LIBRARY"] = str(BIN_DIR.parent / "lib/libtranslate.so.0")

import translate_mt  # noqa: E402
from translate_mt import MistakeError, TranslateError, Translator, pipeline  # noqa: E402
from translate_mt.models import find_model  # noqa: E402

TOKENIZER = {"vocab_size": 300}
MODEL = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 4, "d_ff": 48, "init": "scaled"}
LINES = [*(CORPUS / "test.en").read_text(encoding="utf-8").splitlines()[:20], "", "  12 cats and {name}.  "]


class TranslateMtTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        data = {part: {"source": str(CORPUS / f"{part}.en"), "target": str(CORPUS / f"{part}.fr")}
                for part in ("train", "validation")} | {"source_language": "en", "target_language": "fr"}
        cls.checkpoint = train(cls.folder, TOKENIZER, MODEL, 60, data=data)
        cls.translator = Translator(cls.checkpoint, intra_threads=1)

    def infer(self, *arguments, lines=tuple(LINES)):
        output = run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, *arguments,
                     text="".join(line + "\n" for line in lines))
        return output.split("\n")[:-1]

    def test_text_gives_text_a_list_a_list_and_others_a_generator(self):
        wanted = self.infer()
        self.assertGreater(len(set(wanted)), 5)
        self.assertEqual(self.translator(LINES), wanted)
        self.assertEqual([self.translator(line) for line in LINES], wanted)
        taken = []
        source = (taken.append(line) or line for line in LINES)
        found = self.translator(source)
        self.assertEqual(taken, [])
        self.assertEqual(next(found), wanted[0])
        self.assertEqual(len(taken), 1)  # the first translation waits for no other text
        self.assertEqual(list(found), wanted[1:])

    def test_results_are_those_of_the_program(self):
        options = {"beam_size": 5, "num_hypotheses": 3, "length_penalty": 1.0, "no_repeat_ngram_size": 4,
                   "max_decoding_length": 30, "return_alignments": True, "return_word_scores": True, "raw": False}
        wanted = map(json.loads, self.infer("--json", "--beam-size", "5", "--n-best", "3", "--length-penalty", "1",
                                            "--no-repeat-ngram", "4", "--max-length", "30", "--alignments", "--word-scores",
                                            "--no-raw", lines=LINES[:10]))
        for result, line in zip(self.translator.translate(LINES[:10], **options), wanted, strict=True):
            nbest = line["nbest"]
            self.assertEqual(result.texts, [each["translation"] for each in nbest])
            self.assertEqual(result.hypotheses, [each["tokens"] for each in nbest])
            self.assertEqual(result.alignments, [[tuple(link) for link in each["alignment"]] for each in nbest])
            self.assertEqual((result.text, str(result), len(result)), (nbest[0]["translation"], nbest[0]["translation"], 3))
            self.assertEqual(result.scores, sorted(result.scores, reverse=True))
            for hypothesis, each in zip(result.candidates, nbest, strict=True):
                self.assertAlmostEqual(hypothesis.log_prob, each["score"], places=4)
                for score, other in zip(hypothesis.word_scores, each["word_scores"], strict=True):
                    self.assertAlmostEqual(score, other, places=4)

    def test_options_of_a_call_are_not_those_of_the_next(self):
        wanted = self.translator(LINES)
        self.translator.translate(LINES, beam_size=1, max_decoding_length=2)
        self.assertEqual(self.translator(LINES), wanted)

    def test_glossaries_prefixes_and_kept_terms(self):
        line = "The cat sat in the garden."
        self.assertIn("zèbre", self.translator(line, glossary={"cat": "zèbre"}))
        (self.folder / "terms.tsv").write_text("cat\tzèbre\n", encoding="utf-8")
        self.assertIn("zèbre", self.translator(line, glossary=self.folder / "terms.tsv"))
        self.assertIn("garden", self.translator(line, keep=["garden"]))
        started, free = self.translator.translate([line, line], target_prefix=["Un zèbre", ""])
        self.assertTrue(started.text.startswith("Un zèbre"), started.text)
        self.assertEqual(free.text, self.translator(line))

    def test_sampling_depends_on_its_seed(self):
        draw = [self.translator.translate(LINES[:3], sampling_topk=20, num_hypotheses=4, seed=seed) for seed in (1, 1, 2)]
        self.assertEqual(draw[0], draw[1])
        self.assertNotEqual(draw[0], draw[2])
        self.assertEqual(self.translator.translate(LINES[:3], sampling_topk=1), self.translator.translate(LINES[:3]))

    def test_documents(self):
        page = "<!doctype html><p class=x>The <b>cat</b> sat.</p>\n"
        found = self.translator.translate([page], format="html")[0].text
        self.assertRegex(found, r"^<!doctype html><p class=x>.*</p>\n$")
        self.assertEqual(self.translator.translate_document(page.encode(), "html").decode(), found)
        (self.folder / "page.html").write_text(page, encoding="utf-8")
        self.assertEqual(run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, "--input", "page.html"), found)
        with self.assertRaisesRegex(MistakeError, "html, markdown"):
            self.translator.translate([page], format="pdf")

    def test_scores_tokens_and_languages(self):
        pairs = [("The cat sat.", "Le chat est assis."), ("", "")]
        scored, blank = self.translator.score(pairs)
        line = json.loads(self.infer("--score", "--json", lines=["\t".join(pairs[0])])[0])
        self.assertAlmostEqual(scored.score, line["score"], places=4)
        self.assertAlmostEqual(sum(scored.log_probs), scored.score, places=4)
        self.assertEqual(len(scored.log_probs), len(scored.tokens) + 1)
        self.assertEqual((blank.tokens, blank.score), ([], 0.0))
        self.assertEqual(self.translator.languages, [("en", "fr")])
        self.assertEqual("".join(self.translator.tokenize("The cat sat.")).replace("▁", " ").strip(), "The cat sat.")

    def test_concurrent_callers(self):
        wanted = self.translator(LINES)
        found = {}
        threads = [threading.Thread(target=lambda key=key: found.update({key: self.translator(LINES)})) for key in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, dict.fromkeys(range(8), wanted))

        async def all_at_once():
            short = [self.translator.translate_async(line, max_decoding_length=1) for line in LINES]
            return await asyncio.gather(*map(self.translator.translate_async, LINES), *short)

        results = asyncio.run(all_at_once())
        self.assertEqual([result.text for result in results[:len(LINES)]], wanted)
        self.assertTrue(all(len(result.hypotheses[0]) <= 1 for result in results[len(LINES):]))

        async def wrong():
            with self.assertRaises(MistakeError):
                await self.translator.translate_async("a", beam_size=0)
            return await self.translator.translate_async("The cat sat.")

        self.assertEqual(asyncio.run(wrong()).text, self.translator("The cat sat."))

    def test_waiting_texts_are_translated_together(self):
        sizes = []
        entered, go_on = threading.Event(), threading.Event()
        translate = self.translator.translate

        def watched(lines, **options):
            sizes.append(len(lines))
            entered.set()
            go_on.wait(60)
            return translate(lines, **options)

        async def wait_for_all():
            first = asyncio.ensure_future(other.translate_async(LINES[0]))
            await asyncio.get_running_loop().run_in_executor(None, entered.wait, 60)
            rest = [asyncio.ensure_future(other.translate_async(line)) for line in LINES[1:10]]
            await asyncio.sleep(0)  # they are waiting
            go_on.set()
            return await asyncio.gather(first, *rest)

        other = Translator(self.checkpoint)
        with mock.patch.object(other, "translate", watched):
            asyncio.run(wait_for_all())
        self.assertEqual(sizes, [1, 9])

    def test_mistakes_are_answered(self):
        for call, error, message in (
            (lambda: self.translator.translate(["a"], beam_size=0), MistakeError, "beam_size"),
            (lambda: self.translator.translate(["a"], beams=3), MistakeError, "beams"),
            (lambda: self.translator.translate(["a"], num_hypotheses=9), MistakeError, "beam_size 4"),
            (lambda: self.translator.translate("a"), TypeError, "list"),
            (lambda: self.translator(5), TypeError, "int"),
            (lambda: self.translator([None]), TypeError, "NoneType"),
            (lambda: self.translator("a\0b"), ValueError, "position 1"),
            (lambda: self.translator.translate(["a"], target_prefix=["b", "c"]), ValueError, "target_prefix"),
            (lambda: self.translator("a", target_language="de"), MistakeError, "de"),
            (lambda: Translator("nowhere/at/all"), MistakeError, "nowhere"),
            (lambda: Translator(self.checkpoint, compute_type="int4"), ValueError, "int8"),
            (lambda: Translator(self.checkpoint, device="tpu"), MistakeError, "tpu"),
        ):
            with self.assertRaisesRegex(error, message):
                call()
        damaged = self.folder / "damaged"
        damaged.mkdir()
        for file in self.checkpoint.iterdir():
            if file.is_file():
                (damaged / file.name).write_bytes(file.read_bytes()[:2000] if file.suffix == ".safetensors" else file.read_bytes())
        with self.assertRaises(TranslateError):
            Translator(damaged)
        self.assertEqual(self.translator("a\ud800b"), self.translator("a?b"))

    def test_the_pipeline_of_transformers(self):
        translate = pipeline("translation_en_to_fr", model=self.translator, num_beams=3)
        wanted = self.infer("--beam-size", "3", lines=LINES[:3])
        self.assertEqual(translate(LINES[0]), [{"translation_text": wanted[0]}])
        self.assertEqual(translate(LINES[:3]), [{"translation_text": text} for text in wanted])
        several = translate(LINES[:2], num_return_sequences=2, max_length=20, truncation=True)
        self.assertEqual([len(each) for each in several], [2, 2])
        self.assertNotEqual(translate("The cat sat.", do_sample=True, temperature=5.0, seed=None), None)
        for call, error in ((lambda: pipeline("summarization"), KeyError),
                            (lambda: pipeline("translation"), ValueError),
                            (lambda: translate("a", beams=3), TypeError),
                            (lambda: pipeline("translation", model=self.translator, beams=3), TypeError)):
            self.assertRaises(error, call)

    def test_models_of_the_hub_are_found_in_its_cache(self):
        cache = self.folder / "cache/hub"
        snapshot = cache / "models--someone--opus-mt-en-fr/snapshots/abc"
        blobs = cache / "models--someone--opus-mt-en-fr/blobs"
        snapshot.mkdir(parents=True)
        blobs.mkdir()
        for name in ("config.json", "source.spm", "target.spm", "vocab.json", "pytorch_model.bin"):
            (blobs / name).write_text(name, encoding="ascii")
            (snapshot / name).symlink_to(pathlib.Path("../../blobs") / name)
        found = functools.partial(find_model, "someone/opus-mt-en-fr")
        with mock.patch.dict(os.environ, {"HF_HOME": str(cache.parent), "HF_HUB_OFFLINE": "1"}):
            self.assertEqual(found(), str(snapshot))  # the only one
            (snapshot.parent / "older").mkdir()
            self.assertRaisesRegex(MistakeError, "hf download someone/opus-mt-en-fr", found)
            (snapshot.parents[1] / "refs").mkdir()
            (snapshot.parents[1] / "refs/main").write_text("abc\n", encoding="ascii")
            self.assertEqual(found(), str(snapshot))
            self.assertEqual(find_model("someone/opus-mt-en-fr@abc"), str(snapshot))
            (blobs / "source.spm").unlink()  # its link is there
            self.assertRaisesRegex(MistakeError, "lacks source.spm.* hf download someone/opus-mt-en-fr source.spm$", found)
        with mock.patch.dict(os.environ, {"HF_HUB_CACHE": str(self.folder / "nothing"), "HF_HUB_OFFLINE": "1"}):
            self.assertRaisesRegex(MistakeError, "nothing.* hf download someone/opus-mt-en-fr config.json", found)
        # What fetches models is asked where it is there.
        hub = mock.Mock()
        hub.snapshot_download.side_effect = OSError("no network")
        with mock.patch.dict(sys.modules, {"huggingface_hub": hub}):
            self.assertRaisesRegex(TranslateError, "no network", found)
        self.assertEqual(hub.snapshot_download.call_args.args, ("someone/opus-mt-en-fr",))
        for name in ("latest", str(self.checkpoint), "runs/en-fr/best", f"{self.checkpoint},{self.checkpoint}"):
            self.assertEqual(find_model(name), name)

    def test_version_and_import(self):
        self.assertEqual(translate_mt.__version__, run_program("translate-infer", "--version").split()[1])
        heavy = "import sys, translate_mt; print([name for name in ('asyncio', 'numpy', 'torch') if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGE)})
        self.assertEqual(done.stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
