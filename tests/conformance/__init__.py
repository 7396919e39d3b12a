"""The kit that each strategy must pass, and that it catches those that must not."""
