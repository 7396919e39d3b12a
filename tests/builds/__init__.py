"""Other builds of the engine: checked, sanitized, and for other instruction sets. All `slow`: each is compiled anew."""
