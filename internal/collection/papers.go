package collection

// Paper is a matrix that the papers measure with.
type Paper struct {
	Name  string
	Alias string // another name of it in the papers, or ""

	// Group is that of the SuiteSparse collection. It is "" for a matrix that is not
	// available, for the reason Missing.
	Group, Missing string

	// N is the order, and NNZ counts the entries of the full matrix, explicit zeros
	// included: exact figures of the collection, those of the papers to two digits
	// for matrices that are not in it, 0 where not known.
	N, NNZ int64

	// Zeros is how many of the entries are explicit zeros, which the reader drops
	// unless its options keep them.
	Zeros int64

	Symmetric bool // the file then has one triangle

	download int64 // bytes, 0: not known
}

// Stored is the number of entries in the file, which is what table 3.2 of the thesis
// counts: of a symmetric matrix those of one triangle.
func (p Paper) Stored() int64 {
	if p.Symmetric {
		return (p.NNZ + p.N) / 2
	}
	return p.NNZ
}

// Address is where the archive of the matrix can be downloaded, "" if nowhere.
func (p Paper) Address() string {
	if p.Group == "" {
		return ""
	}
	return "https://sparse.tamu.edu/MM/" + p.Group + "/" + p.Name + archiveEnd
}

// bytesPerEntry is what an entry takes in an archive, roughly: 10.1 to 11.3 were
// found for ldoor, inline_1, audikw_1 and RM07R. Matrices with few different values
// take less.
const bytesPerEntry = 11

// DownloadBytes is the size of the archive. It is an estimate unless known, and 0
// for a matrix that is not available.
func (p Paper) DownloadBytes() (bytes int64, known bool) {
	switch {
	case p.Group == "":
		return 0, false
	case p.download > 0:
		return p.download, true
	}
	return bytesPerEntry * p.Stored(), false
}

// Papers lists the matrices of tables 3.2, 3.3, 3.4 and 4.4 of Molina's thesis, and
// what its text names besides, in the order of the names within each origin.
func Papers() []Paper {
	const onera = "industrial, not known to be published: from the solver Aghora of ONERA"
	return []Paper{
		{Name: "CoupCons3D", Group: "Janna", N: 416800, NNZ: 22322336, Zeros: 5044916},
		{Name: "Cube_Coup_dt0", Group: "Janna", N: 2164760, NNZ: 127206144, Zeros: 2800074, Symmetric: true},
		{Name: "Emilia_923", Group: "Janna", N: 923136, NNZ: 41005206, Zeros: 631668, Symmetric: true},
		{Name: "Fault_639", Group: "Janna", N: 638802, NNZ: 28614564, Zeros: 1368620, Symmetric: true},
		{Name: "Flan_1565", Group: "Janna", N: 1564794, NNZ: 117406044, Zeros: 3240672, Symmetric: true},
		{Name: "Geo_1438", Group: "Janna", N: 1437960, NNZ: 63156690, Zeros: 2920368, Symmetric: true},
		{Name: "Hook_1498", Group: "Janna", N: 1498023, NNZ: 60917445, Zeros: 1542994, Symmetric: true},
		{Name: "Long_Coup_dt0", Group: "Janna", N: 1470152, NNZ: 87088992, Zeros: 2666022, Symmetric: true},
		{Name: "Long_Coup_dt6", Group: "Janna", N: 1470152, NNZ: 87088992, Zeros: 2666022, Symmetric: true},
		{Name: "ML_Geer", Group: "Janna", N: 1504002, NNZ: 110879972, Zeros: 193295},
		{Name: "ML_Laplace", Group: "Janna", N: 377002, NNZ: 27689972, Zeros: 107274},
		{Name: "PFlow_742", Group: "Janna", N: 742793, NNZ: 37138461, Symmetric: true},
		{Name: "Queen_4147", Group: "Janna", N: 4147110, NNZ: 329499284, Zeros: 12950322, Symmetric: true},
		{Name: "Serena", Group: "Janna", N: 1391349, NNZ: 64531701, Zeros: 399730, Symmetric: true},
		{Name: "StocF-1465", Group: "Janna", N: 1465137, NNZ: 21005389, Symmetric: true},
		{Name: "Transport", Group: "Janna", N: 1602111, NNZ: 23500731, Zeros: 13450},

		{Name: "dgreen", Group: "VLSI", N: 1200611, NNZ: 38259877, Zeros: 11653708},
		{Name: "imagesensor", Group: "VLSI", N: 118758, NNZ: 1893170, Zeros: 446774},
		{Name: "mosfet2", Group: "VLSI", N: 46994, NNZ: 1499460, Zeros: 486398},
		{Name: "nv1", Group: "VLSI", N: 75468, NNZ: 2449194, Zeros: 814191},
		{Name: "nv2", Group: "VLSI", N: 1453908, NNZ: 52728362, Zeros: 15252716},
		{Name: "power9", Group: "VLSI", N: 155376, NNZ: 2512300, Zeros: 624570},
		{Name: "radiation", Group: "VLSI", N: 223104, NNZ: 7637688, Zeros: 2111051},
		{Name: "ss", Group: "VLSI", N: 1652680, NNZ: 34753577},
		{Name: "ss1", Group: "VLSI", N: 205282, NNZ: 845089},
		{Name: "stokes", Group: "VLSI", N: 11449533, NNZ: 349321980},
		{Name: "test1", Group: "VLSI", N: 392908, NNZ: 12968200, Zeros: 3520665},
		{Name: "vas_stokes_1M", Group: "VLSI", N: 1090664, NNZ: 34767207},
		{Name: "vas_stokes_2M", Group: "VLSI", N: 2146677, NNZ: 65129037},
		{Name: "vas_stokes_4M", Group: "VLSI", N: 4382246, NNZ: 131577616},

		{Name: "bone010", Group: "Oberwolfach", N: 986703, NNZ: 71666325, Zeros: 23814542, Symmetric: true},
		{Name: "RM07R", Group: "Fluorem", N: 381689, NNZ: 37464962, download: 423e6},

		{Name: "A_DGO3", Alias: "Aghora_DGO3", Missing: onera, N: 1.5e5, NNZ: 1.8e7},
		{Name: "A_DGO4", Alias: "Aghora_DGO4", Missing: onera, N: 2.6e5, NNZ: 5.1e7},
		{Name: "A_DGO5", Alias: "Aghora_DGO5", Missing: onera, N: 3.8e5, NNZ: 1.1e8},
		{Name: "thmgaz", Missing: "industrial, not known to be published"},
	}
}
