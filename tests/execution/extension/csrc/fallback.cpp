// Every other operator: check the devices of its tensors as the real device would, run it on the CPU.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <optional>
#include <string>
#include <unordered_set>

#include "device.h"
#include "random.h"

namespace standin {
namespace {

using at::Tensor;
using Names = std::unordered_set<std::string>;

// Operators that take some argument on the CPU on purpose: indices, lengths.
const Names kTakesCpuArguments = {
    "aten::index",
    "aten::_unsafe_index",
    "aten::index_put_",
    "aten::index_put",
    "aten::_index_put_impl_",
    "aten::_pack_padded_sequence",
    "aten::_ctc_loss",
};

// Elsewhere a CPU tensor without dimensions passes for a number; aclnn's Select takes none.
const Names kTakesNoCpuScalar = {"aten::where"};

// The cube unit has no double precision.
const Names kNoDouble = {
    "aten::mm", "aten::bmm", "aten::addmm", "aten::addmv", "aten::mv", "aten::addbmm", "aten::baddbmm", "aten::dot",
};

template <typename Visit>
void for_each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      visit(value.toTensor());
    }
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      for_each_tensor(item, visit);
    }
  }
}

[[noreturn]] void raise_mixed(const std::string& op, c10::Device one, c10::Device other) {
  TORCH_CHECK(
      false, "Expected all tensors to be on the same device, but found at least two devices, ", one, " and ", other,
      "! (when checking argument of ", op, ")");
}

// Returns the device the operator works on, if a tensor says so.
std::optional<c10::Device> check_devices(const std::string& op, c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::Device> device;
  std::optional<c10::Device> cpu;
  const auto look = [&](const Tensor& tensor) {
    if (tensor.device().type() == kNpu) {
      if (device && *device != tensor.device()) {
        raise_mixed(op, *device, tensor.device());
      }
      device = tensor.device();
    } else if (tensor.dim() > 0 || kTakesNoCpuScalar.count(op) != 0) {
      cpu = tensor.device();
    }
  };
  for (const auto& argument : arguments) {
    for_each_tensor(argument, look);
  }
  if (device && cpu) {
    const bool first_is_npu = arguments[0].isTensor() && arguments[0].toTensor().device().type() == kNpu;
    if (!first_is_npu || kTakesCpuArguments.count(op) == 0) {
      raise_mixed(op, *device, *cpu);
    }
  }
  return device;
}

void check_types(const std::string& op, c10::ArrayRef<c10::IValue> arguments) {
  if (kNoDouble.count(op) == 0) {
    return;
  }
  for (const auto& argument : arguments) {
    for_each_tensor(argument, [&](const Tensor& tensor) {
      TORCH_CHECK(tensor.scalar_type() != at::kDouble, op, " does not support DT_DOUBLE on npu.");
    });
  }
}

// Takes the generator argument off the stack (the CPU kernel must use its own) and returns it.
at::Generator take_generator(
    const c10::FunctionSchema& schema, torch::jit::Stack& stack, std::optional<c10::Device> device) {
  const auto& arguments = schema.arguments();
  const auto first = stack.size() - arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto& value = stack[first + i];
    if (value.isGenerator()) {
      const auto generator = value.toGenerator();
      const auto wanted = device ? kNpu : c10::kCPU;
      TORCH_CHECK(
          generator.device().type() == wanted, "Expected a '", wanted, "' device type for generator but found '",
          generator.device().type(), "'");
      value = c10::IValue();
      return generator;
    }
  }
  return default_generator(device ? device->index() : current_device());
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const auto arguments = torch::jit::last(*stack, schema.arguments().size());
  const auto device = check_devices(schema.name(), arguments);
  check_types(schema.name(), arguments);
  const c10::OptionalDeviceGuard guard(device);
  if (op.hasTag(at::Tag::nondeterministic_seeded)) {
    const DrawFrom draw(take_generator(schema, *stack, device));
    at::native::cpu_fallback(op, stack);
  } else {
    at::native::cpu_fallback(op, stack);
  }
}

std::optional<Tensor> optional_cpu(const std::optional<Tensor>& tensor) {
  return tensor && tensor->defined() ? std::optional<Tensor>(tensor->cpu()) : std::nullopt;
}

void check_convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& other) {
  const auto device = input.device();
  const auto check = [&](const Tensor& tensor) {
    if (tensor.device() != device) {
      raise_mixed("aten::convolution", device, tensor.device());
    }
    TORCH_CHECK(tensor.scalar_type() != at::kDouble, "aten::convolution does not support DT_DOUBLE on npu.");
  };
  check(input);
  check(weight);
  if (other && other->defined()) {
    check(*other);
  }
}

Tensor convolution(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups) {
  check_convolution(input, weight, bias);
  const auto result = at::convolution(
      input.cpu(), weight.cpu(), optional_cpu(bias), stride, padding, dilation, transposed, output_padding, groups);
  return result.to(input.device());
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups, std::array<bool, 3> wanted) {
  check_convolution(input, weight, gradient);
  const int64_t bias_size = transposed ? weight.size(1) * groups : weight.size(0);
  const auto [of_input, of_weight, of_bias] = at::convolution_backward(
      gradient.cpu(), input.cpu(), weight.cpu(), c10::IntArrayRef(bias_size), stride, padding, dilation, transposed,
      output_padding, groups, wanted);
  const auto back = [&](const Tensor& tensor) { return tensor.defined() ? tensor.to(input.device()) : tensor; };
  return {back(of_input), back(of_weight), back(of_bias)};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", TORCH_FN(convolution));
  m.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
}

} // namespace
} // namespace standin
