#!/usr/bin/env python3
"""The exercises of docs/course are unsolved as they are, and have the solutions that come with them; the lessons lead
from one to the next. TRANSLATE_BIN_DIR: the programs' folder."""

import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN_DIR = pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build" / "release" / "bin"))
COURSE = ROOT / "docs" / "course"
LESSONS = sorted(COURSE.glob("[0-9]*.md"))
EXERCISES = sorted(path.name for path in (COURSE / "exercises").glob("*.json"))


def verdict(file):
    """The last paragraph that translate-infer prints for an exercise, as one line."""
    done = subprocess.run([BIN_DIR / "translate-explain", "--explain", "--example", file], check=True, capture_output=True,
                          text=True)
    return " ".join(done.stdout.rstrip().split("\n\n")[-1].splitlines())


def fills_blanks_alone(exercise, solution):
    """Whether a solution differs from its exercise only where that has "_"."""
    if isinstance(exercise, dict):
        return (isinstance(solution, dict) and list(exercise) == list(solution)
                and all(fills_blanks_alone(exercise[key], solution[key]) for key in exercise))
    if isinstance(exercise, list):
        return (isinstance(solution, list) and len(exercise) == len(solution)
                and all(map(fills_blanks_alone, exercise, solution)))
    return exercise == solution or (exercise == "_" and isinstance(solution, (int, float)))


class CourseTest(unittest.TestCase):
    """Exercises, solutions and lessons."""

    def test_every_exercise_belongs_to_its_lesson_and_has_a_solution(self):
        self.assertGreater(len(EXERCISES), 0)
        self.assertEqual(EXERCISES, sorted(path.name for path in (COURSE / "solutions").glob("*.json")))
        for name in EXERCISES:
            lesson = next(path for path in LESSONS if path.name[:2] == name[:2])
            self.assertIn(f"--example build/course/{name}\n", lesson.read_text(encoding="utf-8"))

    def test_an_exercise_is_unsolved_and_its_solution_holds(self):
        for name in EXERCISES:
            with self.subTest(exercise=name):
                first = next(iter(json.loads((COURSE / "exercises" / name).read_text(encoding="utf-8"))["claimed"]))
                self.assertRegex(verdict(COURSE / "exercises" / name), f"^Fill in the blanks of {first} ")
                self.assertRegex(verdict(COURSE / "solutions" / name), "^Every claim holds ")

    def test_a_solution_fills_the_blanks_alone(self):
        for name in EXERCISES:
            exercise, solution = (json.loads((COURSE / folder / name).read_text(encoding="utf-8"))
                                  for folder in ("exercises", "solutions"))
            self.assertTrue(fills_blanks_alone(exercise, solution), name)
        self.assertFalse(fills_blanks_alone({"Q": [["_", 0]]}, {"Q": [[2, 1]]}))

    def test_lessons_lead_from_one_to_the_next(self):
        self.assertEqual([path.name[:2] for path in LESSONS], [f"{number:02}" for number in range(1, 11)])
        index = (COURSE / "README.md").read_text(encoding="utf-8")
        for lesson, after in zip(LESSONS, [*LESSONS[1:], None]):
            text = lesson.read_text(encoding="utf-8")
            self.assertIn(f"]({lesson.name})", index)
            self.assertIn("\n## In the code\n", text, lesson.name)
            self.assertIn("\n## Exercise", text, lesson.name)
            if after:
                self.assertTrue(text.rstrip().split("\n")[-1].endswith(f"]({after.name})."), lesson.name)

    def test_links_lead_somewhere(self):
        for page in (COURSE / "README.md", *LESSONS):
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                self.assertTrue((COURSE / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    unittest.main()
