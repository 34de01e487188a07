"""The forms that a text may have, in the order in which they take what they understand out of it.

Before: whoever reads many lines at once, and what tells most. After: what adds facts, and what is no layout.
"""

from __future__ import annotations

from reseat.formats.documents.snapshot_form import SnapshotForm
from reseat.formats.tables.csv_form import CsvForm
from reseat.formats.text.console_table import ConsoleTables
from reseat.formats.text.cruise_control import CruiseControl
from reseat.formats.text.describe import Describe
from reseat.formats.text.form import EachDocument, Form
from reseat.formats.text.kcat import Kcat
from reseat.formats.text.kcat_json import KcatJson
from reseat.formats.text.log_dirs import LogDirs
from reseat.formats.text.no_layout import Election, PreferredElection, TopicsToMove, UnknownJson
from reseat.formats.text.progress import ReassignmentProgress
from reseat.formats.text.racks import Racks
from reseat.formats.text.reassignment_form import Reassignments
from reseat.formats.text.rest import Rest
from reseat.formats.text.topic_configs import TopicConfigs
from reseat.formats.text.topicmappr import Topicmappr
from reseat.formats.text.zookeeper import ZooKeeper

__all__ = ["FORMS", "FORMS_TOLD"]

#: What Reseat reads, as every place says it that takes a text, or refuses one.
FORMS_TOLD = (
    "kafka-topics --describe, reassignment JSON, kafka-log-dirs, ZooKeeper nodes, kcat -L, rpk topic describe -p, "
    "topicmappr, Cruise Control's cluster state, CSV, Parquet and its own snapshots"
)

#: Each takes what it understands and leaves the rest to those behind it.
FORMS: tuple[Form, ...] = (
    CsvForm(),
    Describe(),
    Kcat(),
    ZooKeeper(),
    Reassignments(),
    EachDocument(SnapshotForm(), CruiseControl(), Rest(), PreferredElection(), KcatJson(), TopicsToMove(), Racks()),
    LogDirs(),
    Topicmappr(),
    ConsoleTables(),
    TopicConfigs(),
    ReassignmentProgress(),
    Election(),
    UnknownJson(),
)
