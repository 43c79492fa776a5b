package rns

import "math/big"

// UnitRoundoff returns 4/sqrt(M), an upper bound of the relative error of an operation with numbers of the base, eq.
// (6) of [Isupov20].
func (b *Base) UnitRoundoff() *big.Float {
	root := new(big.Float).SetPrec(64).SetInt(b.m)
	return root.Quo(big.NewFloat(4), root.Sqrt(root))
}

// GEMVBound returns the bound of || y* - y ||_1 for the product y = alpha A x + beta y with a matrix of n rows and
// columns, eq. (18) of [Isupov20]:
//
//	(n+2) u / (1 - (n+2) u) (|alpha| ||A||_1 ||x||_1 + |beta| ||y||_1)
//
// where size is the expression in the last parentheses.
func (b *Base) GEMVBound(n int, size *big.Float) *big.Float {
	u := b.UnitRoundoff()
	u.Mul(u, big.NewFloat(float64(n+2)))
	rest := new(big.Float).Sub(big.NewFloat(1), u)
	return u.Mul(u.Quo(u, rest), size)
}
