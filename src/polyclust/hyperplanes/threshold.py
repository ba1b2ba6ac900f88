"""The roundest number well inside a gap: what a clause compares with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

__all__ = ["choose_threshold"]


def choose_threshold(low: float, high: float, is_whole: bool = False) -> float:
    """The threshold between the largest value below (``low``) and the least value above (``high``).

    The coarsest step of 1, 2 or 5 x 10^k that has a multiple in the middle half of the gap decides; of its
    multiples there the one nearest the middle is taken, the smaller of two. Where only whole numbers occur,
    the result is a whole number. Always low < result <= high in float64; ``high`` when nothing shorter fits.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"A gap must run from a finite number to a larger one; got {low!r} and {high!r}.")
    first, last = _middle_half(Fraction(low), Fraction(high))
    if first <= 0 <= last:
        return 0.0
    for step in _round_steps(first, last, is_whole):
        multiple = _multiple_nearest_middle(first, last, step)
        if multiple is not None and low < float(multiple) <= high:
            return float(multiple) + 0.0  # a tiny negative number rounds to -0.0
    return _upper_end(low, high, is_whole)


def _middle_half(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    quarter = (high - low) / 4
    return low + quarter, high - quarter


def _round_steps(first: Fraction, last: Fraction, is_whole: bool) -> Iterator[Fraction]:
    """Steps of 5, 2 and 1 x 10^k, coarsest first, down to one that surely has a multiple in the interval."""
    exponent = _decimal_exponent(max(abs(first), abs(last)))
    while True:
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** exponent
            if is_whole and step < 1:
                return
            yield step
            if 2 * step <= last - first:
                return
        exponent -= 1


def _multiple_nearest_middle(first: Fraction, last: Fraction, step: Fraction) -> Fraction | None:
    """The multiple of the step in [first, last] nearest its middle, the smaller of two; None without one."""
    middle = (first + last) / 2
    below = math.floor(middle / step) * step
    nearest = below if middle - below <= below + step - middle else below + step
    return nearest if first <= nearest <= last else None


def _decimal_exponent(value: Fraction) -> int:
    """An exponent k with value < 10^(k + 1); at most one more than the least."""
    n_bits = value.numerator.bit_length() - value.denominator.bit_length() + 1
    return math.floor(n_bits * math.log10(2))


def _upper_end(low: float, high: float, is_whole: bool) -> float:
    """The upper end of the gap, or the last whole number in it; never a negative zero."""
    if is_whole and math.floor(high) > low:
        return float(math.floor(high))
    return high + 0.0
