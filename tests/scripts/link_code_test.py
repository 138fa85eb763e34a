#!/usr/bin/env python3
"""The documentation's links to symbols in the code are right, and scripts/link-code notices and mends those that are
not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from linking.symbols import line_of  # noqa: E402

HEADER = """#pragma once

namespace translate {

class Encoder;  // only declared
enum class Kind { kPlain, kFused };
/// Encoder and `class Decoder {` are only mentioned here, and "struct Text {" below.
inline constexpr const char* kText = "struct Text {";

/// A module.
class EncoderImpl : public Module {
 public:
  explicit EncoderImpl(const Options& layers);
  Tensor forward(const Tensor& x,
                 const Tensor& mask) {
    return layers(x, mask);
  }

  Tensor mask;

 private:
  std::vector<Layer> layers;
};

[[nodiscard]] Tensor causal_mask(int length);

}  // namespace translate
"""
SOURCE = """#include "encoder.h"

namespace translate {

namespace {

// Tensor shown(Tensor x) { return x; }
Tensor
shifted(const Tensor& x) {
  return EncoderImpl::forward(x, causal_mask(1'000));
}

}  // namespace

EncoderImpl::EncoderImpl(const Options& layers) : layers(layers) {}

Tensor EncoderImpl::forward(const Tensor& x, const Tensor& mask) {
  return shifted(x);
}

}  // namespace translate
"""
PAGE = """# Where it is

The stack is [src/model/encoder.cpp{line}](../../src/model/encoder.cpp{anchor})
`Encoder::forward`, and
[a page](page.md) is `no link to code`.
"""


class SymbolsTest(unittest.TestCase):
    """Where a symbol is."""

    def line(self, code, symbol):
        line = line_of(code, symbol)
        return None if line is None else code.split("\n")[line - 1]

    def test_types_where_they_are_defined(self):
        self.assertEqual(self.line(HEADER, "Encoder"), "class EncoderImpl : public Module {")
        self.assertEqual(self.line(HEADER, "Kind"), "enum class Kind { kPlain, kFused };")
        self.assertEqual(self.line(HEADER, "kText"), 'inline constexpr const char* kText = "struct Text {";')

    def test_members(self):
        self.assertEqual(self.line(HEADER, "Kind::kFused"), "enum class Kind { kPlain, kFused };")
        self.assertEqual(self.line(HEADER, "Encoder::mask"), "  Tensor mask;")
        self.assertEqual(self.line(HEADER, "Encoder::layers"), "  std::vector<Layer> layers;")
        self.assertEqual(self.line(HEADER, "EncoderImpl::forward"), "  Tensor forward(const Tensor& x,")
        self.assertIsNone(line_of(HEADER, "Encoder::backward"))
        self.assertIsNone(line_of(HEADER, "Encoder::causal_mask"))

    def test_functions_where_they_are_defined_and_not_called(self):
        self.assertEqual(self.line(HEADER, "causal_mask"), "[[nodiscard]] Tensor causal_mask(int length);")
        self.assertIsNone(line_of(SOURCE, "causal_mask"))
        self.assertEqual(self.line(SOURCE, "shifted"), "shifted(const Tensor& x) {")
        self.assertEqual(self.line(SOURCE, "Encoder::forward"),
                         "Tensor EncoderImpl::forward(const Tensor& x, const Tensor& mask) {")
        self.assertEqual(self.line(SOURCE, "EncoderImpl::EncoderImpl"),
                         "EncoderImpl::EncoderImpl(const Options& layers) : layers(layers) {}")

    def test_comments_and_texts_are_no_code(self):
        self.assertIsNone(line_of(HEADER, "Decoder"))
        self.assertIsNone(line_of(HEADER, "Text"))
        self.assertIsNone(line_of(SOURCE, "shown"))


class LinkCodeTest(unittest.TestCase):
    """scripts/link-code on a small checkout of its own, and on this one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.source = self.root / "src/model/encoder.cpp"
        self.page = self.root / "docs/course/01-text.md"
        for file, text in ((self.source, SOURCE), (self.page, PAGE.format(line="", anchor=""))):
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")

    def run_script(self, *arguments, root=None):
        return subprocess.run([ROOT / "scripts/link-code", "--root", root or self.root, *arguments], check=False,
                              capture_output=True, text=True)

    def assert_right(self):
        done = self.run_script("--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_wrong(self, message, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertIn(message, done.stderr)

    def test_links_of_this_checkout_are_right(self):
        done = self.run_script("--check", root=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(int(done.stdout.split()[0]), 100)

    def test_numbers_are_filled_in(self):
        self.assert_wrong("docs/course/01-text.md:3: Encoder::forward is in line 17 of src/model/encoder.cpp", "--check")
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE.format(line="", anchor=""))
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE.format(line=":17", anchor="#L17"))
        self.assert_right()

    def test_a_stale_line_is_noticed_and_mended(self):
        self.run_script()
        self.source.write_text("// A new first line.\n" + SOURCE, encoding="utf-8")
        self.assert_wrong("is in line 18 of src/model/encoder.cpp", "--check")
        self.assertEqual(self.run_script().returncode, 0)
        self.assert_right()

    def test_a_wrong_anchor_or_label_alone_is_noticed(self):
        self.page.write_text(PAGE.format(line=":17", anchor="#L16"), encoding="utf-8")
        self.assert_wrong("is in line 17", "--check")
        self.page.write_text(PAGE.format(line=":16", anchor="#L17"), encoding="utf-8")
        self.assert_wrong("is in line 17", "--check")

    def test_a_renamed_symbol_is_an_error_whether_checked_or_filled_in(self):
        self.run_script()
        self.source.write_text(SOURCE.replace("EncoderImpl::forward(const", "EncoderImpl::encode(const"), encoding="utf-8")
        for arguments in ((), ("--check",)):
            self.assert_wrong("docs/course/01-text.md:3: src/model/encoder.cpp has no symbol Encoder::forward", *arguments)

    def test_a_file_that_is_gone_is_an_error(self):
        self.run_script()
        self.source.unlink()
        self.assert_wrong("docs/course/01-text.md:3: there is no file src/model/encoder.cpp", "--check")


if __name__ == "__main__":
    unittest.main()
