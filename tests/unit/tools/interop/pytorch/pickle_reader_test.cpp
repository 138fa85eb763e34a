#include "interop/pytorch/pickle_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/engine_with_libtorch/checkpoint/pytorch_fixture.h"

namespace translate::tools {
namespace {

using namespace std::string_literals;

/// A pickle: PROTO 2, these opcodes, STOP.
PickleDocument read(const std::string& opcodes) { return read_pickle("\x80\x02"s + opcodes + ".", "x.pt"); }

std::string pickle_refusal(const std::string& opcodes) {
  return error_of<CheckpointError>([&] { (void)read(opcodes); });
}

template <typename T>
T value_of(const std::string& opcodes) {
  const PickleDocument document = read(opcodes);
  const T* const value = document.root().as<T>();
  if (value == nullptr) {
    throw std::runtime_error("it is " + std::string(document.root().kind()));
  }
  return *value;
}

/// ('storage', torch.FloatStorage, '0', 'cpu', 6) and the opcode that looks it up.
const std::string kStorage =
    "("s + text_opcode("storage") + "ctorch\nFloatStorage\n" + text_opcode("0") + text_opcode("cpu") + "K\x06tQ";
/// _rebuild_tensor_v2(storage, 1, (2, 1), (3, 1), False, OrderedDict())
const std::string kTensor = "ctorch._utils\n_rebuild_tensor_v2\n("s + kStorage +
                            "K\x01K\x02K\x01\x86K\x03K\x01\x86\x89" + "ccollections\nOrderedDict\n)RtR";

TEST(PickleReader, ReadsNumbersOfEverySize) {
  EXPECT_EQ(value_of<std::int64_t>("K\xFF"), 255);
  EXPECT_EQ(value_of<std::int64_t>("M\xFF\xFF"), 65535);
  EXPECT_EQ(value_of<std::int64_t>("J\xFE\xFF\xFF\xFF"), -2);
  EXPECT_EQ(value_of<std::int64_t>("\x8A\x00"s), 0);
  EXPECT_EQ(value_of<std::int64_t>("\x8A\x01\x80"), -128);
  EXPECT_EQ(value_of<std::int64_t>("\x8A\x06\x00\x00\x00\x00\x00\x01"s), std::int64_t{1} << 40);
  EXPECT_EQ(value_of<std::int64_t>("\x8B\x02\x00\x00\x00\x00\x01"s), 256);
  EXPECT_EQ(value_of<double>("\x8A\x09"s + std::string(8, '\xFF') + "\0"s), HUGE_VAL);  // 2^64 - 1
  EXPECT_EQ(value_of<double>("G\x3F\xF8\x00\x00\x00\x00\x00\x00"s), 1.5);
  EXPECT_TRUE(value_of<bool>("\x88"));
  EXPECT_FALSE(value_of<bool>("\x89"));
  (void)value_of<std::monostate>("N");
}

TEST(PickleReader, ReadsTextOfEverySize) {
  EXPECT_EQ(value_of<std::string>(text_opcode("été")), "été");
  EXPECT_EQ(value_of<std::string>("\x8C\x02"
                                  "ab"),
            "ab");
  EXPECT_EQ(value_of<std::string>("\x8D\x02\x00\x00\x00\x00\x00\x00\x00"
                                  "ab"s),
            "ab");
  EXPECT_EQ(value_of<std::string>("C\x02\x00\xFF"s), "\x00\xFF"s);
  EXPECT_EQ(value_of<std::string>("B\x01\x00\x00\x00\xFF"s), "\xFF");
  EXPECT_EQ(value_of<std::string>("\x8E\x01\x00\x00\x00\x00\x00\x00\x00\xFF"s), "\xFF");
  EXPECT_EQ(pickle_refusal("\x8C\x01\xFF"), "x.pt: pickle: damaged: a string is not UTF-8 (byte 5)");
}

TEST(PickleReader, ContainersHoldOneAnother) {
  const PickleDocument document = read(
      "}q\x00(K\x01](K\x02K\x03"
      "eK\x04"
      "aK\x05h\x00u"s);  // d = {1: [2, 3, 4], 5: d}
  const auto& items = document.root().as<PickleDict>()->items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(*items[0].first->as<std::int64_t>(), 1);
  EXPECT_EQ(items[0].second->as<PickleList>()->items.size(), 3U);
  EXPECT_EQ(*items[1].first->as<std::int64_t>(), 5);
  EXPECT_EQ(items[1].second, &document.root());
}

TEST(PickleReader, ListsKeepTheirOrder) {
  const PickleDocument document = read(
      "](K\x01K\x02"
      "eK\x03"
      "a");
  const auto& items = document.root().as<PickleList>()->items;
  ASSERT_EQ(items.size(), 3U);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(*items[i]->as<std::int64_t>(), static_cast<std::int64_t>(i + 1));
  }
}

TEST(PickleReader, TuplesOfEverySize) {
  const std::vector<std::string> tuples = {")", "K\x01\x85", "K\x01K\x02\x86", "K\x01K\x02K\x03\x87",
                                           "(K\x01K\x02K\x03K\x04t"};
  for (std::size_t size = 0; size < tuples.size(); ++size) {
    const PickleDocument document = read(tuples[size]);
    ASSERT_NE(document.root().as<PickleTuple>(), nullptr) << size;
    const auto& items = document.root().as<PickleTuple>()->items;
    ASSERT_EQ(items.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(*items[i]->as<std::int64_t>(), static_cast<std::int64_t>(i + 1));
    }
  }
}

TEST(PickleReader, DictsTakeOneItemOrMany) {
  const PickleDocument document = read("}K\x01K\x02s(K\x03K\x04K\x05K\x06u");
  const auto& items = document.root().as<PickleDict>()->items;
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(*items[0].first->as<std::int64_t>(), 1);
  EXPECT_EQ(*items[2].second->as<std::int64_t>(), 6);
}

TEST(PickleReader, TheMemoGivesTheSameObjectAgain) {
  for (const std::string& put : {"q\x07"s, "r\x07\x00\x00\x00"s}) {
    for (const std::string& get : {"h\x07"s, "j\x07\x00\x00\x00"s}) {
      const PickleDocument document = read("]"s + put +
                                           "K\x01"
                                           "a" +
                                           get + "\x86");
      const auto& items = document.root().as<PickleTuple>()->items;
      EXPECT_EQ(items[0], items[1]);
    }
  }
  const PickleDocument document = read("]\x94)\x94h\x00h\x01\x86"s + "000h\x00"s);  // POP three times, then the first
  EXPECT_EQ(document.root().kind(), "a list");
}

TEST(PickleReader, AnObjectMayHoldItself) {
  const PickleDocument document = read(
      "]q\x00h\x00"
      "a"s);
  EXPECT_EQ(document.root().as<PickleList>()->items.front(), &document.root());
}

TEST(PickleReader, AMillionLevelsDoNotExhaustTheStack) {
  std::string opcodes = "N";
  for (int level = 0; level < 900'000; ++level) {
    opcodes += "\x85";
  }
  EXPECT_EQ(read(opcodes).root().kind(), "a tuple");
}

TEST(PickleReader, RebuildsTensorsWithoutLookingIntoThem) {
  for (const std::string& opcodes : {kTensor, "ctorch._utils\n_rebuild_parameter\n"s + kTensor + "\x88)\x87R"}) {
    const PickleDocument document = read(opcodes);
    const PickledTensor* const tensor = document.root().tensor();
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->storage.key, "0");
    EXPECT_EQ(tensor->storage.elements, 6);
    EXPECT_EQ(tensor->storage.dtype, NumberType::kFloat32);
    EXPECT_EQ(tensor->offset, 1);
    EXPECT_EQ(tensor->sizes, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(tensor->strides, (std::vector<std::int64_t>{3, 1}));
  }
  EXPECT_EQ(read("ctorch\nSize\nK\x02\x85\x85R").root().kind(), "a tuple");
}

TEST(PickleReader, TheStateOfAnObjectIsDropped) {
  const PickleDocument document = read("ccollections\nOrderedDict\n)R}" + text_opcode("_metadata") + "Nsb");
  EXPECT_TRUE(document.root().as<PickleDict>()->items.empty());
}

TEST(PickleReader, OtherFunctionsAreRefusedByName) {
  const std::string expected =
      "x.pt: pickle: it needs posix.system, which does not belong in a state_dict; nothing was "
      "executed. If you trust the file, convert it:\n"
      "  import torch; state = torch.load(\"x.pt\", map_location=\"cpu\", weights_only=False)\n"
      "  torch.save(dict(state[\"model_state_dict\"]), \"x-weights.pt\")";
  EXPECT_EQ(pickle_refusal("cposix\nsystem\n"s + text_opcode("true") + "\x85R"), expected);
  EXPECT_EQ(pickle_refusal(text_opcode("posix") + text_opcode("system") + "\x93" + text_opcode("true") + "\x85R"),
            expected);
  using Names = std::pair<std::string, std::string>;
  for (const auto& [module, name] :
       {Names("builtins", "eval"), Names("torch", "load"), Names("collections", "Counter"),
        Names("torch", "OrderedDict"), Names("os", "FloatStorage"), Names("torch", "ComplexFloatStorage"),
        Names("torch._utils", "_rebuild_tensor_v3")}) {
    const std::string error = pickle_refusal("c"s + module + "\n" + name + "\n)R");
    EXPECT_NE(error.find("it needs "s + module + "." + name + ","), std::string::npos);
  }
  EXPECT_NE(pickle_refusal("cbad\x1B[2Jname\nx\n").find("the name of a function is not readable"), std::string::npos);
  EXPECT_NE(pickle_refusal("c"s + std::string(500, 'a') + "\nx\n").find("is not readable"), std::string::npos);
}

TEST(PickleReader, AWholeModuleIsRefusedAsSuch) {
  const std::string expected =
      "x.pt: pickle: it is a whole Python object of the class model.Transformer, as torch.save(model) writes it; to "
      "read it takes its Python code. Save its state_dict instead:\n"
      "  import torch; state = torch.load(\"x.pt\", map_location=\"cpu\", weights_only=False)\n"
      "  torch.save(state.state_dict(), \"x-weights.pt\")";
  EXPECT_EQ(pickle_refusal("cmodel\nTransformer\nq\x00)\x81}b"s), expected);
  EXPECT_EQ(pickle_refusal("\x8C\x05model\x94\x8C\x0BTransformer\x94\x93\x94)\x81}b"), expected);
}

TEST(PickleReader, OpcodesThatNoDataNeedsAreRefused) {
  for (const std::string& opcode : {")\x81"s, "i"s, "o"s, "P"s, "I"s, "V"s, "\x82\x01"s, "\x92"s, "\x97"s, "\xFF"s}) {
    EXPECT_NE(pickle_refusal("N"s + opcode).find("damaged"), std::string::npos);
  }
  EXPECT_EQ(pickle_refusal("i"), "x.pt: pickle: damaged, or an opcode that no state_dict needs: 0x69 (byte 3)");
}

TEST(PickleReader, OperandsOfTheWrongKindAreRefused) {
  const std::vector<std::string> wrong = {
      "",
      "NN",
      "(N",
      "0N",
      "K\x01t",
      "1",
      "NNa",
      "](N",
      "NNNs",
      "}(Nu",
      "Nb",
      "h\x09",
      "NNR",
      "ctorch\nSize\nNR",
      "ctorch\nSize\n)R",
      "ctorch\nFloatStorage\n)R",
      "ccollections\nOrderedDict\nN\x85R",
      "NQ",
      ")Q",
      "ctorch._utils\n_rebuild_tensor_v2\n)R",
      "ctorch._utils\n_rebuild_parameter\nNNN\x87R",
      "NN\x93",
      "(K\x01(0t",
      "("s + text_opcode("module") + "ctorch\nFloatStorage\n" + text_opcode("0") + text_opcode("cpu") + "K\x06tQ",
      "("s + text_opcode("storage") + "N" + text_opcode("0") + text_opcode("cpu") + "K\x06tQ",
      "("s + text_opcode("storage") + "ctorch\nFloatStorage\n" + text_opcode(std::string(21, '0')) +
          text_opcode("cpu") + "K\x06tQ",
      "ctorch._utils\n_rebuild_tensor\n("s + kStorage + "K\x01" + "NK\x01\x85tR",
      "ctorch._utils\n_rebuild_tensor\n("s + kStorage + "K\x01" + "N\x85K\x01\x85tR",
      "ctorch._utils\n_rebuild_tensor\n("s + kStorage +
          "K\x01((K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01tK\x01\x85tR",
  };
  for (const std::string& opcodes : wrong) {
    EXPECT_EQ(pickle_refusal(opcodes).find("x.pt: pickle: "), 0U) << opcodes;
  }
}

TEST(PickleReader, OtherProtocolsAreRefused) {
  const auto error = [](const std::string& bytes) {
    return error_of<CheckpointError>([&] { (void)read_pickle(bytes, "x.pt"); });
  };
  EXPECT_EQ(error("\x80\x06N."), "x.pt: pickle: its protocol is 6 (2 to 5 are read) (byte 2)");
  EXPECT_EQ(error("\x80\x01N."), "x.pt: pickle: its protocol is 1 (2 to 5 are read) (byte 2)");
  EXPECT_EQ(error("(lp0\n."), "x.pt: pickle: damaged: it is not a pickle of protocol 2 to 5 (byte 1)");
  for (const char protocol : {'\x02', '\x03', '\x04', '\x05'}) {
    EXPECT_EQ(read_pickle("\x80"s + protocol + "N.", "x.pt").root().kind(), "None");
  }
}

TEST(PickleReader, HugeLengthsAndPicklesAreRefusedWithoutTakingMemory) {
  EXPECT_NE(pickle_refusal("X\xFF\xFF\xFF\xFF").find("it ends too early"), std::string::npos);
  EXPECT_NE(pickle_refusal("\x8D"s + std::string(8, '\xFF')).find("it ends too early"), std::string::npos);
  EXPECT_NE(pickle_refusal("\x8B\xFF\xFF\xFF\xFF").find("it ends too early"), std::string::npos);
  EXPECT_NE(pickle_refusal(std::string(kMaxPickle, 'N')).find("are more than can be read (16777216)"),
            std::string::npos);
  EXPECT_NE(pickle_refusal(std::string(1'100'000, 'N')).find("it holds more than 1000000 objects"), std::string::npos);
}

TEST(PickleReader, EveryCutIsRefusedAndEveryChangeIsReadOrRefused) {
  const std::string whole =
      "\x80\x02}q\x00("s + text_opcode("weight") + kTensor + text_opcode("more") + "]q\x01(K\x05h\x00\x65u."s;
  EXPECT_EQ(read_pickle(whole, "x.pt").root().kind(), "a dict");
  const auto read_all = [](const std::string& bytes) { (void)read_pickle(bytes, "x.pt"); };
  const auto cuts = every_cut(whole);
  EXPECT_EQ(count_refusals(cuts, read_all), cuts.size());
  std::vector<unsigned char> masks;
  for (unsigned mask = 1; mask < 256; ++mask) {
    masks.push_back(static_cast<unsigned char>(mask));
  }
  EXPECT_GT(count_refusals(every_change(whole, 1, masks), read_all), whole.size() * 100);
}

}  // namespace
}  // namespace translate::tools
