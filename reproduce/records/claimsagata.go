package records

import (
	"fmt"
	"math"
	"strings"
)

// searched returns a value of a search, NaN if there is none; words are its algorithm, table, precision and number of
// channels.
func searched(list []Record, kind, value, words string) float64 {
	w := strings.Fields(words)
	for _, r := range of(list, kind, labels{"algorithm": w[0], "table": w[1], "precision": w[2], "channels": w[3]}, value) {
		return r.Values[value]
	}
	return math.NaN()
}

// agataIdentical judges the share of the points of a search, args[0], that equal those of the full search in FP32.
func agataIdentical(list []Record, c Claim, args []string) Finding {
	x, near := searched(list, "agata", "identical", args[0]), searched(list, "agata", "within5", args[0])
	if math.IsNaN(x) {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{Verdict: inAll(count(x >= c.Threshold), 1), Measured: percent(x), Data: percent(near) + " within 5 mm"}
}

// agataMixed judges how many of the points that a coarse-fine search loses in FP16 it also loses in mixed precision.
func agataMixed(list []Record, c Claim, _ []string) Finding {
	single, half, mixed := searched(list, "agata", "identical", "cfgs none FP32 6"), searched(list, "agata", "identical", "cfgs none FP16 6"),
		searched(list, "agata", "identical", "cfgs none mixed 6")
	part := (single - mixed) / (single - half)
	if math.IsNaN(part) {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(count(half < single && part <= c.Threshold), 1), Measured: fmt.Sprintf("%.2f", part),
		Data: fmt.Sprintf("identical in FP32 %s, mixed %s, FP16 %s", percent(single), percent(mixed), percent(half)),
	}
}

// agataOrder judges whether each of the searches args has fewer points within 5 mm than the one before.
func agataOrder(list []Record, _ Claim, args []string) Finding {
	var data []string
	held, before := 0, math.Inf(1)
	for _, words := range args {
		x := searched(list, "agata", "within5", words)
		if math.IsNaN(x) {
			return Finding{Verdict: NotMeasured}
		}
		held += count(x < before)
		before = x
		data = append(data, percent(x))
	}
	return Finding{
		Verdict: inAll(held-1, len(args)-1), Measured: strings.Join(data, ", "), Data: fmt.Sprintf("points within 5 mm by %d searches", len(args)),
	}
}

// agataTime judges how many times faster the search args[0] is than the full search without a table, with a basis
// beyond the caches, by the quartile of the rounds.
func agataTime(list []Record, c Claim, args []string) Finding {
	large := beyondCache(list)
	x := searched(large, "agata-time", "time_fgs", args[0]+" 37")
	if math.IsNaN(x) {
		return Finding{Verdict: NotMeasured, Data: "needs a basis of all channels that takes four times the last-level cache"}
	}
	first, third := searched(large, "agata-time", "time_fgs"+FirstQuartile, args[0]+" 37"), searched(large, "agata-time", "time_fgs"+ThirdQuartile, args[0]+" 37")
	f := Finding{
		Verdict: inAll(count(1/third >= c.Threshold), 1), Measured: fmt.Sprintf("%.1f times", 1/x), Spread: fmt.Sprintf("%.1f to %.1f", 1/third, 1/first),
		Size: leastSize(of(large, "agata-time", labels{"channels": "37"}, "time_fgs")), Data: "with 37 channels, on one thread",
	}
	if small := searched(list, "agata-time", "time_fgs", args[0]+" 2"); small > 0 {
		f.Data += fmt.Sprintf("; %.1f times with the two channels of the thesis, which fit into caches", 1/small)
	}
	return f
}

// classShares returns, for each class, the share of the points that a coarse-fine search finds differently.
func classShares(list []Record, kind, label, precision string, classes []string) (shares []float64, sum float64) {
	for _, class := range classes {
		x := math.NaN()
		for _, r := range of(list, kind, labels{label: class, "algorithm": "cfgs", "table": "none", "precision": precision}, "unfaithful") {
			x = r.Values["unfaithful"]
		}
		shares = append(shares, x)
		sum += x
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares, sum
}

// agataDistances judges the share of the points found differently that are less than 3 mm away.
func agataDistances(list []Record, c Claim, _ []string) Finding {
	shares, sum := classShares(list, "agata-distances", "distance", "mixed", []string{"3 mm", "5 mm", "10 mm", "20 mm", "more"})
	if !(sum > 0) {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(count(shares[0] >= c.Threshold), 1), Measured: percent(shares[0]),
		Data: fmt.Sprintf("of the %s that a coarse-fine search with mixed precision finds otherwise; %s beyond 20 mm", percent(sum), percent(shares[4])),
	}
}

// agataEnergies judges the share of the points found differently that have low energies, relative to the share of all
// events, and whether the shares of FP32 and mixed precision are equal.
func agataEnergies(list []Record, c Claim, _ []string) Finding {
	classes := []string{"50 keV", "200 keV", "1 MeV", "5 MeV"}
	mixed, sum := classShares(list, "agata-energies", "energy", "mixed", classes)
	single, other := classShares(list, "agata-energies", "energy", "FP32", classes)
	if !(sum > 0) || !(other > 0) {
		return Finding{Verdict: NotMeasured}
	}
	events, apart := 0.0, 0.0
	for k, class := range classes {
		apart = max(apart, math.Abs(mixed[k]-single[k]))
		for _, r := range of(list, "agata-energies", labels{"energy": class, "algorithm": "cfgs", "precision": "mixed"}, "events") {
			if k < 2 {
				events += r.Values["events"]
			}
		}
	}
	low := (mixed[0] + mixed[1]) / events
	return Finding{
		Verdict: inAll(count(low >= 1, apart <= c.Threshold), 2), Measured: fmt.Sprintf("%.2f and %.2f", low, apart),
		Data: "share below 200 keV relative to the share of all events, and the largest difference of a class between FP32 and mixed precision",
	}
}

// agataStochastic judges the share of points that random rounding changes.
func agataStochastic(list []Record, c Claim, _ []string) Finding {
	for _, r := range of(list, "agata-digits", nil, "changed") {
		v := r.Values
		return Finding{
			Verdict: inAll(count(v["changed"] <= c.Threshold), 1), Measured: fmt.Sprintf("%.3f %%", 100*v["changed"]),
			Data: fmt.Sprintf("figures of merit have %.1f significant digits in the mean, at least %.1f", v["digits"], v["digits_least"]),
		}
	}
	return Finding{Verdict: NotMeasured}
}
