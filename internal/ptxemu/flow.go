package ptxemu

// meet finds where threads that part at a branch meet again: the immediate post-dominator,
// the first instruction that all ways from the branch to the end go through.
func (k *Kernel) meet() {
	n := len(k.code)
	starts, block := k.blocks()
	end := len(starts) // the node after all blocks
	next := make([][]int, end)
	for b := range starts {
		last := n - 1
		if b+1 < end {
			last = starts[b+1] - 1
		}
		next[b] = k.successors(last, b, block)
	}
	// after[b] has the blocks that all ways from b go through, in order of the blocks.
	after := make([]bitset, end+1)
	for b := range end {
		after[b] = full(end + 1)
	}
	after[end] = make(bitset, len(full(end+1)))
	after[end].add(end)
	for changed := true; changed; {
		changed = false
		for b := end - 1; b >= 0; b-- {
			s := full(end + 1)
			for _, to := range next[b] {
				s.intersect(after[to])
			}
			s.add(b)
			if !s.equal(after[b]) {
				after[b], changed = s, true
			}
		}
	}
	for i := range k.code {
		in := &k.code[i]
		if in.join = n; in.kind != branch || in.guard == none {
			continue
		}
		// Of those after the branch the first one has all the others after it.
		b, most := block[i], -1
		for c := range end {
			if c != b && after[b].has(c) && after[c].count() > most {
				most, in.join = after[c].count(), starts[c]
			}
		}
	}
}

// blocks returns where straight pieces of code begin, and in which one each instruction is.
func (k *Kernel) blocks() (starts, block []int) {
	leads := make([]bool, len(k.code)+1)
	leads[0] = true
	for i, in := range k.code {
		switch in.kind {
		case branch:
			leads[in.target], leads[i+1] = true, true
		case exit, unreachable:
			leads[i+1] = true
		}
	}
	block = make([]int, len(k.code))
	for i := range k.code {
		if leads[i] {
			starts = append(starts, i)
		}
		block[i] = len(starts) - 1
	}
	return starts, block
}

// successors are the blocks after block b, which ends with the given instruction. None of what
// cannot be reached: it says nothing about where threads meet.
func (k *Kernel) successors(last, b int, block []int) []int {
	switch in := &k.code[last]; {
	case in.kind == exit:
		return []int{block[len(block)-1] + 1}
	case in.kind == unreachable:
		return nil
	case in.always():
		return []int{block[in.target]}
	case in.kind == branch:
		return []int{block[in.target], b + 1}
	}
	return []int{b + 1}
}
