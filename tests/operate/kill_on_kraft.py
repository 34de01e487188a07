"""Carries out the open run of a journal on a real cluster, and kills itself at one step of the journal.

``python -m tests.operate.kill_on_kraft BOOTSTRAP JOURNAL STEP``; step 0: never.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from reseat.operate.run.execute import carry_out
from reseat.operate.targets.admin import AdminTarget
from reseat.sources.connection import Connection
from tests.operate.kill_everywhere import KilledJournal, Steps


def main(bootstrap: str, file: Path, fatal: int) -> None:
    """Until killed or done."""
    journal = KilledJournal(file)
    journal.steps_taken = Steps(0)
    target = AdminTarget(Connection("test", tuple(bootstrap.split(",")), timeout_seconds=10))
    run = journal.open_run(target.cluster_id())
    if run is not None:
        journal.steps_taken = Steps(fatal)
        carry_out(target, journal, run.id, stop=threading.Event())
    target.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
