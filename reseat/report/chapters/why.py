"""Why this plan: beside Kafka's own tool, what more moves would buy, and what is proven, in words for laymen."""

from __future__ import annotations

import numpy as np

from reseat.model import Certificate, CurvePoint, FloatArray
from reseat.model.wording import capital, counted, doing, verb
from reseat.placement import Tool
from reseat.report.content import Chapter, ChapterKind, Column, Draws, Fact, Figure, Lines, Series, Table
from reseat.report.matter import Matter, ReportChoices
from reseat.report.proofs import Proof, proofs_of
from reseat.report.shown import value

__all__ = ["chapter"]

_TOOLS = {Tool.STRIPED: "Tools up to 4.0", Tool.KRAFT: "Tools from 4.1"}


def chapter(matter: Matter, choices: ReportChoices) -> Chapter | None:
    """The chapter; None where nothing is planned."""
    if matter.plan is None:
        return None
    made = matter.plan.certificate
    figures: list[Figure] = []
    if not made.faults:
        figures += [figure for figure in (_draws(matter, made), _curve(matter)) if figure is not None]
    proofs = proofs_of(made)
    return Chapter(
        kind=ChapterKind.WHY,
        name="Why this plan",
        heading=_heading(matter, made),
        text=(*(proof.sentence for proof in proofs), *_further(matter, made)),
        facts=_facts(matter, made),
        figures=tuple(figures),
        tables=(
            *_certificate(made, choices),
            *_draw_tables(matter),
            *_curve_tables(matter),
            _proven(proofs, choices),
        ),
        notes=(
            "Proven: an independent checker (it shares no code with the planner) confirmed that nothing better exists.",
            "Not proven: that could not be confirmed. It does not mean that something better exists.",
        ),
    )


def _certificate(made: Certificate, choices: ReportChoices) -> tuple[Table, ...]:
    """The certificate's own sentences, in the terms of the field, for operators."""
    if choices.audience != "operators" or not made.sentences:
        return ()
    return (Table("certificate", "Certificate", (Column("Sentence", made.sentences),)),)


def _proven(proofs: tuple[Proof, ...], choices: ReportChoices) -> Table:
    """The objectives and their verdicts; with the sums of squares that are compared, for operators."""
    first = Column("Objective, most important first", tuple(proof.what for proof in proofs))
    last = Column("Verdict", tuple(proof.verdict for proof in proofs))
    if choices.audience == "management":
        return Table("proofs", "What is proven", (first, last))
    numbers = (
        Column("This plan", _numbers([proof.reached for proof in proofs]), "moves"),
        Column("Best possible", _numbers([proof.least for proof in proofs]), "moves"),
    )
    how = Column("Measured in", tuple(proof.measure for proof in proofs))
    return Table("proofs", "What is proven", (first, how, *numbers, last))


def _numbers(values: list[int | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _range(matter: Matter) -> tuple[int, int] | None:
    """The fewest and the most moves that Kafka's tools would make, over all draws; None where none was made."""
    drawn = [found.spread.moves for found in matter.generate if len(found.spread.moves)]
    if not drawn:
        return None
    return min(int(moves.min()) for moves in drawn), max(int(moves.max()) for moves in drawn)


def _heading(matter: Matter, made: Certificate) -> str:
    if made.faults:
        return f"The plan has {counted(len(made.faults), 'fault')}, so nothing about it is proven."
    drawn = _range(matter)
    proven = (
        f", and {made.least_moves:,} {verb(made.least_moves or 0, 'is', 'are')} the minimum"
        if (made.least_moves is not None and made.least_moves < made.moves)
        else ""
    )
    if drawn is not None and made.moves and drawn[0] > made.moves:
        least, most = drawn
        theirs = counted(least, "replica") if least == most else f"{least:,} to {most:,} replicas"
        return f"Kafka's own --generate would copy {theirs} where this plan copies {made.moves:,}{proven}."
    if made.moves_proven:
        if made.wish.add and not (made.wish.remove or made.wish.rebalance):
            return f"No plan that fills the new brokers as well copies fewer than {counted(made.moves, 'replica')}."
        if made.wish.rebalance and made.moves:
            return f"No plan that balances the cluster as well copies fewer than {counted(made.moves, 'replica')}."
        if not made.moves:
            return f"{capital(doing(made.wish))} needs no copy."
        return f"No plan for this change copies fewer than {counted(made.moves, 'replica')}."
    if made.wish.chooses_moves:
        return f"This plan copies {counted(made.moves, 'replica')}, the number that was chosen{proven}."
    return f"This plan copies {counted(made.moves, 'replica')}; it is not proven that this is the minimum."


def _facts(matter: Matter, made: Certificate) -> tuple[Fact, ...]:
    proofs = proofs_of(made)
    facts = [
        Fact("Replicas to copy", f"{made.moves:,}", "proven minimum" if made.moves_proven else None, made.moves),
        Fact(
            "Proven objectives",
            f"{sum(proof.proven for proof in proofs):,} of {len(proofs):,}",
            None,
            sum(proof.proven for proof in proofs),
        ),
    ]
    for found in matter.generate:
        if len(found.spread.moves):
            middle = float(np.median(found.spread.moves))
            name = _TOOLS[found.tool]
            facts.append(
                Fact(
                    f"--generate, {name[:1].lower()}{name[1:]}",
                    value(middle, "moves"),
                    f"median of {found.draws:,}",
                    middle,
                )
            )
    return tuple(facts)


def _further(matter: Matter, made: Certificate) -> tuple[str, ...]:
    """What the curve says, which points it leaves out, and what Kafka's tool is given."""
    said = []
    curve = matter.curve
    if curve is not None and not made.faults:
        spread = {point.moves: point.replica_spread for point in curve.points}
        own = made.replica_spread
        further = [point for point in curve.points if own is not None and point.moves > made.moves]
        better = next((point for point in further if own is not None and point.replica_spread < own), None)
        if better is not None and own is not None:
            more = better.moves - made.moves
            said.append(
                f"{counted(more, 'more copy', 'more copies')} would reduce the replica spread from {own:,} to "
                f"{better.replica_spread:,}."
            )
        elif len(spread) > 1:
            said.append("More moves would not improve the balance.")
        said += curve.sentences
    if matter.generate:
        first = matter.generate[0]
        said.append(
            f"Kafka's --generate assigns every partition of a topic again, from a random start. It was given "
            f"{counted(len(first.topics), 'topic')} and {counted(len(first.brokers), 'broker')}; each dot is one run."
        )
    return tuple(said)


def _draws(matter: Matter, made: Certificate) -> Draws | None:
    found = [one for one in matter.generate if len(one.spread.moves)]
    if not found:
        return None
    least, most = _range(matter) or (0, 0)
    if made.moves and least >= 2 * made.moves:
        says = f"Every run copies at least {least // made.moves:,} times as many replicas as this plan."
    elif least > made.moves:
        says = f"Every run copies more replicas than this plan: {least:,} or more."
    elif least == most == made.moves:
        says = "Every run copies as many replicas as this plan."
    else:
        says = f"Runs copy {least:,} to {most:,} replicas."
    return Draws(
        slug="generate",
        title="Replicas to copy, compared with Kafka's --generate",
        says=says,
        unit="replicas",
        names=tuple(f"{_TOOLS[one.tool]}, {counted(one.draws, 'run')}" for one in found),
        draws=tuple(one.spread.moves.astype(np.float64) for one in found),
        own=float(made.moves),
        own_name="this plan",
    )


def _points(matter: Matter) -> dict[int, int]:
    """The spread by moves of the curve, of leaders by changed ones, this plan's own point among them; ascending."""
    if matter.curve is None or matter.plan is None:
        return {}
    points = {point.number: _spread(point) for point in matter.curve.points}
    if matter.plan.certificate.replica_spread is not None:
        own = CurvePoint.of(matter.plan)
        points.setdefault(own.number, _spread(own))
    return dict(sorted(points.items()))


def _spread(point: CurvePoint) -> int:
    return point.replica_spread if point.leader_spread is None else point.leader_spread


def _curve(matter: Matter) -> Lines | None:
    points = _points(matter)
    if len(points) < 2 or matter.plan is None:
        return None
    own, moves, spread = CurvePoint.of(matter.plan), list(points), list(points.values())
    leaders = own.leader_spread is not None
    copies, what = ("changed preferred leaders", "leader spread") if leaders else ("copies", "replica spread")
    return Lines(
        slug="curve",
        title="Moves vs. balance",
        says=f"From {moves[0]:,} to {moves[-1]:,} {copies} the {what} goes from {spread[0]:,} to "
        f"{spread[-1]:,}; the mark is this plan.",
        unit="leaders" if leaders else "replicas",
        x=np.array(moves, np.float64),
        x_name=copies if leaders else "replicas to copy",
        series=(Series(what, np.array(spread, np.float64), "plan"),),
        marked=float(own.number),
    )


def _curve_tables(matter: Matter) -> tuple[Table, ...]:
    line, points = _curve(matter), _points(matter)
    if line is None:
        return ()
    return (
        Table(
            "curve",
            "Moves vs. balance",
            (
                Column(capital(line.x_name), line.x, "moves"),
                Column(capital(line.series[0].name), line.series[0].values, line.unit),
                Column("", tuple("this plan" if moves == line.marked else None for moves in points)),
            ),
        ),
    )


def _draw_tables(matter: Matter) -> tuple[Table, ...]:
    found = [one for one in matter.generate if len(one.spread.moves)]
    if not found or matter.plan is None:
        return ()
    made = matter.plan.certificate
    moves = [one.spread.moves for one in found]
    spread = [one.spread.replica_spread for one in found]
    names = ("this plan", *(_TOOLS[one.tool] for one in found))
    columns = (
        Column("Source", names),
        Column("Runs", np.array([None, *(one.draws for one in found)], dtype=object), "moves"),
        Column("Fewest copies", np.array([made.moves, *(one.min() for one in moves)], np.float64), "moves"),
        Column("Median", np.array([made.moves, *(np.median(one) for one in moves)], np.float64), "moves"),
        Column("Most copies", np.array([made.moves, *(one.max() for one in moves)], np.float64), "moves"),
        Column(
            "Median replica spread",
            np.array([np.nan if made.replica_spread is None else made.replica_spread, *map(np.median, spread)]),
            "replicas",
        ),
    )
    return (Table("generate", "Compared with Kafka's --generate", columns),)
