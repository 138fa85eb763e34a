// The environment of launchers (torchrun, srun): a variable a line, NAME=value.

#include <map>
#include <sstream>

#include "fuzz/fuzz_input.h"
#include "processes/process_place.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  std::map<std::string, std::string> environment;
  std::istringstream stream{std::string(fuzz::text_of(data, size))};
  for (std::string line; std::getline(stream, line);) {
    const auto equals = std::min(line.find('='), line.size());
    environment[line.substr(0, equals)] = line.substr(std::min(equals + 1, line.size()));
  }
  fuzz::allow<ConfigError>([&] {
    const auto place = trainer::process_place([&](const std::string& name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::make_optional(found->second);
    });
    if (place) {
      fuzz::require(place->rank >= 0 && place->rank < place->size && place->local_rank >= 0);
      fuzz::require(place->local_rank < place->local_size && place->store_port > 0 && place->store_port < 65536);
      fuzz::require(trainer::threads_of_process(8, 8, place->local_size) >= 1);
    }
  });
  return 0;
}
