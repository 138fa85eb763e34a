// Hypotheses and references of translate-eval: one of each, in every metric and tokenization.

#include <cmath>

#include "config/enum_names.h"
#include "fuzz/fuzz_input.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/error_rate.h"
#include "metrics/ter.h"

namespace {

using namespace translate;

void score(const CorpusMetric& metric, const std::string& hypothesis, const std::string& reference) {
  fuzz::allow<DataError>([&] {
    const auto counts = metric.count(hypothesis, {&reference, 1});
    fuzz::require(counts.size() == metric.size());
    fuzz::require(std::isfinite(metric.score(counts)) && std::isfinite(metric.sentence_score(counts)));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 2);
  for (const auto& [tokenization, name] : enum_names(BleuTokenization())) {
    score(Bleu({.tokenization = tokenization, .lowercase = true}), parts[0], parts[1]);
  }
  score(Chrf(), parts[0], parts[1]);
  score(Ter(), parts[0], parts[1]);
  score(ErrorRate(ErrorUnit::kCharacter), parts[0], parts[1]);
  score(ErrorRate(ErrorUnit::kWord), parts[0], parts[1]);
  return 0;
}
