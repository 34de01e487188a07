"""``reseat doctor``: an installation as it should be, and each thing that can be wrong with it, in one call."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reseat.cli import main
from reseat.observe.doctor import examine
from reseat.sources.diagnosis import StepOutcome
from tests.history import made
from tests.servers.ports import free_port
from tests.servers.provider import Provider


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Folders of its own."""
    names = {"RESEAT_JOURNAL": "journal.sqlite", "RESEAT_LANDING": "landing", "RESEAT_TABLES": "tables"}
    return {**{name: str(folder / where) for name, where in names.items()}, "HOME": str(folder), **more}


def test_an_installation_that_is_as_it_should_be(tmp_path: Path) -> None:
    """Nothing fails and nothing is made."""
    steps = examine(environment(tmp_path), [], host="127.0.0.1", port=free_port())

    assert {one.name for one in steps} == {"Versions", "Extras", "Java", "Settings", "Ports", "Folders", "Clocks"}
    assert {one.outcome for one in steps} == {StepOutcome.PASSED}
    assert not [one.sentence for one in steps if ",:" in one.sentence]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("secrets", "word"), [("", "configure sign-in"), ("[auth]\nx = 1\n", "list them under [approve] allowed")]
)
def test_approvals_that_nobody_can_give_are_told(tmp_path: Path, secrets: str, word: str) -> None:
    """With them no plan could ever be executed."""
    file = tmp_path / "secrets.toml"
    file.write_text(secrets)
    told = examine(environment(tmp_path, RESEAT_APPROVAL="all"), [file], host="127.0.0.1", port=free_port())
    said = next(one for one in told if one.name == "Settings")

    assert said.outcome is StepOutcome.WARNED
    assert word in said.sentence


@pytest.mark.parametrize("told", [{}, {"RESEAT_OPERATE": "true"}])
def test_writing_that_is_not_enabled_is_not_called_unset(tmp_path: Path, told: dict[str, str]) -> None:
    """Of a variable that is set to something else, too."""
    steps = examine(environment(tmp_path, **told), [], host="127.0.0.1", port=free_port())
    said = next(one for one in steps if one.name == "Settings")

    assert "nobody may execute plans (RESEAT_OPERATE is not 1)" in said.sentence


def test_a_sign_in_provider_is_asked_for_its_document(tmp_path: Path) -> None:
    """One that answers and is who it was taken for, one that is another, one that is away; and who may what."""
    file, away = tmp_path / "secrets.toml", free_port()
    with Provider({}) as provider:
        text = provider.secrets("http://127.0.0.1:8501", '[operate]\nallowed = ["ada@example.org"]')
        other = text.replace("127.0.0.1", "localhost")
        for secrets, outcome, word in (
            (text, StepOutcome.PASSED, "is reached"),
            (other, StepOutcome.WARNED, "is the document of http://127.0.0.1"),
            (
                text.replace(f"{provider.issuer}/", f"http://127.0.0.1:{away}/"),
                StepOutcome.FAILED,
                "refused. Nobody can sign in",
            ),
        ):
            file.write_text(secrets)
            file.chmod(0o600)
            told = examine(environment(tmp_path, RESEAT_OPERATE="1"), [file], host="127.0.0.1", port=free_port())
            said = next(one for one in told if one.name == "Sign-in")

            assert (said.outcome, word in said.sentence) == (outcome, True), said.sentence
            assert "to operate: ada@example.org" in next(one.sentence for one in told if one.name == "Settings")
            assert "to look: whoever signs in; to approve: nobody" in str(told)


def test_secrets_that_everybody_can_read_are_told(tmp_path: Path) -> None:
    """As an editor makes a file; whoever owns it alone, and a group, may read it."""
    file = tmp_path / "secrets.toml"
    file.write_text("")
    for mode, said in ((0o644, True), (0o640, False), (0o600, False)):
        file.chmod(mode)
        told = examine(environment(tmp_path), [file], host="127.0.0.1", port=free_port())

        assert any(f"chmod 600 {file}" in one.sentence for one in told if one.outcome is StepOutcome.WARNED) is said


def test_each_file_of_secrets_is_told_once(tmp_path: Path) -> None:
    """A server that starts in the home folder has one file by two names."""
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text("")
    two.write_text("")

    def told(*secrets: Path) -> str:
        steps = examine(environment(tmp_path), secrets, host="127.0.0.1", port=free_port())
        return next(step.sentence for step in steps if step.name == "Settings")

    assert told(one, one).startswith(f"{one} was read; ")
    assert told(one, two, one).startswith(f"{one} and {two} were read; ")


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """A cluster that is away, one that is misspelt, a journal that is none, a port that is taken; no secret is said."""
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        f'[clusters.shop]\nbootstrap = "127.0.0.1:{free_port()}"\nsecurity_protocol = "SASL_PLAINTEXT"\n'
        'sasl_mechanism = "PLAIN"\nusername = "reader"\npassword = "hush-77"\n[clusters.typo]\nbootstrapp = "a:1"\n'
    )
    secrets.chmod(0o600)
    (tmp_path / "journal.sqlite").write_text("no journal " * 100)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        named = environment(tmp_path, RESEAT_METRICS="nine", RESEAT_LINKS=str(secrets), RESEAT_AUDIT=str(tmp_path))
        told = examine(named, [secrets], host="127.0.0.1", port=port)
    failed = {one.name: one.sentence for one in told if one.outcome is StepOutcome.FAILED}
    folders = [one.sentence for one in told if (one.name, one.outcome) == ("Folders", StepOutcome.FAILED)]

    assert set(failed) == {"Ports", "Folders", "typo", "shop: Ports"}
    assert "RESEAT_METRICS is 'nine'" in failed["Ports"]
    assert "bootstrapp" in failed["typo"]
    assert f"{secrets} (RESEAT_LINKS): {secrets} cannot be written." in folders
    assert any(f"{tmp_path} (RESEAT_AUDIT) cannot be written: Is a directory" in said for said in folders)
    assert [one.name for one in told if one.outcome is StepOutcome.WARNED] == ["Ports"]
    assert "hush-77" not in str(told)


def test_what_is_closed_to_who_runs_it_is_told_beside_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Journal, tables and secrets in a folder that may not be looked into. To root nothing is closed, so it is said."""
    shut = tmp_path / "shut"
    shut.mkdir()

    def closed(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def guarded(where: Any, *rest: Any, **more: Any) -> Any:
            if str(where).startswith(f"{shut}/"):
                raise PermissionError(errno.EACCES, "Permission denied", where)
            return real(where, *rest, **more)

        return guarded

    for name in ("stat", "scandir"):
        monkeypatch.setattr(os, name, closed(name))
    monkeypatch.setattr(Path, "exists", os.path.exists)  # as from Python 3.14 on: what cannot be told is not there
    monkeypatch.setattr(os, "access", lambda where, _: not str(where).startswith(str(shut)))
    named = {**environment(shut), "RESEAT_LANDING": str(tmp_path / "landing")}
    told = examine(named, [shut / "secrets.toml"], host="127.0.0.1", port=free_port())
    wrong = [one.sentence for one in told if one.outcome is StepOutcome.FAILED]

    assert f"{shut / 'secrets.toml'}: The file cannot be read: " in wrong[0]
    assert f"{shut / 'journal.sqlite'} cannot be made: {shut} cannot be written." in wrong
    assert any(one.startswith(str(shut / "tables")) and "Permission denied" in one for one in wrong)
    assert not any("landing" in one for one in wrong)


def test_damaged_tables_are_told(tmp_path: Path) -> None:
    """A file of the latest snapshots is opened, as Fleet does; whole tables are told with their clusters."""

    def of_folders() -> list[tuple[StepOutcome, str]]:
        steps = examine(environment(tmp_path), [], host="127.0.0.1", port=free_port())
        return [(one.outcome, one.sentence) for one in steps if one.name == "Folders"]

    tables = made.write(tmp_path).tables
    assert (StepOutcome.PASSED, f"{tables} has 2 clusters.") in of_folders()

    file = sorted((tables / "snapshots").rglob("*.parquet"))[-1]
    file.write_bytes(b"no parquet at all")
    failed = [said for outcome, said in of_folders() if outcome is StepOutcome.FAILED]
    assert len(failed) == 1
    assert "The table snapshots cannot be read" in failed[0]
    assert file.name in failed[0]


def test_a_folder_of_another_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of another machine whose clock is wrong."""
    (tmp_path / "landing").mkdir()
    monkeypatch.setattr("reseat.observe.doctor.time.time", lambda: 1_000_000_000.0)
    told = examine(environment(tmp_path), [], host="127.0.0.1", port=free_port())

    assert [one.name for one in told if one.outcome is StepOutcome.WARNED and "ahead" in one.sentence] != []


def test_the_command_says_it_to_people_and_to_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 once something is broken."""
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--port", str(free_port())]) == 0
    assert capsys.readouterr().out.startswith("ok Versions: Reseat ")
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text("no toml")
    assert main(["doctor", "--json", "--port", str(free_port())]) == 1
    steps = json.loads(capsys.readouterr().out)
    assert "failed" in {one["outcome"] for one in steps if one["name"] == "Settings"}
    assert set(steps[0]) == {"name", "outcome", "sentence", "reason"}
