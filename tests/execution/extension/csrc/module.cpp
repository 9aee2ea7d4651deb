// What the Python half of the stand-in calls.

#include <torch/csrc/utils/pybind.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "device.h"
#include "hccl.h"
#include "memory.h"
#include "random.h"
#include "shutdown.h"

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using standin::ProcessGroupHCCL;

  standin::outlive_interpreter();

  m.def("configure", [](int devices, size_t memory, bool typed_out_of_memory) {
    standin::settings() = {devices, memory, typed_out_of_memory};
  });

  m.def("device_count", [] { return static_cast<int>(standin::device_count()); });
  m.def("current_device", [] { return static_cast<int>(standin::current_device()); });
  m.def("set_device", [](int index) { standin::set_device(static_cast<c10::DeviceIndex>(index)); });
  m.def("exchange_device", [](int index) {
    return static_cast<int>(standin::exchange_device(static_cast<c10::DeviceIndex>(index)));
  });
  m.def("use_device", [](int index) { standin::use_device(static_cast<c10::DeviceIndex>(index)); });
  m.def("is_initialized", &standin::is_initialized);
  m.def("is_in_bad_fork", &standin::is_in_bad_fork);

  m.def("default_generator", [](int index) {
    return standin::default_generator(static_cast<c10::DeviceIndex>(index));
  });

  m.def("memory_stats", [](int index) { return standin::memory_stats(static_cast<c10::DeviceIndex>(index)); });
  m.def("reset_peak_memory_stats", [](int index) {
    standin::reset_peak_memory_stats(static_cast<c10::DeviceIndex>(index));
  });
  m.def("reset_accumulated_memory_stats", [](int index) {
    standin::reset_accumulated_memory_stats(static_cast<c10::DeviceIndex>(index));
  });
  m.def("empty_cache", &standin::empty_cache);
  m.def("set_memory_fraction", [](int index, double fraction) {
    standin::set_memory_fraction(static_cast<c10::DeviceIndex>(index), fraction);
  });

  // The base class is bound by torch itself.
  py::module_::import("torch._C._distributed_c10d");
  py::class_<ProcessGroupHCCL, c10d::Backend, c10::intrusive_ptr<ProcessGroupHCCL>>(m, "ProcessGroupHCCL")
      .def(py::init([](const c10::intrusive_ptr<c10d::Backend>& gloo) {
        return c10::make_intrusive<ProcessGroupHCCL>(gloo);
      }));
}
