package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// checkRHS checks the right-hand side before anything is read: the words, the seed of random:SEED, and that the file is not
// the matrix. flag names it in errors.
func checkRHS(flag, rhs, matrix string) error {
	if _, err := os.Stat(rhs); err != nil && (rhs == "random" || rhs == "one" || rhs == "zeros") {
		return usage("%s %s: want a file, ones, or random:SEED such as random:1", flag, rhs)
	} else if word := host.NearestWord(rhs, []string{"ones", "random:1"}); err != nil && misspelt(rhs, word) {
		return usage("%s %s: there is no such file; did you mean %s?", flag, rhs, word)
	} else if rhs == "-" && matrix == "-" {
		return usage("%s -: the matrix comes from standard input already", flag)
	} else if err == nil && host.Same(rhs, matrix) {
		return usage("%s %s: is the matrix; copy it to another file to solve for each of its columns", flag, rhs)
	}
	if text, ok := strings.CutPrefix(rhs, "random:"); ok {
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			return usage("%s %s: the seed is not a whole number", flag, rhs)
		}
	}
	return nil
}

// misspelt reports whether a text without dot and folder is a word but for one or two letters.
func misspelt(text, word string) bool {
	return text != word && !strings.ContainsAny(text, "./:") && host.Near(text, word)
}

// fileRHS reports whether the right-hand sides are in a file.
func (f *solveFlags) fileRHS() bool { return f.rhs != "ones" && !strings.HasPrefix(f.rhs, "random:") }

// readVectors reads the right-hand sides and guesses that are in files, and checks them for a matrix of these dimensions.
func (f *solveFlags) readVectors(ctx context.Context, in input, rows, cols int) (b, x0 [][]float64, err error) {
	return f.vectorsBy(func(path, what string) ([][]float64, error) {
		n := rows
		if what != rightHandSide {
			n = cols
		} else if f.exact.asked {
			return f.exact.read(ctx, f.exact.input(in, f.opt, path), path, n)
		}
		return in.vectors(ctx, path, what, n)
	})
}

// The kinds of vectors in a file, as errors name them.
const (
	rightHandSide = "right-hand side"
	initialGuess  = "initial guess"
	solution      = "solution"
)

// vectorsBy is readVectors with a function that reads and checks a file.
func (f *solveFlags) vectorsBy(read func(path, what string) ([][]float64, error)) (b, x0 [][]float64, err error) {
	count := 1
	if f.fileRHS() {
		if b, err = read(f.rhs, rightHandSide); err != nil {
			return nil, nil, err
		}
		count = len(b)
	}
	x0 = make([][]float64, count)
	if f.guess == "" {
		return b, x0, nil
	}
	guesses, err := read(f.guess, f.guessed())
	if err != nil {
		return nil, nil, err
	}
	if f.verifies && len(guesses) != count {
		return nil, nil, &solve.InputError{Msg: fmt.Sprintf("%s has %s for %s",
			f.guess, english.Plural(len(guesses), "column", ""), english.Plural(count, "right-hand side", ""))}
	}
	if len(guesses) != 1 && len(guesses) != count {
		return nil, nil, &solve.InputError{Msg: fmt.Sprintf("%s has %s for %s; want one, or one for each",
			f.guess, english.Plural(len(guesses), "column", ""), english.Plural(count, "right-hand side", ""))}
	}
	for k := range x0 {
		x0[k] = guesses[min(k, len(guesses)-1)]
	}
	return b, x0, nil
}

// guessed returns the kind of the vectors in the file of guesses.
func (f *solveFlags) guessed() string {
	if f.verifies {
		return solution
	}
	return initialGuess
}

// wholeRHS is makeRHS for a matrix on one rank.
func (f *solveFlags) wholeRHS(m *csr.Matrix) ([]float64, string, error) {
	return f.makeRHS(func(seed uint64) []float64 { return generate.RandomRHS(m, seed) },
		func() ([]float64, bool) { return generate.DefaultRHS(m) }, func() bool { return rowsOverflow(m) })
}

// rowsOverflow reports whether magnitudes of a row have a sum beyond the range of float64.
func rowsOverflow(m *csr.Matrix) bool {
	return slices.ContainsFunc(m.RowSums(nil), func(sum float64) bool { return math.IsInf(sum, 1) })
}

// makeRHS makes a right-hand side without a file, A x for a random x or for ones, and describes it. standard returns A·ones
// and true, or, if A·ones is zero or overflows, the b of a random x and false.
func (f *solveFlags) makeRHS(
	random func(seed uint64) []float64, standard func() (b []float64, ones bool), overflows func() bool,
) (b []float64, text string, err error) {
	if seedText, ok := strings.CutPrefix(f.rhs, "random:"); ok {
		seed, err := strconv.ParseUint(seedText, 10, 64)
		return random(seed), fmt.Sprintf("b = A·x, x random (seed %d)", seed), err
	}
	b, ones := standard()
	if ones {
		return b, "b = A·ones", nil
	}
	why := "is zero up to rounding"
	if overflows() {
		why = "overflows"
	}
	return b, "b = A·x, x random (seed 1), since A·ones " + why, nil
}

// vectors reads a file of vectors of n elements and checks each. It returns the error of a wrong length before it allocates
// memory.
func (in input) vectors(ctx context.Context, path, what string, n int) ([][]float64, error) {
	in.check = ofLength(path, what, int64(n))
	columns, err := in.columns(ctx, path)
	if err != nil {
		return nil, err
	}
	return columns, checkColumns(path, what, columns, func(name string, v []float64) error { return rules.CheckVector(name, v, n) })
}

// ofLength returns a check of the size line of a file of vectors, which must have n elements.
func ofLength(path, what string, n int64) func(h matrixmarket.Header, rows, cols int) error {
	return func(_ matrixmarket.Header, rows, _ int) error {
		if int64(rows) != n {
			dimension := "rows"
			if what == solution || what == initialGuess {
				dimension = "columns"
			}
			return &solve.InputError{Msg: fmt.Sprintf("%s: the %s has %d elements, the matrix %d %s", path, what, rows, n, dimension)}
		}
		return nil
	}
}

// checkColumns calls check for each vector of a file, with a name of the vector for errors.
func checkColumns(path, what string, columns [][]float64, check func(name string, v []float64) error) error {
	if len(columns) == 0 {
		return &exitError{exitInput, fmt.Errorf("%s: the file has no columns", path)}
	}
	for k, v := range columns {
		name := what
		if len(columns) > 1 {
			name = fmt.Sprintf("%s in column %d", what, k+1)
		}
		if err := check(name, v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// columns reads a file of vectors.
func (in input) columns(ctx context.Context, path string) ([][]float64, error) {
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, err
	}
	columns, err := content.Columns()
	if err != nil && !errors.Is(err, matrixmarket.ErrTooLarge) {
		err = &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	return columns, err
}

// besideMatrix uses the right-hand sides in the file of the matrix, if there are any and --rhs was not given.
func (r *solveRun) besideMatrix(rhs *matrixmarket.Content) (uses bool) {
	r.in.known = map[string]*matrixmarket.Content{}
	if rhs == nil || r.rhsAsked {
		return false
	}
	r.in.known[r.path], r.rhs = rhs, r.path
	return true
}
