#!/usr/bin/env python3
"""translate-infer with files that have a format of their own, and a small checkpoint of the golden files: what is translated,
what stays, and which options go together. TRANSLATE_BIN_DIR: the program's folder."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKPOINT = ROOT / "tests/golden/checkpoints/state-2/step-00000006"
INFER = pathlib.Path(os.environ["TRANSLATE_BIN_DIR"]) / "translate-infer"
TEXT = "The castles were small."

# Files with {} in the places of a text, and the options that each needs.
FILES = {
    "page.html": ("<!DOCTYPE html>\n<p class=x title=\"{}\">{}</p>\r\n<pre>no</pre>\n", []),
    "notes.md": ("# {}\n\n> {}\n\n```\nno\n```\n", []),
    "talk.srt": ("1\r\n00:00:01,000 --> 00:00:02,000\r\n{}\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\n{}\r\n", []),
    "talk.vtt": ("WEBVTT\n\n00:01.000 --> 00:02.000 align:start\n{}\n", []),
    "strings.json": ("{{\"a\": \"{}\", \"b\": [1, \"{}\"]}}\n", []),
    "strings.yml": ("a: {} # no\nb: [\"{}\", 2]\n", []),
    "strings.xml": ("<resources>\n  <string name=\"a\">{}</string>\n</resources>\n", []),
    "table.csv": ("id,text\n1,\"{}\"\n2,{}\n", ["--column", "text"]),
    "table.tsv": ("{}\tno\n", ["--column", "1"]),
}


def run(*arguments, text=""):
    return subprocess.run([INFER, "--checkpoint", CHECKPOINT, "--greedy", *arguments], input=text.encode(),
                          capture_output=True, check=False)


class DocumentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.translation = run(TEXT).stdout.decode().strip()
        assert cls.translation and cls.translation != TEXT

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode())
        return path

    def test_texts_are_translated_and_everything_else_stays(self):
        for name, (content, options) in FILES.items():
            with self.subTest(name=name):
                path = self.write(name, re.sub(r"\{\}", TEXT, content).replace("{{", "{").replace("}}", "}"))
                done = run("--input", path, "--output", self.folder / "out", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"{name}: read as", done.stderr.decode())
                wanted = re.sub(r"\{\}", lambda _: self.translation, content).replace("{{", "{").replace("}}", "}")
                written = (self.folder / "out").read_bytes().decode()
                if name.startswith("talk"):  # whose lines are set again
                    written, wanted = (re.sub(r"\s+", " ", each) for each in (written, wanted))
                self.assertEqual(written, wanted)

    def test_what_is_missing_is_filled_in(self):
        catalog = self.write("a.po", f'msgid "{TEXT}"\nmsgstr ""\n')
        self.assertEqual(run("--input", catalog).stdout.decode(),
                         f'#, fuzzy\nmsgid "{TEXT}"\nmsgstr "{self.translation}"\n')
        units = f'<xliff version="1.2"><file><body><trans-unit><source>{TEXT}</source></trans-unit></body></file></xliff>'
        self.assertIn(f'leveraged-mt">{self.translation}</target>',
                      run("--input", self.write("a.xlf", units)).stdout.decode())
        memory = (f'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>{TEXT}</seg></tuv></tu></body>'
                  "</tmx>")
        self.assertIn(f"<seg>{self.translation}</seg>", run("--input", self.write("a.tmx", memory)).stdout.decode())

    def test_markup_comes_back(self):
        page = self.write("a.html", "<p>The <b>castles</b> were <i>small</i>.</p>")
        done = run("--input", page).stdout.decode()
        for tag in ("b", "i"):
            self.assertRegex(done, rf"<{tag}>[^<]+</{tag}>")
        self.assertEqual(re.sub("<[^>]*>", "", done), self.translation)

    def test_editable_regions_are_translated_on_request(self):
        content = "<p>{}</p><p contenteditable>{}</p>"
        page = self.write("a.html", content.format(TEXT, TEXT))
        self.assertEqual(run("--input", page).stdout.decode(), content.format(self.translation, TEXT))
        self.assertEqual(run("--input", page, "--editable").stdout.decode(),
                         content.format(self.translation, self.translation))

    def test_a_byte_order_mark_and_an_empty_file_stay(self):
        for content in ("\ufeff{\"a\": 1}", "{}"):
            self.assertEqual(run("--input", self.write("a.json", content)).stdout.decode(), content)
        self.assertEqual(run("--input", self.write("a.md", "")).stdout, b"")

    def test_plain_text_is_translated_by_lines(self):
        for arguments in (["--format", "text", "--input", self.write("a.md", TEXT + "\n")],
                          ["--input", self.write("a.txt", TEXT + "\n")]):
            done = run(*arguments)
            self.assertEqual(done.stdout.decode(), self.translation + "\n")
            self.assertNotIn("read as", done.stderr.decode())
        objects = self.write("a.json", json.dumps({"source": TEXT}) + "\n")
        self.assertEqual(run("--json-input", "--input", objects).stdout.decode(), self.translation + "\n")

    def test_stdin_has_the_format_that_is_given(self):
        self.assertEqual(run("--format", "json", text=f'["{TEXT}"]').stdout.decode(), f'["{self.translation}"]')

    def test_errors_say_what_to_do(self):
        table = self.write("a.csv", "id,text\n")
        for arguments, message in (
                (["--format", "htm"], "the formats are text, html"),
                (["--format", "html", "--json"], "--format html translates a file as a whole"),
                (["--format", "html", TEXT], "--format html translates a file as a whole"),
                (["--format", "po", "--n-best", "2"], "--format po translates a file as a whole"),
                (["--column", "1"], "--column is for tables"),
                (["--editable"], "--editable is for HTML"),
                (["--input", table], "the first line has id, text"),
                (["--input", self.write("a.html", "a\0")], "a.html: line 1: a NUL byte"),
                (["--input", self.write("b.json", "{\n\"a\"")], "b.json: line 2"),
                (["--input", self.write("strings.xml", "<resources>\n<a>")], "strings.xml: line 2: not well-formed XML")):
            with self.subTest(arguments=arguments):
                done = run(*arguments, "--output", self.folder / "none")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr.decode())
                self.assertFalse((self.folder / "none").exists())
        (self.folder / "c.md").write_bytes(b"a\nb\xff")
        self.assertIn("c.md: line 2: not UTF-8", run("--input", self.folder / "c.md").stderr.decode())


if __name__ == "__main__":
    unittest.main()
