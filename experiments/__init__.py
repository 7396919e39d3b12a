"""The official experiments: one TOML file a question, run with `rsc run NAME`."""
