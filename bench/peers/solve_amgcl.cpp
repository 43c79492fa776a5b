// Solves A x = b in amgcl from x = 0 and prints a JSON line:
//   solve_amgcl MATRIX B X RTOL cg|bicgstab amg|spai0 f32|f64
// The files are binary ones of PETSc. amg is smoothed aggregation smoothed by SPAI(0); the
// preconditioner is in FP32 or FP64, the method in FP64. Needs amgcl's headers only:
//   c++ -O3 -march=native -fopenmp -DAMGCL_NO_BOOST -I AMGCL solve_amgcl.cpp
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/as_preconditioner.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/bicgstab.hpp>
#include <amgcl/solver/cg.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

using Clock = std::chrono::steady_clock;

static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

static void die(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

static std::vector<int32_t> integers(FILE *f, size_t n) {
  std::vector<int32_t> v(n);
  if (std::fread(v.data(), 4, n, f) != n) die("the file is too short");
  for (auto &i : v) i = int32_t(__builtin_bswap32(uint32_t(i)));
  return v;
}

static void swap(std::vector<double> &v) {
  for (double &x : v) {
    uint64_t u;
    std::memcpy(&u, &x, 8);
    u = __builtin_bswap64(u);
    std::memcpy(&x, &u, 8);
  }
}

static std::vector<double> doubles(FILE *f, size_t n) {
  std::vector<double> v(n);
  if (std::fread(v.data(), 8, n, f) != n) die("the file is too short");
  swap(v);
  return v;
}

struct Problem {
  ptrdiff_t n;
  std::vector<ptrdiff_t> ptr, col;
  std::vector<double> val, b, x;
  double rtol;
};

template <class Solver> void run(Problem &p) {
  typename Solver::params prm;
  prm.solver.tol = p.rtol;
  prm.solver.maxiter = 20000;
  auto start = Clock::now();
  auto system = std::tie(p.n, p.ptr, p.col, p.val);
  Solver solve(system, prm);
  amgcl::backend::builtin<double>::matrix a(system); // without it the method would multiply with the preconditioner's matrix, in FP32
  double setup = since(start);
  start = Clock::now();
  size_t iterations;
  double error;
  std::tie(iterations, error) = solve(a, p.b, p.x);
  std::printf("{\"setup\":%g,\"solve\":%g,\"iterations\":%zu,\"reason\":\"%s\"}\n", setup, since(start), iterations,
              error <= p.rtol ? "converged" : "not converged");
}

template <class P> void method(Problem &p, const std::string &name) {
  using Outer = amgcl::backend::builtin<double>;
  if (name == "cg") run<amgcl::make_solver<P, amgcl::solver::cg<Outer>>>(p);
  else if (name == "bicgstab") run<amgcl::make_solver<P, amgcl::solver::bicgstab<Outer>>>(p);
  else die("want cg or bicgstab");
}

template <class Number> void preconditioner(Problem &p, const std::string &name, const std::string &krylov) {
  using Inner = amgcl::backend::builtin<Number>;
  if (name == "amg") method<amgcl::amg<Inner, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>>(p, krylov);
  else if (name == "spai0") method<amgcl::relaxation::as_preconditioner<Inner, amgcl::relaxation::spai0>>(p, krylov);
  else die("want amg or spai0");
}

int main(int argc, char **argv) {
  if (argc != 8) die("want MATRIX B X RTOL cg|bicgstab amg|spai0 f32|f64");
  Problem p;
  FILE *f = std::fopen(argv[1], "rb");
  if (!f) die("cannot open the matrix");
  auto head = integers(f, 4);
  if (head[0] != 1211216 || head[1] != head[2]) die("not a square matrix of PETSc");
  p.n = head[1];
  p.ptr.assign(1, 0);
  for (int32_t k : integers(f, head[1])) p.ptr.push_back(p.ptr.back() + k);
  auto col = integers(f, head[3]);
  p.col.assign(col.begin(), col.end());
  p.val = doubles(f, head[3]);
  std::fclose(f);
  if (!(f = std::fopen(argv[2], "rb"))) die("cannot open b");
  if (auto h = integers(f, 2); h[0] != 1211214 || h[1] != p.n) die("not a vector of PETSc for this matrix");
  p.b = doubles(f, p.n);
  std::fclose(f);
  p.x.assign(p.n, 0.0);
  p.rtol = std::atof(argv[4]);

  if (!std::strcmp(argv[7], "f32")) preconditioner<float>(p, argv[6], argv[5]);
  else preconditioner<double>(p, argv[6], argv[5]);

  if (!(f = std::fopen(argv[3], "wb"))) die("cannot write x");
  uint32_t out[2] = {__builtin_bswap32(1211214), __builtin_bswap32(uint32_t(p.n))};
  swap(p.x);
  if (std::fwrite(out, 4, 2, f) != 2 || std::fwrite(p.x.data(), 8, p.n, f) != size_t(p.n) || std::fclose(f)) die("cannot write x");
}
