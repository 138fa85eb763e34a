#!/usr/bin/env python3
"""Clients made for LibreTranslate work with translate-serve as they are: libretranslatepy, deep-translator, and curl as
LibreTranslate's documentation calls it. Its OpenAPI description is a valid one.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either, or without those packages, it is skipped (exit code 77).
TRANSLATE_BIN_DIR: the programs' folder.
"""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("no client was tried")

environment.require("no client was tried", "deep_translator", "libretranslatepy", "openapi_spec_validator")

import deep_translator  # noqa: E402
import libretranslatepy  # noqa: E402
import openapi_spec_validator  # noqa: E402

from programs import BIN_DIR, run, train  # noqa: E402

LINES = ["The cat sat.", "She does not like the red apples.", "Is it true that 5 & 6 = 11? “Yes” + 100%!", "A cat in the garden"]
FRENCH = "Le train pour la montagne part demain matin de la gare."
GERMAN = "Der Zug in die Berge fährt morgen früh vom Bahnhof ab."
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="translate-clients-"))


def setUpModule():
    """A model trained for a moment, what it makes of LINES, and a server."""
    global SERVER, URL, EXPECTED
    model = {"d_model": 64, "num_layers": 1, "num_heads": 2, "d_ff": 128}
    checkpoint = train(FOLDER, {"vocab_size": 400, "shared": True}, model, 200)
    output = run(FOLDER, "translate-infer", "--checkpoint", checkpoint, text="".join(line + "\n" for line in LINES))
    EXPECTED = dict(zip(LINES, output.split("\n")[:-1], strict=True))
    assert len(set(EXPECTED.values())) == len(LINES), f"each line should have a translation of its own: {EXPECTED}"
    command = [BIN_DIR / "translate-serve", "--port", "0", "--threads", "1", "--checkpoint", checkpoint,
               "--source-language", "en", "--target-language", "fr"]
    SERVER = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    for line in SERVER.stderr:
        if found := re.search(r"listening on (\S+)", line):
            URL = found[1]
            return
    raise AssertionError(f"translate-serve ended with {SERVER.wait()}")


def tearDownModule():
    shutil.rmtree(FOLDER, ignore_errors=True)
    SERVER.send_signal(signal.SIGTERM)
    SERVER.stderr.read()
    assert SERVER.wait() == 128 + signal.SIGTERM, SERVER.returncode
    SERVER.stderr.close()


class LibreTranslatePy(unittest.TestCase):
    def test_translates_detects_and_lists_languages(self):
        for key in (None, "a key"):
            client = libretranslatepy.LibreTranslateAPI(URL, api_key=key)
            for line, translation in EXPECTED.items():
                self.assertEqual(client.translate(line, "en", "fr"), translation)
            self.assertEqual(client.translate(LINES[0], "auto", "fr", timeout=60), EXPECTED[LINES[0]])
            self.assertEqual(client.translate(FRENCH, "auto", "fr"), FRENCH)
            self.assertEqual(client.detect(GERMAN)[0]["language"], "de")
            self.assertGreater(client.detect(GERMAN)[0]["confidence"], 80)
            self.assertEqual([language["code"] for language in client.languages()], ["en", "fr"])


class DeepTranslator(unittest.TestCase):
    def client(self, source="en"):
        return deep_translator.LibreTranslator(source=source, target="fr", custom_url=URL + "/", api_key="a key")

    def test_translates_one_text_and_several(self):
        for line, translation in EXPECTED.items():
            self.assertEqual(self.client().translate(line), translation)
        self.assertEqual(self.client().translate_batch(LINES), list(EXPECTED.values()))
        self.assertEqual(self.client("auto").translate(FRENCH), FRENCH)

    def test_translates_the_longest_text_that_it_takes(self):
        text = "\n".join([LINES[1]] * 145)
        self.assertGreater(len(text), 4900)
        self.assertEqual(self.client().translate(text), "\n".join([EXPECTED[LINES[1]]] * 145))

    def test_translates_a_long_text_in_another_script(self):
        text = "\n".join(["Кошка сидела на столе, а собака спала в саду."] * 100)
        self.assertGreater(len(urllib.parse.quote_plus(text)), 20000)  # it sends the text in the query
        self.assertEqual(self.client().translate(text).count("\n"), 99)

    def test_names_its_languages_as_the_server_does(self):
        self.assertEqual(self.client()._source, "en")
        english = deep_translator.LibreTranslator(source="English", target="French", custom_url=URL + "/", api_key="k")
        self.assertEqual(english.translate(LINES[0]), EXPECTED[LINES[0]])

    def test_learns_of_errors(self):
        german = deep_translator.LibreTranslator(source="de", target="fr", custom_url=URL + "/", api_key="k")
        with self.assertRaises(deep_translator.exceptions.ServerException):
            german.translate(GERMAN)


@unittest.skipUnless(shutil.which("curl") or environment.IS_ALL_REQUIRED, "there is no curl")
class Curl(unittest.TestCase):
    def curl(self, path, *options):
        command = ["curl", "--silent", "--show-error", "--fail", *options, URL + path]
        return json.loads(subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout)

    def test_json(self):
        fields = {"q": LINES[1], "source": "en", "target": "fr", "format": "text", "alternatives": 3, "api_key": ""}
        answer = self.curl("/translate", "-X", "POST", "-H", "Content-Type: application/json", "-d", json.dumps(fields))
        self.assertEqual(answer["translatedText"], EXPECTED[LINES[1]])
        self.assertEqual(len(answer["alternatives"]), 3)
        fields.update(q=LINES, source="auto")
        answer = self.curl("/translate", "-H", "Content-Type: application/json", "-d", json.dumps(fields))
        self.assertEqual(answer["translatedText"], list(EXPECTED.values()))
        self.assertEqual([len(answer[name]) for name in ("alternatives", "detectedLanguage")], [len(LINES)] * 2)

    def test_forms_and_query(self):
        fields = {"q": LINES[2], "source": "en", "target": "fr", "format": "text", "api_key": "xxx"}

        def each(option):
            return [word for name, value in fields.items() for word in (option, f"{name}={value}")]

        for options in (each("--data-urlencode"), each("-F")):
            answer = self.curl("/translate", "-X", "POST", *options)
            self.assertEqual(answer, {"translatedText": EXPECTED[LINES[2]]})
        self.assertEqual(self.curl("/translate?" + urllib.parse.urlencode(fields), "-X", "POST"), answer)

    def test_html(self):
        fields = {"q": f'<p class="a">{LINES[0]}</p>\n<!-- b -->', "source": "en", "target": "fr", "format": "html"}
        answer = self.curl("/translate", "-H", "Content-Type: application/json", "-d", json.dumps(fields))
        self.assertEqual(answer["translatedText"], f'<p class="a">{EXPECTED[LINES[0]]}</p>\n<!-- b -->')

    def test_files(self):
        text, translated = FOLDER / "lines.txt", FOLDER / "translated"
        text.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
        answer = self.curl("/translate_file", "-X", "POST", "-F", "source=en", "-F", "target=fr", "-F", "api_key=xxx",
                           "-F", f"file=@{text}")
        urllib.request.urlretrieve(answer["translatedFileUrl"], translated)
        self.assertEqual(translated.read_text(encoding="utf-8"), "".join(line + "\n" for line in EXPECTED.values()))
        settings = self.curl("/frontend/settings")
        self.assertTrue(settings["filesTranslation"])
        self.assertIn(".txt", settings["supportedFilesFormat"])

    def test_detect_and_languages(self):
        self.assertEqual(self.curl("/detect", "-X", "POST", "-d", f"q={GERMAN}")[0]["language"], "de")
        for language in self.curl("/languages", "-X", "GET", "-H", "accept: application/json"):
            self.assertEqual(sorted(language), ["code", "name", "targets"])


class Description(unittest.TestCase):
    def test_is_valid_openapi(self):
        with urllib.request.urlopen(URL + "/spec", timeout=60) as response:
            openapi_spec_validator.validate(json.load(response))


if __name__ == "__main__":
    unittest.main()
