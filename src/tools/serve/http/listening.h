#pragma once

#include <cstddef>
#include <string>

#include "core/file_descriptor.h"

namespace translate::tools {

/// Returns a socket that listens at a port of a name or an address of this machine, and does not block; port 0 is any
/// free one. Throws RuntimeError if the port is taken, or the host is not this machine's.
[[nodiscard]] FileDescriptor listen_at(const std::string& host, int port);

/// The port that a socket listens at.
[[nodiscard]] int port_of(const FileDescriptor& socket);

/// Raises the limit on open files as far as the connections need and the system allows. `newest` is a file that was
/// just opened: the system gives the lowest free number. Returns the most connections that there are files for. Throws
/// RuntimeError if these are too few for a server.
[[nodiscard]] std::size_t allow_files(std::size_t connections, int newest);

}  // namespace translate::tools
