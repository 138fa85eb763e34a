#pragma once

/// Marks a function whose plain loops the compiler is to vectorise once for each x86-64 level; the loader picks the
/// best one for the machine, so that one build runs everywhere. Nothing where this is not to be had (other compilers
/// and processors, and sanitizer builds, whose start-up comes before their run-time library is ready).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TRANSLATE_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRANSLATE_VECTOR_CLONES
#endif
