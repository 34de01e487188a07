"""Whether the machines of a cluster can be found and take connections: names and ports, with the standard library."""

from __future__ import annotations

import concurrent.futures
import errno
import socket
from collections.abc import Mapping, Sequence

from reseat.model.wording import listed, verb
from reseat.sources import probing
from reseat.sources.addresses import host_and_port
from reseat.sources.diagnosis.steps import Steps

__all__ = ["AT_ONCE", "CONNECT_SECONDS", "names", "ports", "resolves", "takes"]

#: Servers and brokers that are tried at once.
AT_ONCE = 32
#: Seconds for one server to take a connection; a firewall that drops packets would use up the whole timeout.
CONNECT_SECONDS = 5.0


def names(steps: Steps, servers: Sequence[str]) -> list[str]:
    """Resolve the servers' names; those that have an address.

    Raises:
        StepFailedError: none has.
    """
    with concurrent.futures.ThreadPoolExecutor(min(AT_ONCE, len(servers))) as pool:
        known = list(pool.map(resolves, servers))
    found = [server for server, told in zip(servers, known, strict=True) if told]
    lost = [host_and_port(server)[0] for server, told in zip(servers, known, strict=True) if not told]
    unknown = list(dict.fromkeys(lost))
    if not found:
        raise steps.failed(
            "Names",
            f"{listed(unknown)} {verb(len(unknown), 'is a name', 'are names')} that this machine cannot resolve. "
            "Check the spelling, and whether this machine uses the cluster's DNS (a VPN, /etc/hosts).",
            "name",
        )
    if unknown:
        steps.warned("Names", f"{listed(unknown)} cannot be resolved; {listed(found)} can.", "name")
    else:
        hosts = list(dict.fromkeys(host_and_port(server)[0] for server in found))
        steps.passed("Names", f"{listed(hosts)} {verb(len(hosts), 'resolves', 'resolve')} on this machine.")
    return found


def resolves(server: str) -> bool:
    """Whether this machine knows an address of ``host:port``."""
    try:
        socket.getaddrinfo(*host_and_port(server), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return True


def ports(steps: Steps, servers: Sequence[str], seconds: float) -> list[str]:
    """Connect to each server; those that take connections.

    Raises:
        StepFailedError: none does.
    """
    with concurrent.futures.ThreadPoolExecutor(min(AT_ONCE, len(servers))) as pool:
        outcomes = dict(zip(servers, pool.map(lambda server: takes(server, seconds), servers), strict=True))
    reached = [server for server, error in outcomes.items() if error is None]
    failures = {server: error for server, error in outcomes.items() if error is not None}
    if not reached:
        reason, sentence = _unreached(failures, seconds)
        raise steps.failed("Ports", sentence, reason)
    if failures:
        reason, sentence = _unreached(failures, seconds)
        steps.warned("Ports", f"{listed(reached)} can be reached. {sentence}", reason)
    else:
        steps.passed("Ports", f"{listed(reached)} {verb(len(reached), 'accepts', 'accept')} connections.")
    return reached


def takes(server: str, seconds: float) -> OSError | None:
    """Why ``host:port`` takes no connection; None: it does."""
    try:
        probing.connect(server, seconds).close()
    except OSError as error:
        return error
    return None


def _unreached(failures: Mapping[str, OSError], seconds: float) -> tuple[str, str]:
    """The slug and the sentence of servers that take no connection, the most telling first."""
    by_reason: dict[str, list[str]] = {}
    for server, error in failures.items():
        reason = "route"
        if isinstance(error, ConnectionRefusedError):
            reason = "refused"
        elif isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
            reason = "timeout"
        by_reason.setdefault(reason, []).append(server)
    words = {
        "refused": "{} refused the connection: the machine is up, but nothing listens on that port. Check the port, "
        "and whether the server is running.",
        "timeout": f"{{}} did not answer within {seconds:g} s: a firewall in between, a machine that is down, or a "
        "wrong address.",
        "route": "{} cannot be reached from this machine: there is no route to it. Check the network or VPN.",
    }
    told = [words[reason].format(listed(by_reason[reason])) for reason in words if reason in by_reason]
    return next(reason for reason in words if reason in by_reason), " ".join(told)
