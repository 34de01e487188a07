"""What the Replication page shows: events, rules, what stands beside them, and how far one looked; and its link.

Pure: no Streamlit in here. A story (the events of a scenario) is text, an event a line, as ``replication.events``
reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from reseat.errors import ScenarioInvalid
from reseat.model.naming import LARGEST_ID
from reseat.replication import FOUND, SCENARIOS, Event, Partition, Rules, Scenario, Step, Truncation, apply, start
from reseat.replication.events import read, written

__all__ = [
    "ALL_SCENARIOS",
    "BESIDE",
    "MOST_EVENTS",
    "MOST_REPLICAS",
    "Beside",
    "Lane",
    "ParsedEvents",
    "ReplicationRequest",
    "branched",
    "brokers_in",
    "compared",
    "from_query",
    "lane_of",
    "looked_at",
    "of_scenario",
    "other_rules",
    "parse_events",
    "rules_text",
    "to_query",
]

#: What can stand beside a story, as links say it; nothing by itself.
Beside = Literal["", "truncation", "elr", "unclean"]
#: What can stand beside a story: the same events with one rule the other way.
BESIDE: tuple[Beside, ...] = get_args(Beside)
#: The stories to choose from.
ALL_SCENARIOS: tuple[Scenario, ...] = (*SCENARIOS, *FOUND)
#: Events of one story: more than this nobody steps through, and every state is sent to the browser.
MOST_EVENTS = 200
#: Replicas that are drawn under each other.
MOST_REPLICAS = 5
_LONGEST_TEXT = 8_000
_LONGEST_LAG = 999_999_999


@dataclass(frozen=True, slots=True)
class ReplicationRequest:
    """What one looks at.

    Attributes:
        scenario: the slug of the scenario that this began as.
        brokers: broker ids in assignment order.
        leader: who leads at first.
        rules: how the partition behaves.
        text: the events, one a line.
        beside: what stands beside it.
        step: how many events one has seen.
    """

    scenario: str
    brokers: tuple[int, ...]
    leader: int
    rules: Rules
    text: str
    beside: Beside = ""
    step: int = 0

    @property
    def base(self) -> Scenario:
        """The scenario that this began as."""
        return _named(self.scenario) or ALL_SCENARIOS[0]

    @property
    def is_scenarios(self) -> bool:
        """Whether story and rules are the scenario's own."""
        return replace(of_scenario(self.base), beside=self.beside, step=self.step) == self


@dataclass(frozen=True, slots=True)
class ParsedEvents:
    """A text as events.

    Attributes:
        events: those that were understood, up to the first that was not.
        lines: the line of the text on which each stands, from 1.
        error: what was not understood and where, or None.
    """

    events: tuple[Event, ...]
    lines: tuple[int, ...]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A story under some rules.

    Attributes:
        rules: the rules.
        first: the state before the story.
        steps: what came of each event, up to the first that cannot happen.
        error: which event cannot happen and why, or None.
    """

    rules: Rules
    first: Partition
    steps: tuple[Step, ...]
    error: str | None = None

    def at(self, step: int) -> Partition:
        """The state after so many events, or after the last that happened."""
        return self.steps[min(step, len(self.steps)) - 1].after if step > 0 and self.steps else self.first


def _named(name: str) -> Scenario | None:
    return next((scenario for scenario in ALL_SCENARIOS if scenario.name == name), None)


def of_scenario(scenario: Scenario) -> ReplicationRequest:
    """A scenario as it is told."""
    text = "\n".join(written(event) for event in scenario.story)
    return ReplicationRequest(scenario.name, scenario.brokers, scenario.leader, scenario.rules, text)


def parse_events(text: str) -> ParsedEvents:
    """The events of a text; empty lines are passed over, and reading ends at the first line that is no event."""
    events: list[Event] = []
    lines: list[int] = []
    unread = None
    for number, line in enumerate(text[:_LONGEST_TEXT].splitlines(), 1):
        if not line.strip():
            continue
        if len(events) == MOST_EVENTS:
            unread = f"Line {number}: a story has at most {MOST_EVENTS} events here; the rest is left out."
            break
        try:
            events.append(read(line))
        except ScenarioInvalid as error:
            unread = f"Line {number}: {error}"
            break
        lines.append(number)
    if unread is None and len(text) > _LONGEST_TEXT:
        unread = f"The story has more than {_LONGEST_TEXT:,} characters; the rest is left out."
    return ParsedEvents(tuple(events), tuple(lines), unread)


def lane_of(request: ReplicationRequest, story: ParsedEvents, rules: Rules | None = None) -> Lane:
    """The story played under the request's rules, or others, as far as it can happen.

    Raises:
        ScenarioInvalid: the brokers or the first leader are none.
    """
    rules = rules or request.rules
    now = first = start(request.brokers, rules=rules, leader=request.leader)
    steps: list[Step] = []
    for number, event in enumerate(story.events):
        try:
            steps.append(apply(now, event))
        except ScenarioInvalid as error:
            place = f"Line {story.lines[number]}, {written(event)}"
            return Lane(rules, first, tuple(steps), f"{place}, cannot happen: {error}")
        now = steps[-1].after
    return Lane(rules, first, tuple(steps))


def other_rules(rules: Rules, beside: Beside) -> Rules:
    """The rules with one of them the other way."""
    if beside == "truncation":
        by_hw = rules.truncation is Truncation.HIGH_WATERMARK
        return replace(rules, truncation=Truncation.LEADER_EPOCH if by_hw else Truncation.HIGH_WATERMARK)
    if beside == "elr":
        return replace(rules, elr=not rules.elr)
    return replace(rules, unclean=not rules.unclean)


def compared(request: ReplicationRequest, story: ParsedEvents) -> list[Lane]:
    """The story, and beside it the same story with one rule the other way, if that is asked for.

    Raises:
        ScenarioInvalid: the brokers or the first leader are none.
    """
    lanes = [lane_of(request, story)]
    if request.beside:
        lanes.append(lane_of(request, story, other_rules(request.rules, request.beside)))
    return lanes


def looked_at(request: ReplicationRequest, step: int) -> ReplicationRequest:
    """The same request, at another step."""
    return replace(request, step=step)


def brokers_in(text: str) -> tuple[int, ...]:
    """Broker ids of a text such as ``1,2,3``.

    Raises:
        ScenarioInvalid: what was found instead.
    """
    try:
        brokers = tuple(_whole(word.strip(), "a broker", LARGEST_ID) for word in text.split(","))
    except ValueError as error:
        raise ScenarioInvalid(f"Replicas are broker ids with commas, such as 1,2,3: {error}.") from error
    if len(brokers) > MOST_REPLICAS:
        raise ScenarioInvalid(f"{len(brokers)} replicas; this page draws at most {MOST_REPLICAS}.")
    return brokers


def branched(request: ReplicationRequest, story: ParsedEvents, event: Event) -> ReplicationRequest:
    """The story up to the step one looks at, and this event instead of what followed."""
    kept = [written(one) for one in story.events[: request.step]]
    return replace(request, text="\n".join([*kept, written(event)]), step=len(kept) + 1)


def rules_text(rules: Rules) -> str:
    """Rules as a short text for a link: ``hw,min:2,unclean,elr,lag:10000``."""
    words = [
        "hw" if rules.truncation is Truncation.HIGH_WATERMARK else "epoch",
        f"min:{rules.min_in_sync}",
        *(["unclean"] if rules.unclean else []),
        *(["elr"] if rules.elr else []),
        f"lag:{rules.lag_max_ms}",
    ]
    return ",".join(words)


def to_query(request: ReplicationRequest) -> dict[str, str]:
    """The request as query parameters; a scenario as it is told is named, and nothing else."""
    query = {"scenario": request.scenario, "step": str(request.step) if request.step else ""}
    if not request.is_scenarios:
        query |= {
            "brokers": ",".join(map(str, request.brokers)),
            "lead": str(request.leader),
            "rules": rules_text(request.rules),
            "story": request.text,
        }
    query["beside"] = request.beside
    return {name: value for name, value in query.items() if value or name == "story"}


def from_query(query: Mapping[str, str]) -> tuple[ReplicationRequest | None, str | None]:
    """The request of a link, or None where there is none; and what in it was not understood, or None."""
    if "scenario" not in query and "story" not in query:
        return None, None
    scenario = _named(query.get("scenario", ""))
    if scenario is None and "story" not in query:
        return None, f"The link was not understood: there is no scenario '{query['scenario'][:30]}'."
    request = of_scenario(scenario or ALL_SCENARIOS[0])
    try:
        beside = query.get("beside", "")
        if beside not in BESIDE:
            raise ValueError(f"'{beside[:20]}' is not something to compare a story with")
        step = _whole(query.get("step") or "0", "step", MOST_EVENTS)
        request = replace(request, beside=beside, step=step)
        if "brokers" in query or "lead" in query:
            brokers = brokers_in(query["brokers"]) if "brokers" in query else request.brokers
            leader = _whole(query.get("lead") or str(brokers[0]), "a broker", LARGEST_ID)
            start(brokers, leader=leader)
            request = replace(request, brokers=brokers, leader=leader)
        rules = _rules(query["rules"], request.rules) if "rules" in query else request.rules
        request = replace(request, rules=rules, text=query.get("story", request.text))
    except (ValueError, ScenarioInvalid) as error:
        return None, f"The link was not understood: {str(error).rstrip('.')}."
    return request, None


def _rules(text: str, base: Rules) -> Rules:
    """The rules of a text; what it does not name is as in the base, and what it does not switch on is off."""
    rules = replace(base, unclean=False, elr=False)
    for word in filter(None, text.split(",")):
        name, _, value = word.partition(":")
        match name:
            case "hw" | "epoch":
                way = Truncation.HIGH_WATERMARK if name == "hw" else Truncation.LEADER_EPOCH
                rules = replace(rules, truncation=way)
            case "min":
                rules = replace(rules, min_in_sync=max(1, _whole(value, "min.insync.replicas", MOST_REPLICAS)))
            case "unclean":
                rules = replace(rules, unclean=True)
            case "elr":
                rules = replace(rules, elr=True)
            case "lag":
                rules = replace(rules, lag_max_ms=_whole(value, "replica.lag.time.max.ms", _LONGEST_LAG))
            case _:
                raise ValueError(f"'{word[:20]}' is not a rule")
    return rules


def _whole(text: str, what: str, most: int) -> int:
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or int(text) > most:
        raise ValueError(f"'{text[:20]}' is not a number for {what}; 0 to {most:,} was expected")
    return int(text)
