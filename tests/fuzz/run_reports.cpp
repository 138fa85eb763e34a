// The metrics.jsonl and config.json of runs, which translate-serve --training reads while they are written.

#include "fuzz/fuzz_input.h"
#include "serve/training/training_runs.h"

namespace {

/// What a server tells of the run, without the age of its last report.
translate::Json told(translate::tools::TrainingRuns& runs) {
  auto json = runs.json();
  for (auto& run : json["runs"]) {
    run.erase("age_seconds");
  }
  return json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 2);
  (void)setting.file("config.json", parts[1]);
  tools::TrainingRuns follower({setting.folder()});
  (void)setting.file("metrics.jsonl", parts[0].substr(0, parts[0].size() / 2));
  (void)told(follower);
  (void)setting.file("metrics.jsonl", parts[0]);
  tools::TrainingRuns reader({setting.folder()});
  const auto all = told(reader);
  fuzz::require(told(follower) == all);
  (void)all.dump(-1, ' ', false, Json::error_handler_t::replace);
  return 0;
}
