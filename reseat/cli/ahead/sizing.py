"""How many brokers a cluster needs, for a person and as JSON."""

from __future__ import annotations

from reseat.cli.output.writer import table
from reseat.errors import WishRefused
from reseat.forecast.sizing import Case, Schedule, Sizing, Step

__all__ = ["sizing_json", "sizing_lines"]


def sizing_lines(told: Sizing | WishRefused) -> list[str]:
    """The answer, a row a case, and when to add brokers in the likely one."""
    if isinstance(told, WishRefused):
        return [f"  {told}"]
    lines = [f"  {told.sentence}", *(f"  {note}" for note in told.notes)]
    racks = [f"in {rack}" for rack, _ in told.there if rack is not None]
    head = ("Forecast", "replicas", "at most a broker", "for", "brokers", *racks)
    lines += table(head, [_row(case, len(racks)) for case in told.cases])
    likely = told.cases[1]
    ways = (("all at once", likely.at_once), ("each when it is needed", likely.when_needed))
    for name, way in ways if likely.at_once.steps else ():
        steps = "; ".join(_said(step) for step in way.steps)
        lines.append(f"  Added {name}, {way.moves:,} moves: {steps}.")
    return lines


def _row(case: Case, racks: int) -> tuple[str, ...]:
    by_rack = ["-"] * racks if case.needed is None else [str(number) for _, number in case.needed][:racks]
    brokers = "-" if case.brokers is None else f"{case.brokers:,}"
    return (case.name, f"{case.replicas:,}", f"{case.most:,}", case.bound, brokers, *by_rack)


def _said(step: Step) -> str:
    added = f"{step.words}, " if step.add else ""
    return f"{step.day} {added}{step.moves:,} moves"


def sizing_json(told: Sizing | WishRefused) -> dict[str, object]:
    """As JSON-ready values."""
    if isinstance(told, WishRefused):
        return {"refused": str(told)}

    def way(of: Schedule) -> dict[str, object]:
        steps = [
            {
                "day": step.day.isoformat(),
                "add": [{"rack": rack, "brokers": number} for rack, number in step.add],
                "moves": step.moves,
                "wish": told.wish(of, place).as_dict(),
            }
            for place, step in enumerate(of.steps)
        ]
        return {"moves": of.moves, "steps": steps}

    return {
        "refused": None,
        "until": told.until.isoformat(),
        "sentence": told.sentence,
        "brokers": sum(number for _, number in told.there),
        "notes": list(told.notes),
        "cases": [
            {
                "case": case.name,
                "replicas": case.replicas,
                "most_replicas": case.most,
                "bound": case.bound,
                "brokers": case.brokers,
                "racks": None if case.needed is None else [{"rack": r, "brokers": n} for r, n in case.needed],
                "at_once": way(case.at_once),
                "when_needed": way(case.when_needed),
            }
            for case in told.cases
        ],
    }
