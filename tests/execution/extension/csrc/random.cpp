#include "random.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "device.h"

namespace standin {
namespace {

using Engine = at::CPUGeneratorImpl;

struct NpuGenerator final : c10::GeneratorImpl {
  explicit NpuGenerator(c10::DeviceIndex index, std::shared_ptr<Engine> engine = std::make_shared<Engine>())
      : c10::GeneratorImpl(c10::Device(kNpu, index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        engine(std::move(engine)) {}

  void set_current_seed(uint64_t seed) override {
    engine->set_current_seed(seed);
  }
  void set_offset(uint64_t offset) override {
    engine->set_offset(offset);
  }
  uint64_t get_offset() const override {
    return engine->get_offset();
  }
  uint64_t current_seed() const override {
    return engine->current_seed();
  }
  uint64_t seed() override {
    return engine->seed();
  }
  void set_state(const c10::TensorImpl& state) override {
    engine->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return engine->get_state();
  }

  std::shared_ptr<Engine> engine;

 private:
  NpuGenerator* clone_impl() const override {
    return new NpuGenerator(device().index(), engine->clone());
  }
};

// Exchanges what two generators will draw next.
void swap_draws(Engine& one, Engine& other) {
  const auto engine = one.engine();
  const auto next_float = one.next_float_normal_sample();
  const auto next_double = one.next_double_normal_sample();
  one.set_engine(other.engine());
  one.set_next_float_normal_sample(other.next_float_normal_sample());
  one.set_next_double_normal_sample(other.next_double_normal_sample());
  other.set_engine(engine);
  other.set_next_float_normal_sample(next_float);
  other.set_next_double_normal_sample(next_double);
}

void exchange_with_cpu(const at::Generator& generator) {
  auto* cpu = at::detail::getDefaultCPUGenerator().get<Engine>();
  swap_draws(*cpu, *generator.get<NpuGenerator>()->engine);
}

std::recursive_mutex drawing;

} // namespace

const at::Generator& default_generator(c10::DeviceIndex index) {
  static std::array<at::Generator, 16> generators = [] {
    std::array<at::Generator, 16> made;
    for (size_t i = 0; i < made.size(); ++i) {
      made[i] = at::make_generator<NpuGenerator>(static_cast<c10::DeviceIndex>(i));
    }
    return made;
  }();
  return generators.at(index < 0 ? current_device() : index);
}

at::Generator new_generator(c10::DeviceIndex index) {
  return at::make_generator<NpuGenerator>(index < 0 ? current_device() : index);
}

DrawFrom::DrawFrom(const at::Generator& generator) : generator_(generator) {
  drawing.lock();
  exchange_with_cpu(generator_);
}

DrawFrom::~DrawFrom() {
  exchange_with_cpu(generator_);
  drawing.unlock();
}

} // namespace standin
