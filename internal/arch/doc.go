// Package arch holds no code, only the test that keeps the layers apart: which
// package may import which, and why.
package arch
