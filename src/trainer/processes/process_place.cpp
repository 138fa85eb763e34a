#include "processes/process_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.h"

namespace translate::trainer {

namespace {

constexpr int kMostProcesses = 1 << 20;
constexpr int kMostPorts = 65535;

/// Reads numbers from variables, with errors that name the variable and its launcher.
class Variables {
 public:
  Variables(const EnvironmentReader& read, std::string launcher) : read_(read), launcher_(std::move(launcher)) {}

  [[nodiscard]] std::string text(const std::string& name) const {
    if (auto value = read_(name); value && !value->empty()) {
      return *value;
    }
    throw ConfigError(
        fmt::format("the environment variable {} is not set, although others of {} are", name, launcher_));
  }

  /// Returns a number from `least` to `most`.
  [[nodiscard]] int number(const std::string& name, int least, int most) const {
    const auto value = text(name);
    int result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size() || result < least || result > most) {
      throw ConfigError(fmt::format("the environment variable {} of {} is \"{}\"; expected a number from {} to {}",
                                    name, launcher_, value, least, most));
    }
    return result;
  }

  [[nodiscard]] int number_or(const std::string& name, int least, int most, int otherwise) const {
    return read_(name) ? number(name, least, most) : otherwise;
  }

 private:
  const EnvironmentReader& read_;
  std::string launcher_;
};

ProcessPlace place_of_torchrun(const EnvironmentReader& read) {
  const bool own = read(kLaunchedVariable).has_value();
  const Variables variables(read, own ? "translate-train --processes" : "torchrun");
  ProcessPlace place;
  place.launcher = own ? "translate-train --processes" : "torchrun";
  place.size = variables.number("WORLD_SIZE", 1, kMostProcesses);
  place.rank = variables.number("RANK", 0, place.size - 1);
  place.local_size = variables.number_or("LOCAL_WORLD_SIZE", 1, place.size, 1);
  place.local_rank = variables.number_or("LOCAL_RANK", 0, place.local_size - 1, 0);
  place.restarts = variables.number_or("TORCHELASTIC_RESTART_COUNT", 0, kMostProcesses, 0);
  const auto agent = read("TORCHELASTIC_USE_AGENT_STORE");
  place.launcher_serves_store = agent && *agent == "True";
  if (place.size > 1) {
    place.store_host = variables.text("MASTER_ADDR");
    place.store_port = variables.number("MASTER_PORT", 1, kMostPorts);
  }
  if (own && read(kStoreSocketVariable)) {
    place.store_socket = variables.number(kStoreSocketVariable, 0, kMostProcesses);
  }
  return place;
}

/// Returns the first host of a list as Slurm writes it: "node[03-05,9],other" -> "node03".
std::string first_host(std::string_view hosts) {
  const auto end = hosts.find_first_of("[,");
  if (end == std::string_view::npos || hosts[end] == ',') {
    return std::string(hosts.substr(0, end));
  }
  const auto numbers = hosts.substr(end + 1);
  return std::string(hosts.substr(0, end)) + std::string(numbers.substr(0, numbers.find_first_of("-,]")));
}

/// Returns the number of tasks on the first hosts of Slurm's list "2(x3),1", if all have the same; else the largest.
int most_tasks_of_host(std::string_view list, int otherwise) {
  int most = 0;
  while (!list.empty()) {
    const auto entry = list.substr(0, list.find(','));
    int tasks = 0;
    std::from_chars(entry.data(), entry.data() + entry.size(), tasks);
    most = std::max(most, tasks);
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
  }
  return most > 0 ? most : otherwise;
}

/// A port that is the same in all tasks of a step and, most likely, in no other step on these hosts.
int port_of_step(int job, int step) {
  constexpr int kFirst = 15000;
  constexpr int kCount = 15000;
  return kFirst + (job % kCount + 97 * (step % kCount)) % kCount;
}

ProcessPlace place_of_slurm(const EnvironmentReader& read) {
  const Variables variables(read, "srun");
  ProcessPlace place;
  place.launcher = "srun";
  place.size = variables.number("SLURM_STEP_NUM_TASKS", 1, kMostProcesses);
  place.rank = variables.number("SLURM_PROCID", 0, place.size - 1);
  place.local_rank = variables.number("SLURM_LOCALID", 0, place.size - 1);
  const auto tasks = read("SLURM_STEP_TASKS_PER_NODE");
  place.local_size = std::max(place.local_rank + 1, tasks ? most_tasks_of_host(*tasks, place.size) : place.size);
  const auto host = read("MASTER_ADDR");
  place.store_host = host ? *host : first_host(variables.text("SLURM_STEP_NODELIST"));
  constexpr int kMostJobs = 1 << 30;
  place.store_port = variables.number_or("MASTER_PORT", 1, kMostPorts,
                                         port_of_step(variables.number_or("SLURM_JOB_ID", 0, kMostJobs, 0),
                                                      variables.number_or("SLURM_STEP_ID", 0, kMostJobs, 0)));
  place.restarts = variables.number_or("SLURM_RESTART_COUNT", 0, kMostProcesses, 0);
  return place;
}

}  // namespace

std::optional<ProcessPlace> process_place(const EnvironmentReader& read) {
  std::optional<ProcessPlace> place;
  if (read("RANK") || read("WORLD_SIZE")) {
    place = place_of_torchrun(read);
  } else if (read("SLURM_STEP_ID") && read("SLURM_STEP_NUM_TASKS")) {
    place = place_of_slurm(read);
  }
  return place && place->size > 1 ? place : std::nullopt;
}

int threads_of_process(int processors, int machine_processors, int local_size) {
  return processors < machine_processors ? processors : std::max(1, processors / local_size);
}

}  // namespace translate::trainer
