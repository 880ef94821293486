"""A query with one integer parameter, quick to read when it is written plainly."""

import re

from target_service.problems import FieldProblem
from target_service.query import IntegerParameter, Parameter, Values, read_query


class IntegerQuery:
    """Reads `name=number` at once, and everything else with care."""

    def __init__(self, name: str, integer: IntegerParameter, **others: Parameter) -> None:
        self.parameters: dict[str, Parameter] = {name: integer, **others}
        self._name = name
        self._integer = integer
        self._plain = re.compile(name.encode() + rb"=([1-9][0-9]{0,3})").fullmatch

    def read(self, query: bytes) -> tuple[int, Values, list[FieldProblem]]:
        """Return the number, the other values given, and every problem found."""
        if not query:
            return self._integer.default, {}, []
        plain = self._plain(query)
        # The care below is what enforces the lower end; every range here starts at 1.
        if plain is not None and (number := int(plain[1])) <= self._integer.high:
            return number, {}, []
        values, problems = read_query(query, self.parameters)
        return int(values.pop(self._name, self._integer.default)), values, problems
