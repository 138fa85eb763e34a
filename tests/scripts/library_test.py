#!/usr/bin/env python3
"""libtranslate exports its interface and nothing else by accident; programs in C++ and C, built outside this project,
find it and translate with it; a process has one OpenMP runtime, also if it loads LibTorch's operators.
TRANSLATE_BIN_DIR, TRANSLATE_BUILD_DIR: the programs' folder and that of the build."""

import json
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

from programs import BIN_DIR, CORPUS, run, train  # noqa: E402

BUILD_DIR = pathlib.Path(os.environ.get("TRANSLATE_BUILD_DIR", BIN_DIR.parent))
LIBRARIES = BUILD_DIR / "lib"
HEADERS = ROOT / "include" / "translate"
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")
TOKENIZER = {"vocab_size": 300}
MODEL = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 4, "d_ff": 48, "init": "scaled"}


def output(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(library):
    """The exported symbols of a library: {version node: names}."""
    nodes = {}
    for line in output("nm", "--dynamic", "--defined-only", "--with-symbol-versions", library).splitlines():
        name, _, node = line.split()[-1].partition("@@")
        nodes.setdefault(node, set()).add(name)
    return nodes


class SymbolsTest(unittest.TestCase):
    @unittest.skipUnless((LIBRARIES / "libtranslate_nccl.so").exists(), "the headers of NCCL and CUDA are not here")
    def test_the_plugin_of_nccl_exports_its_function_alone(self):
        self.assertEqual(exported(LIBRARIES / "libtranslate_nccl.so"), {"TRANSLATE_PRIVATE": {"translate_nccl_backend"}})

    def test_the_interface_is_what_its_header_declares(self):
        declared = set(re.findall(r"\b(translate_\w+)\(", (HEADERS / "translate_c.h").read_text(encoding="utf-8")))
        self.assertGreater(len(declared), 15)
        nodes = exported(LIBRARIES / "libtranslate.so")
        self.assertEqual(nodes.pop("TRANSLATE_0") - {"TRANSLATE_0"}, declared)
        self.check_private(nodes.pop("TRANSLATE_PRIVATE"))
        self.assertEqual(nodes, {})

    def test_the_plugin_for_gpus_exports_one_function_beside_its_version(self):
        self.assertEqual(exported(LIBRARIES / "libtranslate_torch.so"),
                         {"": {"translate_torch_open", "translate_torch_version"}})

    def check_private(self, names):
        """They are of the namespace `translate`, or tables that belong to its classes."""
        names = sorted(names - {"TRANSLATE_PRIVATE"})
        self.assertGreater(len(names), 100)
        plain = output("c++filt", "--no-params", input="\n".join(names)).splitlines()
        for name in plain:
            # A function template has its result before its name: void translate::f<T>.
            self.assertRegex(name, r"^((vtable|typeinfo|typeinfo name|TLS \w+ function|VTT) for |.*thunk to |.* )?translate::", name)
        self.assertEqual([name for name in plain if re.search(r"^(std|CLI|nlohmann|fmt|spdlog|boost)::[\w:]+$", name)], [])

    def test_sonames(self):
        for name in ("libtranslate", "libtranslate_torch"):
            dynamic = output("readelf", "--dynamic", LIBRARIES / f"{name}.so")
            self.assertIn(f"soname: [{name}.so.0]", dynamic)
        self.assertNotIn("libtorch_cpu", output("readelf", "--dynamic", LIBRARIES / "libtranslate.so"))

    def test_the_headers_need_the_standard_library_alone(self):
        for header in HEADERS.iterdir():
            for name in re.findall(r"#include (\S+)", header.read_text(encoding="utf-8")):
                self.assertRegex(name, r'^(<[a-z_]+>|<stddef\.h>|"translate/translate_c\.h")$', header.name)


class ProgramsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        data = {
            part: {"source": str(CORPUS / f"{part}.en"), "target": str(CORPUS / f"{part}.fr")}
            for part in ("train", "validation")
        } | {"source_language": "en"}
        cls.checkpoint = train(cls.folder, TOKENIZER, MODEL, 5, data=data)

    def loaded(self, *arguments, program="translate-infer"):
        """The files of libraries that a program loads in a run."""
        environment = {**os.environ, "LD_DEBUG": "files"}
        done = subprocess.run([BIN_DIR / program, "--checkpoint", self.checkpoint, "--max-length", "5", *arguments],
                              env=environment, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return sorted(set(re.findall(r"calling init: (\S+)", done.stderr)))

    def test_a_process_has_one_openmp_runtime(self):
        def runtimes(libraries):
            return [path for path in libraries if re.search(r"lib[gi]?omp", path)]

        plain = self.loaded("--device", "cpu", "The cat sat")
        self.assertEqual(runtimes(plain), [])
        self.assertEqual([path for path in plain if re.search(r"libtorch|libc10|libtranslate_torch", path)], [])
        explained = self.loaded("--device", "cpu", "The cat sat", program="translate-explain")
        self.assertEqual([path for path in explained if "libtranslate_torch" in path], [])
        self.assertEqual(len(runtimes(explained)), 1, explained)
        self.assertEqual(len([path for path in explained if re.search(r"libtranslate\.so", path)]), 1)

    @unittest.skipUnless(shutil.which("cc") and shutil.which("c++"), "no compilers")
    def test_programs_outside_the_project(self):
        first = self.folder / "first"
        for component in ("translation", "development"):
            output(CMAKE, "--install", BUILD_DIR, "--prefix", first, "--component", component)
        prefix = self.folder / "moved"
        first.rename(prefix)
        build = self.folder / "build"
        output(CMAKE, "-S", ROOT / "tests" / "library", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        output(CMAKE, "--build", build)
        lines = ["The cat sat", "", "The dog slept on the chair"]
        wanted = run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, "--precision", "fp32", *lines).split("\n")[:-1]
        self.assertEqual(len(wanted), len(lines))
        objects = run(self.folder, "translate-infer", "--checkpoint", self.checkpoint, "--precision", "fp32", "--json", *lines)
        # Of a line that was translated, and -1 of a blank one.
        confidences = [json.loads(line).get("confidence", -1.0) for line in objects.splitlines()]
        self.assertEqual([confidence >= 0 for confidence in confidences], [True, False, True])
        for program in ("translate_cpp", "translate_c"):
            found = output(build / program, self.checkpoint, *lines, cwd=self.folder).splitlines()
            self.assertEqual([line.split("\t")[0] for line in found], wanted, program)
            self.assertLess(float(found[0].split("\t")[1]), 0.0)
            self.assertEqual(float(found[1].split("\t")[1]), 0.0)
            for line, confidence in zip(found, confidences, strict=True):
                self.assertAlmostEqual(float(line.split("\t")[2]), confidence, places=4)
            wrong = subprocess.run([build / program, "/nowhere", *lines], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(wrong.returncode, 2, wrong.stderr)
            self.assertIn("/nowhere", wrong.stderr)
        shown = subprocess.run([build / "interface_cpp", self.checkpoint], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(shown.returncode, 2, shown.stderr)
        tokens, more_scores, begun, page, language, subwords, refused = shown.stdout.splitlines()
        self.assertEqual((tokens, more_scores, language), ("1", "1", "en"))
        self.assertTrue(begun.startswith("Le chien"), begun)
        self.assertEqual(page, f"<p>{wanted[0]}</p>")
        self.assertEqual(subwords.replace("\u2581", " ").strip(), "The cat sat")
        self.assertIn("threads", refused)


if __name__ == "__main__":
    unittest.main()
