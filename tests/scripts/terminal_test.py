#!/usr/bin/env python3
"""The programs on a terminal: pseudo-terminals of several widths, one that changes its width, and typed lines.
TRANSLATE_BIN_DIR: the programs' folder."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

import programs  # noqa: E402

BIN_DIR = programs.BIN_DIR.resolve()  # the tests run in other folders
CORPUS = programs.CORPUS
PROGRAMS = ("translate-train", "translate-eval", "translate-explain", "translate-infer", "translate-serve")
WITH_LIBTORCH = ("translate-train", "translate-explain")
TIME_OUT = 120  # seconds, for machines that are busy
REPORT = re.compile(r"step \d+  epoch \d+  loss ")


def set_columns(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


class Terminal:
    """A program whose stdin, stdout and stderr are one terminal."""

    def __init__(self, folder, columns, program, *arguments):
        self.process, self.file = pty.fork()
        if self.process == 0:
            try:
                self.become(folder, columns, program, arguments)
            finally:
                os._exit(127)
        self.output = ""
        self.ended = False

    @staticmethod
    def become(folder, columns, program, arguments):
        os.chdir(folder)
        set_columns(0, columns)  # before the program looks
        environment = {**os.environ, "TERM": "xterm-256color", "OMP_WAIT_POLICY": "PASSIVE"}
        for name in ("XTERM_VERSION", "STY", "NO_COLOR"):
            environment.pop(name, None)
        os.execve(BIN_DIR / program, [program, *map(str, arguments)], environment)

    def read(self, seconds):
        """What comes within that time is added to the output."""
        ready, _, _ = select.select([self.file], [], [], seconds)
        if ready:
            try:
                data = os.read(self.file, 65536)
            except OSError:  # Linux: the other end is closed
                data = b""
            self.ended = not data
            self.output += data.decode("utf-8", errors="replace")

    def wait_for(self, text, after=0):
        """Until `text` stands in the output behind `after`."""
        end = time.monotonic() + TIME_OUT
        while text not in self.output[after:]:
            if self.ended or time.monotonic() > end:
                raise AssertionError(f"{text!r} never came: {self.output!r}")
            self.read(0.1)

    def type(self, text):
        os.write(self.file, text.encode())

    def resize(self, columns):
        set_columns(self.file, columns)

    def finish(self):
        """The exit code, when all output is read."""
        end = time.monotonic() + TIME_OUT
        while not self.ended:
            if time.monotonic() > end:
                os.kill(self.process, 9)
                raise AssertionError(f"no end: {self.output!r}")
            self.read(0.1)
        os.close(self.file)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def scrollback(output):
    """The lines that stand on a terminal at the end. One that rewraps: a line is one, in however many rows."""
    lines = [""]
    for token in re.findall(r"\033\[\d*[A-Za-z]|\r\n|\r|\n|[^\033\r\n]+", output):
        if token == "\r\n" or token == "\n":
            lines.append("")
        elif token in ("\033[K", "\033[J"):  # behind a carriage return
            lines[-1] = ""
        elif token == "\r" or token.endswith("A"):  # to the first row of the same line
            continue
        elif not token.startswith("\033"):
            lines[-1] += token
    return lines


def without_times(line):
    return re.sub(r"^\[(\d+-\d+-\d+ )?\d+:\d+:\d+\] ", "", line)


def messages(lines):
    """Messages, of which those that were broken to fit the window are whole again."""
    whole = []
    for line in lines:
        if line.startswith(" " * 11) and whole:
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    return whole


def essence(line):
    """What every form of a message tells: of a report, all but what the machine's speed decides and a window may
    shorten."""
    line = re.sub(r"\s+", " ", without_times(line))
    report = re.match(r"(?:validation at )?step \d+|", line).group()
    return " ".join([report, *re.findall(r"(?:loss|ppl|BLEU) [\d.]+", line)]) if report else line


def widest(drawings):
    return max(map(len, drawings), default=0)


class HelpTest(unittest.TestCase):
    """--help fits the window."""

    def help(self, program, columns):
        terminal = Terminal("/", columns, program, "--help")
        self.assertEqual(terminal.finish(), 0)
        return terminal.output.replace("\r\n", "\n")

    def test_fits_every_window(self):
        for program in PROGRAMS:
            for columns, limit in ((60, 60), (80, 80), (100, 100), (120, 100), (200, 100)):
                with self.subTest(program=program, columns=columns):
                    lines = self.help(program, columns).split("\n")
                    self.assertLessEqual(widest(lines), limit, max(lines, key=len))
                    self.assertGreater(widest(lines), limit - 15)  # and uses it

    def test_is_the_same_in_a_pipe_as_in_a_window_of_80_columns(self):
        for program in PROGRAMS:
            piped = subprocess.run([BIN_DIR / program, "--help"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(piped, self.help(program, 80))

    def test_begins_with_examples_and_lists_no_exclusions(self):
        for program in PROGRAMS:
            text = self.help(program, 100)
            self.assertLess(text.index("\nExamples:\n"), text.index("\nOptions:\n"))
            self.assertNotRegex(text, "Excludes|Needs:")

    def test_examples_of_narrow_windows_can_be_copied(self):
        for program in PROGRAMS:
            def commands(text):
                joined = re.sub(r" \\\n +", " ", text)
                return [line for line in joined.split("\n") if re.match("  (translate-|curl|cat )", line)]
            self.assertEqual(commands(self.help(program, 50)), commands(self.help(program, 100)), program)


class CommandLineTest(unittest.TestCase):
    """What every program says of itself and of wrong options."""

    def run_program(self, program, *arguments):
        return subprocess.run([BIN_DIR / program, *arguments], capture_output=True, text=True, check=False)

    def test_an_unknown_option_names_the_meant_one(self):
        for program in PROGRAMS:
            done = self.run_program(program, "--confg", "x")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.split("\n")[0], "unknown option --confg; did you mean --config?")

    def test_version_is_that_of_everything_that_computes(self):
        for program in PROGRAMS:
            libraries = r"LibTorch \d+\.\d+\.\d+\n" if program in WITH_LIBTORCH else ""
            done = self.run_program(program, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^{program} \d+\.\d+\.\d+\n{libraries}instructions: .+\n"
                                          r"precisions on the CPU: fp32, bf16.*\n$")


class WithModel(unittest.TestCase):
    """A folder with runs/tiny, trained for a moment; the same configuration for other runs."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for side in ("en", "fr"):
            lines = (CORPUS / f"train.{side}").read_text(encoding="utf-8").split("\n")[:400]
            (cls.folder / f"train.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        config = {
            "data": {"train": {"source": "train.en", "target": "train.fr"}, "validation": {"fraction": 0.05},
                     "source_language": "en", "target_language": "fr"},
            "tokenizer": {"vocab_size": 150},
            "model": {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 32, "layer_norm": "torch"},
            "training": {"batch_tokens": 200, "max_steps": 40, "schedule": "constant", "learning_rate": 0.005,
                         "warmup_steps": 10, "log_every": 10, "validate_every": 20, "checkpoint_every": 20},
        }
        (cls.folder / "tiny.json").write_text(json.dumps(config), encoding="utf-8")
        cls.piped = cls.run_program("translate-train", "--config", "tiny.json")

    @classmethod
    def run_program(cls, program, *arguments, text=""):
        done = subprocess.run([BIN_DIR / program, "--threads", "1", *arguments], cwd=cls.folder, input=text,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done

    def terminal(self, columns, program, *arguments):
        return Terminal(self.folder, columns, program, "--threads", "1", *arguments)

    def log(self, run):
        return (self.folder / "runs" / run / "log.txt").read_text(encoding="utf-8")


class TrainingTest(WithModel):
    """The bar and the reports fit the window; a report has the same numbers as in a pipe."""

    def check_reports(self, run, terminal):
        """Scrollback, log.txt and what a pipe got tell the same."""
        lines = messages([line for line in scrollback(terminal.output) if line])
        log = self.log(run)
        self.assertNotRegex(log, r"[\x00-\x08\x0b-\x1f\x7f]")
        self.assertEqual([essence(line) for line in lines], [essence(line) for line in log.split("\n") if line])
        reports = [essence(line) for line in log.split("\n") if REPORT.search(line)]
        piped = [essence(line) for line in self.piped.stderr.split("\n") if REPORT.search(line)]
        self.assertEqual(reports[:len(piped)], piped)
        self.assertGreaterEqual(len(piped), 4)

    def check_rows(self, terminal, columns):
        """Each row fits but for words that are wider; a report is one row in windows of 80 columns and more."""
        rows = scrollback(terminal.output)
        for row in rows:
            self.assertTrue(len(row) <= columns or " " not in row.strip(), row)
        for row in rows if columns >= 80 else ():
            if re.search(r"\] (validation at )?step \d", row):
                self.assertRegex(row, r"  (lr \S+  \S+ tok\S*/s|BLEU \S+)")

    def drawings(self, output):
        """Every form of the bar that was drawn in what begins with the end of a line or with one drawn anew."""
        return re.findall(r"(?:^|\n|\033\[[KJ])((?:\[[#.]+\] +)?\d+%[^\r\n\033]*)", output)

    def test_at_several_widths(self):
        for columns in (60, 80, 120):
            with self.subTest(columns=columns):
                run = f"wide-{columns}"
                # Long enough for the bar to be drawn, several times a second, with the figures of a report.
                terminal = self.terminal(columns, "translate-train", "--config", "tiny.json", "--run-dir",
                                         f"runs/{run}", "--set", "training.max_steps=600")
                self.assertEqual(terminal.finish(), 0)
                drawings = self.drawings(terminal.output)
                self.assertLessEqual(widest(drawings), columns - 1)
                whole = [line for line in drawings if "loss" in line]
                self.assertTrue(whole, drawings)
                self.check_reports(run, terminal)
                self.check_rows(terminal, columns)
                if columns == 120:
                    self.assertRegex(whole[-1], r" epoch \d+  loss \d+\.\d+  \d+ tokens/s  .* left  best (?:BLEU|chrF) [\d.]+$")
                else:
                    self.assertRegex(whole[-1], r"ep\S* \d+ +loss \d+\.\d+ +\S+ tok\S*/s +\S+")

    def test_follows_the_window(self):
        terminal = self.terminal(120, "translate-train", "--config", "tiny.json", "--run-dir", "runs/resized",
                                 "--set", "training.max_minutes=10", "--set", "training.max_steps=0")
        terminal.wait_for("tokens/s  ")
        for columns in (60, 80, 40):
            terminal.resize(columns)
            time.sleep(0.4)  # the new width is seen within a tenth of a second
            terminal.read(0.1)
            begin = len(terminal.output)
            for _ in range(3):
                terminal.wait_for("% ", len(terminal.output))
            text = terminal.output[begin:]
            drawings = self.drawings(text[text.index("\r"):])
            self.assertTrue(drawings, text)
            self.assertLessEqual(widest(drawings), columns - 1)
            if columns > 40:
                self.assertGreater(widest(drawings), columns - 25)
        os.kill(terminal.process, signal.SIGINT)
        self.assertEqual(terminal.finish(), 130)
        self.assertRegex(terminal.output, r"\r\033\[\dA\033\[J")  # the rows of the rewrapped bar were erased
        self.check_reports("resized", terminal)

    def test_quiet_shows_nothing(self):
        terminal = self.terminal(80, "translate-train", "--config", "tiny.json", "--run-dir", "runs/quiet", "--quiet")
        self.assertEqual(terminal.finish(), 0)
        self.assertEqual(terminal.output, "")
        self.assertRegex(self.log("quiet"), REPORT)


class TypingTest(WithModel):
    """translate-infer at a prompt."""

    def test_a_prompt_and_no_counter(self):
        terminal = self.terminal(80, "translate-infer", "--run-dir", "runs/tiny")
        terminal.wait_for("> ")
        self.assertEqual(terminal.output, "Type a line and press Enter; Ctrl-D ends.\r\n> ")
        answers = []
        for line in ("the cat", "the dog"):
            begin = len(terminal.output)
            terminal.type(line + "\n")
            terminal.wait_for("> ", begin)
            answers.append(terminal.output[begin:])
        terminal.type("\x04")
        self.assertEqual(terminal.finish(), 0)
        self.assertTrue(terminal.output.endswith("> \r\n"), terminal.output)
        self.assertNotIn("lines/s", terminal.output)
        self.assertNotIn("\033", terminal.output)
        piped = self.run_program("translate-infer", "--run-dir", "runs/tiny", text="the cat\nthe dog\n")
        self.assertEqual(piped.stderr, "")
        for line, answer, translation in zip(("the cat", "the dog"), answers, piped.stdout.splitlines()):
            self.assertEqual(answer, f"{line}\r\n{translation}\r\n> ")

    def test_quiet_has_no_prompt(self):
        terminal = self.terminal(80, "translate-infer", "--quiet")
        terminal.type("the cat\n\x04")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("> ", terminal.output)

    def test_a_file_has_a_bar_that_is_gone_at_the_end(self):
        lines = "the cat sat on the mat\n" * 5000
        (self.folder / "many.en").write_text(lines, encoding="utf-8")
        terminal = self.terminal(60, "translate-infer", "--run-dir", "runs/tiny", "--input", "many.en", "--output",
                                 "many.fr", "--beam-size", "1", "--max-length", "5")
        self.assertEqual(terminal.finish(), 0)
        drawings = re.findall(r"\[[#.]+\] [^\r\n\033]*lines[^\r\n\033]*", terminal.output)
        self.assertTrue(drawings, terminal.output)
        self.assertLessEqual(widest(drawings), 59)
        self.assertFalse([line for line in scrollback(terminal.output) if "lines/s" in line])


class DefaultModelTest(WithModel):
    """The model is named where it was not chosen, and --list shows which there are."""

    NAMED = r"\[[\d:]+\] model: runs/tiny, step 40 \(the run written last; --checkpoint or --run-dir choose another\)\n"

    def test_is_named_once(self):
        done = self.run_program("translate-infer", "the cat", "the dog")
        self.assertRegex(done.stderr, f"^{self.NAMED}$")
        done = self.run_program("translate-infer", text="the cat\n" * 3000)
        self.assertRegex(done.stderr, f"^{self.NAMED}$")
        done = self.run_program("translate-eval", "--split", "validation")
        self.assertEqual(done.stderr.count("model: runs/tiny, step 40"), 1)

    def test_is_named_once_where_another_program_goes_on(self):
        done = self.run_program("translate-explain", "the cat")
        self.assertEqual(done.stderr.count("model: runs/tiny, step 40"), 1, done.stderr)

    def test_is_not_named_where_it_was_chosen_or_quiet(self):
        for arguments in (("--run-dir", "runs/tiny"), ("--checkpoint", "latest"), ("--quiet",)):
            self.assertNotIn("model:", self.run_program("translate-infer", *arguments, "the cat").stderr)

    def test_serve_names_it(self):
        server = subprocess.Popen([BIN_DIR / "translate-serve", "--port", "0", "--threads", "1"], cwd=self.folder,
                                  stderr=subprocess.PIPE, text=True)
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "listening on" in line:
                server.terminate()
        server.wait(TIME_OUT)
        server.stderr.close()
        self.assertRegex("".join(lines), self.NAMED)

    def test_list(self):
        done = self.run_program("translate-infer", "--list")
        self.assertEqual(done.stderr, "")
        heading, run, *checkpoints = done.stdout.splitlines()
        self.assertRegex(heading, r"^RUN +STEP +BLEU +LANGUAGES +SIZE +WRITTEN$")
        self.assertRegex(run, r"^runs/tiny +40 +\d+\.\d\d +en to fr +\d+\.\d MiB  \d{4}-\d\d-\d\d \d\d:\d\d  default$")
        self.assertEqual([line.split()[0] for line in checkpoints], ["step-40", "step-20"])
        self.assertIn("latest", checkpoints[0])
        objects = [json.loads(line) for line in self.run_program("translate-infer", "--list", "--json").stdout.split("\n")
                   if line]
        self.assertEqual([item["run"] for item in objects], ["runs/tiny"])
        scores = [item["score"] for item in objects[0]["checkpoints"]]
        self.assertGreaterEqual(objects[0]["best_score"], max(scores))  # of step 0, too, which is not kept
        narrowed = self.run_program("translate-infer", "--list", "--run-dir", "runs/tiny").stdout
        self.assertEqual(narrowed, done.stdout.replace("  default", ""))


if __name__ == "__main__":
    unittest.main()
