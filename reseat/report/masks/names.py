"""Names replaced by pseudonyms everywhere in a report: topics, hosts, racks, directories, topic ids and the cluster.

Promises, in this order: no name of the layout, its gaps, its history or its source is in what comes out, in no sentence
either; the same name has the same pseudonym wherever the same key is used, so that two reports can be compared; without
the key nobody can tell whether a pseudonym is a name that he guesses; the plan is the one made for the real names
(where plans are equally good, names decide), only called otherwise.

Needs: a key of random bytes, kept by who masks.

How: a pseudonym is the kind and the first characters of HMAC-SHA-256 of kind and name. Layouts keep topics sorted, so
that rows are put in the new order, in both layouts of the plan alike. Findings and cautions are made anew from the
masked layouts. Sentences that cannot be made anew have their names replaced; a sentence in which a name may still hide
is left out, and that is said. Broker ids, partitions, counts and times stay.

Example: ``orders-0`` on ``kafka-1.example.com`` becomes ``topic-5gk2m7dqpa-0`` on ``host-q3xw5ahc2e``.

Complexity: O(P log P) for P partitions, one HMAC a name.

Source: RFC 2104 (HMAC).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, ClusterLayout, Finding, Gaps, IntArray, Longs, Plan, ShortTopic, Wish
from reseat.model.columns import COLUMNS
from reseat.model.naming import is_internal, named_by
from reseat.model.wording import visible
from reseat.planning.cautions import with_cautions
from reseat.planning.plan import plan as plan_wish
from reseat.report.matter import Matter

__all__ = ["KEY_BYTES", "PSEUDONYM", "Masker", "masked", "unmasked"]

#: Bytes of a key: as long as the digest of SHA-256.
KEY_BYTES = 32
#: Characters of a pseudonym's digest: 50 bits, so that a million names meet with a chance of 1 in 2,000; then both get
#: longer ones.
_LETTERS = 10
#: What names consist of in a sentence: characters of topics' names.
_WORD = re.compile(r"[\w.:/\-]+")
PSEUDONYM = re.compile(r"(?:__)?(?:topic|host|rack|cluster|directory)-[a-z2-7]{10,52}")
#: Words of the sentences themselves: a topic may be called so, and a sentence that holds the word does not name it.
_OWN = frozenset({
    "a", "all", "and", "are", "as", "be", "best", "broker", "brokers", "by", "can", "cannot", "change", "changes",
    "copied", "data", "does", "down", "each", "election", "fewer", "for", "from", "has", "in", "input", "is",
    "it", "leader", "leaders", "least", "less", "list", "lists", "move", "moves", "no", "none", "not", "of",
    "offline", "on", "one", "out", "partition", "partitions", "plan", "preferred", "proven", "rack", "racks",
    "replica", "replicas", "size", "sizes", "so", "spread", "stay", "stays", "than", "that", "the", "their",
    "then", "there", "these", "this", "to", "topic", "topics", "unknown", "up", "which", "with", "would",
})  # fmt: skip
_HIDDEN = "A sentence is left out here: it may name what is masked."


@dataclass(eq=False)
class Masker:
    """Gives pseudonyms, and knows which it gave.

    Attributes:
        key: ``KEY_BYTES`` random bytes.
        given: pseudonym -> (kind, name), of all that were given.
    """

    key: bytes
    given: dict[str, tuple[str, str]] = field(default_factory=dict)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def topic(self, name: str) -> str:
        """A topic's pseudonym; that of an internal one begins as internal topics do."""
        return self._of("topic", name, "__" if is_internal(name) else "")

    def host(self, name: str) -> str:
        """A host's pseudonym."""
        return self._of("host", name)

    def rack(self, name: str) -> str:
        """A rack's pseudonym."""
        return self._of("rack", name)

    def cluster(self, name: str) -> str:
        """A cluster's pseudonym, also of a file that is called after it."""
        return self._of("cluster", name)

    def directory(self, path: str) -> str:
        """A log directory's pseudonym."""
        return self._of("directory", path)

    def topic_id(self, told: str) -> str:
        """Another id of a topic, of the same form; nothing where none is told."""
        if not told:
            return ""
        digest = self._digest("topic id", told)
        return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")

    def names(self) -> list[tuple[str, str, str]]:
        """(pseudonym, kind, name), sorted: what translates back."""
        return sorted((pseudonym, kind, name) for pseudonym, (kind, name) in self.given.items())

    def _of(self, kind: str, name: str, before: str = "") -> str:
        found = self._known.get((kind, name))
        if found is not None:
            return found
        letters = base64.b32encode(self._digest(kind, name)).decode().rstrip("=").lower()
        length = _LETTERS
        while (made := f"{before}{kind}-{letters[:length]}") in self.given:
            length += 1
        self.given[made] = (kind, name)
        self._known[kind, name] = made
        return made

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.new(self.key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()

    def sentence(self, text: str) -> str:
        """A sentence with every name that has a pseudonym replaced; ``_HIDDEN`` where one may still hide in it."""
        said = text
        byname = {name: pseudonym for pseudonym, (_, name) in self.given.items() if name}
        # Racks, hosts and directories may hold any character: long ones before those that they contain.
        odd = sorted((name for name in byname if not _WORD.fullmatch(name)), key=len, reverse=True)
        for name in odd:
            for written in {name, visible(name), visible(name, 80), visible(name, 60), visible(name, 40)}:
                said = said.replace(written, byname[name])
        said = _WORD.sub(lambda found: _word(found.group(), byname), said)
        rest = PSEUDONYM.sub(" ", said)
        words = {part for word in _WORD.findall(rest) for part in (word, word.rstrip(".:,"))}
        hides = any(name in rest for name in odd) or not words.isdisjoint(byname.keys() - _OWN)
        return _HIDDEN if hides else said


def _word(word: str, byname: dict[str, str]) -> str:
    """One word of a sentence; a name may have a partition behind it, and a full stop."""
    for end in ("", ".", ":", ","):
        bare = word.removesuffix(end) if end else word
        if bare in byname and bare not in _OWN:
            return byname[bare] + word[len(bare) :]
        topic, dash, partition = bare.rpartition("-")
        if dash and partition.isdecimal() and topic in byname:
            return f"{byname[topic]}-{partition}{word[len(bare) :]}"
    return word


def unmasked(text: str, names: Iterable[tuple[str, str, str]]) -> str:
    """A text of a masked report with the names back in it.

    Args:
        text: any text with pseudonyms.
        names: (pseudonym, kind, name), as ``Masker.names`` has them.
    """
    back = {pseudonym: name for pseudonym, _, name in names}
    return PSEUDONYM.sub(lambda found: back.get(found.group(), found.group()), text)


def masked(matter: Matter, masker: Masker) -> Matter:
    """The same matter with pseudonyms instead of names.

    Args:
        matter: what a report is made of, its plan made on the real names.
        masker: gives the pseudonyms.
    """
    layout = _Relabelling.of(matter.layout, masker).layout(matter.layout)
    wish = _wish(matter.wish, matter.layout, masker)
    _learn(matter, masker)
    plan = None if matter.plan is None else _plan(matter.plan, matter.layout, masker)
    curve = matter.curve
    return replace(
        matter,
        layout=layout,
        source="masked layout",
        cluster=masker.cluster(matter.cluster) if matter.cluster else None,
        reading=tuple(_finding(one) for one in matter.reading),
        wish=wish,
        plan=plan,
        refusal=None if matter.refusal is None else _refusal(layout, wish, matter.refusal, masker),
        curve=None if curve is None else replace(curve, sentences=tuple(map(masker.sentence, curve.sentences))),
        generate=tuple(
            replace(one, topics=tuple(sorted(masker.topic(name) for name in one.topics))) for one in matter.generate
        ),
        tiering=replace(
            matter.tiering,
            topics=tuple(sorted(map(masker.topic, matter.tiering.topics))),
            records=tuple((masker.topic(one[0]), *one[1:]) for one in matter.tiering.records),
        ),
        past=None
        if matter.past is None
        else replace(
            matter.past,
            events=tuple((when, masker.sentence(words)) for when, words in matter.past.events),
            racks=tuple(sorted(masker.rack(rack) for rack in matter.past.racks)),
        ),
    )


def _learn(matter: Matter, masker: Masker) -> None:
    """Names that no column holds, so that they are known where a sentence names them."""
    for name in filter(None, (matter.cluster, matter.source)):
        masker.cluster(name)
    for rack in () if matter.past is None else matter.past.racks:
        masker.rack(rack)


def _plan(plan: Plan, layout: ClusterLayout, masker: Masker) -> Plan:
    relabelling = _Relabelling.of(plan.current, masker)
    certificate = replace(
        plan.certificate,
        wish=_wish(plan.wish, layout, masker),
        faults=tuple(masker.sentence(fault) for fault in plan.certificate.faults),
        sentences=tuple(masker.sentence(one) for one in plan.certificate.sentences),
        gaps=_gaps(plan.certificate.gaps, masker),
    )
    made = Plan(
        current=relabelling.layout(plan.current),
        proposed=relabelling.layout(plan.proposed),
        certificate=certificate,
        findings=tuple(
            replace(
                one,
                sentence=masker.sentence(one.sentence),
                rows=relabelling.rows_of(one.rows),
                topics=tuple(sorted(masker.topic(name) for name in one.topics)),
                places=(),
            )
            for one in plan.findings
        ),
    )
    return with_cautions(made, relabelling.layout(layout))


def _wish(wish: Wish, layout: ClusterLayout, masker: Masker) -> Wish:
    # A pattern says of names what they begin with: the topics that it pins stand for it, or else a name for all of it.
    pins: set[tuple[str, int | None]] = set()
    for pattern, partition in wish.options.pin:
        named = named_by(layout.topics, (pattern,))
        fits = [name for name in named if partition is None or layout.row(name, partition) is not None]
        pins |= {(masker.topic(name), partition) for name in fits or (pattern,)}
    return replace(
        wish,
        options=replace(wish.options, pin=tuple(sorted(pins, key=repr))),
        add=tuple((broker, None if rack is None else masker.rack(rack)) for broker, rack in wish.add),
        topics=tuple(sorted(masker.topic(name) for name in wish.topics)),
    )


def _finding(finding: Finding) -> Finding:
    """A finding of reading: its words quote the text that was read, so only its kind is told."""
    kind = finding.kind.replace("_", " ")
    return Finding(
        finding.kind,
        finding.severity,
        f"While reading the input: {kind}. What was found names things, and is left out of a masked report.",
        brokers=finding.brokers,
    )


def _refusal(layout: ClusterLayout, wish: Wish, refusal: str, masker: Masker) -> str:
    """Why the masked wish is refused for the masked layout; the real reason, names replaced, where it is not."""
    try:
        plan_wish(layout, wish)
    except WishRefused as error:
        return str(error)
    return masker.sentence(refusal)


def _gaps(gaps: Gaps, masker: Masker) -> Gaps:
    return replace(
        gaps,
        short=tuple(
            sorted(
                (ShortTopic(masker.topic(one.topic), one.partitions, one.missing, one.first) for one in gaps.short),
                key=lambda one: one.topic,
            )
        ),
        missing_topics=tuple(sorted(masker.topic(name) for name in gaps.missing_topics)),
    )


@dataclass(frozen=True, eq=False)
class _Relabelling:
    """How the topics and rows of a layout stand once its topics have other names.

    Attributes:
        masker: gives the pseudonyms.
        topics: pseudonyms of the topics, sorted.
        order: (T,) the old place of each topic.
        code: (P,) int32 the new ``topic_of``.
        rows: (P,) the old row of each row.
    """

    masker: Masker
    topics: tuple[str, ...]
    order: list[int]
    code: IntArray
    rows: Longs

    @classmethod
    def of(cls, layout: ClusterLayout, masker: Masker) -> _Relabelling:
        names = [masker.topic(name) for name in layout.topics]
        order = sorted(range(len(names)), key=names.__getitem__)
        rank = np.empty(len(names), np.int32)
        rank[order] = np.arange(len(names), dtype=np.int32)
        code = rank[layout.topic_of] if names else layout.topic_of
        rows = np.argsort(code, kind="stable")  # partitions ascend within a topic, and stay so
        return cls(masker, tuple(names[place] for place in order), order, code[rows], rows)

    def rows_of(self, rows: Longs) -> Longs:
        """The new rows of old ones, ascending."""
        back = np.empty(len(self.rows), np.int64)
        back[self.rows] = np.arange(len(self.rows))
        return np.sort(back[rows])

    def layout(self, layout: ClusterLayout) -> ClusterLayout:
        """The layout under pseudonyms; it has the partitions, row by row, of the one that this was made for."""
        masker = self.masker
        taken: dict[str, object] = {
            name: column[self.rows if COLUMNS[name].by_row else self.order] for name, column in layout.columns().items()
        }
        taken["topic_of"] = self.code
        if layout.topic_ids is not None:
            taken["topic_ids"] = tuple(masker.topic_id(layout.topic_ids[place]) for place in self.order)
        paths = [masker.directory(path) for path in layout.log_dirs]
        if layout.log_dir is not None:
            place = {path: number for number, path in enumerate(sorted(paths))}
            table = np.array([*(place[path] for path in paths), NONE], np.int32)
            taken["log_dir"] = table[layout.log_dir[self.rows]]
        return replace(
            layout,
            brokers=tuple(
                replace(
                    broker,
                    rack=None if broker.rack is None else masker.rack(broker.rack),
                    host=None if broker.host is None else masker.host(broker.host),
                    offline_dirs=tuple(masker.directory(path) for path in broker.offline_dirs),
                )
                for broker in layout.brokers
            ),
            topics=self.topics,
            log_dirs=tuple(sorted(paths)),
            gaps=_gaps(layout.gaps, masker),
            **taken,  # type: ignore[arg-type]
        )
