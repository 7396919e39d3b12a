"""Strategies for rsc-sim in a package of their own: `patient` to copy, `faulty` to do on purpose what none should."""
