package mp

import "math/big"

// Solve returns an x with A x = b, in the precision of the factors, by column-oriented substitution ([GolubVanLoan13], section 3.1).
func (f *LU) Solve(b *Vec) *Vec {
	x, col := New(f.n, f.bits), New(f.n, f.bits)
	one := New(1, b.bits)
	for i, row := range f.rows {
		copy(one.mant, b.at(row))
		x.put(i, b.neg[row], one.mant, int(b.exp[row])-growthBits, false)
	}
	a := new(big.Float)
	for j := range f.n - 1 {
		if !x.zero(j) {
			f.copyColumn(col, j, j+1, f.n, 2)
			x.part(j+1, f.n).Axpy(f.pool, a.Neg(x.At(j)), col.part(j+1, f.n))
		}
	}
	for j := f.n - 1; j >= 0; j-- {
		if x.zero(j) {
			continue
		}
		f.copyColumn(col, j, 0, j+1, 1)
		x.Set(j, new(big.Float).SetPrec(uint(f.bits)).Quo(x.At(j), col.At(j)))
		x.part(0, j).Axpy(f.pool, a.Neg(x.At(j)), col.part(0, j))
	}
	return x
}

// copyColumn sets elements lo to hi-1 of v to those of column j, which are in units of 2^(e - 52 size).
func (f *LU) copyColumn(v *Vec, j, lo, hi, e int) {
	bounds := blocks(hi - lo)
	f.pool.RunRanges(bounds, func(_, from, to int) {
		x, m := make(sum, f.size+1), make([]uint64, packed(f.size+1))
		for i := lo + from; i < lo+to; i++ {
			if f.first[i] > j {
				v.put(i, false, nil, 0, false)
				continue
			}
			f.get(x, f.element(i, j), lanes)
			x.put(v, i, e-limbBits*f.size, m)
		}
	})
}

// part returns elements lo to hi-1, which share the memory of v.
func (v *Vec) part(lo, hi int) *Vec {
	return &Vec{bits: v.bits, words: v.words, exp: v.exp[lo:hi], neg: v.neg[lo:hi], mant: v.mant[lo*v.words : hi*v.words]}
}

// Shift multiplies element i by 2^by[i].
func (v *Vec) Shift(by []int) {
	for i, e := range by {
		if !v.zero(i) {
			v.exp[i] += int32(e)
		}
	}
}
