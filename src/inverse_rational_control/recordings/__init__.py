"""Reading an animal's record, and records as datasets."""
