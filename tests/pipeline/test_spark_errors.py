"""What Spark raises is one sentence, and a job that was asked to end is not called a failure."""

from __future__ import annotations

import logging
import runpy
from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

from reseat.errors import SparkFailed
from reseat.pipeline.spark.spark_errors import in_words, without_traces


def test_a_broken_connection_is_told() -> None:
    """In Spark's words, after what was tried."""
    with pytest.raises(SparkFailed, match=r"Spark failed: Answer from Java side is empty\."), in_words("Spark failed"):
        raise Py4JNetworkError("Answer from Java side is empty")


def test_asked_to_end_it_does_not_say_that_spark_failed() -> None:
    """Ctrl-C breaks the connection, and what is put away on the way out finds it broken."""

    def interrupted() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise Py4JNetworkError("Answer from Java side is empty")

    with pytest.raises(KeyboardInterrupt), in_words("Spark failed"):
        interrupted()


def test_py4j_writes_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it logs before it raises is kept back, unless it is asked for; what others log is not."""
    script = tmp_path / "java_gateway.py"
    script.write_text("import logging\nlogging.error('Exception while sending command.')\n")
    with without_traces():
        runpy.run_path(str(script))
        logging.error("another's")
    assert [record.message for record in caplog.records] == ["another's"]

    monkeypatch.setenv("RESEAT_DEBUG", "1")
    with without_traces():
        runpy.run_path(str(script))
    assert len(caplog.records) == 2
