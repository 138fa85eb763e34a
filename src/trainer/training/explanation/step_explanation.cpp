#include "training/explanation/step_explanation.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace translate::trainer {

namespace {

/// Returns the module of a parameter: "encoder.layers.0.self_attention_block" of w_q.weight there, "encoder.norm" of
/// "encoder.norm.alpha".
std::string module_of(const std::string& parameter) {
  const auto layers = parameter.find(".layers.");
  if (layers == std::string::npos) {
    return parameter.substr(0, parameter.rfind('.'));
  }
  const auto number = parameter.find('.', layers + 1) + 1;
  const auto block = parameter.find('.', number) + 1;
  return parameter.substr(0, parameter.find('.', block));
}

}  // namespace

std::vector<UpdateNorms> norms_by_module(const std::vector<UpdateNorms>& parameters) {
  std::vector<UpdateNorms> modules;
  for (const auto& parameter : parameters) {
    const auto name = module_of(parameter.name);
    auto module = std::ranges::find(modules, name, &UpdateNorms::name);
    if (module == modules.end()) {
      modules.push_back({.name = name, .shape = {}});
      module = std::prev(modules.end());
    }
    for (const auto norm : {&UpdateNorms::gradient, &UpdateNorms::weight, &UpdateNorms::update}) {
      (*module).*norm = std::hypot((*module).*norm, parameter.*norm);
    }
  }
  return modules;
}

}  // namespace translate::trainer
