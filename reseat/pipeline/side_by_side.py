"""Spark's jobs side by side: most are small, and Spark's overhead of one hides behind the work of another.

The first that fails ends the others, and so does Ctrl-C: nobody waits for work that counts for nothing any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["side_by_side"]


def side_by_side(spark: SparkSession, jobs: Iterable[Callable[[], None]], most: int) -> None:
    """Do all of these, and return when all are done.

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
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            spark.interruptAll()
            raise
