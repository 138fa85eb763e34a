# shellcheck shell=bash
# What the scripts share; sourced by them, from the checkout's root.

# Says what is being done, in a line of its own.
say() { printf '==> %s\n' "$*"; }

# Ends with a message.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Runs one part of a script and tells afterwards how long it took: timed "Building" command...
timed() {
  local name="$1" start="$SECONDS"
  shift
  say "$name"
  "$@"
  local status="$?"  # where the result is tested, -e does not end the script here
  say "$name: $((SECONDS - start)) s"
  return "$status"
}

# Compilations at a time: one a processor, while each finds its 2 GB of free memory.
build_jobs() {
  local jobs free
  jobs="$(nproc)"
  free="$(awk '/^MemAvailable:/ {print int($2 / 2000000)}' /proc/meminfo)"
  if ((free < jobs)); then jobs="$free"; fi
  echo "$((jobs > 1 ? jobs : 1))"
}

# Configures and builds the release preset: all of it, or the targets named.
build_release() {
  cmake --preset release
  cmake --build --preset release --parallel "$(build_jobs)" ${1:+--target "$@"}
}
