// The simulation produces the signals of a segmented germanium detector such as AGATA's ([Molina24], chapter 2): the
// potentials of its electrodes, the drift of electrons and holes, the signals that they induce, and the electronics
// (docs/agata.md).
//
// Lengths are in mm, times in ns, energies in keV, potentials in V.
package agata
