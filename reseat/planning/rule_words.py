"""Rules in the sentences of a certificate: what they mean for a plan, and what of them is broken as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reseat.model import NONE, Finding, Plan, Severity
from reseat.model.units import size
from reseat.model.wording import counted, listed, named
from reseat.planning.preconditions import who_leads
from reseat.planning.rules import only_onto, sharing

__all__ = ["rules_in_words", "with_idle_options"]


def rules_in_words(plan: Plan) -> Iterator[str]:
    """What the rules of a plan mean for it, a sentence each."""
    wish, options, layout = plan.wish, plan.wish.options, plan.proposed
    closed = options.never_onto
    if closed and not wish.leaders_only:
        nothing = named("Broker", closed, "receives nothing and is", "receive nothing and are")
        yield f"{nothing} not counted in the replica balance."
    if (options.never_leads or options.leader_racks) and not (wish.topics or wish.places):
        yield from _leaders(plan)
    if wish.leaders_only:
        return
    if options.rack_levels and not wish.places:
        split = listed(options.rack_levels)
        yield f"Regions come first: replicas spread over what racks are in (names split at {split}), then over racks."
    if options.only_onto:
        allowed = only_onto(layout, options)[layout.topic_of]
        row, column = np.nonzero(layout.replicas >= 0)
        elsewhere = int((~allowed[row, layout.replicas[row, column]]).sum())
        stay = counted(elsewhere, "replica is elsewhere and stays", "replicas are elsewhere and stay")
        rest = f": {stay} there; none is added." if elsewhere else " are on these brokers alone."
        yield f"Topics that live on some brokers alone{rest}"
    for group in options.keep_apart:
        shared = sharing(layout, group)
        names = listed(group)
        if shared.any():
            who = named("Broker", layout.broker_ids[shared].tolist(), "has", "have")
            yield f"{who} topics that are to share no broker ({names}), as before; no other broker gets two of them."
        else:
            divided = " Brokers were divided among them first, and the plan is the best for that." * wish.rebalance
            yield f"No broker has two of {names}.{divided}"
    yield from _capacities(plan)
    copied = plan.certificate.bytes_to_move
    if wish.limits_bytes and options.max_bytes is not None and copied is not None:
        yield f"{size(copied)} is copied; at most {size(options.max_bytes)} was allowed."


def _leaders(plan: Plan) -> Iterator[str]:
    layout, options, lists = plan.proposed, plan.wish.options, plan.proposed.replicas
    who = who_leads(layout, options, layout.is_broker(plan.wish.remove))
    can, first = (lists != NONE) & who.may_lead[lists], lists[:, 0]
    last = len(options.leader_racks)
    never = layout.is_broker(options.never_leads)[first] & can.any(axis=1)
    elsewhere = who.rank[first] > np.where(can, who.rank[lists], last).min(axis=1, initial=last)
    but = [
        f", but for {counted(int(rows.sum()), 'partition')} that this change does not reorder" if rows.any() else ""
        for rows in (never, elsewhere)
    ]
    if options.never_leads:
        who_not = named("Broker", options.never_leads, "is", "are")
        yield f"{who_not} the preferred leader of no list that has another broker that can lead{but[0]}."
    if options.leader_racks:
        order = ", then ".join(options.leader_racks)
        yield f"Preferred leaders are in rack {order}, where their list has a broker there that can lead{but[1]}."


def _capacities(plan: Plan) -> Iterator[str]:
    layout, options = plan.proposed, plan.wish.options
    if not options.capacity:
        return
    carried, over = layout.carried_bytes, []
    for rule in options.capacity:
        at = layout.position(rule.broker)
        if at is None:
            continue
        held = int(layout.replicas_by_broker[at])
        if rule.replicas is not None and held > rule.replicas:
            over.append(f"broker {rule.broker} holds {counted(held, 'replica')} of {rule.replicas:,}")
        if rule.bytes is not None and carried[at] > rule.bytes:
            over.append(f"broker {rule.broker} holds {size(float(carried[at]))} of {size(rule.bytes)}")
    yield f"Above its capacity, as before: {listed(over)}." if over else "Every broker is within its capacity."


def with_idle_options(plan: Plan, *, reorder_all: str | None = None) -> Plan:
    """The plan with a finding about options that were asked for and do not apply to the change, where some do not.

    ``reorder_all`` says why lists were not reordered, if they were not.
    """
    wish, options, idle = plan.wish, plan.wish.options, []
    if options.max_moves is not None and wish.leaders_only:
        idle.append("max moves has no effect: no replica moves")
    if options.max_bytes is not None and not wish.limits_bytes:
        idle.append("max bytes has no effect: it limits changes that move replicas and balance their counts")
    if options.receive_cap is not None and wish.leaders_only:
        idle.append("the cap on replicas received has no effect: no replica moves")
    if options.by_bytes and not (wish.rebalance or wish.drains):
        idle.append("sizes have no effect: replicas are counted")
    if options.even_topics and wish.rebalance and options.by_bytes:
        idle.append("balance by size has no effect beside balance by topic")
    if options.even_topics and not wish.rebalance:
        idle.append("balance by topic has no effect: it is an aim of a rebalance")
    if options.rack_levels and wish.leaders_only:
        idle.append("levels of racks have no effect: no replica moves")
    if options.keep_racks and not wish.rebalance:
        idle.append("keeping racks has no effect: it is a rule of a rebalance")
    if (options.never_leads or options.leader_racks) and (wish.topics or wish.places):
        who = "brokers that never lead" if options.never_leads else "racks of leaders"
        idle.append(f"{who} have no effect: lists keep their order")
    if options.reorder_all and reorder_all is not None:
        idle.append(f"lists were not reordered: {reorder_all}")
    if not idle:
        return plan
    sentence = "; ".join(idle)
    note = Finding("option_without_effect", Severity.NOTE, f"{sentence[:1].upper()}{sentence[1:]}.")
    return replace(plan, findings=(*plan.findings, note))
