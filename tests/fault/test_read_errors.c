/* Mesh files that are wrong: each is refused with a message that names the place and what was expected there, without
   allocating what a false count asks for. And: every allocation failing in turn, for every reader. */
#include "test.h"

#include "base/os.h"
#include "base/text.h"
#include "model/mesh_source.h"
#include "model/read/readers.h"

#include <dirent.h>

#define DATA BRN_SOURCE_DIR "/tests/data/meshes/"

/* An allocator that counts, refuses large blocks, and fails the k-th call. */
typedef struct meter {
    size_t largest;
    long calls, fail_at; /* 0: never */
} meter;

static void *meter_realloc(void *user, void *block, size_t size)
{
    meter *m = user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    m->largest = size > m->largest ? size : m->largest;
    if (++m->calls == m->fail_at) {
        return NULL;
    }
    return realloc(block, size);
}

static brn_ctx *meter_ctx(meter *m)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = meter_realloc;
    options.realloc_user = m;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    return ctx;
}

typedef struct wrong {
    const char *text;
    const char *message;
} wrong;

static void refuse_bytes(brn_reader_fn read, const char *name, const char *bytes, size_t length,
                         const char *message)
{
    meter m = {0};
    brn_ctx *ctx = meter_ctx(&m);
    m.largest = 0;
    /* A copy of exactly this size, so that the address sanitizer sees a read past the end. */
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    brn_mesh *mesh = NULL;
    const brn_status status = read(ctx, copy, length, name, &mesh);
    free(copy);
    assert_int_equal(status, BRN_ERR_FORMAT);
    assert_null(mesh);
    assert_string_equal(brn_ctx_message(ctx), message);
    assert_true(m.largest < 1 << 16);
    brn_ctx_destroy(ctx);
}

static void refuse_all(brn_reader_fn read, const char *name, const wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        refuse_bytes(read, name, cases[i].text, strlen(cases[i].text), cases[i].message);
    }
}

#define REFUSE(read, name, cases) refuse_all((read), (name), (cases), sizeof(cases) / sizeof *(cases))

#define MSH2   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 MSH2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES4 MSH4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"

static void test_msh_text(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.msh:1: expected $MeshFormat, found the end of the file"},
        {"hello", "a.msh:1: expected a section ($MeshFormat, $Nodes, ...), found 'hello'"},
        {"$Nodes\n", "a.msh:1: expected $MeshFormat first, found '$Nodes'"},
        {"$MeshFormat\n3.0 0 8", "a.msh:2: MSH format 3.0 is not supported: save the mesh as 4.1 or 2.2"},
        {"$MeshFormat\n4 0 8", "a.msh:2: MSH format 4 is not supported: save the mesh as 4.1 or 2.2"},
        {"$MeshFormat\n2.2 2 8", "a.msh:2: the file type (0: text, 1: binary) is 2: must be between 0 and 1"},
        {"$MeshFormat\n2.2 0 4", "a.msh:2: data size 4 is not supported: must be 8"},
        {"$MeshFormat\n2.2 0 8\n", "a.msh:3: expected $EndMeshFormat, found the end of the file"},
        {MSH2, "a.msh: holds no cells (0 nodes)"},
        {NODES2, "a.msh: holds no cells (4 nodes)"},
        {MSH2 "$Nodes\n1000000000000000000\n1 0 0 0\n",
         "a.msh:5: the number of nodes is 1000000000000000000, but the file has only 9 bytes more"},
        {MSH2 "$Nodes\n-3\n",
         "a.msh:5: the number of nodes is -3: must be between 0 and 9223372036854775807"},
        {MSH2 "$Nodes\n1\n1 0 nan 0\n$EndNodes",
         "a.msh:6: expected a y coordinate (a finite number), found 'nan'"},
        {MSH2 "$Nodes\n1\n1 0 0 1e999\n$EndNodes",
         "a.msh:6: expected a z coordinate (a finite number), found '1e999'"},
        {MSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes", "a.msh:7: node number 1 was used before"},
        {MSH2 "$Nodes\n2\n1 0 0 0\n-2 0 0 1\n$EndNodes", "a.msh:7: a node number is -2: must be >= 0"},
        {MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes", "a.msh:7: expected $EndNodes, found '2'"},
        {MSH2 "$Nodes\n2\n1 0 0 0\n2 0.0 0.0\n",
         "a.msh:8: expected a z coordinate (a finite number), found the end of the file"},
        {MSH2 "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements", "a.msh:4: expected $Nodes before $Elements"},
        {NODES2 "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements", "a.msh:13: node number 5 does not exist"},
        {NODES2 "$Elements\n1\n1 4 -1 1 2 3 5\n$EndElements",
         "a.msh:13: the number of tags is -1: must be between 0 and 4096"},
        {NODES2 "$Elements\n1\n1 77 0 1 2 3 5\n$EndElements",
         "a.msh:13: element type 77 of Gmsh is not supported"},
        {NODES2 "$Elements\n1\n1 7 0 1 2 3 4 4\n$EndElements",
         "a.msh:13: 5-node pyramid cells are not supported (tet4, tet10, hex8, hex20, tri3, tri6 are)"},
        {NODES2 "$Elements\n3000\n1 7 0 1 2 3 4 4\n$EndElements",
         "a.msh:12: the number of elements is 3000, but the file has only 29 bytes more"},
        {MSH2 "$PhysicalNames\n1\n2 1 base\n", "a.msh:6: expected a physical name in double quotes"},
        {MSH2 "$NodeData\n1\n", "a.msh:4: section $NodeData has no $EndNodeData"},
        {MSH4 "$Nodes\n1 1000000000000 1 2\n",
         "a.msh:5: the number of nodes is 1000000000000, but the file has only 5 bytes more"},
        {MSH4 "$Nodes\n1 1 1 2\n7 1 0 1\n1\n0 0 0\n$EndNodes",
         "a.msh:6: the dimension of an entity is 7: must be 0, 1, 2 or 3"},
        {MSH4 "$Nodes\n1 1 1 2\n2 1 0 2\n1\n2\n0 0 0\n1 1 1\n$EndNodes",
         "a.msh:6: a block of 2 nodes, but only 1 are left of the number announced"},
        {MSH4 "$Nodes\n1 3 1 2\n2 1 0 2\n1\n2\n0 0 0\n1 1 1\n$EndNodes",
         "a.msh:10: 1 nodes are missing from the blocks"},
        {MSH4 "$Entities\n0 0 2 0\n1 0 0 0 1 1 1 0 0\n1 0 0 0 1 1 1 0 0\n$EndEntities",
         "a.msh:7: entity 1 of dimension 2 was given before"},
        {NODES4 "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 9\n$EndElements",
         "a.msh:17: node number 9 does not exist"},
        {NODES4 "$Elements\n1 2 1 1\n2 1 2 1\n1 1 2 3\n$EndElements",
         "a.msh:17: 1 elements are missing from the blocks"},
    };
    REFUSE(brn_read_msh, "a.msh", cases);
}

#define REFUSE_BYTES(read, name, literal, message) \
 refuse_bytes((read), (name), (literal), sizeof(literal) - 1, (message))

static void test_msh_binary(void **state)
{
    (void)state;
    REFUSE_BYTES(brn_read_msh, "b.msh", "$MeshFormat\n2.2 1 8\n\x02\0\0\0\n$EndMeshFormat\n",
                 "b.msh: byte 20: expected the int 1 that shows the byte order, found 2");
    REFUSE_BYTES(brn_read_msh, "b.msh", "$MeshFormat\n2.2 1 8\n\x01\0",
                 "b.msh: byte 20: expected the int 1 that shows the byte order, found the end of the file");
    REFUSE_BYTES(brn_read_msh, "b.msh",
                 "$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n2\n\1\0\0\0",
                 "b.msh: byte 47: the number of nodes is 2, but the file has only 5 bytes more");
    REFUSE_BYTES(brn_read_msh, "b.msh",
                 "$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n"
                 "\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                 "b.msh: byte 55: the number of nodes is 18446744073709551615: too large");
    REFUSE_BYTES(
        brn_read_msh, "b.msh",
        "$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n"
        "\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x0f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "b.msh: byte 55: the number of nodes is 1152921504606846975, but the file has only 16 bytes more");
    /* A NaN coordinate. */
    REFUSE_BYTES(brn_read_msh, "b.msh",
                 "$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n1\n\1\0\0\0\0\0\0\0\0\0\0\0"
                 "\0\0\0\0\0\0\xf8\x7f\0\0\0\0\0\0\0\0",
                 "b.msh: byte 61: a y coordinate is nan: must be a finite number");
}

#define INP "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"

static void test_inp(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.inp: holds no cells (0 nodes)"},
        {"*NODE\n1,0,0,0\n1,1,0,0\n", "a.inp:3: node number 1 was used before"},
        {"*NODE\n0,0,0,0\n", "a.inp:2: node number 0: must be > 0"},
        {"*NODE\nx,0,0,0\n", "a.inp:2: expected a node number (a whole number), found 'x'"},
        {"*NODE\n1,0,inf,0\n", "a.inp:2: expected a coordinate (a finite number), found 'inf'"},
        {"*NODE, SYSTEM=C\n1,0,0,0\n",
         "a.inp:1: SYSTEM=C is not supported: only rectangular coordinates are"},
        {"*NODE, INPUT=x.inp\n", "a.inp:1: INPUT= is not supported: write the mesh out into one file"},
        {"**\n*INCLUDE, INPUT=x.inp\n",
         "a.inp:2: *INCLUDE is not supported: write the mesh out into one file"},
        {INP "*ELEMENT\n1,1,2,3,4\n", "a.inp:6: expected TYPE=... on the *ELEMENT card"},
        {INP "*ELEMENT, TYPE=C3D6\n1,1,2,3,4,1,2\n",
         "a.inp:6: C3D6 cells are not supported (tet4, tet10, hex8, hex20, tri3, tri6 are)"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,9\n", "a.inp:7: node number 9 does not exist"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3\n",
         "a.inp:8: expected 4 node numbers of an element (tet4), found 3"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4,1\n",
         "a.inp:7: expected 4 node numbers of an element (tet4), found more"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n1,1,2,3,4\n", "a.inp:8: element number 1 was used before"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET\n1\n", "a.inp:8: expected NSET=... on the *NSET card"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=a\n5\n", "a.inp:9: node number 5 does not exist"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=a\nb\n",
         "a.inp:9: expected a node number or the name of a set, found 'b'"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=a,GENERATE\n7,8\n",
         "a.inp:9: none of the nodes 7 to 8 exists"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=a,GENERATE\n4,1\n",
         "a.inp:9: a set generated from 4 to 1 by 1: must ascend from >= 1"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=a,ELSET=b\n",
         "a.inp:8: element set 'b' does not exist"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*ELSET,ELSET=a\n5\n",
         "a.inp:9: element number 5 does not exist"},
        {INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*ELSET\n5\n", "a.inp:8: expected ELSET=... on the *ELSET card"},
        {"*PART\n*END PART\n*PART\n", "a.inp:3: a second *PART is not supported: write one mesh a file"},
        {"*INSTANCE\n1,2,3\n", "a.inp:2: a moved *INSTANCE is not supported: give the position in the scene"},
    };
    REFUSE(brn_read_inp, "a.inp", cases);
}

static void test_obj(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.obj: holds no cells (0 nodes)"},
        {"v 0 0\n", "a.obj:1: expected 3 coordinates of a vertex, found 2"},
        {"v 0 0 nan\n", "a.obj:1: expected a coordinate (a finite number), found 'nan'"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj:3: expected at least 3 corners of a face, found 2"},
        {"v 0 0 0\nf 1 2 3\n", "a.obj:2: vertex 2 does not exist (there are 1)"},
        {"v 0 0 0\nf -1 -2 -3\nv 1 0 0\nv 0 1 0\n", "a.obj:2: vertex -2 does not exist (there are 1)"},
        {"v 0 0 0\nf 0 1 1\n", "a.obj:2: expected a vertex index (such as 7, 7/1, 7//3 or -1), found '0'"},
        {"v 0 0 0\nf a 1 1\n", "a.obj:2: expected a vertex index (such as 7, 7/1, 7//3 or -1), found 'a'"},
        {"v 0 0 0\nv 3 3 0\nv 3 0 0\nv 0 2 0\nv -1 1 0\nf 1 2 3 4 5\n",
         "a.obj:6: a polygon of 5 corners crosses itself"},
    };
    REFUSE(brn_read_obj, "a.obj", cases);
}

static void test_stl(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.stl: holds no cells (0 nodes)"},
        {"hello", "a.stl:1: expected solid, found 'hello'"},
        {"solid a\nendsolid\n", "a.stl: holds no cells (0 nodes)"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1\n",
         "a.stl:7: expected a coordinate (a finite number), found the end of the file"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 nan\n",
         "a.stl:6: expected a coordinate (a finite number), found 'nan'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0",
         "a.stl:7: expected endloop, found 'vertex'"},
        {"solid a\nvertex 0 0 0\n", "a.stl:2: expected facet or endsolid, found 'vertex'"},
        {"solid a\n", "a.stl:2: expected facet or endsolid, found the end of the file"},
    };
    REFUSE(brn_read_stl, "a.stl", cases);
    char bytes[184] = "binary";
    const unsigned char count[4] = {0xff, 0xff, 0xff, 0xff};
    memcpy(bytes + 80, count, 4);
    refuse_bytes(
        brn_read_stl, "b.stl", bytes, sizeof bytes,
        "b.stl: byte 80: 4294967295 facets take 214748364750 bytes, but the file has only 100 bytes more");
    /* Cut off in the second of two facets, and one with an infinite coordinate. */
    const unsigned char two[4] = {2, 0, 0, 0};
    memcpy(bytes + 80, two, 4);
    refuse_bytes(brn_read_stl, "b.stl", bytes, 180,
                 "b.stl: byte 80: 2 facets take 100 bytes, but the file has only 96 bytes more");
    const float infinite = INFINITY;
    memcpy(bytes + 84 + 12, &infinite, 4);
    refuse_bytes(brn_read_stl, "b.stl", bytes, sizeof bytes,
                 "b.stl: byte 96: a coordinate is inf: must be a finite number");
}

#define VTK  "# vtk DataFile Version 3.0\nt\nASCII\n"
#define GRID VTK "DATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define GRID5                                                                                  \
 "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 " \
 "0 0 1 0 0 0 1\n"

static void test_vtk(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.vtk:1: expected '# vtk DataFile Version ...' on the first line"},
        {"# vtk DataFile Version 9.0\n", "a.vtk:1: version '9.0' is not supported: 1.0 to 5.1 are"},
        {"# vtk DataFile Version 3.0\nt\nTEXT\n", "a.vtk:3: expected ASCII or BINARY, found 'TEXT'"},
        {VTK "DATASET STRUCTURED_GRID\n",
         "a.vtk:4: expected UNSTRUCTURED_GRID or POLYDATA, found 'STRUCTURED_GRID'"},
        {VTK "DATASET POLYDATA\nCELLS 1 2\n",
         "a.vtk:5: expected DATASET, POINTS, POLYGONS or TRIANGLE_STRIPS, found 'CELLS'"},
        {VTK "DATASET POLYDATA\nPOINTS 100000000000 float\n",
         "a.vtk:5: the number of points is 100000000000, but the file has only 7 bytes more"},
        {VTK "DATASET POLYDATA\nPOINTS 1 quad\n0 0 0\n",
         "a.vtk:5: expected a data type (float, double, int, ...), found 'quad'"},
        {VTK "DATASET POLYDATA\nPOINTS 1 float\n0 0 nan\n",
         "a.vtk:6: expected a coordinate (a finite number), found 'nan'"},
        {GRID "POINTS 1 float\n0 0 0\n", "a.vtk:7: POINTS were given before"},
        {GRID "CELLS 1 5\n4 0 1 2 3\n", "a.vtk:9: expected CELL_TYPES after CELLS"},
        {GRID "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "a.vtk:9: node number 4 does not exist"},
        {GRID "CELLS 1 5\n3 0 1 2 3\nCELL_TYPES 1\n10\n",
         "a.vtk:8: the list of cells has 4 numbers, but 5 were announced"},
        {GRID "CELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n10\n",
         "a.vtk:8: a cell of 9 nodes, but the list has only 5 numbers in all"},
        {GRID "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", "a.vtk:9: 2 cell types for 1 cells"},
        {GRID "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n", "a.vtk:9: a hexahedron of 4 nodes: must have 8"},
        {GRID "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n99\n", "a.vtk:9: cell type 99 of VTK is not supported"},
        {GRID "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n14\n",
         "a.vtk:9: pyramid cells are not supported (tet4, tet10, hex8, hex20, tri3, tri6 are)"},
        {GRID5 "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
         "a.vtk:11: offset 5 of cell 1: must ascend from 0 to 4"},
        {GRID5 "CELLS 2 4\nOFFSETS float\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
         "a.vtk:12: expected CELL_TYPES after CELLS"},
        {GRID5 "CELLS 2 4\n4 0 1 2 3\n", "a.vtk:8: expected OFFSETS, found '4'"},
        {VTK "DATASET POLYDATA\nFIELD F 1\na 1000000000 5 int\n",
         "a.vtk:6: an array of 1000000000 x 5 values, but the file has only 0 bytes more"},
    };
    REFUSE(brn_read_vtk, "a.vtk", cases);
    REFUSE_BYTES(brn_read_vtk, "b.vtk",
                 "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n\0\0\0\0",
                 "b.vtk: byte 62: 3 points, but the file has only 4 bytes more");
}

#define NODE "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n%%ele\n"

static void test_tetgen(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "a.node: expected a line %%ele between the points and the elements"},
        {"%%ele\n", "a.node:1: expected the number of points, found the end of the file"},
        {"4000000 3\n%%ele\n", "a.node:1: 4000000 points, but the file has only 3 bytes more"},
        {"1 4 0 0\n1 0 0 0\n%%ele\n", "a.node:1: the dimension is 4: must be between 2 and 3"},
        {"1 3 0 0\n1 0 0 \n%%ele\n", "a.node:2: expected a coordinate, found the end of the line"},
        {"1 3 0 0\n1 0 0 inf\n%%ele\n", "a.node:2: expected a coordinate (a finite number), found 'inf'"},
        {"2 3 0 0\n1 0 0 0\n# none\n1 0 0 1\n%%ele\n", "a.node:4: node number 1 was used before"},
        {"2 3 0 0\n1 0 0 0\n       \n%%ele\n", "a.node:4: expected a point, found the end of the file"},
        {NODE "1 5 0\n1 1 2 3 4 4\n", "a.ele:1: elements of 5 nodes are not supported: 4 and 10 are"},
        {NODE "1 4 0\n1 1 2 3 7\n", "a.ele:2: node number 7 does not exist"},
        {NODE "1 4 0\n1 1 2 3\n\n\n", "a.ele:2: expected the number of a point, found the end of the line"},
        {NODE "1 4 0         \n", "a.ele:2: expected an element, found the end of the file"},
        {NODE "0 4 0\n", "a.node: holds no cells (4 nodes)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const bool last = i + 1 == sizeof cases / sizeof *cases;
        refuse_bytes(brn_read_tetgen, "a.node", cases[i].text, strlen(cases[i].text),
                     last ? "a.ele: holds no cells (4 nodes)" : cases[i].message);
    }
}

/* ---- every prefix of every good file ------------------------------------------------------------------------------- */

static brn_reader_fn reader_of(const char *extension)
{
    for (int i = 0; i < brn_reader_count(); ++i) {
        if (strcmp(brn_reader_get(i)->extensions, extension) == 0) {
            return brn_reader_get(i)->read;
        }
    }
    return NULL;
}

typedef void (*file_fn)(brn_reader_fn read, const char *name, const char *bytes, size_t length);

static void for_each_file(file_fn visit)
{
    brn_ctx *ctx = test_ctx(1);
    DIR *dir = opendir(DATA);
    assert_non_null(dir);
    int visited = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const brn_reader_fn read = reader_of(brn_path_extension(entry->d_name));
        if (read == NULL) {
            continue;
        }
        char path[1024];
        (void)snprintf(path, sizeof path, "%s%s", DATA, entry->d_name);
        char *bytes = NULL;
        size_t length = 0;
        assert_done(ctx, brn_file_read(ctx, path, 1 << 20, &bytes, &length));
        visit(read, entry->d_name, bytes, length);
        brn_free(ctx, bytes);
        ++visited;
    }
    (void)closedir(dir);
    static const char pair[] =
        "4 3 1 1\n0 0 0 0 1 1\n1 1 0 0 1 2\n2 0 1 0 1 2\n3 0 0 1 1 0\n%%ele\n1 4 1\n0 0 1 2 3 7\n";
    visit(brn_read_tetgen, "pair", pair, sizeof pair - 1);
    assert_true(visited >= 25);
    brn_ctx_destroy(ctx);
}

static void cut_file(brn_reader_fn read, const char *name, const char *bytes, size_t length)
{
    brn_ctx *ctx = test_ctx(1);
    for (size_t n = 0; n <= length; ++n) {
        char *copy = malloc(n > 0 ? n : 1);
        assert_non_null(copy);
        memcpy(copy, bytes, n);
        brn_mesh *mesh = NULL;
        const brn_status status = read(ctx, copy, n, name, &mesh);
        assert_true(status == BRN_OK ? mesh != NULL : mesh == NULL && status == BRN_ERR_FORMAT);
        if (n == length) {
            assert_int_equal(status, BRN_OK);
        }
        if (status < 0) {
            assert_memory_equal(brn_ctx_message(ctx), name, strlen(name));
        }
        brn_mesh_destroy(mesh);
        free(copy);
    }
    brn_ctx_destroy(ctx);
}

static void test_every_prefix(void **state)
{
    (void)state;
    for_each_file(cut_file);
}

/* ---- every allocation fails in turn -------------------------------------------------------------------------------- */

static void starve_file(brn_reader_fn read, const char *name, const char *bytes, size_t length)
{
    meter m = {0};
    brn_ctx *ctx = meter_ctx(&m);
    long k = 1;
    for (; k < 10000; ++k) {
        m.calls = 0;
        m.fail_at = k;
        brn_mesh *mesh = NULL;
        const brn_status status = read(ctx, bytes, length, name, &mesh);
        m.fail_at = 0;
        if (status == BRN_OK) {
            brn_mesh_destroy(mesh);
            break;
        }
        assert_int_equal(status, BRN_ERR_MEMORY);
        assert_null(mesh);
        assert_string_equal(brn_ctx_message(ctx), "out of memory");
    }
    assert_true(k > 5 && k < 10000);
    brn_ctx_destroy(ctx);
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    for_each_file(starve_file);
    /* And through the file system, for the pair of files too. */
    meter m = {0};
    brn_ctx *ctx = meter_ctx(&m);
    long k = 1;
    for (brn_status status = BRN_ERR_MEMORY; status < 0; ++k) {
        m.calls = 0;
        m.fail_at = k;
        brn_mesh *mesh = NULL;
        status = brn_mesh_read(ctx, DATA "tet10.ele", &mesh);
        m.fail_at = 0;
        assert_true(status == BRN_OK || status == BRN_ERR_MEMORY);
        brn_mesh_destroy(mesh);
    }
    assert_true(k > 5);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msh_text),
        cmocka_unit_test(test_msh_binary),
        cmocka_unit_test(test_inp),
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_vtk),
        cmocka_unit_test(test_tetgen),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
