"""The strategies that come with rsc-sim, one a file.

A native one is a `.pyx` with a function `decide` and a function `bind`; its file name is its name, but for
`uniform.pyx`, which is `random` (a file of that name would hide the standard library's module).
"""

BUILT_IN = {
    "random": "uniform",
    "collector": "collector",
    "rusher": "rusher",
    "raider": "raider",
    "guardian": "guardian",
}
