#include "memory.h"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "device.h"

namespace standin {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kSegment = size_t{2} << 20;
constexpr size_t kAlignment = 64;

size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

double mebibytes(size_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

struct Ledger {
  size_t allocated = 0;
  size_t peak_allocated = 0;
  size_t reserved = 0;
  size_t peak_reserved = 0;
  int64_t blocks = 0;
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t out_of_memory = 0;
  double fraction = 1.0;
};

std::mutex mutex;
std::array<Ledger, 16> ledgers;

struct Block {
  void* pointer;
  size_t bytes;
  c10::DeviceIndex device;
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  std::free(block->pointer);
  const std::lock_guard<std::mutex> lock(mutex);
  auto& ledger = ledgers.at(block->device);
  ledger.allocated -= block->bytes;
  --ledger.blocks;
  ++ledger.frees;
  delete block;
}

[[noreturn]] void raise_out_of_memory(c10::DeviceIndex device, size_t wanted, const Ledger& ledger) {
  const auto text = c10::str(
      "NPU out of memory. Tried to allocate ", mebibytes(wanted), " MiB (NPU ", static_cast<int>(device), "; ",
      mebibytes(settings().memory_per_device), " MiB total capacity; ", mebibytes(ledger.allocated),
      " MiB already allocated)");
  TORCH_CHECK_WITH(OutOfMemoryError, !settings().typed_out_of_memory, text);
  TORCH_CHECK(false, text);
}

void charge(c10::DeviceIndex device, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto& ledger = ledgers.at(device);
  const auto limit = static_cast<size_t>(static_cast<double>(settings().memory_per_device) * ledger.fraction);
  if (bytes > limit || ledger.allocated > limit - bytes) {
    ++ledger.out_of_memory;
    raise_out_of_memory(device, bytes, ledger);
  }
  ledger.allocated += bytes;
  ledger.peak_allocated = std::max(ledger.peak_allocated, ledger.allocated);
  ledger.reserved = std::max(ledger.reserved, round_up(ledger.allocated, kSegment));
  ledger.peak_reserved = std::max(ledger.peak_reserved, ledger.reserved);
  ++ledger.blocks;
  ++ledger.allocations;
}

struct DeviceMemory final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t wanted) override {
    const auto device = current_device();
    use_device(device);
    if (wanted == 0) {
      return {nullptr, c10::Device(kNpu, device)};
    }
    const auto bytes = round_up(wanted, kBlock);
    charge(device, bytes);
    void* pointer = nullptr;
    TORCH_CHECK(posix_memalign(&pointer, kAlignment, bytes) == 0, "The host has no memory left for the stand-in.");
    return {pointer, new Block{pointer, bytes, device}, &release, c10::Device(kNpu, device)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return nullptr;
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
  bool initialized() override {
    return is_initialized();
  }
  void emptyCache(c10::MempoolId_t) override {
    empty_cache();
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    using Kind = c10::CachingAllocator::StatType;
    c10::CachingDeviceAllocator::DeviceStats stats;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto& ledger = ledgers.at(device);
    auto& allocated = stats.allocated_bytes.at(static_cast<size_t>(Kind::AGGREGATE));
    allocated.current = static_cast<int64_t>(ledger.allocated);
    allocated.peak = static_cast<int64_t>(ledger.peak_allocated);
    auto& reserved = stats.reserved_bytes.at(static_cast<size_t>(Kind::AGGREGATE));
    reserved.current = static_cast<int64_t>(ledger.reserved);
    reserved.peak = static_cast<int64_t>(ledger.peak_reserved);
    stats.num_ooms = ledger.out_of_memory;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    reset_accumulated_memory_stats(device);
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    reset_peak_memory_stats(device);
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const std::lock_guard<std::mutex> lock(mutex);
    return {settings().memory_per_device - ledgers.at(device).reserved, settings().memory_per_device};
  }
};

std::mutex pinned_mutex;
std::map<const char*, size_t> pinned;

void release_pinned(void* pointer) {
  {
    const std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned.erase(static_cast<const char*>(pointer));
  }
  std::free(pointer);
}

struct PinnedMemory final : at::HostAllocator {
  c10::DataPtr allocate(size_t wanted) override {
    const auto bytes = round_up(std::max<size_t>(wanted, 1), kAlignment);
    void* pointer = nullptr;
    TORCH_CHECK(posix_memalign(&pointer, kAlignment, bytes) == 0, "The host has no memory left to pin.");
    const std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned[static_cast<const char*>(pointer)] = bytes;
    return {pointer, pointer, &release_pinned, c10::DeviceType::CPU};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &release_pinned;
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
  bool record_event(void*, void*, c10::Stream) override {
    return true;
  }
  void empty_cache() override {}
  at::HostStats get_stats() override {
    return {};
  }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

DeviceMemory device_memory;
PinnedMemory pinned_memory;
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &device_memory);
REGISTER_HOST_ALLOCATOR(c10::DeviceType::PrivateUse1, &pinned_memory);

} // namespace

std::map<std::string, int64_t> memory_stats(c10::DeviceIndex index) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto& ledger = ledgers.at(index);
  return {
      {"allocated_bytes.all.current", static_cast<int64_t>(ledger.allocated)},
      {"allocated_bytes.all.peak", static_cast<int64_t>(ledger.peak_allocated)},
      {"reserved_bytes.all.current", static_cast<int64_t>(ledger.reserved)},
      {"reserved_bytes.all.peak", static_cast<int64_t>(ledger.peak_reserved)},
      {"active_bytes.all.current", static_cast<int64_t>(ledger.allocated)},
      {"active_bytes.all.peak", static_cast<int64_t>(ledger.peak_allocated)},
      {"allocation.all.current", ledger.blocks},
      {"allocation.all.allocated", ledger.allocations},
      {"allocation.all.freed", ledger.frees},
      {"num_alloc_retries", ledger.out_of_memory},
      {"num_ooms", ledger.out_of_memory},
  };
}

void reset_peak_memory_stats(c10::DeviceIndex index) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto& ledger = ledgers.at(index);
  ledger.peak_allocated = ledger.allocated;
  ledger.peak_reserved = ledger.reserved;
}

void reset_accumulated_memory_stats(c10::DeviceIndex index) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto& ledger = ledgers.at(index);
  ledger.allocations = ledger.frees = ledger.out_of_memory = 0;
}

void empty_cache() {
  const std::lock_guard<std::mutex> lock(mutex);
  for (auto& ledger : ledgers) {
    ledger.reserved = round_up(ledger.allocated, kSegment);
  }
}

void set_memory_fraction(c10::DeviceIndex index, double fraction) {
  const std::lock_guard<std::mutex> lock(mutex);
  ledgers.at(index).fraction = fraction;
}

bool is_pinned(const void* pointer) {
  const std::lock_guard<std::mutex> lock(pinned_mutex);
  auto after = pinned.upper_bound(static_cast<const char*>(pointer));
  if (after == pinned.begin()) {
    return false;
  }
  const auto& [start, bytes] = *std::prev(after);
  return static_cast<const char*>(pointer) < start + bytes;
}

} // namespace standin
