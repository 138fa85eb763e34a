#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"
#include "serve/models/model_registry.h"
#include "serve/models/served_model.h"

namespace translate::tools {

/// A loaded model, and the files that it was loaded from.
struct LoadedServedModel {
  std::unique_ptr<ServedModel> model;
  std::string text;                       ///< for the log: path, directions and memory
  std::optional<FileStamps> stamps = {};  ///< the states of its files, if they are known
};

/// Loads model `index`. Returns nothing if the files are in the states that `known` has. Throws if it cannot be loaded.
using LoadModel =
    std::function<std::optional<LoadedServedModel>(std::size_t index, const std::optional<FileStamps>& known)>;

/// Loads the models of a server at its start, and again whenever it is asked to, while the server goes on: one model
/// after the other, so that one at most is in memory twice. To be used by one thread.
class ModelReloader {
 public:
  /// Loads `count` models, at least one, and logs what each is. Throws the errors of `load`, and ConfigError if two
  /// models have the same direction.
  ModelReloader(LoadModel load, std::size_t count, Pivoting pivoting);

  /// The models to translate with.
  [[nodiscard]] ModelRegistry& models() { return *registry_; }

  /// Has the models loaded again, on a thread of its own, after a reload that is under way. A model whose files are
  /// unchanged stays, and so does one that cannot be loaded; the log tells about each.
  void request_reload() { requested_ = true; }

  /// Starts a requested reload, and frees replaced models that have no more requests. To be called again and again.
  void look_after();

  /// Whether models are being loaded.
  [[nodiscard]] bool is_reloading() const;

 private:
  /// What a model was loaded from.
  struct Slot {
    std::string text;
    std::optional<FileStamps> stamps;
  };

  void reload();
  [[nodiscard]] bool reload_model(std::size_t index);

  LoadModel load_;
  std::vector<Slot> slots_;  ///< used by the reload, while there is one
  std::unique_ptr<ModelRegistry> registry_;
  bool requested_ = false;
  std::future<void> reload_;  ///< the last member: it uses the others
};

}  // namespace translate::tools
