"""Overrides of a scenario: texts of the form name=value."""

from collections.abc import Mapping, Sequence

from workload.fields import Field, shown, unknown_name


def read_overrides(
    overrides: Sequence[str], fields: Mapping[str, Field]
) -> tuple[dict[str, object], list[str]]:
    """Read the values by name, the last of a name counting, and what could not be understood."""
    values: dict[str, object] = {}
    problems: list[str] = []
    for override in overrides:
        name, equals, text = override.partition("=")
        name = name.strip()
        if not equals:
            problems.append(
                f"{shown(override)} is no override; write name=value, such as top_k_share=0.25."
            )
        elif name not in fields:
            problems.append(unknown_name(name, tuple(fields)))
        else:
            values[name] = fields[name].read(text.strip())
    return values, problems
