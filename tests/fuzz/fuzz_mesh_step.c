/* Any bytes as a mesh file in a scene: the first says which format and which body is made of it, the rest is the file. */
#include "fuzz_folder.h"

/* TetGen's two files are one input, the elements behind a line "%%ele". */
static const char *const formats[] = {"msh", "inp", "obj", "stl", "vtk", "node"};
static const char *const bodies[] = {
    "dimension: 3\nbodies: [{name: b, type: deformable, mesh: m, material: a}]\n",
    "dimension: 2\nbodies: [{name: b, type: deformable, mesh: m, material: a}]\n",
    "dimension: 3\nbodies: [{name: b, type: shell, mesh: m, material: a, thickness: 1e-3}]\n",
    "dimension: 3\nbodies: [{name: b, type: rigid, mesh: m}]\n",
    "dimension: 2\nbodies: [{name: b, type: rigid, mesh: m}]\n",
    "dimension: 3\nbodies: [{name: b, type: static, mesh: m, thickness: 1e-3}, {name: ball, type: rigid, "
    "shape: {sphere: "
    "{radius: 0.1}}, position: [0, 0, 9]}]\n",
    "dimension: 2\nbodies: [{name: b, type: static, mesh: m}, {name: ball, type: rigid, shape: {sphere: "
    "{radius: 0.1}}, "
    "position: [0, 9]}]\n",
};
enum { FORMATS = sizeof formats / sizeof formats[0], BODIES = sizeof bodies / sizeof bodies[0] };

static void put_mesh(const char *extension, const uint8_t *data, size_t size)
{
    char name[16], path[256];
    (void)snprintf(name, sizeof name, "m.%s", extension);
    fuzz_put_file(fuzz_path(name, path), data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *format = formats[data[0] % FORMATS];
    const char *body = bodies[data[0] / FORMATS % BODIES];
    const bool ipc = data[0] / (FORMATS * BODIES) % 2 == 0;
    char text[1000], path[256];
    const size_t cut = find_word(data, size, "\n%%ele\n");
    (void)unlink(fuzz_path("m.ele", path)); /* of an earlier input */
    if (strcmp(format, "node") == 0 && cut < size) {
        put_mesh("ele", data + cut + 7, size - cut - 7);
        put_mesh("node", data + 1, cut);
    } else {
        put_mesh(format, data + 1, size - 1);
    }
    (void)snprintf(text, sizeof text,
                   "brunt: 1\nmethod: %s\nmaterials: {a: {type: neo_hookean}}\nmeshes: {m: {file: m.%s}}\n%s",
                   ipc ? "ipc" : "none", format, body);
    step_fuzz(text, strlen(text), fuzz_path("scene.yaml", path));
    return 0;
}
