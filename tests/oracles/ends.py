"""The slow twin of rounded ends: every step is tried, from the coarsest down, in exact arithmetic."""

from fractions import Fraction


def outward(low, high):
    """Both ends of one range, moved outward to multiples of the coarsest step that costs a hundredth of its width at most."""
    if low == high:
        return low, high
    power = 0
    while Fraction(10) ** power < Fraction(high) - Fraction(low):
        power += 1
    while Fraction(10) ** (power - 1) > Fraction(high) - Fraction(low):
        power -= 1
    for p in range(power + 1, power - 6, -1):
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** p
            below, above = multiple_below(low, step), -multiple_below(-high, step)
            if (low - below) + (above - high) <= 0.01 * (high - low):
                return below, above
    raise AssertionError("half of a hundredth of the width always fits")


def multiple_below(number, step):
    """The largest multiple of a step that is at most the number, both as floats."""
    n = Fraction(number) // step
    return max(float(step * times) for times in range(n - 2, n + 3) if float(step * times) <= number)
