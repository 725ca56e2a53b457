"""Vectors in emitted code: how a matrix's rows are made of them, and instructions on them."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types

#: Numbers per vector; machines with shorter vectors split them.
LANES = 8
#: Filtered and carried numbers below this are set to zero: products of a few of them would leave the
#: normal range, where arithmetic is a hundred times slower.
NEGLIGIBLE = 1e-100


def _vector(lanes: int) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType(), lanes)


def row_vectors(n: int) -> list[tuple[int, int]]:
    """Column and lanes of each vector of a row: the last is half as long where that holds its columns.

    Many processors pass long vectors through their units in halves, so a half takes half as long. With
    10 bins, where a row is 8 + 4 and not 16, the forward pass takes 0.85 and the backward pass 0.83 of
    the time (in turn).
    """
    half = LANES // 2
    return [(v, half if n - v <= half else LANES) for v in range(0, n, LANES)]


def matrix_vectors(n: int, p: int) -> list[tuple[int, int, int]]:
    """The same for all rows of a matrix: where the row begins, column and lanes."""
    return [(row, *each) for row in range(0, n * p, p) for each in row_vectors(n)]


class VectorCode:
    """Vector instructions on flat arrays, at offsets known now or when running."""

    def __init__(self, context, builder, signature, arguments):
        self.builder = builder
        self.index = context.get_value_type(types.intp)
        #: Arrays as pointers to their first entry, numbers as they are.
        self.operands = [
            context.make_array(kind)(context, builder, value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]

    def constant(self, number, lanes=LANES):
        return ir.Constant(_vector(lanes), [number] * lanes)

    def offset(self, *terms):
        """Sum of offsets, numbers or running values."""
        total = ir.Constant(self.index, sum(term for term in terms if isinstance(term, int)))
        for term in terms:
            if not isinstance(term, int):
                total = self.builder.add(total, term)
        return total

    def times(self, running, number: int):
        return self.builder.mul(running, ir.Constant(self.index, number))

    def _place(self, base, offset, lanes):
        place = self.builder.gep(base, [self.offset(*offset)])
        return self.builder.bitcast(place, _vector(lanes).as_pointer())

    def load(self, base, *offset, lanes=LANES):
        return self.builder.load(self._place(base, offset, lanes), align=8)

    def store(self, value, base, *offset):
        self.builder.store(value, self._place(base, offset, value.type.count), align=8)

    def number(self, base, *offset, lengths=(LANES,)):
        """One entry in all lanes of a vector that multiplies vectors of these lengths.

        Where they differ, a fence makes the shorter ones take the first lanes of the long one. The
        compiler would spread the entry to both lengths, the second time by an instruction that the
        units for products have no time for: half of what shorter vectors gain would be lost.
        """
        number = self.builder.load(self.builder.gep(base, [self.offset(*offset)]))
        spread = self.spread(number, max(lengths))
        return spread if len(set(lengths)) == 1 else self._call("arithmetic.fence", spread)

    def spread(self, number, lanes=LANES):
        undefined = ir.Constant(_vector(lanes), ir.Undefined)
        one = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        return self.shuffle(one, undefined, [0] * lanes)

    def first(self, value, lanes):
        """The first lanes of a vector."""
        if value.type.count == lanes:
            return value
        return self.shuffle(value, value, range(lanes))

    def widened(self, value, number, lanes=LANES):
        """A vector of so many lanes, that number in those that it lacked."""
        held = value.type.count
        if held == lanes:
            return value
        rest = self.constant(number, held)
        return self.shuffle(value, rest, [min(lane, held) for lane in range(lanes)])

    def shuffle(self, one, other, lanes):
        lanes = list(lanes)
        return self.builder.shuffle_vector(
            one, other, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
        )

    def multiply_add(self, one, other, sums):
        return self._call("fma", self.first(one, sums.type.count), other, sums)

    def _call(self, name, *vectors):
        kind = vectors[0].type
        function = cgutils.get_or_insert_function(
            self.builder.module,
            ir.FunctionType(kind, [kind] * len(vectors)),
            f"llvm.{name}.v{kind.count}f64",
        )
        return self.builder.call(function, vectors)

    def without_negligible(self, value):
        lanes = value.type.count
        above = self.builder.fcmp_ordered(">", value, self.constant(NEGLIGIBLE, lanes))
        return self.builder.select(above, value, self.constant(0.0, lanes))

    def columns_below(self, size, column, lanes):
        """Which lanes of the vector at a column are columns of the matrix, not padding."""
        flags = [column + lane < size for lane in range(lanes)]
        return ir.Constant(ir.VectorType(ir.IntType(1), lanes), flags)

    def lower(self, one, other):
        return self.builder.select(self.builder.fcmp_ordered("<", one, other), one, other)

    def higher(self, one, other):
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def plus(self, one, other):
        """Sum, lane by lane, of two vectors; lanes that one lacks are zero."""
        lanes = max(one.type.count, other.type.count)
        return self.builder.fadd(*(self.widened(each, 0.0, lanes) for each in (one, other)))

    def total(self, vectors):
        """Sum over all lanes of all vectors, pair by pair."""
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=False)
            rest = vectors[len(vectors) // 2 * 2 :]
            vectors = [self.plus(*pair) for pair in pairs] + rest
        left = self.widened(*vectors, 0.0)
        shift = LANES // 2
        while shift:
            turned = self.shuffle(left, left, [(lane + shift) % LANES for lane in range(LANES)])
            left = self.builder.fadd(left, turned)
            shift //= 2
        return self.builder.extract_element(left, ir.Constant(ir.IntType(32), 0))
