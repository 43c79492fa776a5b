package order

import (
	"context"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// quotient is the quotient graph of a symmetric matrix during elimination [Amestoy96]. Its
// nodes are variables, each of which stands for one or several rows that have become
// indistinguishable, and elements, which are cliques of variables: one for each eliminated
// pivot, and the elements that the graph begins with. A variable's list has its elements first and
// then the variables that it is connected to directly; an element's list has its variables.
// In lists, nodes that have been absorbed by others are skipped.
type quotient struct {
	n    int // variables 0 to n-1, which become elements; further elements follow
	rows int // of all variables
	adjacency
	weight []int32 // rows of a variable; 0: absorbed, or an element; negative: in the element being made
	degree []int32 // of a variable, approximately, without itself; rows of an element
	seen   []int64 // of an element: 0: absorbed; at least stamp: stamp + its rows outside of the one being made
	stamp  int64
	linked

	into      []int32 // variable that has absorbed a variable, or the pivot it was eliminated with; -1: none
	pivots    []int32
	postponed []int32
	left      int // rows that are not eliminated

	ctx   context.Context
	work  int // entries visited since the last check of ctx
	total Elimination
	Limit
}

// adjacency is the list of each node, one after the other in list.
type adjacency struct {
	list     []int32
	at       []int   // where the list of a node begins
	length   []int32 // of the list
	elements []int32 // at the beginning of the list of a variable
}

// linked are linked lists of variables.
type linked struct {
	head, next, before []int32 // lists of the variables by degree, -1: end
	least              int     // no variable has a lower degree
	bucket             []int32 // lists of variables by hash, linked by next
	hash               []int32 // of a variable
}

func newQuotient(ctx context.Context, n, elements, rows int) *quotient {
	nodes := n + elements
	q := &quotient{
		n: n, rows: rows, left: rows, stamp: 2, ctx: ctx, into: make([]int32, n),
		weight: make([]int32, nodes), degree: make([]int32, nodes), seen: make([]int64, nodes),
		adjacency: adjacency{at: make([]int, nodes), length: make([]int32, nodes), elements: make([]int32, n)},
		linked: linked{
			head: make([]int32, rows+1), next: make([]int32, n), before: make([]int32, n),
			bucket: make([]int32, n), hash: make([]int32, n),
		},
	}
	for _, a := range [][]int32{q.head, q.bucket, q.into} {
		for i := range a {
			a[i] = -1
		}
	}
	for i := range n {
		q.weight[i] = 1
	}
	return q
}

// postpone puts row i to the end of the order.
func (q *quotient) postpone(i int32) {
	q.weight[i] = 0
	q.postponed = append(q.postponed, i)
	q.left--
}

// enter puts variable i into the list of its degree.
func (q *quotient) enter(i int32) {
	d := q.degree[i]
	first := q.head[d]
	q.next[i], q.before[i], q.head[d] = first, -1, i
	if first >= 0 {
		q.before[first] = i
	}
	q.least = min(q.least, int(d))
}

// leave takes variable i out of the list of its degree.
func (q *quotient) leave(i int32) {
	after, before := q.next[i], q.before[i]
	if after >= 0 {
		q.before[after] = before
	}
	if before >= 0 {
		q.next[before] = after
	} else {
		q.head[q.degree[i]] = after
	}
}

// A Limit is that of an order by minimum degree, which is given up as soon as it is seen to exceed it, with the multiplications that it takes at
// least; 0: none. Graphs without small separators, such as
// random ones, take ten times the visits of others, and fill.
type Limit struct {
	Multiplications float64 // of the elimination. The remaining rows of a pivot are a clique, which takes a third of the third power of its size.
	Visits          int     // of entries, by the search for the order: 2 to 22 for a nonzero mostly
}

// ErrLimit is the end of an order that exceeds its limit.
var ErrLimit = errors.New("an order takes more than its limit")

// Excess is the error of complete factors that take more than they may.
type Excess struct {
	Work    float64 // multiplications for each nonzero of the matrix
	Limit   float64 // of these
	AtLeast bool    // they were not counted to the end
}

func (e *Excess) Error() string {
	counted := "about"
	if e.AtLeast {
		counted = "at least"
	}
	return fmt.Sprintf("%s %.0f multiplications per nonzero, the limit is %g", counted, e.Work, e.Limit)
}

// workBetweenChecks is the number of entries, of some nanoseconds each, after which orders
// check their context.
const workBetweenChecks = 1 << 20

// spend counts entries and returns the context's error if it is done, ErrLimit beyond the visits.
func (q *quotient) spend(entries int) error {
	if q.work += entries; q.work < workBetweenChecks {
		return nil
	}
	if q.Visits > 0 {
		if q.Visits -= q.work; q.Visits <= 0 {
			return ErrLimit
		}
	}
	q.work = 0
	return q.ctx.Err()
}

// eliminate eliminates all variables, one of about the least degree at a time.
func (q *quotient) eliminate() (Elimination, error) {
	if err := q.ctx.Err(); err != nil {
		return Elimination{}, err
	}
	for i := q.n - 1; i >= 0; i-- {
		if q.weight[i] > 0 {
			q.degree[i] = min(q.degree[i], int32(q.left-1))
			q.enter(int32(i))
		}
	}
	for q.left > 0 {
		for q.head[q.least] < 0 {
			q.least++
		}
		pivot := q.head[q.least]
		q.leave(pivot)
		if err := q.pivot(pivot); err != nil {
			return Elimination{Multiplications: q.total.Multiplications}, err
		}
		clique := float64(q.degree[pivot])
		if least := q.total.Multiplications + clique*clique*clique/3; q.Multiplications > 0 && least > q.Multiplications {
			return Elimination{Multiplications: least}, ErrLimit
		}
	}
	rest := len(q.postponed)
	q.count(rest, 0)
	q.total.Order, q.total.Groups = q.order()
	return q.total, nil
}

// count adds up what eliminating k rows takes that have the same other rows.
func (q *quotient) count(k, others int) {
	f, r := float64(k), float64(others)
	q.total.Entries += int64(k)*int64(others) + int64(k)*int64(k-1)/2
	q.total.Multiplications += f*r*r + r*f*(f-1) + f*(f-1)*(2*f-1)/6 // updates
	q.total.Multiplications += f*r + f*(f-1)/2                       // divisions
}

// pivot makes an element of a variable.
func (q *quotient) pivot(me int32) error {
	q.pivots = append(q.pivots, me)
	rows := q.form(me)
	from, to := q.at[me], q.at[me]+int(q.length[me])
	if err := q.outside(from, to); err != nil {
		return err
	}
	eliminated := -q.weight[me]
	q.left -= int(eliminated)
	rows, eliminated, err := q.update(me, rows, eliminated)
	if err != nil {
		return err
	}
	if err := q.merge(from, to); err != nil {
		return err
	}
	kept := from
	for p := from; p < to; p++ {
		i := q.list[p]
		if w := -q.weight[i]; w > 0 {
			q.weight[i] = w
			q.degree[i] = min(q.degree[i]+rows-w, int32(q.left)-w)
			q.enter(i)
			q.list[kept] = i
			kept++
		}
	}
	q.length[me], q.degree[me], q.weight[me] = int32(kept-from), rows, 0
	q.seen[me] = 1
	if kept == from {
		q.seen[me] = 0
	}
	if to == len(q.list) {
		q.list = q.list[:kept]
	}
	q.stamp += int64(q.rows) + 1
	q.count(int(eliminated), int(rows)+len(q.postponed))
	return nil
}

// form makes the list of the new element: the union of the variables of the elements of
// pivot me, which it absorbs, and of those that me is connected to. It takes these out of the
// lists of degrees, makes their weights negative and returns the sum.
func (q *quotient) form(me int32) (rows int32) {
	elements := int(q.elements[me])
	need := int(q.length[me])
	for _, e := range q.list[q.at[me]:][:elements] {
		need += int(q.length[e])
	}
	if len(q.list)+need > cap(q.list) {
		q.compact(need)
	}
	own := q.list[q.at[me]:][:q.length[me]]
	q.weight[me] = -q.weight[me]
	from := len(q.list)
	add := func(variables []int32) {
		for _, i := range variables {
			if w := q.weight[i]; w > 0 {
				rows += w
				q.weight[i] = -w
				q.list = append(q.list, i)
				q.leave(i)
			}
		}
	}
	for _, e := range own[:elements] {
		if q.seen[e] != 0 {
			add(q.list[q.at[e]:][:q.length[e]])
			q.seen[e], q.length[e] = 0, 0
		}
	}
	add(own[elements:])
	q.at[me], q.length[me] = from, int32(len(q.list)-from)
	q.work += need
	return rows
}

// compact removes the lists of absorbed nodes, and makes room for that many elements.
func (q *quotient) compact(need int) {
	live := need
	alive := func(k int) bool { return k < q.n && q.weight[k] > 0 || q.seen[k] != 0 }
	for k := range q.at {
		if alive(k) {
			live += int(q.length[k])
		}
	}
	list := make([]int32, 0, live+live/2)
	for k := range q.at {
		if alive(k) {
			from := len(list)
			list = append(list, q.list[q.at[k]:][:q.length[k]]...)
			q.at[k] = from
		} else {
			q.at[k], q.length[k] = 0, 0
		}
	}
	q.list = list
	q.work += live
}

// order returns the rows of the pivots, one after the other, and then the postponed rows; and
// where the rows of each pivot begin.
func (q *quotient) order() (p csr.Permutation, groups []int32) {
	absorbed, next := make([]int32, q.n), q.next // lists of the variables absorbed by a variable
	for i := range absorbed {
		absorbed[i] = -1
	}
	for i := q.n - 1; i >= 0; i-- {
		if to := q.into[i]; to >= 0 {
			next[i], absorbed[to] = absorbed[to], int32(i)
		}
	}
	p = make(csr.Permutation, 0, q.n)
	for _, me := range q.pivots {
		k := len(p)
		groups = append(groups, int32(k))
		for p = append(p, me); k < len(p); k++ {
			for i := absorbed[p[k]]; i >= 0; i = next[i] {
				p = append(p, i)
			}
		}
	}
	if len(q.postponed) > 0 {
		groups = append(groups, int32(len(p)))
	}
	return append(p, q.postponed...), groups
}
