#include "serve/models/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace translate::tools {

ServedModel::ServedModel(ModelFacts facts, ModelTranslators translators, const QueueOptions& options)
    : facts_(std::move(facts)), plain_(std::move(translators.plain), options) {
  if (translators.several) {
    several_.emplace(std::move(translators.several), options);
  }
}

void ServedModel::stop() {
  plain_.stop();
  if (several_) {
    several_->stop();
  }
}

bool ServedModel::wait_until_idle(RequestQueue::Clock::time_point deadline) {
  return plain_.wait_until_idle(deadline) && (!several_ || several_->wait_until_idle(deadline));
}

QueueCounts ServedModel::counts() const {
  auto counts = plain_.counts();
  if (several_) {
    counts += several_->counts();
  }
  return counts;
}

std::string directions_text(const std::vector<Direction>& directions) {
  constexpr std::size_t kNamed = 20;
  std::vector<std::pair<std::string, std::string>> by_source;  // a source and its targets
  for (const auto& [source, target, tag] : std::span(directions).first(std::min(kNamed, directions.size()))) {
    const auto known = std::ranges::find(by_source, source, &std::pair<std::string, std::string>::first);
    if (known == by_source.end()) {
      by_source.emplace_back(source, target);
    } else {
      known->second += ", " + target;
    }
  }
  std::string text;
  for (const auto& [source, targets] : by_source) {
    text += fmt::format("{}from {} to {}", text.empty() ? "" : "; ", source, targets);
  }
  return directions.size() > kNamed ? fmt::format("{}; and {} more", text, directions.size() - kNamed) : text;
}

}  // namespace translate::tools
