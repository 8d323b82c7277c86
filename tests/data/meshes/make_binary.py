#!/usr/bin/env python3
"""Writes the binary mesh files that no program at hand writes: other byte order, 4-byte size_t, VTK of two versions,
STL that begins with "solid". Run in this folder; the text files beside it are the source of truth for the numbers."""
import struct

TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
CELL = (1, 3, 4, 2)  # as Gmsh numbers it, positive volume


def msh22(name, order):
    pack = lambda form, *v: struct.pack(order + form, *v)
    out = b"$MeshFormat\n2.2 1 8\n" + pack("i", 1) + b"\n$EndMeshFormat\n"
    out += b'$PhysicalNames\n1\n3 1 "solid"\n$EndPhysicalNames\n$Nodes\n4\n'
    for i, x in enumerate(TET):
        out += pack("i3d", i + 1, *x)
    out += b"\n$EndNodes\n$Elements\n2\n"
    out += pack("3i", 2, 1, 2) + pack("3i", 1, 5, 1) + pack("3i", 1, 3, 2)
    out += pack("3i", 4, 1, 2) + pack("3i", 2, 1, 1) + pack("4i", *CELL)
    open(name, "wb").write(out + b"\n$EndElements\n")


def msh41(name, order, size, letter):
    pack = lambda form, *v: struct.pack(order + form.replace("s", letter), *v)
    out = b"$MeshFormat\n4.1 1 %d\n" % size + pack("i", 1) + b"\n$EndMeshFormat\n"
    out += b'$PhysicalNames\n1\n3 1 "solid"\n$EndPhysicalNames\n$Entities\n'
    out += pack("4s", 0, 0, 1, 1)
    out += pack("i6d", 7, 0, 0, 0, 1, 1, 0) + pack("s", 1) + pack("i", -5) + pack("s", 0)
    out += pack("i6d", 1, 0, 0, 0, 1, 1, 1) + pack("s", 1) + pack("i", 1) + pack("s", 1) + pack("i", 7)
    out += b"\n$EndEntities\n$Nodes\n" + pack("4s", 2, 4, 1, 4)
    out += pack("3i", 2, 7, 1) + pack("s", 3) + pack("3s", 1, 2, 3)  # parametric: u, v follow x, y, z
    for x in TET[:3]:
        out += pack("5d", *x, 0.25, 0.75)
    out += pack("3i", 3, 1, 0) + pack("s", 1) + pack("s", 4) + pack("3d", *TET[3])
    out += b"\n$EndNodes\n$Elements\n" + pack("4s", 2, 2, 1, 2)
    out += pack("3i", 2, 7, 2) + pack("s", 1) + pack("4s", 1, 1, 3, 2)
    out += pack("3i", 3, 1, 4) + pack("s", 1) + pack("5s", 2, *CELL)
    open(name, "wb").write(out + b"\n$EndElements\n")


def vtk(name, version):
    out = b"# vtk DataFile Version " + version + b"\na tetrahedron and a triangle\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
    out += b"FIELD FieldData 1\nTIME 1 1 double\n" + struct.pack(">d", 0.5) + b"\nPOINTS 5 float\n"
    for x in TET + [(9, 9, 9)]:
        out += struct.pack(">3f", *x)
    out += b"\nMETADATA\nINFORMATION 0\n\n"
    if version == b"5.1":
        out += b"CELLS 3 7\nOFFSETS vtktypeint64\n" + struct.pack(">3q", 0, 4, 7)
        out += b"\nCONNECTIVITY vtktypeint64\n" + struct.pack(">7q", 0, 1, 2, 3, 0, 2, 1)
    else:
        out += b"CELLS 2 9\n" + struct.pack(">9i", 4, 0, 1, 2, 3, 3, 0, 2, 1)
    out += b"\nCELL_TYPES 2\n" + struct.pack(">2i", 10, 5) + b"\nCELL_DATA 2\nSCALARS s int 1\n"
    open(name, "wb").write(out)


def stl(name):
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    out = b"solid but binary".ljust(80, b" ") + struct.pack("<I", 5)
    for f in faces + [(0, 0, 1)]:  # the last has no area
        out += struct.pack("<12fH", 0, 0, 0, *TET[f[0]], *TET[f[1]], *TET[f[2]], 7)
    open(name, "wb").write(out)


msh22("tet-msh22-big.msh", ">")
msh22("tet-msh22-little.msh", "<")
msh41("tet-msh41-big.msh", ">", 8, "Q")
msh41("tet-msh41-little4.msh", "<", 4, "I")
msh41("tet-msh41-big4.msh", ">", 4, "I")
vtk("tet-vtk3-binary.vtk", b"3.0")
vtk("tet-vtk51-binary.vtk", b"5.1")
stl("tet-binary.stl")
