#!/usr/bin/env python3
"""scripts/plot-runs draws what stands in the runs' metrics."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml  # noqa: N813

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from plotting.picture import COLOURS, INKS, SURFACES, Scale, draw, steps_of  # noqa: E402

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

    def test_room_is_left_where_no_end_is_given(self):
        scale = Scale([10, 20], (None, None), (0, 1), room=0.1)
        self.assertEqual([scale.lowest, scale.highest], [9, 21])
        scale = Scale([10, 20], (10, 20), (0, 1), room=0.1)
        self.assertEqual([scale.lowest, scale.highest], [10, 20])
        self.assertEqual(Scale([0, 20], (None, None), (0, 1), room=0.1).lowest, 0)
        self.assertEqual(Scale([-10, 20], (None, None), (0, 1), room=0.1).lowest, -13)

    def test_a_single_value_has_an_axis_not_below_zero(self):
        for value, ends, axis in ((3, (None, None), (2.5, 3.5)), (0, (None, None), (0, 0.5)), (0, (0, None), (0, 0.5)),
                                  (100, (0, None), (0, 100)), (-1, (None, None), (-1.5, -0.5)),
                                  (0, (40, None), (40, 40.5)), (50, (None, 10), (9.5, 10))):
            scale = Scale([value], ends, (0, 1))
            self.assertEqual((scale.lowest, scale.highest), axis, value)


def luminance(colour):
    """Of "#rrggbb", as WCAG defines it."""
    parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class SchemeTest(unittest.TestCase):
    """Light and dark."""

    def test_lines_and_texts_stand_out_in_both(self):
        self.assertEqual(len(COLOURS["light"]), len(COLOURS["dark"]))
        for scheme, surface in SURFACES.items():
            self.assertGreaterEqual(contrast(INKS[scheme]["text"], surface), 7, scheme)
            for colour in COLOURS[scheme]:
                self.assertGreaterEqual(contrast(colour, surface), 3, f"{colour} on {scheme}")
            self.assertEqual(len(set(COLOURS[scheme])), len(COLOURS[scheme]))

    def test_the_picture_has_the_colours_of_both(self):
        text = draw([("x", [("a", [(0, 1), (1, 2)])])], "y", (None, None), "")
        light, dark = text.split("@media(prefers-color-scheme:dark)")
        for scheme, part in (("light", light), ("dark", dark)):
            for colour in (SURFACES[scheme], INKS[scheme]["text"], COLOURS[scheme][0]):
                self.assertIn(colour, part)
        for each in xml.fromstring(text).iter():
            for name in ("fill", "stroke"):
                self.assertNotIn("#", each.get(name, ""), "a colour that does not follow the scheme")

    def test_more_names_than_colours_differ_by_dashes(self):
        curves = [(str(number), [(0, 1), (1, number)]) for number in range(3 * len(COLOURS["light"]))]
        lines = xml.fromstring(draw([("x", curves)], "y", (None, None), "")).findall(f"{SVG}polyline")
        self.assertEqual(len({(line.get("class"), line.get("stroke-dasharray")) for line in lines}), len(curves))


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
        lines, minutes = lines[:3], lines[3:]
        colours = [line.get("class") for line in lines]
        self.assertEqual(colours, [line.get("class") for line in minutes])
        self.assertEqual(colours[0], colours[2])
        self.assertNotEqual(colours[0], colours[1])
        texts = [each.text for each in picture.findall(f"{SVG}text")]
        for text, count in (("a", 1), ("more & more", 1), ("1 < 2", 1), ("validation BLEU", 2), ("training steps", 1),
                            ("minutes of training", 1), ("40", 2)):
            self.assertEqual(texts.count(text), count, text)
        heights = [[float(point.split(",")[1]) for point in line.get("points").split()] for line in lines]
        self.assertEqual(heights[0][0], heights[1][0])
        self.assertAlmostEqual(heights[0][2], heights[1][1])
        self.assertAlmostEqual(heights[0][0] - heights[1][2], 4 * (heights[0][0] - heights[2][2]), delta=0.2)

    def test_there_is_room_above_the_best_curve(self):
        self.run_of("a", [5, 10, 20])
        for options, room in ((["--x", "step"], True), (["--x", "step", "--to", "20"], False)):
            picture = self.plot("a", *options)
            top = min(float(point.split(",")[1]) for point in picture.find(f"{SVG}polyline").get("points").split())
            axis = next(each.get("d") for each in picture.findall(f"{SVG}path") if each.get("class") == "axis")
            self.assertEqual(top - float(axis.split()[1].split("V")[0]) > 8, room, options)

    def test_axes_have_titles(self):
        self.run_of("a", [5, 10, 20])
        for options, titles in (([], ["training steps", "validation BLEU", "minutes of training", "validation BLEU"]),
                                (["--x", "minutes"], ["minutes of training", "validation BLEU"]),
                                (["--x", "epoch,epoch", "--metric", "train-loss"], ["epochs", "training loss"]),
                                (["--metric", "loss", "--x", "minutes,step"],
                                 ["minutes of training", "validation loss", "training steps", "validation loss"])):
            texts = self.plot("a", *options).findall(f"{SVG}text")
            self.assertEqual([each.text for each in texts if each.get("font-weight")], titles)

    def test_a_long_name_fits_in(self):
        self.run_of("a", [0, 10])
        name = "a model of a name that takes a place of its own"
        width = [float(self.plot(f"{each}=a").get("viewBox").split()[2]) for each in ("a", name)]
        place = next(float(each.get("x")) for each in self.plot(f"{name}=a").findall(f"{SVG}text") if each.text == name)
        self.assertLess(width[0], width[1])
        self.assertLess(place + 6 * len(name), width[1])

    def test_what_lies_beyond_the_axis_is_left_out(self):
        self.run_of("a", [0, 10, 20, None])
        for line in self.plot("a", "--from", "5").findall(f"{SVG}polyline"):
            self.assertEqual(len(line.get("points").split()), 2)

    def test_other_metrics_and_axes(self):
        self.run_of("a", [0, 10, 20])
        for options, count in (("--metric loss", 3), ("--metric loss --x minutes", 3), ("--x epoch", 3)):
            line = self.plot("a", *options.split()).find(f"{SVG}polyline")
            self.assertEqual(len(line.get("points").split()), count, options)

    def test_a_single_point_is_a_dot(self):
        self.run_of("a", [33.1])
        self.run_of("b", [0, 10, 20])
        for options, dots, lines in ((["a"], 2, 0), (["a", "b"], 2, 2), (["a", "--metric", "train-loss"], 2, 0),
                                     (["b", "--from", "15", "--x", "step"], 1, 0)):
            picture = self.plot(*options)
            circles = picture.findall(f"{SVG}circle")
            self.assertEqual((len(circles), len(picture.findall(f"{SVG}polyline"))), (dots, lines), options)
            left, top, width, height = map(float, picture.get("viewBox").split())
            for circle in circles:
                self.assertTrue(left < float(circle.get("cx")) < width and top < float(circle.get("cy")) < height)
                self.assertGreater(float(circle.get("stroke-width")), 2)
                self.assertRegex(circle.get("class"), r"^c\d$")

    def test_what_is_wrong_is_said(self):
        self.run_of("a", [None])
        self.assertIn("no bleu yet", self.plot("a", code=2))
        self.assertIn("none", self.plot("none", code=2))
        self.assertIn("--metric", self.plot("a", "--metric", "x", code=2))
        self.assertIn("'hours' is not an axis; expected step", self.plot("a", "--x", "step,hours", code=2))


if __name__ == "__main__":
    unittest.main()
