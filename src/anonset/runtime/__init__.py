"""What lies below the library: the cache of compiled kernels, panics of native libraries, cards for notebooks."""
