#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "explain/exercises/exercise_kinds.h"
#include "model/sinusoid_rates.h"
#include "modules/embeddings.h"

namespace translate::tools {

namespace {

constexpr std::int64_t kLastPosition = 9999;
constexpr std::int64_t kWidest = 256;  // a row of a matrix

Sinusoids read_sinusoids(const ExampleFile& file) {
  const auto width = file.member("d_model").integer(between(2, kWidest));
  if (width % 2 != 0) {
    file.member("d_model").fail(
        fmt::format("expected an even number, a sine and a cosine for each rate; got {}", width));
  }
  Sinusoids sinusoids(width);
  sinusoids.layout = file.member("layout").choice_or(sinusoids.layout);
  sinusoids.frequencies = file.member("frequencies").choice_or(sinusoids.frequencies);
  return sinusoids;
}

std::vector<ExampleStep> compute_positions(const ExampleFile& file) {
  const auto sinusoids = read_sinusoids(file);
  const auto positions = file.integers("positions", between(0, kLastPosition));
  const bool is_paper = sinusoids.frequencies == SinusoidFrequencies::kPaper;
  const bool by_turns = sinusoids.layout == SinusoidLayout::kInterleaved;

  std::vector<ExampleStep> steps;
  const auto rates = at::tensor(sinusoid_rates(sinusoids));  // (d_model / 2)
  steps.push_back({.name = "rates",
                   .meaning = is_paper ? "10000^(-2i / d_model) for the pairs i = 0, 1, ..."
                                       : "10000^(-i / (d_model / 2 - 1)) for the pairs i = 0, 1, ...",
                   .value = rates.unsqueeze(0)});
  const auto indices = at::tensor(positions, at::kLong);
  steps.push_back({.name = "angles",
                   .meaning = "position times rate: a row for each position",
                   .value = at::outer(indices.to(at::kFloat), rates)});  // (positions, d_model / 2)
  const auto table = trainer::sinusoidal_positions(*std::ranges::max_element(positions) + 1, sinusoids)[0];
  const auto encoding = table.index_select(0, indices);  // (positions, d_model)
  steps.push_back(
      {.name = "encoding",
       .meaning = by_turns ? "sine and cosine of each angle by turns" : "the sines of all angles, then their cosines",
       .value = encoding});
  if (file.has("X")) {
    const auto x = file.matrix("X", encoding.size(0), encoding.size(1));
    steps.push_back({.name = "X", .meaning = "given: the embeddings at these positions", .value = x});
    steps.push_back({.name = "output", .meaning = "X + encoding", .value = x + encoding});
  }
  return steps;
}

}  // namespace

ExerciseKind positions_exercise() {
  return {.name = "positions",
          .keys = {"d_model", "positions", "layout", "frequencies", "X"},
          .steps = {"rates", "angles", "encoding", "X", "output"},
          .conditions = " (output needs X)",
          .compute = &compute_positions};
}

}  // namespace translate::tools
