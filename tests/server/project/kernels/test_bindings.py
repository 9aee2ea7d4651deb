"""By which Python names a C++ function is called, and which of them come to a kernel."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gpu2ascend.project.kernels.cpp_text import functions_of
from gpu2ascend.project.kernels.sized import HostCode, bound_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('m.def("add", &add_cuda, "doc");', {"add_cuda": {"add"}}),
        ('m . def ( "add" , add_cuda );', {"add_cuda": {"add"}}),
        ('m.def("add", &ns::inner::add_cuda);', {"add_cuda": {"add"}}),
        ('m.impl("add", TORCH_FN(add_cuda));', {"add_cuda": {"add"}}),
        ('m.impl("ns::add", torch::wrap_pybind_function(add_cuda));', {"add_cuda": {"add"}}),
        ('m.def("add(Tensor x) -> Tensor", &add_cuda);', {"add_cuda": {"add"}}),
        ('r.op("ns::add", &add_cuda);', {"add_cuda": {"add"}}),
        ('m.def("add", &f); m.def("plus", &f);', {"f": {"add", "plus"}}),
        ('// m.def("add", &f);\n/* m.def("plus", &f); */', {}),
        ('m.define("add", &f);', {}),
        ('def("add", &f);', {}),
    ],
)
def test_the_python_names_that_a_source_gives(text: str, names: dict[str, set[str]]) -> None:
    assert bound_names(text) == names


def host(text: str, **bound: str) -> HostCode:
    code = HostCode()
    code.add(functions_of(text), {name: {python} for name, python in bound.items()})
    return code


def chain(*names: str) -> str:
    """Functions of which each calls the one before it."""
    return "\n".join(f"void {name}() {{ {below}(); }}" for below, name in pairwise(names))


def test_who_comes_to_a_kernel_through_others_is_known_by_its_python_name() -> None:
    code = host(chain("k", "launch_k", "k_cuda", "k_forward"), k_forward="k", k_cuda="raw", other="other")
    assert code.python_names("k") == {"k", "raw"}
    assert code.python_names("launch_k") == {"k", "raw"}
    assert code.python_names("k_forward") == {"k"}
    assert code.python_names("nothing") == frozenset()


def test_a_kernel_may_be_bound_itself() -> None:
    assert host(chain("a", "b"), a="first", b="second").python_names("a") == {"first", "second"}


def test_who_mentions_a_name_that_many_functions_have_need_not_mean_this_one() -> None:
    code = host(chain("k", "forward", "above"), forward="forward", above="above")
    assert code.python_names("k") == {"forward"}
    assert host(chain("k", "k_forward", "above"), above="above").python_names("k") == {"above"}


def test_six_steps_are_followed() -> None:
    names = [f"f{number}" for number in range(9)]
    found = host(chain("k", *names), **{name: name for name in names}).python_names("k")
    assert found == set(names[:6])


def test_functions_that_call_each_other_come_to_an_end() -> None:
    code = host("void a() { b(); k(); }\nvoid b() { a(); }", a="a", b="b")
    assert code.python_names("k") == {"a", "b"}


def test_what_several_files_bind_and_mention_counts_together() -> None:
    code = host(chain("k", "one"), one="first")
    code.add(functions_of(chain("k", "two")), {"two": {"second"}, "one": {"again"}})
    assert code.python_names("k") == {"first", "second", "again"}
