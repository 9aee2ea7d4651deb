"""Arrays and records are made up as the code asks for them; an error says what was assumed wrongly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend_simulator.session.fake_data.files import restart
from gpu2ascend_simulator.session.fake_data.files.arrays import SAMPLES, Assumed, Site
from gpu2ascend_simulator.session.fake_data.files.callers import Caller
from gpu2ascend_simulator.session.fake_data.files.refining import refined
from gpu2ascend_simulator.session.fake_data.files.uses import use_of
from tests.simulator.session.projects import run, said

pytest.importorskip("numpy")


@pytest.mark.parametrize(
    ("asks", "printed"),
    [
        ("n, *others, t, u, v = x.shape\nprint(x.ndim)", "4"),
        ("n, c, t = x.shape\nprint(x.ndim, x.dtype)", "3 float32"),
        ("y = x[:, :, :5]\nprint(y.shape[2])", "5"),
        ("print(np.transpose(x, (0, 3, 1, 2)).ndim)", "4"),
        ("labels = x\nprint(labels.dtype, sorted(set(labels.tolist())))", "int64 [0, 1]"),
        ("print(x.ndim)", "2"),
    ],
)
def test_an_array_has_the_axes_and_the_type_that_are_asked_for(
    tmp_path: Path, asks: str, printed: str
) -> None:
    code = f"import numpy as np\nx = np.load('train.npy')\n{asks}\n"
    assert said(run(tmp_path, code))[1] == [printed]


@pytest.mark.parametrize(
    ("given", "printed"),
    [("dtype=int", "int64 37"), ("usecols=(0, 3)", "float64 2"), ("delimiter=','", "float64 37")],
)
def test_a_table_is_as_the_arguments_of_its_reader_say(tmp_path: Path, given: str, printed: str) -> None:
    code = f"import numpy as np\nx = np.loadtxt('a.txt', {given})\nprint(x.dtype, x.shape[1])\n"
    assert said(run(tmp_path, code))[1] == [printed]


def test_a_file_that_is_opened_for_a_reader_of_tables_is_one(tmp_path: Path) -> None:
    code = """\
    import numpy as np
    def read(path):
        with open(path) as file:
            return np.loadtxt(file, delimiter=",")
    print(read("electricity.txt").ndim)
    """
    assert said(run(tmp_path, code))[1] == ["2"]


def test_what_is_made_up_is_said_with_its_shape(tmp_path: Path) -> None:
    made, _ = said(run(tmp_path, "import numpy as np\nnp.load('train.npz')['x'][:, :, 0]\n"))
    assert made == ["npz of train.npz (x: 131 x 37 x 41; read at data.py:2)"]


def test_a_tuple_has_its_parts_where_a_function_returns_it(tmp_path: Path) -> None:
    code = """\
    import pickle
    def read(path):
        with open(path, "rb") as file:
            found = pickle.load(file)
        return found
    names, label = read("label.pkl")
    print(names.ndim, label.ndim, label.dtype)
    """
    assert said(run(tmp_path, code))[1] == ["2 1 int64"]


def test_records_have_the_keys_that_are_asked_for(tmp_path: Path) -> None:
    code = """\
    import json
    rows = json.load(open("train.json"))
    row = rows[3]
    torch = type("torch", (), {"ByteTensor": len})
    print(torch.ByteTensor(row["hard"]), row["hard"][0] in (0, 1))
    print(len(rows), sorted(row["text"].split())[0], row["label"] in (0, 1), len(row["box"][0:4]))
    for line in open("train.jsonl"):
        item = json.loads(line)
        print(item["question"].split()[0])
        break
    """
    assert said(run(tmp_path, code))[1] == [f"{SAMPLES} True", f"{SAMPLES} a True 4", "a"]


def test_a_value_is_followed_to_what_it_is_passed_to(tmp_path: Path) -> None:
    code = """\
    import json
    FORMS = {"long": "{instruction} with {input}", "short": "{instruction} {{}}"}
    def opened(path):
        return open(path)
    def read(path):
        return json.load(opened(path))
    class Rows:
        def __init__(self, rows):
            self.rows = rows
        def __getitem__(self, at):
            return self.rows[at]["answer"]
    def filled(rows):
        return [FORMS["long"].format_map(row) for row in rows]
    rows = read("pairs.json")
    print(Rows(rows)[0] == rows[0]["input"], len(filled(rows)), sorted(rows[0]))
    """
    assert said(run(tmp_path, code))[1] == [f"True {SAMPLES} ['answer', 'input', 'instruction']"]


def test_images_of_a_list_are_paths(tmp_path: Path) -> None:
    code = """\
    import json
    class Image:
        def open(path):
            return open(path, "rb").read(4)
    paths = json.load(open("images.json"))
    print(Image.open(paths[2])[1:])
    """
    assert said(run(tmp_path, code))[1] == ["b'PNG'"]


def test_what_is_asked_for_its_items_has_some(tmp_path: Path) -> None:
    code = """\
    import json
    words = json.load(open("words.json"))
    print(sorted(len(name) for name, _ in words.items())[0])
    """
    assert said(run(tmp_path, code))[1] == ["1"]


@pytest.mark.parametrize("read", ["pickle.load(open('vocab.pkl', 'rb'))", "json.load(open('config.json'))"])
def test_where_nothing_is_asked_nothing_is_made_up(tmp_path: Path, read: str) -> None:
    (line,) = run(tmp_path, f"import json, pickle\nprint({read})\n")
    assert line.startswith("FileNotFoundError")


@pytest.mark.parametrize(
    "asks",
    [
        f"x{'[0]' * 900}",
        f"x[{', '.join(':' * 60)}]",
        "; ".join(f"x['k{number}'][:, :, :, :]" for number in range(60)),
    ],
    ids=["deep", "many axes", "many arrays"],
)
def test_what_would_be_too_large_stays_missing(tmp_path: Path, asks: str) -> None:
    lines = run(tmp_path, f"import pickle\nx = pickle.load(open('x.pkl', 'rb'))\nif 0: {asks}\n")
    assert lines[-1].startswith("FileNotFoundError")


def test_records_in_records_are_few(tmp_path: Path) -> None:
    code = """\
    import json
    rows = json.load(open("rows.json"))
    count = 0
    for row in rows:
        for thing in row["things"]:
            for point in thing["points"]:
                count += point["x"] < 2
    print(len(rows), count)
    """
    assert said(run(tmp_path, code))[1] == [f"{SAMPLES} {SAMPLES * 16 * 16}"]


def test_a_line_is_looked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "data.py"
    path.write_text("import numpy as np\nx = np.load('x.npy')\n")
    assert use_of(Caller(str(path), 2, "", {})) is use_of(Caller(str(path), 2, "", {"file": "y.npy"}))


def test_arrays_have_sizes_where_each_is_used(tmp_path: Path) -> None:
    found = Assumed(tmp_path / "assumed")
    for line in range(60):
        site = Site(f"data.py:{line}")
        found.array(site, "x", 3, is_whole=False, is_exact=False)
        found.save(site)
    assert found.site("data.py:59").arrays["x"].sizes == [SAMPLES, 37, 37]


def test_a_listed_folder_holds_what_its_class_reads(tmp_path: Path) -> None:
    code = """\
    import os
    import numpy as np
    class Data:
        def __init__(self):
            self.names = os.listdir("features")
        def read(self):
            return np.load(os.path.join("features", self.names[0]))[:, :, 0]
    print(Data().names[0].endswith(".npy"), Data().read().ndim)
    """
    assert said(run(tmp_path, code))[1] == ["True 2"]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot become another one")
def test_a_script_starts_again_with_what_its_error_asks_for(tmp_path: Path) -> None:
    code = """\
    import numpy as np
    x = np.load("x.npy")
    if x.ndim != 3:
        raise IndexError(f"too many indices: array is {x.ndim}-dimensional, but 3 were indexed")
    if x.shape[2] != 7:
        raise ValueError(f"operands could not be broadcast together with shapes (4,{x.shape[2]}) (4,7)")
    print(*x.shape)
    """
    printed = said(run(tmp_path, code))[1]
    assert [line for line in printed if not line.startswith("CHANGED")] == ["131 37 7"]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot become another one")
@pytest.mark.parametrize(("words", "starts"), [(["-c", ""], True), (["-"], False), ([], False)])
def test_a_script_of_standard_input_does_not_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, assumed: Assumed, words: list[str], starts: bool
) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python", *words])
    monkeypatch.setattr(restart, "_begin", lambda _: said_how.append("begun"))
    said_how: list[str] = []
    restart.Restart(tmp_path / "made_up", lambda how, _: said_how.append(how)).after("Expected 4, got 41")
    assert ("begun" in said_how) is starts


@pytest.fixture
def assumed(tmp_path: Path) -> Assumed:
    """One line that reads an array and its labels."""
    found = Assumed(tmp_path / "assumed")
    site = Site("data.py:3")
    found.array(site, "x", 3, is_whole=False, is_exact=False)
    found.array(site, "label", 0, is_whole=True, is_exact=False)
    found.save(site)
    return found


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("expected input[16, 37, 41] to have 3 channels, but got 37 channels instead", [SAMPLES, 3, 41]),
        ("mat1 and mat2 shapes cannot be multiplied (32x41 and 64x16)", [SAMPLES, 37, 64]),
        ("input.size(-1) must be equal to input_size. Expected 40, got 41", [SAMPLES, 37, 40]),
        ("The size of tensor a (8) must match the size of tensor b (41) at dimension 2", [SAMPLES, 37, 8]),
        ("size 207 is different from 131", [207, 37, 41]),
        ("array is 3-dimensional, but 4 were indexed", [SAMPLES, 37, 41, 43]),
        ("not enough values to unpack (expected 2, got 3)", [SAMPLES, 37]),
        ("Dimension out of range (expected to be in range of [-3, 2], but got 3)", [SAMPLES, 37, 41, 43]),
        ("Expected another shape than [16, 1, 37]", [SAMPLES, 37, 41, 43]),
        ("Expected 3, got 4", None),
        ("line 37: bad configuration", None),
        ("37", None),
        ("Expected 1000000000D input (got 2D input)", None),
        (f"Expected {'9' * 5000} got 41", None),
        ("no such device", None),
    ],
)
def test_an_error_names_a_size_that_nothing_else_has(
    assumed: Assumed, text: str, sizes: list[int] | None
) -> None:
    said_how = refined(text, assumed)
    found = assumed.site("data.py:3").arrays["x"].sizes
    assert (found if said_how else None) == sizes


def test_of_two_arrays_the_second_one_follows_the_first(assumed: Assumed) -> None:
    site = assumed.site("data.py:3")
    assumed.array(site, "y", 3, is_whole=False, is_exact=False)
    assumed.save(site)
    refined("The size of tensor a (164) must match the size of tensor b (41) at dimension 2", assumed)
    arrays = assumed.site("data.py:3").arrays
    assert (arrays["x"].sizes[2], arrays["y"].sizes[2]) == (41, 164)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("operands could not be broadcast together with shapes (37,41) (2,)", [SAMPLES, 37, 41, 2]),
        ("expected input[16, 41] to have 2 channels, but got 41 channels", [SAMPLES, 37, 2, 41]),
    ],
)
def test_an_axis_more_stands_where_what_is_known_stays(assumed: Assumed, text: str, sizes: list[int]) -> None:
    refined(text, assumed)
    refined("array is 3-dimensional, but 4 were indexed", assumed)
    assert assumed.site("data.py:3").arrays["x"].sizes == sizes


def test_what_still_differs_gets_an_axis_more(assumed: Assumed) -> None:
    text = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension 1"
    refined(text.format(12, 41), assumed)
    refined(text.format(307, 32), assumed)
    assert assumed.site("data.py:3").arrays["x"].sizes == [SAMPLES, 37, 41, 12]


@pytest.mark.parametrize(
    ("text", "size"), [("[4, 64]", 4096), ("[9999, 9999]", SAMPLES), ("[4, -1]", SAMPLES)]
)
def test_an_array_of_one_axis_is_long_enough_for_a_batch(assumed: Assumed, text: str, size: int) -> None:
    refined(f"shape '{text}' is invalid for input of size 130", assumed)
    assert assumed.site("data.py:3").arrays["label"].sizes == [size]


def test_an_error_about_axes_is_about_the_array_that_has_so_many(assumed: Assumed) -> None:
    refined("array is 1-dimensional, but 2 were indexed", assumed)
    arrays = assumed.site("data.py:3").arrays
    assert [len(arrays[name].sizes) for name in ("x", "label")] == [3, 2]


@pytest.mark.parametrize(
    ("text", "is_whole"), [("Found dtype Long but expected Float", False), ("no such device", True)]
)
def test_an_error_about_a_type_is_about_what_is_called_a_class(
    assumed: Assumed, text: str, is_whole: bool
) -> None:
    refined(text, assumed)
    assert assumed.site("data.py:3").arrays["label"].is_whole is is_whole


def test_two_sizes_that_are_assumed_are_one_from_then_on(assumed: Assumed) -> None:
    one, other = Site("a.py:1"), Site("b.py:1")
    assumed.table(one, None, is_whole=False)
    assumed.save(one)
    rows, columns = assumed.table(other, None, is_whole=False).sizes
    assumed.save(other)
    refined(f"The size of tensor a ({rows}) must match the size of tensor b ({columns})", assumed)
    first = one.arrays["rows"].sizes[1]
    refined(f"The size of tensor a ({columns}) must match the size of tensor b ({first})", assumed)
    assert assumed.site("b.py:1").arrays["rows"].sizes == [first, first]


def test_an_assertion_names_both_sizes(assumed: Assumed) -> None:
    site = Site("a.py:1")
    size = assumed.array(site, "x", 2, is_whole=False, is_exact=True).sizes[1]
    assumed.save(site)
    refined(f"x.shape[1] == self.nodes: {size} and 307", assumed)
    assert assumed.site("a.py:1").arrays["x"].sizes[1] == 307


def test_where_nothing_is_left_for_a_batch_there_are_more_samples(assumed: Assumed) -> None:
    site = Site("a.py:1")
    assumed.array(site, "x", 2, is_whole=False, is_exact=True)
    assumed.save(site)
    assert refined("division by zero", assumed) == "1031 samples"
    assert assumed.site("a.py:1").arrays["x"].sizes[0] == 1031
    assert refined("division by zero", assumed) is None


def test_a_size_is_corrected_once(assumed: Assumed) -> None:
    text = "expected input[16, 5, 5] to have {} channels, but got {} channels instead"
    assert refined(text.format(3, 37), assumed) is not None
    assert refined(text.format(4, 3), assumed) is None
