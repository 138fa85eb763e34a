#!/usr/bin/env python3
"""The programs need few rights. They run in a sandbox (bubblewrap) as strict as the systemd unit of the package: every
file system read-only but the folders that a program must write to, no home, no network (translate-serve: loopback
alone), no capability, no other process in sight. What they log and answer names neither texts nor paths.
TRANSLATE_BIN_DIR: the programs' folder. Skipped where bubblewrap is missing, or may not make namespaces."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

import environment  # noqa: E402
from programs import BIN_DIR, CORPUS, train  # noqa: E402

MOST_EXPOSED = 15  # tenths: 1.5 of 10, as systemd-analyze counts
SECRET = "Zanzibarquux"  # a word that no message holds by itself
SANDBOX = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
           "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"]

# Starts the server, sends the requests of stdin (JSON: [path, body] each) and prints the answers, in the sandbox, whose
# loopback nobody else reaches.
CLIENT = """
import json, re, subprocess, sys, urllib.error, urllib.request
server = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, encoding="utf-8")
log, port = "", None
for line in server.stderr:
    log += line
    found = re.search(r"listening on http://127\\.0\\.0\\.1:([0-9]+)", line)
    if found:
        port = found[1]
        break
answers = []
for path, body in json.load(sys.stdin) if port else []:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            answers.append([response.status, response.read().decode()])
    except urllib.error.HTTPError as error:
        answers.append([error.code, error.read().decode()])
server.terminate()
log += server.stderr.read()
print(json.dumps({"answers": answers, "log": log, "code": server.wait()}))
"""


def hidden_homes():
    """Options that hide the homes, but for what the programs are made of."""
    return [option for home in ("/root", "/home") if os.path.isdir(home) and not str(BIN_DIR).startswith(home)
            for option in ("--tmpfs", home)]


def can_sandbox():
    return subprocess.run([*SANDBOX, "true"], capture_output=True).returncode == 0


class LeastPrivilege(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-sandbox-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.checkpoint = train(cls.folder, {"vocab_size": 300, "shared": True}, {"d_model": 16, "num_layers": 1,
                                                                                 "num_heads": 2, "d_ff": 16}, 2)

    def run_in_sandbox(self, command, writable=(), text="", environment=()):
        """The folder of the models is readable, and so is the checkout, which may lie under /tmp; `writable` are the
        only folders that can be written to."""
        options = [*hidden_homes(), "--ro-bind", ROOT, ROOT, "--ro-bind", self.folder, self.folder]
        for folder in writable:
            options += ["--bind", folder, folder]
        for name, value in environment:
            options += ["--setenv", name, value]
        command = [*SANDBOX, *options, "--chdir", self.folder, *command]
        return subprocess.run([str(part) for part in command], input=text, capture_output=True, encoding="utf-8")

    def test_the_sandbox_is_one(self):
        for forbidden in (f"touch {self.folder}/file", "touch /etc/file", "touch /var/file",
                          "exec 3<>/dev/tcp/192.0.2.1/80"):
            done = self.run_in_sandbox(["bash", "-c", forbidden])
            self.assertNotEqual(done.returncode, 0, forbidden)

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "systemd is not installed")
    def test_the_unit_is_as_strict(self):
        unit = ROOT / "packaging" / "translate-mt.service"
        command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", unit]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_translating_writes_nothing_and_needs_no_network(self):
        done = self.run_in_sandbox([BIN_DIR / "translate-infer", "--checkpoint", self.checkpoint], text="The cat sat.\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertNotIn("error", done.stderr)

    def test_evaluating_writes_nothing_and_needs_no_network(self):
        done = self.run_in_sandbox([BIN_DIR / "translate-eval", "--checkpoint", self.checkpoint, "--source",
                                    CORPUS / "test.en", "--reference", CORPUS / "test.fr", "--json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bleu", json.loads(done.stdout))

    def test_training_writes_to_its_run_alone(self):
        run = pathlib.Path(tempfile.mkdtemp(prefix="translate-run-"))
        self.addCleanup(shutil.rmtree, run, ignore_errors=True)
        config = {"data": {"train": {"source": str(CORPUS / "train.en"), "target": str(CORPUS / "train.fr")}},
                  "tokenizer": {"vocab_size": 300}, "model": {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 16},
                  "training": {"max_steps": 2, "batch_tokens": 300}}
        (self.folder / "sandboxed.json").write_text(json.dumps(config), encoding="utf-8")
        done = self.run_in_sandbox([BIN_DIR / "translate-train", "--config", self.folder / "sandboxed.json",
                                    "--run-dir", run / "mine", "--threads", "1"], writable=[run])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((run / "mine/checkpoints/step-00000002/model.safetensors").is_file())
        self.assertEqual([file.name for file in run.iterdir()], ["mine"])

    def test_serving_needs_loopback_alone_and_tells_nothing_of_texts_and_paths(self):
        requests = [["/translate", {"q": f"The {SECRET} sat.", "source": "en", "target": "fr"}],
                    ["/translate", {"q": SECRET, "source": "en", "target": SECRET}],
                    ["/translate", {"q": {"text": SECRET}}], ["/languages", None], ["/metrics", None],
                    ["/frontend/settings", None], ["/", None], ["/" + SECRET, None], ["/../../etc/passwd", None]]
        server = [BIN_DIR / "translate-serve", "--port", "0", "--threads", "1", "--checkpoint", self.checkpoint,
                  "--source-language", "en", "--target-language", "fr", "--log-level", "debug"]
        done = self.run_in_sandbox(["/usr/bin/python3", "-c", CLIENT, *server], text=json.dumps(requests))
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["code"], 128 + 15, told["log"])
        self.assertEqual([status for status, _ in told["answers"]], [200, 400, 400, 200, 200, 200, 200, 404, 404],
                         told["answers"])
        self.assertNotIn(SECRET, told["log"])
        for _, answer in told["answers"][3:7]:  # neither about a text nor about a page of that name
            self.assertNotIn(SECRET, answer)
        for _, answer in told["answers"]:
            self.assertNotIn(str(self.folder), answer)
            self.assertNotIn("root:", answer)


if __name__ == "__main__":
    if shutil.which("bwrap") is None:
        environment.skip("bubblewrap is missing; scripts/setup --dev installs it")
    if not can_sandbox():  # nor could .ci/run
        print("SKIPPED: bubblewrap may not make namespaces here")
        sys.exit(environment.SKIPPED)
    unittest.main()
