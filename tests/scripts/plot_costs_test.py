#!/usr/bin/env python3
"""scripts/plot-costs shows the results of the benchmarks that it reads (made up here)."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml  # noqa: N813

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def made_up_results():
    """Results whose times follow from the counts: a millisecond for a million multiplications or for ten positions."""
    results = [{"name": "loss_fused/base:0/real_time", "real_time": 1.0, "time_unit": "ms"}]
    for n in (16, 1024):
        for d in (128, 512):
            counts = {"attention": 2 * n * n * d, "projections": 4 * n * d * d, "feed_forward": 8 * n * d * d}
            results += [{"name": f"cost_{part}/n:{n}/d:{d}/real_time", "real_time": count, "time_unit": "ns",
                         "multiplications": count} for part, count in counts.items()]
    for length in (16, 128):
        counts = {"one_pass": length, "steps_with_cache": length, "steps_without_cache": length * (length + 1) / 2}
        results += [{"name": f"cost_{way}/T:{length}/real_time", "real_time": count / 10, "time_unit": "ms",
                     "positions": count} for way, count in counts.items()]
    return results


class PlotCosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-costs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plot(self, results):
        (self.folder / "costs.json").write_text(json.dumps({"benchmarks": results}), encoding="utf-8")
        command = [ROOT / "scripts" / "plot-costs", "costs.json", "--output", "costs.svg"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def test_tables_and_picture(self):
        done = self.plot(made_up_results())
        self.assertEqual(done.returncode, 0, done.stderr)
        # 2 n^2 d of 2 n^2 d + 12 n d^2 is n of n + 6 d.
        self.assertIn("| 512 | 1,024 | 1.07e+03, 1.07e+03 | 1.07e+03, 1.07e+03 | 2.15e+03, 2.15e+03 | 25.0 %, 25.0 % |",
                      done.stdout)
        self.assertIn("| 128 | 16 | 0.0655, 0.0655 | 1.05, 1.05 | 2.1, 2.1 | 2.0 %, 2.0 % |", done.stdout)
        self.assertIn("| 128 | 128, 12.8 | 128, 12.8 | 8,256, 826 |", done.stdout)
        picture = xml.fromstring((self.folder / "costs.svg").read_text(encoding="utf-8"))
        self.assertEqual(len(picture.findall(f"{SVG}polyline")), 6)
        texts = [text.text for text in picture.findall(f"{SVG}text")]
        self.assertIn("steps without cache", texts)
        self.assertIn("positions n of a sentence, in one layer of width 512", texts)

    def test_missing_benchmarks_are_named(self):
        done = self.plot([each for each in made_up_results() if "one_pass" not in each["name"]])
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results of cost_one_pass", done.stderr)


if __name__ == "__main__":
    unittest.main()
