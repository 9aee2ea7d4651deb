"""Other names of ``print``: a parameter or an attribute that nothing else is given to."""

from __future__ import annotations

from ....limits.parents import parent_type
from ....text.syntax import field, is_field
from ...program import Place
from ..job import Job

PRINT = "print"


def is_print_passed_on(job: Job) -> bool:
    """Whether a program gives ``print`` itself to something: ``def __init__(self, trace_func=print)``."""
    return any(
        not is_field(node, "function") and not is_field(node, "attribute")
        for file in job.program.files
        for node in file.identifiers(PRINT)
    )


def is_other_name_of_print(job: Job, call: Place) -> bool:
    """``self.trace_func(text)``, where nothing but ``print`` was given."""
    function = field(call.node, "function")
    is_name = function is not None and function.type in ("identifier", "attribute")
    if function is None or not is_name or parent_type(call.node) != "expression_statement":
        return False
    origins = job.origins.of(Place(call.file, function))
    return bool(origins) and all(origin.text == PRINT for origin in origins)
