#include "translate/model/residual_connection.h"

namespace translate {

ResidualConnectionImpl::ResidualConnectionImpl(const ModelOptions& options) : placement_(options.norm) {
  norm = register_module("norm", LayerNormalization(options));
  dropout = register_module("dropout", Dropout(options.dropout));
}

}  // namespace translate
