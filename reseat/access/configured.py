"""Who may what, from the secrets and the environment; and which settings of a server must not stand together.

Keys of the secrets: ``[operate] allowed``, ``[approve] allowed`` and ``[look] allowed`` (a list, or one text),
``[operate] hours`` and ``[look] hours`` (how long a sign-in counts), and ``[approve] hours`` (how long a proposal waits
and its approval counts). Which clusters need approvals stands in the environment, as the command line reads no secrets.
Whether there is a section ``[auth]`` says whether sign-in is configured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from reseat.access.addresses import ADDRESSES_VARIABLE, Addresses
from reseat.access.rights import ALL_CLUSTERS, Access
from reseat.errors import InputRefused

__all__ = [
    "APPROVAL_VARIABLE",
    "LOCAL_VARIABLE",
    "OPERATE_VARIABLE",
    "access_of",
    "approval_in",
    "unsafe_together",
    "writing_enabled",
]

#: The environment variable that enables writing, where it is "1" and nothing else.
OPERATE_VARIABLE = "RESEAT_OPERATE"
#: The environment variable that declares local use to be enough for writing, likewise.
LOCAL_VARIABLE = "RESEAT_OPERATE_LOCAL"
#: The environment variable that lists the clusters on which a plan needs a second person's word.
APPROVAL_VARIABLE = "RESEAT_APPROVAL"
#: What may stand in each table.
_KEYS = ("allowed", "hours")
#: As Kafka writes cluster ids; whoever wrote a name instead must hear of it.
_CLUSTER_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
#: A sign-in never counts longer than this: Streamlit's own cookie.
_MOST_HOURS = 30 * 24


def writing_enabled(environment: Mapping[str, str]) -> bool:
    """Whether Reseat was started with writing enabled: ``RESEAT_OPERATE`` is exactly "1"."""
    return environment.get(OPERATE_VARIABLE) == "1"


def access_of(secrets: Mapping[str, Any], environment: Mapping[str, str], *, unsafe: str = "") -> Access:
    """Who may what.

    Args:
        secrets: the content of ``secrets.toml``.
        environment: as ``os.environ``.
        unsafe: what ``unsafe_together`` says of the server's settings.

    Raises:
        InputRefused: a key is not as expected; names it.
    """
    operate, look, approve = (_table(secrets, name) for name in ("operate", "look", "approve"))
    if "allowed" in look and "auth" not in secrets:
        # Whoever reaches the server would look, whom the list leaves out.
        raise InputRefused(
            "[look] allowed in the secrets lists who may look, but [auth], by which they sign in, is not."
        )
    default = Access()
    return Access(
        sign_in="auth" in secrets,
        allowed=_allowed(operate, "operate") or (),
        viewers=_allowed(look, "look"),
        operate_seconds=_seconds(operate, "operate", default.operate_seconds),
        look_seconds=_seconds(look, "look", default.look_seconds),
        local=environment.get(LOCAL_VARIABLE) == "1",
        addresses=Addresses.read(environment.get(ADDRESSES_VARIABLE, "")),
        approvers=_allowed(approve, "approve") or (),
        approval=approval_in(environment),
        approval_seconds=_seconds(approve, "approve", default.approval_seconds),
        unsafe=unsafe,
    )


def approval_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of the clusters on which a plan needs a second person's word (``Access.approval``).

    Raises:
        InputRefused: an entry is no cluster id.
    """
    words = tuple(word.strip() for word in environment.get(APPROVAL_VARIABLE, "").split(",") if word.strip())
    for word in words:
        if not _CLUSTER_ID.fullmatch(word) or (word == ALL_CLUSTERS and len(words) > 1):
            raise InputRefused(
                f"{APPROVAL_VARIABLE}: '{word[:60]}' is not understood: cluster ids with commas between, or '"
                f"{ALL_CLUSTERS}' alone, were expected."
            )
    return words


def unsafe_together(*, agent_api: bool, trusted_headers: bool) -> str:
    """Why nothing may be written with these settings of Streamlit's server, as a sentence; empty where it may.

    Args:
        agent_api: ``server.enableAgentApi``: programs drive the pages as if they were people.
        trusted_headers: ``server.trustedUserHeaders``: whoever reaches the server can say who they are.
    """
    names = {"server.enableAgentApi": agent_api, "server.trustedUserHeaders": trusted_headers}
    why = {
        "server.enableAgentApi": "lets programs press buttons that are reserved for people",
        "server.trustedUserHeaders": "lets whoever reaches the server say who they are",
    }
    return " ".join(f"{name} is set, which {why[name]}." for name, is_set in names.items() if is_set)


def _table(secrets: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = secrets.get(name, {})
    if not isinstance(table, Mapping):
        raise InputRefused(f"{name} in the secrets is not a table; [{name}] was expected.")
    for key in table:
        # A slip in "allowed" would let whoever signs in look.
        if key not in _KEYS:
            raise InputRefused(f"[{name}] {key[:60]} in the secrets is not known; {' or '.join(_KEYS)} was expected.")
    return table


def _allowed(table: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    if "allowed" not in table:
        return None
    value = table["allowed"]
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise InputRefused(f"[{name}] allowed in the secrets is not a list of texts.")
    return tuple(entries)


def _seconds(table: Mapping[str, Any], name: str, default: float) -> float:
    hours = table.get("hours", default / 3600)
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= _MOST_HOURS:
        raise InputRefused(f"[{name}] hours in the secrets is not a number above 0 and up to {_MOST_HOURS}.")
    return float(hours) * 3600
