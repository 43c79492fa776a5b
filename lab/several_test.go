package lab

import "testing"

func TestSeveral(t *testing.T) {
	m, x := convection(t)
	opt := spmvOptions(t)
	opt.Vectors = []int{2, 3}
	rows, err := SpMV(t.Context(), "name", m, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range rows {
		if r.Layout == OrdinaryCSR {
			if len(r.Several) != 0 {
				t.Errorf("row %d: ordinary CSR with several vectors", k)
			}
			continue
		}
		if len(r.Several) != 2 || r.Several[0].Vectors != 2 || r.Several[1].Vectors != 3 || !(r.Several[1].Min > 0) {
			t.Errorf("row %d: %+v", k, r.Several)
		}
	}
}

// Worked by hand: CSR takes 8 seconds with two vectors at once and 5 with one, ordinary CSR takes 6; two at once are
// the fastest.
func TestSpeedupsOfSeveral(t *testing.T) {
	two := func(seconds float64) []Several { return []Several{{2, Time{Min: seconds}}} }
	rows := []Row{{Ordinary: 6}, {}, {}}
	rows[0].Min, rows[0].Layout = 6, OrdinaryCSR
	rows[1].Min, rows[1].Layout, rows[1].Several = 5, TunedCSR, two(8)
	rows[2].Min, rows[2].Several = 3, two(4)
	s := rows[2].Several[0]
	if a, c, f := rows[2].SpeedupAlone(s), SpeedupCSR(rows, s), s.ForEach(); a != 1.5 || c != 2 || f != 2 {
		t.Errorf("alone %g, CSR %g, for each %g; want 1.5, 2, 2", a, c, f)
	}
	if moved := (Stored{Rows: 10, Cols: 20, Bytes: 100}).MovedWith(2); moved != 580 {
		t.Errorf("%d bytes, want 580", moved)
	}
}
