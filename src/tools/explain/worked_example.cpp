#include "explain/worked_example.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explain/example_file.h"
#include "explain/exercises/exercise_kinds.h"

namespace translate::tools {

namespace {

constexpr double kTolerance = 0.005;  // claims are often given with two decimals

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the kind that the file names; attention if it names none.
ExerciseKind kind_of(const ExampleFile& file, const std::vector<ExerciseKind>& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) {
    names.push_back(kind.name);
  }
  return file.has("kind") ? kinds[file.member("kind").choice(names)] : kinds.front();
}

/// Throws if the file has a key that its kind does not have.
void check_keys(const ExampleFile& file, const ExerciseKind& kind, const std::vector<ExerciseKind>& kinds) {
  std::vector<std::string> known = {"kind", "title", "note", "tolerance", "claimed"};
  known.insert(known.end(), kind.keys.begin(), kind.keys.end());
  for (const auto& [key, value] : file.root().members()) {
    const auto other = std::ranges::find_if(kinds, [&key = key](const auto& each) { return contains(each.keys, key); });
    if (!contains(known, key) && other != kinds.end()) {
      value.fail(
          fmt::format("an exercise of kind \"{}\" has no such key; one of kind \"{}\" has", kind.name, other->name));
    }
  }
  file.root().allow_keys(known);
}

/// Throws if a step has numbers that are not finite, but for the -inf of masked scores.
void check_numbers(const ExampleFile& file, const std::vector<ExampleStep>& steps) {
  for (const auto& step : steps) {
    if (step.value.isnan().logical_or(step.value.isposinf()).any().item<bool>()) {
      file.root().fail(
          fmt::format("the step {} has a division by 0, or numbers larger than single precision holds", step.name));
    }
  }
}

void read_claims(const ExampleFile& file, const ExerciseKind& kind, std::vector<ExampleStep>& steps) {
  std::vector<std::string> computed;
  for (const auto& step : steps) {
    computed.push_back(step.name);
  }
  for (const auto& name : file.claims(kind.steps)) {
    if (!contains(computed, name)) {
      file.member("claimed").member(name).fail("this exercise has no such step" + kind.conditions);
    }
  }
  for (auto& step : steps) {
    if (auto claimed = file.claim(step.name, step.value.sizes()); claimed.defined()) {
      step.claimed = std::move(claimed);
      step.has_blanks = file.has_blanks(step.name);
    }
  }
}

}  // namespace

std::vector<ClaimVerdict> WorkedExample::verdicts() const {
  std::vector<ClaimVerdict> verdicts(steps.size(), ClaimVerdict::kNotClaimed);
  bool later_departs = false;
  for (auto i = steps.size(); i-- > 0;) {
    if (!steps[i].claimed) {
      continue;
    }
    const auto to_equivalent = steps[i].difference_from_equivalent();
    if (*steps[i].largest_difference() <= tolerance) {
      verdicts[i] = ClaimVerdict::kHolds;
    } else if (to_equivalent && *to_equivalent <= tolerance && !later_departs) {
      verdicts[i] = ClaimVerdict::kEquivalent;
    } else {
      verdicts[i] = ClaimVerdict::kDeparts;
      later_departs = true;
    }
  }
  // One order or the other: a claim that holds for one order alone does not go with one of the other order.
  bool has_this_order = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto to_equivalent = steps[i].difference_from_equivalent();
    has_this_order |= verdicts[i] == ClaimVerdict::kHolds && to_equivalent && *to_equivalent > tolerance;
  }
  if (has_this_order) {
    std::ranges::replace(verdicts, ClaimVerdict::kEquivalent, ClaimVerdict::kDeparts);
  }
  return verdicts;
}

const ExampleStep* WorkedExample::first_departure() const {
  const auto all = verdicts();
  const auto found = std::ranges::find(all, ClaimVerdict::kDeparts);
  return found == all.end() ? nullptr : &steps[static_cast<std::size_t>(found - all.begin())];
}

WorkedExample compute_example(const std::filesystem::path& file_path) {
  const at::NoGradGuard no_grad;
  const ExampleFile file(file_path);
  const auto kinds = exercise_kinds();
  const auto kind = kind_of(file, kinds);
  check_keys(file, kind, kinds);
  WorkedExample example{.title = file.member("title").text_or(""),
                        .note = file.member("note").text_or(""),
                        .kind = kind.name,
                        .tolerance = file.member("tolerance").number_or(kTolerance, at_least(0)),
                        .steps = kind.compute(file)};
  check_numbers(file, example.steps);
  read_claims(file, kind, example.steps);
  return example;
}

}  // namespace translate::tools
