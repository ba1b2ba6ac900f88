"""Numbers in SQL, digit for digit: each reads back as the same double in every engine."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from polyclust.explain.spelling import format_number

__all__ = ["double_type", "write_double", "write_number"]

LARGEST_WHOLE = 2.0**53
DECIMAL_DIGITS = 15


def double_type(dialect: str) -> exp.DataType:
    if dialect == "oracle":  # its DOUBLE PRECISION is a decimal NUMBER
        return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BINARY_DOUBLE")
    return exp.DataType(this=exp.DataType.Type.DOUBLE)


def write_number(value: float, dialect: str) -> exp.Expression:
    """Whole numbers as they are: every engine converts them exactly. Others as doubles."""
    if float(value).is_integer() and abs(value) <= LARGEST_WHOLE:
        return exp.Literal.number(int(value))
    return write_double(value, dialect)


def write_double(value: float, dialect: str) -> exp.Expression:
    if dialect == "sqlite" and not _sqlite_reads(value):
        return exp.Paren(this=_build_from_binary(value, dialect))
    size: exp.Expression = exp.Literal.number(_spell_double(abs(value)))
    return exp.cast(exp.Neg(this=size) if value < 0 else size, double_type(dialect))


def _spell_double(value: float) -> str:
    """The shortest text that reads back the same, with an exponent where a DECIMAL would lose digits."""
    text = format_number(value)
    if "e" not in text and len(text.strip("-0.").replace(".", "")) > DECIMAL_DIGITS:
        return f"{Decimal(text):e}"
    return text


def _sqlite_reads(value: float) -> bool:
    """Whether SQLite reads the shortest decimal text of a number exactly, with doubles and with long doubles.

    SQLite promises only 15 digits. It scales a whole number by a power of ten: exact in doubles up to 10^22,
    but builds with 64-bit long doubles round twice.
    """
    _, digits, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    assert isinstance(exponent, int)
    whole = int("".join(map(str, digits)))
    if whole >= LARGEST_WHOLE or not -22 <= exponent <= 0:
        return float(value).is_integer() and abs(value) <= LARGEST_WHOLE
    quotient = Fraction(whole, 10**-exponent)
    shift = 64 - (math.frexp(abs(value))[1] if value else 0)
    rounded_once = Fraction(round(quotient * Fraction(2) ** shift)) / Fraction(2) ** shift
    return float(rounded_once) == abs(value)


def _build_from_binary(value: float, dialect: str) -> exp.Expression:
    """The number as a whole number times powers of two, each step exact."""
    fraction, exponent = math.frexp(value)
    whole, exponent = int(fraction * LARGEST_WHOLE), exponent - 53
    while whole % 2 == 0:
        whole, exponent = whole // 2, exponent + 1
    result: exp.Expression = exp.cast(exp.Literal.number(whole), double_type(dialect))
    while exponent:
        step = min(abs(exponent), 62)
        power = exp.Literal.number(2**step)
        if exponent > 0:
            result = exp.Mul(this=result, expression=power)
        else:
            result = exp.Div(this=result, expression=power, typed=True)
        exponent -= step if exponent > 0 else -step
    return result
