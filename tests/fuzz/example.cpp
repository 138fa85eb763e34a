// Exercises of every kind: the file of translate-explain --example.

#include "explain/worked_example.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto path = setting.file("example.json", fuzz::text_of(data, size));
  fuzz::allow<ConfigError>([&] {
    const auto example = tools::compute_example(path);
    (void)tools::to_text(example);
    (void)tools::to_json(example);
    (void)example.first_departure();
  });
  return 0;
}
