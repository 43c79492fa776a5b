// Times y = A x in Eigen on as many threads as OpenMP has: spmv_eigen FILE NAME REPEAT
#include <Eigen/Sparse>
#include <algorithm>
#include <limits>
#include <string>

#include "matrix.h"

int main(int argc, char **argv) {
  if (argc != 4) die("usage: spmv_eigen FILE NAME REPEAT");
  csr m = read_matrix(argv[1]);
  typedef Eigen::SparseMatrix<double, Eigen::RowMajor, int> Matrix;
  const Matrix a = Eigen::Map<Matrix>(m.rows, m.cols, m.nnz, m.row_ptr, m.col, m.val);
  Eigen::VectorXd x = Eigen::VectorXd::Random(m.cols), y(m.rows);
  double least = std::numeric_limits<double>::infinity();
  for (int k = std::stoi(argv[3]); k > 0; k--) {
    double start = seconds();
    y.noalias() = a * x;
    least = std::min(least, seconds() - start);
  }
  if (!y.allFinite()) die("the product is not finite");
  const std::string peer = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION);
  report(argv[2], peer.c_str(), &m, Eigen::nbThreads(), least);
}
