"""What must hold of every game and strategy: nothing hidden matters, nor a seat's number, nor how a run is cut."""
