"""Seeded choices that stay the same from one Python version to the next."""

import random


class Chooser:
    """Draws with `random.random()` alone: the only generator method whose sequence Python promises to keep."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._uses = {}

    def chance(self, probability):
        """True with the given probability."""
        return self._random.random() < probability

    def pick(self, items):
        """One of `items`, all alike."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, choices):
        """One value out of (weight, value) pairs."""
        left = self._random.random() * sum(weight for weight, _ in choices)
        for weight, value in choices:
            left -= weight
            if left < 0:
                return value
        return choices[-1][1]

    def balanced(self, items, key):
        """The less used of two draws, so that no word stays rare; `key(item)` names the word."""
        first, second = self.pick(items), self.pick(items)
        chosen = min((first, second), key=lambda item: self._uses.get(key(item), 0))
        self._uses[key(chosen)] = self._uses.get(key(chosen), 0) + 1
        return chosen
