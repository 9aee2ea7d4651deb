"""What the code of the paths on ModelArts stands for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Rule

CODE = "NPU990"


class ModelArtsPaths(Rule):
    """Paths are adapted to training on ModelArts, on request (``--modelarts``).

    What it does: Wraps each path that is passed to a function of its table in
    ``ModelArtsPathManager().get_path(...)``, and adds the package ``ascend_modelarts_function`` with the path
    manager and the mapping of paths, which you fill in. Arguments that are visibly open files, or that are
    wrapped already, are not changed; neither are notebooks.

    Why it matters on the NPU: On ModelArts, data and results are stored in OBS, which ``open`` and similar
    functions cannot access. Without the package ``moxing``, the manager returns every path unchanged.

    Example: ``torch.load(path)`` becomes ``torch.load(ModelArtsPathManager().get_path(path))``.

    Use instead: ``ModelArtsPathManager().get_path(path)`` by hand, for files that are opened by functions
    that the table does not list.
    """

    code = CODE
    name = "modelarts-paths"
    family = Family.ENVIRONMENT


STEPS: tuple[Rule, ...] = (ModelArtsPaths(),)
