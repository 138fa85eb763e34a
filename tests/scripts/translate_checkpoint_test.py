#!/usr/bin/env python3
"""translate-infer with a small checkpoint of the golden files: each precision, each processor's instructions and each way
to search, with no other part of the project built; and on processors without AVX, as QEMU emulates them.
TRANSLATE_BIN_DIR: the program's folder."""

import itertools
import json
import os
import pathlib
import random as random_numbers
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/checkpoints/state-2"
INFER = pathlib.Path(os.environ["TRANSLATE_BIN_DIR"]) / "translate-infer"
EMULATOR = shlex.split(os.environ.get("TRANSLATE_EMULATOR", ""))  # of a program for another processor
# A processor that lacks the named instructions uses the best that it has.
QEMU = shutil.which("qemu-x86_64-static")
INSTRUCTIONS = ("baseline", "neon", "dot", "auto") if EMULATOR else ("baseline", "avx2", "avx512", "auto")
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))["translations"]
SOURCES = "".join(pair["source"] + "\n" for pair in EXPECTED)
PAIRS = "".join(f"{pair['source']}\t{pair['translation']}\n" for pair in EXPECTED)


def infer(*arguments, text=SOURCES, instructions="auto", precision="fp32", model=GOLDEN / "step-00000006"):
    environment = os.environ | {"TRANSLATE_INSTRUCTIONS": instructions}
    if instructions == "auto":
        del environment["TRANSLATE_INSTRUCTIONS"]
    done = subprocess.run([*EMULATOR, INFER, "--checkpoint", model, "--precision", precision, *arguments],
                          input=text, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class OlderProcessorsTest(unittest.TestCase):
    @unittest.skipIf(EMULATOR or b"__asan_init" in INFER.read_bytes(), "a program for another processor, or with sanitizers")
    @unittest.skipUnless(QEMU, "qemu-user-static is not installed (scripts/setup --dev)")
    def test_processors_without_avx_give_the_translations_of_then(self):
        for processor in ("qemu64", "Nehalem"):  # SSE2 and SSE3; up to SSE4.2
            with self.subTest(processor=processor):
                done = subprocess.run([QEMU, "-cpu", processor, INFER, "--checkpoint", GOLDEN / "step-00000006", "--precision",
                                       "fp32", "--greedy", "--raw", "--threads", "1"],
                                      input=SOURCES, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.splitlines(), [pair["translation"] for pair in EXPECTED])


class TranslateCheckpointTest(unittest.TestCase):
    def in_each(self, precisions, check):
        for instructions, precision in itertools.product(INSTRUCTIONS, precisions):
            with self.subTest(instructions=instructions, precision=precision):
                check({"instructions": instructions, "precision": precision})

    def test_fp32_gives_the_translations_of_then(self):
        def check(how):
            self.assertEqual(infer("--greedy", "--raw", **how), [pair["translation"] for pair in EXPECTED])

        self.in_each(["fp32"], check)

    def test_every_precision_scores_nearly_the_same(self):
        def check(how):
            tolerance = 1e-3 if how["precision"] == "fp32" else 1.0
            for score, pair in zip(infer("--score", text=PAIRS, **how), EXPECTED, strict=True):
                self.assertAlmostEqual(float(score), pair["score"], delta=tolerance)

        self.in_each(["fp32", "bf16", "int8"], check)

    def test_a_beam_gives_as_many_candidates_as_asked_best_first(self):
        def check(how):
            for line in infer("--beam-size", "4", "--n-best", "3", "--json", **how):
                scores = [candidate["score"] for candidate in json.loads(line)["nbest"]]
                self.assertEqual(len(scores), 3)
                self.assertEqual(scores, sorted(scores, reverse=True))

        self.in_each(["fp32", "int8"], check)

    def test_a_line_does_not_depend_on_its_batch(self):
        def check(how):
            together = infer("--beam-size", "3", **how)
            alone = [infer("--beam-size", "3", text=pair["source"] + "\n", **how)[0] for pair in EXPECTED[:2]]
            self.assertEqual(alone, together[:2])

        self.in_each(["fp32", "bf16", "int8"], check)

    def test_samples_repeat_with_their_seed(self):
        draw = ("--sampling", "--top-p", "0.9", "--n-best", "2", "--seed", "7")
        self.assertEqual(infer(*draw), infer(*draw))

    def test_epsilon_leaves_likely_subwords(self):
        draw = ("--sampling", "--seed", "7")
        self.assertEqual(infer(*draw, "--epsilon", "1"), infer("--greedy", "--raw"))
        self.assertEqual(infer(*draw, "--epsilon", "0"), infer(*draw))
        self.assertNotEqual(infer(*draw, "--epsilon", "0.05"), infer(*draw))

    def test_minimum_bayes_risk_chooses_one_of_the_samples(self):
        for metric in ("chrf", "bleu"):
            chosen = infer("--mbr", "6", "--mbr-metric", metric, "--seed", "3")
            drawn = infer("--sampling", "--n-best", "6", "--epsilon", "0.02", "--seed", "3", "--json")
            for translation, line in zip(chosen, drawn, strict=True):
                self.assertIn(translation, [each["translation"] for each in json.loads(line)["nbest"]])
        self.assertEqual(infer("--mbr", "1", "--top-k", "4"), infer("--sampling", "--top-k", "4"))
        self.assertNotEqual(infer("--mbr", "6", "--epsilon", "0"), infer("--mbr", "6"))

    def test_minimum_bayes_risk_does_not_depend_on_batches_threads_and_neighbours(self):
        choose = ("--mbr", "5", "--epsilon", "0.01", "--seed", "5")
        lines = [*(pair["source"] for pair in EXPECTED), "", f"{EXPECTED[0]['source']} {EXPECTED[1]['source']}", "12"]
        text = "".join(line + "\n" for line in lines)
        usual = infer(*choose, text=text)
        self.assertEqual(len(usual), len(lines))
        self.assertEqual(usual[len(EXPECTED)], "")
        for how in (("--batch-tokens", "1"), ("--threads", "2"), ("--threads", "2", "--batch-tokens", "100")):
            self.assertEqual(infer(*choose, *how, text=text), usual, how)
        self.assertEqual(infer(*choose, text=text[:text.index("\n") + 1]), usual[:1])
        self.assertNotEqual(infer("--mbr", "5", "--epsilon", "0.01", "--seed", "6", text=text), usual)

    def test_minimum_bayes_risk_of_a_beam_of_models_and_of_both_directions(self):
        model = GOLDEN / "step-00000006"
        listed = [json.loads(line)["nbest"] for line in infer("--beam-size", "5", "--n-best", "4", "--json")]
        for line, candidates in zip(infer("--mbr", "4", "--beam-size", "5", "--json"), listed, strict=True):
            told = json.loads(line)
            self.assertNotIn("nbest", told)
            self.assertIn(told["translation"], [each["translation"] for each in candidates])
        both = f"{model},{model}"
        self.assertEqual(infer("--mbr", "4", model=both), infer("--mbr", "4"))
        self.assertEqual(infer("--mbr", "4", "--mbr-separate", model=both), infer("--mbr", "8"))
        reverse = ("--mbr-reverse", model)
        self.assertEqual(infer("--mbr", "6", *reverse, "--mbr-reverse-weight", "0"), infer("--mbr", "6"))
        far = infer("--mbr", "6", *reverse, "--mbr-reverse-weight", "1000000")
        drawn = infer("--sampling", "--n-best", "6", "--epsilon", "0.02", "--json")
        self.assertNotEqual(far, infer("--mbr", "6"))
        for translation, line in zip(far, drawn, strict=True):
            self.assertIn(translation, [each["translation"] for each in json.loads(line)["nbest"]])
        words = json.loads(infer("--mbr", "4", "--alignments", "--word-scores", "--json")[0])
        self.assertEqual(len(words["word_scores"]), len(words["translation"].split()))

    def test_minimum_bayes_risk_refuses_what_makes_no_sense(self):
        for arguments, message in ((("--mbr", "4", "--n-best", "2"), "--n-best"), (("--mbr", "4", "--score"), "--score"),
                                   (("--mbr", "0"), "--mbr"), (("--mbr-metric", "bleu"), "--mbr"),
                                   (("--mbr", "4", "--mbr-metric", "ter"), "--mbr-metric"),
                                   (("--mbr", "4", "--no-raw"), "--no-raw"), (("--mbr", "4", "--greedy"), "--greedy"),
                                   (("--mbr", "4", "--glossary", "x"), "--glossary"), (("--mbr-separate",), "--mbr"),
                                   (("--mbr", "4", "--mbr-reverse-weight", "1"), "--mbr-reverse"),
                                   (("--mbr", "4", "--mbr-reverse", "x"), "--mbr-reverse-weight"),
                                   (("--mbr", "4", "--mbr-reverse", "x", "--mbr-reverse-weight", "nan"), "expected a number"),
                                   (("--mbr", "4", "--mbr-separate"), "expected several models"),
                                   (("--mbr", "4", "--beam-size", "3"), "a beam of 3 does not have 4 candidates"),
                                   (("--mbr", "4", "--beam-size", "4", "--temperature", "2"), "--temperature"),
                                   (("--epsilon", "0.1"), "--epsilon"), (("--sampling", "--epsilon", "2"), "--epsilon")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([*EMULATOR, INFER, "--checkpoint", GOLDEN / "step-00000006", *arguments],
                                      input="a\n", capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(message, done.stderr)

    def test_prefixes_alignments_and_word_scores(self):
        prefixed = infer("--prefixes", text="The castles were small.\tLes\n")
        self.assertTrue(prefixed[0].startswith("Les"), prefixed)
        for line in infer("--alignments", "--word-scores", "--json"):
            self.assertIn("alignment", json.loads(line))

    def test_odd_text_is_translated(self):
        lines = ["", " ", "\u00e9" * 300, "a" * 5000, "\u200b\u2060", "😀 <b>x</b>", "一二三。四五六。"]
        self.assertEqual(len(infer(text="\n".join(lines) + "\n")), len(lines))

    def test_text_without_words_is_copied_unless_raw(self):
        lines = ["12", "2024-03-12 \u2014 3.14", "https://example.org/a?b=c", "me@example.org", "\U0001f600", "", "  ", "\t12 "]
        text = "".join(line + "\n" for line in lines)
        self.assertEqual(infer(text=text), lines)
        self.assertNotEqual(infer("--raw", text=text), lines)

    def test_white_space_around_a_line_stays_unless_raw(self):
        spaced = "".join(f" \t{pair['source']}\u00a0 \n" for pair in EXPECTED)
        self.assertEqual(infer(text=spaced), [f" \t{line}\u00a0 " for line in infer()])
        self.assertEqual(infer("--raw", text=spaced), infer("--raw"))

    def test_final_stops_are_those_of_the_sources(self):
        sources = [pair["source"].rstrip(".") for pair in EXPECTED]
        for line in infer(text="".join(source + "\n" for source in sources)):
            self.assertFalse(line.endswith(".") and not line.endswith(".."), line)

    def test_words_have_scores_and_alignments_whatever_is_carried_along(self):
        text = "\U0001f600 The castles were small\n12 13\nTHE CASTLES WERE SMALL. 12. \U0001f600\n"
        for line in infer("--alignments", "--word-scores", "--json", text=text):
            told = json.loads(line)
            words = len(told["translation"].split())
            self.assertEqual(len(told["word_scores"]), words, line)
            for source, target in told["alignment"]:
                self.assertLess(source, len(told["source"].split()), line)
                self.assertLess(target, words, line)

    def test_what_programs_and_people_put_into_sentences_is_kept_once(self):
        random = random_numbers.Random(1)
        forms = ("{k%d}", "{{k%d}}", "${k%d}", "%%(k%d)s", "$t(k%d)", ":k%d", "#k%d", "@k%d", "https://k%d.org/a?b=c",
                 "k%d@example.org", "k%d.html", "<k%d/>", "<k%d>", "\U0001f600k_%d", "k%d::x", "Term %d")
        words = " ".join(pair["source"].rstrip(".") for pair in EXPECTED).split()
        sources, kept = [], []
        for _ in range(300):
            names = [random.choice(forms) % (10 + i) for i in range(random.randint(1, 4))]
            parts = names + random.choices(words, k=random.randint(1, 8))
            random.shuffle(parts)
            kept.append(names)
            sources.append(" ".join(parts))
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as terms:
            terms.writelines(f"Term {10 + i}\n" for i in range(4))
            terms.flush()
            translations = infer("--keep", terms.name, text="".join(source + "\n" for source in sources))
        for source, translation, names in zip(sources, translations, kept, strict=True):
            for name in names:
                self.assertEqual(translation.count(name), 1, f"{source} | {translation}")

    def check_terms(self, lines, terms):
        """Each line has the target term of each source term that its source has, as often."""
        for line in lines:
            told = json.loads(line)
            for source, target in terms.items():
                wanted = len(re.findall(rf"\b{source}\b", told["source"], re.IGNORECASE))
                for each in [told, *told.get("nbest", [])]:
                    there = len(re.findall(rf"(?<!\w){target}(?!\w)", each["translation"], re.IGNORECASE))
                    self.assertGreaterEqual(there, wanted, each)
            self.assertNotIn("missing_terms", told)

    def test_translations_have_the_terms_of_a_glossary(self):
        random = random_numbers.Random(2)
        words = sorted({word for pair in EXPECTED for word in re.findall(r"[a-z]{4,}", pair["source"])})
        terms = {word: " ".join(random.sample(words, random.randint(1, 3))) for word in words}
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.writelines(f"{source}\t{target}\n" for source, target in terms.items())
            file.flush()
            lines = SOURCES + SOURCES.upper()
            room = ("--max-length", "200")
            for how in (("--beam-size", "5"), ("--greedy",), ("--greedy", "--raw"), ("--beam-size", "4", "--n-best", "3"),
                        ("--beam-size", "4", "--no-split", "--alignments", "--word-scores")):
                with self.subTest(how=how):
                    self.check_terms(infer("--glossary", file.name, "--json", *room, *how, text=lines), terms)
            in_lines = "".join(json.dumps({"source": pair["source"], "glossary": terms}) + "\n" for pair in EXPECTED)
            self.assertEqual(infer("--json-input", *room, text=in_lines), infer("--glossary", file.name, *room))

    def test_a_glossary_without_a_match_changes_nothing(self):
        text = SOURCES + SOURCES.upper() + "\n12\n{x} castles\n"
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("xylophone\tles\nCASTLE\tles\n")
            file.flush()
            for how in (("--greedy",), ("--beam-size", "5", "--json", "--alignments"), ("--raw",)):
                with self.subTest(how=how):
                    self.assertEqual(infer("--glossary", file.name, *how, text=text), infer(*how, text=text))

    def test_a_term_that_the_length_limit_cuts_is_named(self):
        line = json.dumps({"source": "The castles were small.", "glossary": {"castles": "les petits les petits les petits"}})
        told = json.loads(infer("--json-input", "--json", "--max-length", "3", text=line + "\n")[0])
        self.assertTrue(told["truncated"])
        self.assertEqual(told["missing_terms"], ["les petits les petits les petits"])

    def test_characters_that_the_vocabulary_lacks_come_back_in_a_term(self):
        line = json.dumps({"source": "The castles were small.", "glossary": {"castles": "\u57ce\u5800"}})
        self.assertIn("\u57ce\u5800", infer("--json-input", text=line + "\n")[0])
        told = json.loads(infer("--json-input", "--json", "--raw", text=line + "\n")[0])
        self.assertEqual(told["missing_terms"], ["\u57ce\u5800"])

    def test_a_glossary_that_cannot_be_used_is_refused(self):
        def refusal(content, *arguments):
            with tempfile.NamedTemporaryFile("wb", suffix=".tsv") as file:
                file.write(content)
                file.flush()
                command = [*EMULATOR, INFER, "--checkpoint", GOLDEN / "step-00000006", "--glossary", file.name, *arguments, "a"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                return done.stderr

        self.assertIn("line 2: no tab; expected SOURCE TERM<TAB>TARGET TERM", refusal(b"a\tb\nc\n"))
        self.assertIn(":1: invalid UTF-8", refusal(b"a\t\xff\n"))
        self.assertIn("--glossary", refusal(b"a\tb\n", "--score"))
        self.assertIn("samples are drawn freely", refusal(b"a\tb\n", "--sampling"))

    def test_messages_keep_their_arguments(self):
        message = "{n, plural, one {# small castle} other {# castles}} in {place}"
        translated = infer(text=message + "\n")[0]
        self.assertTrue(translated.startswith("{n, plural, one {") and translated.endswith("}}"), translated)
        self.assertEqual(translated.count("#"), translated.count("{place}"), translated)
        self.assertGreaterEqual(translated.count("#"), 2, translated)

    def test_loops_are_repaired_unless_raw(self):
        text = "the " * 20 + "\n" + " ".join(["castle"] * 12) + "\nThe castles\n"
        repaired = [json.loads(line) for line in infer("--greedy", "--json", text=text)]
        raw = [json.loads(line) for line in infer("--greedy", "--json", "--raw", text=text)]
        self.assertFalse(any("repaired" in told for told in raw))
        self.assertTrue(any(told.get("repaired") for told in repaired))
        for told, other in zip(repaired, raw, strict=True):
            if not told.get("repaired"):
                self.assertEqual(told["tokens"], other["tokens"])


if __name__ == "__main__":
    unittest.main()
