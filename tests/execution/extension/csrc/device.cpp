#include "device.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace standin {
namespace {

constexpr int kMaxDevices = 16;

std::atomic<bool> initialized{false};
std::atomic<bool> forked_after_use{false};
std::atomic<int> frozen_count{-1};
std::atomic<int64_t> next_stream_id{1};

thread_local c10::DeviceIndex thread_device = 0;
thread_local std::array<int64_t, kMaxDevices> thread_streams{};

// Digits and commas, in ascending order; a list that is not is worth no device at all.
int visible_devices() noexcept {
  const char* text = std::getenv("ASCEND_RT_VISIBLE_DEVICES");
  const int physical = settings().physical_devices;
  if (text == nullptr) {
    return physical;
  }
  int count = 0;
  long previous = -1;
  for (const char* at = text; *at != '\0';) {
    char* end = nullptr;
    const bool digit = *at >= '0' && *at <= '9';
    const long index = digit ? std::strtol(at, &end, 10) : -1;
    if (!digit || index <= previous || (*end != ',' && *end != '\0')) {
      return 0;
    }
    if (index >= physical) {
      return count;
    }
    previous = index;
    ++count;
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

void after_fork_in_child() {
  if (initialized) {
    forked_after_use = true;
  }
}

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    frozen_count = visible_devices();
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    initialized = true;
  });
}

c10::Stream make_stream(c10::DeviceIndex device, int64_t id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kNpu, device), id);
}

struct Event {
  std::chrono::steady_clock::time_point recorded;
};

// All work is done when the call that asks for it returns, so waiting is never needed. What is kept
// is the bookkeeping that a program can observe: current device, current stream, event times.
struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override {
    return kNpu;
  }
  c10::Device exchangeDevice(c10::Device device) const override {
    return {kNpu, exchange_device(device.index())};
  }
  c10::Device getDevice() const override {
    return {kNpu, current_device()};
  }
  void setDevice(c10::Device device) const override {
    set_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.index() >= 0) {
      thread_device = device.index();
    }
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return device_count();
  }
  c10::Stream getStream(c10::Device device) const override {
    return current_stream(device.index());
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return default_stream(device.index());
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return new_stream(device.index());
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return new_stream(device.index());
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return exchange_stream(stream);
  }
  bool queryStream(const c10::Stream&) const override {
    return true;
  }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}

  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (*event == nullptr) {
      *event = new Event();
    }
    static_cast<Event*>(*event)->recorded = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return true;
  }
  void synchronizeEvent(void*) const override {}
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
  double elapsedTime(void* start, void* end, const c10::DeviceIndex) const override {
    TORCH_CHECK(start != nullptr && end != nullptr, "Both events must be recorded before elapsed_time is called.");
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return Milliseconds(static_cast<Event*>(end)->recorded - static_cast<Event*>(start)->recorded).count();
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, GuardImpl);

} // namespace

Settings& settings() {
  static Settings instance;
  return instance;
}

c10::DeviceIndex device_count() noexcept {
  const int frozen = frozen_count;
  return static_cast<c10::DeviceIndex>(frozen >= 0 ? frozen : visible_devices());
}

bool is_initialized() {
  return initialized && !forked_after_use;
}

bool is_in_bad_fork() {
  return forked_after_use;
}

void use_device(c10::DeviceIndex index) {
  TORCH_CHECK(
      !forked_after_use,
      "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the "
      "'spawn' start method");
  initialize();
  TORCH_CHECK(
      index >= 0 && index < device_count(),
      "Invalid device ID npu:", static_cast<int>(index), ": there are ", static_cast<int>(device_count()), " devices.");
}

c10::DeviceIndex current_device() {
  return thread_device;
}

void set_device(c10::DeviceIndex index) {
  use_device(index);
  thread_device = index;
}

c10::DeviceIndex exchange_device(c10::DeviceIndex index) {
  const auto previous = thread_device;
  if (index >= 0 && index != previous) {
    set_device(index);
  }
  return previous;
}

c10::Stream default_stream(c10::DeviceIndex index) {
  return make_stream(index < 0 ? thread_device : index, 0);
}

c10::Stream current_stream(c10::DeviceIndex index) {
  const auto device = index < 0 ? thread_device : index;
  return make_stream(device, thread_streams.at(device));
}

c10::Stream new_stream(c10::DeviceIndex index) {
  const auto device = index < 0 ? thread_device : index;
  use_device(device);
  return make_stream(device, next_stream_id++);
}

c10::Stream exchange_stream(c10::Stream stream) {
  const auto previous = current_stream(stream.device_index());
  thread_streams.at(stream.device_index()) = stream.id();
  return previous;
}

} // namespace standin
