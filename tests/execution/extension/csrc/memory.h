// Device memory with the book-keeping of a caching allocator, and pinned host memory.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <string>

namespace standin {

std::map<std::string, int64_t> memory_stats(c10::DeviceIndex index);
void reset_peak_memory_stats(c10::DeviceIndex index);
void reset_accumulated_memory_stats(c10::DeviceIndex index);
void empty_cache();
void set_memory_fraction(c10::DeviceIndex index, double fraction);
bool is_pinned(const void* pointer);

} // namespace standin
