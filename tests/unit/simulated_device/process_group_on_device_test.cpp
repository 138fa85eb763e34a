// Several processes whose tensors are on devices: the simulated ones, connected by a stand-in for NCCL. The processes
// are threads of this one.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "processes/collectives/process_group.h"
#include "support/error_of.h"
#include "support/process_threads.h"
#include "support/simulated_device/machine.h"
#include "tensors/device.h"
#include "unit/simulated_device/device_run.h"
#include "unit/simulated_device/stand_in_backend.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class ProcessGroupOnDevice : public DeviceTest {
 protected:
  static c10::Device device_of(const trainer::ProcessGroup& group) {
    return trainer::device_of_process(simulated::simulated_device(), group.place().local_rank,
                                      group.place().local_size);
  }

  void connect(trainer::ProcessGroup& group, const c10::Device& device) {
    group.connect_device(device, stand_in_on(wires_));
  }

  Wires wires_;
};

TEST_F(ProcessGroupOnDevice, EachTensorIsSummedWhereItIs) {
  in_group(2, [&](trainer::ProcessGroup& group) {
    const auto device = device_of(group);
    connect(group, device);
    EXPECT_EQ(simulated::current_device(), group.rank());
    auto there = at::full({3}, group.rank() + 1.0, at::TensorOptions(device));
    auto here = at::full({3}, group.rank() + 10.0);
    const auto operation = group.start_sum(there);
    group.sum(here);
    group.wait(operation);
    EXPECT_EQ(there.device(), device);
    EXPECT_TRUE(there.cpu().equal(at::full({3}, 3.0)));
    EXPECT_TRUE(here.equal(at::full({3}, 21.0)));
    auto copied = at::full({2}, group.rank() + 5, at::TensorOptions(device).dtype(at::kLong));
    group.copy_from_first({copied});
    EXPECT_TRUE(copied.cpu().equal(at::full({2}, 5, at::kLong)));
  });
  EXPECT_THAT(wires_.connected, ElementsAre(0, 1));
  EXPECT_THAT(wires_.synchronized, ElementsAre(0, 0, 1, 1));  // later work on the device sees both results
  EXPECT_THAT(wires_.aborted, ElementsAre(0, 1));
}

TEST_F(ProcessGroupOnDevice, ALostProcessEndsTheWaitAndTheOperation) {
  const auto start = std::chrono::steady_clock::now();
  in_group(2, [&](trainer::ProcessGroup& group) {
    const auto device = device_of(group);
    connect(group, device);
    group.progress(7);
    if (group.rank() == 1) {
      group.fail(RuntimeError("the disk is full"));
      return;
    }
    const auto tensor = at::zeros({3}, at::TensorOptions(device));
    EXPECT_THAT(error_of<trainer::ProcessLost>([&] { group.sum(tensor); }),
                AllOf(HasSubstr("rank 1"), HasSubstr("step 7"), HasSubstr("the disk is full")));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  EXPECT_THAT(wires_.aborted, UnorderedElementsAre(0, 1));
}

TEST_F(ProcessGroupOnDevice, AnOperationThatFailsNamesItsErrorAndTheLostProcess) {
  in_group(2, [&](trainer::ProcessGroup& group) {
    const auto device = device_of(group);
    connect(group, device);
    group.wait_for_all();
    if (group.rank() == 1) {
      group.fail(RuntimeError("out of memory"));
      return;
    }
    wires_.is_cut = true;
    const auto tensor = at::zeros({3}, at::TensorOptions(device));
    EXPECT_THAT(error_of<trainer::ProcessLost>([&] { group.sum(tensor); }),
                AllOf(HasSubstr("rank 1"), HasSubstr("out of memory"), HasSubstr("the wire is cut at its end")));
  });
}

TEST_F(ProcessGroupOnDevice, ALostProcessEndsTheWaitForTheConnection) {
  wires_.never_connects = true;
  in_group(2, [&](trainer::ProcessGroup& group) {
    if (group.rank() == 1) {
      EXPECT_THAT(error_of<RuntimeError>([&] {
                    group.connect_device(
                        device_of(group),
                        [](const auto& /*store*/, int /*rank*/, int /*size*/) -> c10::intrusive_ptr<c10d::Backend> {
                          throw RuntimeError("the plugin is not built");
                        });
                  }),
                  HasSubstr("not built"));
      group.fail(RuntimeError("the plugin is not built"));
      return;
    }
    EXPECT_THAT(error_of<trainer::ProcessLost>([&] { connect(group, device_of(group)); }),
                AllOf(HasSubstr("rank 1"), HasSubstr("the plugin is not built")));
  });
  wires_.never_connects = false;
  for (std::size_t connected = 0; connected == 0;) {  // the thread that was left behind ends
    std::this_thread::sleep_for(10ms);
    const std::scoped_lock lock(wires_.mutex);
    connected = wires_.connected.size();
  }
}

TEST_F(ProcessGroupOnDevice, DevicesOfTwoKindsAreRefused) {
  in_group(2, [&](trainer::ProcessGroup& group) {
    const auto device = group.rank() == 0 ? device_of(group) : c10::Device(c10::kCPU);
    EXPECT_THAT(error_of<ConfigError>([&] { connect(group, device); }),
                AllOf(HasSubstr("rank 1 has cpu"), HasSubstr("--device")));
  });
  EXPECT_TRUE(wires_.connected.empty());
}

TEST_F(ProcessGroupOnDevice, ATensorOfADeviceThatIsNotConnectedIsRefused) {
  in_group(2, [&](trainer::ProcessGroup& group) {
    const auto tensor = at::zeros({3}, at::TensorOptions(device_of(group)));
    EXPECT_THAT(error_of<c10::Error>([&] { group.sum(tensor); }), HasSubstr("no connection"));
  });
}

TEST_F(ProcessGroupOnDevice, EachProcessOfAMachineTakesTheDeviceOfItsNumber) {
  EXPECT_EQ(trainer::device_of_process(device_, /*local_rank=*/0, /*local_size=*/1), device_);
  EXPECT_EQ(trainer::device_of_process(device_, /*local_rank=*/0, /*local_size=*/2).index(), 0);
  EXPECT_EQ(trainer::device_of_process(device_, /*local_rank=*/1, /*local_size=*/2).index(), 1);
  EXPECT_EQ(trainer::device_of_process(c10::kCPU, /*local_rank=*/2, /*local_size=*/3), c10::Device(c10::kCPU));
  EXPECT_THAT(error_of<ConfigError>(
                  [&] { static_cast<void>(trainer::device_of_process(device_, /*local_rank=*/2, /*local_size=*/3)); }),
              AllOf(HasSubstr("3 processes"), HasSubstr("2 can be seen"), HasSubstr("--device cpu")));
}

using SeveralProcessesOnDevices = DeviceRun;

TEST_F(SeveralProcessesOnDevices, TrainAsOneProcessDoes) {
  auto config = small_config("one");
  config.training.accumulation_steps = 2;
  config.training.max_steps = 4;
  static_cast<void>(train(config, device_));
  for (const auto* name : {"two", "divided"}) {
    std::filesystem::copy(config.run_dir, folder_ / name, std::filesystem::copy_options::recursive);
  }
  config.training.max_steps = 8;
  const auto expected = train(config, device_);
  const auto expected_loss = reported(config, "train", "loss");
  for (const auto sharding : {trainer::OptimizerSharding::kNone, trainer::OptimizerSharding::kRows}) {
    config.run_dir = folder_ / (sharding == trainer::OptimizerSharding::kNone ? "two" : "divided");
    const auto places = places_here(2);
    Wires wires;
    std::filesystem::path checkpoint;
    in_threads(2, [&](int rank) {
      const trainer::ProcessGroupOptions processes{
          .place = places[static_cast<std::size_t>(rank)], .limits = {}, .sharding = sharding};
      const auto outcome = trainer::train(config, /*start=*/{}, device_, processes, stand_in_on(wires));
      if (rank == 0) {
        checkpoint = outcome.checkpoint;
      }
    });
    const auto weights = trainer::tensors_of(Checkpoint(checkpoint, Verify::kFull).weights());
    expect_near({weights.begin(), weights.end()}, expected, 2e-3);
    expect_near(reported(config, "train", "loss"), expected_loss, 1e-4);
  }
}

TEST_F(SeveralProcessesOnDevices, TrainingNeedsNccl) {
  const auto config = small_config("run");
  const auto places = places_here(2);
  in_threads(2, [&](int rank) {
    const trainer::ProcessGroupOptions processes{.place = places[static_cast<std::size_t>(rank)], .limits = {}};
    EXPECT_THAT(error_of<RuntimeError>([&] { return trainer::train(config, /*start=*/{}, device_, processes); }),
                AllOf(HasSubstr("several processes on GPUs need NCCL"), HasSubstr("--device cpu")));
  });
  EXPECT_FALSE(std::filesystem::exists(config.run_dir));
}

}  // namespace
}  // namespace translate
