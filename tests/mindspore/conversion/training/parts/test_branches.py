"""A step whose losses are computed before the ``if`` that its update is in."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ...converting import converted

HEAD = dedent(
    """\
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


    def epoch(loader, phase, optimizer):
        model.train(phase == 'train')
        for x, y in loader:
    """
)


def body_of(body: str, **options: object) -> str:
    lines = "".join(f"        {line}\n" for line in dedent(body).strip().split("\n"))
    answer = converted(HEAD + lines, **options)
    assert not answer.blockers
    return dedent(answer.text.partition("in loader:\n")[2]).rstrip("\n")


REGION = "with torch.set_grad_enabled(phase == 'train'):"
PHASES = """\
    optimizer.zero_grad()
    with torch.set_grad_enabled(phase == 'train'):
        loss = F.mse_loss(model(x), y)
        if phase == 'train':
            loss.backward()
            optimizer.step()
    print(loss)
    """
BOTH_ARMS = """\
    def compute_loss():
        loss = ops.mse_loss(model(x), y)
        return loss
    if phase == 'train':
        loss, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        optimizer(gradients)
    else:
        loss = compute_loss()
    print(loss)"""


@pytest.mark.parametrize(
    "body",
    [
        PHASES,
        PHASES.replace("    with torch.set_grad_enabled(phase == 'train'):\n", "").replace(
            "        ", "    "
        ),
        PHASES.replace("        if", "    if").replace("            ", "        "),
    ],
    ids=["in a region", "without a region", "behind a region"],
)
def test_the_losses_are_computed_with_gradients_or_without(body: str) -> None:
    assert body_of(body) == dedent(BOTH_ARMS)


BETWEEN = """\
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    print(loss)
    if CONDITION:
        loss.backward()
        optimizer.step()
    """


def test_what_stands_between_reads_what_either_way_gives() -> None:
    assert body_of(BETWEEN.replace("CONDITION", "phase == 'train'")).endswith(
        dedent(
            """\
            if phase == 'train':
                loss, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
            else:
                loss = compute_loss()
            print(loss)
            if phase == 'train':
                optimizer(gradients)"""
        )
    )


@pytest.mark.parametrize("condition", ["loss > 0.5", "is_open()"])
def test_gradients_are_taken_in_any_case_where_the_condition_may_change(condition: str) -> None:
    assert body_of(BETWEEN.replace("CONDITION", condition)).endswith(
        dedent(
            f"""\
            loss, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
            print(loss)
            if {condition}:
                optimizer(gradients)"""
        )
    )


def test_each_of_two_updates_has_a_branch_of_its_own() -> None:
    second = PHASES.replace("_loss", "").replace("loss", "other").replace("F.mse(", "F.mse_loss(")
    text = body_of(PHASES.rstrip() + "\n" + second)
    assert text.count("ms.value_and_grad(") == 2
    assert "def compute_other():" in text


def test_another_arm_stays() -> None:
    body = BETWEEN.replace("    print(loss)\n", "").replace("CONDITION", "phase == 'train'")
    text = body_of(f"{body.rstrip()}\n    else:\n        print('no')\n    ")
    assert text.endswith("    optimizer(gradients)\nelse:\n    print('no')")
    assert "else:\n    loss = compute_loss()\nif phase" in text


REFUSED = {
    "an optimizer that may be missing": BETWEEN.replace("CONDITION", "optimizer is not None and loss > 0"),
    "a variable that is assigned": BETWEEN.replace("CONDITION", "(kept := loss) > 0"),
    "gradients that add up": BETWEEN.replace("    optimizer.zero_grad()\n", "").replace("CONDITION", "x"),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_other_branches_keep_the_file(body: str) -> None:
    lines = "".join(f"        {line}\n" for line in dedent(body).strip().split("\n"))
    assert any(place == "loss.backward()" for place in converted(HEAD + lines).blockers)


def test_models_outside_of_the_region_may_be_constant_in_it() -> None:
    body = PHASES.replace("        loss =", "        z = model(x)\n    loss =").replace(
        "model(x), y", "model(z), y"
    )
    body = body.replace("        if", "    if").replace("            ", "        ")
    lines = "".join(f"        {line}\n" for line in dedent(body).strip().split("\n"))
    assert "loss.backward()" in converted(HEAD + lines).blockers


def test_a_compiled_step_has_no_branch() -> None:
    lines = "".join(f"        {line}\n" for line in dedent(PHASES).strip().split("\n"))
    assert converted(HEAD + lines, graph=True).blockers == {"loss.backward()": "graph-step"}


CHANGED = {
    "an item": ("state['n'] += 1", "state['n'] > 1"),
    "a list": ("kept.append(1)", "kept"),
    "the last of a list": ("kept.append(loss.item())", "kept[-1] > 1"),
    "an attribute": ("state.n += 1", "state.n > 1"),
    "a mode": ("model.eval()", "model.training"),
}


@pytest.mark.parametrize(("change", "condition"), CHANGED.values(), ids=CHANGED)
def test_a_condition_is_not_asked_before_what_may_change_it(change: str, condition: str) -> None:
    body = BETWEEN.replace("print(loss)", change).replace("CONDITION", condition)
    assert body_of(body).count(f"if {condition}:") == 1


def test_a_condition_of_what_a_function_counts_is_asked_behind_the_losses() -> None:
    head = (
        "    def count(x):\n        global turns\n        turns += 1\n        return x\n\n\n    turns = 0\n"
    )
    body = BETWEEN.replace("    print(loss)\n", "").replace("model(x)", "model(count(x))")
    lines = dedent(body.replace("CONDITION", "turns % 2"))
    text = HEAD + "".join(f"        {line}\n" for line in lines.splitlines())
    answer = converted(text.replace("def epoch", f"{dedent(head)}\n\ndef epoch"))
    assert not answer.blockers
    assert "else:" not in answer.text


CARRIED = """\
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    total = total + loss
    if phase == 'train':
        total.backward()
        optimizer.step()
        total = 0
    """


def test_turns_without_an_update_may_leave_the_next_a_graph() -> None:
    lines = "".join(f"        {line}\n" for line in dedent(CARRIED).strip().split("\n"))
    text = (HEAD + lines).replace("    for x, y", "    total = 0\n    for x, y")
    assert "total.backward()" in converted(text).blockers
