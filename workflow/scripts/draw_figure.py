"""Draw a figure, and write the numbers that it shows."""

from contextlib import ExitStack
from importlib import import_module

from inverse_rational_control import plotting
from inverse_rational_control.storage.blocks import opened
from inverse_rational_control.workflow import run


def main(module, pdf, png, numbers=None, **named):
    """Draw the figure of `module`; `named` are its datasets' files and its options."""
    figure = import_module(module)
    with ExitStack() as stack:
        given = {
            name: stack.enter_context(opened(value, figure.INPUTS[name]))
            if name in figure.INPUTS
            else value
            for name, value in named.items()
        }
        plotting.save(figure.draw(**given), (pdf, png))
        if numbers is not None:
            plotting.write_numbers(figure.numbers(**given), numbers)


if __name__ == "__main__":
    run(main, snakemake)
