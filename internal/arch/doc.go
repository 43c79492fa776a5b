// Package arch has no code but tests of the architecture: which package may import which, and why.
package arch
