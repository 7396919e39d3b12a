"""Monte Carlo balance simulator for the card game Read Sir Chaos."""
