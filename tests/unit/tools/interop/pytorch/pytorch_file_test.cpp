#include "interop/pytorch/pytorch_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/file.h"
#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "unit/tools/interop/pytorch/pytorch_file_fixture.h"

namespace translate::tools {
namespace {

using namespace std::string_literals;

TEST_F(PytorchFileTest, ReadsABareStateDictAndTrainingCheckpoints) {
  const PytorchWeights bare = read_pytorch_file(StableFile(pytorch_golden("state_dict.pt")));
  EXPECT_EQ(bare.key, "");
  EXPECT_EQ(bare.step, std::nullopt);
  EXPECT_EQ(bare.weights.front().first, "encoder.layers.0.self_attention_block.w_q.weight");
  const SafetensorsFile expected(pytorch_golden("checkpoint.safetensors"));
  const PytorchWeights checkpoint = read_pytorch_file(StableFile(pytorch_golden("checkpoint.pt")));
  EXPECT_EQ(checkpoint.key, "model_state_dict");
  EXPECT_EQ(checkpoint.step, 3);
  std::size_t compared = 0;
  for (const auto& [name, tensor] : trainer::tensors_of(checkpoint.weights)) {
    if (!expected.contains("parameter." + name)) {
      continue;
    }
    EXPECT_TRUE(same_bits(tensor, trainer::tensor_of(expected, "parameter." + name))) << name;
    ++compared;
  }
  EXPECT_EQ(compared, expected.names().size() - 3);  // ids and logits
  EXPECT_EQ(read_pytorch_file(StableFile(pytorch_golden("wrapped.pt"))).key, "state_dict");
}

TEST_F(PytorchFileTest, OtherKindsOfFilesAreNamedWithTheConversion) {
  const auto error = [](const std::string& name) {
    return error_of<CheckpointError>([&] { (void)read_pytorch_file(StableFile(pytorch_golden(name))); });
  };
  const std::string module = error("whole_module.pt");
  EXPECT_NE(module.find("a whole Python object of the class model.ProjectionLayer"), std::string::npos);
  EXPECT_NE(module.find("torch.save(state.state_dict(), \"whole_module-weights.pt\")"), std::string::npos);
  EXPECT_NE(error("command.pt").find("it needs posix.system, "), std::string::npos);
}

TEST_F(PytorchFileTest, TorchscriptAndBigEndianFilesAreNamedWithTheConversion) {
  for (const std::string entry : {"x/constants.pkl", "x/code/__torch__.py"}) {
    const std::string error = refusal_of("}", {{entry, ""}});
    EXPECT_EQ(error.find("it is a TorchScript archive (torch.jit.save), which holds a program; convert it"), 0U);
    EXPECT_NE(error.find("torch.jit.load(\"" + path_.string() + "\", map_location=\"cpu\")"), std::string::npos);
  }
  EXPECT_EQ(refusal_of("}", {{"x/byteorder", "big"}}).find("it was written on a big-endian machine"), 0U);
  write_quickly(path_, zip_of({{"data.pkl", ""}, {"word/document.xml", ""}}));
  EXPECT_NE(refusal().find("a zip archive, but not one of torch.save"), std::string::npos);
  write_quickly(path_, "\x80\x04N.");
  EXPECT_NE(refusal().find("it is a bare pickle"), std::string::npos);
  write_quickly(path_, "text");
  EXPECT_NE(refusal().find("it is not a file of torch.save"), std::string::npos);
}

TEST_F(PytorchFileTest, ContentsThatAreNoWeightsAreDescribed) {
  const std::string expected =
      "expected a state_dict (names with tensors), or a dict that holds one as model_state_dict, state_dict or model";
  EXPECT_EQ(refusal_of("]"), expected + "; it holds a list");
  EXPECT_EQ(refusal_of("}"), expected + "; it holds no tensors");
  EXPECT_EQ(refusal_of("}(" + text_opcode("epoch") + "K\x01" + text_opcode("weights") + "}u"),
            expected + "; here \"epoch\" is an int, beside epoch, weights");
  EXPECT_EQ(refusal_of("}(K\x01K\x01u"), expected + "; one of its keys is an int");
  const std::string tensor = text_opcode("w") + TensorOpcodes{}.opcodes();
  EXPECT_EQ(refusal_of("}(" + tensor + tensor + "u", {{"x/data/0", std::string(24, 'x')}}),
            "damaged: it holds \"w\" twice");
}

/// The tensors' text, to compare without regard for their order.
std::string summary(const NamedArrays& arrays) {
  std::string all;
  for (const auto& [name, array] : arrays) {
    all += name + std::string(static_cast<const char*>(array.numbers().get()), array.bytes());
  }
  return all;
}

TEST_F(PytorchFileTest, CutFilesAreRefused) {
  const auto read = [&](const std::string& bytes) {
    write_quickly(path_, bytes);
    (void)read_pytorch_file(StableFile(path_));
  };
  const auto cuts = every_cut(read_file(pytorch_golden("command.pt")), 3);
  EXPECT_EQ(count_refusals(cuts, read), cuts.size());
  const auto larger = every_cut(read_file(pytorch_golden("views.pt")), 11);
  EXPECT_EQ(count_refusals(larger, read), larger.size());
}

TEST_F(PytorchFileTest, ChangedFilesAreRefusedOrReadAsTheyWere) {
  for (const std::string file : {"views.pt", "views_protocol_5.pt"}) {
    const std::string right = summary(read_pytorch_file(StableFile(pytorch_golden(file))).weights);
    std::size_t wrong = 0;
    const auto changes = every_change(read_file(pytorch_golden(file)), 5, {0x01, 0xFF});
    const std::size_t refused = count_refusals(changes, [&](const std::string& bytes) {
      write_quickly(path_, bytes);
      wrong += summary(read_pytorch_file(StableFile(path_)).weights) == right ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(refused, changes.size() / 4);
  }
}

TEST_F(PytorchFileTest, ChangedFilesWithoutChecksumsDoNotCrash) {
  const std::string bytes = read_file(pytorch_golden("views.pt"));
  const ZipArchive whole(bytes, "views.pt");
  ZipEntries entries;
  for (const std::string& name : whole.names()) {
    entries.emplace_back(name, whole.read(name));
  }
  const std::string unchecked = zip_of(entries, {.checksums = false, .padding = 64});
  const auto changes = every_change(unchecked, 7, {0x01, 0x80, 0xFF});
  EXPECT_GT(count_refusals(changes,
                           [&](const std::string& changed) {
                             write_quickly(path_, changed);
                             (void)summary(read_pytorch_file(StableFile(path_)).weights);
                           }),
            0U);
}

}  // namespace
}  // namespace translate::tools
