"""The results of the benchmarks `cost_*` (tests/benchmark/micro/cost_benchmark.cpp), as tables and as curves."""

import dataclasses
import json
import re

PARTS = {"attention": "attention", "projections": "projections", "feed_forward": "feed-forward"}
WAYS = {"one_pass": "one pass", "steps_with_cache": "steps with cache", "steps_without_cache": "steps without cache"}
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
NAME = re.compile(r"cost_(?P<what>\w+)/(?:n:(?P<n>\d+)/d:(?P<d>\d+)|T:(?P<T>\d+))/real_time$")


@dataclasses.dataclass(frozen=True)
class Costs:
    """`layers`: (part, n, d) -> (milliseconds, multiplications); `decoding`: (way, T) -> (milliseconds, positions)."""

    layers: dict
    decoding: dict

    def widths(self):
        return sorted({d for _, _, d in self.layers})

    def lengths(self):
        return sorted({n for _, n, _ in self.layers})

    def targets(self):
        return sorted({length for _, length in self.decoding})


def read_costs(path):
    """The costs in a file of --benchmark_format=json. ValueError if it lacks some."""
    layers, decoding = {}, {}
    for each in json.loads(path.read_text(encoding="utf-8"))["benchmarks"]:
        found = NAME.match(each["name"])
        if not found:
            continue
        time = each["real_time"] * MILLISECONDS[each["time_unit"]]
        if found["T"]:
            decoding[found["what"], int(found["T"])] = (time, each["positions"])
        else:
            layers[found["what"], int(found["n"]), int(found["d"])] = (time, each["multiplications"])
    costs = Costs(layers, decoding)
    missing = [what for what in PARTS if what not in {part for part, _, _ in layers}]
    missing += [what for what in WAYS if what not in {way for way, _ in decoding}]
    if missing:
        raise ValueError(f"{path}: no results of {', '.join('cost_' + what for what in missing)}")
    return costs


def layer_table(costs):
    """A row for each width and length: millions of multiplications and milliseconds of each part."""
    rows = ["| d | n | " + " | ".join(f"{name}: million, ms" for name in PARTS.values())
            + " | attention's share: counted, measured |", "|" + "---|" * (len(PARTS) + 3)]
    for d in costs.widths():
        for n in costs.lengths():
            values = [costs.layers[part, n, d] for part in PARTS]
            shares = [100 * values[0][kind] / sum(value[kind] for value in values) for kind in (1, 0)]
            cells = [f"{count / 1e6:.3g}, {time:.3g}" for time, count in values]
            rows.append(f"| {d} | {n:,} | {' | '.join(cells)} | {shares[0]:.1f} %, {shares[1]:.1f} % |")
    return "\n".join(rows)


def decoding_table(costs):
    """A row for each length of the target: positions that go through the decoder and milliseconds of each way."""
    rows = ["| T | " + " | ".join(f"{name}: positions, ms" for name in WAYS.values()) + " |", "|" + "---|" * (len(WAYS) + 1)]
    for length in costs.targets():
        cells = [f"{count:,.0f}, {time:.3g}" for time, count in (costs.decoding[way, length] for way in WAYS)]
        rows.append(f"| {length} | {' | '.join(cells)} |")
    return "\n".join(rows)


def cost_panels(costs):
    """The panels of the picture (picture.draw): a layer of the largest width, and decoding."""
    d = costs.widths()[-1]
    layer = [(name, [(n, costs.layers[part, n, d][0]) for n in costs.lengths()]) for part, name in PARTS.items()]
    decoding = [(name, [(length, costs.decoding[way, length][0]) for length in costs.targets()])
                for way, name in WAYS.items()]
    return [(f"positions n of a sentence, in one layer of width {d}", layer), ("subwords T of a translation", decoding)]
