"""What lies below the library: the cache of compiled kernels, and panics of native libraries."""
