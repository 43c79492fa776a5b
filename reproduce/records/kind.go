package records

// Kind describes a kind of measurement, which Grid.Kind names.
type Kind struct {
	Name   string
	Text   string // what it measures
	Matrix bool   // it measures with matrices
	Labels []Label
	Values []string // of its measurements; share.* stands for all shares of formats
}

// Label is a label that Grid.Labels may have.
type Label struct {
	Name    string
	Default string
	Words   string // its possible values, as text
}
