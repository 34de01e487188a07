"""The form for an address that has no name in the configuration; what is typed stays in this session's memory."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.look.notices import refused
from components.state import connections, session
from components.state.connections import Connectable
from components.state.slots import Anew, Slot
from reseat.errors import InputRefused
from reseat.sources.configuration import connection_from_values
from reseat.sources.followed import LiveCluster

__all__ = ["draw_form"]

_BROKERS, _ZOOKEEPER = "Brokers (Admin protocol)", "ZooKeeper"
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_PASSWORD_MECHANISMS = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN")
_BEARER = "OAUTHBEARER"
#: A command that prints tokens is for the configuration alone: a page must not start programs on the server. So is
#: Kerberos: whoever may type an address would be there as the server itself.
_NONE, _DIGEST, _SASL = "None", "Digest", "SASL (DIGEST-MD5)"
#: Labels of the fields by what they fill; none may be empty.
_LABELS = {
    "bootstrap": "Servers", "zookeeper": "Servers", "username": "User", "password": "Password", "token": "Token",
    "zookeeper_digest": "User or Password", "zookeeper_sasl_username": "User", "zookeeper_sasl_password": "Password",
}  # fmt: skip
#: Kept: why what was typed last was refused, if it was.
_REFUSED: Slot[list[InputRefused]] = Slot("connect-refused")
#: What was typed stays until it is used, to be mended; a secret goes with each try.
_TYPED, _SECRETS = Anew("connect-typed"), Anew("connect-secrets")


def draw_form(offered: Connectable) -> None:
    """Protocol and security first, as they decide what is asked; then servers and secrets, which are sent at once."""
    anew: dict[str, Any] = {"on_change": _REFUSED.set, "args": ([],)}  # what was refused was asked by other fields
    via = st.segmented_control(
        "Connect via", [_BROKERS, _ZOOKEEPER], default=_BROKERS, key="connect-way", required=True, **anew
    )
    values: dict[str, object] = {}
    if via == _ZOOKEEPER:
        logins = [_NONE, _DIGEST, _SASL]
        login = st.segmented_control("Login", logins, default=_NONE, key="connect-login", required=True, **anew)
        tls = st.toggle("TLS", key="connect-zookeeper-tls")
        values["zookeeper_tls"] = tls
    else:
        protocol = st.selectbox("Security protocol", _PROTOCOLS, key="connect-protocol", **anew)
        values["security_protocol"] = protocol
        login, tls = _NONE, protocol in ("SSL", "SASL_SSL")
        if "SASL" in str(protocol):
            login = st.selectbox("Mechanism", [*_PASSWORD_MECHANISMS, _BEARER], key="connect-mechanism", **anew)
            values["sasl_mechanism"] = login
    with st.form("connect-form", border=False):
        if via == _ZOOKEEPER:
            left, right = st.columns([3, 2])
            values["zookeeper"] = left.text_input(
                "Servers", placeholder="zk1:2181,zk2:2181", key=_TYPED.key("connect-servers")
            )
            chroot = right.text_input("Chroot", placeholder="/kafka, or none", key=_TYPED.key("connect-chroot")).strip()
            if chroot:
                values["zookeeper"] = f"{values['zookeeper']}/{chroot.removeprefix('/')}"
        else:
            values["bootstrap"] = st.text_input(
                "Servers", placeholder="broker1:9092,broker2:9092", key=_TYPED.key("connect-servers")
            )
        values |= _asked(str(login), tls=tls)
        name = st.text_input("Display name", placeholder="the address", key=_TYPED.key("connect-name")).strip()
        if st.form_submit_button("Use and test", icon=":material/network_check:"):
            refusal = _take(values, name, offered)
            _REFUSED.set([] if refusal is None else [refusal])
            _SECRETS.begin()
            # A password that was typed into an address stays no longer than in its own field.
            if refusal is None or "@" in str(values.get("bootstrap", values.get("zookeeper", ""))):
                _TYPED.begin()
            st.rerun()
        # Kept until the next try: a card beside this form draws the page anew when its cluster's state changes.
        for refusal in _REFUSED.get(list[InputRefused]()):
            refused(refusal)
    st.caption(
        "A password typed here stays in this server's memory for your session and is never shown. Certificate files, "
        "Kerberos, and commands that print tokens belong in the configuration below."
    )


def _asked(login: str, *, tls: bool) -> dict[str, object]:
    """The fields that a login and TLS need, and what was typed into them."""
    values: dict[str, object] = {}

    def secret(label: str, key: str) -> str:
        return st.text_input(label, type="password", key=_SECRETS.key(f"connect-{key}"), autocomplete="off")

    if login in (_DIGEST, _SASL, *_PASSWORD_MECHANISMS):
        left, right = st.columns(2)
        with left:
            user = st.text_input("User", key=_TYPED.key("connect-user"), autocomplete="off")
        with right:
            password = secret("Password", "password")
        if login == _DIGEST:
            values["zookeeper_digest"] = f"{user}:{password}" if user and password else ""
        else:
            side = "zookeeper_sasl_" if login == _SASL else ""
            values |= {f"{side}username": user, f"{side}password": password}
    if login == _BEARER:
        values["token"] = secret("Token", "token")
    if tls:
        words = "The certificate must name the server"
        values["check_hostname"] = st.checkbox(words, value=True, key=_TYPED.key("connect-hostname"))
    return values


def _take(values: dict[str, object], name: str, offered: Connectable) -> InputRefused | None:
    """Open what was typed and begin to test it; why it cannot be, or None."""
    if not str(values.get("bootstrap", values.get("zookeeper", ""))).strip().partition("/")[0]:
        return InputRefused("Servers is empty: enter host:port of one or more servers, separated by commas.")
    empty = [label for key, label in _LABELS.items() if values.get(key) == ""]
    if empty:
        return InputRefused(f"{empty[0]} is empty.")
    try:
        connection = connection_from_values(values, name=name)
    except InputRefused as error:
        # Another one: this one's frames hold what was typed.
        key, _, why = error.sentence.partition(": ")
        return InputRefused(f"{_LABELS[key]}: {why}" if key in _LABELS else error.sentence)
    refusal = connections.refused_address(connection)
    if refusal is not None:
        return refusal
    live = LiveCluster(connection)
    if live.name in offered.named:
        return InputRefused(f"The configuration already has a cluster named {live.name}. Choose another name.")
    session.add_typed(live)
    connections.choose(live.name)
    live.test()
    return None
