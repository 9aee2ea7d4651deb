// Random generators of the devices. Each one is a CPU generator of its own, so seeding the device and
// seeding the CPU are independent of one another, as they are on the real device.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace standin {

const at::Generator& default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);

// While it lives, the default generator of the CPU draws what `generator` of a device would draw.
class DrawFrom {
 public:
  explicit DrawFrom(const at::Generator& generator);
  ~DrawFrom();
  DrawFrom(const DrawFrom&) = delete;
  DrawFrom& operator=(const DrawFrom&) = delete;

 private:
  at::Generator generator_;
};

} // namespace standin
