#pragma once

namespace translate {

/// Opens those of the descriptors 0, 1 and 2 that the process was started without (`2>&-`). Otherwise the next file
/// that is opened, such as a log or a checkpoint, would take the number, and messages would be written into it. What is
/// read from such a stdin, or written to such a stdout, fails; messages on such a stderr are dropped. To be called
/// before any file is opened.
void open_missing_standard_streams() noexcept;

}  // namespace translate
