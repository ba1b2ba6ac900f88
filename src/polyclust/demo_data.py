"""The example table that ships: customers of a shop, drawn from four planted segments with a fixed seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["make_customers", "planted_segments"]


@dataclass(frozen=True)
class Segment:
    """How one planted group of customers behaves. Pairs are (mean, spread); shares are probabilities."""

    name: str
    share: float
    age: tuple[float, float]
    years_as_customer: tuple[float, float]
    orders_per_year: tuple[float, float]
    average_basket: tuple[float, float]
    discount_share: tuple[float, float]
    children: float
    uses_app: float
    newsletter: float
    loyalty_card: float
    channels: tuple[float, float, float]


CHANNELS = ("store", "web", "app")

SEGMENTS = (
    Segment(
        "families",
        0.34,
        age=(41, 5),
        years_as_customer=(5, 1.8),
        orders_per_year=(20, 4),
        average_basket=(95, 16),
        discount_share=(0.22, 0.07),
        children=2.1,
        uses_app=0.03,
        newsletter=0.97,
        loyalty_card=0.98,
        channels=(0.015, 0.975, 0.01),
    ),
    Segment(
        "young app users",
        0.28,
        age=(26, 3.5),
        years_as_customer=(1.6, 0.8),
        orders_per_year=(31, 6),
        average_basket=(28, 7),
        discount_share=(0.18, 0.06),
        children=0.1,
        uses_app=0.98,
        newsletter=0.03,
        loyalty_card=0.02,
        channels=(0.01, 0.015, 0.975),
    ),
    Segment(
        "loyal seniors",
        0.22,
        age=(68, 5.5),
        years_as_customer=(13, 3),
        orders_per_year=(11, 3),
        average_basket=(47, 9),
        discount_share=(0.12, 0.05),
        children=0.0,
        uses_app=0.01,
        newsletter=0.03,
        loyalty_card=0.98,
        channels=(0.985, 0.01, 0.005),
    ),
    Segment(
        "bargain hunters",
        0.16,
        age=(44, 9),
        years_as_customer=(2.4, 1.0),
        orders_per_year=(5, 1.8),
        average_basket=(24, 6),
        discount_share=(0.71, 0.09),
        children=0.7,
        uses_app=0.03,
        newsletter=0.98,
        loyalty_card=0.02,
        channels=(0.015, 0.975, 0.01),
    ),
)


def make_customers(n_rows: int = 600, seed: int = 0) -> pd.DataFrame:
    """A table of customers: an identifier, numbers, booleans and a category. Same seed, same table."""
    rng = np.random.default_rng(seed)
    segments = _draw_segments(n_rows, rng)
    parts = [_draw_customers(s, int((segments == k).sum()), rng) for k, s in enumerate(SEGMENTS)]
    drawn = pd.concat(parts, ignore_index=True)
    # Rows were drawn segment by segment; put each where its segment stands in the shuffled order.
    order = np.empty(n_rows, dtype=np.intp)
    order[np.argsort(segments, kind="stable")] = np.arange(n_rows)
    table = drawn.iloc[order].reset_index(drop=True)
    table.insert(0, "customer_id", _draw_identifiers(n_rows, rng))
    return table


def planted_segments(n_rows: int = 600, seed: int = 0) -> pd.Series[str]:
    """The name of the segment that each row of ``make_customers(n_rows, seed)`` was drawn from."""
    names = np.array([s.name for s in SEGMENTS], dtype=object)
    return pd.Series(names[_draw_segments(n_rows, np.random.default_rng(seed))], name="segment")


def _draw_segments(n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    shares = np.array([s.share for s in SEGMENTS])
    ends = np.round(np.cumsum(shares) * n_rows).astype(np.intp)
    return rng.permutation(np.repeat(np.arange(len(SEGMENTS)), np.diff(ends, prepend=0)))


def _draw_identifiers(n_rows: int, rng: np.random.Generator) -> list[str]:
    numbers = rng.choice(max(90_000, 10 * n_rows), size=n_rows, replace=False) + 10_000
    return [f"C{number}" for number in numbers]


def _draw_customers(segment: Segment, size: int, rng: np.random.Generator) -> pd.DataFrame:
    def normal(pair: tuple[float, float], low: float, high: float) -> NDArray[np.float64]:
        return np.clip(rng.normal(*pair, size), low, high)

    return pd.DataFrame(
        {
            "age": normal(segment.age, 18, 90).round().astype(np.int64),
            "children": np.minimum(rng.poisson(segment.children, size), 5).astype(np.int64),
            "years_as_customer": normal(segment.years_as_customer, 0.1, 25).round(1),
            "orders_per_year": normal(segment.orders_per_year, 1, 60).round().astype(np.int64),
            "average_basket": normal(segment.average_basket, 5, 200).round(2),
            "discount_share": normal(segment.discount_share, 0, 1).round(2),
            "uses_app": rng.random(size) < segment.uses_app,
            "newsletter": rng.random(size) < segment.newsletter,
            "loyalty_card": rng.random(size) < segment.loyalty_card,
            "channel": rng.choice(CHANNELS, size, p=segment.channels),
        }
    )
