#include "hccl.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "device.h"
#include "hccl_work.h"
#include "tensors.h"

namespace standin {
namespace {

using at::Tensor;
using c10d::OpType;
using Tensors = ProcessGroupHCCL::Tensors;

void check_on_npu(const Tensors& tensors) {
  for (const auto& tensor : tensors) {
    TORCH_CHECK(
        tensor.device().type() == kNpu, "ProcessGroupHCCL takes tensors of npu only, this one is on ", tensor.device());
  }
}

// What HCCL can add up. It can move every type.
void check_reducible(const Tensors& tensors, bool all_reduce) {
  check_on_npu(tensors);
  for (const auto& tensor : tensors) {
    switch (tensor.scalar_type()) {
      case at::kChar:
      case at::kShort:
      case at::kInt:
      case at::kLong:
      case at::kHalf:
      case at::kFloat:
      case at::kBFloat16:
        break;
      case at::kBool:
      case at::kByte:
        TORCH_CHECK(all_reduce, "HCCL: Unsupported data type ", tensor.scalar_type(), " in a reduction.");
        break;
      default:
        TORCH_CHECK(false, "HCCL: Unsupported data type ", tensor.scalar_type(), " in a reduction.");
    }
  }
}

// Gloo knows fewer types than HCCL: sums are made in a wider type, moves are made of bytes.
Tensor host_copy_for_sum(const Tensor& tensor) {
  const bool is_floating = at::isFloatingType(tensor.scalar_type());
  return as_cpu_alias(tensor).to(is_floating ? at::kFloat : at::kLong, false, /*copy=*/true).contiguous();
}

Tensor as_bytes(const Tensor& host) {
  return host.contiguous().flatten().view(at::kByte);
}

Tensor host_bytes(const Tensor& tensor) {
  return as_bytes(as_cpu_alias(tensor).clone());
}

void copy_sum_back(const Tensor& host, const Tensor& tensor) {
  const at::NoGradGuard no_grad;
  as_cpu_alias(tensor).copy_(host.view_as(tensor));
}

void copy_bytes_back(const Tensor& host, const Tensor& tensor) {
  const at::NoGradGuard no_grad;
  as_cpu_alias(tensor).copy_(host.view(tensor.scalar_type()).view(tensor.sizes()));
}

} // namespace

using WorkPtr = ProcessGroupHCCL::WorkPtr;

ProcessGroupHCCL::ProcessGroupHCCL(c10::intrusive_ptr<c10d::Backend> gloo)
    : c10d::Backend(gloo->getRank(), gloo->getSize()), gloo_(std::move(gloo)) {}

void ProcessGroupHCCL::setSequenceNumberForGroup() {
  gloo_->setSequenceNumberForGroup();
}

uint64_t ProcessGroupHCCL::getSequenceNumberForGroup() {
  return gloo_->getSequenceNumberForGroup();
}

WorkPtr ProcessGroupHCCL::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  check_on_npu(tensors);
  Tensors hosts{host_bytes(tensors.at(0))};
  auto work = gloo_->broadcast(hosts, options);
  return c10::make_intrusive<HcclWork>(
      OpType::BROADCAST, work, tensors, [=] { copy_bytes_back(hosts[0], tensors[0]); });
}

WorkPtr ProcessGroupHCCL::reduce_all(Tensors& tensors, const c10d::ReduceOp& op, OpType type) {
  check_reducible(tensors, /*all_reduce=*/true);
  const bool average = op == c10d::ReduceOp::AVG;
  Tensors parts;
  for (const auto& tensor : tensors) {
    TORCH_CHECK(
        at::isFloatingType(tensor.scalar_type()) == at::isFloatingType(tensors[0].scalar_type()),
        "Tensors of one reduction must have one type.");
    parts.push_back(host_copy_for_sum(tensor).flatten());
  }
  Tensors hosts{at::cat(parts)};
  c10d::AllreduceOptions options;
  options.reduceOp = average ? c10d::ReduceOp(c10d::ReduceOp::SUM) : op;
  auto work = gloo_->allreduce(hosts, options);
  const int size = getSize();
  return c10::make_intrusive<HcclWork>(type, work, tensors, [=] {
    auto host = average ? hosts[0] / size : hosts[0];
    int64_t at = 0;
    for (const auto& tensor : tensors) {
      copy_sum_back(host.narrow(0, at, tensor.numel()), tensor);
      at += tensor.numel();
    }
  });
}

WorkPtr ProcessGroupHCCL::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  return reduce_all(tensors, options.reduceOp, OpType::ALLREDUCE);
}

WorkPtr ProcessGroupHCCL::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
  return reduce_all(tensors, options.reduceOp, OpType::ALLREDUCE_COALESCED);
}

WorkPtr ProcessGroupHCCL::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  check_reducible(tensors, /*all_reduce=*/false);
  const bool average = options.reduceOp == c10d::ReduceOp::AVG;
  auto on_host = options;
  if (average) {
    on_host.reduceOp = c10d::ReduceOp(c10d::ReduceOp::SUM);
  }
  Tensors hosts{host_copy_for_sum(tensors.at(0))};
  auto work = gloo_->reduce(hosts, on_host);
  const bool is_root = getRank() == options.rootRank;
  const int size = getSize();
  return c10::make_intrusive<HcclWork>(OpType::REDUCE, work, tensors, [=] {
    if (is_root) {
      copy_sum_back(average ? hosts[0] / size : hosts[0], tensors[0]);
    }
  });
}

WorkPtr ProcessGroupHCCL::allgather(
    std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
  check_on_npu(inputs);
  check_on_npu(outputs.at(0));
  Tensors sent{host_bytes(inputs.at(0))};
  std::vector<Tensors> received(1);
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    received[0].push_back(at::empty_like(sent[0]));
  }
  auto work = gloo_->allgather(received, sent, options);
  return c10::make_intrusive<HcclWork>(OpType::ALLGATHER, work, outputs[0], [=] {
    for (size_t i = 0; i < received[0].size(); ++i) {
      copy_bytes_back(received[0][i], outputs[0][i]);
    }
  });
}

WorkPtr ProcessGroupHCCL::_allgather_base(
    Tensor& output, Tensor& input, const c10d::AllgatherOptions& options) {
  TORCH_CHECK(output.numel() == input.numel() * getSize(), "The output must hold one input of every rank.");
  std::vector<Tensors> outputs{output.view({getSize(), -1}).unbind(0)};
  Tensors inputs{input.flatten()};
  return allgather(outputs, inputs, options);
}

WorkPtr ProcessGroupHCCL::gather(
    std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) {
  check_on_npu(inputs);
  Tensors sent{host_bytes(inputs.at(0))};
  std::vector<Tensors> received;
  Tensors results;
  if (getRank() == options.rootRank) {
    results = outputs.at(0);
    check_on_npu(results);
    received.emplace_back();
    for (size_t i = 0; i < results.size(); ++i) {
      received[0].push_back(at::empty_like(sent[0]));
    }
  }
  auto work = gloo_->gather(received, sent, options);
  return c10::make_intrusive<HcclWork>(OpType::GATHER, work, results, [=] {
    for (size_t i = 0; i < results.size(); ++i) {
      copy_bytes_back(received[0][i], results[i]);
    }
  });
}

WorkPtr ProcessGroupHCCL::scatter(
    Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) {
  check_on_npu(outputs);
  Tensors received{host_bytes(outputs.at(0))};
  std::vector<Tensors> sent;
  if (getRank() == options.rootRank) {
    check_on_npu(inputs.at(0));
    sent.emplace_back();
    for (const auto& tensor : inputs[0]) {
      sent[0].push_back(host_bytes(tensor));
    }
  }
  auto work = gloo_->scatter(received, sent, options);
  return c10::make_intrusive<HcclWork>(
      OpType::SCATTER, work, outputs, [=] { copy_bytes_back(received[0], outputs[0]); });
}

// The sum of everything, of which each rank keeps its part.
WorkPtr ProcessGroupHCCL::reduce_scatter(
    Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& options) {
  check_reducible(outputs, /*all_reduce=*/false);
  check_reducible(inputs.at(0), /*all_reduce=*/false);
  const bool average = options.reduceOp == c10d::ReduceOp::AVG;
  Tensors parts;
  for (const auto& tensor : inputs[0]) {
    parts.push_back(host_copy_for_sum(tensor).flatten());
  }
  Tensors hosts{at::stack(parts)};
  c10d::AllreduceOptions all;
  all.reduceOp = average ? c10d::ReduceOp(c10d::ReduceOp::SUM) : options.reduceOp;
  auto work = gloo_->allreduce(hosts, all);
  const int rank = getRank();
  const int size = getSize();
  return c10::make_intrusive<HcclWork>(OpType::REDUCE_SCATTER, work, outputs, [=] {
    const auto mine = hosts[0].select(0, rank);
    copy_sum_back(average ? mine / size : mine, outputs[0]);
  });
}

WorkPtr ProcessGroupHCCL::_reduce_scatter_base(
    Tensor& output, Tensor& input, const c10d::ReduceScatterOptions& options) {
  TORCH_CHECK(input.numel() == output.numel() * getSize(), "The input must hold one output of every rank.");
  Tensors outputs{output};
  std::vector<Tensors> inputs{input.view({getSize(), -1}).unbind(0)};
  return reduce_scatter(outputs, inputs, options);
}

WorkPtr ProcessGroupHCCL::alltoall_base(
    Tensor& output, Tensor& input, std::vector<int64_t>& output_splits, std::vector<int64_t>& input_splits,
    const c10d::AllToAllOptions& options) {
  check_on_npu({input, output});
  const auto in_bytes = [](std::vector<int64_t> splits, const Tensor& tensor) {
    const auto rows = std::max<int64_t>(tensor.size(0), 1);
    for (auto& split : splits) {
      split *= tensor.numel() / rows * static_cast<int64_t>(tensor.element_size());
    }
    return splits;
  };
  auto sent = host_bytes(input);
  auto received = host_bytes(output);
  auto sent_splits = in_bytes(input_splits, input);
  auto received_splits = in_bytes(output_splits, output);
  auto work = gloo_->alltoall_base(received, sent, received_splits, sent_splits, options);
  return c10::make_intrusive<HcclWork>(
      OpType::ALLTOALL_BASE, work, Tensors{output}, [=] { copy_bytes_back(received, output); });
}

WorkPtr ProcessGroupHCCL::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) {
  check_on_npu(inputs);
  check_on_npu(outputs);
  Tensors parts;
  std::vector<int64_t> sent_splits;
  std::vector<int64_t> received_splits;
  for (const auto& tensor : inputs) {
    parts.push_back(host_bytes(tensor));
    sent_splits.push_back(parts.back().numel());
  }
  int64_t total = 0;
  for (const auto& tensor : outputs) {
    received_splits.push_back(static_cast<int64_t>(tensor.nbytes()));
    total += received_splits.back();
  }
  auto sent = at::cat(parts);
  auto received = at::empty({total}, at::kByte);
  // Gloo takes the splits away; after this call they are empty.
  auto work = gloo_->alltoall_base(received, sent, received_splits, sent_splits, options);
  return c10::make_intrusive<HcclWork>(OpType::ALLTOALL, work, outputs, [=] {
    int64_t start = 0;
    for (const auto& output : outputs) {
      const auto bytes = static_cast<int64_t>(output.nbytes());
      // A copy: a view of another type must start on its own alignment.
      copy_bytes_back(received.narrow(0, start, bytes).clone(), output);
      start += bytes;
    }
  });
}

WorkPtr ProcessGroupHCCL::send(Tensors& tensors, int to, int tag) {
  check_on_npu(tensors);
  Tensors hosts{host_bytes(tensors.at(0))};
  auto work = gloo_->send(hosts, to, tag);
  // The closure keeps the host copy alive until it has been sent.
  return c10::make_intrusive<PointToPointWork>(OpType::SEND, work, [hosts] {});
}

WorkPtr ProcessGroupHCCL::recv(Tensors& tensors, int from, int tag) {
  check_on_npu(tensors);
  Tensors hosts{host_bytes(tensors.at(0))};
  auto work = gloo_->recv(hosts, from, tag);
  return c10::make_intrusive<PointToPointWork>(
      OpType::RECV, work, [=] { copy_bytes_back(hosts[0], tensors[0]); });
}

WorkPtr ProcessGroupHCCL::barrier(const c10d::BarrierOptions& options) {
  return gloo_->barrier(options);
}

} // namespace standin
