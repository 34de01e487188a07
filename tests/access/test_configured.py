"""Access as the secrets and the environment say it, the server's token, typed addresses, and where a browser is."""

from __future__ import annotations

import pytest

from reseat.access import Access, Addresses, access_of, local_use, operate_token, same_origin, unsafe_together
from reseat.errors import InputRefused
from reseat.sources.configuration import secrets_in

HOST = {"Host": "127.0.0.1:8501"}


@pytest.mark.parametrize(
    ("secrets", "environment", "access"),
    [
        ({}, {}, Access()),
        ({"auth": {}}, {}, Access(sign_in=True)),
        ({"operate": {"allowed": "ada@example.org"}}, {}, Access(allowed=("ada@example.org",))),
        (
            {"auth": {}, "operate": {"allowed": ["a", "b"], "hours": 0.5}, "look": {"allowed": [], "hours": 24}},
            {"RESEAT_OPERATE_LOCAL": "1", "RESEAT_ADDRESSES": "off"},
            Access(True, ("a", "b"), (), 1800.0, 86400.0, local=True, addresses=Addresses(())),
        ),
        ({}, {"RESEAT_OPERATE_LOCAL": "yes"}, Access()),
        (
            {"approve": {"allowed": ["groups=leads"], "hours": 2}},
            {"RESEAT_APPROVAL": "kf0F_a-1, x9"},
            Access(approvers=("groups=leads",), approval=("kf0F_a-1", "x9"), approval_seconds=7200.0),
        ),
        ({}, {"RESEAT_APPROVAL": "all"}, Access(approval=("all",))),
    ],
)
def test_access_as_it_is_configured(secrets, environment, access):
    """Each key is taken as it is written; what is not there has its default."""
    assert access_of(secrets, environment) == access


@pytest.mark.parametrize(
    ("secrets", "word"),
    [
        ({"operate": 1}, "[operate] was expected"),
        ({"operate": {"allowed": {"a": 1}}}, "[operate] allowed"),
        ({"look": {"allowed": [1]}}, "[look] allowed"),
        ({"operate": {"hours": 0}}, "[operate] hours"),
        ({"operate": {"hours": True}}, "[operate] hours"),
        ({"look": {"hours": "9"}}, "[look] hours"),
        ({"look": {"hours": 1e9}}, "[look] hours"),
        ({"auth": {}, "look": {"allow": ["ada@example.org"]}}, "[look] allow in the secrets is not known; allowed or"),
        ({"operate": {"hour": 1}}, "[operate] hour in the secrets"),
        ({"approve": {"seconds": 1}}, "[approve] seconds in the secrets"),
        ({"look": {"allowed": ["ada@example.org"]}}, "[look] allowed in the secrets lists who may look, but [auth]"),
    ],
)
def test_a_key_that_is_not_as_expected_is_named(secrets, word):
    """A slip is refused and never means that somebody may."""
    with pytest.raises(InputRefused) as caught:
        access_of(secrets, {})

    assert word in str(caught.value)


@pytest.mark.parametrize("setting", ["all,kf0F", "the shop", "kafka1:9092"])
def test_a_cluster_that_is_no_id_is_refused(setting):
    """A name or an address where an id was expected would silently ask for no approval."""
    with pytest.raises(InputRefused, match="RESEAT_APPROVAL"):
        access_of({}, {"RESEAT_APPROVAL": setting})


def test_a_cluster_needs_approval_by_its_id():
    """Listed, or all are; a cluster that tells no id is not on a list."""
    listed, every = Access(approval=("a",)), Access(approval=("all",))

    assert [listed.needs_approval(cluster) for cluster in ("a", "b", None)] == [True, False, False]
    assert every.needs_approval("b")


def test_the_secrets_are_read_as_they_are_now(tmp_path):
    """An operator taken off the list is off it at once; a file that is no TOML is refused without quoting it."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text('[operate]\nallowed = ["ada@example.org"]\n[auth]\nx = 1\n')
    before = access_of(secrets_in([first, second]), {})
    second.write_text("[operate]\nallowed = []\n")

    assert before.allowed == ("ada@example.org",)
    assert access_of(secrets_in([first, second]), {}) == Access(sign_in=True)

    second.write_text("password = swordfish\n")
    with pytest.raises(InputRefused) as caught:
        secrets_in([first, second])

    assert "swordfish" not in str(caught.value)


def test_settings_that_let_others_speak_in_a_persons_name():
    """Both are named, with why; neither is no sentence."""
    assert unsafe_together(agent_api=False, trusted_headers=False) == ""
    assert "server.enableAgentApi" in unsafe_together(agent_api=True, trusted_headers=False)
    assert "server.trustedUserHeaders" in unsafe_together(agent_api=True, trusted_headers=True)


def test_the_token_is_new_each_time_and_shown_to_nobody():
    """256 random bits; its cookie proves it and does not tell it; a representation in a log holds neither."""
    one, two = operate_token({}), operate_token({})

    assert one.value != two.value
    assert len(one.value) >= 43
    assert one.matches(f" {one.value}\n")
    assert not one.matches(two.value)
    assert not one.matches("")
    assert one.matches_cookie(one.cookie)
    assert not one.matches_cookie(one.value)
    assert not one.matches_cookie(two.cookie)
    assert one.value not in one.cookie + repr(one)
    assert not one.given  # so that it is printed: nobody knew it else


def test_a_token_may_be_given_but_not_guessed():
    """Who starts a server that nobody watches chooses it; one of a few letters is refused."""
    given = operate_token({"RESEAT_OPERATE_TOKEN": "correct horse battery"})

    assert given.given
    assert given.matches("correct horse battery")
    assert operate_token({"RESEAT_OPERATE_TOKEN": "x" * 20}).given
    with pytest.raises(InputRefused, match="RESEAT_OPERATE_TOKEN has 19 characters"):
        operate_token({"RESEAT_OPERATE_TOKEN": "x" * 19})


@pytest.mark.parametrize(
    ("setting", "server", "fits"),
    [
        ("", "anything:1", True),
        ("any", "10.0.0.1:22", True),
        ("off", "kafka:9092", False),
        ("kafka1, kafka2:9092", "kafka1:1", True),
        ("kafka1, kafka2:9092", "KAFKA2:9092", True),
        ("kafka1, kafka2:9092", "kafka2:9093", False),
        ("kafka1", "kafka1.evil.example:9092", False),
        ("*.example.org:9092", "b1.example.org:9092", True),
        ("*.example.org", "example.org:9092", False),
        ("*.example.org", "badexample.org:9092", False),
        ("[::1]:9092", "[::1]:9092", True),
        ("[::1]", "[::1]:9092", True),
        ("[::1]:9092", "[::1]:22", False),
        ("10.0.0.1", "10.0.0.10:22", False),
    ],
)
def test_which_addresses_may_be_typed(setting, server, fits):
    """An entry is a host, a host with its port, or all names below a domain; compared as written."""
    addresses = Addresses.read(setting)

    assert (addresses.refused([server]) is None) is fits
    assert addresses.refused(["nowhere:1", server] if addresses.entries else []) in (None, "nowhere:1")


@pytest.mark.parametrize("setting", ["off,kafka1", "any,off", "kafka 1", "kafka*:1", "http://kafka1", "kafka1:port"])
def test_a_list_of_addresses_that_is_none_is_refused(setting):
    """A slip is no list that lets nothing, or everything, through."""
    with pytest.raises(InputRefused, match="RESEAT_ADDRESSES"):
        Addresses.read(setting)


@pytest.mark.parametrize(
    ("server", "client", "headers", "local"),
    [
        ("127.0.0.1", None, HOST, True),  # Streamlit says None where the client is this machine
        ("127.0.0.1", "127.0.0.1", HOST, True),
        ("localhost", "::1", {"host": "localhost:8501"}, True),
        ("::1", "::ffff:127.0.0.1", {"host": "[::1]:8501"}, True),
        ("127.0.0.1", None, {"host": "127.0.0.1"}, True),
        (None, None, HOST, False),  # every interface
        ("", None, HOST, False),
        ("0.0.0.0", None, HOST, False),
        ("127.0.0.1", "192.0.2.7", HOST, False),
        ("127.0.0.1", "not an address", HOST, False),
        ("127.0.0.1", None, {}, False),
        ("127.0.0.1", None, {"host": "evil.example:8501"}, False),  # a name rebound to 127.0.0.1
        ("127.0.0.1", None, {"host": "127.0.0.1.evil.example"}, False),
        ("127.0.0.1", None, HOST | {"X-Forwarded-For": "192.0.2.7"}, False),
        ("127.0.0.1", None, HOST | {"forwarded": "for=192.0.2.7"}, False),
    ],
)
def test_local_use_is_this_machine_on_both_ends(server, client, headers, local):
    """Server, client and the name asked for are loopback, and no proxy says that it stands between."""
    assert local_use(server, client, headers) is local


@pytest.mark.parametrize(
    ("origin", "same"),
    [
        ("http://127.0.0.1:8501", True),
        ("https://127.0.0.1:8501", True),
        ("http://127.0.0.1:9999", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_a_page_of_the_same_origin(origin, same):
    """Host and port of the page are those that it asks; another server on the machine is another origin."""
    assert same_origin(HOST | {"Origin": origin}) is same
    assert same_origin({"Origin": origin}) is False
