// Package exhibit turns the measurements of an experiment into its tables and
// figures. It measures nothing.
//
// Pivot arranges records in a Table; a Sheet is a table as printed, and Draw makes
// a picture of it. All of them give the same bytes for the same records.
package exhibit
