package records

// Kind describes a way to measure, which Grid.Kind names.
type Kind struct {
	Name   string
	Text   string // what it measures
	Matrix bool   // it measures with matrices
	Labels []Label
	Values []string // that its measurements can have; share.* stands for all shares of formats
}

// Label is one that Grid.Labels may have.
type Label struct {
	Name    string
	Default string
	Words   string // what it may be, for people
}
