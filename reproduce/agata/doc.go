// Package agata finds where a gamma ray has interacted in a segmented detector: at the point of a grid whose
// simulated traces are nearest to the measured traces ([Molina24], sections 2.3.2 and 5; docs/agata.md).
//
// The figure of merit of a point is the sum of |measured - reference|^p over channels and samples, with p = 0.3. A
// search returns the point with the least figure of merit, the first one of several.
package agata
