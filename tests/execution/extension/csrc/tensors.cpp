// The operators that make a tensor, view it or move its bytes. All others go through fallback.cpp.

#include "tensors.h"

#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "device.h"
#include "memory.h"
#include "random.h"

namespace standin {
namespace {

using at::Tensor;
using c10::DispatchKeySet;
using OptionalType = std::optional<at::ScalarType>;

const DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Device device_or_current(std::optional<c10::Device> wanted) {
  const auto index = wanted && wanted->has_index() ? wanted->index() : current_device();
  use_device(index);
  return {kNpu, index};
}

void check_dense(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "Only strided tensors are supported on npu.");
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned.");
}

Tensor empty(
    c10::IntArrayRef size, OptionalType dtype, std::optional<at::Layout> layout, std::optional<c10::Device> device,
    std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  check_dense(layout, pin_memory);
  const c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_generic(size, c10::GetAllocator(kNpu), kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(
    c10::IntArrayRef size, c10::IntArrayRef stride, OptionalType dtype, std::optional<at::Layout> layout,
    std::optional<c10::Device> device, std::optional<bool> pin_memory) {
  check_dense(layout, pin_memory);
  const c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_strided_generic(size, stride, c10::GetAllocator(kNpu), kKeys, c10::dtype_or_default(dtype));
}

const Tensor& resize(const Tensor& self, c10::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(self.device());
  return at::native::resize_(self, size, format);
}

Tensor& set_empty(Tensor& self) {
  c10::Storage storage(
      c10::Storage::use_byte_size_t(), 0, c10::GetAllocator(kNpu)->allocate(0), c10::GetAllocator(kNpu), true);
  return self.set_(storage, 0, {0}, {});
}

Tensor& set_storage(
    Tensor& self, c10::Storage source, int64_t offset, c10::IntArrayRef size, c10::IntArrayRef stride) {
  return at::native::set_storage_cpu_(self, std::move(source), offset, size, stride);
}

// torch hands every copy from or to the device to this one.
Tensor copy_from(const Tensor& self, const Tensor& destination, bool) {
  const at::NoGradGuard no_grad;
  as_cpu_alias(destination).copy_(as_cpu_alias(self));
  return destination;
}

Tensor copy_from_and_resize(const Tensor& self, const Tensor& destination) {
  destination.resize_(self.sizes());
  return copy_from(self, destination, false);
}

at::Scalar local_scalar(const Tensor& self) {
  return as_cpu_alias(self).item();
}

void record_stream(Tensor&, c10::Stream) {}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return standin::device_count() > 0;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return is_initialized();
  }
  void init() const override {
    use_device(current_device());
  }
  c10::DeviceIndex deviceCount() const override {
    return standin::device_count();
  }
  void setCurrentDevice(c10::DeviceIndex index) const override {
    standin::set_device(index);
  }
  c10::DeviceIndex getCurrentDevice() const override {
    return current_device();
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    return exchange_device(index);
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return exchange_device(index);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return new_generator(index);
  }
  bool isPinnedPtr(const void* pointer) const override {
    return standin::is_pinned(pointer);
  }
  at::Allocator* getPinnedMemoryAllocator() const override {
    return at::getHostAllocator(kNpu);
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    const c10::DeviceGuard guard(storage.device());
    // Also where nothing is left: even an empty storage says on which device it is.
    auto data = c10::GetAllocator(kNpu)->allocate(bytes);
    if (const auto kept = std::min(bytes, storage.nbytes())) {
      std::memcpy(data.get(), storage.data(), kept);
    }
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
};

const bool hooks_registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks());
  return true;
}();

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  m.impl("view", TORCH_FN(at::native::view));
  m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("set_", TORCH_FN(set_empty));
  m.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  m.impl("set_.source_Storage", TORCH_FN(at::native::set_));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  m.impl("is_set_to", TORCH_FN(at::native::is_set_to));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar));
  m.impl("record_stream", TORCH_FN(record_stream));
}

// A copy reads the lazy conjugation and negation of its source itself; resolving them first would copy.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace

at::Tensor as_cpu_alias(const at::Tensor& tensor) {
  if (tensor.is_cpu()) {
    return tensor;
  }
  auto alias = at::from_blob(
      const_cast<void*>(tensor.const_data_ptr()), tensor.sizes(), tensor.strides(),
      tensor.options().device(c10::kCPU).requires_grad(false));
  alias._set_conj(tensor.is_conj());
  alias._set_neg(tensor.is_neg());
  return alias;
}

} // namespace standin
