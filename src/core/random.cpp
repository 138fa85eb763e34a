#include "translate/core/random.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace translate {
namespace {

at::Tensor state_of(at::Generator generator) {
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state().clone();
}

void set_state(at::Generator generator, const at::Tensor& state) {
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace

void seed_generators(std::uint64_t seed) { at::manual_seed(seed); }

std::uint64_t draw_key() {
  auto generator = at::globalContext().defaultGenerator(c10::kCPU);
  const std::scoped_lock lock(generator.mutex());
  return generator.get<at::CPUGeneratorImpl>()->random64();
}

RandomState capture_random_state(const c10::Device& device) {
  RandomState state;
  state.cpu = state_of(at::globalContext().defaultGenerator(c10::kCPU));
  if (device.is_cuda()) {
    state.cuda = state_of(at::globalContext().defaultGenerator(device));
  }
  return state;
}

void restore_random_state(const RandomState& state, const c10::Device& device) {
  if (state.cpu.defined()) {
    set_state(at::globalContext().defaultGenerator(c10::kCPU), state.cpu);
  }
  if (device.is_cuda() && state.cuda.defined()) {
    set_state(at::globalContext().defaultGenerator(device), state.cuda);
  }
}

}  // namespace translate
