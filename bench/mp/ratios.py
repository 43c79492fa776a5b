"""Prints tables of what run.sh has measured: ratios.py gemv OURS PEERS | ratios.py spmv QUAD LIMBS DD

OURS and PEERS are JSON lines of `mpsolve bench mp` and of dot.c, QUAD of quad.c; LIMBS and DD are tables of `mpsolve spmv`.
"""
import json
import re
import sys


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def gemv(ours, peers):
    times = {}
    for r in lines(ours):
        if r["operation"] == "gemv":
            times.setdefault(r["bits"], {})[r["implementation"]] = r["ns_per_multiply_add"]
    for r in lines(peers):
        times[r["bits"]][r["peer"]] = r["ns_per_multiply_add"]
    names = list(dict.fromkeys(name for of in times.values() for name in of))
    print("y = A x: ns a multiply-add, and over the faster of limbs and residues")
    print(f"{'bits':>5}" + "".join(f"{name:>20}" for name in names))
    for bits, of in times.items():
        best = min(of.get(name, float("inf")) for name in ("limbs", "residues"))
        print(f"{bits:>5}" + "".join(f"{of[name]:>12.4g} ({of[name] / best:5.3g})" if name in of else f"{'–':>20}" for name in names))


def table(path):
    """Rows of the last table in a text, as dictionaries; cells of a row stand below their headers, two blanks apart."""
    header, rows = None, []
    with open(path) as f:
        for line in f:
            cells = re.split(r" {2,}", line.strip())
            if " ms " in line and cells[0] in ("product", "layout"):
                header, rows = cells, []
            elif header and len(cells) == len(header):
                rows.append(cells)
    return header, rows


def spmv(quads, limbs, dd):
    rows = lines(quads)
    quad = next(r for r in rows if r["peer"].startswith("__float128"))
    nnz, slow = quad["nnz"], quad["ns_per_multiply_add"]
    times = {r["peer"]: r["ns_per_multiply_add"] for r in rows}
    header, cells = table(limbs)
    for row in cells:
        if header[0] == "product" and row[0] == "limbs":
            times[f"limbs, {row[1]} bits"] = 1e6 * float(row[header.index("ms")]) / nnz
    header, cells = table(dd)
    for row in cells:
        times[f"double-double, {row[0]}"] = 1e6 * float(row[header.index("dd ms")]) / nnz
    print(f"products with a sparse matrix of {nnz} nonzeros: ns a nonzero, and __float128 over it")
    for name, ns in times.items():
        print(f"{name:<28}{ns:>10.4g} ({slow / ns:.3g})")


if __name__ == "__main__":
    {"gemv": gemv, "spmv": spmv}[sys.argv[1]](*sys.argv[2:])
