"""A text in a dictionary is a device by its key, by where the dictionary goes, and by what looks it up."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow import Role
from tests.rules.probing import verdict_on_cuda


def found(code: str) -> tuple[Role, bool]:
    """The role of the one text of CUDA in the code, and whether its place alone proves it."""
    verdict = verdict_on_cuda("import torch, jax\n" + code)
    return verdict.role, verdict.certain


def role(code: str) -> Role:
    return found(code)[0]


@pytest.mark.parametrize("read", ["d['mode']", "d.get('mode')", "d.pop('mode')", "d[key]", "d.get(key)"])
def test_a_value_is_what_its_item_is_used_as(read: str) -> None:
    for made in ("d = {'mode': 'cuda'}\n", "d = dict(mode='cuda')\n", "d = {}\nd['mode'] = 'cuda'\n"):
        assert role(f"{made}x.to({read})\n") is Role.CONSUMED


@pytest.mark.parametrize(
    "read", ["d['other']", "d.get('other')", "d.items('mode')", "e['mode']", "d['mode', 1]", "f(d)"]
)
def test_another_item_says_nothing_of_it(read: str) -> None:
    assert role(f"d = {{'mode': 'cuda'}}\nx.to({read})\n") is Role.SHOWN


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(
            "self.d = {'mode': 'cuda'}\nx.to(self.d['mode'])\n", Role.CONSUMED, id="the same attribute"
        ),
        pytest.param("self.d = {'mode': 'cuda'}\nx.to(self.e['mode'])\n", Role.SHOWN, id="another attribute"),
        pytest.param(
            "self.d = {'mode': 'cuda'}\nx.to(other.d['mode'])\n", Role.SHOWN, id="of another object"
        ),
        pytest.param(
            "class A:\n    d = {'mode': 'cuda'}\n    def f(self):\n        x.to(self.d['mode'])\n",
            Role.CONSUMED,
            id="of the class",
        ),
        pytest.param(
            "def f():\n    d = {'mode': 'cuda'}\ndef g(d):\n    x.to(d['mode'])\n",
            Role.SHOWN,
            id="of another scope",
        ),
        pytest.param("x.to({'mode': 'cuda'}['mode'])\n", Role.CONSUMED, id="on the spot"),
    ],
)
def test_a_dictionary_is_followed_by_its_name(code: str, expected: Role) -> None:
    assert role(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("f(**{'device': 'cuda'})\n", Role.CONSUMED, id="unpacked into a keyword called device"),
        pytest.param("d = {'device': 'cuda'}\ntorch.zeros(2, **d)\n", Role.CONSUMED, id="by its name"),
        pytest.param("f(device={'a': 'cuda'})\n", Role.CONSUMED, id="the argument called device"),
        pytest.param("f(mode={'a': 'cuda'})\n", Role.SHOWN, id="another argument"),
        pytest.param("torch.f({'device': 'cuda'})\n", Role.CONSUMED, id="given to torch"),
        pytest.param("jax.f({'device': 'cuda'})\n", Role.FOREIGN, id="given to another framework"),
        pytest.param("f({'device': 'cuda'})\n", Role.UNKNOWN, id="given to anybody"),
        pytest.param("torch.f({'mode': 'cuda'})\n", Role.SHOWN, id="given to torch under another key"),
        pytest.param(
            "jax.f({'mode': 'cuda'})\n", Role.SHOWN, id="given to another framework under another key"
        ),
        pytest.param("e = {**{'device': 'cuda'}}\n", Role.UNKNOWN, id="unpacked into a dictionary"),
    ],
)
def test_a_value_is_what_the_dictionary_is_given_for(code: str, expected: Role) -> None:
    assert role(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("d = {'device': 'cuda'}\n", Role.UNKNOWN, id="under a telling key"),
        pytest.param("d = {'mode': 'cuda'}\n", Role.SHOWN, id="under another key"),
        pytest.param("d['device'] = 'cuda'\n", Role.UNKNOWN, id="assigned under a telling key"),
        pytest.param("d['mode'] = 'cuda'\n", Role.SHOWN, id="assigned under another key"),
        pytest.param("d[key] = 'cuda'\n", Role.SHOWN, id="assigned under any key"),
        pytest.param("d[a, b] = 'cuda'\n", Role.SHOWN, id="assigned under two"),
        pytest.param(
            "d[key] = 'cuda:0'\n", Role.UNKNOWN, id="a text that can be nothing else, under any key"
        ),
        pytest.param("d = {'mode': 'cuda:0'}\n", Role.UNKNOWN, id="the same under another key"),
    ],
)
def test_where_nobody_reads_a_value_its_key_says_whether_it_may_be_a_device(
    code: str, expected: Role
) -> None:
    assert role(code) is expected


@pytest.mark.parametrize(
    "look_up",
    [
        "t[device]",
        "t[x.device.type]",
        "t.get(device)",
        "t.get(device, 0)",
        "device in t",
        "device.type not in t",
    ],
)
def test_the_keys_of_a_table_that_is_looked_up_by_a_device_are_devices(look_up: str) -> None:
    assert found(f"t = {{'cuda': 1}}\nif {look_up}: ...\n") == (Role.KEY, True)


@pytest.mark.parametrize("look_up", ["{'cuda': 1}[device]", "{'cuda': 1}.get(device.type)"])
def test_so_are_those_of_one_that_is_looked_up_on_the_spot(look_up: str) -> None:
    assert found(f"{look_up}\n") == (Role.KEY, True)


@pytest.mark.parametrize(
    "look_up",
    ["t[mode]", "t.get(mode)", "t.get(mode, device)", "t.update(device)", "mode in t", "t in device"],
)
def test_the_keys_of_a_table_that_is_looked_up_by_anything_are_not(look_up: str) -> None:
    assert role(f"t = {{'cuda': 1}}\nif {look_up}: ...\n") is Role.SHOWN


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("t = {'cuda': 1, 'cpu': 2}\n", (Role.KEY, False), id="two devices"),
        pytest.param("t = {'cuda': 1}\n", (Role.SHOWN, True), id="one alone"),
        pytest.param("t = {'cuda': 1, 'x': 2}\n", (Role.SHOWN, True), id="beside another word"),
        pytest.param("t = {'cuda': 1, 'default': 2}\n", (Role.SHOWN, True), id="beside no device"),
        pytest.param("t = {'cuda': 1, key: 2}\n", (Role.SHOWN, True), id="beside what is not known"),
    ],
)
def test_keys_that_are_devices_and_nothing_else_likely_are(code: str, expected: tuple[Role, bool]) -> None:
    assert found(code) == expected


MAP = "{'cuda:0': 'cpu'}"


@pytest.mark.parametrize(
    "code",
    [
        f"torch.load(f, map_location={MAP})\n",
        f"torch.load(f, {MAP})\n",
        f"torch.load(f,  # comment\n    {MAP})\n",
        f"map_location = {MAP}\n",
        f"self.map_location = {MAP}\n",
        f"m = {MAP}\ntorch.load(f, map_location=m)\n",
        f"m = {MAP}\ntorch.load(f, m)\n",
    ],
)
def test_a_dictionary_for_map_location_maps_devices(code: str) -> None:
    assert found(code) == (Role.MAPPING, False)


@pytest.mark.parametrize(
    "code",
    [
        f"load(f, {MAP})\n",
        f"torch.load({MAP}, f)\n",
        f"torch.load(f, other={MAP})\n",
        f"m = {MAP}\ng(f, m)\n",
        f"m = {MAP}\ntorch.load(m, f)\n",
    ],
)
def test_one_for_anything_else_does_not(code: str) -> None:
    assert found(code) == (Role.KEY, False)


def test_a_dictionary_with_many_entries_is_data() -> None:
    def table(count: int) -> str:
        return "d = {" + "".join(f"'k{number}': 1, " for number in range(count)) + "'device': 'cuda'}\n"

    assert role(table(99)) is Role.UNKNOWN
    assert role(table(100)) is Role.SHOWN


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("kw = dict(device='cuda', **kw)\n", id="by a keyword"),
        pytest.param("kw = dict(device='cuda')\nkw = dict(**kw, a=1)\n", id="then with another entry"),
        pytest.param("kw = dict(device='cuda')\nb = dict(**kw)\nkw = dict(**b)\n", id="by another name"),
        pytest.param("kw['device'] = 'cuda'\nkw['device'] = kw['device']\n", id="item by item"),
    ],
)
def test_a_dictionary_that_is_made_of_itself_is_followed_once(code: str) -> None:
    body = "".join(f"    {line}\n" for line in code.splitlines())
    assert role(f"def f(**kw):\n{body}    torch.zeros(1, **kw)\n") is Role.CONSUMED


@pytest.mark.parametrize(
    ("first", "link", "last"),
    [
        pytest.param("k0 = dict(device='cuda')\n", "k{} = dict(**k{})\n", "**k{}", id="by keywords"),
        pytest.param(
            "k0 = {'device': 'cuda'}\n", "k{} = {{'device': k{}['device']}}\n", "k{}['device']", id="by items"
        ),
    ],
)
def test_a_chain_of_dictionaries_is_followed_however_long_it_is(first: str, link: str, last: str) -> None:
    def chained(count: int) -> Role:
        links = "".join(link.format(number, number - 1) for number in range(1, count + 1))
        given = last.format(count)
        return role(f"{first}{links}torch.zeros(1, {given if '**' in given else 'device=' + given})\n")

    assert chained(4) is Role.CONSUMED
    assert chained(1500) is Role.CONSUMED
