"""A cluster on one machine: network namespaces, each joined to a switch by a link of a limited rate."""

import os
import shutil
import subprocess
import sys

ISOLATED = "BENCHMARK_SCALING_ISOLATED"  # set in the environment once this program has mounts of its own
LARGEST_PACKET = 1 << 16                 # bytes that the kernel hands to a link at once
MTU = 9000                               # bytes of a packet on the wire
RETRY = "5s"                              # until TCP repeats a packet: its 200 ms are too short for stretched time
QUEUE_SECONDS = 2                        # what waits in front of a link, at most: nothing is ever dropped


def missing_requirement():
    """Why this machine cannot simulate a network, or "" if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root: run this as root (sudo)"
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("unshare", "util-linux"), ("mount", "mount")):
        if shutil.which(program, path=search_path()) is None:
            return f"the program {program} was not found: apt-get install {package}"
    probe = ("mount -t tmpfs none /run && ip link add eth0 type veth peer name port0 && tc qdisc add dev eth0 root tbf rate 1mbit "
             "burst 64kb limit 1mb && ip link add bridge type bridge")
    result = subprocess.run(["unshare", "--net", "--mount", "sh", "-c", probe], env=environment(), capture_output=True,
                            text=True, check=False)
    return f"this kernel gives no veth, bridge or tbf: {result.stderr.strip()}" if result.returncode else ""


def search_path():
    """Where iproute2 is, which is not on every root's path."""
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def environment():
    """The environment for programs that set up the network."""
    return {**os.environ, "PATH": search_path()}


def isolate():
    """Starts this program again with a network and mounts of its own: its namespaces, which are names in /run/netns and
    interfaces, are seen by nobody else, and the kernel removes them when the program ends, however it ends."""
    if ISOLATED not in os.environ:
        os.execvpe("unshare", ["unshare", "--net", "--mount", sys.executable, *sys.argv],
                   {**environment(), ISOLATED: "1"})
    os.makedirs("/run/netns", exist_ok=True)
    run("mount -t tmpfs none /run/netns")


def run(command):
    """Runs a command; an error ends this program with what it said."""
    result = subprocess.run(command.split(), env=environment(), capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"benchmark-scaling: `{command}` failed: {result.stderr.strip()}")


class Network:
    """Hosts joined to one switch, each by a link with a rate in each direction. To be used with `with`."""

    def __init__(self, hosts, bytes_per_second):
        self.hosts = hosts
        self.bytes_per_second = bytes_per_second

    def __enter__(self):
        run("ip netns add switch")
        run(f"ip -n switch link add bridge mtu {MTU} type bridge")
        run("ip -n switch link set bridge up")
        for host in range(self.hosts):
            self.add_host(host)
        return self

    def __exit__(self, *error):
        for host in range(self.hosts):
            run(f"ip netns delete host{host}")
        run("ip netns delete switch")

    def add_host(self, host):
        """A namespace with a link to the switch, both directions of which are limited."""
        name = f"host{host}"
        run(f"ip netns add {name}")
        run(f"ip link add eth0 mtu {MTU} netns {name} type veth peer name port{host} mtu {MTU} netns switch")
        run(f"ip -n {name} addr add {self.address(host)}/16 dev eth0")
        run(f"ip -n {name} link set lo up")
        run(f"ip netns exec {name} sysctl -q -w net.ipv4.tcp_min_tso_segs={LARGEST_PACKET // MTU}")
        run(f"ip -n {name} link set eth0 up")
        run(f"ip -n {name} route change 10.0.0.0/16 dev eth0 scope link src {self.address(host)} rto_min {RETRY}")
        run(f"ip -n switch link set port{host} master bridge up")
        self.limit(name, "eth0")
        self.limit("switch", f"port{host}")

    def limit(self, namespace, device):
        """Limits what leaves a device."""
        burst = 2 * LARGEST_PACKET
        queue = int(QUEUE_SECONDS * self.bytes_per_second) + burst
        run(f"tc -n {namespace} qdisc add dev {device} root tbf rate {int(8 * self.bytes_per_second)}bit "
            f"burst {burst}b limit {queue}b")

    @staticmethod
    def address(host):
        """The address of a host."""
        return f"10.0.{host // 250}.{host % 250 + 1}"

    def start(self, host, command, variables, **options):
        """Starts a program on a host."""
        return subprocess.Popen(["ip", "netns", "exec", f"host{host}", *command],
                                env={**environment(), "GLOO_SOCKET_IFNAME": "eth0", **variables}, **options)
