// Devices of the stand-in: how many there are, which one a thread works on, and its streams.
//
// The "device" is memory of the host that nothing but this extension may touch through a tensor:
// a tensor of device npu:N has the dispatch key PrivateUse1, so mixing it with a CPU tensor goes
// through our fallback (fallback.cpp), which refuses as the real device does.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <string>

namespace standin {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;

// Facts the Python half settles before the first tensor is made.
struct Settings {
  int physical_devices = 2;
  size_t memory_per_device = size_t{2} << 30;
  // torch_npu raises torch.OutOfMemoryError from 2.6 on, a plain RuntimeError before.
  bool typed_out_of_memory = true;
};
Settings& settings();

// ASCEND_RT_VISIBLE_DEVICES is read until the first use of a device, and never after it.
c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex current_device();
void set_device(c10::DeviceIndex index);
c10::DeviceIndex exchange_device(c10::DeviceIndex index);

// Throws if there is no such device, or in a process forked after the first use of a device.
void use_device(c10::DeviceIndex index);
bool is_initialized();
bool is_in_bad_fork();

c10::Stream current_stream(c10::DeviceIndex index);
c10::Stream new_stream(c10::DeviceIndex index);
c10::Stream default_stream(c10::DeviceIndex index);
c10::Stream exchange_stream(c10::Stream stream);

} // namespace standin
