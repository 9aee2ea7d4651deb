"""What the code of the paths on ModelArts stands for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Rule

CODE = "NPU990"


class ModelArtsPaths(Rule):
    """Paths are those of a training on ModelArts, on request (``--modelarts``).

    What it does: Puts ``ModelArtsPathManager().get_path(...)`` around each path that a call of the table is
    given, by the call's signature, and adds the package ``ascend_modelarts_function`` with the manager and
    the mapping of paths, which the user fills in. What is visibly an open file, or is wrapped already, stays.
    Notebooks stay, too.

    Why it matters on the NPU: On ModelArts data and results lie in OBS, which ``open`` and its like do not
    reach. Where the package ``moxing`` is missing, the manager leaves every path as it is.

    Example: ``torch.load(path)`` becomes ``torch.load(ModelArtsPathManager().get_path(path))``.

    Use instead: ``ModelArtsPathManager().get_path(path)`` by hand, for paths that reach their files on ways
    that the table does not have.
    """

    code = CODE
    name = "modelarts-paths"
    family = Family.ENVIRONMENT


STEPS: tuple[Rule, ...] = (ModelArtsPaths(),)
