"""Does this machine have the instructions that the engine was compiled for? Compiled without them itself, and imported
first.
"""

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__)
    static int rsc_has_v3(void) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
            && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
    }
    static int rsc_is_x86(void) { return 1; }
    #else
    static int rsc_has_v3(void) { return 1; }
    #endif
    #ifndef RSC_NEEDS_V3
    #define RSC_NEEDS_V3 0
    #endif
    """
    bint has_v3 "rsc_has_v3"()
    bint RSC_NEEDS_V3


def runs_here():
    """Say whether this processor runs the engine as it was compiled (x86-64-v3 unless another set was named at build
    time).
    """
    return not RSC_NEEDS_V3 or has_v3()
