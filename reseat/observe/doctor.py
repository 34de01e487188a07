"""What of an installation is as it should be and what is missing, step by step, in words.

What it promises: (1) nothing is changed; a folder's clock is read from a file that is made there and taken away again;
(2) no secret is in a sentence; (3) it goes on after what is wrong, so that one call tells everything.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from reseat import __version__
from reseat.access import access_of, writing_enabled
from reseat.errors import InputRefused, SparkFailed
from reseat.history.fleet import fleet
from reseat.history.folder import Folder
from reseat.history.places import default_landing, default_tables
from reseat.history.read import History
from reseat.installed import DASHBOARD, EXTRAS, missing
from reseat.model.wording import counted, listed, verb
from reseat.observe.metrics import address_of
from reseat.observe.readiness import (
    Condition,
    audit_writable,
    can_be_read,
    journal_writable,
    links_writable,
    tables_readable,
)
from reseat.operate.journal.schema import default_path
from reseat.sources.addresses import server_at
from reseat.sources.configuration import files_there, named_clusters, secrets_in
from reseat.sources.diagnosis import DiagnosisStep, diagnose
from reseat.sources.diagnosis.steps import Steps
from reseat.sources.probing import cannot_listen

__all__ = ["examine"]

#: Libraries whose version a report of a fault needs.
_TOLD = ("streamlit", "ortools", "pyarrow", "numpy", "pandas")
#: Bytes that a folder should have left, and seconds by which its clock may differ.
_ROOM, _SECONDS = 1_000_000_000, 2.0
#: Seconds for a sign-in provider to answer in, and where it has what it says of itself.
_PROVIDER_SECONDS, _DISCOVERY = 10.0, "/.well-known/openid-configuration"


def examine(
    environment: Mapping[str, str],
    secrets: Sequence[str | Path],
    *,
    host: str,
    port: int,
    report: Callable[[DiagnosisStep], None] | None = None,
) -> tuple[DiagnosisStep, ...]:
    """Look at everything.

    Args:
        environment: as ``os.environ``.
        secrets: the files that may name clusters and who may what; those that are not there are passed over.
        host: where the dashboard would listen.
        port: on which port.
        report: called with each step as it is taken.
    """
    steps = Steps(report)
    _versions(steps)
    _extras(steps, environment)
    _settings(steps, environment, secrets)
    _sign_in(steps, secrets)
    _ports(steps, environment, host, port)
    _folders(steps, environment)
    _clusters(steps, environment, secrets)
    return tuple(steps.taken)


def _versions(steps: Steps) -> None:
    libraries = ", ".join(f"{name} {version(name)}" for name in _TOLD)
    where = f"Reseat {__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if (DASHBOARD / "app.py").is_file():
        steps.passed("Versions", f"{where}; {libraries}. The dashboard is in {DASHBOARD}.")
    else:
        steps.failed("Versions", f"{where}; the dashboard was expected in {DASHBOARD}: install Reseat anew.", "install")


def _extras(steps: Steps, environment: Mapping[str, str]) -> None:
    for extra in EXTRAS.values():
        lacking = missing(extra.name)
        if lacking is not None and extra.in_all:
            steps.warned("Extras", str(lacking), "extra")
        elif lacking is None:
            steps.passed("Extras", f"{extra.purpose.rstrip(',')}: installed.")
    if missing("spark") is None:
        from reseat.pipeline.spark.classes import archive_of, sharing
        from reseat.pipeline.spark.java import find_java

        try:
            java = find_java(environment)
        except SparkFailed as failed:
            steps.failed("Java", str(failed), "java")
        else:
            kept = sharing(archive_of(java, environment))
            quick = "faster starts of Spark are prepared" if kept else "the second job prepares faster starts of Spark"
            steps.passed("Java", f"{java.home} is Java {java.version}; {quick}.")


def _settings(steps: Steps, environment: Mapping[str, str], secrets: Sequence[str | Path]) -> None:
    there = files_there(secrets)
    for file in there:
        if os.access(file, os.R_OK) and Path(file).stat().st_mode & stat.S_IROTH:
            said = f"{file} can be read by every user of this machine, and it holds secrets: chmod 600 {file}"
            steps.warned("Secrets", said, "permissions")
    read = f"{listed(there)} {verb(len(there), 'was', 'were')} read" if there else "There is no secrets.toml"
    try:
        access = access_of(secrets_in(secrets), environment)
    except InputRefused as refused:
        steps.failed("Settings", str(refused), "configuration")
        return
    if access.sign_in:
        who = f"to look: {_who(access.viewers, 'whoever signs in')}; to approve: {_who(access.approvers)}"
    else:
        who = "nobody signs in: whoever reaches the server may look"
    if writing_enabled(environment):
        may = f"to operate: {_who(access.allowed)}" if access.sign_in else "the printed token enables executing plans"
    else:
        may = "nobody may execute plans (RESEAT_OPERATE is not 1)"
    if access.approval and not (access.sign_in and access.approvers):
        lacking = "list them under [approve] allowed" if access.sign_in else "configure sign-in (OIDC)"
        steps.warned("Settings", f"RESEAT_APPROVAL is set and nobody may approve plans: {lacking}.", "configuration")
        return
    steps.passed("Settings", f"{read}; {who}; {may}.")


def _who(entries: Sequence[str] | None, otherwise: str = "nobody") -> str:
    return ", ".join(entries) if entries else "nobody" if entries is not None else otherwise


def _sign_in(steps: Steps, secrets: Sequence[str | Path]) -> None:
    """Whether each provider's document is reached and is its own (OpenID Connect Discovery 1.0, section 4.3)."""
    try:
        table = secrets_in(secrets).get("auth", {})
    except InputRefused:
        return  # told with the settings
    tables = [table, *table.values()] if isinstance(table, Mapping) else []
    for address in (one.get("server_metadata_url") for one in tables if isinstance(one, Mapping)):
        if not isinstance(address, str):
            continue
        try:
            with urllib.request.urlopen(address, timeout=_PROVIDER_SECONDS) as answer:  # noqa: S310 -- as configured
                issuer = json.load(answer)["issuer"]
        except (OSError, ValueError, LookupError, TypeError) as error:
            why = str(getattr(error, "reason", error)) or type(error).__name__
            steps.failed(
                "Sign-in", f"{address} gives no sign-in provider's document: {why}. Nobody can sign in.", "oidc"
            )
            continue
        if issuer == address.removesuffix(_DISCOVERY):
            steps.passed("Sign-in", f"{issuer} is reached, and says of itself that it is that.")
        else:
            steps.warned(
                "Sign-in", f"{address} is the document of {issuer}: another address of the provider's?", "oidc"
            )


def _ports(steps: Steps, environment: Mapping[str, str], host: str, port: int) -> None:
    wanted = {"dashboard": (host, port)}
    asked = environment.get("RESEAT_METRICS", "").strip()
    if asked:
        try:
            wanted["metrics"] = address_of(asked)
        except InputRefused as refused:
            steps.failed("Ports", str(refused), "configuration")
    for what, address in wanted.items():
        why = cannot_listen(*address)
        if why is None:
            steps.passed("Ports", f"{server_at(*address)} is free for the {what}.")
        else:
            said = f"{server_at(*address)} cannot be listened on for the {what}: {why}."
            steps.warned("Ports", f"{said} If Reseat runs there already, that is as it should be.", "port")


def _folders(steps: Steps, environment: Mapping[str, str]) -> None:
    journal, tables = default_path(dict(environment)), default_tables(environment)
    landing = default_landing(environment)
    for condition in (
        journal_writable(journal),
        _tables(tables),
        _landing(landing),
        *audit_writable(environment),
        *links_writable(environment),
    ):
        if condition.holds:
            steps.passed("Folders", condition.sentence)
        else:
            steps.failed("Folders", condition.sentence, condition.name)
    local = [Folder.open(where).local for where in (landing, tables) if _is_place(where)]
    for folder in dict.fromkeys(path for path in (journal.parent, *local) if path is not None and os.path.isdir(path)):  # noqa: PTH112
        free = shutil.disk_usage(folder).free
        if free < _ROOM:
            steps.warned("Folders", f"{folder} has {free / 1e6:,.0f} MB left.", "room")
        _clock(steps, folder)


def _is_place(where: str) -> bool:
    try:
        Folder.open(where)
    except InputRefused:
        return False
    return True


def _tables(where: str) -> Condition:
    """Whether what Fleet shows of the pipeline's tables can be read; a server is asked too often to look into files."""
    listing = tables_readable(where)
    try:
        found = len(fleet(History.open(where)).clusters) if listing.holds else 0
    except InputRefused as refused:
        return Condition("tables", False, str(refused))
    return Condition("tables", True, f"{where} has {counted(found, 'cluster')}.") if found else listing


def _landing(where: str) -> Condition:
    try:
        Folder.open(where).folders()
    except InputRefused as refused:
        return Condition("landing", False, str(refused))
    return Condition("landing", True, f"{where} {can_be_read(where, 'the first snapshot')}.")


def _clock(steps: Steps, folder: Path) -> None:
    """Ages of snapshots and of runs are told by files' times: a folder of another machine may have another clock."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".reseat-doctor-") as file:
            ahead = Path(file.name).stat().st_mtime - time.time()
    except OSError as error:
        steps.failed("Folders", f"{folder} cannot be written: {error.strerror}.", "folder")
        return
    if abs(ahead) > _SECONDS:
        steps.warned(
            "Clocks",
            f"{folder} is {abs(ahead):,.0f} s {'ahead' if ahead > 0 else 'behind'}: its files' times tell ages.",
        )
    else:
        steps.passed("Clocks", f"{folder} and this machine have the same time.")


def _clusters(steps: Steps, environment: Mapping[str, str], secrets: Sequence[str | Path]) -> None:
    named = named_clusters(None, environment, files=secrets)
    for name, refused in named.refused.items():
        steps.failed(name, str(refused), "configuration")
    if missing("live") is not None:
        return
    for name, connection in named.connections.items():
        for step in diagnose(connection):
            steps.take(DiagnosisStep(f"{name}: {step.name}", step.outcome, step.sentence, step.reason))
