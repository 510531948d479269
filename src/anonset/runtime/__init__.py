"""Below the library: the cache of compiled kernels, and crashes of native libraries."""
