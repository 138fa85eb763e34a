#include "translate/model/residual_connection.h"

#include "translate/model/stage_observer.h"

namespace translate {

ResidualConnectionImpl::ResidualConnectionImpl(const ModelOptions& options, std::int64_t index)
    : index_(index), placement_(options.norm) {
  norm = register_module("norm", LayerNormalization(options));
  dropout = register_module("dropout", Dropout(options.dropout));
}

const at::Tensor& ResidualConnectionImpl::observed(const char* stage, const at::Tensor& value) const {
  const StageScope scope("residual_connections", index_);
  observe_stage(stage, value);
  return value;
}

}  // namespace translate
