"""The hyperplane with the fewest rows on the wrong side, for two clusters that no hyperplane separates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.general import find_direction, separate_general
from polyclust.hyperplanes.hinge import PairRows, choose_margin
from polyclust.hyperplanes.lattice import ABSENT, Directions, list_directions
from polyclust.hyperplanes.planes import make_plane, place_plane
from polyclust.kernels.separating import RELATIVE_GAP
from polyclust.table.features import Feature

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

__all__ = ["PairTable", "find_fewest_errors", "find_general"]

CELLS_AT_ONCE = 4_000_000
RACE_ROWS, RACE_KEEPS, RACE_FROM = 1000, 60, 200_000_000
SOLVER_SECONDS = 10.0


@dataclass(frozen=True)
class PairTable:
    """The rows of two clusters: raw values, which belong to the first cluster, and their weights."""

    raw: Floats
    is_first: Bools
    weights: Floats
    features: Sequence[Feature]
    first: int
    second: int

    @property
    def in_units(self) -> Floats:
        """What the coefficients of several terms apply to."""
        return np.asarray(self.raw / np.array([f.unit for f in self.features]), dtype=np.float64)

    def take(self, rows: NDArray[np.intp]) -> PairTable:
        """Some of the rows."""
        return PairTable(
            self.raw[rows], self.is_first[rows], self.weights[rows], self.features, self.first, self.second
        )


@dataclass(frozen=True)
class _Cut:
    """A gap along a direction: its ends, which cluster is above it, and the weight it misplaces."""

    errors: float
    width: float
    position: int
    low: float
    high: float
    is_first_above: bool

    @property
    def rank(self) -> tuple[float, float]:
        return self.errors, -self.width


def find_fewest_errors(pair: PairTable, oblique: Directions | None = None) -> tuple[Hyperplane, float]:
    """The best hyperplane of these directions and the weight it misplaces; one term where that is as good."""
    straight = list_directions(len(pair.features), 1, 1)
    cut = _sweep(pair, straight, pair.raw)
    best = None if cut is None else (cut, straight)
    if oblique is not None and len(oblique):
        chosen = _race(pair, oblique)
        slanted = _sweep(pair, chosen, pair.in_units)
        if slanted is not None and (best is None or slanted.errors < best[0].errors):
            best = (slanted, chosen)
    if best is None:
        return _put_all_on_one_side(pair)
    return _make_hyperplane(pair, *best), best[0].errors


def find_general(pair: PairTable, max_terms: int | None) -> tuple[Hyperplane, float, float]:
    """The same with real coefficients; and the gap that an integer program left, 0 where there is none."""
    straight, errors = find_fewest_errors(pair)
    if max_terms == 1 or errors == 0:
        return straight, errors, 0.0
    w, gap = _find_real_direction(pair, max_terms)
    slanted = _round_coefficients(pair, w, errors)
    return (straight, errors, gap) if slanted is None else (*slanted, gap)


def _round_coefficients(pair: PairTable, w: Floats, errors: float) -> tuple[Hyperplane, float] | None:
    """The hyperplane along w with as few digits as cost no row; None if it misplaces no less than ``errors``."""
    exact = _sweep(pair, _as_directions(w), pair.in_units)
    if exact is None or exact.errors >= errors:
        return None
    for n_digits in (*range(1, 8), 17):
        rounded = _as_directions(np.array([float(f"{v:.{n_digits}g}") for v in w]))
        cut = _sweep(pair, rounded, pair.in_units)
        if cut is not None and cut.errors <= exact.errors:
            return _make_hyperplane(pair, cut, rounded), cut.errors
    return _make_hyperplane(pair, exact, _as_directions(w)), exact.errors


def _find_real_direction(pair: PairTable, max_terms: int | None) -> tuple[Floats, float]:
    """A direction, and the share of its error that the program has not proved to be needed."""
    values = pair.in_units
    upper, lower = values[pair.is_first], values[~pair.is_first]
    if max_terms is None or max_terms >= values.shape[1]:
        w = find_direction(upper, lower, widest=True)
        if w is not None:
            return w, 0.0
    rows = PairRows.collect(upper, lower, pair.weights[pair.is_first], pair.weights[~pair.is_first])
    found = separate_general(rows, max_terms, choose_margin(rows.values), time_limit=SOLVER_SECONDS)
    return found.w, found.gap


def _as_directions(w: Floats) -> Directions:
    """One direction, its first coefficient positive."""
    used = np.flatnonzero(w)
    signed = w[used] * np.sign(w[used[0]])
    return Directions(used[None, :].astype(np.int32), signed[None, :])


def _race(pair: PairTable, directions: Directions) -> Directions:
    """Where all directions on all rows are too many: those that do best on some rows."""
    if len(directions) * len(pair.raw) <= RACE_FROM:
        return directions
    step = max(1, len(pair.raw) // RACE_ROWS)
    sample = pair.take(np.arange(0, len(pair.raw), step))
    errors = np.concatenate([e.min(axis=1) for _, e, _ in _chunks(sample, directions, sample.in_units)])
    return directions.take(np.sort(np.argsort(errors, kind="stable")[:RACE_KEEPS]))


def _sweep(pair: PairTable, directions: Directions, values: Floats) -> _Cut | None:
    """The best gap of all directions: fewest errors, then widest in the scaled space; None without a gap."""
    best: _Cut | None = None
    for start, errors, ordered in _chunks(pair, directions, values):
        lowest = errors.min()
        if not np.isfinite(lowest) or (best is not None and lowest > best.errors):
            continue
        for row, at in zip(*np.nonzero(errors == lowest), strict=True):
            gap = at // 2
            position = start + int(row)
            norm = make_plane(*directions.terms(position), pair.features, above=pair.first, below=pair.second).norm
            width = float((ordered[row, gap + 1] - ordered[row, gap]) / norm)
            cut = _Cut(
                float(lowest),
                width,
                position,
                float(ordered[row, gap]),
                float(ordered[row, gap + 1]),
                bool(at % 2 == 0),
            )
            best = cut if best is None or cut.rank < best.rank else best
    return best


def _chunks(pair: PairTable, directions: Directions, values: Floats) -> Iterator[tuple[int, Floats, Floats]]:
    """Per block of directions: its start, errors at every gap (first above, then below), sorted values."""
    size = max(1, CELLS_AT_ONCE // len(values))
    signed = np.where(pair.is_first, pair.weights, -pair.weights)
    first, second = signed[pair.is_first].sum(), -signed[~pair.is_first].sum()
    for start in range(0, len(directions), size):
        block = directions.take(np.arange(start, min(start + size, len(directions))))
        along = block.project(values)
        order = np.argsort(along, axis=1, kind="stable")
        ordered = np.take_along_axis(along, order, axis=1)
        balance = np.cumsum(signed[order], axis=1)[:, :-1]
        is_sum = (block.features != ABSENT).sum(axis=1) > 1
        least = np.where(is_sum, RELATIVE_GAP * np.abs(ordered[:, [0, -1]]).max(axis=1), 0.0)
        is_gap = np.diff(ordered, axis=1) > least[:, None]
        errors = np.stack([second + balance, first - balance], axis=2)
        errors[~is_gap] = np.inf
        yield start, errors.reshape(len(block), -1), ordered


def _make_hyperplane(pair: PairTable, cut: _Cut, directions: Directions) -> Hyperplane:
    above, below = (pair.first, pair.second) if cut.is_first_above else (pair.second, pair.first)
    plane = make_plane(*directions.terms(cut.position), pair.features, above=above, below=below)
    return place_plane(plane, cut.low, cut.high, pair.features)


def _put_all_on_one_side(pair: PairTable) -> tuple[Hyperplane, float]:
    """Both clusters consist of the same row: it goes to the heavier one."""
    value = float(pair.raw[0, 0])
    first, second = pair.weights[pair.is_first].sum(), pair.weights[~pair.is_first].sum()
    winner, loser = (pair.first, pair.second) if first >= second else (pair.second, pair.first)
    plane = make_plane((0,), (1.0,), pair.features, above=winner, below=loser)
    return replace(plane, threshold=value + 0.0), float(min(first, second))
