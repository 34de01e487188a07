"""How Kafka chooses replicas, and back from lists to draws. May import ``model`` and ``errors``; pure."""

from reseat.placement.added_partitions import place_added
from reseat.placement.draw_source import DrawSource
from reseat.placement.evenest import place_evenest
from reseat.placement.explain import StripedSteps, striped_steps_of
from reseat.placement.fingerprint.fits import FingerprintKind, Fit, TopicFingerprint
from reseat.placement.fingerprint.inference import infer
from reseat.placement.generate import Proposal, ProposalSpread, Tool, proposal_spread, propose
from reseat.placement.java_random import JavaRandom
from reseat.placement.kraft import place_kraft
from reseat.placement.naive import place_naive
from reseat.placement.placed import Placement
from reseat.placement.striped import RackMode, place_striped

__all__ = [
    "DrawSource",
    "FingerprintKind",
    "Fit",
    "JavaRandom",
    "Placement",
    "Proposal",
    "ProposalSpread",
    "RackMode",
    "StripedSteps",
    "Tool",
    "TopicFingerprint",
    "infer",
    "place_added",
    "place_evenest",
    "place_kraft",
    "place_naive",
    "place_striped",
    "proposal_spread",
    "propose",
    "striped_steps_of",
]
