# Go alone builds and tests mpsolve (go build ./cmd/mpsolve, go test ./...);
# these targets are shorter names for the longer commands.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

GO   ?= go
TOOL := $(GO) tool -modfile=.ci/tools.mod

# Set by hand or by a tag; without either the binary says that it has none.
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null)
LDFLAGS := $(if $(VERSION),-X github.com/mpsolve/mpsolve/internal/cli.Version=$(VERSION))

PLATFORMS := linux/amd64 linux/arm64 darwin/arm64 darwin/amd64 windows/amd64

# A folder with the headers and libraries of an older glibc (for amd64): what cgo links needs the glibc that it was linked with. By -B gcc finds them
# before its own.
SYSROOT ?=
USE_CGO := CGO_ENABLED=1 $(if $(SYSROOT),CC='gcc --sysroot=$(SYSROOT) -B$(SYSROOT)/usr/lib/x86_64-linux-gnu')

# A bill of materials for a program, from the list of modules that Go keeps in it.
sbom = $(TOOL) cyclonedx-gomod bin -json -std $(if $(VERSION),-version $(VERSION)) -output "$(1).cdx.json" "$(1)"

# The packages whose results may depend on the processor. Their tests run again with the portable kernels and the kernels for AVX2.
NUMERICAL := ./internal/kernels ./internal/dd ./pkg/formats ./pkg/csr ./pkg/linop \
	./internal/packed ./pkg/adaptive ./pkg/krylov ./pkg/verify ./pkg/generate ./internal/mp

# The kernels and the packages nearest to them, which the other packages call. Their tests also run in emulation.
NEAREST := ./internal/kernels ./internal/dd ./pkg/linop ./internal/mp

SHORT     ?= -short
FUZZTIME  ?= 20000x
GUIDED    ?= -fuzz=.
BENCH     ?= .
COUNT     ?= 6
BASE      ?= HEAD~1
NEW       ?= HEAD
MATRICES  ?= ../shared/matrices

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## bin/mpsolve
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/mpsolve ./cmd/mpsolve

.PHONY: test
test: ## all tests
	$(GO) test ./...

.PHONY: test-portable
test-portable: ## short tests of the numerical packages with the portable kernels (`make race` builds them without any others)
	MPSOLVE_KERNELS=portable $(GO) test $(SHORT) -vet=off -count=1 $(filter-out ./internal/kernels,$(NUMERICAL))

.PHONY: test-avx2
test-avx2: ## short tests of the numerical packages with the kernels for AVX2 (on processors with AVX-512)
	@if [[ $$($(GO) run ./cmd/mpsolve version --verbose) != *avx512* ]]; then
		echo 'SKIPPED: this processor has no AVX-512, so that the other tests run the kernels for AVX2'
		exit
	fi
	MPSOLVE_KERNELS=avx2 $(GO) test $(SHORT) -vet=off -count=1 $(NUMERICAL) ./pkg/precond ./internal/solver

.PHONY: test-avx512
test-avx512: ## tests of the kernels on an emulated processor with AVX-512 (minutes; needs bochs, see tools/avx512/run.sh)
	@tools/avx512/run.sh ./internal/kernels -test.run '^TestEveryKernel$$' -test.v -rounds 20

.PHONY: test-arm64
test-arm64: ## short tests of the kernels and their callers for arm64, in qemu's emulation where needed (without those of allocations)
	@run=
	if [[ $$($(GO) env GOHOSTARCH) != arm64 ]]; then
		run=$$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
		if [[ -z $$run ]]; then
			echo 'SKIPPED: no qemu-aarch64 here (the package qemu-user has it)'
			exit
		fi
	fi
	GOARCH=arm64 $(GO) test $(SHORT) -timeout 30m -vet=off -skip DoesNotAllocate $${run:+-exec "$$run"} $(NEAREST)

# The tests that run on several goroutines. A test of tools requires such a test in each package that starts goroutines. Of the programs
# that only call packages, the services alone share data of their own.
RACE_TESTS := Thread|Concurrent|Interrupt
RACE_FOLDERS ?= ./internal ./pkg ./examples

.PHONY: race
race: ## short tests of concurrent code under the race detector, which does not see assembly (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race $(SHORT) -vet=off -tags purego -run '$(RACE_TESTS)' \
		$$(grep -rlE --include='*_test.go' '^func Test\w*($(RACE_TESTS))' $(RACE_FOLDERS) | xargs dirname | sort -u)

.PHONY: lint
lint: ## gofumpt, go vet, staticcheck (versions pinned in .ci/tools.mod)
	@unformatted=$$($(TOOL) gofumpt -l .)
	if [[ -n $$unformatted ]]; then
		printf 'not formatted by gofumpt:\n%s\n' "$$unformatted"
		exit 1
	fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...

.PHONY: generate
generate: ## regenerate generated files
	$(GO) generate ./...

.PHONY: generate-check
generate-check: ## fail if generate changes a file
	@state() { git status --porcelain; git diff; }
	before=$$(state)
	$(GO) generate ./...
	if [[ $$(state) != "$$before" ]]; then
		git status --short
		echo 'generated files were not up to date'
		exit 1
	fi

.PHONY: gpu-generate
gpu-generate: ## PTX and code objects of pkg/gpu's kernels, by clang-19
	$(GO) run ./tools gpucode $(GPU_FLAGS)

.PHONY: gpu-check
gpu-check: ## fail if PTX and code objects are not what clang-19 makes of the source; GPU_FLAGS=-must: fail without clang-19
	$(GO) run ./tools gpucode -check $(GPU_FLAGS)

.PHONY: gpu-ptxas
gpu-ptxas: ## assemble the PTX by NVIDIA's ptxas, fetched from Debian if need be; GPU_FLAGS=-update: record registers and sizes
	$(GO) run ./tools gpuptxas $(GPU_FLAGS)

.PHONY: gpu-libraries
gpu-libraries: ## test that the drivers' libraries, fetched from Debian, have the functions that pkg/gpu calls
	@folders=
	fetch() { # SUITE COMPONENT PATTERN PACKAGE...
		local folder
		if folder=$$(.ci/debian "$$@"); then folders=$$folders:$$folder; else echo "SKIPPED: $$4"; fi
	}
	fetch sid non-free '*/lib*.so*' libnvidia-tesla-450-cuda1 libnvidia-legacy-390xx-cuda1 libnvidia-legacy-390xx-fatbinaryloader
	fetch bookworm non-free '*/lib*.so*' libcuda1 libnvidia-tesla-470-cuda1 libnvidia-ml1
	fetch bookworm main '*/lib*.so*' libamdhip64-5 libamd-comgr2 libhsa-runtime64-1 libhsakmt1
	if [[ $$folders ]]; then MPSOLVE_TEST_LIBRARIES=$${folders#:} $(GO) test -count=1 -v -run '^TestRealLibraries$$' ./pkg/gpu; fi

.PHONY: kernels-generate
kernels-generate: ## internal/kernels/simd: Go assembly of the kernels in internal/kernels/c, by clang-19
	$(GO) run ./tools simdgen

.PHONY: kernels-check
kernels-check: ## fail if that assembly is not what clang-19 makes of the C; KERNELS_FLAGS=-must: fail without clang-19
	$(GO) run ./tools simdgen -check $(KERNELS_FLAGS)

KERNEL ?= .

.PHONY: kernels-disassembly
kernels-disassembly: ## the instructions of the kernels in C whose names match KERNEL, a regular expression such as Csr64Quad
	@$(GO) run ./tools simdgen -disassembly '$(KERNEL)'

# The sanitizers check C alone: with -asan all packages and Go's own would be compiled again. The tests themselves find leaks of
# devices by counting buffers.
SANITIZE := -O1 -g -fsanitize=undefined,address -fno-sanitize-recover=undefined

# OpenCL's compiler on the CPU has leaks of its own, so that there is no OpenCL here.
.PHONY: gpu-sanitize
gpu-sanitize: ## tests of pkg/gpu on the emulated device, under the address and undefined-behaviour sanitizers (needs gcc)
	CGO_ENABLED=1 CGO_CFLAGS='$(SANITIZE)' CGO_LDFLAGS=-fsanitize=undefined,address \
		ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 MPSOLVE_LIBOPENCL=/none $(GO) test -tags withoutsolve -short -vet=off -count=1 ./pkg/gpu

.PHONY: gpu-bench-build
gpu-bench-build: build ## the programs that bench/gpu/run.sh needs on a machine with a GPU
	$(GO) test -c -o bin/gpu.test ./pkg/gpu

CIRCUIT_DEVICES ?= emulate,opencl

.PHONY: gpu-circuit
gpu-circuit: ## multigrid on G3_circuit: as many iterations as on the host, same bits on all CIRCUIT_DEVICES (emulate,opencl; ptx takes a quarter of an hour)
	$(GO) test -count=1 -v -timeout 0 -run '^TestG3Circuit$$' ./pkg/gpu -circuit $(CIRCUIT_DEVICES) -circuit-iterations $(or $(CIRCUIT_ITERATIONS),0)

GPU_RESULTS ?= gpu-results

.PHONY: gpu-table
gpu-table: ## the tables of docs/gpu.md, from the results of bench/gpu/run.sh in GPU_RESULTS
	$(GO) run ./tools/measure gputable -results $(GPU_RESULTS) -page docs/gpu.md

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME executions (20000x); GUIDED= turns guidance by coverage off, so that nothing is compiled for it
	@for folder in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs dirname | sort -u); do
		$(GO) test -c -vet=off -tags withoutsolve $(GUIDED) -o $(CURDIR)/bin/fuzz.test "$$folder"
		for target in $$(bin/fuzz.test -test.list '^Fuzz'); do
			echo "$$target in $$folder"
			(cd "$$folder" && $(CURDIR)/bin/fuzz.test -test.run='^$$' -test.fuzz="^$$target\$$" -test.fuzztime=$(FUZZTIME) \
				-test.fuzzminimizetime=100x -test.fuzzcachedir="$$($(GO) env GOCACHE)/fuzz/$$folder")
		done
	done

.PHONY: fuzz-kernels
fuzz-kernels: ## compares all sets of kernels of this processor in FUZZTIME calls (20000x)
	$(GO) test -run='^$$' -fuzz='^FuzzKernels$$' -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x ./internal/kernels

.PHONY: stress
stress: ## thousands of hostile systems and injected faults, judged in exact arithmetic (minutes); STRESS_FLAGS
	$(GO) run ./tools/measure stress $(STRESS_FLAGS)

.PHONY: mutants
mutants: ## fail if the tests miss one of the errors in tools/mutants.yaml (15 minutes); MUTANTS_FLAGS
	$(GO) run ./tools mutants $(MUTANTS_FLAGS)

KILLS ?= 200

.PHONY: kill-test
kill-test: ## SIGKILL solves with checkpoints at KILLS (200) random moments; they must go on to the same bits (minutes)
	$(GO) test ./internal/cli -run '^TestKill$$' -v -count=1 -timeout 60m -kills $(KILLS)

.PHONY: bench
bench: ## all benchmarks; BENCH picks by name
	$(GO) test -run='^$$' -bench='$(BENCH)' -benchmem ./...

DIRECT_FLAGS ?=

.PHONY: compare-direct
compare-direct: build ## mpsolve and SciPy's direct solver on 60 generated matrices; DIRECT_FLAGS='--only circuit' (needs SciPy)
	bench/peers/direct.sh bin/mpsolve $(DIRECT_FLAGS)

CHOICE_FLAGS ?=

.PHONY: choice
choice: build ## time of the default settings by that of the best setting by hand, on generated systems (long; needs SciPy); CHOICE_FLAGS='--most-rows 5000 --seeds 1'
	bench/choice/choice.sh bin/mpsolve $(CHOICE_FLAGS)

.PHONY: bench-compare
bench-compare: ## benchmarks of the revisions BASE (HEAD~1) and NEW (HEAD), COUNT (6) alternating runs each
	@dir=$$(mktemp -d)
	trap 'rm -rf "$$dir"' EXIT
	for side in base=$(BASE) new=$(NEW); do
		mkdir "$$dir/$${side%%=*}"
		git archive "$${side#*=}" | tar -x -C "$$dir/$${side%%=*}"
	done
	for ((run = 0; run < $(COUNT); run++)); do
		for side in base new; do
			$(GO) -C "$$dir/$$side" test -run='^$$' -bench='$(BENCH)' ./... >>"$$dir/$$side.txt"
		done
	done
	$(TOOL) benchstat "base=$$dir/base.txt" "new=$$dir/new.txt"

.PHONY: golden
golden: ## rewrite the golden files of the command line's tests
	$(GO) test ./internal/cli -update

.PHONY: clean
clean: ## remove what make built
	rm -rf bin dist man .gobin

.PHONY: dist
dist: ## static programs of all platforms with their bills of materials (CycloneDX) and checksums, into dist/
	@rm -rf dist
	mkdir dist
	for platform in $(PLATFORMS); do
		echo "$$platform"
		program=dist/mpsolve-$${platform/\//-}
		if [[ $$platform == windows/* ]]; then program+=.exe; fi
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -trimpath \
			-ldflags '-s -w $(LDFLAGS)' -o "$$program" ./cmd/mpsolve
		$(call sbom,$$program)
	done
	$(MAKE) --no-print-directory checksums

.PHONY: checksums
checksums: ## dist/SHA256SUMS; SIGN=KEY: gpg signs it with this key
	@cd dist
	rm -f SHA256SUMS SHA256SUMS.asc
	sha256sum mpsolve* | tee SHA256SUMS
	$(if $(SIGN),gpg --batch --local-user '$(SIGN)' --armor --detach-sign SHA256SUMS)

# Debian 11 has glibc 2.31. Its symbols that mpsolve takes are older; .ci/wheel says how old.
.PHONY: release
release: dist ## what a release has, into dist/: static programs, and with cgo program, packages and wheel for old glibc (on amd64); SIGN
	@sysroot=$$(.ci/debian bullseye main '*' libc6-dev libc6 linux-libc-dev libcrypt-dev)
	export GOFLAGS=-trimpath
	$(MAKE) --no-print-directory packages wheel SYSROOT="$$sysroot"
	cp bin/packages/mpsolve dist/mpsolve-linux-amd64-cgo
	$(call sbom,dist/mpsolve-linux-amd64-cgo)
	$(MAKE) --no-print-directory checksums

.PHONY: site
site: ## docs/ and the README as plain HTML into bin/site; fail if a link leads nowhere
	$(GO) run ./tools site -output bin/site

.PHONY: completions
completions: build ## completion scripts of the shells into bin/packages
	@mkdir -p bin/packages
	bin/mpsolve completion bash >bin/packages/mpsolve.bash
	bin/mpsolve completion zsh >bin/packages/_mpsolve
	bin/mpsolve completion fish >bin/packages/mpsolve.fish

.PHONY: packages
packages: completions ## .deb and .rpm of this machine's processor, with manual pages and completions, into dist/
	@rm -rf bin/packages/man
	$(USE_CGO) $(GO) build -buildmode=pie -ldflags '-s -w $(LDFLAGS)' -o bin/packages/mpsolve ./cmd/mpsolve
	bin/packages/mpsolve man --output bin/packages/man
	printf 'mpsolve-sparse (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- the mpsolve authors <mpsolve@users.noreply.github.com>  %s\n' \
		'$(or $(VERSION:v%=%),0.1.0~dev)' "$$(git log -1 --format=%cD 2>/dev/null || date -R)" >bin/packages/changelog
	gzip -9nf bin/packages/{man/*.1,changelog}
	mkdir -p dist
	export ARCH=$$($(GO) env GOARCH) VERSION=$(or $(VERSION),0.1.0-dev)
	export GLIBC=$$(grep -aoE 'GLIBC_2\.[0-9]+' bin/packages/mpsolve | sort -V | sed -n '$$s/GLIBC_//p')
	for kind in deb rpm; do
		$(TOOL) nfpm package --config packaging/nfpm.yaml --packager $$kind --target dist/
	done

LIBMPSOLVE ?= bin/libmpsolve

# The library exports only the functions of mpsolve.h. The folder can be moved: mpsolve.pc finds the library relative to itself.
.PHONY: libmpsolve
libmpsolve: ## C library, header, pkg-config file and Fortran module into LIBMPSOLVE (bin/libmpsolve), for Linux
	@mkdir -p $(LIBMPSOLVE)/{lib/pkgconfig,include}
	$(USE_CGO) $(GO) build -buildmode=c-shared -o $(LIBMPSOLVE)/lib/libmpsolve.so -ldflags \
		"-s -w $(LDFLAGS) -extldflags '-Wl,-soname,libmpsolve.so -Wl,--version-script=$(CURDIR)/bindings/c/libmpsolve.map'" ./cmd/libmpsolve
	rm $(LIBMPSOLVE)/lib/libmpsolve.h # cgo's
	cp bindings/c/mpsolve.h bindings/fortran/mpsolve.f90 $(LIBMPSOLVE)/include
	sed 's/@VERSION@/$(or $(VERSION:v%=%),0)/' bindings/c/mpsolve.pc >$(LIBMPSOLVE)/lib/pkgconfig/mpsolve.pc

PYTHON ?= python3

.PHONY: wheel
wheel: ## Python package with the library into dist/ (needs Python's setuptools and wheel); PYTHON
	@$(PYTHON) -c 'import setuptools, wheel' || { echo '$(PYTHON) has no setuptools or no wheel; another one: make wheel PYTHON=...'; exit 1; }
	$(MAKE) --no-print-directory libmpsolve
	trap 'rm -rf bindings/python/{mpsolve/libmpsolve.so,build,*.egg-info}' EXIT
	cp $(LIBMPSOLVE)/lib/libmpsolve.so bindings/python/mpsolve
	MPSOLVE_VERSION=$$(sed 's/^v//; s/-/+/; s/-/./g' <<<'$(VERSION)') $(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./bindings/python
	ls dist/*.whl

.PHONY: testdata
testdata: build ## regenerate the matrices in testdata/
	bin/mpsolve generate poisson2d --n 20 --output testdata/poisson2d_20.mtx
	bin/mpsolve generate poisson3d --n 10 --decades 4 --seed 1 --output testdata/poisson3d_10.mtx.gz
	bin/mpsolve generate convdiff2d --n 20 --peclet 1 --output testdata/convdiff2d_20.mtx
	bin/mpsolve generate elasticity3d --n 4 --decades 4 --seed 1 --output testdata/elasticity3d_4.mtx.gz

AMGCL ?= ../amgcl

.PHONY: readme-figure
readme-figure: ## measures real matrices beside PETSc, hypre, SciPy, SuiteSparse and amgcl, and draws docs/readme.svg; AMGCL, the folder of its headers
	bench/peers/solve.sh $(if $(wildcard $(AMGCL)),--amgcl $(AMGCL)) --part figure --matrices $(MATRICES) --limit 15 --repeat 2 bench/peers/readme.tsv
	$(GO) run ./tools/measure readmefigure

.PHONY: uniform-figure
uniform-figure: build ## measures real matrices by default and in uniform FP64, and draws docs/uniform.svg; UNIFORM, more matrices
	bench/uniform.sh bin/mpsolve 3 $(shell awk -F'\t' 'NR > 1 && $$5 != "complex" { print "$(MATRICES)/" $$2 }' $(MATRICES)/INDEX.tsv) $(UNIFORM) >bench/uniform.tsv
	$(GO) run ./tools/measure uniformfigure

.PHONY: man
man: build ## manual pages into man/
	bin/mpsolve man --output man

.PHONY: table
table: ## every shared matrix through solve, into docs/matrices.md; TABLE_FLAGS, see tools/measure/tables.go
	$(GO) run ./tools/measure tables -dir $(MATRICES) $(TABLE_FLAGS) matrices

.PHONY: digits
digits: ## claimed digits against right digits, for all shared matrices and 1000 generated systems; DIGITS_FLAGS, see tools/measure/digits.go
	$(GO) run ./tools/measure digits -dir $(MATRICES) $(DIGITS_FLAGS)

.PHONY: precise-digits
precise-digits: ## 50 digits of x, for all shared matrices (table in docs/measured.md) and 200 small systems with rational solutions; PRECISE_FLAGS, see tools/measure/precisedigits.go
	$(GO) run ./tools/measure precisedigits -dir $(MATRICES) -page docs/measured.md $(PRECISE_FLAGS)

.PHONY: mp-table
mp-table: ## table of docs/multiple-precision.md: times of products, dot and axpy in 106 to 1696 bits, beside math/big (half a minute)
	$(GO) run ./tools/measure arithmetic -page docs/multiple-precision.md

.PHONY: digits-figure
digits-figure: ## figure and table of docs/digits.md: digits of x over seconds for four shared matrices
	$(GO) run ./tools/measure digitsfigure -dir $(MATRICES)

.PHONY: solver-table
solver-table: ## tables of docs/measured.md and docs/multigrid.md: the gain of preconditioners; TABLE_FLAGS
	$(GO) run ./tools/measure tables -dir $(MATRICES) $(TABLE_FLAGS) solvers

.PHONY: precision-table
precision-table: ## table of docs/measured.md and figure of docs/precision-formats.md
	$(GO) run ./tools/measure tables -dir $(MATRICES) $(TABLE_FLAGS) precision

.PHONY: volume-model
volume-model: ## table and figure of docs/mpi.md: messages between ranks
	$(GO) run ./tools/measure volume

.PHONY: rule-figure
rule-figure: ## figure of docs/precision.md
	$(GO) run ./tools/measure tables rule

.PHONY: storage-figure
storage-figure: ## drawing and numbers of docs/storage.md
	$(GO) test ./pkg/adaptive -run TestStoragePage -update

REPRODUCTION ?= reproduction

.PHONY: reproduction
reproduction: build ## the papers' tables and figures into REPRODUCTION, verdicts into docs/reproduction-results.md; REPRODUCE_FLAGS
	bin/mpsolve reproduce all --output $(REPRODUCTION) $(REPRODUCE_FLAGS)
	bin/mpsolve reproduce report --output $(REPRODUCTION) $(REPRODUCE_FLAGS)
	$(GO) run ./tools/measure reproductionpage -measurements $(REPRODUCTION)/measurements.jsonl

# Complex matrices are left out.
LAYOUT_MATRICES = $(filter-out %/helmholtz_2D.mtx.gz %/mhd1280b.mtx.gz,$(wildcard $(MATRICES)/*.mtx.gz))
LAYOUT_KINDS := elasticity3d,n=8 elasticity3d,n=12 elasticity3d,n=20 elasticity3d,n=30 elasticity3d,n=46 \
	poisson2d,n=50 poisson2d,n=200,decades=4 poisson2d,n=700,decades=4 poisson2d,n=2000,decades=4 \
	poisson3d,n=20 poisson3d,n=50,decades=4 poisson3d,n=100,decades=4 stencil27,n=15 \
	stencil27,n=30,window=1000 stencil27,n=60,window=4096 stencil27,n=60 powerlaw,n=1000 powerlaw,n=10000 \
	powerlaw,n=100000 powerlaw,n=1000000 convdiff2d,n=300 convdiff3d,n=60 wathen anisotropic2d,n=400 trefethen,n=20000

.PHONY: layout-record
layout-record: build ## measurements for the test of the choice of layouts
	bin/mpsolve bench spmv $(LAYOUT_MATRICES) $(addprefix --generate ,$(LAYOUT_KINDS)) \
		--layout slots,blocks,diag,sell,tiles,sym,sell8,bcrs4x1 --epsilon 2^-24,2^-37,2^-53 --threads 1 --repeat 300 --time 1500ms \
		--bandwidth=false --json | $(GO) run ./tools/measure tables layouts > bin/layouts.jsonl
	mv bin/layouts.jsonl pkg/adaptive/testdata/layouts.jsonl

.PHONY: install-tools
install-tools: ## gofumpt, staticcheck and benchstat into .gobin
	GOBIN='$(CURDIR)/.gobin' $(GO) install -modfile=.ci/tools.mod tool
