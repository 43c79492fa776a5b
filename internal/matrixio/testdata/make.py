# Makes the files of this folder, by SciPy and NumPy (and struct for those of PETSc, as its MatView and VecView write them).
# They all hold A, C = A + i/2 or the vectors below; expected values are in testdata_test.go.
import struct
import numpy as np, scipy.sparse as sp, scipy.io as sio

A = sp.csr_matrix(np.array([[4., -1, 0, 0], [-1, 4.5, 0, 1e-300], [0, 0, 2, 0], [7, 0, -3, 1/3]]))
C = (A.astype(complex) + .5j * sp.eye(4)).tocsr()
v = np.array([1., -2, 3, 1/3])

for f in ['csr', 'csc', 'coo', 'dia']:
    sp.save_npz(f + '.npz', A.asformat(f), compressed=f != 'csr')
sp.save_npz('bsr.npz', sp.bsr_matrix(A, blocksize=(2, 2)))
sp.save_npz('complex.npz', C.tocsc())
np.savez('vector.npz', x=v)
np.save('vector.npy', v)
np.save('rows.npy', np.arange(8.).reshape(4, 2))
np.save('columns.npy', np.asfortranarray(np.arange(8).reshape(4, 2)))
np.save('bigendian.npy', np.array([1 + 2j, 3], dtype='>c8'))

sio.savemat('plain.mat', {'A': A.tocsc(), 'b': v[:, None]})
sio.savemat('packed.mat', {'x': v[:, None], 'A': A.tocsc()}, do_compression=True)
sio.savemat('complex.mat', {'C': C.tocsc()})
sio.savemat('problem.mat', {'Problem': {'title': 't', 'A': A.tocsc(), 'b': v[:, None]}}, do_compression=True)
sio.savemat('vector.mat', {'x': v[:, None]})
sio.savemat('two.mat', {'K': A.tocsc(), 'M': A.tocsc()})
sio.hb_write('scipy.rua', A.tocsc())


def petsc(name, matrix=None, vector=None, index='i'):
    with open(name, 'wb') as f:
        if matrix is not None:
            m = matrix.tocsr()
            f.write(struct.pack('>4' + index, 1211216, *m.shape, m.nnz))
            f.write(np.diff(m.indptr).astype('>' + index).tobytes())
            f.write(m.indices.astype('>' + index).tobytes())
            f.write(m.data.astype('>c16' if np.iscomplexobj(m.data) else '>f8').tobytes())
        if vector is not None:
            f.write(struct.pack('>2' + index, 1211214, len(vector)))
            f.write(vector.astype('>f8').tobytes())


petsc('matrix.petsc', A)
petsc('complex.petsc', C)
petsc('long.petsc', A, index='q')
petsc('both.petsc', A, v)
petsc('vector.petsc', None, v)

# As HYPRE_IJMatrixPrint and HYPRE_IJVectorPrint of one rank, with two digits more.
with open('ij.00000', 'w') as f:
    f.write('0 3 0 3\n')
    f.writelines(f'{i} {j} {A[i, j]:.16e}\n' for i, j in zip(*A.nonzero()))
with open('vector.00000', 'w') as f:
    f.write('0 3\n')
    f.writelines(f'{i} {v[i]:.16e}\n' for i in range(4))
