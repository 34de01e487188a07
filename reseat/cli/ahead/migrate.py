"""``migrate``: what moving topics to another cluster takes. Nothing is executed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from reseat.cli.files import refuse_one_file_for_two, write_texts
from reseat.cli.inputs import STANDARD_INPUT, read_texts, reading_notes, refuse_reading_twice, with_racks_of
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, count_text, note_lines, say, table, write_json
from reseat.errors import InputRefused, WishRefused
from reseat.formats import Reading
from reseat.migration import Migration, MigrationRequest, Placing, TargetLimits, migrate
from reseat.migration.sides import Side, TopicMove
from reseat.migration.waves import Wave
from reseat.model import ClusterLayout
from reseat.model.units import duration, size

__all__ = ["migrate_command"]

#: Rows of a table, and commands, that are listed for a person; --json and the files have all.
_LISTED, _COMMANDS = 40, 5


def migrate_command(chosen: argparse.Namespace) -> int:
    """Look at a migration; see the command's ``--help``."""
    files = (("create", chosen.create), ("properties", chosen.properties))
    refuse_reading_twice((*chosen.source, *chosen.target))
    if any(name == STANDARD_INPUT for _, name in files):
        raise InputRefused("--create and --properties name files; standard output has the answer.")
    refuse_one_file_for_two((*chosen.source, *chosen.target, chosen.source_racks, chosen.target_racks), files)
    if chosen.wave is not None and chosen.properties is None:
        raise WishRefused("--wave is only for --properties.")
    if chosen.seed is not None and chosen.placement != Placing.KAFKA.value:
        raise WishRefused("--seed goes with --placement kafka.")
    with working("Reading"):
        source, target = read_texts(chosen.source), read_texts(chosen.target)
    here, there = _layout(source, chosen.source_racks), _layout(target, chosen.target_racks)
    asked = MigrationRequest(
        topics=tuple(chosen.topics),
        prefix=chosen.prefix or "",
        replication_factor=chosen.replication_factor,
        placing=Placing(chosen.placement),
        limits=TargetLimits(chosen.replicas_per_broker, chosen.bytes_per_broker, chosen.partitions_per_cluster),
        wave_bytes=chosen.wave_size,
        together=tuple(chosen.together),
        version=chosen.kafka_version or str(target.facts.get("version") or MigrationRequest().version),
        kraft=target.facts.get("metadata") != "zookeeper",
        seed=chosen.seed or 0,
    )
    with working("Placing topics"):
        made = migrate(here, there, asked, source.tiering.topics, target.log_dirs)
    _write(made, chosen)
    sides = (("Source", source, here), ("Target", target, there))
    notes = [f"{side}: {note}" for side, reading, layout in sides for note in reading_notes(reading, layout)]
    if chosen.json:
        write_json(_as_json(made, chosen.throttle or None))
        complain(*notes)
    else:
        say(*_lines(made, chosen), *note_lines(notes))
    return 0


def _layout(reading: Reading, racks: str | None) -> ClusterLayout:
    return reading.layout if racks is None else with_racks_of(reading.layout, racks)


def _write(made: Migration, chosen: argparse.Namespace) -> None:
    waves = len(made.waves)
    last = waves if chosen.wave is None else chosen.wave
    if last > waves:
        raise WishRefused(f"--wave {last}: there are {waves}.")
    if made.after.faults and chosen.create:
        raise WishRefused(f"--create writes nothing: {made.after.faults[0]}")
    script = "#!/bin/sh\nset -e\n" + "".join(f"{command}\n" for command in made.commands)
    texts = ((chosen.create, script), (chosen.properties, made.properties(last - 1)))
    write_texts(texts)


def _lines(made: Migration, chosen: argparse.Namespace) -> list[str]:
    lines = [
        made.sentence,
        "",
        *_sides(made),
        "",
        *_topics(made),
        "",
        *_brokers(made),
        "",
        *_waves(made, chosen.throttle or None),
    ]
    if made.after.proofs:
        lines += ["", *(f"  {proof}" for proof in made.after.proofs)]
    if made.notes:
        lines += ["", "Look at:", *(f"  {note}" for note in made.notes)]
    lines += ["", "Before you begin:", *(f"  {caveat}" for caveat in made.caveats)]
    commands = made.commands
    if commands:
        lines += ["", "Create the topics:", *(f"  {command}" for command in commands[:_COMMANDS])]
        if len(commands) > _COMMANDS:
            lines.append(f"  and {len(commands) - _COMMANDS:,} more; --create FILE writes all.")
    if chosen.properties is None:
        lines += ["", "--properties FILE writes MirrorMaker 2's property file."]
    return [*lines, "", "Copy, and see how far it is:", *(f"  {command}" for command in made.follow)]


def _sides(made: Migration) -> list[str]:
    def row(name: str, of: Side) -> tuple[str, ...]:
        racks = f"{len(of.racks)}" if of.racks or of.racks_told else "unknown"
        numbers = (of.brokers, of.topics, of.partitions, of.replicas, of.fullest)
        return (name, *(count_text(number) for number in numbers), size(of.bytes), racks)

    head = ("Cluster", "brokers", "topics", "partitions", "replicas", "most on a broker", "bytes", "racks")
    return table(head, [row("source", made.source), row("target", made.target)])


def _topics(made: Migration) -> list[str]:
    wave = {name: number for number, one in enumerate(made.waves, 1) for name in one.topics}
    shown = sorted(made.topics, key=lambda move: (wave[move.name], move.name))[:_LISTED]

    def row(move: TopicMove) -> tuple[str, ...]:
        factor = made.after.factors.get(move.remote, move.there_factor)
        racks = None if made.after.racks is None else made.after.racks.get(move.remote)
        return (
            move.name if move.name == move.remote else f"{move.name} -> {move.remote}",
            str(wave[move.name]),
            f"{move.partitions:,}"
            if move.there in (0, move.partitions)
            else f"{move.partitions:,} (has {move.there:,})",
            "there" if move.there else "new",
            f"{move.factor} -> {factor}",
            f"{_or_dash(move.racks)} -> {_or_dash(racks)}",
            size(move.bytes),
        )

    head = ("Topic", "wave", "partitions", "target", "replicas", "racks", "bytes")
    return [*table(head, map(row, shown)), *_more(len(made.topics))]


def _brokers(made: Migration) -> list[str]:
    loads = made.after.loads
    shown = loads if len(loads) <= _LISTED else sorted(loads, key=lambda one: (-len(one.over), -one.after))[:_LISTED]
    rows = [
        (
            str(one.broker),
            one.rack or "-",
            f"{one.before:,}",
            f"{one.after:,}",
            size(one.bytes),
            ", ".join(one.over) or "-",
        )
        for one in shown
    ]
    head = ("Target's broker", "rack", "replicas", "after", "bytes", "over its limit")
    return [*table(head, rows, left=2), *_more(len(loads))]


def _waves(made: Migration, rate: int | None) -> list[str]:
    def row(number: int, wave: Wave) -> tuple[str, ...]:
        blind = f" and {wave.unknown:,} unknown" if wave.unknown else ""
        time = () if rate is None else (duration(wave.seconds(rate)),)
        numbers = (f"{len(wave.topics):,}", f"{wave.partitions:,}")
        return (str(number), *numbers, size(wave.bytes) + blind, size(wave.written), *time)

    head = ("Wave", "topics", "partitions", "copied", "written in the target", *(() if rate is None else ("at least",)))
    rows = [row(number, wave) for number, wave in enumerate(made.waves[:_LISTED], 1)]
    return [*table(head, rows), *_more(len(made.waves))]


def _more(count: int) -> list[str]:
    return [f"  {_LISTED} of {count:,}; --json lists all."] if count > _LISTED else []


def _or_dash(number: int | None) -> str:
    return "?" if number is None else str(number)


def _as_json(made: Migration, rate: int | None) -> dict[str, object]:
    after = made.after
    return {
        "sentence": made.sentence,
        "source": _side_json(made.source),
        "target": _side_json(made.target),
        "topics": [
            {
                "topic": move.name,
                "target_topic": move.remote,
                "partitions": move.partitions,
                "target_partitions": move.there,
                "replication_factor": move.factor,
                "target_replication_factor": after.factors.get(move.remote, move.there_factor),
                "racks": move.racks,
                "target_racks": None if after.racks is None else after.racks.get(move.remote),
                "bytes": move.bytes,
                "assignment": _keyed(after.made.get(move.remote, {})),
            }
            for move in made.topics
        ],
        "brokers": [
            {
                "broker": one.broker,
                "rack": one.rack,
                "replicas": one.before,
                "replicas_after": one.after,
                "bytes_after": one.bytes,
                "over": list(one.over),
            }
            for one in after.loads
        ],
        "waves": [
            {
                "topics": list(wave.topics),
                "partitions": wave.partitions,
                "bytes": wave.bytes,
                "bytes_written": wave.written,
                "unknown_sizes": wave.unknown,
                "least_seconds": None if rate is None else wave.seconds(rate),
            }
            for wave in made.waves
        ],
        "faults": list(after.faults),
        "proofs": list(after.proofs),
        "notes": list(made.notes),
        "caveats": list(made.caveats),
        "commands": list(made.commands),
        "follow": list(made.follow),
    }


def _side_json(side: Side) -> dict[str, object]:
    return {
        "brokers": side.brokers,
        "receiving_brokers": side.receiving,
        "racks": list(side.racks) if side.racks or side.racks_told else None,
        "topics": side.topics,
        "partitions": side.partitions,
        "replicas": side.replicas,
        "bytes": side.bytes,
        "fullest_broker_replicas": side.fullest,
    }


def _keyed(lists: dict[int, list[int]]) -> dict[str, Sequence[int]]:
    return {str(partition): replicas for partition, replicas in lists.items()}
