// Package agata finds where a gamma ray has interacted in a segmented detector: at the point of a grid whose
// simulated traces are nearest to the measured traces ([Molina24], sections 2.3.2 and 5; docs/agata.md).
//
// The figure of merit of a point is the sum of |measured - reference|^p over channels and samples, with p = 0.3. A
// search returns the point with the least figure of merit, the first one of several.
//
// The simulation produces the signals of a segmented germanium detector such as AGATA's ([Molina24], chapter 2): the
// potentials of its electrodes, the drift of electrons and holes, the signals that they induce, and the electronics
// (docs/agata.md).
//
// Lengths are in mm, times in ns, energies in keV, potentials in V.
package agata
