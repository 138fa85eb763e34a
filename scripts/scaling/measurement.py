"""Runs simulate_updates, one process on each host of a simulated network, and reads what it measured."""

import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile

from scaling.network import Network

PORT = "29500"  # of the store; each host has all ports for itself


@dataclasses.dataclass
class Result:
    """What was measured of one setting. Times are medians over the updates, in the seconds of the simulation."""

    buckets: list      # as rank 0 divided the parameters
    whole: float       # an update
    exposed: float     # of it, communication between the backward pass and the optimizer
    processors: float  # that all processes kept busy on average
    machine: float     # processors that were busy on this machine, with everything else that runs on it


class Processes:
    """The processes of one model on the hosts of a network. To be used with `with`, which ends them."""

    def __init__(self, network, program, config, settings, options):
        self.count = network.hosts
        self.processes, self.logs = [], []
        self.cleanup = contextlib.ExitStack()
        command = [str(program), "--config", str(config), "--quiet", "--divide", str(options.divide), "--updates",
                   str(options.updates), "--warm-up", str(options.warm_up), "--settings",
                   json.dumps([simulated(setting) for setting in settings])]
        try:
            for rank in range(self.count):
                self.start(network, rank, command)
        except BaseException:
            self.cleanup.close()
            raise

    def start(self, network, rank, command):
        """Starts the process of a rank on its host."""
        log = self.cleanup.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))  # noqa: SIM115
        variables = {"RANK": str(rank), "WORLD_SIZE": str(self.count), "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
                     "MASTER_ADDR": network.address(0), "MASTER_PORT": PORT}
        process = network.start(rank, command, variables, stdout=subprocess.PIPE, stderr=log, encoding="utf-8")
        self.cleanup.enter_context(process)  # waits for it
        self.cleanup.callback(process.kill)
        self.logs.append(log)
        self.processes.append(process)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.cleanup.close()

    def next_result(self):
        """Waits for the results of all processes for the next setting. A process that fails ends this program."""
        busy, passed = processor_times()
        lines = [process.stdout.readline() for process in self.processes]
        if not all(lines):
            self.fail()
        busy, passed = (now - before for now, before in zip(processor_times(), (busy, passed)))
        values = [json.loads(line) for line in lines]
        updates = zip(*(value["updates"] for value in values))
        slowest = [{key: max(times[key] for times in update) for key in ("whole", "exposed")} for update in updates]
        return Result(buckets=values[0]["buckets"],
                      whole=statistics.median(times["whole"] for times in slowest),
                      exposed=statistics.median(times["exposed"] for times in slowest),
                      processors=sum(value["processor_seconds"] / value["seconds"] for value in values),
                      machine=busy / passed * os.cpu_count())

    def fail(self):
        """Ends this program with what the first process that failed has said."""
        for process in self.processes:
            process.wait()
        rank = next((rank for rank, process in enumerate(self.processes) if process.returncode), 0)
        self.logs[rank].seek(0)
        said = self.logs[rank].read().strip()
        sys.exit(f"benchmark-scaling: the process of rank {rank} ended with {self.processes[rank].returncode}: {said}")


def simulated(setting):
    """A setting as simulate_updates reads it."""
    return {key: value for key, value in dataclasses.asdict(setting).items() if key != "processes"}


def buckets_of(program, config):
    """The buckets of a model, undivided, as simulate_updates says them."""
    settings = [{"compute": 0, "update": 0, "passes": 1, "wire": "fp32", "sharded": False}]
    command = [program, "--config", config, "--quiet", "--updates", "0", "--warm-up", "0", "--settings",
               json.dumps(settings)]
    alone = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    return json.loads(subprocess.run(command, env=alone, stdout=subprocess.PIPE, check=True).stdout)["buckets"]


def processor_times():
    """The time that all processors have been busy, and all of their time."""
    with open("/proc/stat", encoding="utf-8") as file:
        times = [int(time) for time in file.readline().split()[1:]]
    idle = times[3] + times[4]
    return sum(times) - idle, sum(times)


@contextlib.contextmanager
def started(program, config, settings, link, options):
    """The processes for these settings, all of which have the same number of processes, on a network of their own."""
    with (Network(settings[0].processes, link.bytes_per_second) as network,
          Processes(network, program, config, settings, options) as processes):
        yield processes
