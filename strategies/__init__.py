"""The strategies that come with rsc-sim, one a file.

`BUILT_IN` says by name what each is: `collector`, a native one, is a `.pyx` with functions `decide` and `bind`;
`beginner.py:choose` is a Python function, `tuned.toml` a file of weights. `random` is in `uniform.pyx`: a file of
that name would hide the standard library's module.
"""

BUILT_IN = {
    "random": "uniform",
    "collector": "collector",
    "rusher": "rusher",
    "raider": "raider",
    "guardian": "guardian",
    "hoarder": "hoarder",
    "opportunist": "opportunist",
    "tuned": "tuned.toml",
    "search": "search",
    "beginner": "beginner.py:choose",
}
