#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/stable_file.h"
#include "interop/pytorch/pytorch_file.h"
#include "tensors/tensor_file.h"
#include "unit/engine_with_libtorch/checkpoint/pytorch_fixture.h"

namespace translate::tools {

/// A tensor's opcodes: _rebuild_tensor(storage, offset, sizes, strides); numbers are given as their opcodes.
struct TensorOpcodes {
  std::string type = "FloatStorage";
  std::string key = "0";
  std::string elements = "K\x06";
  std::string offset = std::string("K\0", 2);
  std::string sizes = "K\x06";
  std::string strides = "K\x01";

  [[nodiscard]] std::string opcodes() const {
    return std::string("ctorch._utils\n_rebuild_tensor\n((") + text_opcode("storage") + "ctorch\n" + type + "\n" +
           text_opcode(key) + text_opcode("cpu") + elements + "tQ" + offset + "(" + sizes + "t(" + strides + "ttR";
  }
};

class PytorchFileTest : public CheckpointFixture {
 protected:
  /// Writes an archive with this pickle (opcodes between PROTO and STOP) and these other entries.
  void write(const std::string& opcodes, ZipEntries others = {}, const ZipStyle& style = {.padding = 64}) const {
    others.insert(others.begin(), {"x/data.pkl", std::string("\x80\x02") + opcodes + "."});
    write_quickly(path_, zip_of(others, style));
  }
  [[nodiscard]] std::string refusal() const {
    return error_of<CheckpointError>([&] { (void)read_pytorch_file(StableFile(path_)); });
  }
  /// The error without the path before it.
  [[nodiscard]] std::string refusal_of(const std::string& opcodes, const ZipEntries& others = {}) const {
    write(opcodes, others);
    const std::string error = refusal();
    const std::string start = path_.string() + ": ";
    EXPECT_EQ(error.find(start), 0U) << error;
    return error.substr(std::min(start.size(), error.size()));
  }

  std::filesystem::path path_ = folder_ / "x.pt";
};

/// The weights of a golden file.
inline trainer::NamedTensors weights_of(const std::string& name) {
  return trainer::tensors_of(read_pytorch_file(StableFile(pytorch_golden(name))).weights);
}

}  // namespace translate::tools
