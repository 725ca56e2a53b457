"""Speed and memory of this project, measured beside other programs: `make bench`."""
