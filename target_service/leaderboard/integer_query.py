"""A query of one integer parameter, quick to read when it is written plainly."""

import re
from collections.abc import Mapping

from target_service.problems import FieldProblem
from target_service.query import IntegerParameter, Parameter, read_query


class IntegerQuery:
    """Reads `name=number`, and everything else with care."""

    def __init__(
        self,
        name: str,
        default: int,
        bounds: tuple[int, int],
        others: Mapping[str, Parameter] | None = None,
    ) -> None:
        self._name = name
        self._default = default
        self._high = bounds[1]
        self._plain = re.compile(name.encode() + rb"=([1-9][0-9]{0,3})").fullmatch
        self._parameters = {name: IntegerParameter(*bounds), **(others or {})}

    def read(self, query: bytes) -> tuple[int, list[FieldProblem], dict[str, int | str]]:
        """Return the number, the problems found, and the other parameters given."""
        if not query:
            return self._default, [], {}
        plain = self._plain(query)
        if plain is not None and (number := int(plain[1])) <= self._high:
            return number, [], {}
        values, problems = read_query(query, self._parameters)
        return int(values.pop(self._name, self._default)), problems, values
