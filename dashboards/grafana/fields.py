"""How the numbers of a panel are read: unit, range, colours, and the words for no number at all."""

from dataclasses import dataclass
from typing import Final

from grafana_foundation_sdk.models.dashboard import (
    DashboardFieldConfigSourceOverrides,
    DynamicConfigValue,
    FieldColor,
    FieldColorModeId,
    FieldConfig,
    MatcherConfig,
    Threshold,
    ThresholdsConfig,
    ThresholdsMode,
)

# the colour of every value below the first step
CALM: Final = "green"


@dataclass(frozen=True)
class Field:
    """The unit and range of a panel's numbers; steps are (from this value on, this colour)."""

    unit: str
    min: float = 0
    max: float | None = None
    decimals: int | None = None
    steps: tuple[tuple[float, str], ...] = ()
    base: str = CALM
    no_value: str = "no data"


# a share alone is neither good nor bad: what is hot depends on how many keys there are
SHARE: Final = Field("percentunit", max=1, decimals=1, base="blue", no_value="no load yet")
# share over fair share; the hot-key alert stands at 2.5
HEAT: Final = Field(
    "short", decimals=2, steps=((1.5, "orange"), (2.5, "red")), no_value="no load yet"
)
EFFECTIVE: Final = Field("short", min=1, decimals=1, no_value="no load yet")
# answers to requests offered before the window can make it pass 1 for a moment
ACHIEVED_RATIO: Final = Field(
    "percentunit",
    max=1.5,
    decimals=1,
    base="red",
    steps=((0.95, "orange"), (0.99, "green")),
    no_value="no run yet",
)
LATENCY: Final = Field("s", no_value="no answers")
LATENCY_NOW: Final = Field("s", steps=((0.05, "orange"), (0.25, "red")), no_value="no answers")


def field_config(field: Field, color: FieldColorModeId, custom: object) -> FieldConfig:
    """Turn a field into Grafana's form of it."""
    return FieldConfig(
        unit=field.unit,
        min_val=field.min,
        max_val=field.max,
        decimals=field.decimals,
        thresholds=field_thresholds(field),
        color=FieldColor(mode=color),
        no_value=field.no_value,
        custom=custom,
    )


def field_thresholds(field: Field) -> ThresholdsConfig:
    """Turn a field's steps into Grafana's form of them."""
    steps = [Threshold(value=None, color=field.base)]
    steps += [Threshold(value=value, color=name) for value, name in field.steps]
    return ThresholdsConfig(mode=ThresholdsMode.ABSOLUTE, steps=steps)


def override(name: str, **properties: object) -> DashboardFieldConfigSourceOverrides:
    """Give one series or column, by the name it is shown under, properties of its own."""
    return DashboardFieldConfigSourceOverrides(
        matcher=MatcherConfig(id_val="byName", options=name),
        properties=[
            DynamicConfigValue(id_val=key, value=value) for key, value in properties.items()
        ],
    )
