#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/http/http_bodies.h"
#include "serve/models/model_registry.h"
#include "serve/models/served_model.h"
#include "unit/tools/serve/gated_translator.h"

namespace translate::tools {

/// A model that a GatedTranslator stands for, with two alternatives at most, and its page to experiment with.
inline std::unique_ptr<ServedModel> stand_in(const std::string& name, std::vector<Direction> directions,
                                             GatedTranslator& translator, int max_alternatives = 0,
                                             const QueueOptions& limits = {}) {
  ModelFacts facts{.name = name,
                   .directions = std::move(directions),
                   .bytes = static_cast<std::int64_t>(1000 * name.size()),
                   .max_alternatives = max_alternatives,
                   .learn_page = share_body("<!DOCTYPE html><title>" + name + "</title>")};
  return std::make_unique<ServedModel>(std::move(facts), ModelTranslators{.plain = translator.function()}, limits);
}

/// The same as the only model of a registry.
inline std::unique_ptr<ModelRegistry> only_model(std::unique_ptr<ServedModel> model) {
  std::vector<std::unique_ptr<ServedModel>> models;
  models.push_back(std::move(model));
  return std::make_unique<ModelRegistry>(std::move(models), Pivoting::kOn);
}

}  // namespace translate::tools
