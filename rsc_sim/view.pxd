"""What else wraps a Python strategy uses of this room."""


# Give back a strategy and the object that its parameters begin with.
cdef void free_player(object capsule) noexcept
