"""The functions that a distributed script gets: text that users read and keep."""

from __future__ import annotations

SET_UP = '''def {name}():
    """Take this process's card and join the others; a process that was started alone goes on alone."""
    local_rank = int({os}.environ.get("LOCAL_RANK", {os}.environ.get("DEVICE_ID", "0")))
    world_size = int({os}.environ.get("WORLD_SIZE", {os}.environ.get("RANK_SIZE", "1")))
    if world_size > 1:
        rank = int({os}.environ.get("RANK", {os}.environ.get("RANK_ID", local_rank)))
        {set_device}(local_rank)
        {dist}.init_process_group(backend="hccl", rank=rank, world_size=world_size)
'''

CLEAN_UP = '''def {name}():
    """Leave the process group, if there is one."""
    if {dist}.is_initialized():
        {dist}.destroy_process_group()
'''

IS_MAIN_PROCESS = '''def {name}():
    """Whether this process writes files and reports: one of all does."""
    return not {dist}.is_initialized() or {dist}.get_rank() == 0
'''

UNWRAP_MODEL = '''def {name}(model):
    """The model itself, without the wrapper that runs it in several processes."""
    return model.module if isinstance(model, {ddp}) else model
'''

WRAP_CHANGING_MODEL = '''def {name}(model, **options):
    """Wrap a model of which other parameters are trained later: the wrapper must know them all now."""
    frozen = [item for item in model.parameters() if not item.requires_grad]
    for item in frozen:
        item.requires_grad_(True)
    model = {ddp}(model, find_unused_parameters=True, **options)
    for item in frozen:
        item.requires_grad_(False)
    return model
'''

MAIN_PROCESS_FIRST = '''@{contextlib}.contextmanager
def {name}():
    """Let one process of each host go first, to download for instance; the others find its result."""
    goes_first = {os}.environ.get("LOCAL_RANK", {os}.environ.get("DEVICE_ID", "0")) == "0"
    if {dist}.is_initialized() and not goes_first:
        {dist}.barrier()
    yield
    if {dist}.is_initialized() and goes_first:
        {dist}.barrier()
'''

KEEP_CHECKPOINT_NAMES = '''def {name}(model):
    """A wrapped model that saves and loads its state by the names that it has without the wrapper."""

    def saved(module, state, prefix, metadata):
        for name in [name for name in state if name.startswith(prefix + "module.")]:
            state[prefix + name[len(prefix + "module.") :]] = state.pop(name)

    def loaded(state, prefix, *details):
        for name in [name for name in state if name.startswith(prefix)]:
            state[prefix + "module." + name[len(prefix) :]] = state.pop(name)

    model._register_state_dict_hook(saved)
    model._register_load_state_dict_pre_hook(loaded)
    return model
'''

AGREED = '''def {name}(decision, by="any"):
    """One decision for all processes: what any of them decides, all of them, or the first."""
    if not {dist}.is_initialized():
        return bool(decision)
    votes = {torch}.tensor([float(bool(decision))], device="npu")
    if by == "first":
        {dist}.broadcast(votes, 0)
    else:
        {dist}.all_reduce(votes, {dist}.ReduceOp.MAX if by == "any" else {dist}.ReduceOp.MIN)
    return bool(votes.item())
'''

SUM_OVER_PROCESSES = '''def {name}(figure):
    """The sum of a figure over all processes, each of which has it from its share of the data."""
    if not {dist}.is_initialized():
        return figure
    total = {torch}.as_tensor(figure, dtype={torch}.float32, device="npu").detach().clone()
    {dist}.all_reduce(total)
    return total if isinstance(figure, {torch}.Tensor) else total.item()
'''

MEAN_OVER_PROCESSES = '''def {name}(figure):
    """The mean of a figure over all processes, each of which has it from its share of the data."""
    if not {dist}.is_initialized():
        return figure
    mean = {torch}.as_tensor(figure, dtype={torch}.float32, device="npu") / {dist}.get_world_size()
    mean = mean.detach().clone()
    {dist}.all_reduce(mean)
    return mean if isinstance(figure, {torch}.Tensor) else mean.item()
'''

FROM_MAIN_PROCESS = '''def {name}(value):
    """What the process of rank 0 has, in all processes: a name with the time in it, for instance."""
    if {dist}.is_initialized():
        values = [value]
        {dist}.broadcast_object_list(values, 0)
        value = values[0]
    return value
'''

SHARE_OF_SAMPLER = '''class {name}({torch}.utils.data.Sampler):
    """The share of this process of what another sampler draws: rank 0 draws for all."""

    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        values = [list(self.sampler)]
        {dist}.broadcast_object_list(values, 0)
        drawn = values[0]
        drawn += drawn[: len(self) * {dist}.get_world_size() - len(drawn)]
        return iter(drawn[{dist}.get_rank() :: {dist}.get_world_size()])

    def __len__(self):
        return -(-len(self.sampler) // {dist}.get_world_size())
'''

SHARE_OF_STREAM = '''class {name}({torch}.utils.data.IterableDataset):
    """The share of this process of a stream of data; what is left for less than all processes is left out."""

    def __init__(self, stream):
        self.stream = stream
        self.rank, self.size = {dist}.get_rank(), {dist}.get_world_size()

    def __iter__(self):
        items = []
        for item in self.stream:
            items.append(item)
            if len(items) == self.size:
                yield items[self.rank]
                items = []

    def __len__(self):
        return len(self.stream) // self.size
'''
