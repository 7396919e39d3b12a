"""Outcomes on record: what this engine has played, it plays for good, on any build and machine."""
