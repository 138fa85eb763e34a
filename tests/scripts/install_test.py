#!/usr/bin/env python3
"""An installed folder works wherever it is moved to, without the build's LibTorch; man pages and completions name what
--help names; the small package has the files and dependencies that it promises.
TRANSLATE_BIN_DIR, TRANSLATE_BUILD_DIR: the programs' folder and that of the build; TRANSLATE_LIBTORCH_PATH: LibTorch's
folders, as LD_LIBRARY_PATH has them."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

from programs import BIN_DIR, run, train  # noqa: E402

BUILD_DIR = pathlib.Path(os.environ.get("TRANSLATE_BUILD_DIR", BIN_DIR.parent))
LIBTORCH_PATH = [pathlib.Path(path) for path in os.environ.get("TRANSLATE_LIBTORCH_PATH", "").split(":") if path]
MANUAL = BUILD_DIR / "generated" / "manual"
PROGRAMS = ("translate-train", "translate-explain", "translate-data", "translate-eval", "translate-export",
            "translate-import", "translate-infer", "translate-serve")
TOKENIZER = {"vocab_size": 300}
MODEL = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 4, "d_ff": 48, "init": "scaled"}


def output(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def install(prefix, *components):
    for component in components:
        output(os.environ.get("CMAKE_COMMAND", "cmake"), "--install", BUILD_DIR, "--prefix", prefix, "--component", component)


def libraries(program):
    """The libraries that a program loads, by their names."""
    found = re.findall(r"(\S+) => (/.+) \(0x", output("ldd", program))
    return {name: pathlib.Path(path) for name, path in found}


class CaseWithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class MovedFolderTest(CaseWithFolder):
    def test_the_light_programs_translate_from_anywhere(self):
        install(self.folder / "first", "translation")
        moved = self.folder / "second place"
        (self.folder / "first").rename(moved)
        self.assertEqual(sorted(file.name for file in (moved / "bin").iterdir()),
                         ["translate-data", "translate-eval", "translate-export", "translate-import", "translate-infer",
                          "translate-serve"])
        for program in (moved / "bin").iterdir():
            self.assertEqual([name for name in libraries(program) if name.startswith(("libc10", "libtorch"))], [])
            self.assertEqual(libraries(program)["libtranslate.so.0"].resolve().parent, moved.resolve() / "lib")
        checkpoint = train(self.folder, TOKENIZER, MODEL, 5)
        arguments = ("--checkpoint", checkpoint, "--max-length", "5", "--device", "cpu", "The cat sat")
        self.assertEqual(run(self.folder, moved / "bin" / "translate-infer", *arguments),
                         run(self.folder, BIN_DIR / "translate-infer", *arguments))

    def test_no_program_looks_for_libraries_where_it_was_built(self):
        install(self.folder, "translation", "training", "gpu")
        wanted = {"bin": ["$ORIGIN/../lib:$ORIGIN/../lib/translate"], "lib": ["$ORIGIN:$ORIGIN/translate"]}
        for folder, path in wanted.items():
            files = [file for file in (self.folder / folder).iterdir() if file.is_file()]
            self.assertGreaterEqual(len(files), 2)
            for file in files:
                paths = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", output("readelf", "--dynamic", file))
                self.assertEqual(paths, path, file.name)

    def test_the_others_find_all_of_libtorch_beside_them(self):
        # Links stand for the libraries, which take half a gigabyte; the loader looks where the links are.
        install(self.folder / "first", "translation", "training")
        script = (BUILD_DIR / "cmake_install.cmake").read_text(encoding="utf-8")
        files = dict(re.findall(r'lib/translate" TYPE FILE RENAME "([^"]+)" FILES "([^"]+)"', script))
        self.assertIn("libtorch_cpu.so", files)
        moved = self.folder / "second"
        (self.folder / "first").rename(moved)
        for name, file in files.items():
            link = moved / "lib" / "translate" / name
            link.parent.mkdir(exist_ok=True)
            if not link.exists():
                link.symlink_to(file)
        library = moved / "lib" / "libtranslate_torch.so.0"
        self.assertNotIn("not found", output("ldd", library))
        for name, path in libraries(library).items():
            if any((folder / name).exists() for folder in LIBTORCH_PATH):
                self.assertEqual(path.parent.resolve(), (moved / "lib" / "translate").resolve(), name)
        load = "import ctypes, sys; version = ctypes.CDLL(sys.argv[1]).translate_torch_version; "
        load += "version.restype = ctypes.c_char_p; print(version().decode())"
        self.assertIn(output(sys.executable, "-c", load, library), output(moved / "bin" / "translate-infer", "--version"))
        config = output(moved / "bin" / "translate-train", "--config", "en-fr.json", "--print-config", cwd=self.folder)
        self.assertIn(str(moved / "share" / "translate" / "data" / "en-fr" / "train.en"), config)


class ManualTest(CaseWithFolder):
    """What --help names is what the other places name."""

    def help_names(self, program):
        text = output(BIN_DIR / program, "--help")
        names = re.findall(r"^ {1,4}((?:--?[a-z][\w-]*(?:, ?)?)+)", text, re.MULTILINE)
        return sorted({name.strip() for line in names for name in line.split(",") if name.strip()})

    def test_man_pages(self):
        for program in PROGRAMS:
            page = (MANUAL / "man" / f"{program}.1").read_text(encoding="utf-8")
            with gzip.open(MANUAL / "man" / f"{program}.1.gz", "rt", encoding="utf-8") as zipped:
                self.assertEqual(zipped.read(), page)
            headings = re.findall(r"^\.TP\n(.*)$", page, re.MULTILINE)
            names = {name.replace("\\-", "-") for line in headings for name in re.findall(r"\\fB(\\-[^\\]*(?:\\-[^\\]*)*)\\fR", line)}
            self.assertEqual(sorted(names), self.help_names(program))
            description = output(BIN_DIR / program, "--help").splitlines()[0].rstrip(".")
            self.assertIn(description, page.replace("\\-", "-"))

    def test_completions(self):
        for program in PROGRAMS:
            wanted = self.help_names(program)
            bash = (MANUAL / "bash" / program).read_text(encoding="utf-8")
            self.assertEqual(sorted(re.search(r"compgen -W '([^']*--help[^']*)'", bash)[1].split()), wanted)
            zsh = (MANUAL / "zsh" / f"_{program}").read_text(encoding="utf-8")
            self.assertEqual(sorted(re.findall(r"^  '(?:\([^)]*\))?\*?(--?[\w-]+)\[", zsh, re.MULTILINE)), wanted)
            fish = (MANUAL / "fish" / f"{program}.fish").read_text(encoding="utf-8")
            names = [("-" if kind == "s" else "--") + name
                     for line in fish.splitlines() for kind, name in re.findall(r" -([sl]) ([\w-]+)", line.split(" -d ")[0])]
            self.assertEqual(sorted(names), wanted)

    def complete(self, *words, program="translate-infer"):
        """What bash offers for the last of the words."""
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_${1//-/_}"; printf "%s\\n" "${COMPREPLY[@]}"'
        command = ["bash", "-c", script, "bash", str(MANUAL / "bash" / program), program, *words]
        return output(*command, cwd=self.folder).split("\n")[:-1]

    def test_bash_completes_what_a_training_names(self):
        for name in ("first", "a second"):
            (self.folder / "runs" / name / "checkpoints").mkdir(parents=True)

        def train(*words):
            return self.complete(*words, program="translate-train")
        self.assertEqual(train("--set", "model.d_m"), ["model.d_model="])
        self.assertEqual(train("--set", "model.d_model", "="), [""])
        self.assertEqual(train("--config", "tutor"), ["tutorial.json"])
        self.assertEqual(train("--run-dir", "runs/f"), ["runs/first", "runs/first"])
        self.assertEqual(train("--init", "runs/a"), ["runs/a second/best", "runs/a second"])
        self.assertEqual(self.complete("--checkpoint", "b"), ["best"])

    def test_bash_completes(self):
        (self.folder / "a text.en").write_text("", encoding="utf-8")
        (self.folder / "another").mkdir()
        self.assertEqual(self.complete("--prec"), ["--precision"])
        self.assertEqual(self.complete("--precision", ""), ["auto", "fp32", "bf16", "int8"])
        self.assertEqual(self.complete("--precision", "=", "b"), ["bf16"])
        self.assertEqual(sorted(self.complete("--input", "a")), ["a text.en", "another"])
        self.assertEqual(self.complete("--run-dir", "a"), ["another"])
        self.assertEqual(self.complete("--beam-size", ""), [""])
        self.assertEqual(self.complete("The"), [""])

    def test_the_other_shells_read_them(self):
        for shell, folder in (("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")):
            if shutil.which(shell):
                for script in (MANUAL / folder).iterdir():
                    output(shell, "-n", script)


@unittest.skipUnless((BUILD_DIR / "CPackConfig.cmake").exists() and shutil.which("dpkg-deb"), "no packages are made here")
class SmallPackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        output(os.environ.get("CPACK_COMMAND", "cpack"), "--config", BUILD_DIR / "CPackConfig.cmake", "-B", cls.folder,
               "-D", "CPACK_COMPONENTS_ALL=translation;deb-translation")
        (cls.package,) = cls.folder.glob("translate-mt_*_amd64.deb")

    def test_holds_what_it_promises(self):
        contents = output("dpkg-deb", "--contents", self.package).splitlines()
        files = {line.split()[5][1:] for line in contents}  # a link is followed by " -> " and its target
        promised = {"/usr/lib/libtranslate.so.0",
                    "/lib/systemd/system/translate-mt.service", "/var/lib/translate-mt/", "/etc/default/translate-mt",
                    "/usr/share/doc/translate-mt/copyright"}
        for program in PROGRAMS[2:]:
            promised |= {f"/usr/bin/{program}", f"/usr/share/man/man1/{program}.1.gz",
                         f"/usr/share/bash-completion/completions/{program}",
                         f"/usr/share/zsh/vendor-completions/_{program}",
                         f"/usr/share/fish/vendor_completions.d/{program}.fish"}
        self.assertLessEqual(promised, files)
        self.assertEqual([file for file in files if "/libtorch" in file or "libtranslate_torch" in file or "libc10" in file
                          or "translate-train" in file or "translate-explain" in file], [])
        self.assertLess(self.package.stat().st_size, 20e6)
        depends = output("dpkg-deb", "--field", self.package, "Depends")
        self.assertIn("libsentencepiece0", depends)
        self.assertNotIn("libgomp", depends)
        self.assertRegex(depends, r"\blibicu\d+")
        self.assertIn("/etc/default/translate-mt", output("dpkg-deb", "--info", self.package, "conffiles"))

    def test_its_copyright_has_the_licences(self):
        output("dpkg-deb", "--extract", self.package, self.folder / "root")
        text = (self.folder / "root/usr/share/doc/translate-mt/copyright").read_text(encoding="utf-8")
        for wanted in ("MIT License", "headers of libcli11-dev", "headers of nlohmann-json3-dev",
                       "headers of Boost"):
            self.assertIn(wanted, text)
        for unwanted in ("libcudart", "LibTorch"):
            self.assertNotIn(unwanted, text.split("Licence of", 1)[0])


if __name__ == "__main__":
    unittest.main()
