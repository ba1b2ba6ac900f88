"""Thresholds against an exact, slow twin that knows nothing of floating point."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclust.hyperplanes.threshold import choose_threshold

any_float = st.floats(allow_nan=False, allow_infinity=False)
readable = st.integers(-10_000, 10_000).map(lambda i: i / 100)


def roundest_multiple(low: float, high: float, is_whole: bool) -> Fraction | None:
    """Every step from far too coarse to far too fine, every multiple of it in the middle half."""
    a, b = Fraction(low), Fraction(high)
    first, last = a + (b - a) / 4, b - (b - a) / 4
    if first <= 0 <= last:
        return Fraction(0)
    for exponent in range(310, -330, -1):
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** exponent
            if is_whole and step < 1:
                return None
            start, stop = math.ceil(first / step), math.floor(last / step)
            if start <= stop:
                middle = (first + last) / 2
                return min((m * step for m in range(start, stop + 1)), key=lambda v: (abs(v - middle), v))
    return None


def check(low: float, high: float, is_whole: bool) -> None:
    threshold = choose_threshold(low, high, is_whole)
    assert low < threshold <= high
    assert math.copysign(1.0, threshold) == 1.0 or threshold != 0
    exact = roundest_multiple(low, high, is_whole)
    if exact is not None and low < float(exact) <= high:
        assert threshold == float(exact)
    elif is_whole and math.floor(high) > low:
        assert threshold == math.floor(high)


@given(st.tuples(any_float, any_float).filter(lambda p: p[0] < p[1]))
def test_any_gap_matches_the_exact_twin(gap):
    check(*gap, is_whole=False)


@given(st.tuples(readable, readable).filter(lambda p: p[0] < p[1]))
def test_readable_gaps_match_the_exact_twin(gap):
    check(*gap, is_whole=False)


@given(st.integers(-10_000, 10_000), st.integers(1, 300))
def test_whole_gaps_give_whole_thresholds(low, width):
    check(float(low), float(low + width), is_whole=True)
    assert choose_threshold(float(low), float(low + width), True).is_integer()


@given(any_float)
def test_adjacent_floats(low):
    high = math.nextafter(low, math.inf)
    if low < high < math.inf:
        assert choose_threshold(low, high, False) == high


@given(any_float, st.integers(2, 40))
def test_gaps_of_a_few_floats(low, n_steps):
    high = low
    for _ in range(n_steps):
        high = math.nextafter(high, math.inf)
    if low < high < math.inf:
        check(low, high, is_whole=False)


@pytest.mark.parametrize(
    ("low", "high", "is_whole", "expected"),
    [
        (1.9, 3.0, False, 2.5),
        (0, 2, True, 1),
        (0, 1, True, 1),
        (0, 3, True, 2),
        (10, 20, True, 15),
        (17, 41, True, 30),
        (-1, 0, True, 0),
        (-3, -2, True, -2),
        (1, 5, False, 2),
        (-1.0, 2.0, False, 0.0),
        (-1.0, -0.0, False, -0.5),
        (-5e-324, -0.0, False, 0.0),
        (0.0, 5e-324, False, 5e-324),
        (-1.7e308, 1.7e308, False, 0.0),
        (2.0**53 - 2, 2.0**53, True, 2.0**53 - 1),
        (0.1 + 0.2, 0.4, False, 0.35),
        (1e300, 3e300, False, 2e300),
    ],
)
def test_known_gaps(low, high, is_whole, expected):
    assert choose_threshold(low, high, is_whole) == expected
    assert repr(choose_threshold(low, high, is_whole)) == repr(float(expected))


@pytest.mark.parametrize("gap", [(1.0, 1.0), (2.0, 1.0), (0.0, math.inf), (math.nan, 1.0), (-0.0, 0.0)])
def test_no_gap_is_refused(gap):
    with pytest.raises(ValueError, match="A gap must run"):
        choose_threshold(*gap, False)
