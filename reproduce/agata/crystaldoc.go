// Package crystal simulates the signals of a segmented germanium detector such as those of
// AGATA ([Molina24], chapter 2): the potentials of its electrodes, the drift of electrons and
// holes, the signals that they induce, and the electronics behind (docs/agata.md).
//
// Lengths are in mm, times in ns, energies in keV, potentials in V.
package agata
