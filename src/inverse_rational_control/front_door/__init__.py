"""What a notebook needs: plain values in, the library's own results out; random numbers from `seed`."""
