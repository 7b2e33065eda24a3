// The C library of the platform, exported to the importers of this module: no other file of `Sources` imports it.

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#else
    #error("a C library with POSIX's system calls is needed")
#endif
