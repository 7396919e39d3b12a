"""Strategies in a package of their own: it builds against the installed rsc-sim, plays, and fails in the open."""
