// Safetensors files: the header, then each tensor's numbers.

#include "checkpoint/safetensors.h"

#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  const auto path = setting.file("model.safetensors", input);
  fuzz::allow<CheckpointError>([&] {
    const SafetensorsFile file(path);
    for (const auto& [name, array] : file.arrays()) {
      fuzz::require(file.contains(name) && array.bytes() <= size && array.count() >= 0);
      (void)array.numbers();
      fuzz::allow<CheckpointError>([&, &name = name, &array = array] { (void)as_floats(array, name); });
      fuzz::allow<CheckpointError>([&, &name = name, &array = array] { (void)as_doubles(array, name); });
    }
  });
  // The JSON without the eight bytes before it, so that changes need not keep its length right.
  fuzz::allow<CheckpointError>([&] {
    const auto header = parse_safetensors_header(input, 64, path);
    const auto written = format_safetensors_header(header, path);
    fuzz::require(parse_safetensors_header(written, 64, path).tensors.size() == header.tensors.size());
  });
  return 0;
}
