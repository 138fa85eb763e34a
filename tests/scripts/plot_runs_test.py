#!/usr/bin/env python3
"""scripts/plot-runs draws what stands in the runs' metrics."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from plotting.picture import Scale, steps_of  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


class AxisTest(unittest.TestCase):
    """Where values stand."""

    def test_numbers_are_round_and_within(self):
        self.assertEqual(steps_of(0, 60), [0, 10, 20, 30, 40, 50, 60])
        self.assertEqual([round(each, 9) for each in steps_of(0.13, 0.41)], [0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
        self.assertEqual(steps_of(-3000, 9000), [-2000, 0, 2000, 4000, 6000, 8000])

    def test_ends_are_where_they_should(self):
        scale = Scale([2, 6], (None, None), (100, 200))
        self.assertEqual([scale(2), scale(4), scale(6)], [100, 150, 200])
        scale = Scale([2, 6], (0, 8), (200, 100))
        self.assertEqual([scale(0), scale(2), scale(8)], [200, 175, 100])
        self.assertTrue(Scale([3], (None, None), (0, 1)).holds(3))
        with self.assertRaisesRegex(ValueError, "no length"):
            Scale([1, 2], (5, 5), (0, 1))


class PictureTest(unittest.TestCase):
    """The command."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_of(self, name, bleu):
        """A run with a validation every 100 steps, each of 30 s."""
        (self.folder / name).mkdir()
        reports = [{"kind": "train", "step": 50, "epoch": 0, "loss": 7.5, "seconds": 15.0}]
        reports += [{"kind": "validation", "step": 100 * number, "epoch": number, "loss": 9 - number, "bleu": value,
                     "seconds": 30.0 * number} for number, value in enumerate(bleu)]
        text = "".join(json.dumps(each) + "\n" for each in reports) + '{"kind": "valid'
        (self.folder / name / "metrics.jsonl").write_text(text)

    def plot(self, *arguments, code=0):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "plot-runs", *arguments, "--output", "c.svg"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else xml.parse(self.folder / "c.svg").getroot()

    def test_each_run_is_a_line_each_name_a_colour(self):
        for name, bleu in (("a", [0, 10, 20]), ("b", [0, 20, 40]), ("c", [0, 5, 10])):
            self.run_of(name, bleu)
        picture = self.plot("a", "more & more=b", "a=c", "--title", "1 < 2")
        lines = picture.findall(f"{SVG}polyline")
        colours = [line.get("stroke") for line in lines]
        self.assertEqual(colours[0], colours[2])
        self.assertNotEqual(colours[0], colours[1])
        texts = [each.text for each in picture.findall(f"{SVG}text")]
        for text in ("a", "more & more", "1 < 2", "bleu", "step", "40"):
            self.assertEqual(texts.count(text), 1, text)
        heights = [[float(point.split(",")[1]) for point in line.get("points").split()] for line in lines]
        self.assertEqual(heights[0][0], heights[1][0])
        self.assertAlmostEqual(heights[0][2], heights[1][1])
        self.assertAlmostEqual(heights[0][0] - heights[1][2], 4 * (heights[0][0] - heights[2][2]), delta=0.2)

    def test_a_long_name_fits_in(self):
        self.run_of("a", [0, 10])
        name = "a model of a name that takes a place of its own"
        width = [float(self.plot(f"{each}=a").get("viewBox").split()[2]) for each in ("a", name)]
        place = next(float(each.get("x")) for each in self.plot(f"{name}=a").findall(f"{SVG}text") if each.text == name)
        self.assertLess(width[0], width[1])
        self.assertLess(place + 6 * len(name), width[1])

    def test_what_lies_beyond_the_axis_is_left_out(self):
        self.run_of("a", [0, 10, 20, None])
        line = self.plot("a", "--from", "5").find(f"{SVG}polyline")
        self.assertEqual(len(line.get("points").split()), 2)

    def test_other_metrics_and_axes(self):
        self.run_of("a", [0, 10, 20])
        for options, count in (("--metric loss", 3), ("--metric loss --x minutes", 3), ("--metric train-loss", 1),
                               ("--x epoch", 3)):
            line = self.plot("a", *options.split()).find(f"{SVG}polyline")
            self.assertEqual(len(line.get("points").split()), count, options)

    def test_what_is_wrong_is_said(self):
        self.run_of("a", [None])
        self.assertIn("no bleu yet", self.plot("a", code=2))
        self.assertIn("none", self.plot("none", code=2))
        self.assertIn("--metric", self.plot("a", "--metric", "x", code=2))


if __name__ == "__main__":
    unittest.main()
