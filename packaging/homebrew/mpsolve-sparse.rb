# Formula of Homebrew. The checksum is that of the released archive.
class MpsolveSparse < Formula
  desc "Sparse linear systems by mixed-precision iterative methods"
  homepage "https://github.com/mpsolve/mpsolve"
  url "https://github.com/mpsolve/mpsolve/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "SHA256_OF_THE_RELEASE"
  license "BSD-3-Clause"

  depends_on "go" => :build

  def install
    version_flag = "-X github.com/mpsolve/mpsolve/internal/cli.Version=v#{version}"
    system "go", "build", *std_go_args(ldflags: "-s -w #{version_flag}", output: bin/"mpsolve"), "./cmd/mpsolve"
    system bin/"mpsolve", "man", "--output", man1
    generate_completions_from_executable(bin/"mpsolve", "completion")
  end

  test do
    assert_match "mpsolve v#{version} ", shell_output("#{bin}/mpsolve --version")
    system bin/"mpsolve", "generate", "poisson2d", "--n", "20", "--output", "p.mtx"
    assert_match "converged", shell_output("#{bin}/mpsolve solve p.mtx --quiet")
  end
end
