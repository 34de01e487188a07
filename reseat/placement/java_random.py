"""``java.util.Random`` and ``Collections.shuffle``, bit by bit, so that a seed gives what Kafka gives.

What it promises: for any seed, the same draws as Java's classes, in the same order.

How it works: a linear congruential generator with 48 bits of state, ``s' = (s * 0x5DEECE66D + 0xB) mod 2**48``, whose
highest bits are the draw. The seed is mixed with the multiplier first. A bound that is no power of two is met by
drawing 31 bits again while they fall into the last, incomplete run of ``bound`` numbers; a power of two takes the high
bits. A shuffle walks from the last place to the second and swaps each with a drawn place at or before it.

Example: ``JavaRandom(42).next_int(10)`` is 0, then 3, then 8.

Complexity: O(1) a draw, O(n) a shuffle.

Source: D. Lehmer's generator as specified by the Java platform's documentation of ``java.util.Random`` and
``java.util.Collections.shuffle(List, Random)``.
"""

from __future__ import annotations

from typing import TypeVar

from reseat.errors import PlacementRefused

__all__ = ["JavaRandom"]

_Item = TypeVar("_Item")
_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1
_INT_LIMIT = 1 << 31


class JavaRandom:
    """Java's random numbers of one seed.

    Args:
        seed: the seed, any whole number; Java keeps its lowest 48 bits.
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def next_int(self, bound: int) -> int:
        """``nextInt(bound)``: a draw from 0 to ``bound - 1``.

        Raises:
            PlacementRefused: the bound is not from 1 to 2**31 - 1; in Java's word "bound must be positive".
        """
        if not 0 < bound < _INT_LIMIT:
            raise PlacementRefused("bound must be positive", kafka_error="IllegalArgumentException")
        state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        drawn = state >> 17
        if bound & (bound - 1) == 0:
            self._state = state
            return (bound * drawn) >> 31
        while drawn - drawn % bound + bound - 1 >= _INT_LIMIT:
            state = (state * _MULTIPLIER + _INCREMENT) & _MASK
            drawn = state >> 17
        self._state = state
        return drawn % bound

    def shuffle(self, items: list[_Item]) -> None:
        """``Collections.shuffle(items, this)``, in place."""
        draw = self.next_int
        for size in range(len(items), 1, -1):
            at = draw(size)
            items[size - 1], items[at] = items[at], items[size - 1]
