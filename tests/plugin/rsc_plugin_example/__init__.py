"""Strategies for rsc-sim in a package of their own: `patient` to copy, `mindful` to see how memory is read,
`outspoken` for what needs no compiler, `faulty` to do on purpose what none should."""
