#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/environment.h"

namespace translate::trainer {

/// Set, to anything, in processes that launch_processes started, together with the variables of torchrun.
inline constexpr const char* kLaunchedVariable = "TRANSLATE_LAUNCHED";
/// Set in the process of rank 0: the descriptor of the socket for the store.
inline constexpr const char* kStoreSocketVariable = "TRANSLATE_STORE_SOCKET";

/// The place of this process among the processes of one training, as the program that started them says.
struct ProcessPlace {
  int rank = 0;        ///< the number of this process, from 0
  int size = 1;        ///< the number of processes
  int local_rank = 0;  ///< its number among the processes on this machine
  int local_size = 1;  ///< the number of processes on this machine

  std::string store_host = "127.0.0.1";  ///< the host of the store in which the processes find each other
  int store_port = 0;                    ///< its port
  bool launcher_serves_store = false;    ///< true: the launcher runs the store; false: the process of rank 0 does
  std::optional<int> store_socket;       ///< rank 0: a socket that already listens at the port (see launch_processes)
  int restarts = 0;                      ///< how often the launcher has restarted the processes
  std::string launcher;                  ///< the name of the launcher, for messages
};

/// Returns the place that a launcher has set in the environment, or nothing if this process was started by itself or is
/// the only one. Known launchers: torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT,
/// TORCHELASTIC_*), the steps of Slurm's srun (SLURM_STEP_*, SLURM_PROCID, SLURM_LOCALID; MASTER_ADDR and MASTER_PORT
/// override the address), and `translate-train --processes`. Throws ConfigError that names the variable if one is
/// missing, not a number or out of range.
[[nodiscard]] std::optional<ProcessPlace> process_place(const EnvironmentReader& read = environment_variable);

/// Returns the threads of each process if `processors` are shared by the `local_size` processes of this machine: an
/// equal share, at least one. A launcher that binds processes to processors (srun, numactl) has divided them already:
/// then `processors`, those of this process's affinity mask, is smaller than `machine_processors` and returned as it
/// is.
[[nodiscard]] int threads_of_process(int processors, int machine_processors, int local_size);

/// The limits for waiting on other processes.
struct ProcessLimits {
  std::chrono::seconds start{300};   ///< until all processes have come
  std::chrono::seconds silence{60};  ///< without a sign of life from a process, at least
};

/// Which process holds the optimizer's state: each one all of it, or only that of the rows that it updates.
enum class OptimizerSharding { kNone, kRows };

/// The processes of a training, as one of them knows them at its start. The default is one process by itself.
struct ProcessGroupOptions {
  ProcessPlace place;
  ProcessLimits limits;
  OptimizerSharding sharding = OptimizerSharding::kNone;
};

}  // namespace translate::trainer
