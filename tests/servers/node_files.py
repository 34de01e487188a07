"""The files that a node of a real cluster starts with: its settings, where its data is, how its processes log."""

from __future__ import annotations

from pathlib import Path

__all__ = ["broker_settings", "controller_settings", "data_folders", "write_logging"]

#: Of KRaft: on a busy machine it takes controllers long to begin, and a broker that none took up ends after a minute.
_PATIENT = {"initial.broker.registration.timeout.ms": "170000"}


def data_folders(directory: Path, broker: int, directories: int) -> list[Path]:
    """The log directories of a broker; the first one also has KRaft's metadata."""
    return [directory / f"data-{broker}{f'-{n}' if n else ''}" for n in range(directories)]


def broker_settings(
    broker: int, name: str, client: dict[int, int], controller: dict[int, int], zookeeper: str | None
) -> dict[str, str]:
    """Of a broker of 2.8 where a ZooKeeper is given, else of KRaft; the first three are controllers if none is else.

    Args:
        broker: its id.
        name: the host that it advertises.
        client: ports of all brokers by id.
        controller: ports of all controllers by id.
        zookeeper: ``host:port``, or None.
    """
    listener = f"PLAINTEXT://127.0.0.1:{client[broker]}"
    advertised = f"PLAINTEXT://{name}:{client[broker]}"
    if zookeeper is not None:
        return {
            "broker.id": str(broker),
            "listeners": listener,
            "advertised.listeners": advertised,
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT",
            "zookeeper.connect": zookeeper,
        }
    # Three controllers are enough for a quorum; more would only cost memory.
    voters = list(controller)[:3] if broker in controller else []
    roles = "broker,controller" if broker in voters else "broker"
    return {
        "process.roles": roles,
        "node.id": str(broker),
        **_quorum_settings(controller, dynamic=broker not in controller),
        "controller.listener.names": "CONTROLLER",
        "listeners": f"{listener},CONTROLLER://127.0.0.1:{controller[broker]}" if broker in voters else listener,
        "advertised.listeners": advertised,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        **_PATIENT,
    }


def _quorum_settings(controller: dict[int, int], *, dynamic: bool) -> dict[str, str]:
    """Where the controllers are, by id and port: all that ever vote, or some that know who votes."""
    if dynamic:
        return {"controller.quorum.bootstrap.servers": ",".join(f"127.0.0.1:{port}" for port in controller.values())}
    voters = list(controller)[:3]
    return {"controller.quorum.voters": ",".join(f"{i}@127.0.0.1:{controller[i]}" for i in voters)}


def controller_settings(directory: Path, node: int, quorum: dict[int, int]) -> dict[str, str]:
    """Of a controller that is no broker."""
    return {
        "process.roles": "controller",
        "node.id": str(node),
        **_quorum_settings(quorum, dynamic=True),
        "controller.listener.names": "CONTROLLER",
        "listeners": f"CONTROLLER://127.0.0.1:{quorum[node]}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(data_folders(directory, node, 1)[0]),
        **_PATIENT,
    }


def write_logging(directory: Path) -> None:
    """How servers and tools log, for log4j 1 and 2."""
    (directory / "log4j.properties").write_text(
        "log4j.rootLogger=INFO, c\nlog4j.appender.c=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.c.layout=org.apache.log4j.PatternLayout\n"
        "log4j.appender.c.layout.ConversionPattern=%d %p %m (%c)%n\n"
    )
    (directory / "log4j2.properties").write_text(
        "rootLogger.level=info\nrootLogger.appenderRef.c.ref=C\nappender.c.type=Console\nappender.c.name=C\n"
        "appender.c.layout.type=PatternLayout\nappender.c.layout.pattern=%d %p %m (%c)%n\n"
    )
    # The tools must not log into what they print.
    (directory / "quiet-log4j.properties").write_text("log4j.rootLogger=OFF\n")
    (directory / "quiet-log4j2.properties").write_text("rootLogger.level=off\n")
