"""The index of an open project knows what reading all files at once would say, whatever came and went."""

from __future__ import annotations

from gpu2ascend.project.index.facts.facts import FileFacts, ProjectFacts
from gpu2ascend.project.index.indexed_files import IndexedFiles

FILES = {
    "a.py": FileFacts(
        ("nn",),
        (("cuda", "a.Box"),),
        ("--device",),
        ("layers.norm",),
        ("cuda.HalfTensor",),
        ("torch",),
        ("device:where",),
        ("exp",),
        ("layers",),
        True,
        True,
    ),
    "b.py": FileFacts(
        ("nn", "F"),
        (("to", "b.Box"),),
        ("--gpu",),
        ("layers.norm", "x.*"),
        ("dtype",),
        (),
        ("backend:kind",),
        ("exp", "std"),
        ("layers", "x"),
        True,
    ),
    "d/d.py": FileFacts(frameworks=("jax", "torch")),
    "c.py": FileFacts(("nn",), (), (), (".norm",), ("cuda.HalfTensor", "dtype"), (), ("device:where",)),
}


def indexed(files: dict[str, FileFacts]) -> IndexedFiles:
    index = IndexedFiles()
    for path, facts in files.items():
        index.put(path, facts)
    return index


def without(*paths: str) -> dict[str, FileFacts]:
    return {path: facts for path, facts in FILES.items() if path not in paths}


def test_every_kind_of_fact_is_there() -> None:
    assert all(getattr(FILES["a.py"], field) for field in FileFacts._fields)
    facts = indexed(FILES).facts()
    assert facts == ProjectFacts.of(FILES.items())
    assert all(getattr(facts, field) for field in ProjectFacts._fields)


def test_what_only_a_removed_file_contributes_goes() -> None:
    for path in FILES:
        index = indexed(FILES)
        index.remove(path)
        assert index.facts() == ProjectFacts.of(without(path).items())


def test_a_file_that_changes_counts_as_it_is_now() -> None:
    index = indexed(FILES)
    index.put("a.py", FILES["c.py"])
    assert index.facts() == ProjectFacts.of({**FILES, "a.py": FILES["c.py"]}.items())


def test_of_an_empty_project_nothing_is_left() -> None:
    index = indexed(FILES)
    for path in FILES:
        index.remove(path)
    assert index.facts() == ProjectFacts() and len(index) == 0
