// The simulated device itself: it computes as the CPU does, and notices what it is there to notice.

#include "support/simulated_device/simulated_device.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/Event.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/error_of.h"
#include "tensors/device_memory.h"
#include "unit/simulated_device/device_test.h"

namespace translate {
namespace {

using simulated::take_hazards;
using simulated::take_waits;
using simulated::WaitKind;
using testing::error_of;
using ::testing::HasSubstr;

class SimulatedDeviceTest : public DeviceTest {
 protected:
  [[nodiscard]] at::TensorOptions on_device() const { return at::TensorOptions().device(device_); }

  static std::vector<WaitKind> kinds_of_waits() {
    std::vector<WaitKind> kinds;
    for (const auto& wait : take_waits()) {
      kinds.push_back(wait.kind);
    }
    return kinds;
  }

  /// Computes on the CPU and on the device, and expects the same.
  template <typename Compute>
  void expect_same(const Compute& compute, const at::Tensor& input) {
    const auto expected = compute(input.clone());
    const auto found = compute(input.to(device_));
    ASSERT_EQ(found.device(), device_);
    EXPECT_EQ(found.sizes(), expected.sizes());
    EXPECT_TRUE(at::equal(found.cpu(), expected));
  }
};

using SimulatedDeviceDeathTest = SimulatedDeviceTest;

float read(const float* address) { return *static_cast<const volatile float*>(address); }

TEST_F(SimulatedDeviceDeathTest, TheHostCannotReadOrWriteItsMemory) {
  const auto x = at::ones({3}, on_device());
  EXPECT_DEATH(read(x.const_data_ptr<float>()), "host access to device memory");
  EXPECT_DEATH(*x.mutable_data_ptr<float>() = read(x.const_data_ptr<float>()), "host access to device memory");
  const auto* freed = at::ones({3}, on_device()).const_data_ptr<float>();
  EXPECT_DEATH(read(freed), "host access to device memory");
  EXPECT_EQ(x.sum().item<double>(), 3.0);
}

TEST_F(SimulatedDeviceTest, ComputesAsTheCpuDoes) {
  const auto x = at::randn({4, 6});
  expect_same([](const at::Tensor& t) { return t + 1.0; }, x);
  expect_same([](const at::Tensor& t) { return at::mm(t, t.t()).softmax(-1); }, x);
  expect_same([](const at::Tensor& t) { return at::cat({t, t.slice(0, 1, 3)}).sum(0, /*keepdim=*/true); }, x);
  expect_same([](const at::Tensor& t) { return t.gt(0).nonzero(); }, x);
  expect_same([](const at::Tensor& t) { return at::index_select(t, 1, t.argmax(1)); }, x);
  expect_same([](const at::Tensor& t) { return at::where(t.lt(0), 0.0, t).to(at::kBFloat16); }, x);
  expect_same([](const at::Tensor& t) { return std::get<0>(t.topk(2)); }, x);
  expect_same([](const at::Tensor& t) { return t.index({t.gt(0)}); }, x);
  expect_same([](const at::Tensor& t) { return at::layer_norm(t, {6}); }, x);
}

TEST_F(SimulatedDeviceTest, ViewsShareMemoryAndOperatorsWriteThroughThem) {
  expect_same(
      [](at::Tensor t) {
        t.t()[2].mul_(3.0);                                  // a column
        t.view({2, 2, 6}).select(1, 0).add_(t.slice(0, 2));  // overlaps what is read
        t.unsqueeze(0).transpose(1, 2).narrow(1, 1, 2).zero_();
        at::add_out(t, t, t);
        at::neg_out(t, t.t().contiguous().t());
        return t;
      },
      at::randn({4, 6}));
  expect_same(
      [](const at::Tensor& t) {
        return t.t().view({-1, 2, 2}).permute({2, 0, 1}).reshape({-1});
      },
      at::randn({6, 4}).t().contiguous());
  expect_same([](const at::Tensor& t) { return t.expand({3, 4}) + t.as_strided({4}, {0}, 2); }, at::randn({4}));
}

TEST_F(SimulatedDeviceTest, OutputsGrow) {
  auto out = at::empty({0}, on_device());
  at::mul_out(out, at::full({2, 3}, 2.0, on_device()), at::full({3}, 5.0, on_device()));
  EXPECT_EQ(out.sizes(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(out.sum().item<double>(), 60.0);
  auto indices = at::empty({0}, on_device().dtype(at::kLong));
  at::nonzero_out(indices, at::ones({1000}, on_device()));
  EXPECT_EQ(indices.cpu().sum().item<std::int64_t>(), 999 * 1000 / 2);
  const auto kept = at::ones({2}, on_device()).resize_({4}).slice(0, 0, 2);
  EXPECT_EQ(kept.sum().item<double>(), 2.0);
}

TEST_F(SimulatedDeviceTest, GradientsAreTheCpus) {
  const auto gradient_on = [](const c10::Device& device) {
    at::manual_seed(3);
    const auto weight = at::randn({5, 5}).to(device).requires_grad_();
    const auto ids = at::tensor({1, 3, 3}, at::kLong).to(device);
    const auto x = at::embedding(weight, ids);
    at::log_softmax(at::relu(at::linear(x, weight)), -1).gather(1, ids.unsqueeze(1)).sum().backward();
    return weight.grad().cpu();
  };
  EXPECT_TRUE(at::equal(gradient_on(device_), gradient_on(c10::kCPU)));
}

TEST_F(SimulatedDeviceTest, TensorsOnAnotherDeviceAreErrors) {
  const auto x = at::ones({2, 2}, on_device());
  const auto other = at::ones({2, 2}, at::TensorOptions().device(c10::kPrivateUse1, 0));
  const auto index = at::zeros({1}, at::kLong);
  for (const auto& wrong : {other, at::ones({2, 2})}) {
    EXPECT_THROW(static_cast<void>(x + wrong), c10::Error);
    EXPECT_THROW(static_cast<void>(at::mm(x, wrong)), c10::Error);
    EXPECT_THROW(static_cast<void>(at::cat({x, wrong})), c10::Error);
  }
  EXPECT_THROW(static_cast<void>(x.index_select(0, index)), c10::Error);
  EXPECT_NO_THROW(static_cast<void>(x * at::scalar_tensor(2.0)));  // a single number may come from the host
}

TEST_F(SimulatedDeviceTest, DropoutDrawsFromItsOwnGeneratorAndRepeatsWithTheSeed) {
  const auto x = at::ones({1000}, on_device());
  at::manual_seed(7);
  const auto after_seed = at::rand({1}).item<double>();
  at::manual_seed(7);
  const auto first = at::dropout(x, 0.25, /*train=*/true).cpu();
  EXPECT_EQ(at::rand({1}).item<double>(), after_seed);
  EXPECT_FALSE(at::equal(at::dropout(x, 0.25, true).cpu(), first));
  auto generator = at::globalContext().defaultGenerator(device_);
  const auto state = generator.get_state();
  const auto third = at::randn({10}, on_device()).cpu();
  generator.set_state(state);
  EXPECT_TRUE(at::equal(at::randn({10}, on_device()).cpu(), third));
  at::manual_seed(7);
  EXPECT_TRUE(at::equal(at::dropout(x, 0.25, true).cpu(), first));
  EXPECT_NEAR(first.eq(0.0).to(at::kFloat).mean().item<double>(), 0.25, 0.05);
  EXPECT_NEAR(first.max().item<double>(), 1.0 / 0.75, 1e-6);
}

TEST_F(SimulatedDeviceTest, AutocastMultipliesInBf16) {
  const auto x = at::randn({3, 3}).to(device_);
  at::autocast::set_autocast_dtype(c10::kPrivateUse1, at::kBFloat16);
  at::autocast::set_autocast_enabled(c10::kPrivateUse1, true);
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kBFloat16);
  EXPECT_EQ(at::softmax(at::linear(x, x), -1).scalar_type(), at::kFloat);
  at::autocast::set_autocast_enabled(c10::kPrivateUse1, false);
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kFloat);
}

TEST_F(SimulatedDeviceTest, EveryWaitIsRecordedWithItsPlace) {
  const auto x = at::ones({4}, on_device());
  static_cast<void>(x.sum().add_(1.0).lt(3.0));
  EXPECT_TRUE(kinds_of_waits().empty());
  static_cast<void>(x.sum().item<double>());
  static_cast<void>(x.cpu());
  static_cast<void>(at::ones({4}).to(device_));
  static_cast<void>(at::ones({4}).to(device_, /*non_blocking=*/true));
  static_cast<void>(x.gt(0.0).nonzero());
  static_cast<void>(x.index({x.gt(0.0)}));
  static_cast<void>(at::equal(x, x));
  EXPECT_EQ(kinds_of_waits(),
            (std::vector{WaitKind::kValue, WaitKind::kCopyToHost, WaitKind::kCopyToDevice, WaitKind::kPageableMemory,
                         WaitKind::kSizeOfResult, WaitKind::kSizeOfResult, WaitKind::kValue}));
  static_cast<void>(x[0].is_nonzero());
  const auto waits = take_waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_THAT(waits[0].text(), HasSubstr("a value was read (item)"));
  EXPECT_THAT(waits[0].text(), HasSubstr("item"));
  EXPECT_THAT(waits[0].text(), HasSubstr("libtorch_cpu.so"));
}

TEST_F(SimulatedDeviceTest, StreamsAndEventsAreWaitedFor) {
  const c10::impl::VirtualGuardImpl guard(c10::kPrivateUse1);
  const auto stream = guard.getStream(device_);
  const auto pinned = at::ones({4}).pin_memory();
  c10::Event event(c10::kPrivateUse1);
  event.record(stream);
  EXPECT_TRUE(event.query());
  const auto moved = pinned.to(device_, /*non_blocking=*/true);
  event.record(stream);
  EXPECT_FALSE(event.query());
  event.synchronize();
  EXPECT_TRUE(event.query());
  guard.synchronizeStream(stream);
  EXPECT_EQ(kinds_of_waits(), (std::vector{WaitKind::kSynchronisation, WaitKind::kSynchronisation}));
}

TEST_F(SimulatedDeviceTest, APinnedSourceThatChangesBeforeAWaitIsAHazard) {
  const auto source = at::ones({4}).pin_memory();
  ASSERT_TRUE(source.is_pinned());
  EXPECT_FALSE(at::ones({4}).is_pinned());
  const auto moved = source.to(device_, /*non_blocking=*/true);
  EXPECT_TRUE(kinds_of_waits().empty());
  EXPECT_EQ(moved.sum().item<double>(), 4.0);  // a wait: the copy is done
  source.fill_(2.0);
  EXPECT_TRUE(take_hazards().empty());
  const auto again = source.to(device_, /*non_blocking=*/true);
  source.fill_(3.0);
  EXPECT_EQ(again.sum().item<double>(), 8.0);
  const auto hazards = take_hazards();
  ASSERT_EQ(hazards.size(), 1U);
  EXPECT_THAT(hazards[0].text(), HasSubstr("the host changed memory that the device was still copying"));
  static_cast<void>(at::ones({4}).pin_memory().to(device_, /*non_blocking=*/true));  // the copy keeps it
  EXPECT_TRUE(take_hazards().empty());
}

TEST_F(SimulatedDeviceTest, AnAsynchronousCopyToTheHostArrivesWithTheNextWait) {
  auto x = at::full({4}, 5.0, on_device());
  const auto early = x.to(at::kCPU, /*non_blocking=*/true);
  EXPECT_TRUE(kinds_of_waits().empty());
  EXPECT_TRUE(std::isnan(early[0].item<double>()));
  x.zero_();  // later in the order of work
  static_cast<void>(x.sum().item<double>());
  EXPECT_EQ(early.sum().item<double>(), 20.0);
  const auto overwritten = x.to(at::kCPU, /*non_blocking=*/true);
  overwritten.fill_(1.0);
  const auto hazards = take_hazards();
  ASSERT_EQ(hazards.size(), 1U);
  EXPECT_THAT(hazards[0].text(), HasSubstr("that a copy from the device was about to fill"));
}

TEST_F(SimulatedDeviceTest, MemoryIsPoisonedCountedAndLimited) {
  EXPECT_TRUE(at::empty({3}, on_device()).isnan().all().item<bool>());
  const simulated::MemoryLimit limit(1U << 20U);
  const auto memory = trainer::compute_device(device_);
  EXPECT_EQ(memory->memory_capacity(), 1 << 20);
  memory->give_back_memory();
  const auto free = memory->available_memory();
  { const auto large = at::empty({1 << 19}, on_device().dtype(at::kByte)); }
  EXPECT_EQ(memory->available_memory(), free - (1 << 19));  // cached
  memory->give_back_memory();
  EXPECT_EQ(memory->available_memory(), free);
  const auto message = error_of<c10::OutOfMemoryError>([&] { return at::empty({1 << 20}, on_device()); });
  EXPECT_THAT(message, HasSubstr("simulated device out of memory"));
}

}  // namespace
}  // namespace translate
