"""What the passes over a chain do to a whole matrix at every step, emitted as vector code.

That is products, a transpose, and two passes over all entries. Plain loops over rows of ten or twenty
numbers are not vectorized well by the compiler: it unrolls them and then finds nothing to vectorize.
Measured in turn with the loops of `plain` written out and compiled (medians of 15), an E-step is 3.9
times as fast with 10 bins, 4.6 with 20, and 9 with 40, where products also skip what lies off the
kernels' bands.

Matrices are flat, N rows of a width P that is N rounded up to whole vectors; the columns beyond N hold
zeros. N and P come as the lengths of two tuples, and so are known when the code is compiled.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

#: Numbers per vector; machines with shorter vectors split them.
LANES = 8
#: Filtered and carried numbers below this are set to zero: products of a few of them would leave the
#: normal range, where arithmetic is a hundred times slower.
NEGLIGIBLE = 1e-100
_SUMS = 14  # vectors that a block of rows adds up at once: the units are busy, nothing spills

#: Widest matrix whose products are formed whole, fully unrolled; wider ones skip what is off the band.
UNROLLED = 16
_TILE_SUMS, _TILE_ROWS, _TILE_VECTORS = 16, 10, 6  # at most, of a banded product's tile


class _VectorCode:
    """Vector instructions on flat arrays, at offsets known now or when running."""

    def __init__(self, context, builder, signature, arguments):
        self.builder = builder
        self.vector = ir.VectorType(ir.DoubleType(), LANES)
        self.index = context.get_value_type(types.intp)
        self.zero = self.constant(0.0)
        self._fused = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(self.vector, [self.vector] * 3),
            f"llvm.fma.v{LANES}f64",
        )
        #: Arrays as pointers to their first entry, numbers as they are.
        self.operands = [
            context.make_array(kind)(context, builder, value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]

    def constant(self, number):
        return ir.Constant(self.vector, [number] * LANES)

    def offset(self, *terms):
        """Sum of offsets, numbers or running values."""
        total = ir.Constant(self.index, sum(term for term in terms if isinstance(term, int)))
        for term in terms:
            if not isinstance(term, int):
                total = self.builder.add(total, term)
        return total

    def times(self, running, number: int):
        return self.builder.mul(running, ir.Constant(self.index, number))

    def _place(self, base, offset):
        place = self.builder.gep(base, [self.offset(*offset)])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def load(self, base, *offset):
        return self.builder.load(self._place(base, offset), align=8)

    def store(self, value, base, *offset):
        self.builder.store(value, self._place(base, offset), align=8)

    def number(self, base, *offset):
        """One entry in all lanes."""
        return self.spread(self.builder.load(self.builder.gep(base, [self.offset(*offset)])))

    def spread(self, number):
        undefined = ir.Constant(self.vector, ir.Undefined)
        one = self.builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
        return self.shuffle(one, undefined, [0] * LANES)

    def shuffle(self, one, other, lanes):
        return self.builder.shuffle_vector(
            one, other, ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)
        )

    def multiply_add(self, one, other, sums):
        return self.builder.call(self._fused, [one, other, sums])

    def without_negligible(self, value):
        above = self.builder.fcmp_ordered(">", value, self.constant(NEGLIGIBLE))
        return self.builder.select(above, value, self.zero)

    def columns_below(self, size, offset, width):
        """Which lanes of the vector at an offset are columns of the matrix, not padding."""
        flags = [offset % width + lane < size for lane in range(LANES)]
        return ir.Constant(ir.VectorType(ir.IntType(1), LANES), flags)

    def lower(self, one, other):
        return self.builder.select(self.builder.fcmp_ordered("<", one, other), one, other)

    def higher(self, one, other):
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def total(self, vectors):
        """Sum over all lanes of all vectors, pair by pair."""
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=False)
            rest = vectors[len(vectors) // 2 * 2 :]
            vectors = [self.builder.fadd(*pair) for pair in pairs] + rest
        (left,) = vectors
        shift = LANES // 2
        while shift:
            turned = self.shuffle(left, left, [(lane + shift) % LANES for lane in range(LANES)])
            left = self.builder.fadd(left, turned)
            shift //= 2
        return self.builder.extract_element(left, ir.Constant(ir.IntType(32), 0))


def tile_shape(n: int, p: int, banded: str) -> tuple[int, int]:
    """Rows and vectors of a banded product's tiles: whole rows where the range is the rows' own."""
    columns = p // LANES
    vectors = 1
    if banded == "left":
        vectors = max(v for v in range(1, _TILE_VECTORS + 1) if columns % v == 0)
    blocks = -(-n // min(_TILE_ROWS, _TILE_SUMS // vectors))
    return -(-n // blocks), vectors


def _product(banded: str, transposed: bool, accumulate: bool):
    """Intrinsic out = left @ right (left.T if transposed), or out += ...; flat arrays.

    banded says which of them ("left", "right", "out") is a kernel, or for "out" is only used where the
    kernel has entries. Beyond UNROLLED each tile sums over the range that `bands` has for it.
    """

    def typing(context, left, right, out, bands, kernel, size, width):
        n, p = len(size), len(width)
        whole_products = p <= UNROLLED
        if whole_products:
            vectors = p // LANES
            blocks = -(-n // max(1, _SUMS // vectors))
            together = -(-n // blocks)
        else:
            together, vectors = tile_shape(n, p, banded)
        columns = range(0, vectors * LANES, LANES)
        n_rows, n_columns = -(-n // together), p // LANES // vectors  # blocks of them

        def generate(context, builder, signature, arguments):
            code = _VectorCode(context, builder, signature, arguments)
            a, b, c, ranges, kernel, _, _ = code.operands

            def add_term(k, row_of_k, first, starts, column, sums):
                terms = [code.load(b, row_of_k, column, v) for v in columns]
                added = []
                for r, start in enumerate(starts):
                    where = (first, r, row_of_k) if transposed else (start, k)
                    factor = code.number(a, *where)
                    old = sums[r * vectors : (r + 1) * vectors]
                    added += [
                        code.multiply_add(factor, term, total)
                        for term, total in zip(terms, old, strict=True)
                    ]
                return added

            def tile(first, count, column, add_terms):
                starts = [code.offset(code.times(first, p), r * p) for r in range(count)]
                places = [(start, column, v) for start in starts for v in columns]
                sums = [code.load(c, *place) if accumulate else code.zero for place in places]
                sums = add_terms(first, starts, column, sums=sums)
                for total, place in zip(sums, places, strict=True):
                    code.store(total, c, *place)

            def all_terms(*where, sums):
                for k in range(n):
                    sums = add_term(k, k * p, *where, sums)
                return sums

            def terms_between(low, high, *where, sums):
                # Stack memory that the compiler turns into registers.
                kept = [cgutils.alloca_once(builder, code.vector) for _ in sums]
                for memory, total in zip(kept, sums, strict=True):
                    builder.store(total, memory)
                with cgutils.for_range(builder, high, low) as loop:
                    k = loop.index
                    old = [builder.load(memory) for memory in kept]
                    added = add_term(k, code.times(k, p), *where, old)
                    for memory, total in zip(kept, added, strict=True):
                        builder.store(total, memory)
                return [builder.load(memory) for memory in kept]

            def rows(block, first, count):
                if whole_products:
                    tile(first, count, 0, all_terms)
                    return
                with cgutils.for_range(builder, ir.Constant(code.index, n_columns)) as loop:
                    place = code.offset(
                        code.times(kernel, n_rows * n_columns * 2),
                        code.times(block, n_columns * 2),
                        code.times(loop.index, 2),
                    )
                    low, high = (
                        builder.load(builder.gep(ranges, [code.offset(place, end)]))
                        for end in (0, 1)
                    )
                    column = code.times(loop.index, vectors * LANES)
                    terms = partial(terms_between, low, high)
                    if accumulate:
                        with builder.if_then(builder.icmp_signed("<", low, high)):
                            tile(first, count, column, terms)
                    else:
                        tile(first, count, column, terms)

            whole, rest = divmod(n, together)
            with cgutils.for_range(builder, ir.Constant(code.index, whole)) as loop:
                rows(loop.index, code.times(loop.index, together), together)
            if rest:
                rows(ir.Constant(code.index, whole), ir.Constant(code.index, n - rest), rest)
            return context.get_dummy_value()

        return types.void(left, right, out, bands, types.intp, size, width), generate

    return intrinsic(typing)


multiply_left = _product("left", transposed=False, accumulate=False)
multiply_left_transposed = _product("left", transposed=True, accumulate=False)
multiply_right = _product("right", transposed=False, accumulate=False)
multiply_add = _product("out", transposed=False, accumulate=True)
multiply_add_transposed = _product("out", transposed=True, accumulate=True)


@intrinsic
def transpose(context, source, out, size, width):
    """Out = source.T, in blocks of LANES x LANES that stay in registers."""
    n, p = len(size), len(width)

    def transposed_block(code, rows):
        step = 1
        while step < LANES:
            for r in range(LANES):
                if not r & step:
                    low = [
                        lane if not lane & step else LANES + lane - step for lane in range(LANES)
                    ]
                    high = [
                        lane + step if not lane & step else LANES + lane for lane in range(LANES)
                    ]
                    pair = rows[r], rows[r + step]
                    rows[r], rows[r + step] = code.shuffle(*pair, low), code.shuffle(*pair, high)
            step *= 2
        return rows

    def generate(context, builder, signature, arguments):
        code = _VectorCode(context, builder, signature, arguments)
        a, c, _, _ = code.operands
        for i in range(0, n, LANES):
            for j in range(0, n, LANES):
                rows = [
                    code.load(a, (i + r) * p + j) if i + r < n else code.zero for r in range(LANES)
                ]
                for r, row in enumerate(transposed_block(code, rows)):
                    if j + r < n:
                        code.store(row, c, (j + r) * p + i)
        return context.get_dummy_value()

    return types.void(source, out, size, width), generate


@intrinsic
def filter_entries(context, predicted, emission, normalizer, filtered, size, width):
    """Fill filtered = predicted * emission * normalizer, entry by entry; returns its sum."""
    entries = range(0, len(size) * len(width), LANES)

    def generate(context, builder, signature, arguments):
        code = _VectorCode(context, builder, signature, arguments)
        a, e, normalizer, c, _, _ = code.operands
        scale = code.spread(normalizer)
        sums = [code.zero] * 4
        for number, k in enumerate(entries):
            weight = builder.fmul(scale, code.load(e, k))
            value = code.without_negligible(builder.fmul(weight, code.load(a, k)))
            code.store(value, c, k)
            sums[number % 4] = builder.fadd(sums[number % 4], value)
        return code.total(sums)

    return types.float64(predicted, emission, normalizer, filtered, size, width), generate


@intrinsic
def smooth_entries(
    context, filtered, beta, emission, normalizer, counts, ahead, extent, size, width
):
    """Counts += filtered * beta and fill ahead = beta * emission * normalizer, entry by entry.

    extent [2 LANES]: what beta held at least and at most so far, lane by lane; renewed.
    """
    entries = range(0, len(size) * len(width), LANES)

    def generate(context, builder, signature, arguments):
        code = _VectorCode(context, builder, signature, arguments)
        f, b, e, normalizer, c, a, x, _, _ = code.operands
        scale = code.spread(normalizer)
        least, most = [code.load(x, 0)] * 2, [code.load(x, LANES)] * 2
        infinite = code.constant(float("inf"))
        for number, k in enumerate(entries):
            value = code.load(b, k)
            inside = code.columns_below(len(size), k, len(width))
            shown = builder.select(inside, value, infinite)
            least[number % 2] = code.lower(shown, least[number % 2])
            most[number % 2] = code.higher(value, most[number % 2])
            code.store(code.multiply_add(code.load(f, k), value, code.load(c, k)), c, k)
            weighted = builder.fmul(builder.fmul(value, code.load(e, k)), scale)
            code.store(code.without_negligible(weighted), a, k)
        code.store(code.lower(*least), x, 0)
        code.store(code.higher(*most), x, LANES)
        return context.get_dummy_value()

    return (
        types.void(filtered, beta, emission, normalizer, counts, ahead, extent, size, width),
        generate,
    )
