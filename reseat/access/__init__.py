"""Who may do what: look, operate and approve, asked at every door of a server. May import: model, errors.

Pages, the guard and the command line ask ``ask(door, person, access, now)`` and nobody else decides. Everything comes
in as plain values: who knows Streamlit, files or the clock passes them.
"""

from reseat.access.addresses import Addresses
from reseat.access.configured import OPERATE_VARIABLE, access_of, approval_in, unsafe_together, writing_enabled
from reseat.access.local import local_use, same_origin
from reseat.access.rights import Access, Decision, Door, Person, Right, ask, command_line_person
from reseat.access.shared_reports import SharedReport, SharedReports
from reseat.access.token import OperateToken, operate_token

__all__ = [
    "OPERATE_VARIABLE",
    "Access",
    "Addresses",
    "Decision",
    "Door",
    "OperateToken",
    "Person",
    "Right",
    "SharedReport",
    "SharedReports",
    "access_of",
    "approval_in",
    "ask",
    "command_line_person",
    "local_use",
    "operate_token",
    "same_origin",
    "unsafe_together",
    "writing_enabled",
]
