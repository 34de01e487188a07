"""How it will be done: the steps with their commands, the batches, where one may pause, and the way back."""

from __future__ import annotations

import numpy as np

from reseat.formats.text.commands import ASSUMED, Command, Part, commands
from reseat.model import NONE, Longs, Plan
from reseat.model.naming import version_of
from reseat.model.units import count, size
from reseat.model.wording import counted, ids, verb
from reseat.report.content import Chapter, ChapterKind, Column, Fact, Light, Lines, Series, Table
from reseat.report.copying import Copying, rollback
from reseat.report.matter import Matter, ReportChoices
from reseat.report.sentences import copying_takes, data_to_copy
from reseat.schedule.batches import DEFAULT_CONCURRENT_MOVES, Preview

__all__ = ["chapter"]


_PARTS: dict[Part, str] = {"steps": "Steps", "meanwhile": "While it runs", "rollback": "Rollback"}


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None without a plan."""
    plan = matter.plan
    if plan is None:
        return None
    if plan.certificate.faults:
        return Chapter(
            kind=ChapterKind.STEPS,
            name="How it will be done",
            heading="This plan must not be executed: it has a fault.",
            text=plan.certificate.faults,
        )
    if not plan.changed.any():
        return Chapter(
            kind=ChapterKind.STEPS,
            name="How it will be done",
            heading="There is nothing to execute: no replica list changes.",
        )
    copying = matter.copying
    if copying is None:
        return None
    preview = copying.batches
    copies = np.bincount(preview.batch, copying.work.copies, len(preview)).astype(np.int64)
    tables = [_batches(preview, copies, choices)]
    if choices.audience == "operators":
        tables.insert(0, _commands(matter, choices))
    return Chapter(
        kind=ChapterKind.STEPS,
        name="How it will be done",
        heading=_heading(plan, preview),
        text=(*_steps(matter, plan, choices), *_pauses(preview), *_way_back(plan, choices)),
        facts=_facts(plan, copying, preview, copies, choices),
        figures=(_done(preview, copies),) if copies.any() else (),
        tables=tuple(tables),
        notes=(
            f"A batch is what runs at one time: at most {DEFAULT_CONCURRENT_MOVES} moves per broker.",
            "Stopping after a batch loses nothing: what is done stays, the rest is unchanged.",
        ),
    )


def _heading(plan: Plan, preview: Preview) -> str:
    brokers = plan.wish.remove
    end = f"; then {verb(len(brokers), 'broker', 'brokers')} {ids(brokers)} can be switched off" if brokers else ""
    held = plan.proposed.replicas_by_broker[plan.proposed.is_broker(brokers)].sum()
    if held:
        stay = counted(int(held), "replica stays", "replicas stay")
        end = f"; {stay} on {ids(brokers)}, which cannot be switched off yet"
    how = "one batch" if len(preview) == 1 else f"{count(len(preview))} batches that can be paused between"
    return f"Reseat does it in {how}, while the cluster keeps serving{end}."


def _steps(matter: Matter, plan: Plan, choices: ReportChoices) -> tuple[str, ...]:
    said = [
        "First the plan and its rollback are saved as files, and the cluster is compared with this report again: if it "
        "has changed, a new plan is made.",
        "Then each batch is sent; the new replicas catch up while the old ones keep serving, and an old replica is "
        "removed only once the new one is in sync.",
        "At the end the throttle is removed, preferred leaders are elected, and the result is compared with the plan.",
    ]
    if choices.audience == "operators":
        told = version_of(matter.version)
        said.append(
            f"The commands are those of Kafka {matter.version}."
            if told
            else f"Kafka's version is unknown: the commands are those of {ASSUMED} and later."
        )
        said.append(
            "The command starts the whole plan at once. To go batch by batch, use reseat operate: it runs the batches "
            "of this chapter, waits for each, and checks the cluster before every one."
        )
        if plan.wish.remove:
            said.append("Switch a drained broker off only after --verify is clean and it holds no replica.")
    return tuple(said)


def _pauses(preview: Preview) -> tuple[str, ...]:
    if len(preview) == 1:
        return ("All of it fits into one batch: it can be cancelled, but not paused between batches.",)
    where = (
        "After the first batch" if len(preview) == 2 else f"After each of the first {count(len(preview) - 1)} batches"
    )
    return (
        f"{where} nothing is in progress: pause, check, continue or roll back. Small partitions go first, so that "
        "problems show early.",
    )


def _way_back(plan: Plan, choices: ReportChoices) -> tuple[str, ...]:
    back = rollback(plan).moves
    copied = int(np.count_nonzero(back.target != NONE))
    needs = (
        f"To roll back, {counted(copied, 'replica')} {verb(copied, 'is', 'are')} copied again"
        if copied
        else "To roll back, nothing is copied"
    )
    if copied and back.amount != "unknown":
        needs += f", {back.amount}"
    said = [f"{needs}: the rollback file has every changed partition's replica list from before the plan."]
    targets = np.unique(back.target[back.target != NONE])
    gone = [broker for broker in targets.tolist() if broker in plan.wish.remove]
    if gone:
        one = len(gone) == 1
        said.append(
            f"That needs {'broker' if one else 'brokers'} {ids(gone)} up, with {'its' if one else 'their'} disks: "
            f"keep {'it' if one else 'them'} until the result is confirmed."
        )
    waits = plan.certificate.way_back_waits_for
    if waits:
        are = verb(len(waits), "is", "are")
        said.append(
            f"It is refused now: {verb(len(waits), 'broker', 'brokers')} {ids(waits)}, which would get "
            f"replicas back, {are} not alive."
        )
    said.append(
        "It also needs the rollback file; leaders return with a preferred election afterwards."
        if choices.audience == "operators"
        else "Whoever executes the plan keeps that file."
    )
    return tuple(said)


def _facts(plan: Plan, copying: Copying, preview: Preview, copies: Longs, choices: ReportChoices) -> tuple[Fact, ...]:
    changed, total = int(plan.changed.sum()), int(copies.sum())
    facts = [
        Fact("Batches", count(len(preview)), f"at most {DEFAULT_CONCURRENT_MOVES} moves per broker", len(preview)),
        Fact("Partitions changed", count(changed), None, changed),
        Fact("Replicas to copy", count(total), None, total),
    ]
    unknown = f"{counted(copying.unsized, 'replica')} of unknown size" if copying.unsized else None
    facts.append(data_to_copy(copying.whole, unknown if copying.sized else "the input has no sizes"))
    if choices.throttle and total and copying.sized:
        told, at = copying.estimate(choices.throttle), f"at {size(choices.throttle)}/s per broker"
        pace = f"{at}{told.source}" if told.runs else f"one batch after the other, {at}"
        facts.append(copying_takes(copying, choices.throttle, pace))
    waits = plan.certificate.way_back_waits_for
    if waits:
        facts.append(Fact("Can be rolled back", "not yet", f"needs {ids(waits)} alive", 0.0, Light.AMBER))
    else:
        facts.append(Fact("Can be rolled back", "yes", "to every replica list from before", 1.0, Light.GREEN))
    return tuple(facts)


def _done(preview: Preview, copies: Longs) -> Lines:
    told = not preview.unknown.any()
    amount = preview.bytes if told else copies.astype(np.float64)
    done = np.concatenate([[0.0], np.cumsum(amount)])
    half = int(np.searchsorted(done, done[-1] / 2))
    what = "data" if told else "replicas"
    return Lines(
        slug="batches",
        title=f"{what.capitalize()} copied after each batch",
        says=f"Half of the {what} is copied after batch {count(half)} of {count(len(preview))}."
        if told
        else f"Half of the replicas are copied after batch {count(half)} of {count(len(preview))}.",
        unit="bytes" if told else "replicas",
        x=np.arange(len(done), dtype=np.float64),
        x_name="batch",
        series=(Series("copied", done, "after"),),
    )


def _batches(preview: Preview, copies: Longs, choices: ReportChoices) -> Table:
    columns = [
        Column("Batch", np.arange(1, len(preview) + 1)),
        Column("Partitions", np.bincount(preview.batch, minlength=len(preview)), "partitions"),
        Column("Replicas to copy", copies, "replicas"),
    ]
    told = np.where(preview.unknown > 0, np.nan, preview.bytes)
    if not np.isnan(told).all():
        columns.append(Column("Data to copy", told, "bytes"))
        if choices.throttle:
            columns.append(
                Column(
                    "At the throttle",
                    np.where(preview.unknown > 0, np.nan, preview.seconds(choices.throttle)),
                    "seconds",
                )
            )
    return Table("batches", "Batches, in order", tuple(columns), shown=20)


def _commands(matter: Matter, choices: ReportChoices) -> Table:
    version = matter.version if version_of(matter.version) else None
    numbers = version_of(version)
    rate = None if choices.throttle is None or (numbers or (3,)) < (0, 10, 1) else max(1, round(choices.throttle))
    told: tuple[Command, ...] = commands(version, throttle=rate)
    return Table(
        "commands",
        "Commands",
        (
            Column("Part", [_PARTS[one.part] for one in told]),
            Column("What", [one.title for one in told]),
            Column("Command", [one.text for one in told]),
            Column("When, and what to look for", [one.why for one in told]),
        ),
    )
