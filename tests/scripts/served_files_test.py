#!/usr/bin/env python3
"""translate-serve with files, and a small checkpoint of the golden files: what is uploaded and fetched, which mistakes are
named, and hostile files and forms. All the while the server keeps its memory small and answers others.
TRANSLATE_BIN_DIR: the program's folder."""

import concurrent.futures
import contextlib
import http.client
import io
import json
import os
import pathlib
import re
import socket
import sys
import unittest
import urllib.parse
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from served import ServerProcess  # noqa: E402

CHECKPOINT = ROOT / "tests/golden/checkpoints/state-2/step-00000006"
SERVE = pathlib.Path(os.environ["TRANSLATE_BIN_DIR"]) / "translate-serve"
MEBIBYTE = 1 << 20
TEXT = "The castles were small."
FIELDS = {"source": "en", "target": "fr"}


def form(name, content, fields=None):
    """(type, body) of a form with a file."""
    body = (f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n').encode() + content + b"\r\n"
    for field, value in (FIELDS if fields is None else fields).items():
        body += f'--x\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
    return "multipart/form-data; boundary=x", body + b"--x--\r\n"


def zipped(entries):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return packed.getvalue()


def docx(paragraphs):
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml":
                   '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
                   + paragraphs + "</w:body></w:document>"})


class Server(ServerProcess):
    def __init__(self, *options):
        super().__init__([SERVE, "--threads", "1", "--checkpoint", CHECKPOINT, "--beam-size", "1", "--source-language",
                          "en", "--target-language", "fr", *options])

    def request(self, method, path, body=None, kind=None):
        """(status, headers, bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if kind else {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def upload(self, name, content, fields=None):
        kind, body = form(name, content, fields)
        status, _, answer = self.request("POST", "/translate_file", body, kind)
        return status, json.loads(answer)

    def fetch(self, url):
        return self.request("GET", urllib.parse.urlparse(url).path)

    def translate(self, **fields):
        status, _, answer = self.request("POST", "/translate", json.dumps({"q": TEXT, **FIELDS, **fields}),
                                         "application/json")
        return status, json.loads(answer)


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--max-file-size", "4")
        cls.translation = cls.server.translate()[1]["translatedText"]
        assert cls.translation not in ("", TEXT)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def refused(self, status, words, *upload):
        found, answer = self.server.upload(*upload)
        self.assertEqual(found, status, answer)
        self.assertIn(words, answer["error"])
        self.assertEqual(self.server.translate()[0], 200)

    def test_a_file_comes_back_translated(self):
        files = {"a.txt": "{}\r\n\n{}\n", "page.HTML": '<p class=x title="{}">{}</p><pre>no</pre>', "a.md": "# {}\n\n> {}\n",
                 "a.json": '{{"a": "{}"}}', "strings.xml": "<resources><string name='a'>{}</string></resources>"}
        for name, content in files.items():
            with self.subTest(name=name):
                status, answer = self.server.upload(name, content.format(TEXT, TEXT).encode())
                self.assertEqual(status, 200, answer)
                self.assertRegex(answer["translatedFileUrl"],
                                 rf"^http://127\.0\.0\.1:{self.server.port}/download_file/[0-9a-f]{{32}}$")
                status, headers, translated = self.server.fetch(answer["translatedFileUrl"])
                self.assertEqual(status, 200)
                stem, suffix = name.split(".")
                self.assertIn(f'filename="{stem}_fr.{suffix}"', headers["Content-Disposition"])
                self.assertEqual(translated.decode(), content.format(self.translation, self.translation))

    def test_a_document_of_word(self):
        status, answer = self.server.upload("a.docx", docx(f"<w:p><w:r><w:t>{TEXT}</w:t></w:r></w:p>"))
        self.assertEqual(status, 200, answer)
        with zipfile.ZipFile(io.BytesIO(self.server.fetch(answer["translatedFileUrl"])[2])) as archive:
            self.assertIn(self.translation, archive.read("word/document.xml").decode())

    def test_a_file_of_more_lines_than_wait(self):
        status, answer = self.server.upload("a.txt", (TEXT + "\n").encode() * 1500)
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.server.fetch(answer["translatedFileUrl"])[2].decode(), (self.translation + "\n") * 1500)

    def test_settings_tell_what_is_taken(self):
        settings = json.loads(self.server.request("GET", "/frontend/settings")[2])
        self.assertTrue(settings["filesTranslation"])
        self.assertEqual(settings["fileLimit"], 4 * MEBIBYTE)
        for suffix in (".txt", ".html", ".docx"):
            self.assertIn(suffix, settings["supportedFilesFormat"])

    def test_mistakes_are_named(self):
        self.refused(400, "the files that can be translated are those with .txt, .html", "a.pdf", b"x")
        self.refused(400, "en to de is not supported", "a.txt", b"x", {"source": "en", "target": "de"})
        self.refused(400, "source is missing", "a.txt", b"x", {"target": "fr"})
        self.refused(400, "a.txt: line 2: not UTF-8", "a.txt", b"x\n\xff")
        self.refused(413, "of 4194304 at most", "a.txt", b"x" * (4 * MEBIBYTE + 1))
        self.refused(413, "of 1048576 at most for Markdown", "a.md", b"x" * (MEBIBYTE + 1))
        self.assertEqual(self.server.fetch("/download_file/" + "0" * 32)[0], 404)
        self.assertEqual(self.server.request("POST", "/translate_file", b"{}", "application/json")[0], 415)

    def test_names_lead_nowhere(self):
        for name in ("../../../tmp/a.txt", "/etc/a.txt", "..\\\\a.txt", "a.txt\\\"; filename=\\\"b.txt"):
            with self.subTest(name=name):
                status, answer = self.server.upload(name, TEXT.encode())
                self.assertEqual(status, 200, answer)
                disposition = self.server.fetch(answer["translatedFileUrl"])[1]["Content-Disposition"]
                self.assertRegex(disposition, r'^attachment; filename="[^"/\\]*_fr\.txt"; filename\*=[^"/\\]*$')
        for path in ("/download_file/../etc/passwd", "/download_file/%2e%2e%2fetc%2fpasswd", "/download_file/"):
            self.assertEqual(self.server.request("GET", path)[0], 404)

    def test_bombs_are_refused(self):
        zeros = "0" * (64 * MEBIBYTE)
        self.refused(400, "unpacked; expected at most", "a.docx", docx(f"<w:p><w:r><w:t>{zeros}</w:t></w:r></w:p>"))
        entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(20))
        self.refused(400, "a.xlf", "a.xlf", f'<!DOCTYPE x [<!ENTITY e0 "lol">{entities}]><xliff>&e20;</xliff>'.encode())
        self.refused(400, "too many elements are open at once", "a.html", b"<div>" * 200_000)
        self.refused(400, "too many attributes", "a.html", b"<p " + b" ".join(b"%x" % i for i in range(170_000)) + b">")

    def test_ten_thousand_nested_tags(self):
        for name, page in (("a.html", b"<div>" * 10_000 + TEXT.encode()), ("a.md", b"> " * 10_000 + TEXT.encode()),
                           ("a.json", b"[" * 10_000 + b"1" + b"]" * 10_000), ("a.yaml", b"[" * 10_000),
                           ("a.tmx", b"<a>" * 10_000 + b"</a>" * 10_000), ("a.srt", b"<i>" * 10_000)):
            with self.subTest(name=name):
                self.assertIn(self.server.upload(name, page)[0], (200, 400))
                self.assertEqual(self.server.translate()[0], 200)

    def test_a_form_without_an_end(self):
        kind, body = form("a.txt", b"x" * 1000)
        self.assertEqual(self.server.request("POST", "/translate_file", body[:-6], kind)[0], 400)
        head = (f"POST /translate_file HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                "Transfer-Encoding: chunked\r\n\r\n").encode()
        chunk = b"%x\r\n%s\r\n" % (MEBIBYTE, b"--x\r\n" * (MEBIBYTE // 5) + b"x")
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.settimeout(60)
            with contextlib.suppress(OSError):  # refused before everything was sent
                connection.sendall(head)
                for _ in range(64):
                    connection.sendall(chunk)
            with contextlib.suppress(OSError):
                self.assertRegex(connection.recv(4096), b"^HTTP/1.1 413 |^$")
        self.assertEqual(self.server.translate()[0], 200)


class Limits(unittest.TestCase):
    def test_two_hundred_uploads_at_once(self):
        """Each is translated, or refused: with 503, or, where the requests that arrive take too much memory, by its end."""
        content = (TEXT + "\n").encode() + b"\n" * MEBIBYTE
        with Server("--max-long", "4", "--file-memory", "24") as server:
            server.translate()
            before = server.memory()

            def upload(_):
                try:
                    return server.upload("a.txt", content)
                except OSError:
                    return None, {}

            with concurrent.futures.ThreadPoolExecutor(200) as pool:
                answers = list(pool.map(upload, range(200)))
            statuses = {status for status, _ in answers}
            self.assertLessEqual(statuses, {200, 503, None})
            self.assertIn(200, statuses)
            kept = [answer["translatedFileUrl"] for status, answer in answers if status == 200]
            self.assertLessEqual(len(kept), 24)
            self.assertLess(server.memory("VmHWM") - before, 400 * MEBIBYTE)
            for url in kept:
                self.assertEqual(server.fetch(url)[0], 200)
            self.assertEqual(server.translate()[0], 200)

    def test_a_large_file_does_not_hold_up_others(self):
        with Server("--max-queue", "40") as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
            file = pool.submit(server.upload, "a.txt", (TEXT + "\n").encode() * 800)
            while not re.search(r"translate_running_lines [1-9]", server.request("GET", "/metrics")[2].decode()):
                self.assertFalse(file.done(), "the file should take longer")
            during = 0
            while not file.done():
                self.assertEqual(server.translate()[0], 200)
                during += 1
            self.assertGreater(during, 3)
            self.assertEqual(file.result()[0], 200, file.result())

    def test_the_time_limit(self):
        with Server("--timeout", "0.001") as server:
            status, answer = server.upload("a.txt", (TEXT + "\n").encode() * 400)  # less than 10,000 characters
            self.assertEqual(status, 504, answer)

    def test_files_can_be_switched_off(self):
        with Server("--max-file-size", "0") as server:
            status, answer = server.upload("a.txt", TEXT.encode())
            self.assertEqual(status, 403)
            self.assertIn("--max-file-size", answer["error"])
            self.assertFalse(json.loads(server.request("GET", "/frontend/settings")[2])["filesTranslation"])

    def test_html_of_a_request(self):
        with Server() as server:
            _, answer = server.translate(q=f'<html lang="en"><p title="{TEXT}" contenteditable>{TEXT}</p></html>', format="html")
            self.assertRegex(answer["translatedText"], rf'^<html lang="fr"><p title="[^"]+" contenteditable>{TEXT}</p></html>$')
            self.assertNotIn(f'title="{TEXT}"', answer["translatedText"])
            status, answer = server.translate(q=(TEXT + "\n") * 1500)
            self.assertEqual(status, 200)
            self.assertEqual(len(set(answer["translatedText"].splitlines())), 1)


if __name__ == "__main__":
    unittest.main()
