"""Tests asked in children of a process: each breaks one place, runs the tests that reach it and says whether one fails.

Importing the project and collecting tests takes seconds, a test milliseconds. So that is done once, in one process
for all places that stand in functions; a child of it gives the functions of a module the code of the broken one, where
they are loaded, and runs. What an import runs cannot be broken so: for that the file is written, and a child imports it
all.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

import pytest

__all__ = ["QUIETLY", "Question", "imported_anew", "loaded_once"]

_MARKS = "not slow and not browser and not kafka and not spark"
QUIETLY = ("-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "-m", _MARKS)
#: How many times as long as it may compute it may take by the clock, with what else the machine does.
_WAITS = 4
#: Seconds that it takes to compile what is broken, or to import all of it anew.
_BEFORE = 60
#: Bytes that it may have.
_MEMORY = 6 << 30


@dataclass(frozen=True)
class Question:
    """What is asked of tests.

    Attributes:
        file: what is broken, from the project's folder.
        code: compiles it as it is broken, its lines where they stood.
        source: writes it so.
        tests: who is asked, the quickest first, and the seconds that each may compute: where it does not end, it has
            noticed.
    """

    file: str
    code: Callable[[], CodeType]
    source: Callable[[], str]
    tests: Mapping[str, int]

    @property
    def limit(self) -> int:
        """Seconds that they may compute, with what is done before."""
        return _BEFORE + sum(self.tests.values())


def loaded_once(copy: Path, questions: Sequence[Question], told: Callable[[int, bool], object]) -> None:
    """Ask about places in functions.

    Args:
        copy: the project's copy.
        questions: one a place.
        told: called with each one's number, and whether a test failed.

    Raises:
        SystemExit: the tests cannot be collected, or fail before anything is broken.
    """
    names = dict(sorted({test: most for one in questions for test, most in one.tests.items()}.items()))
    unbroken = Question("", lambda: compile("", "", "exec"), str, names)

    def ask(session: pytest.Session) -> None:
        gc.unfreeze()  # the tests have frozen all that is loaded, and what is frozen is not among the objects told here
        functions = [one for one in gc.get_objects() if type(one) is FunctionType]
        if not any(one.__code__.co_filename.startswith(str(copy)) for one in functions):
            print("No function of the project is found that could be broken.")  # else all would survive
            os._exit(1)
        gc.collect()
        gc.freeze()  # else each child's collections would copy it all
        if _child(lambda: _fails(session, unbroken.tests), unbroken.limit):
            os._exit(1)
        for number, one in enumerate(questions):
            path = str(copy / one.file)
            there = [function for function in functions if function.__code__.co_filename == path]

            def broken(one: Question = one, there: Sequence[FunctionType] = there) -> bool:
                _put_in(one.code(), there)
                return _fails(session, one.tests)

            os.write(answers, json.dumps([number, _child(broken, one.limit)]).encode() + b"\n")
        os._exit(0)

    given, answers = os.pipe()
    asking = os.fork()
    if not asking:
        _in_child(lambda: _asked(copy, names, ask))
    os.close(answers)
    with os.fdopen(given) as lines:
        for line in lines:
            told(*json.loads(line))
    if os.waitpid(asking, 0)[1]:
        raise SystemExit(f"Its tests fail in a child before anything is broken:\n{_log(copy).read_text()[-3000:]}")


def imported_anew(copy: Path, question: Question) -> bool:
    """Ask about a place that an import runs; whether a test failed."""

    def ask(session: pytest.Session) -> None:
        os._exit(_fails(session, question.tests))

    with _written(copy / question.file, question.source()):
        return _child(lambda: bool(_asked(copy, question.tests, ask)), question.limit)


@contextmanager
def _written(file: Path, source: str) -> Iterator[None]:
    whole, at = file.read_bytes(), file.stat().st_mtime_ns
    file.write_text(source, encoding="utf-8")
    try:
        yield
    finally:
        file.write_bytes(whole)
        os.utime(file, ns=(at, at))


def _put_in(code: CodeType, functions: Sequence[FunctionType]) -> None:
    """Give functions the code of those that stand in the same lines of a module."""
    new = {(one.co_qualname, one.co_firstlineno): one for one in _inside(code)}
    for function in functions:
        old = function.__code__
        function.__code__ = new.get((old.co_qualname, old.co_firstlineno), old)


def _inside(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _inside(one)


class _Instead:
    """A plugin for pytest: does something else with what is collected than to run it."""

    def __init__(self, do: Callable[[pytest.Session], None]) -> None:
        self._do = do

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Where pytest would run the tests."""
        if session.testsfailed:
            return False  # a file of tests could not be imported
        self._do(session)
        return True


def _asked(copy: Path, tests: Iterable[str], do: Callable[[pytest.Session], None]) -> int:
    """Collect the files of tests and do something with them; returns pytest's exit code where that comes back."""
    os.chdir(copy)
    sys.dont_write_bytecode = True  # else a broken place of the same second and size would be read again
    for stream, to in ((0, os.devnull), (1, _log(copy)), (2, _log(copy))):
        os.dup2(os.open(to, os.O_RDWR | os.O_CREAT | (0 if stream == 2 else os.O_TRUNC)), stream)
    loaded = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    options = [*QUIETLY, "-W", loaded, "--basetemp", str(copy.parent / "tests")]
    files = sorted({test.partition("::")[0] for test in tests})
    return int(pytest.main([*options, *files], plugins=[_Instead(do)])) or 1


def _fails(session: pytest.Session, tests: Mapping[str, int]) -> bool:
    """Whether one of these tests fails; one that computes too long ends this process, which says the same."""
    items = {item.nodeid: item for item in session.items}
    chosen = [items[test] for test in tests]
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    for item, then in zip(chosen, [*chosen[1:], None], strict=True):
        seconds = tests[item.nodeid]
        resource.setrlimit(resource.RLIMIT_CPU, (min(most, int(time.process_time()) + 1 + seconds), most))
        signal.alarm(_WAITS * seconds)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=then)
        if session.testsfailed:
            return True
    return False


def _child(do: Callable[[], bool], limit: int) -> bool:
    """What a child finds; True where it does not end."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        _in_child(do)
    until, ended, status = time.monotonic() + _WAITS * limit, 0, 1
    while not ended and time.monotonic() < until:
        time.sleep(0.005)
        ended, status = os.waitpid(child, os.WNOHANG)
    with suppress(ProcessLookupError):  # also what it has started and left
        os.killpg(child, signal.SIGKILL)
    if not ended:
        os.waitpid(child, 0)
    return not ended or status != 0


def _in_child(do: Callable[[], int]) -> None:
    """Do it and end this process; a group of its own, so that what it starts ends with it."""
    try:
        os.setsid()
        code = int(do())
    except BaseException:  # noqa: BLE001 - whatever it is, the parent's way out (its folder goes with it) is not ours
        traceback.print_exc()
        code = 1
    os._exit(code)


def _log(copy: Path) -> Path:
    return copy.parent / "log"
