"""Curves in an SVG picture, which is light or dark as the reader's screen is."""

import html
import math

WIDTH = 720
PANEL = 300  # the height of one pair of axes with their titles
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 12, 48
HEAD = 30  # above the first panel, where the picture has a title
CHARACTER = 7  # of a name, at most on average
ROOM = 0.06  # above the highest point and below the lowest, as a share of the axis
SURFACES = {"light": "#ffffff", "dark": "#161b22"}
INKS = {"light": {"text": "#333333", "axis": "#8a8f98", "grid": "#e3e5ea"},
        "dark": {"text": "#d5dae2", "axis": "#7d8590", "grid": "#30363d"}}
# Hues that people with colour-blindness can tell apart (after Okabe and Ito, 2008), each with a contrast of 3 or more
# to its surface. The eighth name begins again with dashed lines.
COLOURS = {"light": ("#0072b2", "#c24e00", "#00805d", "#a2488a", "#8a6500", "#1c1c1c", "#5a5fd6"),
           "dark": ("#58b0ee", "#ff8f4d", "#35c795", "#e59ac9", "#e6b73f", "#f2f2f2", "#a5a9ff")}


def steps_of(lowest, highest, count=6):
    """Round numbers from `lowest` to `highest`, about `count` of them."""
    rough = (highest - lowest) / count
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(lowest / step - 1e-9)
    return [number * step for number in range(first, math.floor(highest / step + 1e-9) + 1)]


class Scale:
    """From a value to a place in the picture. An end that is None lies where the values end, and `room` beyond it as a
    share of what they span, but not below 0 where no value is."""

    def __init__(self, values, ends, places, room=0.0):
        lowest = min(values) if ends[0] is None else ends[0]
        highest = max(values) if ends[1] is None else ends[1]
        if not lowest < highest:
            if None not in ends:
                raise ValueError(f"an axis from {lowest:g} to {highest:g} has no length")
            around = (min(lowest, highest) - 0.5, max(lowest, highest) + 0.5)
            lowest, highest = (around[i] if ends[i] is None else ends[i] for i in range(2))
        span = highest - lowest
        below = lowest - room * span
        self.lowest = lowest if ends[0] is not None else max(0, below) if min(values) >= 0 else below
        self.highest = highest + room * span if ends[1] is None else highest
        self._places = places

    def __call__(self, value):
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self._places[0] + share * (self._places[1] - self._places[0])

    def holds(self, value):
        """Whether the value lies between the ends."""
        return self.lowest <= value <= self.highest


def draw(panels, y_title, y_ends, title):
    """A picture of `panels`, one below the other: pairs of the title of a horizontal axis and curves, which are pairs of
    a name and points (x, y); those of one name have one colour. `y_ends`: where the vertical axis begins and ends, None
    for a little beyond the values; points outside of it are left out."""
    names = list(dict.fromkeys(name for _, curves in panels for name, _ in curves))
    width = WIDTH - RIGHT + max(RIGHT, 40 + CHARACTER * max(map(len, names)))  # names stand at the right, whole
    head = HEAD if title else 0
    height = head + max(PANEL * len(panels), TOP + 18 * len(names) + 6)
    about = title or f"{y_title} over {' and '.join(x_title for x_title, _ in panels)}: {', '.join(names)}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
             'font-family="system-ui, sans-serif" font-size="12">',
             f"<title>{html.escape(about)}</title>", _style(min(len(names), len(COLOURS["light"]))),
             f'<rect class="surface" width="{width}" height="{height}"/>']
    if title:
        parts.append(_text(LEFT, 22, title, 'font-size="14"'))
    for number, (x_title, curves) in enumerate(panels):
        top = head + PANEL * number
        values = [point[1] for _, points in curves for point in points]
        y = Scale(values, y_ends, (top + PANEL - BOTTOM, top + TOP), ROOM)
        x = Scale([point[0] for _, points in curves for point in points], (0, None), (LEFT, WIDTH - RIGHT))
        parts += [*_grid(x, y, x_title, y_title), *_lines(x, y, curves, names)]
    return "\n".join([*parts, *_legend(names, head + TOP)]) + "\n</svg>\n"


def _style(colours):
    """The rules of both colour schemes."""
    def rules(scheme):
        ink = INKS[scheme]
        lines = [f".c{number}{{stroke:{colour}}}" for number, colour in enumerate(COLOURS[scheme][:colours])]
        return (f".surface{{fill:{SURFACES[scheme]}}}text{{fill:{ink['text']}}}.grid{{stroke:{ink['grid']}}}"
                f".axis{{stroke:{ink['axis']}}}" + "".join(lines))
    return ("<style>polyline,path,circle{fill:none;stroke-linejoin:round}" + rules("light")
            + "@media(prefers-color-scheme:dark){" + rules("dark") + "}</style>")


def _line_of(number):
    """How the lines of a name look."""
    cycle, colour = divmod(number, len(COLOURS["light"]))
    return f'class="c{colour}"' + (f' stroke-dasharray="{6 // cycle} 3"' if cycle else "")


def _lines(x, y, curves, names):
    for name, points in curves:
        places = [(x(a), y(b)) for a, b in points if y.holds(b)]
        line = _line_of(names.index(name))
        if len(places) == 1:  # a line of one point would not be seen
            yield f'<circle {line} cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="1.6" stroke-width="3.2"/>'
        else:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
            yield f'<polyline {line} points="{path}" stroke-width="1.6"/>'


def _legend(names, top):
    for number, name in enumerate(names):
        height = top + 10 + 18 * number
        left = WIDTH - RIGHT + 14
        yield f'<path {_line_of(number)} d="M{left} {height - 4}h18" stroke-width="2.5"/>'
        yield _text(left + 24, height, name)


def _text(left, height, text, more=""):
    return f'<text x="{left:.1f}" y="{height:.1f}" {more}>{html.escape(text)}</text>'


def _grid(x, y, x_title, y_title):
    """The lines, numbers and titles of both axes."""
    left, right, top, bottom = LEFT, WIDTH - RIGHT, y(y.highest), y(y.lowest)
    for value in steps_of(y.lowest, y.highest):
        yield f'<path class="grid" d="M{left} {y(value):.1f}H{right}"/>'
        yield _text(left - 8, y(value) + 4, f"{value:g}", 'text-anchor="end"')
    for value in steps_of(x.lowest, x.highest):
        yield f'<path class="grid" d="M{x(value):.1f} {top:.1f}V{bottom:.1f}"/>'
        yield _text(x(value), bottom + 17, f"{value:,g}" if value < 1e6 else f"{value:g}", 'text-anchor="middle"')
    yield f'<path class="axis" d="M{left} {top:.1f}V{bottom:.1f}H{right}"/>'
    yield _text((left + right) / 2, bottom + 37, x_title, 'text-anchor="middle" font-weight="600"')
    middle = (top + bottom) / 2
    yield _text(16, middle, y_title, f'text-anchor="middle" font-weight="600" transform="rotate(-90 16 {middle:.1f})"')
