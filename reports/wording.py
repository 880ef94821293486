"""Figures put into words, the same in the terminal and on the pages."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os.path import commonprefix
from urllib.parse import urlsplit


def plain(number: float) -> str:
    """A number as one writes it by hand, never with an exponent."""
    return f"{Decimal(str(number)).normalize():f}"


def cut(text: str, letters: int) -> str:
    """A name in so many letters, cut in its middle: names of a kind differ at their ends."""
    if len(text) <= letters:
        return text
    head, tail = letters // 2, max(letters - 1 - letters // 2, 0)
    return f"{text[:head]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - tail :]}"


def told_apart(names: Sequence[str], letters: int) -> list[str]:
    """Names of a kind in so many letters each; what all of them end with goes first."""
    if max(map(len, names), default=0) <= letters:
        return list(names)
    backwards = [name[::-1] for name in names]
    ending = commonprefix(backwards) if len(set(names)) > 1 else ""  # noqa: RUF071  (letters)
    shorter = [
        f"{name[: len(name) - len(ending)]}\N{HORIZONTAL ELLIPSIS}" if len(ending) > 1 else name
        for name in names
    ]
    return [cut(name, letters) for name in shorter]


def scale_words(scale: float) -> str:
    """The scale as a reader thinks of it: 0.001 is 1/1000."""
    exact = Fraction(str(scale))
    if exact == 1:
        return "all"
    if exact.numerator == 1:
        return f"1/{exact.denominator}"
    return f"{plain(scale)} times" if scale > 1 else f"{plain(float(exact * 100))} %"


def scale_of(scale: float, *, modelled_mix: bool) -> str:
    """The scale, and what it is a part of."""
    if modelled_mix:
        return f"{scale_words(scale)} of the model"
    return f"scale {plain(scale)} of the scenario's rates"


def no_key_words(*, none_needed: bool) -> str:
    """That no board key was touched, and whether this says anything of the run."""
    return "no board key was touched" + (" (this scenario has none)" if none_needed else "")


def percent(share: Fraction | float) -> str:
    """A share as a reader expects it, never rounded to the all or nothing that it is not."""
    hundredths = float(share) * 100
    text = f"{hundredths:.2f}".rstrip("0").rstrip(".")
    if text == "100" and share < 1:
        text = "over 99.99"
    if text == "0" and share > 0:
        text = "under 0.01"
    return f"{text} %"


def host_of(address: str) -> str | None:
    """The host of an address, or None when it is no address."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def ledger_words(ledger: str | None, sync: str | None) -> str | None:
    """What is to be said of the ledger beside every figure; None when nothing is known of it."""
    if ledger is None:
        return None
    if ledger == "none":
        return "LEDGER=none"
    return f"ledger {ledger}" + (f", LEDGER_SYNC={sync}" if sync == "normal" else "")
