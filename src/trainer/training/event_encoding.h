#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace translate::trainer {

/// The place of an event: seconds since 1970, and the step of the training.
struct EventTime {
  double wall_time = 0.0;  ///< seconds
  std::int64_t step = 0;
};

/// One value of a curve.
struct Scalar {
  std::string tag;  ///< the curve's name; what stands before its first slash is its group
  double value = 0.0;
};

/// CRC-32C (Castagnoli), the sum that event files have; `crc32` in core/file.h is another one.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

/// Returns an event as a record of an event file: its length, a masked CRC-32C of the length, the event, and a masked
/// CRC-32C of it.
[[nodiscard]] std::string event_record(std::string_view event);

// The functions below return an event, encoded as TensorBoard's protocol buffer `Event`.

/// The first event of a file: the version of its format.
[[nodiscard]] std::string version_event(double wall_time);

/// A start of the training: readers drop the values of earlier starts at the step of `time` and later ones.
[[nodiscard]] std::string start_event(const EventTime& time);

/// Values of several curves.
[[nodiscard]] std::string scalars_event(const EventTime& time, std::span<const Scalar> scalars);

/// A text, which TensorBoard reads as Markdown.
[[nodiscard]] std::string text_event(const EventTime& time, std::string_view tag, std::string_view markdown);

}  // namespace translate::trainer
