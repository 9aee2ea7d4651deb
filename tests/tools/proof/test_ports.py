"""The places of ports: what a patch changes, by subject, and where it is in the original."""

from __future__ import annotations

from tools.proof.ports.places import places, rows, subjects

PATCH = """\
diff --git a/model.py b/model.py
--- a/model.py
+++ b/model.py
@@ -10,4 +10,4 @@ class Model
 kept
-    x = x.cuda()
+    x = x.npu()
 kept
 kept
@@ -30,3 +30,3 @@ class Model
-    scale = weight * (running_var + eps).rsqrt()
+    y = F.batch_norm(x, running_mean, running_var)
 kept
@@ -50,3 +50,3 @@ class Model
-    y  =  2
+    y = 2
-import spconv
+import mx_driving
"""


def test_a_place_has_its_lines_and_its_subject() -> None:
    found = [(place.first, place.last, place.subject.name) for place in places(PATCH)]
    assert found == [(11, 11, "device and back end"), (30, 30, "frozen batch norm")]


def test_files_that_are_no_code_have_no_places() -> None:
    assert list(places(PATCH.replace("model.py", "README.md"))) == []


def test_each_subject_is_of_a_group_and_each_port_has_a_commit() -> None:
    assert {subject.group for subject in subjects()} == {"A", "B"}
    assert all(len(row["commit"]) == 40 and row["patch"].endswith(".patch") for row in rows("ports"))
