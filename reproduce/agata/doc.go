// Package gridsearch finds where a gamma ray has interacted in a segmented detector: the point
// of a grid whose simulated traces are nearest to those measured ([Molina24], sections 2.3.2
// and 5; docs/agata.md).
//
// The figure of merit of a point is the sum of |measured - reference|^p over channels and
// samples, p = 0.3; the search is for the point where it is least, the first of several.
package agata
