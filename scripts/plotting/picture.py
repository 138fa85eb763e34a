"""Lines in an SVG picture."""

import html
import math

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 34, 44
CHARACTER = 7  # of a name, at most on average
# Told apart by people who do not see all colours, too (Okabe and Ito 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def steps_of(lowest, highest, count=6):
    """Round numbers from `lowest` to `highest`, about `count` of them."""
    rough = (highest - lowest) / count
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(lowest / step - 1e-9)
    return [number * step for number in range(first, math.floor(highest / step + 1e-9) + 1)]


class Scale:
    """From a value to a place in the picture."""

    def __init__(self, values, ends, places):
        self.lowest = min(values) if ends[0] is None else ends[0]
        self.highest = max(values) if ends[1] is None else ends[1]
        if not self.lowest < self.highest:
            if None not in ends:
                raise ValueError(f"an axis from {self.lowest:g} to {self.highest:g} has no length")
            self.lowest, self.highest = self.lowest - 0.5, self.lowest + 0.5
        self._places = places

    def __call__(self, value):
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self._places[0] + share * (self._places[1] - self._places[0])

    def holds(self, value):
        """Whether the value lies between the ends."""
        return self.lowest <= value <= self.highest


def draw(curves, x_name, y_name, y_ends, title):
    """A picture of `curves`, pairs of a name and points (x, y); those of one name have one colour. `y_ends`: where the
    vertical axis begins and ends, None for where the values do; what lies beyond is left out."""
    x = Scale([point[0] for _, points in curves for point in points], (0, None), (LEFT, WIDTH - RIGHT))
    y = Scale([point[1] for _, points in curves for point in points], y_ends, (HEIGHT - BOTTOM, TOP))
    names = list(dict.fromkeys(name for name, _ in curves))
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    width = WIDTH - RIGHT + max(RIGHT, 36 + CHARACTER * max(map(len, names)))  # names stand at the right, whole
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" '
             'font-size="12" fill="#333">',
             f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>',
             _text(LEFT, 20, title, "font-size='14'"), *_grid(x, y, x_name, y_name)]
    for name, points in curves:
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points if y.holds(b))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="1.6" '
                     'stroke-linejoin="round"/>')
    for number, name in enumerate(names):
        height = TOP + 14 + 18 * number
        left = WIDTH - RIGHT + 12
        parts.append(f'<path d="M{left} {height - 4}h18" stroke="{colours[name]}" stroke-width="2.5"/>')
        parts.append(_text(left + 24, height, name))
    return "\n".join(parts) + "\n</svg>\n"


def _text(left, height, text, more=""):
    return f'<text x="{left:.1f}" y="{height:.1f}" {more}>{html.escape(text)}</text>'


def _grid(x, y, x_name, y_name):
    """Lines, numbers and names of both axes."""
    for value in steps_of(y.lowest, y.highest):
        yield f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 6, y(value) + 4, f"{value:g}", 'text-anchor="end"')
    for value in steps_of(x.lowest, x.highest):
        yield f'<path d="M{x(value):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eee"/>'
        yield _text(x(value), HEIGHT - BOTTOM + 16, f"{value:g}", 'text-anchor="middle"')
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_name, 'text-anchor="middle"')
    yield _text(LEFT - 6, TOP - 8, y_name, 'text-anchor="end"')
