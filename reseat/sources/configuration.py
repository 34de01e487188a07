"""From secrets.toml, the environment, options and Kafka's client files to connections, with every value checked.

Promises, in this order: (1) no message holds the value of a secret; (2) a key that is not known is refused with the
nearest one that is, so that a slip never means "without"; (3) a refusal names the file, the line where it is known, and
the key; (4) one cluster that is refused does not take the others away.

Keys of TOML (a table ``[clusters.NAME]`` of ``.streamlit/secrets.toml``, or a file of its own) are the attributes of
``Connection``; ``zookeeper`` takes the chroot with it (``zk1:2181,zk2:2181/kafka``). Environment variables are
``RESEAT_CLUSTER_<NAME>_<KEY>``, both in capitals, and go before the same cluster's table; ``RESEAT_CLUSTERS_FILE``
names a further TOML file. A Kafka client's ``.properties`` is read as Kafka reads it, with PEM files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reseat.errors import InputRefused
from reseat.existing import may_exist
from reseat.sources.client_properties import connection_values
from reseat.sources.configuration_values import CHECKS, KEYS, check_files, disagreement, unknown
from reseat.sources.connection import Connection
from reseat.sources.properties import read_properties

__all__ = [
    "Named",
    "configured_connection",
    "connection_from_options",
    "connection_from_values",
    "files_there",
    "named_clusters",
    "secrets_in",
]

#: Keys of a TOML file of its own beside those of a connection: its tables of clusters.
_CLUSTERS = "clusters"
_PREFIX, _FILE = "RESEAT_CLUSTER_", "RESEAT_CLUSTERS_FILE"
_SECRETS = "secrets.toml"
#: A configuration is a page of text; what is larger is another file.
_MOST_BYTES = 1_000_000
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Named:
    """The clusters that have a name.

    Attributes:
        connections: by name, in the order in which they are written.
        refused: why a cluster (or a whole file, under its name) could not be taken.
    """

    connections: dict[str, Connection] = field(default_factory=dict)
    refused: dict[str, InputRefused] = field(default_factory=dict)


def named_clusters(
    secrets: Mapping[str, Any] | None, environment: Mapping[str, str], *, files: Sequence[str | Path] = ()
) -> Named:
    """The clusters named in Streamlit's secrets and in the environment; one that is refused beside those that are not.

    Args:
        secrets: the content of ``secrets.toml`` where it was read elsewhere.
        environment: as ``os.environ``.
        files: where ``secrets.toml`` may be; one that is not there is passed over. A later one goes before.
    """
    named = Named()
    told: dict[str, tuple[dict[str, Any], str, str]] = {}
    _gather((secrets or {}).get(_CLUSTERS, {}), _SECRETS, "", told, named)
    further = environment.get(_FILE)
    for file in [*files_there(files), *([further] if further else [])]:
        try:
            text = _text_of(Path(file))
            tables = _toml(text, file)
            _gather(tables.get(_CLUSTERS, {}), file, text, told, named)
            if file == further and (astray := next((key for key in tables if key != _CLUSTERS), None)):
                raise InputRefused(
                    f"{astray[:_LONGEST_NAME]!r} is not read here; only [clusters.NAME] was expected. What is no "
                    "cluster stands in secrets.toml.",
                    source=file,
                    line=_first_line(rf"\s*\[*\s*[\"']?{re.escape(astray)}[\"']?\s*[\].=]", text),
                )
        except InputRefused as refusal:
            named.refused[file] = refusal
    for name, values in _from_environment(environment, list(told)).items():
        earlier, source, text = told.get(name, ({}, "the environment", ""))
        told[name] = ({**earlier, **values}, source, text)
    for name, (values, source, text) in told.items():
        try:
            named.connections[name] = connection_from_values(values, name=name, source=source, text=text)
        except InputRefused as refusal:
            named.refused[name] = refusal
    return named


def configured_connection(name: str, environment: Mapping[str, str], *, files: Sequence[str | Path]) -> Connection:
    """The cluster of this name, of those that ``named_clusters`` finds.

    Raises:
        InputRefused: it is not as expected, or there is none of this name; names those that there are.
    """
    found = named_clusters(None, environment, files=files)
    if name in found.connections:
        return found.connections[name]
    # A file that cannot be read may have it.
    for place in (name, *map(str, files), environment.get(_FILE, "")):
        if place in found.refused:
            raise found.refused[place]
    known = ", ".join(list(found.connections)[:12])
    there = f"configured: {known}" if known else "no [clusters.NAME] in secrets.toml, and no other way named one"
    raise InputRefused(f"No cluster is called {name[:_LONGEST_NAME]!r} ({there}).")


def secrets_in(files: Sequence[str | Path]) -> dict[str, Any]:
    """The tables of ``secrets.toml`` as it is now; a table of a later file goes before.

    Args:
        files: where it may be; one that is not there is passed over.

    Raises:
        InputRefused: one that is there cannot be read, or is not TOML; no message holds what stands in it.
    """
    tables: dict[str, Any] = {}
    for file in files_there(files):
        tables |= _toml(_text_of(Path(file)), file)
    return tables


def files_there(files: Sequence[str | Path]) -> list[str]:
    """Those that are there, each once, also one whose folder is closed to who runs this: reading it says so."""
    return [file for file in dict.fromkeys(map(str, files)) if may_exist(file)]


def _gather(
    tables: object, source: str, text: str, told: dict[str, tuple[dict[str, Any], str, str]], named: Named
) -> None:
    if not isinstance(tables, Mapping):
        named.refused[source] = InputRefused("clusters is not a table; [clusters.NAME] was expected.", source=source)
        return
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            named.refused[str(name)] = InputRefused(
                "A cluster is not a table; [clusters.NAME] with its keys below was expected.",
                source=source,
                line=_line_of(str(name), text),
            )
        else:
            told[str(name)] = (dict(table), source, text)


def _from_environment(environment: Mapping[str, str], known: list[str]) -> dict[str, dict[str, str]]:
    """Values by cluster. The longest key that a variable ends with is meant: ``..._ZOOKEEPER_SASL_PASSWORD``."""
    folded = {_folded(name): name for name in known}
    found: dict[str, dict[str, str]] = {}
    for variable in sorted(environment):
        if not variable.startswith(_PREFIX):
            continue
        rest = variable.removeprefix(_PREFIX)
        keys = [key for key in KEYS if rest.endswith(f"_{key.upper()}")]
        if keys:
            key = max(keys, key=len)
            name = rest[: -len(key) - 1]
        else:
            name, _, word = rest.partition("_")
            key = word.lower()
        if name:
            shown = folded.get(_folded(name), name.lower().replace("_", "-"))
            found.setdefault(shown, {})[key] = environment[variable]
    return found


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", name.lower())


def connection_from_options(
    *, bootstrap: str | None, zookeeper: str | None, config: Path | None, name: str = ""
) -> Connection:
    """The command line's door: servers as options, security and secrets from a file.

    Args:
        bootstrap: ``host:port`` of brokers, several with commas between.
        zookeeper: ``HOSTS[/CHROOT]``.
        config: a Kafka client's ``.properties``, or TOML (``.toml``) with the keys of ``secrets.toml``, at its top or
            in the table ``[clusters.NAME]``: the one of ``name``, or the only one. An option goes before the file.
        name: the name by which the person knows the cluster.

    Raises:
        InputRefused: something is not as expected; names the file, the line and the key, never a secret's value.
    """
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    source, text = "", ""
    if config is not None:
        source = str(config)
        text = _text_of(config)
        if config.suffix.lower() == ".toml":
            values, name = _one_cluster(_toml(text, source), name, source, text)
        else:
            values, lines = connection_values(
                read_properties(_bytes_of(config), source=source), source=source, zookeeper=zookeeper is not None
            )
    if bootstrap is not None:
        if zookeeper is None:
            values.pop("zookeeper", None)  # an option says which way is meant
        values["bootstrap"] = bootstrap
    if zookeeper is not None:
        values["zookeeper"] = zookeeper
    given = {"bootstrap": bootstrap, "zookeeper": zookeeper}
    return connection_from_values(
        values,
        name=name,
        source=source,
        text=text,
        lines=lines,
        sources={key: f"--{key}" for key, value in given.items() if value is not None},
    )


def _one_cluster(document: dict[str, Any], name: str, source: str, text: str) -> tuple[dict[str, Any], str]:
    tables = document.get(_CLUSTERS)
    if tables is None:
        told = document.pop("name", None)
        return document, name or (told if isinstance(told, str) else "")
    if not isinstance(tables, dict) or not tables or not all(isinstance(table, dict) for table in tables.values()):
        raise InputRefused("clusters holds no table; [clusters.NAME] was expected.", source=source)
    if astray := next((key for key in document if key in KEYS), None):
        raise InputRefused(
            f"{astray} stands before [clusters.NAME], where it is of no cluster; below it was expected.",
            source=source,
            line=_line_of(astray, text.partition("[")[0]),
        )
    if name in tables:
        return dict(tables[name]), name
    if len(tables) == 1 and not name:
        only = next(iter(tables))
        return dict(tables[only]), only
    known = ", ".join(list(tables)[:12])
    raise InputRefused(f"No cluster chosen; the file has {known}. Give one of these.", source=source)


def connection_from_values(
    values: Mapping[str, Any],
    *,
    name: str = "",
    source: str = "",
    text: str = "",
    lines: Mapping[str, int] | None = None,
    sources: Mapping[str, str] | None = None,
) -> Connection:
    """A connection of values by key, every one checked.

    Args:
        values: as read from TOML or the environment (there all are texts); keys are attributes of ``Connection``.
        name: the cluster's name.
        source: the file's name, for refusals.
        text: the file's text, where lines are to be found in it.
        lines: line by key, where known.
        sources: another source by key, for values that do not come from ``source``.

    Raises:
        InputRefused: a key is not known, a value is not as expected, or they do not go together.
    """
    known_lines, other = lines or {}, sources or {}

    def refusal(key: str | None, sentence: str) -> InputRefused:
        place = other.get(key or "", source)
        line = None if place != source or key is None else known_lines.get(key, _line_of(key, text, name))
        return InputRefused(
            f"Cluster {name}: {sentence}" if name and source else sentence, source=place or None, line=line
        )

    for key in values:
        if key not in KEYS:
            raise refusal(str(key), unknown(str(key)))
    got: dict[str, Any] = {}
    for key, value in values.items():
        check = CHECKS[key]
        try:
            got[key] = check(value)
        except InputRefused as error:
            raise refusal(key, f"{key}: {error.sentence}") from None
    if "zookeeper" in got:
        got["zookeeper"], got["chroot"] = got["zookeeper"]
    fault = disagreement(got)
    if fault is not None:
        raise refusal(*fault)
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise refusal(None, f"A cluster's name has at most {_LONGEST_NAME} characters, all of them visible.")
    connection = Connection(name=name, **got)
    try:
        check_files(connection)
    except InputRefused as error:
        key = error.source or ""
        raise refusal(key, f"{key}: {error.sentence}") from None
    return connection


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputRefused(f"The file cannot be read: {error.strerror or error}.", source=str(path)) from None
    if len(data) > _MOST_BYTES:
        raise InputRefused(
            "The file is larger than 1 MB; a configuration of a few lines was expected.", source=str(path)
        )
    return data


def _text_of(path: Path) -> str:
    return _bytes_of(path).decode("utf-8-sig", errors="replace")


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        # The parser's own words are not passed on: they can quote what it met, which may be a password.
        found = re.search(r"at line (\d+)", str(error))
        line = int(found.group(1)) if found else None
        raise InputRefused(
            'The file is not TOML; key = "value" on each line was expected.', source=source, line=line
        ) from None


def _first_line(pattern: str, text: str) -> int | None:
    return next((number for number, line in enumerate(text.splitlines(), 1) if re.match(pattern, line)), None)


def _line_of(key: str, text: str, name: str = "") -> int | None:
    """The line on which a key is set in TOML: in the cluster's table where the text has it, else before any table."""
    table = re.compile(rf"\s*\[\s*{_CLUSTERS}\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*\]")
    assignment = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]")
    lines = text.splitlines()
    inside = not any(table.match(line) for line in lines)
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("["):
            inside = bool(table.match(line))
        elif inside and assignment.match(line):
            return number
    return None
