"""Files of a project's own data sets are made up where nothing is here, by what the code does with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.session.projects import run, said


def test_a_folder_has_files_with_the_suffix_that_the_code_names(tmp_path: Path) -> None:
    code = """\
    import os
    names = [name for name in sorted(os.listdir("photos")) if name.endswith(".jpeg")]
    print(len(names), names[0], os.path.isfile("photos/" + names[0]))
    """
    made, printed = said(run(tmp_path, code))
    assert printed == ["128 00000.jpeg True"]
    assert made == ["folder photos (128 x .jpeg; read at data.py:2)"]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("glob.glob('d/*.png')", ["d/00000.png", "d/00001.png"]),
        ("glob.glob('d/x_*.PNG')", ["d/x_00000.PNG", "d/x_00001.PNG"]),
        ("[str(p) for p in pathlib.Path('d').glob('*.wav')]", ["d/00000.wav", "d/00001.wav"]),
        ("glob.glob('d/*/im.png')", ["d/00000/im.png", "d/00001/im.png"]),
        ("[str(p) for p in pathlib.Path('d').rglob('*.png')]", ["d/00000.png", "d/00001.png"]),
        ("glob.glob('d/*.pth')", []),
        ("glob.glob('d/one.png')", []),
    ],
)
def test_a_pattern_finds_names_of_data_only(tmp_path: Path, call: str, names: list[str]) -> None:
    _, printed = said(run(tmp_path, f"import glob, pathlib\nprint(*sorted({call})[:2], sep='\\n')\n"))
    assert [line for line in printed if line] == names


def test_classes_are_folders_in_a_folder(tmp_path: Path) -> None:
    code = """\
    import os
    classes = [name for name in sorted(os.listdir("d")) if os.path.isdir(os.path.join("d", name))]
    print(len(classes), len(os.listdir(os.path.join("d", classes[0]))))
    """
    assert said(run(tmp_path, code))[1] == ["4 128"]


def test_lines_have_the_columns_that_the_code_takes_apart(tmp_path: Path) -> None:
    code = """\
    def read(path):
        for line in open(path):
            name, kind, box = line.strip().split("|")
            return name, int(kind), float(box)
    print(read("lists/train.txt"))
    """
    made, printed = said(run(tmp_path, code))
    assert printed == ["('00000', 0, 0.0)"]
    assert made == ["lines of lists/train.txt (128 numbers; read at data.py:2)"]


def test_lines_that_are_taken_apart_may_have_any_suffix(tmp_path: Path) -> None:
    code = """\
    def read(path):
        return [line.split()[1] for line in open(path)]
    def read_whole(path):
        return open(path).read()
    print(read("train.bmes")[:2])
    read_whole("model.bin")
    """
    assert said(run(tmp_path, code))[1] == [
        "['0', '1']",
        "FileNotFoundError: [Errno 2] No such file or directory: 'model.bin'",
    ]


def test_words_have_vectors(tmp_path: Path) -> None:
    code = """\
    def read_glove(path):
        for line in open(path):
            tokens = line.strip().split()
            return list(map(float, tokens[1:]))
    print(len(read_glove("vectors.50d")))
    """
    assert said(run(tmp_path, code))[1] == ["50"]


def test_rows_have_the_columns_that_the_code_counts(tmp_path: Path) -> None:
    code = """\
    import csv
    with open("links.csv") as file:
        rows = csv.reader(file)
        for row in rows:
            if len(row) != 3:
                continue
            print(len(row), int(row[0]))
            break
    """
    assert said(run(tmp_path, code))[1] == ["3 0"]


def test_what_is_caught_or_tested_for_stays_missing(tmp_path: Path) -> None:
    code = """\
    import os
    def cached():
        try:
            return open("cache.txt").read()
        except OSError:
            return "none"
    print(cached(), os.path.exists("resume.txt"), os.path.isdir("runs"))
    """
    assert run(tmp_path, code) == ["none False False"]


def test_what_has_to_exist_does(tmp_path: Path) -> None:
    code = """\
    import os
    assert os.path.isdir("photos"), "no photos"
    if not os.path.exists("list.txt"):
        raise RuntimeError("no list")
    print(len(os.listdir("photos")), len(open("list.txt").readlines()))
    """
    assert said(run(tmp_path, code))[1] == ["128 128"]


def test_a_folder_for_results_that_must_be_empty_is(tmp_path: Path) -> None:
    code = """\
    import os
    overwrites = False
    if os.path.exists("out") and os.listdir("out") and not overwrites:
        raise ValueError("not empty")
    print("goes on")
    """
    assert run(tmp_path, code) == ["goes on"]


def test_of_what_is_not_known_nothing_is_made_up(tmp_path: Path) -> None:
    (line,) = run(tmp_path, "print(open('arrays.npz', 'rb'))")
    assert line == "FileNotFoundError: [Errno 2] No such file or directory: 'arrays.npz'"


def test_what_a_package_needs_for_itself_is_not_made_up(tmp_path: Path) -> None:
    code = """\
    import configparser, linecache
    print(configparser.ConfigParser().read("settings.txt"), linecache.getlines("code.txt"))
    """
    assert run(tmp_path, code) == ["[] []"]


def test_what_is_here_is_read(tmp_path: Path) -> None:
    (tmp_path / "project" / "photos").mkdir(parents=True)
    (tmp_path / "project" / "photos" / "one.png").write_text("real")
    code = "import os\nprint(os.listdir('photos'), open('photos/one.png').read())\n"
    assert run(tmp_path, code) == ["['one.png'] real"]


def test_a_folder_that_came_without_data_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "project" / "photos").mkdir(parents=True)
    (tmp_path / "project" / "photos" / "README.md").write_text("put photos here")
    code = """\
    import os
    for _, _, names in os.walk("photos"):
        print(sum(name.endswith(".jpg") for name in names))
    """
    assert said(run(tmp_path, code))[1] == ["128"]


def test_a_file_beside_what_was_made_up_is_written_beside_it(tmp_path: Path) -> None:
    code = """\
    import os
    os.listdir("photos")
    with open("photos/index.txt", "w") as file:
        file.write("mine")
    print(open("photos/index.txt").read())
    """
    assert said(run(tmp_path, code))[1] == ["mine"]


def test_in_what_was_made_up_folders_for_results_are_too(tmp_path: Path) -> None:
    code = """\
    import os
    os.listdir("data/train")
    open("data/model/a.txt", "w").write("x")
    print(open("data/model/a.txt").read())
    open("results/a.txt", "w")
    """
    assert said(run(tmp_path, code))[1] == [
        "x",
        "FileNotFoundError: [Errno 2] No such file or directory: 'results/a.txt'",
    ]


def test_images_are_of_colours_and_masks_of_classes(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    code = """\
    from PIL import Image
    image, mask = Image.open("images/7.jpg"), Image.open("masks/7.png")
    print(image.size, image.mode, mask.size, mask.mode, mask.getextrema())
    """
    assert said(run(tmp_path, code))[1] == ["(512, 512) RGB (512, 512) L (0, 1)"]


@pytest.mark.parametrize(("path", "channels"), [("images/7.jpg", 3), ("masks/7.png", 1)])
def test_images_need_no_package_to_be_made(tmp_path: Path, path: str, channels: int) -> None:
    code = f"""\
    import struct, zlib
    data = open("{path}", "rb").read()
    size = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    print(*size, len(zlib.decompress(data[41:41 + length])) // size[1])
    """
    assert said(run(tmp_path, code))[1] == [f"512 512 {512 * channels + 1}"]


def test_a_sound_has_the_rate_that_the_project_names(tmp_path: Path) -> None:
    code = """\
    import wave
    RATE = 22050
    with wave.open("speech/1.wav") as sound:
        print(sound.getframerate(), sound.getnframes())
    """
    assert said(run(tmp_path, code))[1] == ["22050 66150"]


def test_an_annotation_is_one_of_an_object(tmp_path: Path) -> None:
    code = """\
    import xml.etree.ElementTree as ET
    found = ET.parse("Annotations/3.xml").getroot().find("object")
    print(found.find("name").text, found.find("bndbox").find("xmax").text)
    """
    assert said(run(tmp_path, code))[1] == ["boat 384"]


def test_a_reader_in_c_is_given_what_a_listing_promised(tmp_path: Path) -> None:
    (tmp_path / "cv2.py").write_text("def imread(path, flags):\n    return open(path, 'rb').read(4)\n")
    code = f"""\
    import os, sys
    sys.path.insert(0, {str(tmp_path)!r})
    import cv2
    print(cv2.imread("photos/" + os.listdir("photos")[0], 1)[1:])
    """
    assert said(run(tmp_path, code))[1] == ["b'PNG'"]


def test_what_a_reader_in_c_writes_is_not_made_up(tmp_path: Path) -> None:
    text = "class File:\n    def __init__(self, name, mode='r'):\n        self.name = name\n"
    (tmp_path / "h5py.py").write_text(text)
    code = f"""\
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    import h5py
    print(h5py.File("out.h5", "w").name)
    """
    assert run(tmp_path, code) == ["out.h5"]


def test_what_was_made_up_can_be_changed_like_what_is_here(tmp_path: Path) -> None:
    code = """\
    import glob, os, pathlib, shutil
    os.listdir("data/train")
    os.makedirs("data/train/cache", exist_ok=True)
    pathlib.Path("data/lists").mkdir(parents=True)
    pathlib.Path("data/lists/a.tmp").write_text("kept")
    os.replace("data/lists/a.tmp", "data/lists/a.txt")
    for name in glob.glob("tmp/*.png"):
        os.remove(name)
    print(os.path.isdir("data/train/cache"), open("data/lists/a.txt").read(), os.listdir("data/lists"))
    shutil.rmtree("data")
    print(os.path.exists("data"))
    """
    assert said(run(tmp_path, code))[1] == ["True kept ['a.txt']", "False"]


def test_a_move_takes_nothing_into_or_out_of_what_was_made_up(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.txt").write_text("mine")
    code = """\
    import os
    os.listdir("photos")
    os.rename("photos/00000.png", "here.png")
    try:
        os.rename("mine.txt", "photos/mine.txt")
    except FileNotFoundError as error:
        print(error.filename)
    """
    assert said(run(tmp_path, code))[1] == ["mine.txt"]
    assert (tmp_path / "project" / "mine.txt").read_text() == "mine"


def test_errors_and_entries_have_the_paths_that_were_asked_for(tmp_path: Path) -> None:
    code = """\
    import os, pathlib
    entry = min(os.scandir("photos.png"), key=lambda entry: entry.name)
    print(entry.path, len(open(entry, "rb").read()) > 0, min(pathlib.Path("photos.png").iterdir()))
    try:
        open("photos.png/state.txt", "r+")
    except FileNotFoundError as error:
        print(error.filename)
    """
    printed = ["photos.png/00000.png True photos.png/00000.png", "photos.png/state.txt"]
    assert said(run(tmp_path, code))[1] == printed


@pytest.mark.parametrize(
    "lines",
    [
        "found = glob.glob('runs/*')\nif found:\n    print('resumed')",
        "found = glob.glob('runs/*')\nif len(found) == 0:\n    fresh = True\nelse:\n    print('resumed')",
        "if len(os.listdir('empty')) > 0:\n    print('resumed')",
        "if os.path.exists('empty') and os.listdir('empty'):\n    raise ValueError('not empty')",
        "found = sorted(os.listdir('empty'))\nif found:\n    print('resumed')",
    ],
)
def test_a_folder_that_may_be_empty_stays_so(tmp_path: Path, lines: str) -> None:
    (tmp_path / "project" / "empty").mkdir(parents=True)
    assert "resumed" not in run(tmp_path, f"import glob, os\n{lines}\nprint('end')\n")
    assert not (tmp_path / "records" / "made_up").joinpath(*(tmp_path / "project").parts[1:]).exists()


@pytest.mark.parametrize("branch", ["raise RuntimeError('none')", "print('none')", "sys.exit(1)"])
def test_a_folder_that_must_have_something_does(tmp_path: Path, branch: str) -> None:
    code = f"import glob, sys\nfound = glob.glob('d/*.png')\nif not found:\n    {branch}\nprint(len(found))\n"
    assert said(run(tmp_path, code))[1] == ["128"]


def test_what_a_caller_catches_by_its_name_stays_missing(tmp_path: Path) -> None:
    code = """\
    def load(path):
        return open(path).read()
    def state():
        try:
            return load("state.txt")
        except FileNotFoundError:
            return "fresh"
    print(state())
    """
    assert run(tmp_path, code) == ["fresh"]


def test_one_thread_beside_another_reads_whole_files(tmp_path: Path) -> None:
    code = """\
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(16) as pool:
        print(set(pool.map(lambda _: open("a.png", "rb").read(4), range(64))))
    """
    assert said(run(tmp_path, code))[1] == ["{b'\\x89PNG'}"]


def test_paths_in_an_open_folder_are_not_those_of_the_working_one(tmp_path: Path) -> None:
    code = """\
    import os, shutil
    os.listdir("photos")
    try:
        os.stat("photos", dir_fd=os.open("/", os.O_RDONLY))
    except FileNotFoundError:
        print("missing")
    print(os.stat in os.supports_dir_fd, os.stat in os.supports_follow_symlinks)
    """
    assert said(run(tmp_path, code))[1] == ["missing", "True True"]


def test_a_search_stops_where_its_reader_does(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / "project" / f"d{number}").mkdir(parents=True)
    code = """\
    import glob, pathlib, sys
    listed = []
    sys.addaudithook(lambda event, _: listed.append(event) if event in ("os.scandir", "os.listdir") else None)
    next(glob.iglob("d*/**", recursive=True))
    next(pathlib.Path(".").glob("d?/**"))
    print(len(listed) < 9)
    """
    assert said(run(tmp_path, code))[1] == ["True"]


def test_files_of_one_folder_are_said_together(tmp_path: Path) -> None:
    code = "for number in range(30):\n    open(f'labels/{number}.txt').close()\n"
    made, _ = said(run(tmp_path, code))
    assert made[-1] == "lines of each file in labels (128 numbers; read at data.py:2)"
    assert len(set(made)) < 8


def test_a_project_whose_files_are_here_is_answered_as_ever(tmp_path: Path) -> None:
    (tmp_path / "project" / "photos" / "cats").mkdir(parents=True)
    for number in range(3):
        (tmp_path / "project" / "photos" / "cats" / f"{number}.png").write_bytes(b"real")
    code = """\
    import glob, os, pathlib
    print(os.listdir("photos"), len(os.listdir(b"photos/cats")), len(glob.glob("photos/*/*.png")))
    print([entry.name for entry in os.scandir("photos") if entry.is_dir()])
    print([len(found[2]) for found in os.walk("photos")])
    print(len(list(pathlib.Path("photos").rglob("*.png"))), os.path.getsize("photos/cats/1.png"))
    print(open("photos/cats/1.png").read(), os.path.exists("photos/dogs"), glob.glob("photos/cats/*.jpg"))
    """
    assert run(tmp_path, code) == ["['cats'] 3 3", "['cats']", "[0, 3]", "3 4", "real False []"]
