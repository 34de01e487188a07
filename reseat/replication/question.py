"""What the Replication page is asked: a story, the rules, what stands beside it and how far one looked; and its link.

Pure: no Streamlit in here. A story is text, an event a line, as ``reseat.replication.events`` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from reseat.errors import StoryInvalid
from reseat.replication import FOUND, SCENARIOS, Event, Partition, Rules, Scenario, Step, Truncation, apply, start
from reseat.replication.events import read, written

__all__ = [
    "BESIDE",
    "MOST_EVENTS",
    "MOST_REPLICAS",
    "STORIES",
    "Beside",
    "Lane",
    "Question",
    "Story",
    "branched",
    "brokers_in",
    "compared",
    "from_query",
    "lane_of",
    "looked_at",
    "of_scenario",
    "other_rules",
    "rules_text",
    "story_in",
    "to_query",
]

Beside = Literal["", "truncation", "elr", "unclean"]
#: What can stand beside a story: the same events with one rule the other way.
BESIDE: tuple[Beside, ...] = get_args(Beside)
#: The stories to choose from.
STORIES: tuple[Scenario, ...] = (*SCENARIOS, *FOUND)
#: Events of one story: more than this nobody steps through, and every state is sent to the browser.
MOST_EVENTS = 200
#: Replicas that are drawn under each other.
MOST_REPLICAS = 5
_LONGEST_TEXT = 8_000
_LARGEST_ID = 2**31 - 1
_LONGEST_LAG = 999_999_999


@dataclass(frozen=True, slots=True)
class Question:
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
        return _named(self.scenario) or STORIES[0]

    @property
    def is_scenarios(self) -> bool:
        """Whether story and rules are the scenario's own."""
        return replace(of_scenario(self.base), beside=self.beside, step=self.step) == self


@dataclass(frozen=True, slots=True)
class Story:
    """A text as events.

    Attributes:
        events: those that were understood, up to the first that was not.
        lines: the line of the text on which each stands, from 1.
        trouble: what was not understood and where, or None.
    """

    events: tuple[Event, ...]
    lines: tuple[int, ...]
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A story under some rules.

    Attributes:
        rules: the rules.
        first: the state before the story.
        steps: what came of each event, up to the first that cannot happen.
        trouble: which event cannot happen and why, or None.
    """

    rules: Rules
    first: Partition
    steps: tuple[Step, ...]
    trouble: str | None = None

    def at(self, step: int) -> Partition:
        """The state after so many events, or after the last that happened."""
        return self.steps[min(step, len(self.steps)) - 1].after if step > 0 and self.steps else self.first


def _named(name: str) -> Scenario | None:
    return next((scenario for scenario in STORIES if scenario.name == name), None)


def of_scenario(scenario: Scenario) -> Question:
    """A scenario as it is told."""
    text = "\n".join(written(event) for event in scenario.story)
    return Question(scenario.name, scenario.brokers, scenario.leader, scenario.rules, text)


def story_in(text: str) -> Story:
    """The events of a text; empty lines are passed over, and reading ends at the first line that is no event."""
    events: list[Event] = []
    lines: list[int] = []
    trouble = None
    for number, line in enumerate(text[:_LONGEST_TEXT].splitlines(), 1):
        if not line.strip():
            continue
        if len(events) == MOST_EVENTS:
            trouble = f"Line {number}: a story has at most {MOST_EVENTS} events here; the rest is left out."
            break
        try:
            events.append(read(line))
        except StoryInvalid as error:
            trouble = f"Line {number}: {error}"
            break
        lines.append(number)
    if trouble is None and len(text) > _LONGEST_TEXT:
        trouble = f"The story has more than {_LONGEST_TEXT:,} characters; the rest is left out."
    return Story(tuple(events), tuple(lines), trouble)


def lane_of(question: Question, story: Story, rules: Rules | None = None) -> Lane:
    """The story played under the question's rules, or others, as far as it can happen.

    Raises:
        StoryInvalid: the brokers or the first leader are none.
    """
    rules = rules or question.rules
    now = first = start(question.brokers, rules=rules, leader=question.leader)
    steps: list[Step] = []
    for number, event in enumerate(story.events):
        try:
            steps.append(apply(now, event))
        except StoryInvalid as error:
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


def compared(question: Question, story: Story) -> list[Lane]:
    """The story, and beside it the same story with one rule the other way, if that is asked for.

    Raises:
        StoryInvalid: the brokers or the first leader are none.
    """
    lanes = [lane_of(question, story)]
    if question.beside:
        lanes.append(lane_of(question, story, other_rules(question.rules, question.beside)))
    return lanes


def looked_at(question: Question, step: int) -> Question:
    """The same question, at another step."""
    return replace(question, step=step)


def brokers_in(text: str) -> tuple[int, ...]:
    """Broker ids of a text such as ``1,2,3``.

    Raises:
        StoryInvalid: what was found instead.
    """
    try:
        brokers = tuple(_whole(word.strip(), "a broker", _LARGEST_ID) for word in text.split(","))
    except ValueError as error:
        raise StoryInvalid(f"Replicas are broker ids with commas, such as 1,2,3: {error}.") from error
    if len(brokers) > MOST_REPLICAS:
        raise StoryInvalid(f"{len(brokers)} replicas; this page draws at most {MOST_REPLICAS}.")
    return brokers


def branched(question: Question, story: Story, event: Event) -> Question:
    """The story up to the step one looks at, and this event instead of what followed."""
    kept = [written(one) for one in story.events[: question.step]]
    return replace(question, text="\n".join([*kept, written(event)]), step=len(kept) + 1)


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


def to_query(question: Question) -> dict[str, str]:
    """A question as query parameters; a scenario as it is told is named, and nothing else."""
    query = {"scenario": question.scenario, "step": str(question.step) if question.step else ""}
    if not question.is_scenarios:
        query |= {
            "brokers": ",".join(map(str, question.brokers)),
            "lead": str(question.leader),
            "rules": rules_text(question.rules),
            "story": question.text,
        }
    query["beside"] = question.beside
    return {name: value for name, value in query.items() if value or name == "story"}


def from_query(query: Mapping[str, str]) -> tuple[Question | None, str | None]:
    """The question of a link, or None where there is none; and what in it was not understood, or None."""
    if "scenario" not in query and "story" not in query:
        return None, None
    scenario = _named(query.get("scenario", ""))
    if scenario is None and "story" not in query:
        return None, f"The link was not understood: there is no scenario '{query['scenario'][:30]}'."
    question = of_scenario(scenario or STORIES[0])
    try:
        beside = query.get("beside", "")
        if beside not in BESIDE:
            raise ValueError(f"'{beside[:20]}' is not something to compare a story with")
        step = _whole(query.get("step") or "0", "step", MOST_EVENTS)
        question = replace(question, beside=beside, step=step)
        if "brokers" in query or "lead" in query:
            brokers = brokers_in(query["brokers"]) if "brokers" in query else question.brokers
            leader = _whole(query.get("lead") or str(brokers[0]), "a broker", _LARGEST_ID)
            start(brokers, leader=leader)
            question = replace(question, brokers=brokers, leader=leader)
        rules = _rules(query["rules"], question.rules) if "rules" in query else question.rules
        question = replace(question, rules=rules, text=query.get("story", question.text))
    except (ValueError, StoryInvalid) as error:
        return None, f"The link was not understood: {str(error).rstrip('.')}."
    return question, None


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
