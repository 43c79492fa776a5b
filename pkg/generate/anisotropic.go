package generate

func anisotropic2D() Kind {
	return stencilKind(Kind{
		Name: "anisotropic2d", Symmetric: true,
		Help: "9-point rotated anisotropic diffusion in a square, n x n points, symmetric positive definite",
		Use:  "hard for Jacobi and for multigrid with plain coarsening",
		Params: []Param{
			edgeParam(2, 1, 100),
			{Name: "angle", Help: "direction of strong diffusion, degrees from the x axis", Default: 30, Min: -360, Max: 360},
			{Name: "ratio", Help: "diffusion across that direction; 1 along it", Default: 1e-3, Min: 1e-12, Max: 1},
		},
	}, 2, anisotropic)
}

// anisotropic returns -h^2 div(D grad u), D = R diag(1, ratio) R', R the
// rotation by the angle, with Dirichlet conditions. With D = (a b; b c) the
// second differences give the stencil
//
//	 b/2      -c      -b/2
//	 -a    2a + 2c     -a
//	-b/2      -c       b/2
//
// drawn with y upwards, whose symbol is positive as b^2 <= a c.
func anisotropic(v values) stencil {
	sin, cos := sincosDegrees(v["angle"])
	ratio := v["ratio"]
	a := float64(cos*cos) + float64(ratio*float64(sin*sin))
	b := (1 - ratio) * float64(sin*cos)
	c := float64(sin*sin) + float64(ratio*float64(cos*cos))
	steps := []step{
		{-1, -1, 0, -b / 2},
		{0, -1, 0, -c},
		{1, -1, 0, b / 2},
		{-1, 0, 0, -a},
		{0, 0, 0, 2 * (a + c)},
		{1, 0, 0, -a},
		{-1, 1, 0, b / 2},
		{0, 1, 0, -c},
		{1, 1, 0, -b / 2},
	}
	return stencil{cube(2, v.int("n")), withoutZeros(steps)}
}
