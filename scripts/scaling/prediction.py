"""The time of an update, by the formula of docs/scaling.md."""

import dataclasses

FORWARD_SHARE = 1 / 3  # of a pass; simulate_updates divides its sleeps in the same way
BYTES_OF_VALUE = {"fp32": 4, "bf16": 2}


@dataclasses.dataclass
class Link:
    """What joins the processes, in the seconds of the simulation."""

    bytes_per_second: float  # of the link
    payload: float           # the share of these that are values
    exchange: float          # the share of `payload` that an exchange of parts achieves
    step: float              # seconds that a message takes beside its bytes

    def seconds(self, size):
        """The time that so many bytes of values take."""
        return size / (self.bytes_per_second * self.payload)


@dataclasses.dataclass
class Setting:
    """What an update of one process does. Times are in the seconds of the simulation."""

    processes: int
    compute: float  # forward and backward passes
    update: float   # the optimizer, for all weights
    passes: int     # batches; gradients are sent during the last one's backward pass
    wire: str       # fp32 or bf16
    sharded: bool   # the optimizer's state


def sum_seconds(values, setting, link):
    """The time in which all processes get the sum of so many values (ring all-reduce), or, sharded, of their part
    (all-to-all)."""
    others = setting.processes - 1
    part = link.seconds(values * BYTES_OF_VALUE[setting.wire] / setting.processes)
    if setting.sharded:
        return others * (part / link.exchange + link.step)
    return 2 * others * (part + link.step)


def weights_seconds(buckets, setting, link):
    """The time in which the processes give each other the weights that they have updated, in fp32 (all-gather)."""
    if not setting.sharded:
        return 0.0
    part = link.seconds(sum(bucket["values"] for bucket in buckets) * BYTES_OF_VALUE["fp32"] / setting.processes)
    return (setting.processes - 1) * (part + len(buckets) * link.step)


def update_seconds(buckets, setting, link):
    """The time of a whole update. A bucket: its `values`, and when it is `ready`, as a share of the backward pass."""
    backward = (1 - FORWARD_SHARE) * setting.compute / setting.passes
    end = 0.0
    for bucket in buckets:
        ready = setting.compute - (1 - bucket["ready"]) * backward
        end = max(end, ready) + sum_seconds(bucket["values"], setting, link)
    agreement = 2 * (setting.processes - 1) * link.step
    update = setting.update / (setting.processes if setting.sharded else 1)
    return max(setting.compute, end) + agreement + update + weights_seconds(buckets, setting, link)
