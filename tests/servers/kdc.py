"""Starts a Kerberos KDC of MIT for the tests: a realm of its own, keytabs and tickets.

It needs Debian's packages krb5-kdc, krb5-admin-server and krb5-user, runs as whoever runs the tests, listens on
127.0.0.1 on a free port and is stopped by its own pid. Java and C read the realm from the same ``krb5.conf``. The
package of the extra ``kerberos`` is compiled once, into a folder of its own: the tests' environment is without it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.cluster import await_ready, listens
from tests.servers.ports import free_ports

__all__ = ["REALM", "Kdc", "kdc", "library", "missing_kdc"]

REALM = "RESEAT.TEST"
_ROOT = Path(__file__).parent.parent.parent
_PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit")


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def missing_kdc() -> str | None:
    """Why there can be no KDC here, as one sentence, or None."""
    lacking = [name for name in _PROGRAMS if _program(name) is None]
    if not lacking:
        return None
    packages = "Debian's packages krb5-kdc, krb5-admin-server and krb5-user"
    return f"No {' and no '.join(lacking)} was found ({packages}), so that there is no Kerberos to sign in with."


def library() -> Path:
    """The folder with what the extra ``kerberos`` brings; compiled at the first call.

    Raises:
        CalledProcessError: it cannot be compiled; the error holds what was said.
    """
    lock = _ROOT / "requirements-kerberos.lock"
    home = _ROOT / ".cache" / "kerberos" / f"{sys.implementation.cache_tag}"
    stamp = home / "installed.lock"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "-q", "--python", sys.executable]
        subprocess.run([*uv, "--require-hashes", "--target", home, "-r", lock], check=True, capture_output=True)
        shutil.copyfile(lock, stamp)
    return home


@dataclass(frozen=True)
class Kdc:
    """A running KDC.

    Attributes:
        directory: its files.
    """

    directory: Path

    @property
    def settings(self) -> Path:
        """The realm's ``krb5.conf``, for Java and for C."""
        return self.directory / "krb5.conf"

    @property
    def environment(self) -> dict[str, str]:
        """What a program needs to find the realm, with no ticket and no keytab of this machine's."""
        return {
            "KRB5_CONFIG": str(self.settings),
            "KRB5_KDC_PROFILE": str(self.directory / "kdc.conf"),
            "KRB5CCNAME": f"FILE:{self.directory / 'no-tickets'}",
            "KRB5_CLIENT_KTNAME": str(self.directory / "no.keytab"),
        }

    def keytab(self, *principals: str) -> Path:
        """A keytab with the new keys of principals, which are made where there is none."""
        file = self.directory / f"{principals[0].replace('/', '-')}.keytab"
        for name in principals:
            self._run("kadmin.local", "-q", f"addprinc -randkey {name}")
            self._run("kadmin.local", "-q", f"ktadd -k {file} {name}")
        return file

    def ticket(self, principal: str, keytab: Path, lifetime: str = "1h") -> Path:
        """A cache with a ticket of a principal."""
        file = self.directory / f"{principal.replace('/', '-')}-{lifetime}.ccache"
        self._run("kinit", "-l", lifetime, "-c", str(file), "-k", "-t", str(keytab), principal)
        return file

    def _run(self, name: str, *words: str) -> None:
        command = [_program(name) or name, *words]
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stdout}{done.stderr}")


@contextmanager
def kdc(directory: Path) -> Iterator[Kdc]:
    """A KDC with an empty realm.

    Args:
        directory: a new directory for its files.
    """
    directory.mkdir(parents=True)
    (port,) = free_ports(1)
    here = Kdc(directory)
    here.settings.write_text(
        f"[libdefaults]\ndefault_realm = {REALM}\ndns_lookup_kdc = false\ndns_lookup_realm = false\n"
        "dns_canonicalize_hostname = false\nrdns = false\nudp_preference_limit = 1\n"
        f"[realms]\n{REALM} = {{\n kdc = 127.0.0.1:{port}\n}}\n[domain_realm]\n127.0.0.1 = {REALM}\n"
        f"localhost = {REALM}\n"
    )
    (directory / "kdc.conf").write_text(
        f"[kdcdefaults]\nkdc_listen = 127.0.0.1:{port}\nkdc_tcp_listen = 127.0.0.1:{port}\n"
        f"[realms]\n{REALM} = {{\n database_name = {directory}/principals\n key_stash_file = {directory}/stash\n"
        f" acl_file = {directory}/acl\n max_life = 10h\n}}\n"
    )
    here._run("kdb5_util", "create", "-s", "-r", REALM, "-P", "of-the-test-alone")
    log = directory / "kdc.log"
    environment = {**os.environ, **here.environment}
    command = [_program("krb5kdc") or "krb5kdc", "-n"]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, env=environment) as server:
        try:
            await_ready(lambda: listens(port), server, log, "the KDC")
            yield here
        finally:
            server.terminate()
            server.wait()
