"""What the passes over a chain do to a whole matrix at every step, emitted as vector code.

That is products, a transpose, and two passes over all entries. Plain loops over rows of ten or twenty
numbers are not vectorized well by the compiler: it unrolls them and then finds nothing to vectorize.
Measured in turn with the loops of `plain` written out and compiled (medians of 15), an E-step is 3.9
times as fast with 10 bins, 4.6 with 20, and 9 with 40, where products also skip what lies off the
kernels' bands; rows that end in half a vector (`_vectors.row_vectors`) came later.

Matrices are flat, N rows of a width P that is N rounded up to whole vectors. Columns beyond N hold zeros
as far as a row's vectors reach; what lies further is not touched. N and P come as the lengths of two
tuples, and so are known when the code is compiled.

Where 512 bits pass the units in halves, a product takes 150 cycles with 10 bins (180 measured) and 512
with 16 (512 measured). Tried in turn and worth nothing: other numbers of rows in a block; blocks without
a loop; the filter and the smoother done on a product's sums before they are stored.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from inverse_rational_control.chain._vectors import LANES, VectorCode, matrix_vectors, row_vectors

_SUMS = 14  # vectors that a block of rows adds up at once: the units are busy, nothing spills

#: Widest matrix whose products are formed whole, fully unrolled; wider ones skip what is off the band.
UNROLLED = 16
_TILE_SUMS, _TILE_ROWS, _TILE_VECTORS = 16, 10, 6  # at most, of a banded product's tile


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
        n_rows, n_columns = -(-n // together), p // LANES // vectors  # blocks of them
        in_row = row_vectors(n)

        def generate(context, builder, signature, arguments):
            code = VectorCode(context, builder, signature, arguments)
            a, b, c, ranges, kernel, _, _ = code.operands

            def add_term(k, row_of_k, first, starts, column, columns, sums):
                terms = [code.load(b, row_of_k, column, v, lanes=lanes) for v, lanes in columns]
                added = []
                for r, start in enumerate(starts):
                    where = (first, r, row_of_k) if transposed else (start, k)
                    factor = code.number(a, *where, lengths=[lanes for _, lanes in columns])
                    old = sums[r * vectors : (r + 1) * vectors]
                    added += [
                        code.multiply_add(factor, term, total)
                        for term, total in zip(terms, old, strict=True)
                    ]
                return added

            def tile(first, count, column, columns, add_terms):
                starts = [code.offset(code.times(first, p), r * p) for r in range(count)]
                places = [(start, column, *each) for start in starts for each in columns]
                sums = [
                    code.load(c, *place, lanes=lanes) if accumulate else code.constant(0.0, lanes)
                    for *place, lanes in places
                ]
                sums = add_terms(first, starts, column, columns, sums=sums)
                for total, (*place, _) in zip(sums, places, strict=True):
                    code.store(total, c, *place)

            def all_terms(*where, sums):
                for k in range(n):
                    sums = add_term(k, k * p, *where, sums)
                return sums

            def terms_between(low, high, *where, sums):
                # Stack memory that the compiler turns into registers.
                kept = [cgutils.alloca_once(builder, total.type) for total in sums]
                for memory, total in zip(kept, sums, strict=True):
                    builder.store(total, memory)
                with cgutils.for_range(builder, high, low) as loop:
                    k = loop.index
                    old = [builder.load(memory) for memory in kept]
                    added = add_term(k, code.times(k, p), *where, old)
                    for memory, total in zip(kept, added, strict=True):
                        builder.store(total, memory)
                return [builder.load(memory) for memory in kept]

            def banded_tile(block, first, count, number, columns):
                place = code.offset(
                    code.times(kernel, n_rows * n_columns * 2),
                    code.times(block, n_columns * 2),
                    code.times(number, 2),
                )
                low, high = (
                    builder.load(builder.gep(ranges, [code.offset(place, end)])) for end in (0, 1)
                )
                column = code.times(number, vectors * LANES)
                terms = partial(terms_between, low, high)
                if accumulate:
                    with builder.if_then(builder.icmp_signed("<", low, high)):
                        tile(first, count, column, columns, terms)
                else:
                    tile(first, count, column, columns, terms)

            def rows(block, first, count):
                if whole_products:
                    tile(first, count, 0, in_row, all_terms)
                    return
                last = ir.Constant(code.index, n_columns - 1)
                if n_columns > 1:
                    with cgutils.for_range(builder, last) as loop:
                        banded_tile(block, first, count, loop.index, in_row[:vectors])
                ending = [(v % (vectors * LANES), lanes) for v, lanes in in_row[-vectors:]]
                banded_tile(block, first, count, last, ending)

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
        code = VectorCode(context, builder, signature, arguments)
        a, c, _, _ = code.operands
        for i, high in row_vectors(n):
            for j, wide in row_vectors(n):
                rows = [
                    code.widened(code.load(a, (i + r) * p + j, lanes=wide), 0.0)
                    if i + r < n
                    else code.constant(0.0)
                    for r in range(LANES)
                ]
                for r, row in enumerate(transposed_block(code, rows)):
                    if j + r < n:
                        code.store(code.first(row, high), c, (j + r) * p + i)
        return context.get_dummy_value()

    return types.void(source, out, size, width), generate


@intrinsic
def filter_entries(context, predicted, emission, normalizer, filtered, size, width):
    """Fill filtered = predicted * emission * normalizer, entry by entry; returns its sum."""
    entries = matrix_vectors(len(size), len(width))

    def generate(context, builder, signature, arguments):
        code = VectorCode(context, builder, signature, arguments)
        a, e, normalizer, c, _, _ = code.operands
        scale = code.spread(normalizer)
        sums = [code.constant(0.0, lanes) for _, _, lanes in entries[:4]]
        for number, (row, column, lanes) in enumerate(entries):
            place = row + column
            weight = builder.fmul(code.first(scale, lanes), code.load(e, place, lanes=lanes))
            value = builder.fmul(weight, code.load(a, place, lanes=lanes))
            value = code.without_negligible(value)
            code.store(value, c, place)
            sums[number % 4] = code.plus(sums[number % 4], value)
        return code.total(sums)

    return types.float64(predicted, emission, normalizer, filtered, size, width), generate


@intrinsic
def smooth_entries(
    context, filtered, beta, emission, normalizer, counts, ahead, extent, size, width
):
    """Counts += filtered * beta and fill ahead = beta * emission * normalizer, entry by entry.

    extent [2 LANES]: what beta held at least and at most so far, lane by lane; renewed.
    """
    entries = matrix_vectors(len(size), len(width))
    infinity = float("inf")

    def generate(context, builder, signature, arguments):
        code = VectorCode(context, builder, signature, arguments)
        f, b, e, normalizer, c, a, x, _, _ = code.operands
        scale = code.spread(normalizer)
        chains = {(k % 2, lanes) for k, (_, _, lanes) in enumerate(entries)}
        least = {chain: code.constant(infinity, chain[1]) for chain in sorted(chains)}
        most = {chain: code.constant(0.0, chain[1]) for chain in sorted(chains)}
        for number, (row, column, lanes) in enumerate(entries):
            place = row + column
            value = code.load(b, place, lanes=lanes)
            inside = code.columns_below(len(size), column, lanes)
            shown = builder.select(inside, value, code.constant(infinity, lanes))
            chain = number % 2, lanes
            least[chain] = code.lower(shown, least[chain])
            most[chain] = code.higher(value, most[chain])
            held = code.load(c, place, lanes=lanes)
            code.store(code.multiply_add(code.load(f, place, lanes=lanes), value, held), c, place)
            weighted = builder.fmul(value, code.load(e, place, lanes=lanes))
            weighted = builder.fmul(weighted, code.first(scale, lanes))
            code.store(code.without_negligible(weighted), a, place)
        for place, found, pick, nothing in (
            (0, least, code.lower, infinity),
            (LANES, most, code.higher, 0.0),
        ):
            held = code.load(x, place)
            for each in found.values():
                held = pick(code.widened(each, nothing), held)
            code.store(held, x, place)
        return context.get_dummy_value()

    return (
        types.void(filtered, beta, emission, normalizer, counts, ahead, extent, size, width),
        generate,
    )
