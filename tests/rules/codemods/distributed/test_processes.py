"""One process writes and reports; each uses its own card."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

GUARD = "        if is_main_process():\n            "


def after_epoch(statement: str, before: str = "") -> str:
    """The text of a script with a statement at the end of each epoch."""
    return converted(script(body=f"        {statement}\n", before=before)).text


class TestReports:
    @pytest.mark.parametrize(
        "statement",
        [
            "print(epoch, norm.item())",
            "torch.save(state, path)",
            "shutil.copyfile(a, b)",
            "json.dump(history, file)",
            "wandb.log({'norm': norm.item()})",
            "plt.savefig(name)",
            "frame.to_csv(name)",
            "torch.jit.script(net).save(name)",
            "torch.jit.save(torch.jit.script(net), name)",
            "Image.fromarray(pixels).save(name)",
        ],
    )
    def test_of_one_process_only(self, statement: str) -> None:
        imports = "import json, shutil, wandb\nimport matplotlib.pyplot as plt\nfrom PIL import Image\n"
        assert f"{GUARD}{statement}\n" in after_epoch(statement, imports)

    def test_also_of_a_variable_that_is_what_may_be_saved(self) -> None:
        text = after_epoch("made = torch.jit.script(net)\n        made.save(name)")
        assert f"{GUARD}made.save(name)\n" in text

    def test_but_not_what_saves_in_its_own_way(self) -> None:
        assert "        store.save(name)\n" in after_epoch("store.save(name)")
        assert f"{GUARD}torch.save(state, name)\n" in after_epoch("torch.save(state, name)")

    def test_also_of_a_method_that_is_print_by_another_name(self) -> None:
        stopping = """
class Stopping:
    def __init__(self, trace_func=print):
        self.trace_func = trace_func

    def __call__(self, figure):
        self.trace_func(f"figure {{figure}}")

stopping = Stopping({given})
"""
        shown = '        self.trace_func(f"figure {figure}")'
        guarded = f"        if is_main_process():\n    {shown}\n"
        assert guarded in after_epoch("stopping(1)", stopping.format(given=""))
        assert guarded in after_epoch("stopping(1)", stopping.format(given="print"))
        assert f"{shown}\n" in after_epoch("stopping(1)", stopping.format(given="own"))

    def test_that_stand_together_stand_below_one_condition(self) -> None:
        text = after_epoch("print(1)\n        # why\n        print(2)")
        assert f"{GUARD}print(1)\n            # why\n            print(2)\n" in text

    @pytest.mark.parametrize(
        ("given", "new"),
        [
            ("if epoch: print(1)", "if epoch and is_main_process():\n            print(1)\n"),
            (
                "if epoch or last:\n            print(1)",
                "if (epoch or last) and is_main_process():\n            print(1)\n",
            ),
            (
                "if epoch:\n            print(1)\n        else:\n            step()",
                "if epoch:\n            if is_",
            ),
            (
                "if epoch:\n            print(1)\n            step()",
                "if epoch:\n            if is_main_process():\n                print(1)\n            step()",
            ),
        ],
    )
    def test_a_condition_around_nothing_else_takes_the_guard(self, given: str, new: str) -> None:
        assert f"        {new}" in after_epoch(given)

    @pytest.mark.parametrize(
        "statement",
        ["logger.info(epoch)", "logging.warning('x')", "sys.stdout.write('x')", "self.log.info('x')"],
    )
    def test_in_a_log_are_made_by_one(self, statement: str) -> None:
        assert f"{GUARD}{statement}\n" in after_epoch(statement, "import logging, sys\n")

    def test_of_what_goes_wrong_are_made_by_the_process_that_it_goes_wrong_in(self) -> None:
        assert "        logging.error(1)\n" in after_epoch("logging.error(1)", "import logging\n")

    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ('f = open(p, "w")', "f = open(p if is_main_process() else os.devnull, "),
            ("h = logging.FileHandler(p)", "h = logging.FileHandler(p if is_main_process() else os.devnull)"),
            (
                "logging.basicConfig(filename=p)",
                "logging.basicConfig(filename=p if is_main_process() else os.devnull)",
            ),
        ],
    )
    def test_in_a_file_that_stays_open_go_nowhere_in_the_others(self, given: str, made: str) -> None:
        assert f"        {made}" in after_epoch(given, "import logging\n")

    def test_in_a_file_around_what_all_compute_go_nowhere_in_the_others(self) -> None:
        written = "with open(p, 'w') as f:\n            step(x)\n            f.write('done')"
        place = "p if is_main_process() else os.devnull"
        assert f"        {written.replace('open(p', f'open({place}')}\n" in after_epoch(written)
        alone = written.replace("            step(x)\n", "")
        assert f"{GUARD}with open(p, 'w') as f:\n" in after_epoch(alone)

    @pytest.mark.parametrize("statement", ["json.dump(history, open(p, 'w'))", "print(1, file=open(p, 'w'))"])
    def test_in_a_file_that_one_statement_opens_and_fills_are_of_one_process(self, statement: str) -> None:
        assert f"{GUARD}{statement}\n" in after_epoch(statement, "import json\n")

    def test_in_a_file_that_is_opened_for_others_go_nowhere_in_the_others(self) -> None:
        made = "f(open(p if is_main_process() else os.devnull, 'w'))"
        assert f"        {made}\n" in after_epoch("f(open(p, 'w'))")

    @pytest.mark.parametrize(
        ("given", "made"),
        [
            (
                "run = wandb.init(project='x')",
                "        run = wandb.init(project='x', mode=None if is_main_process() else \"disabled\")\n",
            ),
            ("wandb.init(project='x')", f"{GUARD}wandb.init(project='x')\n"),
        ],
    )
    def test_of_a_service_are_disabled_in_the_others(self, given: str, made: str) -> None:
        assert made in after_epoch(given, "import wandb\n")

    def test_of_a_service_whose_mode_is_chosen_are_said(self) -> None:
        statement = "run = wandb.init(project='x', mode='offline')"
        done = converted(script(body=f"        {statement}\n", before="import wandb\n"))
        assert f"        {statement}\n" in done.text and "NPU426.unsure" in done.left

    def test_in_a_file_that_is_read_too_are_said(self) -> None:
        assert "NPU426.unsure" in converted(script(body='        f = open(p, "w+")\n')).left

    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ("run = datetime.now().strftime('%H')", "run = from_main_process(datetime.now().strftime('%H'))"),
            ("run = f'{d}/{time.time()}'", "run = f'{d}/{from_main_process(time.time())}'"),
            ("run = str(int(time.time()))", "run = str(int(from_main_process(time.time())))"),
            ("start = time.time()", "start = time.time()"),
        ],
    )
    def test_under_a_name_with_the_time_have_one_name(self, given: str, made: str) -> None:
        assert f"        {made}\n" in after_epoch(given, "import time\nfrom datetime import datetime\n")

    def test_under_a_name_for_a_writer_have_it_from_all_before_one_makes_the_writer(self) -> None:
        before = "import time\nfrom torch.utils.tensorboard import SummaryWriter\n"
        text = after_epoch("w = SummaryWriter('runs/' + time.strftime('%H'))", before)
        made = "w = SummaryWriter('runs/' + stamp) if is_main_process() else None"
        assert f"        stamp = from_main_process(time.strftime('%H'))\n        {made}\n" in text

    @pytest.mark.parametrize("given", ["f = open(%s, 'w')", "h = logging.FileHandler(%s)"])
    def test_in_a_file_with_the_time_in_its_name_are_in_that_of_one(self, given: str) -> None:
        name = "p + time.strftime('%H')"
        opened = given.replace("%s", f"{name} if is_main_process() else os.devnull")
        text = after_epoch(given.replace("%s", name), "import logging\nimport os\nimport time\n")
        assert f"        {opened}\n" in text

    def test_under_a_name_that_only_some_make_are_said(self) -> None:
        body = "        if loss < 1:\n            run = time.strftime('%H')\n"
        assert "NPU426.stamped" in converted(script(body=body, before="import time\n")).left

    def test_that_compute_something_are_made_by_one_of_what_all_compute(self) -> None:
        body = "        print('now', round(evaluate(model), 2))\n        torch.save(model(x).cpu(), 'x.pt')\n"
        done = converted(script(body=body))
        guard = "        if is_main_process():\n            "
        assert f"        computed = evaluate(model)\n{guard}print('now', round(computed, 2))\n" in done.text
        assert f"        computed_2 = model(x)\n{guard}torch.save(computed_2.cpu(), 'x.pt')\n" in done.text
        assert done.left == []

    def test_that_compute_past_the_wrapper_are_made_by_all_and_said(self) -> None:
        done = converted(script(body="        print(model.describe())\n"))
        assert "        print(unwrap_model(model).describe())\n" in done.text
        assert "NPU426.printed" in done.left

    def test_that_the_script_guards_itself_are_left_alone(self) -> None:
        assert "if rank == 0: print(1)" in after_epoch("if rank == 0: print(1)")

    def test_in_a_file_are_written_by_one(self) -> None:
        text = after_epoch('with open(name, "w") as f:\n            f.write(line)')
        assert f'{GUARD}with open(name, "w") as f:\n                f.write(line)\n' in text

    def test_in_a_file_that_is_read_as_well_and_need_a_computation_are_said(self) -> None:
        done = converted(
            script(body='        with open(n, "w+") as f:\n            f.write(evaluate(model))\n')
        )
        assert "NPU426.unsure" in done.left

    def test_beside_a_computation_in_an_open_file_are_of_one_process(self) -> None:
        text = after_epoch("with open(p, 'w') as f:\n            x = model(x)\n            print(1)")
        assert "            x = model(x)\n            if is_main_process():\n                print(1)" in text

    def test_of_progress_are_shown_by_one(self) -> None:
        text = converted(
            script(before="from tqdm import tqdm\n").replace("y in loader", "y in tqdm(loader)")
        ).text
        assert "in tqdm(loader, disable=not is_main_process()):" in text
        assert "loader.sampler.set_epoch(epoch)" in text

    def test_of_a_writer_exist_in_one_process(self) -> None:
        before = "from torch.utils.tensorboard import SummaryWriter\nwriter = SummaryWriter('runs')\n"
        text = after_epoch("writer.add_scalar('norm', norm.item(), epoch)", before)
        assert "writer = SummaryWriter('runs') if is_main_process() else None\n" in text
        assert f"{GUARD}writer.add_scalar('norm', norm.item(), epoch)\n" in text

    def test_of_a_writer_that_is_passed_around_unseen_are_said(self) -> None:
        before = "from torch.utils.tensorboard import SummaryWriter\n"
        done = converted(script(body="        log(SummaryWriter('runs'))\n", before=before))
        assert "NPU426.unsure" in done.left

    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ("os.makedirs(path)", "os.makedirs(path, exist_ok=True)"),
            ("os.makedirs(path, 0o700)", "os.makedirs(path, 0o700, exist_ok=True)"),
            ("path.mkdir()", "path.mkdir(exist_ok=True)"),
            ("path.mkdir(parents=True)", "path.mkdir(parents=True, exist_ok=True)"),
        ],
    )
    def test_go_to_directories_that_may_be_there(self, given: str, made: str) -> None:
        assert f"        {made}\n" in after_epoch(given, "import os\n")

    @pytest.mark.parametrize(
        "statement",
        [
            "os.makedirs(path, exist_ok=False)",
            "os.makedirs(path, 0o700, False)",
            "path.mkdir(exist_ok=False)",
        ],
    )
    def test_go_to_a_directory_that_must_be_new_by_one_process(self, statement: str) -> None:
        text = after_epoch(statement, "import os\n")
        assert f"        if is_main_process():\n            {statement}\n" in text

    @pytest.mark.parametrize(
        "statement",
        [
            "os.makedirs(path, **options)",
            "if rank == 0: os.makedirs(path)",
            "if rank == 0: path.mkdir()",
            "client.mkdir(path)",
            "path.mkdir(recursive=True)",
            "os.mkdir(path)",
        ],
    )
    def test_go_to_directories_as_the_script_decides(self, statement: str) -> None:
        text = after_epoch(f"{statement}\n        os.makedirs(control)", "import os\n")
        assert f"        {statement}\n        os.makedirs(control, exist_ok=True)\n" in text

    @pytest.mark.parametrize(
        "block",
        [
            "with open(p) as f:\n            f.write(line)",
            "with open(p, 'r') as f:\n            f.write(line)",
            "with lock(p):\n            step()",
            "with torch.no_grad():\n            step()",
        ],
    )
    def test_a_block_that_opens_nothing_for_writing_is_left_alone(self, block: str) -> None:
        control = "with open(q, 'w') as g:\n            g.write(line)"
        done = converted(script(body=f"        {block}\n        {control}\n"))
        assert f"        {block}\n" in done.text
        assert f"{GUARD}with open(q, 'w') as g:\n" in done.text
        assert "NPU426.unsure" not in done.left

    @pytest.mark.parametrize("report", ["print", "logger.info", "logging.info"])
    def test_what_is_computed_for_a_report_of_one_is_no_report_itself(self, report: str) -> None:
        statement = f"{report}(datetime.now().strftime('%H'))"
        text = after_epoch(statement, "import logging\nfrom datetime import datetime\n")
        assert f"{GUARD}{statement}\n" in text


def test_a_download_is_made_by_one_process_of_a_host_first() -> None:
    text = after_epoch("extra = MNIST(root, download=True)", "from torchvision.datasets import MNIST\n")
    assert "        with main_process_first():\n            extra = MNIST(root, download=True)\n" in text


def test_a_file_is_read_when_it_is_written() -> None:
    text = after_epoch("torch.save(s, p)\n        s = torch.load(p)")
    assert (
        "        if dist.is_initialized():\n            dist.barrier()\n        s = torch.load(p)\n" in text
    )


class TestDevices:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ('x = x.to("cuda:0")', 'x = x.to("cuda")'),
            ("d = torch.device('cuda', 0)", "d = torch.device('cuda')"),
            ("d = torch.device('cuda', index=0)", "d = torch.device('cuda')"),
            ("x = x.cuda(0)", "x = x.cuda()"),
            (
                "torch.cuda.set_device(0)",
                "if not dist.is_initialized():\n            torch.cuda.set_device(0)",
            ),
            ('d = f"cuda:{gpu}"', 'd = "cuda" if dist.is_initialized() else f"cuda:{gpu}"'),
            ("d = 'cuda:%d' % gpu", "d = 'cuda' if dist.is_initialized() else 'cuda:%d' % gpu"),
            ('d = "cuda:" + str(gpu)', 'd = "cuda" if dist.is_initialized() else "cuda:" + str(gpu)'),
            ("d = 'cuda:%d' % (gpu,)", "d = 'cuda' if dist.is_initialized() else 'cuda:%d' % (gpu,)"),
            ('d = "cuda:" + (gpu)', 'd = "cuda" if dist.is_initialized() else "cuda:" + (gpu)'),
            ('d = "cuda:{}".format(gpu)', 'd = "cuda" if dist.is_initialized() else "cuda:{}".format(gpu)'),
            (
                'os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
                'if not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
                '            os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
            ),
        ],
    )
    def test_are_those_of_the_process(self, given: str, made: str) -> None:
        assert f"        {made}\n" in after_epoch(given, "import os\n")

    def test_several_are_left_to_a_person(self) -> None:
        given = script(body='        a.to("cuda:0"); b.to("cuda:1")\n')
        done = converted(given)
        assert '"cuda:0"' in done.text and '"cuda:1"' in done.text
        assert done.left.count("NPU428.several") == 2

    def test_an_option_is_set_once_for_all_its_uses(self) -> None:
        options = """\
            import argparse
            import torch
            def parse():
                parser = argparse.ArgumentParser()
                parser.add_argument("--gpu", type=int, default=0)
                args = parser.parse_args()
                return args
            """
        before = "from options import parse\nargs = parse()\n"
        body = '        x.cuda(args.gpu)\n        y = x.to(f"cuda:{args.gpu}")\n'
        done = converted(script(before=before, body=body), options=options)
        assert "x.cuda(args.gpu)" in done.text and 'x.to(f"cuda:{args.gpu}")' in done.text
        reported = (
            "    if dist.is_initialized():\n        args.gpu = torch_npu.npu.current_device()\n    return"
        )
        assert reported in done.files["options.py"]


def test_what_a_person_must_decide_is_said() -> None:
    body = "        torch.manual_seed(0)\n        if bad:\n            break\n"
    done = converted(script(body=body))
    assert {"NPU427.batch", "NPU427.seed", "NPU427.figures"} <= set(done.said["train.py"])
