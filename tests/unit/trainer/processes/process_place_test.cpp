#include "processes/process_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Environment = std::map<std::string, std::string>;

std::optional<ProcessPlace> place_in(const Environment& environment) {
  return process_place([&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::make_optional(found->second);
  });
}

std::string error_in(const Environment& environment) {
  return testing::error_of<ConfigError>([&] { static_cast<void>(place_in(environment)); });
}

/// The variables of the third of four processes on two machines, as torchrun sets them.
Environment torchrun() {
  return {{"RANK", "2"},
          {"WORLD_SIZE", "4"},
          {"LOCAL_RANK", "0"},
          {"LOCAL_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "10.0.0.1"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_RESTART_COUNT", "3"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
}

/// Those of the sixth task of an srun step of seven on three nodes.
Environment srun() {
  return {{"SLURM_STEP_ID", "1"},
          {"SLURM_JOB_ID", "4711"},
          {"SLURM_STEP_NUM_TASKS", "7"},
          {"SLURM_STEP_TASKS_PER_NODE", "3(x2),1"},
          {"SLURM_STEP_NODELIST", "node[03-05]"},
          {"SLURM_PROCID", "5"},
          {"SLURM_LOCALID", "2"}};
}

TEST(ProcessPlace, WithoutALauncherThereIsOneProcess) {
  EXPECT_EQ(place_in({}), std::nullopt);
  EXPECT_EQ(place_in({{"MASTER_ADDR", "10.0.0.1"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), std::nullopt)
      << "a batch script of Slurm is no step";
  EXPECT_EQ(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), std::nullopt);
}

TEST(ProcessPlace, OfTorchrun) {
  const auto place = place_in(torchrun());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 2);
  EXPECT_EQ(place->size, 4);
  EXPECT_EQ(place->local_rank, 0);
  EXPECT_EQ(place->local_size, 2);
  EXPECT_EQ(place->store_host, "10.0.0.1");
  EXPECT_EQ(place->store_port, 29500);
  EXPECT_TRUE(place->launcher_serves_store);
  EXPECT_EQ(place->restarts, 3);
  EXPECT_EQ(place->launcher, "torchrun");
}

TEST(ProcessPlace, OfSrun) {
  const auto place = place_in(srun());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->size, 7);
  EXPECT_EQ(place->local_rank, 2);
  EXPECT_EQ(place->local_size, 3);
  EXPECT_EQ(place->store_host, "node03");
  EXPECT_FALSE(place->launcher_serves_store);
  EXPECT_EQ(place->launcher, "srun");

  auto other_task = srun();
  other_task["SLURM_PROCID"] = "0";
  other_task["SLURM_LOCALID"] = "0";
  EXPECT_EQ(place_in(other_task)->store_port, place->store_port) << "all tasks must choose the same port";
  auto other_step = srun();
  other_step["SLURM_STEP_ID"] = "2";
  EXPECT_NE(place_in(other_step)->store_port, place->store_port);
}

TEST(ProcessPlace, HostsOfSlurmAreReadInEveryForm) {
  for (const auto& [list, first] : std::map<std::string, std::string>{{"alone", "alone"},
                                                                      {"one,two", "one"},
                                                                      {"n[7,9]", "n7"},
                                                                      {"n[001-100]", "n001"},
                                                                      {"gpu-a[12],gpu-b1", "gpu-a12"}}) {
    auto environment = srun();
    environment["SLURM_STEP_NODELIST"] = list;
    EXPECT_EQ(place_in(environment)->store_host, first) << list;
  }
}

TEST(ProcessPlace, MasterAddressOverridesThatOfSlurm) {
  auto environment = srun();
  environment["MASTER_ADDR"] = "10.1.1.1";
  environment["MASTER_PORT"] = "1234";
  EXPECT_EQ(place_in(environment)->store_host, "10.1.1.1");
  EXPECT_EQ(place_in(environment)->store_port, 1234);
}

TEST(ProcessPlace, WrongVariablesAreNamed) {
  auto environment = torchrun();
  environment["WORLD_SIZE"] = "2";
  EXPECT_THAT(error_in(environment), AllOf(HasSubstr("RANK"), HasSubstr("\"2\""), HasSubstr("from 0 to 1")));
  environment = torchrun();
  environment.erase("WORLD_SIZE");
  EXPECT_THAT(error_in(environment), AllOf(HasSubstr("WORLD_SIZE"), HasSubstr("torchrun")));
  environment = torchrun();
  environment.erase("MASTER_ADDR");
  EXPECT_THAT(error_in(environment), HasSubstr("MASTER_ADDR"));
  environment = torchrun();
  environment["MASTER_PORT"] = "70000";
  EXPECT_THAT(error_in(environment), AllOf(HasSubstr("MASTER_PORT"), HasSubstr("65535")));
  environment["MASTER_PORT"] = "29500x";
  EXPECT_THAT(error_in(environment), HasSubstr("29500x"));
  environment = srun();
  environment.erase("SLURM_LOCALID");
  EXPECT_THAT(error_in(environment), AllOf(HasSubstr("SLURM_LOCALID"), HasSubstr("srun")));
}

TEST(ProcessPlace, ThreadsAreDividedUnlessTheLauncherHasBoundThem) {
  EXPECT_EQ(threads_of_process(/*processors=*/8, /*machine_processors=*/8, /*local_size=*/4), 2);
  EXPECT_EQ(threads_of_process(8, 8, 3), 2);
  EXPECT_EQ(threads_of_process(2, 2, 4), 1);
  EXPECT_EQ(threads_of_process(4, 16, 4), 4) << "bound to 4 of 16 processors";
}

}  // namespace
}  // namespace translate::trainer
