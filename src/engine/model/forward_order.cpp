#include "model/forward_order.h"

#include <unordered_set>
#include <utility>

namespace translate {

namespace {

/// Collects names, each once.
class Names {
 public:
  void add(const Parameter& parameter) {
    if (seen_.insert(parameter.stored_name()).second) {
      names_.push_back(parameter.stored_name());
    }
  }

  template <class Part>
  void add_all(const Part& part) {
    for (const auto& parameter : list_parameters(part)) {
      add(parameter);
    }
  }

  void add_input(const EmbeddingParameters& subwords, const PositionParameters& positions) {
    add(subwords.embedding.weight);
    if (positions.embedding) {
      add(positions.embedding->weight);
    }
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::vector<std::string> forward_order(const ModelParameters& model) {
  Names names;
  names.add_input(model.src_embed, model.src_pos);
  names.add_all(model.encoder);
  names.add_input(model.tgt_embed, model.tgt_pos);
  names.add_all(model.decoder);
  names.add_all(model.projection_layer.proj);
  return names.take();
}

}  // namespace translate
