"""What all tests share: how a test says what it needs of the machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers.cluster import KINDS

# No test is timed: on a busy machine a deadline fails tests that are right.
settings.register_profile("reseat", deadline=None)
settings.load_profile("reseat")

#: What to look for and what to say where it is missing, by the name that RESEAT_REQUIRE uses.
_MISSING = {
    "browser": "No Chromium was found (chromium, chromium-browser or google-chrome on the PATH).",
    "kafka": "No Java was found (java on the PATH), so that real Kafka servers cannot be started.",
    "nginx": "No nginx was found (Debian's package nginx-light), so that nothing can be tried behind a real proxy.",
}


def chromium() -> str | None:
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def nginx_program() -> str | None:
    """The path of an nginx, or None; Debian keeps it where only administrators look."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def require(name: str) -> None:
    """Skip the test where the machine lacks what it needs; fail it where RESEAT_REQUIRE names that.

    Args:
        name: "browser", "kafka" or "nginx".
    """
    looks = {"browser": chromium, "kafka": lambda: shutil.which("java"), "nginx": nginx_program}
    if looks[name]() is None:
        missing(name, _MISSING[name])


def missing(name: str, reason: str) -> None:
    """Skip with this reason, or fail where RESEAT_REQUIRE (names with commas between) holds the name."""
    if name in os.environ.get("RESEAT_REQUIRE", "").split(","):
        pytest.fail(f"RESEAT_REQUIRE asks for {name}. {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What shares a server stays together: a file's tests, where they have a real Kafka those with the same kind.

    Else the file whose clusters are of two kinds would keep one process busy long after the other has nothing left.
    """
    for item in items:
        parameters = getattr(item, "callspec", None)
        kinds = [value for value in parameters.params.values() if value in KINDS] if parameters else []
        item.add_marker(pytest.mark.xdist_group("-".join([item.nodeid.partition("::")[0], *kinds])))


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's folder."""
    return Path(__file__).parent.parent
