package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// WriteText writes the outcome as text; verbose: with all measurements.
func (r *Report) WriteText(w io.Writer, verbose bool) {
	fmt.Fprintln(w)
	if len(r.Solutions) > 1 {
		for k, o := range r.Solutions {
			Line(w, fmt.Sprintf("x %d", k+1), "%s", r.Verdict(o))
		}
	}
	Line(w, "result", "%s", r.Verdict(r.Outcome))
	r.writeDigits(w, verbose)
	r.Precise.write(w)
	if v := r.Evidence; v != nil {
		Line(w, "evidence", "%s", v.Text())
	}
	if len(r.Unknowns) > 0 {
		Line(w, "evidence", "A x is nearly zero for an x of %s alone", numbered("unknown", r.Unknowns))
	}
	for _, line := range r.Cautions {
		Line(w, "caution", "%s", line)
	}
	if verbose {
		r.writeDetails(w)
	} else {
		r.writeWork(w)
	}
	r.writePrecision(w)
	if c := r.Checkpoint; c != nil && c.Taken > 0 {
		Line(w, "checkpoint", "written %s in %.3f s, %s each", english.Plural(c.Taken, "time", ""), c.Seconds, bytes(c.Bytes))
		if c.File != "" {
			Line(w, "", "after %s of right-hand side %d; --resume %s goes on from there",
				english.Plural(c.Iterations, "iteration", ""), c.RHS, c.File)
		}
	}
	if r.Output == "" {
		Line(w, "x", "not written (see --output)")
	} else {
		Line(w, "x", "written to %s", r.Output)
	}
}

func (r *Report) writeDigits(w io.Writer, verbose bool) {
	text := r.Digits.Brief()
	if verbose {
		text = r.Digits.Text()
	}
	switch {
	case text != "":
		Line(w, "digits", "%s", text)
	case !r.Refine:
		Line(w, "digits", "not estimated (--refine=false)")
	}
}

// writeWork writes the iterations, the times and the memory.
func (r *Report) writeWork(w io.Writer) {
	r.writeAttempts(w, english.Plural(r.OuterIterations, "refinement step", ""), english.Plural(r.Threads, "thread", ""))
	s := r.Seconds
	parts := []string{}
	for _, part := range []struct {
		name string
		took float64
	}{{"start of the device", s.Device}, {"reading", s.Read}, {"set-up", s.Build}, {"solving", s.Solve}, {"verification", s.Verify}} {
		if part.took >= 0.0005 {
			parts = append(parts, fmt.Sprintf("%s %.3f", part.name, part.took))
		}
	}
	memory := ""
	if r.Bytes.PeakRSS > 0 {
		memory = "; peak memory " + bytes(r.Bytes.PeakRSS)
	}
	if d := r.Device; d.Memory > 0 {
		memory += fmt.Sprintf(", of the device %s", bytes(d.Memory))
	}
	Line(w, "time", "%.3f s: %s%s", s.Total, strings.Join(parts, ", "), memory)
}

// writeAttempts names the attempt that produced x, with its own iterations, and those before it; sums over all follow. Attempts with the
// same method and preconditioner are one.
func (r *Report) writeAttempts(w io.Writer, sums ...string) {
	var names []string
	count, why := map[string]int{}, map[string]string{}
	for _, a := range r.Attempts {
		if name := a.Method + with(a.Preconditioner); a.Iterations > 0 {
			names = append(slices.DeleteFunc(names, func(n string) bool { return n == name }), name)
			count[name], why[name] = count[name]+a.Iterations, a.Reason
		}
	}
	own, before := r.InnerIterations, ""
	for _, name := range names[:max(0, len(names)-1)] {
		own -= count[name]
		before += fmt.Sprintf("; %s, %s, %s", name, english.Plural(count[name], "iteration", ""), why[name])
	}
	if before != "" {
		before = strings.Replace(before, ";", "; before it", 1) + "; in all"
	}
	method := r.Method + with(r.Preconditioner.Text)
	Line(w, "work", "%s: %s%s %s", method, english.Plural(own, "iteration", ""), cmp.Or(before, ","), strings.Join(sums, ", "))
	if r.Ranks != nil {
		Line(w, "ranks", "%s", r.Ranks.Line(r.Domains))
	}
}

// kindText matches the kind in the text of a preconditioner, with its drop tolerance.
var kindText = regexp.MustCompile(`^[^,]*(, drop [^,]*)?`)

func with(precond string) string {
	if kind := kindText.FindString(precond); kind != "none" && kind != "" {
		return " with " + kind
	}
	return ""
}

// writeDetails writes every error and every phase.
func (r *Report) writeDetails(w io.Writer) {
	Line(w, "errors", "row-wise %.2e, normwise %.2e, componentwise %.2e, ||r||/||b|| %.2e",
		r.BackwardError.Row, r.BackwardError.Normwise, r.BackwardError.Componentwise, r.RelativeResidual)
	if e := r.LeastSquares; e != nil {
		Line(w, "orthogonal", "largest cosine of the residual and a column %.2e, ||A'r||/(||A|| ||r||) %.2e", e.Columns, e.Normal)
	}
	if c := r.Checksums; c != nil {
		if c.Matrix != "" {
			Line(w, "sha256", "matrix %s", c.Matrix)
		}
		Line(w, "sha256", "rhs    %s", c.RHS)
		Line(w, "sha256", "x      %s", c.X)
	}
	r.writeAttempts(w, english.Plural(r.OuterIterations, "refinement step", ""), english.Plural(r.SpMVs, "SpMV", ""), english.Plural(r.Threads, "thread", ""))
	switch p := r.Preconditioner; {
	case p.Bytes > 0:
		where := ""
		if p.Launches > 0 {
			where = " on the device, " + english.Plural(p.Launches, "launch", "launches") + " each"
		}
		Line(w, "precond", "%s: %s in %.3f s, set up in %.3f s; %s (%s in FP64)%s",
			p.Text, english.Plural(p.Applications, "application", ""), p.SecondsApply, p.SecondsSetup, bytes(p.Bytes), bytes(p.FP64Bytes), where)
	case p.Applications > 0:
		Line(w, "precond", "%s at the end; %s before that in %.3f s", p.Text,
			english.Plural(p.Applications, "application", ""), p.SecondsApply)
	}
	s := r.Seconds
	Line(w, "time", "%.3f s: read %.3f, build %.3f, SpMV %.3f, preconditioner %.3f, orthogonalisation %.3f, verification %.3f, other %.3f",
		s.Total, s.Read, s.Build, s.SpMV, s.Preconditioner, s.Orthogonalization, s.Verify, s.Other)
	if d := r.Device; d.Memory > 0 {
		Line(w, "device", "started in %.3f s; peak memory %s, stored matrix %s",
			s.Device, bytes(d.Memory), bytes(d.Stored))
	}
	if r.Bytes.PeakRSS > 0 {
		Line(w, "memory", "peak %s", bytes(r.Bytes.PeakRSS))
	}
}
