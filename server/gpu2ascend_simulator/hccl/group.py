"""The process group."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import AllreduceOptions, BarrierOptions, ProcessGroup, ReduceOptions

from .refusals import require_device, require_summable
from .sharing import OwnDevices
from .transport import bytes_of, put_bytes, put_sum, terms_of
from .works import Collective, PointToPoint


class ProcessGroupHCCL(ProcessGroup):
    """A group that talks by HCCL; in a group ``cpu:gloo,npu:hccl`` tensors of the CPU go by Gloo.

    What is done when a transfer ends must not own the group: that happens on a thread of Gloo's, and the last
    owner ends those threads.
    """

    supports_splitting = False
    supports_coalescing = False

    def __init__(self, store: Any, rank: int, size: int, timeout: Any) -> None:
        super().__init__(rank, size)
        self._gloo = dist.ProcessGroupGloo(store, rank, size, timeout)
        self._group_name = self._group_description = ""
        self._devices = OwnDevices(self._gloo, size)

    # --- what torch asks of any group ------------------------------------------------------------------

    @property
    def has_gloo(self) -> bool:
        """Whether tensors of the CPU are welcome."""
        configuration = dist.distributed_c10d._world.pg_backend_config.get(self, "")
        return "cpu:gloo" in str(configuration)

    @property
    def _device_types(self) -> list[Any]:
        return [torch.device("npu"), torch.device("cpu")] if self.has_gloo else [torch.device("npu")]

    def getBackendName(self) -> str:
        """The name, for torch's C++ half."""
        return "hccl"

    def name(self) -> str:
        """The name."""
        return "hccl"

    def setGroupName(self, name: str) -> None:
        """Keep the name under which device meshes and functional collectives find the group."""
        self._group_name = name

    def getGroupName(self) -> str:
        """That name."""
        return self._group_name

    def setGroupDesc(self, description: str) -> None:
        """Keep what the group is for."""
        self._group_description = description

    def getGroupDesc(self) -> str:
        """What the group is for."""
        return self._group_description

    def get_group_store(self) -> Any:
        """Where the ranks have met."""
        return self._gloo.get_group_store() if hasattr(self._gloo, "get_group_store") else None

    def _get_backend(self, device: Any) -> Any:
        if torch.device(device).type == "cpu":
            if self.has_gloo:
                return self._gloo
            require_device([torch.empty(0)])
        return self

    def _is_for_gloo(self, tensors: list[Any]) -> bool:
        return bool(tensors) and tensors[0].device.type == "cpu" and self.has_gloo

    # --- one to all, all to one ------------------------------------------------------------------------

    def broadcast(self, tensors: list[Any], opts: Any) -> Any:
        """A tensor of one rank becomes that of all."""
        if self._is_for_gloo(tensors):
            return self._gloo.broadcast(tensors, opts)
        require_device(tensors)
        self._devices.compare(tensors[0].device)
        host = bytes_of(tensors[0])
        return Collective(self._gloo.broadcast([host], opts), tensors, lambda: put_bytes(host, tensors[0]))

    def gather(self, outputs: list[list[Any]], inputs: list[Any], opts: Any) -> Any:
        """The tensors of all ranks go to one."""
        if self._is_for_gloo(inputs):
            return self._gloo.gather(outputs, inputs, opts)
        require_device(inputs)
        self._devices.compare(inputs[0].device)
        sent = bytes_of(inputs[0])
        results = outputs[0] if self.rank() == opts.rootRank else []
        require_device(results)
        hosts = [torch.empty_like(sent) for _ in results]
        carried = self._gloo.gather([hosts] if results else [], [sent], opts)
        return Collective(carried, results, lambda: _put_each(hosts, results))

    def scatter(self, outputs: list[Any], inputs: list[list[Any]], opts: Any) -> Any:
        """Each rank gets one of the tensors of one rank."""
        if self._is_for_gloo(outputs):
            return self._gloo.scatter(outputs, inputs, opts)
        require_device(outputs)
        self._devices.compare(outputs[0].device)
        received = bytes_of(outputs[0])
        parts = inputs[0] if self.rank() == opts.rootRank else []
        require_device(parts)
        sent = [bytes_of(part) for part in parts]
        carried = self._gloo.scatter([received], [sent] if parts else [], opts)
        return Collective(carried, outputs, lambda: put_bytes(received, outputs[0]))

    # --- reductions ------------------------------------------------------------------------------------

    def allreduce(self, tensors: list[Any], opts: Any = None) -> Any:
        """The sum, or another reduction, for all ranks."""
        options = opts if opts is not None else AllreduceOptions()
        if self._is_for_gloo(tensors):
            return self._gloo.allreduce(tensors, options)
        require_summable(tensors, by_all=True)
        self._devices.compare(tensors[0].device)
        total = torch.cat([terms_of(tensor) for tensor in tensors])
        is_mean = options.reduceOp == dist.ReduceOp.AVG
        if is_mean:
            options.reduceOp = dist.ReduceOp.SUM
        size = self.size()

        def finish() -> None:
            mean = total / size if is_mean else total
            parts = mean.split([tensor.numel() for tensor in tensors])
            for part, tensor in zip(parts, tensors, strict=True):
                put_sum(part, tensor)

        return Collective(self._gloo.allreduce([total], options), tensors, finish)

    def allreduce_coalesced(self, tensors: list[Any], opts: Any = None) -> Any:
        """The same of several tensors at a time."""
        options = AllreduceOptions()
        options.reduceOp = opts.reduceOp if opts is not None else dist.ReduceOp.SUM
        return self.allreduce(tensors, options)

    def reduce(self, tensors: list[Any], opts: Any) -> Any:
        """The sum for one rank."""
        if self._is_for_gloo(tensors):
            return self._gloo.reduce(tensors, opts)
        require_summable(tensors)
        self._devices.compare(tensors[0].device)
        total, options = terms_of(tensors[0]), ReduceOptions()
        is_mean = opts.reduceOp == dist.ReduceOp.AVG
        options.reduceOp = dist.ReduceOp.SUM if is_mean else opts.reduceOp
        options.rootRank, options.rootTensor = opts.rootRank, opts.rootTensor
        is_root, size = self.rank() == opts.rootRank, self.size()

        def finish() -> None:
            if is_root:
                put_sum(total / size if is_mean else total, tensors[0])

        return Collective(self._gloo.reduce([total], options), tensors, finish)

    def reduce_scatter(self, outputs: list[Any], inputs: list[list[Any]], opts: Any) -> Any:
        """The sum of what all ranks give, of which each rank keeps a part."""
        require_summable([*outputs, *inputs[0]])
        self._devices.compare(outputs[0].device)
        sizes = [part.numel() for part in inputs[0]]
        total = torch.cat([terms_of(part) for part in inputs[0]])
        options = AllreduceOptions()
        is_mean = opts.reduceOp == dist.ReduceOp.AVG
        options.reduceOp = dist.ReduceOp.SUM if is_mean else opts.reduceOp
        rank, size = self.rank(), self.size()

        def finish() -> None:
            mine = total.split(sizes)[rank]
            put_sum(mine / size if is_mean else mine, outputs[0])

        return Collective(self._gloo.allreduce([total], options), outputs, finish)

    def _reduce_scatter_base(self, output: Any, source: Any, opts: Any) -> Any:
        if source.numel() != output.numel() * self.size():
            raise ValueError("the input must hold one output of every rank")
        return self.reduce_scatter([output], [list(source.view(self.size(), -1).unbind(0))], opts)

    reduce_scatter_single = _reduce_scatter_base
    """Its name from torch 2.13 on."""

    # --- all to all ------------------------------------------------------------------------------------

    def allgather(self, outputs: list[list[Any]], inputs: list[Any], opts: Any = None) -> Any:
        """The tensors of all ranks for all ranks."""
        if self._is_for_gloo(inputs):
            return self._gloo.allgather(outputs, inputs)
        require_device([*inputs, *outputs[0]])
        self._devices.compare(inputs[0].device)
        sent = bytes_of(inputs[0])
        hosts = [torch.empty_like(sent) for _ in outputs[0]]
        carried = self._gloo.allgather([hosts], [sent])
        return Collective(carried, outputs[0], lambda: _put_each(hosts, outputs[0]))

    def _allgather_base(self, output: Any, source: Any, opts: Any = None) -> Any:
        if output.numel() != source.numel() * self.size():
            raise ValueError("the output must hold one input of every rank")
        return self.allgather([list(output.view(self.size(), -1).unbind(0))], [source.flatten()], opts)

    all_gather_single = _allgather_base
    """Its name from torch 2.13 on."""

    def alltoall_base(
        self, output: Any, source: Any, output_splits: list[int], input_splits: list[int], opts: Any = None
    ) -> Any:
        """Each rank sends a part of a tensor to each other."""
        require_device([source, output])
        self._devices.compare(source.device)
        sent, received = bytes_of(source), bytes_of(output)
        carried = self._gloo.alltoall_base(
            received, sent, _in_bytes(output_splits, output), _in_bytes(input_splits, source)
        )
        return Collective(carried, [output], lambda: put_bytes(received, output))

    def alltoall(self, outputs: list[Any], inputs: list[Any], opts: Any = None) -> Any:
        """Each rank sends one of its tensors to each other."""
        require_device([*inputs, *outputs])
        self._devices.compare(outputs[0].device)
        parts = [bytes_of(tensor) for tensor in inputs]
        sizes = [tensor.numel() * tensor.element_size() for tensor in outputs]
        received = torch.empty(sum(sizes), dtype=torch.uint8)
        carried = self._gloo.alltoall_base(
            received, torch.cat(parts), sizes, [part.numel() for part in parts]
        )
        return Collective(carried, outputs, lambda: _put_each(received.split(sizes), outputs))

    # --- messages --------------------------------------------------------------------------------------

    def send(self, tensors: list[Any], to: int, tag: int = 0) -> Any:
        """A message to one rank."""
        if self._is_for_gloo(tensors):
            return self._gloo.send(tensors, to, tag)
        require_device(tensors)
        host = bytes_of(tensors[0])
        return PointToPoint(self._gloo.send([host], to, tag), host, lambda: None)

    def recv(self, tensors: list[Any], source: int, tag: int = 0) -> Any:
        """A message from one rank."""
        if self._is_for_gloo(tensors):
            return self._gloo.recv(tensors, source, tag)
        require_device(tensors)
        host = bytes_of(tensors[0])
        return PointToPoint(self._gloo.recv([host], source, tag), host, lambda: put_bytes(host, tensors[0]))

    def barrier(self, opts: Any = None) -> Any:
        """Wait for all ranks."""
        return self._gloo.barrier(opts if opts is not None else BarrierOptions())


def _put_each(hosts: Any, tensors: list[Any]) -> None:
    for host, tensor in zip(hosts, tensors, strict=True):
        put_bytes(host, tensor)


def _in_bytes(splits: list[int], tensor: Any) -> list[int]:
    """Lengths in rows as lengths in bytes."""
    row = tensor.numel() // max(tensor.shape[0], 1) * tensor.element_size()
    return [split * row for split in splits]
