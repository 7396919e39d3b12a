"""A ruleset made ready for the engine."""
from rsc_sim.engine.types cimport rules_t


cdef class CompiledRules:
    cdef rules_t c                  # what the engine reads; never changes after construction
    cdef readonly tuple kinds       # ids in file order; their places are the engine's kind numbers
    cdef readonly int seats
    cdef readonly tuple deal_order  # ids, one a copy
    cdef dict _source               # the ruleset as plain data
