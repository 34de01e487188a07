"""Spark's jobs side by side: most are small, and Spark's overhead of one hides behind the work of another.

The first that fails ends the others, and so does Ctrl-C: nobody waits for work that counts for nothing any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["side_by_side"]


#: Seconds after which what still works is interrupted again.
_AGAIN = 1.0


def side_by_side(spark: SparkSession, jobs: Iterable[Callable[[], Any]], most: int) -> list[Any]:
    """Do all of these, and give what they return, in their order, when all are done.

    Args:
        spark: the session in which they run their jobs; no others run in it.
        jobs: what to do.
        most: how many at once.

    Raises:
        Exception: what the first of them that failed raised, once the others have ended.
    """
    with ThreadPoolExecutor(most) as pool:
        begun = [pool.submit(job) for job in jobs]
        try:
            done, _ = wait(begun, return_when=FIRST_EXCEPTION)
            for one in done:
                one.result()
            return [one.result() for one in begun]
        except BaseException:
            for one in begun:
                one.cancel()
            spark.interruptAll()
            # What is interrupted is the job that Spark is at: a job of ours may just be about to begin its next one.
            while wait(begun, timeout=_AGAIN).not_done:
                spark.interruptAll()
            raise
